"""What the plans of the same kernels have in common, how they are made, and what the stepper is told of them.

The record of what laws and conditions use is read in `engine/flow_members.py`.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from eventide.continuous.components.component import STAGES
from eventide.continuous.flows.ordering import Trade
from eventide.continuous.guards.equalities import Equality
from eventide.continuous.plans import ConditionPlan, LawPlan, Pattern
from eventide.continuous.storage.slot_storage import anchor_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eventide.compilation.registry import Bound
    from eventide.continuous import Continuous, Integrator
    from eventide.continuous.components.layout import Layout
    from eventide.continuous.components.member import Member
    from eventide.continuous.plans import Guidance
    from eventide.continuous.storage.growable_arrays import Lease
    from eventide.inputs import Input
    from eventide.lowering.kernels.dependencies import Effects, KernelUses
    from eventide.lowering.kernels.lowered import Kernel
    from eventide.lowering.names.binder import Binding


SlotUse: TypeAlias = tuple[int, int]
"""An entry of the index rows, and a column behind the slot that it tells; or -1, and a slot."""
Call: TypeAlias = tuple[int, int]
"""The address of a kernel, and where its index row begins."""


Slots: TypeAlias = tuple[int, ...]
Found: TypeAlias = "tuple[tuple[Member, ...], Slots, tuple[Input, ...], Slots, Slots, Slots, Slots]"
"""What kernels read and write where they are bound: the objects of which that is more than parameters, each once; the
slots of all quantities, each once; the inputs that are called; the first slots of all blocks; the slots of the rates
that are written; those that are written without having been read; those that have been read before.
"""


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
        if any(use.is_many for use in uses.quantities) or any(rate.is_many for rate in uses.rates):
            return None
        for use in uses.quantities:
            reads[row + use.place, use.column] = None
            if use.moves:
                touches[row + use.place, 0] = None
        for rate in uses.rates:
            rates.update(dict.fromkeys([(row + rate.place, column) for column in rate.columns], rate.is_read))
        gives.update({(row + one.place, 0): None for one in uses.exchanges if one.gives})
        row += kernel.width
    sets = tuple([place for place, is_read in rates.items() if not is_read])
    adds = tuple([place for place in rates if rates[place]])
    return Usage(tuple(reads), tuple(touches), sets, adds, tuple(gives))


def _anchors(owners: Iterable[Member]) -> list[int]:
    """The first slots of objects that have any."""
    return [slot for owner in owners if (slot := anchor_of(owner)) is not None]


def sums_of(layout: Layout) -> tuple[int, int]:
    """Where the sums of an object begin among what stands aside, and how many there are."""
    sums = layout.sums
    return (layout.offsets[sums[0]], len(sums)) if sums else (0, 0)


class LawTemplate:
    """The plan of kernels that are used together, but for the objects that they are bound to.

    kernels         those of a component's laws, of which the names and stages are these
    calls           their addresses, and where their index rows begin, which stand side by side
    laws            for each what finds what it works on, and its name
    is_plain        whether that is nothing but blocks of slots of single objects, and none assigns a variable of which
                    only the object tells whether it may
    usage           what they use of these; None if they use all items of a list
    codes           the kernels, lowered
    """

    def __init__(self, kernels: tuple[Kernel, ...], names: tuple[str, ...]) -> None:
        self.kernels, self.names = kernels, names
        self.stages = tuple(map(STAGES.index, names))
        uses = [kernel.lowered.uses for kernel in kernels]
        self.codes = [kernel.lowered for kernel in kernels]
        self.can_change = any(one.can_change for one in uses)
        self.is_polled = any(one.is_polled for one in uses)
        self.assigns = any(one.assigns for one in uses)
        self.is_direct = not any(one.looks_at_rates for one in uses)
        self.has_lists = any(one.is_laid for one in uses)
        self.calls = [(kernel.address, sum(k.width for k in kernels[:n])) for n, kernel in enumerate(kernels)]
        self.laws = [(code.bind, name) for code, name in zip(self.codes, names, strict=True)]
        self.is_plain = all(one.lowered.is_of_blocks and not one.lowered.assigns_loose for one in kernels)
        self.usage = usage_of(kernels)
        self._uses = uses
        self._records: dict[tuple[Layout, bool, bool], tuple[int, tuple[int, ...]]] = {}

    @cached_property
    def trade(self) -> Trade:
        """What the laws read and set."""
        found = [(stage, one) for stage, uses in zip(self.stages, self._uses, strict=True) for one in uses.exchanges]
        return Trade((stage, one.sort, one.reads, one.sets) for stage, one in found)

    def record(self, layout: Layout, *, is_native: bool, is_unseen: bool) -> tuple[int, tuple[int, ...]]:
        """How many slots the laws of objects laid out alike use, and the record that says which.

        is_native   whether they are called as kernels; in Python it is found out as they run which rates they set
        is_unseen   whether something branches in them that is not located
        """
        key = layout, is_native, is_unseen
        if key not in self._records:
            assert self.usage is not None
            usage = self.usage if is_native else self.usage._replace(sets=(), adds=())
            words = usage.words(
                *self._calls(0, is_native=is_native),
                sums_of(layout),
                is_direct=self.is_direct and is_native,
                is_unseen=is_unseen,
            )
            self._records[key] = usage.uses, words
        return self._records[key]

    def _calls(self, rows: int, *, is_native: bool = True) -> tuple[Call | None, Call | None]:
        """Those of contributions and equations, with their index rows; None for a law that is not there."""
        calls = [(address, rows + row) if is_native else (0, 0) for address, row in self.calls]
        there = dict(zip(self.names, calls, strict=True))
        return there.get("contributions"), there.get("equations")

    def plan_laws(
        self, integrator: Integrator, owner: Continuous, bounds: tuple[Bound, ...], rows: int | None = None
    ) -> LawPlan:
        """The plan of a component's laws.

        rows    where their index rows stand; None if these are to be written
        """
        touches, reads, inputs, bases, moves, sets, adds = law_uses_at(self._uses, (owner, *owner._meets), bounds)
        memory: tuple[Lease, ...] = ()
        if rows is None:
            memory = (integrator.memory.index.put(bases),) if not self.has_lists else lay(integrator, bounds)
            rows = memory[0][1]
        return LawPlan(  # by place, as so many keywords would take as long as all the rest
            touches,
            reads,
            bounds,
            memory,
            bounds if self.can_change else None,
            self.is_polled,
            False,
            inputs,
            *self._calls(rows),
            sets,
            adds,
            moves,
            self.assigns,
            self.is_direct,
            self.stages,
        )


class ConditionTemplate(Pattern):
    """The plan of conditions of one kernel, or of functions that answer a number, but for what they are bound to.

    certificate the place of what proves it; -1 without
    recourse    the address of what calls Python where the kernel would raise
    record      the place of what tells which slots they use, and how many uses that are; -1 if that is told for each
    """

    __slots__ = ("_can_change", "_has_equalities", "_has_lists", "_is_polled", "_kernel_uses", "_record", "_uses")

    def __init__(
        self,
        kernel: Kernel,
        *,
        certificate: int,
        recourse: int,
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
            recourse=recourse,
            is_exposed=is_exposed,
            bind=None if lowered.lists or lowered.tables else lowered.bind,
            guide=guide,
        )
        self._can_change, self._is_polled = uses.can_change, uses.is_polled
        self._has_lists = uses.is_laid
        self._has_equalities = bool(lowered.equalities)
        self._kernel_uses = uses
        self._record, self._uses = record

    def plan(self, integrator: Integrator, bound: Bound) -> ConditionPlan:
        """The plan of one of them."""
        binding = bound.binding
        touches, reads = reads_at(self._kernel_uses, binding)
        memory = lay(integrator, (bound,)) if self._has_lists else (integrator.memory.index.put(binding.bases),)
        index, constants = memory[0][1], 0
        if binding.consts:
            memory = (*memory, integrator.memory.constants.put(binding.consts))
            constants = memory[-1][1]
        record, uses = self._record, self._uses
        if record < 0:
            usage = Usage.of_slots(reads, touches)
            memory = (*memory, integrator.memory.lists.put(usage.words()))
            record, uses = memory[-1][1], usage.uses
        return ConditionPlan(  # by place, as above
            touches,
            reads,
            (bound,),
            memory,
            (bound,) if self._can_change else None,
            self._is_polled,
            False,
            binding.inputs,
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


def lay(integrator: Integrator, bounds: tuple[Bound, ...], behind: tuple[int, ...] = ()) -> tuple[Lease, ...]:
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


def law_uses_at(kernels: Sequence[KernelUses], owners: tuple[Member, ...], bounds: Sequence[Bound]) -> Found:
    """What kernels read and write together where they are bound; `owners` are touched in any case, before others."""
    touched: dict[Member, None] = dict.fromkeys(owners)
    slots: dict[int, None] = {}
    rates: dict[int, bool] = {}
    inputs: tuple[Input, ...] = ()
    bases: Slots = ()
    for uses, bound in zip(kernels, bounds, strict=True):
        binding = bound.binding
        some, read = reads_at(uses, binding)
        touched.update(dict.fromkeys(some))
        slots.update(dict.fromkeys(read))
        for rate in uses.rates:
            firsts = binding.lists[rate.place] if rate.is_many else binding.bases[rate.place : rate.place + 1]
            rates.update(dict.fromkeys([first + column for first in firsts for column in rate.columns], rate.is_read))
        inputs, bases = inputs + binding.inputs, bases + binding.bases
    sets, adds = ([slot for slot in rates if rates[slot] == is_read] for is_read in (False, True))
    return tuple(touched), tuple(slots), inputs, bases, tuple(rates), tuple(sets), tuple(adds)


def concerns_at(effects: Effects, bases: Slots) -> Slots:
    """What a handler concerns, of the first slots of all its blocks.

    That is the first slot of each block in `effects.blocks`; then for each write its slot, the first of its block, and
    which kind it is.
    """
    writes = [
        number for place, column, kind in effects.writes for number in (bases[place] + column, bases[place], kind)
    ]
    return (*[bases[place] for place in effects.blocks], *writes)
