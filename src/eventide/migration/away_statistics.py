"""Levels and tallies while rows keep them: they leave, are read, and return."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from eventide.bodies.stations.statistics import kind_of
from eventide.discrete.inside import migration_of
from eventide.discrete.resources.away import away_class
from eventide.rows.codes import AMOUNT, LEVEL
from eventide.statistics import Level, Tally
from eventide.statistics.level import LevelState, set_in_turn, set_state, state_of
from eventide.statistics.tally import taker_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.bodies.operands import Kind
    from eventide.rows.memory import RowMemory

ROOM: Final = 64
"""The values of a level of the user's for which there is room at least."""


class Away:
    """The base of what is away, or was."""

    def go(self) -> None:
        """Rows keep it from now on."""
        raise NotImplementedError

    def is_same(self) -> bool:
        """Whether rows can keep it after it was read."""
        raise NotImplementedError

    def go_again(self) -> bool:
        """As `go`, after it was read; False if rows cannot keep it any longer."""
        is_same = self.is_same()
        if is_same:
            self.go()
        return is_same


class AwayLevel(Away):
    """A level that is away, or was.

    row     its row among the levels
    room    the values for which there is room at least
    """

    def __init__(self, level: Level, memory: RowMemory, room: int = ROOM) -> None:
        self.thing = level
        self.row = memory.add_level(room)
        self._room = room
        self._memory = memory
        self._kind: Kind | None = None

    def go(self) -> None:
        """Rows take over the state of the level, as `kind_of` says that they can."""
        state = state_of(self.thing)
        assert state is not None
        self._kind = kind_of(self.thing)
        held = {int(value): lasted for value, lasted in state.held.items()}
        self._memory.fill_level(self.row, int(state.value), state.changed, held)
        self._memory.widen_level(self.row, max(self._room, 2 * (1 + max(int(state.value), *held, 0))))
        self._memory.levels[id(self.thing)] = LEVEL, self.row
        object.__setattr__(self.thing, "__class__", LEVEL_AWAY)

    def is_same(self) -> bool:
        """Whether its values are of the type that they had."""
        return type(self.thing) is Level and kind_of(self.thing) == self._kind

    def come(self) -> None:
        """The level has its state again, if it has not."""
        if _is_back(self.thing, self._memory):
            known, l = float if self._kind == "float" else int, self.row  # noqa: E741  # l is a level, as in rows
            held = {known(value): lasted for value, lasted in self._memory.durations(l).items()}
            value, changed = self._memory.level.value[l], self._memory.level.changed[l]
            set_state(self.thing, LevelState(known(value), changed, held))


class AwayChanges(Away):
    """A level of any numbers that is away, or was: it hears of its changes when it is looked at, in their order.

    row     the row of the tally of these
    """

    def __init__(self, level: Level, memory: RowMemory) -> None:
        self.thing = level
        self.row = memory.add_tally(self._follow)
        self._memory = memory
        self._seen = 0.0

    def _follow(self, changes: NDArray[np.float64]) -> None:
        is_away = type(self.thing) is not Level
        if is_away:
            object.__setattr__(self.thing, "__class__", Level)
        set_in_turn(self.thing, changes[::2].tolist(), changes[1::2].tolist())
        if is_away:
            object.__setattr__(self.thing, "__class__", LEVEL_AWAY)

    def go(self) -> None:
        """Rows change the level from now on."""
        self._memory.levels[id(self.thing)] = AMOUNT, self.row
        object.__setattr__(self.thing, "__class__", LEVEL_AWAY)

    def is_same(self) -> bool:
        """Whether it was not changed: else it says no longer how much there is."""
        return type(self.thing) is Level and self.thing.value == self._seen

    def come(self) -> None:
        """The level has its state again, if it has not."""
        if _is_back(self.thing, self._memory):
            self._memory.flush(self.row)
            self._seen = self.thing.value


class AwayTally(Away):
    """The waits of a resource that is away, or was.

    row     its row among the tallies
    look    called when it is read
    """

    def __init__(self, tally: Tally, memory: RowMemory, look: Callable[[object], object]) -> None:
        self.thing = tally
        self.row = memory.add_tally(print)
        self._memory = memory
        self._away = away_class(Tally, *_shown(look))  # it does not know its simulation

    def go(self) -> None:
        """Rows add values to it from now on."""
        self._memory.change_sink(self.row, _sink(taker_of(self.thing)))
        object.__setattr__(self.thing, "__class__", self._away)

    def is_same(self) -> bool:
        """Whether it keeps its values."""
        return type(self.thing) is Tally and self.thing.keep

    def come(self) -> None:
        """The tally has its values again, if it has not."""
        if type(self.thing) is self._away:
            object.__setattr__(self.thing, "__class__", Tally)
            self._memory.flush(self.row)


def _is_back(level: Level, memory: RowMemory) -> bool:
    """Whether a level was away; if so, it has its class again."""
    was_away = type(level) is LEVEL_AWAY
    if was_away:
        object.__setattr__(level, "__class__", Level)
        del memory.levels[id(level)]
    return was_away


def _sink(take: Callable[[bytes], None]) -> Callable[[NDArray[np.float64]], None]:
    """What takes values into a tally, wherever it is."""

    def sink(values: NDArray[np.float64]) -> None:
        take(values.tobytes())

    return sink


def _shown(
    show: Callable[[object], object],
) -> tuple[Callable[[object, str], object], Callable[[object, str, object], None]]:
    """Both for what has its own class again once `show` was called."""

    def look(thing: object, name: str) -> object:
        show(thing)
        return getattr(thing, name)

    def change(thing: object, name: str, value: object) -> None:
        show(thing)
        setattr(thing, name, value)

    return look, change


def _show(level: object) -> None:
    migration = migration_of(object.__getattribute__(level, "_clock"))
    assert migration is not None
    migration.look(level)


LEVEL_AWAY: Final = away_class(Level, *_shown(_show))
