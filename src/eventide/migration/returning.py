"""The return of processes from their rows to Python: of one that is looked at, or of all, with what they wait for.

In: the row of a process, or none of those that were made in rows, which have no objects yet. Out: its object with a
generator that stands where the row was, and its notice or its wait. What has a row is kept here.
"""

from __future__ import annotations

from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Final

from eventide.discrete import inside
from eventide.discrete.hook import OuterHook
from eventide.discrete.processes.process_list import ProcessList
from eventide.discrete.resources.request import Request
from eventide.migration import placement
from eventide.migration.assumptions import Assumptions
from eventide.migration.joins import Home, stand_answered, take_wait, take_waits, value_of
from eventide.migration.prototypes import RowProcess
from eventide.migration.python_calls import CallInPython
from eventide.migration.recorded import RecordedFunctions
from eventide.migration.row_classes import RowClasses
from eventide.migration.row_driver import DISCRETE
from eventide.migration.shared_guards import taken_by
from eventide.migration.stand_ins import rest_of
from eventide.rows.allocation import reference, release_row, row_of
from eventide.rows.codes import ANSWERED, GATHERED, GONE, JOINED, NONE, NOTHING, OVER, WATCHING
from eventide.rows.undisturbed import undisturbed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eventide.discrete.calendar import Entry
    from eventide.discrete.interruptions import Interruptions
    from eventide.discrete.processes.generator_process import Kind
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.line import StationRequest
    from eventide.discrete.world import World
    from eventide.migration.bodies import Bodies
    from eventide.migration.crossing.body import Body, Return
    from eventide.migration.prototypes import Prototype, Prototypes
    from eventide.migration.recorded import RecordedFunction
    from eventide.migration.row_driver import RowDriver
    from eventide.migration.things import Things
    from eventide.reading.source import CannotLower
    from eventide.rows.memory import RowMemory


MOST_OVER: Final = 64
"""How many processes are kept that rows may need before it is looked which of them these need."""


