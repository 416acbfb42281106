"""What the plans of laws of the same kernels have in common, and how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from eventide.compilation.condition_plans import lay, reads_at, usage_of
from eventide.continuous.components.component import STAGES
from eventide.continuous.components.member import slide_of
from eventide.continuous.flows.ordering import Dependencies
from eventide.continuous.plans import LawPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventide.compilation.condition_plans import Call, Slots
    from eventide.compilation.registry import Bound
    from eventide.continuous import Continuous, Integrator
    from eventide.continuous.components.layout import Layout
    from eventide.continuous.components.member import Member
    from eventide.engine.memory.growable_arrays import Allocation
    from eventide.inputs import Input
    from eventide.lowering.kernels.dependencies import KernelUses
    from eventide.lowering.kernels.lowered import Kernel


Found: TypeAlias = "tuple[tuple[Member, ...], Slots, tuple[Input, ...], Slots, Slots, Slots, Slots]"
"""What kernels read and write where they are bound: the objects of which that is more than parameters, each once; the
slots of all quantities, each once; the inputs that are called; the first slots of all blocks; the slots of the rates
that are written; those that are written without having been read; those that have been read before.
"""


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
    dependencies    what the laws read and set
    """

    def __init__(self, kernels: tuple[Kernel, ...], names: tuple[str, ...]) -> None:
        self.kernels, self.names = kernels, names
        self.stages = tuple(map(STAGES.index, names))
        uses = [kernel.lowered.uses for kernel in kernels]
        self.codes = [kernel.lowered for kernel in kernels]
        self.can_change = any(one.can_change for one in uses)
        self.is_polled = any(one.is_polled for one in uses)
        self.assigns = any(one.assigns for one in uses)
        self.looks_back = any(one.looks_back for one in uses)
        self.is_direct = not any(one.looks_at_rates for one in uses)
        self.has_lists = any(one.is_laid for one in uses)
        self.calls = [(kernel.address, sum(k.width for k in kernels[:n])) for n, kernel in enumerate(kernels)]
        self.laws = [(code.bind, name) for code, name in zip(self.codes, names, strict=True)]
        self.is_plain = all(one.lowered.is_of_blocks and not one.lowered.assigns_loose for one in kernels)
        self.usage = usage_of(kernels)
        self._uses = uses
        self._records: dict[tuple[Layout, bool, bool], tuple[int, tuple[int, ...]]] = {}
        found = [(stage, one) for stage, uses in zip(self.stages, self._uses, strict=True) for one in uses.exchanges]
        self.dependencies = Dependencies((stage, one.sort, one.reads, one.sets) for stage, one in found)

    def record(self, layout: Layout, *, is_native: bool, is_unseen: bool) -> tuple[int, tuple[int, ...]]:
        """How many slots the laws of objects laid out alike use, and the record that says which.

        is_native   whether they are called as kernels
        is_unseen   whether something branches in them that is not located
        """
        key = layout, is_native, is_unseen
        if key not in self._records:
            assert self.usage is not None
            words = self.usage.words(
                *self._calls(0, is_native=is_native),
                sums_of(layout),
                is_direct=self.is_direct and is_native,
                is_unseen=is_unseen,
            )
            self._records[key] = self.usage.uses, words
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
        slide = slide_of(owner)
        owners: tuple[Member, ...] = (owner,) if slide is None else (owner, *slide.meets)
        touches, reads, inputs, bases, moves, sets, adds = law_uses_at(self._uses, owners, bounds)
        memory: tuple[Allocation, ...] = ()
        if rows is None:
            memory = (integrator.memory.index.put(bases),) if not self.has_lists else lay(integrator, bounds)
            rows = memory[0][1]
        return LawPlan(  # by place, as keywords would take as long as all the rest
            touches,
            bounds,
            memory,
            bounds if self.can_change else None,
            self.is_polled,
            False,
            inputs,
            reads,
            *self._calls(rows),
            sets,
            adds,
            moves,
            self.assigns,
            self.is_direct,
            self.stages,
        )


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
        for one in uses.written:
            firsts = binding.lists[one.place] if one.is_many else binding.bases[one.place : one.place + 1]
            rates.update(dict.fromkeys([first + column for first in firsts for column in one.columns], one.is_read))
        inputs, bases = inputs + binding.inputs, bases + binding.bases
    sets, adds = ([slot for slot in rates if rates[slot] == is_read] for is_read in (False, True))
    return tuple(touched), tuple(slots), inputs, bases, tuple(rates), tuple(sets), tuple(adds)
