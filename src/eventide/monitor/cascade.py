"""Models that stop advancing: events without end at one instant, chatter, and Zeno behaviour.

In: a condition that the stepper reports (`engine/zeno.py`) because it fires too often. Out: the handler that comes
next, a warning, or an error that names the conditions, the window and a remedy. Judged are: 1,000 firings in a row
while time barely advances; two handlers that lead back to one surface in turn, while the states they read stay where
they are; and intervals that shrink by one ratio towards a time just ahead. A handler's `accumulates` then says what
comes next.
"""

from __future__ import annotations

import warnings
from math import nan
from typing import TYPE_CHECKING, Final, NoReturn

from eventide.discrete.conditions.condition import conditions_of
from eventide.discrete.conditions.when import Trigger
from eventide.engine.codes import ABS, REL, R, Y
from eventide.engine.zeno import FLOATS, MOST, SUSPECT
from eventide.errors import CascadeWarning, ModelError, SwitchWarning
from eventide.reading.description import describe_code
from eventide.reading.lines import level_of_user

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eventide.continuous import Integrator
    from eventide.continuous.guards.firing_histories import FiringHistory
    from eventide.discrete.conditions.condition import Condition
    from eventide.simulation import Simulation

RESOLUTION: Final = FLOATS * 2.220446049250313e-16
"""Two conditions that fire in turn make no progress if the states they read move by at most this fraction."""
LOOKS: Final = 4
"""How often this is checked before the check is postponed."""


