"""Selection of the best by Kim and Nelson: the promised probability, and each step by its definition."""

import numpy as np
import pytest

from eventide.statistics import KimNelson

SYSTEMS = 10


def correct_selections(repetitions, indifference, correlation, *, seed):
    """The share of selections of the best system, where all others are worse by just the indifference."""
    rng, correct = np.random.default_rng(seed), 0
    for _ in range(repetitions):
        procedure = KimNelson(SYSTEMS, indifference)
        while not procedure.is_done:
            rows = correlation**0.5 * rng.normal(size=(16, 1))
            rows = rows + (1.0 - correlation) ** 0.5 * rng.normal(size=(16, SYSTEMS))
            rows[:, 3] += indifference
            procedure.add(rows[:, procedure.survivors])
        correct += procedure.best == 3
    return correct / repetitions


@pytest.mark.slow
@pytest.mark.row("R-275")
def test_the_best_of_ten_is_selected_as_often_as_is_promised():
    """Four standard errors below 0.95 at most; as the bound shares its error equally it is a little better."""
    for correlation, indifference in ((0.0, 0.7), (0.5, 0.5)):
        rate = correct_selections(2000, indifference, correlation, seed=1)
        assert 0.95 - 4.0 * (0.05 * 0.95 / 2000) ** 0.5 < rate < 0.99


def by_definition(rows, indifference, probability, first):
    """The systems that are left after each replication, as the article writes it, with c = 1."""
    systems = rows.shape[1]
    eta = 0.5 * ((2.0 * (1.0 - probability) / (systems - 1)) ** (-2.0 / (first - 1)) - 1.0)
    h_squared = 2.0 * eta * (first - 1)
    variance = np.array([[np.var(rows[:first, i] - rows[:first, j], ddof=1) for j in range(systems)]
                         for i in range(systems)])  # fmt: skip
    left, history = list(range(systems)), []
    for r in range(first, len(rows) + 1):
        means = rows[:r].mean(axis=0)
        left = [
            i for i in left
            if all(means[i] >= means[j] - max(0.0, indifference / (2 * r) * (h_squared * variance[i, j]
                   / indifference**2 - r)) for j in left if j != i)
        ]  # fmt: skip
        history.append(list(left))
        if len(left) == 1:
            break
    return history


@pytest.mark.parametrize("maximise", [True, False])
def test_systems_are_eliminated_as_the_article_says_however_many_rows_come_at_a_time(maximise):
    sign = 1.0 if maximise else -1.0
    rows = 1e6 + np.random.default_rng(2).normal(size=(400, 5)) + sign * np.array([0.0, 0.2, 0.9, 0.6, -1.0])
    expected = by_definition(sign * rows, 0.3, 0.9, 12)
    assert len(expected) > 20
    for portion in (1, 7, 12, 400):
        procedure = KimNelson(5, 0.3, probability=0.9, first=12, maximise=maximise)
        for start in range(0, 400, portion):
            procedure.add(rows[start : start + portion, procedure.survivors])
            if procedure.is_done:
                break
        assert procedure.best == expected[-1][0] == 2
        assert procedure.count == 11 + len(expected)
        gone = {system: 12 + min(k for k, left in enumerate(expected) if system not in left) for system in (0, 1, 3, 4)}
        assert procedure.eliminated == gone


def test_equal_systems_end_with_the_first_of_them():
    procedure = KimNelson(3, 1.0, first=2)
    procedure.add([[1.0, 2.0, 2.0]])
    assert not procedure.is_done
    procedure.add([1.0, 2.0, 2.0])
    assert (procedure.best, procedure.eliminated, procedure.count) == (1, {0: 2, 2: 2}, 2)
    procedure.add([[5.0]])
    assert procedure.count == 2


def test_what_cannot_be_selected_is_told():
    for wrong in (
        {"systems": 1},
        {"indifference": 0.0},
        {"probability": 0.3},
        {"first": 1},
        {"indifference": float("nan")},
    ):
        with pytest.raises(
            ValueError, match="two systems or more, an indifference > 0, a probability above 1 / systems"
        ):
            KimNelson(**{"systems": 3, "indifference": 1.0, **wrong})
    procedure = KimNelson(3, 1.0)
    with pytest.raises(ValueError, match=r"rows of 3 finite numbers, one for each survivor, .*\(1, 2\)"):
        procedure.add([1.0, 2.0])
    with pytest.raises(ValueError, match="rows of 3 finite numbers"):
        procedure.add([1.0, 2.0, float("nan")])
    with pytest.raises(ValueError, match=r"3 systems are left after 0 replications: add\(\) more"):
        _ = procedure.best