class Returning(OuterHook):
    """The processes of one world that are away.

    away    the rows of those that are; due: after this many events it is checked which processes can go
    taken   the events of rows; calls: those that Python has made for rows
    """

    _interruptions: Interruptions

    def __init__(self, world: World, make: Callable[[], Bodies]) -> None:
        self.world = world
        self.away: dict[Process, int] = {}
        self.due = self.taken = 0
        self.exits: dict[tuple[Body, int], int] = {}  # how often Python has gone on at each state of each body
        self._make = make
        self._bodies: Bodies | None = None
        self._row_classes = RowClasses()
        self._memory: RowMemory | None = None
        self._kinds: dict[Body, int] = {}
        self._rows: dict[int, RowProcess] = {}  # those that have objects, by their rows
        self._over: dict[int, Process] = {}  # those that rows need and that are over or Python's, by references
        self._prototypes: Prototypes | None = None
        self._models: list[Prototype | RecordedFunction] = []  # what has rows now and is no process
        self._recorded = RecordedFunctions(world)
        self.refused_functions: Mapping[int, CannotLower] = self._recorded.refused
        self._kinds_by_label: dict[str | type, int] = {}  # the kinds that count what has one name
        self._counted: list[tuple[int, Kind]] = []  # these, and who counts in Python, of what may begin in rows now
        self._things: Things | None = None  # the resources and levels that are away
        self._requests: dict[int, StationRequest] = {}  # of those that return to Python, by their rows
        self._assumptions = Assumptions()  # on what those rely that are away
        self._called: Entry | None = None  # whose event is under way, or is the next one
        self._driver: RowDriver = DISCRETE  # what else acts between events, for those that are away
        self._most_over = MOST_OVER
        self._came = self._went = self._since = self._taken_before = self._events_before = self._materialized = 0
        self._pause, self.calls, self._exits, self.is_busy = 1, 0, 0, False
        self.calling: CallInPython | None = None
        self._calendar, self._processes = inside.calendar_of(world), inside.processes_of(world)
        self.signals, self.check_thread = inside.keyboard_of(world).signals, inside.keyboard_of(world).check_thread

    def bring(self, process: Process) -> None:
        """A process that is away is Python's again, with its notice; so are all, if resources are away."""
        if self._things:
            self.leave()
        else:
            undisturbed(Returning._bring)(self, process)

    def _bring(self, process: Process) -> None:
        memory = self._memory
        assert memory is not None
        i = self.away.get(process, NONE)
        if i < 0:  # a signal handler has looked at it just before
            return
        if self.calling is not None and self.calling.activity is process:  # it looks at itself
            self._fetch(process)
            return
        if isinstance(self._called, CallInPython) and self._called.activity is process:
            self._called = rest_of(process, self._fetch(process).error)
            return
        activity = memory.views.activity
        if activity.wait[i] in (JOINED, GATHERED):
            self.materialize()
            take_wait(memory.views, i, self._home)
            return
        time, sequence, serial = activity.due[i], activity.sequence[i], activity.serial[i]
        request = placement.request_of(memory, i, self._requests)
        answer, awaited = None, memory.process.subject[i]
        if activity.wait[i] == ANSWERED:
            answer = self._object_of(awaited), value_of(memory.views, awaited)
        left = self._rows[i].body.leave_wait(memory, i, self._requests, self._driver.guards.wait_at)
        memory.engine.displace(memory.arrays, i)
        self._fetch(process)
        placement.stand_branches(self._calendar, process, left)
        placement.stand_waiting(self._calendar, process, request, (time, sequence, serial))
        if answer is not None:
            stand_answered(process, *answer)

    def materialize(self) -> None:
        """Give objects to the processes that were made in rows and have none, in the order in which they were made."""
        memory = self._memory
        if memory is None or memory.run.made == self._materialized:  # those that have objects, or have ended
            return
        self._materialized = memory.run.made
        assert self._prototypes is not None
        for i, made, prototype in self._prototypes.materialized(memory, self.world, {one.row for one in self._models}):
            ProcessList.enter(self._processes, made)
            self._row_classes.begin(made)
            self.away[made] = i
            self._rows[i] = RowProcess(made, prototype.body, prototype, None)
            memory.process.object[i], memory.process.watched[i] = NONE, 1

    materialize_all = undisturbed(materialize)

    @property
    def _home(self) -> Home:
        return Home(self._rows, self._fetch, self._object_of)

    def _object_of(self, j: int) -> Process:
        """The process in a row that a row holds: it may have ended, or be Python's."""
        memory = self._memory
        assert memory is not None
        if memory.activity.at[j] >= 0:
            self.materialize()
            return self._rows[j].process
        key = reference(memory.views, j)
        if key not in self._over:
            assert self._prototypes is not None
            made, _ = self._prototypes.object_of(memory, self.world, j)
            ProcessList.enter(self._processes, made)
            inside.finish(made, value_of(memory.views, j))
            self._keep_over(j, made)
        return self._over[key]

    def _keep_over(self, j: int, process: Process) -> None:
        """A row is kept for a process that is not away."""
        assert self._memory is not None
        views = self._memory.views
        if len(self._over) >= self._most_over:
            self._over = {key: one for key, one in self._over.items() if row_of(views, key) >= 0}
            self._most_over = 2 * len(self._over) + MOST_OVER
        self._over[reference(views, j)] = process

    def _let_go(self, i: int, body: Body) -> None:
        """The process in a row leaves it: what the row has held it holds no longer."""
        memory = self._memory
        assert memory is not None
        views, begin = memory.views, memory.activity.wholes[i]
        if views.activity.wait[i] == ANSWERED:
            release_row(views, views.process.subject[i])
        for place in body.layout.children.values():
            release_row(views, views.wholes[begin + place])
            views.wholes[begin + place] = NONE

    def _leave(self) -> None:
        """All return to Python."""
        self._bring_others(None)
        self._settle()
        self._requests.clear()
        if inside.hook_of(self.world) is self:
            inside.set_hook(self.world, self.inner)
        if self._called is not None:  # Ctrl-C came before the rest of an event: it is the first of the next run
            self._calendar.call_next(self.world.time, self._called)
            self._called = None

    leave = undisturbed(_leave)

    @undisturbed
    def look(self, thing: object, name: str = "") -> object:
        """What a resource that is away has by a name; or a statistic can be looked at until rows go on."""
        assert self._things is not None
        self._came += 1  # it takes as long as to bring a process
        return self._things.look(thing, name)

    def _fetch(self, process: Process) -> Return:
        """Give a process a generator that stands where its row is, which is free then."""
        memory, interruptions = self._memory, self._interruptions
        assert memory is not None
        i = self.away[process]
        (_, body, prototype, _), views = self._rows[i], memory.views
        at, numbers, inner = views.activity.at[i], memory.numbers_of(i, *body.sizes), None
        if self.calling is not None and self.calling.activity is process:
            at, inner = self.calling.amid, NoneType  # what the call returns is not used
        # The numbers may have their addresses, and the last row to return lets go of them.
        _alive = memory.objects, memory.made
        is_handled = views.activity.wait[i] < NOTHING or body.handles_at(at)
        by = self._process_of(views.process.by[i]) if is_handled else None
        held, is_awaited = body.requests_at(at, numbers[0]), views.process.joiners[i] >= 0
        if self._things and (held or is_awaited):
            self._bring_others(process)
        if is_awaited:
            self.materialize()
            take_waits(views, i, self._home)
        requests = {q: self._request_of(q, process) for q in held}
        rows = {name: numbers[0][place] for name, place in (body.layout.standing(at).children if at else {}).items()}
        children = {name: self._object_of(j) for name, j in rows.items() if j >= 0}
        interruptions.come(process, i, requests)
        handled = body.handled(at, *numbers, partial(interruptions.cause_of, by, requests))
        thrown = interruptions.thrown(i, by, requests)
        self._forget(process)
        self._came += 1
        made = None if prototype is None else prototype.generator(process, body.arguments(*numbers))
        generator = made or inside.generator_of(process)
        back = body.stand(generator)
        if at:
            back = body.give_back(generator, at, *numbers, requests, handled, inner, children)
        if thrown is not None:
            back = back._replace(error=thrown)
        inside.resume_with(process, back.generator)
        if self.calling is not None and inner is not None:
            self.calling.stand_by()
        self._driver.guards.settle(back.generator)
        return back

    def _bring_others(self, process: Process | None) -> None:
        """All resources return to Python, and all processes but one that continues in Python within its event."""
        self.materialize()
        owners = {i: gone.process for i, gone in self._rows.items()}
        if self._things:
            self._requests = self._things.come(owners.__getitem__)  # not those of an earlier stay in the same rows
        for other in list(self.away):
            if other is not process:
                self._bring(other)

    def _process_of(self, reference: int) -> Process | None:
        """The process that is meant, also one that has left its row at this instant."""
        assert self._memory is not None
        i = row_of(self._memory.views, reference)
        if i >= 0 and i not in self._rows:
            self.materialize()
        return self._rows[i].process if i >= 0 else self._interruptions.gone.get(reference)

    def _request_of(self, q: int, process: Process) -> Request:
        """The request in a row, whose resource is in Python; one that was not yielded is known to its process alone."""
        assert self._things is not None
        found = self._requests.pop(q, None)
        return found if isinstance(found, Request) else self._things.give_back_own(q, process)

    def _forget(self, process: Process, *, is_over: bool = False) -> None:
        """A process is Python's, or has ended."""
        memory, interruptions = self._memory, self._interruptions
        assert memory is not None
        i = self.away.pop(process)
        interruptions.note(process, i)
        _, body, prototype, _ = self._rows.pop(i)
        if prototype is not None:
            prototype.renew(process, body.arguments(*memory.numbers_of(i, *body.sizes)))
        memory.run.watching -= memory.activity.wait[i] == WATCHING
        self._let_go(i, body)
        given = taken_by(memory, i)
        memory.engine.dismiss(memory.arrays, i)
        if memory.process.held[i] > 0:
            memory.activity.at[i] = OVER if is_over else GONE
            self._keep_over(i, process)
        self._row_classes.end(process)
        process._notice = process._wait = process._value = None
        self._driver.guards.take_back(process, i, given)
        self._settle()

    def _settle(self) -> None:
        """If no process is a row any longer, restore all that was before."""
        raise NotImplementedError

    def advance(self, horizon: float) -> object:
        """Whose event it is; None if it is that of the first in the list."""
        raise NotImplementedError
