"""The Jacobian's pattern: which rates of a flow depend on which states, and what an implicit method keeps for it.

The pattern is measured: a state is made NaN, and the rates that become NaN depend on it; up to eight states count as
dense without a test. This is right for Python laws, vectors and calls alike. Rejected: sparsity from the lowered code,
which would have to know every operation. A law that branches shows its present branch only. If derivatives that miss
another branch make the iteration slow or fail, the pattern is measured again and extended: that costs steps, never
accuracy. Cuthill and McKee's order, where it is narrower than the states' own, makes a band; else the matrix is dense.

Derivatives belong to the flow. When states or laws start, stop or change flows, each column is kept whose rates were
all in it before; a state that stops costs no evaluation. The interpolant before and the trend of errors end with any
event, derivatives do not.

Source: Curtis, Powell & Reid, J. Inst. Maths Applics 13 (1974), for the groups; Cuthill & McKee (1969) and George
(1971), for the order of the states.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.engine.codes import FACTORS, PAIRS, R
from eventide.engine.newton_matrices import (
    CAREFUL,
    CELLS,
    COLUMN,
    DEPENDENT,
    DOUBTED,
    DUE,
    ETA,
    GROUP,
    GROUPS,
    JACOBIAN,
    KEPT,
    LOWER,
    MATRICES,
    MISSING,
    NUMBERS,
    ORIGIN,
    PATCHED,
    PIVOTS,
    POINTER,
    SIZE,
    SLOTS,
    STRIDE,
    UPPER,
    VECTORS,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.continuous.flows.flow import Flow
    from eventide.continuous.integrator import Integrator

SMALL: Final = 8
"""Flows of at most this many states are not examined: all their rates may depend on all their states."""
LOOKED_AT: Final = 2


@dataclass(frozen=True)
class Derivatives:
    """What `sim.explain()` tells of the derivatives of a flow's laws.

    states      how many the flow has
    evaluations how many runs of its laws give all derivatives
    lower, upper    how many diagonals below and above the main one are not zero; both states - 1 of a dense matrix
    is_known    whether it has been found out which rates depend on which states; else all may on all
    """

    states: int
    evaluations: int
    lower: int
    upper: int
    is_known: bool

    @property
    def is_dense(self) -> bool:
        """Whether the matrix is kept and factorized as a whole."""
        return self.lower == self.upper == self.states - 1

    @property
    def stride(self) -> int:
        """How far the items of one column are from each other."""
        return self.states if self.is_dense else 2 * self.lower + self.upper

    @property
    def origin(self) -> int:
        """Where the first item of the main diagonal stands."""
        return 0 if self.is_dense else self.lower

    def __str__(self) -> str:
        shape = "dense" if self.is_dense else f"a band of {self.lower} + 1 + {self.upper} diagonals"
        return f"derivatives of {self.states} rates by differences in {self.evaluations} evaluations, {shape}"


@dataclass(eq=False)
class Linearization:
    """The derivatives of one flow: how they lie, and which rates depend on which states.

    slots       of its states, in the order of rows and columns
    dependents  for each column the rows that depend on it
    place, numbers  where its blocks of `lists` and `constants` are; with their sizes
    """

    slots: list[int]
    dependents: list[list[int]]
    kind: Derivatives
    place: int = -1
    size: int = 0
    numbers: int = -1
    room: int = 0
    rank: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rank = {slot: k for k, slot in enumerate(self.slots)}


class Linearizations:
    """Those of all flows of one simulation.

    of          by number of the flow
    left        those of flows that have changed since, for what is still valid of them; all of one instant
    """

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator
        self.of: dict[int, Linearization] = {}
        self.left: list[tuple[Linearization, NDArray[np.float64]]] = []
        self._left_at = 0.0

    # --- what becomes of them when flows change -------------------------------------------------------------------

    def leave(self, flow: Flow) -> None:
        """The states or laws of a flow are about to change, or it ends: its derivatives are kept aside."""
        self.integrator.memory.flow.system[flow.number] = -1
        old = self.of.pop(flow.number, None)
        if old is None:
            return
        now = self.integrator.sim.time
        if now != self._left_at:
            self.left.clear()
            self._left_at = now
        lists = self.integrator.memory.lists.array
        if lists[old.place + JACOBIAN] > PATCHED:
            self.left.append((old, self._matrix(old).copy()))
        self._release(old)

    def forget_all(self) -> None:
        """Another method needs other matrices."""
        for number, old in list(self.of.items()):
            self.integrator.memory.flow.system[number] = -1
            self._release(old)
        self.of.clear()
        self.left.clear()

    def _release(self, old: Linearization) -> None:
        self.integrator.memory.lists.release(old.place, old.size)
        self.integrator.memory.constants.release(old.numbers, old.room)

    def _matrix(self, one: Linearization) -> NDArray[np.float64]:
        """The numbers of the derivatives."""
        first = one.numbers + MATRICES
        cells = int(self.integrator.memory.lists.array[one.place + CELLS])
        return self.integrator.memory.constants.array[first : first + cells]

    # --- a plan for a flow ----------------------------------------------------------------------------------------

    def plan(self, flow: Flow) -> None:
        """Find out again which rates of a flow depend on which states, and make room for its matrices."""
        number = flow.number
        if self.integrator.memory.flow.start[number] != self._left_at:
            self.left.clear()
        old = self.of.get(number)
        slots = sorted(flow.slots)
        dependents = self._ask(flow, slots)
        if old is not None and dependents is not None:
            before = {slot: old.dependents[k] for slot, k in old.rank.items()}
            rank = {slot: k for k, slot in enumerate(slots)}
            known = [[rank[old.slots[i]] for i in before[slot]] for slot in slots]
            wider = [sorted({*one, *other}) for one, other in zip(known, dependents, strict=True)]
            if all(len(one) == len(other) for one, other in zip(known, wider, strict=True)):
                self.integrator.memory.lists.array[old.place + DOUBTED] = LOOKED_AT
                return
            dependents = wider
        if old is not None:
            self.leave(flow)
        self._make(flow, slots, dependents)

    def _ask(self, flow: Flow, slots: list[int]) -> list[list[int]] | None:
        """For each state the rates that depend on it; None if they may all depend on all."""
        if len(slots) <= SMALL:
            return None
        integrator, places = self.integrator, np.array(slots, np.int64)
        found: list[list[int]] = []
        for slot in slots:
            if not integrator.host.ask(flow, slot):
                found.append(list(range(len(slots))))
                continue
            rates = integrator.storage.table[R, places]
            found.append(np.flatnonzero(~np.isfinite(rates)).tolist())
        integrator.show_start(flow)
        return found

    def _make(self, flow: Flow, slots: list[int], found: list[list[int]] | None) -> None:
        count = len(slots)
        if found is None:
            everything = list(range(count))
            dependents, groups, lower = [everything] * count, [[j] for j in everything], max(count - 1, 0)
            upper = lower
        else:
            order = narrow_order(found)
            rank = [0] * count
            for k, j in enumerate(order):
                rank[j] = k
            slots = [slots[k] for k in order]
            dependents = [sorted([rank[i] for i in found[k]]) for k in order]
            groups = grouped(dependents, count)
            lower, upper = bandwidths(dependents)
            if 2 * lower + upper + 1 >= count:
                lower = upper = max(count - 1, 0)
        kind = Derivatives(count, len(groups), lower, upper, found is not None)
        one = Linearization(slots, dependents, kind)
        self._lay(one, groups)
        self._take_over(one, groups)
        self.of[flow.number] = one
        self.integrator.memory.flow.system[flow.number] = one.place

    def _lay(self, one: Linearization, groups: list[list[int]]) -> None:
        """Make the blocks of a linearization."""
        integrator, kind, sizes = self.integrator, one.kind, self.integrator.method.coefficients.sizes
        count, reals, pairs = kind.states, int(sizes[FACTORS]), int(sizes[PAIRS])
        cells = max(count - 1, 0) * kind.stride + kind.origin + count
        starts = list(accumulate(map(len, groups), initial=0))
        pointers = list(accumulate(map(len, one.dependents), initial=0))
        columns, dependents = list(chain.from_iterable(groups)), list(chain.from_iterable(one.dependents))
        head = [0] * SLOTS
        parts = [
            head,
            one.slots,
            starts,
            columns,
            pointers,
            dependents,
            [1] * len(groups),
            [0] * count * (reals + pairs),
        ]
        one.size = sum(map(len, parts))
        one.room = MATRICES + cells * (1 + reals + 2 * pairs) + VECTORS * count
        one.place = integrator.memory.lists.allocate(one.size)
        one.numbers = integrator.memory.constants.allocate(one.room)
        head[SIZE], head[LOWER], head[UPPER], head[STRIDE] = count, kind.lower, kind.upper, kind.stride
        head[CELLS], head[ORIGIN], head[GROUPS], head[NUMBERS] = cells, kind.origin, len(groups), one.numbers
        head[JACOBIAN], head[CAREFUL] = MISSING, 1
        at = one.place
        for name, part in zip((-1, -1, GROUP, COLUMN, POINTER, DEPENDENT, DUE, PIVOTS), parts, strict=True):
            if name >= 0:
                head[name] = at
            at += len(part)
        integrator.memory.lists.array[one.place : at] = list(chain.from_iterable(parts))
        block = integrator.memory.constants.array[one.numbers : one.numbers + one.room]
        block[:] = 0.0
        block[ETA] = 1.0

    def _take_over(self, one: Linearization, groups: list[list[int]]) -> None:
        """Take from earlier derivatives what is still valid: all columns whose rates have been known before."""
        lists = self.integrator.memory.lists.array
        known = np.zeros(len(one.slots), bool)
        matrix = self._matrix(one)
        for old, numbers in self.left:
            for j, slot in enumerate(one.slots):
                k = old.rank.get(slot)
                if k is None or known[j]:
                    continue
                rows = [(i, old.rank.get(one.slots[i], -1)) for i in one.dependents[j]]
                depended = set(old.dependents[k])
                if any(before not in depended for _, before in rows):
                    continue
                for i, before in rows:
                    matrix[one.kind.origin + i * one.kind.stride + j] = numbers[
                        old.kind.origin + before * old.kind.stride + k
                    ]
                known[j] = True
        if not known.any():
            return
        due = lists[one.place + DUE]
        for g, group in enumerate(groups):
            lists[due + g] = int(not known[group].all())
        lists[one.place + JACOBIAN] = KEPT if known.all() else PATCHED


def bandwidths(dependents: list[list[int]]) -> tuple[int, int]:
    """How many diagonals below and above the main one are not zero."""
    lower = max((rows[-1] - j for j, rows in enumerate(dependents) if len(rows)), default=0)
    upper = max((j - rows[0] for j, rows in enumerate(dependents) if len(rows)), default=0)
    return max(lower, 0), max(upper, 0)


def grouped(dependents: list[list[int]], count: int) -> list[list[int]]:
    """Columns in groups of which no row depends on two: each in the first group where it fits."""
    groups: list[list[int]] = []
    taken: list[bytearray] = []
    for j, rows in enumerate(dependents):
        place = next((g for g, marks in enumerate(taken) if not any(marks[i] for i in rows)), len(groups))
        if place == len(groups):
            groups.append([])
            taken.append(bytearray(count))
        groups[place].append(j)
        for i in rows:
            taken[place][i] = 1
    return groups


def narrow_order(dependents: list[list[int]]) -> list[int]:
    """An order of the states in which those that depend on each other are near: their own, or a better one."""
    count = len(dependents)
    neighbours: list[dict[int, None]] = [{} for _ in range(count)]
    for j, rows in enumerate(dependents):
        for i in rows:
            if i != j:
                neighbours[i][j] = neighbours[j][i] = None
    own = max((abs(i - j) for i in range(count) for j in neighbours[i]), default=0)
    order: list[int] = []
    seen: set[int] = set()
    for start in sorted(range(count), key=lambda k: len(neighbours[k])):
        if start not in seen:
            order += _outwards(_far_from(start, neighbours), neighbours, seen)
    order.reverse()
    rank = [0] * count
    for k, j in enumerate(order):
        rank[j] = k
    found = max((abs(rank[i] - rank[j]) for i in range(count) for j in neighbours[i]), default=0)
    return order if found < own else list(range(count))


def _outwards(start: int, neighbours: list[dict[int, None]], seen: set[int]) -> list[int]:
    """Everything that is connected with one state, the nearest first, and of those the one with fewest neighbours."""
    order = [start]
    seen.add(start)
    for j in order:
        fresh = [i for i in neighbours[j] if i not in seen]
        seen.update(fresh)
        order += sorted(fresh, key=lambda i: len(neighbours[i]))
    return order


def _far_from(start: int, neighbours: list[dict[int, None]]) -> int:
    """A state at the border: far from the given one, and one far from that."""
    for _ in range(2):
        start = _outwards(start, neighbours, set())[-1]
    return start
