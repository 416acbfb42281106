"""What is no command cannot be yielded."""

from __future__ import annotations

import eventide as ev


class Clerk(ev.Process):
    patience: float = 1.0

    def run(self) -> ev.ProcessGenerator:
        yield ev.hold(self.patience)
        yield 2.0
        yield "now"  # E: Incompatible types in "yield" (actual type "str", expected type "Command | float")  [misc]
        yield ev.passivate()
        yield self


def customer(sim: ev.Simulation, counter: ev.Resource) -> ev.ProcessGenerator[int]:
    with counter.request() as place:
        yield place
        yield from counter.use(2.0)
    return "served"  # E: Incompatible return value type (got "str", expected "int")  [return-value]
