"""Conditions doze while their state stays between two levels: nothing is missed, and nobody who is far off is asked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from continuous.enclosed import DEGREE, paths, prepared, state, states
from hypothesis import given, settings
from hypothesis import strategies as st

import eventide as ev
from eventide.continuous.guards.guards import MOST_AT_REST
from eventide.continuous.python_callbacks import Host
from eventide.enclosures import guard_expressions
from eventide.enclosures.guard_expressions import GuardExpression
from eventide.enclosures.trees import BooleanTree, Comparison, Junction
from eventide.engine import event_location, guard_screening
from eventide.engine.codes import CEILING, FLOOR, HIGHEST, LOWEST, Y2, Y
from eventide.methods import DOP853, ENGLAND

# --- levels ----------------------------------------------------------------------------------------------------------


class Line(NamedTuple):
    """A comparison of one state with numbers: as the stepper has it, as Python has it, and as text."""

    form: GuardExpression
    value: Callable[[float], float]
    text: str


def _with(number: float, name: str, one: Line) -> Line:
    still, inner = guard_expressions.literal(number), one.value
    made: dict[str, tuple[Any, Callable[[float], float]]] = {
        "+": (guard_expressions.total(one.form, still), lambda x: inner(x) + number),
        "-": (guard_expressions.difference(one.form, still), lambda x: inner(x) - number),
        "from": (guard_expressions.difference(still, one.form), lambda x: number - inner(x)),
        "*": (guard_expressions.product(one.form, still), lambda x: inner(x) * number),
        "/": (guard_expressions.quotient(one.form, still), lambda x: inner(x) / number),
        "negative": (guard_expressions.negative(one.form), lambda x: -inner(x)),
    }
    form, value = made[name]
    return Line(form, value, f"({one.text} {name} {number!r})")


def _of_two(name: str, one: Line, other: Line) -> Line:
    if name == "+":
        form, value = guard_expressions.total(one.form, other.form), lambda x: one.value(x) + other.value(x)
    else:
        form, value = guard_expressions.difference(one.form, other.form), lambda x: one.value(x) - other.value(x)
    assert form
    return Line(form, value, f"({one.text} {name} {other.text})")


numbers = st.one_of(st.sampled_from([0.1, 1.0, 3.0, -7.0, 1e-9, 1e9]), st.floats(-100.0, 100.0)).filter(bool)
lines = st.recursive(
    st.just(Line(state(), lambda x: x, "x")),
    lambda inner: st.one_of(
        st.builds(_with, numbers, st.sampled_from(["+", "-", "from", "*", "/", "negative"]), inner),
        st.builds(_of_two, st.sampled_from(["+", "-"]), inner, inner),
    ),
    max_leaves=4,
)


class Test(NamedTuple):
    """A condition of several of them."""

    tree: BooleanTree
    is_true: Callable[[float], bool]
    text: str

    __test__ = False


def _leaf(line: Line) -> Test:
    return Test(Comparison(line.form), lambda x: line.value(x) >= 0.0, line.text)


def _joint(word: str, one: Test, other: Test) -> Test:
    join: Any = all if word == "and" else any
    return Test(
        Junction(word, one.tree, other.tree),
        lambda x: join((one.is_true(x), other.is_true(x))),
        f"({one.text} {word} {other.text})",
    )


tests = st.recursive(
    lines.map(_leaf),
    lambda inner: st.builds(_joint, st.sampled_from(["and", "or"]), inner, inner),
    max_leaves=3,
)


def levels(tree: BooleanTree, now: float) -> tuple[float, float] | None:
    """Between which levels the stepper takes a condition for false, told the state now; None if it finds none."""
    arrays = prepared(tree, [[now] + [0.0] * DEGREE])
    arrays = arrays._replace(constants=memoryview(np.full(8, math.nan)))
    arrays.rows[Y, 0] = now
    guard_screening.find_levels(arrays, 0, 0, 0)
    if not arrays.guard.can_be_screened[0]:
        return None
    return arrays.constants[FLOOR], arrays.constants[CEILING]


@pytest.mark.slow
@settings(max_examples=500)
@given(tests, st.floats(-50.0, 50.0), st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4))
def test_between_its_levels_a_condition_is_false(test: Test, now: float, shares: Sequence[float]) -> None:
    found = levels(test.tree, now)
    if found is None:
        return
    floor, ceiling = found
    assert floor < now < ceiling
    near = [math.nextafter(floor, math.inf), math.nextafter(ceiling, -math.inf), now]
    for x in (*near, *(floor + share * (ceiling - floor) for share in shares), *(now * share for share in shares)):
        if floor < x < ceiling:
            assert not test.is_true(x), f"{test.text} at {x!r}"


FAR = guard_screening.FARTHEST_LEVEL
RISING, FALLING = (
    guard_expressions.difference(state(), guard_expressions.literal(5.0)),
    guard_expressions.difference(guard_expressions.literal(2.0), state()),
)
LEVELS: dict[str, tuple[BooleanTree, tuple[float, float] | None]] = {
    "x >= 5": (Comparison(RISING), (-FAR, 5.0)),
    "x <= 2": (Comparison(FALLING), (2.0, FAR)),
    "x >= 5 or x <= 2": (Junction("or", Comparison(RISING), Comparison(FALLING)), (2.0, 5.0)),
    "x >= 5 and x <= 2": (Junction("and", Comparison(RISING), Comparison(FALLING)), (-FAR, FAR)),
    "-3 * x + 1 >= 10": (
        Comparison(
            guard_expressions.difference(
                guard_expressions.total(
                    guard_expressions.product(state(), guard_expressions.literal(-3.0)), guard_expressions.literal(1.0)
                ),
                guard_expressions.literal(10.0),
            )
        ),
        (-3.0, FAR),
    ),
    "x * x >= 25": (
        Comparison(
            guard_expressions.difference(guard_expressions.product(state(), state()), guard_expressions.literal(25.0))
        ),
        None,
    ),
    "x - x >= 1": (
        Comparison(
            guard_expressions.difference(guard_expressions.difference(state(), state()), guard_expressions.literal(1.0))
        ),
        None,
    ),
    "x >= y": (Comparison(guard_expressions.difference(state(0), state(1))), None),
    "x >= 3": (Comparison(guard_expressions.difference(state(), guard_expressions.literal(3.0))), None),
}


@pytest.mark.parametrize("text", LEVELS)
def test_levels_are_where_a_comparison_changes(text: str) -> None:
    """The state is 3: where that is on its level, and where a condition is no line, none is found."""
    tree, expected = LEVELS[text]
    found = levels(tree, 3.0)
    assert found == (expected and pytest.approx(expected, rel=1e-12))


# --- how far a state goes --------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=300)
@given(paths, st.floats(0.01, 2.0), st.floats(0.01, 2.0))
def test_a_screened_condition_has_a_state_between_its_levels_all_over_the_step(
    moved: Sequence[Sequence[float]], below: float, above: float
) -> None:
    """The levels are as far from the chord as what is bent may reach, or a part of that."""
    arrays = prepared(Comparison(RISING), moved)
    ends, bend = [states(moved, share)[0] for share in (0.0, 1.0)], sum(abs(part) for part in moved[0][2:])
    floor, ceiling = min(ends) - below * bend, max(ends) + above * bend
    arrays.rows[Y2, 0] = ends[1]
    lowest, highest = guard_screening.bounds_of(arrays, 0)
    if floor < lowest and highest < ceiling:
        assert all(floor < states(moved, k / 64)[0] < ceiling for k in range(65))
    else:
        assert min(below, above) < 1.01 or bend < 1e-9


def test_a_state_that_goes_along_its_chord_may_go_as_far_as_its_level() -> None:
    arrays = prepared(Comparison(RISING), [[1.0, 3.0, 0.0, 0.0, 0.0, 0.0]])
    arrays.rows[Y2, 0] = 4.0
    lowest, highest = guard_screening.bounds_of(arrays, 0)
    assert 0.999999 < lowest < 1.0
    assert 4.0 < highest < 4.000001


# --- models ----------------------------------------------------------------------------------------------------------


class Pool(ev.Continuous):
    level: ev.State = ev.state(10.0)
    drawn: ev.Summed = ev.summed()

    def equations(self) -> None:
        self.rate.level = 0.3 * (12.0 - self.level) - 0.01 * self.drawn


class Cell(ev.Continuous):
    pool: Pool
    speed: float
    limit: float
    x: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.pool.drawn += self.speed * (self.pool.level - self.x)

    def equations(self) -> None:
        self.rate.x = self.speed * (self.pool.level - self.x)


class Alarm(Cell):
    """Is emptied whenever it is too full."""

    log: list[Any]

    @ev.when(lambda self: self.x >= self.limit)
    def empty(self) -> None:
        self.log.append((self.sim.time, self.name, self.x))
        self.x = 1.0


Log = list[Any]


def crowd(sim: ev.Simulation, log: Log) -> None:
    """Thirty cells and ten alarms over one pool: waits, handlers, limits that change, who stops and starts again."""
    pool = Pool(sim, name="pool").start()
    cells = [Cell(sim, name=f"cell {k}", pool=pool, speed=0.1 + 0.01 * k, limit=4.0 + 0.11 * k) for k in range(30)]
    alarms = [
        Alarm(sim, name=f"alarm {k}", pool=pool, speed=0.2 + 0.03 * k, limit=5.0 + 0.2 * k, log=log) for k in range(10)
    ]
    for item in (*cells, *alarms):
        item.start()

    def life(cell: Cell) -> ev.ProcessGenerator:
        yield ev.until(lambda: cell.x >= cell.limit)
        log.append((sim.time, cell.name, cell.x, pool.level))
        cell.x = 0.0
        yield ev.until(lambda: 2.0 * cell.x > 5.0 or cell.x < -1.0)
        log.append((sim.time, cell.name, "again", cell.x))
        cell.stop()
        yield ev.hold(0.4)
        cell.start()
        yield ev.until(lambda: not (cell.x < 3.0))
        log.append((sim.time, cell.name, "at last", cell.x))

    def changes() -> ev.ProcessGenerator:
        yield ev.hold(2.0)
        cells[7].limit = cells[7].x - 0.5  # it is true now
        alarms[9].limit = 4.0
        yield ev.hold(1.0)
        cells[29].x = 100.0
        alarms[0].stop()
        yield ev.hold(1.0)
        alarms[0].x = 50.0
        alarms[0].start()

    for cell in cells:
        sim.process(life(cell))
    sim.process(changes())


def run(make: Callable[[ev.Simulation, Log], None], until: float, **options: Any) -> tuple[ev.Simulation, Log]:
    method = options.pop("method", ENGLAND)
    sim = ev.Simulation(rng=1, rel_error=1e-8, abs_error=1e-8, **options)
    sim.method = method
    log: Log = []
    make(sim, log)
    sim.run(until=until)
    log.append((sim.time, "end", *(v.state for v in sim.variables), sim.monitor.steps, sim.monitor.refused))
    return sim, log


each_way = pytest.mark.parametrize("stepping", ["apart", "together"])
each_method = pytest.mark.parametrize("method", [ENGLAND, DOP853], ids=["England", "853"])


@pytest.mark.slow
@each_way
@each_method
def test_screening_misses_nothing(stepping: str, method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether all conditions are looked at in each step, or those that are not screened: the same to the last bit."""
    log = run(crowd, 9.0, compile=False, stepping=stepping, method=method)[1]
    assert len(log) > 110
    monkeypatch.setattr(event_location, "screen", lambda *_: None)
    assert run(crowd, 9.0, compile=False, stepping=stepping, method=method)[1] == log


