"""The counts of a run for `sim.report()`: its cost, and how closely its conditions were monitored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from eventide.declare.showing import as_html, as_text, public_dir
from eventide.discrete.conditions.when import AT_START, Trigger

if TYPE_CHECKING:
    from eventide.continuous import Integrator
    from eventide.discrete.conditions.condition import Condition
    from eventide.monitor.monitor import Monitor


@dataclass(frozen=True, repr=False)
class RunReport:
    """Counts of a run up to now; `str` of it is for reading.

    events          events that have taken place, and state_events of them
    steps           completed steps of all flows, refused attempts, evaluations of the laws of a flow
    certified, sampled, opaque      how many conditions were monitored: over the whole of each step by proofs, at
                    samples, and, because their code cannot be read, at its middle and its end only
    unproved        in how many steps a certified condition could not be proved to stay false
    jacobians       how often an implicit method has evaluated derivatives of the laws of a flow, all or some, and
                    factorizations: how often it has factorized matrices made of them for a step
    switches        how often comparisons in laws have changed inside steps, which then ended there
    passed_through  handlers whose condition has stayed true since they ran, so that they cannot run again
    began_true      handlers whose condition has been true from the start on, so that they have never run
    """

    __dir__ = public_dir

    events: int
    state_events: int = 0
    steps: int = 0
    refused: int = 0
    evaluations: int = 0
    certified: int = 0
    sampled: int = 0
    opaque: int = 0
    unproved: int = 0
    jacobians: int = 0
    factorizations: int = 0
    switches: int = 0
    passed_through: tuple[str, ...] = ()
    began_true: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([as_text(self._rows()), *self._notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self._rows(), title="the run", notes=self._notes())

    def _rows(self) -> list[tuple[str, int]]:
        """The counts with their numbers; zeros of rare kinds are left out."""
        always = [
            ("events", self.events),
            ("state events, of these", self.state_events),
            ("steps", self.steps),
            ("attempts at a step refused", self.refused),
            ("evaluations of the laws", self.evaluations),
        ]
        others = [
            ("conditions proved over whole steps", self.certified),
            ("conditions tested at samples", self.sampled),
            ("conditions that cannot be read", self.opaque),
            ("steps in which a proof has failed", self.unproved),
            ("derivatives evaluated", self.jacobians),
            ("matrices factorized", self.factorizations),
            ("branches of laws changed", self.switches),
        ]
        return always + [row for row in others if row[1]]

    def _notes(self) -> list[str]:
        """What is to be looked at."""
        notes = []
        if self.passed_through:
            notes.append(f"passed through, and true ever since: {', '.join(self.passed_through)}")
        if self.began_true:
            notes.append(f"true from the start, and so never run: {', '.join(self.began_true)}; {AT_START}")
        return notes


def report(monitor: Monitor) -> RunReport:
    """The counts of a monitor's run."""
    integrator = monitor.integrator
    integrator.place_what_can()
    guards = integrator.guards
    return RunReport(
        events=monitor.sim.events,
        state_events=monitor.state_events,
        steps=monitor.steps,
        refused=monitor.refused,
        evaluations=monitor.system.evaluations,
        **guards.counts,
        unproved=integrator.run.unproved,
        jacobians=integrator.total("jacobians"),
        factorizations=integrator.total("factorizations"),
        switches=integrator.run.switched,
        passed_through=tuple(c.name for c in monitor.watched if _is_passed_through(c, integrator)),
        began_true=tuple(c.name for c in monitor.watched if guards.began_true(c)),
    )


def _is_passed_through(condition: Condition, integrator: Integrator) -> bool:
    return isinstance(condition, Trigger) and condition.has_fired and integrator.guards.guard.armed[condition.row] == 0
