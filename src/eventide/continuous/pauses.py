"""How long native code runs by itself: until Python has to react, and whether other threads may run meanwhile.

Python hears Ctrl-C in its own loop only, so native code returns to it every SECONDS. How much work that is, in states
times steps, is measured: laws differ by factors of thousands. Where events cut all stretches short, from one pause to
the next: no less than that fits in. A stretch that turns out to be long goes on without the
GIL, if it can call nothing of Python's but what takes the GIL itself. Short ones and the first part of each keep it: a
thread that gives it up may wait for it for milliseconds, and most stretches between two events are microseconds. For
the same reason only long ones ask the system for the processor's time, which takes it longer than the clock's.

Meanwhile the model is refused to other threads: they would find arrays in the middle of a step. Rejected: giving the
GIL up for every call (other threads would stop a run at each event), and never (two threads took twice as long as one).
"""

from __future__ import annotations

from math import inf
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Final

from eventide.discrete.inside import keyboard_of
from eventide.engine.codes import PAUSED
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.continuous.integrator import Integrator

HELD: Final = 2.0**14
"""The largest work that is done with the GIL held, about a millisecond of light laws;"""
UNKNOWN: Final = 2.0**8
"""and before it is known how long work takes."""
MOST: Final = 2.0**17
"""The largest work that is done at a time."""
SECONDS: Final = 0.02
"""How long native code runs by itself at most, as far as the last stretch tells; with the GIL held a tenth of that.

Of processor time: to wait for the GIL is no work, and shorter stretches would wait for it the more often.
"""
GROWTH: Final = 64.0
"""How much more work than the last stretch the next one does at most, however fast that was."""


class Pauses:
    """The stretches of native code of one simulation.

    is_away     whether native code runs without the GIL now
    """

    __slots__ = ("_begun", "_fitting", "_held", "_integrator", "_most", "is_away")

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self._held = self._most = min(UNKNOWN, HELD, MOST)
        self._fitting = inf
        """The work of SECONDS, as far as it is known."""
        self._begun = -inf
        """When the last pause was."""
        self.is_away = False
        integrator.run.work_limit = self._held

    def end(self) -> None:
        """The run stops in a pause."""
        self._integrator.run.work_limit = self._held

    def go_on(self, now: float, stop: float) -> int:
        """March on after a pause; returns what `proceed` does."""
        integrator, run = self._integrator, self._integrator.run
        before, self._begun = self._begun, perf_counter()
        least = run.work / max(self._begun - before, 1e-9) * SECONDS
        if least > 10.0 * self._held:
            self._plan(least)
        arrays, is_short = integrator.memory.arrays, self._most <= self._fitting / 10.0
        clock = perf_counter if is_short else thread_time  # a short one does not wait for the GIL
        run.work_limit, begun = self._most, clock()
        if is_short or not self._may_leave():
            code = integrator.engine.proceed(arrays, now, stop, -1, 0.0)
        else:
            self.is_away = True
            try:
                code = integrator.engine.proceed_away(arrays, now, stop)
            finally:
                self.is_away = False
        if code == PAUSED:
            self._plan(run.work / max(clock() - begun, 1e-9) * SECONDS)
        run.work_limit = self._held
        return code

    def _plan(self, fitting: float) -> None:
        """So much work fits into SECONDS: choose the lengths of stretches."""
        self._fitting = fitting
        self._most = min(max(fitting, 1.0), GROWTH * self._most, MOST)
        self._held = min(self._most / 10.0, HELD)

    def _may_leave(self) -> bool:
        """Whether native code can run without the GIL now: it calls nothing of Python's."""
        integrator = self._integrator
        makes_objects = integrator.native_handlers.filling > 0
        calls_laws = integrator.groups.opaque or not integrator.analyst.compiles
        return not (calls_laws or (integrator.run.reacts and makes_objects))

    def check_thread(self) -> None:
        """The stepper runs: raise ModelError if another thread than this one runs it."""
        keyboard_of(self._integrator.sim).check_thread()

    def check_look(self) -> None:
        """The same, or if a signal handler looks that has waited for a step to end for too long."""
        self.check_thread()
        if keyboard_of(self._integrator.sim).signals.is_amid:
            raise ModelError(
                "a signal handler has looked at a state amid a step, which has not ended for half a second: let it "
                "look at `sim.time` alone, or let a reporter look"
            )
