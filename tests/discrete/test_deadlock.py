"""What nothing can end any more, and nobody has meant so, is told when the run ends; what waits for work is not."""

from __future__ import annotations

import re
import warnings
from random import Random
from typing import Any

import pytest
import random_bodies

import eventide as ev


def told(sim: ev.Simulation, until: float | None = None) -> list[str]:
    """The warnings of a run, without the lines that they name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.run(until=until)
    assert {one.category for one in caught} <= {ev.IdleWarning}
    return [re.sub(rf", at {re.escape(__file__)}:\d+", "", str(one.message)) for one in caught]


class Shop:
    """Two desks of one unit each, and what a process may wait for while it has one."""

    def __init__(self, left: int = 1, right: int = 1) -> None:
        self.sim = ev.Simulation()
        self.left = ev.Resource(self.sim, left, name="left")
        self.right = ev.Resource(self.sim, right, name="right")
        self.work = ev.Store(self.sim, name="work")

    def begin(self, name: str, first: ev.Resource, then: Any = None) -> Any:
        """A process that takes a unit of `first`, and a moment later waits for what `then` makes."""
        return self.sim.process(self.story(first, then), name=name)

    def story(self, first: ev.Resource, then: Any) -> ev.ProcessGenerator:
        with first.request() as unit:
            yield unit
            yield ev.hold(1.0)
            if then is not None:
                yield then()


def test_processes_that_wait_for_each_other_s_units_are_told_with_what_each_waits_for() -> None:
    shop = Shop()
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("b", shop.right, shop.left.request)
    shop.begin("late", shop.left)  # waits for the circle, and is not of it
    assert told(shop.sim) == [
        (
            "the run has ended at time 1.0: in a deadlock a waits for a unit of right since 1.0, held by b; "
            "b waits for a unit of left since 1.0, held by a (request in the same order everywhere)"
        )
    ]


def test_who_waits_for_a_unit_of_its_own_is_told() -> None:
    shop = Shop()
    shop.begin("a", shop.left, shop.left.request)
    assert told(shop.sim, until=5.0) == [
        (
            "the run has ended at time 5.0: in a deadlock a waits for a unit of left since 1.0, held by a "
            "(request in the same order everywhere)"
        )
    ]


def test_a_circle_may_lead_over_the_end_of_a_process() -> None:
    shop = Shop()
    other = shop.begin("b", shop.right, shop.left.request)
    shop.begin("a", shop.left, lambda: other)
    assert told(shop.sim) == [
        (
            "the run has ended at time 1.0: in a deadlock b waits for a unit of left since 1.0, held by a; "
            "a waits for the end of b (request in the same order everywhere)"
        )
    ]


def waits_for_work(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("b", shop.right, shop.work.get)


def is_passive(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.left.request)
    shop.begin("b", shop.left, ev.passivate)  # who is woken later lets a go on


def has_two_units(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("b", shop.right, shop.left.request)
    shop.begin("c", shop.right, shop.work.get)  # gives back a unit that a may have


def is_closed(shop: Shop) -> None:
    shop.begin("a", shop.left, shop.right.request)
    shop.begin("late", shop.left)
    shop.right.capacity = 0


def may_be_woken(shop: Shop) -> None:
    signal = ev.Signal(shop.sim, name="signal")
    shop.begin("a", shop.left, lambda: ev.first_of(served=shop.right.request(), woken=signal))
    shop.begin("b", shop.right, shop.left.request)


def joins_who_serves(shop: Shop) -> None:
    server = shop.begin("b", shop.right, shop.work.get)
    shop.begin("a", shop.left, lambda: server)


STANDING = {waits_for_work: (1, 1), is_passive: (2, 1), has_two_units: (1, 2), is_closed: (1, 1)}


@pytest.mark.parametrize(
    "arrange", [waits_for_work, is_passive, has_two_units, is_closed, may_be_woken, joins_who_serves]
)
def test_who_may_yet_go_on_is_in_no_deadlock(arrange: Any) -> None:
    shop = Shop(*STANDING.get(arrange, (1, 1)))
    arrange(shop)
    assert told(shop.sim) == []
    assert shop.sim.processes


def test_a_deadlock_while_others_go_on_is_none_yet() -> None:
    shop = Shop()
    shop.begin("a", shop.left, shop.right.request)
    first = shop.begin("b", shop.right, shop.left.request)

    def rescue() -> ev.ProcessGenerator:
        yield ev.hold(9.0)
        first.end()

    shop.sim.process(rescue())
    assert told(shop.sim, until=5.0) == []
    assert told(shop.sim) == []
    assert shop.sim.processes == ()


class Guest(ev.Component):
    """As a user of another library writes it."""

    def process(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)


class Machine(ev.Component):
    """Its `process` is what it does with numbers."""

    def process(self) -> Any:
        yield from (1.0, 2.0)


def test_a_story_by_the_name_of_another_library_is_told_where_nothing_has_begun() -> None:
    line = Guest.process.__code__.co_firstlineno
    sim = ev.Simulation()
    Guest(sim), Guest(sim)
    Machine(sim)
    advice = "derive Guest from ev.Process, call it `run` and activate() each object; or sim.process(one.process())"
    assert told(sim) == [
        f"the run has ended at time 0.0: nothing has begun Guest.process ({__file__}:{line}): {advice}"
    ]
    sim = ev.Simulation()
    sim.process(Guest(sim).process())
    Guest(sim)
    assert told(sim) == []


@pytest.mark.parametrize("name", ["process", "actions"])
def test_a_process_whose_story_has_the_name_of_another_library_is_told_the_right_one(name: str) -> None:
    customer = type("Customer", (ev.Process,), {name: Guest.process})
    with pytest.raises(NotImplementedError, match=rf"Customer has no run\(\): rename `{name}` to `run`"):
        customer(ev.Simulation()).activate()


def test_how_long_was_waited_has_the_unit_of_time() -> None:
    sim = ev.Simulation(time_unit="min")
    store = ev.Store(sim, name="store")
    tallies = (ev.Resource(sim).waits, ev.Queue(sim).waits, store.gets.waits, store.puts.waits, store.stays)
    assert [tally.unit for tally in tallies] == ["min"] * 5
    assert ev.Resource(ev.Simulation()).waits.unit == ""


class Stand:
    """A desk of some units, and those who take one."""

    def __init__(self, compiles: Any = False, units: int = 1, kind: type[ev.Resource] = ev.Resource) -> None:
        self.sim = ev.Simulation(compile=compiles)
        self.desk = kind(self.sim, units, name="desk")
        self.given: list[ev.Request] = []

    def forgets(self, priority: float = 0.0) -> ev.ProcessGenerator:
        yield self.desk.request(priority)
        yield ev.hold(1.0)

    def gives(self) -> ev.ProcessGenerator:
        unit = self.desk.request()
        yield unit
        yield ev.hold(1.0)
        self.given.append(unit)

    def waits(self, after: float = 0.5, units: int = 1) -> ev.ProcessGenerator:
        yield ev.hold(after)
        with self.desk.request(units=units) as unit:
            yield unit
            yield ev.hold(1.0)

    def goes_on(self) -> ev.ProcessGenerator:
        for _ in range(200):
            yield ev.hold(0.25)


ADVICE = "(write `with desk.request() as unit: yield unit`, or `yield from desk.use(...)`)"


@pytest.mark.parametrize("compiles", [False, "auto"])
def test_a_unit_that_its_process_has_never_given_back_is_told_with_who_waits_for_it(
    compiles: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    random_bodies.hurry(monkeypatch)
    stand = Stand(compiles)
    for _ in range(3):
        stand.sim.process(stand.goes_on())
    stand.sim.process(stand.forgets(), name="ann")
    for name in ("bob", "cy", "di"):
        stand.sim.process(stand.waits(), name=name)
    assert told(stand.sim, until=2.0) == []  # there is still something to come
    assert told(stand.sim) == [
        (
            "the run has ended at time 50.0: ann ended with a unit of desk that nobody gives back: "
            f"bob waits for a unit of desk since 0.5, held by ann, which has ended, as do cy, di {ADVICE}"
        )
    ]
    assert (random_bodies.taken(stand.sim) > 100) == (compiles == "auto")


def test_units_that_two_have_not_given_back_are_told_at_once() -> None:
    stand = Stand(units=2)
    stand.sim.process(stand.forgets(), name="ann")
    stand.sim.process(stand.forgets(), name="bob")
    stand.sim.process(stand.waits(units=2), name="cy")
    assert told(stand.sim, until=5.0) == [
        (
            "the run has ended at time 5.0: ann, bob ended with 2 units of desk that nobody gives back: "
            f"cy waits for 2 units of desk since 0.5, held by ann, which has ended, bob, which has ended {ADVICE}"
        )
    ]


def ended(stand: Stand, way: str) -> None:
    """Let ann end in a certain way while she has a unit."""

    def story() -> ev.ProcessGenerator:
        try:
            yield stand.desk.request()
            yield ev.hold(9.0)
        except ev.Interrupt:
            pass

    ann = stand.sim.process(story(), name="ann")

    def cuts() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        ann.end() if way == "ended" else ann.interrupt()

    stand.sim.process(cuts())


@pytest.mark.parametrize("way", ["ended", "interrupted"])
def test_who_is_cut_short_with_a_unit_is_told_as_well(way: str) -> None:
    stand = Stand()
    ended(stand, way)
    stand.sim.process(stand.waits(), name="bob")
    assert told(stand.sim) == [
        (
            "the run has ended at time 1.0: ann ended with a unit of desk that nobody gives back: "
            f"bob waits for a unit of desk since 0.5, held by ann, which has ended {ADVICE}"
        )
    ]


def test_who_ends_while_its_work_stands_still_is_told_as_well() -> None:
    stand = Stand(units=2)

    def story() -> ev.ProcessGenerator:
        try:
            yield stand.desk.request(units=2)
            yield ev.hold(9.0)
        except ev.Interrupt:
            pass

    def cuts() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        stand.desk.set_capacity(1, excess="suspend")
        ann.interrupt()

    ann = stand.sim.process(story(), name="ann")
    stand.sim.process(cuts())
    stand.sim.process(stand.waits(), name="bob")
    assert told(stand.sim) == [
        (
            "the run has ended at time 1.0: ann ended with 2 units of desk that nobody gives back: "
            f"bob waits for a unit of desk since 0.5 {ADVICE}"
        )
    ]


class Holder(ev.Process):
    """Keeps its request where others may see it."""

    desk: ev.Resource

    def run(self) -> ev.ProcessGenerator:
        self.unit = self.desk.request()
        yield self.unit


def test_an_attribute_of_the_process_itself_gives_nothing_back() -> None:
    stand = Stand()
    Holder(stand.sim, name="ann", desk=stand.desk).activate()
    stand.sim.process(stand.waits(), name="bob")
    assert told(stand.sim) == [
        (
            "the run has ended at time 0.5: ann ended with a unit of desk that nobody gives back: "
            f"bob waits for a unit of desk since 0.5, held by ann, which has ended {ADVICE}"
        )
    ]


def nobody_waits(stand: Stand) -> None:
    stand.sim.process(stand.forgets())


def has_given_it_to_others(stand: Stand) -> None:
    stand.sim.process(stand.gives())
    stand.sim.process(stand.waits())


def was_preempted(stand: Stand) -> None:
    stand.sim.process(ignores(stand))
    stand.sim.process(stand.waits(after=2.0, units=1))

    def urgent() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        with stand.desk.request(1.0) as unit:
            yield unit
            yield ev.hold(1.0)

    stand.sim.process(urgent())


def ignores(stand: Stand) -> ev.ProcessGenerator:
    """Ends at once when its unit is taken away."""
    try:
        yield stand.desk.request()
        yield ev.hold(9.0)
    except ev.Interrupt:
        pass


def another_is_passive(stand: Stand) -> None:
    """Nobody who has ended could serve who waits: it wants all units, and one is with a passive process."""

    def passive() -> ev.ProcessGenerator:
        with stand.desk.request() as unit:
            yield unit
            yield ev.passivate()

    stand.sim.process(stand.forgets())
    stand.sim.process(passive())
    stand.sim.process(stand.waits(units=2))


def is_passive_itself(stand: Stand) -> None:
    def passive() -> ev.ProcessGenerator:
        yield stand.desk.request()
        yield ev.passivate()

    stand.sim.process(passive())
    stand.sim.process(stand.waits())


def is_closed_meanwhile(stand: Stand) -> None:
    stand.sim.process(stand.forgets())
    stand.sim.process(stand.waits())
    stand.desk.capacity = 0


SILENT = {another_is_passive: (2, ev.Resource), was_preempted: (1, ev.PreemptiveResource)}


@pytest.mark.parametrize(
    "arrange",
    [nobody_waits, has_given_it_to_others, was_preempted, another_is_passive, is_passive_itself, is_closed_meanwhile],
)
def test_nothing_is_told_of_units_that_nobody_misses_or_somebody_has(arrange: Any) -> None:
    units, kind = SILENT.get(arrange, (1, ev.Resource))
    stand = Stand(units=units, kind=kind)
    arrange(stand)
    assert told(stand.sim) == []
    for unit in stand.given:
        unit.release()
    assert told(stand.sim) == []
    assert not stand.given or stand.sim.processes == ()


def random_stories(stand: Stand, random: Random) -> list[str]:
    """Some processes at a desk; the names of those that end with a unit which nobody gives back."""
    forgotten: list[str] = []

    def story(way: str, begin: float, work: float, name: str) -> ev.ProcessGenerator:
        yield ev.hold(begin)
        unit = stand.desk.request()
        if way == "with":
            with unit:
                yield unit
                yield ev.hold(work)
        elif way == "used":
            yield from stand.desk.use(work)
        else:
            yield unit
            yield ev.hold(work)
            if way == "released":
                unit.release()
            elif way == "given":
                stand.given.append(unit)
            else:
                forgotten.append(name)

    def cleans() -> ev.ProcessGenerator:
        for _ in range(20):
            yield ev.hold(0.7)
            while stand.given:
                stand.given.pop().release()

    for number in range(random.randint(2, 8)):
        way = random.choice(("with", "used", "released", "given", "given", "with", "forgotten"))
        name = f"{way}{number}"
        stand.sim.process(story(way, random.choice((0.0, 0.5, 2.0)), random.choice((0.0, 1.0)), name), name=name)
    if random.random() < 0.7:
        stand.sim.process(cleans(), name="cleaner")
    return forgotten


def test_random_queues_are_told_exactly_of_whom_they_have_lost_units_to() -> None:
    found = []
    for seed in range(150):
        stand = Stand(units=Random(seed).randint(1, 3))
        forgotten = random_stories(stand, Random(seed))
        lines = told(stand.sim)
        waits = any(process.why_waiting().count(" of desk since ") for process in stand.sim.processes)
        names = [name for line in lines for name in re.findall(r"\w+", line.split(": ")[1].split(" ended with")[0])]
        assert sorted(names) == sorted(forgotten if waits else []), (seed, lines)
        found.append((bool(names), bool(waits), bool(forgotten)))
    assert {(True, True, True), (False, True, False), (False, False, True), (False, False, False)} == set(found)


@pytest.mark.parametrize("compiles", [False, "auto"])
@pytest.mark.parametrize(("initial", "capacity", "single"), [(0.0, 5.0, "put"), (1.0, 1.0, "get")])
def test_an_amount_that_rounding_alone_keeps_from_being_there_is_told(
    compiles: Any, initial: float, capacity: float, single: str
) -> None:
    sim = ev.Simulation(compile=compiles)
    tank = ev.Container(sim, capacity, initial, name="tank")

    def parts(step: str, size: float) -> ev.ProcessGenerator:
        for _ in range(10):
            yield getattr(tank, step)(size)

    def whole(other: str) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        yield getattr(tank, other)(1.0)

    other, way = ("get", "get from") if single == "put" else ("put", "put into")
    sim.process(parts(single, 0.1))
    sim.process(whole(other))
    told_of = told(sim)
    waits = f"whole 1 waits for the {way} tank of 1.0 since 1.0, which holds {tank.amount!r} of {capacity!r}"
    rounded = "which rounding alone prevents (let amounts be whole numbers)"
    assert told_of == [f"the run has ended at time 1.0: {waits}, {rounded}"]


def test_a_server_that_waits_for_more_is_not_told() -> None:
    sim = ev.Simulation()
    work = ev.Container(sim, 5.0, 0.5)

    def server() -> ev.ProcessGenerator:
        yield work.get(1.0)

    sim.process(server())
    assert told(sim) == []
