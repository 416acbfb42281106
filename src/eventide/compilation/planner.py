"""What compiling knows of laws and handlers: their kernels, and what these work on."""

from __future__ import annotations

from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p
from dataclasses import replace
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Final

from eventide.compilation.branches.located import branches_of
from eventide.compilation.class_plans import ClassPlans, accesses_of, bounds_in, kernel_class_plan_of
from eventide.compilation.code_facts import ClassMethod
from eventide.compilation.condition_plans import ConditionCompiler, address_of, concerns_at, is_current, lay
from eventide.compilation.fused_steps import MOST_LAWS, MOST_SLOTS
from eventide.compilation.registry import Bound
from eventide.continuous.components.component import STAGES, Continuous, law_names
from eventide.continuous.components.member import class_plan_of
from eventide.continuous.plans import LawPlan, ReactionPlan
from eventide.discrete.conditions.condition import Condition
from eventide.engine.codes import IMPLICIT
from eventide.engine.memory.flow_rows import CHAIN, RESTS, SEGMENTS, SUMS
from eventide.lowering.kernels.lowering import not_a_function
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.entries import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eventide.compilation.registry import Registry
    from eventide.continuous.components.member import Member
    from eventide.continuous.components.switches import Branches
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.flows.ordering import LawAccess
    from eventide.continuous.plans import ClassPlan, Plan
    from eventide.continuous.storage.slot_storage import Slab
    from eventide.discrete.conditions.when import Trigger
    from eventide.lowering.kernels.lowered import Kernel
    from eventide.lowering.names.binder import Compare

_LAW: Final = CFUNCTYPE(c_int64, *[c_double] * 3, *[c_void_p] * 5, c_int64, c_void_p)


