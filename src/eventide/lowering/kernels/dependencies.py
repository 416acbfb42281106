"""What a kernel reads and writes, as places in its binding and columns of the objects there: found out once.

So that the plan of the thousandth object of a class is made without looking names up: one small function, written out
for its kernels, adds columns to the first slots of their blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from eventide.engine.codes import IS_SET, MOVES, STANDS
from eventide.inputs import Input
from eventide.lowering.names.paths import ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from eventide.continuous.layout import Layout
    from eventide.lowering.kernels.lowered import Access, Lowered, Row
    from eventide.lowering.names.binder import Binding
    from eventide.lowering.names.paths import Step
    from eventide.lowering.plans.registry import Bound


class Use(NamedTuple):
    """A quantity.

    is_many     whether it is one of all items of a list
    place       of its block among those of a binding, or of the list among its lists
    column      of the quantity, counted from the block's first; of a vector the first, which stands for all
    moves       whether it is more than a parameter
    """

    is_many: bool
    place: int
    column: int
    moves: bool


class Rate(NamedTuple):
    """A run of rates that are written: where as in `Use`, the columns, and whether they have been read before."""

    is_many: bool
    place: int
    columns: range
    is_read: bool


class Exchange(NamedTuple):
    """A quantity that a law reads although others may set it in the same pass, or sets.

    is_many, place, column  as in `Use`
    sort        the class of whose quantity it is, of which kind it is, and its name
    reads       whether it is read before the law has surely set it itself; sets: whether it is set
    """

    is_many: bool
    place: int
    column: int
    sort: tuple[Any, str, str]
    reads: bool
    sets: bool

    @property
    def gives(self) -> bool:
        """Whether it is set for others to read: also the rate of a state that is not integrated can be read."""
        return self.sets


class Effects(NamedTuple):
    """What a handler concerns.

    blocks  the places in its binding of the blocks of which it reads or writes what may move
    writes  for each quantity that it may write: the place of its block, its column there, and which kind it is
    """

    blocks: tuple[int, ...]
    writes: tuple[tuple[int, int, int], ...]


_KINDS: Final[dict[Row, int]] = {"parameter": STANDS, "computed": IS_SET, "sum": IS_SET, "state": MOVES}


def effects_of(lowered: Lowered) -> Effects:
    """What a handler concerns."""
    found = {access: _find(lowered, access) for access in (*lowered.reads, *lowered.changes)}
    blocks = dict.fromkeys(where[1] for access, where in found.items() if where and access.row != "parameter")
    writes = [(found[access], _KINDS[access.row]) for access in lowered.changes]
    return Effects(tuple(blocks), tuple((where[1], where[2], kind) for where, kind in writes if where))


Slots: TypeAlias = tuple[int, ...]
Found: TypeAlias = tuple[tuple[Any, ...], Slots, tuple[Input, ...], Slots, Slots, Slots, Slots]
"""What kernels read and write where they are bound: the objects of which that is more than parameters, each once; the
slots of all quantities, each once; the inputs that are called; the first slots of all blocks; the slots of the rates
that are written; those that are written without having been read; those that have been read before.
"""


class FindLawUses(Protocol):
    """Finds what kernels read and write where they are bound; `owners` are touched in any case, before all others."""

    def __call__(self, owners: tuple[Any, ...], bounds: Sequence[Bound], /) -> Found:
        """Find it."""


class KernelUses(NamedTuple):
    """What a kernel reads and writes.

    quantities      all, as often as they are met
    rates           those that it writes
    looks_at_rates  whether it reads any
    assigns         whether it writes states
    can_change      whether what it works on may become another
    is_polled       whether nobody tells when it does
    looks_at_lists  whether it reads any that may grow
    is_still        whether all it reads are single states and numbers that stand still
    exchanges       what it reads or sets that laws set, which says in which order they stand
    """

    quantities: tuple[Use, ...]
    rates: tuple[Rate, ...]
    looks_at_rates: bool
    assigns: bool
    can_change: bool
    is_polled: bool
    looks_at_lists: bool
    is_still: bool
    exchanges: tuple[Exchange, ...]


def uses_of(lowered: Lowered) -> KernelUses:
    """What a kernel reads and writes."""
    ranges = dict(lowered.ranges)
    found = {access: where for access in (*lowered.reads, *lowered.writes) if (where := _find(lowered, access))}
    quantities = [Use(*where, access.row != "parameter") for access, where in found.items()]
    rates = []
    for access in lowered.writes:
        if access.row == "rate" and access in found:
            is_many, place, first = found[access]
            for low, high in ranges.get(access) or ((0, 1),):
                rates.append(Rate(is_many, place, range(first + low, first + high), access in lowered.reads))
    return KernelUses(
        tuple(quantities),
        tuple(rates),
        looks_at_rates=any(access.row == "rate" for access in lowered.reads),
        assigns=any(access.row == "state" for access in lowered.writes),
        can_change=lowered.can_change,
        is_polled=any(step.can_change and not step.is_told for step in lowered.steps),
        looks_at_lists=any(step.check in ("table", "items") or step.expected is list for step in lowered.steps),
        is_still=not (lowered.needs_rates or lowered.reads_time or any(_is_vector(lowered, a) for a in lowered.reads)),
        exchanges=tuple(_exchanges(lowered, found)),
    )


def _exchanges(lowered: Lowered, found: dict[Access, tuple[bool, int, int]]) -> Iterable[Exchange]:
    for access, where in found.items():
        if access.row in ("parameter", "last"):
            continue
        sort = _step_of(lowered, access).expected, access.row, access.name
        yield Exchange(*where, sort, access in lowered.reads, access in lowered.writes)


class FindReads(Protocol):
    """Finds what one kernel reads where it is bound, if it writes nothing."""

    def __call__(self, binding: Binding, /) -> tuple[tuple[Any, ...], Slots]:
        """The objects of which it reads more than parameters, and the slots of all quantities, each once."""


def make_reads(uses: KernelUses) -> FindReads:
    """The function that finds what a kernel reads that writes nothing."""
    answer = f"{_each_once(_touched(0, uses))}, {_each_once(_read(0, uses))}"
    glance: FindReads = _function("glance(binding)", [_opened(0, "binding"), f"return {answer}"])
    return glance


def make_footprint(effects: Effects) -> Callable[[Slots], Slots]:
    """The function that tells, of the first slots of all blocks of a handler, what it concerns.

    That is the first slot of each block in `effects.blocks`; then for each write its slot, the first of its block, and
    which kind it is.
    """
    texts = [f"bases[{place}]" for place in effects.blocks]
    for place, column, kind in effects.writes:
        texts += [f"bases[{place}] + {column}", f"bases[{place}]", str(kind)]
    footprint: Callable[[Slots], Slots] = _function("footprint(bases)", [f"return ({_listed(texts)})"])
    return footprint


def make_law_uses(kernels: Sequence[KernelUses]) -> FindLawUses:
    """The function that finds what these kernels read and write together, for bindings of each in their order."""
    lines, touches, reads, rates = [], ["*owners"], [], []
    for n, uses in enumerate(kernels):
        lines.append(_opened(n, f"bounds[{n}].binding"))
        touches += _touched(n, uses)
        reads += _read(n, uses)
        rates += [_written(n, rate) for rate in uses.rates]
    numbers = range(len(kernels))
    answer = [
        _each_once(touches),
        _each_once(reads),
        " + ".join(f"inputs{n}" for n in numbers) or "()",
        " + ".join(f"bases{n}" for n in numbers) or "()",
        "tuple(rates)",
    ]
    if any(rate.is_read for uses in kernels for rate in uses.rates):
        answer += [f"tuple([slot for slot, is_read in rates.items() if {test}])" for test in ("not is_read", "is_read")]
    else:
        answer += ["tuple(rates)", "()"]
    lines += [f"rates = {{{_listed(rates)}}}", f"return {', '.join(answer)}"]
    spread: FindLawUses = _function("spread(owners, bounds)", lines)
    return spread


def _function(head: str, lines: list[str]) -> Any:
    """The function of these lines."""
    names: dict[str, Any] = {}
    body = "\n    ".join(lines)
    exec(f"def {head}:\n    {body}\n", names)  # noqa: S102  # our own text: numbers only
    return names[head.partition("(")[0]]


def _opened(n: int, binding: str) -> str:
    """The line that names the parts of the n-th kernel's binding."""
    return f"objects{n}, bases{n}, lists{n}, _, items{n}, inputs{n}, _ = {binding}"


