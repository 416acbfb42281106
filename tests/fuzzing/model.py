"""What a random program is made of: classes, objects, laws, handlers and processes, as plain data.

Nothing here knows eventide. `source.py` prints a program in the language that users write; `reference.py` simulates it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from fuzzing.expressions import (  # noqa: F401  # all of the language has names of this module
    SEEN,
    Apply,
    Bin,
    Both,
    Call,
    Choice,
    Cmp,
    Crosses,
    Expr,
    Gather,
    Global,
    Local,
    Num,
    Opaque,
    Path,
    Rate,
    Read,
    Stock,
    Test,
    Time,
    Total,
    Whole,
)

PORTION = 0.6
"""What is taken out of a tank by who waits for other things as well."""
GRID = "0.0703"
"""Seconds between two rows of a recording."""

# --- statements -------------------------------------------------------------------------------------------------------


@dataclass
class Log:
    label: str
    values: list[Expr]


@dataclass
class Assign:
    path: Path
    op: str
    value: Expr


@dataclass
class WriteItem:
    """Add to an item of a vector."""

    path: Path
    item: int
    value: Expr


@dataclass
class Let:
    """Give a local name of a process a value."""

    name: str
    value: Expr


@dataclass
class SetGlobal:
    """Give a number of the module another value."""

    name: str
    value: Expr


@dataclass
class Refer:
    """Let a field refer to another object, or hold another function."""

    path: Path
    source: Path


@dataclass
class Swap:
    """Exchange what two fields refer to."""

    first: Path
    second: Path


@dataclass
class Member:
    """Add an object to a list, or remove it if it is there."""

    path: Path
    member: Path


@dataclass
class Toggle:
    """Stop an object that is active, start one that is not."""

    path: Path


@dataclass
class Freeze:
    """Let a state of an object stand still, or move again."""

    path: Path


@dataclass
class Create:
    """Make and start an object, while there are few."""

    kind: int
    numbers: dict[str, Expr]
    references: dict[str, Path]
    most: int


@dataclass
class If:
    test: Test
    then: list[Statement]
    other: list[Statement]


FOREVER = 10**6


@dataclass
class Loop:
    """So many times, or FOREVER."""

    times: int
    body: list[Statement]


@dataclass
class Guarded:
    """Waits that an interrupt may end. tells: whether its cause is logged."""

    body: list[Statement]
    label: str
    tells: bool = False


@dataclass
class Hold:
    duration: Expr


@dataclass
class Until:
    test: Test
    priority: float


@dataclass
class FirstOf:
    """Wait for a condition, at most so long, or for something that processes share; log which came."""

    test: Test
    patience: float
    label: str
    more: str = ""


@dataclass
class AllOf:
    test: Test
    duration: float
    label: str


@dataclass
class Use:
    """Request a unit, with or without patience, and do something while it is held."""

    resource: str
    priority: float
    patience: float | None
    label: str
    body: list[Statement]


@dataclass
class Work:
    """Hold a unit of a preemptive resource so long; if it is taken away, go on later with what is left, or give up."""

    resource: str
    priority: float
    duration: float
    preempts: bool
    resumes: bool
    label: str


@dataclass
class Put:
    store: str
    value: Expr


@dataclass
class Get:
    store: str
    label: str


@dataclass
class Pour:
    tank: str
    amount: float


@dataclass
class Draw:
    tank: str
    amount: float


@dataclass
class Send:
    signal: str
    value: Expr


@dataclass
class Await:
    signal: str
    label: str


@dataclass
class Interrupt:
    """With a number as its cause, or without."""

    process: int
    cause: float | None = None


@dataclass
class End:
    """Let a process end where it stands."""

    process: int


@dataclass
class Halt:
    """End the run; the main program begins another."""


@dataclass
class Tolerate:
    """Give a state another relative tolerance; it is small all the same."""

    path: Path
    relative: float


@dataclass
class Rank:
    """Give an object another rank among those with laws."""

    path: Path
    priority: float


@dataclass
class Staff:
    """Change the number of units. excess: what becomes of those in use beyond it, "finish", "preempt" or "suspend"."""

    resource: str
    units: int
    excess: str = "finish"


@dataclass
class MoveRequest:
    """Let whoever is first in one line stand in another."""

    source: str
    target: str


@dataclass
class Passivate:
    pass


@dataclass
class Activate:
    process: int


@dataclass
class Met:
    """Wait for a condition; log whether it has come or somebody else has ended the wait."""

    test: Test
    label: str


@dataclass
class Rouse:
    """Move the event of a process that holds, waits for a condition or is passive: a command of it by its name."""

    process: int
    word: str
    delay: float | None


@dataclass
class WaitEnd:
    process: int


@dataclass
class Tick:
    period: float


@dataclass
class Spawn:
    """Make a process of another story, while there are few."""

    process: int
    most: int


Statement = (
    Log | Assign | WriteItem | Let | SetGlobal | Refer | Swap | Member | Toggle | Freeze | Create | If | Loop | Guarded
    | Hold | Until | FirstOf | AllOf | Use | Work | Put | Get | Pour | Draw | Send | Await | Interrupt | Passivate
    | Activate | Met | Rouse | WaitEnd | Tick | Spawn | End | Halt | Tolerate | Rank | Staff | MoveRequest
)  # fmt: skip

# --- classes, objects, processes --------------------------------------------------------------------------------------


@dataclass
class Law:
    """One line of equations or contributions: the rate or value at `path` is `value`, or gets it added.

    style   how it is printed: "plain", "local" (by a local name), "branches" (a choice as `if` and `else`),
            "method" (in a method that is called)
    """

    path: Path
    value: Expr
    op: str = "="
    style: str = "plain"


VECTOR_STYLES = ("items", "loop", "slices")


@dataclass
class Vector:
    """A vector `u` of as many states as it has starts: what flows in at its first item goes from each to the next.

    style   how its law is printed
    """

    starts: list[float]
    speed: float
    inflow: Expr
    style: str = "items"

    def rate(self, item: int) -> Expr:
        """The rate of an item."""
        before = Read(("self", f"u[{item - 1}]")) if item else self.inflow
        return Bin("*", Num(self.speed), Bin("-", before, Read(("self", f"u[{item}]"))))


@dataclass
class Surface:
    """Two handlers that set `side`, which drives x back to a level from both sides: along it, x slides.

    side is -1 above and 1 below; the law of x has `gain * side` in it.
    """

    level: float
    gain: float

    def side(self, x: float) -> float:
        """What side is where x stands."""
        return -1.0 if x > self.level else 1.0


@dataclass
class Handler:
    name: str
    test: Test
    body: list[Statement]
    priority: float = 0.0
    at_start: bool = False
    returns_early: bool = False


@dataclass
class Every:
    name: str
    period: float
    offset: float
    body: list[Statement]


@dataclass
class Class:
    """A class of objects; references name the index of the class that they refer to."""

    index: int
    kind: str
    states: dict[str, float]
    numbers: dict[str, float]
    computed: list[str] = field(default_factory=list)
    sums: list[str] = field(default_factory=list)
    references: dict[str, int] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    contributions: list[Law] = field(default_factory=list)
    values: list[Law] = field(default_factory=list)
    rates: list[Law] = field(default_factory=list)
    handlers: list[Handler] = field(default_factory=list)
    every: list[Every] = field(default_factory=list)
    late: bool = False
    """Whether its equations set rates first, and computed values after them."""
    wholes: dict[str, int] = field(default_factory=dict)
    vector: Vector | None = None
    surface: Surface | None = None
    clamps: list[Law] = field(default_factory=list)
    """Lines that assign states, which is refused."""
    assigned: dict[str, float] = field(default_factory=dict)
    """States of difference equations."""
    drifts: list[Law] = field(default_factory=list)
    """Their rates, which are constant between events: so the values do not depend on the steps."""

    def is_unsound(self) -> bool:
        """Whether its laws have to be refused: they set a state, or read a computed value before they set it."""
        early = {path[1] for path in paths_of([*self.rates, self.vector]) if path[0] == "self" and len(path) == 2}
        return bool(self.clamps or (self.late and early & set(self.computed)))

    def moving(self) -> dict[str, float]:
        """All states with where they begin, items of the vector included."""
        return (
            self.states
            | self.assigned
            | {f"u[{k}]": start for k, start in enumerate(self.vector.starts if self.vector else ())}
        )


@dataclass
class Object:
    name: str
    kind: int
    numbers: dict[str, float]
    references: dict[str, str]
    lists: dict[str, list[str]]
    starts: bool = True


@dataclass
class Process:
    """A story. style: "generator", "nested" or "class"; waits: whether another makes a process of it."""

    index: int
    body: list[Statement]
    style: str = "generator"
    waits: bool = False


@dataclass
class Pause:
    """What the main program does between two runs."""

    time: float
    body: list[Statement]


@dataclass
class Shifts:
    """The hours of each period at which a resource is open, each with its units, and what is done at their ends."""

    hours: list[tuple[float, float, int]]
    period: float
    excess: str = "finish"


@dataclass
class Function:
    """A function of a module; of an input, `text` is what makes it."""

    name: str
    value: Expr
    text: str = ""


@dataclass
class Program:
    seed: int
    end: float
    functions: list[Function] = field(default_factory=list)
    classes: list[Class] = field(default_factory=list)
    objects: list[Object] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    resources: dict[str, int] = field(default_factory=dict)
    shifts: dict[str, Shifts] = field(default_factory=dict)
    """By the names of resources."""
    stores: list[str] = field(default_factory=list)
    tanks: dict[str, float] = field(default_factory=dict)
    signals: list[str] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)
    """Of the module."""
    pauses: list[Pause] = field(default_factory=list)
    features: list[str] = field(default_factory=list)


def assigns(program: Program) -> bool:
    """Whether there are states that laws assign, beside which conditions are not proved over whole steps."""
    return any(kind.assigned for kind in program.classes)


def may_change_fast(program: Program, parts: list[Any]) -> bool:
    """Whether a condition of such parts takes whole numbers of what is tested at samples, as where laws read sums.

    It may change many times between two samples.
    """
    kinds = program.classes
    of_laws = {name for kind in kinds for name in (*kind.computed, *kind.sums)} if any(k.sums for k in kinds) else set()
    has_whole = any(isinstance(part, Whole) for part in parts)
    return has_whole and any(
        (isinstance(part, Rate) and any(k.sums for k in kinds)) or (isinstance(part, Read) and part.path[-1] in of_laws)
        for part in parts
    )


def is_whole(program: Program) -> bool:
    """Whether there are objects, and whatever is read or written is declared."""
    own = {kind.index: declared(kind) for kind in program.classes}
    if list(own) != list(range(len(own))) or any(o.kind not in own for o in program.objects):
        return False  # an object without a class, or classes that have moved up in the list
    anywhere = {"active", "x"}.union(*own.values())
    if not {part.name for part in parts_of(program) if isinstance(part, Global | SetGlobal)} <= set(program.numbers):
        return False
    for process in program.processes:
        parts = parts_of(process)
        given = {part.name for part in parts if isinstance(part, Let)}
        if not {part.name for part in parts if isinstance(part, Local)} <= given:
            return False
    for kind in program.classes:
        if not {law.path[-1] for law in kind.values} <= set(kind.computed):
            return False
        if {law.path[-1] for law in kind.drifts} != set(kind.assigned):
            return False
        if any(path[0] == "self" and path[1] not in own[kind.index] for path in paths_of(kind)):
            return False
    for o in program.objects:
        surface = program.classes[o.kind].surface
        if surface is not None and o.numbers.get("side") != surface.side(o.numbers.get("x", 0.0)):
            return False
    return bool(program.objects) and all(set(path[1:]) <= anywhere for path in paths_of(program))


def declared(kind: Class) -> set[str]:
    """The fields of a class."""
    fields_of = (
        kind.moving(), kind.numbers, kind.computed, kind.sums, kind.references, kind.lists, kind.functions, kind.wholes,
        ["u"] if kind.vector else [], ["side"] if kind.surface else [],
    )  # fmt: skip
    return {"tag"}.union(*fields_of)


def paths_of(thing: Any) -> list[Path]:
    """All paths with a dot within a thing."""
    found = [getattr(part, f.name) for part in parts_of(thing) for f in fields(part)]
    found += [path for part in parts_of(thing) if isinstance(part, Create) for path in part.references.values()]
    return [path for path in found if isinstance(path, tuple) and len(path) > 1]


def parts_of(thing: Any) -> list[Any]:
    """Every dataclass within a thing, itself included, in the order in which it stands there."""
    found: list[Any] = []
    waiting = [thing]
    while waiting:
        one = waiting.pop()
        if is_dataclass(one):
            found.append(one)
            waiting += [getattr(one, f.name) for f in reversed(fields(one))]
        elif isinstance(one, dict):
            waiting += reversed(list(one.values()))
        elif isinstance(one, list):
            waiting += reversed(one)
    return found
