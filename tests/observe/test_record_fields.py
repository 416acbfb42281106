"""Plain fields are recorded as well: named after their component, or all numbers of one in which nothing moves."""

from __future__ import annotations

import numpy as np
import pytest

import eventide as ev


class Controller(ev.Component):
    u: float = ev.field(default=1.0, unit="V")
    limit: int = 3
    label: str = "pi"


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0, unit="m")
    heat: ev.State = ev.state(20.0)
    k: float = 0.5

    def equations(self) -> None:
        self.rate.level = -self.k


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(seed=1)


def steps(sim: ev.Simulation, controller: Controller) -> ev.ProcessGenerator:
    yield ev.hold(1.0)
    controller.u = 2.0


@pytest.mark.parametrize("every", ["step", 0.5, "event"])
def test_all_numbers_of_what_does_not_move_are_recorded(sim, every):
    pi = Controller(sim, name="pi")
    trace = sim.record(pi, every=every)
    sim.process(steps(sim, pi))
    sim.run(until=2.0)
    assert [(column.name, column.unit, column.is_discrete) for column in trace.columns] == [
        ("pi.u", "V", True),
        ("pi.limit", "", True),
    ]
    assert trace.at([0.5, 1.0, 1.5])["pi.u"].tolist() == [1.0, 2.0, 2.0]
    assert trace.at(1.5).to_dict() == {"pi.u": 2.0, "pi.limit": 3.0}
    assert (trace.at(1).name, trace.at(np.float64(1.0), before=True)["pi.u"]) == (1.0, 1.0)


@pytest.mark.parametrize("times", ["0.5", True, None, [None], [[0.5]], ["0.5"]])
def test_what_is_no_time_is_refused(sim, times):
    trace = sim.record(now=lambda: sim.time, every=0.5)
    sim.run(until=1.0)
    with pytest.raises(ev.ModelError, match=r"^at\(...\) takes a time or a list of times, and got "):
        trace.at(times)


def test_names_choose_among_quantities_and_fields(sim):
    pi, tank = Controller(sim, name="pi"), Tank(sim, name="tank").start()
    trace = sim.record(tank, "level", "k", pi, "u", every=0.5)
    sim.run(until=1.0)
    assert [column.name for column in trace.columns] == ["tank.level", "tank.k", "pi.u"]


def test_slips_are_refused(sim):
    tank, pi = Tank(sim, name="tank"), Controller(sim, name="pi")
    for subjects, message in (
        (("level",), "'level' has to follow the component that it is of, as in sim.record(tank, 'level')"),
        ((tank, "levl"), "tank has no 'levl' to record: did you mean 'level'?"),
        ((tank, "zzz"), "tank has no 'zzz' to record: it has level, heat, k"),
        (
            (pi, "label"),
            (
                "pi.label is recorded as a number, and is 'pi': record whether it is one of its values, as "
                "is_on=lambda: machine.mode == 'pi'"
            ),
        ),
    ):
        with pytest.raises(ev.ModelError) as info:
            sim.record(*subjects)
        assert str(info.value) == message


def test_what_belongs_to_another_simulation_is_refused(sim):
    stranger = Tank(ev.Simulation(), name="stranger")
    told = "^stranger belongs to another simulation: each object lives in the one it was made for$"
    with pytest.raises(ev.ModelError, match=told):
        sim.record(stranger, every=1.0)
    with pytest.raises(ev.ModelError, match=told):
        sim.record(its=stranger)
    with pytest.raises(ev.ModelError, match=told):
        sim.record(stranger, "level")
