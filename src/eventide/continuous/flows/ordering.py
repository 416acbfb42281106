"""The order of laws within a pass: a law that reads what another law sets runs after it.

In: for each class, what its laws read and set, by their text or as observed (`observed_laws.py`). Out: the order of a
flow's laws. Priority and start decide, contributions before equations; a law that reads a computed value, rate, sum or
assigned state that another law sets in the same pass waits, and runs just after the last such law. Independent laws
keep their order. Only classes of which one sets what another reads in the same stage of a pass are examined, and of a
member that starts or stops only those that wait for it.

Invariant: no law reads a value of an earlier evaluation, which would be wrong at any step size. Loops of laws,
contributions that need what equations set, and computed values read before the law sets them are refused by name. The
unit is the whole law: a loop of two laws is refused even if their lines could be sorted. Rejected: priority and start
alone (a controller started after its plant: 21,093 steps in place of 608, and 0.8712 for 0.8623), and levels in which
all laws of one come before the next (priority would not decide between a waiting law and an independent one).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from eventide.continuous.checks import UnsoundLaw
from eventide.continuous.components.component import STAGES
from eventide.continuous.components.variable import Variable
from eventide.continuous.flows.flow import CONTRIBUTIONS, EQUATIONS, moving_flow
from eventide.engine.codes import LATER_CONTRIBUTION, LATER_EQUATION
from eventide.native.locking import cached_property

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.flows.observed_laws import ObservedLaw
    from eventide.continuous.integrator import Integrator
    from eventide.declare import Field

LATER: Final = {CONTRIBUTIONS: LATER_CONTRIBUTION, EQUATIONS: LATER_EQUATION}
Sort: TypeAlias = tuple[object, str, str]
"""The class of whose quantity it is, of which kind it is, and its name."""
Rank: TypeAlias = tuple[int, int]
"""A priority, as a whole number that is the smaller the earlier it comes, and a number among all that were started."""


class LawAccess(NamedTuple):
    """A quantity that a law reads or sets.

    slot    of a vector the first
    reads   whether it is read before the law has surely set it; sets: whether it is set
    """

    slot: int
    sort: Sort
    reads: bool
    sets: bool

    @property
    def key(self) -> int:
        """A number for the quantity: a rate is not the state of its slot."""
        return 2 * self.slot + (self.sort[1] == "rate")

    @property
    def waits(self) -> bool:
        """Whether the law comes after others that set it: a law that adds to a rate or a sum is one of these."""
        return waits(self.sort, reads=self.reads, sets=self.sets)


def waits(sort: Sort, *, reads: bool, sets: bool) -> bool:
    """Whether a law that reads or sets a quantity comes after others that set it."""
    return reads and (not sets or sort[1] in ("computed", "state"))


def overwrites(sort: Sort, *, reads: bool, sets: bool) -> bool:
    """Whether a law sets a sum in place of adding to it."""
    return sort[1] == "sum" and sets and not reads


class Dependencies:
    """What the laws of the members of a class plan read and set. Simulations may have it in common.

    waits, sets     stage and sort of what makes laws wait, and of what is set
    adds, replaces  the rates to which contributions add, and those that equations set without having read them
    overwrites      the sums that are set without having been read, which is an error
    """

    def __init__(self, found: Iterable[tuple[int, Sort, bool, bool]] = ()) -> None:
        """`found`: stage and sort of each quantity, and whether it is read and set."""
        known = list(dict.fromkeys(found))
        self.waits = [(stage, sort) for stage, sort, reads, sets in known if waits(sort, reads=reads, sets=sets)]
        self.sets = [(stage, sort) for stage, sort, _, sets in known if sets]
        rates = [one for one in known if one[1][1] == "rate" and one[3]]
        self.adds = [sort for stage, sort, reads, _ in rates if reads and stage == CONTRIBUTIONS]
        self.replaces = [sort for stage, sort, reads, _ in rates if not reads and stage == EQUATIONS]
        self.overwrites = [sort for _, sort, reads, sets in known if overwrites(sort, reads=reads, sets=sets)]

    @cached_property
    def meets_itself(self) -> bool:
        """Whether laws of two such members, or of one, may depend on each other, or are to be refused."""
        return bool(self.overwrites) or self._comes_behind(self)

    def meets(self, other: Dependencies) -> bool:
        """Whether laws of one sort may have to wait for those of another, or come before what they need."""
        return self.meets_itself if other is self else self._comes_behind(other) or other._comes_behind(self)

    def _comes_behind(self, other: Dependencies) -> bool:
        return any(
            wanted == sort and setting >= stage for stage, wanted in self.waits for setting, sort in other.sets
        ) or any(sort in other.replaces for sort in self.adds)


class Node:
    """A law that may wait for others, or others for it."""

    __slots__ = ("accesses", "owner", "stage")

    def __init__(self, owner: Member, stage: int, accesses: tuple[LawAccess, ...]) -> None:
        self.owner = owner
        self.stage = stage
        self.accesses = accesses

    @property
    def name(self) -> str:
        """As in "plant.equations"."""
        return f"{self.owner.name}.{STAGES[self.stage]}"


class Ordering:
    """Which laws wait for which.

    ordered     members whose laws' places may depend on other laws, or decide those of others
    _all_dependencies   those of all classes of this simulation
    _nodes      the laws of each member that are examined
    _setters    the laws that set each quantity, and whether they read it before
    _waiting    the laws that wait for each quantity, and whether they set it afterwards
    _changed    laws whose place may have changed
    _seen       what laws that cannot be read have been observed to read and set
    """

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self.ordered: dict[Dependencies, None] = {}
        self._all_dependencies: dict[Dependencies, None] = {}
        self._nodes: dict[object, tuple[Node, ...]] = {}
        self._setters: dict[int, dict[Node, bool]] = {}
        self._waiting: dict[int, dict[Node, bool]] = {}
        self.changed: dict[Node, None] = {}
        self._seen: dict[tuple[int, Sort, bool, bool], None] = {}

    # --- which laws are concerned ---------------------------------------------------------------------------------

    def consider(self, dependencies: Dependencies) -> None:
        """Laws with new dependencies may come: find whether these and the present ones concern each other."""
        if dependencies in self._all_dependencies:
            return
        self._all_dependencies[dependencies] = None
        met = [other for other in self._all_dependencies if dependencies.meets(other)]
        fresh = [one for one in (dependencies, *met) if met and one not in self.ordered]
        self.ordered.update(dict.fromkeys(fresh))
        for owner in list(self._integrator.groups.members()) if fresh else ():
            if owner._class_plan.dependencies in fresh and owner not in self._nodes:
                self.note(owner)

    def note(self, owner: Member) -> None:
        """A member has come whose laws may wait for others, or others for them."""
        if not owner._is_active:
            return
        nodes = self._nodes[owner] = tuple(
            Node(owner, stage, accesses) for stage, accesses in self._integrator.analyst.accesses(owner)
        )
        for node in nodes:
            self._enter(node, node.accesses)

    def _enter(self, node: Node, accesses: tuple[LawAccess, ...]) -> None:
        """A law deals with these quantities."""
        self.changed[node] = None
        for access in accesses:
            if access.sets:
                self._setters.setdefault(access.key, {})[node] = access.reads
                self._note_setter(node, access)
            if access.waits:
                self._waiting.setdefault(access.key, {})[node] = access.sets

    def _note_setter(self, node: Node, access: LawAccess) -> None:
        """A law that sets a quantity has come or gone: the place of laws that wait for it may change."""
        self.changed.update(dict.fromkeys(self._waiting.get(access.key, ())))
        if access.sort[1] == "rate" and not access.reads and node.stage == EQUATIONS:
            self.changed.update(dict.fromkeys(self._setters.get(access.key, ())))

    def forget(self, owner: Member) -> None:
        """It has gone; its laws wait no longer."""
        later = self._integrator.storage.slab.later
        for node in self._nodes.pop(owner, ()):
            later[owner._slab.number, LATER[node.stage]] = 0
            self.changed.pop(node, None)
            for access in node.accesses:
                for book in (self._setters, self._waiting):
                    known = book.get(access.key, {})
                    known.pop(node, None)
                    if not known:
                        book.pop(access.key, None)
            for access in node.accesses:
                if access.sets:
                    self._note_setter(node, access)

    def relevant(self, observed: ObservedLaw) -> ObservedLaw:
        """The same without rates that are set but that no law waits for, as nearly all: these decide no order."""
        awaited = {sort: None for dependencies in self._all_dependencies for _, sort in dependencies.waits}
        return observed._replace(
            accesses=tuple(
                access
                for access in observed.accesses
                if access.sort[1] != "rate" or access.waits or access.sort in awaited
            )
        )

    def is_new(self, observed: ObservedLaw) -> bool:
        """Whether an unreadable law is seen to read or set something new."""
        known = {access: None for node in self._nodes_of(observed) for access in node.accesses}
        return any(access not in known for access in observed.accesses)

    def _nodes_of(self, observed: ObservedLaw) -> list[Node]:
        return [node for node in self._nodes.get(observed.owner, ()) if node.stage == observed.stage]

    def see(self, observed: ObservedLaw) -> None:
        """Order an unreadable law by all that it has been seen to read and set."""
        for access in observed.accesses:
            found = observed.stage, access.sort, access.reads, access.sets
            if found not in self._seen:
                self._seen[found] = None
                self.consider(Dependencies((found,)))
        if observed.owner not in self._nodes:
            self.note(observed.owner)  # of what can be read of it
        nodes = self._nodes_of(observed)
        if not nodes:
            nodes = [Node(observed.owner, observed.stage, ())]
            self._nodes[observed.owner] = (*self._nodes.get(observed.owner, ()), *nodes)
        (node,) = nodes
        fresh = tuple(access for access in observed.accesses if access not in node.accesses)
        node.accesses += fresh
        self._enter(node, fresh)

    def forget_observed(self, owner: Member) -> None:
        """It may refer to something else: what its laws read and set has to be observed again."""
        if owner in self._nodes:
            self.forget(owner)
            self.note(owner)
            self._arrange(moving_flow(owner))

    # --- the order ------------------------------------------------------------------------------------------------

    def arrange(self) -> None:
        """Bring laws into their order. Raises UnsoundLaw, naming them, if there is none."""
        if not self.changed:
            return
        concerned = self._concerned()
        for node in concerned:
            self._check(node)
        left: dict[Node, None] = dict.fromkeys(concerned)
        flows: dict[Flow, None] = {}
        waits = {node: sum(other in left for other in self.before(node)) for node in left}
        ready = [node for node, count in waits.items() if not count]
        while ready:
            node = ready.pop()
            del left[node]
            if self._place(node):
                flows[moving_flow(node.owner)] = None
            for other in self._after(node):
                if other in left:
                    waits[other] -= 1
                    if not waits[other]:
                        ready.append(other)
        if left:
            raise self._loop(left)
        self.changed.clear()
        for flow in flows:
            self._arrange(flow)

    def _arrange(self, flow: Flow) -> None:
        integrator = self._integrator
        integrator.engine.arrange(integrator.memory.arrays, flow.number)
        flow.looked_up = None
        integrator.groups.changed[flow] = None

    def _concerned(self) -> list[Node]:
        """The laws whose place may have changed: those that were noted, and all that wait for them."""
        found = dict(self.changed)
        waiting = list(found)
        while waiting:
            for node in self._after(waiting.pop()):
                if node not in found:
                    found[node] = None
                    waiting.append(node)
        return sorted(found, key=lambda node: (node.stage, self._rank(node)))

    def before(self, node: Node) -> dict[Node, LawAccess]:
        """The laws for which one waits, each with the first such quantity."""
        found: dict[Node, LawAccess] = {}
        for access in node.accesses:
            if access.waits:
                for other, reads in self._setters.get(access.key, {}).items():
                    if other is not node and other.stage == node.stage and not (access.sets and reads):
                        found.setdefault(other, access)
        return found

    def _after(self, node: Node) -> dict[Node, None]:
        """Which laws wait for one."""
        found: dict[Node, None] = {}
        for access in node.accesses:
            if access.sets:
                for other, sets in self._waiting.get(access.key, {}).items():
                    if other is not node and other.stage == node.stage and not (sets and access.reads):
                        found[other] = None
        return found

    def _rank(self, node: Node) -> Rank:
        known, slab = self._integrator.storage.slab, node.owner._slab.number
        return known.prior[slab], known.started[slab]

    def standing(self, node: Node) -> tuple[Rank, int]:
        """The law after which a law comes, and how far; its own place and 0 if it waits for no later law."""
        known, slab, later = self._integrator.storage.slab.later, node.owner._slab.number, LATER[node.stage]
        level = known[slab, later]
        return ((known[slab, later + 1], known[slab, later + 2]) if level else self._rank(node)), level

    def place(self, owner: Member, stage: int) -> tuple[object, ...]:
        """The key of a law's place among all of its stage."""
        node = Node(owner, stage, ())
        return *self.standing(node), self._rank(node)

    def waits(self, owner: Member, stage: int) -> tuple[tuple[str, str], ...]:
        """The laws that one waits for and that come later by priority and start, each with what they set."""
        found = (node for node in self._nodes.get(owner, ()) if node.stage == stage)
        return tuple(
            (self._title(access), other.name)
            for node in found
            for other, access in self.before(node).items()
            if self.standing(other)[0] > self._rank(node)
        )

    def _place(self, node: Node) -> bool:
        """Place a law after all that it waits for, whose places are known; returns whether it moves."""
        own = self._rank(node)
        places = [self.standing(other) for other in self.before(node)]
        last = max((rank for rank, _ in places), default=own)
        level = 1 + max(behind for rank, behind in places if rank == last) if last > own else 0
        if self.standing(node) == (max(last, own), level):
            return False
        known, slab, later = self._integrator.storage.slab.later, node.owner._slab.number, LATER[node.stage]
        known[slab, later], (known[slab, later + 1], known[slab, later + 2]) = level, last
        return True

    # --- what has no order ----------------------------------------------------------------------------------------

    def _check(self, node: Node) -> None:
        """Raise UnsoundLaw if a law reads what is set after it in any order."""
        for access in node.accesses:
            _, row, name = access.sort
            if overwrites(access.sort, reads=access.reads, sets=access.sets):
                raise UnsoundLaw(
                    f"{node.name} sets {self._title(access)}, and what others have added to this sum would be lost: "
                    f"write `+=` to add to it; it is 0 where each evaluation begins"
                )
            setters = self._setters.get(access.key, {})
            late = self._late(node, access, setters) if node.stage == CONTRIBUTIONS and access.reads else None
            if late is not None:
                what = self._title(access)
                raise UnsoundLaw(
                    f"{node.name} needs {what}, which {late.name} sets later, as all contributions come before all "
                    f"equations: let `contributions` set {what}, or move what needs it to `equations`"
                )
            is_own = row == "computed" and access.reads and list(setters) == [node]
            if is_own and self._field(access).role == "computed":
                raise UnsoundLaw(
                    f"{node.name} reads {self._title(access)} on some path before it sets it, and finds there what an "
                    f"earlier evaluation has left, at another time: set {name} first, on every path"
                )

    def _late(self, node: Node, access: LawAccess, setters: dict[Node, bool]) -> Node | None:
        """Whose equations set what contributions need."""
        row = access.sort[1]
        if not access.waits:
            return next(
                (o for o, reads in setters.items() if o.stage == EQUATIONS and row == "rate" and not reads), None
            )
        if row in ("computed", "state") and any(o.stage == CONTRIBUTIONS and o is not node for o in setters):
            return None
        return next((other for other in setters if other.stage == EQUATIONS), None)

    def _field(self, access: LawAccess) -> Field:
        owner = self._integrator.storage.owner_of(access.slot)
        assert not isinstance(owner, Variable)
        return owner._layout.fields[access.sort[2]]

    def _title(self, access: LawAccess) -> str:
        owner, (_, row, name) = self._integrator.storage.owner_of(access.slot), access.sort
        view = "rate." if row == "rate" else ""
        return f"{owner.name}.{view}{name}" if view or hasattr(owner, "_layout") else str(owner.name)

    def _loop(self, left: dict[Node, None]) -> UnsoundLaw:
        """The error of laws that wait for each other; all in `left` wait for some there."""
        path = [next(iter(left))]
        while True:
            following = next(other for other in self.before(path[-1]) if other in left)
            if following in path:
                path = path[path.index(following) :]
                break
            path.append(following)
        first = min(range(len(path)), key=lambda k: (path[k].stage, self._rank(path[k])))
        path = [*path[first:], *path[: first + 1]]
        links = [
            f"{node.name} reads {self._title(self.before(node)[other])}, which {other.name} sets"
            for node, other in pairwise(path)
        ]
        return UnsoundLaw(
            f"laws wait for each other, an algebraic loop: {'; '.join(links)}. No order of them is right, and "
            "a loop is not solved. If what one of them sets does not depend on what it reads, set that "
            "in its `contributions`, which come before all equations, or in another object"
        )
