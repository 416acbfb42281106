"""What compiling knows of laws and conditions: their kernels, the objects they touch, the slots they read."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p, cast
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.compiled.paths import ITEMS
from eventide.compiled.refusal import CannotLower
from eventide.compiled.stepping.fused import MOST_LAWS, MOST_SLOTS
from eventide.continuous import Variable
from eventide.continuous.analysis import Analyst, ConditionPlan, LawPlan, ReactionPlan
from eventide.continuous.equalities import Equality
from eventide.continuous.flow import CONTRIBUTIONS
from eventide.continuous.tables import DIRECT, GUARD, IMPLICIT, RAISES, STILL, STILLS, Y0, R, Y

if TYPE_CHECKING:
    from eventide.compiled.registry import Bound, Registry
    from eventide.continuous import Continuous
    from eventide.continuous.flow import Flow
    from eventide.continuous.inputs import Input
    from eventide.discrete.conditions import Condition, Trigger

_LAW: Final = CFUNCTYPE(None, *[c_double] * 3, *[c_void_p] * 5, c_int64, c_void_p)
_CONDITION: Final = CFUNCTYPE(c_int64, *[c_double] * 3, *[c_void_p] * 7)
_RECOURSE: Final = CFUNCTYPE(c_int64, c_int64, c_int64, c_double, c_double)


class Compiler(Analyst):
    """Compiles what it can; what it cannot is called back in Python and may touch anything.

    is_strict       whether what cannot be compiled is an error
    refusals        why something could not be compiled, in order of first use
    """

    compiles = True

    def __init__(self, registry: Registry, *, is_strict: bool) -> None:
        self.registry = registry
        self.is_strict = is_strict
        self.refusals: list[CannotLower] = []
        self._opaque: set[Any] = set()  # asked for membership only, so its order is never seen

    def law(self, owner: Any) -> LawPlan:
        """Kernels and index rows of a component's laws."""
        if isinstance(owner, Variable):
            return LawPlan((owner,), inputs=(), assigns=False, is_direct=True)
        draft = _Draft(self, [owner, *owner._meets])
        contributions = self._law_row(owner, "contributions", draft) if owner._contributes else None
        equations = self._law_row(owner, "equations", draft) if owner._has_equations else None
        sets, adds = draft.rates()
        return LawPlan(
            **draft.plan(),
            contributions=contributions,
            equations=equations,
            sets=sets,
            adds=adds,
            moves=draft.moves,
            assigns=draft.assigns,
            is_direct=not draft.looks_at_rates,
        )

    def _law_row(self, owner: Continuous, name: str, draft: _Draft) -> tuple[int, int]:
        function = getattr(type(owner), name)
        try:
            bound = self.registry.law(owner, function)
        except CannotLower as error:
            self._refuse(error, f"{name} of {owner.name}")
            return draft.call_back(_LAW, self._law_call(owner, getattr(owner, name))), 0
        return bound.kernel.address, draft.take(bound)

    def _law_call(self, owner: Continuous, law: Any) -> Any:
        motion = self.motion

        def call(time: float, dt: float, last: float, *_: Any) -> None:
            motion.host.call_law(owner, law, time, dt, last)

        return call

    def condition(self, condition: Condition) -> ConditionPlan:
        """Kernel, index row and closure numbers of a condition."""
        draft = _Draft(self, [])
        bound = self._bound(condition)
        if bound is None:
            address = draft.call_back(_CONDITION, self._condition_call(condition))
            return ConditionPlan(**draft.plan(), address=address)
        index = draft.take(bound)
        constants = draft.block(self.motion.constants, bound.binding.consts)
        needs_laws = bound.kernel.lowered.needs_rates
        certificate = bound.kernel.lowered.certificate
        return ConditionPlan(
            **draft.plan(),
            needs_laws=needs_laws,
            address=bound.kernel.address,
            index=index,
            constants=constants,
            certificate=draft.block(self.motion.lists, certificate) if certificate else -1,
            is_certified=bool(certificate),
            comparisons=bound.kernel.lowered.comparisons,
            looks_at=_looked_at(bound),
            equalities=_equalities(bound),
            recourse=self._recourse if bound.kernel.lowered.raises else 0,
            binding=bound.binding,
            stands=bound.kernel.lowered.stands,
        )

    def reaction(self, trigger: Trigger) -> ReactionPlan | None:
        """Kernel, index row and closure numbers of a handler, and which slots concern it."""
        if not self.compiles:
            return None
        try:
            bound = self.registry.handler(trigger.handler)
        except CannotLower:
            return None
        lowered, binding = bound.kernel.lowered, bound.binding
        draft = _Draft(self, [])
        row, numbers = draft.take(bound), draft.block(self.motion.constants, binding.consts)
        bases, (blocks, writes) = binding.bases, lowered.effects
        head = row, numbers, 2 if lowered.appends else 1, len(blocks), len(writes)
        shown = (bases[place] for place in blocks)
        written = (number for place, column, kind in writes for number in (bases[place] + column, bases[place], kind))
        effects = draft.block(self.motion.lists, (*head, *shown, *written))
        return ReactionPlan(**draft.plan(), address=bound.kernel.address, effects=effects, constants=lowered.constants)

    def forget_constants(self) -> None:
        """Lower anew what was made with something that has changed."""
        self.registry.renew()

    def quantity(self, read: Any) -> ConditionPlan | None:
        """The kernel of a function that answers a number; None if it cannot be compiled, or looks at the step."""
        if not self.compiles:
            return None
        try:
            bound = self.registry.quantity(read)
        except CannotLower:
            return None
        lowered = bound.kernel.lowered
        if lowered.writes or lowered.reads_step or any(r.row == "last" for r in lowered.reads):
            return None
        draft = _Draft(self, [])
        index, constants = draft.take(bound), draft.block(self.motion.constants, bound.binding.consts)
        return ConditionPlan(
            **draft.plan(),
            needs_laws=lowered.needs_rates,
            address=bound.kernel.address,
            index=index,
            constants=constants,
        )

    def is_quantity_current(self, read: Any, plan: ConditionPlan) -> bool:
        """Whether such a function still refers to what it referred to when the plan was made."""
        if not all(constant.is_current for constant in plan.kept[0].kernel.lowered.constants):
            self.registry.renew()
            return False
        if plan.signature is None:
            return True
        try:
            return bool(plan.signature == (_signature(self.registry.quantity(read)),))
        except CannotLower:
            return False

    def _bound(self, condition: Condition) -> Bound | None:
        """The kernel of a condition; None if it cannot be compiled, which is asked once for each code."""
        code = getattr(condition.function, "__code__", condition.function)
        if code in self._opaque:
            return None
        try:
            return self.registry.condition(condition.function, *condition.arguments)
        except CannotLower as error:
            self._opaque.add(code)
            self._refuse(error, f"the condition of {condition.name}")
            return None

    def _condition_call(self, condition: Condition) -> Any:
        motion = self.motion

        def call(time: float, dt: float, last: float, *_: Any) -> int:
            return motion.host.call_condition(condition, time, dt, last)

        return call

    @cached_property
    def _recourse(self) -> int:
        """The address of a function that tests a condition in Python, of this simulation."""
        motion = self.motion

        def call(c: int, f: int, time: float, dt: float) -> int:
            return int(motion.host.is_true(c, f, time, dt))

        self._kept_recourse = _RECOURSE(call)
        return int(cast(self._kept_recourse, c_void_p).value or 0)

    def measure(self, condition: Condition) -> tuple[float, float] | None:
        """The guide of a condition at what is shown of its flow, and the guide's rate; None for one called back."""
        plan, motion = condition.plan, self.motion
        if plan.is_opaque:
            return None
        table, sim = motion.arena.table, motion.sim
        answer = np.zeros(STILL - GUARD + STILLS)
        rows = [table[row].ctypes.data for row in (Y, R, Y0)]
        index = motion.index.array.ctypes.data + 8 * plan.index
        constants = motion.constants.array.ctypes.data + 8 * plan.constants
        lists = motion.lists.array.ctypes.data
        kernel = _CONDITION(plan.address)
        if kernel(sim.time, sim.dt, sim.last_time, *rows, index, constants, answer.ctypes.data, lists) == RAISES:
            return None
        return float(answer[0]), float(answer[1])

    def fused(self, flow: Flow) -> tuple[int, int]:
        """The addresses of what stands for `attempt` and `complete` in the steps of a small flow."""
        motion = self.motion
        stretch = flow.stretch
        if motion.method.coefficients.sizes[IMPLICIT] > 0:
            return 0, 0  # its stages are iterated
        if stretch is None or flow.assigns or flow.sums or not 0 < len(flow.laws) <= MOST_LAWS:
            return 0, 0
        low, high = stretch
        if high - low > MOST_SLOTS or motion.flow_ints.view[flow.number, DIRECT] == 0:
            return 0, 0
        parts = []
        for (stage, *_), law in zip(flow.order, flow.laws, strict=True):
            plan = motion.groups.plans[law]
            kernel, binding = plan.kept[0 if stage == CONTRIBUTIONS else -1]
            own = tuple(base - low if low <= base < high else None for base in binding.bases)
            parts.append((kernel, own + (None,) * (kernel.width - len(own))))
        return self.registry.fused(motion.method.coefficients, high - low, parts)

    def is_law_current(self, owner: Any, plan: LawPlan) -> bool:
        """Whether a component's laws still refer to what they referred to when the plan was made."""
        names = [n for n, has in (("contributions", owner._contributes), ("equations", owner._has_equations)) if has]
        try:
            bound = [self.registry.law(owner, getattr(type(owner), name)) for name in names]
        except CannotLower:
            return False
        return bool(plan.signature == tuple(_signature(b) for b in bound))

    def is_condition_current(self, condition: Condition, plan: ConditionPlan) -> bool:
        """Whether a condition still refers to what it referred to when the plan was made."""
        try:
            bound = self.registry.condition(condition.function, *condition.arguments)
        except CannotLower:
            return False
        return bool(plan.signature == (_signature(bound),))

    def resume(self, condition: Condition, plan: ConditionPlan) -> ConditionPlan | None:
        """Take over kernel and index row from a wait that works on the same, and write its own closure numbers."""
        bound = plan.kept[0]
        binding = bound.kernel.lowered.bind(condition.function, condition.arguments)
        if binding is None or binding.objects != bound.binding.objects or binding.lists != bound.binding.lists:
            return None
        if binding.consts == bound.binding.consts:
            return plan
        constants, present = self.motion.constants.view, bound._replace(binding=binding)
        for k, value in enumerate(binding.consts, start=plan.constants):
            constants[k] = value
        signature = plan.signature and (_signature(present),)
        return replace(plan, kept=(present, *plan.kept[1:]), signature=signature, binding=binding)

    def _refuse(self, error: CannotLower, whose: str) -> None:
        if self.is_strict:
            error.add_note(
                f'compile=True asks for native code; with compile="auto" {whose} would run as Python, slower'
            )
            raise error
        if not any(str(error) == str(known) for known in self.refusals):
            self.refusals.append(error)


