"""Processes: commands that are dropped because their yield is forgotten."""

from __future__ import annotations

import pytest
from discrete.shared import line_with

import eventide as ev


@pytest.fixture
def log():
    return []


def found_in(sim, generator):
    """The message about a generator's code; its file is left out."""
    with pytest.raises(ev.ModelError) as caught:
        sim.process(generator)
    return str(caught.value).replace(__file__, "here")


def number_of(text):
    return line_with(__file__, text).rpartition(":")[2]


def test_a_dropped_command_is_named_by_line(sim, log):
    def story():
        yield ev.hold(1.0)
        if log:
            ev.hold(2.0)  # dropped

    line = number_of("ev.hold(2.0)  # " + "dropped")
    assert found_in(sim, story()) == (
        f"ev.hold(2.0) at here:{line} makes a command and drops it: write `yield ev.hold(2.0)`"
    )


def test_all_dropped_commands_of_a_class_are_named_when_it_begins(sim):
    class Forgetful(ev.Process):
        door: ev.Signal

        def run(self):
            yield ev.passivate()
            while True:
                ev.until(lambda: True)  # first
                self.door.wait()  # second
                self.rest()  # third
                yield from self.work()

        def rest(self):
            yield ev.hold(1.0)

        def work(self):
            ev.passivate()  # fourth
            yield ev.hold(1.0)

    process = Forgetful(sim, door=ev.Signal(sim))
    with pytest.raises(ev.ModelError) as caught:
        process.activate()

    first, *others = (number_of("# " + word) for word in ("first", "second", "third", "fourth"))
    assert str(caught.value).replace(__file__, "here") == (
        f"ev.until(lambda: True) at here:{first} makes a command and drops it: write `yield ev.until(lambda: True)` "
        f"(also {', '.join(f'here:{line}' for line in others)})"
    )
    assert process in sim.never_begun


def test_a_dropped_generator_is_named(sim):
    def rest():
        yield ev.hold(1.0)

    def story():
        yield ev.hold(1.0)
        rest()  # never rests

    line = number_of("rest()  # never " + "rests")
    assert found_in(sim, story()) == f"rest() at here:{line} makes a command and drops it: write `yield from rest()`"


def test_what_only_looks_like_a_command_is_let_pass(sim, log):
    class Door:
        def hold(self, duration):
            log.append(duration)

    def hold(duration):
        log.append(duration)

    def passivate():
        return None

    def story(door, until):
        hold(1.0)
        door.hold(2.0)
        until(3.0)
        wait = log.append
        wait(4.0)
        passivate()

        def inner():
            ev.hold(1.0)

        yield ev.hold(1.0)
        _ = ev.hold(2.0)

    sim.process(story(Door(), log.append))
    sim.run()

    assert log == [1.0, 2.0, 3.0, 4.0]


def test_code_without_a_text_is_let_pass(sim):
    names = {"ev": ev}
    exec("def story():\n    ev.hold(1.0)\n    yield ev.hold(2.0)\n", names)  # noqa: S102  # the subject of this test
    sim.process(names["story"]())
    sim.run()

    assert sim.time == 2.0


def test_looking_for_dropped_commands_executes_nothing_of_the_users(sim, log):
    class Careful(ev.Process):
        @property
        def door(self):
            log.append("asked")
            return self

        def run(self):
            self.door.knock()
            yield ev.hold(1.0)

        def knock(self):
            log.append("knocked")

    process = Careful(sim).activate()
    assert log == []
    sim.run()

    assert log == ["asked", "knocked"]
    assert process.terminated


def test_decorated_and_indented_code_is_read_too(sim):
    def decorator(function):
        return function

    class Outer:
        @decorator
        @decorator
        def story(self):
            """A text that
            reaches to the left.
            """
            ev.hold(3.0)  # in a decorated one
            yield ev.hold(1.0)

    line = number_of("ev.hold(3.0)  # in a " + "decorated one")
    assert found_in(sim, Outer().story()).startswith(f"ev.hold(3.0) at here:{line} makes a command and drops it")


def one_of_its_own(sim, tanks):
    tank = ev.Container(sim, 10.0)
    tank.put(1.0)
    yield ev.hold(1.0)


def by_its_place(sim, tanks):
    tanks[-1].put(1.0)
    yield ev.hold(1.0)


