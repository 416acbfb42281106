"""A hint where steps are far shorter than accuracy demands: because of stability, or of a law that chatters.

A flow with many steps is checked once, as a run ends: the derivatives of its laws are taken by differences, and
their eigenvalues compared with the mean step. In a stiff flow the fastest one decays, and the step is as long as the
method's stability allows for it. A fast oscillation is none, as its step is chosen for accuracy; nor are steps that
end at events.

Source: Hairer & Wanner, Solving Ordinary Differential Equations II, IV.2.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.engine.codes import ABS, REL, Y0, R, Y
from eventide.errors import StiffnessWarning, SwitchWarning
from eventide.methods import Method
from eventide.reading.lines import level_of_user

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous import Flow, Integrator

MANY: Final = 20_000
"""A flow is checked after this many steps: some milliseconds, as a check takes a tenth of one."""
LARGEST: Final = 200
"""Flows of more states are not checked: their eigenvalues would take too long."""
DECAYS: Final = 0.8
"""The fastest eigenvalue decays if its real part is negative and at least this fraction of its modulus."""
AT_LIMIT: Final = 1.5
"""A mean step longer than this many times that of the fastest decay is limited by stability."""
TINY: Final = 1e-7
REFUSED: Final = 0.1
"""A law that chatters has more than this share of its steps refused;"""
HARDLY: Final = 300.0
"""and in its mean step states move by less than so many tolerances."""


class Stiffness:
    """Asks the flows of one simulation, each once."""

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self._asked: dict[int, None] = {}

    def look(self) -> None:
        """A run has ended: warn of a flow that is stiff."""
        integrator = self._integrator
        if integrator.method.is_fixed:
            return
        for number, flow in integrator.flows.items():
            steps = int(integrator.memory.flow.steps[number])
            if steps < MANY or number in self._asked:
                continue
            self._asked[number] = None
            slots = list(flow.slots)
            is_explicit = isinstance(integrator.method, Method)
            if not self._chatters(flow, slots, steps) and is_explicit and 0 < len(slots) <= LARGEST:
                self._judge(flow, slots, steps)

    def _chatters(self, flow: Flow, slots: list[int], steps: int) -> bool:
        """Warn if branches that are not located cause steps in which the states hardly move."""
        integrator, counts, rows = self._integrator, self._integrator.memory.flow, self._integrator.storage.rows
        mean, refused = integrator.sim.time / steps, int(counts.refused[flow.number])
        if not counts.unseen[flow.number] > 0.0 or refused < REFUSED * steps:
            return False
        for slot in slots:
            tolerance = abs(rows[ABS][slot]) + abs(rows[REL][slot] * rows[Y][slot])
            if abs(rows[R][slot]) * mean > HARDLY * tolerance:
                return False
        warnings.warn(
            SwitchWarning(
                f"{_named(flow)}: {steps} steps of {mean:.3g} on the mean, and {refused} refused. The law seems to "
                "chatter where it branches and that is not located, which `sim.explain().branches` names: write the "
                "comparison in `equations` itself, or, if both sides lead back to it, two handlers that slide "
                "(`on.slides(off)`)"
            ),
            stacklevel=level_of_user(),
        )
        return True

    def _judge(self, flow: Flow, slots: list[int], steps: int) -> None:
        jacobian = self._derivatives(flow, slots)
        mean = self._integrator.sim.time / steps
        if not mean * np.abs(jacobian).sum(axis=1).max() > AT_LIMIT:  # no eigenvalue is larger than that
            return
        fastest = _fastest(jacobian)
        if fastest.real < -DECAYS * abs(fastest) and mean * abs(fastest) > AT_LIMIT:
            warnings.warn(
                StiffnessWarning(
                    f"{_named(flow)}: {steps} steps, of {mean:.3g} on the mean, "
                    f"which are as short as something that decays at the rate {-fastest.real:.3g} demands, and not "
                    'accuracy. The problem is stiff: try Simulation(method="radau")'
                ),
                stacklevel=level_of_user(),
            )

    def _derivatives(self, flow: Flow, slots: list[int]) -> NDArray[np.float64]:
        """The derivatives of a flow's rates by its states, at the present; everything is left as it was."""
        integrator = self._integrator
        table_now, host = integrator.storage.table, integrator.host
        table = table_now.copy()
        jacobian = np.zeros((len(slots), len(slots)))
        try:
            table_now[Y0, slots] = table[Y, slots]
            for column, slot in enumerate(slots):
                state = table[Y, slot]
                step = TINY * max(abs(state), 1e-3)
                sides = []
                for shifted in (state + step, state - step):
                    is_answered = host.ask(flow, slot, float(shifted))
                    sides.append(table_now[R, slots] if is_answered else np.full(len(slots), np.nan))
                jacobian[:, column] = (sides[0] - sides[1]) / (2.0 * step)
        finally:
            table_now[:] = table
            integrator.forget_what_was_seen()
        return jacobian


def _named(flow: Flow) -> str:
    more = len(flow.owners()) - 3
    return ", ".join(one.name for one in flow.owners()[:3]) + (f" and {more} more" if more > 0 else "")


def _fastest(jacobian: NDArray[np.float64]) -> complex:
    """The eigenvalue of the greatest size; 0 where there is none."""
    if not np.isfinite(jacobian).all():
        return 0j
    values = np.linalg.eigvals(jacobian)
    return complex(values[np.argmax(np.abs(values))])