class Compiler(ConditionCompiler):
    """Compiles what it can; what it cannot is called back in Python and may touch anything."""

    most_fused = MOST_LAWS

    def __init__(self, registry: Registry, *, is_strict: bool) -> None:
        super().__init__(registry, is_strict=is_strict)
        self._joined: dict[tuple[Kernel, Kernel], tuple[int, int, int]] = {}
        self._class_plans = ClassPlans(self)

    @property
    def methods(self) -> frozenset[str]:
        """The names of methods that compiled code has taken from classes, and of laws."""
        return self.facts.methods

    def branches(self, cls: type[Continuous]) -> Branches:
        """What branches in the laws of a class."""
        return branches_of(cls, self.registry.smoothness)

    def law(self, owner: Member) -> LawPlan:
        """Kernels and index rows of a component's laws."""
        assert isinstance(owner, Continuous)
        bounds = self.bounds_of(owner)
        return self._law_with_calls(owner) if bounds is None else self.plan_of_laws(owner, bounds)

    def plan_of_laws(self, owner: Continuous, bounds: tuple[Bound, ...], rows: int | None = None) -> LawPlan:
        """The plan of laws all of which are native.

        rows    where their index rows stand; None if these are to be written
        """
        return self.registry.template(bounds, law_names(owner)).plan_laws(self.integrator, owner, bounds, rows)

    def bounds_of(self, owner: Continuous) -> tuple[Bound, ...] | None:
        """The kernels of a component's laws; None if one has none."""
        try:
            return self._bounds(owner)
        except CannotLower:
            return None

    def join_class(self, owner: Member, slab: Slab) -> ClassPlan:
        """The class plan of a member whose laws hold; its slab tells from now on where their rows are."""
        return self._class_plans.join_class(owner, slab)

    def join_idle_class(self, slab: Slab) -> ClassPlan:
        """The class plan of a member without laws that hold: it moves with those that touch it."""
        return self._class_plans.join_idle_class(slab)

    def leave_class(self, class_plan: ClassPlan) -> None:
        """A member has left its class plan: give back what was written for it alone."""
        for free, place in class_plan.memory:
            free.append(place)

    def accesses(self, owner: Member) -> list[tuple[int, tuple[LawAccess, ...]]]:
        """What the laws of a member read and set that laws set: of each that can be read, its stage and that."""
        return [
            (stage, tuple(access for one in bound.kernel.lowered.uses.exchanges for access in accesses_of(bound, one)))
            for stage, bound in bounds_in(class_plan_of(owner).plan(owner))
        ]

    def is_law_current(self, owner: Member) -> bool:
        """Whether a component's laws still refer to what they referred to when it was enrolled."""
        return self._class_plans.is_current(owner)

    def _bounds(self, owner: Continuous) -> tuple[Bound, ...]:
        """The kernels of a component's laws; raises CannotLower if one has none."""
        bounds = tuple([self._law(owner, name) for name in law_names(owner)])
        for bound in bounds:
            self._check_home(bound, owner)
        return bounds

    def _law_with_calls(self, owner: Continuous) -> LawPlan:
        """The plan of a component of whose laws some are called back in Python, which may touch and assign anything."""
        bounds, refusals = self._law_by_law(owner)
        calls = {}
        for name, error in refusals.items():
            self._refuse(error, f"{name} of {owner.name}")
            self._check_reach((*owner._laws(), owner.__dict__.get(name)), (owner,), f"{name} of {owner.name}")
            calls[name] = _LAW(self._law_call(owner, name))
        known = tuple(bounds.values())
        plan = self.registry.template(known, tuple(bounds)).plan_laws(self.integrator, owner, known)
        for name, call in calls.items():
            setattr(plan, name, (address_of(call), 0))
        return replace(
            plan,
            kept=(*plan.kept, *calls.values()),
            is_opaque=True,
            inputs=None,
            assigns=True,
            is_direct=False,
        )

    def _law_by_law(self, owner: Continuous) -> tuple[dict[str, Bound], dict[str, CannotLower]]:
        """The kernels of those laws of a component that can be read, and why the others cannot."""
        bounds: dict[str, Bound] = {}
        refusals: dict[str, CannotLower] = {}
        for name in law_names(owner):
            try:
                bounds[name] = self._law(owner, name)
                self._check_home(bounds[name], owner)
            except CannotLower as error:
                refusals[name] = error
        return bounds, refusals

    def _law(self, owner: Continuous, name: str) -> Bound:
        """The kernel of one law of a component; raises CannotLower if it has none."""
        function = getattr(type(owner), name)
        if name in owner.__dict__:
            code = function.__code__
            raise CannotLower(code.co_filename, code.co_firstlineno, name, f"{owner.name} has its own")
        return self.registry.law(owner, function)

    def _law_call(self, owner: Continuous, name: str) -> Callable[..., int]:
        integrator, stage = self.integrator, STAGES.index(name)

        def call(time: float, dt: float, last: float, *_: object) -> int:
            integrator.host.call_law(owner, stage, getattr(owner, name), time, dt, last)
            return 0

        return call

    def reaction(self, trigger: Trigger) -> ReactionPlan | None:
        """Kernel, index row and closure numbers of a handler, and which slots concern it."""
        if not self.compiles:
            return None
        try:
            bound = self.handler(trigger)
        except CannotLower:
            return None
        self._check_home(bound, trigger)
        self.facts.note(ClassMethod(type(trigger.component), trigger.method))
        plan = self._reaction(bound, Entry.of(trigger.handler, ()))
        function: FunctionType = getattr(type(trigger.component), trigger.method)  # else it had no kernel
        plan.is_polled = self.registry.book.definition(function).file.stores(trigger.method)
        return plan

    def handler(self, trigger: Trigger) -> Bound:
        """The kernel of a handler; raises CannotLower if it has none."""
        code, component = trigger.code, trigger.component
        if code is not None and trigger.method in component.__dict__:
            raise CannotLower(code.co_filename, code.co_firstlineno, trigger.method, f"{component.name} has its own")
        function = getattr(type(component), trigger.method, None)
        if not isinstance(function, FunctionType):
            raise not_a_function(function)  # each look-up may give another object
        return self.registry.handler(trigger.handler)

    def _reaction(self, bound: Bound, entry: Entry) -> ReactionPlan:
        """The plan of a handler."""
        lowered, integrator = bound.kernel.lowered, self.integrator
        self.facts.note(lowered)
        bases, (blocks, writes) = bound.binding.bases, lowered.effects
        # Objects and literals live as long as the plan.
        known = tuple(map(id, (*bound.binding.addressed, *lowered.literals)))
        rows = lay(integrator, (bound,), known)
        numbers = integrator.memory.constants.put(bound.binding.consts)
        head = rows[0][1], numbers[1], 2 if lowered.appends else 1, len(blocks), len(writes)
        effects = integrator.memory.lists.put((*head, *concerns_at(lowered.effects, bases)))
        return ReactionPlan(
            (),
            kept=(bound,),
            memory=(*rows, numbers, effects),
            signature=(bound,) if lowered.uses.can_change else None,
            address=bound.kernel.address,
            effects=effects[1],
            entry=entry,
            appends=lowered.appends,
        )

    def is_reaction_current(self, plan: ReactionPlan) -> bool:
        """Whether a handler still calls the code that its plan was made of."""
        return plan.kept[0].kernel.lowered.bind(plan.entry.function, plan.entry.arguments) is not None

    def forget_constants(self) -> bool:
        """Lower again what was made with something that has changed; False if nothing has."""
        if self.facts.adopt():
            return False
        self.registry.renew(within_run=True)
        self.facts.renew()
        self._condition_templates = {
            kernel: template for kernel, template in self._condition_templates.items() if kernel.is_current
        }
        return True

    def knows_handler(self, code: CodeType | None) -> bool:
        """Whether it has been found out before whether handlers of some code can be native."""
        return self.registry.knows("handler", code)

    def looks_at_lists(self, plan: Plan | ClassPlan) -> bool:
        """Whether laws or a condition that may come to refer to something else read lists that may grow."""
        return any(bound.kernel.lowered.uses.looks_at_lists for bound in _signed(plan))

    def selectors_of(self, plan: Plan | ClassPlan) -> frozenset[str]:
        """The names by which laws or a condition come to what may become another."""
        return frozenset().union(*[bound.kernel.lowered.selectors for bound in _signed(plan)])

    def comparison(self, item: Member | Condition) -> Callable[[], bool] | None:
        """Returns whether something refers to the same as now; None where only a plan made again tells."""
        if not isinstance(item, Condition):
            return self._class_plans.comparison(item)
        compare: Compare | None = item.plan.kept[0].kernel.lowered.compare
        if compare is None:
            return None
        entry = Entry.of(item.function, item.arguments)
        return compare(entry.function, entry.arguments)

    def fused(self, flow: Flow) -> tuple[int, int]:
        """The addresses of what stands for `attempt` and `complete` in the steps of a small flow."""
        integrator, number = self.integrator, flow.number
        memory, method = integrator.memory, integrator.method.coefficients
        if method.sizes[IMPLICIT] > 0:  # stages that are iterated
            return 0, 0
        known, counts = memory.flow, memory.flow_rows.ints.view
        first, end, run = counts[number, CHAIN.first], counts[number, CHAIN.end], counts[number, SEGMENTS.first]
        if flow.assigns or not 0 < end - first <= MOST_LAWS or counts[number, SEGMENTS.end] != run + 1:
            return 0, 0
        low, high = memory.segments.view[run, 0], memory.segments.view[run, 1]
        has_more = any(counts[number, some.end] != counts[number, some.first] for some in (SUMS, RESTS))
        if has_more or high - low > MOST_SLOTS or known.direct[number] == 0:
            return 0, 0
        laws, index, contributors = memory.flow_rows.law, memory.index.view, first + known.contributors[number]
        parts = []
        for k in range(first, end):
            kernel = kernel_class_plan_of(integrator.storage.owner_at(laws.slab[k])).kernels[
                0 if k < contributors else -1
            ]
            if kernel.lowered.function.pieces:  # so long that nothing is gained
                return 0, 0
            place = laws.operands[k]
            bases = index[place : place + len(kernel.lowered.blocks)]
            parts.append((kernel, tuple([base - low if low <= base < high else None for base in bases])))
        return self.registry.fused(method, high - low, parts)

    def join(self, flow: Flow) -> int:
        """Make kernels that do what contributions and equations of a class do, and tell the stepper of them."""
        widest = 0
        for _, owner in flow.look_up().laws:
            class_plan = kernel_class_plan_of(owner)
            if len(law_names(owner)) == 2 and not class_plan.is_opaque:
                first, second = class_plan.kernels
                if (first, second) not in self._joined:
                    self._joined[first, second] = found = self.registry.joined(owner, first, second)
                    self._tell_of(first, second, *found)
                widest = max(widest, self._joined[first, second][2])
        return widest

    def _tell_of(self, first: Kernel, second: Kernel, laying: int, laid: int, width: int) -> None:
        run = self.integrator.run
        if width:
            words = first.address, second.address, laying, laid, first.width, width, run.joined
            run.joined = self.integrator.memory.lists.put(words)[1]

    def is_plan_current(self, owner: Continuous, plan: LawPlan) -> bool:
        """Whether a component's laws still refer to what they referred to when the plan was made."""
        known = tuple(bound for _, bound in bounds_in(plan))
        bounds = tuple(self._law_by_law(owner)[0].values())  # beside what is Python's the other law may be native
        return len(known) == len(bounds) and is_current(known, bounds)


class GuardCompiler(Compiler):
    """Compiles nothing but the event functions of conditions: they are searched for alike, compiled or not."""

    compiles = False
    most_fused = 0

    def fused(self, flow: Flow) -> tuple[int, int]:
        """Nothing stands for the plain functions."""
        return 0, 0

    def join(self, flow: Flow) -> int:
        """Laws that run in Python are called one by one."""
        return 0

    def plan_of_laws(self, owner: Continuous, bounds: tuple[Bound, ...], rows: int | None = None) -> LawPlan:
        """What a law touches and writes is known as if it were compiled."""
        return _in_python(super().plan_of_laws(owner, bounds, rows))

    def _law_with_calls(self, owner: Continuous) -> LawPlan:
        """The same of a component of whose laws some cannot be read."""
        return _in_python(super()._law_with_calls(owner))


def _in_python(plan: LawPlan) -> LawPlan:
    """A plan of laws that run in Python."""
    return replace(plan, contributions=None, equations=None, is_direct=False)


def _signed(plan: Plan | ClassPlan) -> Iterator[Bound]:
    """The kernels of laws, or of a condition, that may come to refer to something else."""
    return (bound for bound in plan.signature or () if isinstance(bound, Bound))
