"""What is known of laws and conditions before they run: what they touch, read and write, and where that is kept."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import eventide as ev
from eventide.compilation.class_plans import ClassPlans
from eventide.discrete.conditions.until import StateWait

LIBRARY = str(Path(ev.__file__).parent)


class Wall(ev.Continuous):
    warmth: ev.State = ev.state(20.0)
    thickness: float = 0.25
    heat: ev.Summed = ev.summed()

    def equations(self) -> None:
        self.rate.warmth = self.heat - self.warmth


class Room(ev.Continuous):
    """Gives heat to its own wall, and takes it from walls of others."""

    wall: Wall
    others: list[Wall]
    warmth: ev.State = ev.state(25.0)
    cells: ev.StateVector = ev.state_vector(1.0, size=3)
    loss: float = 0.5

    def contributions(self) -> None:
        self.wall.heat += self.loss * (self.warmth - self.wall.warmth) / self.wall.thickness

    def equations(self) -> None:
        self.rate.warmth = sum(other.warmth for other in self.others) - self.warmth
        self.rate.cells[:] = -self.cells
        self.wall.rate.warmth += self.loss


class Mirror(ev.Continuous):
    """Refers to one that may be itself."""

    face: Mirror | None = None
    value: ev.State = ev.state(1.0)
    factor: float = 2.0

    def contributions(self) -> None:
        self.face.rate.value = self.value

    def equations(self) -> None:
        self.rate.value += self.factor * self.face.value


class Glove(ev.Continuous):
    wall: Wall
    warmth: ev.State = ev.state(25.0)

    def contributions(self) -> None:
        self.wall.heat += self.warmth - self.wall.warmth

    def equations(self) -> None:
        self.rate.warmth = self.wall.warmth - self.warmth

    def is_cold(self) -> bool:
        return self.warmth < 20.0


class Odd(ev.Continuous):
    """Its contributions can be compiled, its equations cannot."""

    value: ev.State = ev.state(1.0)
    given: ev.Summed = ev.summed()

    def contributions(self) -> None:
        self.given += 3.0

    def equations(self) -> None:
        self.rate.value = float(str(self.given))


def plan_of(owner: ev.Continuous) -> Any:
    motion = owner.sim._continuum.integrator
    motion.place_what_waits()
    return motion.groups.plan_of(owner)


def names(owner: ev.Continuous, *slots: int) -> list[str]:
    return [owner._system.name_of(slot) for slot in slots]


def rows_of(plan: Any, motion: Any) -> list[list[int]]:
    """What the kernels of a component's laws are told: first slots of objects, then of the items of lists."""
    rows = []
    for bound, (_, place) in zip(plan.kept, (plan.contributions, plan.equations), strict=True):
        row = motion.memory.index.array[place : place + bound.kernel.width].tolist()
        objects = len(bound.kernel.lowered.blocks)
        lists = [
            motion.memory.lists.array[entry : entry + 1 + motion.memory.lists.array[entry]].tolist()
            for entry in row[objects:]
        ]
        rows.append([*row[:objects], *lists])
    return rows


@pytest.mark.slow
def test_a_plan_tells_what_laws_touch_read_and_write() -> None:
    sim = ev.Simulation()
    walls = [Wall(sim).start() for _ in range(3)]
    room = Room(sim, wall=walls[0], others=walls[1:]).start()
    plan = plan_of(room)
    assert plan.touches == (room, *walls)
    assert names(room, *plan.reads) == [
        "Room 1.loss",
        "Room 1.warmth",
        "Wall 1.thickness",
        "Wall 1.warmth",
        "Wall 1.heat",
        "Room 1.cells[0]",
        "Wall 2.warmth",
        "Wall 3.warmth",
    ]
    sets = [f"Room 1.cells[{k}]" for k in range(3)] + ["Room 1.warmth"]
    assert names(room, *plan.moves) == [*sets, "Wall 1.warmth"]
    assert (names(room, *plan.sets), names(room, *plan.adds)) == (sets, ["Wall 1.warmth"])
    assert (plan.is_opaque, plan.is_polled, plan.assigns, plan.is_direct) == (False, True, False, False)


def test_the_index_rows_of_a_component_hold_where_its_objects_are() -> None:
    sim = ev.Simulation()
    walls = [Wall(sim).start() for _ in range(3)]
    plan_of(Room(sim, wall=walls[0], others=walls[:1]).start())
    room = Room(sim, wall=walls[0], others=walls[1:]).start()
    wall, others = walls[0], [2, walls[1]._base, walls[2]._base]
    assert rows_of(plan_of(room), sim._continuum.integrator) == [
        [wall._side, room._side, room._base, wall._base],
        [room._base, wall._base, room._side, others],
    ]