@pytest.mark.slow
@each_way
@each_method
def test_the_same_are_screened_in_native_code(stepping: str, method: Any) -> None:
    plain, native = (run(crowd, 9.0, compile=c, stepping=stepping, method=method)[1] for c in (False, True))
    assert native == plain


def bounds(**options: Any) -> list[tuple[float, ...]]:
    """Between what each state has been found to stay in the last step."""
    motion = run(crowd, 1.0, stepping="together", **options)[0]._continuum.integrator
    (flow,) = motion.flows.values()
    lowest, highest = motion.storage.table[[LOWEST, HIGHEST]].tolist()
    return [(lowest[slot], highest[slot]) for slot in flow.slots]


@pytest.mark.slow
def test_bounds_are_reckoned_for_all_states_at_once_or_for_each_and_are_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Forty conditions over forty-one states: natively four states at a time, and the last by itself."""
    plain = bounds(compile=False)
    assert len(plain) == 41
    assert all(lowest < highest for lowest, highest in plain)
    assert bounds(compile=True) == plain
    monkeypatch.setattr(guard_screening, "MANY", 1000)
    alone = bounds(compile=False)
    assert alone[1:] == plain[1:]  # no condition depends on the pool
    assert alone[0] == (0.0, 0.0)


class Ramp(ev.Continuous):
    """Moves with the others, as each adds to one sum."""

    pool: Pool
    limit: float
    x: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.pool.drawn += 0.0

    def equations(self) -> None:
        self.rate.x = 1.0


def wait(ramp: Ramp) -> ev.ProcessGenerator:
    yield ev.until(lambda: ramp.x >= ramp.limit)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often a condition has been tested in Python, by the name of its process."""
    counts: dict[str, int] = {}
    test = Host.is_true

    def counted(host: Host, c: int, f: int, time: float, dt: float) -> bool:
        name = host.integrator.guards.at[c].name
        counts[name] = counts.get(name, 0) + 1
        return test(host, c, f, time, dt)

    monkeypatch.setattr(Host, "is_true", counted)
    return counts