class Guide(Compiler):
    """Compiles nothing but the event functions of conditions: they are searched for alike, compiled or not."""

    compiles = False

    def fused(self, flow: Flow) -> tuple[int, int]:
        """Nothing stands for the plain functions."""
        return 0, 0

    def law(self, owner: Any) -> LawPlan:
        """What a law touches is known as if it were compiled; who sets which rate is found out when it runs."""
        return replace(super().law(owner), contributions=None, equations=None, sets=(), adds=(), is_direct=False)

    def condition(self, condition: Condition) -> ConditionPlan:
        """The plan of a condition that is tested in Python."""
        plan = super().condition(condition)
        return plan if plan.is_opaque else replace(plan, guide=self._guide(plan))

    def _guide(self, plan: ConditionPlan) -> Callable[[int, float, float, float], None]:
        motion, kernel = self.motion, _CONDITION(plan.address)

        def guide(row: int, time: float, dt: float, last: float) -> None:
            table, floats = motion.arena.table, motion.watches.floats.array
            kernel(
                time,
                dt,
                last,
                *(table.ctypes.data + table.strides[0] * row_of_slots for row_of_slots in (Y, R, Y0)),
                motion.index.array.ctypes.data + 8 * plan.index,
                motion.constants.array.ctypes.data + 8 * plan.constants,
                floats.ctypes.data + floats.strides[0] * row + 8 * GUARD,
                motion.lists.array.ctypes.data,
            )

        return guide


