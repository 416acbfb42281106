"""Dependencies of a kernel: what it reads and writes, as places in its binding and columns of the objects there.

They are determined once for a kernel. For each object the columns are added to the first slots of its blocks, so that
planning the thousandth object of a class looks up no names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.engine.codes import IS_SET, MOVES, STANDS, VALUES
from eventide.lowering.names.paths import ITEMS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.continuous.components.layout import Layout
    from eventide.lowering.kernels.lowered import Access, Lowered, Row
    from eventide.lowering.names.paths import Step


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


class Written(NamedTuple):
    """A run of rates that are written, or of computed values and states that are set: where as in `Use`.

    columns     those of the rates; of values VALUES more
    is_read     whether they have been read before
    """

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
    sort: tuple[object, str, str]
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


class KernelUses(NamedTuple):
    """What a kernel reads and writes.

    quantities      all, as often as they are met
    written         the rates that it writes, and the computed values and states that it sets without having read them
    looks_at_rates  whether it reads any
    assigns         whether it writes states
    looks_back      whether it does, or reads how long the step is or was, or the states at its beginning
    can_change      whether what it works on may become another
    is_polled       whether it does so without notice
    looks_at_lists  whether it reads any that may grow
    is_still        whether all it reads are single states and numbers that stand still
    is_laid         whether its index row has more than the first slots of blocks of single objects
    exchanges       what it reads or sets that laws set, which says in which order they stand
    """

    quantities: tuple[Use, ...]
    written: tuple[Written, ...]
    looks_at_rates: bool
    assigns: bool
    looks_back: bool
    can_change: bool
    is_polled: bool
    looks_at_lists: bool
    is_still: bool
    is_laid: bool
    exchanges: tuple[Exchange, ...]


def uses_of(lowered: Lowered) -> KernelUses:
    """What a kernel reads and writes."""
    ranges = dict(lowered.ranges)
    found = {access: where for access in (*lowered.reads, *lowered.writes) if (where := _find(lowered, access))}
    quantities = [Use(*where, access.row != "parameter") for access, where in found.items()]
    written = []
    for access in lowered.writes:
        is_value = access.row in ("computed", "state") and access not in lowered.reads
        if access in found and (is_value or access.row == "rate"):
            is_many, place, first = found[access]
            first += VALUES * is_value
            for low, high in ranges.get(access) or ((0, 1),):
                written.append(Written(is_many, place, range(first + low, first + high), access in lowered.reads))
    assigns = any(access.row == "state" for access in lowered.writes)
    return KernelUses(
        tuple(quantities),
        tuple(written),
        looks_at_rates=any(access.row == "rate" for access in lowered.reads),
        assigns=assigns,
        looks_back=assigns or lowered.reads_step or any(access.row == "last" for access in lowered.reads),
        can_change=lowered.can_change,
        is_polled=any(step.can_change and not step.is_announced for step in lowered.steps),
        looks_at_lists=any(step.check in ("table", "items") or step.expected is list for step in lowered.steps),
        is_still=not (lowered.needs_rates or lowered.reads_time or any(_is_vector(lowered, a) for a in lowered.reads)),
        is_laid=bool(lowered.lists or lowered.tables or lowered.objects or lowered.literals),
        exchanges=tuple(_exchanges(lowered, found)),
    )


def _exchanges(lowered: Lowered, found: dict[Access, tuple[bool, int, int]]) -> Iterable[Exchange]:
    for access, where in found.items():
        if access.row in ("parameter", "last"):
            continue
        sort = _step_of(lowered, access).expected, access.row, access.name
        yield Exchange(*where, sort, access in lowered.reads, access in lowered.writes)


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
