"""Sliding along a surface between two handlers that lead back to each other: when it begins and when it ends.

In: the event of a handler that may slide. Out: the handler that comes next, or a flow that slides
(`engine/law_evaluation.py`). The rate of the condition's event function shows whether the event leads away from the
surface or back to it. If back, the other handler comes next, with the state just on its side; if that leads back too,
the state slides. What the two handlers have written are the modes of the two sides: one event each, then none. Waiting
for a thousand events was rejected, as was taking both fields from the text of an `if`, which does not say where the
surface is.

Along n surfaces there are n + 1 passes and n linear equations for the weights. The sliding ends where a weight leaves
[0, 1]: the handler of that side runs, and has to write what it wrote before. Any event that changes a parameter, a
state of the flow or a reference ends it too, and both handlers are tried again: at that instant, with the state where
it is, unless the event has moved it. Refused: conditions that are not one
comparison of states, handlers that set states or set fields from states, and equations that test the sign themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.continuous import Continuous, Variable
from eventide.continuous.components.member import layout_of, slab_of, slide_along, slide_of, slots_of
from eventide.continuous.flows.flow import moving_flow
from eventide.continuous.flows.sliding import Slide, computed_runs, lead_aside, reach
from eventide.declare import Computed, State, computed, fields_of, state
from eventide.discrete.conditions.condition import Condition, conditions_of
from eventide.discrete.conditions.when import Trigger, when
from eventide.engine.codes import R, Y
from eventide.errors import ModelError
from eventide.reading.assignments import names_in, set_from_states
from eventide.reading.description import describe_function

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous import Flow, Integrator, System
    from eventide.continuous.components.member import Member
    from eventide.declare import Component
    from eventide.discrete.world import World
    from eventide.simulation import Simulation

SUM: Final = 1e-9
"""The relative tolerance within which the effects of modes must add up."""


class _Edge(Condition):
    """The condition above a surface, tested in the passes of the laws and not monitored."""

    __slots__ = ("trigger",)

    def __init__(self, trigger: Trigger) -> None:
        super().__init__(trigger.test, 0.0)
        self.function, self.arguments = trigger.function, trigger.arguments
        self.trigger = trigger

    @property
    def sim(self) -> World:
        """Where it is tested."""
        return self.trigger.sim

    @property
    def owner(self) -> Component:
        """The component."""
        return self.trigger.component

    @property
    def name(self) -> str:
        """The handler's."""
        return self.trigger.name


@dataclass
class _Turn:
    """An event of a handler that may slide.

    numbers     all numbers of the model before it; rates: those of the flow, by slot
    speed       of the number of its condition, before it
    direction   by slot, by how much the event has changed the rate; wrote: the numbers it has written
    """

    trigger: Trigger
    time: float
    numbers: NDArray[np.float64]
    rates: dict[int, float]
    speed: float
    direction: dict[int, float] = field(default_factory=dict)
    wrote: dict[int, float] = field(default_factory=dict)


def field_above_leads_away(self: SlidingMotion) -> bool:
    """The state is above its surface from now on."""
    return self.share > 1.0


def field_below_leads_away(self: SlidingMotion) -> bool:
    """The state is below its surface from now on."""
    return self.share < 0.0


class SlidingMotion(Continuous):
    """Sliding along one surface while it lasts: its weight is part of the rates.

    share   the weight of the field above
    is_above    1 in the pass with the field above, so that the rate of `path` is the weight
    path    the integral of the weight: by its error steps are short enough to see that it leaves [0, 1]
    """

    share: Computed = computed()
    is_above: float = 0.0
    path: State = state(0.0)

    def equations(self) -> None:
        """The weight is what the step has to follow, also where all states rest."""
        self.rate.path = self.is_above

    def set_up(self, slides: Slides, above: Trigger) -> None:
        """Be the motion between a handler and its partner below."""
        self._slides = slides
        self.above, self.below = above, _partner(above)
        self.check_handlers()
        self.start_event = Trigger(self, lambda: True, "begins", 0.0, False)
        self.start_event.function = above.function
        self.latest = above

    def check_handlers(self) -> None:
        """Raise ModelError if what the two handlers are now sets a field from a state."""
        self.checked = self.handlers()
        for trigger in (self.above, self.below):
            states = {name for name, spec in fields_of(trigger.component).items() if spec.role != "field"}
            for name, source in set_from_states(states, trigger.handler):
                raise ModelError(
                    f"{trigger.name} sets {name} from {source}, but what handlers set is constant while the state "
                    "slides: let them set only which side it is, and compute what depends on the side and on states in "
                    "`equations`"
                )

    def handlers(self) -> list[tuple[object, object]]:
        """What Python finds now by the names of the two handlers, and their code."""
        return [(trigger.handler, trigger.code) for trigger in (self.above, self.below)]

    @property
    def slide(self) -> Slide:
        """Its surface and modes, for the stepper; there since both handlers have led back."""
        slide = slide_of(self)
        assert slide is not None
        return slide

    def begins(self) -> None:
        """The state slides from now on."""
        self._slides.begin(self)

    @when(field_above_leads_away, at_start=True)
    def ends_above(self) -> None:
        """It leaves the surface upwards."""
        self._slides.end(self, self.above)

    @when(field_below_leads_away, at_start=True)
    def ends_below(self) -> None:
        """It leaves the surface downwards."""
        self._slides.end(self, self.below)