class Cascade:
    """Judges the state events of one run."""

    def __init__(self, sim: Simulation, integrator: Integrator) -> None:
        self.sim = sim
        self.integrator = integrator
        self._warned: dict[tuple[str, object], None] = {}
        self._suspects: dict[object, tuple[float, list[float], Condition]] = {}

    def judge(self, condition: Condition) -> Condition:
        """Judge a condition that has fired too often; returns the condition that fires in its place, perhaps itself.

        If it has fired 1,000 times in a row while time barely advanced, or in turn with another condition of the same
        states while these barely moved (checked from the 1,000th time on), or if its intervals shrink
        geometrically towards a time just ahead (Zeno), the handler that `accumulates` gave to it, or to one that fires
        in turn with it, is next. Without one ModelError is raised, which names conditions, window and remedy; with
        cascades="warn" the last kind is a warning.
        """
        integrator, time = self.integrator, self.sim.time
        fired = integrator.guards.history_of(condition)
        if integrator.run.alert == SUSPECT:
            if not self._hardly_moves(condition, time):
                fired.go_on(looks=LOOKS)
                return condition
            fired.stay()
            if fired.crowd < MOST:
                return condition
        end = time if fired.crowd >= MOST else time + fired.interval * fired.ratio / (1.0 - fired.ratio)
        settled = self._settle(fired, end)
        if settled is None and fired.crowd >= MOST:
            self._refuse(fired, time)
        if settled is None:
            return self._tell(fired, end, condition)
        if settled is not condition:
            integrator.guards.put_back(condition)
            integrator.guards.disarm(settled)
        return settled

    def judge_switch(self, switch: Condition) -> None:
        """A comparison in a law has changed too often: raise ModelError if time, or what it reads, barely advances.

        The rules are those of `judge`, but each comparison is its own partner.
        """
        run, time = self.integrator.run, self.sim.time
        fired = self.integrator.guards.history_of(switch)
        is_suspect = run.alert == SUSPECT
        run.alert = 0
        if is_suspect and self._has_moved(switch, fired):
            self._warn_of_hovering(switch, fired)
            fired.go_on(looks=LOOKS)
            return
        if is_suspect:
            fired.stay()  # as for handlers
            if fired.crowd < MOST:
                return
        raise ModelError(
            f"the law chatters: {switch.name} has changed {fired.crowd + 1 if fired.crowd else fired.steady + 2} times "
            f"from {fired.since!r} to {time!r}, because the equations on each side lead back to the other. Add "
            "hysteresis: a field that the law reads and two handlers, at two levels, set. Or use two handlers that "
            "slide (`on.slides(off)`). Or set `locate_branches = False` in the class: then error control alone decides"
        )

    def _has_moved(self, switch: Condition, fired: FiringHistory) -> bool:
        """Whether a comparison moves by more than rounding between two of its changes.

        Its slope tells, on the side on which that is steeper: the states that it reads may be at rest on the other, and
        the time may be all that moves. Rounding is what it changes by as each number moves by RESOLUTION. Where it has
        no slope, as that of a sum, the fastest and the largest state tell.
        """
        rows = self.integrator.storage.rows
        noises = {slot: RESOLUTION * abs(rows[Y][slot]) for slot in (*switch.plan.reads, *switch.flow.slots)}
        slope = self._slope(switch, fired)
        if slope == slope:
            noise = self._change(switch, noises)
        else:
            slope = max((abs(rows[R][slot]) for slot in switch.flow.slots), default=0.0)
            noise = max((noises[slot] for slot in switch.flow.slots), default=0.0)
        return slope * (fired.interval - 2.0 * self.integrator.run.dt_min) > noise

    def _slope(self, switch: Condition, fired: FiringHistory) -> float:
        """The steeper slope of a comparison on the two sides of its change; NaN if none is known."""
        measured = self.integrator.measure(switch)
        slopes = [fired.slope, measured[1] if measured else nan]
        return max((abs(slope) for slope in slopes if slope == slope), default=nan)

    def _change(self, switch: Condition, moves: dict[int, float]) -> float:
        """How much a comparison changes at most as each of some numbers moves by as much as is given with its slot."""
        numbers, analyst, changes = self.integrator.storage.rows[Y], self.integrator.analyst, 0.0
        present = analyst.answer(switch)
        for slot, move in moves.items():
            kept = numbers[slot]
            try:
                numbers[slot] = kept + move
                moved = analyst.answer(switch)
            finally:
                numbers[slot] = kept
            if present is not None and moved is not None:
                changes += abs(moved[0] - present[0])
        return changes

    def _warn_of_hovering(self, switch: Condition, fired: FiringHistory) -> None:
        """Warn once if what a comparison reads has moved by less than its tolerances in the last changes."""
        rows, slots = self.integrator.storage.rows, switch.plan.looks_at
        tolerances = {slot: abs(rows[ABS][slot]) + abs(rows[REL][slot] * rows[Y][slot]) for slot in slots}
        is_hovering = self._slope(switch, fired) * MOST * fired.interval < self._change(switch, tolerances)
        if not is_hovering or fired.identity in self._warned:
            return
        self._warned[fired.identity] = None
        warnings.warn(
            SwitchWarning(
                f"{switch.name} has changed some {MOST} times until {self.sim.time!r}, {fired.interval:.3g} apart, "
                "while what it compares has moved by less than its tolerance: each ends a step. If the equations "
                "on each side lead back to its level, write them smooth there, or set `locate_branches = False` in the "
                "class: then error control alone decides how long steps are"
            ),
            stacklevel=level_of_user(),
        )

    def _hardly_moves(self, condition: Condition, time: float) -> bool:
        """Whether another condition of the same states has just fired, because rounding put these on its side.

        The states must move back: conditions that fire together while a state passes through a level do not count.
        """
        integrator = self.integrator
        slots = tuple(slot for slot in condition.plan.looks_at if slot in condition.flow.slots)
        if not slots:
            return False
        numbers, rates = integrator.storage.rows[Y], [integrator.storage.rows[R][slot] for slot in slots]
        before, rates_before, other = self._suspects.get(slots, (time, rates, condition))
        self._suspects[slots] = time, rates, condition
        if other is condition or not self._is_back(other, rates_before, rates):
            return False
        size, rate = max(abs(numbers[slot]) for slot in slots), max(map(abs, rates))
        located = 2.0 * integrator.run.dt_min * (rate + max(map(abs, rates_before)))
        return bool(rate * (time - before) <= RESOLUTION * size + located)

    def _is_back(self, other: Condition, before: list[float], now: list[float]) -> bool:
        """Whether the states leave the side of a condition that has fired; once they have, by the rates."""
        measured = self.integrator.measure(other)
        if measured is not None:
            return measured[1] < 0.0
        return sum(one * two for one, two in zip(before, now, strict=True)) < 0.0

    def _cycle(self, fired: FiringHistory) -> list[FiringHistory]:
        """Those that fire in turn with one: since its previous firing, or as often as it does at one time."""
        histories = self.integrator.guards.histories.all()
        if fired.crowd >= MOST:
            return [t for t in histories if t.time >= fired.since and t.crowd >= MOST // 2]
        return [t for t in histories if t.time >= fired.time - fired.interval]

    def _settle(self, fired: FiringHistory, end: float) -> Condition | None:
        """Make the handler for the end of the cycle the next one, its own first; None if there is none."""
        cycle = self._cycle(fired)
        for other in [fired, *cycle]:
            for trigger in conditions_of(self.sim):
                if isinstance(trigger, Trigger) and trigger.has_continuation and trigger.identity == other.identity:
                    trigger.end = end
                    for ended in cycle:
                        ended.end()
                    return trigger
        return None

    def _tell(self, fired: FiringHistory, end: float, condition: Condition) -> Condition:
        """Raise or warn of events that come ever closer to a time."""
        names = ", ".join(t.name for t in self._cycle(fired) if t.serial != fired.serial)
        text = (
            f"{fired.name} fires ever faster{f', in turn with {names}' if names else ''}: its last "
            f"{fired.steady + 2} intervals shrank by the factor {fired.ratio:.6g} each, to {fired.interval:.3g}, and "
            f"would end at time {end!r} after infinitely many events. Define what follows by @handler.accumulates or "
            'handler.accumulates(ev.rest("velocity")), or end the motion in the handler once it is small'
        )
        if self.sim.cascades != "warn":
            raise ModelError(text)
        warnings.warn(CascadeWarning(text), stacklevel=2)
        fired.tell()
        return condition

    def _refuse(self, fired: FiringHistory, time: float) -> NoReturn:
        """Raise the error of endless events while time barely advances."""
        cycle = self._cycle(fired)
        names = ", ".join(f"{t.name} ({t.crowd + 1} times)" for t in cycle)
        window = f"from {fired.since!r} to {time!r}"
        if len(cycle) == 2:
            one, other = (f"{t.name} [{describe_code(t.code)}]" for t in cycle)
            raise ModelError(
                f"chatter across a surface: {one} and {other} fire in turn, {fired.crowd + 1} times each {window}, as "
                "each leads back to the other. Add hysteresis: the level of one above that of the other. Or make one "
                "switch to equations of its own for the motion along the surface"
            )
        if fired.since == time:
            refuse_instant(time, {t.name: t.crowd + 1 for t in cycle})
        raise ModelError(
            f"time barely advances: {names} fired {window}. Make each handler change the state so that its own "
            "condition becomes false"
        )


def refuse_instant(time: float, fired: Mapping[str, int]) -> NoReturn:
    """Raise the error of endless events at one time: of those that have fired, with how often."""
    names = ", ".join(f"{name} ({count} times)" for name, count in fired.items())
    raise ModelError(
        f"time does not go beyond {time!r}: {names} fired at this instant. A condition of `until` "
        "that is true now is due now: make it false before waiting for it again, for example by "
        "`and self.velocity < 0`, or wait for `crosses(...)`"
    )