def _signature(bound: Bound) -> Any:
    binding = bound.binding
    told = tuple(map(id, binding.told))
    return bound.kernel.address, binding.bases, binding.lists, binding.consts, binding.inputs, told


class _Draft:
    """What is being found out about the laws of one component, or about one condition."""

    def __init__(self, compiler: Compiler, touched: list[Any]) -> None:
        self.compiler = compiler
        self._touched: dict[Any, None] = dict.fromkeys(touched)
        self._slots: dict[int, None] = {}
        self._bounds: list[Bound] = []
        self._called: list[Any] = []
        self._memory: list[tuple[Any, int, int]] = []
        self._inputs: list[Input] = []
        self._rates: dict[int, bool] = {}
        self._is_opaque = False
        self._can_change = self._is_polled = self._looks_at_lists = False
        self.assigns = self.looks_at_rates = False

    def plan(self) -> dict[str, Any]:
        """The fields of a `Plan`."""
        return {
            "touches": tuple(self._touched),
            "reads": tuple(self._slots),
            "kept": (*self._bounds, *self._called),
            "memory": tuple(self._memory),
            "signature": tuple(map(_signature, self._bounds)) if self._can_change and not self._is_opaque else None,
            "is_polled": self._is_polled,
            "looks_at_lists": self._looks_at_lists,
            "is_opaque": self._is_opaque,
            "inputs": None if self._is_opaque else tuple(self._inputs),
        }

    def call_back(self, kind: Any, call: Any) -> int:
        """The address of a Python function; it may touch anything."""
        self._is_opaque = self.assigns = self.looks_at_rates = True
        function = kind(call)
        self._called.append(function)
        return int(cast(function, c_void_p).value or 0)

    def block(self, blocks: Any, values: tuple[Any, ...]) -> int:
        """Write numbers to a block of their own; answers its place."""
        if not values:
            return 0
        place = int(blocks.allocate(len(values)))
        for k, value in enumerate(values):
            blocks.view[place + k] = value
        self._memory.append((blocks, place, len(values)))
        return place

    def take(self, bound: Bound) -> int:
        """Add what a kernel reads and writes; answers the place of its index row."""
        binding, motion, uses = bound.binding, self.compiler.motion, bound.kernel.lowered.uses
        for is_many, place, column, moves in uses.quantities:
            if moves:
                self._touched.update(dict.fromkeys(binding.items[place] if is_many else (binding.objects[place],)))
            for first in binding.lists[place] if is_many else (binding.bases[place],):
                self._slots[first + column] = None
        for is_many, place, columns, is_read in uses.rates:
            for first in binding.lists[place] if is_many else (binding.bases[place],):
                self._rates.update(dict.fromkeys(range(first + columns.start, first + columns.stop), is_read))
        self.looks_at_rates = self.looks_at_rates or uses.looks_at_rates
        self.assigns = self.assigns or uses.assigns
        self._bounds.append(bound)
        self._inputs += binding.inputs
        self._can_change = self._can_change or uses.can_change
        self._is_polled = self._is_polled or uses.is_polled
        self._looks_at_lists = self._looks_at_lists or uses.looks_at_lists
        lists = [self.block(motion.lists, (len(bases), *bases)) for bases in binding.lists]
        told = map(id, (*binding.told, *bound.kernel.lowered.literals))  # they live as long as the plan
        return self.block(motion.index, (*binding.bases, *lists, *told))

    @property
    def moves(self) -> tuple[int, ...]:
        """The slots whose rates are set or added to."""
        return tuple(self._rates)

    def rates(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The slots whose rates are set without having been read, and those that are added to."""
        if not any(self._rates.values()):
            return tuple(self._rates), ()
        sets = [slot for slot, reads in self._rates.items() if not reads]
        return tuple(sets), tuple(slot for slot, reads in self._rates.items() if reads)


def _looked_at(bound: Bound) -> tuple[int, ...]:
    """The slots of what a condition reads, if these are single states and numbers that stand still; else none."""
    lowered = bound.kernel.lowered
    if lowered.needs_rates or lowered.reads_time or bound.binding.inputs:
        return ()
    slots: dict[int, None] = {}
    objects = objects_of(bound)
    for access in lowered.reads:
        for owner in objects.get(access.path, ()):
            if isinstance(owner, Variable):
                slots[owner._slot] = None
            elif access.name in owner._layout.starts:
                return ()
            else:
                slots[owner._layout.slot(owner, access.name)] = None
    return tuple(slots)


def _equalities(bound: Bound) -> tuple[Equality, ...]:
    """The comparisons of what moves by == or != in a condition."""
    bases = bound.binding.bases
    return tuple(
        Equality(file, line, text, tuple(bases[place] + offset for place, offset in states))
        for file, line, text, states in bound.kernel.lowered.equalities
    )


def objects_of(bound: Bound) -> dict[Any, list[Any]]:
    """The objects at each path of a kernel; several where the path goes through a list."""
    lowered, binding = bound.kernel.lowered, bound.binding
    objects = {path: [item] for (path, _), item in zip(lowered.blocks, binding.objects, strict=True)}
    for (path, _), items in zip(lowered.lists, binding.items, strict=False):
        objects[path if path[-1] == ITEMS else (*path, ITEMS)] = list(items)
    return objects
