"""What laws set in objects that are not active: sums, rates, computed values and states are those of their flow."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

import eventide as ev

MODES = [pytest.param(mode, id="compiled" if mode else "plain") for mode in ("auto", False)]
WAYS = [pytest.param(way, id=way) for way in ("apart", "together")]
METHODS = [pytest.param(method, id=method.name) for method in (ev.methods.ENGLAND, ev.methods.RADAU, ev.methods.ADAMS)]

Log = list[tuple[Any, ...]]


def each_way(test: Any) -> Any:
    return pytest.mark.parametrize("stepping", WAYS)(pytest.mark.parametrize("compiled", MODES)(test))


def make(compiled: Any, stepping: Any) -> ev.Simulation:
    return ev.Simulation(compile=compiled, stepping=stepping, rel_error=1e-9, abs_error=1e-9)


def about(log: Log) -> list[Any]:
    """To be compared with a log of floats."""
    return [pytest.approx(row, rel=1e-7, abs=1e-7) for row in log]


class Basket(ev.Continuous):
    load: ev.Summed = ev.summed()
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = self.load


class Giver(ev.Continuous):
    """Gives more and more: as much as the time since it was started."""

    basket: Basket
    age: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.basket.load += self.age

    def equations(self) -> None:
        self.rate.age = 1.0


class Unread(Giver):
    """The same, by code that cannot be read."""

    def contributions(self) -> None:
        self.basket.load += sorted([self.age, -1.0])[1]


class Reader(ev.Continuous):
    basket: Basket
    y: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = self.basket.load


KINDS = [pytest.param(kind, id=kind.__name__.lower()) for kind in (Giver, Unread)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", METHODS)
@each_way
def test_a_sum_begins_at_zero_whether_its_owner_is_active_or_not(
    compiled: Any, stepping: Any, method: Any, kind: Any
) -> None:
    sim = make(compiled, stepping)
    sim.method = method
    sim.dt_max = 0.1  # for Adams
    basket, log = Basket(sim), []
    kind(sim, basket=basket).start()
    reader = Reader(sim, basket=basket).start()

    def story() -> ev.ProcessGenerator:
        for k in range(4):
            yield ev.hold(1.0)
            log.append((sim.time, basket.load, reader.y))
            (basket.stop if k % 2 else basket.start)()
            log.append((sim.time, basket.load, reader.y))

    sim.process(story())
    sim.run(until=5.0)
    log.append((sim.time, basket.load, reader.y, basket.x))
    assert log == about(
        [row for t in (1.0, 2.0, 3.0, 4.0) for row in [(t, t, t * t / 2)] * 2] + [(5.0, 5.0, 12.5, 1.5 + 3.5)]
    )


@pytest.mark.parametrize("kind", KINDS)
@each_way
def test_who_gives_comes_and_goes_and_nothing_is_left(compiled: Any, stepping: Any, kind: Any) -> None:
    sim = make(compiled, stepping)
    basket, log = Basket(sim), []
    one, two = Giver(sim, basket=basket), kind(sim, basket=basket)
    reader = Reader(sim, basket=basket).start()

    def look() -> ev.ProcessGenerator:
        for _ in range(10):
            yield ev.hold(0.5)
            log.append((sim.time, basket.load, reader.y))

    def story() -> ev.ProcessGenerator:
        for deed in (one.start, two.start, one.stop, two.stop):
            yield ev.hold(1.0)
            deed()

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: basket.load >= 2.5)
        log.append((sim.time, basket.load, reader.y))
        yield ev.until(lambda: basket.load <= 0.0)
        log.append((sim.time, basket.load, reader.y))

    sim.process(look())
    sim.process(wait())
    sim.process(story())
    sim.run(until=5.25)
    rows = [(0.5, 0, 0), (1, 0, 0), (1.5, 0.5, 0.125), (2, 1, 0.5), (2.5, 2, 1.25), (2.75, 2.5, 1.8125), (3, 1, 2.5)]
    rows += [(3.5, 1.5, 3.125), (4, 0, 4), (4, 0, 4), (4.5, 0, 4), (5, 0, 4)]
    assert log == about(rows)


@pytest.mark.parametrize("kind", KINDS)
@each_way
def test_a_sum_goes_with_what_its_giver_refers_to(compiled: Any, stepping: Any, kind: Any) -> None:
    sim = make(compiled, stepping)
    baskets, log = [Basket(sim) for _ in range(3)], []
    baskets[1].start()
    giver = kind(sim, basket=baskets[0]).start()
    readers = [Reader(sim, basket=basket).start() for basket in baskets]

    def story() -> ev.ProcessGenerator:
        for k in (1, 2, 0, 1):
            yield ev.hold(1.0)
            log.append(tuple(basket.load for basket in baskets))
            giver.basket = baskets[k]
        baskets[1].stop()

    sim.process(story())
    sim.run(until=5.0)
    log.append(tuple(basket.load for basket in baskets))
    log.append(tuple(reader.y for reader in readers))
    assert log == about(
        [(1, 0, 0), (0, 2, 0), (0, 0, 3), (4, 0, 0), (0, 5, 0), (0.5 + 3.5, 1.5 + 4.5, 2.5)]  # integrals of the time
    )


class Twice(ev.Continuous):
    """Gives to two."""

    one: Basket
    two: Basket
    age: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.one.load += self.age
        self.two.load -= self.age

    def equations(self) -> None:
        self.rate.age = 1.0


class Relay(ev.Continuous):
    """Gives on what one has."""

    one: Basket
    two: Basket

    def contributions(self) -> None:
        self.two.load += 2.0 * self.one.x


@each_way
def test_flows_that_give_to_one_object_are_one_while_they_do(compiled: Any, stepping: Any) -> None:
    sim = make(compiled, stepping)
    one, two, three = (Basket(sim, name=name) for name in ("one", "two", "three"))
    twice = Twice(sim, name="twice", one=one, two=two).start()
    Giver(sim, name="giver", basket=two).start()
    Relay(sim, name="relay", one=one, two=three).start()
    flows, log = [], []

    def story() -> ev.ProcessGenerator:
        for deed in (one.start, twice.stop, twice.start, one.stop):
            yield ev.hold(1.0)
            log.append((one.load, two.load, three.load))
            flows.append(sorted(sorted(flow.members) for flow in sim.explain().flows if flow.members))
            deed()

    sim.process(story())
    sim.run(until=5.0)
    log.append((one.load, two.load, three.load))
    # The giver's age goes on; that of the other rests for a second.
    assert log == about([(1, 0, 0), (2, 0, 2 * 1.5), (0, 3, 2 * 1.5), (3, 1, 2 * 4), (4, 1, 2 * 4)])
    if stepping == "apart":
        assert flows == [
            [["giver", "one", "relay", "three", "twice", "two"]],
            [["giver", "one", "relay", "three", "twice", "two"]],
            [["giver", "two"], ["one", "relay", "three"]],
            [["giver", "one", "relay", "three", "twice", "two"]],
        ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("compiled", MODES)
def test_who_is_given_nothing_any_longer_moves_with_nobody(compiled: Any, kind: Any) -> None:
    sim = make(compiled, "apart")
    basket = Basket(sim, name="basket")
    giver = kind(sim, name="giver", basket=basket).start()
    reader = Reader(sim, name="reader", basket=basket).start()
    flows = []

    def story() -> ev.ProcessGenerator:
        for deed in (giver.stop, giver.start, giver.stop):
            yield ev.hold(1.0)
            flows.append(sorted(sorted(flow.members) for flow in sim.explain().flows if flow.members))
            deed()

    sim.process(story())
    sim.run(until=4.0)
    assert flows == [[["basket", "giver", "reader"]], [["reader"]], [["basket", "giver", "reader"]]]
    assert (basket.load, reader.y) == (0.0, pytest.approx(0.5 + 1.5))


class Late(Giver):
    """Gives only when it is old."""

    def contributions(self) -> None:
        if sorted([self.age, -1.0])[1] > 1.0:
            self.basket.load += 1.0


class UnreadReader(Reader):
    def equations(self) -> None:
        self.rate.y = sorted([self.basket.load, -1.0])[1]


@pytest.mark.parametrize("reads", [Reader, UnreadReader])
@each_way
def test_who_has_looked_at_what_stood_still_looks_again(compiled: Any, stepping: Any, reads: type[Reader]) -> None:
    sim = make(compiled, stepping)
    basket = Basket(sim)
    late, reader = Late(sim, basket=basket).start(), reads(sim, basket=basket, y=0.1).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        reader.y = 0.0  # its steps end elsewhere
        yield ev.hold(1.5)
        late.age = 0.0

    sim.process(story())
    sim.run(until=2.5)
    assert (basket.load, reader.y) == (0.0, pytest.approx(1.0, abs=1e-7))


class Look(ev.Reporter):
    basket: Basket
    rows: Log

    def report(self) -> None:
        self.rows.append((self.sim.time, self.basket.load))


@each_way
def test_recordings_and_reporters_see_the_sum_of_their_time(compiled: Any, stepping: Any) -> None:
    sim = make(compiled, stepping)
    basket = Basket(sim, name="basket")
    giver, rows = Giver(sim, basket=basket).start(), []
    trace = sim.record(basket["load"], double=lambda: 2.0 * basket.load, every=0.5, events=False)
    Look(sim, every=0.5, basket=basket, rows=rows).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.75)
        giver.stop()

    sim.process(story())
    sim.run(until=3.0)
    assert list(trace["basket.load"]) == pytest.approx([0.0, 0.5, 1.0, 1.5, 0.0, 0.0, 0.0])
    assert list(trace["double"]) == [2.0 * load for load in trace["basket.load"]]
    assert rows == about(
        [(0, 0), (0, 0), (0.5, 0.5), (1, 1), (1.5, 1.5), (1.75, 1.75), (1.75, 0), (2, 0), (2.5, 0), (3, 0)]
    )


class Board(ev.Continuous):
    value: ev.Computed = ev.computed()
    values: ev.ComputedVector = ev.computed_vector(size=2)
    mean: ev.State = ev.state(0.0, assigned=True)


class Teller(ev.Continuous):
    board: Board
    age: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.age = 1.0
        self.board.value = 2.0 * self.age
        self.board.values[1] = -self.age
        self.board.mean = 0.5 * self.age


@each_way
def test_what_is_computed_for_who_is_not_active_is_of_the_time(compiled: Any, stepping: Any) -> None:
    sim = make(compiled, stepping)
    board, log = Board(sim), []
    teller = Teller(sim, board=board)

    def wait() -> ev.ProcessGenerator:
        for wanted in (
            ev.until(lambda: board.value >= 1.0),
            ev.until(lambda: board.values[1] <= -1.25),
            ev.until(lambda: board.mean >= 1.0),
        ):
            yield wanted
            log.append((sim.time, board.value, board.values[1], board.mean))

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        teller.start()
        yield ev.hold(1.0)
        log.append((sim.time, board.value, board.values[1], board.mean))
        yield ev.hold(1.5)
        teller.stop()
        yield ev.hold(1.0)
        log.append((sim.time, board.value, board.values[1], board.mean))

    sim.process(wait())
    sim.process(story())
    sim.run(until=5.0)
    assert log == about(
        [(1.5, 1, -0.5, 0.25), (2, 2, -1, 0.5), (2.25, 2.5, -1.25, 0.625), (3, 4, -2, 1), (4.5, 5, -2.5, 1.25)]
    )


@each_way
def test_a_state_that_is_started_alone_moves_with_who_gives(compiled: Any, stepping: Any) -> None:
    sim = make(compiled, stepping)
    basket, log = Basket(sim), []
    giver = Giver(sim, basket=basket).start()
    ev.law(sim, lambda: basket["x"].set_rate(3.0)).start()

    def story() -> ev.ProcessGenerator:
        for deed in (basket["x"].start, basket["x"].stop, giver.stop, basket["x"].start):
            yield ev.hold(1.0)
            log.append((basket.load, basket.x))
            deed()

    sim.process(story())
    sim.run(until=5.0)
    log.append((basket.load, basket.x))
    assert log == about([(1, 0), (2, 3), (3, 3), (0, 3), (0, 6)])


class Plant(ev.Continuous):
    """What others add to its rates is seen whether they are integrated or not."""

    x: ev.State = ev.state(0.0)
    z: ev.State = ev.state(0.0)
    v: ev.StateVector = ev.state_vector(size=2)

    def equations(self) -> None:
        self.rate.x += 1.0


class Feed(ev.Continuous):
    plant: Plant

    def contributions(self) -> None:
        self.plant.rate.x += 2.0
        self.plant.rate.v[1] += 4.0


class UnreadFeed(Feed):
    """The same, by code that cannot be read."""

    def contributions(self) -> None:
        self.plant.rate.x += sorted([2.0, -1.0])[1]
        self.plant.rate.v[1] += 4.0


class Gauge(ev.Continuous):
    plant: Plant
    y: ev.State = ev.state(0.0)
    w: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.y = self.plant.rate.x
        self.rate.w = self.plant.rate.v[1]


FEEDS = [pytest.param(kind, id=kind.__name__.lower()) for kind in (Feed, UnreadFeed)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", FEEDS)
@pytest.mark.parametrize("method", METHODS)
@each_way
def test_a_rate_begins_at_zero_whether_its_state_is_integrated_or_not(
    compiled: Any, stepping: Any, method: Any, kind: Any
) -> None:
    for order in permutations(range(3)):
        sim = make(compiled, stepping)
        sim.method = method
        sim.dt_max = 0.1  # for Adams
        plant, log = Plant(sim), []
        feed, gauge = kind(sim, plant=plant), Gauge(sim, plant=plant)
        starts = (feed.start, gauge.start, plant["z"].start)
        for k in order:
            starts[k]()

        def story(plant: Any = plant, feed: Any = feed, gauge: Any = gauge, log: Log = log) -> ev.ProcessGenerator:
            for deed in (feed.stop, feed.start, plant.start, plant["x"].stop, plant.stop, feed.stop):
                yield ev.hold(1.0)
                log.append((plant.rate.x, list(plant.rate.v), gauge.y, gauge.w, plant.x))
                deed()

        sim.process(story())
        sim.run(until=7.0)
        expected = [(2, 2, 4, 0), (0, 2, 4, 0), (2, 4, 8, 0), (3, 7, 12, 3), (3, 10, 16, 3), (2, 12, 20, 3)]
        rates = [4, 0, 4, 4, 4, 4]
        assert log == [
            (rate, [0.0, v], pytest.approx(y), pytest.approx(w), pytest.approx(x))
            for (rate, y, w, x), v in zip(expected, rates, strict=True)
        ]
        assert (plant.rate.x, list(plant.rate.v), gauge.y) == (0.0, [0.0, 0.0], pytest.approx(12.0))


@each_way
def test_who_waits_for_a_rate_of_what_stands_still_is_told_that_nobody_sets_it(compiled: Any, stepping: Any) -> None:
    sim = make(compiled, stepping)
    plant, log = Plant(sim), []
    feed = Feed(sim, plant=plant).start()

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: plant.rate.x >= 2.0)
        log.append(sim.time)
        yield ev.until(lambda: plant.rate.x <= 0.0)
        log.append(sim.time)

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        feed.stop()

    sim.process(wait())
    sim.process(story())
    sim.run(until=2.0)
    assert log == [0.0, 1.0]


@each_way
def test_the_rate_of_a_variable_that_is_not_started_begins_at_zero(compiled: Any, stepping: Any) -> None:
    sim = make(compiled, stepping)
    loose, seen = ev.Variable(sim, 1.0), ev.Variable(sim, 0.0).start()

    def add() -> None:
        loose.rate += sorted([2.0, -1.0])[1]

    def look() -> None:
        seen.rate = loose.rate

    ev.law(sim, add).start()
    ev.law(sim, look).start()
    sim.run(until=1.0)
    assert (loose.state, loose.rate, seen.state) == (1.0, 2.0, pytest.approx(2.0))


class Slider(ev.Continuous):
    """x slides along 0; what it does to a plant is known by the shares of both sides."""

    plant: Plant
    x: ev.State = ev.state(1.0)
    side: float = -1.0

    def equations(self) -> None:
        self.rate.x = self.side + 0.5
        self.plant.rate.z += self.side

    @ev.when(lambda self: self.x < 0.0)
    def below(self) -> None:
        self.side = 1.0

    @ev.when(lambda self: self.x > 0.0)
    def above(self) -> None:
        self.side = -1.0

    sliding = above.slides(below)


@pytest.mark.slow
@each_way
def test_rates_of_what_is_not_integrated_have_the_shares_of_both_sides(compiled: Any, stepping: Any) -> None:
    sim = make(compiled, stepping)
    plant = Plant(sim)
    Slider(sim, plant=plant).start()
    sim.run(until=3.0)
    assert plant.rate.z == pytest.approx(-0.5)


class Alone(ev.Continuous):
    load: ev.Summed = ev.summed()
    x: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.load += 1.0

    def equations(self) -> None:
        self.rate.x = self.load


@pytest.mark.parametrize("is_recorded", [False, True])
@each_way
def test_a_sum_is_zero_after_the_last_that_moved_has_stopped(compiled: Any, stepping: Any, is_recorded: bool) -> None:
    sim = make(compiled, stepping)
    alone = Alone(sim, name="alone").start()
    log: Log = []

    def process() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        alone.stop()
        log.append((sim.time, alone.load))
        yield ev.hold(0.0)
        log.append((sim.time, alone.load))
        yield ev.hold(0.5)
        log.append((sim.time, alone.load))

    sim.process(process())
    rows = sim.record(alone, every="event") if is_recorded else None
    sim.run(until=2.0)
    assert log == [(0.5, 1.0), (0.5, 0.0), (1.0, 0.0)]
    if rows is not None:
        assert rows["alone.load"].tolist() == [1.0, 1.0, *[0.0] * (len(rows.times) - 2)]