def _touched(n: int, uses: KernelUses) -> list[str]:
    """The objects of which the n-th kernel reads or writes more than parameters, as parts of a tuple."""
    return [f"*items{n}[{u.place}]" if u.is_many else f"objects{n}[{u.place}]" for u in uses.quantities if u.moves]


def _read(n: int, uses: KernelUses) -> list[str]:
    """The slots of all quantities of the n-th kernel, as parts of a tuple."""
    return [_slots(n, use) for use in uses.quantities]


def _each_once(texts: Iterable[str]) -> str:
    """A tuple of what these expressions give, each once."""
    different = list(dict.fromkeys(texts))
    listed = f"({_listed(different)})"
    return listed if len(different) < 2 and "*" not in listed else f"tuple(dict.fromkeys({listed}))"


def _listed(texts: Iterable[str]) -> str:
    return "".join(f"{text}, " for text in texts)


def _slots(n: int, use: Use) -> str:
    """The slots of a quantity of the n-th kernel as part of a tuple."""
    if use.is_many:
        return f"*[first + {use.column} for first in lists{n}[{use.place}]]"
    return f"bases{n}[{use.place}] + {use.column}"


def _written(n: int, rate: Rate) -> str:
    """The slots of a run of rates of the n-th kernel as part of a dict."""
    low, high = rate.columns.start, rate.columns.stop
    first = f"bases{n}[{rate.place}]"
    if rate.is_many:
        slots = f"[slot for first in lists{n}[{rate.place}] for slot in range(first + {low}, first + {high})]"
        return f"**dict.fromkeys({slots}, {rate.is_read})"
    if len(rate.columns) == 1:
        return f"{first} + {low}: {rate.is_read}"
    return f"**dict.fromkeys(range({first} + {low}, {first} + {high}), {rate.is_read})"


def _step_of(lowered: Lowered, access: Access) -> Step:
    return next(step for step in lowered.steps if step.path == access.path)


def _layout_of(step: Step) -> Layout | None:
    """How the slots of what stands at a step are laid out; None of what has one slot."""
    layout: Layout | None = step.layout or getattr(step.expected, "_layout", None)
    return layout


def _is_vector(lowered: Lowered, access: Access) -> bool:
    layout = _layout_of(_step_of(lowered, access))
    return layout is not None and access.name in layout.starts


def _find(lowered: Lowered, access: Access) -> tuple[bool, int, int] | None:
    """Whether a quantity is one of a list's items, the place of the block that it is in, and its column there."""
    layout = _layout_of(_step_of(lowered, access))
    anchor = access.path, layout is not None and access.name in layout.aside
    column = 0 if layout is None else layout.column(access.name)
    if anchor in lowered.blocks:
        return False, lowered.blocks.index(anchor), column
    for place, (path, is_aside) in enumerate(lowered.lists):
        if anchor == ((path if path[-1] == ITEMS else (*path, ITEMS)), is_aside):
            return True, place, column
    return None
