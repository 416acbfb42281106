"""Declared fields: what a class says of its data, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import pytest

import eventide as ev

if TYPE_CHECKING:
    from nowhere import Unknown


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


class Pump(ev.Component):
    power: float = 2.0
    stages: int = ev.field(default=3, unit="1", description="pressure stages")
    parts: list[str] = ev.field(default_factory=list)
    other: Pump | None = None
    kind: ClassVar[str] = "pump"


def test_fields_have_defaults_and_are_given_by_keyword(sim: ev.Simulation) -> None:
    plain, given = Pump(sim), Pump(sim, power=4.0, parts=["rotor"])
    assert (plain.power, plain.stages, plain.parts, plain.other) == (2.0, 3, [], None)
    assert (given.power, given.parts) == (4.0, ["rotor"])
    plain.parts.append("seal")
    assert Pump(sim).parts == []
    with pytest.raises(TypeError):
        Pump(sim, 4.0)


def test_names_are_given_or_numbered_by_class(sim: ev.Simulation) -> None:
    assert [Pump(sim).name, Pump(sim, name="main").name, Pump(sim).name] == ["Pump 1", "main", "Pump 3"]
    assert Pump(ev.Simulation()).name == "Pump 1"
    assert repr(Pump(sim, name="spare")) == "<spare>"


def test_fields_are_inherited_and_may_be_changed(sim: ev.Simulation) -> None:
    class Big(Pump):
        power: float = 9.0
        extra: int

    assert (Big(sim, extra=1).power, Big(sim, extra=1).stages) == (9.0, 3)
    with pytest.raises(TypeError, match="missing extra="):
        Big(sim)


def test_unknown_names_in_annotations_are_references(sim: ev.Simulation) -> None:
    class Box(ev.Continuous):
        owner: Unknown
        level: ev.State = ev.state(1.0)

    assert Box(sim, owner="me").owner == "me"


def test_a_class_may_have_its_own_constructor(sim: ev.Simulation) -> None:
    class Own(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def __init__(self, sim: ev.Simulation, scale: float) -> None:
            super().__init__(sim)
            self.level *= scale

    assert Own(sim, 3.0).level == 3.0


class Filled(ev.Continuous):
    """What is made in a way of its own, with a field as well."""

    level: ev.State = ev.state(1.0)
    area: float = 2.0

    def __init__(self, sim: ev.Simulation, scale: float = 3.0, *, name: str = "") -> None:
        super().__init__(sim, name=name)
        self.level *= scale
        self.area += scale


class Heated(Filled):
    warmth: ev.State = ev.state(20.0)
    power: float = 1.0
    seen: list[float] = ev.field(default_factory=list)


class Watched(Heated):
    other: Filled

    def prelude(self) -> None:
        self.power += 1.0


def test_a_derived_class_is_made_as_its_base_has_written_and_takes_its_own_fields(sim: ev.Simulation) -> None:
    """The constructor of the base was passed over, in silence."""
    plain, given = Heated(sim), Heated(sim, 5.0, warmth=30.0, power=4.0, seen=[1.0], name="given")  # type: ignore[misc, call-arg]
    assert [plain.level, plain.area, plain.warmth, plain.power, plain.seen] == [3.0, 5.0, 20.0, 1.0, []]
    assert plain.seen is not Heated(sim).seen
    assert [given.level, given.area, given.warmth, given.power, given.seen] == [5.0, 7.0, 30.0, 4.0, [1.0]]
    watched = Watched(sim, 2.0, other=plain)  # type: ignore[misc]
    assert (watched.level, watched.power, watched.other, given.name) == (2.0, 2.0, plain, "given")
    with pytest.raises(TypeError, match=r"^Watched\(\.\.\.\) is missing other=$"):
        Watched(sim)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'level'"):  # the base does not take it
        Heated(sim, level=2.0)


def test_a_prelude_is_called_once_also_beside_a_constructor_of_ones_own(sim: ev.Simulation) -> None:
    """It was not called where the constructor above knew of none."""
    log: list[str] = []

    class First(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim)
            log.append("first")

        def prelude(self) -> None:
            log.append(f"prelude of {type(self).__name__}")

    class Second(First):
        pass

    class Third(Second):
        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim)
            log.append("third")

    class Counter(ev.Resource):
        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim, 2)
            log.append("counter")

        def prelude(self) -> None:
            log.append(f"prelude of {type(self).__name__}")

    class Desk(Counter):
        rank: int = 1

    class Base(ev.Component):
        def prelude(self) -> None:
            log.append(f"prelude of {type(self).__name__}")

    class Own(Base):
        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim)
            log.append("own")

    for kind in (First, Second, Third, Counter, Desk, Own):
        kind(sim)
    assert log == [
        "first", "prelude of First", "first", "prelude of Second", "first", "third", "prelude of Third",
        "counter", "prelude of Counter", "counter", "prelude of Desk", "prelude of Own", "own",
    ]  # fmt: skip


class Counted:
    """A mixin that knows nothing of eventide."""

    def __init__(self, *arguments: object, step: float = 1.0, **options: object) -> None:
        self.step = step
        super().__init__(*arguments, **options)


MIXED = {
    "component": (ev.Component, ()),
    "process": (ev.Process, ()),
    "continuous": (ev.Continuous, ()),
    "reporter": (ev.Reporter, ()),
    "resource": (ev.Resource, (2,)),
    "store": (ev.Store, ()),
}


@pytest.mark.parametrize(("base", "arguments"), MIXED.values(), ids=MIXED)
def test_the_constructor_of_a_mixin_in_front_of_a_component_is_called(
    base: type[Any], arguments: tuple[object, ...], sim: ev.Simulation
) -> None:
    """It was passed over, in silence; the prelude sees all fields, and is called once."""
    log: list[object] = []

    class Sized(base):
        size: float = 1.0

        def prelude(self) -> None:
            log.append((self.name, self.size, self.rank, self.step))

    class Mixed(Counted, Sized):
        rank: int = 2
        seen: list[int] = ev.field(default_factory=list)

    class Further(Mixed):
        rank: int

    class Plain(Counted, base):
        rank: int = 5

        def prelude(self) -> None:
            log.append((self.name, self.rank, self.step))

    one = Mixed(sim, *arguments, name="one")
    Mixed(sim, *arguments, size=3.0, rank=4, step=5.0, name="two")
    Further(sim, *arguments, size=3.0, rank=6, name="three")
    Plain(sim, *arguments, name="four")
    assert log == [("one", 1.0, 2, 1.0), ("two", 3.0, 4, 5.0), ("three", 3.0, 6, 1.0), ("four", 5, 1.0)]
    assert (one.seen, one.sim) == ([], sim)
    with pytest.raises(TypeError, match=r"^Further\(\.\.\.\) is missing rank=$"):
        Further(sim, *arguments)


def test_a_law_reads_what_a_mixin_has_set(sim: ev.Simulation) -> None:
    class Tank(Counted, ev.Continuous):
        level: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.level = -self.step

    tank = Tank(sim, step=5.0, level=3.0).start()
    sim.run(until=1.0)
    assert tank.level == pytest.approx(-2.0)


def test_a_mixin_that_calls_no_other_constructor_is_refused() -> None:
    class Closed:
        def __init__(self) -> None:
            self.step = 1.0

    message = r"^Own has Closed in front of Process, and Closed\.__init__ does not call super"
    with pytest.raises(TypeError, match=message):

        class Own(Counted, Closed, ev.Process):
            pass

    class Behind(ev.Process, Closed):
        """As in Python, the constructor of the process is the first, and calls no other."""

    class Both(Closed, ev.Process):
        def __init__(self, sim: ev.Simulation) -> None:
            Closed.__init__(self)
            ev.Process.__init__(self, sim)

    assert Both(ev.Simulation()).step == 1.0
    assert not hasattr(Behind(ev.Simulation()), "step")


def test_a_protocol_in_front_of_a_component_has_no_constructor(sim: ev.Simulation) -> None:
    class Sized(Protocol):
        size: float

    class Own(Sized, ev.Component):
        size: float = 1.0

    assert Own(sim, size=2.0).size == 2.0


def test_a_prelude_sees_the_fields_that_are_declared_below_a_written_constructor(sim: ev.Simulation) -> None:
    """Where that completes the object itself, as the one of a plain component, they were not set yet."""
    log: list[object] = []

    class Written(ev.Component):
        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim)
            log.append("written")

    class Own(Written):
        rank: int

        def prelude(self) -> None:
            log.append(self.rank)

    Own(sim, rank=3)
    assert log == ["written", 3]


def test_a_post_init_is_refused_as_nothing_calls_it() -> None:
    with pytest.raises(TypeError, match=r"^Own\.__post_init__ would never be called: name it `prelude`"):

        class Own(ev.Component):
            size: float = 1.0

            def __post_init__(self) -> None:
                self.size = 2.0


BASES = {
    "component": ev.Component,
    "process": ev.Process,
    "continuous": ev.Continuous,
    "reporter": ev.Reporter,
    "resource": ev.Resource,
    "preemptive": ev.PreemptiveResource,
    "container": ev.Container,
    "store": ev.Store,
    "queue": ev.Queue,
    "signal": ev.Signal,
}
UNCALLED = (
    r"^the __init__ of Own has not called super\(\).__init__\(sim, ...\), which makes it a part of the simulation: "
    r"write that as its first line; or write no __init__ but fields, as `size: float = 1.0`, and Own\(sim, size=2.0\) "
    r"sets them$"
)


@pytest.mark.parametrize("sets_sim", [False, True])
@pytest.mark.parametrize("base", BASES)
def test_a_constructor_that_does_not_call_the_one_above_is_told_where_the_object_is_made(
    sim: ev.Simulation, base: str, sets_sim: bool
) -> None:
    class Own(BASES[base]):
        def __init__(self, sim: ev.Simulation, scale: float) -> None:
            self.scale = scale
            if sets_sim:
                self.sim = sim

    class Further(Own):
        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim, 3.0)

    with pytest.raises(ev.ModelError, match=UNCALLED):
        Own(sim, 2.0)
    with pytest.raises(ev.ModelError, match=UNCALLED.replace("Own", "Further")):
        Further(sim)


def test_a_state_that_is_set_before_the_constructor_above_is_called_is_told() -> None:
    class Own(ev.Continuous):
        level: ev.State = ev.state(1.0)
        depth: ev.StateVector = ev.state_vector(1.0, size=3)

        def __init__(self, sim: ev.Simulation, what: str) -> None:
            setattr(self, what, 2.0)
            super().__init__(sim)

    for what in ("level", "depth"):
        with pytest.raises(ev.ModelError, match=UNCALLED):
            Own(ev.Simulation(), what)


def test_an_error_of_ours_after_the_constructor_above_was_called_goes_up_as_it_is(sim: ev.Simulation) -> None:
    class Own(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim)
            self.rate.depth = 1.0

    with pytest.raises(AttributeError, match="depth"):
        Own(sim)


def test_what_a_constructor_raises_itself_goes_up_as_it_is(sim: ev.Simulation) -> None:
    class Own(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def __init__(self, sim: ev.Simulation, *, is_first: bool) -> None:
            if is_first:
                super().__init__(sim)
            raise error

    for is_first in (False, True):
        for error in (AttributeError("mine"), ValueError("mine")):
            with pytest.raises(type(error)) as caught:
                Own(sim, is_first=is_first)
            assert caught.value is error
            assert caught.value.__cause__ is None


def test_a_component_that_is_both_process_and_continuous(sim: ev.Simulation) -> None:
    class Both(ev.Process, ev.Continuous):
        level: ev.State = ev.state(1.0)
        size: float = 2.0

    both = Both(sim, level=5.0)
    assert (both.level, both.size, both.active, both.terminated) == (5.0, 2.0, False, False)


@pytest.mark.parametrize("name", ["run", "activate", "name", "sim", "_notice", "terminated"])
def test_names_of_the_library_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"declares {name}, which eventide itself uses in"):
        type("Clash", (ev.Process,), {"__annotations__": {name: float}, "__module__": __name__})


def test_all_refused_names_are_listed_at_once() -> None:
    with pytest.raises(TypeError, match="declares rate, start"):

        class Clash(ev.Continuous):
            rate: float = 1.0
            start: float = 2.0
            fine: float = 3.0


def test_mistakes_of_declaration_say_what_to_write() -> None:
    with pytest.raises(TypeError, match=r"ev\.Computed = ev\.computed\(\)"):

        class A(ev.Continuous):
            q: ev.Computed

    with pytest.raises(TypeError, match=r"ev\.field\(default_factory=list\)"):

        class B(ev.Component):
            parts: list = []  # noqa: RUF012  # the mistake that is tested

    with pytest.raises(TypeError, match=r"x has no annotation: write `x: ev\.State"):

        class C(ev.Continuous):
            x = ev.state(1.0)

    with pytest.raises(TypeError, match="annotated as State but its value declares a computed"):

        class D(ev.Continuous):
            x: ev.State = ev.computed()


def test_the_simulation_comes_first() -> None:
    with pytest.raises(TypeError, match=r"write Pump\(sim, \.\.\.\)"):
        Pump("sim")


def test_states_need_a_number(sim: ev.Simulation) -> None:
    class Box(ev.Continuous):
        level: ev.State = ev.state()

    with pytest.raises(TypeError, match="missing level="):
        Box(sim)
    with pytest.raises(TypeError, match=r"Box\.level is a state and takes a number, and got 'full'"):
        Box(sim, level="full")


def test_states_need_a_continuous_component() -> None:
    with pytest.raises(TypeError, match="declares the state x, and is not a Continuous"):

        class Wrong(ev.Process):
            x: ev.State = ev.state(1.0)
