"""What the plans of the same kernels have in common, and how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.continuous.guards.equalities import Equality
from eventide.continuous.plans import ConditionPlan, LawPlan, Pattern
from eventide.lowering.kernels.dependencies import law_uses_at, reads_at
from eventide.lowering.plans.law_descriptions import Usage, usage_of

if TYPE_CHECKING:
    from eventide.continuous import Continuous, Integrator
    from eventide.continuous.plans import Guidance
    from eventide.continuous.storage.growable_arrays import Lease
    from eventide.lowering.kernels.lowered import Kernel
    from eventide.lowering.plans.registry import Bound


class LawTemplate:
    """The plan of kernels that are used together, but for the objects that they are bound to.

    kernels         those of a component's laws
    calls           their addresses, and where their index rows begin, which stand side by side
    binds           for each what finds what it works on
    is_plain        whether that is nothing but blocks of slots of single objects, and none assigns a variable of which
                    only the object tells whether it may
    usage           what they use of these; None if they use all items of a list
    """

    def __init__(self, kernels: tuple[Kernel, ...]) -> None:
        self.kernels = kernels
        uses = [kernel.lowered.uses for kernel in kernels]
        self.can_change = any(one.can_change for one in uses)
        self.is_polled = any(one.is_polled for one in uses)
        self.assigns = any(one.assigns for one in uses)
        self.is_direct = not any(one.looks_at_rates for one in uses)
        self.has_lists = any(kernel.width > len(kernel.lowered.blocks) for kernel in kernels)
        self.calls = [(kernel.address, sum(k.width for k in kernels[:n])) for n, kernel in enumerate(kernels)]
        self.binds = [kernel.lowered.bind for kernel in kernels]
        self.is_plain = all(one.lowered.is_of_blocks and not one.lowered.assigns_loose for one in kernels)
        self.usage = usage_of(kernels)
        self._uses = uses

    def plan_laws(
        self,
        integrator: Integrator,
        owner: Continuous,
        bounds: tuple[Bound, ...],
        *,
        contributes: bool,
        equates: bool,
        rows: int | None = None,
    ) -> LawPlan:
        """The plan of a component's laws.

        contributes, equates    whether contributions and equations are among those that are bound
        rows                    where their index rows stand; None if these are to be written
        """
        touches, reads, inputs, bases, moves, sets, adds = law_uses_at(self._uses, (owner, *owner._meets), bounds)
        memory: tuple[Lease, ...] = ()
        if rows is None:
            memory = (integrator.memory.index.put(bases),) if not self.has_lists else lay(integrator, bounds)
            rows = memory[0][1]
        place, calls = rows, self.calls
        return LawPlan(  # by place, as so many keywords would take as long as all the rest
            touches,
            reads,
            bounds,
            memory,
            bounds if self.can_change else None,
            self.is_polled,
            False,
            inputs,
            (calls[0][0], place) if contributes else None,
            (calls[-1][0], place + calls[-1][1]) if equates else None,
            sets,
            adds,
            moves,
            self.assigns,
            self.is_direct,
        )


class ConditionTemplate(Pattern):
    """The plan of conditions of one kernel, or of functions that answer a number, but for what they are bound to.

    certificate the place of what proves it; -1 without
    recourse    the address of who asks Python where the kernel would raise
    record      the place of what tells which slots they use, and how many uses that are; -1 if that is told for each
    """

    __slots__ = ("_can_change", "_has_equalities", "_has_lists", "_is_polled", "_kernel_uses", "_record", "_uses")

    def __init__(
        self, kernel: Kernel, *, certificate: int, recourse: int, record: tuple[int, int], guide: Guidance | None
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
            bind=None if lowered.lists or lowered.tables else lowered.bind,
            guide=guide,
        )
        self._can_change, self._is_polled = uses.can_change, uses.is_polled
        self._has_lists = kernel.width > len(lowered.blocks)
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
