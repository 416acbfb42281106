"""What lowering gives: the text of a kernel, and all that its caller has to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from eventide.continuous import Variable
from eventide.inputs import Input
from eventide.lowering.kernels.dependencies import Effects, KernelUses, effects_of, uses_of
from eventide.lowering.names.paths import ITEMS, Step
from eventide.native.locking import cached_property
from eventide.native.store import Store
from eventide.reading.constants import ABSENT, Constant

if TYPE_CHECKING:
    from eventide.lowering.names.binder import Bind, Compare
    from eventide.lowering.translation.values import Path
    from eventide.native.ir import Function

LoweredKind: TypeAlias = Literal["law", "condition", "quantity", "handler"]
"""What a function is for: a quantity returns a number; a handler changes objects."""

Row: TypeAlias = Literal["state", "rate", "computed", "sum", "parameter", "last"]


class Anchor(NamedTuple):
    """A block of slots of the object at a path: that of its states, or that of what stands aside."""

    path: Path
    is_aside: bool = False


class Access(NamedTuple):
    """A quantity that a kernel reads or writes: whose, of which kind, its name."""

    path: Path
    row: Row
    name: str

    def __str__(self) -> str:
        view = f"{self.row}." if self.row in ("rate", "last") else ""
        return f"{'.'.join(self.path)}.{view}{self.name}"


@dataclass(frozen=True, eq=False)
class Lowered:
    """A law, condition, quantity or handler as the text of a kernel.

    name        of the function, for people
    function    its kernel
    blocks      the blocks whose first columns the kernel is passed, in the order of its index row
    lists       the lists of whose items it is passed first columns, after them
    tables      the numbers and lists of numbers that it is passed as they stand, after those: as rows like lists have
                them, with the bits of the numbers in place of columns
    reads       quantities, but for those that it has surely written itself before
    writes      quantities
    ranges      of the rates of vectors that it writes, which items: runs (first, one beyond the last)
    assignments the states that it assigns, with file, line and text of where it does so first
    constants   what was taken as it stood
    symbols     the functions of the mathematical library, and the loops of numpy, that it calls
    reads_time  whether it reads the clock; reads_step: dt or last_time
    certificate of a condition, see `certificate.py`
    comparisons of how many comparisons a condition consists; 0 if that is not known
    equalities  its comparisons by == or != of what moves: file, line, text, and its states by their objects' places in
                the index row and their slots behind the first there
    raises      whether there are numbers for which Python would raise
    objects     of a handler: the objects themselves whose addresses the kernel is passed, after the tables
    literals    texts and the like in its code, whose addresses it is passed after those
    changes     what it may write, in the order of what it tells of that
    appends     whether it puts something into lists
    asks        where it leaves the event to Python: file, line, text and why
    closed_over the paths of the numbers that a condition closes over, in their order
    bind        what it works on, from a function of the same code and its arguments; None if it does not fit them
    compare     what compares whatever it works on with what it is now; None where that takes more than identity
    is_of_blocks    whether it works on nothing but blocks of single objects
    """

    kind: LoweredKind
    name: str
    function: Function
    blocks: tuple[Anchor, ...]
    lists: tuple[Anchor, ...]
    tables: tuple[Path, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    ranges: tuple[tuple[Access, tuple[tuple[int, int], ...]], ...]
    assignments: tuple[tuple[Access, tuple[str, int, str]], ...]
    constants: tuple[Constant, ...]
    symbols: tuple[str, ...]
    reads_time: bool
    reads_step: bool
    steps: tuple[Step, ...]
    certificate: tuple[int, ...]
    comparisons: int
    equalities: tuple[tuple[str, int, str, tuple[tuple[int, int], ...]], ...]
    raises: bool
    objects: tuple[Path, ...]
    literals: tuple[object, ...]
    changes: tuple[Access, ...]
    appends: bool
    asks: tuple[tuple[str, int, str, str], ...]
    is_of_blocks: bool
    closed_over: tuple[Path, ...]
    bind: Bind = field(repr=False)
    compare: Compare | None = field(repr=False)

    @property
    def source(self) -> str:
        """LLVM assembly of one function `@kernel`."""
        return self.function.module

    @cached_property
    def uses(self) -> KernelUses:
        """What it reads and writes, for the plans of what it is bound to."""
        return uses_of(self)

    @property
    def is_current(self) -> bool:
        """Whether its constants still stand as they were taken."""
        return all(constant.is_current for constant in self.constants)

    @property
    def facts(self) -> tuple[Constant, ...]:
        """Its constants, and what stands now by the names of modules by which it finds objects.

        But for what is looked at anyway.
        """
        spaces: list[tuple[Any, str]] = [
            (s.namespace, s.selector.partition(":")[2])
            for s in self.steps
            if s.namespace is not None and not s.can_change
        ]
        named = [Constant(str(space.get("__name__")), name, space.get(name, ABSENT), space) for space, name in spaces]
        return *self.constants, *named

    @cached_property
    def effects(self) -> Effects:
        """What it concerns, if it is a handler's, for the plans of what it is bound to."""
        return effects_of(self)

    @property
    def width(self) -> int:
        """The length of an index row."""
        return len(self.blocks) + len(self.lists) + len(self.tables) + len(self.objects) + len(self.literals)

    @cached_property
    def needs_rates(self) -> bool:
        """Whether the laws must have been evaluated before: it reads rates, computed values or sums."""
        return any(access.row in ("rate", "computed", "sum") for access in self.reads)

    @cached_property
    def is_steady(self) -> bool:
        """Whether it reads nothing but states, and numbers that stand still, calls no input, and never raises."""
        looks_elsewhere = self.reads_time or self.reads_step or self.raises or self.needs_rates or self.calls_inputs
        return not looks_elsewhere and all(access.row != "last" for access in self.reads)

    @property
    def calls_inputs(self) -> bool:
        """Whether there are inputs on the way to what it reads."""
        met = (step.expected for step in self.steps if step.check in ("class", "items"))
        return any(isinstance(expected, type) and issubclass(expected, Input) for expected in met)

    @property
    def is_exposed(self) -> bool:
        """Whether Python, in its place, may see what events change besides states and numbers of components."""
        return self.can_change or any(one.value is not ABSENT for one in self.facts)

    @cached_property
    def can_change(self) -> bool:
        """Whether what it works on may become another while the run goes on, so that it is to be bound again."""
        return any(step.can_change for step in self.steps)

    @cached_property
    def judges_modes(self) -> bool:
        """Whether it fits one answer to a comparison of a mode: where native code sets it, another is to be bound."""
        judged = [(step.selector, self.steps[step.parent].expected) for step in self.steps if step.check == "token"]
        return any(name in getattr(getattr(cls, "_layout", None), "modes", ()) for name, cls in judged)

    @cached_property
    def selectors(self) -> frozenset[str]:
        """The names of the attributes, or the like, by which it comes to what may become another."""
        return frozenset(step.selector for step in self.steps if step.can_change)

    @property
    def assigns_loose(self) -> bool:
        """Whether it assigns variables that are of no component."""
        kinds = {step.path: step.expected for step in self.steps}
        found = (kinds.get(access.path) for access, _ in self.assignments)
        return any(isinstance(kind, type) and issubclass(kind, Variable) for kind in found)

    @property
    def references(self) -> tuple[tuple[Path, str], ...]:
        """What leads to an object or number that may become another: (path of the holder, name).

        The holder's path is empty for what the function itself closes over and other code may rebind.
        """
        return tuple(
            (step.path[:-1], step.selector) for step in self.steps if step.can_change and step.selector != ITEMS
        )


@dataclass(frozen=True, eq=False)
class Kernel:
    """A lowered function as machine code.

    address     of the native function; valid while this object lives
    keeper      what keeps the code in memory
    """

    address: int
    lowered: Lowered
    keeper: object = field(repr=False)

    @property
    def width(self) -> int:
        """The length of an index row."""
        return self.lowered.width

    @property
    def is_current(self) -> bool:
        """Whether its constants still stand as they were taken."""
        return self.lowered.is_current


def compile_kernel(lowered: Lowered, store: Store | None = None) -> Kernel:
    """The machine code of a lowered function, by default from the store of this system.

    Raises LookupError, naming a function that it calls and the system's mathematical library lacks, and RuntimeError
    if LLVM does not take its text.
    """
    store = store or Store.default()
    return Kernel(store.load(lowered.source, lowered.symbols, effort=lowered.function.effort), lowered, store)
