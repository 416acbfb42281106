"""The records of native processes: activities, notices, kinds, requests, stations, levels, tallies, and the run.

The classes are the only place that describes the layout of these tables; `engine/records.py` says how a record works.
What a hold reads is one cache line of whole numbers and one of floats for an activity, and one line a level of the
heap: four notices' keys.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eventide.engine.records import Record

if TYPE_CHECKING:
    from eventide.engine.records import Floats, Ints


class ActivityRecord(Record, is_padded=False):
    """Whatever can stand in the event list: a process, an interruption of one, or a branch of its wait."""

    kind: Ints
    """The row of its kind, which has its kernel."""
    at: Ints
    """The statement at which its kernel continues; 0: not begun; FREE: the row is free."""
    serial: Ints
    """The third part of the key of its notice: a serial number, or 0."""
    wholes: Ints
    """The first place of its local whole numbers in `wholes`."""
    reals: Ints
    """The first place of its local floats in `reals`."""
    wait: Ints
    """What it waits for other than a time, or what is to be raised at its `yield`: see `codes.py`."""
    next: Ints
    """The next in the list in which it stands: of the present instant, of those that wait for an end, of free rows."""
    last: Ints
    """The one before in that list; IN_HEAP in none of them."""
    due: Floats
    """The time of its notice."""
    sequence: Floats
    """The second part of its key, the number of the stretch of code; 0 without a notice."""
    left: Floats
    """What was left of its hold when it was interrupted; NaN if it was not holding. Or the float that it returned."""
    begun: Floats
    """When a process was first activated: its ticks begin there."""


class ProcessRecord(Record, is_padded=False):
    """What few events need to know of an activity."""

    subject: Ints
    """What it waits for: a request, or a process; of an interruption a reference to the process.

    After a wait for the first of several things the number of what has come.
    """
    cause: Ints
    """The cause of the interrupt, a number for Python, or the request whose units were taken away."""
    by: Ints
    """A reference to the process that has taken them."""
    joiners: Ints
    """The first of those that wait for its end; NONE."""
    watched: Ints
    """1 if its end concerns Python, 2 if somebody waits there for it."""
    held: Ints
    """How many variables of rows, and waits that are over, need its row also after its end."""
    wanted: Ints
    """1 if what it returns is used by one that waits for it."""
    answered: Ints
    """Of which kind that is which it has returned: see `codes.py`."""
    answer: Ints
    """That number, if it is no float."""
    named: Ints
    """How many interruptions that have not taken place yet are of it, or by it: Python may ask for these processes."""
    guards: Ints
    """The first of the shared guards that it has; NONE."""
    object: Ints
    """For Python, the number of the prototype of a process that has no object yet; NONE for all others."""
    generation: Ints
    """How many activities were in this row before."""
    number: Ints
    """Its number among those of its label, for its name."""
    tag: Ints
    """The number in the name that it was given, if there is one."""
    made: Ints
    """Its number among all processes made in rows, in the order of their making."""
    branches: Ints
    """The first branch of its wait for several things; of a branch the next one; NONE."""
    owner: Ints
    """Of a branch the row of the process that waits; its `number` is that among what this waits for."""


class NoticeRecord(Record, is_padded=False):
    """A place of the heap. A notice is valid while it has the key that is in its activity's row."""

    time: Floats
    """When the event is due."""
    sequence: Floats
    """The number of the stretch of code that has scheduled it, as in `discrete/calendar.py`."""
    serial: Ints
    """Its serial number, or 0."""
    activity: Ints
    """Whose event it is."""


class KindRecord(Record, is_padded=False):
    """The processes of one generator function."""

    address: Ints
    """The address of their kernel."""
    wholes: Ints
    """How many local whole numbers each has."""
    reals: Ints
    """How many local floats."""
    free: Ints
    """The first of their free rows; NONE."""
    spare: Ints
    """The number of these rows."""
    label: Ints
    """The kind that counts the processes of one name: functions of the same name have one."""
    count: Ints
    """The number of processes made so far."""


