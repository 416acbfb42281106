"""Zeno: three beads on a wire lose so much speed that infinitely many of their contacts take a finite time."""

from fractions import Fraction

from conformance.case import Case, Happening, Log

import eventide as ev

SHARE = Fraction(1, 20)
"""Below 7 - 4 sqrt(3) = 0.0718 three beads collapse. Source: McNamara & Young, Phys. Fluids A 4 (1992)."""
SHOWN = 5


def contacts(gaps: list[Fraction], speeds: list[Fraction], number: int) -> list[Happening]:
    """The first contacts in exact fractions; a gap closes where its speed is negative."""
    time, found = Fraction(0), []
    for _ in range(number):
        waits = [-gap / speed if speed < 0 else None for gap, speed in zip(gaps, speeds, strict=True)]
        wait, which = min((wait, k) for k, wait in enumerate(waits) if wait is not None)
        gaps = [gap + wait * speed for gap, speed in zip(gaps, speeds, strict=True)]
        own = speeds[which]
        speeds[which], speeds[1 - which] = -SHARE * own, speeds[1 - which] + (1 + SHARE) * own / 2
        time += wait
        found.append(("left" if which == 0 else "right", float(time)))
    return found


class Beads(ev.Continuous):
    """By the gaps between the outer beads and the one in the middle."""

    left: ev.State = ev.state(1.0)
    right: ev.State = ev.state(2.0)
    left_speed: ev.State = ev.state(-1.0)
    right_speed: ev.State = ev.state(-1.0)
    contacts: int = 0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.left = self.left_speed
        self.rate.right = self.right_speed

    @ev.when(lambda self: self.left <= 0.0 and self.left_speed < 0.0)
    def meet_left(self) -> None:
        own = self.left_speed
        self.left_speed, self.right_speed = -float(SHARE) * own, self.right_speed + (1.0 + float(SHARE)) * own / 2.0
        self.note("left")

    @ev.when(lambda self: self.right <= 0.0 and self.right_speed < 0.0)
    def meet_right(self) -> None:
        own = self.right_speed
        self.right_speed, self.left_speed = -float(SHARE) * own, self.left_speed + (1.0 + float(SHARE)) * own / 2.0
        self.note("right")

    def note(self, name: str) -> None:
        self.contacts += 1
        if self.contacts <= SHOWN:
            self.log.append((name, self.sim.time))

    @meet_left.accumulates
    def stick(self, time: float) -> None:
        self.log.append(("collapse", time))
        self.stop()


def build(sim: ev.Simulation, log: Log) -> object:
    return Beads(sim, log=log).start()


EXACT = contacts([Fraction(1), Fraction(2)], [Fraction(-1), Fraction(-1)], 60)
CASE = Case(
    title="Zeno: inelastic collapse",
    reported=("DifferentialEquations.jl#696", "OpenModelica#15043"),
    asked="the first contacts of three beads with restitution 1/20, and when they are one",
    exact=(*EXACT[:SHOWN], ("collapse", EXACT[-1][1])),
    until=10.0,
    build=build,
    tolerance=1e-7,
)
