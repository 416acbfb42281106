"""A method's tableau as native code: one function for each combination of rates, with its weights as constants.

In: `Coefficients`. Out: assembly, and a table of addresses. Four slots are computed at once, each by the same
operations in the same order as in `engine/stepper.py`, so that the bits are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from eventide.engine.codes import (
    DEGREE,
    DENSE,
    E0,
    ESTIMATE,
    EXTRA,
    HIGHEST,
    IMPLICIT,
    ITERATED,
    LOWEST,
    RESULT,
    STAGES,
    Y0,
    Y2,
    Coefficients,
    K,
    P,
    R,
    Y,
)
from eventide.engine.taylor_arithmetic import UNIT
from eventide.native.gathering import WRITTEN_OUT, gathered
from eventide.native.ir import real

LANES: Final = 4
"""The number of slots that are computed together."""
_AS_IT_STANDS = """
!0 = !{}
!1 = distinct !{!1, !2, !3}
!2 = !{!"llvm.loop.vectorize.enable", i1 false}
!3 = !{!"llvm.loop.unroll.disable"}
"""
"""The empty node of `INVARIANT`, and the mark of a loop of three turns at most, which is not worth unrolling."""


def method_text(method: Coefficients) -> str:
    """A method as assembly. Its function `@kernel` returns a table of the addresses of `kernels_of`."""
    stages, degree, implicit = (int(method.sizes[k]) for k in (STAGES, DEGREE, IMPLICIT))
    own = {function.__name__: function for function in WRITTEN_OUT}
    texts = [*gathered(own, sizes=method.sizes.tolist()), "\n"]
    combinations = []
    for row, weights in enumerate(method.table):
        kept = [(K + j, float(weight)) for j, weight in enumerate(weights) if weight != 0.0]
        combinations.append((kept, _target(row, stages, degree, implicit)))
    for row, (kept, target) in enumerate(combinations):
        texts.append(_function(f"@row{row}", partial(_Combination, [(kept, target)], onto_start=target == Y)))
    assert len(combinations) == stages + DENSE + degree + int(method.sizes[EXTRA]) + ITERATED * implicit
    dense = combinations[stages + DENSE : stages + DENSE + degree]
    texts.append(_function("@fitting", partial(_Combination, dense, onto_start=False)))
    texts.append(_function("@interpolant", partial(_Interpolant, degree, Y)))
    texts.append(_function("@motion", partial(_Interpolant, degree, Y, R)))
    texts.append(_function("@bounds", partial(_Bounds, degree)))
    return "".join(texts) + table_of(kernels_of(method)) + _AS_IT_STANDS


def kernels_of(method: Coefficients) -> list[str]:
    """The names of a method's functions: those that are written out, the coefficients of the interpolant, the
    interpolant, the same with its derivative, its bounds, and each row of the table.
    """
    rows = (f"@row{row}" for row in range(len(method.table)))
    return [
        *(f"@{function.__name__}" for function in WRITTEN_OUT),
        "@fitting",
        "@interpolant",
        "@motion",
        "@bounds",
        *rows,
    ]


def table_of(names: list[str]) -> str:
    """The assembly of a table of the addresses of functions, and of `@kernel`, which returns its address."""
    table = f"@entries = internal constant [{len(names)} x ptr] [{', '.join(f'ptr {name}' for name in names)}]"
    return table + "\n\ndefine ptr @kernel() {\n  ret ptr @entries\n}\n"


def _target(row: int, stages: int, degree: int, implicit: int) -> int:
    """The row of slots that a row of the table is for; the error estimate is left in P."""
    first = stages + DENSE
    if implicit and row >= first + degree:
        part, number = divmod(row - first - degree, implicit)
        return (K + 1, K + 1, K + stages + 1 + implicit)[part] + number
    if row < stages or row >= first + degree:
        return Y
    return P + row - first if row >= first else {RESULT: Y2, ESTIMATE: P}[row - stages]


class _Lanes:
    """The instructions for one group of slots, or for a single one.

    kind    of the group: a vector or a number
    """

    def __init__(self, *, is_single: bool) -> None:
        self.is_single = is_single
        self.kind = "double" if is_single else f"<{LANES} x double>"
        self.nothing = real(0.0) if is_single else "zeroinitializer"
        self.setup: list[str] = []
        self.answers: dict[int, str] = {}
        """What is to be stored, by row."""
        self.lines: list[str] = []
        self.used: list[int] = []
        self._names = 0

    def do(self, instruction: str) -> str:
        """Write an instruction; returns the name of its value."""
        self._names += 1
        name = f"{self.mark}{self._names}"
        self.lines.append(f"{name} = {instruction}")
        return name

    @property
    def mark(self) -> str:
        """What the names of its values begin with."""
        return "%s" if self.is_single else "%w"

    def each(self, operation: str, one: str, other: str) -> str:
        """An operation on every slot of the group."""
        return self.do(f"{operation} {self.kind} {one}, {other}")

    def same(self, name: str, product: str) -> str:
        """A number that is the same for every slot: its value, to be computed once."""
        one = f"{self.mark}.{name}"
        self.setup.append(f"{one}.one = fmul double {product}")
        if self.is_single:
            return f"{one}.one"
        self.setup += [
            f"{one}.first = insertelement {self.kind} poison, double {one}.one, i64 0",
            f"{one} = shufflevector {self.kind} {one}.first, {self.kind} poison, <{LANES} x i32> zeroinitializer",
        ]
        return one

    def row(self, row: int) -> str:
        """The items of a row of slots."""
        if row not in self.used:
            self.used.append(row)
        return f"{self.mark}row{row}"

    def onto_start(self, total: str) -> str:
        """The states at the start of the step, and an increment."""
        return self.each("fadd", self.row(Y0), self.each("fadd", self.row(E0), total))

    def group(self, place: str) -> list[str]:
        """The lines for the group that begins at a place."""
        rows = sorted({*self.used, *self.answers})
        at = f"{self.mark}at"
        return [
            *(f"{at}{row} = getelementptr inbounds double, ptr %start{row}, i64 {place}" for row in rows),
            *(f"{self.row(row)} = load {self.kind}, ptr {at}{row}, align 8" for row in self.used),
            *self.lines,
            *(f"store {self.kind} {answer}, ptr {at}{row}, align 8" for row, answer in self.answers.items()),
        ]


class _Combination(_Lanes):
    """Factor * weights . rates for each of some rows, onto the states at the start or not."""

    def __init__(
        self, rows: Sequence[tuple[list[tuple[int, float]], int]], *, onto_start: bool, is_single: bool
    ) -> None:
        super().__init__(is_single=is_single)
        for kept, target in rows:
            total = self.nothing
            for k, (row, weight) in enumerate(kept):
                factor = self.same(f"weight{k}.{target}", f"{real(weight)}, %factor")
                total = self.each("fadd", total, self.each("fmul", factor, self.row(row)))
            self.answers[target] = self.onto_start(total) if onto_start else total


class _Interpolant(_Lanes):
    """The interpolant at a fraction of the step, `scale` times its derivative there, or both, by Horner's rule."""

    def __init__(self, degree: int, *rows: int, is_single: bool) -> None:
        super().__init__(is_single=is_single)
        self.degree = degree
        self.theta = self.same("theta", f"{real(1.0)}, %factor")
        if Y in rows:
            self.answers[Y] = self._value()
        if R in rows:
            self.answers[R] = self._derivative()

    def _value(self) -> str:
        total = self.nothing
        for m in range(self.degree - 1, -1, -1):
            total = self.each("fmul", self.theta, self.each("fadd", total, self.row(P + m)))
        return self.onto_start(total)

    def _derivative(self) -> str:
        total = self.nothing
        for m in range(self.degree - 1, -1, -1):
            times = self.same(f"times{m}", f"{real(1.0)}, {real(m + 1.0)}")
            term = self.each("fmul", times, self.row(P + m))
            total = self.each("fadd", self.each("fmul", self.theta, total), term)
        return self.each("fmul", self.same("by", f"{real(1.0)}, %scale"), total)


