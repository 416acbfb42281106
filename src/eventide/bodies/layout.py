"""The places of a row's numbers, for writing many processes fast, and what the loops of a generator have left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eventide.bodies.operands import EXACT, KINDS, WIDE
from eventide.bodies.waits.closures import places_of
from eventide.native.objects import object_at
from eventide.rows.codes import NONE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eventide.bodies.points import Block, Choice, Handler, Loop, Point
    from eventide.bodies.reader import Reading

_ABSENT: Final = object()
_TYPES: Final = {**{kind: known for known, kind in KINDS.items()}, "object": object, "mixed": complex}


class Standing(NamedTuple):
    """The points of all generators that stand in a state, and what is around these, the outermost first."""

    chain: list[Point]
    loops: list[Loop]
    blocks: list[Block]
    handlers: list[Handler]
    choices: list[Choice]


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
            int(given.get(text, NONE if text[:2] == "q_" or text[:7] == "c_guard" else 0)) for text in wholes
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
        self._variables: list[tuple[str, type, bool, bool, int, int]] = []
        for name in reading.known:
            kind = _TYPES[naming.kinds[name] or "int"]
            is_real, bit = kind in (float, complex), 1 << optional.index(name) if name in optional else 0
            place = (self.real_places if is_real else self.places)[f"v_{name}"]
            self._variables.append((name, kind, name in naming.parameters, is_real, place, bit))

    def standing(self, at: int) -> Standing:
        """What is around a state."""
        found = self._standings.get(at)
        if found is None:
            point = self._points[at]
            loops = [loop for one in point.chain for loop in one.loops]
            choices = [choice for one in point.chain for choice in one.choices]
            found = Standing(point.chain, loops, point.all_blocks, point.all_handlers, choices)
            self._standings[at] = found
        return found

    def numbers(self, values: Mapping[str, object]) -> tuple[list[int], list[float]] | None:
        """The numbers that a row keeps of a generator's variables, and of cells; None if one is of another type."""
        wholes, reals, has = self._wholes.copy(), self._reals.copy(), 0
        for root, place in self._real_cells:
            reals[place] = values[root]  # type: ignore[call-overload]  # its capture says so
        for root, place in self._whole_cells:
            wholes[place] = values[root]  # type: ignore[call-overload]  # as above
        for name, kind, is_parameter, is_real, place, bit in self._variables:
            value = values.get(name, _ABSENT)
            if value is _ABSENT and not is_parameter:
                continue
            if kind is object:
                value = id(value)
            elif kind is complex:
                if type(value) not in (int, float) or (type(value) is int and abs(value) > EXACT):
                    return None
                wholes[self.places[f"i_{name}"]] = int(type(value) is int)
                value = float(value)  # type: ignore[arg-type]  # it is one of these
            elif type(value) is not kind:
                return None
            if is_real:
                reals[place] = value  # type: ignore[call-overload]  # that is its type
            elif kind is int and abs(value) >= WIDE:  # type: ignore[arg-type]  # as above
                return None
            else:
                wholes[place] = int(value)  # type: ignore[call-overload]  # as above
            has += bit
        if has:
            wholes[self.places["has"]] = has
        return wholes, reals


def iterator_of(loop: Loop, texts: Mapping[str, Any]) -> Iterator[object]:
    """What a loop has left in a row."""
    if loop.step == 0:
        left = iter(object_at(texts[f"s_{loop.number}"]))
        left.__setstate__(texts[f"n_{loop.number}"])
        return left  # type: ignore[no-any-return]  # of a list
    return iter(range(texts[f"n_{loop.number}"], texts[f"s_{loop.number}"], loop.step))
