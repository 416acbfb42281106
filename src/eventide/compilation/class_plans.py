"""Plans shared by all objects of a class whose laws are the same kernels and whose slots have the same layout.

What these laws use of their own blocks and of others is described once, as a record in `lists`. Each object has only
the index rows of its laws. They stay with its slab, so the next object on that slab, with the same references, need
not rewrite them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from types import FunctionType
from typing import TYPE_CHECKING, Final

from eventide.compilation.branches.located import unlocated_in, variant_of, warn_of_fields, warn_of_law
from eventide.compilation.condition_plans import Usage
from eventide.compilation.law_templates import sums_of
from eventide.compilation.registry import Bound
from eventide.compilation.soundness import check_laws
from eventide.continuous.components.component import STAGES, Continuous, Law, law_names
from eventide.continuous.components.member import branches_in, class_plan_of, laws_hold, slab_of, slide_of, switches_of
from eventide.continuous.flows.ordering import LawAccess
from eventide.continuous.own_methods import LAWS
from eventide.continuous.plans import ClassPlan, LawPlan
from eventide.lowering.names.binder import Binding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eventide.compilation.law_templates import LawTemplate
    from eventide.compilation.planner import Compiler
    from eventide.continuous.components.layout import Layout
    from eventide.continuous.components.member import Member
    from eventide.continuous.storage.slot_storage import Slab
    from eventide.lowering.kernels.dependencies import Exchange
    from eventide.lowering.kernels.lowered import Kernel


NOTHING: Final = Binding((), (), (), (), (), ())
"""What a kernel works on where that does not matter."""


@dataclass(slots=True, eq=False)
class KernelClassPlan(ClassPlan):
    """A class plan with what its laws are.

    kernels     of contributions, then of equations
    template    what follows from these kernels; None if it is known for a single object only
    """

    kernels: tuple[Kernel, ...] = ()
    template: LawTemplate | None = None


def kernel_class_plan_of(member: Member) -> KernelClassPlan:
    """The class plan of a member that has been placed."""
    class_plan = class_plan_of(member)
    assert isinstance(class_plan, KernelClassPlan)
    return class_plan


class ClassPlans:
    """The class plans of one simulation.

    analyst     knows the plans of what is in no class plan with others
    idle        of what has no laws, or whose laws do not hold, by its layout
    """

    def __init__(self, analyst: Compiler) -> None:
        self._analyst = analyst
        self._known: dict[tuple[LawTemplate, Layout, bool], KernelClassPlan] = {}
        self._idle: dict[object, KernelClassPlan] = {}

    def join_class(self, owner: Member, slab: Slab) -> KernelClassPlan:
        """The class plan of a member whose laws hold; its slab tells from now on where their rows are."""
        if isinstance(owner, Continuous) and branches_in(type(owner)).asks:
            self._hold(owner)
        class_plan = slab.class_plan
        if isinstance(class_plan, KernelClassPlan) and class_plan.generation == self._analyst.registry.generation:
            bases = None if class_plan.template is None else locate(class_plan.template, owner)
            if bases is not None and bases == slab.bases:
                return class_plan
        return self._join_new_class(owner, slab)

    def _hold(self, owner: Continuous) -> bool:
        """Hold outcomes in the functions to which fields of a member refer now; whether these are other ones."""
        if not type(owner).locate_branches:
            return False
        located = variant_of(owner, self._analyst.registry.smoothness).located
        if tuple([switch.branch for switch in switches_of(owner)]) == located:
            return False
        self._analyst.integrator.system.hold(owner, located)
        return True

    def is_current(self, owner: Member) -> bool:
        """Whether a member would be enrolled as it is; raises CannotLower if its laws cannot be read any more."""
        class_plan = kernel_class_plan_of(owner)
        if not isinstance(owner, Continuous) or not laws_hold(owner):
            return True
        if branches_in(type(owner)).asks and self._hold(owner):
            return False
        template = class_plan.template
        if template is None:
            is_unseen = self._is_unseen(owner)
            return class_plan.is_unseen is is_unseen and self._analyst.is_plan_current(owner, class_plan.plan(owner))
        if class_plan.generation != self._analyst.registry.generation:
            if self._template(owner)[0] is not template:
                return False
            class_plan.generation = self._analyst.registry.generation
        return locate(template, owner) == slab_of(owner).bases

    def comparison(self, owner: Member) -> Callable[[], bool] | None:
        """Returns whether a member's laws refer to the same as now; None where only finding that again tells."""
        template, own = kernel_class_plan_of(owner).template, owner.__dict__
        if template is None or not isinstance(owner, Continuous) or branches_in(type(owner)).asks:
            return None
        tests: list[Callable[[], bool] | None] = []
        for code, name in zip(template.codes, template.names, strict=True):
            if code.uses.can_change:
                tests.append(None if code.compare is None else code.compare(getattr(type(owner), name), (owner,)))
        found = [stands for stands in tests if stands is not None]
        if len(found) < len(tests):
            return None
        return lambda: own.keys().isdisjoint(LAWS) and all(stands() for stands in found)

    def join_idle_class(self, slab: Slab) -> KernelClassPlan:
        """The class plan of a member without active laws: it moves with those that touch it; its sums are zeroed."""
        layout = slab.layout
        class_plan = self._idle.get(layout)
        if class_plan is None:
            words = Usage.of_slots((), ()).words(sums=sums_of(layout))
            record = self._analyst.integrator.memory.lists.put(words)[1]
            class_plan = self._idle[layout] = KernelClassPlan(record, 0, _plan_idle)
        slab.class_plan = None
        self._analyst.integrator.storage.slab.record[slab.number] = class_plan.record
        return class_plan

    def _join_new_class(self, owner: Member, slab: Slab) -> KernelClassPlan:
        assert isinstance(owner, Continuous)
        analyst = self._analyst
        template, bases = self._template(owner)
        self._write(slab, bases)
        if template is None:
            analyst.facts.note(type(owner))
            class_plan = self._of_one(owner)
        else:
            analyst.facts.note(type(owner), *template.codes)
            key = template, slab.layout, self._is_unseen(owner)
            class_plan = self._known.get(key) or self._known.setdefault(key, self._of_many(template, owner))
            class_plan.generation = analyst.registry.generation
            slab.class_plan = class_plan
        analyst.integrator.groups.ordering.consider(class_plan.dependencies)
        known = analyst.integrator.storage.slab
        known.record[slab.number] = class_plan.record
        known.row_of_laws[slab.number] = 0 if slab.allocation is None else slab.allocation[1]
        return class_plan

    def _template(self, owner: Continuous) -> tuple[LawTemplate | None, tuple[int, ...]]:
        """The template of an object's laws, and their index rows side by side.

        None, and no rows, if they work on more than blocks of slots, or cannot be read.
        """
        registry = self._analyst.registry
        known = registry.templates_of(type(owner))
        if slide_of(owner) is not None:
            return None, ()
        for template in known:
            bases = locate(template, owner)
            if bases is not None:
                return template, bases
        bounds = self._analyst.bounds_of(owner)
        made = None if bounds is None else registry.template(bounds, law_names(owner))
        if made is None or not made.is_plain:
            return None, ()
        bases = locate(made, owner)
        assert bases is not None
        known.append(made)
        return made, bases

    def _write(self, slab: Slab, bases: tuple[int, ...]) -> None:
        """Let the index rows of a slab be these."""
        index, allocation = self._analyst.integrator.memory.index, slab.allocation
        if allocation is not None and len(slab.bases) == len(bases):
            index.write(allocation[1], bases)
        else:
            if allocation is not None:
                free, place = allocation
                free.append(place)
            slab.allocation = index.put(bases) if bases else None
        slab.class_plan, slab.bases = None, bases

    def _of_many(self, template: LawTemplate, owner: Continuous) -> KernelClassPlan:
        """The class plan of objects like one, which has its index rows."""
        analyst = self._analyst
        if template.assigns:
            check_laws(owner, self._bounds(template, owner))
        uses, words = template.record(
            slab_of(owner).layout, is_native=analyst.compiles, is_unseen=self._is_unseen(owner)
        )
        return KernelClassPlan(
            analyst.integrator.memory.lists.put(words)[1],
            uses,
            lambda one: self._describe(template, one),
            signature=tuple(Bound(kernel, NOTHING) for kernel in template.kernels) if template.can_change else None,
            is_polled=template.is_polled,
            assigns=template.assigns,
            looks_back=template.looks_back,
            is_exposed=template.can_change and not analyst.compiles,
            dependencies=template.dependencies,
            kernels=template.kernels,
            template=template,
        )

    def _describe(self, template: LawTemplate, owner: Continuous) -> LawPlan:
        """The plan of a member, as its index rows tell."""
        allocation = slab_of(owner).allocation
        return self._analyst.plan_of_laws(owner, self._bounds(template, owner), allocation[1] if allocation else 0)

    def _bounds(self, template: LawTemplate, owner: Member) -> tuple[Bound, ...]:
        """The kernels of a member's laws, and on what its index rows say that they work."""
        storage, bases, bounds = self._analyst.integrator.storage, iter(slab_of(owner).bases), []
        for kernel in template.kernels:
            rows = tuple(islice(bases, len(kernel.lowered.blocks)))
            objects = tuple([storage.owner_of(base) for base in rows])
            bounds.append(Bound(kernel, Binding(objects, rows, (), (), (), ())))
        return tuple(bounds)

    def _of_one(self, owner: Continuous) -> KernelClassPlan:
        """The class plan of an object of which nothing can be told but for itself."""
        plan = self._analyst.law(owner)
        bounds = tuple([bound for _, bound in bounds_in(plan)])
        check_laws(owner, bounds)
        self._analyst.facts.note(*(bound.kernel.lowered for bound in bounds))
        usage = Usage.of_slots(plan.reads, plan.touches, plan.sets, plan.adds, self._given(bounds))
        is_unseen = self._is_unseen(owner)
        # Of laws in Python nothing tells what they get from fields.
        asks = branches_in(type(owner)).asks and len(bounds) < len(law_names(owner))
        words = usage.words(
            (plan.contributions or (0, 0)) if "contributions" in law_names(owner) else None,
            (plan.equations or (0, 0)) if "equations" in law_names(owner) else None,
            sums_of(slab_of(owner).layout),
            is_direct=plan.is_direct,
            is_unseen=is_unseen,
        )
        record = self._analyst.integrator.memory.lists.put(words)
        template = self._analyst.registry.template(bounds, tuple([STAGES[stage] for stage in plan.stages]))
        return KernelClassPlan(
            record[1],
            usage.uses,
            lambda _: plan,
            memory=(*plan.memory, record),
            signature=(plan.signature or ()) if asks else plan.signature,
            is_polled=plan.is_polled or asks,
            is_opaque=plan.is_opaque,
            inputs=plan.inputs,
            assigns=plan.assigns,
            looks_back=template.looks_back,
            unread=_unread(owner, plan),
            is_unseen=is_unseen,
            is_exposed=plan.is_opaque or (plan.signature is not None and not self._analyst.compiles),
            dependencies=template.dependencies,
            kernels=tuple([bound.kernel for bound in bounds]),
        )

    def _given(self, bounds: tuple[Bound, ...]) -> dict[Member, None]:
        """The objects to which laws give, each once."""
        found = ((bound, one) for bound in bounds for one in bound.kernel.lowered.uses.exchanges if one.gives)
        owner_of = self._analyst.integrator.storage.owner_of
        return {owner_of(access.slot): None for bound, one in found for access in accesses_of(bound, one)}

    def _is_unseen(self, owner: Continuous) -> bool:
        """Whether something branches in an object's laws that is not located."""
        smoothness = self._analyst.registry.smoothness
        if branches_in(type(owner)).asks:
            variant = variant_of(owner, smoothness)
            self._analyst.facts.note(variant)
            warn_of_fields(type(owner), variant, smoothness)
            return bool(variant.unlocated)
        unlocated = unlocated_in(owner, smoothness)
        if isinstance(owner, Law):
            warn_of_law(owner, unlocated, smoothness)
            laws = [law for law in owner._laws() if isinstance(law, FunctionType)]
            keys = [(law, cls) for law in laws for cls in (None, type(owner))]
            self._analyst.facts.note(*(smoothness.known[key] for key in keys if key in smoothness.known))
        return bool(unlocated)


