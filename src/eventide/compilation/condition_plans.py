"""Plans of conditions and of functions that return a number: what a plan has in common with others of its kernel, how
it is made, and what the stepper is told of it.

In: conditions as they come. Out: for each its kernel, bound to the slots that it reads, or what calls it back in
Python; and the record of what it uses, which `engine/flow_members.py` reads. That of laws is laid out alike.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p, cast
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np

from eventide.compilation.branches.windows import warn_of_window
from eventide.compilation.code_facts import CodeFacts
from eventide.compilation.foreign_objects import foreign_object_in
from eventide.continuous.guards.equalities import Equality
from eventide.continuous.plans import Analyst, ConditionPlan, Pattern
from eventide.continuous.storage.slot_storage import anchor_of
from eventide.engine.codes import RAISES, Y0, R, Y
from eventide.engine.records import STILLS, GuardRecord
from eventide.errors import ModelError
from eventide.lowering.names.binder import Binding
from eventide.lowering.not_compilable import CannotLower

if TYPE_CHECKING:
    from _ctypes import CFuncPtr
    from collections.abc import Callable, Iterable, Sequence

    from eventide.compilation.registry import Bound, Registry
    from eventide.continuous import Integrator
    from eventide.continuous.components.member import Member
    from eventide.continuous.plans import Guidance
    from eventide.declare import Component
    from eventide.discrete.conditions.condition import Condition
    from eventide.engine.memory.growable_arrays import Allocation
    from eventide.lowering.kernels.dependencies import Effects, KernelUses
    from eventide.lowering.kernels.lowered import Kernel, Lowered
    from eventide.reading.source import SourceBook


_CONDITION: Final = CFUNCTYPE(c_int64, *[c_double] * 3, *[c_void_p] * 7)
_FALLBACK: Final = CFUNCTYPE(c_int64, c_int64, c_int64, c_double, c_double)

SlotUse: TypeAlias = tuple[int, int]
"""An entry of the index rows, and a column behind the slot that it tells; or -1, and a slot."""
Call: TypeAlias = tuple[int, int]
"""The address of a kernel, and where its index row begins."""

Slots: TypeAlias = tuple[int, ...]


class Usage(NamedTuple):
    """The slots that are depended on, the first slots of the blocks of what is touched, the rates that are set without
    having been read, those that are written otherwise, and the first slots of the blocks to which is given.
    """

    reads: tuple[SlotUse, ...]
    touches: tuple[SlotUse, ...]
    sets: tuple[SlotUse, ...]
    adds: tuple[SlotUse, ...]
    gives: tuple[SlotUse, ...] = ()

    @classmethod
    def of_slots(
        cls,
        reads: Iterable[int],
        touches: Iterable[Member],
        sets: Iterable[int] = (),
        adds: Iterable[int] = (),
        gives: Iterable[Member] = (),
    ) -> Usage:
        """That of slots as they are, and of what is touched, or given to, as objects."""
        slots = (reads, _anchors(touches), sets, adds, _anchors(gives))
        return cls(*(tuple([(-1, slot) for slot in some]) for some in slots))

    @property
    def uses(self) -> int:
        """How many uses that are."""
        return sum(map(len, self))

    def words(
        self,
        contribution: Call | None = None,
        equation: Call | None = None,
        sums: tuple[int, int] = (0, 0),
        *,
        is_direct: bool = True,
        is_unseen: bool = False,
    ) -> tuple[int, ...]:
        """The record.

        contribution, equation  None where there is none
        sums                    where the sums of the member begin among what stands aside, and how many there are
        is_unseen               whether something branches in its laws that is not located
        """
        reads, touches, sets, adds, gives = self
        return (
            int(contribution is not None),
            int(equation is not None),
            *(contribution or (0, 0)),
            *(equation or (0, 0)),
            *sums,
            int(not is_direct),
            int(is_unseen),
            len(reads),
            len(touches),
            len(sets) + len(adds),
            len(sets),
            len(gives),
            *[number for places in self for place in places for number in place],
        )


def usage_of(kernels: Sequence[Kernel]) -> Usage | None:
    """What kernels use whose index rows stand side by side; None if that is items of lists."""
    reads: dict[SlotUse, None] = {}
    touches: dict[SlotUse, None] = {}
    rates: dict[SlotUse, bool] = {}
    gives: dict[SlotUse, None] = {}
    row = 0
    for kernel in kernels:
        uses = kernel.lowered.uses
        if any(use.is_many for use in uses.quantities) or any(one.is_many for one in uses.written):
            return None
        for use in uses.quantities:
            reads[row + use.place, use.column] = None
            if use.moves:
                touches[row + use.place, 0] = None
        for one in uses.written:
            rates.update(dict.fromkeys([(row + one.place, column) for column in one.columns], one.is_read))
        gives.update({(row + one.place, 0): None for one in uses.exchanges if one.gives})
        row += kernel.width
    sets = tuple([place for place, is_read in rates.items() if not is_read])
    adds = tuple([place for place in rates if rates[place]])
    return Usage(tuple(reads), tuple(touches), sets, adds, tuple(gives))


def _anchors(owners: Iterable[Member]) -> list[int]:
    """The first slots of objects that have any."""
    return [slot for owner in owners if (slot := anchor_of(owner)) is not None]


class ConditionTemplate(Pattern):
    """The plan of conditions of one kernel, or of functions that answer a number, but for what they are bound to.

    certificate the place of what proves it; -1 without
    fallback    the address of what calls Python where the kernel would raise
    record      the place of what tells which slots they use, and how many uses that are; -1 if that is told for each
    """

    __slots__ = (
        "_can_change",
        "_has_equalities",
        "_has_lists",
        "_is_plain",
        "_is_polled",
        "_kernel_uses",
        "_moving",
        "_record",
        "_uses",
    )

    def __init__(
        self,
        kernel: Kernel,
        *,
        certificate: int,
        fallback: int,
        record: tuple[int, int],
        guide: Guidance | None,
        is_exposed: bool,
    ) -> None:
        lowered = kernel.lowered
        uses = lowered.uses
        super().__init__(
            kernel.address,
            needs_laws=lowered.needs_rates,
            certificate=certificate,
            is_steady=certificate >= 0 and lowered.is_steady,
            is_still=uses.is_still,
            comparisons=lowered.comparisons,
            fallback=fallback,
            is_exposed=is_exposed,
            bind=None if lowered.lists or lowered.tables else lowered.bind,
            guide=guide,
        )
        self._can_change, self._is_polled = uses.can_change, uses.is_polled
        self._has_lists = uses.is_laid
        self._has_equalities = bool(lowered.equalities)
        self._kernel_uses = uses
        self._record, self._uses = record
        self._is_plain = not (lowered.lists or lowered.objects or lowered.judges_modes)
        moving: dict[int, None] = {}
        for use in uses.quantities:
            if use.moves:
                moving[use.place] = None
        self._moving = None if uses.is_laid else tuple(moving)

    def is_at_home(self, binding: Binding, sim: object) -> bool:
        """Whether it is known at once that one of them works on nothing but objects of this simulation."""
        return self._is_plain and bool(binding[0]) and binding[0][0].sim is sim

    def slots_of(self, binding: object) -> Slots:
        """The slots of the quantities that one of them reads."""
        assert isinstance(binding, Binding)
        return reads_at(self._kernel_uses, binding)[1]

    def plan(self, integrator: Integrator, bound: Bound) -> ConditionPlan:
        """The plan of one of them."""
        # By place, as Python 3.11 takes long to find the fields of named tuples.
        binding = bound[1]
        objects, bases, consts, moving = binding[0], binding[1], binding[3], self._moving
        if moving is None:
            touches = reads_at(self._kernel_uses, binding)[0]
        else:
            touches = tuple(dict.fromkeys(map(objects.__getitem__, moving)))
        memory = lay(integrator, (bound,)) if self._has_lists else (integrator.memory.index.put(bases),)
        index, constants = memory[0][1], 0
        if consts:
            memory = (*memory, integrator.memory.constants.put(consts))
            constants = memory[-1][1]
        record, uses = self._record, self._uses
        if record < 0:
            usage = Usage.of_slots(self.slots_of(binding), touches)
            memory = (*memory, integrator.memory.lists.put(usage.words()))
            record, uses = memory[-1][1], usage.uses
        return ConditionPlan(  # by place, as above
            touches,
            (bound,),
            memory,
            (bound,) if self._can_change else None,
            self._is_polled,
            False,
            binding[5],
            index,
            constants,
            record,
            uses,
            binding,
            _equalities(bound) if self._has_equalities else (),
            pattern=self,
        )


def is_current(known: tuple[Bound, ...], bounds: tuple[Bound, ...]) -> bool:
    """Whether kernels are bound as they were."""
    for (kernel, was), (present, binding) in zip(known, bounds, strict=True):
        if kernel is not present or was[1:4] != binding[1:4] or was.inputs != binding.inputs:
            return False
    return True


def lay(integrator: Integrator, bounds: tuple[Bound, ...], behind: tuple[int, ...] = ()) -> tuple[Allocation, ...]:
    """Write index rows, side by side, of kernels that are told lists, and what they say of these.

    behind      what stands in the last row besides
    """
    starts: list[int] = []
    numbers: list[int] = []
    for _, binding in bounds:
        for entries in binding.lists:
            starts.append(len(numbers))
            numbers += (len(entries), *entries)
    lists = integrator.memory.lists.put(tuple(numbers))
    places = iter(starts)
    rows = [(*binding.bases, *[lists[1] + next(places) for _ in binding.lists]) for _, binding in bounds]
    return integrator.memory.index.put((*[entry for row in rows for entry in row], *behind)), lists


def _equalities(bound: Bound) -> tuple[Equality, ...]:
    """The comparisons of what moves by == or != in a condition."""
    bases = bound.binding.bases
    return tuple(
        Equality(file, line, text, tuple(bases[place] + offset for place, offset in states))
        for file, line, text, states in bound.kernel.lowered.equalities
    )


def reads_at(uses: KernelUses, binding: Binding) -> tuple[tuple[Member, ...], Slots]:
    """What a kernel reads or writes where it is bound: the objects of which that is more than parameters, and the slots
    of all quantities, each once.
    """
    objects, bases, lists, _, items, *_ = binding
    touched: dict[Member, None] = {}
    slots: dict[int, None] = {}
    for is_many, place, column, moves in uses.quantities:
        if is_many:
            slots.update(dict.fromkeys([first + column for first in lists[place]]))
            if moves:
                touched.update(dict.fromkeys(items[place]))
        else:
            slots[bases[place] + column] = None
            if moves:
                touched[objects[place]] = None
    return tuple(touched), tuple(slots)


def concerns_at(effects: Effects, bases: Slots) -> Slots:
    """What a handler concerns, of the first slots of all its blocks.

    That is the first slot of each block in `effects.blocks`; then for each write its slot, the first of its block, and
    which kind it is.
    """
    writes = [
        number for place, column, kind in effects.writes for number in (bases[place] + column, bases[place], kind)
    ]
    return (*[bases[place] for place in effects.blocks], *writes)


class ConditionCompiler(Analyst):
    """Compiles conditions, and functions that return a number; what cannot be compiled is called back in Python.

    is_strict       whether what cannot be compiled is an error
    refusals        why something could not be compiled, in order of first use
    """

    compiles = True

    def __init__(self, registry: Registry, *, is_strict: bool) -> None:
        self.registry = registry
        self.is_strict = is_strict
        self.refusals: list[CannotLower] = []
        # By identity, of what is kept: to hash code takes as long as to bind it.
        self._opaque: dict[int, object] = {}
        self._condition_templates: dict[Kernel, ConditionTemplate] = {}
        self._fallback: CFuncPtr | None = None
        self.facts = CodeFacts(self)

    def _check_home(self, bound: Bound, whose: Component | Condition | Lowered, what: str = "") -> None:
        """Raise ModelError if code works on an object of another simulation; note if it fits one answer of modes."""
        sim, binding = self.integrator.sim, bound.binding
        if bound.kernel.lowered.judges_modes:
            self.integrator.references.judges_modes = True
        objects, items, addressed = binding.objects, binding.items, binding.addressed
        if binding.clocks and any(clock is not sim for clock in binding.clocks):
            raise _of_another(f"{what}{whose.name}", "a clock")
        if not items and not addressed and (not objects or getattr(objects[0], "sim", sim) is sim):
            return  # what it is bound to is of one simulation, but for lists
        for one in (*objects, *addressed, *chain.from_iterable(items)):
            home = getattr(one, "sim", sim)
            if home is not sim and isinstance(home, type(sim)):
                raise _of_another(f"{what}{whose.name}", str(getattr(one, "name", one)))

    def _check_reach(self, functions: tuple[object, ...], arguments: tuple[object, ...], whose: str) -> None:
        """The same of code that cannot be read."""
        foreign = foreign_object_in(functions, arguments, self.integrator.sim)
        if foreign:
            raise _of_another(whose, foreign)

    @property
    def book(self) -> SourceBook:
        """The texts that have been read."""
        return self.registry.smoothness.book

    def check_home(self, condition: Condition) -> None:
        """Raise ModelError if a condition refers to an object of another simulation, or to its clock."""
        self._check_reach((condition.function,), condition.arguments, f"the condition of {condition.name}")

    def condition(self, condition: Condition) -> ConditionPlan:
        """Kernel, index row and closure numbers of a condition; a refusal is told once for each code."""
        try:
            bound = self.registry.find("condition", condition.function, condition.arguments)
        except CannotLower as error:
            code = getattr(condition.function, "__code__", condition.function)
            if id(code) not in self._opaque:
                self._refuse(error, f"the condition of {condition.name}")
                self.check_home(condition)
                self._opaque[id(code)] = code
                self._warn_of_window(condition, error.why)
        else:
            template = self._condition_templates.get(bound[0])
            if template is None or not template.is_at_home(bound[1], self.integrator.sim):
                self._check_home(bound, condition, "the condition of ")
                if template is None and not bound[0].lowered.certificate:
                    self._warn_of_window(condition)
                template = self._condition_template(bound[0])
            return template.plan(self.integrator, bound)
        function = _CONDITION(self._condition_call(condition))
        return ConditionPlan(
            (), kept=(function,), is_opaque=True, pattern=Pattern(address_of(function), is_exposed=True)
        )

    def _warn_of_window(self, condition: Condition, why: str = "") -> None:
        if not condition.is_switch and self.integrator.sim.dt_max == inf:
            warn_of_window(condition, why, self.registry.smoothness.book)

    def _condition_template(self, kernel: Kernel) -> ConditionTemplate:
        """What conditions of a kernel have in common, which is found out for the first of them."""
        template = self._condition_templates.get(kernel)
        if template is None:
            self.facts.note(kernel.lowered)
            words, usage = kernel.lowered.certificate, self.registry.usage(kernel)
            template = self._condition_templates[kernel] = ConditionTemplate(
                kernel,
                certificate=self.integrator.memory.lists.put(words)[1] if words else -1,
                fallback=self.fallback if kernel.lowered.raises else 0,
                record=(-1, 0) if usage is None else (self.integrator.memory.lists.put(usage[1])[1], usage[0]),
                guide=None if self.compiles else self._guide(kernel.address),
                is_exposed=not self.compiles and kernel.lowered.is_exposed,
            )
        return template

    def _guide(self, address: int) -> Guidance:
        """What leaves the event function of a condition where the condition itself is tested in Python."""
        integrator, kernel = self.integrator, _CONDITION(address)

        def guide(row: int, time: float, dt: float, last: float) -> None:
            table, known = integrator.storage.table, integrator.guards.guard
            floats = known.floats
            kernel(
                time,
                dt,
                last,
                *(table.ctypes.data + table.strides[0] * row_of_slots for row_of_slots in (Y, R, Y0)),
                integrator.memory.index.array.ctypes.data + 8 * known.index[row],
                integrator.memory.constants.array.ctypes.data + 8 * known.constants[row],
                floats.ctypes.data + floats.strides[0] * row + 8 * known.place_of("value"),
                integrator.memory.lists.array.ctypes.data,
            )

        return guide

    def _condition_call(self, condition: Condition) -> Callable[..., int]:
        integrator = self.integrator

        def call(time: float, dt: float, last: float, *_: object) -> int:
            return integrator.host.call_condition(condition, time, dt, last)

        return call

    def is_condition_current(self, condition: Condition, plan: ConditionPlan) -> bool:
        """Whether a condition still refers to what it referred to when the plan was made; in Python it always does."""
        try:
            bound = self.registry.find("condition", condition.function, condition.arguments)
        except CannotLower:
            return plan.is_opaque
        return plan.is_opaque or is_current(plan.kept, (bound,))

    def resume(self, condition: Condition, plan: ConditionPlan) -> ConditionPlan | None:
        """Take over kernel and index row from a wait that works on the same, and write its own closure numbers."""
        bound = plan.kept[0]
        binding = bound.kernel.lowered.bind(condition.function, condition.arguments)
        if binding is None or binding.objects != bound.binding.objects or binding.lists != bound.binding.lists:
            return None
        if binding.consts != bound.binding.consts:
            constants, present = self.integrator.memory.constants.view, bound._replace(binding=binding)
            for k, value in enumerate(binding.consts, start=plan.constants):
                constants[k] = value
            plan.kept, plan.binding, plan.signature = (present,), binding, plan.signature and (present,)
        return plan

    def answer(self, condition: Condition) -> list[float] | None:
        """What the kernel of a condition leaves at what is shown of its flow; None for one called back."""
        plan, integrator = condition.plan, self.integrator
        if plan.is_opaque:
            return None
        table, sim = integrator.storage.table, integrator.sim
        answer = np.zeros(GuardRecord.place_of("still") + STILLS)
        rows = [table[row].ctypes.data for row in (Y, R, Y0)]
        index = integrator.memory.index.array.ctypes.data + 8 * plan.index
        constants = integrator.memory.constants.array.ctypes.data + 8 * plan.constants
        lists = integrator.memory.lists.array.ctypes.data
        kernel = _CONDITION(plan.pattern.address)
        if kernel(sim.time, sim.dt, sim.last_time, *rows, index, constants, answer.ctypes.data, lists) == RAISES:
            return None
        return answer.tolist()

    @property
    def fallback(self) -> int:
        """The address of a function of this simulation that does in Python what kernels leave to it."""
        if self._fallback is None:
            integrator = self.integrator

            def call(c: int, f: int, time: float, dt: float) -> int:
                if c >= 0:
                    return int(integrator.host.is_true(c, f, time, dt))
                integrator.host.evaluate(f, time, dt)
                return 0

            self._fallback = _FALLBACK(call)
        return address_of(self._fallback)

    def quantity(self, read: object) -> ConditionPlan | None:
        """The kernel of a function that returns a number; None if it cannot be compiled, or looks at the step."""
        if not self.compiles:
            return None
        try:
            bound = self.registry.quantity(read)
            if not bound.kernel.is_current:
                self.registry.renew()
                bound = self.registry.quantity(read)
        except CannotLower:
            return None
        lowered = bound.kernel.lowered
        if lowered.writes or lowered.reads_step or any(r.row == "last" for r in lowered.reads):
            return None
        try:
            self._check_home(bound, lowered)
        except ModelError:  # Python may look at what is another simulation's
            return None
        return self._condition_template(bound.kernel).plan(self.integrator, bound)

    def is_quantity_current(self, read: object, plan: ConditionPlan) -> bool:
        """Whether such a function still refers to what it referred to when the plan was made."""
        if not plan.kept[0].kernel.is_current:
            self.registry.renew()
            return False
        try:
            return plan.signature is None or is_current(plan.kept[:1], (self.registry.quantity(read),))
        except CannotLower:
            return False

    def _refuse(self, error: CannotLower, whose: str) -> None:
        if self.is_strict:
            error.add_note(
                f'compile=True asks for native code; with compile="auto" {whose} would run as Python, slower'
            )
            raise error
        if not any(str(error) == str(known) for known in self.refusals):
            self.refusals.append(error)


def _of_another(whose: str, foreign: str) -> ModelError:
    return ModelError(
        f"{whose} may not refer to {foreign}, which belongs to another simulation: each object lives in the one it "
        "was made for"
    )


def address_of(function: CFuncPtr) -> int:
    """Where native code finds a function of ctypes."""
    return int(cast(function, c_void_p).value or 0)
