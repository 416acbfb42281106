"""Ctrl-C while states move: the run stops where all of them can be shown, and goes on as if it had not."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import eventide as ev
from eventide.continuous import pauses
from eventide.engine.codes import PAUSED

kinds = pytest.mark.parametrize(
    ("compiled", "stepping"),
    [
        pytest.param(compiled, stepping, marks=[] if compiled else pytest.mark.slow)
        for compiled in ("auto", False)
        for stepping in ("apart", "together")
    ],
)


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(0.0)
    turns: int = 0

    def equations(self) -> None:
        self.rate.angle = self.speed
        self.rate.speed = -self.angle

    @ev.when(lambda self: self.angle < -0.9)
    def turn(self) -> None:
        self.turns += 1
        self.speed *= 1.01


class Decay(ev.Continuous):
    amount: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.amount = -0.1 * self.amount


class Model:
    """Two flows, a process, and all kinds of looks at them."""

    def __init__(self, compiled: Any, stepping: Any, *, looks: bool, method: Any = None) -> None:
        self.sim = sim = ev.Simulation(rng=1, compile=compiled, stepping=stepping, rel_error=1e-10, abs_error=1e-10)
        if method is not None:
            sim.method = method
        self.swing, self.decay = Swing(sim).start(), Decay(sim).start()
        self.log: list[Any] = []
        self.recordings = []
        self.integrals = []
        if looks:
            self.recordings = [sim.record(self.swing, self.decay, every=every) for every in (0.03, "step", "event")]
            self.recordings.append(sim.record(self.decay, twice=lambda: 2.0 * self.swing.angle, every=0.07))
            self.integrals = [sim.integral(lambda: self.swing.angle * self.decay.amount)]
        sim.process(self.life())

    def life(self) -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: self.decay.amount < 0.5)
            self.log.append(self.sim.time)
            self.decay.amount = 1.0
            yield ev.hold(0.5)

    def rows(self, leaving_out: float = -1.0) -> list[Any]:
        """The rows of all recordings, but for those of one time."""
        found = []
        for recording in self.recordings:
            columns = [recording[column.name].tolist() for column in recording.columns]
            rows = zip(recording.times.tolist(), recording.sides.tolist(), *columns, strict=True)
            found.append([row for row in rows if row[0] != leaving_out])
        return found

    def found(self) -> Any:
        """All else that can be read of it, without the number of steps."""
        swing = self.swing
        states = swing.angle, swing.speed, swing.turns, self.decay.amount, swing.rate.speed
        return self.sim.time, self.sim.events, states, self.log


def press() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def python_listens() -> Any:
    """As in a terminal; whoever starts a program in the background lets it ignore the key."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marches come back soon, however long they take on this machine."""
    monkeypatch.setattr(pauses, "MOST", 20.0)
    for clock in ("perf_counter", "thread_time"):
        monkeypatch.setattr(pauses, clock, lambda: 0.0)


def press_at_march(sim: ev.Simulation, number: int, code: int | None = None) -> None:
    """Press the key while the stepper runs for the nth time, or comes back for the nth time with this code."""
    motion, left = sim._continuum.integrator, [number]
    proceed: Callable[..., int] = motion.engine.proceed
    motion.run.work_limit = pauses.MOST

    def pressed(*arguments: Any) -> int:
        answer = proceed(*arguments)
        if code in (None, answer):
            left[0] -= 1
            if left[0] == 0:
                press()
        return answer

    motion.engine = replace(
        motion.engine, proceed=pressed, proceed_away=lambda a, now, stop: pressed(a, now, stop, -1, 0.0)
    )


@pytest.mark.slow
@kinds
def test_a_march_comes_back_and_that_changes_nothing(monkeypatch: Any, compiled: Any, stepping: Any) -> None:
    found, counts = [], []
    for most in (1.0, 20.0, 2.0**17):
        monkeypatch.setattr(pauses, "MOST", most)
        model = Model(compiled, stepping, looks=True)
        model.sim.run(until=9.0)
        found.append((model.found(), model.rows(), [integral.value for integral in model.integrals]))
        counts.append((model.sim.monitor.steps, model.sim.monitor.refused, model.sim.monitor.system.evaluations))
    assert found[0] == found[1] == found[2]
    assert counts[0] == counts[1] == counts[2]


