"""Events whose time depends on what is varied: when they are, and what that does to the derivatives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.analysis.sensitivity.dual import Dual, UndifferentiableError, value_of
from eventide.analysis.sensitivity.views import refuse
from eventide.continuous import system_of
from eventide.discrete.calendar import stretch_of
from eventide.discrete.inside import calendar_of
from eventide.engine.switching import HELD, LOOSE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.analysis.sensitivity.tangents import Tangents
    from eventide.discrete.calendar import Notice
    from eventide.discrete.conditions.condition import Condition

NEAR: Final = 1e-9
"""A comparison has just changed if its sides were equal not longer ago than this, relative to a time above 1."""


class Events:
    """The events of one simulation, as they pass.

    moving      whether the time of any event has depended on what is varied
    """

    def __init__(self, tangents: Tangents) -> None:
        self.tangents = tangents
        self.sim = tangents.sim
        self.moving = False
        self.durations: dict[object, NDArray[np.float64]] = {}
        self._planned: dict[object, tuple[Notice, NDArray[np.float64]]] = {}
        self._still = np.zeros(tangents.count + 1)
        self._before: tuple[float, NDArray[np.float64]] = (-inf, self._still)
        self._turned: tuple[float, NDArray[np.float64], str] = (-inf, self._still, "")

    # --- into an event --------------------------------------------------------------------------------------------

    def enter(self, notice: Notice | None, condition: Condition | None) -> None:
        """The model has come to an event: of a notice of the event list, of a condition, or the end of the run."""
        tangents, sim = self.tangents, self.sim
        time = sim.instant if notice is None else notice[0]
        tangents.show(is_dual=True)
        self._show_flows()
        tangents.load()
        tangents.rates = rates = tangents.evaluate()
        tangents.check_branches()
        self._keep(tangents.found)
        moved = self._still
        if condition is not None:
            moved = self._time_of(condition, rates, time)
            self._check_coincidence(time, moved)
        elif notice is not None:
            moved = self._planned.get(notice[3], (None, self._still))[1]
        self._check_switches(rates, time, moved)
        tangents.moved = moved
        self._before = time, moved
        if moved.any():
            self.moving = True
            self._advance(rates, moved)

    def _show_flows(self) -> None:
        """Bring what is seen of all flows to the present time."""
        for flow in system_of(self.sim).integrator.flows.values():
            if flow.at != self.sim.instant:
                flow.show()

    def _keep(self, found: dict[int, float | Dual]) -> None:
        """What laws compute has the derivatives that they have found."""
        for slot, value in found.items():
            if isinstance(value, Dual):
                self.tangents.row.tangents[slot] = value.tangent
            else:
                self.tangents.row.tangents.pop(slot, None)

    def _advance(self, rates: dict[int, float | Dual], moved: NDArray[np.float64]) -> None:
        """The derivatives of a fixed time become those of the event: they count how far it moves."""
        tangents = self.tangents
        self._seed_time(rates)
        with self._moving_clock():
            tangents.rates = later = tangents.evaluate()
        self._keep(tangents.found)
        row = tangents.row.tangents
        slots = [slot for slot, _ in self._slots(rates)]
        for slot in [*slots, *(slot for slot, value in tangents.found.items() if isinstance(value, Dual))]:
            row[slot] = _total(row[slot], moved)
        for slot, rate in later.items():
            if isinstance(rate, Dual):
                later[slot] = Dual(rate.space, rate.value, _total(rate.tangent, moved))

    def _slots(self, rates: dict[int, float | Dual]) -> Iterator[tuple[int, float]]:
        """The slots that are integrated, with their rates."""
        tangents = self.tangents
        for owner in tangents.companions:
            for slot in tangents.integrated(owner):
                yield slot, float(value_of(rates.get(slot, 0.0)))

    def _seed_time(self, rates: dict[int, float | Dual], order: int = 1) -> None:
        """Let states have the derivative with respect to time that their rates are, or that of these."""
        row = self.tangents.row.tangents
        for slot, rate in self._slots(rates):
            tangent = row[slot].copy()
            if order == 1:
                tangent[-1] = rate
            else:
                change = rates.get(slot)
                tangent[-1] = change.tangent[-1] if isinstance(change, Dual) else 0.0
            row[slot] = tangent

    def _moving_clock(self) -> _MovingClock:
        return _MovingClock(self.tangents)

    # --- when a condition becomes true ----------------------------------------------------------------------------

    def _time_of(self, condition: Condition, rates: dict[int, float | Dual], time: float) -> NDArray[np.float64]:
        """How the time at which a condition becomes true changes, in each direction.

        Raises UndifferentiableError where it grazes, and where it is not seen which comparison makes it true.
        """
        tangents = self.tangents
        row = tangents.row.tangents
        kept = dict(row)
        self._seed_time(rates)
        with self._moving_clock():
            second = tangents.evaluate()
            self._keep(tangents.found)
            first = self.differences(condition)
            self._seed_time(second, order=2)
            bent = self.differences(condition)
        row.clear()
        row.update(kept)
        near = [k for k, one in enumerate(first) if is_near(one, time)]
        if not near:
            if self._before[0] == time:
                return self._before[1]
            flat = [one for one in first if self._grazes(one, None)]
            if flat:
                self._refuse_grazing(condition, time, flat[0])
            raise UndifferentiableError(
                f"the condition of {condition.name} became true at time {time!r}, and no comparison of it is seen to "
                'change there, so that it cannot be told how that time depends on what is varied: ask for by="central"'
            )
        found = [first[k] for k in near]
        for k in near:
            if self._grazes(first[k], bent[k]):
                self._refuse_grazing(condition, time, first[k])
        times = [_time_tangent(one) for one in found]
        if any(not np.allclose(other, times[0], rtol=1e-6, atol=0.0) for other in times[1:]):
            refuse(f"the condition of {condition.name}, of which two comparisons change at once at time {time!r}")
        return times[0]

    def turn(self) -> None:
        """Comparisons in laws change here: the derivatives jump with the rates, by how far this time moves."""
        tangents, time = self.tangents, self.sim.instant
        row = tangents.row.tangents
        with tangents.going_by(HELD):
            left = tangents.evaluate()
            self._keep(tangents.found)
            changed = [switch for switch in tangents.switches() if switch.test()]
            times = [self._time_of(switch, left, time) for switch in changed]
        if not times:
            refuse(f"a comparison in a law that changes at time {time!r}")
        if any(not np.allclose(other, times[0], rtol=1e-6, atol=1e-12) for other in times[1:]):
            refuse(f"two comparisons in laws that change at time {time!r}, and otherwise move apart")
        self._check_coincidence(time, times[0])
        self._before, self._turned = (time, times[0]), (time, times[0], changed[0].name)
        if times[0].any():
            right = tangents.evaluate()
            for slot, rate in self._slots(left):
                row[slot] = row[slot] + (rate - float(value_of(right.get(slot, 0.0)))) * times[0]
            tangents.give()

    def differences(self, condition: Condition) -> list[Dual]:
        """Left minus right side of each comparison that a condition makes now."""
        with self.tangents.watch() as comparisons:
            condition.test()
        return [difference for difference, _ in comparisons]

    @contextmanager
    def with_time(self) -> Iterator[None]:
        """Meanwhile the states of the present time have their derivatives with respect to time, and the clock moves."""
        tangents = self.tangents
        self._show_flows()
        with tangents.as_dual():
            tangents.load()
            self._seed_time(tangents.evaluate())
            with self._moving_clock():
                tangents.evaluate()
                self._keep(tangents.found)
                yield

    def _grazes(self, difference: Dual, bent: Dual | None) -> bool:
        """Whether a condition turns round so near to its level that the tolerances cannot tell it from touching."""
        speed = float(difference.tangent[-1])
        if speed == 0.0:
            return abs(difference.value) <= self.tolerance()
        if bent is None or bent.tangent[-1] == 0.0:
            return False
        return bool(speed * speed / (2.0 * abs(float(bent.tangent[-1]))) <= self.tolerance())

    def tolerance(self) -> float:
        """Below what the run tells nothing."""
        return float(self.sim.abs_error + self.sim.rel_error)

    def _refuse_grazing(self, condition: Condition, time: float, difference: Dual) -> None:
        raise UndifferentiableError(
            f"the condition of {condition.name} grazes at time {time!r}: it changes at the rate "
            f"{float(difference.tangent[-1])!r}, which is 0 within the tolerances, so the time of this event has no "
            "derivative; vary from a case in which the condition is crossed, or not reached"
        )

    def _check_coincidence(self, time: float, moved: NDArray[np.float64]) -> None:
        """Raise UndifferentiableError if another event at the same time would move otherwise."""
        notice = calendar_of(self.sim).first()
        others = [] if self._before[0] != time else [self._before[1]]
        if notice is not None and notice[0] <= time:
            others.append(self._planned.get(notice[3], (None, self._still))[1])
        if any(not np.allclose(other, moved, rtol=1e-6, atol=1e-12) for other in others):
            refuse(f"two events at time {time!r} of which only one depends on what is varied: their order may change")

    def _check_switches(self, rates: dict[int, float | Dual], time: float, moved: NDArray[np.float64]) -> None:
        """Raise UndifferentiableError if a comparison in a law changes at this very time, and would move otherwise."""
        tangents = self.tangents
        changing = [switch for switch in tangents.switches() if tangents.is_held(switch) and switch.test()]
        others = [(time, self._time_of(switch, rates, time), switch.name) for switch in changing]
        for when, other, name in (self._turned, *others):
            if when == time and not np.allclose(other, moved, rtol=1e-6, atol=1e-12):
                refuse(
                    f"an event, a time that is asked for or the end of the run at time {time!r}, where {name} changes "
                    "too, and depends otherwise on what is varied: their order may change"
                )

    # --- out of it ------------------------------------------------------------------------------------------------

    def leave(self) -> None:
        """The code of an event has run: the derivatives are those of a fixed time again, and go on from there."""
        tangents = self.tangents
        tangents.begin()
        self._note_plans()
        if tangents.moved.any():
            with tangents.going_by(LOOSE):
                rates = tangents.evaluate()
            row = tangents.row.tangents
            for slot, rate in self._slots(rates):
                row[slot] = row.get(slot, self._still) - rate * tangents.moved
        tangents.moved = self._still
        tangents.branches = None
        self._store()
        tangents.show(is_dual=False)

    def _note_plans(self) -> None:
        """What has been scheduled in this event moves as it does, and with what its duration depends on."""
        moved, planned = self.tangents.moved, self._planned
        if not moved.any() and not self.durations and not planned:
            return
        found: dict[object, tuple[Notice, NDArray[np.float64]]] = {}
        for notice in calendar_of(self.sim):
            activity = notice[3]
            if activity in planned and planned[activity][0] is notice:
                found[activity] = planned[activity]
            elif stretch_of(notice) > calendar_of(self.sim).turn - 1 or notice[0] == self.sim.instant:
                found[activity] = notice, moved + self.durations.get(activity, self._still)
        self._planned = {activity: plan for activity, plan in found.items() if plan[1].any()}
        self.durations.clear()

    def _store(self) -> None:
        """Give the companions the derivatives that they go on with."""
        tangents, count = self.tangents, self.tangents.count
        for owner, companion in tangents.companions.items():
            slots = tangents.slots_of(owner)
            if not slots or not count:
                continue
            rows = [tangents.row.tangents.get(slot, self._still)[:count] for slot in slots]
            values = np.concatenate(rows)
            if not np.array_equal(values, np.asarray(companion.values)):
                if not all(map(isfinite, values)):
                    refuse(f"{owner.name}, whose derivatives are not finite at time {self.sim.instant!r}")
                companion.values = values


class _MovingClock:
    """Meanwhile the time is a number that depends on the time."""

    def __init__(self, tangents: Tangents) -> None:
        self.tangents = tangents

    def __enter__(self) -> None:
        self.tangents.clock_moves = True

    def __exit__(self, *_: object) -> None:
        self.tangents.clock_moves = False


def _total(tangent: NDArray[np.float64], moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """The derivatives at a time that moves, from those at a fixed time and that with respect to time."""
    total: NDArray[np.float64] = tangent + tangent[-1] * moved
    total[-1] = 0.0
    return total


def is_near(difference: Dual, time: float) -> bool:
    """Whether the sides of a comparison are equal just now."""
    return _since(difference) <= NEAR * max(1.0, abs(time))


def _since(difference: Dual) -> float:
    """How long ago, or ahead, the sides of a comparison were equal; infinite for what stands still."""
    speed = abs(float(difference.tangent[-1]))
    return abs(difference.value) / speed if speed > 0.0 else inf


def _time_tangent(difference: Dual) -> NDArray[np.float64]:
    moved: NDArray[np.float64] = -difference.tangent / difference.tangent[-1]
    moved[-1] = 0.0
    return moved