def _unread(owner: Member, plan: LawPlan) -> tuple[int, ...]:
    """The stages of laws whose text is not known."""
    return tuple([stage for stage in map(STAGES.index, law_names(owner)) if stage not in plan.stages])


def _plan_idle(owner: Member) -> LawPlan:
    return LawPlan((owner,), inputs=(), assigns=False, is_direct=True)


def bounds_in(plan: LawPlan) -> list[tuple[int, Bound]]:
    """The laws of a plan whose text is known, each with its stage."""
    return list(zip(plan.stages, [bound for bound in plan.kept if isinstance(bound, Bound)], strict=True))


def accesses_of(bound: Bound, one: Exchange) -> Iterator[LawAccess]:
    """What an exchange is where a kernel is bound: of items of a list, all."""
    binding = bound.binding
    firsts = binding.lists[one.place] if one.is_many else binding.bases[one.place : one.place + 1]
    return (LawAccess(first + one.column, one.sort, one.reads, one.sets) for first in firsts)


def locate(template: LawTemplate, owner: Member) -> tuple[int, ...] | None:
    """The index rows of an object's laws, side by side; None if the kernels do not fit them."""
    if not owner.__dict__.keys().isdisjoint(LAWS):  # which asks for two names, not for all attributes
        return None  # it has its own
    cls, arguments = type(owner), (owner,)
    rows: tuple[int, ...] = ()
    for bind, name in template.laws:
        found = bind(getattr(cls, name), arguments)
        if found is None:
            return None
        rows += found[1]  # its bases; the name of a field of a named tuple takes Python 3.11 as long as all else here
    return rows
