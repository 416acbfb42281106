"""What came of tests: the quality of each test and input, and whether the system can be released.

Source: Pannek, Simulation of mechatronic systems, Definition 5.17, Algorithms 9 to 11.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, ClassVar

from eventide.errors import ModelError
from eventide.verify.components import Component, Kind, kind_of
from eventide.verify.qualities import number_in_words
from eventide.verify.requirements import contradictions

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.verify.qualities import Score
    from eventide.verify.testing import Test


@dataclass(frozen=True)
class Outcome:
    """The quality of one test for one input.

    case        the number of the input, from 0 on
    input       in words
    error       of the component, if it had one
    replay      the line of Python that measures this case alone
    """

    test: str
    case: int
    input: str
    score: Score
    threshold: float
    error: str
    replay: str

    @property
    def quality(self) -> float:
        """From 0 on, more is better."""
        return self.score.value

    @property
    def passed(self) -> bool:
        """Whether the quality is at least the threshold. Source: (5.4)."""
        return not self.error and self.score.value >= self.threshold

    @property
    def told(self) -> str:
        """What was found at the worst point, in words."""
        if self.error:
            return self.error
        score = self.score
        parts = [score.place, score.found, "" if score.time is None else f"at time {score.time:.6g}"]
        told = " ".join(part for part in parts if part)
        missing = score.value - self.threshold
        return told or f"quality {number_in_words(score.value, missing)}, and {self.threshold:.6g} is asked"


@dataclass(frozen=True, eq=False)
class TestResult:
    """The outcomes of one test, one for each of its inputs.

    seconds     of wall time that it took
    """

    __test__: ClassVar[bool] = False  # as of `Test`

    test: Test
    outcomes: tuple[Outcome, ...]
    seconds: float = field(compare=False)

    @property
    def passed(self) -> bool:
        """Whether every input has the quality that is asked."""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def worst(self) -> Outcome:
        """A failed one before the others, then that of the least quality, then of the least margin."""
        return min(self.outcomes, key=lambda one: (one.passed, one.quality, _margin(one), one.case))

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The outcomes below the threshold."""
        return tuple(outcome for outcome in self.outcomes if not outcome.passed)

    @property
    def table(self) -> pd.DataFrame:
        """Q(test, input): a row for each input, to be saved and drawn."""
        return table_of(self.outcomes)


def _margin(outcome: Outcome) -> float:
    return float("inf") if outcome.score.margin is None else outcome.score.margin


def table_of(outcomes: Iterable[Outcome]) -> pd.DataFrame:
    """A row for each outcome."""
    from eventide.libraries import pandas as pd

    rows = [
        {
            "test": one.test,
            "case": one.case,
            "input": one.input,
            "quality": one.quality,
            "threshold": one.threshold,
            "passed": one.passed,
            "margin": float("nan") if one.score.margin is None else one.score.margin,
            "worst time": float("nan") if one.score.time is None else one.score.time,
            "worst place": one.score.place,
            "error": one.error,
            "replay": one.replay,
        }
        for one in outcomes
    ]
    frame = pd.DataFrame(rows)
    frame.attrs["name"] = "tests"
    return frame


@dataclass(frozen=True, eq=False)
class Report:
    """What came of the tests of a system.

    results     of the tests that were run, in the order in which they were
    not_run     the tests that were left out, as one before them failed
    """

    system: Component
    results: tuple[TestResult, ...]
    not_run: tuple[Test, ...] = ()

    def kind(self, test: Test) -> Kind:
        """Whether a test is of a unit, of an integration or of the system."""
        return kind_of(test.requirement.component, self.system)

    def test(self, name: str) -> Test:
        """The test of a requirement, by its id. Raises ModelError if there is none."""
        known = {test.id: test for test in (*(result.test for result in self.results), *self.not_run)}
        if name not in known:
            raise ModelError(f"there is no test of {name!r}; there are tests of: {', '.join(known)}")
        return known[name]

    @property
    def is_releasable(self) -> bool:
        """Whether every test was run and has at least its threshold for every input. Source: Definition 5.17."""
        return not self.not_run and all(result.passed for result in self.results)

    def releasable(self, component: Component) -> bool:
        """The same of the tests of one component. Raises ModelError if it has none: then that is not known."""
        related = [result.passed for result in self.results if result.test.requirement.component is component]
        left_out = [test for test in self.not_run if test.requirement.component is component]
        if not related and not left_out:
            raise ModelError(f"whether {component.name} can be released is not known: it has no test")
        return not left_out and all(related)

    @property
    def failing(self) -> tuple[Test, ...]:
        """The tests that failed."""
        return tuple(result.test for result in self.results if not result.passed)

    @property
    def contradictions(self) -> list[str]:
        """Which of the requirements cannot be met together, in words."""
        tests = (*(result.test for result in self.results), *self.not_run)
        return contradictions(test.requirement for test in tests)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """Every outcome below its threshold."""
        return tuple(outcome for result in self.results for outcome in result.failures)

    @property
    def table(self) -> pd.DataFrame:
        """Q(test, input): a row for each test and input that was run."""
        frame = table_of(outcome for result in self.results for outcome in result.outcomes)
        kinds = {result.test.id: self.kind(result.test) for result in self.results}
        frame.insert(1, "kind", [kinds[name] for name in frame["test"]])
        return frame

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the quality of each test and input, in units of its threshold."""
        from eventide.view import plot_qualities

        return plot_qualities(self, ax)

    def to_junit(self, path: str | PathLike[str], command: str = "") -> None:
        """Write what continuous integration reads: a suite for each kind, a case for each test.

        command     that replays one case, with {test} and {case} where they stand
        """
        from eventide.verify.junit import write_junit

        write_junit(self, path, command)

    def to_html(self, path: str | PathLike[str], command: str = "") -> None:
        """Write a page of its own, without anything from elsewhere; `command` as for `to_junit`."""
        from eventide.verify.page import write_page

        write_page(self, path, command)

    def _repr_html_(self) -> str:
        from eventide.verify.page import body_of

        return body_of(self)

    def __str__(self) -> str:
        from eventide.verify.telling import told

        return told(self)

    def __repr__(self) -> str:
        state = "releasable" if self.is_releasable else "not releasable"
        return f"<Report of {self.system.name}: {state}, {len(self.results)} tests run, {len(self.failing)} failed>"


def replay_of(outcome: Outcome, command: str) -> str:
    """The line that replays an outcome: a command, or the line of Python if there is none."""
    return command.format(test=outcome.test, case=outcome.case) if command else outcome.replay