class RequestRecord(Record, is_padded=False):
    """A request of a process for units of a station."""

    station: Ints
    """What it was asked of."""
    state: Ints
    """NEW, WAITING, GRANTED, RELEASED, PREEMPTED or WITHDRAWN."""
    activity: Ints
    """The row of the activity that asked."""
    units: Ints
    """How many units."""
    number: Ints
    """Its number among the requests of the station, in the order of asking."""
    next: Ints
    """The one after it in the line or among the users; of a free row the next free one."""
    last: Ints
    """The one before."""
    preempts: Ints
    """1 if it may take the units of others."""
    loss: Ints
    """The interruption in which its process will learn that its units were taken away; NONE."""
    spare: Ints
    """The row that is kept for this interruption, so that there is room for it whenever it comes; NONE."""
    chosen: Ints
    """The next of those that are to lose their units at once; NONE."""
    whole: Ints
    """1 if the amount of a transfer is a whole number in Python."""
    item: Ints
    """What a put into a store brings: a whole number, a Boolean, or the address of an object."""
    entry: Ints
    """Of a granted get from a store the request that has brought what it gets."""
    real: Floats
    """What a put into a store brings where that is a float."""
    priority: Floats
    """High first."""
    since: Floats
    """Since when it has waited, or has had its units."""
    amount: Floats
    """How much a put or a get is of."""


class StationRecord(Record, is_padded=False):
    """A number of units that processes hold for a while, and the line of those that wait; or a side of an inventory."""

    capacity: Ints
    """How many units there are."""
    held: Ints
    """How many are in use."""
    preemptive: Ints
    """1 if requests may take units of users of lower priority."""
    first: Ints
    """The request that is next in the line; NONE."""
    end: Ints
    """The last of the line; NONE."""
    waiting: Ints
    """How many are in the line."""
    users: Ints
    """The request that has had its units longest; NONE."""
    latest: Ints
    """The request that was the last to get units; NONE."""
    using: Ints
    """How many requests hold units."""
    asked: Ints
    """How many were yielded."""
    reneged: Ints
    """How many were withdrawn before they had been served."""
    preempted: Ints
    """How many have lost their units."""
    in_use: Ints
    """The level of units held."""
    queue: Ints
    """The level of requests waiting."""
    waits: Ints
    """The tally of how long granted requests had waited."""
    inventory: Ints
    """The inventory of which it is one side; NONE."""


class InventoryRecord(Record, is_padded=False):
    """What transfers put in and take out: requests at two stations, its sides; an amount, or single items of a store.

    An item is the request that has brought it, and stands in the line of a third station until it is taken.
    """

    gets: Ints
    """The station of those that take out."""
    puts: Ints
    """The station of those that put in."""
    items: Ints
    """The station in whose line the items of a store stand; NONE for an amount."""
    changes: Ints
    """The tally of the amounts that there were, and of when, one after the other; NONE for items."""
    whole: Ints
    """1 if the amount is a whole number in Python."""
    capacity: Floats
    """The most that it holds."""
    amount: Floats
    """How much is in it, or how many items."""
    kept: Floats
    """Space reserved by transfers that were granted."""


class LevelRecord(Record, is_padded=False):
    """A whole number that holds until it changes, and for how long it had each of its values."""

    value: Ints
    """The present value, from 0 to `size` - 1."""
    size: Ints
    """How many values there is room for."""
    held: Ints
    """The place in `reals` of the duration of value 0; UNSEEN for a value that it has not left yet."""
    order: Ints
    """The place in `wholes` of these values in the order in which it first left them."""
    seen: Ints
    """How many these are."""
    changed: Floats
    """When the present value was set."""


class TallyRecord(Record, is_padded=False):
    """Single values, which Python takes over when there are many."""

    start: Ints
    """The place of the first value in `reals`."""
    size: Ints
    """How many values there is room for."""
    count: Ints
    """How many there are."""


class ColumnRecord(Record, is_padded=False):
    """What recordings read at events."""

    what: Ints
    """A code: a constant, a slot or its rate, a level, the amount in an inventory, or what a kernel computes."""
    where: Ints
    """The slot, or the row of the level, of the inventory or of the kernel."""
    first: Ints
    """The first of the slots of the same object, or the place of the number among the floats of the row."""
    value: Floats
    """The constant."""


class SharedGuardRecord(Record, is_padded=False):
    """A guard of the stepper that no process has for itself, or a list of such: one for each condition.

    A process that waits for the condition takes one, and has it until it ends.
    """

    guard: Ints
    """The guard's number; of a list NONE."""
    next: Ints
    """The next one that is free, or that the same process has; of a list the first one; NONE."""
    home: Ints
    """The row of its list."""
    taken: Ints
    """How many processes have taken it."""