def ramps(sim: ev.Simulation, limits: Sequence[float]) -> list[Ramp]:
    pool = Pool(sim).start()
    made = [Ramp(sim, pool=pool, limit=limit).start() for limit in limits]
    for k, ramp in enumerate(made):
        sim.process(wait(ramp), name=f"wait {k}")
    return made


def test_who_is_far_off_is_asked_no_more_however_many_steps_and_events_there_are(asked: dict[str, int]) -> None:
    """At the start, as its levels follow from numbers that a test leaves, and at the end of the first step."""
    sim = ev.Simulation(compile=False, stepping="together", dt_max=0.25)
    ramps(sim, [3.3, 6.1, 1000.0, 50.0, 1e9])
    sim.run(until=0.25)
    assert sim.monitor.steps == 1
    first = dict(asked)
    sim.run(until=10.0)
    assert sim.monitor.steps > 40
    assert sim.monitor.state_events == 2
    assert [asked[f"wait {k}"] - first[f"wait {k}"] for k in (2, 3, 4)] == [0, 0, 0]
    assert all(3 < asked[f"wait {k}"] - first[f"wait {k}"] < 20 for k in (0, 1))


def test_a_number_that_is_written_has_all_asked_again_who_may_read_it(asked: dict[str, int]) -> None:
    sim = ev.Simulation(compile=False, stepping="together", dt_max=0.25)
    far = ramps(sim, [50.0, 60.0])
    before: dict[str, int] = {}

    def lower() -> ev.ProcessGenerator:
        yield ev.hold(5.0)
        before.update(asked)
        far[0].limit = 4.0

    sim.process(lower())
    sim.run(until=10.0)
    assert sim.monitor.state_events == 1
    # One is true at once; the other is tested after both events, and at the end of the next step.
    assert {name: asked[name] - before[name] for name in asked} == {"wait 0": 1, "wait 1": 3}