class _Bounds(_Lanes):
    """Lower and upper bound of the interpolant, computed as `bounds_of` in `engine/guard_screening.py` does."""

    def __init__(self, degree: int, *, is_single: bool) -> None:
        super().__init__(is_single=is_single)
        start, end, change, bend = self.row(Y0), self.row(Y2), self.row(P), self.nothing
        for m in range(1, degree):
            change = self.each("fadd", change, self.row(P + m))
            bend = self.each("fadd", bend, self._size(self.row(P + m)))
        sizes = self.each("fadd", self._size(start), self._size(change))
        sizes = self.each("fadd", sizes, self.each("fmul", self._number("twice", 2.0), bend))
        sizes = self.each("fmul", self._number("unit", UNIT), sizes)
        aside = self.each("fadd", bend, self.each("fadd", sizes, self._size(self.row(E0))))
        ends = start, self.each("fadd", start, change), end
        self.answers[LOWEST] = self.each("fsub", self._extreme("olt", *ends), aside)
        self.answers[HIGHEST] = self.each("fadd", self._extreme("ogt", *ends), aside)

    def _number(self, name: str, number: float) -> str:
        return self.same(name, f"{real(1.0)}, {real(number)}")

    def _size(self, one: str) -> str:
        whole = self.kind.replace("double", "i64")
        mask = self.do(f"bitcast {self.kind} {one} to {whole}")
        bits = "9223372036854775807" if self.is_single else f"<{', '.join(['i64 9223372036854775807'] * LANES)}>"
        kept = self.do(f"and {whole} {mask}, {bits}")
        return self.do(f"bitcast {whole} {kept} to {self.kind}")

    def _extreme(self, comparison: str, best: str, *others: str) -> str:
        truth = "i1" if self.is_single else f"<{LANES} x i1>"
        for other in others:
            test = self.do(f"fcmp {comparison} {self.kind} {other}, {best}")
            best = self.do(f"select {truth} {test}, {self.kind} {other}, {self.kind} {best}")
        return best


