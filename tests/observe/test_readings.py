"""Readings: recorded quantities at given times, from the steps themselves."""

import numpy as np
import pytest

import eventide as ev
from eventide.observe.readings import Readings


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self):
        self.rate.x = -self.x


@ev.model(rel_error=1e-10, abs_error=1e-10)
def refilled(sim):
    one = Decay(sim, name="tank").start()
    sim.record(one, every=2.0, name="sparse")
    sim.record(square=lambda: one.x**2, every="event")
    yield ev.hold(3.0)
    one.x = 5.0
    yield ev.hold(2.0)


def test_they_are_exact_between_rows_and_change_nothing():
    sim = refilled.simulation(1)
    readings = Readings(sim, (0.0, 0.5, 1.7, 3.0, 3.5, 5.0, 7.0))
    run = refilled.run_in(sim)
    table = readings.to_pandas()
    assert table.index.to_list() == [0.0, 0.5, 1.7, 3.0, 3.5, 5.0]
    times = table.index.to_numpy()
    exact = np.where(times <= 3.0, np.exp(-times), 5.0 * np.exp(3.0 - times))  # at the event the value before it
    assert table["tank.x"].to_list() == pytest.approx(exact.tolist(), abs=1e-9)
    assert table["square"].to_list() == pytest.approx((exact**2).tolist(), abs=1e-9)
    alone = refilled.run(entropy=1)
    assert run.account == alone.account
    assert run.recordings[0].to_pandas().equals(alone.recordings[0].to_pandas())
