"""The arrays of one simulation in which the stepper computes; when one is replaced, all are packed again."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.engine.codes import MODELS
from eventide.engine.interface import PLAIN
from eventide.engine.memory.buffers import view_of
from eventide.engine.memory.flow_rows import FlowRows
from eventide.engine.memory.growable_arrays import Blocks, Numbers
from eventide.engine.records import Arrays, RunState
from eventide.native.locking import cached_property

if TYPE_CHECKING:
    from eventide.continuous.integrator import Integrator

FLOW_LISTS: Final = (np.int64, np.float64, np.int64, np.int64, np.int64)
"""What the lists hold that are as long as there are flows: `heap`, `keys`, `places`, `pending`, `touched`."""
ROOM: Final = 1024
"""The numbers for which there is room from the start: the matrices of ten states, so that none are moved for them."""


class EngineMemory:
    """What the stepper reads and writes, as records and blocks that grow.

    run             the record of the run; flow: those of the flows, whose rows are in `flow_rows`
    segments, chain runs of slots and laws of the flows
    index, lists, constants     blocks of whole numbers, of whole numbers that the stepper changes, and of floats
    heap, touched   the flows by the time they have reached, the earliest first, and those that an event has touched
    """

    # Python finds at once what is in slots; `arrays` alone comes and goes.
    __slots__ = (
        "__dict__",
        "_flow_lists",
        "_integrator",
        "_kept",
        "_models",
        "chain",
        "constants",
        "flow",
        "flow_rows",
        "heap",
        "index",
        "lists",
        "run",
        "segments",
        "touched",
    )

    def __init__(self, integrator: Integrator) -> None:
        self._integrator = integrator
        self.index: Blocks[int] = Blocks(np.int64, self.outdate)
        self.lists: Blocks[int] = Blocks(np.int64, self.outdate, ROOM)
        self.constants: Blocks[float] = Blocks(np.float64, self.outdate, ROOM)
        self.flow_rows = flow_rows = FlowRows(self.constants, self.outdate)
        self.flow = flow_rows.flow
        self.segments, self.chain = flow_rows.segments, flow_rows.chain
        self.run = run = RunState()
        run.arms = 1
        run.tape = run.joined = -1
        run.upcoming = run.look = run.land = inf
        self._models = np.zeros(MODELS)
        self._flow_lists: list[Numbers] = []
        self._reserve(len(self.flow.ints))
        self._kept: object = None

    def outdate(self) -> None:
        """An array has been replaced."""
        self.__dict__.pop("arrays", None)

    @cached_property  # not `__getattr__`, with which Python reads every attribute of a class slowly
    def arrays(self) -> object:
        """All of them as the engine takes them, packed when they are next used after one was replaced."""
        packed, self._kept = self._integrator.engine.pack(self._gather_arrays())
        return packed

    def views(self) -> Arrays:
        """The arrays for a function of the stepper that Python runs."""
        arrays: Arrays = PLAIN.pack(self._gather_arrays())[0]
        return arrays

    def _gather_arrays(self) -> Arrays:
        self._reserve(len(self.flow.ints))
        heap, keys, places, pending, touched = self._flow_lists
        return Arrays(
            rows=self._integrator.storage.table,
            slot=self._integrator.storage.slot,
            flow=self.flow,
            slab=self._integrator.storage.slab,
            segments=self.segments.array,
            law=self.flow_rows.law,
            index=self.index.array,
            lists=self.lists.array,
            guard=self._integrator.guards.guard,
            history=self._integrator.guards.histories.history,
            constants=self.constants.array,
            heap=heap,
            keys=keys,
            places=places,
            pending=pending,
            touched=touched,
            run=self.run,
            models=self._models,
            method=self._integrator.method.coefficients,
            host=self._integrator.host,
        )

    def _reserve(self, flows: int) -> None:
        """Let the lists of flows be long enough. They are replaced only to grow: what was packed stays in use."""
        if not self._flow_lists or len(self._flow_lists[0]) < flows:
            longer: list[Numbers] = []
            for dtype in FLOW_LISTS:
                longer.append(new := np.empty(flows, dtype))
                new.fill(-1)
            for old, new in zip(self._flow_lists, longer, strict=False):
                new[: len(old)] = old
            self._flow_lists = longer
            self.heap, self.touched = view_of(longer[0]), view_of(longer[-1])
