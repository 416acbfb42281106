"""Matrices that an implicit method keeps for a flow: the Jacobian of its laws, and the factorized Newton matrices.

In: rates at perturbed states. Out: matrices, and solutions of linear systems with them. A block of `lists` describes
their layout, a block of `constants` holds them; `linearization.py` makes both. Item (i, j) of a matrix is at i *
STRIDE + j: all n * n items of a dense one; of a band its diagonals and the room for fill-in by pivoting.

Derivatives are differences. States that share no rate are perturbed in one evaluation (Curtis, Powell & Reid).

Plain functions over records, which are also translated to native code.
Source: Golub & Van Loan, Matrix Computations, 3.4 and 4.3; Curtis, Powell & Reid, J. Inst. Maths Applics 13 (1974).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.engine.codes import ABS, FACTORS, PAIRS, REALS, REL, STAGES, Y0, K, R, Y
from eventide.engine.law_evaluation import copy, evaluate
from eventide.engine.stepper import HUGE, run_laws

if TYPE_CHECKING:
    from eventide.engine.records import Arrays

# A block of `lists` ---------------------------------------------------------------------------------------------------

SIZE: Final = 0
"""How many states there are."""
LOWER: Final = 1
"""How many diagonals below the main one there are."""
UPPER: Final = 2
STRIDE: Final = 3
CELLS: Final = 4
"""How many numbers a matrix takes."""
ORIGIN: Final = 5
"""The place of item (0, 0) in them."""
GROUPS: Final = 6
"""How many evaluations give all derivatives."""
NUMBERS: Final = 7
"""The place of the block of `constants`."""
GROUP: Final = 8
"""The place of the first column of each group, and of the end."""
COLUMN: Final = 9
"""The place of the columns, group by group."""
POINTER: Final = 10
"""The place of the place of each column's first row, and of the end."""
DEPENDENT: Final = 11
"""The place of the rows that depend on a column, column by column."""
DUE: Final = 12
"""The place of a mark for each group: whether its derivatives are to be evaluated."""
PIVOTS: Final = 13
"""The place of the pivots of each matrix."""
JACOBIAN: Final = 14
"""MISSING, PATCHED, KEPT or FRESH."""
FACTORED: Final = 15
"""Whether the matrices are factorized for FACTORED_STEP."""
CAREFUL: Final = 16
"""Whether an event may have changed what the derivatives are: one iteration proves nothing then."""
REJECTED: Final = 17
"""Whether an attempt at the present step has been refused."""
ITERATIONS: Final = 18
"""How many the last attempt took."""
DOUBTED: Final = 19
"""Whether fresh derivatives have failed: perhaps more depends on a state than was found; 2: that has been looked at."""
SLOTS: Final = 20
"""First of the slots of the states, in the order of rows and columns."""

MISSING: Final = 0
PATCHED: Final = 1
"""Kept, but for groups that are due."""
KEPT: Final = 2
FRESH: Final = 3
"""Of the start of the present step."""

# A block of `constants` -----------------------------------------------------------------------------------------------

FACTORED_STEP: Final = 0
THETA: Final = 1
"""By how much each iteration of the last attempt was nearer than the one before; 0 if there was one only."""
ETA: Final = 2
"""From how far an iteration went, how far it is from the solution."""
RATIO: Final = 3
"""Of tolerance to error in the last attempt; 0 if it came to no solution."""
PAST_RATIO: Final = 4
PAST_STEP: Final = 5
"""The same of the step before, and how long that was; 0: there is none of use."""
MATRICES: Final = 6
"""First of the matrices: derivatives, real factors, complex factors by real and imaginary parts; then vectors."""
VECTORS: Final = 3

ROOT: Final = 1.4901161193847656e-08
"""The root of the distance of 1 and the next float."""
SMALL: Final = 1e-3
"""The smallest perturbation of a state, as a fraction of its tolerance."""
NOISE: Final = 2.3e-13
"""A thousand roundings."""


def matrix_at(a: Arrays, s: int, number: int) -> int:
    """The place of item (0, 0) of a matrix: 0 are the derivatives."""
    return int(a.lists[s + NUMBERS] + MATRICES + number * a.lists[s + CELLS] + a.lists[s + ORIGIN])


def vector_at(a: Arrays, s: int, number: int) -> int:
    """The place of a scratch vector."""
    matrices = 1 + a.method.sizes[FACTORS] + 2 * a.method.sizes[PAIRS]
    return int(a.lists[s + NUMBERS] + MATRICES + matrices * a.lists[s + CELLS] + number * a.lists[s + SIZE])


