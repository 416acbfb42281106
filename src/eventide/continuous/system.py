"""The continuous half of a simulation: its integrated states, and the laws that hold."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from struct import pack, unpack
from typing import TYPE_CHECKING, Protocol

import numpy as np

from eventide.continuous.checks import OF_CLASSES, check_class, refuse_change, refuse_own_setting, unsound_assignment
from eventide.continuous.components.layout import Layout, plain_number, refuse_value
from eventide.continuous.components.switches import Branch, Switch
from eventide.continuous.components.variable import Variable
from eventide.continuous.components.vectors import VectorVariable, plain_numbers, set_values
from eventide.continuous.error_context import refuse_commands_of
from eventide.continuous.flows.flow import coalesce
from eventide.continuous.storage.slot_storage import SlotStorage
from eventide.declare import MISSING, refuse_late
from eventide.discrete.conditions.condition import begin_monitoring, conditions_of
from eventide.discrete.forgotten import is_as_checked
from eventide.engine.codes import ABS, REL, ROWS, Y0, R, Y
from eventide.engine.memory.buffers import view_of
from eventide.errors import ModelError, check_tolerances

if TYPE_CHECKING:
    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.member import Member
    from eventide.continuous.integrator import Integrator
    from eventide.discrete.conditions.when import Surface, Trigger
    from eventide.discrete.periodic import Timer
    from eventide.simulation import Simulation


class HasSystem(Protocol):
    """A simulation that may have states and laws."""

    @property
    def _continuum(self) -> System:
        """These; made when they are first asked for."""


def system_of(sim: HasSystem) -> System:
    """The states and laws of a simulation; made when they are first asked for."""
    return sim._continuum


class System:
    """States and laws of one simulation.

    members     the components that are active
    moving      those of them that have laws, or values that laws change
    integrator  the flows and their arrays
    """

    __slots__ = (
        "_chain",
        "_drafts",
        "_in_order",
        "_starts",
        "_zeros",
        "active",
        "integrator",
        "members",
        "moving",
        "sim",
        "storage",
    )

    def __init__(self, sim: Simulation, make_integrator: Callable[[Simulation, System], Integrator]) -> None:
        self.sim = sim
        self.storage = SlotStorage(on_growth=self._outdate)
        self.members: dict[Continuous, None] = {}
        self.moving: dict[Continuous, None] = {}
        self._chain: list[Continuous] | None = None
        self._zeros: memoryview[float] = memoryview(bytes(8 * 64)).cast("d")
        self.active: dict[int, Member] = {}
        self._starts = 0
        self._drafts: dict[Layout, _Draft] = {}
        self._in_order: dict[type, None] = {}
        self.integrator = make_integrator(sim, self)

    def _outdate(self) -> None:
        if hasattr(self, "integrator"):
            self.integrator.memory.outdate()

    # --- slots ----------------------------------------------------------------------------------------------------

    def adopt(self, component: Continuous, own: dict[str, object]) -> None:
        """Give a new component its slots, with its default values and tolerances.

        own     its attributes
        """
        layout, sim, integrator = component._layout, self.sim, self.integrator
        if integrator.is_marching:
            integrator.pauses.check_thread()
        own["_flow"] = integrator.still
        if layout not in self._drafts:
            type(component)._read_branches(self.integrator.analyst)
            if layout.has_assigned:
                integrator.groups.expect_assignments()
        own["_slab"] = slab = self.storage.give_slab(component, layout)
        table, base, side = self.storage.table, slab.base, slab.side
        layout.attach(component, table)
        draft = self._drafts.get(layout)
        if draft is None or draft.relative != sim.rel_error or draft.absolute != sim.abs_error:
            draft = self._drafts[layout] = _Draft(component, sim.rel_error, sim.abs_error)
        table[:, base : base + layout.moving] = draft.moving
        table[:, side : side + layout.standing] = draft.standing

    def zeros(self, count: int) -> memoryview[float]:
        """A vector of zeros of this length."""
        if count > len(self._zeros):
            self._zeros = memoryview(bytes(16 * count)).cast("d")
        return self._zeros[:count]

    def set_tolerances(self, slot: int, relative: float | None, absolute: float | None) -> None:
        """Set the tolerances of a slot; None takes the run's. Raises ModelError for a negative one and for NaN."""
        relative = self.sim.rel_error if relative is None else relative
        absolute = self.sim.abs_error if absolute is None else absolute
        check_tolerances(relative, absolute)
        self.storage.rows[REL][slot] = relative
        self.storage.rows[ABS][slot] = absolute

    def set_all_tolerances(self, relative: float | None, absolute: float | None) -> None:
        """Set the tolerances of all slots; None leaves them. Raises ModelError for a negative one and for NaN."""
        check_tolerances(0.0 if relative is None else relative, 0.0 if absolute is None else absolute)
        if relative is not None:
            self.storage.table[REL, :] = relative
        if absolute is not None:
            self.storage.table[ABS, :] = absolute
        self.integrator.touch_all()

    def is_active(self, slot: int) -> bool:
        """Whether a slot is integrated."""
        return slot in self.active

    def slots_of(self, owner: Member) -> list[int]:
        """The slots of an owner's states."""
        if isinstance(owner, Variable):
            return [owner._slot]
        return list(range(owner._base, owner._base + owner._layout.moving))

    def active_slots(self, owner: Member) -> list[int]:
        """The slots of an owner that are integrated."""
        return [slot for slot in self.slots_of(owner) if slot in self.active]

    def start_slots(self, slots: list[int], owner: Member) -> None:
        """Let slots of one owner be integrated; no effect on those that are. Raises ModelError as `stop_slots`."""
        slots = [slot for slot in slots if slot not in self.active]
        if not slots:
            return
        self._check_change(slots[0], "started")
        self._activate(slots, owner)
        if owner._flow is self.integrator.still:
            self.integrator.groups.enter(owner)
        else:
            self.integrator.groups.change_slots(owner, slots)
        owner._going = tuple(coalesce(self.active_slots(owner)))
        begin_monitoring(self.sim)

    def stop_slots(self, slots: list[int], owner: Member) -> None:
        """Keep the values of slots of one owner, with rate zero; no effect on those that are kept.

        Raises ModelError where laws or a condition are evaluated, and while an observer looks.
        """
        slots = [slot for slot in slots if slot in self.active]
        if not slots:
            return
        self._check_change(slots[0], "stopped")
        if owner._flow is not self.integrator.still:
            self.integrator.groups.change_slots(owner, slots)
        for slot in slots:
            del self.active[slot]
            self.storage.rows[R][slot] = 0.0
        owner._going = tuple(coalesce(self.active_slots(owner)))
        if not owner._going and not owner._is_active:
            self.integrator.groups.leave(owner)

    def _check_change(self, slot: int, change: str) -> None:
        if self.integrator.is_marching or self.integrator.host.executes:
            raise ModelError(
                f"{self.name_of(slot)} cannot be {change} now: laws and conditions are evaluated at many points, and "
                "some never come to pass; let an event do it, or `integration_error`"
            )
        if self.integrator.is_observed:
            refuse_change(self.name_of(slot))

    def _activate(self, slots: Iterable[int], owner: Member) -> None:
        active, starts, states = self.active, self.storage.rows[Y0], self.storage.rows[Y]
        for slot in slots:
            if slot not in active:
                active[slot] = owner
                starts[slot] = states[slot]

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The active variables, the one started last foremost."""
        return tuple(self.variable_at(slot) for slot in reversed(self.active))

    def variable_at(self, slot: int) -> Variable:
        """The variable of an active slot."""
        owner = self.active[slot]
        if isinstance(owner, Variable):
            return owner
        name, item = owner._layout.name_of(owner, slot)
        variable: Variable = owner[name]
        return variable[item] if item is not None and isinstance(variable, VectorVariable) else variable

    def name_of(self, slot: int) -> str:
        """What the owner of a slot calls it, for messages."""
        owner = self.storage.owner_of(slot)
        if isinstance(owner, Variable):
            return owner.name
        name, item = owner._layout.name_of(owner, slot)
        return f"{owner.name}.{name}" if item is None else f"{owner.name}.{name}[{item}]"

    def check_assignment(self, slot: int) -> None:
        """Raise UnsoundLaw if a law that writes a slot may not, as it is of a state that is not declared so."""
        owner = self.storage.owner_of(slot)
        spec = None
        if isinstance(owner, Variable):
            may = owner.assigned
        else:
            name, _ = owner._layout.name_of(owner, slot)
            spec = owner._layout.fields[name]
            may = spec.assigned or name in owner._layout.aside
        if not may:
            raise unsound_assignment("a law", self.name_of(slot), spec)

    # --- components -----------------------------------------------------------------------------------------------

    def start(self, component: Continuous) -> None:
        """Start a component's states, then its equations, then its handlers."""
        kind = type(component)
        if kind not in self._in_order:
            check_class(kind)
            if not is_as_checked(kind):
                refuse_late(kind)
            refuse_commands_of(component)
            if kind._laws_are_of_class:
                self._in_order[kind] = None
        own = component.__dict__
        if not own.keys().isdisjoint(OF_CLASSES):
            refuse_own_setting(component)
        groups = self.integrator.groups
        if component._flow is not self.integrator.still:
            groups.leave(component)
        base, end = component._base, component._base + component._layout.moving
        self._activate(range(base, end), component)
        own["_going"] = ((base, end),) if base < end else ()
        own["_is_active"] = True
        self._give_place(component)
        if kind._law_names or any(spec.role != "field" for spec in component._layout.fields.values()):
            self.moving[component] = None
        groups.joining.add(component)
        begin_monitoring(self.sim)
        if component._when_specs or component._every_specs:
            self._start_handlers(component)
        self.hold(component, kind._branches.located if kind.locate_branches else ())

    def stop(self, component: Continuous) -> None:
        """Stop a component's handlers, equations and states."""
        for trigger, timer in component._handlers:
            if trigger is not None:
                trigger.withdraw()
                conditions_of(self.sim).remove(trigger)
            if timer is not None:
                timer.withdraw()
        if component._handlers:
            component._handlers = ()
        self.hold(component, ())
        self.integrator.groups.leave(component)
        component._is_active = False
        component._going = ()
        del self.members[component]
        self.moving.pop(component, None)
        self._chain = None
        active, rates, base = self.active, self.storage.rows[R], component._base
        for slot in range(base, base + component._layout.moving):
            active.pop(slot, None)
            rates[slot] = 0.0

    def hold(self, component: Continuous, located: tuple[Branch, ...]) -> None:
        """Hold the outcomes of these comparisons in the laws of a component, and of no others."""
        if not located and not component._switches:
            return
        for switch in component._switches:
            self.integrator.guards.remove(switch)
            self.storage.rows[Y][switch.slot] = 0.0
        component._switches = tuple(Switch(component, branch) for branch in located)
        for switch in component._switches:
            self.integrator.guards.switching.add(switch)

    def _start_handlers(self, component: Continuous) -> None:
        handlers: list[tuple[Trigger | None, Timer | None]] = []
        sides: dict[Surface, list[Trigger]] = {}
        for name, spec in component._when_specs.items():
            for trigger in spec.bind(component, name):
                conditions_of(self.sim).add(trigger)
                handlers.append((trigger, None))
                if spec.surface is not None:
                    sides.setdefault(spec.surface, []).append(trigger)
        for surface, triggers in sides.items():
            surface.tie(triggers, component)
        for name, every in component._every_specs.items():
            timer = every.bind(component, name)
            timer.schedule()
            handlers.append((None, timer))
        component._handlers = tuple(handlers)

    def rerank(self, component: Continuous) -> None:
        """Move an active component to the place of its priority."""
        if component._is_active:
            located = tuple(switch.branch for switch in component._switches)
            self.hold(component, ())  # those of the time alone touch no state by which they would follow
            self.integrator.groups.leave(component)
            self._give_place(component)
            self.integrator.groups.enter(component)
            self.hold(component, located)

    def _give_place(self, component: Continuous) -> None:
        """Let a component stand after all that are active and not of a lower priority."""
        self._starts += 1
        component._started = started = self._starts
        slab, number = self.storage.slab, component._slab.number
        slab.started[number] = started
        slab.prior[number] = rank_of(component._priority) if component._priority else 0
        self.members[component] = self._chain = None

    @property
    def chain(self) -> list[Continuous]:
        """The active components: high priority first, equals in order of their start."""
        if self._chain is None:
            self._chain = sorted(self.members, key=_place_of)
        return self._chain

    def neighbour(self, component: Continuous, step: int) -> Continuous | None:
        """The component before (-1) or after (1) another in the chain, or None."""
        if not component._is_active:
            return None
        place = bisect_left(self.chain, _place_of(component), key=_place_of) + step
        return self.chain[place] if 0 <= place < len(self.chain) else None

    def components(self) -> list[Continuous]:
        """All components that live, the oldest first."""
        return [owner for owner in self.storage.owners() if not isinstance(owner, Variable)]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is integrated and no component is active."""
        return not self.active and not self.members

    @property
    def is_at_rest(self) -> bool:
        """Whether only events change what there is, but for the clock."""
        return not self.active and not self.moving

    @property
    def evaluations(self) -> int:
        """How often laws have been executed for steps and after events, all flows together; looking does not count."""
        return self.integrator.total("evaluations")


def _place_of(component: Continuous) -> tuple[float, int]:
    return -component._priority, component._started


def rank_of(priority: float) -> int:
    """A whole number that is the smaller the higher a priority is."""
    (bits,) = unpack("q", pack("d", 0.0 - priority))
    return int(bits if bits >= 0 else bits ^ (2**63 - 1))


class _Draft:
    """What the slots of a new object of a class hold.

    relative, absolute  the tolerances of the run, for states without their own
    moving, standing    (rows, slots) the numbers, for the two blocks
    """

    def __init__(self, component: Continuous, relative: float, absolute: float) -> None:
        layout = component._layout
        self.relative, self.absolute = relative, absolute
        self.moving = np.zeros((ROWS, layout.moving))
        self.standing = np.zeros((ROWS, layout.standing))
        for name in (*layout.offsets, *layout.starts):
            spec, first = layout.fields[name], layout.column(name)
            slots = slice(first, first + layout.lengths.get(name, 1))
            block = self.standing if name in layout.aside else self.moving
            if name in layout.starts:
                set_values(component, layout, name, block[Y, slots], plain_numbers(component, name, spec.default))
            elif spec.default is not MISSING:
                try:
                    view_of(block[Y])[first] = plain_number(component, name, spec.default)
                except (TypeError, ValueError):
                    refuse_value(component, name, spec.default)
            if block is self.moving:
                own = spec.rel_error, spec.abs_error
                tolerances = [
                    run if given is None else given for given, run in zip(own, (relative, absolute), strict=True)
                ]
                block[REL, slots], block[ABS, slots] = check_tolerances(*tolerances)
