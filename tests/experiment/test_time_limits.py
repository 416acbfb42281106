"""A limit to the time of a run ends native code within a tenth of a second, in the main thread and in others."""

from __future__ import annotations

import threading
import time

import pytest

import eventide as ev
from eventide.experiment import limits

LIMIT = 0.3


class Heavy(ev.Continuous):
    """One state, and a law that takes long."""

    u: ev.State = ev.state(1.0)

    def equations(self) -> None:
        total = 0.0
        for k in range(20_000):
            total += self.u / (1.0 + k)
        self.rate.u = -1e-9 * total


@ev.model
def endless(sim: ev.Simulation, *, heavy: bool = True, end: float = 1e9) -> ev.ProcessGenerator[dict[str, float]]:
    if heavy:
        sim.dt_max = 0.1
        Heavy(sim).start()
    while sim.time < end:
        yield ev.hold(1e9 if heavy else 1.0)
    return {"time": sim.time}


@pytest.mark.slow
@pytest.mark.parametrize("heavy", [True, False])
@pytest.mark.parametrize("in_thread", [False, True])
def test_a_run_that_takes_too_long_ends_within_a_tenth_of_a_second(
    monkeypatch: pytest.MonkeyPatch, heavy: bool, in_thread: bool
) -> None:
    endless(heavy=heavy, end=10.0).run(until=0.1)  # it is compiled
    over: list[float] = []
    end = limits._Limit._end  # when the time is up, as others may use this machine

    def noted(limit: limits._Limit) -> None:
        over.append(time.process_time())
        end(limit)

    monkeypatch.setattr(limits._Limit, "_end", noted)
    found: list[ev.Replication] = []
    took: list[float] = []

    def run() -> None:
        found.append(ev.Study(endless, {"heavy": [heavy]}, entropy=1, time_limit=LIMIT).run(workers=1))
        took.append(time.process_time() - over[0])

    if in_thread:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    else:
        run()
    assert str(found[0][0].failure).startswith("TimeoutError: the run took longer than time_limit=0.3 seconds")
    assert took[0] < 0.1
