"""A model that returns a number as it was before the run, where a function reads it at the end, is told so."""

import warnings
from math import nan

import pytest

import eventide as ev


class Cup(ev.Continuous):
    warmth: ev.State = ev.state(95.0)

    def equations(self):
        self.rate.warmth = -self.warmth


def told(model):
    """The warnings of one run: their texts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.run()
    assert {(one.category, one.filename) for one in caught} <= {(ev.ResponseWarning, __file__)}
    return [str(one.message) for one in caught]


def test_a_state_read_before_the_run_is_named():
    @ev.model(until=1.0)
    def cooling(sim):
        cup = Cup(sim, name="cup").start()
        return {"warmth": cup.warmth}

    (text,) = told(cooling)
    assert text == (
        "response warmth of cooling is 95.0, as cup.warmth was before the run: "
        "write `'warmth': lambda: ...` for a number that is read when the run has ended"
    )


def test_a_count_read_before_the_run_is_named():
    @ev.model(until=1.0)
    def cooling(sim):
        Cup(sim).start()
        tally = ev.Tally()
        return {"mean": tally.mean, "count": tally.count}  # nan may be meant: a study tells of it

    assert [text.split(" of ")[0] for text in told(cooling)] == ["response count"]


@pytest.mark.parametrize("start", [0.0, 95.0])
def test_a_parameter_and_what_is_read_at_the_end_are_no_early_readings(start):
    @ev.model(until=1.0)
    def cooling(sim, *, start: float):
        cup = Cup(sim, warmth=start).start()
        tally = ev.Tally()
        return {"start": start, "cost": 7.5, "warmth": lambda: cup.warmth, "nan": lambda: nan, "tally": tally}

    assert told(cooling(start=start)) == []


def test_a_state_that_has_stayed_is_no_early_reading():
    @ev.model(until=0.0)
    def cooling(sim):
        cup = Cup(sim).start()
        return {"warmth": cup.warmth}

    assert told(cooling) == []
