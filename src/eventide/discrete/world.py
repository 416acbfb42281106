"""The bare discrete world: one clock, one event list, one loop that lets events take place in their order.

Whoever has duties between events (states to integrate, reporters to run, conditions to test) does them in the hook
`_vigil`; while there is none, the loop goes from event to event.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush, heapreplace
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from eventide.discrete.calendar import PLAIN, Calendar, check_time
from eventide.discrete.commands import as_duration
from eventide.discrete.conditions import ConditionList
from eventide.discrete.conditions import until as wait_until
from eventide.discrete.process import Process, Story
from eventide.discrete.streams import Stream, entropy_from
from eventide.errors import Ended, ModelError, SimulationError

if TYPE_CHECKING:
    from eventide.simulation import Simulation


class Vigil(Protocol):
    """What has duties between events."""

    def advance(self, horizon: float) -> bool:
        """Bring the model to its next event, which is then first in the event list; False if there is none before."""
        ...

    def refresh(self) -> None:
        """Evaluate all laws and run all reporters at the present instant."""
        ...


class World:
    """The discrete half of a simulation.

    time        the clock; after an event's end and before the next it moves
    current     the process that is active now, or None
    main        the main program, if the model has one
    """

    def __init__(self, rng: Any = None) -> None:
        self.time: float = 0.0
        self.last_time: float = 0.0
        self.dt: float = 0.0
        self.active = False
        """Whether the monitor runs, that is: whether this is between events."""
        self.current: Any = None
        self.main: Process | None = None
        self.wait_priority = 0.0
        self.wait_prior = False
        self.entropy = entropy_from(rng)
        self._calendar = Calendar()
        self._conditions = ConditionList()
        self._alive: dict[Process, None] = {}
        self._counts: dict[Any, int] = {}
        self._streams: dict[str, Stream] = {}
        self._vigil: Vigil | None = None
        self._statistics: list[Any] = []
        self._is_running = False
        self._is_halted = False
        self._goal: Process | None = None
        self._events_before = 0

    # --- what a model asks for ------------------------------------------------------------------------------------

    def process(self, generator: Any, *, name: str = "") -> Story:
        """Make a process of a generator and activate it, in front of the present instant.

        Raises TypeError if it is no generator, SimulationError 17 between events.
        """
        if self.active:
            self._forbid(17, "sim.process()")
        story = Story(self._self, generator, name)
        self._calendar.schedule_front(self.time, story)
        return story

    def stream(self, name: str) -> Stream:
        """The random stream of that name: the same numbers for a name whatever else the model does."""
        stream = self._streams.get(name)
        if stream is None:
            stream = self._streams[name] = Stream.named(self.entropy, name)
        return stream

    def reset_statistics(self) -> None:
        """Begin all statistics of the model's resources, queues and the like anew: the warm-up is over."""
        for statistic in self._statistics:
            statistic.reset()

    @property
    def events(self) -> int:
        """How many events have taken place."""
        return self._calendar.events

    @property
    def processes(self) -> tuple[Process, ...]:
        """The processes that have begun and not ended, in order of beginning."""
        return tuple(self._alive)

    def next_time_event(self, process: Process | None) -> Any:
        """The activity whose time event follows that of `process`; None for None, an idle or the last one."""
        return None if process is None else process.next_event

    def peek(self) -> float:
        """When the next time event is due; infinity if there is none."""
        return self._calendar.next_time()

    # --- running --------------------------------------------------------------------------------------------------

    def run(self, until: float | Process | Callable[[], Any] | None = None) -> None:
        """Let events take place in their order.

        until       a time: stop before any event at it, with the model brought to it;
                    a process: stop when it has ended; a condition: stop when it is true;
                    None: stop when the main program has ended, or nothing is left that could happen
        Raises SimulationError 3 if nothing is left to happen while what is waited for is unfinished.
        """
        if self._is_running:
            raise ModelError("run() was called from inside the run: a process yields hold(...) or until(...) instead")
        goal: Process | None = None
        horizon = inf
        if isinstance(until, Process):
            goal = until
        elif callable(until):
            goal = self.process(_wait_for(until), name="run(until=condition)")
        elif until is not None:
            horizon = check_time(until, "run(until=...)")
            if horizon < self.time:
                raise ModelError(f"run(until={horizon!r}) lies in the past: the time is {self.time!r}")
        self._goal = goal
        self._events_before = self.events
        self._is_running, self._is_halted = True, goal is not None and goal.terminated
        try:
            self._loop(horizon)
            self._close(horizon)
        finally:
            self._goal, self._is_running = None, False
            self.active = False
            self.current = None

    def step(self) -> bool:
        """Let one event take place; False if there is none left."""
        before = self.events
        self._is_halted = False
        self._loop(inf, one_event=True)
        self.current = None
        return self.events > before

    def _loop(self, horizon: float, one_event: bool = False) -> None:
        """Advance, take, dispatch."""
        calendar = self._calendar
        heap, front, ready, serial = calendar.heap, calendar.front, calendar.ready, calendar.serial
        # With its test inside, the loop ends in a plain jump: that is what makes Python 3.11 specialise its code.
        while True:
            if self._is_halted or self.time >= horizon:
                return
            if self._vigil is not None and not self._vigil.advance(horizon):
                return
            if front and not (heap and heap[0] < front[0]):
                notice = front.popleft()
            elif ready and not (heap and heap[0] < ready[0]):
                notice = ready.popleft()
            elif heap:
                notice = heap[0]
            else:
                return
            activity = notice[3]
            if activity._notice is not notice:
                if heap and heap[0] is notice:
                    heappop(heap)
                continue
            now = notice[0]
            if now >= horizon:
                return
            self.time = now
            activity._notice = None
            self.current = activity
            calendar.events += 1
            # The notice of a running activity stays the root of the heap: to hold is then one heapreplace.
            while activity is not None:
                value = activity._value
                if value is not None:
                    activity._value = activity._wait = None
                try:
                    command = activity._resume(value)
                    if type(command) is float:
                        if now < (later := now + command):
                            activity._notice = following = (later, serial(), PLAIN, activity)
                            if heap and heap[0] is notice:
                                heapreplace(heap, following)
                            else:
                                heappush(heap, following)
                            break
                        activity = self._hold(activity, command)
                        continue
                    try:
                        execute = command._execute
                    except AttributeError:
                        activity = self._hold(activity, command)
                    else:
                        activity = execute(self, activity)
                except StopIteration as end:
                    activity = activity._finish(end.value)
                except Ended:
                    activity = activity._finish(None)
                except BaseException as error:
                    self._annotate(error)
                    raise
            if heap and heap[0] is notice:
                heappop(heap)
            if one_event:
                return

    def _obey(self, activity: Any, command: Any) -> Any:
        """Carry out what was yielded; answer who goes on at once, or None when the event is over."""
        try:
            execute = command._execute
        except AttributeError:
            return self._hold(activity, command)
        return execute(self, activity)

    def _hold(self, activity: Any, duration: Any) -> Any:
        """Let an activity hold, for a duration given as any kind of number; what is none is refused."""
        time = as_duration(duration)
        if time is None:
            return self._refuse(activity, duration)
        self._calendar.schedule(self.time + time, self.time, activity)
        return None

    def _refuse(self, activity: Any, command: Any) -> Any:
        """Throw an error into a process at the line where it yielded something else than a command."""
        error = ModelError(
            f"{activity.name} yielded {command!r}, which is no command: yield a number, hold(...), until(...), "
            "passivate(), a request, a process or one of the other commands"
        )
        generator = getattr(activity, "_generator", None)
        if generator is None:
            raise error
        return self._obey(activity, generator.throw(error))

    def _wake(self, activity: Any, value: Any) -> None:
        """End an activity's wait: it goes on at the end of the present instant and is answered `value`.

        What it waited for is kept until then, so that who is interrupted meanwhile gives it back.
        """
        activity._value = value
        if value is None:
            activity._wait = None
        calendar = self._calendar
        activity._notice = notice = (self.time, calendar.serial(), PLAIN, activity)
        calendar.ready.append(notice)

    def _close(self, horizon: float) -> None:
        """The loop has ended: bring the model to the end that was asked for, or say that it cannot be reached."""
        owed = self._goal or self.main
        if self._is_halted:
            return
        if horizon < inf:
            self.time = horizon
        elif owed is not None:
            raise SimulationError(3, self.time, self._stuck(owed))

    def _stuck(self, owed: Process) -> str:
        waits = [f"{p.name} waits for {self._reason(p)}" for p in self._alive]
        return f"{owed.name} has not ended and nothing can happen any more. " + "; ".join(waits)

    def _reason(self, process: Process) -> str:
        if process._wait is not None:
            return process._wait.describe()
        return "its activation by another process"

    # --- what the other rooms use ---------------------------------------------------------------------------------

    @property
    def _self(self) -> Simulation:
        """The simulation that this world is."""
        return self  # type: ignore[return-value]  # every World is a Simulation

    @property
    def _is_at_start(self) -> bool:
        """Whether the present run has not had an event yet."""
        return self.events == self._events_before

    def _register(self, kind: Any) -> int:
        """Count a new component of a kind; its number makes its default name."""
        number = self._counts.get(kind, 0) + 1
        self._counts[kind] = number
        return number

    def _keep_statistics(self, statistic: Any) -> None:
        """Let `reset_statistics` reset this, too."""
        self._statistics.append(statistic)

    def _forbid(self, number: int, call: str) -> None:
        """Raise SimulationError `number` if this is between events."""
        if self.active:
            raise SimulationError(
                number, self.time, f"{call} was called between events, from equations, a reporter or a condition."
            )

    def _watch(self) -> None:
        """There is something to look after between events."""
        raise NotImplementedError

    def _refresh(self) -> None:
        if self._vigil is not None:
            self._vigil.refresh()

    def _annotate(self, error: BaseException) -> None:
        """Add to an error on its way up who was active, and when; the object itself stays the same."""
        who = getattr(self.current, "name", None)
        if who is not None and not isinstance(error, GeneratorExit):
            error.add_note(f"{who} was active at time {self.time!r}")


def _wait_for(condition: Callable[[], Any]) -> Any:
    yield wait_until(condition)
