"""What the pages of the site name is there. That their programs run is shown by `make docs`."""

from __future__ import annotations

import re
from functools import reduce
from pathlib import Path
from typing import Any

import eventide as ev
from eventide import methods

DOCS = Path(__file__).parents[1] / "docs"

# The class skeleton in chapter 3 of the manual of COMBINEDSIMULATION, and the attributes of SIMULATION that it names.
OF_THE_MANUAL = """
CONTINUOUS PRELUDE START STOP ACTIVE SETPRIORITY PRIORITY PREDCONT SUCCONT VARIABLE STATE RATE LASTSTATE RELERROR
ABSERROR OLDSTATE DS DSH A1 A2 A3 A4 A5 REPORTER SETFREQUENCY FREQUENCY REPORTTIME WAITUNTIL WAITPRIORITY WAITPRIOR
CANCELSTATEEVENT DTMIN DTMAX TIME LASTTIME DT MAXRELERROR MAXABSERROR EULER ADAMS TRAPEZ SIMPSON PAUSE NEXTTIMEEVENT
INTEGRATIONERROR ERRORVARIABLE REPEATSTEP SIMULATIONERROR ERRORCONTINUOUS ERRORREPORTER THEMONITOR WAITNOTICE
PROCESS HOLD PASSIVATE WAIT CANCEL activate reactivate CURRENT MAIN IDLE TERMINATED EVTIME NEXTEV HEAD LINK SQS
"""


def rows_of(page: str) -> list[list[str]]:
    """The cells of the tables of a page, without their heads."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [row for row in rows if row[0] != "manual" and not row[0].startswith("---")]


def is_there(dotted: str) -> bool:
    """Whether there is a public name, as `Process.activate` or `methods.EULER`."""
    first, *others = dotted.split(".")
    holder: Any = methods if first == "methods" else getattr(ev, first)
    try:
        reduce(getattr, others, holder)
    except AttributeError:
        return others[-1] in getattr(holder, "__annotations__", {})
    return True


def test_every_name_of_the_manual_stands_beside_ours() -> None:
    left = " ".join(row[0] for row in rows_of("guides/from-the-manual.md"))
    named = {word for code in re.findall(r"`([^`]*)`", left) for word in re.findall(r"\w+", code)}
    assert [name for name in OF_THE_MANUAL.split() if name not in named] == []


def test_every_name_that_the_guide_gives_for_the_manual_is_there() -> None:
    right = " ".join(row[1] for row in rows_of("guides/from-the-manual.md"))
    names = re.findall(r"`((?:[A-Z]\w+|methods)\.\w+)`", right)
    assert len(names) > 50
    assert [name for name in names if not is_there(name)] == []


def test_every_name_in_a_table_of_a_guide_is_there() -> None:
    """`ev.hold`, `sim.time`, `signal.send`: names of the package, and what the objects that are called so have."""
    sim = ev.Simulation()
    holders: dict[str, Any] = {"ev": ev, "sim": sim, "signal": ev.Signal(sim), "store": ev.Store(sim)}
    holders |= {"resource": ev.Resource(sim), "clerks": ev.Resource(sim), "line": ev.Queue(sim), "tally": sim.tally()}
    holders |= {"level": sim.level(), "car": ev.Process(sim), "proc": ev.Process(sim), "outcome": ev.Outcome("a", 1)}
    holders["recording"] = sim.record(x=lambda: 1.0)
    found, missing = [], []
    for page in sorted((DOCS / "guides").glob("*.md")):
        for row in rows_of(f"guides/{page.name}"):
            for code in re.findall(r"`([^`]*)`", row[-1]):
                for name in re.findall(r"(?<![\w.])([a-z]\w*(?:\.\w+)+)", code):
                    first, *others = name.split(".")
                    if first not in holders:
                        continue
                    found.append(name)
                    try:
                        reduce(getattr, others, holders[first])
                    except AttributeError:
                        missing.append(f"{page.name}: {name}")
    assert len(found) > 60
    assert missing == []


def test_every_page_of_the_site_stands_in_a_table_of_contents() -> None:
    listed = set()
    for page in DOCS.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            entries = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed |= {(page.parent / f"{entry}.md").resolve() for entry in entries}
    pages = {page.resolve() for page in DOCS.rglob("*.md") if "_build" not in page.parts} - {
        (DOCS / "index.md").resolve()
    }
    assert pages - listed == set()
