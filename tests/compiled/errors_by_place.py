"""One expression for each kind of error, in each place where a user's code may stand: classes made from text."""

from __future__ import annotations

import linecache
import math
from collections.abc import Iterator
from typing import Any

import eventide as ev

TABLE = (1.0, 2.0, 3.0)
KINDS = {
    "division": ("1.0 / {v}", ZeroDivisionError),
    "domain": ("math.log({v})", ValueError),
    "overflow": ("math.exp(1000.0 - 1000.0 * {v})", OverflowError),
    "item": ("TABLE[int(3.9 - 3.9 * {v})]", IndexError),
    "complex": ("(2.0 * {v} - 1.0) ** 0.5", TypeError),
}
"""What gives a number where v = 1, and raises where v = 0."""
PLACES = {
    "a law at an event": (("self.rate.x = -1.0 + 0.0 * {e}", "True"), "self.v"),
    "a law without states": (("self.q = 0.0 * {e}", "True"), "self.v"),
    "a law of a vector": (("self.rate.u[:] = self.u * 0.0 + {e}", "True"), "self.v"),
    "a law in a step": (("self.rate.x = -1.0 + 0.0 * {e}", "True"), "max(self.x, 0.0)"),
    "a condition": (("self.rate.x = -1.0", "{e} < -2.0"), "self.v"),
    "a handler": (("self.rate.x = -10.0", "self.x <= 0.9"), "(1.0 if self.sim.time < 0.6 else 0.0)"),
}
"""The law, the condition of a handler, and what v is there."""
CLASS = """class Made({base}):
    v: float = 1.0
    times: int = 0
    kept: float = 0.0
    x: ev.State = ev.state(1.0)
    u: ev.StateVector = ev.state_vector(1.0, size=3)
    q: ev.Computed = ev.computed()

    def equations(self):
        {law}

    @ev.when(lambda self: self.sim.time >= 0.25 and {condition}, at_start=False)
    def handle(self):
        self.times += 1
        {body}
"""


def class_of(kind: str, place: str, *, saved: bool = False) -> type[Any]:
    """The class with an expression at a place.

    saved       whether its handler keeps its state from where the error is
    """
    (law, condition), v = PLACES[place]
    expression = KINDS[kind][0].format(v=v)
    body = f"self.x, self.kept = 1.0, 0.0 * {expression}" if place == "a handler" else "pass"
    if place == "a law without states":
        text = CLASS.replace(
            "    x: ev.State = ev.state(1.0)\n    u: ev.StateVector = ev.state_vector(1.0, size=3)\n", ""
        )
    else:
        text = CLASS
    if saved:
        condition, body = "self.x <= 0.03", "self.x = 1.0"
    text = text.format(
        base="ev.Continuous", law=law.format(e=expression), condition=condition.format(e=expression), body=body
    )
    name = f"<{kind} in {place}{' saved' if saved else ''}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {"ev": ev, "math": math, "TABLE": TABLE, "__name__": __name__}
    exec(compile(text, name, "exec", dont_inherit=True), scope)  # noqa: S102  # our own text
    made: type[Any] = scope["Made"]
    return made


def play(cls: type[Any], until: float = 3.0, **options: Any) -> dict[str, Any]:
    """What comes to pass where v becomes 0 at the time 0.5, and 1 again in the same event's instant."""
    sim = ev.Simulation(rng=1, **options)
    made = cls(sim, name="made").start()
    log: list[Any] = []

    def change() -> Iterator[Any]:
        yield ev.hold(0.5)
        made.v = 0.0
        log.append(sim.time)
        yield ev.until(lambda: made.v < 0.5)  # another event of this instant, behind the error
        log.append("woken")
        made.v = 1.0
        yield ev.hold(1.0)
        log.append(sim.time)

    sim.process(change())
    error: BaseException | None = None
    try:
        sim.run(until=until)
    except Exception as met:  # noqa: BLE001  # whatever it is
        error = met
    return {
        "log": log,
        "error": (type(error), str(error), getattr(error, "__notes__", None)),
        "time": sim.time,
        "events": sim.events,
        "times": made.times,
        "v": made.v,
    }
