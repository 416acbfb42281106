"""Thirty events at one instant, each released by the one before: a chain, not a cycle."""

from conformance.case import Case, Log

import eventide as ev

LINKS = 30


class Link(ev.Continuous):
    x: ev.State = ev.state(0.0)
    before: "Link | None" = None
    has_fallen: float = 0.0
    number: int = 0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1.0

    @ev.when(lambda self: self.x >= 1.0 if self.before is None else self.before.has_fallen == 1.0)
    def fall(self) -> None:
        self.has_fallen = 1.0
        self.log.append((f"link {self.number}", self.sim.time))


def build(sim: ev.Simulation, log: Log) -> object:
    links: list[Link] = []
    for number in range(LINKS):
        links.append(Link(sim, number=number, before=links[-1] if links else None, log=log))
    for link in reversed(links):
        link.start()
    return links


CASE = Case(
    title="a chain of events at one instant",
    reported=("OpenModelica#3795", "OpenModelica#3062", "ModelingToolkit.jl#1394"),
    asked="thirty events that release each other at t = 1, and no limit of iterations",
    exact=tuple((f"link {number}", 1.0) for number in range(LINKS)),
    until=2.0,
    build=build,
    is_long=True,
    tolerance=1e-12,
)
