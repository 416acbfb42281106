"""What eventide keeps in an object, and how objects are told apart, is no model's to change."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import eventide as ev


def kept_by(cls: type) -> list[str]:
    """The names of what eventide's classes have, and of what they keep in an object."""
    names = {name for base in cls.__mro__ if base.__module__.startswith("eventide.") for name in vars(base)}
    sim = ev.Simulation()
    one = cls(sim).activate()
    sim.run(until=0.5)
    return sorted(name for name in {*names, *vars(one)} if name[0] == "_" and name[:2] != "__")


class Both(ev.Process, ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0

    def run(self) -> ev.ProcessGenerator:
        self.start()
        yield ev.hold(1.0)


NAMES = kept_by(Both)


def test_what_eventide_keeps_in_an_object_is_set_by_no_method() -> None:
    """`self._base = 3` moved a state in the memory of others, in silence."""
    assert len(NAMES) > 50
    for name in NAMES:
        text = f"class Own(ev.Process, ev.Continuous):\n    def prelude(self):\n        self.{name} = 3\n"
        with pytest.raises(TypeError, match=rf"^Own sets self\.{name} in Own\.prelude, which eventide itself uses in "):
            exec(text, {"ev": ev, "__name__": "model"})  # noqa: S102  # a class for each name


def test_what_eventide_has_in_a_class_is_defined_by_no_other() -> None:
    for name in NAMES:
        text = f"class Own(ev.Process, ev.Continuous):\n    def {name}(self):\n        pass\n"
        with pytest.raises(TypeError, match=rf"^Own has {name}, which eventide itself uses in "):
            exec(text, {"ev": ev, "__name__": "model"})  # noqa: S102  # as above


def in_a_handler() -> type:
    class Own(ev.Continuous):
        @ev.every(1.0)
        def note(self) -> None:
            self._side = 1.0

    return Own


def in_a_mixin() -> type:
    class Mixin:
        def note(self) -> None:
            self._flow = 1.0

    class Own(Mixin, ev.Continuous):
        pass

    return Own


def in_a_property() -> type:
    class Own(ev.Continuous):
        @property
        def side(self) -> float:
            return 1.0

        @side.setter
        def side(self, value: float) -> None:
            self._side = value

    return Own


def in_a_function_inside() -> type:
    class Own(ev.Process):
        def run(self) -> ev.ProcessGenerator:
            def note() -> None:
                self._past = 1.0

            yield ev.hold(1.0)
            note()

    return Own


@pytest.mark.parametrize("make", [in_a_handler, in_a_mixin, in_a_property, in_a_function_inside])
def test_it_is_found_wherever_a_class_has_code(make: Any) -> None:
    with pytest.raises(
        TypeError, match=r"sets self\._\w+ in .*, which eventide itself uses in \w+: choose another name"
    ):
        make()


def test_the_result_of_a_process_is_what_run_returns() -> None:
    """It was None in the end, whatever the process had set."""
    message = r"^Job sets self\.result in .*Job\.run, which eventide itself uses in Process: let `run` return it$"
    with pytest.raises(TypeError, match=message):

        class Job(ev.Process):
            def run(self) -> ev.ProcessGenerator:
                yield ev.hold(1.0)
                self.result = 42


def test_names_of_the_model_s_own_and_of_other_objects_are_free() -> None:
    class Note:
        pass

    class Own(Both):
        def prelude(self) -> None:
            self._mine = self.note = Note()
            self.note._base = self._count = 3

    own = Own(ev.Simulation()).activate()
    own.sim.run()
    assert (own.x, own._mine._base, own._count) == (pytest.approx(1.0), 3, 3)


def test_a_class_that_says_which_of_its_objects_are_equal_is_refused() -> None:
    """Of two equal ones the second took no part, in silence."""

    class Ship(Both):
        number: int = 0

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Ship) and self.number == other.number

        def __hash__(self) -> int:
            return hash(self.number)

    with pytest.raises(TypeError, match=r"^Ship compares its objects by Ship\.__eq__, and eventide would take"):
        Ship(ev.Simulation())


def test_a_dataclass_that_compares_its_objects_is_refused() -> None:
    @dataclasses.dataclass
    class Ship(ev.Process):
        number: int = 0

    with pytest.raises(TypeError, match=r"or write @dataclass\(eq=False\)$"):
        Ship(ev.Simulation())
    alike = dataclasses.dataclass(eq=False)(Both)
    assert alike(ev.Simulation()) != alike(ev.Simulation())


def test_what_a_simulation_keeps_is_no_subclass_s() -> None:
    """Who kept a list as `self._log`, or a number as `self._fail`, had a run that did nothing or did not end."""
    with pytest.raises(
        TypeError, match=r"^Own sets self\._log in Own\.__init__, which eventide itself uses in Simulation"
    ):
        exec(  # noqa: S102  # as above
            "class Own(ev.Simulation):\n    def __init__(self):\n        super().__init__()\n        self._log = []\n",
            {"ev": ev, "__name__": "model"},
        )

    class Own(ev.Simulation):
        def __init__(self) -> None:
            super().__init__()
            self.until_priority = 1.0
            self.notes: list[float] = []

    assert Own().notes == []


