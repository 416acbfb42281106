"""The records of the stepper: what is stored for each flow, condition, slot, slab, law and history, and for the run.

A record is a class with an annotation for each column; a column is a memoryview with a number for each row. Plain
Python reads `a.flow.key[f]`, and native code is translated from the same expression. The classes below are the only
place that describes the layout of these tables, so mypy and the translator reject a column that does not exist.

What an event reads comes first in each record, and rows are a whole number of cache lines wide: among thousands of
flows an event then touches 94 cache lines, 116 before. The rows of the table of slots are an odd number of lines
apart. Prefetching the lines of the next flow during an event was tried: processes gained 3 %, handlers lost 8 %.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from eventide.engine.memory.buffers import flattened, view_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from eventide.engine.codes import Coefficients, IntNumbers, Numbers, NumberTable
    from eventide.engine.interface import PythonLaws

    Ints: TypeAlias = memoryview[int]
    """A column of whole numbers."""
    Floats: TypeAlias = memoryview[float]
    """A column of real numbers."""
    IntBlocks: TypeAlias = memoryview[int]
    """Several columns of whole numbers, which take a second index."""
    FloatBlocks: TypeAlias = memoryview[float]
    """Several columns of real numbers, which take a second index."""

Kind: TypeAlias = Literal["ints", "floats"]
_KINDS: Final[dict[str, Kind]] = {"Ints": "ints", "IntBlocks": "ints", "Floats": "floats", "FloatBlocks": "floats"}
_OF_TYPES: Final[dict[str, Kind]] = {"l": "ints", "q": "ints", "d": "floats"}
LINE: Final = 8
"""How many numbers a cache line holds: tables of which an event reads a row are a whole number of them wide."""
STILLS: Final = 32
"""How many numbers that do not move within a step are kept for the proofs of a condition."""


class Column(NamedTuple):
    """The place of a column. As an attribute of a record: the view of it, made when it is first read.

    Most columns of a small model are read by native code alone, and views of all took a sixth of a short run. Those
    `at_once` are made with their table: Python 3.11 finds fast only what a class has no descriptor for.

    kind, first     the table that it is in, and its place in a row of that
    width, among    how many numbers it has of each row, None if it takes no second index; and these of all rows
    """

    kind: Kind
    first: int
    width: int | None
    name: str
    among: slice = slice(None)

    def __get__(self, record: Record, _: type[Record]) -> object:
        (kind, first, width, name, among), known = self, record.__dict__
        if width is None:  # slices of a memoryview are made several times faster than those of an array
            known[name] = record.flatten()[kind][among]
        else:
            known[name] = view_of(known[kind][:, first : first + width])
        return known[name]  # where Python finds it before this


class _Block(NamedTuple):
    width: int


def block(width: int) -> Any:
    """Several columns under one name."""
    return _Block(width)


class Record:
    """A number of rows of the same columns, in one table of whole numbers, one of real ones, or one of each.

    columns     the place of each column, by its name
    at_once     those that Python reads or writes as a model changes
    widths, ints, floats    the width of each table, and the tables as they are now
    """

    columns: ClassVar[Mapping[str, Column]] = {}
    at_once: ClassVar[tuple[Column, ...]] = ()
    widths: ClassVar[Mapping[Kind, int]] = {}
    ints: NDArray[np.int64]
    floats: NDArray[np.float64]

    def __init_subclass__(cls, *, is_padded: bool = True, at_once: str = "") -> None:
        columns: dict[str, Column] = {}
        widths: dict[Kind, int] = {}
        for name, note in cls.__annotations__.items():
            kind, group = _KINDS[note], cls.__dict__.get(name)
            first = widths.get(kind, 0)
            columns[name] = Column(kind, first, group and group.width, name)
            widths[kind] = first + (group.width if group else 1)
        if is_padded:
            widths = {kind: -(-width // LINE) * LINE for kind, width in widths.items()}
        cls.columns, cls.widths, chosen = columns, widths, at_once.split()
        for name, column in columns.items():
            columns[name] = column._replace(among=slice(column.first, None, widths[column.kind]))
            if name not in chosen:
                setattr(cls, name, columns[name])
        cls.at_once = tuple(columns[name] for name in chosen)

    @classmethod
    def place_of(cls, name: str) -> int:
        """The place of a column in a row of its table."""
        return cls.columns[name].first

    def attach(self, table: NumberTable, flat: memoryview[int] | memoryview[float] | None = None) -> None:
        """Use this table for the columns of its kind from now on; flat: its numbers one row after the other."""
        known, kind = self.__dict__, _OF_TYPES[table.dtype.char]
        kept: dict[str, object] = {one: known[one] for one in self.widths if one in known}
        flats = {**self.flatten()} if kept else {}
        flats[kind] = flattened(view_of(table)) if flat is None else flat
        known.clear()
        known.update(kept)
        known[kind], known["flat"] = table, flats
        for column in self.at_once:
            if column.kind in flats:
                known[column.name] = flats[column.kind][column.among]

    def flatten(self) -> Mapping[Kind, memoryview[int] | memoryview[float]]:
        """The numbers of each table, one row after the other, until a table is replaced."""
        known = self.__dict__
        flats = known.get("flat")
        if flats is None:
            flats = known["flat"] = {kind: flattened(view_of(known[kind])) for kind in self.widths if kind in known}
        return flats

    def tables(self) -> list[NumberTable]:
        """The tables that there are, in the order of `widths`."""
        return [self.__dict__[kind] for kind in self.widths if kind in self.__dict__]

    @classmethod
    def zeros(cls, rows: int) -> Self:
        """A record of tables of its own, with zeros."""
        record = cls()
        for kind, width in cls.widths.items():
            record.attach(np.zeros((rows, width), np.int64) if kind == "ints" else np.zeros((rows, width)))
        return record


class FlowRecord(Record, at_once="unseen stale entries entries_room chain_lo chain_hi"):
    """A flow: states and laws that affect each other, with a step and an interpolant of their own."""

    start: Floats
    """The time at which the present step begins."""
    start_rest: Floats
    """The rounding error of `start`: the exact time is `start` plus this."""
    step: Floats
    """The length of the present step in units of time; 0 before it is made."""
    next_step: Floats
    """The length to try next, in units of time; 0 if it has to be estimated."""
    end: Floats
    """The time at which the present step ends."""
    end_rest: Floats
    """The rounding error of `end`."""
    event: Floats
    """The time from the start of the step to its first state event; -1 without one."""
    key: Floats
    """The time to which the flow has advanced: that of its event, else `end`."""
    at: Floats
    """The time to which the rows Y and R belong; NaN if they belong to none that matters."""
    usual_step: Floats
    """The length of the last step that was made and that no event had shortened, in units of time; 0 before one."""
    past_step: Floats
    """The length of the previous step if a two-step method can use its rate at the start, in units of time; else 0."""
    limit: Floats
    """The next time at which an input that the laws call is not smooth; a step ends there. Infinity without one."""
    before_limit: Floats
    """The last float before `limit`: the latest time that laws see until the flow has been settled there."""
    longest_step: Floats
    """The longest step to try, because proofs failed over longer ones, in units of time; infinity as a rule."""
    asked_step: Floats
    """The step length that error control alone would allow, in units of time."""
    tried: Floats
    """The time of the last event before which conditions were tested at the cut of this step."""
    switches: Floats
    """The number of located comparisons in the laws."""
    turns: Floats
    """1 if `event` is no state event, but only a comparison in a law changes there."""
    unseen: Floats
    """The number of members with laws in which something branches, bends or jumps that is not located."""
    segments_lo: Ints
    """The first row of `segments` with slots that are integrated."""
    segments_hi: Ints
    """The row after the last one."""
    empty: Ints
    """1 if the flow has neither states nor laws, only conditions on time."""
    open: Ints
    """1 if an event has touched the flow and it has not been settled since; it is listed in `touched` then."""
    fitted: Ints
    """1 if the coefficients of the interpolant have been computed."""
    entries_at: Ints
    """The place in `constants` of the entries of its conditions, followed by the list of those not screened."""
    entries: Ints
    """The number of entries, including those whose conditions have left."""
    entries_room: Ints
    """The number of entries for which there is room."""
    entries_left: Ints
    """The number of entries whose conditions have left."""
    unscreened: Ints
    """The number of conditions that are not screened by levels of their state."""
    moment: Ints
    """The serial number of the start of the present step; that of its end is one more."""
    has_screened: Ints
    """1 if some condition is screened by levels of its state."""
    stale: Ints
    """1 if a parameter has been written, so that the levels of screened conditions are void."""
    needs_python: Ints
    """1 if Python must be called at each event that touches the flow: it has inputs or a sliding mode."""
    chain_lo: Ints
    """The first row of `law` with laws of the flow."""
    chain_hi: Ints
    """The row after the last one."""
    sums_lo: Ints
    """The first row of `segments` with sums to be zeroed."""
    sums_hi: Ints
    """The row after the last one."""
    counted: Ints
    """1 if the `run_length` of each law is right: not after a law has come or gone. See `LAYS` in `overrides.py`."""
    direct: Ints
    """1 if no law reads a rate, so that native laws may write theirs to the row of a stage directly."""
    slides: Ints
    """The place in `lists` of what slides along a surface; -1 if nothing does."""
    attempt: Ints
    """The address of the native function that replaces `attempt` in a small flow; 0 without one."""
    complete_step: Ints
    """The address of the native function that replaces `complete` in a small flow; 0 without one."""
    steps: Ints
    """The number of steps made so far."""
    evaluations: Ints
    """The number of evaluations of the laws so far."""
    worst: Ints
    """The slot with the largest error in the last attempt; -1 without one."""
    announced: Ints
    """1 if the observers of steps have been called at the end of the present one."""
    assigns: Ints
    """1 if a law may assign a state, so that states differ from the interpolant."""
    begun: Ints
    """1 if the present step starts at an event."""
    doubted: Ints
    """1 if the last step was accepted although a condition was undecided in it."""
    refused: Ints
    """The number of attempts refused so far."""
    system: Ints
    """The place in `lists` of the matrices of an implicit method, see `newton_matrices.py`; -1 without."""
    jacobians: Ints
    """The number of evaluations of the Jacobian so far."""
    factorizations: Ints
    """The number of factorizations so far."""
    segments_room: Ints
    """The number of runs of slots for which there is room."""
    chain_room: Ints
    """The number of laws for which there is room."""
    sums_room: Ints
    """The number of runs of sums for which there is room."""
    members: Ints
    """The number of components and loose variables of the flow."""
    contributors: Ints
    """The number of its laws that are contributions; they come first."""
    indirect: Ints
    """The number of members whose laws read rates."""
    rests_lo: Ints
    """The first row of `segments` with states of members that are not integrated, whose rates are to be zeroed."""
    rests_hi: Ints
    """The row after the last one."""
    rests_room: Ints
    """The number of runs of such states for which there is room."""
    laid_from: Ints
    """The place in `lists` of the room for the index rows of joined laws: its size, then the rows; 0 without."""


class GuardRecord(Record, at_once="index constants history armed timed"):
    """A condition that is monitored: of a wait, a handler, or a branch of a law.

    Its event function is positive where the condition is true. `value` and `slope` are that function and its derivative
    by time; both are NaN where the condition has none.
    """

    address: Ints
    """The address of its kernel."""
    index: Ints
    """The place of its index row in `index`."""
    constants: Ints
    """The place of its closure numbers in `constants`."""
    trigger: Ints
    """1 if it fires when it becomes true (`when`); 0 if it fires whenever it is true (`until`)."""
    armed: Ints
    """1 if it may fire, 0 if not, AT_END if it was found false within the present step, which may still be cut."""
    flow: Ints
    """The flow that monitors it."""
    entry: Ints
    """The number of its entry among those of the flow."""
    seen: Ints
    """The moment of its last test at an end of a step."""
    needs_laws: Ints
    """1 if it reads rates, computed values or sums."""
    due: Ints
    """1 if it was found true, and may fire, at the event of its flow or at the present time."""
    ready: Ints
    """1 if it has been found false in this step or before, so that it fires when it becomes true."""
    true_at_end: Ints
    """1 if it was true at the end of the step."""
    certificate: Ints
    """The place in `lists` of the expressions by which it is proved false within a step; -1 without."""
    sampled: Ints
    """1 if sampled in this step, without a proof; AS_NEEDED if its event function decides at how many points."""
    history: Ints
    """The row of its history."""
    fallback: Ints
    """The address of the function that asks Python where its kernel returns RAISES; 0 if it never does."""
    timed: Ints
    """1 if nothing that it reads changes but the time, so that no error of a state limits its steps."""
    can_be_screened: Ints
    """1 if it may be screened: it reads nothing but states and parameters."""
    handler: Ints
    """The address of its handler where that is native code; else 0."""
    effects: Ints
    """The place in `lists` of what that handler reads and writes."""
    waiter: Ints
    """1 more than the row of the process that waits for it, where that is native code (`rows/`); else 0."""
    switch: Ints
    """For a comparison in a law: 1 more than the slot of its outcome, see `switching.py`; else 0."""
    exact: Ints
    """1 if it is located to the last float whatever `dt_min` is: it reads nothing but the time."""
    whole: Ints
    """For an expression of a law that jumps between whole numbers: 1 more than the slot of the present one; else 0."""
    value: Floats
    """The event function at the last test."""
    slope: Floats
    """Its derivative there."""
    value_at_end: Floats
    """The event function at the end of the step."""
    slope_at_end: Floats
    """Its derivative there."""
    low: Floats
    """A time from the start of the step at which the condition was false."""
    value_low: Floats
    """The event function at `low`."""
    slope_low: Floats
    """Its derivative there."""
    high: Floats
    """A later time from the start of the step at which it was true; -1 without one."""
    value_high: Floats
    """The event function at `high`."""
    slope_high: Floats
    """Its derivative there."""
    value_at_start: Floats
    """The event function at the start of the step."""
    slope_at_start: Floats
    """Its derivative there."""
    value_before: Floats
    """The event function at the end of the part that was examined last."""
    slope_before: Floats
    """Its derivative there."""
    guess: Floats
    """About when it becomes true between `low` and `high`, as a time from the start of the step; -1 if unknown."""
    still: FloatBlocks = block(STILLS)
    """The numbers in its certificate that do not change within a step, as the last test left them."""
    priority: Floats
    """Its priority among the conditions of one event."""
    rank: Floats
    """Its rank among those of equal priority: the lower is first."""


class SlotRecord(Record):
    """A slot, which holds one number of an object, and the flows that use it."""

    home: Ints
    """For the first slot of a block of an object: the flow in which the object moves; -1 if it is at rest."""
    user: IntBlocks = block(2)
    """BY_READING: the flow that depends on the slot. BY_TOUCHING, for the first slot of a block: the flow with laws and
    conditions that touch the object, its own laws not counted. -1 without one; SEVERAL if Python lists them."""
    uses: IntBlocks = block(2)
    """The number of laws and conditions of that flow that do."""
    writer: IntBlocks = block(2)
    """Of the rate, and of the computed value or assigned state: twice the slab of the object whose laws write it, plus
    1 if they set it without reading it; -1 without one, SEVERAL if there are more."""
    slab: Ints
    """The slab to which the slot belongs."""


class SlabRecord(Record, is_padded=False, at_once="record row_of_laws prior started given"):
    """A slab: the blocks of slots of one object, and its laws."""

    base: Ints
    """The first slot of the block that is integrated; -1 without one."""
    side: Ints
    """The first slot of the block that is not integrated; -1 without one."""
    record: Ints
    """The place in `lists` of the description of its laws."""
    row_of_laws: Ints
    """The place in `index` of the rows of its laws, one after the other."""
    prior: Ints
    """Its priority as a whole number: the higher the priority, the smaller the number."""
    started: Ints
    """Its serial number among all starts."""
    later: IntBlocks = block(6)
    """For contributions from LATER_CONTRIBUTION on, for equations from LATER_EQUATION on: 0, or, if they wait for laws
    that would come later: how far behind the last of these they stand, and priority and serial number of that one."""
    given: Ints
    """The number of other objects with laws that set its computed values, sums or states."""


class LawRecord(Record, is_padded=False):
    """A law, in the order of a pass over its flow."""

    address: Ints
    """The address of its kernel."""
    operands: Ints
    """The place in `index` of the row with the base slots of the objects that it refers to."""
    run_length: Ints
    """For the first of consecutive laws with the same kernel: their number. One call executes them all."""
    slab: Ints
    """The slab of the object whose law it is."""
    joint: Ints
    """For laws executed together with others: the place in `lists` of their description, or BY_OTHERS; else ALONE."""


class HistoryRecord(Record, at_once="serial"):
    """How often a condition has fired of late, and how its intervals shrink."""

    serial: Floats
    """The serial number of its first firing among those of all histories; 0 if it has not fired."""
    fired_at: Floats
    """The time at which it fired last."""
    since: Floats
    """The time from which on time has barely advanced."""
    crowd: Floats
    """The number of consecutive firings since then."""
    interval: Floats
    """The time between the last two firings."""
    ratio: Floats
    """The ratio of that interval to the one before."""
    steady: Floats
    """The number of consecutive intervals that have shrunk by about that ratio."""
    passed: Floats
    """The number of consecutive firings while time advanced, since the history was examined last."""
    told: Floats
    """1 if a warning has been given."""
    slope: Floats
    """The rate of its event function at its last firing, before what that changed; NaN if it has none."""


class RunState(ctypes.Structure):
    """The limits, flags and counters of a run."""

    dt_min: float
    """The shortest step, and the tolerance of event times, in units of time."""
    dt_max: float
    """The longest step, in units of time."""
    land: float
    """The time at which steps must end: the next time event or the end of the run; infinity where flows step apart."""
    next_event: float
    """The time of the next time event."""
    aborted: int
    """1 if Python code called by a step has raised an error that ends the run, VALUELESS if a shorter step may help."""
    raised: int
    """1 if a law executed in Python has raised an error of the user's."""
    stepwise: int
    """1 if each step is observed at its end, 2 if also before an event cuts it, else 0."""
    flows: int
    """The number of flows in the heap."""
    pending: int
    """The number of flows with an event at the time of the last one found."""
    arms: int
    """1 if conditions that are found false are armed; 0 during a pause."""
    touched: int
    """The number of flows that an event has touched."""
    chosen: int
    """The condition of the next event."""
    event_time: float
    """The time of that event."""
    event_start: float
    """The start of the step in which it was found."""
    event_dt: float
    """The time from there to the event."""
    budget: int
    """The number of parts of a step that may still be examined to prove that a condition stays false there."""
    unproved: int
    """The number of steps in which a condition with a certificate could not be proved to stay false."""
    in_doubt: int
    """The number of conditions with a certificate of which that could not be proved in the present step."""
    complete: int
    """1 if the present step has all its samples."""
    tape: int
    """The place in `lists` of the first tape; -1 without one."""
    upcoming: float
    """The next time at which a tape takes a row; infinity without one."""
    look: float
    """The time up to which Python has asked for if observers look at it, and no event is known there; else another."""
    alert: int
    """Not 0 if a condition fires ever more often while time barely advances."""
    firings: int
    """The number of histories begun so far."""
    false_to: float
    """The fraction of the step up to which a condition is proved to stay false once it is false."""
    sought: float
    """The fraction of the step up to which a condition is decided."""
    clear: float
    """The least of these fractions over the conditions of the flow; 1 if all are decided."""
    used: int
    """The number of parts examined for the condition that took most of them."""
    work: float
    """The work done since the march last returned to Python, in states times steps."""
    work_limit: float
    """The work after which the march returns so that Python can react; below 0: it returns now."""
    reacts: int
    """Which handlers may run natively: 0 none, 1 those that append to no list, 2 all."""
    handled: int
    """The number of handlers that have run since Python was last asked."""
    listed: int
    """The number of monitored conditions."""
    looked_at: int
    """1 if state events are observed before what they touch is open."""
    joined: int
    """The place in `lists` of the first pair of laws that may be joined; -1 without one."""
    arrivals: float
    """The number of waits begun so far, which is the rank of the last."""
    handled_at: float
    """The time at which the last handler or process ran."""
    laws_in_python: int
    """The address of the function that executes the laws of a flow in Python where a kernel returns RAISES."""
    switched: int
    """The number of located changes of comparisons in laws so far."""
    unsure_from: float
    """The fraction of the step from which on a condition stays unsure, however short the part."""
    unsure_to: float
    """The fraction up to which it does so without a break; 0 if there is no such part."""
    sure_to: float
    """The fraction at which the first such stretch begins that is more than a spot; 1 without one."""


