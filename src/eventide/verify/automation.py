"""Running many tests: one after the other, or by kind and until one fails.

Source: Pannek, Simulation of mechatronic systems, Algorithms 10 and 11, corrected: tests are added to their set, and
the qualities found so far are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from eventide.errors import ModelError
from eventide.experiment import Model
from eventide.experiment.designs import is_count
from eventide.experiment.processes import processes
from eventide.verify.components import KINDS, Component, kind_of
from eventide.verify.results import Report

if TYPE_CHECKING:
    from eventide.verify.results import TestResult
    from eventide.verify.testing import Test


def run_all(
    system: Component, tests: Iterable[Test], *, workers: int | None = 1, executor: Executor | None = None
) -> Report:
    """Run all tests, one after the other, and keep the quality of each test and input.

    system      what contains all that is tested
    workers, executor       what makes the runs of models, as for `Study.run`
    Raises      ModelError for no tests, for two of one requirement, and for a component that is no part of the system
    Source      Algorithm 10
    """
    checked = checked_tests(system, tests)
    with _makers(checked, workers, executor) as shared:
        return Report(system, tuple(test.run(workers=workers, executor=shared) for test in checked))


def run_structured(
    system: Component, tests: Iterable[Test], *, workers: int | None = 1, executor: Executor | None = None
) -> Report:
    """Run the tests of units, then of integrations, then of the system, and stop at the first that fails.

    The others are the report's `not_run`; arguments and errors as for `run_all`.
    Source      Algorithm 11
    """
    checked = checked_tests(system, tests)
    # In the order in which they were given within a kind: `sorted` is stable.
    ordered = sorted(checked, key=lambda test: KINDS.index(kind_of(test.requirement.component, system)))
    results: list[TestResult] = []
    with _makers(checked, workers, executor) as shared:
        while len(results) < len(ordered) and all(result.passed for result in results):
            results.append(ordered[len(results)].run(workers=workers, executor=shared))
    return Report(system, tuple(results), tuple(ordered[len(results) :]))


def _makers(
    tests: Sequence[Test], workers: int | None, executor: Executor | None
) -> AbstractContextManager[Executor | None]:
    """What makes the runs of models: where several processes are wanted, they are started once for all tests."""
    has_models = any(isinstance(test.requirement.component.map, Model) for test in tests)
    if executor is not None or workers is None or not is_count(workers, 2) or not has_models:
        return nullcontext(executor)
    return processes(workers)


def checked_tests(system: Component, tests: Iterable[Test]) -> list[Test]:
    """The tests, of which each has a requirement of its own and a component of the system. Raises ModelError if not."""
    given = list(tests)
    if not given:
        raise ModelError(f"{system.name} has no tests to be run: whether it can be released would not be known")
    met: set[str] = set()
    for test in given:
        kind_of(test.requirement.component, system)
        if test.id in met:
            raise ModelError(f"there are two tests of {test.id}: a requirement has one test")
        met.add(test.id)
    return given