class Slides:
    """The motions along surfaces of one run.

    has_work    whether there is something to look at after this event
    """

    def __init__(self, sim: Simulation, integrator: Integrator) -> None:
        self.sim = sim
        self.integrator = integrator
        self.has_work = False
        self._turn: _Turn | None = None
        self._back: _Turn | None = None
        self._next: Trigger | None = None
        self._expected: dict[int, float] | None = None
        self._modes: dict[int, None] = {}
        self._broken_off: list[tuple[SlidingMotion, dict[int, float]]] = []
        self._tried: SlidingMotion | None = None
        self._under_way: dict[SlidingMotion, _Standing] = {}
        self._unchecked: SlidingMotion | None = None

    def note(self, trigger: Trigger) -> None:
        """A handler that may slide is next."""
        self.has_work = True
        self.integrator.changes.note()
        integrator = self.integrator
        flow, table = trigger.flow, integrator.storage.table
        rates = {slot: float(table[R, slot]) for slot in flow.slots}
        self._turn = _Turn(trigger, self.sim.time, table[Y].copy(), rates, self._read(trigger)[1])

    def look(self, *, is_rebound: bool) -> Trigger | None:
        """After an event: the handler that fires at once, as on the other side of a surface; None without one.

        is_rebound      whether a component now refers to another object
        """
        trigger = self._look(is_rebound=is_rebound)
        self.has_work = bool(self._under_way) or trigger is not None
        return trigger

    def _look(self, *, is_rebound: bool) -> Trigger | None:
        turn, self._turn = self._turn, None
        states: list[str] = []
        if turn is not None:
            turn.wrote, states = self._written(turn)
            self._modes.update(dict.fromkeys(turn.wrote))
        for sliding in [s for s in self._under_way if self._is_disturbed(s, is_rebound=is_rebound)]:
            self._break_off(sliding)
        if self._next is not None:
            trigger, self._next = self._next, None
            return trigger
        if self._unchecked is not None:
            self._check_sum(self._unchecked)
        following: Trigger | None = None
        if turn is not None and self._expected is not None:
            self._compare(turn)
        elif turn is not None:
            following = self._follow(turn, states)
        return following or self._try_again()

    # --- from a handler's event to the motion ---------------------------------------------------------------------

    def _read(self, trigger: Trigger) -> tuple[float, float]:
        """The event function of a trigger, 0 or more where it holds, and its rate."""
        measured = self.integrator.measure(trigger)
        pattern = trigger.plan.pattern
        if measured is None or measured[1] != measured[1] or pattern.comparisons != 1 or pattern.needs_laws:
            raise ModelError(
                f"{trigger.name} cannot slide along the edge of [{describe_function(trigger.function)}]: "
                "its condition must be one comparison of states, or `crosses` of a function of states, that can be "
                "read; sim.explain() says what cannot"
            )
        return measured

    def _written(self, turn: _Turn) -> tuple[dict[int, float], list[str]]:
        """The constants that a handler has set, and the names of the states that it has set."""
        integrator = self.integrator
        slots = turn.trigger.flow.slots
        now = integrator.storage.table[Y, : len(turn.numbers)]
        wrote, states = {}, []
        for slot in np.flatnonzero(~((now == turn.numbers) | ((now != now) & (turn.numbers != turn.numbers)))).tolist():
            if slot in slots:
                states.append(integrator.system.name_of(slot))
            elif not integrator.system.is_active(slot) and not _is_computed(integrator, slot):
                wrote[slot] = float(turn.numbers[slot])
        return wrote, states

    def _follow(self, turn: _Turn, states: list[str]) -> Trigger | None:
        """What follows the event of a handler: its partner, sliding, or nothing because the event leads away."""
        integrator, trigger = self.integrator, turn.trigger
        is_tried = self._is_tried(trigger)
        if is_tried:
            self._settle_on_surface()
        else:
            integrator.settle()
        speed = self._read(trigger)[1]
        back, self._back = self._back, None
        flow, table = trigger.flow, integrator.storage.table
        changes = {slot: float(table[R, slot]) - rate for slot, rate in turn.rates.items() if slot in flow.slots}
        turn.direction = {slot: change for slot, change in changes.items() if change}
        if not speed < 0.0:
            if is_tried:  # the state is still on the surface
                self._lead(flow, {slot: -change for slot, change in turn.direction.items()}, trigger)
            return None
        if back is not None and back.trigger is trigger.partner and back.time == self.sim.time:
            return self._prepare(turn, speed, states)
        partner = _partner(trigger)
        if not is_tried and not self._lead(flow, turn.direction or turn.rates, partner):
            return None  # it fired off the surface, where a process has put the state
        if not turn.direction:
            raise _one_sided(trigger)
        self._back = turn
        return partner

    def _prepare(self, turn: _Turn, speed: float, states: list[str]) -> Trigger:
        """Both handlers lead back: set up the motion between them, and put the state on the surface."""
        integrator, trigger, flow = self.integrator, turn.trigger, turn.trigger.flow
        if states:
            raise ModelError(
                f"{trigger.name} sets the state {states[0]}, and slides along the edge of its condition: a handler "
                "that slides sets fields only"
            )
        above = trigger if trigger.is_above else _partner(trigger)
        sliding = above.sliding
        if sliding is None:
            assert above.spec is not None
            assert above.spec.surface is not None
            sliding = SlidingMotion(self.sim, name=f"{above.component.name}.{above.spec.surface.name or 'sliding'}")
            sliding.set_up(self, above)
            above.sliding = _partner(above).sliding = sliding
        assert isinstance(sliding, SlidingMotion)
        if sliding.handlers() != sliding.checked:
            sliding.check_handlers()
        number = 0.0 if self._is_tried(trigger) else self._read(trigger)[0]
        integrator.touch(flow)
        rows = integrator.storage.rows
        for slot, change in turn.direction.items():
            rows[Y][slot] += number / (turn.speed - speed) * change if turn.speed > speed else 0.0
        if flow.sliding is not None:
            flow.sliding.note_opening()
        modes = {}
        for slot, before in turn.wrote.items():
            now = rows[Y][slot]
            if _is_read(integrator, slot):
                modes[slot] = [before, now, now] if trigger is above else [now, before, now]
        if not modes:
            raise _one_sided(trigger)
        share, is_above, path = (layout_of(sliding).slot(sliding, name) for name in ("share", "is_above", "path"))
        slide_along(sliding, Slide(_Edge(above), share, is_above, path, modes))
        sliding.latest = trigger
        return sliding.start_event

    def begin(self, sliding: SlidingMotion) -> None:
        """The state slides: the two conditions rest, and the laws are executed on both sides."""
        integrator, slide = self.integrator, sliding.slide
        above, below = sliding.above, sliding.below
        met: dict[Member, None] = {}
        for trigger in (above, below):
            met.update(dict.fromkeys(trigger.plan.touches or ()))
        for slot in slide.modes:
            met.update(dict.fromkeys(owner for owner in integrator.groups.members() if _reads(integrator, owner, slot)))
        slide.meets = tuple(met)
        for trigger in (above, below):
            conditions_of(self.sim).remove(trigger)
        integrator.guards.hold(slide.surface)
        sliding.start()
        self._under_way[sliding] = _Standing(integrator)
        if len(self._under_way) > 1:
            self._unchecked = sliding

    def _check_sum(self, sliding: SlidingMotion) -> None:
        """Raise ModelError if the motion along several surfaces is not unique, or does not exist."""
        self._unchecked = None
        integrator, flow = self.integrator, moving_flow(sliding)
        assert flow.sliding is not None
        if len(flow.sliding.slides) < 2:
            return
        integrator.settle()
        together = dict.fromkeys(flow.slots, 0.0)
        size = dict.fromkeys(flow.slots, 0.0)
        for owner in flow.sliding.slides:
            for slot, change in flow.sliding.direction(owner).items():
                together[slot] += change
                size[slot] += abs(change)
        below, above = self._rates(flow, 0), self._rates(flow, 1)
        names = ", ".join(owner.name for owner in flow.sliding.slides)
        for slot, change in together.items():
            tolerance = SUM * (size[slot] + abs(below[slot]) + abs(above[slot]))
            if not abs(above[slot] - below[slot] - change) <= tolerance:
                raise ModelError(
                    f"{names} slide at the same time, and what their modes change in the rate of "
                    f"{integrator.system.name_of(slot)} is not the sum of what each changes by itself, so the "
                    "motion along all surfaces is not unique: define it by equations of its own"
                )
        if any(not abs(integrator.storage.rows[Y][slide.share]) < inf for slide in flow.sliding.slides.values()):
            raise ModelError(f"{names} slide at the same time, and no weights keep them on their surfaces")
        integrator.touch(flow)

    def _rates(self, flow: Flow, side: int) -> dict[int, float]:
        """The rates of a flow, with the modes of all that slides in it on one side."""
        integrator, rows = self.integrator, self.integrator.storage.rows
        slides = flow.sliding.slides.values() if flow.sliding else ()
        for slide in slides:
            for slot, values in slide.modes.items():
                rows[Y][slot] = values[side]
        integrator.host.evaluate(flow.number, self.sim.time, 0.0)
        integrator.host.raise_what_was_met()
        for slide in slides:
            for slot, values in slide.modes.items():
                rows[Y][slot] = values[2]
        return {slot: rows[R][slot] for slot in flow.slots}

    # --- from the motion back -------------------------------------------------------------------------------------

    def end(self, sliding: SlidingMotion, to: Trigger) -> None:
        """The state leaves its surface to one side; the handler of that side comes next."""
        side, flow = int(to is sliding.above), moving_flow(sliding)
        modes = sliding.slide.modes
        direction = self._stop(sliding)
        for slot, values in modes.items():
            self.integrator.storage.rows[Y][slot] = values[1 - side]
            self.integrator.written(slot)
        self._lead(flow, _towards(to, direction), to)
        self._next = to
        self._expected = {slot: values[side] for slot, values in modes.items()}

    def _break_off(self, sliding: SlidingMotion) -> None:
        """An event has changed the model: the state continues on the side of the handler that ran last.

        If the handlers still lead back, sliding begins again, with what they write then.
        """
        sim = self.sim
        was_active, sim.active = sim.active, False
        try:
            self._broken_off.append((sliding, self._stop(sliding)))
            _partner(sliding.latest).armed = True
        finally:
            sim.active = was_active
        self.integrator.prepare()

    def _try_again(self) -> Trigger | None:
        """The handler that tests whether an interrupted motion continues; None if there is none left.

        No state moves for it and no time passes: what continues to slide is where it was.
        """
        self._tried = None
        while self._broken_off:
            sliding, direction = self._broken_off.pop(0)
            latest, partner = sliding.latest, _partner(sliding.latest)
            if not (latest.is_bound and partner.is_bound):
                continue
            self.integrator.touch(latest.flow)
            self._settle_on_surface()
            number, speed = self._read(latest)
            if speed < 0.0 and abs(number) <= reach(self.integrator, direction) * -speed:
                self._tried = sliding
                self.integrator.guards.disarm(partner)
                return partner
            self.integrator.guards.disarm(latest)  # it was false on the surface, while others were asked
            self._lead(latest.flow, _towards(latest, direction), latest)
        return None

    def _settle_on_surface(self) -> None:
        """Evaluate the rates only: on the surface both handlers are false; what is due elsewhere stays due."""
        for flow in self.integrator.settle(arms=False):
            self.integrator.touch(flow)

    def _is_tried(self, trigger: Trigger) -> bool:
        """Whether a handler is the test of an interrupted motion: the state is on the surface."""
        return self._tried is not None and trigger in (self._tried.above, self._tried.below)

    def _stop(self, sliding: SlidingMotion) -> dict[int, float]:
        """Monitor the handlers again; returns by how much the rates above differ from those below."""
        integrator, flow = self.integrator, moving_flow(sliding)
        assert flow.sliding is not None
        direction = flow.sliding.direction(sliding)
        del self._under_way[sliding]
        sliding.stop()
        integrator.guards.let_go(sliding.slide.surface)
        for trigger in (sliding.above, sliding.below):
            if trigger.is_bound:
                rank, trigger.armed = trigger.rank, False
                conditions_of(self.sim).add(trigger)
                trigger.rank = rank
        return direction

    def _lead(self, flow: Flow, direction: dict[int, float], to: Trigger) -> bool:
        """Move the state just to one side of a surface; whether that is near."""
        self.integrator.touch(flow)
        partner = _partner(to)
        is_led = lead_aside(self.integrator, direction, lambda: bool(to.test()) and not partner.test())
        if flow.sliding is not None:
            flow.sliding.note_opening()
        return is_led

    def _compare(self, turn: _Turn) -> None:
        """Raise ModelError if a handler writes other values at the end of the motion than before it."""
        expected, self._expected = self._expected or {}, None
        numbers = self.integrator.storage.rows[Y]
        for slot, value in expected.items():
            if numbers[slot] != value:
                raise ModelError(
                    f"{turn.trigger.name} sets {self.integrator.system.name_of(slot)} to {numbers[slot]!r} at the end "
                    f"of a motion along the edge of its condition, and it was {value!r} when that began. What handlers "
                    "set is constant while the state slides: let them set only which side it is, and compute what "
                    "depends on the side and on states in `equations`"
                )

    # --- what changes meanwhile -----------------------------------------------------------------------------------

    def _is_disturbed(self, sliding: SlidingMotion, *, is_rebound: bool) -> bool:
        """Whether an event has changed something that the motion, or what its handlers write, may depend on."""
        standing, rows = self._under_way[sliding], self.integrator.storage.rows
        if not standing.members:
            standing.members = _members(moving_flow(sliding))  # it has just begun, and has been given its place
            return False
        if is_rebound or not (sliding.above.is_bound and sliding.below.is_bound):
            return True
        if sliding.handlers() != sliding.checked:  # others were put in their place, which may write something else
            return True
        flow = moving_flow(sliding)
        if flow.sliding is None or flow.sliding.has_moved or standing.members != _members(flow):
            return True
        if any(rows[Y][slot] != values[2] for slot, values in sliding.slide.modes.items()):
            return True
        return any(slot not in self._modes for slot in standing.changed())


