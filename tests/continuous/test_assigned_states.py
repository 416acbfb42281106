"""States that laws assign: difference equations are declared, all else is refused, compiled or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from methods.tableaux import METHODS

import eventide as ev

MODES = [pytest.param(mode, id="compiled" if mode else "plain") for mode in (True, False)]
WAYS = [pytest.param(way, id=way) for way in ("apart", "together")]


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    other: ev.State = ev.state(1.0)
    cells: ev.StateVector = ev.state_vector(size=3)


class Clamp(Tank):
    def equations(self) -> None:
        self.rate.level = -1.0
        if self.level < -5.0:
            self.level = 0.0


class Pair(Tank):
    def equations(self) -> None:
        self.level, self.other = 1.0, 2.0


class Drift(Tank):
    def contributions(self) -> None:
        self.level *= -0.5


class Cells(Tank):
    def equations(self) -> None:
        self.cells[1:] = 1.0


class Helper(Tank):
    def equations(self) -> None:
        self.reset()

    def reset(self) -> None:
        self["level"].state = 0.0


class Guest(ev.Continuous):
    tank: Tank

    def equations(self) -> None:
        self.tank.level += 1.0


def guest(sim: ev.Simulation) -> None:
    Guest(sim, name="guest", tank=Tank(sim, name="tank").start()).start()


def guest_of_one_that_rests(sim: ev.Simulation) -> None:
    Guest(sim, name="guest", tank=Tank(sim, name="tank")).start()


def loose(sim: ev.Simulation) -> None:
    x = ev.Variable(sim, 1.0, name="tank.level").start()

    def halve() -> None:
        x.state = 0.5

    ev.law(sim, halve, name="tank").start()


def one(cls: type[Tank]) -> Callable[[ev.Simulation], Any]:
    return lambda sim: cls(sim, name="tank").start()


REFUSED = {
    "clamp": (one(Clamp), r"tank\.equations assigns the state tank\.level \(.*`self\.level = 0\.0`\)"),
    "pair": (one(Pair), r"tank\.equations assigns the state tank\.level "),
    "augmented": (one(Drift), r"tank\.contributions assigns the state tank\.level "),
    "items": (
        one(Cells),
        r"tank\.equations assigns the state tank\.cells .*`cells: ev\.StateVector = ev\.state_vector",
    ),
    "helper": (one(Helper), r"tank\.equations assigns the state tank\.level \(.*`self\[\"level\"\]\.state = 0\.0`\)"),
    "another's": (guest, r"guest\.equations assigns the state tank\.level "),
    "who rests": (guest_of_one_that_rests, r"guest\.equations assigns the state tank\.level "),
    "loose": (loose, r"tank\.equations assigns the state tank\.level .*`ev\.Variable\(sim, \.\.\., assigned=True\)`"),
}


@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize("case", REFUSED)
def test_a_law_that_assigns_a_state_is_refused_before_a_step(case: str, compiled: bool, stepping: Any) -> None:
    make, message = REFUSED[case]
    sim = ev.Simulation(compile=compiled, stepping=stepping)
    make(sim)
    for _ in range(2):  # no run goes on without it
        with pytest.raises(ev.ModelError, match=message):
            sim.run(until=1.0)
    assert (sim.time, sim.report().steps, sim.report().evaluations) == (0.0, 0, 0)
    assert str(sim.explain()).startswith("refused: ")


class Opaque(Tank):
    """What has no native form is seen when it is executed."""

    how: int = 0

    def equations(self) -> None:
        try:
            if self.how == 0:
                self.level = 1.0
            elif self.how == 1:
                self["level"].state = 1.0
            elif self.how == 2:
                self.cells = 1.0  # type: ignore[assignment]  # one number for all
            elif self.how == 3:
                self.cells[1] = 1.0
            else:
                self.cells += 1.0
        finally:
            pass


@pytest.mark.parametrize("how", range(5))
@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_law_that_cannot_be_read_is_refused_where_it_assigns(compiled: Any, how: int) -> None:
    sim = ev.Simulation(compile=compiled)
    tank = Opaque(sim, name="tank", how=how).start()
    with pytest.raises((ev.ModelError, ValueError), match=r"state tank\.(level|cells)|read-only") as caught:
        sim.run(until=1.0)
    notes = " ".join(caught.value.__notes__)
    assert "in the equations of tank" in notes
    assert how < 3 or "assigned=True" in notes
    assert (tank.level, tank.cells.tolist()) == (1.0, [0.0, 0.0, 0.0])


class Adds(ev.Continuous):
    x: ev.State = ev.state(0.0, assigned=True)

    def equations(self) -> None:
        self.x = self.x + self.sim.dt


class AddsLoose(ev.Continuous):
    """The same of a variable of its own."""

    x: ev.Variable

    def equations(self) -> None:
        self.x.state += self.sim.dt


@pytest.mark.parametrize("compiled", MODES)
def test_who_reads_what_it_assigns_too_early_is_told_of_last(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled)
    Adds(sim, name="adds").start()
    with pytest.raises(ev.ModelError, match=r"adds\.equations reads the state adds\.x .*: read .*`last\.x`"):
        sim.run(until=1.0)
    sim = ev.Simulation(compile=compiled)
    AddsLoose(sim, name="adds", x=ev.Variable(sim, 0.0, name="x", assigned=True).start()).start()
    with pytest.raises(ev.ModelError, match=r"adds\.equations reads the state x .*: read .*`last_state`"):
        sim.run(until=1.0)


class Follows(ev.Continuous):
    """Difference equations of a state, a vector and a loose variable."""

    x: ev.State = ev.state(0.0, assigned=True)
    taps: ev.StateVector = ev.state_vector(size=3, assigned=True)
    loose: ev.Variable

    def equations(self) -> None:
        self.x = self.last.x + 2.0 * self.sim.dt
        self.taps[0] = self.sim.time
        self.taps[1:] = self.last.taps[:-1]
        self.loose.state = self.loose.last_state + self.sim.dt * self.x


@pytest.mark.row("R-091")
@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_declared_difference_equations_follow_the_steps(compiled: bool, stepping: Any) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping, dt_max=0.25)
    loose = ev.Variable(sim, 0.0, assigned=True).start()
    model = Follows(sim, loose=loose).start()
    sim.run(until=2.0)
    # The sum of 0.25 * 2 * 0.25 * k, k = 1 .. 8.
    assert (sim.report().steps, model.x, model.taps.tolist(), loose.state) == (8, 4.0, [2.0, 1.75, 1.5], 4.5)
    model.x = 1.0  # an event sets any state
    loose.state = 0.0
    sim.run(until=2.25)
    assert (model.x, model.taps.tolist(), loose.state) == (1.5, [2.25, 2.0, 2.0], 0.375)


class Counts(ev.Continuous):
    """A difference equation beside a state that moves, and its value at points inside a step."""

    total: ev.State = ev.state(0.0, assigned=True)
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = -self.y
        self.total = self.last.total + 2.0 * self.sim.dt


EVERY_METHOD = {
    **METHODS,
    **{name: getattr(ev.methods, name) for name in ("ADAMS", "ADAMS_SIMPSON", "HEUN", "HEUN_AS_PRINTED", "RADAU")},
    "GAUSS_2": ev.methods.Newton(ev.methods.GAUSS_2),
}


@pytest.mark.row("R-091")
@pytest.mark.parametrize("name", EVERY_METHOD)
def test_difference_equations_work_with_every_method_and_inside_steps(name: str) -> None:
    sim = ev.Simulation(rng=1, dt_max=0.25, compile=False)
    sim.method = EVERY_METHOD[name]
    counts = Counts(sim, name="counts").start()
    trace = sim.record(counts, every=0.1)
    found: list[float] = []

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: counts.total >= 0.7)
        found.append(sim.time)
        yield ev.hold(0.3)
        found.append(counts.total)

    sim.process(story())
    sim.run(until=1.0)
    assert trace.times.tolist() == [k / 10 for k in range(11)]
    assert trace["counts.total"].tolist() == pytest.approx([k / 5 for k in range(11)], abs=1e-15)
    assert found == pytest.approx([0.35, 1.3], abs=1e-15)


class Peak(ev.Continuous):
    """The largest values that a signal has had so far, by comparisons with what they were as the step began."""

    x: ev.State = ev.state(0.0)
    peak: ev.State = ev.state(0.0, assigned=True)
    loose: ev.Variable
    falls: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0 if self.sim.time < 1.0 else -1.0
        self.peak = max(self.last.peak, self.x)
        self.loose.state = self.loose.last_state
        if self.x > self.loose.last_state:
            self.loose.state = self.x

    @ev.when(lambda self: self.peak - self.x >= 0.5)
    def has_fallen(self) -> None:
        self.falls.append(self.sim.time)


@pytest.mark.parametrize("stepping", WAYS)
@pytest.mark.parametrize("compiled", MODES)
def test_a_comparison_with_the_start_of_the_step_is_not_located_and_no_chatter(compiled: bool, stepping: Any) -> None:
    sim = ev.Simulation(compile=compiled, stepping=stepping, dt_max=0.25)
    model = Peak(sim, loose=ev.Variable(sim, 0.0, assigned=True).start()).start()
    sim.run(until=2.0)
    assert (model.peak, model.loose.state, model.falls) == (1.0, 1.0, [1.5])
    assert {found.why for found in sim.explain().branches if found.why} == {"it reads `last`", "it reads `last_state`"}


class Unread(ev.Continuous):
    """Its law cannot be read; its condition is true for 1e-4."""

    x: ev.State = ev.state(0.0)
    passed: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = eval("1.0")  # noqa: S307  # code that cannot be read

    @ev.when(lambda self: 0.61803 < self.x < 0.61813)
    def passes(self) -> None:
        self.passed.append(self.sim.time)


@pytest.mark.parametrize("method", ["dop853", "dormand-prince", "radau"])
def test_conditions_are_proved_where_laws_cannot_be_read_as_these_set_no_states(method: str) -> None:
    sim = ev.Simulation(method=method, dt_max=0.5)
    unread = Unread(sim).start()
    sim.run(until=1.0)
    assert [condition.kind for condition in sim.explain().conditions] == ["certified"]
    assert unread.passed == [pytest.approx(0.61803, abs=1e-6)]


def make_variable(sim: ev.Simulation) -> None:
    ev.Variable(sim, 0.0, assigned=True)


def make_component(sim: ev.Simulation) -> None:
    class Shifts(ev.Continuous):
        taps: ev.StateVector = ev.state_vector(size=3, assigned=True)

    Shifts(sim)


@pytest.mark.parametrize("make", [make_variable, make_component])
@pytest.mark.parametrize("when", ["before", "later"])
def test_nothing_is_proved_where_laws_cannot_be_read_and_there_is_what_they_may_assign(
    make: Callable[[ev.Simulation], None], when: str
) -> None:
    sim = ev.Simulation()
    if when == "before":
        make(sim)
    Unread(sim).start()
    sim.run(until=0.1)
    make(sim)
    sim.run(until=0.2)
    assert [condition.kind for condition in sim.explain().conditions] == ["sampled"]
