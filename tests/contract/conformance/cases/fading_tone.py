"""A fast cosine of a state that decays: it touches its crest for a moment, at a pace that no sampling keeps."""

from math import acos, cos, exp, log, pi

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

START, PACE, LEVEL = 2.0, 30.0, 1.0 - 1e-9


class Tone(ev.Continuous):
    """y = START exp(-t / 5)."""

    y: ev.State = ev.state(START)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.y = -self.y / 5.0

    @ev.when(lambda self: cos(PACE * self.y) >= LEVEL)
    def crest(self) -> None:
        self.log.append(("crest", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    return Tone(sim, log=log).start()


TURNS = range(int(PACE * START / (2.0 * pi)), int(PACE * START * exp(-2.0) / (2.0 * pi)), -1)
CASE = Case(
    title="a fast cosine of a slow state",
    reported=("diffrax#507", "bdsim#2"),
    asked="when cos(30 y) is above 1 - 1e-9, where y decays from 2: for 4e-5 of a turn, eight times until 10",
    exact=tuple(("crest", -5.0 * log((2.0 * pi * k + acos(LEVEL)) / (PACE * START))) for k in TURNS),
    until=10.0,
    build=build,
    tolerance=1e-6,
    options={"rel_error": 1e-11, "abs_error": 1e-12},
    problem=Problem(
        (START,),
        lambda t, y, m: [-y[0] / 5.0],
        (Watched("crest", lambda t, y, m: m.cos(PACE * y[0]) - LEVEL, 1),),
    ),
)
