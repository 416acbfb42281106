"""Branches and loops: how the code goes on in one of two ways, and round and round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from eventide.lowering.arithmetic import Arithmetic
from eventide.lowering.booleans import Truths
from eventide.lowering.dataflow_merge import GATE, OPEN, Arrival, Flow, Loop, Merger, Shape, join, shape_of
from eventide.lowering.functions import Functions
from eventide.lowering.values import Function, Item, Number, Truth
from eventide.native.ir import INFINITE, NAN, Builder

if TYPE_CHECKING:
    from eventide.lowering.source import Definition


@dataclass
class Frame:
    """One function that is being followed.

    is_entry    whether it is what is lowered, and not called from there
    """

    function: Function
    definition: Definition
    is_entry: bool
    returns: list[Arrival] = field(default_factory=list)


class Ways:
    """Writes branches and loops.

    is_guided   whether guides and slopes are wanted: it is a condition
    flow        what is known where the next instruction goes
    unbounded   how many loops have been written that might never end
    """

    def __init__(self, *, is_guided: bool, exact_pow: bool) -> None:
        self.is_guided = is_guided
        self.builder = Builder()
        self.arithmetic = Arithmetic(self.builder, exact_pow=exact_pow)
        self.truths = Truths(self.arithmetic, is_guided=is_guided)
        self.functions = Functions(self.arithmetic, self.truths)
        self.merger = Merger(self.builder, self.arithmetic, self.truths)
        self.flow = Flow({GATE: OPEN})
        self.frames: list[Frame] = []
        self.loops: list[Loop] = []
        self.unbounded = 0

    @property
    def frame(self) -> Frame:
        """The function that is being followed."""
        return self.frames[-1]

    @property
    def is_dead(self) -> bool:
        """Whether no execution can come here."""
        return self.builder.current is None

    def arrive(self, value: Item | None = None) -> Arrival:
        """The end of the present way; the current block is left open for whoever leads it on."""
        assert self.builder.current is not None
        arrival = Arrival(self.builder.current, self.flow, value)
        self.builder.current = None
        return arrival

    # --- one of two -----------------------------------------------------------------------------------------------

    def choose(self, test: Truth, then: Callable[[], Item | None], otherwise: Callable[[], Item | None]) -> Item | None:
        """Go one of two ways; answers what both give, merged."""
        if test.known is not None:
            return then() if test.known else otherwise()
        if self.is_guided:
            chosen = self._choose_straight(test, then, otherwise)
            if chosen is not None:
                return chosen[0]
        start = self.flow
        blocks = self.builder.block(), self.builder.block()
        self.builder.branch(test.text, *blocks)
        arrivals: list[Arrival] = []
        for block, way, is_then in zip(blocks, (then, otherwise), (True, False), strict=True):
            self.builder.enter(block)
            self.flow = start.copy()
            self._narrow(test, is_then)
            value = way()
            if not self.is_dead:
                arrivals.append(self.arrive(value))
        merged = self.merger.merge(arrivals)
        if merged is None:
            return None
        self.flow, value = merged
        if len(arrivals) == 2:
            self.flow.bindings[GATE] = start.gate
        return value

    def _choose_straight(
        self, test: Truth, then: Callable[[], Item | None], otherwise: Callable[[], Item | None]
    ) -> tuple[Item | None] | None:
        """Go both ways, one after the other, and choose among the numbers that they give; None if that cannot be.

        So it is known how a number moves on either way, also where the other is gone.
        """
        start, mark, unbounded = self.flow, self.builder.mark(), self.unbounded
        returned = len(self.frame.returns) if self.frames else 0
        left = self._left()
        ends: list[tuple[Flow, Item | None]] = []
        for way, is_then in ((then, True), (otherwise, False)):
            self.flow = start.copy()
            self._narrow(test, is_then)
            with self.builder.where(test.text, is_then):
                value = way()
            ways_out = len(self.frame.returns) if self.frames else 0
            if self.is_dead or ways_out > returned or self.unbounded > unbounded or left != self._left():
                break
            ends.append((self.flow, value))
        merged = self.merger.select(test, *ends[0], *ends[1]) if len(ends) == 2 else None
        if merged is not None:
            self.flow, value = merged
            self.flow.bindings[GATE] = start.gate
            return (value,)
        self.builder.return_to(mark)
        self.flow, self.unbounded = start, unbounded
        if self.frames:
            del self.frame.returns[returned:]
        for loop, (breaks, continues) in zip(self.loops, left, strict=True):
            del loop.breaks[breaks:], loop.continues[continues:]
        return None

    def _left(self) -> list[tuple[int, int]]:
        return [(len(loop.breaks), len(loop.continues)) for loop in self.loops]

    def _narrow(self, test: Truth, is_then: bool) -> None:
        """Join the condition of a branch to that of the present way."""
        if not self.is_guided or (test.guide is None and test.slope is None):
            return
        here = Truth("true", INFINITE, NAN)
        if test.guide is not None:
            turned = test if is_then else self.truths.opposite(test)
            here = replace(turned, text="true", known=None)
        self.flow.bindings[GATE] = self.truths.both(self.flow.gate, here)

    # --- loops ----------------------------------------------------------------------------------------------------

    def iterate(
        self,
        assigned: list[str],
        test: Callable[[str], Truth],
        body: Callable[[str], None],
        first: str = "0",
        step: int = 1,
    ) -> None:
        """Execute `body` as long as `test` holds; both are told a counter that begins at `first`.

        assigned    the names that the body may give new values
        """
        start, mark = self.flow, self.builder.mark()
        returns = self.frame.returns if self.frames else []
        returned = len(returns)
        names = [*dict.fromkeys(assigned), *([GATE] if self.is_guided else [])]
        shapes: dict[str, Shape | None] = {}
        for name in names:
            item = start.bindings.get(name)
            shapes[name] = shape_of(item) if isinstance(item, Number | Truth) else None
        while True:
            wider = self._attempt(start, shapes, test, body, first, step)
            if wider is None:
                return
            # A value turned out to need more than it had at the loop's entry: write the loop again.
            shapes = wider
            self.builder.return_to(mark)
            del returns[returned:]

    def _attempt(
        self,
        start: Flow,
        shapes: dict[str, Shape | None],
        test: Callable[[str], Truth],
        body: Callable[[str], None],
        first: str,
        step: int,
    ) -> dict[str, Shape | None] | None:
        """Write a loop whose values have the given shapes; answers wider ones if they do not suffice."""
        builder, header = self.builder, self.builder.block()
        self.flow = start.copy()
        first_inside = len(builder.blocks)
        entering = self._carried(start, shapes)
        before = builder.current
        assert before is not None
        builder.jump(header)
        builder.enter(header)
        names, counter = self._name_values(shapes), builder.name()
        arrivals, loop = self._enter_body(test(counter)), self._write_body(body, counter)
        merged = self.merger.merge(loop.continues)
        ways = [(first, before, entering)]
        if merged is not None:
            wider = _wider(merged[0], shapes)
            if wider != shapes:
                return wider
            returning = self._carried(merged[0], shapes)
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
        after = self.merger.merge([*arrivals, *loop.breaks])
        if after is not None:
            self.flow = after[0]
        return None

    def _name_values(self, shapes: dict[str, Shape | None]) -> dict[str, list[str]]:
        """Give names to what is carried around a loop; answers them."""
        names = {name: [self.builder.name() for _ in shape.types] for name, shape in shapes.items() if shape}
        for name, shape in shapes.items():
            if shape is None:
                self.flow.bindings.pop(name, None)
            else:
                self.flow.bindings[name] = self.merger.item(shape, names[name])
        return names

    def _write_body(self, body: Callable[[str], None], counter: str) -> Loop:
        """Write what a loop repeats; answers the ways on which it is left or goes on."""
        loop = Loop()
        self.loops.append(loop)
        if not self.is_dead:
            body(counter)
        self.loops.pop()
        if not self.is_dead:
            loop.continues.append(self.arrive())
        return loop

    def _enter_body(self, test: Truth) -> list[Arrival]:
        """Go on in the body of a loop; answers the way past it."""
        if test.known is True:
            return []
        if test.known is False:
            return [self.arrive()]
        inside, outside = self.builder.block(), self.builder.block()
        self.builder.branch(test.text, inside, outside)
        self.builder.enter(outside)
        arrival = Arrival(outside, self.flow.copy())
        self.builder.enter(inside)
        return [arrival]

    def _carried(self, flow: Flow, shapes: dict[str, Shape | None]) -> dict[str, list[str]]:
        carried: dict[str, list[str]] = {}
        for name, shape in shapes.items():
            item = flow.bindings.get(name)
            if shape is not None:
                assert isinstance(item, Number | Truth)
                carried[name] = self.merger.parts(item, shape, flow.gate)
        return carried


def _wider(flow: Flow, shapes: dict[str, Shape | None]) -> dict[str, Shape | None]:
    """The shapes that also hold what the names stand for at the end of a loop's body."""
    wider: dict[str, Shape | None] = {}
    for name, shape in shapes.items():
        item = flow.bindings.get(name)
        if shape is None or not isinstance(item, Number | Truth):
            wider[name] = None
            continue
        joined = join(shape, shape_of(item))
        if isinstance(item, Truth) and item.guide is None and name != GATE and flow.gate.slope is not None:
            joined = replace(joined, has_slope=True)
        wider[name] = joined
    return wider
