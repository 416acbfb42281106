"""What drives the events of rows: native code of its own, or the monitor where states are integrated as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from eventide.discrete.same_time_limit import EARLY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from eventide.bodies.waits.states import Awaited
    from eventide.discrete.calendar import Entry
    from eventide.discrete.conditions.until import StateWait
    from eventide.discrete.processes.process import Process
    from eventide.migration.shared_guards import GuardUser
    from eventide.rows.memory import RowMemory


class Guards(Protocol):
    """What the stepper keeps of waits for states, by which rows wait as well."""

    def waiting(self) -> list[StateWait]:
        """The waits of processes; where one `rests` its guard is kept."""
        ...

    def guard_of(self, process: Process, awaited: Awaited, objects: Mapping[str, object]) -> StateWait | None:
        """The wait of a process by the guard that is kept of what is waited for; None without.

        objects     that its condition closes over, by name
        """
        ...

    def share(
        self, users: list[GuardUser], own: list[StateWait], return_all: Callable[[], None]
    ) -> list[tuple[list[StateWait], list[GuardUser]]]:
        """Rows without guards of their own may take some from now on: lists of these, and which rows each is for.

        own         what rows that have guards wait by, or will
        return_all  returns all to Python, which is called before what is kept of a shared guard changes
        """
        ...

    def end_sharing(self, taken: Mapping[int, int]) -> None:
        """All rows have returned; how often each guard has been taken."""
        ...

    def place_in(self, wait: StateWait, name: str) -> int:
        """The place of a number among those that the condition of a wait closes over."""
        ...

    def settle(self, generator: object) -> None:
        """A generator stands where a process does that has just returned to Python."""
        ...

    def lend(self, process: Process, waits: list[StateWait], rows: Mapping[int, int]) -> None:
        """A process is in a row from now on, which will wait by these guards; by some of them these rows wait now."""
        ...

    def wait_at(self, c: int) -> StateWait:
        """The wait that has a guard, a number."""
        ...

    def take_back(self, process: Process, i: int, taken: Mapping[int, int]) -> None:
        """The process of a row is in Python again, and some of the shared guards are its own: how often each was taken.

        Those that it had are for other rows, where these are not among them: it has ended.
        """
        ...


class RowDriver(Protocol):
    """Drives the events of rows.

    names       the attributes of plain objects that rows may not set, as laws or conditions read them
    functions   what recordings call at events and regular times, in place of which rows have kernels
    cost        an event in Python takes as long as this many of a model without flows
    early       after this many events processes may go of which bodies are kept
    least_share of the events are those of rows while it pays: before each other one Python looks at all they rely on
    guards      by which rows wait for states
    reached     what stopped them that is neither an event of theirs nor the end of their turn; None without
    has_state_event     whether that is a state event
    calls_python        whether processes stay in their rows while they call Python
    """

    @property
    def cost(self) -> int:
        """As above."""
        ...

    @property
    def early(self) -> int:
        """As above."""
        ...

    @property
    def least_share(self) -> float:
        """As above."""
        ...

    @property
    def guards(self) -> Guards:
        """As above."""
        ...

    @property
    def reached(self) -> object:
        """As above."""
        ...

    @property
    def names(self) -> AbstractSet[str]:
        """As above."""
        ...

    @property
    def functions(self) -> Sequence[Callable[[], object]]:
        """As above."""
        ...

    @property
    def has_state_event(self) -> bool:
        """As above."""
        ...

    @property
    def calls_python(self) -> bool:
        """As above."""
        ...

    def may_proceed(self, memory: RowMemory | None) -> bool:
        """Whether rows may have the next events."""
        ...

    def may_stay(self, memory: RowMemory | None) -> bool:
        """The same of those that are away."""
        ...

    def may_go_on(self, memory: RowMemory | None) -> bool:
        """Whether a row may go on within its event, in which it has called Python."""
        ...

    def proceed(self, memory: RowMemory, *turn: float) -> int:
        """Let rows have their events, with all flows brought to each: `proceed_rows`, of which `turn` are arguments."""
        ...

    def begin(self, *, may_go_on: bool) -> Entry | None:
        """The state event that stopped them takes place in Python; returns its owner.

        Where it is that of a row, and rows may go on, they go on with it; returns None then.
        """
        ...


class NoGuards:
    """Where nobody waits for states."""

    def waiting(self) -> list[StateWait]:
        """There are none."""
        return []

    def guard_of(self, process: Process, awaited: Awaited, objects: Mapping[str, object]) -> StateWait | None:
        """There is none."""
        return None

    def share(
        self, users: list[GuardUser], own: list[StateWait], return_all: Callable[[], None]
    ) -> list[tuple[list[StateWait], list[GuardUser]]]:
        """There are none."""
        return []

    def end_sharing(self, taken: Mapping[int, int]) -> None:
        """There were none."""

    def place_in(self, wait: StateWait, name: str) -> int:
        """There is none."""
        raise NotImplementedError

    def settle(self, generator: object) -> None:
        """It waits for none."""

    def lend(self, process: Process, waits: list[StateWait], rows: Mapping[int, int]) -> None:
        """There are none."""

    def wait_at(self, c: int) -> StateWait:
        """There is none."""
        raise NotImplementedError

    def take_back(self, process: Process, i: int, taken: Mapping[int, int]) -> None:
        """It had none."""


class DiscreteDriver:
    """Drives rows where nothing is integrated."""

    cost: Final = 1
    early: Final = EARLY
    least_share: Final = 0.86
    guards: Guards = NoGuards()
    reached: Final = None
    functions: Final = ()
    names: Final[AbstractSet[str]] = frozenset()
    has_state_event: Final = False
    calls_python: Final = True

    def may_proceed(self, memory: RowMemory | None) -> bool:
        """Always."""
        return True

    may_go_on = may_stay = may_proceed

    def proceed(self, memory: RowMemory, *turn: float) -> int:
        """Let them go."""
        return memory.engine.proceed_rows(memory.arrays, *turn)

    def begin(self, *, may_go_on: bool) -> Entry | None:
        """There is none."""
        raise NotImplementedError


DISCRETE: Final = DiscreteDriver()
