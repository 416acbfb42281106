"""Laws and conditions run twice: as Python on a simulation's own table, and as kernels on copies of it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import eventide as ev
from eventide.compilation import Bound, Registry
from eventide.engine.codes import RAISES
from eventide.engine.records import STILLS, LawRecord
from eventide.engine.stepper import Y0, R, Y
from eventide.lowering import Binding, Kernel
from eventide.native.store import Store

LAW = ctypes.CFUNCTYPE(
    ctypes.c_int64, *[ctypes.c_double] * 3, *[ctypes.c_void_p] * 5, ctypes.c_int64, ctypes.c_void_p
)  # t, dt, last, Y, R, Y0, ix, calls, n, lists
CONDITION = ctypes.CFUNCTYPE(
    ctypes.c_int64, *[ctypes.c_double] * 3, *[ctypes.c_void_p] * 7
)  # t, dt, last, Y, R, Y0, ix, consts, out, lists
REFUSED_BY_PYTHON = (ZeroDivisionError, OverflowError, ValueError, TypeError, IndexError)
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-300, 1e10, 7.25)


class Moment(NamedTuple):
    """The clock's three numbers."""

    time: float = 0.0
    dt: float = 0.0
    last_time: float = 0.0


START = Moment()


class Answer(NamedTuple):
    """What a condition's kernel gives; where Python raises it says that only."""

    holds: bool
    guide: float
    slope: float
    raises: bool = False


def table_of(sim: ev.Simulation) -> np.ndarray:
    return sim._continuum.storage.table


def index_row(bindings: list[Binding]) -> tuple[np.ndarray, np.ndarray]:
    """Index rows of several objects, and the lists that they point into."""
    lists: list[int] = []
    rows: list[int] = []
    for binding in bindings:
        rows += binding.bases
        for items in binding.lists:
            rows.append(len(lists))
            lists += [len(items), *items]
    return np.array(rows or [0], dtype=np.int64), np.array(lists or [0], dtype=np.int64)


def run_law(kernel: Kernel, bindings: list[Binding], table: np.ndarray, moment: Moment = START) -> bool:
    """Run a law's kernel; whether it met what only Python does."""
    rows, lists = index_row(bindings)
    calls: LawRecord = LawRecord.zeros(len(bindings))
    for k in range(len(bindings)):
        calls.operands[k] = kernel.width * k
    answer = LAW(kernel.address)(
        *moment,
        table[Y].ctypes.data,
        table[R].ctypes.data,
        table[Y0].ctypes.data,
        rows.ctypes.data,
        calls.ints[:, LawRecord.place_of("operands") :].ctypes.data,
        len(bindings),
        lists.ctypes.data,
    )
    assert answer in (0, RAISES)
    return bool(answer == RAISES)


def run_condition(bound: Bound, table: np.ndarray, moment: Moment = START) -> Answer:
    rows, lists = index_row([bound.binding])
    consts, out = np.array(bound.binding.consts or [0.0]), np.full(2 + STILLS, 77.0)
    holds = CONDITION(bound.kernel.address)(
        *moment,
        table[Y].ctypes.data,
        table[R].ctypes.data,
        table[Y0].ctypes.data,
        rows.ctypes.data,
        consts.ctypes.data,
        out.ctypes.data,
        lists.ctypes.data,
    )
    assert holds in (0, 1, RAISES)
    return Answer(holds == 1, *out[:2].tolist(), holds == RAISES)


def set_clock(sim: ev.Simulation, moment: Moment) -> None:
    sim.time, sim.dt, sim.last_time = moment


def shake(sim: ev.Simulation, rng: np.random.Generator, *, share: float = 0.15) -> None:
    """Give all that moves new values: ordinary ones, and a share of such at which formulas break."""
    table = table_of(sim)
    for owner in sim._continuum.components():
        layout = owner._layout
        singles = [layout.slot(owner, name) for name in layout.names]
        runs = [slice(slot, slot + 1) for slot in singles]
        runs += [layout.slots(owner, name) for name in layout.starts]
        for row in (Y, R, Y0):
            for moving in runs:
                count = moving.stop - moving.start
                values = rng.normal(0.0, 3.0, count)
                special = rng.random(count) < share
                table[row, moving] = np.where(special, rng.choice(SPECIAL, count), values)


def same_bits(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two tables are equal bit by bit; all NaN count as one."""
    one, other = np.where(np.isnan(one), np.nan, one), np.where(np.isnan(other), np.nan, other)
    return bool((np.ascontiguousarray(one).view(np.int64) == np.ascontiguousarray(other).view(np.int64)).all())


class Counts(NamedTuple):
    """How often Python and kernel agreed, and how often Python raised."""

    equal: int
    raised: int


def compare_law(
    registry: Registry, component: Any, function: Callable[..., None], *, shakes: int = 60, seed: int = 1
) -> Counts:
    """Evaluate a law both ways at random states; AssertionError at the first difference of a bit."""
    sim, rng = component.sim, np.random.default_rng(seed)
    kernel, binding = registry.law(component, function)
    still = sim._continuum.integrator.still
    equal = raised = 0
    for _ in range(shakes):
        shake(sim, rng)
        moment = Moment(*rng.normal(0.0, 2.0, 3).tolist())
        copy = table_of(sim).copy()
        asks = run_law(kernel, [binding], copy, moment)
        before = table_of(sim).copy()
        set_clock(sim, moment)
        sim.active = still.is_open = True
        try:
            with np.errstate(all="ignore"):
                function(component)
        except REFUSED_BY_PYTHON as error:
            raised += 1
            # A complex number is refused where it is used, and not where it came up.
            noticed = asks or isinstance(error, TypeError) or not np.isfinite(copy[R]).all()
            assert noticed, (function.__name__, repr(error), moment, before[:3, :20])  # noqa: PT017  # both are run
            table_of(sim)[:] = before
            continue
        finally:
            sim.active = still.is_open = False
        # Where a kernel asks Python what it leaves does not matter.
        same = asks or same_bits(table_of(sim)[: Y0 + 1], copy[: Y0 + 1])
        assert same, (function.__name__, moment, before[:3], table_of(sim)[:3], copy[:3])
        equal += not asks
    return Counts(equal, raised)


def new_registry(*, exact_pow: bool = True) -> Registry:
    return Registry(Store(None), exact_pow=exact_pow)
