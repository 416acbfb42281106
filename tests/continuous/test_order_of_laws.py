"""Who reads what another law sets comes after it, whoever was started first."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import pytest

import eventide as ev

MODES = [pytest.param(mode, id="compiled" if mode else "plain") for mode in (True, False)]
WAYS = [pytest.param(way, id=way) for way in ("apart", "together")]
METHODS = [
    pytest.param(method, id=method.name) for method in (ev.methods.ENGLAND, ev.methods.DORMAND_PRINCE, ev.methods.RADAU)
]


class Plant(ev.Continuous):
    """x'' = u."""

    controller: Controller
    x: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)
    log: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = self.v
        self.rate.v = self.controller.u

    @ev.when(ev.crosses(lambda self: self.x, 0.0))
    def passes(self) -> None:
        self.log.append(self.sim.time)


class Sensor(ev.Continuous):
    plant: Plant
    y: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.y = 2.0 * self.plant.x


class Controller(ev.Continuous):
    sensor: Sensor
    u: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.u = -0.5 * self.sensor.y


class Shadow(ev.Continuous):
    """Reads a rate that another law sets."""

    plant: Plant
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = self.plant.rate.x


def loop(sim: ev.Simulation) -> tuple[Plant, Sensor, Controller, Shadow]:
    plant = Plant(sim, name="plant", controller=None)  # type: ignore[arg-type]  # it is given below
    sensor = Sensor(sim, name="sensor", plant=plant)
    plant.controller = controller = Controller(sim, name="controller", sensor=sensor)
    return plant, sensor, controller, Shadow(sim, name="shadow", plant=plant)


def swing(order: tuple[int, ...], method: Any, compiled: bool, stepping: Any) -> Any:
    sim = ev.Simulation(compile=compiled, stepping=stepping, rel_error=1e-8, abs_error=1e-9)
    sim.method = method
    parts = loop(sim)
    for k in order:
        parts[k].start()
    trace = sim.record(parts[0], parts[2], every=0.5)
    sim.run(until=10.0)
    plant, _, controller, shadow = parts
    rows = [list(trace[name]) for name in ("plant.x", "controller.u")]
    return plant.log, plant.x, controller.u, shadow.x, sim.report().steps, sim.report().evaluations, rows


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_whoever_starts_first_the_run_is_the_same(compiled: bool, stepping: Any, method: Any) -> None:
    first, *others = [swing(order, method, compiled, stepping) for order in permutations(range(4))]
    assert others == [first] * 23
    log, x, u, shadow, steps, *_ = first
    assert log == pytest.approx([(k + 0.5) * math.pi for k in range(3)], abs=1e-6)
    assert (x, u, shadow) == pytest.approx((math.cos(10.0), -math.cos(10.0), math.cos(10.0)), abs=1e-6)
    assert steps < 400  # as many as in the best order


@pytest.mark.slow
@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_laws_of_a_loop_over_a_state_are_sorted(compiled: bool, stepping: Any) -> None:
    last_first = swing((3, 0, 2, 1), ev.methods.ENGLAND, compiled, stepping)
    assert last_first == swing((1, 2, 0, 3), ev.methods.ENGLAND, compiled, stepping)
    assert last_first[1] == pytest.approx(math.cos(10.0), abs=1e-6)


def names(sim: ev.Simulation) -> list[str]:
    return [law.name.partition(".")[0] for law in sim.explain().laws]


@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_priority_and_start_decide_among_those_that_do_not_wait(compiled: bool, stepping: Any) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    plant, sensor, controller, shadow = loop(sim)
    late, early, other = (Shadow(sim, name=name, plant=plant) for name in ("late", "early", "other"))
    for part in (late, plant, shadow, controller, sensor, other, early):
        part.start()
    late.set_priority(-1.0)
    early.set_priority(1.0)
    # The plant waits for the controller, which waits for the sensor; who waits for the plant stands by rank.
    assert names(sim) == ["sensor", "controller", "plant", "early", "shadow", "other", "late"]
    told = str(sim.explain())
    assert "plant.equations: " in told
    assert "stands behind controller.equations, which sets controller.u" in told
    assert "before" not in told
    sim.run(until=0.5)
    sensor.set_priority(-2.0)  # then all wait for the last
    sim.run(until=1.0)
    assert names(sim) == ["sensor", "controller", "plant", "early", "shadow", "other", "late"]
    assert plant.x == pytest.approx(math.cos(1.0), abs=1e-5)
    controller.stop()
    sim.run(until=1.5)
    assert names(sim) == ["plant", "early", "shadow", "other", "late", "sensor"]


class Load(ev.Continuous):
    """Takes a share of what is there, which the grid computes from what all take."""

    grid: Grid
    wants: float = 1.0
    used: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.grid.demand += self.wants

    def equations(self) -> None:
        self.rate.used = self.wants * self.grid.share


class Grid(ev.Continuous):
    supply: float = 3.0
    demand: ev.Summed = ev.summed()
    share: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.share = min(1.0, self.supply / self.demand)


@pytest.mark.slow
@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_sums_come_first_then_who_reads_them_then_who_reads_that(compiled: bool, stepping: Any) -> None:
    for order in permutations(range(4)):
        sim = ev.Simulation(compile=compiled, stepping=stepping)
        grid = Grid(sim)
        loads = [Load(sim, grid=grid, wants=wants) for wants in (1.0, 2.0, 3.0)]
        parts = [grid, *loads]
        for k in order:
            parts[k].start()
        sim.run(until=2.0)
        assert [load.used for load in loads] == pytest.approx([1.0, 2.0, 3.0], rel=1e-12)
        loads[2].stop()
        sim.run(until=3.0)
        assert [load.used for load in loads] == pytest.approx([2.0, 4.0, 3.0], rel=1e-12)
        loads[2].start()
        grid.stop()
        grid.start()  # the last of all, and all wait for it
        sim.run(until=4.0)
        assert [load.used for load in loads] == pytest.approx([2.5, 5.0, 4.5], rel=1e-12)


@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_who_refers_to_another_waits_for_that_one(compiled: bool, stepping: Any) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping, rel_error=1e-9, abs_error=1e-10)
    plant, sensor, controller, _ = loop(sim)
    for part in (plant, controller, sensor):
        part.start()
    sim.run(until=1.0)
    other = Sensor(sim, name="other", plant=plant).start()
    controller.sensor = other
    sensor.stop()
    sim.run(until=2.0)
    assert names(sim) == ["other", "controller", "plant"]
    assert plant.x == pytest.approx(math.cos(2.0), abs=1e-7)


class Bystander(ev.Continuous):
    """Waits for nobody."""

    plant: Plant
    z: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.z = self.plant.x


@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_who_waits_for_nobody_any_longer_stands_in_its_own_place(compiled: bool, stepping: Any) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    plant, sensor, controller, _ = loop(sim)
    for part in (controller, plant, Bystander(sim, name="bystander", plant=plant), sensor):
        part.start()
    orders = []
    for time, change in ((1.0, sensor.stop), (2.0, sensor.start), (3.0, sensor.stop)):
        sim.run(until=time)
        orders.append(names(sim))
        change()
    sim.run(until=4.0)
    waiting, by_itself = ["bystander", "sensor", "controller", "plant"], ["controller", "plant", "bystander"]
    assert [*orders, names(sim)] == [waiting, by_itself, waiting, by_itself]


class Pools(ev.Continuous):
    """Reads of all that stand in a list."""

    sensors: list[Sensor] = ev.field(default_factory=list)
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = sum(sensor.y for sensor in self.sensors)


@pytest.mark.parametrize("compiled", MODES)
def test_who_reads_of_a_list_waits_for_all_in_it(compiled: bool) -> None:
    def run(order: tuple[int, ...]) -> float:
        sim = ev.Simulation(compile=compiled)
        plant, sensor, controller, _ = loop(sim)
        parts = [Pools(sim), plant, sensor, controller, Sensor(sim, plant=plant)]
        parts[0].sensors.extend([parts[2], parts[4]])
        for k in order:
            parts[k].start()
        sim.run(until=1.0)
        return parts[0].x

    first = run((2, 4, 3, 1, 0))
    assert first == pytest.approx(4.0 * math.sin(1.0), abs=1e-4)
    assert {run(order) for order in ((0, 1, 2, 3, 4), (4, 0, 2, 1, 3), (0, 4, 3, 2, 1))} == {first}


class Board(ev.Continuous):
    """Holds what others set and read; it is never started."""

    y: ev.Computed = ev.computed()
    z: ev.State = ev.state(0.0)


class Writes(ev.Continuous):
    board: Board
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -self.x
        self.board.y = self.x


class Reads(ev.Continuous):
    board: Board
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = self.board.y


class WritesRate(Writes):
    def equations(self) -> None:
        self.rate.x = -self.x
        self.board.rate.z = self.x


class ReadsRate(Reads):
    def equations(self) -> None:
        self.rate.x = self.board.rate.z


@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("what", ["value", "rate"])
def test_laws_that_meet_at_what_stands_still_move_together(
    what: str, order: Any, compiled: bool, stepping: Any
) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping, rel_error=1e-9, abs_error=1e-10)
    board = Board(sim)
    writes, reads = (Writes, Reads) if what == "value" else (WritesRate, ReadsRate)
    parts = writes(sim, board=board), reads(sim, board=board)
    for k in order:
        parts[k].start()
    sim.run(until=1.0)
    assert [part.x for part in parts] == pytest.approx([math.exp(-1.0), 1.0 - math.exp(-1.0)], abs=1e-8)
    assert len(sim.explain().flows) == 1


class Stage(ev.Continuous):
    """A difference equation that reads another's."""

    before: Any
    x: ev.State = ev.state(0.0, assigned=True)

    def equations(self) -> None:
        self.x = self.last.x + self.sim.dt * self.before.x


