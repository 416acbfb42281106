"""Gears with backlash: a tooth between two flanks loses speed at each contact and settles."""

from conformance.case import Case, Log, Problem, Watched

import eventide as ev

SHARE, CONTACTS = 0.5, 12


class Tooth(ev.Continuous):
    """It flies to and fro in a gap of width 1 and keeps half of its speed at each contact: no Zeno, ever slower."""

    place: ev.State = ev.state(0.0)
    speed: ev.State = ev.state(1.0)
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.place = self.speed

    @ev.when(lambda self: self.place >= 1.0 and self.speed > 0.0)
    def front(self) -> None:
        self.log.append(("front", self.sim.time))
        self.speed *= -SHARE

    @ev.when(lambda self: self.place <= 0.0 and self.speed < 0.0)
    def back(self) -> None:
        self.log.append(("back", self.sim.time))
        self.speed *= -SHARE


def build(sim: ev.Simulation, log: Log) -> object:
    return Tooth(sim, log=log).start()


CASE = Case(
    title="gears: backlash",
    reported=("OpenModelica#13912", "OpenModelica#8461"),
    asked="contacts at intervals of 1, 2, 4, 8 ...: the next is ever farther from the last step",
    exact=tuple(("front" if n % 2 == 0 else "back", (1.0 / SHARE) ** (n + 1) - 1.0) for n in range(CONTACTS)),
    until=5000.0,
    build=build,
    tolerance=1e-8,
    problem=Problem(
        (0.0, 1.0),
        lambda t, y, m: [y[1], 0.0 * y[1]],
        (
            Watched("front", lambda t, y, m: y[0] - 1.0, 1, lambda y: [y[0], -SHARE * y[1]]),
            Watched("back", lambda t, y, m: y[0], -1, lambda y: [y[0], -SHARE * y[1]]),
        ),
    ),
)
