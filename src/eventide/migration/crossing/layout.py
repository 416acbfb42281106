"""The places of a row's numbers, for writing many processes fast, and what the loops of a generator have left."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from eventide.bodies.operands import EXACT, KINDS, NOTHING, OPTIONAL, WIDE, sure
from eventide.bodies.waits.closures import places_of
from eventide.native.objects import object_at
from eventide.rows.codes import NONE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eventide.bodies.operands import Kind
    from eventide.bodies.points import Block, Choice, Handler, Loop, Point
    from eventide.bodies.reader import Reading

_ABSENT: Final = object()
_OTHERS: Final[dict[Kind, type]] = {"int64": np.int64, "object": object, "mixed": complex, "none": NoneType}
_TYPES: Final[dict[Kind, type]] = {**{kind: known for known, kind in KINDS.items()}, **_OTHERS}


class Standing(NamedTuple):
    """The points of all generators that stand in a state, and what is around these, the outermost first.

    requests    the places of the requests in whose blocks a row is
    variables   that a row keeps there; children: those with the rows of processes that it has made, and their places
    """

    chain: list[Point]
    loops: list[Loop]
    blocks: list[Block]
    handlers: list[Handler]
    choices: list[Choice]
    requests: list[int]
    variables: list[Variable]
    children: dict[str, int]


class Variable(NamedTuple):
    """A variable that a row keeps.

    bit         how native code notes that it has a value; 0: it always has
    place       among the whole numbers of a row, or its floats if it is real
    which       the place of what says whether it is whole, or None, if it may be; -1: it may not
    """

    name: str
    kind: type
    is_parameter: bool
    is_real: bool
    place: int
    bit: int
    which: int
    may_be_none: bool

    def value(self, wholes: Sequence[int], reals: Sequence[float]) -> object:
        """What a row has of it, of its own type; or the object of which it has the address."""
        which = wholes[self.which] if self.which >= 0 else 0
        if which == NOTHING:
            return None
        if self.is_real:
            return int(reals[self.place]) if which else reals[self.place]
        if self.kind is object:
            return object_at(wholes[self.place]) if wholes[self.place] else None  # nothing has been returned yet
        if self.kind is np.int64:
            return np.int64(wholes[self.place])
        return bool(wholes[self.place]) if self.kind is bool else wholes[self.place]


class Layout:
    """The columns of a body.

    places      of whole numbers, real_places: of floats, by the variables of the kernel
    closed_over by the places that have those of numbers that guards are told: the place of the guard, and the name
    """

    def __init__(self, reading: Reading, wholes: list[str], reals: list[str]) -> None:
        self.places = {text: k for k, text in enumerate(wholes)}
        self.real_places = {text: k for k, text in enumerate(reals)}
        facts = reading.naming.given.items()
        given = {text: fact.answer for text, fact in facts if isinstance(fact.answer, int | float)}
        self._wholes = [
            int(given.get(text, NONE if text[:2] in ("q_", "p_") or text[:7] == "c_guard" else 0)) for text in wholes
        ]
        self._reals = [float(given.get(text, 0.0)) for text in reals]
        numbers = reading.naming.numbers.items()
        self._real_cells = [(root, self.real_places[text]) for text, root in numbers if text in self.real_places]
        self._whole_cells = [(root, self.places[text]) for text, root in numbers if text in self.places]
        self.closed_over = {
            self.places[text]: (self.places[guard], name)
            for text, (guard, name) in places_of(reading.naming.guards).items()
        }
        self._points = reading.points
        self._standings: dict[int, Standing] = {}
        naming, optional = reading.naming, reading.optional
        self.objects = [name for name in reading.known if naming.kinds[name] == "object"]
        """The variables of objects of which a row has the addresses."""
        self.children = {name: self.places[f"p_{name}"] for name in naming.children}
        self.has = self.places.get("has", -1)
        self.variables: list[Variable] = []
        for name in reading.known:
            kind = _TYPES[sure(naming.kinds[name])]
            is_real, bit = kind in (float, complex), 1 << optional.index(name) if name in optional else 0
            place = (self.real_places if is_real else self.places)[f"v_{name}"]
            which, may = self.places.get(f"i_{name}", -1), naming.kinds[name] in (*OPTIONAL.values(), "none")
            self.variables.append(Variable(name, kind, name in naming.parameters, is_real, place, bit, which, may))
        prefixes = [frame.naming.prefix for frame in reading.frames]
        names = (*reading.known, *naming.children)
        self._prefixes = {name: max(filter(name.startswith, prefixes), key=len) for name in names}
        """Of the functions whose variables they are: another one's may have the address of what is gone."""

    def standing(self, at: int) -> Standing:
        """What is around a state."""
        found = self._standings.get(at)
        if found is None:
            point = self._points[at]
            loops = [loop for one in point.chain for loop in one.loops]
            blocks = [block for one in point.chain for block in one.blocks]
            choices = [choice for one in point.chain for choice in one.choices]
            own = [one.request for one in (*choices, *([point.choice] if point.choice else [])) if one.is_own]
            names = dict.fromkeys([*(block.name for block in blocks), *own])
            requests = [self.places[f"q_{name}"] for name in names]
            prefixes = {one.frame.naming.prefix for one in point.chain}
            variables = [one for one in self.variables if self._prefixes[one.name] in prefixes]
            children = {name: place for name, place in self.children.items() if self._prefixes[name] in prefixes}
            found = Standing(point.chain, loops, blocks, point.all_handlers, choices, requests, variables, children)
            self._standings[at] = found
        return found

    def numbers(self, values: Mapping[str, object]) -> tuple[list[int], list[float]] | None:
        """The numbers that a row keeps of a generator's variables, and of cells; None if one is of another type."""
        wholes, reals, has = self._wholes.copy(), self._reals.copy(), 0
        for root, place in self._real_cells:
            reals[place] = values[root]  # type: ignore[call-overload]  # its capture says so
        for root, place in self._whole_cells:
            wholes[place] = values[root]  # type: ignore[call-overload]  # as above
        for name, kind, is_parameter, is_real, place, bit, which, may_be_none in self.variables:
            value = values.get(name, _ABSENT)
            if value is _ABSENT and not is_parameter:
                continue
            if value is None and may_be_none:
                wholes[which] = NOTHING
                has += bit
                continue
            if kind is object:
                value = id(value)
            elif kind is complex:
                if type(value) not in (int, float) or (type(value) is int and abs(value) > EXACT):
                    return None
                wholes[which] = int(type(value) is int)
                value = float(value)  # type: ignore[arg-type]  # it is one of these
            elif type(value) is not kind:
                return None
            if is_real:
                reals[place] = value  # type: ignore[call-overload]  # that is its type
            elif kind in (int, np.int64) and not -WIDE < value < WIDE:  # type: ignore[operator]  # as above
                return None
            else:
                wholes[place] = int(value)  # type: ignore[call-overload]  # as above
            has += bit
        if has:
            wholes[self.has] = has
        return wholes, reals


def iterator_of(loop: Loop, texts: Mapping[str, int]) -> Iterator[object]:
    """What a loop has left in a row."""
    if loop.step == 0:
        place = texts[f"n_{loop.number}"]
        owners = [texts[text] for text, _ in loop.zipped] or [texts[f"s_{loop.number}"]]
        each = [iter(object_at(owner)) for owner in owners]
        for one in each:
            one.__setstate__(place)
        if loop.zipped:
            return zip(*each, strict=False)
        left = each[0]
        return left if loop.start is None else enumerate(left, loop.start + place)
    return iter(range(texts[f"n_{loop.number}"], texts[f"s_{loop.number}"], loop.step))
