"""Plans shared by all objects of a class whose laws are the same kernels and whose slots have the same layout.

What these laws use of their own blocks and of others is described once, as a record in `lists`. Each object has only
the index rows of its laws. They stay with its seat, so the next object on that seat, with the same references, need
not rewrite them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from eventide.continuous.flows.flow import CONTRIBUTIONS, EQUATIONS
from eventide.continuous.flows.ordering import STAGES, Deal, Trade
from eventide.continuous.own_methods import LAWS
from eventide.continuous.plans import Cohort, LawPlan
from eventide.lowering.branches.located import unlocated_in
from eventide.lowering.names.binder import Binding
from eventide.lowering.plans.law_descriptions import Call, Usage, sums_of
from eventide.lowering.plans.registry import Bound
from eventide.lowering.plans.soundness import check_laws

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventide.continuous.components.layout import Layout
    from eventide.continuous.storage.slot_storage import Seat
    from eventide.lowering.kernels.dependencies import Exchange
    from eventide.lowering.kernels.lowered import Kernel
    from eventide.lowering.plans.plan_templates import LawTemplate
    from eventide.lowering.plans.planner import Compiler


NOTHING: Final = Binding((), (), (), (), (), ())
"""What a kernel works on where that does not matter."""


class ClassPlans:
    """The cohorts of one simulation.

    analyst     knows the plans of what is in no cohort with others
    idle        of what has no laws, or whose laws do not hold, by its layout
    """

    def __init__(self, analyst: Compiler) -> None:
        self._analyst = analyst
        self._known: dict[tuple[LawTemplate, Layout], Cohort] = {}
        self._trades: dict[tuple[Kernel, ...], Trade] = {}
        self._idle: dict[Any, Cohort] = {}

    def enroll(self, owner: Any) -> None:
        """Find the cohort of who comes, and let its seat tell where the rows of its laws are."""
        seat = owner._seat
        if not owner._is_active:
            self._enroll_idle(owner, seat)
            return
        cohort = seat.cohort
        if cohort is not None and cohort.generation == self._analyst.registry.generation:
            bases = locate(cohort.template, owner)
            if bases is not None and bases == seat.bases:
                owner._cohort = cohort
                return
        self._enroll_anew(owner, seat)

    def is_current(self, owner: Any) -> bool:
        """Whether a member would be enrolled as it is; raises CannotLower if its laws cannot be read any more."""
        cohort: Cohort = owner._cohort
        if not owner._is_active:
            return True
        template: LawTemplate | None = cohort.template
        if template is None:
            return self._analyst.is_plan_current(owner, cohort.plan(owner))
        if cohort.generation != self._analyst.registry.generation:
            if self._template(owner) is not template:
                return False
            cohort.generation = self._analyst.registry.generation
        seat: Seat = owner._seat
        return locate(template, owner) == seat.bases

    def dissolve(self, owner: Any) -> None:
        """Give back what was written for one object alone."""
        cohort: Cohort = owner._cohort
        for free, place in cohort.memory:
            free.append(place)

    def _enroll_idle(self, owner: Any, seat: Seat) -> None:
        """Its laws do not hold: it moves with those who touch it, and only its sums are seen to."""
        layout = seat.layout
        cohort = self._idle.get(layout)
        if cohort is None:
            words = Usage.of_slots((), ()).words(sums=sums_of(layout))
            record = self._analyst.integrator.memory.lists.put(words)[1]
            cohort = self._idle[layout] = Cohort(record, 0, (), None, _plan_idle)
        owner._cohort, seat.cohort = cohort, None
        self._analyst.integrator.storage.seat.record[seat.number] = cohort.record

    def _enroll_anew(self, owner: Any, seat: Seat) -> None:
        analyst = self._analyst
        analyst.facts.note_laws(type(owner))
        template = self._template(owner)
        bases = () if template is None else locate(template, owner)
        assert bases is not None
        self._write(seat, bases)
        if template is None:
            cohort = self._of_one(owner)
        else:
            for kernel in template.kernels:
                analyst.facts.note_code(kernel.lowered)
            key = template, owner._layout
            cohort = self._known.get(key) or self._known.setdefault(key, self._of_many(template, owner))
            cohort.generation = analyst.registry.generation
            seat.cohort = cohort
        owner._cohort = cohort
        known = analyst.integrator.storage.seat
        known.record[seat.number] = cohort.record
        known.row_of_laws[seat.number] = 0 if seat.lease is None else seat.lease[1]

    def _template(self, owner: Any) -> LawTemplate | None:
        """The template of an object's laws; None if they work on more than blocks of slots, or cannot be read."""
        registry = self._analyst.registry
        known = registry.templates_of(type(owner))
        if owner._meets:
            return None
        for template in known:
            if locate(template, owner) is not None:
                return template
        bounds = self._analyst.bounds_of(owner)
        if bounds is None:
            return None
        template = registry.template(bounds)
        if not template.is_plain:
            return None
        known.append(template)
        return template

    def _write(self, seat: Seat, bases: tuple[int, ...]) -> None:
        """Let the index rows of a seat be these."""
        index, lease = self._analyst.integrator.memory.index, seat.lease
        if lease is not None and len(seat.bases) == len(bases):
            index.write(lease[1], bases)
        else:
            if lease is not None:
                free, place = lease
                free.append(place)
            seat.lease = index.put(bases) if bases else None
        seat.cohort, seat.bases = None, bases

    def _of_many(self, template: LawTemplate, owner: Any) -> Cohort:
        """The cohort of objects like one, which has its index rows."""
        plan = self._describe(template, owner)
        check_laws(owner, plan.kept)
        usage = template.usage
        assert usage is not None
        if not plan.moves or not (plan.sets or plan.adds):
            usage = usage._replace(sets=(), adds=())  # it is found out as they run
        row = owner._seat.lease[1] if owner._seat.lease else 0
        calls = [call and (call[0], call[1] - row) for call in (plan.contributions, plan.equations)]
        words = self._words_of(owner, usage, calls, is_direct=plan.is_direct)
        return Cohort(
            self._analyst.integrator.memory.lists.put(words)[1],
            usage.uses,
            template.kernels,
            template,
            lambda one: self._describe(template, one),
            signature=tuple(Bound(kernel, NOTHING) for kernel in template.kernels) if template.can_change else None,
            is_polled=template.is_polled,
            assigns=plan.assigns,
            is_exposed=template.can_change and not self._analyst.compiles,
            trade=self._trade(owner, plan),
        )

    def _trade(self, owner: Any, plan: LawPlan) -> Trade:
        """What laws like those of an object read and set; those of the same kernels have it in common."""
        bounds = bounds_in(owner, plan)
        key = tuple([bound.kernel for _, bound in bounds])
        trade = self._trades.get(key)
        if trade is None:
            found = ((stage, bound.kernel.lowered.uses.exchanges) for stage, bound in bounds)
            trade = Trade((stage, one.sort, one.reads, one.sets) for stage, some in found for one in some)
            self._trades[key] = trade
            self._analyst.integrator.groups.ordering.consider(trade)
        return trade

    def _describe(self, template: LawTemplate, owner: Any) -> LawPlan:
        """The plan of a member, as its index rows tell."""
        analyst, seat = self._analyst, owner._seat
        storage, first, bounds = analyst.integrator.storage, 0, []
        for kernel in template.kernels:
            bases = seat.bases[first : first + len(kernel.lowered.blocks)]
            first += len(bases)
            objects = tuple([storage.owner_of(base) for base in bases])
            bounds.append(Bound(kernel, Binding(objects, bases, (), (), (), ())))
        row = seat.lease[1] if seat.lease else 0
        return analyst.plan_of_laws(owner, tuple(bounds), row)

    def _of_one(self, owner: Any) -> Cohort:
        """The cohort of an object of which nothing can be told but for itself."""
        plan = self._analyst.law(owner)
        bounds = [bound for bound in plan.kept if isinstance(bound, Bound)]
        check_laws(owner, bounds)
        for bound in bounds:
            self._analyst.facts.note_code(bound.kernel.lowered)
        usage = Usage.of_slots(plan.reads, plan.touches, plan.sets, plan.adds, self._given(bounds))
        words = self._words_of(owner, usage, [plan.contributions, plan.equations], is_direct=plan.is_direct)
        record = self._analyst.integrator.memory.lists.put(words)
        return Cohort(
            record[1],
            usage.uses,
            tuple([bound.kernel for bound in plan.kept if isinstance(bound, Bound)]),
            None,
            lambda _: plan,
            memory=(*plan.memory, record),
            signature=plan.signature,
            is_polled=plan.is_polled,
            is_opaque=plan.is_opaque,
            inputs=plan.inputs,
            assigns=plan.assigns,
            unread=_unread(owner, plan),
            is_exposed=plan.is_opaque or (plan.signature is not None and not self._analyst.compiles),
            trade=self._trade(owner, plan),
        )

    def _given(self, bounds: list[Bound]) -> dict[Any, None]:
        """The objects to which laws give, each once."""
        found = ((bound, one) for bound in bounds for one in bound.kernel.lowered.uses.exchanges if one.gives)
        owner_of = self._analyst.integrator.storage.owner_of
        return {owner_of(deal.slot): None for bound, one in found for deal in deal_of(bound, one)}

    def _words_of(self, owner: Any, usage: Usage, calls: list[Call | None], *, is_direct: bool) -> tuple[int, ...]:
        """The record of an object's laws; of those that are not called by an address that is 0."""
        contribution = (calls[0] or (0, 0)) if owner._contributes else None
        equation = (calls[1] or (0, 0)) if owner._has_equations else None
        unseen, sums = bool(unlocated_in(owner, self._analyst.registry.smoothness)), sums_of(owner._layout)
        return usage.words(contribution, equation, sums, is_direct=is_direct, is_unseen=unseen)


