"""A step that cannot be made: what is done with it, and what is told of it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from eventide.engine import step_control
from eventide.engine.codes import K
from eventide.methods import Newton

if TYPE_CHECKING:
    from eventide.continuous.motion import Motion
    from eventide.continuous.variable import Variable


class FailedStep:
    """The last attempt at a step of the flow that has been brought least far."""

    __slots__ = ("_motion",)

    def __init__(self, motion: Motion) -> None:
        self._motion = motion

    @property
    def start(self) -> float:
        """When the step of the flow at the root began."""
        return float(self._motion.memory.flow.start[self._motion.root])

    def force(self, number: int) -> None:
        """Accept the inaccurate smallest step of a flow, with whatever has been changed meanwhile."""
        self._motion.take_limits()
        flow = self._motion.flows[number]
        self._motion.take_up()
        if self._motion.touched:
            self._motion.settle(arms=False)
        if self._motion.flows.get(number) is not flow:
            return  # it has become a part of another, whose step may be accurate
        if self._motion.memory.flow.system[number] < 0 and isinstance(self._motion.method, Newton):
            self._motion.linearizations.plan(flow)
        self._motion.engine.force(self._motion.memory.arrays, number)
        self._motion.host.forget_what_was_seen()

    def repeat(self, number: int) -> None:
        """Begin the step of a flow again, with whatever has been changed meanwhile."""
        self._motion.take_limits()
        self._motion.touch(self._motion.flows[number])
        self._motion.take_up()
        self._motion.settle(arms=False)

    def replay(self) -> None:
        """Repeat the last attempt of the flow at the root in Python, so that its errors are met at the user's lines."""
        views = self._motion.memory.views()
        flow, known = self._motion.root, self._motion.memory.flow
        limit = step_control.limit_of(views, flow)
        remaining = (limit - known.start[flow]) - known.start_rest[flow]
        self._motion.host.evaluate(flow, known.start[flow], 0.0)
        if self._motion.host.trouble is None and self._motion.host.failure is None:
            step_control.try_step(views, flow, min(known.next_step[flow], remaining), remaining, limit)
        step_control.return_to_start(views, flow)
        self._motion.host.forget_what_was_seen()

    def what_is_not_finite(self) -> str:
        """In words, which rate keeps the flow at the root from making a step."""
        rates = self._motion.arena.rows[K]
        for low, high in self._motion.flows[self._motion.root].segments.rows():
            for slot in range(low, high):
                if not isfinite(rates[slot]):
                    name = self._motion.system.variable_at(slot).name
                    return (
                        f"The rate of {name} is {rates[slot]!r} where the step begins: look in its equation for a "
                        "division by 0, or for a parameter or state that is not finite."
                    )
        return "However short the step, a rate at its end is not finite."

    def worst_variable(self) -> Variable | None:
        """The variable whose error was worst in the last attempt of the flow at the root."""
        slot = int(self._motion.memory.flow.worst[self._motion.root])
        return None if slot < 0 else self._motion.system.variable_at(slot)

    def raise_what_was_met(self) -> None:
        """Raise what code of the user's has raised in a step of the flow at the root, which the next run makes anew."""
        if self._motion.host.has_failed:
            flow = self._motion.flows[self._motion.root]
            self._motion.void_step(flow)
            self._motion.touch(flow)
            self._motion.sim.dt = 0.0
        self._motion.host.raise_what_was_met()
