"""The conformance set as a table: each case, where it was reported, what was asked, what eventide finds, and what
other tools find in the same run, as far as they are installed and have words for it.

    python tools/contract.py [--alone] [WORD ...]

--alone     asks eventide only
WORD        takes the cases whose name contains one of the words

An answer is the number of events found of those that are, and, if they are the right ones, by how much their times are
off at most. Of other tools no order is asked at one instant. The exit status is 1 if one of eventide's is wrong.
"""

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "contract"))

from conformance import CASES  # noqa: E402  # found by the line before
from conformance.case import Case, Happening, by_name, distance, story_of  # noqa: E402
from conformance.peers import TOOLS, absent, ask, expected  # noqa: E402
from conformance.play import play  # noqa: E402

PATIENCE = 20
"""So many seconds another tool has for a case."""
WIDTH = 190


def main() -> int:
    chosen = read_arguments()
    cases = [case for case in CASES if not chosen.word or any(word in case.id for word in chosen.word)]
    missing = absent()
    tools = [] if chosen.alone else [name for name in TOOLS if name not in missing]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_lines=True)
    for heading in ("case", "reported at", "asked", "eventide", *tools):
        table.add_column(heading, overflow="fold")
    wrong = 0
    for case in cases:
        print(case.id, file=sys.stderr)
        is_right, answer = eventides(case)
        wrong += not is_right
        table.add_row(case.title, "\n".join(case.reported), case.asked, answer, *(others(name, case) for name in tools))
    Console(width=WIDTH, highlight=False).print(table)
    for name in [] if chosen.alone else missing:
        print(f"{name} is not installed and was not asked.")
    print(f"eventide: {len(cases) - wrong} of {len(cases)} cases as they should be.")
    return 1 if wrong else 0


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The conformance set as a table.")
    parser.add_argument("--alone", action="store_true", help="ask eventide only")
    parser.add_argument("word", nargs="*", help="part of the names of the cases wanted")
    return parser.parse_args()


def eventides(case: Case) -> tuple[bool, str]:
    """Whether eventide's answer is right, and the answer."""
    outcome = play(case)
    is_exact, answer = judged(case, outcome.log, case.exact, in_order=case.in_order)
    is_told = bool(outcome.message) == bool(case.refused) and bool(re.search(case.refused, outcome.message))
    told = f"\nraises: {outcome.message[:60]} ..." if outcome.message else ""
    return is_exact and is_told, f"{answer}{told}"


def others(tool: str, case: Case) -> str:
    """The answer of another tool."""

    def give_up(_number: int, _frame: FrameType | None) -> NoReturn:
        raise TimeoutError(f"nothing after {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        found = ask(tool, case)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    if found is None:
        return "-"
    _, answer = judged(case, found.log, expected(case), in_order=False)
    return f"{answer}\n{found.trouble}" if found.trouble else answer


def judged(case: Case, log: Sequence[Happening], exact: Sequence[Happening], *, in_order: bool) -> tuple[bool, str]:
    """Whether a log is right, and how it differs from what is exact."""
    count = f"{len(log)} of {len(exact)}"
    if len(log) != len(exact):
        return False, count
    if story_of(log, in_order=in_order) != story_of(exact, in_order=in_order):
        return False, f"{count}, others or in another order"
    error = distance(by_name(log), by_name(exact))
    return error <= case.tolerance, f"{count}, off by {error:.1e}"


if __name__ == "__main__":
    sys.exit(main())
