"""A counting resource: so many units, requests served in order of priority and arrival."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from eventide.declare import Component, check_same_simulation
from eventide.errors import ModelError
from eventide.statistics import Level, Tally

if TYPE_CHECKING:
    from collections.abc import Generator

    from eventide.discrete.world import World
    from eventide.simulation import Simulation


class Request:
    """One wish for one unit of a resource: yield it to wait, leave its `with` block to give the unit back."""

    __slots__ = ("activity", "asked_at", "priority", "resource", "state")
    is_state_event = False

    def __init__(self, resource: Resource, priority: float) -> None:
        self.resource = resource
        self.priority = priority
        self.state = "new"
        self.activity: Any = None
        self.asked_at = 0.0

    @property
    def granted(self) -> bool:
        """Whether the request holds its unit now."""
        return self.state == "granted"

    def _execute(self, sim: World, activity: Any, /) -> Any:
        if self.state != "new":
            raise ModelError(f"this request of {self.resource.name} was yielded already: ask again with request()")
        check_same_simulation(sim, self.resource)  # type: ignore[arg-type]  # every World is a Simulation
        self.activity = activity
        self.asked_at = sim.time
        if self.resource._join(self):
            activity._value = self
            return activity
        activity._wait = self
        return None

    def withdraw(self) -> None:
        """Leave the queue, or give back a unit that was granted."""
        if self.state == "waiting":
            self.resource._leave(self)
            self.state = "withdrawn"
        else:
            self.release()

    def release(self) -> None:
        """Give the unit back: the next in the queue gets it, at the end of the present instant.

        No effect if the request does not hold a unit.
        """
        if self.state == "granted":
            self.state = "released"
            self.resource._give_back()

    def describe(self) -> str:
        """What is waited for."""
        return f"a unit of {self.resource.name} since {self.asked_at!r}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # A generator closed because its simulation was dropped must schedule nothing.
        if kind is not GeneratorExit:
            self.withdraw()


class Resource(Component):
    """So many units that processes hold for a while.

    in_use      a `Level`: units held, over time
    queue       a `Level`: requests waiting, over time
    waits       a `Tally`: how long granted requests had waited (zero for those served at once)
    """

    def __init__(self, sim: Simulation, capacity: int = 1, *, name: str = "") -> None:
        if type(capacity) is not int or capacity < 1:
            raise ModelError(f"the capacity of a resource is a whole number of at least 1, and got {capacity!r}")
        self._attach(sim, name)
        self.capacity = capacity
        self._waiting: list[Request] = []
        self._held = 0
        self.in_use = Level(0, clock=sim, name=f"{self.name} in use")
        self.queue = Level(0, clock=sim, name=f"{self.name} queue")
        self.waits = Tally(name=f"{self.name} waits")

    def request(self, priority: float = 0.0) -> Request:
        """A request for one unit, to be yielded: `with r.request() as unit: yield unit`.

        priority    high first; equal ones in order of arrival
        """
        return Request(self, priority)

    def use(self, duration: float, priority: float = 0.0) -> Generator[Any, Any, None]:
        """Request a unit, hold for `duration`, give it back: `yield from r.use(2.0)`."""
        with self.request(priority) as unit:
            yield unit
            yield duration

    @property
    def available(self) -> int:
        """Units that nobody holds."""
        return self.capacity - self._held

    @property
    def utilisation(self) -> float:
        """Share of the capacity that was held, averaged over time."""
        return float(self.in_use.mean) / self.capacity

    def _join(self, request: Request) -> bool:
        """Grant at once if a unit is free, else queue by priority and arrival."""
        if self._held < self.capacity and not self._waiting:
            self._grant(request)
            return True
        request.state = "waiting"
        place = len(self._waiting)
        while place and self._waiting[place - 1].priority < request.priority:
            place -= 1
        self._waiting.insert(place, request)
        self.queue.set(len(self._waiting))
        return False

    def _grant(self, request: Request) -> None:
        request.state = "granted"
        self._held += 1
        self.in_use.set(self._held)
        self.waits.add(self.sim.time - request.asked_at)

    def _leave(self, request: Request) -> None:
        self._waiting.remove(request)
        self.queue.set(len(self._waiting))

    def _give_back(self) -> None:
        self._held -= 1
        self.in_use.set(self._held)
        if self._waiting and self._held < self.capacity:
            request = self._waiting.pop(0)
            self.queue.set(len(self._waiting))
            self._grant(request)
            self.sim._wake(request.activity, request)

    def __repr__(self) -> str:
        return f"<{self.name}: {self._held} of {self.capacity} in use, {len(self._waiting)} waiting>"
