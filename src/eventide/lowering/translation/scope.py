"""Where the execution stands while code is lowered: which names have which values, and how paths come together.

Values are named once. Where two paths meet, a name that has a number on both gets a merged one; a name that stands for
different things, or has a value on one path only, has none any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from eventide.lowering.translation.values import Boolean, Item, Items, Kind, Nothing, Number, Span, Void
from eventide.native.ir import NAN, ZERO, Block, Builder

if TYPE_CHECKING:
    from eventide.lowering.kernels.lowered import Access
    from eventide.lowering.translation.arithmetic import Arithmetic
    from eventide.lowering.translation.booleans import BooleanOperations

_VALUE = " "
"""Where the value of a path stands among its bindings while they are joined."""
_NO_VALUE = Nothing()
PATH_CONDITION = ""
"""Where bindings keep the condition under which the present path is taken; no name of the user's is empty."""


@dataclass
class Scope:
    """What is known at one point.

    bindings    names and what they stand for
    written     what has surely been written
    returned    where the function has returned before this point, although what follows is written as if it had not
    """

    bindings: dict[str, Item]
    written: frozenset[Access] = frozenset()
    returned: tuple[Returned, ...] = ()

    def copy(self) -> Scope:
        """The same, to go another way."""
        return Scope(dict(self.bindings), self.written, self.returned)

    @property
    def kept(self) -> Scope:
        """What outlives the function: quantities that a law sets, without the names in it."""
        return Scope({name: item for name, item in self.bindings.items() if name.startswith(MARK)}, self.written)

    @property
    def path_condition(self) -> Boolean:
        """The condition of the present path."""
        path_condition = self.bindings.get(PATH_CONDITION)
        return path_condition if isinstance(path_condition, Boolean) else UNCONDITIONAL


UNCONDITIONAL = Boolean("true", known=True)
MARK: Final = "="
"""What the names of quantities among the bindings begin with; no name of a user does."""


@dataclass(frozen=True)
class Returned:
    """A return that takes place on some paths only, all of which are written one after the other.

    where       whether it takes place, if none before it has
    """

    where: Boolean
    scope: Scope
    value: Item | None


class PathsDiffer(Exception):
    """Paths that were written one after the other cannot be joined."""


@dataclass
class Edge:
    """An edge of the control-flow graph: the path ends here for now, and its last block is open, to be led on."""

    block: Block
    scope: Scope
    value: Item | None = None


@dataclass
class Loop:
    """The paths that leave the body of a loop."""

    breaks: list[Edge] = field(default_factory=list)
    continues: list[Edge] = field(default_factory=list)


@dataclass(frozen=True)
class Shape:
    """What has to be carried for a number or Boolean that is merged."""

    kind: Kind | Literal["truth"]
    has_guide: bool = False
    has_slope: bool = False
    is_mixed: bool = False

    @property
    def types(self) -> list[str]:
        """The machine types of its parts."""
        first = {"int": "i64", "truth": "i1"}.get(self.kind, "double")
        return [first] + ["double"] * self.has_guide + ["double"] * self.has_slope


Shaped: TypeAlias = Number | Boolean
_RANKS: list[Kind] = ["float", "whole", "int"]


def shape_of(item: Shaped) -> Shape:
    """The shape of one item."""
    if isinstance(item, Boolean):
        return Shape("truth", item.guide is not None, item.slope is not None)
    return Shape(item.kind, False, item.slope is not None, item.is_mixed)


def join(one: Shape, other: Shape) -> Shape:
    """The shape into which items of both fit."""
    slope = one.has_slope or other.has_slope
    if one.kind == "truth" and other.kind == "truth":
        return Shape("truth", one.has_guide or other.has_guide, slope)
    kinds = (one.kind, other.kind)
    differ = "truth" in kinds or (one.kind == "float") != (other.kind == "float")  # True is not printed as 1
    is_mixed = one.is_mixed or other.is_mixed or differ
    return Shape(next(kind for kind in _RANKS if kind in kinds), False, slope, is_mixed)