class First(ev.Continuous):
    x: ev.State = ev.state(0.0, assigned=True)

    def equations(self) -> None:
        self.x = self.last.x + self.sim.dt


@pytest.mark.parametrize("compiled", MODES)
def test_difference_equations_follow_each_other(compiled: bool) -> None:
    for order in permutations(range(3)):
        sim = ev.Simulation(compile=compiled, dt_max=0.25)
        first = First(sim)
        second = Stage(sim, before=first)
        parts = first, second, Stage(sim, before=second)
        for k in order:
            parts[k].start()
        sim.run(until=1.0)
        assert [part.x for part in parts] == [1.0, 0.625, 0.3125]  # sums of 0.25 k, then of these, by 0.25


# --- what has no order ------------------------------------------------------------------------------------------------


class Feeds(ev.Continuous):
    other: Any = None
    x: ev.State = ev.state(0.0)
    y: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.y = 1.0 - 0.5 * self.other.y
        self.rate.x = self.y


class Early(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.rate.x = -self.y
        self.y = self.x


class Sometimes(Early):
    def equations(self) -> None:
        if self.x > 2.0:
            self.y = self.x
        self.rate.x = -self.y


class Meter(ev.Continuous):
    total: ev.Summed = ev.summed()


class Draws(ev.Continuous):
    meter: Meter
    power: ev.Computed = ev.computed()

    def contributions(self) -> None:
        self.meter.total += self.power

    def equations(self) -> None:
        self.power = 2.0


class Pulls(ev.Continuous):
    plant: Early

    def contributions(self) -> None:
        self.plant.rate.x += 1.0


class Falls(Early):
    def equations(self) -> None:
        self.y = self.x
        self.rate.x = -self.y


def three(sim: ev.Simulation) -> None:
    a, b, c = (Feeds(sim, name=name) for name in "abc")
    a.other, b.other, c.other = b, c, a
    for part in (b, c, a):
        part.start()


def draws(sim: ev.Simulation) -> None:
    Draws(sim, name="load", meter=Meter(sim, name="meter").start()).start()


def pulls(sim: ev.Simulation) -> None:
    plant = Falls(sim, name="plant").start()
    Pulls(sim, name="pull", plant=plant).start()


def pulls_first(sim: ev.Simulation) -> None:
    plant = Falls(sim, name="plant")
    Pulls(sim, name="pull", plant=plant).start()
    plant.start()


REFUSED = {
    "loop": (three, r"algebraic loop: b\.equations reads c\.y, which c\.equations sets; c.* reads a\.y.*; a.* reads b"),
    "own": (lambda sim: Early(sim, name="own").start(), r"own\.equations reads own\.y on some path before it sets it"),
    "sometimes": (lambda sim: Sometimes(sim, name="own").start(), r"own\.equations reads own\.y on some path before"),
    "contributions": (draws, r"load\.contributions needs load\.power, which load\.equations sets later"),
    "rate": (pulls, r"pull\.contributions needs plant\.rate\.x, which plant\.equations sets later"),
    "rate, first": (
        pulls_first,
        r"pull\.contributions needs plant\.rate\.x|plant sets the rate of plant\.x, which pull",
    ),
}


@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize("case", REFUSED)
def test_laws_without_an_order_are_named(case: str, compiled: bool, stepping: Any) -> None:
    make, message = REFUSED[case]
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    make(sim)
    for _ in range(2):
        with pytest.raises(ev.ModelError, match=message):
            sim.run(until=1.0)
    assert (sim.time, sim.report().steps) == (0.0, 0)
    assert str(sim.explain()).startswith("refused: ")


# --- what cannot be read ----------------------------------------------------------------------------------------------


class Odd(Sensor):
    """What cannot be read."""

    def equations(self) -> None:
        try:
            self.y = 2.0 * self.plant.x
        finally:
            pass


class OddController(Controller):
    def equations(self) -> None:
        self.u = sorted([-0.5 * self.sensor.y, -1e9])[1]


@pytest.mark.slow
@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", ["auto", False])
def test_what_cannot_be_read_is_sorted_by_what_it_is_seen_to_do(compiled: Any, stepping: Any) -> None:
    def run(sensor: type[Sensor], controller: type[Controller], order: tuple[int, ...]) -> Any:
        sim = ev.Simulation(compile=compiled, stepping=stepping, rel_error=1e-8, abs_error=1e-9)
        plant = Plant(sim, name="plant", controller=None)  # type: ignore[arg-type]  # it is given below
        eye = sensor(sim, name="sensor", plant=plant)
        plant.controller = hand = controller(sim, name="controller", sensor=eye)
        for k in order:
            (plant, eye, hand)[k].start()
        sim.run(until=6.0)
        assert names(sim) == ["sensor", "controller", "plant"]
        return plant.log, plant.x, hand.u

    first = run(Sensor, Controller, (1, 2, 0))
    assert first[0] == pytest.approx([math.pi / 2.0, 3.0 * math.pi / 2.0], abs=1e-6)
    for kinds in ((Odd, Controller), (Sensor, OddController), (Odd, OddController)):
        for order in permutations(range(3)):
            log, *last = run(*kinds, order)
            assert log == pytest.approx(first[0], abs=1e-9)
            assert last == pytest.approx(first[1:], abs=1e-7)


class OddFeeds(Feeds):
    def equations(self) -> None:
        self.y = sorted([1.0 - 0.5 * self.other.y, -1e9])[1]
        self.rate.x = self.y


class Two(ev.Continuous):
    y: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.y = 2.0


@pytest.mark.parametrize("compiled", ["auto", False])
def test_laws_that_cannot_be_read_and_wait_for_each_other_are_named(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    one, odd = Feeds(sim, name="one").start(), OddFeeds(sim, name="odd").start()
    one.other, odd.other = odd, one
    for _ in range(2):
        with pytest.raises(ev.ModelError, match=r"algebraic loop: one\.equations reads odd\.y.*; odd.* reads one\.y"):
            sim.run(until=1.0)
    assert (sim.time, sim.report().steps) == (0.0, 0)


@pytest.mark.parametrize("compiled", ["auto", False])
def test_what_a_law_was_seen_to_read_is_forgotten_where_something_refers_to_another(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    two = Two(sim).start()
    one, other = Feeds(sim, other=two), Feeds(sim, other=two)
    odd = OddFeeds(sim, other=one).start()
    one.start()
    other.start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        odd.other, one.other = other, odd

    sim.process(story())
    sim.run(until=2.0)
    assert [part.x for part in (one, odd, other)] == pytest.approx([0.5, 2.0, 0.0])


def test_what_cannot_be_read_is_told() -> None:
    sim = ev.Simulation()
    Odd(sim, name="odd", plant=loop(sim)[0]).start()
    assert "stands behind whose values it is seen to read where steps begin" in str(sim.explain())


class Gauge(ev.Continuous):
    total: ev.Summed = ev.summed()


class Setter(ev.Continuous):
    meter: Gauge

    def contributions(self) -> None:
        self.meter.total = 2.0


@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_sum_is_added_to_and_not_set(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    meter = Gauge(sim, name="meter").start()
    Setter(sim, meter=meter, name="one").start()
    for _ in range(2):
        with pytest.raises(ev.ModelError, match=r"^one\.contributions sets meter\.total, and what others have added"):
            sim.run(until=1.0)
    assert sim.time == 0.0
