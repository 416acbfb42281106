"""A world with one object of each kind, as several files of these tests use it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import eventide as ev

COMPILE = ("auto", False)


class Ramp(ev.Continuous):
    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = 1.0


class Idle(ev.Reporter):
    pass


class World:
    """What the calls below are made on."""

    def __init__(self, sim: ev.Simulation) -> None:
        self.sim = sim
        self.ramp = Ramp(sim, name="ramp").start()
        self.still = Ramp(sim, name="still")
        self.idle = Idle(sim, name="idle")
        self.looking = Idle(sim, name="looking").start()
        self.desk = ev.Resource(sim, 1, name="desk")
        self.queue = ev.Queue(sim, name="queue")
        self.bell = ev.Signal(sim, name="bell")
        self.held: list[ev.Request] = []
        self.holder = sim.process(self._hold(), name="holder")
        self.waiter = sim.process(self._wait(), name="waiter")
        self.sleeper = sim.process(self._sleep(), name="sleeper")

    def _hold(self) -> ev.ProcessGenerator:
        with self.desk.request() as place, suppress(ev.Interrupt):
            yield place
            self.held.append(place)
            yield ev.hold(100.0)

    def _wait(self) -> ev.ProcessGenerator:
        yield ev.until(lambda: self.ramp.x > 50.0)

    def _sleep(self) -> ev.ProcessGenerator:
        yield ev.passivate()


Act = Callable[[], Any]


COMMANDS: dict[str, tuple[int, Callable[[World], Any]]] = {
    "pause": (8, lambda w: ev.pause()),
    "until": (10, lambda w: ev.until(lambda: True)),
    "activate": (17, lambda w: ev.activate(w.sleeper)),
    "passivate": (18, lambda w: ev.passivate()),
    "wait": (18, lambda w: ev.wait(w.queue)),
    "request": (18, lambda w: w.desk.request()),
    "end of a process": (18, lambda w: w.holder),
    "first_of": (18, lambda w: ev.first_of(a=ev.hold(1.0))),
    "hold": (19, lambda w: ev.hold(1.0)),
    "number": (19, lambda w: 2),
    "tick": (19, lambda w: ev.tick(0.5)),
}
