"""The Python side of the stepper: laws and conditions that it calls back, and the errors that they raise.

Kernels record where Python would raise an error. Then Python executes the laws of the flow, or tests the condition, at
the same states, by the functions of a plain run: so the error is the user's own, at the same time and line. An error
inside a step makes the step fail, and the next attempt half as long; of the shortest step it propagates. An error at
settled values, after an event, propagates at once.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from eventide.continuous.error_context import execute_law, is_condition_true
from eventide.continuous.flows.flow import IN_PASS, Flow, moving_flow
from eventide.continuous.flows.observed_laws import observe_law
from eventide.discrete.inside import keyboard_of
from eventide.engine.codes import VALUELESS, R, Y
from eventide.errors import EventideError

if TYPE_CHECKING:
    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.observed_laws import ObservedLaw
    from eventide.continuous.integrator import Integrator
    from eventide.discrete.conditions.condition import Condition


class Host:
    """The functions of Python that the stepper calls where it cannot continue by itself.

    executes    whether Python executes laws now
    meeting     the flow whose code touched what is of another flow, that, and the condition whose code it was
    law_error   the last error that a law raised in a trial step; failure: what must go up at once
    """

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator
        self.law_error: BaseException | None = None
        self.failure: BaseException | None = None
        self.meeting: tuple[Flow, Flow | ObservedLaw | Member, Condition | None] | None = None
        self._running: tuple[Flow, Condition | None] | None = None
        self.executes = False

    # --- what the stepper calls -----------------------------------------------------------------------------------

    def evaluate(self, f: int, time: float, dt: float) -> None:
        """Execute the laws of a flow in Python, at the states in row Y."""
        integrator = self.integrator
        if self._has_failed():
            return
        sim, flow, rows = integrator.sim, integrator.flows[f], integrator.storage.rows
        sim.time, sim.dt, sim.last_time = time, dt, integrator.memory.flow.start[f]
        self._running = flow, None
        integrator.show(flow, time)
        rates, states, zeros = rows[R], rows[Y], integrator.system.zeros
        for low, high in chain(flow.look_up().segments, flow.look_up().rests):
            rates[low:high] = zeros(high - low)
        for low, high in flow.look_up().sums:
            states[low:high] = zeros(high - low)
        self._guard(flow, flow.run_laws)
        if integrator.analyst.compiles and flow not in integrator.groups.asked:
            integrator.groups.asked.add(flow)

    def ask(self, flow: Flow, slot: int, value: float = nan) -> bool:
        """Leave in row R the rates of a flow where one state is another; whether its laws can be asked that."""
        integrator = self.integrator
        integrator.call(lambda arrays, f, _: integrator.engine.probe(arrays, f, slot, value), flow.number)
        is_answered = not self._has_failed() and self.meeting is None
        self.failure = self.law_error = self.meeting = None
        integrator.run.aborted = integrator.run.raised = 0
        return is_answered

    def is_true(self, c: int, f: int, time: float, dt: float) -> bool:
        """Test a condition in Python."""
        integrator = self.integrator
        sim = integrator.sim
        sim.time, sim.dt, sim.last_time = time, dt, integrator.memory.flow.start[f]
        flow, condition = integrator.flows[f], integrator.guards.at[c]
        self._running = flow, condition
        integrator.show(flow, time)
        guide = condition.plan.pattern.guide
        if guide is not None:
            guide(c, time, dt, sim.last_time)
        if integrator.analyst.compiles and condition.is_trigger and condition not in integrator.guards.exposed:
            integrator.guards.exposed.add(condition)
        return self._test(condition)

    def call_law(
        self, owner: Continuous, stage: int, law: Callable[[], object], time: float, dt: float, last: float
    ) -> None:
        """Execute one law that could not be compiled; called from compiled code."""
        if self._has_failed():
            return
        sim = self.integrator.sim
        sim.time, sim.dt, sim.last_time = time, dt, last
        flow = owner._flow
        assert isinstance(flow, Flow)
        self._running = flow, None
        self.integrator.show(flow, time)
        self._guard(flow, lambda: self.watch(owner, stage, law, time))

    def watch(self, owner: Continuous, stage: int, law: Callable[[], object], time: float) -> None:
        """Execute a law that cannot be read; where a step begins, see what it deals with.

        If that may give the laws another order, they have to be executed again.
        """
        integrator = self.integrator
        if integrator.sim.dt != 0.0 or not integrator.is_marching:
            execute_law(owner, law, time)
            return
        observed = observe_law(integrator, moving_flow(owner), owner, stage, lambda: execute_law(owner, law, time))
        if owner._is_of_model:
            integrator.groups.writers.see(observed)
        observed = integrator.groups.ordering.relevant(observed)
        if integrator.groups.ordering.is_new(observed):
            self.meet(observed)

    def call_condition(self, condition: Condition, time: float, dt: float, last: float) -> int:
        """Test one condition that could not be compiled; called from compiled code."""
        sim = self.integrator.sim
        sim.time, sim.dt, sim.last_time = time, dt, last
        flow = condition.flow
        self._running = flow, condition
        self.integrator.show(flow, time)
        return int(self._test(condition))

    def _test(self, condition: Condition) -> bool:
        sim, run = self.integrator.sim, self.integrator.run
        if run.aborted != 0:
            return False  # the first error is the one that is reported
        try:
            return is_condition_true(condition, sim.time)
        except BaseException as error:  # noqa: BLE001  # it goes up as soon as the stepper has returned
            if condition.is_switch and isinstance(error, ArithmeticError | ValueError):
                return False  # the law does not come to this comparison now, or fails as well
            keyboard_of(self.integrator.sim).note_error_in_step(error)
            self.failure = error
            run.aborted = VALUELESS if sim.dt > 0.0 and _is_of_states(error) else 1
            return False

    # --- what code that cannot be read touches --------------------------------------------------------------------

    def meet(self, met: Flow | ObservedLaw | Member) -> None:
        """Python code called from within a step touches a flow that this step is not of, gives to an object that stands
        still, or is seen to deal with what others do: the step is to be repeated.
        """
        self.integrator.pauses.check_look()
        if self.meeting is None and self._running is not None:
            self.meeting = self._running[0], met, self._running[1]
        self.integrator.run.aborted = 1

    def take_meeting(self) -> tuple[Flow, Flow | ObservedLaw | Member, Condition | None]:
        """Whose step it was, the flow, object or law that was met, and which condition did; None if it was a law.

        What it raised is void.
        """
        meeting, self.meeting = self.meeting, None
        assert meeting is not None
        self.failure = self.law_error = None
        self.integrator.run.aborted = self.integrator.run.raised = 0
        return meeting

    # --- what Python code raises ----------------------------------------------------------------------------------

    def _has_failed(self) -> bool:
        """Whether a law has failed in this attempt: those after it would read invalid values."""
        run = self.integrator.run
        return bool(run.aborted != 0 or run.raised != 0)

    def _guard(self, flow: Flow, call: Callable[[], None]) -> None:
        """Call Python code from within a step: what it raises is kept until the stepper has returned.

        What the user's code raises makes a step fail first: a shorter one may not come to where it does. What
        eventide finds wrong, and what is no Exception, ends the march at once.
        """
        was_open, flow.is_open, self.executes = flow.is_open, IN_PASS, True
        try:
            # A value that is not finite makes a step fail, here as in native code; numpy's warnings would be noise.
            with np.errstate(all="ignore"):
                call()
        except BaseException as error:  # noqa: BLE001  # it goes up as soon as the stepper has returned
            keyboard_of(self.integrator.sim).note_error_in_step(error)
            if _is_of_states(error):
                self.law_error = error
                self.integrator.run.raised = 1
            else:
                self.failure = error
                self.integrator.run.aborted = 1
        finally:
            flow.is_open, self.executes = was_open, False

    def fail(self, error: BaseException) -> None:
        """The stepper met an error in Python: it is raised once the stepper has returned."""
        self.failure = self.failure or error
        self.integrator.run.aborted = 1

    def raise_what_was_met(self) -> None:
        """Raise what Python code called from within a step has raised, the same object."""
        failure = self.failure or self.law_error
        self.failure = self.law_error = None
        self.integrator.run.aborted = self.integrator.run.raised = 0
        if failure is not None:
            if self._running is not None and self._running[1] is None:
                self._void_values(self._running[0])
            raise failure

    def _void_values(self, flow: Flow) -> None:
        """Laws of a flow have failed: what they compute has no value, whether or not a law had already set it.

        Native code may set it before it finds that Python would raise; Python does not set it then.
        """
        table = self.integrator.storage.table
        for _, law in flow.look_up().laws:
            layout = law._layout
            for name, spec in layout.fields.items():
                if spec.role in ("computed", "computed vector"):
                    first = layout.slot(law, name)
                    table[Y, first : first + layout.lengths.get(name, 1)] = nan

    def forget_errors(self) -> None:
        """Forget errors of trial steps and conditions that the stepper has overcome by itself."""
        run = self.integrator.run
        if run.raised == 0:
            self.law_error = None
        if run.aborted == 0:
            self.failure = None


def _is_of_states(error: BaseException) -> bool:
    """Whether an error may come from the states at which code was called: a shorter step may avoid it."""
    return isinstance(error, Exception) and not isinstance(error, EventideError)
