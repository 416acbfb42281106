"""Declared fields: what a class says of its data, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

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
