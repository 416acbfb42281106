"""Arrays of the stepper without a simulation, to drive its functions by hand."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from eventide.engine.codes import MODELS, ROWS, Coefficients
from eventide.engine.records import (
    Arrays,
    FlowRecord,
    GuardRecord,
    HistoryRecord,
    LawRecord,
    RunState,
    SlabRecord,
    SlotRecord,
)
from eventide.methods import ENGLAND


def blank(rows: Any = None, flows: int = 1, method: Coefficients = ENGLAND.coefficients, host: Any = None) -> Arrays:
    """Arrays of one condition, one law, one seat and some flows without members."""
    rows = np.zeros((ROWS, 1)) if rows is None else rows
    arrays = Arrays(
        rows=rows,
        slot=SlotRecord.zeros(rows.shape[1]),
        flow=FlowRecord.zeros(flows),
        slab=SlabRecord.zeros(1),
        segments=np.array([[0, rows.shape[1]]]),
        law=LawRecord.zeros(1),
        index=np.zeros(1, np.int64),
        lists=np.zeros(64, np.int64),
        guard=GuardRecord.zeros(1),
        history=HistoryRecord.zeros(1),
        constants=np.zeros(1),
        heap=np.zeros(flows, np.int64),
        keys=np.zeros(flows),
        places=np.full(flows, -1, np.int64),
        pending=np.zeros(flows, np.int64),
        touched=np.zeros(flows, np.int64),
        run=RunState(),
        models=np.zeros(MODELS),
        method=method,
        host=host,
    )
    for f in range(flows):
        arrays.flow.limit[f] = arrays.flow.before_limit[f] = inf
    return arrays
