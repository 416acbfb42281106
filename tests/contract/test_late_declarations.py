"""What a class comes to declare after it was made is refused: its objects go on by what the class was made with."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import MethodType
from typing import Any

import pytest

import eventide as ev
from eventide.declare.component import ClassContents
from eventide.discrete import forgotten

FULL = ev.when(lambda self: self.x >= 1.0)


def note(self: Any) -> None:
    self.k += 1.0


class Made:
    """A class, its base and a mixin for each test, as these change them."""

    def __init__(self) -> None:
        class Mixin:
            pass

        class Base(Mixin, ev.Continuous):
            x: ev.State = ev.state(0.0)
            c: ev.Computed = ev.computed()
            k: float = 1.0
            title: str = "base"

            def equations(self) -> None:
                self.rate.x, self.c = self.k, 2.0 * self.x

            @ev.when(lambda self: self.x >= 100.0)
            def above(self) -> None:
                self.k = -1.0

            @ev.when(lambda self: self.x <= 100.0)
            def below(self) -> None:
                self.k = 1.0

        class Derived(Base):
            pass

        self.mixin, self.base, self.derived, self.other = Mixin, Base, Derived, {"late": FULL(note)}


LATE: dict[str, Callable[[Any], None]] = {
    "when": lambda made: setattr(made.derived, "late", FULL(note)),
    "every": lambda made: setattr(made.derived, "late", ev.every(0.5)(note)),
    "decorator": lambda made: setattr(made.derived, "late", FULL),
    "of a base": lambda made: setattr(made.base, "late", FULL(note)),
    "of a mixin": lambda made: setattr(made.mixin, "late", FULL(note)),
    "of another base": lambda made: setattr(
        made.derived, "__bases__", (type("Late", (made.base,), made.other), made.base)
    ),
    "slides": lambda made: setattr(made.derived, "late", made.base.above.slides(made.base.below)),
    "accumulates": lambda made: setattr(made.derived, "late", made.base.above.accumulates(lambda self, time: None)),
    "state": lambda made: setattr(made.derived, "late", ev.state(1.0)),
    "field of a mixin": lambda made: setattr(made.mixin, "late", ev.field(default=1.0)),
    "value of a parameter": lambda made: setattr(made.derived, "k", 3.0),
    "value of a parameter of a base": lambda made: setattr(made.base, "k", 3.0),
    "value of a state": lambda made: setattr(made.derived, "x", 3.0),
    "value of a computed value": lambda made: setattr(made.derived, "c", 3.0),
    "value of a plain field": lambda made: setattr(made.derived, "title", "late"),
    "no value of a state": lambda made: delattr(made.derived, "x"),
}
MESSAGE = r"\.(late|k|x|c|title) .* after the class was made, and .*: .*write .* in the body of the class"


def run(sim: ev.Simulation, one: ev.Continuous) -> None:
    one.start()
    sim.run(until=2.0)


@pytest.mark.parametrize("late", LATE.values(), ids=LATE)
@pytest.mark.parametrize("when", ["before it starts", "before a run", "between runs", "within a run"])
def test_what_a_class_comes_to_declare_after_it_was_made_is_refused(late: Callable[[Any], None], when: str) -> None:
    made, sim = Made(), ev.Simulation()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.25)
        late(made)

    if when == "before it starts":
        late(made)
    one = made.derived(sim)
    if when != "before it starts":
        one.start()
    if when == "between runs":
        sim.run(until=0.5)
        late(made)
    if when == "before a run":
        late(made)
    if when == "within a run":
        sim.process(story())
    with pytest.raises(ev.ModelError, match=MESSAGE):
        run(sim, one)


@pytest.mark.parametrize("bind", [lambda function, _: function, MethodType], ids=["function", "method"])
@pytest.mark.parametrize("when", ["before it starts", "before a run", "between runs", "within a run"])
def test_a_handler_that_an_object_is_given_is_refused(bind: Callable[[Any, Any], object], when: str) -> None:
    made, sim = Made(), ev.Simulation()
    one = made.derived(sim, name="one")

    def give() -> None:
        one.late = bind(FULL(note), one)  # type: ignore[attr-defined]

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.25)
        give()

    if when == "before it starts":
        give()
    one.start()
    if when == "before a run":
        give()
    if when == "between runs":
        sim.run(until=0.5)
        give()
    if when == "within a run":
        sim.process(story())
    with pytest.raises(
        ev.ModelError, match=r"one\.late was given @ev\.when\(\.\.\.\), and handlers are those of a class"
    ):
        sim.run(until=2.0)


def test_what_a_process_or_a_part_without_equations_gets_is_refused_too() -> None:
    class Customer(ev.Process):
        patience: float = 1.0

        def run(self) -> ev.ProcessGenerator:
            yield ev.hold(self.patience)

    sim = ev.Simulation()
    Customer(sim).activate()
    Customer.patience = 2.0
    with pytest.raises(
        ev.ModelError, match=r"Customer\.patience was set after .*as in Customer\(sim, patience=\.\.\.\)"
    ):
        sim.run()


def test_what_an_object_takes_from_its_class_and_what_replaces_a_handler_is_not_refused() -> None:
    made, sim = Made(), ev.Simulation()
    one, two = made.derived(sim, x=99.5).start(), made.derived(sim, x=99.5).start()
    one.above = one.below  # type: ignore[method-assign]
    made.derived.above = lambda self: setattr(self, "k", 0.0)  # type: ignore[method-assign, assignment]
    made.derived.remark = "no field"  # type: ignore[attr-defined]
    sim.run(until=2.0)
    assert (one.k, two.k) == (1.0, 0.0)


def test_a_derived_class_that_slides_leaves_its_base_as_it_is() -> None:
    base = Made().base

    class Sliding(base):  # type: ignore[misc, valid-type]
        sliding = base.above.slides(base.below)

    sim = ev.Simulation()
    plain, slides = base(sim, x=99.5).start(), Sliding(sim, x=99.5).start()
    sim.run(until=2.0)
    assert (plain.x, slides.sliding) == (98.5, 0.5)  # `below` is true where `above` has turned it: it fires no more
    assert abs(slides.x - 100.0) < 1e-9


def new_pond() -> Any:
    """A class of its own, of which nothing is kept yet."""

    class Pond(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.level = -self.level

        def low(self) -> None:
            self.level = 1.0

    return Pond


def test_a_function_that_is_marked_between_two_runs_is_refused() -> None:
    Pond = new_pond()  # noqa: N806  # a class
    sim = ev.Simulation()
    Pond(sim).start()
    for end in (1.0, 1.5, 2.0):  # what eventide keeps in a class stands there from the first on
        sim.run(until=end)
    ev.when(lambda self: self.level < 0.5)(Pond.low)
    with pytest.raises(ev.ModelError, match=r"Pond\.low was given @ev\.when"):
        sim.run(until=3.0)


def test_what_a_class_got_since_it_was_examined_is_refused_as_an_object_starts() -> None:
    Pond = new_pond()  # noqa: N806  # a class
    for end in (1.0, 1.5):  # what eventide keeps in a class stands there from the first on
        sim = ev.Simulation()
        Pond(sim).start()
        sim.run(until=end)
    ev.when(lambda self: self.level < 0.5)(Pond.low)
    pond = Pond(ev.Simulation())
    with pytest.raises(ev.ModelError, match=r"Pond\.low was given @ev\.when"):
        pond.start()


def test_what_a_class_has_is_examined_once_for_all_simulations(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pond(ev.Component):
        depth: float = 1.0

    asked: list[type] = []
    monkeypatch.setattr(forgotten, "refuse_late", asked.append)
    for _ in range(3):
        sim = ev.Simulation()
        Pond(sim)
        sim.run(until=1.0)
    assert asked == [Pond]
    Pond.shape = "round"  # type: ignore[attr-defined]  # which is late
    sim = ev.Simulation()
    Pond(sim)
    sim.run(until=1.0)
    assert asked == [Pond, Pond]


@pytest.mark.parametrize("where", ["a reporter", "a law"])
def test_what_a_class_gets_between_events_is_refused_as_the_run_ends(where: str) -> None:
    class Pond(ev.Continuous):
        x: ev.State = ev.state(0.0)
        k: float = 1.0

        def equations(self) -> None:
            self.rate.x = late() if where == "a law" else 1.0

    def late() -> float:
        setattr(Pond, "k", 3.0)  # noqa: B010  # a law that sets it in plain words is refused before
        return 1.0

    sim = ev.Simulation()
    Pond(sim).start()
    if where == "a reporter":
        sim.record(given=late)
    with pytest.raises(ev.ModelError, match=r"Pond\.k was set after the class was made"):
        sim.run(until=2.0)


def test_what_a_class_gets_in_the_only_event_of_a_run_is_refused_as_that_ends() -> None:
    class Pond(ev.Component):
        depth: float = 1.0

    def story() -> ev.ProcessGenerator:
        Pond.depth = 3.0
        return
        yield

    sim = ev.Simulation()
    Pond(sim)
    sim.process(story())
    with pytest.raises(ev.ModelError, match=r"Pond\.depth was set after the class was made"):
        sim.run()


def test_a_class_that_gets_something_while_it_is_compared_is_compared_again() -> None:
    """Another thread may add to a class: where memory is looked through, threads take turns within one comparison."""

    class Busy(ev.Continuous):
        x: ev.State = ev.state(1.0)

    def add(phase: str, info: dict[str, int]) -> None:
        setattr(Busy, f"_added_{len(vars(Busy))}", phase)

    contents = ClassContents(Busy)
    threshold = gc.get_threshold()
    gc.callbacks.append(add)
    gc.set_threshold(1)
    try:
        found = [contents.are_current for _ in range(100)]
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(add)
    assert not any(found[1:])