def by_a_name_for_it(sim, tanks):
    tank = tanks[0]
    tank.put(1.0)
    yield ev.hold(1.0)


def in_a_loop(sim, tanks):
    for tank in tanks:
        tank.put(1.0)
    yield ev.hold(1.0)


def numbered(sim, tanks):
    for _, tank in enumerate(tanks):
        tank.put(1.0)
    yield ev.hold(1.0)


@pytest.mark.parametrize("story", [one_of_its_own, by_its_place, by_a_name_for_it, in_a_loop, numbered])
def test_a_command_of_an_object_that_the_code_makes_or_takes_out_of_a_list_is_found(sim, story):
    tanks = [ev.Container(sim, 10.0), ev.Container(sim, 10.0)]

    assert "put(1.0) at here:" in found_in(sim, story(sim, tanks))


def test_a_command_of_an_item_of_a_dict_is_found(sim):
    tanks = {"first": ev.Container(sim, 10.0)}

    def story():
        for tank in tanks.values():
            tank.put(1.0)
        yield ev.hold(1.0)

    def other():
        for name, tank in tanks.items():
            tank.put(len(name))
        yield ev.hold(1.0)

    for one, told in ((story(), "1.0"), (other(), "len(name)")):
        assert f"write `yield tank.put({told})`" in found_in(sim, one)


def test_what_may_be_something_else_is_let_pass(sim, log):
    shelf = Shelf()
    mixed, shelves, empty = [ev.Store(sim), shelf], [shelf], []

    def story():
        store = ev.Store(sim)
        store = shelf if log == [] else store
        store.put(1)
        for one in shelves:
            one.put(2)
        mixed[1].put(3)
        empty.append(shelf)
        for one in empty:
            one.put(4)
        for one in sorted(shelves, key=id):
            one.put(5)
        if (another := shelf) is not None:
            another.put(6)
        item = Shelf()
        item.put(7)
        yield ev.hold(1.0)

    sim.process(story())
    sim.run()
    assert shelf.items == [1, 2, 3, 4, 5, 6]


class Shelf:
    """Has a method of the name that a store has, which puts at once."""

    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)


def test_a_name_that_is_assigned_in_another_way_is_let_pass(sim):
    shelf = Shelf()

    def story():
        store = ev.Store(sim)
        yield store.put(0)
        store, _ = shelf, store
        store.put(1)

    sim.process(story())
    sim.run()
    assert shelf.items == [1]


class Mode(ev.Continuous):
    x: ev.State = ev.state(0.0)
    mode: str = "idle"

    def equations(self) -> None:
        self.rate.x = 1.0


class OfLaw(Mode):
    def equations(self) -> None:
        self.rate.x == 1.0  # noqa: B015  # the mistake


class OfHandler(Mode):
    @ev.when(lambda self: self.x >= 1.0)
    def starts(self) -> None:
        self.mode == "busy"  # noqa: B015  # the mistake


class OfProcess(ev.Process, Mode):
    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        self.x == 3.0  # noqa: B015  # the mistake


@pytest.mark.parametrize(
    ("kind", "method", "line", "text", "advice"),
    [
        (OfLaw, "equations", 1, "self.rate.x == 1.0", "`self.rate.x = 1.0` to set it, or `if self.rate.x == 1.0:`"),
        (OfHandler, "starts", 2, "self.mode == 'busy'", "`self.mode = 'busy'` to set it, or `if self.mode == 'busy':`"),
        (OfProcess, "run", 2, "self.x == 3.0", "`self.x = 3.0` to set it, or `if self.x == 3.0:`"),
    ],
)
def test_a_comparison_in_the_place_of_an_assignment_is_found(
    kind: type[Mode], method: str, line: int, text: str, advice: str
) -> None:
    code = getattr(kind, method).__code__
    place = f"{code.co_filename}:{code.co_firstlineno + line}"
    sim = ev.Simulation()

    def begin() -> None:
        one = kind(sim, name="one")
        one.activate() if isinstance(one, ev.Process) else one.start()
        sim.run(until=2.0)

    with pytest.raises(ev.ModelError) as caught:
        begin()
    assert str(caught.value) == f"{text} at {place} compares, and nothing is done with the answer: write {advice}"
