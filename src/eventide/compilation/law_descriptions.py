"""What laws and conditions use, as the stepper is told: see `flow_members.py` in the room `engine`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from eventide.continuous.storage.slot_storage import anchor_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eventide.continuous.components.layout import Layout
    from eventide.lowering.kernels.lowered import Kernel

SlotUse: TypeAlias = tuple[int, int]
"""An entry of the index rows, and a column behind the slot that it tells; or -1, and a slot."""
Call: TypeAlias = tuple[int, int]
"""The address of a kernel, and where its index row begins."""


class Usage(NamedTuple):
    """The slots that are depended on, the first slots of the blocks of what is touched, the rates that are set without
    having been read, those that are written otherwise, and the first slots of the blocks to which is given.
    """

    reads: tuple[SlotUse, ...]
    touches: tuple[SlotUse, ...]
    sets: tuple[SlotUse, ...]
    adds: tuple[SlotUse, ...]
    gives: tuple[SlotUse, ...] = ()

    @classmethod
    def of_slots(
        cls,
        reads: Iterable[int],
        touches: Iterable[Any],
        sets: Iterable[int] = (),
        adds: Iterable[int] = (),
        gives: Iterable[Any] = (),
    ) -> Usage:
        """That of slots as they are, and of what is touched, or given to, as objects."""
        slots = (reads, _anchors(touches), sets, adds, _anchors(gives))
        return cls(*(tuple([(-1, slot) for slot in some]) for some in slots))

    @property
    def uses(self) -> int:
        """How many uses that are."""
        return sum(map(len, self))

    def words(
        self,
        contribution: Call | None = None,
        equation: Call | None = None,
        sums: tuple[int, int] = (0, 0),
        *,
        is_direct: bool = True,
        is_unseen: bool = False,
    ) -> tuple[int, ...]:
        """The record.

        contribution, equation  None where there is none
        sums                    where the sums of the member begin among what stands aside, and how many there are
        is_unseen               whether something branches in its laws that is not located
        """
        reads, touches, sets, adds, gives = self
        return (
            int(contribution is not None),
            int(equation is not None),
            *(contribution or (0, 0)),
            *(equation or (0, 0)),
            *sums,
            int(not is_direct),
            int(is_unseen),
            len(reads),
            len(touches),
            len(sets) + len(adds),
            len(sets),
            len(gives),
            *[number for places in self for place in places for number in place],
        )


def usage_of(kernels: Sequence[Kernel]) -> Usage | None:
    """What kernels use whose index rows stand side by side; None if that is items of lists."""
    reads: dict[SlotUse, None] = {}
    touches: dict[SlotUse, None] = {}
    rates: dict[SlotUse, bool] = {}
    gives: dict[SlotUse, None] = {}
    row = 0
    for kernel in kernels:
        uses = kernel.lowered.uses
        if any(use.is_many for use in uses.quantities) or any(rate.is_many for rate in uses.rates):
            return None
        for use in uses.quantities:
            reads[row + use.place, use.column] = None
            if use.moves:
                touches[row + use.place, 0] = None
        for rate in uses.rates:
            rates.update(dict.fromkeys([(row + rate.place, column) for column in rate.columns], rate.is_read))
        gives.update({(row + one.place, 0): None for one in uses.exchanges if one.gives})
        row += kernel.width
    sets = tuple([place for place, is_read in rates.items() if not is_read])
    adds = tuple([place for place in rates if rates[place]])
    return Usage(tuple(reads), tuple(touches), sets, adds, tuple(gives))


def _anchors(owners: Iterable[Any]) -> list[int]:
    """The first slots of objects that have any."""
    return [slot for owner in owners if (slot := anchor_of(owner)) is not None]


def sums_of(layout: Layout) -> tuple[int, int]:
    """Where the sums of an object begin among what stands aside, and how many there are."""
    sums = layout.sums
    return (layout.offsets[sums[0]], len(sums)) if sums else (0, 0)
