"""Run workloads with eventide, its peers and the bare loops side by side, and print what each counted and how fast.

All of them, in their sizes, write benchmarks/results.md as well, and what README quotes of it.

make bench ARGS="hold mm1 --rounds 5 --only eventide,simpy"
make bench ARGS="precision --help"
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path

import page
import precision
from contest import OWN, Contest, contestants_of
from report import growth, record, table, write
from starts import Starts
from workloads import WORKLOADS, Workload

RESULTS = Path(__file__).resolve().parent / "results"


def chosen(arguments: list[str]) -> Namespace:
    """What the command line asks for; ends the program if it asks for something unknown."""
    parser = ArgumentParser(prog="bench", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    names = [*(workload.name for workload in WORKLOADS), Starts.name]
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=f"of {', '.join(names)}; all if none is named")
    parser.add_argument("--rounds", type=int, help="how often everybody runs; 5, or 1 with --quick")
    parser.add_argument("--only", default="", help="libraries or contestants that take part, as in eventide,simpy")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that everything works")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the JSON file")
    options = parser.parse_args(arguments)
    for name in options.workloads:
        if name not in names:
            parser.error(f"there is no workload {name!r}; there are {', '.join(names)}")
    options.is_whole = not (options.workloads or options.only or options.quick)
    options.starts = Starts.name in (options.workloads or names) and not options.only
    options.workloads = [one for one in WORKLOADS if not options.workloads or one.name in options.workloads]
    options.only = [name for name in options.only.split(",") if name]
    known = known_names(options.workloads)
    for name in options.only:
        if name not in known:
            parser.error(f"there is no contestant {name!r}; there are {', '.join(known)}")
    if options.rounds is None:
        options.rounds = 1 if options.quick else 5
    if options.rounds < 1:
        parser.error(f"--rounds takes a whole number of at least 1, and got {options.rounds}")
    return options


def known_names(workloads: list[Workload]) -> list[str]:
    contestants = [one for workload in workloads for one in contestants_of(workload)]
    return sorted({one.name for one in contestants} | {one.library for one in contestants})


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["precision"]:
        return precision.main(arguments[1:])
    options = chosen(arguments)
    contests, tables = [], []
    for workload in options.workloads:
        contest = Contest(workload, contestants_of(workload, options.only), is_quick=options.quick, seed=options.seed)
        contest.hold(options.rounds, tell=_tell)
        _tell("")
        contests.append(contest)
        tables.append(table(contest))
        print(tables[-1] + "\n", flush=True)
    for line in growth(contests):
        print(line)
    starts = Starts(is_quick=options.quick) if options.starts else None
    if starts:
        starts.hold(options.rounds, tell=_tell)
        _tell("")
        tables.append(starts.table())
        print(tables[-1], flush=True)
    found = record(contests, rounds=options.rounds) | ({"starts": starts.record()} if starts else {})
    path = write(found, options.results)
    print(f"written to {path}", file=sys.stderr)
    failed = [one for contest in contests for one in contest.standings if one.trouble and one.contestant.library in OWN]
    for standing in failed:
        print(f"{standing.name} failed:\n{standing.trouble}", file=sys.stderr)
    broken = starts.failures if starts else []
    if failed or broken or any(contest.disagreements for contest in contests):
        return 1
    if options.is_whole:
        page.write(found, tables)
        print(f"written to {page.PAGE}", file=sys.stderr)
    return 0


def _tell(text: str) -> None:
    """Say on a terminal what is running, in one line that is overwritten."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
