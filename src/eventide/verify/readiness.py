"""Whether tests are ready: they cover what is asked and what there is, and they are affordable.

Source: Pannek, Simulation of mechatronic systems, Definition 5.20.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eventide.errors import ModelError
from eventide.verify.requirements import Property, Requirement, properties

if TYPE_CHECKING:
    from eventide.verify.components import Component
    from eventide.verify.testing import Test


@dataclass(frozen=True)
class Readiness:
    """Coverage and practicability of tests.

    untested_requirements       by their ids
    untested_units              by their names
    faults                      the properties that requirements have not, by id
    cases                       how many inputs all tests have together
    seconds                     that they are expected to take: the first input of each test, times their number; None
                                if no budget was given
    budget                      in seconds
    """

    untested_requirements: tuple[str, ...]
    untested_units: tuple[str, ...]
    faults: tuple[tuple[str, Property], ...]
    cases: int
    seconds: float | None = None
    budget: float | None = None

    @property
    def is_covered(self) -> bool:
        """Whether every requirement and every unit has a test."""
        return not self.untested_requirements and not self.untested_units

    @property
    def is_practicable(self) -> bool:
        """Whether the tests keep to the budget; without one they do."""
        return self.seconds is None or self.budget is None or self.seconds <= self.budget

    @property
    def is_ready(self) -> bool:
        """Whether tests cover what is asked, are practicable, and no property of a requirement is violated."""
        return self.is_covered and self.is_practicable and not self.faults

    def __str__(self) -> str:
        lines = [f"requirement {name} has no test" for name in self.untested_requirements]
        lines += [f"unit {name} has no test" for name in self.untested_units]
        lines += [f"requirement {name} is not {found.name}: {found.detail}" for name, found in self.faults]
        if self.seconds is not None:
            relation = "within" if self.is_practicable else "more than"
            lines.append(
                f"{self.cases} cases take about {self.seconds:.3g} s, {relation} the budget of {self.budget:g} s"
            )
        return "\n".join([f"{'test-ready' if self.is_ready else 'not test-ready'}: {self.cases} cases", *lines])


def readiness(
    system: Component, tests: Iterable[Test], requirements: Iterable[Requirement] = (), *, budget: float | None = None
) -> Readiness:
    """What tests leave open.

    requirements    all that there are; those of the tests belong to them
    budget          in seconds of wall time; if it is given, the first input of each test is run and timed
    Raises      ModelError for a budget that is none
    """
    if budget is not None and not budget > 0.0:
        raise ModelError(f"a budget is a time above 0 in seconds, and got {budget!r}")
    given = list(tests)
    known = list(dict.fromkeys([*requirements, *(test.requirement for test in given)]))
    tested = [test.requirement for test in given]
    units = [member for member in system.members() if not member.parts]
    faults = [
        (one.id, found) for one in known for found in properties(one, known) if found.state == "violated"
    ]  # fmt: skip
    seconds = None
    if budget is not None:
        seconds = sum(test.run(cases=[0]).seconds * test.requirement.count for test in given)
    return Readiness(
        tuple(one.id for one in known if one not in tested),
        tuple(unit.name for unit in units if all(one.component is not unit for one in tested)),
        tuple(faults),
        sum(test.requirement.count for test in given),
        seconds,
        budget,
    )