def test_of_an_object_that_refers_to_itself_each_quantity_is_told_once() -> None:
    sim = ev.Simulation()
    mirror = Mirror(sim)
    mirror.face = mirror
    plan = plan_of(mirror.start())
    assert (plan.touches, len(plan.kept)) == ((mirror,), 2)
    assert names(mirror, *plan.reads) == ["Mirror 1.value", "Mirror 1.factor"]
    assert names(mirror, *plan.moves) == names(mirror, *plan.adds) == ["Mirror 1.value"]
    assert plan.sets == ()


def test_memory_of_plans_is_used_again() -> None:
    sim = ev.Simulation()
    motion = sim._continuum.integrator
    wall = Wall(sim).start()
    used = []
    for _ in range(50):
        room = Room(sim, wall=wall, others=[wall]).start()
        wait = sim.process(waiting(room, 20.0))
        sim.run(until=sim.time + 0.01)
        used.append((motion.memory.index._used, motion.memory.lists._used, motion.memory.constants._used))
        wait.end()
        room.stop()
    assert used[1] == used[-1]  # the first wait rests while the next one comes
    assert room.loss == 0.5


def waiting(room: Room, level: float) -> ev.ProcessGenerator:
    yield ev.until(lambda: room.warmth < level)


def test_conditions_of_one_code_share_what_proves_them() -> None:
    sim = ev.Simulation()
    wall = Wall(sim).start()
    rooms = [Room(sim, wall=wall, others=[wall]).start() for _ in range(3)]
    for number, room in enumerate(rooms):
        sim.process(waiting(room, 10.0 + number))
    sim.run(until=0.01)
    motion = sim._continuum.integrator
    plans = [condition.plan for condition in motion.guards.at.values()]
    assert len({plan.pattern.certificate for plan in plans}) == 1
    assert all(plan.pattern.certificate >= 0 for plan in plans)
    assert [motion.memory.constants.array[plan.constants] for plan in plans] == [10.0, 11.0, 12.0]
    assert len({plan.index for plan in plans}) == 3


@pytest.mark.parametrize(
    ("test", "slots"),
    [
        (lambda room: room.warmth > 30.0 + room.loss, ["Room 1.warmth", "Room 1.loss"]),
        (lambda room: room.wall.warmth > room.warmth, ["Wall 1.warmth", "Room 1.warmth"]),
        (lambda room: room.warmth > 30.0 + room.sim.time, []),
        (lambda room: room.cells[0] > 2.0, []),
        (lambda room: room.wall.heat > 100.0, []),
    ],
    ids=["one object", "two objects", "time", "vector", "sum"],
)
def test_what_chatter_is_measured_by_are_states_and_numbers_that_stand_still(test: Any, slots: list[str]) -> None:
    sim = ev.Simulation()
    wall = Wall(sim).start()
    room = Room(sim, wall=wall, others=[wall]).start()
    plan = sim._continuum.integrator.analyst.condition(StateWait(sim, None, lambda: test(room), 0.0))
    assert (plan.is_opaque, sorted(names(room, *plan.looks_at))) == (False, sorted(slots))


class Valve:
    opening = 1.0


class Basin(ev.Continuous):
    """Its level rises as fast as all that it refers to says."""

    source: Wall
    level: ev.State = ev.state(0.0)
    walls: list[Wall] = ev.field(default_factory=list)
    valve: Any = None

    def equations(self) -> None:
        self.rate.level = self.source.thickness * self.valve.opening + sum(wall.thickness for wall in self.walls)


class Sender(ev.Continuous):
    """Of its laws one can be read and the other cannot."""

    receiver: Any = None
    others: list[Any]
    came: ev.Summed = ev.summed()
    level: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.receiver.came += 1.0
        for other in self.others:
            other.came += 4.0

    def equations(self) -> None:
        self.rate.level = next(iter([self.came]))


class Taker(Sender):
    """The other way round."""

    def contributions(self) -> None:
        next(iter([self.receiver])).came += 1.0
        for other in self.others:
            other.came += 4.0

    def equations(self) -> None:
        self.rate.level = self.came + 0.0 * self.receiver.came


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("cls", [Sender, Taker])
def test_what_the_law_refers_to_that_can_be_read_is_followed_where_the_other_cannot(
    cls: type[Sender], stepping: Any, compiled: Any
) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    one, other = cls(sim, others=[]), cls(sim, others=[])
    levels = []
    for part in (one, other):
        part.receiver = part
        part.start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        levels.append((one.level, other.level))
        one.receiver = other
        yield ev.hold(0.5)
        levels.append((one.level, other.level))
        one.others.append(one)
        yield ev.hold(0.5)
        levels.append((one.level, other.level))

    sim.process(story())
    sim.run(until=2.0)
    assert [level for pair in levels for level in pair] == pytest.approx([0.5, 0.5, 0.5, 1.5, 2.5, 2.5], abs=1e-12)