def _unread(owner: Any, plan: LawPlan) -> tuple[int, ...]:
    """The stages of laws whose text is not known."""
    known = [stage for stage, _ in bounds_in(owner, plan)]
    has = (CONTRIBUTIONS, owner._contributes), (EQUATIONS, owner._has_equations)
    return tuple([stage for stage, is_there in has if is_there and stage not in known])


def _plan_idle(owner: Any) -> LawPlan:
    return LawPlan((owner,), inputs=(), assigns=False, is_direct=True)


def bounds_in(owner: Any, plan: LawPlan) -> list[tuple[int, Bound]]:
    """The laws of a plan whose text is known, each with its stage."""
    bounds = [bound for bound in plan.kept if isinstance(bound, Bound)]
    stages = [CONTRIBUTIONS] * owner._contributes + [EQUATIONS] * owner._has_equations
    if len(bounds) < len(stages):  # of the other it is not
        stages = [STAGES.index(bound.kernel.lowered.name.rpartition(".")[2]) for bound in bounds]
    return list(zip(stages, bounds, strict=True))


def deal_of(bound: Bound, one: Exchange) -> Iterator[Deal]:
    """What an exchange is where a kernel is bound: of items of a list, all."""
    binding = bound.binding
    firsts = binding.lists[one.place] if one.is_many else binding.bases[one.place : one.place + 1]
    return (Deal(first + one.column, one.sort, one.reads, one.sets) for first in firsts)


def locate(template: LawTemplate, owner: Any) -> tuple[int, ...] | None:
    """The index rows of an object's laws, side by side; None if the kernels do not fit them."""
    cls, arguments = type(owner), (owner,)
    rows: tuple[int, ...] = ()
    if not LAWS.isdisjoint(owner.__dict__):
        return None  # it has its own
    if owner._contributes:
        found = template.binds[0](cls.contributions, arguments)
        if found is None:
            return None
        rows = found.bases
    if owner._has_equations:
        found = template.binds[-1](cls.equations, arguments)
        return None if found is None else rows + found.bases
    return rows
