"""A model that stops advancing says so."""

from __future__ import annotations

import pytest

import eventide as ev


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    bounces: int = 0

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.velocity *= -0.8
        self.bounces += 1


def test_a_ball_at_its_zeno_point_is_told_with_the_time_it_would_end() -> None:
    sim = ev.Simulation(rel_error=1e-10, abs_error=1e-12)
    ball = Ball(sim, name="ball").start()
    with pytest.raises(ev.ModelError, match=r"ball\.bounce fires ever faster.*factor 0\.8") as caught:
        sim.run(until=20.0)
    end = (2 * 10.0 / 9.81) ** 0.5 * 9.0
    told = float(str(caught.value).split("end at time ")[1].split(" ")[0])
    assert told == pytest.approx(end, abs=1e-6)
    assert sim.time == pytest.approx(end, abs=1e-6)
    assert ball.bounces > 60


def test_a_condition_that_stays_true_is_told_at_its_instant() -> None:
    sim = ev.Simulation()
    ball = Ball(sim, height=1.0).start()

    def story() -> ev.Life:
        while True:
            yield ev.until(lambda: ball.height <= 0.5)

    sim.process(story(), name="watcher")
    with pytest.raises(ev.ModelError, match=r"time does not go beyond 0\.319.*watcher \(1001 times\)"):
        sim.run(until=1.0)


def test_a_steady_clock_is_no_cascade() -> None:
    sim = ev.Simulation()
    log = []

    def story() -> ev.Life:
        for k in range(1, 2001):
            yield ev.until(lambda k=k: sim.time >= 0.5 * k)
            log.append(sim.time)

    sim.process(story())
    sim.run(until=1100.0)
    assert log == [0.5 * k for k in range(1, 2001)]