@pytest.mark.slow
@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_march_comes_back_after_so_much_work(often: None, compiled: Any) -> None:
    sim = ev.Simulation(compile=compiled, dt_max=0.1)
    Decay(sim).start()
    motion, codes = sim._continuum.integrator, []
    proceed = motion.engine.proceed
    motion.run.work_limit = pauses.MOST

    def told(*arguments: Any) -> int:
        codes.append(proceed(*arguments))
        return codes[-1]

    motion.engine = replace(motion.engine, proceed=told, proceed_away=lambda a, now, stop: told(a, now, stop, -1, 0.0))
    sim.run(until=20.0)
    assert sim.monitor.steps == 200
    assert codes.count(PAUSED) == 200 * 2 // 22  # a step of one state is work of two


@kinds
@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("number", [1, 4])
def test_a_run_that_is_stopped_in_the_stepper_is_two_runs(
    often: None, compiled: Any, stepping: Any, looks: bool, number: int
) -> None:
    model = Model(compiled, stepping, looks=looks)
    press_at_march(model.sim, number, None if looks else PAUSED)
    with pytest.raises(KeyboardInterrupt) as caught:
        model.sim.run(until=9.0)
    stopped_at = model.sim.time
    assert 0.0 < stopped_at < 9.0
    assert caught.value.__notes__ == [
        f"the run has stopped at time {stopped_at!r}: the next sim.run(...) continues from there"
    ]

    split, whole = Model(compiled, stepping, looks=looks), Model(compiled, stepping, looks=looks)
    split.sim.run(until=stopped_at)
    assert [row[:2] for rows in model.rows() for row in rows] == [row[:2] for rows in split.rows() for row in rows]
    if stepping == "apart":
        assert (model.found(), model.rows()) == (split.found(), split.rows())
    for each in (model, whole):
        each.sim.run(until=9.0)
    assert [integral.value for integral in model.integrals] == pytest.approx([i.value for i in whole.integrals])
    if stepping == "apart":
        assert model.found() == whole.found()
        assert model.rows(stopped_at) == whole.rows(stopped_at)
    else:  # there each run begins a step
        assert model.found()[:2] == whole.found()[:2]
        assert model.found()[2] == pytest.approx(whole.found()[2], abs=1e-8)
        assert model.log == pytest.approx(whole.log, abs=1e-8)


class Pressing(ev.Continuous):
    """What happens to it, in Python and at the places that it names, presses the key once."""

    x: ev.State = ev.state(0.0)
    where: str = ""
    presses: list[str] = ev.field(default_factory=list)

    def press_in(self, where: str) -> float:
        if where == self.where and self.x > 0.5 and not self.presses:
            self.presses.append(where)
            press()
        return 0.0

    def equations(self) -> None:
        self.rate.x = 1.0 + 0.1 * self.x + self.press_in("law")

    @ev.when(lambda self: self.x > 1.0)
    def handler(self) -> None:
        self.press_in("handler")

    @ev.every(0.125)
    def tick(self) -> None:
        self.press_in("every")


PLACES = ["law", "handler", "every", "condition", "report", "grid", "recording", "process", "integral"]


@pytest.mark.slow
@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("place", PLACES)
def test_code_in_which_the_key_is_pressed_comes_to_its_end(compiled: Any, place: str) -> None:
    found: list[Any] = []
    values: list[Any] = []
    for where in (place, ""):
        sim = ev.Simulation(rng=1, compile=compiled)
        pressing, log = Pressing(sim, where=where, name="it").start(), []

        class Eye(ev.Reporter):
            place: str

            def report(self, pressing: Pressing = pressing) -> None:
                pressing.press_in(self.place)

        def life(pressing: Pressing = pressing, log: list[Any] = log, sim: ev.Simulation = sim) -> ev.ProcessGenerator:
            yield ev.until(lambda: pressing.x + pressing.press_in("condition") > 0.8)
            log.append(("high", sim.time))
            yield ev.hold(0.3)
            pressing.press_in("process")
            log.append(("later", sim.time))

        Eye(sim, every="step", place="report").start()
        Eye(sim, every=0.01, place="grid").start()
        trace = sim.record(
            pressing, more=lambda pressing=pressing: pressing.x + pressing.press_in("recording"), every=0.1
        )
        integral = sim.integral(lambda pressing=pressing: pressing.x + pressing.press_in("integral"))
        sim.process(life())
        if where:
            with pytest.raises(KeyboardInterrupt):
                sim.run(until=2.0)
            stopped_at = sim.time
            assert 0.3 < stopped_at < 1.25
            assert pressing.presses == [place]
            assert pressing.x == pytest.approx(10.0 * (2.718281828459045 ** (0.1 * stopped_at) - 1.0), rel=1e-5)
        sim.run(until=2.0)
        times, more = trace.times, trace["more"]
        kept = times != stopped_at
        assert kept.sum() >= 20
        found.append((sim.time, sim.events, [word for word, _ in log], times[kept].tolist()))
        # A flow whose law is Python code begins a step with each run.
        values.append([pressing.x, integral.value, *(time for _, time in log), *more[kept].tolist()])
    assert found[0] == found[1]
    assert values[0] == pytest.approx(values[1], rel=1e-5)


