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
from eventide.native.ir import MARKS, NAN, SELDOM, real
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
    """Assembly whose function `@kernel` answers a table of two addresses: what stands for `attempt` and `complete`.

    slots       how many states there are, side by side
    parts       the laws in their order
    """
    laws = [part.lowered.function.inlined(f"@law{k}") for k, part in enumerate(parts)]
    declared = dict.fromkeys(line for part in parts for line in part.lowered.function.declarations)
    declared["declare double @llvm.fabs.f64(double)"] = None
    texts = [_Step(method, slots, parts).attempt(), _Step(method, slots, parts).complete()]
    return "\n".join([*declared, *laws, *texts, table_of(["@attempt", "@complete"]), MARKS])


class _Step:
    """The instructions of one of the two functions; its values are named once.

    starts, rests   the states at the step's start, and what rounding took from them
    rates           of each stage that has been evaluated
    """

    def __init__(self, method: Coefficients, slots: int, parts: Sequence[Part]) -> None:
        self.method = method
        self.stages = int(method.sizes[STAGES])
        self.slots = range(slots)
        self.parts = parts
        self.lines: list[str] = []
        self.names = 0
        self._places: dict[tuple[int, int | None], str] = {}
        self.starts = [self.load(Y0, i) for i in self.slots]
        self.rests = [self.load(E0, i) for i in self.slots]
        self.rates: dict[int, list[str]] = {}

    # --- words ----------------------------------------------------------------------------------------------------

    def value(self, instruction: str) -> str:
        """Write an instruction; answers the name of its value."""
        self.names += 1
        self.lines.append(f"%f{self.names} = {instruction}")
        return f"%f{self.names}"

    def join(self, operation: str, one: str, other: str) -> str:
        """An operation on two numbers."""
        return self.value(f"{operation} double {one}, {other}")

    def row(self, row: int) -> str:
        """Where a row of slots begins."""
        if (row, None) not in self._places:
            skipped = self.value(f"mul i64 %width, {row}")
            self._places[row, None] = self.value(f"getelementptr double, ptr %rows, i64 {skipped}")
        return self._places[row, None]

    def place(self, row: int, slot: int) -> str:
        """Where a number of the flow stands."""
        if (row, slot) not in self._places:
            index = self.value(f"add i64 %low, {slot}")
            self._places[row, slot] = self.value(f"getelementptr double, ptr {self.row(row)}, i64 {index}")
        return self._places[row, slot]

    def load(self, row: int, slot: int) -> str:
        """A number of the flow."""
        return self.value(f"load double, ptr {self.place(row, slot)}")

    def store(self, row: int, values: list[str]) -> None:
        """Set a row for the slots of the flow."""
        for slot, value in zip(self.slots, values, strict=True):
            self.lines.append(f"store double {value}, ptr {self.place(row, slot)}")

    def least(self, one: str, other: str) -> str:
        """What `min` gives."""
        is_less = self.value(f"fcmp olt double {other}, {one}")
        return self.value(f"select i1 {is_less}, double {other}, double {one}")

    def size(self, number: str) -> str:
        """The absolute value."""
        return self.value(f"call double @llvm.fabs.f64(double {number})")

    # --- parts of a step ------------------------------------------------------------------------------------------

    def combined(self, row: int, columns: int) -> list[str]:
        """Step * weights . rates for each slot: as `combine`, before anything is added."""
        weights = [(j, float(self.method.table[row, j])) for j in range(columns)]
        kept = [(j, self.join("fmul", real(w), "%step")) for j, w in weights if w != 0.0]
        totals = [real(0.0)] * len(self.slots)
        for j, weight in kept:
            for i in self.slots:
                totals[i] = self.join("fadd", totals[i], self.join("fmul", weight, self.rates[j][i]))
        return totals

    def known(self, stages: range) -> None:
        """Take up the rates of stages that have been evaluated before."""
        for stage in stages:
            self.rates[stage] = [self.load(K + stage, i) for i in self.slots]

    def clear(self, row: int) -> None:
        """Set a row to zero; before states are stored, as it is not known here that rows lie apart."""
        self.store(row, [real(0.0)] * len(self.slots))

    def run_laws(self, time: str, elapsed: str, row: int) -> list[str]:
        """Evaluate the laws; their rates."""
        instant = self.least(time, "%before")
        rows = ", ".join(f"ptr {self.row(each)}" for each in (Y, row, Y0))
        for k in range(len(self.parts)):
            clock = f"double {instant}, double {elapsed}, double %start"
            rest = f"ptr %row{k}, ptr %here, i64 1, ptr %lists"
            code = self.value(f"call i64 @law{k}({clock}, {rows}, {rest})")
            if self.parts[k].lowered.raises:
                self.leave_if(self.value(f"icmp ne i64 {code}, 0"))
        return [self.load(row, i) for i in self.slots]

    def leave_if(self, test: str) -> None:
        """Answer NaN where a law has met what only Python does: the step is then made in the general way."""
        place = len(self.lines)
        self.lines += [f"br i1 {test}, label %asks{place}, label %goes{place}, {SELDOM}"]
        self.lines += [f"asks{place}:", f"ret double {NAN}", f"goes{place}:"]

    def run_stage(self, stage: int) -> None:
        """Form the argument of one stage and evaluate the laws there."""
        totals = self.combined(stage, stage)
        states = [self.join("fadd", self.starts[i], self.join("fadd", self.rests[i], totals[i])) for i in self.slots]
        self.clear(K + stage)
        if stage == self.method.sizes[SCALE_STAGE]:
            self.store(MIDDLE, states)
        self.store(Y, states)
        elapsed = self.join("fmul", real(float(self.method.nodes[stage])), "%step")
        time = self.join("fadd", "%start", self.join("fadd", "%rest", elapsed))
        self.rates[stage] = self.run_laws(time, elapsed, K + stage)

    def reach_end(self) -> None:
        """Form the states at the end by a two-sum and evaluate the laws there."""
        ends, rests = [], []
        for i, total in zip(self.slots, self.combined(self.stages + RESULT, self.stages), strict=True):
            increment = self.join("fadd", self.rests[i], total)
            end = self.join("fadd", self.starts[i], increment)
            part = self.join("fsub", end, self.starts[i])
            lost = self.join("fsub", self.starts[i], self.join("fsub", end, part))
            rests.append(self.join("fadd", lost, self.join("fsub", increment, part)))
            ends.append(end)
        self.clear(R)
        self.store(E2, rests)
        self.store(Y2, ends)
        if self.method.sizes[SCALE_STAGE] == self.stages:
            self.store(MIDDLE, ends)
        self.store(Y, ends)
        self.rates[self.stages] = self.run_laws("%end", "%step", R)
        self.store(K + self.stages, self.rates[self.stages])

    def compare(self) -> str:
        """The smallest ratio of tolerance to error, as `error_ratio`; where it was met is noted."""
        columns = int(self.method.sizes[ERROR_STAGE] + self.method.sizes[END_FIRST])
        errors = self.combined(self.stages + ESTIMATE, columns)
        ratio, block = real(2.0 ** (float(self.method.sizes[ERROR_ORDER]) + 2.0)), "tested"
        self.lines += ["store i64 -1, ptr %worst", "br label %tested", "tested:"]
        for i, error in zip(self.slots, errors, strict=True):
            size = self.size(error)
            relative = self.size(self.join("fmul", self.load(REL, i), self.load(MIDDLE, i)))
            tolerance = self.join("fadd", self.size(self.load(ABS, i)), relative)
            is_worse = self.value(f"fcmp ugt double {self.join('fmul', size, ratio)}, {tolerance}")
            self.lines += [f"br i1 {is_worse}, label %worse{i}, label %next{i}", f"worse{i}:"]
            self.lines.append(f"store i64 {self.value(f'add i64 %low, {i}')}, ptr %worst")
            is_known = self.value(
                f"and i1 {self.value(f'fcmp ogt double {size}, {real(0.0)}')}, "
                f"{self.value(f'fcmp olt double {size}, {real(HUGE)}')}"
            )
            share = self.join("fdiv", tolerance, size)
            worse = self.value(f"select i1 {is_known}, double {share}, double {real(0.0)}")
            is_some = self.value(f"fcmp ogt double {worse}, {real(0.0)}")
            self.lines += [f"br i1 {is_some}, label %next{i}, label %none", f"next{i}:"]
            ratio = self.value(f"phi double [ {ratio}, %{block} ], [ {worse}, %worse{i} ]")
            block = f"next{i}"
        is_accurate = self.value(f"fcmp oge double {ratio}, {real(1.0)}")
        self.lines += [f"br i1 {is_accurate}, label %accurate, label %refused"]
        self.lines += ["refused:", f"ret double {ratio}", "none:", f"ret double {real(0.0)}", "accurate:"]
        return ratio

    def finish(self) -> str:
        """Evaluate what is left of the stages and the end; whether all rates there are finite."""
        if self.method.sizes[END_FIRST] == 0:
            for stage in range(int(self.method.sizes[ERROR_STAGE]), self.stages):
                self.run_stage(stage)
            self.reach_end()
        is_finite = "true"
        for rate in self.rates[self.stages]:
            is_small = self.value(f"fcmp olt double {self.size(rate)}, {real(HUGE)}")
            is_finite = self.value(f"and i1 {is_finite}, {is_small}")
        return is_finite

    # --- the two functions ----------------------------------------------------------------------------------------

    def attempt(self) -> str:
        """What stands for `attempt`: the stages until the error is known, those after it if that is small enough, and
        the ratio; less than zero if the step is accurate and rates at its end are not finite, NaN if Python is asked.
        """
        self.known(range(1))
        for stage in range(1, int(self.method.sizes[ERROR_STAGE])):
            self.run_stage(stage)
        if self.method.sizes[END_FIRST] == 1:
            self.reach_end()
        ratio = self.compare()
        is_finite, opposite = self.finish(), self.value(f"fneg double {ratio}")
        self.lines.append(f"ret double {self.value(f'select i1 {is_finite}, double {ratio}, double {opposite}')}")
        return self._function("@attempt")

    def complete(self) -> str:
        """What stands for `complete` in a step that is not accurate: the remaining stages, the end, and 1 if all rates
        there are finite; NaN if Python is asked.
        """
        known = self.stages + 1 if self.method.sizes[END_FIRST] == 1 else int(self.method.sizes[ERROR_STAGE])
        self.known(range(known))
        self.lines.append(f"ret double {self.value(f'uitofp i1 {self.finish()} to double')}")
        return self._function("@complete")

    def _function(self, name: str) -> str:
        lines = ["%here = alloca i64", "store i64 0, ptr %here"]
        for k, part in enumerate(self.parts):
            lines += self._index_row(k, part.own)
        return "\n".join([f"define internal double {name}({_ARGUMENTS}) {{", "entry:", *lines, *self.lines, "}", ""])

    @staticmethod
    def _index_row(k: int, own: tuple[int | None, ...]) -> list[str]:
        """A copy of a law's index row in which what is the flow's own is known by its place."""
        lines = [
            f"%row{k} = alloca [{max(len(own), 1)} x i64]",
            f"%call{k}.at = getelementptr i64, ptr %calls, i64 {k * LawRecord.widths['ints']}",
            f"%call{k} = load i64, ptr %call{k}.at",
            f"%given{k} = getelementptr i64, ptr %index, i64 %call{k}",
        ]
        for number, place in enumerate(own):
            entry = f"%entry{k}.{number}"
            if place is None:
                lines += [
                    f"{entry}.at = getelementptr i64, ptr %given{k}, i64 {number}",
                    f"{entry} = load i64, ptr {entry}.at",
                ]
            else:
                lines.append(f"{entry} = add i64 %low, {place}")
            lines.append(f"{entry}.to = getelementptr i64, ptr %row{k}, i64 {number}")
            lines.append(f"store i64 {entry}, ptr {entry}.to")
        return lines