class RowState(ctypes.Structure):
    """The clock, the counters, and the lists of the present instant."""

    time: float
    """The present time."""
    turn: int
    """The number of the stretch of code that runs, the last that was drawn."""
    serial: int
    """The last serial number that was drawn."""
    void: int
    """How many numbers of stretches were drawn for something else than an event."""
    latest: int
    """The number of the stretch that was last to put something in front."""
    current: int
    """The row whose event takes place; NONE between events."""
    mark: float
    """The time at which stock was taken last of whether the clock moves; see `discrete/same_time_limit.py`."""
    chunk: int
    """How many events there are from one such time to the next, where it does."""
    chunks: int
    """How many times more it may be taken before Python is asked."""
    hole: int
    """1 while the root of the heap is the notice of the event that takes place."""
    front_first: int
    """The first of those in front of the present instant; NONE."""
    front_end: int
    """The last of them that the stretch `latest` has put there; NONE."""
    ready_first: int
    """The first of those at the end of the present instant; NONE."""
    ready_end: int
    """The last of them; NONE."""
    notices: int
    """The number of notices in the heap."""
    notice_room: int
    """How many there is room for."""
    used: int
    """The number of rows of activities that have been used."""
    row_room: int
    """How many there are."""
    free_request: int
    """The first free row of requests; NONE."""
    spare_requests: int
    """The number of these rows."""
    wholes_used: int
    """The number of places of `wholes` that are taken."""
    reals_used: int
    """The number of places of `reals` that are taken."""
    made: int
    """The number of processes made in rows so far."""
    plain: int
    """The number of plain objects made in rows so far; see `RowMemory.object_of`."""
    alive: int
    """The number of rows of processes that are in use, prototypes included."""
    arrays: int
    """The address of the tables of all that moves; 0 where nothing does."""
    marching: int
    """The address of the stepper's function that brings it from one event to the next."""
    looking: int
    """That of the one that gives the value of a slot."""
    asking: int
    """That of the one that says whether a slot may be changed."""
    changing: int
    """That of the one that changes it."""
    breaking: int
    """That of the one that says whether laws have failed."""
    admitting: int
    """That of the one that says whether a process may begin to wait for a condition without Python."""
    closing: int
    """That of the one that tells a condition a number."""
    entering: int
    """That of the one that lets it wait."""
    withdrawing: int
    """That of the one that withdraws such a wait."""
    naming: int
    """That of the one that says whose wait ends by the event that was found."""
    timing: int
    """That of the one that says when."""
    sloping: int
    """That of the one that gives the rate of a slot."""
    forgetting: int
    """That of the one by which a condition becomes another process's."""
    columns: int
    """The number of columns that recordings read at events."""
    functions: int
    """How many of these are computed by kernels."""
    keeping: int
    """The address of what keeps an object that a kernel has made."""
    looks: int
    """The tally that keeps what they read."""
    regular: int
    """The place in `reals` of the next time at which they read them, whether or not there is an event."""
    last_regular: int
    """That of the last one known: there Python tells of more."""
    looked: int
    """Whether time goes on, and all has come to the next event, as far as recordings see it; 0 after an event."""
    watching: int
    """The number of rows that wait for conditions."""
    found: int
    """1 if an event of what moves was found already, which is the next one."""
    fired: int
    """How many such events of rows there have been since Python was last asked."""
    woken: int
    """The row of the last of them; NONE."""
    leaves: int
    """1 if all rows are to come home before the next event."""
    wrote: int
    """1 if the events of this instant have changed what moves since it was settled."""
    reached: int
    """What that function has come to last, as a code of `engine/codes.py`, or the number of a condition."""


RowState._fields_ = [
    (name, ctypes.c_double if note == "float" else ctypes.c_int64) for name, note in RowState.__annotations__.items()
]


class Rows(NamedTuple):
    """All that native processes consist of, as their functions see it.

    wholes, reals   local numbers of the processes, values of tallies, durations of levels
    activity ... shared the records above
    run             clock, counters, lists
    host            runs kernels in Python; an empty tuple in compiled code
    """

    wholes: Ints
    reals: Floats
    activity: ActivityRecord
    process: ProcessRecord
    notice: NoticeRecord
    kind: KindRecord
    request: RequestRecord
    station: StationRecord
    inventory: InventoryRecord
    level: LevelRecord
    tally: TallyRecord
    column: ColumnRecord
    shared: SharedGuardRecord
    run: RowState
    host: Any


RECORDS: Final[Mapping[str, type[Record]]] = {
    "activity": ActivityRecord,
    "process": ProcessRecord,
    "notice": NoticeRecord,
    "kind": KindRecord,
    "request": RequestRecord,
    "station": StationRecord,
    "inventory": InventoryRecord,
    "level": LevelRecord,
    "tally": TallyRecord,
    "column": ColumnRecord,
    "shared": SharedGuardRecord,
}
"""The records among the fields of `Rows`."""
