"""Steps that cannot be made: what follows, and the error that describes them."""

from __future__ import annotations

from math import isfinite, isnan
from typing import TYPE_CHECKING

from eventide.engine import step_control
from eventide.engine.codes import K, Y
from eventide.engine.stepper import leaves_interpolant
from eventide.methods import Newton
from eventide.reading.description import listed

if TYPE_CHECKING:
    from eventide.continuous.components.variable import Variable
    from eventide.continuous.integrator import Integrator


class FailedStep:
    """The last attempt at a step of the flow that has advanced least."""

    __slots__ = ("_integrator",)

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator

    @property
    def start(self) -> float:
        """When the step of the flow at the root began."""
        return float(self._integrator.memory.flow.start[self._integrator.root])

    def force(self, number: int) -> None:
        """Accept the inaccurate smallest step of a flow, with whatever has been changed meanwhile."""
        self._integrator.take_limits()
        flow = self._integrator.flows[number]
        self._integrator.take_up()
        if self._integrator.touched:
            self._integrator.settle(arms=False)
        if self._integrator.flows.get(number) is not flow:
            return  # it has become a part of another, whose step may be accurate
        if self._integrator.memory.flow.system[number] < 0 and isinstance(self._integrator.method, Newton):
            self._integrator.linearizations.plan(flow)
        self._integrator.engine.force(self._integrator.memory.arrays, number)
        self._integrator.forget_what_was_seen()

    def repeat(self, number: int) -> None:
        """Begin the step of a flow again, with whatever has been changed meanwhile."""
        self._integrator.take_limits()
        self._integrator.touch(self._integrator.flows[number])
        self._integrator.take_up()
        self._integrator.settle(arms=False)

    def replay(self) -> None:
        """Repeat the last attempt of the flow at the root in Python, so that its errors are met at the user's lines."""
        views = self._integrator.memory.views()
        flow, known = self._integrator.root, self._integrator.memory.flow
        limit = step_control.limit_of(views, flow)
        remaining = (limit - known.start[flow]) - known.start_rest[flow]
        self._integrator.host.evaluate(flow, known.start[flow], 0.0)
        if self._integrator.host.law_error is None and self._integrator.host.failure is None:
            step = min(max(known.next_step[flow], self._integrator.run.dt_min), remaining)
            if step_control.try_step(views, flow, step, remaining, limit) >= 1.0:
                leaves_interpolant(views, flow)  # which the estimate has not seen
                known.step[flow] = 0.0
        step_control.return_to_start(views, flow)
        self._integrator.forget_what_was_seen()

    def what_is_not_finite(self) -> str:
        """In words, which rate keeps the flow at the root from making a step."""
        slot = self._without_rate()
        if slot is not None:
            name, rate = self._integrator.system.variable_at(slot).name, self._integrator.storage.rows[K][slot]
            return (
                f"The rate of {name} is {rate!r} where the step begins: look in its equation for a "
                f"division by 0, or for a parameter or state that is not finite{self._parameters_without_value()}."
            )
        name, value, rate = self._largest()
        return (
            f"However short the step, a rate at its end is not finite. The largest state is {name}, which is {value!r} "
            f"with rate {rate!r}: check the signs in its equation, or end its growth by an event."
        )

    def _without_rate(self) -> int | None:
        """The first slot of the flow at the root whose rate is not finite; None if there is none."""
        rates, flow = self._integrator.storage.rows[K], self._integrator.flows[self._integrator.root]
        slots = (slot for low, high in flow.segments.rows() for slot in range(low, high))
        return next((slot for slot in slots if not isfinite(rates[slot])), None)

    def _parameters_without_value(self) -> str:
        """In words, the first parameters of active components that are NaN."""
        found = [
            f"{owner.name}.{name}"
            for owner in self._integrator.system.components()
            for name in owner._layout.parameters
            if isnan(getattr(owner, name))
        ]
        return f": {listed(found)} {'is' if len(found) == 1 else 'are'} nan" if found else ""

    def _largest(self) -> tuple[str, float, float]:
        """Of the flow at the root, the state of the greatest magnitude: its name, value and rate."""
        storage, flow = self._integrator.storage, self._integrator.flows[self._integrator.root]
        slots = [slot for low, high in flow.segments.rows() for slot in range(low, high)]
        slot = max(slots, key=lambda one: abs(storage.rows[Y][one]))
        name = str(self._integrator.system.variable_at(slot).name)
        return name, float(storage.rows[Y][slot]), float(storage.rows[K][slot])

    def worst_variable(self) -> Variable | None:
        """The variable whose error was worst in the last attempt of the flow at the root; None if there was no error.

        There is none where a rate is not finite as the step begins, although all states are.
        """
        slot = int(self._integrator.memory.flow.worst[self._integrator.root])
        variable = None if slot < 0 else self._integrator.system.variable_at(slot)
        return None if variable and isfinite(variable.state) and self._without_rate() is not None else variable

    def raise_what_was_met(self) -> None:
        """Raise what the user's code has raised in a step of the flow at the root; the next run repeats the step."""
        if self._integrator.host.failure is not None or self._integrator.host.law_error is not None:
            flow = self._integrator.flows[self._integrator.root]
            self._integrator.void_step(flow)
            self._integrator.touch(flow)
            self._integrator.sim.dt = 0.0
        self._integrator.host.raise_what_was_met()
