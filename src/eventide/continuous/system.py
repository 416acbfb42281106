"""The continuous half of a simulation: which states are integrated and which laws hold."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING, Any

from eventide.continuous.arena import MOVING, STANDING, Arena
from eventide.continuous.checks import check_class
from eventide.continuous.culprits import refuse_commands_of
from eventide.continuous.tables import ABS, EVALUATIONS, REL, Y0, R, Y
from eventide.continuous.variable import Variable
from eventide.continuous.vectors import VectorVariable, set_values
from eventide.declare import MISSING
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.continuous.component import Continuous
    from eventide.continuous.motion import Motion
    from eventide.simulation import Simulation


class System:
    """States and laws of one simulation.

    chain   the active components: high priority first, equals in order of their start
    zeros   as many zeros as any run of slots is long
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self.arena = Arena(on_growth=self._outdate)
        self.chain: list[Continuous] = []
        self.zeros: memoryview[float] = memoryview(bytes(8 * 64)).cast("d")
        self._active: dict[int, Any] = {}
        self._starts = 0

    @cached_property
    def motion(self) -> Motion:
        """The flows and their arrays."""
        return self.sim._make_motion(self)

    def _outdate(self) -> None:
        if hasattr(self, "arena") and "motion" in self.__dict__:
            self.motion.outdate()

    # --- slots ----------------------------------------------------------------------------------------------------

    def adopt(self, component: Continuous) -> None:
        """Give a new component its blocks of slots, with its default values and tolerances."""
        layout = component._layout
        component._flow = self.motion.still
        component._base = component._side = 0  # room for one of them may have to be made while the other is not known
        component._base = self.arena.allocate(component, layout.moving, MOVING)
        component._side = self.arena.allocate(component, layout.standing, STANDING)
        component._attach_views(self.arena.table)
        for name in layout.offsets:
            spec, slot = layout.fields[name], layout.slot(component, name)
            if spec.default is not MISSING:
                self.arena.rows[Y][slot] = spec.default
            if spec.role == "state":
                self.set_tolerances(slot, spec.rel_error, spec.abs_error)
        for name in layout.starts:
            self._begin_vector(component, name)
        self.require_zeros(max(layout.moving, layout.standing))

    def _begin_vector(self, component: Continuous, name: str) -> None:
        layout = component._layout
        spec, slots = layout.fields[name], layout.slots(component, name)
        set_values(component, layout, name, self.arena.table[Y, slots], spec.default)
        if spec.role == "vector":
            for slot in range(slots.start, slots.stop):
                self.set_tolerances(slot, spec.rel_error, spec.abs_error)

    def require_zeros(self, count: int) -> None:
        """Keep at least so many zeros."""
        if count > len(self.zeros):
            self.zeros = memoryview(bytes(16 * count)).cast("d")

    def set_tolerances(self, slot: int, relative: float | None, absolute: float | None) -> None:
        """Set the tolerances of a slot; None takes the run's. Raises ModelError for a negative one and for NaN."""
        relative = self.sim.rel_error if relative is None else relative
        absolute = self.sim.abs_error if absolute is None else absolute
        check_tolerances(relative, absolute)
        self.arena.rows[REL][slot] = relative
        self.arena.rows[ABS][slot] = absolute

    def set_all_tolerances(self, relative: float | None, absolute: float | None) -> None:
        """Set the tolerances of all slots; None leaves them. Raises ModelError for a negative one and for NaN."""
        check_tolerances(0.0 if relative is None else relative, 0.0 if absolute is None else absolute)
        if relative is not None:
            self.arena.table[REL, :] = relative
        if absolute is not None:
            self.arena.table[ABS, :] = absolute
        self.motion.touch_all()

    def is_active(self, slot: int) -> bool:
        """Whether a slot is integrated."""
        return slot in self._active

    def slots_of(self, owner: Any) -> list[int]:
        """The slots of an owner's states."""
        if isinstance(owner, Variable):
            return [owner._slot]
        return list(range(owner._base, owner._base + owner._layout.moving))

    def active_slots(self, owner: Any) -> list[int]:
        """The slots of an owner that are integrated."""
        return [slot for slot in self.slots_of(owner) if slot in self._active]

    def start_slots(self, slots: list[int], owner: Any) -> None:
        """Let slots of one owner be integrated; no effect on those that are."""
        slots = [slot for slot in slots if slot not in self._active]
        if not slots:
            return
        for slot in slots:
            self._activate(slot, owner)
        if owner._flow is self.motion.still:
            self.motion.groups.enlist(owner)
        else:
            self.motion.groups.add_slots(owner, slots)
        self.sim._watch()

    def stop_slots(self, slots: list[int], owner: Any) -> None:
        """Let slots of one owner keep their values, with rate zero; no effect on those that do."""
        slots = [slot for slot in slots if slot in self._active]
        if not slots:
            return
        self.motion.groups.remove_slots(owner, slots)
        for slot in slots:
            del self._active[slot]
            self.arena.rows[R][slot] = 0.0
        if not self.active_slots(owner) and not getattr(owner, "_is_active", False):
            self.motion.groups.leave(owner)

    def _activate(self, slot: int, owner: Any) -> None:
        self._active[slot] = owner
        self.require_zeros(len(self._active))
        self.arena.rows[Y0][slot] = self.arena.rows[Y][slot]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The active variables, the one started last foremost."""
        return tuple(self.variable_at(slot) for slot in reversed(self._active))

    def variable_at(self, slot: int) -> Variable:
        """The variable of an active slot."""
        owner = self._active[slot]
        if isinstance(owner, Variable):
            return owner
        name, item = owner._layout.name_of(owner, slot)
        variable: Variable = owner[name]
        return variable[item] if item is not None and isinstance(variable, VectorVariable) else variable

    def name_of(self, slot: int) -> str:
        """What the owner of a slot calls it, for messages."""
        owner = self.arena.owner_of(slot)
        if isinstance(owner, Variable):
            return owner.name
        name, item = owner._layout.name_of(owner, slot)
        return f"{owner.name}.{name}" if item is None else f"{owner.name}.{name}[{item}]"

    # --- components -----------------------------------------------------------------------------------------------

    def start(self, component: Continuous) -> None:
        """Start a component's states, then its equations, then its handlers."""
        check_class(type(component))
        refuse_commands_of(component)
        for slot in self.slots_of(component):
            if slot not in self._active:
                self._activate(slot, component)
        if component._flow is not self.motion.still:
            self.motion.groups.leave(component)
        component._is_active = True
        self._insert(component)
        self.motion.groups.enlist(component)
        self.sim._watch()
        self._start_handlers(component)

    def stop(self, component: Continuous) -> None:
        """Stop a component's handlers, equations and states."""
        for trigger, timer in component._handlers:
            if trigger is not None:
                trigger._notice = None
                self.sim._conditions.remove(trigger)
            if timer is not None:
                timer.withdraw()
        component._handlers = ()
        self.motion.groups.leave(component)
        component._is_active = False
        self._unchain(component)
        rates = self.arena.rows[R]
        for slot in self.slots_of(component):
            self._active.pop(slot, None)
            rates[slot] = 0.0

    def _start_handlers(self, component: Continuous) -> None:
        handlers: list[tuple[Any, Any]] = []
        sides: dict[Any, list[Any]] = {}
        for spec in component._when_specs:
            for trigger in spec.bind(component):
                self.sim._conditions.add(trigger)
                handlers.append((trigger, None))
                if spec.surface is not None:
                    sides.setdefault(spec.surface, []).append(trigger)
        for surface, triggers in sides.items():
            surface.tie(triggers, component)
        for spec in component._every_specs:
            timer = spec.bind(component)
            timer.schedule()
            handlers.append((None, timer))
        component._handlers = tuple(handlers)

    def rerank(self, component: Continuous) -> None:
        """Move an active component to the place of its priority."""
        if component._is_active:
            self.motion.groups.leave(component)
            self._unchain(component)
            self._insert(component)
            self.motion.groups.enlist(component)

    def _unchain(self, component: Continuous) -> None:
        key = -component._priority, component._started
        place = bisect_left(self.chain, key, key=lambda c: (-c._priority, c._started))
        if place == len(self.chain) or self.chain[place] is not component:  # its priority has been changed meanwhile
            place = next(i for i, other in enumerate(self.chain) if other is component)
        del self.chain[place]

    def _insert(self, component: Continuous) -> None:
        self._starts += 1
        component._started = self._starts
        place = len(self.chain)
        while place and self.chain[place - 1]._priority < component._priority:
            place -= 1
        self.chain.insert(place, component)

    def neighbour(self, component: Continuous, step: int) -> Continuous | None:
        """The component before (-1) or after (1) another in the chain, or None."""
        if not component._is_active:
            return None
        place = next(i for i, c in enumerate(self.chain) if c is component) + step
        return self.chain[place] if 0 <= place < len(self.chain) else None

    def components(self) -> list[Continuous]:
        """All components that live, the oldest first."""
        return [owner for owner in self.arena.owners() if not isinstance(owner, Variable)]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is integrated and no law holds."""
        return not self._active and not self.chain

    @property
    def evaluations(self) -> int:
        """How often laws have been executed for steps and after events, all flows together; looking does not count."""
        return self.motion.total(EVALUATIONS)


def check_tolerances(relative: float, absolute: float) -> None:
    """Raise ModelError if one is negative or no number; 0 is allowed, as the other may do."""
    if not (relative >= 0.0 and absolute >= 0.0):
        raise ModelError(f"tolerances are numbers from 0 on, and got rel_error {relative!r}, abs_error {absolute!r}")
