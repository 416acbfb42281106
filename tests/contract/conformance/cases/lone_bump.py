"""A wait that begins below a level, on a falling curve, and is over at a bump that no sample of the step shows."""

from conformance.case import Case, Log
from conformance.cases.hidden_bump import LEVEL, MIDDLE, ROOTS, WIDTH

import eventide as ev


class Bump(ev.Continuous):
    """y = s (WIDTH**2 - s**2) with s = t - MIDDLE."""

    y: ev.State = ev.state(-MIDDLE * (WIDTH**2 - MIDDLE**2))

    def equations(self) -> None:
        s = self.sim.time - MIDDLE
        self.rate.y = WIDTH * WIDTH - 3.0 * s * s


def waiting(sim: ev.Simulation, bump: Bump, log: Log) -> ev.ProcessGenerator:
    yield ev.hold(MIDDLE - WIDTH)
    yield ev.until(lambda: bump.y >= LEVEL)
    log.append(("top", sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    bump = Bump(sim).start()
    sim.process(waiting(sim, bump, log))
    return bump


CASE = Case(
    title="a bump 1e-9 high where all samples fall",
    reported=("scipy#9228", "diffrax#507"),
    asked="when a cubic is back at a level for 1.5e-4 of 10: only a bound of the whole step tells",
    exact=(("top", ROOTS[1]),),
    until=10.0,
    build=build,
    tolerance=1e-7,
    options={},
)
