"""Early returns in conditions: a function body of nested `if` and `return` is an expression of choices.

In: the paths of a function, written one after the other. Out: one value, chosen among those that they return; how it
moves is known on each path. Where one path has returned and another goes on, what follows is written for the latter,
and the value that was returned waits in the scope until the function ends (`Returned`). Values of different kinds are
not joined so: the function is written again, with a block for each path.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eventide.lowering.translation.scope import PATH_CONDITION, Edge, PathsDiffer, Returned, Scope
from eventide.lowering.translation.values import Boolean, Item, literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventide.lowering.translation.context import Context, Frame


@dataclass(frozen=True)
class PathEnd:
    """The end of one path of a choice.

    has_returned    whether the function returns there
    """

    scope: Scope
    value: Item | None
    has_returned: bool = False


def write_body(context: Context, frame: Frame) -> Item | None:
    """Write the body of a function; its exits are left in the frame. Returns the value of a lambda."""
    builder, start = context.builder, context.scope
    mark, unbounded, only_where = builder.mark(), context.unbounded, builder.only_where
    depth, loops = len(context.frames), len(context.loops)
    value: Item | None = None
    for is_straight in (True, False) if context.is_guided else (False,):
        frame.is_straight, frame.returns = is_straight, []
        context.scope = start.copy()
        context.frames.append(frame)
        try:
            value = context.execute_body(frame.definition.tree)
            _settle(context, frame.returns)
            break
        except PathsDiffer:
            builder.return_to(mark)
            context.unbounded = unbounded
            del context.frames[depth:], context.loops[loops:]
        finally:
            builder.only_where = only_where
    context.frames.pop()
    return value


def _settle(context: Context, returns: list[Edge]) -> None:
    """Let each exit give what was returned before it, where that is so."""
    present = context.builder.current
    for edge in returns:
        context.builder.resume(edge.block)
        value = _gated(context, edge) if len(returns) > 1 else edge.value
        end = _chosen(context, PathEnd(edge.scope, value), 0)
        edge.scope = Scope({**edge.scope.bindings, **end.scope.bindings}, end.scope.written)
        edge.value = end.value
    context.builder.current = present


def _gated(context: Context, edge: Edge) -> Item | None:
    """A literal Boolean that is returned in one of several blocks only changes with the condition of its path."""
    value, path_condition = edge.value, edge.scope.path_condition
    if not context.is_guided or not isinstance(value, Boolean) or value.known is None or path_condition.slope is None:
        return value
    guided = path_condition if value.known else context.booleans.opposite(path_condition)
    return replace(guided, text=value.text, known=None)


@contextmanager
def in_blocks(context: Context) -> Iterator[None]:
    """Where a function returns meanwhile there are exits of blocks of their own."""
    frame = context.frame if context.frames else None
    was_straight = frame is not None and frame.is_straight
    if frame is not None:
        frame.is_straight = False
    yield
    if frame is not None:
        frame.is_straight = was_straight


def _chosen(context: Context, end: PathEnd, count: int) -> PathEnd:
    """What holds at an end with what was returned before it, from a place in the list on."""
    chosen = PathEnd(end.scope.kept, end.value)
    for returned in reversed(end.scope.returned[count:]):
        chosen = _select(context, returned.where, PathEnd(returned.scope, returned.value), chosen)
    return chosen


def _select(context: Context, test: Boolean, one: PathEnd, other: PathEnd) -> PathEnd:
    both = one.scope, one.value, other.scope, other.value
    selected = context.merger.select(test, *both, is_returned=True)
    if selected is None:
        raise PathsDiffer
    return PathEnd(*selected)


def end_of_path(context: Context, value: Item | None, count: int) -> PathEnd | None:
    """The end of a path on which a function had returned so often before; None if it has no end that can be joined."""
    returns = context.frame.returns if context.frames else []
    if not context.is_dead:
        return PathEnd(context.scope, value) if len(returns) == count else None
    if len(returns) != count + 1 or not context.frame.is_straight:
        return None
    edge = returns.pop()
    context.builder.resume(edge.block)
    return PathEnd(edge.scope, edge.value, has_returned=True)


def join_ends(
    context: Context, test: Boolean, start: Scope, one: PathEnd, other: PathEnd
) -> tuple[Scope, Item | None] | None:
    """What holds where at least one of two paths goes on; an exit is left where both return. None if kinds differ."""
    count = len(start.returned)
    try:
        if one.has_returned and other.has_returned:
            end = _select(context, test, _chosen(context, one, count), _chosen(context, other, count))
            bindings = {**end.scope.bindings, PATH_CONDITION: start.path_condition}
            context.scope = Scope(bindings, end.scope.written, start.returned)
            context.frame.returns.append(context.arrive(end.value))
            return end.scope, end.value
        returned = _returned_on_either(context, test, one, other, count)
    except PathsDiffer:
        return None
    going = [end for end in (one, other) if not end.has_returned]
    joined: tuple[Scope, Item | None] | None = going[0].scope, going[0].value
    if len(going) == 2:
        joined = context.merger.select(test, one.scope, one.value, other.scope, other.value)
    if joined is not None:
        joined[0].returned = (*start.returned, *returned)
        for early in returned:
            context.builder.only_where = (*context.builder.only_where, (early.where.text, False))
    return joined


def _returned_on_either(context: Context, test: Boolean, one: PathEnd, other: PathEnd, count: int) -> list[Returned]:
    """Where the function returns on one of two paths, and what."""
    first, second = _returned_on(context, one, count), _returned_on(context, other, count)
    ends = [PathEnd(early.scope, early.value) for early in (first, second) if early is not None]
    if not ends:
        return []
    wheres = (early.where if early is not None else literal(False) for early in (first, second))
    end = _select(context, test, *ends) if len(ends) == 2 else ends[0]
    return [Returned(context.booleans.chosen_truth(test, *wheres), end.scope, end.value)]


def _returned_on(context: Context, end: PathEnd, count: int) -> Returned | None:
    """Where the function returns on a path, and what."""
    where, early = literal(True), end.scope.returned
    if not end.has_returned:
        if len(early) == count:
            return None
        *_, last = early
        where = last.where
        for one in reversed(early[count:-1]):
            where = context.booleans.either(one.where, where)
        end = PathEnd(Scope(last.scope.bindings, last.scope.written, early[:-1]), last.value)
    chosen = _chosen(context, end, count)
    return Returned(where, chosen.scope, chosen.value)
