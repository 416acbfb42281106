"""What the plans of the same kernels have in common, and how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventide.compiled.records import Pattern, pattern_of
from eventide.compiled.uses import make_spread
from eventide.continuous.analysis import ConditionPlan, LawPlan, Plan
from eventide.continuous.equalities import Equality

if TYPE_CHECKING:
    from eventide.compiled.lowered import Kernel
    from eventide.compiled.registry import Bound
    from eventide.continuous import Continuous, Motion
    from eventide.continuous.growing import Lease


class Template:
    """The plan of kernels that are used together, but for the objects that they are bound to.

    kernels         those of a component's laws, or that of a condition
    calls           their addresses, and where their index rows begin, which stand side by side
    locators        for each what finds its index row, where it works on nothing but blocks of slots of single objects
    is_plain        whether they all do
    pattern         what they use of these; None if they use all items of a list
    """

    def __init__(self, kernels: tuple[Kernel, ...]) -> None:
        self.kernels = kernels
        uses = [kernel.lowered.uses for kernel in kernels]
        self.can_change = any(one.can_change for one in uses)
        self.is_polled = any(one.is_polled for one in uses)
        self.assigns = any(one.assigns for one in uses)
        self.is_direct = not any(one.looks_at_rates for one in uses)
        self.has_lists = any(kernel.width > len(kernel.lowered.blocks) for kernel in kernels)
        self.is_still = all(one.is_still for one in uses)
        self.calls = [(kernel.address, sum(k.width for k in kernels[:n])) for n, kernel in enumerate(kernels)]
        self.locators: Any = [kernel.lowered.locate for kernel in kernels]
        self.is_plain = None not in self.locators
        self.pattern = pattern_of(kernels)
        self._uses = 0 if self.pattern is None else self.pattern.uses
        self._spread = make_spread(uses)

    def plan_laws(
        self,
        motion: Motion,
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
        touches, reads, inputs, bases, moves, sets, adds = self._spread((owner, *owner._meets), bounds)
        memory: tuple[Lease, ...] = ()
        if rows is None:
            memory = (motion.index.put(bases),) if not self.has_lists else _lay(motion, bounds)
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

    def plan_condition(
        self, motion: Motion, bound: Bound, *, certificate: int = -1, recourse: int = 0, record: int = 0
    ) -> ConditionPlan:
        """The plan of a condition, or of a function that answers a number.

        record      the place of what tells which slots it uses, if the template knows
        certificate the place of what proves it
        recourse    the address of who asks Python where the kernel would raise
        """
        kernel, binding = bound
        lowered, constants = kernel.lowered, 0
        touches, reads, inputs, bases, *_ = self._spread((), (bound,))
        memory = (motion.index.put(bases),) if not self.has_lists else _lay(motion, (bound,))
        if binding.consts:
            memory = (*memory, motion.constants.put(binding.consts))
            constants = memory[-1][1]
        uses_so_many = self._uses
        if self.pattern is None:
            pattern = Pattern.of_slots(reads, touches)
            memory = (*memory, motion.lists.put(pattern.words()))
            record, uses_so_many = memory[-1][1], pattern.uses
        return ConditionPlan(  # by place, as above
            touches,
            reads,
            (bound,),
            memory,
            (bound,) if self.can_change else None,
            self.is_polled,
            False,
            inputs,
            lowered.needs_rates,
            kernel.address,
            memory[0][1],
            constants,
            certificate,
            certificate >= 0,
            certificate >= 0 and lowered.is_steady and not inputs,
            lowered.comparisons,
            reads if self.is_still and not inputs else (),
            _equalities(bound) if lowered.equalities else (),
            recourse,
            record,
            uses_so_many,
            None,
            binding,
            lowered.stands,
        )


def is_current(plan: Plan, bounds: tuple[Bound, ...]) -> bool:
    """Whether kernels are bound as they were when a plan was made of them."""
    for (kernel, was), (present, binding) in zip(plan.signature, bounds, strict=True):
        if kernel is not present or was[1:4] != binding[1:4] or was.inputs != binding.inputs:
            return False
    return True


def _lay(motion: Motion, bounds: tuple[Bound, ...]) -> tuple[Lease, ...]:
    """Write index rows, side by side, of kernels that are told lists, and what they say of these."""
    starts: list[int] = []
    numbers: list[int] = []
    for _, binding in bounds:
        for entries in binding.lists:
            starts.append(len(numbers))
            numbers += (len(entries), *entries)
    lists = motion.lists.put(tuple(numbers))
    places = iter(starts)
    rows = [(*binding.bases, *[lists[1] + next(places) for _ in binding.lists]) for _, binding in bounds]
    return motion.index.put(tuple([entry for row in rows for entry in row])), lists


def _equalities(bound: Bound) -> tuple[Equality, ...]:
    """The comparisons of what moves by == or != in a condition."""
    bases = bound.binding.bases
    return tuple(
        Equality(file, line, text, tuple(bases[place] + offset for place, offset in states))
        for file, line, text, states in bound.kernel.lowered.equalities
    )