RunState._fields_ = [
    (name, ctypes.c_double if note == "float" else ctypes.c_int64) for name, note in RunState.__annotations__.items()
]


class Arrays(NamedTuple):
    """All that moves, as the functions of the stepper see it.

    rows            (ROWS, slots) what is known of each slot as numbers, see `codes.py`
    flow, guard, slot, slab, law, history     the records above; laws in the order of a pass, grouped by flow
    segments        (n, 2) runs of slots that are integrated, and runs of sums to be zeroed, grouped by flow
    index           base slots of the objects that kernels refer to
    lists           counts and base slots of lists of objects
    constants       closure numbers of conditions
    heap            flows as a heap by `key`: the root is the least, the children of place p are 4p + 1 ... 4p + 4
    keys            `key` of each of them, as it was when the flow was put there
    places          the place of each flow in the heap; -1 if it is not in it
    pending         flows that have an event at the time of the last one found
    touched         flows that an event has touched, in order
    run             limits, flags and counters
    models          (MODELS,) the enclosures of one condition's expressions, and scratch room
    method          the tableau
    host            evaluates laws and conditions in Python; an empty tuple in compiled code
    """

    rows: Any  # native code asks for its width
    segments: IntNumbers
    index: Any  # a tuple has a method of that name
    lists: IntNumbers
    constants: Numbers
    heap: IntNumbers
    keys: Numbers
    places: IntNumbers
    pending: IntNumbers
    touched: IntNumbers
    models: Numbers
    slot: SlotRecord
    flow: FlowRecord
    slab: SlabRecord
    law: LawRecord
    guard: GuardRecord
    history: HistoryRecord
    run: RunState
    method: Coefficients
    host: PythonLaws


RECORDS: Final[Mapping[str, type[Record]]] = {
    "flow": FlowRecord,
    "guard": GuardRecord,
    "slot": SlotRecord,
    "slab": SlabRecord,
    "law": LawRecord,
    "history": HistoryRecord,
}
"""The records among the fields of `Arrays`."""
