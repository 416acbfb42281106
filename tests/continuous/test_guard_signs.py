"""Proofs of the signs of conditions."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from functools import cache
from operator import mul
from typing import Any

import pytest
from continuous.enclosed import DEGREE, Expression, expressions, paths, prepared, state, states, through
from hypothesis import given, settings
from hypothesis import strategies as st

from eventide.enclosures import guard_expressions
from eventide.enclosures.trees import Comparison, Junction
from eventide.engine import guard_signs
from eventide.engine.codes import AND, CROSSING, MODEL, NOISE, OR


def joined(count: int, joints: list[int]) -> Any:
    """So many comparisons of states with zero, joined one after the other."""
    tree: Any = Comparison(state(0))
    for slot in range(1, count):
        tree = Junction("and" if joints[slot - 1] == AND else "or", tree, Comparison(state(slot)))
    return tree


def sign(values: list[list[int]], joints: list[int], low: float, high: float) -> int:
    """The sign of comparisons of polynomials through these samples."""
    arrays = prepared(joined(len(values), joints), [through(samples) for samples in values])
    return guard_signs.sign_within(arrays, 0, 0, low, high)


@cache
def weights(point: Fraction) -> list[Fraction]:
    """What samples at 0, 1/DEGREE, ..., 1 count at a point in the polynomial through them, by Lagrange."""
    nodes = [Fraction(k, DEGREE) for k in range(DEGREE + 1)]
    return [math.prod((point - other) / (node - other) for other in nodes if other != node) for node in nodes]


def exact_values(samples: list[int], points: list[Fraction]) -> list[Fraction]:
    """The polynomial through samples at 0, 1/DEGREE, ..., 1, exactly."""
    return [sum(map(mul, weights(point), samples), Fraction(0)) for point in points]


def bent(slope: int, bend: int, twist: int, place: int) -> list[int]:
    """Samples of a line that is bent a little, with zero at or near one of them, so that many rise or fall once."""
    heights = [slope * k + bend * k * k + twist * k**3 for k in range(-2, DEGREE + 4)]
    return [height - heights[place] for height in heights[2 : DEGREE + 3]]


SURE = (guard_signs.NEVER, guard_signs.ALWAYS, guard_signs.RISES, guard_signs.FALLS)


free = st.lists(st.integers(-9, 9), min_size=DEGREE + 1, max_size=DEGREE + 1)


lines = st.builds(
    bent, st.sampled_from([-80, -20, -5, 5, 20, 80]), st.integers(-1, 1), st.integers(-1, 1), st.integers(1, 8)
)


samples = free | lines


ends = st.tuples(st.integers(0, 8), st.integers(1, 8)).filter(lambda pair: pair[0] < pair[1])


joints = st.lists(st.sampled_from([AND, OR]), min_size=2, max_size=2)


@pytest.mark.slow
def test_what_is_proved_is_so() -> None:
    proofs: Counter[int] = Counter()

    @settings(max_examples=300)
    @given(st.lists(samples, min_size=1, max_size=3), ends, joints)
    def look(values: list[list[int]], part: tuple[int, int], joints: list[int]) -> None:
        proofs[look_at_proof(values, part, joints)] += 1

    look()
    assert min(proofs[found] for found in SURE) >= 5, proofs


def look_at_proof(values: list[list[int]], part: tuple[int, int], joints: list[int]) -> int:
    """What is proved of sums of samples: AssertionError if it is not so."""
    low, high = (Fraction(end, 8) for end in part)
    found = sign(values, joints, float(low), float(high))
    points = [low + (high - low) * Fraction(k, 60) for k in range(61)]
    truths = truths_at(values, joints, points)
    if found == guard_signs.NEVER:
        assert not any(truths)
    elif found == guard_signs.ALWAYS:
        assert all(truths)
    elif found == guard_signs.RISES:
        assert not truths[0]
        assert truths == sorted(truths)
        assert truths[-1] or high < 1
    elif found == guard_signs.FALLS:
        assert truths[0]
        assert truths == sorted(truths, reverse=True)
        assert not truths[-1]
    return found


@pytest.mark.slow
def test_what_rises_or_falls_once_changes_where_it_is_told() -> None:
    source, proofs = random.Random(4), Counter[int]()
    for _ in range(400):
        # Lines that are bent a little, so that many rise or fall once.
        slope, bend = source.choice([-3, -2, 2, 3]), source.choice([0, 0, 1])
        values = [
            [slope * k + bend * k * k - source.randint(-9, 9) for k in range(DEGREE + 1)]
            if source.random() < 0.3
            else [slope * k + bend * k * k - level for k in range(DEGREE + 1)]
            for level in (source.randint(-12, 12) for _ in range(source.randint(1, 3)))
        ]
        joints = [source.choice([AND, OR]) for _ in range(2)]
        low, high = sorted(Fraction(end, 8) for end in source.sample(range(9), 2))
        arrays = prepared(joined(len(values), joints), [through(samples) for samples in values])
        found = guard_signs.sign_within(arrays, 0, 0, float(low), float(high))
        proofs[found] += 1
        if found in (guard_signs.RISES, guard_signs.FALLS):
            share = (1.0 + arrays.models[CROSSING]) / 2.0
            assert 0.0 <= share <= 1.0
            sides = [low + (high - low) * Fraction(min(max(share + change, 0.0), 1.0)) for change in (-1e-3, 1e-3)]
            before, after = truths_at(values, joints, sides)
            assert before == (found == guard_signs.FALLS) or sides[0] == low
            assert after == (found == guard_signs.RISES) or sides[1] == high
    assert min(proofs[guard_signs.RISES], proofs[guard_signs.FALLS]) >= 10, proofs


def truths_at(values: list[list[int]], joints: list[int], points: list[Fraction]) -> list[bool]:
    """What comparisons of polynomials through samples with zero, joined one after the other, are at some points."""
    truths, *others = [[value > 0 for value in exact_values(samples, points)] for samples in values]
    for joint, other in zip(joints, others, strict=False):
        join = (lambda one, two: one and two) if joint == AND else (lambda one, two: one or two)
        truths = [join(one, two) for one, two in zip(truths, other, strict=True)]
    return truths


@pytest.mark.slow
def test_what_is_proved_of_any_expression_is_so() -> None:
    proofs: Counter[int] = Counter()

    @settings(max_examples=400)
    @given(expressions | moving, paths | straight, ends | st.just((0, 8)), st.none() | st.integers(1, 7))
    def look(expression: Expression, moved: list[list[float]], part: tuple[int, int], place: int | None) -> None:
        if place is not None:
            expression = less(expression, states(moved, place / 8), place / 8)
        proofs[look_at_proof_of(expression, moved, part)] += 1

    look()
    assert min(proofs[found] for found in SURE) >= 3, proofs


straight = st.tuples(*[st.builds(lambda speed: [0.3, speed, 0, 0, 0, 0], st.sampled_from([-2.0, -0.5, 0.5, 2.0]))] * 2)


moving = expressions.filter(lambda expression: re.search(r"\b[xy]\b", expression.text))


"""Among these many rise or fall once."""


def less(expression: Expression, values: list[float], share: float) -> Expression:
    """An expression less what it is at a fraction of the step, if it has a value there."""
    with suppress(ArithmeticError, ValueError):
        level = expression.value(values, share)
        if abs(level) < math.inf:
            return Expression(
                guard_expressions.difference(expression.form, guard_expressions.literal(level)),
                lambda x, t: expression.value(x, t) - level,
                f"({expression.text} - {level})",
            )
    return expression


def look_at_proof_of(expression: Expression, moved: list[list[float]], part: tuple[int, int]) -> int:
    """What is proved of an expression: AssertionError if it is not so."""
    low, high = (end / 8 for end in part)
    arrays = prepared(Comparison(expression.form), moved)
    found = guard_signs.sign_within(arrays, 0, 0, low, high)
    noise = 4.0 * arrays.models[(arrays.lists[0] - 1) * MODEL + NOISE]
    if found == guard_signs.PERHAPS:
        return found
    values = []
    for k in range(61):
        share = low + (high - low) * (k / 60)
        values.append(expression.value(states(moved, share), share))
    if found == guard_signs.NEVER:
        assert max(values) <= noise
    elif found == guard_signs.ALWAYS:
        assert min(values) > -noise
    else:
        direction = 1.0 if found == guard_signs.RISES else -1.0
        clear = [direction * value > 0.0 for value in values if abs(value) > noise]
        assert clear == sorted(clear)
        assert direction * values[0] <= noise
        assert clear[-1]
    return found


def test_signs_that_are_plain_are_proved() -> None:
    """A proof that never comes would be no use: lines, and parabolas that stay on one side."""
    line = [2 * k - 5 for k in range(6)]
    signs = [sign([line], [], *part) for part in ((0.0, 0.4), (0.6, 1.0), (0.0, 1.0))]
    assert signs == [guard_signs.NEVER, guard_signs.ALWAYS, guard_signs.RISES]
    falling = [-value for value in line]
    assert sign([falling], [], 0.0, 1.0) == guard_signs.FALLS
    assert sign([falling, [value + 9 for value in falling]], [AND], 0.0, 1.0) == guard_signs.FALLS
    assert sign([falling, line], [OR], 0.0, 1.0) == guard_signs.PERHAPS
    arch = [-8 - (2 * k - 5) ** 2 for k in range(6)]
    assert sign([arch], [], 0.0, 1.0) == guard_signs.NEVER
    assert sign([line, arch], [AND], 0.0, 1.0) == guard_signs.NEVER
    assert sign([line, arch], [OR], 0.0, 1.0) == guard_signs.RISES
    assert sign([line, [value + 2 for value in line]], [AND], 0.0, 1.0) == guard_signs.RISES


def test_what_rises_or_falls_on_one_side_of_its_level_does_not_cross_it() -> None:
    """Its slope has one sign for sure, but its range is not told closely enough: s - 0.3 s**3 over s from -1 to 1."""
    rises, falls = [0.2, 0.2, 3.6, -2.4, 0.0, 0.0], [1.6, -0.2, -3.6, 2.4, 0.0, 0.0]
    signs = [
        guard_signs.sign_within(prepared(Comparison(state()), [path]), 0, 0, 0.0, 1.0)
        for path in (rises, falls, [-c for c in falls], [-c for c in rises])
    ]
    assert signs == [guard_signs.ALWAYS, guard_signs.ALWAYS, guard_signs.NEVER, guard_signs.NEVER]


def test_what_begins_on_its_level_falls_and_rises_again_rises_once() -> None:
    """As a ball does that has just bounced; what begins above, by more than rounding, does not."""
    flight = [2 * k * k - 5 * k for k in range(6)]
    assert sign([flight], [], 0.0, 1.0) == guard_signs.RISES
    assert sign([[value + 1 for value in flight]], [], 0.0, 1.0) == guard_signs.PERHAPS


@pytest.mark.parametrize("height", [1e-15, 0.0, -1e-15])
def test_what_rounding_may_have_lifted_is_not_above_its_level(height: float) -> None:
    falls = [1.0 + height, -1.0, 0.0, 0.0, 0.0, 0.0]
    above = Comparison(guard_expressions.difference(state(), guard_expressions.literal(1.0)))
    assert guard_signs.sign_within(prepared(above, [falls]), 0, 0, 0.0, 1.0) == guard_signs.NEVER
    scaled = Comparison(guard_expressions.difference(state(), guard_expressions.literal(1e3)))
    falls = [1e3 * value for value in falls]
    assert guard_signs.sign_within(prepared(scaled, [falls]), 0, 0, 0.0, 1.0) == guard_signs.NEVER
    falls[0] += 1e-6
    assert guard_signs.sign_within(prepared(scaled, [falls]), 0, 0, 0.0, 1.0) == guard_signs.FALLS
