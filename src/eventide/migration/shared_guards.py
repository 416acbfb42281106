"""Guards that rows share: those of processes that have ended are for the next ones that wait for the same condition.

In: the rows that are about to go on. Out: lists of guards, one for each condition, to which the rows refer that have
none of their own for it: each takes one at its first wait, and has it until its process ends or returns to Python.
"""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, NamedTuple

from eventide.bodies.operands import KINDS
from eventide.discrete.inside import generator_of
from eventide.migration.prototypes import Prototype
from eventide.migration.selection import Candidate
from eventide.rows.codes import NONE, SHARED
from eventide.rows.watches import take_guards

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from eventide.bodies.waits.states import Awaited
    from eventide.discrete.processes.process import Process
    from eventide.migration.crossing.layout import Layout
    from eventide.migration.placement import Leaving
    from eventide.migration.row_driver import Guards
    from eventide.rows.memory import RowMemory


class GuardUser(NamedTuple):
    """A row without a guard of its own for a condition.

    place       where its number would be among the whole numbers of the row
    objects     that the condition closes over, by name: those which the process shares with it have to be known already
    name        of the process; "" where each that is made of the row gets one of its own
    """

    row: int
    layout: Layout
    place: int
    awaited: Awaited
    objects: Mapping[str, object]
    name: str


def share(
    memory: RowMemory,
    leaving: Mapping[int, Leaving],
    processes: Mapping[int, Process],
    guards: Guards,
    return_all: Callable[[], None],
) -> None:
    """Let rows share guards: those that ended processes have left, and from their ends on those of the rows.

    leaving     what gets rows; processes: those that have objects
    return_all  returns all processes to Python
    """
    users = [user for i, one in leaving.items() for user in _users_of(i, one, processes.get(i))]
    if not users:
        return
    owners = {wait: i for i, one in leaving.items() if isinstance(one, Candidate) for wait in one.guards.values()}
    groups = guards.share(users, list(owners), return_all)
    lists = [[(wait.row, owners.get(wait, NONE)) for wait in waits] for waits, _ in groups]
    views = memory.views
    for home, (waits, members) in zip(memory.set_shared_guards(lists), groups, strict=True):
        for user in members:
            begin = views.activity.wholes[user.row]
            views.wholes[begin + user.place] = SHARED - home
            for number, (place, name) in user.layout.closed_over.items():
                if place == user.place:
                    views.wholes[begin + number] = guards.place_in(waits[0], name)


def _users_of(i: int, one: Leaving, process: Process | None) -> Iterator[GuardUser]:
    """What a row will wait for and has no guard for."""
    awaited, layout = one.body.naming.guards, one.body.layout
    if not awaited:
        return
    own: Mapping[int, object] = {}
    if isinstance(one, Candidate):
        assert process is not None
        values, own = one.body.variables_of(generator_of(process)), one.guards
    elif isinstance(one, Prototype) and one.spawn_template.kind is None and not any(one.spawn_template.name):
        values = {**one.body.naming.held, **one.spawn_template.arguments}
    else:  # another process may have had its name, and a firing history
        return
    name = "" if process is None else process.name
    for text, what in awaited.items():
        shared = [one for one in what.code.co_freevars if not what.closure.has(one)] if what.is_lambda else []
        if any(type(values.get(one)) in (NoneType, *KINDS) for one in shared):  # it has none yet, or a number
            continue
        if (place := layout.places[text]) not in own:
            objects = {**what.closure.found(values), **{one: values[one] for one in shared}}
            yield GuardUser(i, layout, place, what, objects, name)


def taken_by(memory: RowMemory, i: int) -> dict[int, int]:
    """The shared guards that a row has, which are its process's from now on, and how often each has been taken."""
    return {memory.shared.guard[g]: memory.shared.taken[g] for g in take_guards(memory.views, i)}


def taken(memory: RowMemory) -> dict[int, int]:
    """How often each of the guards has been taken that were shared."""
    return {c: memory.shared.taken[g] for g, c in enumerate(memory.shared.guard) if c >= 0}
