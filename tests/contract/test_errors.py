"""The twenty errors of the manual: a model that reaches each, with its number, time, culprit and text."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from worlds import COMMANDS, COMPILE, Act, Idle, Ramp, World

import eventide as ev
from eventide.errors import TEXTS


@pytest.fixture(params=COMPILE, ids=["compiled", "plain"])
def sim(request: pytest.FixtureRequest) -> ev.Simulation:
    return ev.Simulation(rng=1, compile=request.param)


def later(sim: ev.Simulation) -> ev.ProcessGenerator:
    yield ev.hold(1.0)


CALLS: dict[str, tuple[int, str, Callable[[World], Any]]] = {
    "cancel_state_event": (9, "cancel_state_event() of waiter", lambda w: w.waiter.cancel_state_event()),
    "set_priority": (11, "set_priority() of ramp", lambda w: w.ramp.set_priority(2.0)),
    "start": (12, "start() of still", lambda w: w.still.start()),
    "stop": (13, "stop() of ramp", lambda w: w.ramp.stop()),
    "set_frequency": (14, "set_frequency() of looking", lambda w: w.looking.set_frequency(0.5)),
    "start reporter": (15, "start() of idle", lambda w: w.idle.start()),
    "stop reporter": (16, "stop() of looking", lambda w: w.looking.stop()),
    "activate": (17, "activate() of sleeper", lambda w: w.sleeper.activate()),
    "activate far": (17, "activate() of sleeper", lambda w: w.sleeper.activate(at=1e9)),
    "reactivate": (17, "activate() of holder", lambda w: w.holder.reactivate(delay=1.0)),
    "interrupt": (17, "interrupt() of holder", lambda w: w.holder.interrupt()),
    "end": (17, "end() of holder", lambda w: w.holder.end()),
    "process": (17, "sim.process()", lambda w: w.sim.process(later(w.sim))),
    "release": (17, "release() of a request of desk", lambda w: w.held[0].release()),
    "send": (17, "send() of bell", lambda w: w.bell.send()),
    "into": (17, "a change of queue", lambda w: w.queue.into(w.sleeper)),
    "cancel": (20, "cancel() of holder", lambda w: w.holder.cancel()),
}
CONTINUOUS = {"set_priority": "ramp", "start": "still", "stop": "ramp"}
"""The calls whose culprit is the component they are made of."""
REPORTERS = {"set_frequency": "looking", "start reporter": "idle", "stop reporter": "looking"}


def from_equations(sim: ev.Simulation, act: Act) -> str:
    class Rogue(ev.Continuous):
        def equations(self) -> None:
            if self.sim.time > 0.5:
                act()

    Rogue(sim, name="rogue").start()
    return "the equations of rogue"


def from_contributions(sim: ev.Simulation, act: Act) -> str:
    class Rogue(ev.Continuous):
        def contributions(self) -> None:
            if self.sim.time > 0.5:
                act()

    Rogue(sim, name="rogue").start()
    return "the equations of rogue"


def from_report(sim: ev.Simulation, act: Act) -> str:
    class Rogue(ev.Reporter):
        def report(self) -> None:
            if self.sim.time > 0.5:
                act()

    Rogue(sim, name="rogue", every=0.25).start()
    return "the report of rogue"


def from_until(sim: ev.Simulation, act: Act) -> str:
    def rogue() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time > 0.5 and act() is act)

    sim.process(rogue(), name="rogue")
    return "the condition of rogue"


def from_when(sim: ev.Simulation, act: Act) -> str:
    class Rogue(ev.Continuous):
        @ev.when(lambda self: self.sim.time > 0.5 and act() is act)
        def handler(self) -> None:
            pass

    Rogue(sim, name="rogue").start()
    return "the condition of rogue.handler"


PLACES = (from_equations, from_contributions, from_report, from_until, from_when)


@pytest.mark.row("R-107", "R-109", "R-138", "R-140", "R-193")
@pytest.mark.row(*(f"R-{number}" for number in (202, *range(204, 211), 213, 214)))
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("call", CALLS)
def test_illegal_calls_between_events(sim: ev.Simulation, call: str, place: Callable[..., str]) -> None:
    world = World(sim)
    number, what, act = CALLS[call]
    where = place(sim, lambda: act(world))
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=2.0)
    error = caught.value
    assert (error.number, error.text) == (number, TEXTS[number])
    assert 0.5 <= error.time <= 2.0
    assert str(error).startswith(f"error {number} at time {error.time!r}: {TEXTS[number]}. {what} was called between")
    assert str(error).endswith(f"(in {where})")
    assert getattr(error.caller, "name", None) == "rogue"
    of_law = place in (from_equations, from_contributions, from_when)
    expected = CONTINUOUS.get(call, "rogue" if of_law else None)
    assert getattr(error.continuous, "name", None) == expected
    expected = REPORTERS.get(call, "rogue" if place is from_report else None)
    assert getattr(error.reporter, "name", None) == expected
    assert error.variable is None


@pytest.mark.row("R-048")
@pytest.mark.parametrize("side", ["before", "at"])
@pytest.mark.parametrize(
    ("number", "act"),
    [
        (17, lambda sim, other, due: other.activate()),
        (17, lambda sim, other, due: other.activate(prior=True)),
        (17, lambda sim, other, due: other.activate(before=due)),
        (17, lambda sim, other, due: due.reactivate(delay=1.0)),
        (17, lambda sim, other, due: sim.process(later(sim))),
        (20, lambda sim, other, due: due.cancel()),
    ],
    ids=["plain", "prior", "neighbour", "later", "new", "cancel"],
)
def test_nobody_comes_before_the_expected_event(
    sim: ev.Simulation, number: int, act: Callable[..., Any], side: str
) -> None:
    """Just before a time event, or at that very time, whoever looks cannot change whose event it is."""
    due = sim.process(later(sim), name="due")
    other = Spare(sim, name="other")

    class Rogue(ev.Reporter):
        def report(self) -> None:
            if self.sim.time == 1.0 if side == "at" else 0.5 <= self.sim.time < 1.0:
                act(sim, other, due)

    Rogue(sim, name="rogue", every=0.25).start()
    with pytest.raises(ev.SimulationError) as caught:
        sim.run()
    assert (caught.value.number, caught.value.reporter.name) == (number, "rogue")
    assert due.next_event is None
    assert (due.event_time, sim.peek()) == (1.0, 1.0)


class Spare(ev.Process):
    def life(self) -> ev.ProcessGenerator:
        yield ev.hold(1.0)


@pytest.mark.row("R-215")
@pytest.mark.parametrize("call", CALLS)
def test_the_same_calls_are_legal_in_events(sim: ev.Simulation, call: str) -> None:
    world = World(sim)
    _, _, act = CALLS[call]
    log = []

    def clerk() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        act(world)
        log.append(sim.time)

    sim.process(clerk())
    sim.run(until=2.0)
    assert log == [1.0]


# --- the errors of the monitor itself ---------------------------------------------------------------------------------


def inaccurate(sim: ev.Simulation) -> dict[str, Any]:
    sim.dt_min = 0.1
    bad = ev.Variable(sim, 1.0, name="bad").start()
    ev.law(sim, lambda: bad.set_rate(-1000.0 * bad.state)).start()
    sim.run(until=1.0)
    return {"variable": "bad"}


def too_small_a_step(sim: ev.Simulation) -> dict[str, Any]:
    sim.run(until=1e20)
    sim.dt_max = 1.0

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(lambda: sim.time < 0)

    sim.process(waiter())
    sim.run(until=2e20)
    return {}


def nothing_scheduled(sim: ev.Simulation) -> dict[str, Any]:
    def sleeper() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        yield ev.passivate()

    sim.run(until=sim.process(sleeper()))
    return {}


def negative_dt_min(sim: ev.Simulation) -> dict[str, Any]:
    Ramp(sim).start()
    sim.dt_min = -1.0
    sim.run(until=1.0)
    return {}


def crossed_limits(sim: ev.Simulation) -> dict[str, Any]:
    Ramp(sim).start()
    sim.dt_min, sim.dt_max = 2.0, 1.0
    sim.run(until=1.0)
    return {}


def too_small_a_period(sim: ev.Simulation) -> dict[str, Any]:
    sim.run(until=1e17)
    Idle(sim, name="idle", every=1.0).start()
    sim.run(until=2e17)
    return {"reporter": "idle"}


def endless(sim: ev.Simulation) -> dict[str, Any]:
    Ramp(sim).start()
    sim.run()
    return {}


MONITOR: dict[int, tuple[float, Callable[[ev.Simulation], dict[str, Any]], dict[str, str], str]] = {
    1: (0.0, inaccurate, {"variable": "bad"}, "bad needs steps shorter than dt_min = 0.1"),
    2: (1e20, too_small_a_step, {}, "next step cannot be seen"),
    3: (1.0, nothing_scheduled, {}, "sleeper 1 waits for its activation"),
    4: (0.0, negative_dt_min, {}, "dt_min is -1.0"),
    5: (0.0, crossed_limits, {}, "dt_min is 2.0 and dt_max 1.0"),
    6: (1e17, too_small_a_period, {"reporter": "idle"}, "period 1.0 of idle"),
    7: (0.0, endless, {}, "no event can end this run"),
}


@pytest.mark.row("R-043", "R-045", "R-112", "R-191", "R-193", *(f"R-{n}" for n in range(194, 201)))
@pytest.mark.parametrize("number", MONITOR)
def test_errors_of_the_monitor(sim: ev.Simulation, number: int) -> None:
    time, reach, culprits, words = MONITOR[number]
    with pytest.raises(ev.SimulationError) as caught:
        reach(sim)
    error = caught.value
    assert (error.number, error.text, error.time) == (number, TEXTS[number], time)
    assert words in error.detail
    found = {name: getattr(error, name) for name in ("continuous", "reporter", "variable")}
    assert {name: who.name for name, who in found.items() if who is not None} == culprits


@pytest.mark.row("R-190")
def test_every_number_is_reached_and_has_its_three_lines() -> None:
    reached = {number for number, *_ in (*CALLS.values(), *COMMANDS.values())} | set(MONITOR)
    assert reached == set(TEXTS) == set(range(1, 21))
    error = ev.SimulationError(17, 2.5, "More of it.")
    assert error.lines == (
        "***COMBINEDSIMULATION",
        "***ERROR 17: ILLEGAL CALL OF (RE)ACTIVATE",
        "***ENCOUNTERED AT TIME 2.5",
    )


# --- what is no number ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limits", [{"dt_min": float("nan")}, {"dt_max": float("nan")}])
def test_limits_that_are_no_numbers(limits: dict[str, float]) -> None:
    sim = ev.Simulation(rng=1, **limits)
    Ramp(sim).start()
    with pytest.raises(ev.SimulationError, match="nan") as caught:
        sim.run(until=1.0)
    assert caught.value.number in (4, 5)


@pytest.mark.parametrize("value", [float("nan"), -1e-6])
def test_tolerances_are_numbers_from_zero_on(value: float) -> None:
    sim = ev.Simulation(rng=1)
    x = ev.Variable(sim, 1.0)
    for change in (
        lambda: sim.set_tolerances(rel_error=value),
        lambda: sim.set_tolerances(abs_error=value),
        lambda: ev.Variable(sim, 1.0, rel_error=value),
        lambda: setattr(x, "abs_error", value),
        lambda: Ramp(ev.Simulation(rng=1, abs_error=value)),
    ):
        with pytest.raises(ev.ModelError, match="tolerances are numbers from 0 on"):
            change()
    assert (sim.rel_error, sim.abs_error, x.rel_error, x.abs_error) == (1e-6, 1e-9, 1e-6, 1e-9)


@pytest.mark.parametrize("place", ["set_priority", "until", "until_priority", "when"])
def test_priorities_are_numbers(sim: ev.Simulation, place: str) -> None:
    nan = float("nan")

    def waiter() -> ev.ProcessGenerator:
        if place == "until_priority":
            sim.until_priority = nan
        yield ev.until(lambda: sim.time > 1.0, priority=nan if place == "until" else None)

    def use() -> None:
        if place == "set_priority":
            Ramp(sim).set_priority(nan)
        elif place == "when":
            ev.when(lambda self: True, priority=nan)
        else:
            sim.process(waiter())
            sim.run()

    with pytest.raises(ev.ModelError, match=r"priority.* number.* nan"):
        use()


def test_a_state_that_is_no_number_ends_in_error_one(sim: ev.Simulation) -> None:
    ramp = Ramp(sim, name="ramp").start()
    ramp.x = float("nan")
    with pytest.raises(ev.SimulationError, match="ramp") as caught:
        sim.run(until=1.0)
    assert caught.value.number == 1


HUGE = 10**400


class Numbers(ev.Continuous):
    """Takes numbers of all kinds."""

    x: ev.State = ev.state(0.0)
    u: ev.StateVector = ev.state_vector(0.0, size=2)
    size: float = 1.0
    count: int = 0

    def equations(self) -> None:
        self.rate.x = 1.0


def held(make: Any) -> Any:
    """What lets a process yield a command."""

    def go(sim: ev.Simulation) -> None:
        def story() -> ev.ProcessGenerator:
            yield make(sim)

        sim.process(story(), name="story")
        sim.run(until=1.0)

    return go


PLACES: dict[str, Any] = {
    "run(until=...)": lambda sim: sim.run(until=HUGE),
    "at=": lambda sim: ev.Process(sim).activate(at=HUGE),
    "delay=": lambda sim: ev.Process(sim).activate(delay=HUGE),
    "hold": held(lambda sim: ev.hold(HUGE)),
    "a process that yields its duration": held(lambda sim: HUGE),
    "a period": held(lambda sim: ev.tick(HUGE)),
    "hz=": held(lambda sim: ev.tick(hz=HUGE)),
    "offset=": lambda sim: ev.every(1.0, offset=HUGE),
    "a priority at desk": held(lambda sim: ev.Resource(sim, name="desk").request(priority=HUGE)),
    "the priority of the until of story": held(lambda sim: ev.until(lambda: False, priority=HUGE)),
    "the priority of one": lambda sim: Numbers(sim, name="one").set_priority(HUGE),
    "Numbers.x": lambda sim: Numbers(sim, x=HUGE),
    "Numbers.size": lambda sim: setattr(Numbers(sim), "size", HUGE),
    "Numbers.count": lambda sim: setattr(Numbers(sim), "count", HUGE),
    "loose.state": lambda sim: setattr(ev.Variable(sim, 1.0, name="loose"), "state", HUGE),
    "rel_error=": lambda sim: ev.Simulation(rel_error=HUGE),
    "abs_error": lambda sim: setattr(Numbers(sim)["x"], "abs_error", HUGE),
    "dt_max": lambda sim: setattr(sim, "dt_max", HUGE),
    "dt_min": lambda sim: setattr(sim, "dt_min", HUGE),
    "Step.height": lambda sim: ev.inputs.Step(1.0, HUGE),
    "LinearTable.values[1]": lambda sim: ev.inputs.LinearTable((0.0, 1.0), (0.0, HUGE)),
    "HeldTable.times[1]": lambda sim: ev.inputs.HeldTable((0.0, HUGE), (0.0, 1.0)),
    "tally 'waits'": lambda sim: sim.tally("waits").add(HUGE),
    "tally 'shares'": lambda sim: sim.tally("shares").add(Fraction(HUGE)),
    "level 'stock': set": lambda sim: sim.level("stock").set(HUGE),
    "vector.u": lambda sim: Numbers(sim, name="vector", u=[1.0, -HUGE]),
    "other.u": lambda sim: setattr(Numbers(sim, name="other"), "u", HUGE),
    "stream 'a': exponential(mean=...)": lambda sim: sim.stream("a").exponential(HUGE),
    "stream 'a': negexp(rate=...)": lambda sim: sim.stream("a").negexp(HUGE),
    "stream 'a': normal(stdev=...)": lambda sim: sim.stream("a").normal(0.0, HUGE),
    "stream 'a': uniform(b=...)": lambda sim: sim.stream("a").uniform(0.0, HUGE),
    "stream 'a': triangular(high=...)": lambda sim: sim.stream("a").triangular(0.0, 1.0, HUGE),
    "stream 'a': lognormal(mean=...)": lambda sim: sim.stream("a").lognormal(HUGE, 1.0),
    "stream 'a': weibull(scale=...)": lambda sim: sim.stream("a").weibull(1.0, HUGE),
    "stream 'a': gamma(shape=...)": lambda sim: sim.stream("a").gamma(HUGE, 1.0),
    "stream 'a': beta(b=...)": lambda sim: sim.stream("a").beta(1.0, HUGE),
    "stream 'a': erlang(mean=...)": lambda sim: sim.stream("a").erlang(HUGE, 2),
    "stream 'a': poisson(mean=...)": lambda sim: sim.stream("a").poisson(HUGE),
    "stream 'a': empirical()": lambda sim: sim.stream("a").empirical([1.0, HUGE]),
}


@pytest.mark.parametrize("place", PLACES)
def test_numbers_beyond_the_largest_float_are_refused_in_words(place: str) -> None:
    with pytest.raises(ev.InputError) as caught:
        PLACES[place](ev.Simulation())
    what = "got a number of 401 digits: numbers are floats, up to 1.8e308; or write inf"
    assert str(caught.value) == f"{place} {what}"


def test_a_number_too_large_for_an_item_names_the_vector(sim: ev.Simulation) -> None:
    vector = Numbers(sim, name="vector")
    with pytest.raises(OverflowError) as caught, vector["u"].write() as items:
        items[0] = HUGE
    assert caught.value.__notes__ == ["the items of vector.u are floats, up to 1.8e308"]
    assert list(vector.u) == [0.0, 0.0]


def test_a_whole_number_that_no_float_holds_is_no_limit_of_whole_numbers(sim: ev.Simulation) -> None:
    with pytest.raises(TypeError, match=r"randint\(.*both limits are integers"):
        sim.stream("a").randint(0.5, HUGE)  # type: ignore[arg-type]  # no integer
    assert sim.stream("a").randint(HUGE, HUGE + 1) in (HUGE, HUGE + 1)
