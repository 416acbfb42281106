"""Requirements of models, and the tests that show whether they are met.

May import: experiment and every room below it. Start reading at `components.py`, `qualities.py` and `requirements.py`;
running begins at `automation.py`.

Source: Pannek, Simulation of mechatronic systems, chapter 5; ISO/IEC/IEEE 29148:2018.
"""

from eventide.verify.automation import run_all, run_structured
from eventide.verify.components import Component, Kind, kind_of
from eventide.verify.conditions import Grid
from eventide.verify.criteria import (
    energy_never_grows,
    error_below,
    invariant,
    overshoot,
    reaches_within,
    settles,
    stays_within,
    throughput,
)
from eventide.verify.qualities import Quality, Score
from eventide.verify.readiness import Readiness, readiness
from eventide.verify.requirements import Judgement, Property, Requirement, properties
from eventide.verify.results import Outcome, Report
from eventide.verify.robustness import holds
from eventide.verify.temporal import Formula, always, eventually, quantity, until, within
from eventide.verify.testing import Test

__all__ = [
    "Component",
    "Formula",
    "Grid",
    "Judgement",
    "Kind",
    "Outcome",
    "Property",
    "Quality",
    "Readiness",
    "Report",
    "Requirement",
    "Score",
    "Test",
    "always",
    "energy_never_grows",
    "error_below",
    "eventually",
    "holds",
    "invariant",
    "kind_of",
    "overshoot",
    "properties",
    "quantity",
    "reaches_within",
    "readiness",
    "run_all",
    "run_structured",
    "settles",
    "stays_within",
    "throughput",
    "until",
    "within",
]


def __dir__() -> list[str]:
    """The public names alone."""
    return sorted(__all__)
