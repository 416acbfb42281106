"""A method's tableau as native code: one function for each combination of rates, its weights written into it.

Four slots are worked on at once, each by the same operations in the same order as in `continuous/stepper.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from eventide.compiled.ir import real
from eventide.continuous.tables import (
    DEGREE,
    DENSE,
    E0,
    ESTIMATE,
    EXTRA,
    IMPLICIT,
    ITERATED,
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

LANES = 4
_AS_IT_STANDS = """
!0 = distinct !{!0, !1, !2}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"llvm.loop.unroll.disable"}
"""
"""The mark of a loop of three turns at most, which is not worth unrolling."""


def method_text(method: Coefficients) -> str:
    """A method as assembly.

    Its function `@kernel` answers a table of addresses: a function for each row of the table, the interpolant, the same
    with its derivative, and what `develop_state` in `enclosure.py` does.
    """
    stages, degree, implicit = (int(method.sizes[name]) for name in (STAGES, DEGREE, IMPLICIT))
    texts = []
    for row, weights in enumerate(method.table):
        target = _target(row, stages, degree, implicit)
        kept = [(K + j, float(weight)) for j, weight in enumerate(weights) if weight != 0.0]
        texts.append(_function(f"@row{row}", partial(_Combination, kept, target, onto_start=target == Y)))
    assert len(texts) == stages + DENSE + degree + int(method.sizes[EXTRA]) + ITERATED * implicit
    texts.append(_function("@interpolant", partial(_Interpolant, degree, Y)))
    texts.append(_function("@motion", partial(_Interpolant, degree, Y, R)))
    texts.append(_development("@development", degree))
    names = [*(f"@row{row}" for row in range(len(method.table))), "@interpolant", "@motion", "@development"]
    return "".join(texts) + table_of(names) + _AS_IT_STANDS


def table_of(names: list[str]) -> str:
    """The assembly of a table of the addresses of functions, and of `@kernel`, which answers where it stands."""
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
        """Write an instruction; answers the name of its value."""
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
        """A number that is the same for every slot: its value, to be reckoned once."""
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
    """Factor * weights . rates, onto the states at the start or not."""

    def __init__(self, kept: list[tuple[int, float]], target: int, *, onto_start: bool, is_single: bool) -> None:
        super().__init__(is_single=is_single)
        total = self.nothing
        for k, (row, weight) in enumerate(kept):
            factor = self.same(f"weight{k}", f"{real(weight)}, %factor")
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
        *group.setup,
        *single.setup,
        "br label %test",
        "test:",
        "%whole.i = phi i64 [ %low, %entry ], [ %following, %whole ]",
        f"%following = add nsw i64 %whole.i, {LANES}",
        "%fits = icmp sle i64 %following, %high",
        "br i1 %fits, label %whole, label %rest",
        "whole:",
        *group.group("%whole.i"),
        "br label %test",
        "rest:",
        "%single.i = phi i64 [ %whole.i, %test ], [ %next, %single ]",
        "%some = icmp slt i64 %single.i, %high",
        "br i1 %some, label %single, label %done",
        "single:",
        *single.group("%single.i"),
        "%next = add nsw i64 %single.i, 1",
        "br label %rest, !llvm.loop !0",
        "done:",
        "ret void",
    ]
    head = f"define internal void {name}(ptr %rows, i64 %width, i64 %low, i64 %high, double %factor, double %scale) {{"
    return "\n".join([head, "entry:", *lines, "}", ""])


def _development(name: str, degree: int) -> str:
    """`develop_state` in `enclosure.py`, for one slot, written out: all in registers."""
    lines: list[str] = []

    def do(instruction: str) -> str:
        lines.append(f"%v{len(lines)} = {instruction}")
        return f"%v{len(lines) - 1}"

    def load(row: int) -> str:
        place = do(f"add nsw i64 {do(f'mul nsw i64 %width, {row}')}, %slot")
        return do(f"load double, ptr {do(f'getelementptr inbounds double, ptr %rows, i64 {place}')}")

    coefficients = [load(E0), *(load(P + j) for j in range(degree))]
    for i in range(degree):
        for j in range(degree - 1, i - 1, -1):
            coefficients[j] = do(f"fadd double {coefficients[j]}, {do(f'fmul double %middle, {coefficients[j + 1]}')}")
    power = "%half"
    for j in range(1, degree + 1):
        coefficients[j] = do(f"fmul double {coefficients[j]}, {power}")
        power = do(f"fmul double {power}, %half")
    coefficients[0] = do(f"fadd double {load(Y0)}, {coefficients[0]}")
    for j, coefficient in enumerate(coefficients):
        place = do(f"getelementptr inbounds double, ptr %to, i64 {j}")
        lines.append(f"store double {coefficient}, ptr {place}")
    head = f"define internal void {name}(ptr %rows, i64 %width, i64 %slot, ptr %to, double %middle, double %half) {{"
    return "\n".join([head, "entry:", *lines, "ret void", "}", ""])
