"""The discrete world: one clock, one event list, one loop.

In: activities with their times. Out: events in order: advance, take, dispatch. What is to be done between events
(integrate states, run reporters, test conditions) is the monitor's, which is the hook `_hook` then; without a hook the
loop goes from event to event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush, heapreplace
from itertools import islice
from math import inf
from types import CodeType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from eventide.declare import check_same_simulation
from eventide.declare.changes import Changes
from eventide.declare.units import in_time_unit
from eventide.discrete.calendar import AT_END, PLAIN, Calendar, check_time
from eventide.discrete.commands import NOTHING, as_duration, refuse_negative
from eventide.discrete.conditions.condition import ConditionList
from eventide.discrete.forgotten import Forgotten
from eventide.discrete.listing import AwaitedCondition, ScheduledEvent, awaited_conditions, scheduled_events
from eventide.discrete.processes.generator_process import UNKNOWN, GeneratorProcess, Kind, kind_of
from eventide.discrete.processes.process import Process
from eventide.discrete.processes.process_list import ProcessList
from eventide.discrete.processes.reasons import what_stands_still
from eventide.discrete.run_end import Halt, check_clock, wait_for
from eventide.discrete.same_time_limit import CHUNK, MOST_IN_ONE_EVENT, Instant, refuse_more
from eventide.discrete.sigint import Keyboard
from eventide.discrete.trace import Listener, Tracer, print_occurrence
from eventide.errors import Ended, ModelError, Named, SimulationError, check_text, refuse_boolean
from eventide.reading.asynchronous import is_asynchronous
from eventide.reading.lines import is_all_ours, line_in
from eventide.reading.other_words import WORDS, advise, put_other_words
from eventide.reading.tracebacks import shorten
from eventide.reading.used_generators import GIVEN, what_to_yield
from eventide.statistics import Histogram, Level, Tally
from eventide.statistics.restarts import HasReset, Restarts
from eventide.streams.streams import Stream
from eventide.streams.uniforms import Rng, entropy_from

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from eventide.discrete.commands import Activity
    from eventide.discrete.hook import Hook
    from eventide.discrete.processes.migration import Migration

Kept = TypeVar("Kept", bound=HasReset)
T = TypeVar("T")


class World:
    """The discrete half of a simulation.

    time        the clock; after an event's end and before the next it moves
    current     the process that is active now, or None
    """

    # What every event touches is in slots: there are too many attributes for Python to find them all fast.
    __slots__ = (
        "__dict__",
        "__weakref__",
        "_calendar",
        "_changes",
        "_conditions",
        "_hook",
        "_is_interrupted",
        "_kinds",
        "_processes",
        "active",
        "current",
        "dt",
        "last_time",
        "time",
        "until_prior",
        "until_priority",
    )

    def __init__(self, rng: Rng = None, replication: int = 0, antithetic: bool = False) -> None:
        self.time = self.last_time = self.dt = 0.0
        self._rested = (0.0, 0.0)
        self.active = False
        """Whether the monitor runs, that is: whether this is between events."""
        self.current: Any = None
        self._main: Process | None = None
        self.until_priority, self.until_prior = 0.0, False
        self._entropy = entropy_from(rng)
        self._replication, self._antithetic = replication, antithetic
        self.negative_hold = "raise"
        self.time_unit = ""
        self._calendar = Calendar()
        self._conditions = ConditionList()
        self._processes = ProcessList()
        """The processes that have not ended; their rows and the like are free as soon as they have."""
        self._instant = Instant()
        self._kinds: dict[str, Kind] = {}
        self._counts: dict[object, int] = {}
        self._code_in_order: dict[int, CodeType] = {}
        """Code that was examined and makes no command between events, by id, as hashing is slower."""
        self._streams: dict[str, Stream] = {}
        self._statistics = Restarts()
        self._hook: Hook | None = None
        self._changes = Changes()
        self._tracer: Tracer | None = None
        self._is_stepped = False  # whether only one event is to take place
        self._keyboard = Keyboard(self)
        self._is_interrupted = False
        """Whether Ctrl-C was pressed in the present run, or a signal handler waits."""
        self._is_running = self._is_halted = False
        self._halt: Halt | None = None
        self._events_before = 0
        self._forgotten = Forgotten(self)
        self._goal: Process | None = None
        self._migration: Migration | None = None  # the processes that are native code, once there are any
        self._horizon = inf
        """The time at which the present run, or the last one, stops at the latest."""

    # --- what a model asks for ------------------------------------------------------------------------------------

    def process(self, generator: Any, *, name: str = "") -> GeneratorProcess:
        """Make a process from a generator and activate it, in front of the present instant.

        Raises TypeError if it is no generator, ModelError for one that has begun or belongs to a process already,
        SimulationError 17 between events.
        """
        if self.active:
            self._forbid(17, "sim.process()")
        try:
            kind = self._kinds[generator.__name__]
            is_in_order = generator.gi_code is kind.code and not generator.gi_suspended
        except (KeyError, AttributeError):
            kind, is_in_order = UNKNOWN, False
        if not is_in_order:
            kind = kind_of(self, generator)
        process: GeneratorProcess = GeneratorProcess()
        process.sim = self  # type: ignore[assignment]  # every World is a Simulation
        process._kind = kind
        process._number = kind.count = kind.count + 1
        if name:
            process._name = check_text(name, "name=")
        process._generator = process._receiver = generator
        generator.__name__ = GIVEN
        process._value = process._wait = process._past = process._end_waiters = process.result = None
        process.terminated = False
        process._anchor = now = self.time
        self._processes.enter(process)
        self._calendar.schedule_front(now, process)
        return process

    def stream(self, name: str) -> Stream:
        """The random stream of that name: the same numbers for a name whatever else the model does."""
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = Stream.named(self._entropy, name, self._replication, self._antithetic)
        return stream

    def tally(self, name: str = "", unit: str = "", *, keep: bool = True) -> Tally:
        """A `Tally` that `reset_statistics` resets."""
        return self._keep_statistics(Tally(name, unit, keep=keep))

    def level(self, name: str = "", unit: str = "", *, initial: float = 0.0) -> Level:
        """A `Level` on this clock that `reset_statistics` resets."""
        return self._keep_statistics(Level(initial, clock=self, name=name, unit=unit))

    def histogram(self, lower: float, upper: float, bins: int, *, name: str = "", unit: str = "") -> Histogram:
        """A `Histogram` that `reset_statistics` resets."""
        return self._keep_statistics(Histogram(lower, upper, bins, name=name, unit=unit))

    def reset_statistics(self) -> None:
        """Restart all statistics of this simulation: the warm-up is over.

        Meant are those of its resources and queues and those made by `sim.tally`, `sim.level` and `sim.histogram`.
        """
        self._statistics.reset()

    # --- what can be asked ----------------------------------------------------------------------------------------

    @property
    def main(self) -> Process | None:
        """The main program, if the model has one: its end is the end of the run."""
        return self._main

    @main.setter
    def main(self, process: Process | None) -> None:
        self._main = process
        if process is not None:
            process._await_end()

    @property
    def events(self) -> int:
        """The number of events that have taken place."""
        return self._calendar.events

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes that have begun and not ended, in the order in which they were made."""
        return tuple(process for process in self._processes if process._generator is not None)

    @property
    def never_begun(self) -> tuple[Process, ...]:
        """The processes that have not been activated yet, in the order in which they were made."""
        return tuple(process for process in self._processes if process._generator is None)

    def next_time_event(self, process: Process | None) -> Process | None:
        """The process whose time event follows that of `process`; None for None, an idle or the last one."""
        return None if process is None else process.next_event

    @property
    def schedule(self) -> tuple[ScheduledEvent, ...]:
        """The event list: what is due, its time and its owner, the next event first."""
        return scheduled_events(self._calendar)

    @property
    def waits(self) -> tuple[AwaitedCondition, ...]:
        """The condition list: what is waited for, its owner and its priority, in the order of their events."""
        return awaited_conditions(self._conditions)

    def peek(self) -> float:
        """The time of the next time event; infinity if there is none."""
        return self._calendar.next_time()

    @property
    def trace(self) -> Listener | None:
        """What is called with every event, as an `Occurrence(time, who, why)`; None, as at first, if nothing is.

        Assign a function (`log.append`), or True to print each event; False or None to end it.
        """
        return self._tracer.listener if self._tracer is not None else None

    @trace.setter
    def trace(self, listener: Listener | bool | None) -> None:
        if listener is True:
            listener = print_occurrence
        if listener is not None and listener is not False and not callable(listener):
            raise TypeError(f"sim.trace takes a function of an Occurrence, True or False, and got {listener!r}")
        wanted = None if listener is False else listener
        if self._tracer is not None and self._tracer.recorder is not None:
            self._tracer.listener = wanted
            return
        if self._tracer is not None:
            self._tracer.stop()
            self._tracer = None
        if wanted is not None:
            self._tracer = Tracer(self, wanted)

    # --- running --------------------------------------------------------------------------------------------------

    def run(self, until: float | Process | Callable[[], object] | None = None) -> None:
        """Execute events in their order.

        until       a time: stop before any event at it, with the model brought to it;
                    a process: stop when it has ended; a condition: stop when it is true;
                    None: stop when the main program has ended, or nothing is left that could happen
        Raises SimulationError 3 if nothing is left to happen while what is waited for is unfinished. Ctrl-C raises
        KeyboardInterrupt between two events, or where all that moves can be shown: the next run continues from there.
        """
        __tracebackhide__ = True  # a notebook then shows none of our lines
        self._refuse_nesting("run")
        self._attend(self._run, until)

    def _attend(self, act: Callable[..., T], *arguments: object) -> T:
        """Run while Ctrl-C and errors that come from outside are attended to."""
        keyboard = self._keyboard
        try:
            keyboard.listen()
            try:
                answer = act(*arguments)
            finally:
                keyboard.leave()
            keyboard.raise_missed()
        except BaseException as error:
            keyboard.note_error(error)
            shorten(error)
            raise
        return answer

    def _run(self, until: float | Process | Callable[[], object] | None) -> None:
        horizon, watcher = inf, None
        if isinstance(until, Process):
            check_same_simulation(self, until)
            self._goal = until
            until._await_end()
        elif callable(until):
            self._goal = watcher = self.process(wait_for(until), name="run(until=condition)")
            watcher._await_end()
        elif until is not None:
            refuse_boolean(until)
            horizon = check_time(until, "run(until=...)", self.time_unit)
            if horizon < self.time:
                raise ModelError(f"run(until={horizon!r}) lies in the past: the time is {self.time!r}")
        self._events_before = self.events
        self._horizon = horizon
        check_clock(self, self._rested)
        self._forgotten.begin()
        began = self._calendar.turn
        try:
            self._loop(horizon)
            self.current = None
            self._close(horizon)
            has_acted = self._calendar.turn != began or self._migration is not None or self._keyboard.has_others
            if self._hook is not None:
                self._calendar.begin_stretch()  # so that what looks at rest counts the events that took place
                has_acted = self._hook.come_to_rest(has_acted=has_acted)
            self._forgotten.end(is_bounded=horizon < inf, has_acted=has_acted)
        except SimulationError as error:
            self.simulation_error(error)
            raise
        finally:
            if watcher is not None and not watcher.terminated:
                watcher._abandon()
            self._goal = None
            self._come_to_rest()

    def stop(self) -> None:
        """End the present run when the present event is over; the next run continues from there.

        A process that calls it runs on to its next `yield`. What else is due at this instant waits for the next run.
        Raises ModelError between events, as in equations, and where nothing runs.
        """
        if self.active:
            raise ModelError("sim.stop() was called between events: let a process or an @ev.when handler call it")
        if not self._is_running:
            raise ModelError("sim.stop() ends a run, and no run is under way")
        if self._halt is None:
            self._halt = Halt(self)
            self._calendar.schedule_prior(self.time, self.time, self._halt)

    def simulation_error(self, error: SimulationError) -> None:
        """Called once when a numbered error ends the run, before it goes up."""

    def step(self) -> bool:
        """Execute one event; False if there is none left."""
        self._refuse_nesting("step")
        return self._attend(self._step)

    def _step(self) -> bool:
        before = self.events
        self._calendar.first()  # what is stale is dropped and not taken for the event
        try:
            self._loop(inf, one_event=True)
        except SimulationError as error:
            self.simulation_error(error)
            raise
        finally:
            self._come_to_rest()
        return self.events > before

    def _loop(self, horizon: float, one_event: bool = False) -> None:
        """Advance, take, dispatch, until the run is over or nothing is left before `horizon`.

        What most events need stands in `_take_events` without a call. The notice of a running activity stays at the
        top of the heap, so that to hold is a single heapreplace.
        """
        self._is_running, self._is_halted = True, self._goal is not None and self._goal.terminated
        self._is_stepped = one_event
        if self._is_halted or self.time >= horizon:
            return
        calendar, chunk = self._calendar, 1 if one_event else CHUNK
        while turn := self._take_events(horizon, self._numbers(horizon, chunk)):
            if one_event or self._is_halted:
                return
            calendar.tidy()
            if self._is_interrupted:  # and the hook that would attend has been replaced itself
                self._keyboard.attend()
            due = len(calendar.front) + len(calendar.ready)
            chunk = self._instant.next_chunk(self.time, self.current, turn - calendar.void, due)

    def _numbers(self, horizon: float, count: int) -> Iterator[int]:
        """The numbers of the next `count` events."""
        return islice(self._calendar.numbers, count)

    def _take_events(self, horizon: float, numbers: Iterator[int]) -> int:
        """Let events take place, one for each number; returns the last number, or 0 where the run ends."""
        calendar, now, turn, called, command = self._calendar, self.time, 0, None, None
        front, ready, heap = calendar.front, calendar.ready, calendar.heap
        for turn in numbers:
            if self._hook is not None:
                try:
                    called, now = self._hook.advance(horizon), self.time
                except BaseException:
                    calendar.void += 1  # no event has taken place
                    raise
            if called is not None:
                if called is AT_END:
                    return self._end_without_event()
                activity, notice, called = called, None, None
            elif front or (ready and (heap[0][0] > now or ready[0] < heap[0])):
                notice = front.pop() if front else ready.popleft()  # due now; only the heap lets time go on
                activity = notice[3]
                if activity._notice is not notice:
                    calendar.void += 1
                    continue
            else:
                time, _, _, activity = notice = heap[0]
                if activity._notice is not notice:
                    heappop(heap)
                    calendar.void += 1
                    continue
                if time >= horizon:
                    return self._end_without_event()
                self.time = now = time
            activity._notice, self.current, calendar.turn = None, activity, turn
            at_once = 0
            while activity is not None:
                try:
                    if (process := activity._receiver) is not None:
                        if (value := activity._value) is not None:
                            activity._value = activity._wait = None
                        command = process.send(value)
                    else:
                        if (command := activity._resume()) is NOTHING:
                            break
                        activity = self.current
                    if command.__class__ is float:
                        if command > 0.0:
                            activity._notice = following = (now + command, calendar.turn, PLAIN, activity)
                            (heapreplace if heap[0] is notice else heappush)(heap, following)
                        else:
                            self._hold(activity, command)
                        break
                    activity = command._execute(self, activity) if at_once <= MOST_IN_ONE_EVENT else refuse_more(self)
                    at_once += 1
                except (StopIteration, Ended) as end:
                    if self.current._finish(end.value):
                        return 0
                    break
                except BaseException as error:
                    activity = self._meet(error, activity, command)
                    if activity is error:
                        raise
        return max(turn, calendar.turn)  # the last may be of a stale notice, or of a direct activation

    def _end_without_event(self) -> int:
        """The number that was drawn last is of no event, and none is left."""
        self._calendar.void += 1
        return 0

    def _meet(self, error: BaseException, activity: Activity, command: object) -> object:
        """An error was met as `activity` ran or its command was carried out; returns what continues, or None.

        Returns `error` itself if it is to go up.
        """
        met = self._hold_number(error, activity, command)
        if met is None:
            return None
        successor = self._throw_back(met)
        return error if successor is None else successor

    def _obey(self, activity: Activity, command: object) -> Any:
        """Carry out a command for an activity; returns the activity that continues at once, or None."""
        execute = getattr(command, "_execute", None)
        return self._hold(activity, command) if execute is None else execute(self, activity)

    def _hold(self, activity: Activity, duration: object, priority: float = 0.0) -> None:
        """Schedule an activity after a duration of any numeric type. Raises ModelError for a negative one."""
        if duration.__class__ is not float:
            duration = in_time_unit(duration, self.time_unit, f"the hold of {activity.name}")
        time = as_duration(duration)
        if time is None:
            self._refuse(activity, duration)
        if time < 0.0 and self.negative_hold == "raise":
            refuse_negative(activity, time, self.time)
        if priority:
            self._calendar.schedule_ranked(self.time + time, self.time, priority, activity)
        else:
            self._calendar.schedule(self.time + time, self.time, activity)

    def _hold_number(self, error: BaseException, activity: Activity, command: object) -> BaseException | None:
        """`error` was met: if `command` is no command but a number, let `activity` hold that long; returns None then.

        Returns the error that remains.
        """
        is_no_command = (
            isinstance(error, AttributeError) and error.name == "_execute" and not hasattr(command, "_execute")
        )
        generator = getattr(activity, "_generator", None)
        if not is_no_command or generator is None or not generator.gi_suspended:  # or the generator itself has failed
            return error
        try:
            self._hold(activity, command)
        except ModelError as refusal:
            refusal.__suppress_context__ = True
            return refusal
        return None

    def _throw_back(self, error: BaseException) -> object:
        """An error was met: one in carrying out a command is raised again at the line that yielded it.

        Returns the process that raises it. None for an error that comes out of a process or handler: it goes up
        as the same object, with a note.
        """
        activity = self.current
        generator = getattr(activity, "_generator", None)
        is_between = generator is not None and generator.gi_suspended
        if is_between and isinstance(error, Exception) and not is_asynchronous(error):
            if is_all_ours(error):
                error.__traceback__ = None  # the user's line is then the last one
            activity._throw(error)
            return activity
        place = line_in(error, generator)
        advise(error)
        error.add_note(f"{activity.name} was active at time {self.time!r}{place and ', at '}{place}")
        if generator is not None and generator.gi_frame is None:
            activity._abandon()
        return None

    def _refuse(self, activity: Activity, command: object) -> NoReturn:
        """Raise the error for something that is no command."""
        raise ModelError(f"{activity.name} yielded {command!r}, which is not a command: {what_to_yield(command)}")

    def _wake(self, activity: Activity, value: object) -> None:
        """End an activity's wait: it continues at the end of the present instant, and its `yield` returns `value`.

        What it waited for is kept until then, so that an interrupted process gives it back.
        """
        activity._value = value
        if value is None:
            wait, activity._wait = activity._wait, None
            self._calendar.answer(self.time, activity, wait)
        else:
            self._calendar.schedule_last(self.time, activity)

    def _close(self, horizon: float) -> None:
        """The loop has ended: advance the model to the end of the run, or raise an error if that cannot be reached."""
        if self._is_halted:
            return
        owed = self.main if self._goal is None else self._goal
        if horizon < inf:
            self.time = horizon
        elif owed is not None and not owed.terminated:
            raise SimulationError(3, self.time, what_stands_still(self, owed))

    def _come_to_rest(self) -> None:
        self._is_running = self.active = False
        self._rested = self.time, self.dt
        if self._halt is not None:  # it was for this run alone, which may have ended by an error
            self._halt._notice = None
            self._halt = None
        if self._migration is not None:
            self._migration.leave()
        self.current = None
        self._instant.forget()  # it keeps activities alive
        self._calendar.tidy()
        self._calendar.begin_stretch()

    def _refuse_nesting(self, verb: str) -> None:
        self._keyboard.refuse_torn()
        if self._is_running:
            raise ModelError(
                f"{verb}() was called from inside the run: a process yields hold(...) or until(...) instead"
            )

    # --- what the other rooms use ---------------------------------------------------------------------------------

    def _keep_statistics(self, statistic: Kept) -> Kept:
        """Have `reset_statistics` reset this, too; returns it."""
        self._statistics.add(statistic)
        return statistic

    def _forbid(
        self, number: int, call: str, *, continuous: Named | None = None, reporter: Named | None = None
    ) -> None:
        """Raise SimulationError `number`, with the culprit, if this is between events."""
        if self.active:
            raise SimulationError(
                number,
                self.time,
                f"{call} was called between events, where nothing discrete may change: "
                "let a process or an @ev.when handler do it.",
                continuous=continuous,
                reporter=reporter,
            )

    def _watch(self) -> None:
        """There is something to do between events from now on."""
        raise NotImplementedError

    def _return_soon(self) -> None:
        """The integrator is to check soon whether the run continues."""
        raise NotImplementedError

    def _fail(self, error: BaseException) -> None:
        """An error was met while the model advances to its next event; it is to propagate."""
        raise NotImplementedError

    def _hidden(self) -> AbstractContextManager[None]:
        """What moves cannot be looked at within: a step is under way."""
        raise NotImplementedError

    def __dir__(self) -> list[str]:
        names = super().__dir__()
        return [one for one in names if (one[0] != "_" or one[:2] == "__") and one not in WORDS]


if not TYPE_CHECKING:  # a type checker refuses them as it is
    put_other_words(World)
