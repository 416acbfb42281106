"""The conformance set: every case as its exact answer says, in every way of stepping, compiled and plain.

Logs are equal to the bit where the contract promises it: with and without onlookers, and compiled and plain when all
steps together. When what does not touch each other steps apart, each object has the same events at times that differ
by no more than the tolerance allows.
"""

import re
from functools import cache
from typing import Any

import pytest
from conformance import CASES
from conformance.case import Case, by_name, distance, error_of, story_of
from conformance.play import Outcome, play

import eventide as ev

DEFECTS: dict[str, str] = {}
"""Cases that fail, and why."""


def everything(*, held: bool = False) -> list[Any]:
    """All cases; those that fail are expected to, if `held`."""
    marks = {name: pytest.mark.xfail(strict=True, reason=reason) for name, reason in DEFECTS.items()} if held else {}
    return [pytest.param(case, id=case.id, marks=marks.get(case.id, ())) for case in CASES]


def ways(case_list: list[Any]) -> list[Any]:
    """Each case, compiled and as plain Python; the latter is slow for some."""
    found = []
    for param in case_list:
        case = param.values[0]
        plain = [*param.marks, pytest.mark.slow] if case.is_long else param.marks
        found.append(pytest.param(case, "auto", id=f"{param.id}-compiled", marks=param.marks))
        found.append(pytest.param(case, False, id=f"{param.id}-plain", marks=plain))
    return found


@cache
def played(case: Case, stepping: str, compile: Any, recorded: bool = False) -> Outcome:  # noqa: A002
    return play(case, stepping=stepping, compile=compile, recorded=recorded)


@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize(("case", "compiled"), ways(everything(held=True)))
def test_each_event_is_found_once_in_order_and_in_time(case: Case, compiled: Any, stepping: str) -> None:
    outcome = played(case, stepping, compiled)
    assert story_of(outcome.log, in_order=case.in_order) == story_of(case.exact, in_order=case.in_order)
    assert error_of(case, outcome.log) <= case.tolerance
    assert bool(outcome.message) == bool(case.refused)
    assert re.search(case.refused, outcome.message)


FEW_ROUNDINGS = 1e-14
"""What an iteration may leave where an explicit method reckons without rounding."""


IMPLICITLY_SLOW = ("peak_of_a_rate", "computed_peak")
"""Cases that take some tenths of a second by an implicit method, natively and in Python."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(*param.values, id=param.id, marks=[*param.marks, pytest.mark.slow])
        if param.id in IMPLICITLY_SLOW
        else param
        for param in everything(held=True)
    ],
)
def test_an_implicit_method_finds_each_event_once_in_order_and_in_time(case: Case) -> None:
    outcome = play(case, method=ev.methods.RADAU)
    assert case.is_long or play(case, method=ev.methods.RADAU, compile=False) == outcome
    assert story_of(outcome.log, in_order=case.in_order) == story_of(case.exact, in_order=case.in_order)
    assert error_of(case, outcome.log) <= case.tolerance + FEW_ROUNDINGS
    assert bool(outcome.message) == bool(case.refused)
    assert re.search(case.refused, outcome.message)


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize(("case", "compiled"), ways(everything()))
def test_who_looks_on_changes_no_bit(case: Case, compiled: Any, stepping: str) -> None:
    assert played(case, stepping, compiled, recorded=True) == played(case, stepping, compiled)


@pytest.mark.parametrize("case", [param for param in everything() if param.id not in DEFECTS])
def test_apart_and_together_tell_one_story(case: Case) -> None:
    apart, together = (by_name(played(case, stepping, "auto").log) for stepping in ("apart", "together"))
    assert {name: len(times) for name, times in apart.items()} == {name: len(times) for name, times in together.items()}
    assert distance(apart, together) <= 10.0 * case.tolerance


@pytest.mark.parametrize("case", everything())
def test_a_run_in_pieces_is_the_whole_run(case: Case) -> None:
    assert play(case, pieces=7) == played(case, "apart", "auto")


@pytest.mark.slow
@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=case.id, marks=[pytest.mark.slow] if case.is_long else []) for case in CASES],
)
def test_compiled_and_plain_have_the_same_bits_where_all_steps_together(case: Case) -> None:
    assert played(case, "together", "auto") == played(case, "together", False)


def test_each_case_says_what_it_is() -> None:
    assert len(CASES) >= 50
    assert len({case.title for case in CASES}) == len(CASES)
    for case in CASES:
        assert case.reported
        assert case.asked
        assert list(case.exact) == sorted(case.exact, key=lambda happening: happening[1]) or not case.in_order
    assert set(DEFECTS) <= {case.id for case in CASES}
