"""Which conditions read plain attributes only, so that rows may have events beside those who wait for them."""

from __future__ import annotations

import enum
from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest

import eventide as ev
from eventide.compilation.plain_reads import plain_reads
from eventide.reading.source import SourceBook


class Mode(enum.Enum):
    ON = 1


class Ordered(enum.Enum):
    ON = 1

    def __bool__(self) -> bool:
        return BOX.count > 1

    def __lt__(self, other: object) -> bool:
        return BOX.count > 2


class Odd(enum.Enum):
    ON = 1

    def __eq__(self, other: object) -> bool:
        raise NotImplementedError

    __hash__ = None  # type: ignore[assignment]  # none is needed


class Box:
    limit = 3

    def __init__(self) -> None:
        self.count, self.items, self.mode, self.odd, self.inner = 0, [1], Mode.ON, Odd.ON, SimpleNamespace(x=1.0)
        self.grade = Ordered.ON

    @property
    def twice(self) -> int:
        return 2 * self.count

    def is_full(self) -> bool:
        """Whether it is."""
        return self.count > self.limit

    def is_odd(self) -> bool:
        rest = self.count % 2
        return rest == 1


class Slots:
    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 1


class Own:
    def __init__(self) -> None:
        self.count = 1

    def __getattribute__(self, name: str) -> object:
        return object.__getattribute__(self, name)


class Desk(ev.Component):
    count: int = 2


SIM = ev.Simulation()
BOX, SLOTS, OWN, DESK, DESKS, QUEUE = Box(), Slots(), Own(), Desk(SIM), ev.Resource(SIM, 1), deque([1])
LEVEL = 2


def of_default(box: Box = BOX) -> bool:
    return box.count > 1


def of_name(*, LEVEL: Box = BOX) -> bool:  # noqa: N803  # there is a global one of the name
    return LEVEL > 1  # type: ignore[operator,no-any-return]  # it is what is tried


def of_row(*BOX: Box) -> bool:  # noqa: N803  # as above
    return BOX is not None


PLAIN: dict[str, Any] = {
    "attribute": lambda: BOX.count > 0,
    "of an object in it": lambda: BOX.inner.x - 1.0 < LEVEL * -BOX.count,
    "of the class": lambda: BOX.count >= BOX.limit,
    "enumeration": lambda: BOX.mode is Mode.ON or BOX.mode == Mode.ON,
    "identity": lambda: BOX.inner is not None and DESKS is not None,
    "component": lambda: DESK.count > 1,
    "method": BOX.is_full,
}
OTHERS: dict[str, Any] = {
    "property": lambda: BOX.twice > 1,
    "property and nothing else": lambda: BOX.twice is not None,
    "slot": lambda: SLOTS.count > 1,
    "access of its own": lambda: OWN.count > 1,
    "resource": lambda: DESKS.available > 1,
    "clock": lambda: SIM.time > 1,
    "call": lambda: max(BOX.count, 1) > 1,
    "method that is called": lambda: BOX.is_full(),  # noqa: PLW0108  # it is what is tried
    "more than one statement": BOX.is_odd,
    "size": lambda: len(QUEUE) > 1,
    "truth of a list": lambda: not BOX.items,
    "item": lambda: BOX.items[0] > 1,
    "membership": lambda: BOX.count in BOX.items,
    "list as value": lambda: BOX.items == [1],
    "truth of an object": lambda: BOX.inner,
    "equality of its own": lambda: BOX.odd == BOX.mode,
    "truth of a mode": lambda: BOX.grade,
    "order of modes": lambda: BOX.grade < Ordered.ON,
    "argument by name": of_name,
    "arguments in a row": of_row,
    "missing": lambda: BOX.other > 1,  # type: ignore[attr-defined]  # it is what is tried
    "default": of_default,
    "choice": lambda: BOX.count if BOX.items else BOX.limit,
    "no function": SimpleNamespace,
}


def are_plain(test: Any) -> bool:
    function = getattr(test, "__func__", test)
    if not hasattr(function, "__code__"):
        return False
    reads = plain_reads(SourceBook().definition(function).tree, function.__code__)
    return reads is not None and reads.are_plain(function, (test.__self__,) if function is not test else ())


@pytest.mark.parametrize("name", [*PLAIN, *OTHERS])
def test_plain_reads_are_told_from_others(name: str) -> None:
    assert are_plain((PLAIN | OTHERS)[name]) is (name in PLAIN)


def test_what_it_reads_is_looked_at_each_time() -> None:
    box: Any = Box()

    def test() -> bool:
        return bool_of(box) > 1  # type: ignore[no-any-return]

    def plain() -> bool:
        return box.count > 1  # type: ignore[no-any-return]

    def bool_of(one: Any) -> Any:
        return one.count

    found = [are_plain(plain), are_plain(test)]
    box.count = DESKS
    found.append(are_plain(plain))
    box = Slots()
    assert [*found, are_plain(plain)] == [True, False, False, False]
