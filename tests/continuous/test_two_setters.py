"""Two laws that set one value: neither wins, whatever is known of their text, compiled or not."""

from __future__ import annotations

import re
from typing import Any

import pytest

import eventide as ev


class Valve(ev.Continuous):
    opening: ev.Computed = ev.computed()
    flow: ev.ComputedVector = ev.computed_vector(size=3)
    kept: ev.State = ev.state(0.0, assigned=True)
    heat: ev.State = ev.state(0.0)


class Controller(ev.Continuous):
    valve: Valve

    def equations(self) -> None:
        self.valve.opening = 1.0


class Lower(Controller):
    def equations(self) -> None:
        self.valve.flow[0:2] = 1.0


class Upper(Controller):
    def equations(self) -> None:
        self.valve.flow[2:3] = 1.0


class Half(Controller):
    def equations(self) -> None:
        self.valve.flow[1:3] = 1.0


class Keeper(Controller):
    def equations(self) -> None:
        self.valve.kept = 1.0


class Heater(Controller):
    def equations(self) -> None:
        self.valve.rate.heat = 1.0


def unread(kind: type[Controller]) -> type[Controller]:
    """The same, but that its text is not known."""
    names: dict[str, Any] = {"law": kind.equations, "__name__": __name__}
    exec("def equations(self): law(self)", names)  # noqa: S102  # so that its text is not known
    return type(f"Unread{kind.__name__}", (kind,), {"equations": names["equations"], "__module__": __name__})


ADD = "write `+=` to add to it, or let one of them set it"
LET = "let one of them set it, or declare it an `ev.Summed`, to which any `contributions` may add by `+=`"


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize(("first", "second"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (Controller, f"valve.opening, which one has set already: {LET}"),
        (Keeper, f"valve.kept, which one has set already: {LET}"),
        (Heater, f"the rate of valve.heat, which one has set already: {ADD}"),
    ],
)
def test_of_two_laws_that_set_one_value_none_wins(
    compiled: Any, first: bool, second: bool, kind: type[Controller], what: str
) -> None:
    sim = ev.Simulation(compile=compiled)
    valve = Valve(sim, name="valve").start()
    (unread(kind) if first else kind)(sim, valve=valve, name="one").start()
    (unread(kind) if second else kind)(sim, valve=valve, name="two").start()
    with pytest.raises(ev.ModelError, match=f"^two sets {re.escape(what)}$"):
        sim.run(until=1.0)


@pytest.mark.parametrize("compiled", ["auto", False])
def test_of_vectors_and_assigned_states_none_wins_either(compiled: Any) -> None:
    for pair, what in (((Half, Lower), "valve.flow[1]"), ((Keeper, Keeper), "valve.kept")):
        sim = ev.Simulation(compile=compiled)
        valve = Valve(sim, name="valve").start()
        for kind, name in zip(pair, ("one", "two"), strict=True):
            kind(sim, valve=valve, name=name).start()
        assert str(sim.explain()).splitlines()[0] == f"refused: two sets {what}, which one has set already: {LET}"


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("is_read", [True, False])
def test_who_sets_a_value_may_stop_and_another_come(compiled: Any, is_read: bool) -> None:
    sim = ev.Simulation(compile=compiled)
    valve = Valve(sim).start()
    kind = Controller if is_read else unread(Controller)
    for _ in range(2):
        one = kind(sim, valve=valve).start()
        sim.run(until=sim.time + 1.0)
        one.stop()
    assert valve.opening == 1.0


@pytest.mark.parametrize("compiled", ["auto", False])
def test_laws_may_set_parts_of_a_vector(compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled)
    valve = Valve(sim).start()
    for kind in (Lower, Upper):
        kind(sim, valve=valve).start()
    sim.run(until=1.0)
    assert list(valve.flow) == [1.0, 1.0, 1.0]


class Mover(Controller):
    def equations(self) -> None:
        self.valve.rate.kept = 5.0


@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize(("first", "second"), [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("kinds", [(Keeper, Mover), (Mover, Keeper)])
def test_a_state_that_one_law_assigns_another_may_move(
    compiled: Any, first: bool, second: bool, kinds: tuple[type[Controller], type[Controller]]
) -> None:
    sim = ev.Simulation(compile=compiled)
    valve = Valve(sim).start()
    one, two = [
        (unread(kind) if is_unread else kind)(sim, valve=valve).start()
        for kind, is_unread in zip(kinds, (first, second), strict=True)
    ]
    sim.run(until=1.0)
    assert valve.kept == 1.0
    (one if kinds[0] is Keeper else two).stop()
    sim.run(until=2.0)
    assert abs(valve.kept - 6.0) < 1e-12
