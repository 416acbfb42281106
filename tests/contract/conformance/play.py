"""A case run in eventide."""

from typing import Any, NamedTuple

import eventide as ev
from conformance.case import Case, Happening, Log


class Outcome(NamedTuple):
    """What a run left: its log, the message of what refused it, its last time, its states then."""

    log: tuple[Happening, ...]
    message: str
    ended: float
    states: tuple[tuple[str, float], ...]


class Onlooker(ev.Reporter):
    """Reads all states and their rates."""

    subjects: list = ev.field(default_factory=list)
    sights: int = 0

    def report(self) -> None:
        self.sights += sum(variable.state + variable.rate == 0.0 for variable in self.sim.variables)


def play(
    case: Case,
    *,
    stepping: Any = "apart",
    compile: Any = "auto",  # noqa: A002  # as the Simulation calls it
    recorded: bool = False,
    pieces: int = 1,
    method: Any = ev.methods.ENGLAND,
) -> Outcome:
    """Run a case to its end, in so many pieces; with recordings, reporters and a log, if asked for."""
    sim = ev.Simulation(rng=1, stepping=stepping, compile=compile, **case.options)
    sim.method = method
    log: Log = []
    case.build(sim, log)
    if recorded:
        observe(sim, case.until)
    message = ""
    try:
        for piece in range(1, pieces + 1):
            sim.run(until=case.until * (piece / pieces))
    except ev.ModelError as error:
        message = str(error)
    return Outcome(tuple(log), message, sim.time, tuple((v.name, v.state) for v in sim.variables))


def observe(sim: ev.Simulation, until: float) -> None:
    """Look at everything that moves: on a grid, at each step, at each event; and keep a log."""
    sim.log()
    for every in (until / 37, "step", "event"):
        for law in sim.laws:
            sim.record(law, every=every)
        Onlooker(sim, every=every).start()
