"""Plain objects that laws refer to: their numbers, their tables, and those that are called like functions."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from compiled.harness import compare_law, new_registry

import eventide as ev


@dataclass(frozen=True)
class Ramp:
    start: float
    slope: float = 2.0

    def __call__(self, t: float) -> float:
        return self.slope * max(t - self.start, 0.0)


@dataclass(frozen=True, slots=True)
class Profile:
    """Straight between the points of a table, level outside."""

    times: tuple[float, ...]
    heights: tuple[float, ...]

    def __call__(self, t: float) -> float:
        times, heights = self.times, self.heights
        if t <= times[0]:
            return heights[0]
        if t >= times[-1]:
            return heights[-1]
        k = bisect_right(times, t)
        return heights[k - 1] + (t - times[k - 1]) * (heights[k] - heights[k - 1]) / (times[k] - times[k - 1])


class Wave:
    """Neither frozen nor a dataclass."""

    def __init__(self, amplitude: float) -> None:
        self.amplitude = amplitude

    def __call__(self, t: float, *, shift: float = 0.0) -> float:
        return self.amplitude * math.sin(t + shift)


@dataclass(frozen=True)
class Total:
    parts: tuple[Callable[[float], float], ...]

    def __call__(self, t: float) -> float:
        return sum(part(t) for part in self.parts)


@dataclass(frozen=True)
class Held:
    """Zero-order hold of samples."""

    period: float
    samples: tuple[float, ...] = field(default=(1.0, -1.0, 0.5))

    def __call__(self, t: float) -> float:
        return self.samples[min(max(math.floor(t / self.period), 0), len(self.samples) - 1)]


def cube(t: float) -> float:
    return t * t * t


class Mass(ev.Continuous):
    force: Any
    speed: ev.State = ev.state(0.0)
    seen: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.seen = self.force(self.sim.time)
        self.rate.speed = self.seen - self.speed

    def shifted(self) -> None:
        self.rate.speed = self.force(t=self.sim.time - 1.0) + self.force(self.speed)


PROFILE = Profile((0.0, 0.5, 2.0), (0.0, 1.0, -1.0))
SIGNALS = {
    "ramp": Ramp(0.5),
    "profile": PROFILE,
    "wave": Wave(1.5),
    "total": Total((Ramp(-1.0, 0.25), PROFILE, Wave(0.5), cube)),
    "held": Held(0.25),
    "function": cube,
}


@pytest.fixture(scope="module")
def registry():
    return new_registry()


@pytest.mark.slow
@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("function", [Mass.equations, Mass.shifted], ids=["time", "state"])
def test_objects_are_called_like_functions(registry, name, function) -> None:
    mass = Mass(ev.Simulation(rng=1), force=SIGNALS[name])
    assert compare_law(registry, mass, function).equal == 60


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.parametrize("name", SIGNALS)
def test_runs_with_signals_are_the_same_compiled_and_plain(name) -> None:
    def run(compiled: bool) -> tuple[Any, ...]:
        sim = ev.Simulation(compile=compiled, stepping="together")
        mass = Mass(sim, force=SIGNALS[name]).start()
        woken = []

        def wait() -> ev.ProcessGenerator:
            yield ev.until(lambda: mass.force(sim.time) > 0.9 or sim.time > 1.8)
            woken.append(sim.time)

        sim.process(wait())
        sim.run(until=2.0)
        return mass.speed, mass.seen, woken, sim.monitor.steps

    native = run(True)
    assert native == run(False)
    assert len(native[2]) == 1


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
def test_another_object_and_other_numbers_in_it_count_from_the_event_on() -> None:
    sim = ev.Simulation(compile=True, rel_error=1e-10)
    wave = Wave(1.0)
    mass = Mass(sim, force=wave).start()
    seen = []

    def change() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        seen.append(mass.seen)
        wave.amplitude = 3.0
        yield ev.hold(1.0)
        seen.append(mass.seen)
        mass.force = Ramp(0.0)
        yield ev.hold(1.0)
        seen.append(mass.seen)
        mass.force = Total((Ramp(0.0), cube))
        yield ev.hold(1.0)
        seen.append(mass.seen)
        mass.force = Total((Ramp(0.0), cube, Ramp(0.0)))
        yield ev.hold(1.0)
        seen.append(mass.seen)

    sim.process(change())
    sim.run(until=6.0)
    assert seen == [math.sin(1.0), 3.0 * math.sin(2.0), 6.0, 8.0 + 64.0, 20.0 + 125.0]


def test_two_objects_of_one_class_share_a_kernel(registry) -> None:
    sim = ev.Simulation(rng=1)
    before = registry.lowered
    for start in (0.0, 1.0, 2.0):
        registry.law(Mass(sim, force=Ramp(start)), Mass.equations)
    assert registry.lowered - before <= 1
