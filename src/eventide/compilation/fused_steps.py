"""A step of a small flow as a function of its own: stages, sums and laws in one piece, so that states and rates stay in
registers; another completes a step that is taken although it is not accurate.

Each sum has the operations and the order of `engine/stepper.py`, which does the same for flows of any size; what is
known here is how many slots there are, which laws run, and the method's weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.engine.codes import (
    ABS,
    E0,
    E2,
    END_FIRST,
    ERROR_ORDER,
    ERROR_STAGE,
    ESTIMATE,
    FIRST_STAGE,
    MIDDLE,
    REL,
    RESULT,
    SCALE_STAGE,
    STAGES,
    Y0,
    Y2,
    Coefficients,
    K,
    R,
    Y,
)
from eventide.engine.records import LawRecord
from eventide.engine.stepper import HUGE
from eventide.native.ir import MARKS, NAN, SELDOM, ZERO, Builder, Instruction, Wire, real
from eventide.native.method_kernels import table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    return bool(method.sizes[FIRST_STAGE] == 1 and not np.triu(method.table[:stages, :stages]).any())


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


class _Step:
    """The instructions of one of the two functions.

    starts, rests   the states at the step's start, and what rounding took from them
    rates           of each stage that has been evaluated
    """

    def __init__(self, method: Coefficients, slots: int, parts: Sequence[Part]) -> None:
        self.method = method
        self.stages = int(method.sizes[STAGES])
        self.slots = range(slots)
        self.parts = parts
        self.builder = Builder()
        self.builder.enter(self.builder.block())
        self.start, self.rest, self.before, self.step, self.end = (
            Wire(self.builder, f"%{name}") for name in ("start", "rest", "before", "step", "end")
        )
        self._take_rows()
        self._places: dict[tuple[int, int | None], str] = {}
        self.starts = self.row(Y0)
        self.rests = self.row(E0)
        self.rates: dict[int, list[Wire]] = {}

    # --- memory ---------------------------------------------------------------------------------------------------

    def _take_rows(self) -> None:
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

    def address(self, row: int, slot: int | None = None) -> str:
        """Where a row of slots begins, or a number of the flow stands."""
        if (row, slot) not in self._places:
            if slot is None:
                found = self.builder.address("double", "%rows", self.builder.value("mul", "i64", "%width", row))
            else:
                index = self.builder.value("add", "i64", "%low", slot)
                found = self.builder.address("double", self.address(row), index)
            self._places[row, slot] = found
        return self._places[row, slot]

    def row(self, row: int) -> list[Wire]:
        """The numbers of the flow in a row."""
        return [Wire(self.builder, self.builder.get("double", self.address(row, slot))) for slot in self.slots]

    def store(self, row: int, values: list[Wire]) -> None:
        """Set a row for the slots of the flow."""
        for slot, value in zip(self.slots, values, strict=True):
            self.builder.put("double", value.text, self.address(row, slot))

    def clear(self, row: int) -> None:
        """Set a row to zero; before states are stored, as it is not known here that rows lie apart."""
        self.store(row, [Wire(self.builder, ZERO)] * len(self.slots))

    # --- parts of a step ------------------------------------------------------------------------------------------

    def combined(self, row: int, columns: int) -> list[Wire]:
        """Step * weights . rates for each slot: as `combine`, before anything is added."""
        weights = [(j, float(self.method.table[row, j])) for j in range(columns)]
        kept = [(j, weight * self.step) for j, weight in weights if weight != 0.0]
        totals = [Wire(self.builder, ZERO)] * len(self.slots)
        for j, weight in kept:
            totals = [total + weight * rate for total, rate in zip(totals, self.rates[j], strict=True)]
        return totals

    def run_laws(self, time: Wire, elapsed: Wire, row: int) -> list[Wire]:
        """Evaluate the laws; their rates."""
        builder = self.builder
        instant = time.unless(self.before.test("olt", time), self.before)
        clock = [("double", wire.text) for wire in (instant, elapsed, self.start)]
        rows = [("ptr", self.address(each)) for each in (Y, row, Y0)]
        for k, part in enumerate(self.parts):
            index = [("ptr", f"%row{k}"), ("ptr", "%here"), ("i64", "1"), ("ptr", "%lists")]
            code = builder.call("i64", f"@law{k}", *clock, *rows, *index)
            if part.lowered.raises:
                self._leave_if(builder.value("icmp ne", "i64", code, 0), NAN)
        return self.row(row)

    def _leave_if(self, test: str, answer: str) -> None:
        """Return where a law has met what only Python does, for one: the step is then made in the general way."""
        leaving, going_on = self.builder.block(), self.builder.block()
        self.builder.branch(test, leaving, going_on, SELDOM)
        self.builder.enter(leaving)
        self.builder.finish("double", answer)
        self.builder.enter(going_on)

    def run_stage(self, stage: int) -> None:
        """Form the argument of one stage and evaluate the laws there."""
        totals = self.combined(stage, stage)
        states = [self.starts[i] + (self.rests[i] + totals[i]) for i in self.slots]
        self.clear(K + stage)
        if stage == self.method.sizes[SCALE_STAGE]:
            self.store(MIDDLE, states)
        self.store(Y, states)
        elapsed = float(self.method.nodes[stage]) * self.step
        self.rates[stage] = self.run_laws(self.start + (self.rest + elapsed), elapsed, K + stage)

    def reach_end(self) -> None:
        """Form the states at the end by a two-sum and evaluate the laws there."""
        ends, rests = [], []
        for i, total in zip(self.slots, self.combined(self.stages + RESULT, self.stages), strict=True):
            increment = self.rests[i] + total
            end = self.starts[i] + increment
            part = end - self.starts[i]
            rests.append((self.starts[i] - (end - part)) + (increment - part))
            ends.append(end)
        self.clear(R)
        self.store(E2, rests)
        self.store(Y2, ends)
        if self.method.sizes[SCALE_STAGE] == self.stages:
            self.store(MIDDLE, ends)
        self.store(Y, ends)
        self.rates[self.stages] = self.run_laws(self.end, self.step, R)
        self.store(K + self.stages, self.rates[self.stages])

    def compare(self) -> Wire:
        """The smallest ratio of tolerance to error, as `error_ratio`; where it was met is noted."""
        builder, columns = self.builder, int(self.method.sizes[ERROR_STAGE] + self.method.sizes[END_FIRST])
        errors = self.combined(self.stages + ESTIMATE, columns)
        ratio = Wire(builder, real(2.0 ** (float(self.method.sizes[ERROR_ORDER]) + 2.0)))
        builder.put("i64", "-1", "%worst")
        absolute, relative, middle = self.row(ABS), self.row(REL), self.row(MIDDLE)
        for i, error in zip(self.slots, errors, strict=True):
            size = error.machine("fabs")
            tolerance = absolute[i].machine("fabs") + (relative[i] * middle[i]).machine("fabs")
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

    def finish(self) -> str:
        """Evaluate what is left of the stages and the end; whether all rates there are finite."""
        if self.method.sizes[END_FIRST] == 0:
            for stage in range(int(self.method.sizes[ERROR_STAGE]), self.stages):
                self.run_stage(stage)
            self.reach_end()
        is_finite = "true"
        for rate in self.rates[self.stages]:
            is_finite = self.builder.value("and", "i1", is_finite, rate.machine("fabs").test("olt", HUGE))
        return is_finite

    # --- the two functions ----------------------------------------------------------------------------------------

    def attempt(self) -> str:
        """What stands for `attempt`: the stages until the error is known, those after it if that is small enough, and
        the ratio; less than zero if the step is accurate and rates at its end are not finite, NaN if Python is asked.
        """
        self.rates[0] = self.row(K)
        for stage in range(1, int(self.method.sizes[ERROR_STAGE])):
            self.run_stage(stage)
        if self.method.sizes[END_FIRST] == 1:
            self.reach_end()
        ratio = self.compare()
        is_finite = self.finish()
        self.builder.finish("double", self.builder.select(is_finite, "double", ratio.text, (-ratio).text))
        return self._definition("@attempt")

    def complete(self) -> str:
        """What stands for `complete` in a step that is not accurate: the remaining stages, the end, and 1 if all rates
        there are finite; NaN if Python is asked.
        """
        known = self.stages + 1 if self.method.sizes[END_FIRST] == 1 else int(self.method.sizes[ERROR_STAGE])
        self.rates = {stage: self.row(K + stage) for stage in range(known)}
        self.builder.finish("double", self.builder.convert("uitofp", "i1", self.finish(), "double"))
        return self._definition("@complete")

    def _definition(self, name: str) -> str:
        return self.builder.definition(f"define internal double {name}({_ARGUMENTS})")
