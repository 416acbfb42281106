"""Requirements: what they are made of, and their nine properties."""

from datetime import date
from itertools import count

import pytest

import eventide as ev
from eventide import verify
from eventide.verify import (
    Component,
    Judgement,
    Quality,
    Requirement,
    always,
    properties,
    quantity,
    readiness,
    run_all,
    settles,
    stays_within,
)

TANK = Component("tank", lambda inflow: inflow)
NEED = {"need": "the yard stays dry", "source": "contract, 3.1"}


def tank(name="T-1", phrase="The tank shall hold 3 m3.", quality=None, conditions=None, threshold=None, **told):
    quality = stays_within(0.0, 3.0) if quality is None else quality
    conditions = {"inflow": [1.0, 2.0]} if conditions is None else conditions
    return Requirement(name, phrase, TANK, quality, conditions, threshold, **{**NEED, **told})


def states(requirement, *among):
    return {one.name: (one.state, one.detail) for one in properties(requirement, [requirement, *among])}


@pytest.mark.row("R-303")
def test_four_properties_are_checked_and_five_recorded():
    said = {
        "agreed": Judgement("M. Weber", date(2026, 11, 2), note="minutes 14"),
        "feasible": Judgement("K. Ito", date(2026, 11, 3), holds=False, note="no pump is that large"),
    }
    missing = ("missing", "nobody has judged it")

    assert states(tank(judgements=said)) == {
        "verifiable": ("holds", ""),
        "consistent": ("holds", ""),
        "unambiguous": ("holds", ""),
        "traceable": ("holds", ""),
        "complete": missing,
        "agreed": ("recorded", "M. Weber, 2026-11-02: minutes 14"),
        "necessary": missing,
        "understandable": missing,
        "feasible": ("violated", "K. Ito, 2026-11-03: no pump is that large"),
    }


@pytest.mark.row("R-303")
@pytest.mark.parametrize(
    ("name", "broken", "others", "detail"),
    [
        ("verifiable", {"threshold": 0.0}, [], "a quality of 0.0 cannot be missed: each is at least 0"),
        ("unambiguous", {"phrase": "It shall be large."}, [], "everybody reads 'large' differently: give a number"),
        ("unambiguous", {"phrase": "It shall fill and shall empty."}, [],
         "it asks for several things: write a requirement for each"),
        ("traceable", {"source": ""}, [], "it does not say where it comes from: give source="),
        ("traceable", {}, [{"name": "T-1"}], "another requirement has the id T-1"),
        ("consistent", {}, [{"name": "T-2", "quality": settles(4.0, 5.0, 1.0)}],
         "T-2 asks for in [4, 5] from 1 on, and this for within [0, 3]"),
    ],
)  # fmt: skip
def test_a_property_that_a_program_finds_violated_says_why(name, broken, others, detail):
    found = states(tank(**broken), *(tank(**other) for other in others))

    assert found.pop(name) == ("violated", detail)
    assert {state for state, _ in found.values()} == {"holds", "missing"}


@pytest.mark.row("R-303")
@pytest.mark.parametrize(
    "other",
    [
        {"quality": stays_within(3.0, 5.0)},  # 3.0 satisfies both
        {"quality": stays_within(4.0, 5.0), "conditions": {"inflow": [9.0]}},  # elsewhere
        {"quality": stays_within(4.0, 5.0), "threshold": 0.5},  # may miss its bounds by 1
        {"quality": stays_within(4.0, 5.0, of="level")},  # of something else
        {"quality": Quality.indicator("empty", lambda y: not y)},
    ],
)
def test_what_can_be_met_together_is_consistent(other):
    assert states(tank(), tank("T-2", **other))["consistent"] == ("holds", "")


def test_only_needs_are_obligatory():
    assert tank().is_obligatory
    assert not tank(phrase="The tank should hold 3 m3.", need="").is_obligatory
    for broken, told in [
        ({"phrase": "The tank holds 3 m3."}, "either `shall`"),
        ({"phrase": "The tank shall hold 3 m3 and should look nice."}, "either `shall`"),
        ({"need": ""}, "only a need is obligatory"),
        ({"quality": always(quantity("level") <= 3.0)}, r"takes a quality, .* got `always \(level at most 3\)`"),
        ({"threshold": 1.5}, r"asks for a quality of 1.5, and the quality 'within \[0, 3\]' is at most 1.0"),
        ({"threshold": float("nan")}, "asks for a quality of nan"),
        ({"judgements": {"verifiable": Judgement("me", date(2026, 1, 1))}}, "these are: complete, agreed"),
        ({"conditions": {"inflow": []}}, "no conditions"),
        ({"conditions": {"inflow": count()}}, "are a generator, and are gone over several times"),
        ({"conditions": ({"inflow": k} for k in count())}, "are a generator"),
    ]:
        with pytest.raises(ev.ModelError, match=told):
            tank(**broken)
    with pytest.raises(ev.ModelError, match=r"R-1 is of a Component\(name, map\), and got"):
        Requirement("R-1", "It should hold.", abs, verify.stays_within(0.0, 3.0))
    with pytest.raises(ev.ModelError, match="a test is of a Requirement, and got 'T-1'"):
        verify.Test("T-1")


@pytest.mark.slow
@pytest.mark.row("R-309")
def test_readiness_tells_what_is_not_covered_and_what_it_costs(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr("eventide.verify.testing.perf_counter", lambda: sum(clock))
    pump = Component("pump", lambda inflow: clock.append(0.02))
    plant = Component("plant", abs, (TANK, pump))
    first, second = tank(), tank("T-2", "The tank shall be fast.")
    found = readiness(plant, [ev.verify.Test(first)], [first, second])

    assert (found.untested_requirements, found.untested_units, found.cases) == (("T-2",), ("pump",), 2)
    assert [(name, one.name) for name, one in found.faults] == [("T-2", "unambiguous")]
    assert not found.is_covered
    assert not found.is_ready
    slow = Requirement(
        "P-1", "It should pump.", pump, Quality.indicator("pumps", bool), {"inflow": range(50)}, source="x"
    )
    both = [ev.verify.Test(first), ev.verify.Test(slow)]
    costly, cheap = (readiness(plant, both, budget=budget) for budget in (0.5, 100.0))
    assert not costly.is_practicable
    assert costly.seconds == pytest.approx(1.0)
    assert cheap.is_ready
    assert str(cheap).startswith("test-ready: 52 cases\n52 cases take about ")


@pytest.mark.row("R-303")
def test_contradictions_are_told_in_every_run_of_the_tests(tmp_path):
    first, second = tank(), tank("T-2", quality=settles(4.0, 5.0, 1.0))
    third = tank("T-3", quality=stays_within(2.0, 9.0))
    report = run_all(TANK, [ev.verify.Test(one) for one in (first, second, third)])

    told = "T-1 and T-2 contradict each other: within [0, 3], and in [4, 5] from 1 on"
    assert report.contradictions == [told]
    assert told in str(report)
    report.to_html(tmp_path / "page.html")
    assert told in (tmp_path / "page.html").read_text()
    assert run_all(TANK, [ev.verify.Test(first)]).contradictions == []
