"""Processes as rows: one with many events may continue as a row of native code, and returns to Python on demand.

In: bodies, which make kernels and rows of suspended generators (`bodies/`). Out: events that take place without
Python, in the order of one event list: before each event in Python those of rows take place that come before it.
While a process is away its object has another class, whose attributes return it to Python when they are read; so has
the calendar. At the end of a run, and where there is anything else to do between events, all return to Python.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from heapq import heapify
from itertools import chain, count
from math import ceil, inf
from typing import TYPE_CHECKING

from eventide.discrete import inside, same_time_limit
from eventide.discrete.calendar import Calendar, Notice
from eventide.discrete.interruptions import Interruptions, serial_of
from eventide.discrete.processes.composite import who_waits
from eventide.discrete.processes.process_list import ProcessList
from eventide.discrete.same_time_limit import ENOUGH
from eventide.discrete.sigint import SignalHook
from eventide.migration import placement
from eventide.migration.joins import stand_over, value_of, wake_waits
from eventide.migration.prototypes import RowProcess
from eventide.migration.python_calls import call_at
from eventide.migration.returning import Returning
from eventide.migration.row_driver import DISCRETE
from eventide.migration.selection import Candidate, Selection, bodies_of, of_rows
from eventide.migration.shared_guards import share, taken
from eventide.migration.stand_ins import RowCalendar, RowProcessList, rest_of
from eventide.migration.thresholds import AGAIN, BACK, EACH, EACH_EARLY, FEW, FEW_AT_FIRST, FEW_EXITS, MORE, MOST_MADE
from eventide.rows import loading
from eventide.rows.activities import actor_of
from eventide.rows.codes import BRANCH, DONE, ENDED, FAILED, NONE, ROOM, SPENT
from eventide.rows.undisturbed import busy, is_watched, uncollected, undisturbed
from eventide.rows.watches import leave_guards

if TYPE_CHECKING:
    from eventide.discrete.conditions.until import StateWait
    from eventide.discrete.processes.migration import RowNote
    from eventide.discrete.processes.process import Process
    from eventide.discrete.resources.line import StationRequest
    from eventide.migration.crossing.body import Body
    from eventide.migration.placement import Leaving
    from eventide.migration.recorded import RecordedFunction
    from eventide.migration.row_driver import RowDriver
    from eventide.rows.memory import RowMemory


class RowMigration(Returning):
    """The processes of one world that are away: which go, their events, and when they return."""

    # --- going away -----------------------------------------------------------------------------------------------

    def may_go(self, events: int) -> bool:
        """Whether any are away, or go now, as enough events have taken place for it to pay."""
        if events >= self.due:
            self.consider()
        return self.is_any_away

    @property
    def is_any_away(self) -> bool:
        """Whether a process is a row, with or without an object."""
        return self._memory is not None and self._memory.run.alive > len(self._models)

    def consider(self) -> None:
        """Enough events have taken place for it to pay to let processes go away."""
        world, calendar, events = self.world, self._calendar, self._calendar.events
        if not self._pays:
            self._give_up()
            return
        if self.is_any_away:
            self._judge(events)
            return
        inner = self.inner if inside.hook_of(world) is self else inside.hook_of(world)
        row_driver: RowDriver | None = DISCRETE if inner is None else getattr(inner, "row_driver", None)
        self.due = events + ENOUGH * self._pause // (row_driver or DISCRETE).cost
        is_possible = type(calendar) is Calendar and not is_watched() and loading.may_pay()
        if row_driver is None or not is_possible or not row_driver.may_proceed(self._memory):
            return
        self.inner, self._driver = inner, row_driver
        if calendar.front:  # it may hold stale notices
            self.due = events + 1
            return
        listed = chain(calendar.heap, calendar.ready)
        due, waits = [one for one in listed if one[3]._notice is one], row_driver.guards.waiting()
        count = len(due) // self._driver.cost + len(waits)
        since, needed = events - world._events_before, EACH_EARLY * count
        if since < needed:  # to count them again when there have been twice as many events takes little
            self.due = events + min(needed - since, max(since, 1))
            return
        if self._bodies is None:
            self._bodies = self._make()
        if self._pays_to_load([]):
            self._send_away(events, EACH * count, due, waits)

    @uncollected
    def _send_away(self, events: int, needed: int, due: list[Notice], waits: list[StateWait]) -> None:
        """Let the processes go away that can, of those that are due and those that wait for states, as it pays.

        needed  the events of a run before that pays, unless it has paid in earlier runs
        """
        assert self._bodies is not None
        may_go = self._row_classes.may_go
        due, waits, are_few = of_rows(due, waits, may_go)
        each = [who_waits(one) for one in (*(notice[3] for notice in due), *(wait.activity for wait in waits))]
        usual = self.world._events_before + max(needed, span := ENOUGH // 2 // self._driver.cost)
        self.due = min(usual, 2 * events - self.world._events_before) if (is_early := events < usual) else self.due
        if not each or (is_early and are_few) or not self._bodies.may_go(each, is_early=is_early):
            return
        self._bodies.observed, self._prototypes = self._driver.names, self._bodies.prototypes()
        selection = Selection(self._bodies, self._prototypes, may_go, self._driver.guards)
        found = selection.made_of(due, waits)
        if events < usual + span * selection.is_granting and not found.keys() >= {*each}:  # only all go early
            self.due = events + 1 if selection.is_granting else self.due
            return
        gone = {id(notice) for candidate in found.values() for notice in candidate.notices}
        if gone or any(candidate.guards for candidate in found.values()):
            things = (thing for candidate in found.values() for thing in candidate.things)
            functions = self._recorded.found(self._driver.functions, things)
            if functions is None:  # Python looks at events
                self._wait_longer()
                return
            bodies = [*bodies_of(found.values()), *(function.body for function in functions)]
            if not self._pays_to_load(bodies):
                return
            self._make_kinds(bodies)  # first, as compiling may fail: then no process has left the event list
            self.signals.pass_through()
            self._depart(found, gone, functions)
            self._taken_before, self._events_before, self.due = self.taken, events, events + ENOUGH // self._driver.cost
        elif selection.is_granting:
            self.due = events + 1
        elif not is_early:
            self._wait_longer()

    @undisturbed
    def _depart(
        self, found: Mapping[Process, Candidate], gone: AbstractSet[int], functions: list[RecordedFunction]
    ) -> None:
        """Let processes go away, whose notices have these ids, and what recordings read in place of some functions."""
        world, calendar = self.world, self._calendar
        # A stale notice of a process that is away would return it to Python when it is met.
        for notices in (calendar.heap, calendar.ready):
            kept = [one for one in notices if one[3]._notice is one and id(one) not in gone]
            notices.clear()
            notices.extend(kept)
        heapify(calendar.heap)
        self._go(found, functions)
        self._assumptions.settle()
        inside.set_hook(world, self)
        calendar.__class__, calendar.tracer = RowCalendar, self
        self._processes.__class__, self._processes.migration = RowProcessList, self

    @property
    def _pays(self) -> bool:
        """Whether processes have returned to Python seldom enough."""
        few = FEW if self._exits >= FEW_EXITS else FEW_AT_FIRST
        return self._came < few or self.taken - self._since >= BACK * self._came // self._driver.cost

    @property
    def _has_made_many(self) -> bool:
        """Whether rows have made so many objects that it pays to find those that nothing has any longer."""
        memory = self._memory
        return memory is not None and len(memory.made) > max(MOST_MADE, BACK * memory.run.alive)

    def _give_up(self) -> None:
        """It does not pay: all return to Python, and the next look is much later."""
        self.leave()
        if self._bodies is not None:
            self._bodies.give_up([body for body, _ in self.exits] or self._kinds)
        self._came, self._went, self.calls, self._since, self._pause = 0, 0, 0, self.taken, 4 * self._pause
        self._exits = 0
        self._wait_longer()

    def _wait_longer(self) -> None:
        self._pause *= 2
        self.due = self._calendar.events + ENOUGH * self._pause // self._driver.cost

    def _judge(self, events: int) -> None:
        """Whether it pays that processes are away: enough of the events are of rows."""
        self.due = events + ENOUGH // self._driver.cost
        if self.taken - self._taken_before < self._driver.least_share * (events - self._events_before):
            self.leave()
            self._wait_longer()
        self._taken_before, self._events_before = self.taken, events

    def _make_kinds(self, bodies: list[Body]) -> None:
        """Make the tables, and the kernels of the bodies that have none."""
        assert self._bodies is not None
        if self._memory is None:
            self._memory, self._kinds = self._bodies.memory(bodies), dict(zip(bodies, count(BRANCH + 1)))
            self._things = self._bodies.things(self._memory, self.look)
            self._interruptions = Interruptions(self._memory, self._process_of)
        for body in (one for one in bodies if one not in self._kinds):
            self._kinds[body] = self._bodies.add_kind(self._memory, body)
        self._memory.changed = {name for body in bodies for name in body.naming.changed}

    def _pays_to_load(self, bodies: list[Body]) -> bool:
        """Whether what these need pays by now, which is then paid; else the next look is when it will."""
        assert self._bodies is not None
        missing = loading.pay(self._bodies.price_of(bodies), is_all=bool(bodies))
        self.due = max(self.due, self._calendar.events + ceil(missing / self._driver.cost))
        return missing == 0

    def _go(self, found: Mapping[Process, Candidate], functions: list[RecordedFunction]) -> None:
        """Let processes go away, and the resources that they may use."""
        memory, things, world = self._memory, self._things, self.world
        assert memory is not None is not things
        assert self._prototypes is not None
        prototypes = self._prototypes.descendants_of(one for c in found.values() for one in c.children.values())
        begun = placement.enter_prototypes(memory, prototypes, self._kinds, self._kinds_by_label, world, self._new_row)
        self._models, self._counted, self._materialized = [*prototypes], [*begun.items()], memory.run.made
        for function in functions:
            function.enter(memory, self._new_row(memory, self._kinds[function.body]))
        self._models += functions
        rows = {process: self._new_row(memory, self._kinds[candidate.body]) for process, candidate in found.items()}
        owners = {one: rows[p] for p, candidate in found.items() for one in candidate.requests}
        self.away.update(rows)
        self._went += len(rows)
        requests: dict[StationRequest, int] = {}
        kept = [*(one.things for one in found.values()), *(one.row_start.stations.values() for one in functions)]
        for thing in chain.from_iterable(kept):
            requests.update(things.go(thing, owners))
        leaving: dict[int, Leaving] = {one.row: one for one in self._models}
        leaving.update(zip(rows.values(), found.values(), strict=True))
        for i, one in leaving.items():
            placement.fill(memory, i, one, requests, things, self.away, self._interruptions)
            for place, child in one.row_start.children.items():
                row = self._row_for(child)  # the tables may grow
                memory.views.wholes[memory.activity.wholes[i] + place] = row
            self._assumptions.note(one.row_start.relied)
        for body in dict.fromkeys(one.body for one in leaving.values()):
            self._assumptions.note(body.naming.facts)
        share(memory, leaving, {i: process for process, i in rows.items()}, self._driver.guards, self.leave)
        for process, candidate in found.items():
            i = rows[process]
            memory.activity.begun[i] = inside.anchor_of(process)
            placement.begin_wait(memory, i, candidate, requests, self.away, self._driver.guards)
            self._driver.guards.lend(process, list(candidate.guards.values()), placement.watching(memory, i))
        for process, candidate in found.items():
            i = rows[process]
            memory.process.watched[i] = 2 if inside.end_waiters_of(process) else 1  # that are no rows
            self._row_classes.begin(process)
            self._rows[i] = RowProcess(process, candidate.body, None, candidate.row_start.kept)

    def _row_for(self, process: Process) -> int:
        """The row of a process that another row holds from now on; a new one where it is not away."""
        memory, j = self._memory, self.away.get(process, NONE)
        assert memory is not None
        if j < 0:
            j = self._new_row(memory, BRANCH)
            stand_over(memory.views, j, process)
            self._keep_over(j, process)
        memory.process.held[j] += 1
        return j

    def _new_row(self, memory: RowMemory, kind: int) -> int:
        while memory.run.row_room - memory.run.used < 2:
            memory.grow()
        return memory.engine.enter(memory.arrays, kind)

    def _settle(self) -> None:
        """If no process is a row any longer, restore all that was before."""
        memory, calendar, bodies = self._memory, self._calendar, self._bodies
        is_away = type(calendar) is RowCalendar
        if memory is None or bodies is None or self.is_any_away or not is_away:
            return
        calendar.__class__, calendar.tracer = Calendar, None
        self._processes.__class__, self._processes.migration = ProcessList, None
        if self._things:  # nothing uses them
            self._things.come(lambda _: None)
        while self._models:
            memory.engine.dismiss(memory.arrays, self._models.pop(0).row)
        self._driver.guards.end_sharing(taken(memory))
        self._assumptions.forget()
        self._interruptions.forget()
        self._over.clear()
        memory.forget()
        needed = BACK * max(self._came, FEW, self._went // 2) // self._driver.cost  # to go takes half as long as both
        bodies.note_run(self._kinds, is_short=calendar.events - self.world._events_before < needed + self._driver.early)
        if self.taken - self._since >= needed:  # it has paid
            self.due = min(self.due, calendar.events + AGAIN * self._pause)

    # --- events ---------------------------------------------------------------------------------------------------

    def numbers(self, horizon: float, most: int) -> Iterator[int]:
        """The numbers of events in Python; before each of them those of rows take place that come first."""
        calendar = self._calendar
        while most > 0 or self.must_wait():
            if self.must_wait():  # an event has begun that goes on in Python, again where it has called that meanwhile
                yield calendar.turn
                continue
            if self.is_any_away and self._may_stay():
                most, is_found = self._go_further(horizon, most)
                if self.signals.waiting and self._called is None and self._driver.reached is None:
                    self.signals.deliver()
                if self._called is not None and not is_found:
                    continue
                if not is_found and self._driver.reached is not None:
                    self.leave()
                elif not is_found and (inside.is_halted(self.world) or most <= 0):
                    return
                elif not is_found and isinstance(inside.hook_of(self.world), SignalHook):
                    continue
            yield next(calendar.numbers)
            most = most - 1 if self.is_any_away or calendar.events < self.due else 0  # they may go again

    def _may_stay(self) -> bool:
        """Whether those that are away may go on as rows; else all return to Python."""
        if not self._pays:
            self._give_up()
        elif isinstance(inside.hook_of(self.world), SignalHook):
            self.leave()
        elif self._has_made_many:
            self.leave()  # Python lets go of those that nothing has any longer; then they may go again
        elif not (self._assumptions.stands() and self._driver.may_stay(self._memory)):
            is_read = self._memory is not None and not self._memory.changed.isdisjoint(self._driver.names)
            self.leave()
            if not is_read:  # else they may go again by other kernels
                self._wait_longer()
        else:
            return True
        return False

    def _go_further(self, horizon: float, left: int) -> tuple[int, bool]:
        """As `_proceed`, and go on where Python has only judged a state event; whether one takes place in Python."""
        left, memory = self._proceed(horizon, left), self._memory
        while self._called is None and self._driver.has_state_event and memory is not None:
            self._called = self._driver.begin(may_go_on=left > 0 and memory.run.leaves == 0)
            if self._called is not None:
                if inside.hook_of(self.world) is self.inner:  # all have returned to Python
                    inside.set_hook(self.world, self)
                return left, True
            left = self._proceed(horizon, left)
        return left, False

    @busy
    def _proceed(self, horizon: float, left: int) -> int:
        """Let events of rows take place until one continues in Python; returns how many their chunk has left then."""
        memory, world = self._memory, self.world
        assert memory is not None is not self._things
        run, calendar, instant = memory.run, self._calendar, inside.same_time_limit_of(world)
        failure: list[BaseException] = []
        # An event that waits for room in a table goes on, also where it is the last of its chunk.
        while self.is_any_away and (left > 0 or run.current >= 0) and not inside.is_halted(world):
            if not self._things.hide():
                self._leave()
                break
            notice = Calendar.first(calendar)
            key = (inf, inf, 0) if notice is None else (notice[0], notice[1], serial_of(notice))
            run.time, run.turn, run.serial = world.time, next(calendar.numbers) - 1, calendar.serial() - 1
            before, run.latest = run.turn, calendar.latest
            # The last to act in a chunk is looked at, unless the clock has moved.
            run.mark, run.chunk, run.chunks = instant.time, same_time_limit.CHUNK, 0 if left <= 1 else MORE
            chunks, last = run.chunks, memory.engine.first(memory.arrays) if left == 1 else NONE
            if last >= 0 and memory.activity.due[last] == instant.time:  # it may act there again and again
                self.materialize()
            actor = self._rows.get(actor_of(memory.views, last))
            run.woken, run.leaves = NONE, 0
            for k, kind in self._counted:
                memory.kind.count[k] = kind.count
            try:
                code = self._driver.proceed(memory, *key, horizon, left)
            except BaseException as error:  # noqa: BLE001  # it is raised in the process that has met it
                code, failure = FAILED, [error]
            calendar.numbers, calendar.serial = count(run.turn + 1), count(run.serial + 1).__next__
            if run.latest != calendar.latest:  # all that stands in front in Python was put there before
                calendar.latest, calendar.below = run.latest, len(calendar.front)
            for k, kind in self._counted:
                kind.count = memory.kind.count[k]
            events = run.turn - before
            if events:
                calendar.turn, world.time = run.turn, run.time
                left += (chunks - run.chunks) * run.chunk - events
                self.taken += events
                if run.chunks != chunks:
                    instant.next_chunk(run.mark, world.current, 0)  # the clock has moved
                if (actor := self._rows.get(run.woken, actor)) is not None:
                    world.current = actor.process
            if failure and run.current < 0:  # what a signal handler has raised between two events
                raise failure.pop()
            if code == DONE:
                if run.leaves and not self._driver.has_state_event:  # for an event that only Python can have
                    self._leave()
                break
            if code != SPENT and not (code == ROOM and memory.grow()):
                if run.current not in self._rows:
                    self.materialize()
                process, body, _, _ = self._rows[run.current]
                run.current, world.current = NONE, process
                if code == ENDED:
                    self._end(process)
                else:
                    self._go_on(process, body, failure)
                    break
        self._settle()
        return left

    def _end(self, process: Process) -> None:
        """A process has come to its end in its row: those that wait for it in rows came before all others."""
        assert self._memory is not None
        wake_waits(self._memory.views, i := self.away[process], self._calendar)
        value = value_of(self._memory.views, i)
        leave_guards(self._memory.views, i)
        self._forget(process, is_over=True)
        self.is_busy = False
        inside.finish(process, value)
        self.is_busy = True

    def _go_on(self, process: Process, body: Body, failure: list[BaseException]) -> None:
        """A process continues in Python within its event, with the error that it has met, which is taken away."""
        memory = self._memory
        assert memory is not None
        at = memory.views.activity.at[self.away[process]]
        self.exits[body, at] = self.exits.get((body, at), 0) + 1
        self._exits += 1
        self._called = None if failure else call_at(self, process, body, at)
        if self._called is not None:
            return
        j = memory.process.subject[self.away[process]] if body.reading.points[at].is_answer else NONE
        value = value_of(memory.views, j) if j >= 0 else None  # that is of another type than was known
        back = self._fetch(process)
        if back.error is None and not failure and value is not None:
            placement.give(process, value)
        self._called = rest_of(process, failure.pop() if failure else back.error)

    @property
    def notes(self) -> list[RowNote]:
        """Of each generator function that was looked at: why it stays Python, and what of it does."""
        return [] if self._bodies is None else self._bodies.notes(self.exits)

    # --- as what acts between events ------------------------------------------------------------------------------

    def advance(self, horizon: float) -> object:
        """Whose event it is; None if it is that of the first in the list."""
        self.signals.deliver()  # before the owner is forgotten: if one raises, it is the first of the next run
        called, self._called = self._called, None
        if not self.is_any_away and inside.hook_of(self.world) is self:
            inside.set_hook(self.world, self.inner)
        return self.inner.advance(horizon) if called is None and self.inner is not None else called

    def must_wait(self) -> bool:
        """Whether processes are now half in rows, half in Python, or an event has just begun."""
        is_between = self.calling is not None and not self.calling.is_running
        return self.is_busy or self._called is not None or is_between
