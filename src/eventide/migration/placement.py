"""What a process waits for as it goes away to a row, and as it leaves that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from eventide.discrete.conditions.until import StateWait
from eventide.discrete.interruptions import Interruptions, put_back
from eventide.discrete.processes.composite import AllOf, FirstOf
from eventide.discrete.processes.endings import End
from eventide.discrete.processes.generator_process import Kind, counter_of
from eventide.discrete.resources.line import StationRequest
from eventide.discrete.resources.request import Request
from eventide.discrete.resources.transfer import Transfer
from eventide.migration.crossing.branches import begin_wait_for_state
from eventide.migration.joins import place_wait
from eventide.rows.allocation import reference
from eventide.rows.codes import COMPOSED, NONE, REQUESTED, TRANSFERRING, WATCHING

if TYPE_CHECKING:
    from typing import TypeAlias

    from eventide.discrete.calendar import Calendar, Entry
    from eventide.discrete.commands import Activity
    from eventide.discrete.processes.composite import StandingBranch
    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World
    from eventide.migration.crossing.body import Body
    from eventide.migration.prototypes import Prototype
    from eventide.migration.recorded import RecordedFunction
    from eventide.migration.row_driver import Guards
    from eventide.migration.selection import Candidate
    from eventide.migration.things import Things
    from eventide.rows.memory import RowMemory

    Leaving: TypeAlias = Candidate | Prototype | RecordedFunction
    """What gets a row."""


def enter_prototypes(
    memory: RowMemory,
    prototypes: Sequence[Prototype],
    kinds: Mapping[Body, int],
    counters: dict[str | type, int],
    world: World,
    new_row: Callable[[RowMemory, int], int],
) -> dict[int, Kind]:
    """Give rows to the prototypes of what may begin in rows, and let rows count that.

    kinds       of bodies; counters: by what has one name, the kind that counts it, to which new ones are added
    Returns     who counts in Python, by these kinds
    """
    counted: dict[int, Kind] = {}
    for prototype in prototypes:
        k, label = kinds[prototype.body], prototype.label
        prototype.row = new_row(memory, k)
        memory.process.object[prototype.row] = prototype.number
        memory.kind.label[k] = counter = counters.setdefault(label, k)
        counted[counter] = counter_of(world, label)
    return counted


def fill(
    memory: RowMemory,
    i: int,
    one: Leaving,
    requests: Mapping[StationRequest, int],
    things: Things,
    away: Mapping[Process, int],
    interruptions: Interruptions,
) -> None:
    """Write the local numbers of a row.

    requests, away      their rows, and those of processes
    """
    row_start, views = one.row_start, memory.views
    wholes = list(row_start.wholes)
    for place, child in one.children.items():
        wholes[place] = NONE if child is None else child.row
    for place, thing in row_start.stations.items():
        wholes[place] = things.row_of(thing)
    for place, request in row_start.requests.items():
        wholes[place] = requests[request]
    for place, other in row_start.processes.items():
        wholes[place] = reference(views, away[other]) if other in away else NONE  # type: ignore[index]  # as it is there
    for place, cause in row_start.causes.items():
        wholes[place] = interruptions.number_of(cause)
    memory.set_numbers(i, wholes, row_start.reals)
    memory.objects.update(zip(map(id, row_start.kept), row_start.kept, strict=True))


def begin_wait(
    memory: RowMemory,
    i: int,
    candidate: Candidate,
    requests: dict[StationRequest, int],
    away: dict[Process, int],
    guards: Guards,
) -> None:
    """Let the process in a row wait for what it has waited for in Python.

    requests, away      their rows, and those of processes
    """
    views, wait = memory.views, candidate.wait
    views.activity.at[i], views.process.subject[i] = candidate.row_start.at, NONE
    for number, guard in candidate.guards.items():
        views.wholes[views.activity.wholes[i] + number] = guard.row
    for number, (guard_number, name) in candidate.body.layout.closed_over.items():
        if guard_number in candidate.guards:
            place = guards.place_in(candidate.guards[guard_number], name)
            views.wholes[views.activity.wholes[i] + number] = place
    if isinstance(joint := candidate.group or wait, End | AllOf):
        place_wait(memory, i, joint, away)
    elif candidate.group is not None:
        candidate.body.place_branches(memory, i, candidate.group.standing, requests)
    elif isinstance(wait, StateWait):
        begin_wait_for_state(memory, i, wait)
    elif isinstance(wait, StationRequest):
        code = REQUESTED if isinstance(wait, Request) else TRANSFERRING
        views.activity.wait[i], views.process.subject[i] = code, requests[wait]
    else:
        assert candidate.notice is not None
        time, sequence, path, _ = candidate.notice
        memory.engine.place(memory.arrays, i, time, float(sequence), path[0])


def request_of(memory: RowMemory, i: int, requests: Mapping[int, StationRequest]) -> StationRequest | None:
    """The request for which a process waits in its row; None in another wait.

    requests    by their rows
    """
    is_asking = memory.activity.wait[i] in (REQUESTED, TRANSFERRING)
    return requests[memory.process.subject[i]] if is_asking else None


def stand_branches(calendar: Calendar, process: Process, left: list[StandingBranch]) -> None:
    """A process that has left its row waits in Python for the first of several things, if there are any."""
    for branch, one in zip(FirstOf.begun(process, left) if left else (), left, strict=True):
        stand_waiting(calendar, branch, one.request, (one.time, one.sequence, one.serial))


def stand_waiting(
    calendar: Calendar, process: Activity, request: StationRequest | None, key: tuple[float, float, int]
) -> None:
    """What has left its row waits for a request, None: for its time, in Python, with its key in the event list."""
    owner: Entry = process
    if request is not None:
        process._wait = request
        if request.granted and isinstance(request, Transfer):
            owner = request
        else:
            process._value = request if request.granted else None
    put_back(calendar, owner, *key)


def give(process: Process, value: object) -> None:
    """Let the `yield` return something at which a process stands."""
    process._value = value


def watching(memory: RowMemory, i: int) -> dict[int, int]:
    """The guards by which a process in a row waits, and the rows of what waits: its own, or those of branches."""
    views, found = memory.views, {}
    rows = [i]
    while views.activity.wait[i] == COMPOSED and (b := views.process.branches[rows[-1]]) >= 0:
        rows.append(b)
    for row in rows:
        if views.activity.wait[row] == WATCHING:
            found[views.process.subject[row]] = row
    return found
