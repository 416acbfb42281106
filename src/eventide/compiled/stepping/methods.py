"""A method's tableau as native code: one function for each combination of rates, its weights written into it.

Four slots are worked on at once, each by the same operations in the same order as in `continuous/stepper.py`.
"""

from __future__ import annotations

from collections.abc import Callable

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
_HEAD = (
    f"declare <{LANES} x double> @llvm.masked.load.v{LANES}f64.p0(ptr, i32, <{LANES} x i1>, <{LANES} x double>)\n"
    f"declare void @llvm.masked.store.v{LANES}f64.p0(<{LANES} x double>, ptr, i32, <{LANES} x i1>)\n"
)


def method_text(method: Coefficients) -> str:
    """A method as assembly.

    Its function `@kernel` answers a table of addresses: a function for each row of the table, the interpolant, its
    derivative, and what `restrict` in `certainty.py` does.
    """
    stages, degree, implicit = (int(method.sizes[name]) for name in (STAGES, DEGREE, IMPLICIT))
    texts = []
    for row, weights in enumerate(method.table):
        target = _target(row, stages, degree, implicit)
        kept = [(K + j, float(weight)) for j, weight in enumerate(weights) if weight != 0.0]
        texts.append(_function(f"@row{row}", _Combination(kept, target, onto_start=target == Y)))
    assert len(texts) == stages + DENSE + degree + int(method.sizes[EXTRA]) + ITERATED * implicit
    texts.append(_function("@interpolant", _Polynomial(degree)))
    texts.append(_function("@derivative", _Derivative(degree)))
    texts.append(_restriction("@restriction", degree))
    names = [*(f"@row{row}" for row in range(len(method.table))), "@interpolant", "@derivative", "@restriction"]
    return _HEAD + "".join(texts) + table_of(names)


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
    """The instructions for one group of slots."""

    target: int
    onto_start: bool

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.used: list[int] = []
        self._names = 0

    def do(self, instruction: str) -> str:
        """Write an instruction; answers the name of its value, `?` standing for the kind of group."""
        self._names += 1
        name = f"%?{self._names}"
        self.lines.append(f"{name} = {instruction}")
        return name

    def vector(self, operation: str, one: str, other: str) -> str:
        """An operation on whole groups."""
        return self.do(f"{operation} <{LANES} x double> {one}, {other}")

    def row(self, row: int) -> str:
        """The items of a row of slots."""
        if row not in self.used:
            self.used.append(row)
        return f"%?row{row}"

    def finish(self, total: str) -> str:
        """What is to be stored, given the sum of the increments."""
        if not self.onto_start:
            return total
        return self.vector("fadd", self.row(Y0), self.vector("fadd", self.row(E0), total))


class _Combination(_Lanes):
    """Factor * weights . rates, onto the states at the start or not."""

    def __init__(self, kept: list[tuple[int, float]], target: int, *, onto_start: bool) -> None:
        super().__init__()
        self.target, self.onto_start = target, onto_start
        self.setup = [
            line for k, (_, weight) in enumerate(kept) for line in _splat(f"weight{k}", f"{real(weight)}, %factor")
        ]
        total = "zeroinitializer"
        for k, (row, _) in enumerate(kept):
            total = self.vector("fadd", total, self.vector("fmul", f"%weight{k}", self.row(row)))
        self.answer = self.finish(total)


class _Polynomial(_Lanes):
    """The interpolant at a fraction of the step, by Horner's rule."""

    def __init__(self, degree: int) -> None:
        super().__init__()
        self.target, self.onto_start = Y, True
        self.setup = _splat("theta", f"{real(1.0)}, %factor")
        total = "zeroinitializer"
        for m in range(degree - 1, -1, -1):
            total = self.vector("fmul", "%theta", self.vector("fadd", total, self.row(P + m)))
        self.answer = self.finish(total)


class _Derivative(_Lanes):
    """`scale` times the derivative of the interpolant, by Horner's rule."""

    def __init__(self, degree: int) -> None:
        super().__init__()
        self.target, self.onto_start = R, False
        self.setup = [*_splat("theta", f"{real(1.0)}, %factor"), *_splat("by", f"{real(1.0)}, %scale")]
        for m in range(degree):
            self.setup += _splat(f"times{m}", f"{real(1.0)}, {real(m + 1.0)}")
        total = "zeroinitializer"
        for m in range(degree - 1, -1, -1):
            term = self.vector("fmul", f"%times{m}", self.row(P + m))
            total = self.vector("fadd", self.vector("fmul", "%theta", total), term)
        self.answer = self.vector("fmul", "%by", total)


def _splat(name: str, product: str) -> list[str]:
    """The lines that make a group of equal numbers."""
    kind = f"<{LANES} x double>"
    return [
        f"%{name}.one = fmul double {product}",
        f"%{name}.first = insertelement {kind} poison, double %{name}.one, i64 0",
        f"%{name} = shufflevector {kind} %{name}.first, {kind} poison, <{LANES} x i32> zeroinitializer",
    ]