class _Standing:
    """What is constant while a state slides, to detect whether an event has changed it."""

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self.members: list[object] = []
        self._numbers = integrator.storage.table[Y].copy()
        self._stands = np.zeros(len(self._numbers), dtype=bool)
        for owner in integrator.storage.owners():
            for low, high in _runs(owner):
                self._stands[low:high] = True
            for low, high in _moving_runs(integrator.system, owner):
                self._stands[low:high] = False

    def changed(self) -> list[int]:
        """The slots of numbers that have changed."""
        now = self._integrator.storage.table[Y, : len(self._numbers)]
        same = (now == self._numbers) | ((now != now) & (self._numbers != self._numbers))
        return np.flatnonzero(~same & self._stands).tolist()


def _one_sided(trigger: Trigger) -> ModelError:
    return ModelError(
        f"{trigger.name} leads back to the edge of its condition and sets no number that the equations read, so that "
        "there are no two sides to slide between: let the handlers set a field, such as `self.side = 1.0`, and the "
        "equations read it in place of the sign"
    )


def _partner(trigger: Trigger) -> Trigger:
    assert trigger.partner is not None  # a sliding handler has one
    return trigger.partner


def _towards(to: Trigger, direction: dict[int, float]) -> dict[int, float]:
    """The difference of the rates, turned towards one side: negated if `to` is the handler above."""
    sign = -1.0 if to.is_above else 1.0
    return {slot: sign * change for slot, change in direction.items() if change}


