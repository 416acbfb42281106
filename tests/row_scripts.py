"""Random processes told twice: as a generator function for a simulation, and as a kernel over rows.

A script is a list of commands; a process carries out one script. `told` runs the scripts in Python, `carried_out` over
rows, by the plain engine or the native one. Both return all that happened, and all statistics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import eventide as ev
from eventide.native.row_engine import NativeRows
from eventide.native.store import Store
from eventide.rows.activities import (
    activate,
    activate_at,
    activate_prior,
    can_activate,
    can_cancel,
    can_interrupt,
    cancel,
    hold,
    interrupt,
    passivate,
)
from eventide.rows.allocation import has_room, reference, row_of, spawn
from eventide.rows.codes import (
    ENDED,
    ENDS,
    EXIT,
    FAILED,
    INTERRUPTION,
    NONE,
    NOTHING,
    PREEMPTED,
    ROOM,
    SPENT,
    WAITS,
)
from eventide.rows.interface import PLAIN, RowEngine
from eventide.rows.joins import join
from eventide.rows.memory import RowMemory
from eventide.rows.stations import ask, is_ready, leave, new_request
from eventide.rows.statistics import add, has_space, set_level

if TYPE_CHECKING:
    from eventide.rows.records import Rows

END, HOLD, SPAWN, JOIN, INTERRUPT, ASK, LEAVE, TALLY, LEVEL = range(9)
PASSIVATE, ACTIVATE, ACTIVATE_AT, PRIOR, CANCEL, AGAIN, IN_PYTHON = range(9, 16)
SLOTS = 2
"""How many requests a process may have at once."""
MOST = 60
"""How many processes are made at most."""


class Command(NamedTuple):
    """A code, three whole numbers and a float, whose meaning depends on the code."""

    code: int
    one: int = 0
    two: int = 0
    three: int = 0
    value: float = 0.0


class Station(NamedTuple):
    """A resource."""

    capacity: int = 1
    is_preemptive: bool = False


@dataclass
class Program:
    """Scripts, of which process number k carries out `begin[k]` at first; and the stations that they use."""

    scripts: list[list[Command]]
    begin: list[int] = field(default_factory=lambda: [0])
    stations: list[Station] = field(default_factory=list)
    until: float = 20.0


@dataclass
class Outcome:
    """What happened: (time, number of the process, code of the command, a value) each; and the statistics."""

    log: list[tuple[float, float, float, float]]
    stations: list[Any]
    level: Any
    tally: list[float]
    events: int
    alive: list[int]


# --- in Python --------------------------------------------------------------------------------------------------------


class _Told:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.sim = ev.Simulation(rng=1, compile=False)
        self.log: list[tuple[float, float, float, float]] = []
        self.processes: list[Any] = []
        self.level = self.sim.level()
        self.tally = self.sim.tally()
        self.resources: list[Any] = []
        for station in program.stations:
            kind = ev.PreemptiveResource if station.is_preemptive else ev.Resource
            self.resources.append(kind(self.sim, station.capacity))

    def spawn(self, script: int) -> None:
        if len(self.processes) < MOST:
            number = len(self.processes)
            self.processes.append(None)
            self.processes[number] = self.sim.process(self.story(number, script))

    def note(self, number: int, code: float, value: float = 0.0) -> None:
        self.log.append((self.sim.time, float(number), float(code), value))

    def story(self, number: int, script: int) -> Any:
        slots: list[Any] = [None] * SLOTS
        for command in self.program.scripts[script]:
            self.note(number, command.code)
            try:
                yield from self.carry_out(number, command, slots)
            except ev.Interrupt as interrupt:
                left = -1.0 if interrupt.left is None else interrupt.left
                cause = interrupt.cause
                self.note(number, -1.0, left)
                if isinstance(cause, int):
                    self.note(number, -2.0, float(cause))
                else:
                    self.note(number, -3.0, float(self.processes.index(cause.by)))
                    assert cause.request in slots
        for request in slots:
            if request is not None:
                request.__exit__(None, None, None)
        self.note(number, END)

    def carry_out(self, number: int, command: Command, slots: list[Any]) -> Any:
        code, one, two, three, value = command
        sim, other = self.sim, self.processes[one % len(self.processes)]
        me = self.processes[number]
        match code:
            case 1 | 15:
                yield value
            case 2:
                self.spawn(one)
            case 3:
                if other is not me:
                    yield other
            case 4:
                if not other.terminated and other is not me and other._generator.gi_suspended:
                    other.interrupt(two)
            case 5:
                if slots[one] is None:
                    resource = self.resources[two % len(self.resources)]
                    units = 1 + abs(three) % resource.capacity
                    if isinstance(resource, ev.PreemptiveResource):
                        request = resource.request(value, units, preempt=three >= 0)
                    else:
                        request = resource.request(value, units)
                    slots[one] = request
                    yield request
            case 6:
                request, slots[one] = slots[one], None
                if request is not None:
                    request.__exit__(None, None, None)
            case 7:
                self.tally.add(value)
            case 8:
                self.level.set(one)
            case 9:
                yield ev.passivate()
            case 10 | 11 | 12:
                if not other.terminated and other is not me and other._notice is None and other._wait is None:
                    if code == ACTIVATE:
                        other.activate()
                    else:
                        other.activate(at=sim.time + value, prior=code == PRIOR)
            case 13:
                if other is not me and other._wait is None:
                    other.cancel()
            case 14:
                if slots[one] is not None and slots[one].state == "preempted":
                    yield slots[one]


def told(program: Program) -> Outcome:
    """What a program does as generator functions."""
    told = _Told(program)
    for script in program.begin:
        told.spawn(script)
    told.sim.run(until=program.until)
    alive = [number for number, process in enumerate(told.processes) if not process.terminated]
    return Outcome(
        log=told.log,
        stations=[
            (
                _of_level(resource.in_use),
                _of_level(resource.queue),
                list(resource.waits._buffer),
                (resource._asked, resource._reneged, resource._preempted),
                resource._held,
                [(float(request.priority), request.units, request.since) for request in resource.users],
                [(float(request.priority), request.units, request.since) for request in resource.waiting],
            )
            for resource in told.resources
        ],
        level=_of_level(told.level),
        tally=list(told.tally._buffer),
        events=told.sim.events,
        alive=alive,
    )


def _of_level(level: Any) -> Any:
    return level._value, level._changed, list(level._held.items())


# --- over rows --------------------------------------------------------------------------------------------------------

LOG, NUMBERS, COUNT, REFERENCES = 0, 1, 0, 1
"""The tallies of the log and of the programs; the first places of `wholes`."""
TAPE = REFERENCES + MOST + 1
WIDTH = 4


def note(a: Rows, number: int, code: int, value: float) -> None:
    """Add a line to the log."""
    add(a, LOG, a.run.time)
    add(a, LOG, float(number))
    add(a, LOG, float(code))
    add(a, LOG, value)


def make(a: Rows, k: int, script: int) -> None:
    """Make a process that carries out a script."""
    count = a.wholes[COUNT]
    if count < MOST:
        i = spawn(a, k)
        a.wholes[COUNT] = count + 1
        a.wholes[REFERENCES + count] = reference(a, i)
        w = a.activity.wholes[i]
        a.wholes[w] = a.wholes[TAPE + script]
        a.wholes[w + 1] = count
        for slot in range(SLOTS):
            a.wholes[w + 2 + slot] = NONE


def say_what_was_thrown(a: Rows, i: int, number: int) -> None:
    """Write what an interrupt says into the log."""
    left = a.activity.left[i]
    note(a, number, -1, left if left == left else -1.0)
    if a.activity.wait[i] == -1:
        note(a, number, -2, float(a.process.cause[i]))
    else:
        by = a.process.by[i]
        found = -1
        for k in range(a.wholes[COUNT]):
            if a.wholes[REFERENCES + k] == by:
                found = k
        note(a, number, -3, float(found))
    a.activity.wait[i] = NOTHING


def script(a: Rows, i: int) -> int:
    """The kernel of a process that carries out a script, command by command."""
    w = a.activity.wholes[i]
    number = a.wholes[w + 1]
    k = a.activity.kind[i]
    if not has_space(a, LOG, 8):
        return ROOM
    if a.activity.wait[i] < 0:
        say_what_was_thrown(a, i, number)
    while True:
        pc = a.wholes[w]
        if not has_space(a, LOG, 8):
            return ROOM
        code, one, two, three = a.wholes[pc], a.wholes[pc + 1], a.wholes[pc + 2], a.wholes[pc + 3]
        value = a.reals[pc // 4]
        a.activity.at[i] = 1
        if code == END:
            for slot in range(SLOTS):
                q = a.wholes[w + 2 + slot]
                if q >= 0:
                    if not is_ready(a, a.request.station[q]):
                        return ROOM
                    a.wholes[w + 2 + slot] = NONE
                    leave(a, q)
            note(a, number, END, 0.0)
            return ENDS
        answer = begin(a, i, k, code, one, two, three)
        if answer == ROOM:
            return ROOM
        note(a, number, code, 0.0)
        a.wholes[w] = pc + WIDTH
        if code == HOLD:
            return hold(a, i, value)
        if code == IN_PYTHON:
            return EXIT
        other = row_of(a, a.wholes[REFERENCES + remainder(one, a.wholes[COUNT])])
        if code == JOIN and other >= 0 and other != i:
            return join(a, i, other)
        if code == PASSIVATE:
            return passivate(a, i)
        if code == AGAIN and a.wholes[w + 2 + one] >= 0:
            q = a.wholes[w + 2 + one]
            if a.request.state[q] == PREEMPTED and not ask(a, q, i):
                return WAITS
        if code == ASK and a.wholes[w + 2 + one] < 0:
            s = remainder(two, a.wholes[TAPE - 1])
            units = 1 + remainder(three if three >= 0 else -three, a.station.capacity[s])
            q = new_request(a, s, i, value, units, three >= 0)
            a.wholes[w + 2 + one] = q
            if not ask(a, q, i):
                return WAITS
        do_to_others(a, i, code, one, two, value, other)
    return FAILED


def begin(a: Rows, i: int, k: int, code: int, one: int, two: int, three: int) -> int:
    """Whether there is room for a command."""
    w = a.activity.wholes[i]
    if code == SPAWN and not has_room(a, k):
        return ROOM
    if code == INTERRUPT and not has_room(a, INTERRUPTION):
        return ROOM
    if code == ASK and not is_ready(a, remainder(two, a.wholes[TAPE - 1])):
        return ROOM
    if code in (LEAVE, AGAIN):
        q = a.wholes[w + 2 + one]
        if q >= 0 and not is_ready(a, a.request.station[q]):
            return ROOM
    if code == TALLY and not has_space(a, NUMBERS, 1):
        return ROOM
    return WAITS


def remainder(number: int, divisor: int) -> int:
    """The remainder of a division."""
    while number >= divisor:
        number -= divisor
    return number


def do_to_others(a: Rows, i: int, code: int, one: int, two: int, value: float, other: int) -> None:
    """Carry out a command that does not end the event."""
    w = a.activity.wholes[i]
    if code == SPAWN:
        make(a, a.activity.kind[i], one)
    elif code == INTERRUPT:
        if other >= 0 and can_interrupt(a, other):
            interrupt(a, other, two)
    elif code == LEAVE:
        q = a.wholes[w + 2 + one]
        if q >= 0:
            a.wholes[w + 2 + one] = NONE
            leave(a, q)
    elif code == TALLY:
        add(a, NUMBERS, value)
    elif code == LEVEL:
        set_level(a, 0, float(one))
    elif other >= 0 and code in (ACTIVATE, ACTIVATE_AT, PRIOR):
        if can_activate(a, other) == 1:
            if code == ACTIVATE:
                activate(a, other)
            elif code == ACTIVATE_AT:
                activate_at(a, other, a.run.time + value)
            else:
                activate_prior(a, other, a.run.time + value)
    elif other >= 0 and code == CANCEL and can_cancel(a, other):
        cancel(a, other)


@cache
def native() -> NativeRows:
    """The native engine, compiled once for all tests."""
    return NativeRows(Store.default())


def carried_out(program: Program, *, is_native: bool, spells: Callable[[], int] = lambda: 1000) -> Outcome:
    """What a program does over rows.

    spells      how many events may take place before Python is asked the next time
    """
    memory = _prepare(program, is_native)
    run, engine = memory.run, memory.engine
    log: list[float] = []
    numbers: list[float] = []
    memory._sinks[LOG], memory._sinks[NUMBERS] = log.extend, numbers.extend
    while True:
        code = engine.proceed_rows(memory.arrays, inf, inf, 0, program.until, spells())
        views = memory.views
        if code == ROOM:
            memory.grow()
        elif code == EXIT:
            i = run.current
            pc = views.wholes[views.activity.wholes[i]] - WIDTH
            assert hold(views, i, views.reals[pc // 4]) == WAITS
            run.current = NONE
        elif code == ENDED:  # while an interruption of it, or by it, is to come
            engine.finish(memory.arrays, run.current)
            run.current = NONE
        elif code != SPENT:
            assert code == 0
            break
    run.time = max(run.time, program.until)
    for t in range(2):
        memory.flush(t)
    return _outcome(program, memory, log, numbers, run.turn - 1)


def _prepare(program: Program, is_native: bool) -> RowMemory:
    """The memory for a program, with its first processes."""
    engine: RowEngine = native().engine if is_native else PLAIN
    memory = RowMemory(engine)
    memory.run.turn = 1
    tape = [0] * TAPE
    values: list[float] = [0.0] * (TAPE // WIDTH)
    starts = len(program.scripts)
    while (len(tape) + starts) % WIDTH:
        starts += 1
    tape += [0] * starts
    values += [0.0] * (len(tape) // WIDTH - len(values))
    for number, script_of in enumerate(program.scripts):
        tape[TAPE + number] = len(tape)
        for command in (*script_of, Command(END)):
            tape += command[:4]
            values.append(command.value)
    tape[TAPE - 1] = max(len(program.stations), 1)
    assert (memory._take_wholes(len(tape)), memory._take_reals(len(values))) == (0, 0)
    memory._wholes[: len(tape)] = tape
    memory._reals[: len(values)] = values
    assert (memory.add_tally(print), memory.add_tally(print)) == (LOG, NUMBERS)
    assert memory.add_level(8) == 0
    kernel: Any = native().kernel(lambda: script) if is_native else script  # type: ignore[arg-type]
    k = memory.add_kind(2 + SLOTS, 0, kernel)
    for station in program.stations:
        in_use, queue = memory.add_level(2), memory.add_level(2)
        waits: list[float] = []
        t = memory.add_tally(waits.extend)
        memory.add_station(station.capacity, in_use, queue, t, is_preemptive=station.is_preemptive)
    for first in program.begin:
        make(memory.views, k, first)
    return memory


def _outcome(program: Program, memory: RowMemory, log: list[float], numbers: list[float], events: int) -> Outcome:
    views, station, request = memory.views, memory.station, memory.request
    stations = []
    for s in range(len(program.stations)):
        memory.flush(station.waits[s])
        waits = memory._sinks[station.waits[s]].__self__  # type: ignore[attr-defined]
        members = []
        for head in (station.users[s], station.first[s]):
            q, found = head, []
            while q >= 0:
                found.append((request.priority[q], request.units[q], request.since[q]))
                q = request.next[q]
            members.append(found)
        counts = (station.asked[s], station.reneged[s], station.preempted[s])
        levels = [_level(memory, station.in_use[s]), _level(memory, station.queue[s])]
        stations.append((*levels, waits, counts, station.held[s], *members))
    made = views.wholes[COUNT]
    rows = [row_of(views, views.wholes[REFERENCES + number]) for number in range(made)]
    return Outcome(
        log=[tuple(log[k : k + 4]) for k in range(0, len(log), 4)],  # type: ignore[misc]
        stations=stations,
        level=_level(memory, 0),
        tally=numbers,
        events=events,
        alive=[number for number, i in enumerate(rows) if i >= 0],
    )


def _level(memory: RowMemory, l: int) -> Any:  # noqa: E741
    return memory.level.value[l], memory.level.changed[l], list(memory.durations(l).items())