def _function(name: str, work: _Combination | _Polynomial | _Derivative) -> str:
    """Whole groups first; then what is left, with the lanes beyond the end masked."""
    kind, mask = f"<{LANES} x double>", f"<{LANES} x i1>"
    rows = sorted({*work.used, work.target})
    starts = []
    for row in rows:
        starts += [
            f"%skip{row} = mul nsw i64 %width, {row}",
            f"%start{row} = getelementptr inbounds double, ptr %rows, i64 %skip{row}",
        ]
    places = [f"%?at{row} = getelementptr inbounds double, ptr %start{row}, i64 %?i" for row in rows]
    loads = [f"%?row{row} = load {kind}, ptr %?at{row}, align 8" for row in work.used]
    load = f"call {kind} @llvm.masked.load.v{LANES}f64.p0"
    masked = [f"%?row{row} = {load}(ptr %?at{row}, i32 8, {mask} %mask, {kind} zeroinitializer)" for row in work.used]
    answer = f"{kind} {work.answer}" if work.answer.startswith("%") else f"{kind} zeroinitializer"
    store = f"store {answer}, ptr %?at{work.target}, align 8"
    masked_store = f"call void @llvm.masked.store.v{LANES}f64.p0({answer}, ptr %?at{work.target}, i32 8, {mask} %mask)"

    def part(letter: str, *groups: list[str]) -> list[str]:
        return [line.replace("?", letter) for group in groups for line in group]

    lanes = ", ".join(f"i64 {lane}" for lane in range(LANES))
    lines = [
        *starts,
        *work.setup,
        "br label %test",
        "test:",
        "%wi = phi i64 [ %low, %entry ], [ %following, %whole ]",
        f"%following = add nsw i64 %wi, {LANES}",
        "%fits = icmp sle i64 %following, %high",
        "br i1 %fits, label %whole, label %last",
        "whole:",
        *part("w", places, loads, work.lines, [store]),
        "br label %test",
        "last:",
        "%left = sub nsw i64 %high, %wi",
        "%some = icmp sgt i64 %left, 0",
        "br i1 %some, label %partial, label %done",
        "partial:",
        "%mi = add nsw i64 %wi, 0",
        f"%count.first = insertelement <{LANES} x i64> poison, i64 %left, i64 0",
        f"%count = shufflevector <{LANES} x i64> %count.first, <{LANES} x i64> poison, <{LANES} x i32> zeroinitializer",
        f"%mask = icmp slt <{LANES} x i64> <{lanes}>, %count",
        *part("m", places, masked, work.lines, [masked_store]),
        "br label %done",
        "done:",
        "ret void",
    ]
    head = f"define internal void {name}(ptr %rows, i64 %width, i64 %low, i64 %high, double %factor, double %scale) {{"
    return "\n".join([head, "entry:", *lines, "}", ""])


def _restriction(name: str, degree: int) -> str:
    """Bernstein coefficients for a part of [0, 1]: de Casteljau's algorithm written out, all in registers."""
    lines, count = [], 0

    def lerp(here: str, there: str, share: str) -> str:
        nonlocal count
        count += 1
        lines.append(f"%d{count} = fsub double {there}, {here}")
        lines.append(f"%m{count} = fmul double {share}, %d{count}")
        lines.append(f"%s{count} = fadd double {here}, %m{count}")
        return f"%s{count}"

    def part(before: list[str], test: str, number: int, cut: Callable[[list[str]], None]) -> list[str]:
        """What is left after a cut, which is made only if `test` holds."""
        previous = "entry" if number == 0 else f"after{number - 1}"
        lines.append(f"br i1 {test}, label %cut{number}, label %after{number}")
        lines.append(f"cut{number}:")
        after = list(before)
        cut(after)
        lines.append(f"br label %after{number}")
        lines.append(f"after{number}:")
        merged = []
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            lines.append(f"%p{number}.{i} = phi double [ {old}, %{previous} ], [ {new}, %cut{number} ]")
            merged.append(f"%p{number}.{i}")
        return merged

    def cut_right(c: list[str]) -> None:
        for r in range(1, degree + 1):
            for i in range(degree, r - 1, -1):
                c[i] = lerp(c[i - 1], c[i], "%high")

    def cut_left(c: list[str]) -> None:
        lines.append("%share = fdiv double %low, %high")
        for r in range(1, degree + 1):
            for i in range(degree + 1 - r):
                c[i] = lerp(c[i], c[i + 1], "%share")

    for i in range(degree + 1):
        lines.append(f"%at{i} = getelementptr inbounds double, ptr %from, i64 {i}")
        lines.append(f"%c{i} = load double, ptr %at{i}")
    lines.append(f"%is_short = fcmp olt double %high, {real(1.0)}")
    lines.append(f"%is_late = fcmp ogt double %low, {real(0.0)}")
    whole = [f"%c{i}" for i in range(degree + 1)]
    kept = part(part(whole, "%is_short", 0, cut_right), "%is_late", 1, cut_left)
    for i, text in enumerate(kept):
        lines.append(f"%to{i} = getelementptr inbounds double, ptr %to, i64 {i}")
        lines.append(f"store double {text}, ptr %to{i}")
    head = f"define internal void {name}(ptr %from, ptr %to, double %low, double %high) {{"
    return "\n".join([head, "entry:", *lines, "ret void", "}", ""])
