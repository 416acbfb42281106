from math import log

import pytest

import eventide as ev


@pytest.fixture
def heated_room(example):
    return example("heated_room")


@pytest.mark.slow
@pytest.mark.row("R-292")
def test_what_a_day_costs_has_the_slopes_that_differences_show(heated_room):
    found = ev.sensitivity(heated_room)
    near = ev.sensitivity(heated_room, by="central", step=1e-5)
    assert near.warnings == ()
    for one, other in zip(found.entries, near.entries, strict=True):
        assert one.sensitivity == pytest.approx(other.sensitivity, rel=1e-4, abs=1e-4), one


@pytest.mark.slow
def test_the_first_switching_is_that_of_the_closed_form(heated_room):
    found = ev.sensitivity(heated_room, ["insulation", "outside", "low", "delay"], until=2.0)
    # 10 log(18 / 17) + 0.1
    assert found["first on", "insulation"] == pytest.approx(log(18.0 / 17.0), rel=1e-8)
    assert found["first on", "outside"] == pytest.approx(10.0 / 17.0 - 10.0 / 18.0, rel=1e-8)
    assert found["first on", "low"] == pytest.approx(-10.0 / 17.0, rel=1e-8)
    assert found["first on", "delay"] == 1.0