@pytest.mark.parametrize("others", [1, 20])
@pytest.mark.parametrize("compiles", [True, False])
def test_a_screened_condition_is_tested_when_its_state_is_stopped_and_set(compiles: bool, others: int) -> None:
    """A state that stands still has no interpolant: what was known of it in the last step is not believed."""
    sim = ev.Simulation(compile=compiles, dt_max=0.25)
    far = ramps(sim, [50.0, 60.0, *([70.0] * others)])
    log: Log = []

    def story() -> ev.ProcessGenerator:
        yield ev.hold(5.0)
        far[1]["x"].stop()
        yield ev.hold(2.0)
        far[1].x = 60.0
        yield ev.until(lambda: far[1].x >= 60.0)
        log.append(sim.time)

    sim.process(story())
    sim.run(until=10.0)
    assert log == [7.0]
    assert sim.monitor.state_events == 2


@pytest.mark.slow
@pytest.mark.parametrize("returns", [True, False])
def test_entries_of_those_who_have_left_are_used_again(returns: bool) -> None:
    sim = ev.Simulation(compile=False)
    pool = Pool(sim).start()

    def come_and_go(k: int) -> ev.ProcessGenerator:
        while sim.time < 5.0:
            yield ev.first_of(full=ev.until(lambda: pool.level > 100.0 + k), late=ev.hold(0.1 + 0.01 * k))
            if not returns:
                sim.process(come_and_go(k))
                return

    for k in range(12):
        sim.process(come_and_go(k))
    sim.run(until=5.0)
    assert sim.events > 350
    (flow,) = sim._continuum.integrator.flows.values()
    known, f = sim._continuum.integrator.memory.flow, flow.number
    assert len(flow.conditions) <= 12 + (12 + 2 * MOST_AT_REST)  # who waits, and who is at rest
    assert known.entries[f] <= known.entries_room[f] <= (32 if returns else 64)
    assert known.unscreened[f] + known.entries_left[f] <= known.entries[f]


class Refilled(ev.Continuous):
    x: ev.State = ev.state(0.0)
    times: list[float] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0 - 0.1 * self.x

    @ev.when(lambda self: self.x >= 1.0)
    def empty(self) -> None:
        self.x = 0.25
        self.times.append(self.sim.time)


@pytest.mark.parametrize("compiles", [True, False])
def test_a_handler_that_has_set_its_state_back_is_armed_before_an_event_that_makes_its_condition_true(
    compiles: bool,
) -> None:
    sim = ev.Simulation(compile=compiles, dt_max=0.05)  # no step leads out of the levels before the next event
    tank = Refilled(sim).start()

    def fill() -> ev.ProcessGenerator:
        yield ev.hold(1.5)
        tank.x = 2.0

    sim.process(fill())
    sim.run(until=2.0)
    assert tank.times == pytest.approx([math.log(1.0 / 0.9) / 0.1, 1.5], abs=1e-9)
