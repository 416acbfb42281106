"""A method's tableau as native code: one function for each combination of rates, with its weights as constants.

In: `Coefficients`. Out: assembly, and a table of addresses. LLVM computes several slots at once, each by the same
operations in the same order as in `engine/stepper.py`, so that the bits are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from eventide.native.ir import ZERO, real

_APART: Final = "align 8, !llvm.access.group !2"
_MARKS: Final = """
!0 = !{}
!1 = distinct !{!1, !3, !4, !5}
!2 = distinct !{}
!3 = !{!"llvm.loop.parallel_accesses", !2}
!4 = !{!"llvm.loop.vectorize.width", i32 4}
!5 = !{!"llvm.loop.interleave.count", i32 1}
"""
"""The empty node of `INVARIANT`, and the mark of a loop over slots: as none depends on another, several are computed at
once."""


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
        texts.append(_function(f"@row{row}", _Combination([(kept, target)], onto_start=target == Y)))
    assert len(combinations) == stages + DENSE + degree + int(method.sizes[EXTRA]) + ITERATED * implicit
    dense = combinations[stages + DENSE : stages + DENSE + degree]
    texts.append(_function("@fitting", _Combination(dense, onto_start=False)))
    texts.append(_function("@interpolant", _Interpolant(degree, Y)))
    texts.append(_function("@motion", _Interpolant(degree, Y, R)))
    texts.append(_function("@bounds", _Bounds(degree)))
    return "".join(texts) + table_of(kernels_of(method)) + _MARKS


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


class _Slot:
    """The instructions for one slot."""

    def __init__(self) -> None:
        self.setup: list[str] = []
        self.answers: dict[int, str] = {}
        """What is to be stored, by row."""
        self.lines: list[str] = []
        self.used: list[int] = []

    def do(self, instruction: str) -> str:
        """Write an instruction; returns the name of its value."""
        name = f"%w{len(self.lines)}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def each(self, operation: str, one: str, other: str) -> str:
        """An operation on two numbers."""
        return self.do(f"{operation} double {one}, {other}")

    def same(self, name: str, product: str) -> str:
        """A number that is the same for every slot: its value, to be computed once."""
        self.setup.append(f"%{name} = fmul double {product}")
        return f"%{name}"

    def row(self, row: int) -> str:
        """The items of a row of slots."""
        if row not in self.used:
            self.used.append(row)
        return f"%row{row}"

    def onto_start(self, total: str) -> str:
        """The states at the start of the step, and an increment."""
        return self.each("fadd", self.row(Y0), self.each("fadd", self.row(E0), total))

    @property
    def rows(self) -> list[int]:
        """The rows that are read or written."""
        return sorted({*self.used, *self.answers})

    @property
    def turn(self) -> list[str]:
        """The lines for the slot at a place."""
        return [
            *(f"%at{row} = getelementptr inbounds double, ptr %start{row}, i64 %i" for row in self.rows),
            *(f"%row{row} = load double, ptr %at{row}, {_APART}" for row in self.used),
            *self.lines,
            *(f"store double {answer}, ptr %at{row}, {_APART}" for row, answer in self.answers.items()),
        ]


class _Combination(_Slot):
    """Factor * weights . rates for each of some rows, onto the states at the start or not."""

    def __init__(self, rows: Sequence[tuple[list[tuple[int, float]], int]], *, onto_start: bool) -> None:
        super().__init__()
        for kept, target in rows:
            total = ZERO
            for k, (row, weight) in enumerate(kept):
                factor = self.same(f"weight{k}.{target}", f"{real(weight)}, %factor")
                total = self.each("fadd", total, self.each("fmul", factor, self.row(row)))
            self.answers[target] = self.onto_start(total) if onto_start else total


class _Interpolant(_Slot):
    """The interpolant at a fraction of the step, `scale` times its derivative there, or both, by Horner's rule."""

    def __init__(self, degree: int, *rows: int) -> None:
        super().__init__()
        self.degree = degree
        self.theta = self.same("theta", f"{real(1.0)}, %factor")
        if Y in rows:
            self.answers[Y] = self._value()
        if R in rows:
            self.answers[R] = self._derivative()

    def _value(self) -> str:
        total = ZERO
        for m in range(self.degree - 1, -1, -1):
            total = self.each("fmul", self.theta, self.each("fadd", total, self.row(P + m)))
        return self.onto_start(total)

    def _derivative(self) -> str:
        total = ZERO
        for m in range(self.degree - 1, -1, -1):
            times = self.same(f"times{m}", f"{real(1.0)}, {real(m + 1.0)}")
            term = self.each("fmul", times, self.row(P + m))
            total = self.each("fadd", self.each("fmul", self.theta, total), term)
        return self.each("fmul", self.same("by", f"{real(1.0)}, %scale"), total)


class _Bounds(_Slot):
    """Lower and upper bound of the interpolant, computed as `bounds_of` in `engine/guard_screening.py` does."""

    def __init__(self, degree: int) -> None:
        super().__init__()
        start, end, change, bend = self.row(Y0), self.row(Y2), self.row(P), ZERO
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
        return self.do(f"call double @llvm.fabs.f64(double {one})")

    def _extreme(self, comparison: str, best: str, *others: str) -> str:
        for other in others:
            test = self.do(f"fcmp {comparison} double {other}, {best}")
            best = self.do(f"select i1 {test}, double {other}, double {best}")
        return best


def _function(name: str, slot: _Slot) -> str:
    """What is done for the slots of a run, of which LLVM computes several at once."""
    starts = []
    for row in slot.rows:
        starts += [
            f"%skip{row} = mul nsw i64 %width, {row}",
            f"%start{row} = getelementptr inbounds double, ptr %rows, i64 %skip{row}",
        ]
    lines = [
        *starts,
        *slot.setup,
        "br label %test",
        "test:",
        "%i = phi i64 [ %low, %entry ], [ %next, %turn ]",
        "%goes.on = icmp slt i64 %i, %high",
        "br i1 %goes.on, label %turn, label %done",
        "turn:",
        *slot.turn,
        "%next = add nsw i64 %i, 1",
        "br label %test, !llvm.loop !1",
        "done:",
        "ret void",
    ]
    head = f"define internal void {name}(ptr %rows, i64 %width, i64 %low, i64 %high, double %factor, double %scale) {{"
    return "\n".join([head, "entry:", *lines, "}", ""])
