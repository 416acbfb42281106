"""Signal handlers that look at states: they wait while a step is under way, and see what comes to pass."""

from __future__ import annotations

import signal
from collections.abc import Callable
from typing import Any

import pytest

import eventide as ev
from eventide.rows import undisturbed

RINGS = signal.SIGUSR1


class Ball(ev.Continuous):
    """A ball whose laws and condition ring now and then, where they are Python."""

    height: ev.State = ev.state(1.0)
    velocity: ev.State = ev.state(0.0)
    thrown_at: float = 0.0
    thrown_from: float = 1.0
    speed: float = 0.0

    def equations(self) -> None:
        ring()
        self.rate.height = self.velocity
        ring()
        self.rate.velocity = -10.0

    def is_down(self) -> bool:
        ring()
        return self.height <= 0.0 and self.velocity < 0.0

    @ev.when(is_down)
    def bounce(self) -> None:
        self.thrown_at, self.thrown_from, self.speed = self.sim.time, 0.0, 3.0 + 0.5 * (self.sim.time % 1.0)
        self.height, self.velocity = 0.0, self.speed

    @property
    def exact(self) -> float:
        since = self.sim.time - self.thrown_at
        return self.thrown_from + self.speed * since - 5.0 * since * since


class Model:
    """Balls, of which each is a flow of its own at first, and a process."""

    def __init__(self, compiled: Any, stepping: Any = "apart", *, looks: bool = True) -> None:
        self.sim = ev.Simulation(compile=compiled, stepping=stepping, rel_error=1e-9, abs_error=1e-9)
        self.balls = [Ball(self.sim) for _ in range(3)]
        for k, ball in enumerate(self.balls):
            ball.height = ball.thrown_from = 1.0 + 0.25 * k
            ball.start()
        self.log: list[Any] = []
        self.seen: list[tuple[float, int, list[float], list[float]]] = []
        self.recording = self.sim.record(self.balls[0], every=0.25) if looks else None
        self.sim.process(self.life())

    def life(self) -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.375)
            self.log.append((self.sim.time, [ball.height for ball in self.balls]))

    def look(self, *_: object) -> None:
        heights = [ball.height for ball in self.balls]
        self.seen.append((self.sim.time, self.sim.events, heights, [ball.exact for ball in self.balls]))

    def found(self) -> Any:
        rows = None if self.recording is None else [self.recording[c.name].tolist() for c in self.recording.columns]
        return self.sim.time, self.sim.events, self.sim.monitor.steps, self.log, rows


def ring() -> None:
    calls.append(1)
    if len(calls) % 31 == 0:
        signal.raise_signal(RINGS)


calls: list[int] = []


@pytest.fixture(autouse=True)
def handler() -> Any:
    before = signal.signal(RINGS, signal.SIG_IGN)
    yield
    signal.signal(RINGS, before)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [False, True])
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("compiled", ["auto", pytest.param(False, marks=pytest.mark.slow)])
def test_who_looks_amid_a_step_sees_its_end_and_changes_nothing(compiled: Any, stepping: Any, looks: bool) -> None:
    plain, model = Model(compiled, stepping, looks=looks), Model(compiled, stepping, looks=looks)
    plain.sim.run(until=1.5)
    signal.signal(RINGS, model.look)
    model.sim.run(until=1.5)
    assert signal.getsignal(RINGS) == model.look
    assert model.found() == plain.found()
    assert len({seen[0] for seen in model.seen}) > 10
    for now, _, heights, exact in model.seen:
        assert heights == pytest.approx(exact, abs=1e-8), now


class Dark(Ball):
    """One whose laws cannot be compiled."""

    def equations(self) -> None:
        super().equations()
        _ = [ring() for _ in "a"]


@pytest.mark.slow
def test_what_a_handler_raises_that_has_waited_stops_the_run_and_the_next_goes_on() -> None:
    plain, model = Model(False, "together"), Model(False, "together")
    plain.sim.run(until=1.5)

    rings, stops = [0], list[float]()

    def limit(*_: object) -> None:
        rings[0] += 1
        if rings[0] % 7 == 0:
            raise TimeoutError("too long")

    signal.signal(RINGS, limit)
    while model.sim.time < 1.5:
        try:
            model.sim.run(until=1.5)
        except TimeoutError:
            stops.append(model.sim.time)
    assert len(set(stops)) > 4
    assert (model.sim.events, [when for when, _ in model.log]) == (plain.sim.events, [when for when, _ in plain.log])
    (times, heights), (right_times, right_heights) = map(recorded, (model, plain))
    assert times == right_times
    assert heights == pytest.approx(right_heights, abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("looks", [False, True])
def test_who_is_stopped_again_and_again_goes_on_in_time(looks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Laws in Python begin their steps with each run, and balls that move apart make one each before time goes on."""
    monkeypatch.setattr(undisturbed, "PATIENCE", 5.0)
    model, stops = Model(False, looks=looks), list[float]()

    def limit(*_: object) -> None:
        raise TimeoutError("too long")

    signal.signal(RINGS, limit)
    while model.sim.time < 0.3 and len(stops) < 20:
        try:
            model.sim.run(until=0.3)
        except TimeoutError:
            stops.append(model.sim.time)
    assert model.sim.time == 0.3
    assert len(stops) > 4
    assert stops[1:] == sorted(set(stops[1:]))
    assert [ball.height for ball in model.balls] == pytest.approx([ball.exact for ball in model.balls], abs=1e-8)


def recorded(model: Model) -> tuple[list[float], list[float]]:
    assert model.recording is not None
    return model.recording.times.tolist(), model.recording[model.recording.columns[0].name].tolist()


@pytest.mark.slow
def test_who_would_change_a_state_amid_a_march_is_refused() -> None:
    model = Model(False)

    def push(*_: object) -> None:
        model.balls[0].velocity = 9.0

    signal.signal(RINGS, push)
    with pytest.raises(ev.ModelError, match="velocity"):
        model.sim.run(until=1.5)


class Endless(ev.Continuous):
    """A law that does not end before somebody lets it."""

    level: ev.State = ev.state(0.0)
    is_let: bool = True

    def equations(self) -> None:
        turns = 0
        while not self.is_let:
            turns += 1
            if turns > 30_000_000:
                raise RuntimeError("nobody has let it end")
        self.rate.level = 1.0


def waiting(act: Callable[[Endless], None], monkeypatch: pytest.MonkeyPatch) -> Endless:
    """Run a law without end; a handler acts when it has waited for long."""
    monkeypatch.setattr(undisturbed, "PATIENCE", 0.05)
    sim = ev.Simulation(compile=False)
    model = Endless(sim).start()
    sim.run(until=1.0)
    model.is_let = False

    def lets(*_: object) -> None:
        act(model)
        model.is_let = True

    signal.signal(signal.SIGALRM, lets)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        sim.run(until=2.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return model


def test_a_handler_does_not_wait_for_a_law_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert waiting(lambda model: None, monkeypatch).level == pytest.approx(2.0)


def test_who_has_waited_too_long_is_refused_to_see_a_state_amid_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    other = []

    def look(model: Endless) -> None:
        other.append(model.level)

    with pytest.raises(ev.ModelError, match="a signal handler has looked at a state amid a step"):
        waiting(look, monkeypatch)
