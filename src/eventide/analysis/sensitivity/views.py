"""What a model's code sees of states, parameters and rates while derivatives are needed: dual numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from eventide.analysis.sensitivity.dual import Dual, Space, UndifferentiableError
from eventide.continuous import StateVariable
from eventide.continuous.components.member import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from eventide.continuous.components.component import Continuous

SUM: Final = "sum"
RATE: Final = "rate"


class Scratch:
    """What an evaluation of the laws sets apart from the model: it is only looked at.

    found       what laws set of computed values and sums, by slot
    rates       what they set of rates, by slot of the state
    before      what an evaluation before this one set, for what is read before it is set
    is_early    whether something was read before it was set
    law         the number of the law that is executed, in the order of the laws
    """

    def __init__(self, expected: dict[int, None], before: dict[int, float | Dual], sums: Iterable[int] = ()) -> None:
        self.found: dict[int, float | Dual] = dict.fromkeys(sums, 0.0)
        self.rates: dict[int, float | Dual] = {}
        self.expected = expected
        self.before = before
        self.is_early = False
        self.law = 0
        self._sums = tuple(self.found)
        self._read: dict[tuple[str, int], list[int]] = {}
        self._written: dict[tuple[str, int], list[int]] = {}

    def note_read(self, kind: str, slot: int) -> None:
        """A law reads a sum or a rate, to which laws add."""
        if kind == RATE or slot in self._sums:
            self._read.setdefault((kind, slot), []).append(self.law)

    def note_written(self, kind: str, slot: int) -> None:
        """A law sets a sum or a rate, or adds to it."""
        if kind == RATE or slot in self._sums:
            self._written.setdefault((kind, slot), []).append(self.law)

    def too_early(self) -> tuple[int, int] | None:
        """A law that has read a sum or a rate which another one set or added to later, and that other one."""
        for what, readers in self._read.items():
            writers = self._written.get(what, [])
            for reader in readers:
                if writers and reader not in writers and reader < writers[-1]:
                    return reader, writers[-1]
        return None


class DualRow:
    """Stands for the row of present values that the properties of components read and write.

    tangents    the derivatives of what has any, by slot
    scratch     where laws write; None in an event, which writes into the model
    """

    __slots__ = ("real", "scratch", "space", "tangents")

    def __init__(self, space: Space, real: memoryview[float]) -> None:
        self.space = space
        self.real = real
        self.tangents: dict[int, NDArray[np.float64]] = {}
        self.scratch: Scratch | None = None

    def __getitem__(self, slot: int) -> float | Dual:
        scratch = self.scratch
        if scratch is not None:
            if slot in scratch.found:
                scratch.note_read(SUM, slot)
                return scratch.found[slot]
            if slot in scratch.expected:
                scratch.is_early = True
                if slot in scratch.before:
                    return scratch.before[slot]
        tangent = self.tangents.get(slot)
        value: float = self.real[slot]
        return value if tangent is None else Dual(self.space, value, tangent)

    def __setitem__(self, slot: int, value: float | Dual) -> None:
        if self.scratch is not None:
            self.scratch.note_written(SUM, slot)
            self.scratch.found[slot] = value
        elif isinstance(value, Dual):
            self.real[slot] = value.value
            self.tangents[slot] = value.tangent
        else:
            self.real[slot] = value
            self.tangents.pop(slot, None)


class DualRates:
    """Stands for the rates of a component: laws write them, events read them."""

    __slots__ = ("_owner", "_places", "_row", "_seen")

    def __init__(self, owner: Continuous, row: DualRow, seen: dict[int, float | Dual]) -> None:
        layout = layout_of(owner)
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_row", row)
        object.__setattr__(self, "_seen", seen)
        object.__setattr__(self, "_places", {name: layout.offsets[name] for name in layout.states})

    def __setattr__(self, name: str, value: object) -> None:
        scratch = self._row.scratch
        if scratch is None or name not in self._places:
            raise AttributeError(f"{self._owner.name} has no rate {name!r} that can be set now")
        slot = self._owner._base + self._places[name]
        scratch.note_written(RATE, slot)
        scratch.rates[slot] = value

    def __getattr__(self, name: str) -> Any:
        if name not in self._places:
            raise AttributeError(f"{self._owner.name} has no state {name!r}")
        slot, scratch = self._owner._base + self._places[name], self._row.scratch
        if scratch is None:
            return self._seen.get(slot, 0.0)
        scratch.note_read(RATE, slot)
        return scratch.rates.get(slot, 0.0)


class Unseen:
    """Stands for what has no derivatives that are known: whatever is asked of it is refused by name."""

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        object.__setattr__(self, "_what", what)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(self._what)

    def __iter__(self) -> NoReturn:
        refuse(self._what)

    def __getitem__(self, key: object) -> NoReturn:
        refuse(self._what)

    def __float__(self) -> NoReturn:
        refuse(self._what)

    def __call__(self) -> NoReturn:
        """As a response it is read like this."""
        refuse(self._what)


class UnseenVariable(StateVariable):
    """The variable behind a state: its tolerances may be set, its value has no derivatives here."""

    @property
    def state(self) -> float:
        """Refused."""
        return refuse(f"{self.name}.state, read through component[...]: read it as an attribute")

    @state.setter
    def state(self, value: float) -> None:
        refuse(f"{self.name}.state, set through component[...]: set it as an attribute")

    @property
    def rate(self) -> float:
        """Refused."""
        return refuse(f"{self.name}.rate, read through component[...]: read it as an attribute")

    @rate.setter
    def rate(self, value: float) -> None:
        refuse(f"{self.name}.rate, set through component[...]: set it as an attribute")


def refuse(what: str) -> NoReturn:
    """Raise UndifferentiableError for something that variational equations do not go through."""
    raise UndifferentiableError(f'variational equations do not go through {what}: ask for by="central"')