class Ball(ev.Continuous):
    height: ev.State = ev.state(1.0)
    mass: float = 2.0
    bounces: int = 0

    @ev.when(lambda self: self.height <= 0.0)
    def bounce(self) -> None:
        self.bounces += 1

    @ev.every(1.0)
    def tick(self) -> None:
        self.bounces += 100


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("mass = 4.0", "mass takes the name of a field that .*: write `mass: float = ...`, as the field is declared$"),
        ("height = 4.0", "height takes the name of a state that .*: write `height: ev.State = ...`, as the"),
        (
            "mass = property(lambda self: 4.0)",
            "mass takes the name of a field .*, and would not count: choose another name",
        ),
        ("def mass(self): pass", "mass takes the name of a field .*, and would not count: choose another name$"),
    ],
)
def test_a_field_of_a_base_is_not_given_another_meaning_in_silence(line: str, message: str) -> None:
    """Each stood in the class and was passed over: the field kept the default of the base."""
    with pytest.raises(TypeError, match=rf"^Own\.{message}"):
        exec(f"class Own(Ball):\n    {line}\n", {"Ball": Ball, "__name__": "model"})  # noqa: S102  # as above


def test_a_field_of_a_base_has_another_default_with_its_annotation() -> None:
    class Heavy(Ball):
        mass: float = 4.0
        height: ev.State = ev.state(3.0)

    one = Heavy(ev.Simulation())
    assert (one.mass, one.height) == (4.0, 3.0)


def test_a_process_may_have_a_property_with_a_setter_in_the_place_of_a_field() -> None:
    class Job(ev.Process):
        size: float = 1.0

    class Doubled(Job):
        @property
        def size(self) -> float:  # type: ignore[override]  # that is the point
            return 2.0 * self.half

        @size.setter
        def size(self, value: float) -> None:
            self.half = value

    assert Doubled(ev.Simulation(), size=3.0).size == 6.0


def test_a_class_that_is_no_component_declares_no_field() -> None:
    class Warm:
        warmth: ev.State = ev.state(1.0)

    message = r"^Warm\.warmth declares a state, and Warm is not a component: write `class Warm\(ev\.Continuous\)`$"
    with pytest.raises(TypeError, match=message):

        class Own(Warm, ev.Continuous):
            pass


@pytest.mark.parametrize(("name", "mark"), [("bounce", "when"), ("tick", "every")])
def test_a_method_in_the_place_of_a_handler_is_refused(name: str, mark: str) -> None:
    """It never ran, nor did the handler."""
    message = (
        rf"^Own\.{name} replaces a handler and is none itself, so it would never run: "
        rf"write its `@ev\.{mark}\(\.\.\.\)` above it, or `{name} = None` for no handler$"
    )
    with pytest.raises(TypeError, match=message):
        exec(f"class Own(Ball):\n    def {name}(self): pass\n", {"Ball": Ball, "__name__": "model"})  # noqa: S102  # as above


def test_another_handler_or_none_takes_the_place_of_one() -> None:
    class Quiet(Ball):
        tick = None  # type: ignore[assignment]  # no handler

        @ev.every(2.0)
        def bounce(self) -> None:
            self.bounces += 10

    one = Quiet(ev.Simulation()).start()
    one.sim.run(until=3.0)
    assert one.bounces == 20


@pytest.mark.parametrize("base", [ev.Process, ev.Component, ev.Resource])
@pytest.mark.parametrize("mark", [ev.every(1.0), ev.when(lambda self: self.sim.time > 1.0)], ids=["every", "when"])
def test_handlers_are_of_what_has_equations(base: type[Any], mark: Any) -> None:
    """They never ran: `start` arms them, which a process or a resource alone has not."""

    class Marked(base):  # type: ignore[misc]  # which of several
        @mark
        def note(self) -> None:
            pass

    with pytest.raises(
        TypeError, match=r"^Marked\.note is a handler \(@ev\.\w+\) and would never run, as Marked is no"
    ):
        Marked(ev.Simulation())

    class Both(Marked, ev.Continuous):
        pass

    Both(ev.Simulation()).start()


def test_a_handler_that_a_class_has_put_off_is_none() -> None:
    class Mixin:
        @ev.every(1.0)
        def note(self) -> None:
            pass

    class Own(Mixin, ev.Process):
        note = None  # type: ignore[assignment]  # no handler

    Own(ev.Simulation())


def test_a_field_that_eventide_declares_has_another_default_with_its_annotation() -> None:
    """It was refused as a name of eventide's own, after another message had advised it."""

    class Events(ev.Reporter):
        every: ev.observe.Every = "event"

    sim = ev.Simulation()
    assert (Events(sim).every, Events(sim, every=2.0).every) == ("event", 2.0)
    with pytest.raises(TypeError, match=r"write `every: .*float.*step.* = \.\.\.`, as the field is declared$"):

        class Steps(ev.Reporter):
            every = "event"
