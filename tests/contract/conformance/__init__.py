"""The conformance set: event handling that failed users of other simulators, as models with known answers.

Each module of `cases` holds one CASE, written for this set. `case.py` says what a case is, `play.py` runs one in
eventide, `peers.py` in other tools. Start reading at `case.py`.
"""

from importlib import import_module
from pathlib import Path

from conformance.case import Case

CASES: tuple[Case, ...] = tuple(
    import_module(f"conformance.cases.{path.stem}").CASE
    for path in sorted(Path(__file__).parent.joinpath("cases").glob("[a-z]*.py"))
)
