"""What lowering gives: the text of a kernel, and all that its caller has to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeAlias

from eventide.compiled.paths import ITEMS, Binding, Entry, Step, base_of, same_number, walk
from eventide.compiled.values import Path

Row: TypeAlias = Literal["state", "rate", "computed", "sum", "parameter", "last"]


class Access(NamedTuple):
    """A quantity that a kernel reads or writes: whose, of which kind, its name."""

    path: Path
    row: Row
    name: str

    def __str__(self) -> str:
        view = f"{self.row}." if self.row in ("rate", "last") else ""
        return f"{'.'.join(self.path)}.{view}{self.name}"


@dataclass(frozen=True)
class Constant:
    """Something that was taken as it stood: a number of a module or class, or a function that was followed.

    where       the module or class
    namespace   the names of `where`, to look again
    """

    where: str
    name: str
    value: Any
    namespace: Any = field(repr=False, compare=False)

    @property
    def is_current(self) -> bool:
        """Whether it still stands like that."""
        now = self.namespace.get(self.name)
        return now is self.value or same_number(now, self.value)


@dataclass(frozen=True, eq=False)
class Lowered:
    """A law or condition as the text of a kernel.

    name        of the function, for people
    source      LLVM assembly of one function `@kernel`
    paths       the objects whose first columns the kernel is told, in the order of its index row
    lists       the lists whose items' first columns it is told, after them
    reads       quantities, but for those that it has surely written itself before
    writes      quantities
    constants   what was taken as it stood
    symbols     the functions of the mathematical library that it calls
    reads_time  whether it reads the clock; reads_step: dt or last_time
    """

    kind: Literal["law", "condition"]
    name: str
    source: str
    paths: tuple[Path, ...]
    lists: tuple[Path, ...]
    reads: tuple[Access, ...]
    writes: tuple[Access, ...]
    constants: tuple[Constant, ...]
    symbols: tuple[str, ...]
    reads_time: bool
    reads_step: bool
    steps: tuple[Step, ...]
    _places: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]

    @property
    def width(self) -> int:
        """The length of an index row."""
        return len(self.paths) + len(self.lists)

    @property
    def needs_rates(self) -> bool:
        """Whether the laws must have been evaluated before: it reads rates, computed values or sums."""
        return any(access.row in ("rate", "computed", "sum") for access in self.reads)

    @property
    def references(self) -> tuple[tuple[Path, str], ...]:
        """The attributes that lead to other objects, as (path of the holder, name); "*" are the items of a list."""
        return tuple((step.path[:-1], step.hop) for step in self.steps if step.parent >= 0)

    def bind(self, entry: Entry) -> Binding | None:
        """What the kernel works on for these arguments; None if it does not fit them."""
        found = walk(self.steps, entry)
        if found is None:
            return None
        plain, lists, consts = self._places
        objects = tuple([found[i] for i in plain])
        return Binding(
            objects,
            tuple([base_of(item) for item in objects]),
            tuple([tuple([base_of(item) for item in found[i]]) for i in lists]),
            tuple([float(found[i]) for i in consts]),
        )

    def roots(self, function: Any, *arguments: Any) -> list[Any]:
        """The objects that a function refers to by a name of its own, in the order of first use."""
        entry = Entry.of(function, arguments)
        found = walk(self.steps, entry) or []
        return [item for step, item in zip(self.steps, found, strict=False) if step.parent < 0]

    def consts(self, function: Any, *arguments: Any) -> tuple[float, ...]:
        """The numbers that another function of the same code closes over, in the order of the kernel's `consts`."""
        entry = Entry.of(function, arguments)
        found = walk(self.steps, entry)
        return () if found is None else tuple([float(found[i]) for i in self._places[2]])

    def list_row(self, item: Any, path: Path) -> list[int]:
        """The first columns of the items of one list of an object; the path begins behind the object."""
        for hop in path:
            item = list(item) if hop == ITEMS else getattr(item, hop)
        return [base_of(one) for one in item]


@dataclass(frozen=True)
class Kernel:
    """A lowered function as machine code.

    address     of the native function; valid while this object lives
    keeper      what keeps the code in memory
    """

    address: int
    lowered: Lowered
    keeper: Any = field(repr=False)

    @property
    def width(self) -> int:
        """The length of an index row."""
        return self.lowered.width