def _function(name: str, make: Callable[..., _Lanes]) -> str:
    """Whole groups first; then what is left one by one: what was stored by lanes under a mask is slow to load again.

    make    makes the instructions, for a group or for a single slot
    """
    group, single = make(is_single=False), make(is_single=True)
    starts = []
    for row in sorted({*group.used, *group.answers}):
        starts += [
            f"%skip{row} = mul nsw i64 %width, {row}",
            f"%start{row} = getelementptr inbounds double, ptr %rows, i64 %skip{row}",
        ]
    lines = [
        *starts,
        *single.setup,
        f"%last = sub nsw i64 %high, {LANES}",
        "%fits = icmp sle i64 %low, %last",
        "br i1 %fits, label %groups, label %rest",
        "groups:",
        *group.setup,
        "br label %whole",
        "whole:",
        "%whole.i = phi i64 [ %low, %groups ], [ %following, %whole ]",
        *group.group("%whole.i"),
        f"%following = add nsw i64 %whole.i, {LANES}",
        "%goes.on = icmp sle i64 %following, %last",
        "br i1 %goes.on, label %whole, label %rest",
        "rest:",
        "%single.i = phi i64 [ %low, %entry ], [ %following, %whole ], [ %next, %single ]",
        "%some = icmp slt i64 %single.i, %high",
        "br i1 %some, label %single, label %done",
        "single:",
        *single.group("%single.i"),
        "%next = add nsw i64 %single.i, 1",
        "br label %rest, !llvm.loop !1",
        "done:",
        "ret void",
    ]
    head = f"define internal void {name}(ptr %rows, i64 %width, i64 %low, i64 %high, double %factor, double %scale) {{"
    return "\n".join([head, "entry:", *lines, "}", ""])
