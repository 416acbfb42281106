"""Plans of laws and conditions: the objects they touch, and their compiled forms, as the room `lowering` makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from eventide.continuous.components.component import Continuous, law_names
from eventide.continuous.flows.ordering import Dependencies, LawAccess
from eventide.continuous.own_methods import LAWS

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.components.switches import Branches
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.guards.equalities import Equality
    from eventide.continuous.integrator import Integrator
    from eventide.continuous.storage.slot_storage import Slab
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.conditions.when import Trigger, WhenSpec
    from eventide.discrete.periodic import EverySpec
    from eventide.engine.memory.growable_arrays import Allocation
    from eventide.inputs import Input
    from eventide.reading.entries import Entry
    from eventide.reading.source import SourceBook


Guidance: TypeAlias = Callable[[int, float, float, float], None]
"""Leaves the event function of a condition and its slope in a row of the arrays: of the row, time, dt and last_time."""


@dataclass(slots=True)
class Plan:
    """What is known about a component's laws, or about a condition.

    touches     the objects whose states, rates, computed values or sums are known to be read or written
    kept        what must live as long as the plan is used
    memory      the blocks that it occupies
    signature   what it was made for, to check later whether that has changed; None if it cannot change
    is_polled   whether that has to be checked after every event, as its changes are not announced
    is_opaque   whether it may touch other objects as well, which is found out when it runs
    inputs      the inputs that are called; None if these are not known
    """

    touches: tuple[Member, ...]
    kept: tuple[Any, ...] = ()
    memory: tuple[Allocation, ...] = ()
    signature: tuple[object, ...] | None = None
    is_polled: bool = False
    is_opaque: bool = False
    inputs: tuple[Input, ...] | None = None


@dataclass(slots=True)
class LawPlan(Plan):
    """A component's laws.

    reads                       slots that do not move, parameters first of all, and whose writing touches the flow
    contributions, equations    address and place of the index row; None for a law that is absent
    sets, adds                  slots whose rates they write, unread, and read before; VALUES more: that they set unread
    moves                       both
    assigns                     whether they assign states, which then differ from the interpolant
    is_direct                   whether they are compiled and read no rate
    stages                      of those whose text is known, in the order of their kernels in `kept`
    """

    reads: tuple[int, ...] = ()
    contributions: tuple[int, int] | None = None
    equations: tuple[int, int] | None = None
    sets: tuple[int, ...] = ()
    adds: tuple[int, ...] = ()
    moves: tuple[int, ...] = ()
    assigns: bool = True
    is_direct: bool = False
    stages: tuple[int, ...] = ()


NO_DEPENDENCIES: Final = Dependencies()
"""That of what has no laws."""


@dataclass(slots=True, eq=False)
class ClassPlan:
    """What is common to members of flows whose laws are the same kernels and whose slots have the same layout.

    record, uses    the place of the record of the slots that the laws use, and the number of these uses
    describe        returns the plan of one member
    memory          what is given back when its only member leaves
    signature, is_polled, is_opaque, inputs, assigns     as in `LawPlan`
    looks_back      whether they read a step's length, or states at its beginning, or assign some, so that they do not
                    give again what they gave at its end once the next one has begun
    is_exposed      whether they run in Python, and so may see without notice what an event changes
    is_unseen       whether something branches in them that is not located, if their kernels do not say so
    unread          the stages of the laws that cannot be read
    dependencies           what their laws read and set, which decides their order
    generation      of the kernels; kernels of another generation may be out of date
    """

    record: int
    uses: int
    describe: Callable[[Any], LawPlan]
    memory: tuple[Allocation, ...] = ()
    signature: tuple[object, ...] | None = None
    is_polled: bool = False
    is_opaque: bool = False
    inputs: tuple[Input, ...] | None = ()
    assigns: bool = False
    looks_back: bool = False
    is_exposed: bool = False
    is_unseen: bool = False
    unread: tuple[int, ...] = ()
    dependencies: Dependencies = NO_DEPENDENCIES
    generation: int = -1
    is_special: bool = field(init=False)
    """Whether a flow has to do more than by its record when one of them comes."""

    def __post_init__(self) -> None:
        self.is_special = self.is_opaque or self.assigns or self.inputs != ()

    def plan(self, owner: Member) -> LawPlan:
        """All that is known of the laws of one member."""
        return self.describe(owner)


@dataclass(slots=True, eq=False)
class Pattern:
    """What conditions of one kernel have in common in one simulation.

    address             of the kernel
    needs_laws          whether it reads rates, computed values or sums
    certificate         the place of what lets the stepper prove that it stays false within a step; -1 without
    is_steady           whether it reads nothing but states, and numbers that are constant between events
    is_still            whether these are single numbers
    comparisons         how many comparisons it consists of; 0 if that is not known
    fallback            the address of what calls Python where the kernel would raise; 0 if it never does
    is_exposed          whether it is tested in Python, and may see without notice what an event changes
    bind                finds what another function of the same code works on with its arguments; None if that may
                        change without notice
    guide               computes its event function where it is tested in Python; None if it has no kernel
    returns             whether a process that has waited for one waits for it again; None while that is not known
    row                 the whole numbers of a new guard; None until there is one
    """

    address: int
    _: KW_ONLY
    needs_laws: bool = True
    certificate: int = -1
    is_steady: bool = False
    is_still: bool = False
    comparisons: int = 0
    fallback: int = 0
    is_exposed: bool = False
    bind: Callable[[Any, tuple[object, ...]], object] | None = None
    guide: Guidance | None = None
    returns: bool | None = field(default=None, init=False)
    row: memoryview[int] | None = field(default=None, init=False)

    def slots_of(self, binding: object) -> tuple[int, ...]:
        """The slots of the quantities that a condition bound in this way reads, as far as they are known."""
        return ()


@dataclass(slots=True)
class ConditionPlan(Plan):
    """A condition.

    pattern             what it has in common with others of its kernel
    index, constants    the places of its index row and its closure numbers
    record, uses        the place of what tells which slots it uses, and how many uses that are
    binding             what its kernel works on
    equalities          its comparisons by == or != of what moves
    """

    pattern: Pattern = field(kw_only=True)
    index: int = 0
    constants: int = 0
    record: int = 0
    uses: int = 0
    binding: object = None
    equalities: tuple[Equality, ...] = ()

    @property
    def reads(self) -> tuple[int, ...]:
        """The slots of all quantities that it is known to read."""
        return self.pattern.slots_of(self.binding)

    @property
    def looks_at(self) -> tuple[int, ...]:
        """The slots of what it reads, if these are single states and numbers that stand still; else none."""
        return self.reads if self.pattern.is_still and not self.inputs else ()


@dataclass(slots=True)
class ReactionPlan(Plan):
    """A handler that is native code.

    address, effects    its kernel, and the place in `lists` of what it works on
    entry               the function that was compiled, and what it is called with
    appends             whether it puts something into lists
    """

    address: int = 0
    effects: int = 0
    entry: Entry = field(kw_only=True)
    appends: bool = False


class Analyst(ABC):
    """Finds out what laws and conditions touch, and how they run.

    compiles    whether laws are compiled where they can be
    most_fused  how many laws a flow has at most for which functions are made
    """

    integrator: Integrator
    compiles: bool
    most_fused: int = 0

    @property
    def fallback(self) -> int:
        """The address of the function that does in Python what native code leaves to it; 0 without one."""
        return 0

    @property
    def methods(self) -> frozenset[str]:
        """The names of methods that compiled code has taken from classes, and of laws."""
        return LAWS

    @property
    @abstractmethod
    def book(self) -> SourceBook:
        """The texts that have been read."""

    @abstractmethod
    def branches(self, cls: type[Continuous]) -> Branches:
        """What branches in the laws of a class."""

    @abstractmethod
    def law(self, owner: Member) -> LawPlan:
        """What is known of a component's laws."""

    @abstractmethod
    def accesses(self, owner: Member) -> list[tuple[int, tuple[LawAccess, ...]]]:
        """What the laws of a member read and set that laws set: of each that can be read, its stage and that."""

    @abstractmethod
    def join_class(self, owner: Member, slab: Slab) -> ClassPlan:
        """The class plan of a member whose laws hold; its slab tells from now on where their rows are."""

    @abstractmethod
    def join_idle_class(self, slab: Slab) -> ClassPlan:
        """The class plan of a member without laws that hold: it moves with those that touch it."""

    @abstractmethod
    def leave_class(self, class_plan: ClassPlan) -> None:
        """A member has left its class plan: free what was written for it alone."""

    @abstractmethod
    def condition(self, condition: Condition) -> ConditionPlan:
        """What is known of a condition."""

    @abstractmethod
    def check_home(self, condition: Condition) -> None:
        """Raise ModelError if a condition refers to an object of another simulation, or to its clock."""

    @abstractmethod
    def reaction(self, trigger: Trigger) -> ReactionPlan | None:
        """The native code of a handler; None if it has none."""

    @abstractmethod
    def is_reaction_current(self, plan: ReactionPlan) -> bool:
        """Whether a handler still calls the code that its plan was made of."""

    @abstractmethod
    def knows_handler(self, code: CodeType | None) -> bool:
        """Whether it has been found out before whether handlers of some code can be native."""

    @abstractmethod
    def looks_at_lists(self, plan: Plan | ClassPlan) -> bool:
        """Whether laws or a condition that may come to refer to something else read lists that may grow."""

    @abstractmethod
    def selectors_of(self, plan: Plan | ClassPlan) -> frozenset[str]:
        """The names by which laws or a condition come to what may become another."""

    @abstractmethod
    def comparison(self, item: Member | Condition) -> Callable[[], bool] | None:
        """Returns whether something refers to the same as now; None where only a plan made again tells."""

    @abstractmethod
    def forget_constants(self) -> bool:
        """Something that code was made with may have changed: let such code be made again.

        Returns     whether anything has; a number that was set to what it had been has not
        """

    @abstractmethod
    def quantity(self, read: object) -> ConditionPlan | None:
        """The kernel of a function that returns a number, in the form of a condition's; None if it has none."""

    @abstractmethod
    def is_quantity_current(self, read: object, plan: ConditionPlan) -> bool:
        """Whether such a function still refers to what it referred to when the plan was made."""

    @abstractmethod
    def answer(self, condition: Condition) -> list[float] | None:
        """What the kernel of a condition leaves at what is shown of its flow: the columns of `GuardRecord` from
        `value` on; None if there is none.
        """

    @abstractmethod
    def fused(self, flow: Flow) -> tuple[int, int]:
        """The addresses of the functions that replace `attempt` and `complete` in a flow's steps; 0 without."""

    @abstractmethod
    def join(self, flow: Flow) -> int:
        """Join contributions and equations into one call in a flow of many laws, where possible.

        Returns     how many numbers are to be laid for an object at most; 0 if nothing is joined
        """

    @abstractmethod
    def is_law_current(self, owner: Member) -> bool:
        """Whether a component's laws still refer to what they referred to when the plan was made."""

    @abstractmethod
    def is_condition_current(self, condition: Condition, plan: ConditionPlan) -> bool:
        """Whether a condition still refers to what it referred to when the plan was made."""

    @abstractmethod
    def resume(self, condition: Condition, plan: ConditionPlan) -> ConditionPlan | None:
        """The plan of an earlier wait, for a new one that may reuse it; None if it does not fit."""

    def release(self, plan: Plan) -> None:
        """A plan is not used any longer."""
        for free, place in plan.memory:
            free.append(place)

    def groups(self, flow: Flow) -> list[list[Member]]:
        """The owners of a flow, grouped by what they touch in common, in the order in which they joined."""
        owners = flow.owners()
        parent = {owner: owner for owner in owners}

        def root(item: Member) -> Member:
            while parent[item] is not item:
                item = parent[item]
            return item

        plans: list[Plan] = [self.integrator.groups.plan_of(owner) for owner in owners]
        plans += [condition.plan for condition in flow.conditions]
        for plan in plans:
            met = owners if plan.is_opaque else [o for o in plan.touches if o in parent]
            for other in met[1:]:
                parent[root(other)] = root(met[0])
        groups: dict[Member, list[Member]] = {}
        for owner in owners:
            groups.setdefault(root(owner), []).append(owner)
        return list(groups.values())


def never_started(condition: Condition) -> tuple[str, ...]:
    """The names of objects with laws that a condition is known to read, and that have never been started."""
    plan: ConditionPlan | None = getattr(condition, "plan", None)
    touches = () if plan is None else plan.touches
    return tuple(one.name for one in touches if not one._started and law_names(one))


def is_left_out(part: object) -> bool:
    """Whether a component, or that of a variable, has laws or handlers and has never been started."""
    one = getattr(part, "_owner", part)
    if not isinstance(one, Continuous) or one._started:  # a loose variable has no laws
        return False
    return has_laws(type(one))


def has_laws(kind: type[Continuous]) -> bool:
    """Whether components of a class have laws or handlers."""
    return bool(law_names(kind) or handlers_of(kind))


def handlers_of(kind: type[Continuous]) -> dict[str, WhenSpec | EverySpec]:
    """The marks of the handlers of a class, by name."""
    return {**kind._when_specs, **kind._every_specs}
