"""A step of a small flow as a function of its own: stages, sums and laws in one piece, so that states and rates stay in
registers; another completes a step that is taken although it is not accurate.

Both are what `engine/stepper.py` does: its own functions are executed once, with operands of the function that is being
written in place of numbers. What is known here is how many slots there are, which laws run, and the method's weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.engine import stepper
from eventide.engine.codes import (
    ABS,
    END_FIRST,
    ERROR_ORDER,
    ERROR_STAGE,
    ESTIMATE,
    FIRST_STAGE,
    MIDDLE,
    REL,
    STAGES,
    Y0,
    Coefficients,
    P,
    R,
    Y,
)
from eventide.engine.memory.buffers import view_of
from eventide.engine.records import LawRecord
from eventide.engine.stepper import HUGE
from eventide.native.ir import MARKS, NAN, SELDOM, ZERO, Builder, Instruction, Wire, real
from eventide.native.method_kernels import table_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from eventide.lowering.kernels.lowered import Lowered

MOST_SLOTS: Final = 6
MOST_LAWS: Final = 3
"""Larger flows have more to do in a step than to get from one part of it to the next."""
_ARGUMENTS: Final = (
    "ptr noalias readonly %index, ptr noalias readonly %calls, ptr noalias readonly %lists, ptr noalias %worst, "
    "ptr %rows, i64 %width, i64 %low, double %start, double %rest, double %before, double %step, double %end"
)


@dataclass(frozen=True)
class Part:
    """A law of a small flow.

    lowered     its text
    own         for each entry of its index row the place among the flow's slots, None for one that is not of them
    """

    lowered: Lowered
    own: tuple[int | None, ...]


def can_fuse(method: Coefficients) -> bool:
    """Whether each stage follows from those before it, by weights that never change."""
    stages = int(method.sizes[STAGES])
    return bool(method.sizes[FIRST_STAGE] == 1 and not np.triu(np.asarray(method.table)[:stages, :stages]).any())


def fused_text(method: Coefficients, slots: int, parts: Sequence[Part]) -> str:
    """Assembly whose function `@kernel` returns a table of two addresses: what stands for `attempt` and `complete`.

    slots       how many states there are, side by side
    parts       the laws in their order
    """
    laws = [part.lowered.function.inlined(f"@law{k}") for k, part in enumerate(parts)]
    steps = [(_Step(method, slots, parts), name) for name in ("attempt", "complete")]
    texts = [getattr(step, name)() for step, name in steps]
    declared = dict.fromkeys(line for part in parts for line in part.lowered.function.declarations)
    declared.update(dict.fromkeys(line for step, _ in steps for line in step.builder.declarations()))
    return "\n".join([*declared, *laws, *texts, table_of(["@attempt", "@complete"]), MARKS])


EXECUTED: Final = "attempt_stages", "complete_stages", "last_stage", "run_stage", "reach_end", "combine", "copy"
"""The functions of the stepper that are executed as they are."""


class _Slots(Wire):
    """A number of each slot of the flow, its text in a line of its own: an operation is one on each, in their order."""

    __slots__ = ()

    def __rmul__(self, other: Wire | float) -> Wire:  # and so before that of a weight
        return super().__rmul__(other)

    def _join(self, opcode: str, left: str, right: str) -> Wire:
        lines = [text.split("\n") for text in (left, right)]
        pairs = zip(*(texts * (max(map(len, lines)) // len(texts)) for texts in lines), strict=True)
        return _Slots(self._builder, "\n".join([self._builder.value(opcode, "double", *pair) for pair in pairs]))

    @property
    def each(self) -> list[Wire]:
        """The numbers one by one."""
        return [Wire(self._builder, text) for text in self.text.split("\n")]


class _Rows:
    """The rows of the flow, as the stepper indexes them: what is read or set stays in registers."""

    def __init__(self, builder: Builder, slots: int) -> None:
        self._builder = builder
        self._slots = range(slots)
        self._places: dict[tuple[int, int | None], str] = {}
        self._known: dict[int, _Slots] = {}
        self._set: dict[int, None] = {}

    def __getitem__(self, place: tuple[int, int]) -> _Slots:
        row, _ = place
        return self._known[row] if row in self._known else self.load(row)

    def __setitem__(self, place: tuple[int, int], value: _Slots | float) -> None:
        row, _ = place
        if not isinstance(value, _Slots):
            value = _Slots(self._builder, "\n".join([real(value)] * len(self._slots)))
        self._known[row] = value
        self._set[row] = None

    def load(self, row: int) -> _Slots:
        """Read a row that is in memory now."""
        texts = [self._builder.get("double", self.address(row, slot)) for slot in self._slots]
        self._known[row] = found = _Slots(self._builder, "\n".join(texts))
        return found

    def store(self) -> None:
        """Write to memory what has been set since, but for the error, which nothing reads there."""
        for row in sorted(self._set, reverse=True):  # so most methods need fewer registers
            if row != P:
                self.put(row, self._known[row].each)
        self._set.clear()

    def put(self, row: int, wires: Iterable[Wire]) -> None:
        """Write a row to memory."""
        for slot, wire in zip(self._slots, wires, strict=True):
            self._builder.put("double", wire.text, self.address(row, slot))

    def address(self, row: int, slot: int | None = None) -> str:
        """Where a row of slots begins, or a number of the flow is."""
        if (row, slot) not in self._places:
            if slot is None:
                found = self._builder.address("double", "%rows", self._builder.value("mul", "i64", "%width", row))
            else:
                index = self._builder.value("add", "i64", "%low", slot)
                found = self._builder.address("double", self.address(row), index)
            self._places[row, slot] = found
        return self._places[row, slot]


class _Step:
    """The arrays of a flow whose step is written: one of the two functions.

    method, flow, segments, rows    as in `Arrays`: the only flow is number 0, and its slots are one of the stepper's
    """

    def __init__(self, method: Coefficients, slots: int, parts: Sequence[Part]) -> None:
        self.slots = slots
        self.parts = parts
        self.builder = Builder()
        self.builder.enter(self.builder.block())
        start, rest, self.before, self.end = (
            Wire(self.builder, f"%{name}") for name in ("start", "rest", "before", "end")
        )
        self.step = Wire(self.builder, "%step")
        sizes, nodes, table = method.sizes.tolist(), method.nodes.tolist(), view_of(np.asarray(method.table))
        self.method = SimpleNamespace(sizes=sizes, nodes=nodes, table=table)
        self.flow = SimpleNamespace(start=[start], start_rest=[rest], past_step=[0.0], segments_lo=[0], segments_hi=[1])
        self.segments = np.array([[0, 1]])
        self.rows = _Rows(self.builder, slots)
        self._take_index_rows()
        names = {**vars(stepper), "run_laws": self._run_laws, "error_ratio": self._compare, "keep_end": self._end}
        for name in EXECUTED:
            names[name] = FunctionType(names[name].__code__, names)
        self.stepper = SimpleNamespace(**names)

    def _take_index_rows(self) -> None:
        """Copy each law's index row, in which what is the flow's own is known by its place."""
        builder = self.builder
        builder.do(Instruction("alloca", "i64", result="%here"))
        builder.put("i64", "0", "%here")
        for k, part in enumerate(self.parts):
            builder.do(Instruction("alloca", f"[{max(len(part.own), 1)} x i64]", result=f"%row{k}"))
            given = builder.load("i64", "%calls", str(k * LawRecord.widths["ints"]))
            for number, place in enumerate(part.own):
                if place is None:
                    entry = builder.load("i64", builder.address("i64", "%index", given), str(number))
                else:
                    entry = builder.value("add", "i64", "%low", place)
                builder.store("i64", entry, f"%row{k}", str(number))

    # --- what the stepper calls ---------------------------------------------------------------------------------------

    def _run_laws(self, _: object, flow: int, time: Wire, elapsed: Wire, row: int) -> None:
        """As `run_laws`. Rates are zeroed before states are stored, as it is not known here that rows lie apart."""
        builder = self.builder
        self.rows.put(row, [Wire(builder, ZERO)] * self.slots)
        self.rows.store()
        instant = time.unless(self.before.test("olt", time), self.before)
        clock = [("double", wire.text) for wire in (instant, elapsed, self.flow.start[flow])]
        rows = [("ptr", self.rows.address(each)) for each in (Y, row, Y0)]
        for k, part in enumerate(self.parts):
            index = [("ptr", f"%row{k}"), ("ptr", "%here"), ("i64", "1"), ("ptr", "%lists")]
            code = builder.call("i64", f"@law{k}", *clock, *rows, *index)
            if part.lowered.raises:
                self._leave_if(builder.value("icmp ne", "i64", code, 0), NAN)
        self.rows.load(row)

    def _leave_if(self, test: str, answer: str) -> None:
        """Return where a law has met what only Python does, for one: the step is then made in the general way."""
        leaving, going_on = self.builder.block(), self.builder.block()
        self.builder.branch(test, leaving, going_on, SELDOM)
        self.builder.enter(leaving)
        self.builder.finish("double", answer)
        self.builder.enter(going_on)

    def _compare(self, _: object, flow: int, step: Wire) -> Wire:
        """The smallest ratio of tolerance to error, as `error_ratio`; left at once if the step is refused."""
        builder, sizes = self.builder, self.method.sizes
        self.rows.store()
        columns = sizes[ERROR_STAGE] + sizes[END_FIRST]
        self.stepper.combine(self, flow, sizes[STAGES] + ESTIMATE, columns, step, P, False)
        ratio = Wire(builder, real(2.0 ** (sizes[ERROR_ORDER] + 2.0)))
        builder.put("i64", "-1", "%worst")
        rows = (self.rows[P, 0].each, *(self.rows.load(row).each for row in (ABS, REL, MIDDLE)))
        for i, (error, absolute, relative, middle) in enumerate(zip(*rows, strict=True)):
            size = error.machine("fabs")
            tolerance = absolute.machine("fabs") + (relative * middle).machine("fabs")
            is_worse = (size * ratio).test("ugt", tolerance)
            before, worse_here, following = builder.current, builder.block(), builder.block()
            builder.branch(is_worse, worse_here, following)
            builder.enter(worse_here)
            builder.put("i64", builder.value("add", "i64", "%low", i), "%worst")
            is_known = builder.value("and", "i1", size.test("ogt", 0.0), size.test("olt", HUGE))
            worse = Wire(builder, ZERO).unless(is_known, tolerance / size)
            self._leave_if(worse.test("ule", 0.0), ZERO)
            after = builder.current
            assert before is not None
            assert after is not None
            builder.jump(following)
            builder.enter(following)
            ratio = Wire(builder, builder.merge(following, "double", [(ratio.text, before), (worse.text, after)]))
        self._leave_if(ratio.test("ult", 1.0), ratio.text)
        return ratio

    def _end(self, _: object, __: int) -> str:
        """As `keep_end`, of laws that assign no states: whether all rates at the end are finite."""
        self.rows.store()
        is_finite = "true"
        for rate in self.rows[R, 0].each:
            is_finite = self.builder.value("and", "i1", is_finite, rate.machine("fabs").test("olt", HUGE))
        return is_finite

    # --- the two functions --------------------------------------------------------------------------------------------

    def attempt(self) -> str:
        """What stands for `attempt`: the stages until the error is known, those after it if that is small enough, and
        the ratio; less than zero if the step is accurate and rates at its end are not finite, NaN if Python is asked.
        """
        ratio = self.stepper.attempt_stages(self, 0, self.step, self.end)
        is_finite = self.stepper.complete_stages(self, 0, self.step, self.end)
        self.builder.finish("double", self.builder.select(is_finite, "double", ratio.text, (-ratio).text))
        return self._definition("@attempt")

    def complete(self) -> str:
        """What stands for `complete` in a step that is not accurate: the remaining stages, the end, and 1 if all rates
        there are finite; NaN if Python is asked.
        """
        is_finite = self.stepper.complete_stages(self, 0, self.step, self.end)
        self.builder.finish("double", self.builder.convert("uitofp", "i1", is_finite, "double"))
        return self._definition("@complete")

    def _definition(self, name: str) -> str:
        return self.builder.definition(f"define internal double {name}({_ARGUMENTS})")
