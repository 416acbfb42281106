"""Where a law's kernel finds the entries of its index row, object by object."""

from __future__ import annotations

from typing import Final

from eventide.engine.records import LawRecord
from eventide.native.ir import Instruction

LAW: Final = (
    "double %t, double %dt, double %last, ptr %Y, ptr noalias %R, ptr %Y0, "
    "ptr noalias readonly %ix, ptr noalias readonly %calls, i64 %n, ptr noalias readonly %lists"
)


def entry(name: str, row: str, place: int, kind: str = "i64") -> list[Instruction]:
    """Load an entry of a row."""
    return [
        Instruction("getelementptr", kind, row, place, result=f"{name}at"),
        Instruction("load", kind, f"{name}at", result=name),
    ]


class Rows:
    """Each entry stands at its place in the row of which the law's record tells where it begins.

    arguments   of the kernel
    """

    arguments = LAW

    def instructions(self, names: list[str]) -> list[Instruction]:
        """Find the row of the object %k, and load its entries."""
        return [*self._find(), *(one for place, name in enumerate(names) for one in entry(name, "%row", place))]

    def _find(self) -> list[Instruction]:
        return [
            Instruction("mul", "i64", "%k", LawRecord.widths["ints"], result="%call"),
            Instruction("getelementptr", "i64", "%calls", "%call", result="%place.at"),
            Instruction("load", "i64", "%place.at", result="%place"),
            Instruction("getelementptr", "i64", "%ix", "%place", result="%row"),
        ]


EACH_AT_ITS_PLACE: Final = Rows()


class LayingRows(Rows):
    """Entries are found at given places of a row, and laid one behind the other at the address of the lists.

    places  of the entries
    width   of what is laid for an object, in whole numbers, of which each is two entries
    """

    arguments = LAW.replace("ptr noalias readonly %lists", "ptr noalias %lists")

    def __init__(self, places: list[int], width: int) -> None:
        self._places = places
        self._width = width

    def instructions(self, names: list[str]) -> list[Instruction]:
        """Find the row of the object %k, load its entries and lay them."""
        found = [*self._find(), *laid_row("%laid", self._width)]
        for number, (name, place) in enumerate(zip(names, self._places, strict=True)):
            laid, half = f"%laid{number}", f"%laid{number}.half"
            found += [
                *entry(name, "%row", place),
                Instruction("getelementptr", "i32", "%laid", number, result=laid),
                Instruction("trunc", "i64", name, result=half, to="i32"),
                Instruction("store", "i32", half, laid),
            ]
        return found


class LaidRows(Rows):
    """Entries are found where `LayingRows` has laid them."""

    def __init__(self, width: int) -> None:
        self._width = width

    def instructions(self, names: list[str]) -> list[Instruction]:
        """Find what has been laid for the object %k."""
        found = laid_row("%row", self._width)
        for number, name in enumerate(names):
            half = f"{name}.half"
            found += [
                Instruction("getelementptr", "i32", "%row", number, result=f"{name}at"),
                Instruction("load", "i32", f"{name}at", result=half),
                Instruction("sext", "i32", half, result=name, to="i64"),
            ]
        return found


def laid_row(name: str, width: int) -> list[Instruction]:
    """Where the row of the object %k is that is laid, whose entries are half a number each."""
    return [
        Instruction("mul", "i64", "%k", 2 * width, result="%laid.at"),
        Instruction("getelementptr", "i32", "%lists", "%laid.at", result=name),
    ]
