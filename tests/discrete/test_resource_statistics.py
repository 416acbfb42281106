"""Resources: what is counted, and how it is told."""

import math

import pytest

import eventide as ev


def test_statistics(sim):
    desk = ev.Resource(sim, 2, name="desk")
    for duration in (4.0, 2.0, 3.0, 1.0):
        sim.process(desk.use(duration))
    sim.run(until=10.0)

    # in use: 2 until 5, as one works from 0 to 4, 4 to 5, the other from 0 to 2, 2 to 5; queue: 2, 1 from 2, 0 from 4
    assert desk.in_use.mean == (2 * 5) / 10
    assert desk.queue.mean == (2 * 2 + 1 * 2) / 10
    assert desk.queue.maximum == 2
    assert list(desk.waits.values) == [0.0, 0.0, 2.0, 4.0]
    assert desk.utilisation == 10 / 20
    assert (desk.counts.asked, desk.counts.served) == (4, 4)


def test_utilisation_counts_the_capacity_that_there_was(sim):
    desk = ev.Resource(sim, 1)

    def manager():
        yield ev.hold(2.0)
        desk.capacity = 4
        yield ev.hold(2.0)
        desk.capacity = 0

    sim.process(manager())
    for _ in range(3):
        sim.process(desk.use(3.0))
    sim.run(until=6.0)

    # one works from 0 to 3, two from 2 to 5, the last hour of these in overtime
    assert desk.in_use.integral == 3.0 + 2 * 3.0
    assert desk.supply.integral == 2 * 1 + 2 * 4
    assert desk.utilisation == 9.0 / 10.0


def test_utilisation_of_nothing_is_nan(sim):
    desk = ev.Resource(sim, 0)
    sim.run(until=1.0)

    assert math.isnan(desk.utilisation)


def test_statistics_can_be_begun_anew(sim):
    desk = ev.Resource(sim, 2)
    for duration in (4.0, 4.0, 4.0, 1.0, 1.0):
        sim.process(desk.use(duration))
    sim.run(until=3.0)
    assert (desk.counts.asked, desk.counts.served) == (5, 0)
    sim.reset_statistics()
    assert (desk.counts.asked, desk.counts.served) == (0, 0)
    sim.run(until=7.0)

    assert desk.in_use.mean == (2 * 3 + 1) / 4
    assert desk.queue.integral == 3 * 1.0 + 1 * 1.0
    assert list(desk.waits.values) == [4.0, 4.0, 5.0]
    assert (desk.counts.asked, desk.counts.served) == (0, 4)


def test_representations(sim):
    desk = ev.Resource(sim, 2, name="counter")
    for name in "ABCDE":
        sim.process(desk.use(1.0), name=name)
    new = desk.request(units=2)
    sim.run(until=0.5)

    assert repr(desk) == "<counter: 2 of 2 in use, 3 waiting>"
    assert [repr(place) for place in desk.waiting[:1]] == ["<request of counter by C: waiting since 0.0>"]
    assert [repr(place) for place in desk.users[:1]] == ["<request of counter by A: granted since 0.0>"]
    assert repr(new) == "<request of counter: new>"
    assert desk.waiting[0].describe() == "a unit of counter since 0.0, held by A, B"
    assert new.describe() == "2 units of counter since 0.0, held by A, B"
    assert repr(ev.Resource(sim)) == "<Resource 2: 0 of 1 in use, 0 waiting>"


def test_few_of_many_holders_are_named(sim):
    desk = ev.Resource(sim, 8, name="desk")
    for name in "ABCDEFGHI":
        sim.process(desk.use(1.0), name=name)
    sim.run(until=0.5)

    assert desk.waiting[0].describe() == "a unit of desk since 0.0, held by A, B, C, D, E and 3 more"


def test_who_waits_for_whom_is_said_when_nothing_can_happen(sim):
    left, right = ev.Resource(sim, name="left"), ev.Resource(sim, name="right")

    def both(first, second):
        with first.request() as one, second.request() as two:
            yield one
            yield ev.hold(1.0)
            yield two

    last = sim.process(both(left, right), name="A")
    sim.process(both(right, left), name="B")
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=last)

    assert "A waits for a unit of right since 1.0, held by B" in str(caught.value)
    assert "B waits for a unit of left since 1.0, held by A" in str(caught.value)


class Machine(ev.Resource):
    """A resource with data of its own."""

    power: float
    tool: str = "drill"


class FastMachine(Machine):
    speed: float = 2.0


class Dock(ev.Resource):
    def prelude(self):
        self.ships = []


def test_subclasses(sim):
    """They take what a resource takes, and their own fields by keyword."""
    machine = FastMachine(sim, 3, power=5.0, speed=4.0, name="fast one")
    dock = Dock(sim, 2)

    assert (machine.capacity, machine.power, machine.tool, machine.speed) == (3, 5.0, "drill", 4.0)
    assert repr(machine) == "<fast one: 0 of 3 in use, 0 waiting>"
    assert (Machine(sim, power=1.0).name, Machine(sim, power=1.0).name) == ("Machine 1", "Machine 2")
    assert (dock.name, dock.capacity, dock.ships) == ("Dock 1", 2, [])
    with pytest.raises(TypeError, match=r"Machine\(\.\.\.\) is missing power="):
        Machine(sim, 2)
    with pytest.raises(TypeError, match="colour"):
        Machine(sim, 2, power=1.0, colour="red")
