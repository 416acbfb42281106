"""Waits for the first of several things, as objects of Python: what a row has of one, and the other way round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from eventide.discrete.conditions.until import StateWait
from eventide.discrete.processes.composite import FirstOf, Outcome, StandingBranch
from eventide.discrete.resources.container import AmountGet, AmountPut
from eventide.discrete.resources.line import GRANTED, WAITING, StationRequest
from eventide.discrete.resources.request import PreemptingRequest, Request
from eventide.discrete.resources.store import ItemGet, ItemPut
from eventide.discrete.resources.transfer import Transfer
from eventide.reading.generators import chain_of, locals_of
from eventide.rows.allocation import free_row
from eventide.rows.codes import COMPOSED, NONE, REQUESTED, TRANSFERRING, WATCHING
from eventide.rows.composites import has_rows, place_branch
from eventide.rows.event_list import displace

if TYPE_CHECKING:
    from eventide.bodies.points import Block, Choice, Point
    from eventide.bodies.waits.states import Awaited
    from eventide.discrete.calendar import Notice
    from eventide.discrete.commands import Wait
    from eventide.migration.crossing.body import Body
    from eventide.migration.crossing.environment import RowStart
    from eventide.reading.generators import Suspended
    from eventide.rows.memory import RowMemory

KINDS: Final = (Request, PreemptingRequest)
"""The classes of requests that rows can have."""
_SIDES: Final[dict[str, tuple[type[Transfer], ...]]] = {"gets": (AmountGet, ItemGet), "puts": (AmountPut, ItemPut)}


# --- outcomes ---------------------------------------------------------------------------------------------------------


def outcomes_of(
    choices: Iterable[Choice], values: Mapping[str, object], blocks: Iterable[Block]
) -> dict[Choice, int] | None:
    """The numbers of what came first, by the waits whose outcomes have variables; None if a row cannot have one."""
    within = {block.name for block in blocks}
    found: dict[Choice, int] = {}
    for choice in choices:
        outcome = values.get(choice.name)
        if type(outcome) is not Outcome or outcome.name not in choice.words:
            return None
        found[choice] = choice.words.index(outcome.name)
        request = outcome.value
        if choice.is_own and choice.request not in within and getattr(request, "state", "") in (GRANTED, WAITING):
            return None  # no process surely has it
    return found


def outcomes_at(
    point: Point, texts: Mapping[str, int], requests: Mapping[int, Request]
) -> Iterator[tuple[str, Outcome]]:
    """The variables of outcomes that have a value for a row, and these: none of those whose request is over.

    texts       the whole numbers of the row, by the variables of the kernel
    requests    by their rows
    """
    for choice in point.choices:
        number = texts[f"o_{choice.number}"]
        q = texts[f"q_{choice.request}"] if number == choice.asked else NONE
        if number != choice.asked or q >= 0:
            is_state = any(k == number for k, _ in choice.watched)
            yield choice.name, Outcome(choice.words[number], True if is_state else requests.get(q))


# --- waits ------------------------------------------------------------------------------------------------------------


def joins(body: Body, row_start: RowStart, standing: Sequence[tuple[str, Notice | None, Wait | None]]) -> bool:
    """Whether a row can wait for the first of the same things; a request that only the wait leads to is admitted then.

    standing    what the process waits for, as `FirstOf.standing`; nothing for another wait
    """
    choice = body.reading.points[row_start.at].choice
    if choice is None or choice.words != tuple(word for word, _, _ in standing):
        return choice is None and not standing
    watched = [k for k, _ in choice.watched]
    for k, (_, notice, request) in enumerate(standing):
        if k in watched:
            if notice is not None or not isinstance(request, StateWait):
                return False
            continue
        if k == choice.moves:
            if not isinstance(request, _SIDES[choice.side]) or request.state != WAITING:
                return False
            if not _is_one_of(body, row_start, choice.inventories, request):
                return False
            continue
        if k != choice.asked:
            if notice is None or request is not None:
                return False
            continue
        if not isinstance(request, Request) or type(request) not in KINDS or request.state != WAITING or notice:
            return False
        place = body.layout.places[f"q_{choice.request}"]
        if choice.is_own:
            places = [body.layout.places[station] for station in body.naming.requests[choice.request]]
            if all(row_start.stations[one] is not request.station for one in places):
                return False
            row_start.requests[place] = request
        elif row_start.requests[place] is not request:
            return False
    return True


def gets(body: Body, row_start: RowStart, wait: object) -> bool:
    """Whether what a process waits for is none of a station, or of one that its row knows, and what it gets there."""
    got = body.reading.points[row_start.at].got
    if got:
        return isinstance(wait, ItemGet) and _is_one_of(body, row_start, got, wait)
    return not isinstance(wait, StationRequest) or any(wait.station is one for one in row_start.stations.values())


def _is_one_of(body: Body, row_start: RowStart, inventories: tuple[str, ...], transfer: Transfer) -> bool:
    """Whether a put or a get is at one of some containers or stores, by the variables of the kernel."""
    return any(row_start.stations[body.layout.places[one]] is transfer.station for one in inventories)


def references_to(body: Body, request: StationRequest, row_start: RowStart, generator: Suspended) -> int:
    """How many references a process and the resource have to its request; -1 if the request is not the process's.

    generator   of the process
    """
    choices, places = body.reading.choices.values(), body.layout.places
    if isinstance(request, Transfer):
        return 3  # that of the line, and two of the wait
    place = next((place for place, own in row_start.requests.items() if own is request), -1)
    if place < 0:
        return -1
    # Its variable and its block, that of the resource, and that of the row_start; two of the wait.
    count = 6 if request.state == WAITING else 4
    only_outcome = sum(choice.is_own and places[f"q_{choice.request}"] == place for choice in choices)
    if request.state == WAITING:
        return count - 2 * only_outcome
    if choices:
        values = [value for one in chain_of(generator) for value in locals_of(one).values()]
        count += sum(type(value) is Outcome and value.value is request for value in values)
    return count - only_outcome


def place_branches(
    memory: RowMemory,
    i: int,
    standing: Sequence[tuple[str, Notice | None, Wait | None]],
    requests: Mapping[StationRequest, int],
) -> None:
    """Let the process in a row wait for what it waited for in Python.

    requests    their rows
    """
    while not has_rows(memory.views, len(standing)):
        memory.grow()
    for number, (_, notice, request) in enumerate(standing):
        q = requests[request] if isinstance(request, StationRequest) else NONE
        wait = TRANSFERRING if isinstance(request, Transfer) else REQUESTED
        b = place_branch(memory.views, i, number, wait, q)
        if isinstance(request, StateWait):
            begin_wait_for_state(memory, b, request)
        if notice is not None:
            time, sequence, path, _ = notice
            memory.engine.place(memory.arrays, b, time, float(sequence), int(path[0]))


def begin_wait_for_state(memory: RowMemory, i: int, wait: StateWait) -> None:
    """An activity in a row waits for a state from now on."""
    memory.activity.wait[i], memory.process.subject[i] = WATCHING, wait.row
    memory.run.watching += 1


def leave_wait(
    body: Body, memory: RowMemory, i: int, requests: Mapping[int, StationRequest], wait_at: Callable[[int], StateWait]
) -> list[StandingBranch]:
    """The branches of the wait of a process that is about to leave its row; rows have none then.

    requests    by their rows
    wait_at     gives the wait that has a guard
    """
    a, choice = memory.views, body.reading.points[memory.activity.at[i]].choice
    found: list[StandingBranch] = []
    if choice is None or a.activity.wait[i] != COMPOSED:
        return found
    b = a.process.branches[i]
    for word in choice.words:
        following, q, guard = a.process.branches[b], a.process.subject[b], None
        if a.activity.wait[b] == WATCHING:
            q, guard = NONE, wait_at(q)
            a.run.watching -= 1
        key = a.activity.due[b], a.activity.sequence[b], a.activity.serial[b]
        found.append(StandingBranch(word, *key, requests[q] if q >= 0 else None, guard))
        displace(a, b)
        free_row(a, b)
        b = following
    return found


def guards_of(
    body: Body,
    at: int,
    generator: Suspended,
    wait: object,
    kept: Callable[[Awaited, Mapping[str, object]], StateWait | None],
) -> dict[int, StateWait] | None:
    """The guards by which a process in a state will wait, by the places of their numbers among its whole numbers.

    wait        what it waits for
    kept        gives the guard that is kept of what is waited for, with the objects that it closes over
    Returns     None where native code does not know that it waits for that
    """
    places, choice, present = body.layout.places, body.reading.points[at].choice, body.reading.awaits.get(at, "")
    guards = body.naming.guards
    if not present and isinstance(wait, StateWait):
        return None
    if not guards:
        return {}
    values = body.variables_of(generator) if any(one.closure.objects for one in guards.values()) else {}
    found = {text: kept(one, one.closure.found(values)) for text, one in guards.items()}
    if present and found[present] is not wait:
        return None
    standing = wait.standing if isinstance(wait, FirstOf) else []
    for k, text in () if choice is None or not standing else choice.watched:
        if found[text] is not standing[k][2]:
            return None
    return {places[text]: guard for text, guard in found.items() if guard is not None}