def _members(flow: Flow) -> list[object]:
    """The members of a flow, without the objects that represent sliding."""
    return [owner for owner in flow.owners() if not isinstance(owner, SlidingMotion)]


def _runs(owner: Member) -> list[tuple[int, int]]:
    """All slots of an owner."""
    if isinstance(owner, Variable):
        return [(slot, slot + 1) for slot in slots_of(owner)]
    layout, slab = layout_of(owner), slab_of(owner)
    return [(slab.base, slab.base + layout.moving), (slab.side, slab.side + layout.standing)]


def _moving_runs(system: System, owner: Member) -> list[tuple[int, int]]:
    """The slots of an owner that change between events."""
    return [(slot, slot + 1) for slot in system.active_slots(owner)] + computed_runs(owner)


def _is_computed(integrator: Integrator, slot: int) -> bool:
    owner = integrator.storage.owner_of(slot)
    return any(low <= slot < high for low, high in computed_runs(owner))


def _is_read(integrator: Integrator, slot: int) -> bool:
    """Whether an active law reads a number: it reads a mode, but not a counter that a handler keeps."""
    return any(_reads(integrator, owner, slot) for owner in integrator.groups.members())


def _reads(integrator: Integrator, owner: Member, slot: int) -> bool:
    """Whether the laws of an active component may read a number: for code that cannot be read, by the names in it."""
    plan = integrator.groups.plan_of(owner)
    if not plan.is_opaque:
        return slot in plan.reads
    name = integrator.system.name_of(slot).rpartition(".")[2]
    return not isinstance(owner, Variable) and name in names_in(owner._laws(), type(owner))