@pytest.mark.parametrize("compiled", ["auto", False])
def test_a_march_that_calls_python_comes_back_at_the_end_of_its_step(compiled: Any) -> None:
    class Opaque(ev.Continuous):
        x: ev.State = ev.state(0.0)
        calls: list[float] = ev.field(default_factory=list)

        def equations(self) -> None:
            self.calls.append(self.sim.time)
            if len(self.calls) == 30:
                press()
            self.rate.x = 1.0

    sim = ev.Simulation(compile=compiled, dt_max=0.125)
    opaque = Opaque(sim).start()
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=20.0)
    assert opaque.calls[29] <= sim.time <= opaque.calls[29] + 0.125
    assert len(opaque.calls) < 40


def test_who_begins_to_wait_as_the_key_is_pressed_does_not_hide_it() -> None:
    sim = ev.Simulation()
    decay = Decay(sim).start()

    def life() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        press()
        yield ev.until(ev.crosses(lambda: decay.amount, 0.5))

    process = sim.process(life())
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=10.0)
    assert (sim.time, process.terminated) == (1.0, False)
    sim.run(until=10.0)
    assert process.terminated


def test_looks_between_two_events_are_an_occasion_to_stop() -> None:
    sim = ev.Simulation()
    seen = []

    class Eye(ev.Reporter):
        def report(self) -> None:
            seen.append(sim.time)
            if sim.time == 3.0 and len(seen) == 4:
                press()

    Eye(sim, every=1.0).start()
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt) if len(seen) < 4 else contextlib.nullcontext():
            sim.run(until=6.0)
    assert seen == [0.0, 1.0, 2.0, 3.0, 4.0, 4.0, 5.0, 6.0]


def test_stiff_flows_stop_too(often: None) -> None:
    model = Model("auto", "apart", looks=False, method=ev.methods.RADAU)
    press_at_march(model.sim, 3, PAUSED)
    with pytest.raises(KeyboardInterrupt):
        model.sim.run(until=9.0)
    whole = Model("auto", "apart", looks=False, method=ev.methods.RADAU)
    assert 0.0 < model.sim.time < 9.0
    for each in (model, whole):
        each.sim.run(until=9.0)
    assert model.found() == whole.found()


def test_a_step_of_more_work_than_that_is_made_all_the_same(monkeypatch: Any) -> None:
    monkeypatch.setattr(pauses, "MOST", 0.5)
    sim = ev.Simulation(dt_max=0.1)
    decay = Decay(sim).start()
    sim._continuum.integrator.run.work_limit = 0.5
    sim.run(until=1.0)
    assert decay.amount == pytest.approx(2.718281828459045**-0.1, rel=1e-9)


def test_a_long_wait_for_what_never_comes_can_be_ended(often: None) -> None:
    """A periodic input may make a condition true at any time, so that such a run has no end of its own."""
    sim = ev.Simulation()
    wave = ev.inputs.Pulse(period=1.0, width=0.5)
    press_at_march(sim, 50)
    with pytest.raises(KeyboardInterrupt) as caught:
        sim.run(until=lambda: wave(sim.time) > 1.5)
    assert sim.time >= 20.0
    assert str(sim.time) in caught.value.__notes__[0]


def test_an_error_between_events_is_no_event() -> None:
    sim = ev.Simulation(rel_error=0.0, abs_error=0.0)
    Decay(sim).start()
    with pytest.raises(ev.SimulationError):
        sim.run(until=1.0)
    assert sim.events == 0