@pytest.mark.parametrize("compiled", [True, False])
def test_what_laws_and_conditions_refer_to_is_looked_at_after_every_event(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled)
    one, two, four = (Wall(sim, thickness=float(2**k)) for k in range(3))
    basin = Basin(sim, source=one, valve=Valve()).start()
    goal, levels, reached = 100.0, [], []

    def story() -> ev.ProcessGenerator:
        nonlocal goal
        yield ev.hold(0.25)
        levels.append(basin.level)
        basin.source = two
        yield ev.hold(0.25)
        levels.append(basin.level)
        basin.walls.append(four)
        yield ev.hold(0.25)
        levels.append(basin.level)
        basin.valve.opening = 3.0
        yield ev.hold(0.25)
        levels.append(basin.level)
        basin.valve = Valve()
        yield ev.hold(0.25)
        levels.append(basin.level)
        goal = 7.0

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: basin.level >= goal)
        reached.append(sim.time)

    sim.process(story())
    sim.process(wait())
    sim.run(until=2.0)
    assert levels == pytest.approx([0.25, 0.75, 2.25, 4.75, 6.25])
    assert reached == pytest.approx([1.375], abs=1e-9)


def test_a_law_that_is_called_back_leaves_the_other_native() -> None:
    sim = ev.Simulation()
    odd = Odd(sim).start()
    plan = plan_of(odd)
    bound, called = plan.kept
    assert plan.contributions[0] == bound.kernel.address
    assert plan.equations[0] not in (0, bound.kernel.address)
    assert (plan.is_opaque, plan.assigns, plan.is_direct, plan.signature, plan.inputs) == (
        True,
        True,
        False,
        None,
        None,
    )
    assert callable(called)
    sim.run(until=1.0)
    assert odd.value == pytest.approx(4.0)


def test_the_plan_of_one_more_object_of_a_class_costs_so_many_calls() -> None:
    sim = ev.Simulation()
    wall = Wall(sim).start()
    analyst = sim._continuum.integrator.analyst
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and (code.co_filename.startswith(LIBRARY) or code.co_filename == "<string>"):
            calls[code.co_qualname] += 1

    for _ in range(2):
        glove = Glove(sim, wall=wall).start()
        condition = StateWait(sim, None, glove.is_cold, 0.0)
        sim._continuum.integrator.place_what_waits()
        for _ in range(2):
            calls.clear()
            sys.setprofile(note)
            try:
                analyst.join_class(glove, glove._slab)
                plan = analyst.condition(condition)
                analyst.release(plan)
            finally:
                sys.setprofile(None)
    assert glove._class_plan.plan(glove).touches == (glove, wall)
    assert (calls["law_uses_at"], calls["reads_at"]) == (0, 0)
    assert calls.total() <= 16


def add_one(self: Any) -> None:
    self.total += 1.0


def fall(self: Any) -> None:
    self.rate.x = -self.x


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("read", ["contributions", "equations"])
def test_a_law_may_be_a_function_of_another_name_beside_one_that_cannot_be_read(read: str, compiled: Any) -> None:
    class Odd(ev.Continuous):
        x: ev.State = ev.state(1.0)
        total: ev.Summed = ev.summed()

        if read == "contributions":
            contributions = add_one
            exec("def equations(self): self.rate.x = -self.x")  # noqa: S102  # there is no text of it
        else:
            equations = fall
            exec("def contributions(self): self.total += 1.0")  # noqa: S102  # there is no text of it

    sim = ev.Simulation(compile=compiled, rng=1)
    odd = Odd(sim).start()
    sim.run(until=1.0)
    assert (odd.x, odd.total) == (pytest.approx(0.36787944117144233, abs=1e-6), 1.0)


class Hearth(ev.Continuous):
    heat: ev.State = ev.state(10.0)

    def equations(self) -> None:
        self.rate.heat = 0.0


class Works:
    """An object that tells of no change: what laws reach through it is compared after every event."""

    def __init__(self, hearth: Hearth) -> None:
        self.hearth = hearth


class Ingot(ev.Continuous):
    works: Works
    heat: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.heat = self.works.hearth.heat


@pytest.mark.parametrize("compiles", [True, False], ids=["compiled", "plain"])
def test_laws_that_go_through_a_plain_object_are_found_again_only_where_it_has_changed(
    compiles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim, asked = ev.Simulation(compile=compiles), list[float]()
    is_current = ClassPlans.is_current
    monkeypatch.setattr(ClassPlans, "is_current", lambda self, one: asked.append(sim.time) or is_current(self, one))
    one, other = Hearth(sim).start(), Hearth(sim, heat=20.0).start()
    works = [Works(one), Works(one)]
    ingots = [Ingot(sim, works=each).start() for each in works]

    def story() -> ev.ProcessGenerator:
        for _ in range(4):
            yield ev.hold(0.25)
        works[1].hearth = other
        for _ in range(4):
            yield ev.hold(0.25)
        works[1].hearth = one
        yield ev.hold(1.0)

    sim.process(story())
    sim.run(until=3.0)

    assert [round(ingot.heat, 9) for ingot in ingots] == [30.0, 40.0]
    assert asked == [1.0, 2.0]
