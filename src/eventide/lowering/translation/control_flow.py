"""Branches and loops: both paths of a choice, and what is carried round a loop."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eventide.lowering.translation.returns import PathEnd, end_of_path, in_blocks, join_ends
from eventide.lowering.translation.scope import PATH_CONDITION, Edge, Loop, Scope, Shape, join, shape_of
from eventide.lowering.translation.values import Boolean, Item, Number
from eventide.native.ir import INFINITE, NAN

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.lowering.translation.context import Context


def choose(
    context: Context, test: Boolean, then: Callable[[], Item | None], otherwise: Callable[[], Item | None]
) -> Item | None:
    """Go one of two paths; returns what both give, merged."""
    if test.known is not None:
        return then() if test.known else otherwise()
    if context.is_guided:
        chosen = _choose_straight(context, test, then, otherwise)
        if chosen is not None:
            return chosen[0]
    start = context.scope
    blocks = context.builder.block(), context.builder.block()
    context.builder.branch(test.text, *blocks)
    arrivals: list[Edge] = []
    for block, way, is_then in zip(blocks, (then, otherwise), (True, False), strict=True):
        context.builder.enter(block)
        context.scope = start.copy()
        _narrow(context, test, is_then)
        with in_blocks(context):
            value = way()
        if not context.is_dead:
            arrivals.append(context.arrive(value))
    merged = context.merger.merge(arrivals)
    if merged is None:
        return None
    context.scope, value = merged
    if len(arrivals) == 2:
        context.scope.bindings[PATH_CONDITION] = start.path_condition
    return value


def _choose_straight(
    context: Context, test: Boolean, then: Callable[[], Item | None], otherwise: Callable[[], Item | None]
) -> tuple[Item | None] | None:
    """Go both paths, one after the other, and choose among the numbers that they give; None if that cannot be.

    So it is known how a number moves on either path, also where the other is taken.
    """
    start, mark, unbounded = context.scope, context.builder.mark(), context.unbounded
    returned, only_where = len(context.frame.returns) if context.frames else 0, context.builder.only_where
    left = _exits_so_far(context)
    ends: list[PathEnd] = []
    for way, is_then in ((then, True), (otherwise, False)):
        context.scope = start.copy()
        _narrow(context, test, is_then)
        with context.builder.where(test.text, is_then):
            value = way()
        end = end_of_path(context, value, returned)
        if end is None or context.unbounded > unbounded or left != _exits_so_far(context):
            break
        ends.append(end)
    merged = join_ends(context, test, start, *ends) if len(ends) == 2 else None
    if merged is not None:
        if not context.is_dead:
            context.scope = merged[0]
            context.scope.bindings[PATH_CONDITION] = start.path_condition
        return (merged[1],)
    context.builder.return_to(mark)
    context.builder.only_where = only_where
    context.scope, context.unbounded = start, unbounded
    if context.frames:
        del context.frame.returns[returned:]
    for loop, (breaks, continues) in zip(context.loops, left, strict=True):
        del loop.breaks[breaks:], loop.continues[continues:]
    return None


def _exits_so_far(context: Context) -> list[tuple[int, int]]:
    return [(len(loop.breaks), len(loop.continues)) for loop in context.loops]


def _narrow(context: Context, test: Boolean, is_then: bool) -> None:
    """Join the condition of a branch to that of the present path."""
    if not context.is_guided or (test.guide is None and test.slope is None):
        return
    here = Boolean("true", INFINITE, NAN)
    if test.guide is not None:
        turned = test if is_then else context.booleans.opposite(test)
        here = replace(turned, text="true", known=None)
    context.scope.bindings[PATH_CONDITION] = context.booleans.both(context.scope.path_condition, here)


def iterate(
    context: Context,
    assigned: list[str],
    test: Callable[[str], Boolean],
    body: Callable[[str], None],
    first: str = "0",
    step: int = 1,
) -> None:
    """Execute `body` as long as `test` holds; both are told a counter that begins at `first`.

    assigned    the names that the body may give new values
    """
    start, mark = context.scope, context.builder.mark()
    returns = context.frame.returns if context.frames else []
    returned = len(returns)
    names = [*dict.fromkeys(assigned), *([PATH_CONDITION] if context.is_guided else [])]
    shapes: dict[str, Shape | None] = {}
    for name in names:
        item = start.bindings.get(name)
        shapes[name] = shape_of(item) if isinstance(item, Number | Boolean) else None
    while True:
        wider = _attempt(context, start, shapes, test, body, first, step)
        if wider is None:
            return
        # A value turned out to need more than it had at the loop's entry: write the loop again.
        shapes = wider
        context.builder.return_to(mark)
        del returns[returned:]


def _attempt(
    context: Context,
    start: Scope,
    shapes: dict[str, Shape | None],
    test: Callable[[str], Boolean],
    body: Callable[[str], None],
    first: str,
    step: int,
) -> dict[str, Shape | None] | None:
    """Write a loop whose values have the given shapes; returns wider ones if they do not suffice."""
    builder, header = context.builder, context.builder.block()
    context.scope = start.copy()
    first_inside = len(builder.blocks)
    entering = _carried(context, start, shapes)
    before = builder.current
    assert before is not None
    builder.jump(header)
    builder.enter(header)
    names, counter = _name_values(context, shapes), builder.name()
    arrivals, loop = _enter_body(context, test(counter)), _write_body(context, body, counter)
    merged = context.merger.merge(loop.continues)
    ways = [(first, before, entering)]
    if merged is not None:
        wider = _wider(merged[0], shapes)
        if wider != shapes:
            return wider
        returning = _carried(context, merged[0], shapes)
        following = builder.value("add", "i64", counter, step)
        assert builder.current is not None
        ways.append((following, builder.current, returning))
        builder.jump(header)
    builder.merge(header, "i64", [(count, source) for count, source, _ in ways], counter)
    for name, parts in names.items():
        shape = shapes[name]
        assert shape is not None
        for number, kind in enumerate(shape.types):
            values = [(carried[name][number], source) for _, source, carried in ways]
            builder.merge(header, kind, values, parts[number])
    for block in builder.blocks[first_inside:]:
        block.repeats = all(block is not arrival.block for arrival in arrivals)
    after = context.merger.merge([*arrivals, *loop.breaks])
    if after is not None:
        context.scope = after[0]
    return None


def _name_values(context: Context, shapes: dict[str, Shape | None]) -> dict[str, list[str]]:
    """Give names to what is carried around a loop; returns them."""
    names = {name: [context.builder.name() for _ in shape.types] for name, shape in shapes.items() if shape}
    for name, shape in shapes.items():
        if shape is None:
            context.scope.bindings.pop(name, None)
        else:
            context.scope.bindings[name] = context.merger.item(shape, names[name])
    return names


def _write_body(context: Context, body: Callable[[str], None], counter: str) -> Loop:
    """Write what a loop repeats; returns the paths on which it is left or goes on."""
    loop = Loop()
    context.loops.append(loop)
    if not context.is_dead:
        with in_blocks(context):
            body(counter)
    context.loops.pop()
    if not context.is_dead:
        loop.continues.append(context.arrive())
    return loop


def _enter_body(context: Context, test: Boolean) -> list[Edge]:
    """Go on in the body of a loop; returns the path past it."""
    if test.known is True:
        return []
    if test.known is False:
        return [context.arrive()]
    inside, outside = context.builder.block(), context.builder.block()
    context.builder.branch(test.text, inside, outside)
    context.builder.enter(outside)
    arrival = Edge(outside, context.scope.copy())
    context.builder.enter(inside)
    return [arrival]


def _carried(context: Context, scope: Scope, shapes: dict[str, Shape | None]) -> dict[str, list[str]]:
    carried: dict[str, list[str]] = {}
    for name, shape in shapes.items():
        item = scope.bindings.get(name)
        if shape is not None:
            assert isinstance(item, Number | Boolean)
            carried[name] = context.merger.parts(item, shape, scope.path_condition)
    return carried


def _wider(scope: Scope, shapes: dict[str, Shape | None]) -> dict[str, Shape | None]:
    """The shapes that also hold what the names stand for at the end of a loop's body."""
    wider: dict[str, Shape | None] = {}
    for name, shape in shapes.items():
        item = scope.bindings.get(name)
        if shape is None or not isinstance(item, Number | Boolean):
            wider[name] = None
            continue
        joined = join(shape, shape_of(item))
        if (
            isinstance(item, Boolean)
            and item.guide is None
            and name != PATH_CONDITION
            and scope.path_condition.slope is not None
        ):
            joined = replace(joined, has_slope=True)
        wider[name] = joined
    return wider
