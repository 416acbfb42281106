"""Promise 4 for conditions on time alone, whose steps no state keeps short: what comes and goes is not missed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import asin, atan, cos, erf, exp, log, pi, sin, tan
from typing import Any

import pytest

import eventide as ev

Simulate = Callable[..., ev.Simulation]
PACE = 1000.0


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -1e-3 * self.x


class Still(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = 0.0


def rises(pace: float, level: float, until: float) -> list[float]:
    """When sin(pace t) reaches a level from below."""
    first, period = asin(level) / pace, 2.0 * pi / pace
    return [first + period * k for k in range(int((until - first) / period) + 1)]


def told_of(name: str) -> AbstractContextManager[object]:
    """What cannot be proved and jumps by the time is found where samples meet it, and told."""
    return pytest.warns(ev.SwitchWarning, match="% 1") if name == "saw without a form" else nullcontext()


# Each is a condition, the end of the run, the times at which it becomes true, and whether it can be proved.
CASES: dict[str, tuple[Callable[[Any], Any], float, list[float], bool]] = {
    "sine": (lambda self: sin(7.0 * self.sim.time) > 0.5, 10.0, rises(7.0, 0.5, 10.0), True),
    "fast sine": (lambda self: sin(40.0 * self.sim.time) > 0.99, 30.0, rises(40.0, 0.99, 30.0), True),
    "narrow pulse": (
        lambda self: exp(-(((self.sim.time - 500.0) / 0.01) ** 2)) > 0.5,
        1000.0,
        [500.0 - 0.01 * log(2.0) ** 0.5],
        True,
    ),
    "tangent": (lambda self: tan(self.sim.time) > 2.0, 20.0, [atan(2.0) + pi * k for k in range(7)], True),
    "saw": (lambda self: self.sim.time % 1.0 > 0.9, 50.0, [0.9 + k for k in range(50)], True),
    "saw without a form": (lambda self: erf(self.sim.time % 1.0) > erf(0.9), 50.0, [0.9 + k for k in range(50)], False),
    "sine without a form": (lambda self: erf(sin(7.0 * self.sim.time)) > erf(0.5), 10.0, rises(7.0, 0.5, 10.0), False),
    "never": (
        lambda self: sin(PACE * self.sim.time) ** 2 + 0.9 * cos(PACE * self.sim.time) ** 2 > 1.00001,
        0.5,
        [],
        True,
    ),
}


@pytest.mark.slow
@pytest.mark.row("R-146")
@pytest.mark.parametrize("others", [None, Decay, Still], ids=["alone", "beside a decay", "beside a still state"])
@pytest.mark.parametrize("name", CASES)
def test_what_comes_and_goes_between_events_is_found(
    simulate: Simulate, name: str, others: type[ev.Continuous] | None
) -> None:
    condition, until, exact, is_proved = CASES[name]
    fired = []

    class Clocked(ev.Continuous):
        @ev.when(condition)
        def fire(self) -> None:
            fired.append(self.sim.time)

    sim = simulate()
    Clocked(sim).start()
    if others is not None:
        others(sim).start()
    with told_of(name):
        sim.run(until=until)
    report = sim.report()
    assert len(fired) == len(exact)
    assert (report.certified, report.sampled, report.unproved) == (int(is_proved), int(not is_proved), 0)
    assert fired == pytest.approx(exact, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.row("R-146")
def test_a_fast_condition_of_a_state_that_hardly_moves_is_proved_over_shorter_steps(simulate: Simulate) -> None:
    """It takes more parts than a step has: the states would let the steps be far longer."""
    fired = []

    class Glow(Still):
        @ev.when(lambda self: sin(PACE * self.sim.time) ** 2 + 0.9 * cos(PACE * self.sim.time) ** 2 > self.x + 1e-5)
        def never(self) -> None:
            fired.append(self.sim.time)

    sim = simulate()
    Glow(sim).start()
    sim.run(until=0.7)
    report = sim.report()
    assert (fired, report.certified, report.unproved) == ([], 1, 0)
    assert report.steps > 10


@pytest.mark.row("R-146")
def test_waits_for_the_clock_are_found_as_well(simulate: Simulate) -> None:
    sim, seen = simulate(), []

    def waiter() -> ev.ProcessGenerator:
        for level in (0.5, -0.5):
            yield ev.until(lambda level=level: sin(7.0 * sim.time) > 0.9 if level > 0.0 else sin(7.0 * sim.time) < -0.9)
            seen.append(("until", round(sim.time, 9)))
        yield ev.until(ev.crosses(lambda: sin(7.0 * sim.time), 0.0, direction="up"))
        seen.append(("crosses", round(sim.time, 9)))
        outcome = yield ev.first_of(top=ev.until(lambda: erf(sin(7.0 * sim.time)) > erf(0.9)), late=ev.hold(50.0))
        seen.append((outcome.name, round(sim.time, 9)))

    sim.process(waiter())
    sim.run(until=100.0)
    top = asin(0.9) / 7.0
    expected = [
        ("until", top),
        ("until", top + pi / 7.0),
        ("crosses", 2.0 * pi / 7.0),
        ("top", top + 2.0 * pi / 7.0),
    ]
    assert seen == [(word, round(time, 9)) for word, time in expected]


@pytest.mark.row("R-146")
def test_where_no_end_is_known_steps_stay_as_short_as_proofs_need() -> None:
    """Where nothing else is to come steps go ever farther, and what is worth a step must not grow with them."""
    sim = ev.Simulation(rng=1)

    def waiter() -> ev.ProcessGenerator:
        yield ev.until(
            lambda: (
                sin(200.0 * sim.time**2) ** 2 + 0.9 * cos(200.0 * sim.time**2) ** 2 > 1.00001 + 0.01 * (4.0 - sim.time)
            )
        )

    sim.process(waiter())
    sim.run()
    # The sum is 1 at its peaks, of which there are 400 t / pi in a time unit: from 4.001 on they reach above.
    assert (sim.time - 4.001) * 1600.0 == pytest.approx(0.0, abs=pi)
    assert sim.report().unproved == 0


@pytest.mark.row("R-146")
@pytest.mark.parametrize(
    ("condition", "options"),
    [
        (lambda self: sin(1.0 / (1.0 - self.sim.time)) > 1.0, {"dt_min": 1e-5}),
        (lambda self: sin(1e17 * self.sim.time) ** 2 + cos(1e17 * self.sim.time) ** 2 > 1.5, {}),
    ],
    ids=["ever faster", "beyond rounding"],
)
def test_what_cannot_be_proved_at_all_has_an_end_and_is_counted(
    condition: Callable[[Any], Any], options: dict[str, Any]
) -> None:
    fired = []

    class Clocked(ev.Continuous):
        @ev.when(condition)
        def fire(self) -> None:
            fired.append(self.sim.time)

    sim = ev.Simulation(rng=1, **options)
    Clocked(sim).start()
    sim.run(until=0.9999)
    report = sim.report()
    assert fired == []
    assert report.unproved > 0
    assert report.steps < 2000


@pytest.mark.slow
@pytest.mark.row("R-146")
def test_native_and_plain_runs_find_the_same_to_the_last_bit() -> None:
    def run(name: str, compiles: Any) -> list[str]:
        condition, until, _, _ = CASES[name]
        fired: list[str] = []

        class Clocked(Decay):
            @ev.when(condition)
            def fire(self) -> None:
                fired.append(f"{self.sim.time.hex()} {self.x.hex()}")

        sim = ev.Simulation(rng=1, compile=compiles, stepping="together")
        Clocked(sim).start()
        with told_of(name):
            sim.run(until=until)
        report = sim.report()
        return [*fired, str(report.steps), str(report.refused), str(report.evaluations)]

    assert {name: run(name, "auto") for name in CASES} == {name: run(name, False) for name in CASES}


@pytest.mark.slow
@pytest.mark.row("R-146")
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_events_ever_closer_to_a_time_are_named_although_no_ratio_tells_it(stepping: str) -> None:
    """The intervals shrink with the square of what is left, so that their ratio tends to 1."""
    fired: list[float] = []

    class Clocked(ev.Continuous):
        @ev.when(lambda self: sin(1.0 / (1.0 - self.sim.time)) > 0.5)
        def fire(self) -> None:
            assert len(fired) < 20_000
            fired.append(self.sim.time)

    sim = ev.Simulation(rng=1, stepping=stepping)
    Clocked(sim).start()
    with pytest.raises(ev.ModelError, match=r"Clocked 1\.fire fires ever faster"):
        sim.run(until=2.0)
    assert 1.0 - fired[-1] < 1e-4


@pytest.mark.slow
@pytest.mark.row("R-146")
def test_a_chirp_is_no_accumulation() -> None:
    """Its intervals shrink 3,000 times in a row, but what lies ahead does not."""
    fired: list[float] = []

    class Clocked(ev.Continuous):
        @ev.when(lambda self: sin(exp(self.sim.time)) > 0.5)
        def fire(self) -> None:
            fired.append(self.sim.time)

    sim = ev.Simulation(rng=1)
    Clocked(sim).start()
    sim.run(until=log(2.0 * pi * 3000.0 + 1.0))
    # sin(1) is above 0.5 already: the first rise is that after a full turn.
    assert len(fired) == 3000


class Plan:
    """No quantity of the step is called `last`, `rate` or `dt` here."""

    last = rate = dt = 3.1


class Pulsed(ev.Continuous):
    plan: Plan
    x: ev.State = ev.state(0.0)


class PulsedByLast(Pulsed):
    def equations(self) -> None:
        self.rate.x = 100.0 if 3.0 <= self.sim.time < self.plan.last else 0.0


class PulsedByRate(Pulsed):
    def equations(self) -> None:
        self.rate.x = 100.0 if 3.0 <= self.sim.time < self.plan.rate else 0.0


class PulsedByDt(Pulsed):
    def equations(self) -> None:
        self.rate.x = 100.0 if 3.0 <= self.sim.time < self.plan.dt else 0.0


@pytest.mark.parametrize("kind", [PulsedByLast, PulsedByRate, PulsedByDt], ids=["last", "rate", "dt"])
def test_a_field_of_the_model_s_own_may_be_called_as_a_quantity_of_the_step(kind: type[Pulsed]) -> None:
    """The comparison was not located because of the name, and a step passed over the pulse, with a warning."""
    sim = ev.Simulation(rng=1)
    pulsed = kind(sim, plan=Plan()).start()
    sim.run(until=20.0)
    assert pulsed.x == pytest.approx(10.0, abs=1e-12)