# --- derivatives ------------------------------------------------------------------------------------------------------


def differentiate(a: Arrays, f: int, step: float, is_whole: bool) -> bool:
    """Evaluate the derivatives of a flow's rates by its states at the start of the step, by differences.

    States of which no rate depends on two are moved at once.
    is_whole    whether all are wanted, or those that are due
    Returns     whether they are finite
    """
    s = a.flow.system[f]
    groups, due = a.lists[s + GROUPS], a.lists[s + DUE]
    choose_moves(a, f, step)
    a.flow.jacobians[f] += 1
    a.lists[s + FACTORED] = 0
    for g in range(groups):
        if is_whole or a.lists[due + g] == 1:
            if not (difference(a, f, g, 1.0) or difference(a, f, g, -1.0)):
                a.lists[s + JACOBIAN] = MISSING
                return False
            a.lists[due + g] = 0
    a.lists[s + JACOBIAN] = FRESH if is_whole else KEPT
    return True


def choose_moves(a: Arrays, f: int, step: float) -> None:
    """Choose by how much each state is moved: from zero away, else as its rate goes; left in the first vector.

    Source      Hindmarsh et al., CVODE, cvDlsDenseDQJac, for the part that keeps above rounding
    """
    s = a.flow.system[f]
    rows = a.rows
    moves, steepest = vector_at(a, s, 0), 0.0
    for k in range(a.lists[s + SIZE]):
        i = a.lists[s + SLOTS + k]
        tolerance = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[Y0, i])
        if tolerance > 0.0:
            steepest = max(steepest, abs(rows[K, i]) / tolerance)
    least = max(SMALL, NOISE * step * steepest * a.lists[s + SIZE])
    for k in range(a.lists[s + SIZE]):
        i = a.lists[s + SLOTS + k]
        tolerance = abs(rows[ABS, i]) + abs(rows[REL, i] * rows[Y0, i])
        move = max(ROOT * abs(rows[Y0, i]), least * tolerance)
        if not 0.0 < move < HUGE:
            move = ROOT
        is_down = rows[Y0, i] < 0.0 or (rows[Y0, i] == 0.0 and rows[K, i] < 0.0)
        a.constants[moves + k] = -move if is_down else move


def difference(a: Arrays, f: int, g: int, sign: float) -> bool:
    """Evaluate the derivatives by the states of one group; whether they are finite."""
    s = a.flow.system[f]
    rows = a.rows
    moves, matrix, stride = vector_at(a, s, 0), matrix_at(a, s, 0), a.lists[s + STRIDE]
    moved = K + a.method.sizes[STAGES] + 1
    first, last = a.lists[a.lists[s + GROUP] + g], a.lists[a.lists[s + GROUP] + g + 1]
    copy(a, f, Y0, Y)
    for c in range(first, last):
        j = a.lists[a.lists[s + COLUMN] + c]
        i = a.lists[s + SLOTS + j]
        rows[Y, i] = rows[Y0, i] + sign * a.constants[moves + j]
    run_laws(a, f, a.flow.start[f], 0.0, moved)
    if a.run.raised != 0 or a.run.aborted != 0:
        a.run.raised = 0
        return False
    worst = -1
    for c in range(first, last):
        j = a.lists[a.lists[s + COLUMN] + c]
        at = a.lists[s + SLOTS + j]
        move = (rows[Y0, at] + sign * a.constants[moves + j]) - rows[Y0, at]
        begin, end = a.lists[a.lists[s + POINTER] + j], a.lists[a.lists[s + POINTER] + j + 1]
        for r in range(begin, end):
            i = a.lists[a.lists[s + DEPENDENT] + r]
            slot = a.lists[s + SLOTS + i]
            slope = (rows[moved, slot] - rows[K, slot]) / move
            if not abs(slope) < HUGE:
                worst = slot
            a.constants[matrix + i * stride + j] = slope
    if worst >= 0:
        a.flow.worst[f] = worst
    return worst < 0


def probe(a: Arrays, f: int, slot: int, value: float) -> None:
    """Leave in row R the rates of a flow where one state is another, as NaN: then those that depend on it are NaN."""
    copy(a, f, Y0, Y)
    a.rows[Y, slot] = value
    evaluate(a, f, a.flow.start[f], 0.0, R)
    copy(a, f, Y0, Y)


