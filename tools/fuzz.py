"""Find what is wrong with the library by programs that nobody wrote.

Each seed is a program: objects with laws and handlers, processes, resources, in the language that users write. It runs
compiled and plain, apart and together, by four methods, observed and not, in threads. Others are of processes alone,
which queue and join each other ("errands"), or wait for conditions that events change ("watches"): they run in Python,
as rows and as native rows. Each run is compared with a reference that shares no code with eventide (`reference.py`,
`errand_reference.py` in `tests/fuzzing`), and where the same bits are promised with others. Run as a script:

    python tools/fuzz.py [--seeds 0:200] [--minutes 120] [--jobs 2] [--mode whole] [--without order] [--breaks [WORD]]

Without arguments it runs the seeds of `.ci/run`. What it finds is made small and written as a script that shows it.
Ends with status 1 if something was found.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))  # where the package of the fuzzer is

from fuzzing import errand_runs  # noqa: E402  # by the line above
from fuzzing.breaks import check_breaks  # noqa: E402  # likewise
from fuzzing.generate import FEATURES as OF_MODELS  # noqa: E402
from fuzzing.hunt import Options, Totals, hunt  # noqa: E402

FEATURES = [*OF_MODELS, *errand_runs.KINDS]
"""Those of models, and the words for programs of processes alone."""
SEEDS = range(14)
"""What `.ci/run` looks at."""


def range_of(text: str) -> range:
    """`10:20`, or one number, as seeds."""
    first, colon, last = text.partition(":")
    try:
        return range(int(first), int(last) if colon else int(first) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"seeds are written as 0:200 or 17, and got {text!r}") from None


def features_of(text: str) -> frozenset[str]:
    """Names with commas between them."""
    names = frozenset(filter(None, text.split(",")))
    if unknown := sorted(names - set(FEATURES)):
        raise argparse.ArgumentTypeError(f"no features: {', '.join(unknown)}; there are {', '.join(FEATURES)}")
    return names


def search(seeds: Iterable[int], options: Options, jobs: int, seconds: float, *, verbose: bool) -> Totals:
    """Look at programs, and print what is found."""
    totals, start = Totals(), time.monotonic()
    for report, scripts in hunt(seeds, options, jobs, start + seconds):
        totals.add(report)
        found = [finding for one in (report, *report.others) for finding in one.findings]
        for finding in found:
            print(f"seed {report.seed}: {finding}", flush=True)
        for script in scripts:
            print(f"    {script}", flush=True)
        if verbose and not found:
            print(f"seed {report.seed}: {report.skipped or f'{report.events} events, {len(report.runs)} runs'}")
    print(f"{totals}\nin {time.monotonic() - start:.0f} s", flush=True)
    return totals


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; answers the exit status."""
    parser = argparse.ArgumentParser(description="Random programs beside an independent reference.")
    parser.add_argument("--seeds", type=range_of, metavar="N:M", help="the programs; without it, those of .ci/run")
    parser.add_argument("--minutes", type=float, metavar="N", help="so long, from the first seed on")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--mode", choices=("some", "whole", "plain", "brief"), default="some", help="in which settings")
    parser.add_argument("--only", type=features_of, metavar="A,B", help="no other features than these")
    parser.add_argument("--exactly", type=features_of, metavar="A,B", help="each program with all of these, no others")
    parser.add_argument("--without", type=features_of, default=frozenset(), metavar="A,B", help="without these")
    parser.add_argument("--no-threads", action="store_true", help="no runs in threads")
    parser.add_argument("--shrink", type=float, default=60.0, metavar="SECONDS", help="for each thing that is found")
    parser.add_argument("--out", type=Path, default=ROOT / "fuzz-findings", metavar="FOLDER", help="for the scripts")
    text = "break the library as tests/fuzzing/breaks.toml says, all or where the name has this in it"
    parser.add_argument("--breaks", nargs="?", const="", metavar="WORD", help=text)
    parser.add_argument("--verbose", action="store_true", help="a line for each program")
    options = parser.parse_args(arguments)
    if options.breaks is not None:
        return 0 if check_breaks(options.breaks) else 1
    chosen = next((one for one in (options.exactly, options.only) if one is not None), frozenset(FEATURES))
    seeds: Iterable[int] = SEEDS if options.seeds is None else options.seeds
    if options.minutes is not None:
        seeds = itertools.count(0 if options.seeds is None else options.seeds.start)
    seconds = float("inf") if options.minutes is None else 60.0 * options.minutes
    asked = Options(
        chosen - options.without, options.exactly is not None, options.mode, not options.no_threads, options.shrink,
        options.out,
    )  # fmt: skip
    totals = search(seeds, asked, options.jobs, seconds, verbose=options.verbose)
    return 1 if totals.findings else 0


if __name__ == "__main__":
    sys.exit(main())
