"""Tests: a component, a quality and specified conditions, run for every input.

Source: Pannek, Simulation of mechatronic systems, Corollary 5.11, Algorithm 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import ClassVar, Literal

from eventide.errors import ModelError
from eventide.experiment import Model, Result
from eventide.experiment.results import line_of
from eventide.verify.conditions import points_for, study_for
from eventide.verify.qualities import Score
from eventide.verify.requirements import Requirement, inputs_in_words
from eventide.verify.results import Outcome, TestResult


@dataclass(frozen=True, eq=False)
class Test:
    """What shows whether a requirement is met.

    use     the intended use or application that it validates, in words; without one it verifies the requirement
    """

    __test__: ClassVar[bool] = False  # pytest takes a class of this name for tests of its own

    requirement: Requirement
    use: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.requirement, Requirement):
            raise ModelError(f"a test is of a Requirement, and got {self.requirement!r}")

    @property
    def purpose(self) -> Literal["validation", "verification"]:
        """Of an intended use, or of a specified requirement. Source: section 5.1."""
        return "validation" if self.use else "verification"

    @property
    def id(self) -> str:
        """That of its requirement: there is one test for each."""
        return self.requirement.id

    def measure(self, case: int) -> object:
        """What the component returns for one of the inputs, by its number; what it raises goes up."""
        component, conditions = self.requirement.component, self.requirement.conditions
        if not isinstance(component.map, Model):
            return component.measure(points_for(conditions)[case])
        return next(
            iter(
                study_for(component.map, conditions, self.requirement.quality.quantities).results(
                    [case], workers=1, raises=True
                )
            )
        )

    def run(
        self, *, cases: Sequence[int] | None = None, workers: int | None = 1, executor: Executor | None = None
    ) -> TestResult:
        """The quality for every input, in their order; an error of the component is a quality of 0, with its text.

        cases       the numbers of some inputs alone, from 0 on
        workers, executor       what makes the runs of a model, as for `Study.run`
        Raises      ModelError for a number that no input has
        """
        count = self.requirement.count
        numbers = range(count) if cases is None else sorted(cases)
        if not numbers:
            raise ModelError(f"{self.id} is run for one case at least, and got cases={cases!r}")
        unknown = [number for number in numbers if not 0 <= number < count]
        if unknown:
            raise ModelError(f"{self.id} has cases 0 to {count - 1}, and not {unknown[0]}")
        start = perf_counter()
        if isinstance(self.requirement.component.map, Model):
            outcomes = self._of_model(self.requirement.component.map, numbers, workers, executor)
        else:
            outcomes = self._of_map(numbers)
        found = tuple(sorted(outcomes, key=lambda outcome: outcome.case))
        return TestResult(self, found, perf_counter() - start)

    def _of_map(self, numbers: Sequence[int]) -> Iterator[Outcome]:
        component, points = self.requirement.component, points_for(self.requirement.conditions)
        for number in numbers:
            inputs = points[number]
            replay = f"report.test({self.id!r}).measure({number})"
            yield self._outcome(number, inputs, 0, partial(component.measure, inputs), replay)

    def _of_model(
        self, model: Model[..., object], numbers: Sequence[int], workers: int | None, executor: Executor | None
    ) -> Iterator[Outcome]:
        study = study_for(model, self.requirement.conditions, self.requirement.quality.quantities)
        for result in study.results(numbers, workers=workers, executor=executor, progress=False):
            task = study.task(result.number)
            inputs, replay = task.values, line_of(model(**task.values), task, study.settings)
            if result.failure is not None:
                yield self._failed(result.number, inputs, result.replication, str(result.failure), replay)
            else:
                yield self._outcome(result.number, inputs, result.replication, partial(_itself, result), replay)

    def _outcome(
        self, number: int, inputs: Mapping[str, object], replication: int, measure: Callable[[], object], replay: str
    ) -> Outcome:
        try:
            score = self.requirement.quality(measure(), inputs)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # the case has failed, the others go on
            return self._failed(number, inputs, replication, f"{type(error).__name__}: {error}", replay)
        words = inputs_in_words(inputs, replication)
        return Outcome(self.id, number, words, score, self.requirement.least, "", replay)

    def _failed(self, number: int, inputs: Mapping[str, object], replication: int, error: str, replay: str) -> Outcome:
        words = inputs_in_words(inputs, replication)
        return Outcome(self.id, number, words, Score(0.0), self.requirement.least, error, replay)

    def __repr__(self) -> str:
        return f"<Test {self.id}: {self.purpose} of {self.use or self.requirement.phrase!r}>"


def _itself(result: Result) -> Result:
    return result