# --- matrices ---------------------------------------------------------------------------------------------------------


def factorize(a: Arrays, f: int, step: float) -> bool:
    """Factorize eigenvalue - step * derivatives for each real eigenvalue and each pair; whether all are regular."""
    s = a.flow.system[f]
    n, reals, real_factors = a.lists[s + SIZE], a.method.sizes[REALS], a.method.sizes[FACTORS]
    a.flow.factorizations[f] += 1
    a.lists[s + FACTORED] = 0
    for q in range(real_factors):
        shift_into(a, s, 1 + q, step, a.method.blocks[q, q])
        if not decompose(a, s, matrix_at(a, s, 1 + q), a.lists[s + PIVOTS] + q * n):
            return False
    for p in range(a.method.sizes[PAIRS]):
        b, at = reals + 2 * p, 1 + real_factors + 2 * p
        shift_into(a, s, at, step, a.method.blocks[b, b])
        put_imaginary(a, s, at + 1, a.method.blocks[b + 1, b])
        pivots = a.lists[s + PIVOTS] + (real_factors + p) * n
        if not decompose_pair(a, s, matrix_at(a, s, at), matrix_at(a, s, at + 1), pivots):
            return False
    a.lists[s + FACTORED] = 1
    a.constants[a.lists[s + NUMBERS] + FACTORED_STEP] = step
    return True


def shift_into(a: Arrays, s: int, number: int, step: float, shift: float) -> None:
    """Set a matrix to shift - step * derivatives."""
    cells, origin = a.lists[s + CELLS], a.lists[s + ORIGIN]
    source, target = matrix_at(a, s, 0) - origin, matrix_at(a, s, number) - origin
    for m in range(cells):
        a.constants[target + m] = -step * a.constants[source + m]
    diagonal, stride = target + origin, a.lists[s + STRIDE] + 1
    for k in range(a.lists[s + SIZE]):
        a.constants[diagonal + k * stride] += shift


def put_imaginary(a: Arrays, s: int, number: int, shift: float) -> None:
    """Set a matrix to a multiple of one."""
    cells, origin = a.lists[s + CELLS], a.lists[s + ORIGIN]
    target = matrix_at(a, s, number) - origin
    for m in range(cells):
        a.constants[target + m] = 0.0
    diagonal, stride = target + origin, a.lists[s + STRIDE] + 1
    for k in range(a.lists[s + SIZE]):
        a.constants[diagonal + k * stride] = shift


def decompose(a: Arrays, s: int, m: int, pivots: int) -> bool:
    """Factorize a real matrix in its place, with row interchanges; the diagonal becomes its inverse.

    Returns     whether it is regular
    """
    n, lower, upper, stride = a.lists[s + SIZE], a.lists[s + LOWER], a.lists[s + UPPER], a.lists[s + STRIDE]
    reach = 0
    for k in range(n):
        last, best, largest = min(k + lower, n - 1), k, abs(a.constants[m + k * stride + k])
        for i in range(k + 1, last + 1):
            if abs(a.constants[m + i * stride + k]) > largest:
                best, largest = i, abs(a.constants[m + i * stride + k])
        if not 0.0 < largest < HUGE:
            return False
        a.lists[pivots + k] = best
        reach = max(reach, min(best + upper, n - 1))
        here, there = m + k * stride, m + best * stride
        if best != k:
            for j in range(k, reach + 1):
                kept = a.constants[here + j]
                a.constants[here + j] = a.constants[there + j]
                a.constants[there + j] = kept
        a.constants[here + k] = 1.0 / a.constants[here + k]
        for i in range(k + 1, last + 1):
            row = m + i * stride
            factor = a.constants[row + k] * a.constants[here + k]
            a.constants[row + k] = factor
            if factor != 0.0:
                for j in range(k + 1, reach + 1):
                    a.constants[row + j] -= factor * a.constants[here + j]
    return True