class Merger:
    """Writes what is needed where paths meet."""

    def __init__(self, builder: Builder, arithmetic: Arithmetic, booleans: BooleanOperations) -> None:
        self.builder = builder
        self.arithmetic = arithmetic
        self.booleans = booleans

    def parts(self, item: Shaped, shape: Shape, path_condition: Boolean) -> list[str]:
        """The operands that carry an item in a shape, computed in the current block."""
        if shape.kind == "truth":
            assert isinstance(item, Boolean)
            slope = item.slope
            if item.guide is None and path_condition.slope is not None and item is not path_condition:
                slope = NAN  # which of the paths was taken may change within a step
            guide = [self.booleans.guide(item)] if shape.has_guide else []
            return [item.text, *guide, *([slope or ZERO] if shape.has_slope else [])]
        number = self.arithmetic.number(item)
        first = number.text if shape.kind == "int" else self.arithmetic.exactly(number)
        return [first, *([number.slope or ZERO] if shape.has_slope else [])]

    def item(self, shape: Shape, parts: list[str]) -> Shaped:
        """The item that is carried by such operands."""
        slope = parts[-1] if shape.has_slope else None
        if shape.kind == "truth":
            return Boolean(parts[0], parts[1] if shape.has_guide else None, slope)
        return Number(parts[0], shape.kind, slope, is_mixed=shape.is_mixed)

    def merge(self, arrivals: list[Edge]) -> tuple[Scope, Item | None] | None:
        """Lead all paths to one block and go on there; None if none arrives.

        Returns     what is known there, and the merged value of the arrivals
        Raises PathsDiffer if there have been returns before some of them only.
        """
        if not arrivals:
            self.builder.current = None
            return None
        wanted = next((arrival.value for arrival in arrivals if not isinstance(arrival.value, Void)), None)
        for arrival in arrivals:
            if isinstance(arrival.value, Void):
                arrival.value = _like(wanted)
        if len(arrivals) == 1:
            self.builder.resume(arrivals[0].block)
            return arrivals[0].scope, arrivals[0].value
        target = self.builder.block()
        first, *others = [arrival.scope for arrival in arrivals]
        bindings: dict[str, Item] = {}
        for name, item in first.bindings.items():
            for scope in others:
                if scope.bindings.get(name) is not item:
                    break
            else:
                bindings[name] = item
                continue
            if all(name in scope.bindings for scope in others):
                merged = self._merged([a.scope.bindings[name] for a in arrivals], arrivals, target)
                if merged is not None:
                    bindings[name] = merged
        value = self._merged([arrival.value for arrival in arrivals], arrivals, target)
        for arrival in arrivals:
            self.builder.resume(arrival.block)
            self.builder.jump(target)
        self.builder.enter(target)
        if any(scope.returned != first.returned for scope in others):
            raise PathsDiffer
        written = frozenset.intersection(*(arrival.scope.written for arrival in arrivals))
        return Scope(bindings, written, first.returned), value

    def select(
        self,
        test: Boolean,
        one: Scope,
        value: Item | None,
        other: Scope,
        otherwise: Item | None,
        *,
        is_returned: bool = False,
    ) -> tuple[Scope, Item | None] | None:
        """What is computed on one of two paths, both of which have been written; None if other things differ.

        is_returned     whether a function returns them: then literal Booleans are as far from changing as the test
        """
        pairs = {name: (item, other.bindings[name]) for name, item in one.bindings.items() if name in other.bindings}
        pairs.pop(PATH_CONDITION, None)
        pairs[_VALUE] = (value or _NO_VALUE, otherwise or _NO_VALUE)
        bindings: dict[str, Item] = {}
        for name, (item, alternative) in pairs.items():
            chosen = self._chosen(test, item, alternative, is_returned=is_returned)
            if chosen is None:
                return None
            bindings[name] = chosen
        answer = bindings.pop(_VALUE)
        return Scope(bindings, one.written & other.written, one.returned), None if answer is _NO_VALUE else answer

    def _chosen(self, test: Boolean, one: Item, other: Item, *, is_returned: bool) -> Item | None:
        """One of two items; None if they are of different kinds."""
        if one == other or isinstance(other, Void):
            return one
        if isinstance(one, Void):
            return other
        if isinstance(one, Number) and isinstance(other, Number):
            return self._selected(test, one, other)
        if isinstance(one, Boolean) and isinstance(other, Boolean):
            truth = (self.booleans.chosen_truth if is_returned else self.booleans.decided)(test, one, other)
            return replace(truth, is_numpy=_all_numpy([one, other]))
        if isinstance(one, Items) and isinstance(other, Items) and len(one.items) == len(other.items):
            pairs = zip(one.items, other.items, strict=True)
            chosen = [self._chosen(test, *pair, is_returned=is_returned) for pair in pairs]
            return None if None in chosen else Items(tuple(item for item in chosen if item is not None))
        return None

    def _selected(self, test: Boolean, one: Number, other: Number) -> Number:
        shape = join(shape_of(one), shape_of(other))
        first, second = self.parts(one, shape, test)[0], self.parts(other, shape, test)[0]
        text = self.builder.select(test.text, shape.types[0], first, second)
        moves = test.slope is not None or shape.has_slope
        slope = self.arithmetic.choose_slope(test.text, one.slope or ZERO, other.slope or ZERO) if moves else None
        assert shape.kind != "truth"
        is_numpy = one.is_numpy and other.is_numpy
        made = Number(text, shape.kind, slope, None, _hull([one, other]), is_numpy)
        return self.booleans.chosen(test, made, one, other)

    def _merged(self, items: list[Item] | list[Item | None], arrivals: list[Edge], target: Block) -> Item | None:
        if all(item == items[0] for item in items):
            return items[0]
        groups = [item.items for item in items if isinstance(item, Items)]
        if len(groups) == len(items) and len({len(group) for group in groups}) == 1:
            merged = [self._merged(list(ways), arrivals, target) for ways in zip(*groups, strict=True)]
            return None if None in merged else Items(tuple(item for item in merged if item is not None))
        shaped = [item for item in items if isinstance(item, Number | Boolean)]
        if len(shaped) < len(items):
            return None
        shape = shape_of(shaped[0])
        for item in shaped[1:]:
            shape = join(shape, shape_of(item))
        if any(arrival.scope.path_condition.slope for arrival in arrivals):
            shape = replace(shape, has_slope=True)  # which way is gone may change within a step
        incoming: list[list[str]] = []
        for item, arrival in zip(shaped, arrivals, strict=True):
            self.builder.resume(arrival.block)
            incoming.append(self.parts(item, shape, arrival.scope.path_condition))
        parts = []
        for number, kind in enumerate(shape.types):
            ways = [(one[number], arrival.block) for one, arrival in zip(incoming, arrivals, strict=True)]
            parts.append(self.builder.merge(target, kind, ways))
        whole = self.item(shape, parts)
        return replace(whole, span=_hull(shaped), is_numpy=_all_numpy(shaped)) if isinstance(whole, Number) else whole


def _like(item: Item | None) -> Item | None:
    """Some value of the kind of another, for a path on which it is not used; None if there is none."""
    if isinstance(item, Number):
        return Number("0" if item.kind == "int" else ZERO, item.kind, is_mixed=item.is_mixed, is_numpy=item.is_numpy)
    if isinstance(item, Boolean):
        return Boolean("false")
    if isinstance(item, Items):
        parts = [_like(part) for part in item.items]
        return None if None in parts else Items(tuple(part for part in parts if part is not None))
    return item if isinstance(item, Nothing) else None


def _hull(items: list[Shaped]) -> Span | None:
    """Between which whole numbers any of some lies."""
    spans = [item.extent if isinstance(item, Number) else None for item in items]
    known = [span for span in spans if span is not None]
    if len(known) < len(spans):
        return None
    return min(low for low, _ in known), max(high for _, high in known)


def _all_numpy(items: list[Shaped]) -> bool:
    return all(item.is_numpy for item in items)
