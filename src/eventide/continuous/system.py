"""The continuous half of a simulation: which states are integrated and which laws hold, and one pass of the laws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventide.continuous.arena import Arena
from eventide.continuous.checks import check_class, check_pass
from eventide.continuous.stepper import ABS, REL, Y0, R, Y
from eventide.continuous.variable import Variable
from eventide.declare import MISSING

if TYPE_CHECKING:
    from eventide.continuous.component import Continuous
    from eventide.simulation import Simulation


class System:
    """States and laws of one simulation.

    chain           the active components: high priority first, equals in order of their start
    segments        the runs of slots that are integrated, in ascending order
    evaluations     how often the laws have been executed
    """

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        self.arena = Arena()
        self.chain: list[Continuous] = []
        self.segments: list[tuple[int, int]] = []
        self.evaluations = 0
        self.structure_changed = False
        """Whether the set of integrated states has changed since somebody last set this to False."""
        self._active: dict[int, Any] = {}
        self._segments_stale = False
        self._chain_stale = False
        self._contributions: list[Any] = []
        self._equations: list[Any] = []
        self._sums: dict[int, int] = {}
        self._zeros: memoryview[float] = memoryview(bytes(0)).cast("d")

    # --- slots ----------------------------------------------------------------------------------------------------

    def adopt(self, component: Continuous) -> int:
        """Give a new component its block of slots, with its default values and tolerances."""
        layout = component._layout
        base = self.arena.allocate(component, layout.size)
        for name, offset in layout.offsets.items():
            spec = layout.fields[name]
            if spec.default is not MISSING:
                self.arena.rows[Y][base + offset] = spec.default
            if spec.role == "state":
                self.set_tolerances(base + offset, spec.rel_error, spec.abs_error)
        first_sum = base + len(layout.states) + len(layout.computed)
        self._sums.pop(first_sum, None)
        if layout.sums:
            self._sums[first_sum] = len(layout.sums)
            self._segments_stale = True
        return base

    def set_tolerances(self, slot: int, relative: float | None, absolute: float | None) -> None:
        """Set the tolerances of a slot; None takes the run's."""
        self.arena.rows[REL][slot] = self.sim.rel_error if relative is None else relative
        self.arena.rows[ABS][slot] = self.sim.abs_error if absolute is None else absolute

    def set_all_tolerances(self, relative: float | None, absolute: float | None) -> None:
        """Set the tolerances of all slots; None leaves them."""
        if relative is not None:
            self.arena.table[REL, :] = relative
        if absolute is not None:
            self.arena.table[ABS, :] = absolute

    def is_active(self, slot: int) -> bool:
        """Whether a slot is integrated."""
        return slot in self._active

    def start_slot(self, slot: int, variable: Any) -> None:
        """Let one slot be integrated."""
        if slot not in self._active:
            self._active[slot] = variable
            self.arena.rows[Y0][slot] = self.arena.rows[Y][slot]
            self._restructured()

    def stop_slot(self, slot: int) -> None:
        """Let one slot keep its value, with rate zero."""
        if slot in self._active:
            del self._active[slot]
            self.arena.rows[R][slot] = 0.0
            self._restructured()

    def _restructured(self) -> None:
        self._segments_stale = self.structure_changed = True
        self.sim._watch()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The active variables, the one started last foremost."""
        return tuple(self.variable_at(slot) for slot in reversed(self._active))

    def variable_at(self, slot: int) -> Variable:
        """The variable of an active slot."""
        owner = self._active[slot]
        if isinstance(owner, Variable):
            return owner
        variable: Variable = owner[owner._layout.names[slot - owner._base]]
        return variable

    # --- components -----------------------------------------------------------------------------------------------

    def start(self, component: Continuous) -> None:
        """Start a component's states, then its equations, then its handlers."""
        check_class(type(component))
        base = component._base
        for slot in range(base, base + len(component._layout.states)):
            self.start_slot(slot, component)
        component._is_active = True
        self._insert(component)
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
        component._is_active = False
        self._remove(component)
        base = component._base
        for slot in range(base, base + len(component._layout.states)):
            self.stop_slot(slot)

    def _start_handlers(self, component: Continuous) -> None:
        handlers: list[tuple[Any, Any]] = []
        for spec in component._when_specs:
            trigger = spec.bind(component)
            self.sim._conditions.add(trigger)
            handlers.append((trigger, None))
        for spec in component._every_specs:
            timer = spec.bind(component)
            timer.schedule()
            handlers.append((None, timer))
        component._handlers = tuple(handlers)

    def rerank(self, component: Continuous) -> None:
        """Move an active component to the place of its priority."""
        if component._is_active:
            self._remove(component)
            self._insert(component)

    def neighbour(self, component: Continuous, step: int) -> Continuous | None:
        """The component before (-1) or after (1) another in the chain, or None."""
        if not component._is_active:
            return None
        place = next(i for i, c in enumerate(self.chain) if c is component) + step
        return self.chain[place] if 0 <= place < len(self.chain) else None

    def _insert(self, component: Continuous) -> None:
        place = len(self.chain)
        while place and self.chain[place - 1]._priority < component._priority:
            place -= 1
        self.chain.insert(place, component)
        self._chain_stale = True

    def _remove(self, component: Continuous) -> None:
        self.chain = [c for c in self.chain if c is not component]
        self._chain_stale = True

    def components(self) -> list[Continuous]:
        """All components that live, in order of their slots."""
        return [owner for owner in self.arena.owners() if not isinstance(owner, Variable)]

    # --- evaluation -----------------------------------------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """Whether nothing is integrated and no law holds."""
        return not self._active and not self.chain

    def prepare(self) -> None:
        """Bring segments and the order of the laws up to date after starts and stops."""
        if self._segments_stale:
            self.segments = _coalesce(sorted(self._active))
            widest = max((hi - lo for lo, hi in self.segments), default=0)
            widest = max(widest, max(self._sums.values(), default=0))
            self._zeros = memoryview(bytes(8 * widest)).cast("d")
            self._segments_stale = False
        if self._chain_stale:
            self._contributions = [c.contributions for c in self.chain if c._contributes]
            self._equations = [c.equations for c in self.chain if c._has_equations]

    def evaluate(self, time: float, dt: float) -> None:
        """Execute all laws at the present states: rates and sums are set to zero, contributions run, then equations."""
        sim = self.sim
        sim.time = time
        sim.dt = dt
        self.evaluations += 1
        rates, states, zeros = self.arena.rows[R], self.arena.rows[Y], self._zeros
        for lo, hi in self.segments:
            rates[lo:hi] = zeros[: hi - lo]
        for first, count in self._sums.items():
            states[first : first + count] = zeros[:count]
        if self._chain_stale:
            self._chain_stale = False
            check_pass(self)
            return
        for contribute in self._contributions:
            contribute()
        for execute in self._equations:
            execute()


def _coalesce(slots: list[int]) -> list[tuple[int, int]]:
    """Ascending slots as maximal runs (lo, hi)."""
    runs: list[tuple[int, int]] = []
    for slot in slots:
        if runs and runs[-1][1] == slot:
            runs[-1] = (runs[-1][0], slot + 1)
        else:
            runs.append((slot, slot + 1))
    return runs