def resolve(a: Arrays, s: int, q: int, v: int) -> None:
    """Solve a system with the real factor number `q`; the right side at the place `v` becomes the solution."""
    n, lower, upper, stride = a.lists[s + SIZE], a.lists[s + LOWER], a.lists[s + UPPER], a.lists[s + STRIDE]
    m, pivots = matrix_at(a, s, 1 + q), a.lists[s + PIVOTS] + q * n
    for k in range(n):
        best = a.lists[pivots + k]
        pulled = a.constants[v + best]
        a.constants[v + best] = a.constants[v + k]
        a.constants[v + k] = pulled
        for i in range(k + 1, min(k + lower, n - 1) + 1):
            a.constants[v + i] -= a.constants[m + i * stride + k] * pulled
    for k in range(n - 1, -1, -1):
        row, total = m + k * stride, a.constants[v + k]
        for j in range(k + 1, min(k + lower + upper, n - 1) + 1):
            total -= a.constants[row + j] * a.constants[v + j]
        a.constants[v + k] = total * a.constants[row + k]


def decompose_pair(a: Arrays, s: int, m: int, w: int, pivots: int) -> bool:
    """The same for a complex matrix, its real parts at `m`, its imaginary ones at `w`."""
    n, lower, upper, stride = a.lists[s + SIZE], a.lists[s + LOWER], a.lists[s + UPPER], a.lists[s + STRIDE]
    reach = 0
    for k in range(n):
        last, best, at = min(k + lower, n - 1), k, k * stride + k
        largest = abs(a.constants[m + at]) + abs(a.constants[w + at])
        for i in range(k + 1, last + 1):
            at = i * stride + k
            size = abs(a.constants[m + at]) + abs(a.constants[w + at])
            if size > largest:
                best, largest = i, size
        if not 0.0 < largest < HUGE:
            return False
        a.lists[pivots + k] = best
        reach = max(reach, min(best + upper, n - 1))
        here, there = k * stride, best * stride
        if best != k:
            for j in range(k, reach + 1):
                real, imaginary = a.constants[m + here + j], a.constants[w + here + j]
                a.constants[m + here + j] = a.constants[m + there + j]
                a.constants[w + here + j] = a.constants[w + there + j]
                a.constants[m + there + j], a.constants[w + there + j] = real, imaginary
        real, imaginary = a.constants[m + here + k], a.constants[w + here + k]
        size = real * real + imaginary * imaginary
        real, imaginary = real / size, -imaginary / size
        a.constants[m + here + k], a.constants[w + here + k] = real, imaginary
        for i in range(k + 1, last + 1):
            at = i * stride + k
            x, y = a.constants[m + at], a.constants[w + at]
            if x != 0.0 or y != 0.0:
                p, q = x * real - y * imaginary, x * imaginary + y * real
                a.constants[m + at], a.constants[w + at] = p, q
                row = i * stride
                for j in range(k + 1, reach + 1):
                    a.constants[m + row + j] -= p * a.constants[m + here + j] - q * a.constants[w + here + j]
                    a.constants[w + row + j] -= p * a.constants[w + here + j] + q * a.constants[m + here + j]
    return True


def resolve_pair(a: Arrays, s: int, p: int, v: int, u: int) -> None:
    """Solve a system with the complex factor number `p`: right side and solution at the places `v` and `u`."""
    n, lower, upper, stride = a.lists[s + SIZE], a.lists[s + LOWER], a.lists[s + UPPER], a.lists[s + STRIDE]
    factors = a.method.sizes[FACTORS]
    m, w = matrix_at(a, s, 1 + factors + 2 * p), matrix_at(a, s, 2 + factors + 2 * p)
    pivots = a.lists[s + PIVOTS] + (factors + p) * n
    for k in range(n):
        best = a.lists[pivots + k]
        x, y = a.constants[v + best], a.constants[u + best]
        a.constants[v + best], a.constants[u + best] = a.constants[v + k], a.constants[u + k]
        a.constants[v + k], a.constants[u + k] = x, y
        for i in range(k + 1, min(k + lower, n - 1) + 1):
            at = i * stride + k
            a.constants[v + i] -= a.constants[m + at] * x - a.constants[w + at] * y
            a.constants[u + i] -= a.constants[m + at] * y + a.constants[w + at] * x
    for k in range(n - 1, -1, -1):
        row, x, y = k * stride, a.constants[v + k], a.constants[u + k]
        for j in range(k + 1, min(k + lower + upper, n - 1) + 1):
            x -= a.constants[m + row + j] * a.constants[v + j] - a.constants[w + row + j] * a.constants[u + j]
            y -= a.constants[m + row + j] * a.constants[u + j] + a.constants[w + row + j] * a.constants[v + j]
        real, imaginary = a.constants[m + row + k], a.constants[w + row + k]
        a.constants[v + k] = x * real - y * imaginary
        a.constants[u + k] = x * imaginary + y * real
