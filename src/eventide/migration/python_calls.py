"""Calls that Python makes while a process stays in its row.

In: a process whose kernel has come to a statement that is a call of unknown effect. Out: what it does, in the order of
Python; then native code goes on behind it, within the same event, or the process returns to Python in the middle of it.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from eventide.discrete.commands import NOTHING
from eventide.discrete.inside import generator_of, hook_of, resume_with
from eventide.migration.row_classes import suspended_with
from eventide.migration.stand_ins import Given, beyond
from eventide.migration.thresholds import EACH_CALL, FEW_CALLS
from eventide.reading.generators import function_of, locals_of
from eventide.rows.undisturbed import busy

if TYPE_CHECKING:
    from eventide.bodies.points import PythonCall
    from eventide.discrete.calendar import Entry, Notice
    from eventide.discrete.processes.process import Process
    from eventide.migration.crossing.body import Body
    from eventide.migration.row_migration import RowMigration
    from eventide.reading.generators import Suspended


class CallInPython:
    """Stands for a process in the rest of its event, which begins with a call in Python.

    amid        the state of its body in the middle of the call; behind: behind it
    is_running  whether the call is under way
    """

    __slots__ = (
        "_carrier", "_migration", "_notice", "_receiver", "_successor", "_value", "_wait",
        "activity", "amid", "behind", "is_running",
    )  # fmt: skip

    def __init__(self, migration: RowMigration, process: Process, carrier: Suspended, place: PythonCall) -> None:
        self._notice: Notice | None = None
        self._receiver = self._value = self._wait = None
        self._migration = migration
        self._carrier, self._successor = carrier, carrier
        self.activity = process
        self.amid, self.behind = place.amid, place.behind
        self.is_running = False

    @property
    def name(self) -> str:
        """How it is called in messages."""
        return str(self.activity.name)

    def stand_by(self) -> None:
        """The process has returned to Python amid the call, which it executes until that is over."""
        self._successor = generator_of(self.activity)
        resume_with(self.activity, self._carrier)

    def _resume(self) -> object:
        process, migration = self.activity, self._migration
        process.sim.current, migration.calling = process, self
        try:
            self.is_running = True
            self._carrier.send(None)
            self.is_running = False
        except BaseException as error:  # noqa: BLE001  # it is raised in the process that has met it
            self._come_back(is_amid=False)
            given = Given(process, beyond(error, 2))  # this frame and the carrier's
            return NOTHING if self._follows(given) else given._resume()
        if process in migration.away and self._may_go_on():
            self._go_on()
            return NOTHING
        self._come_back(is_amid=True)
        return NOTHING if self._follows(process) else process._receiver.send(None)

    def _may_go_on(self) -> bool:
        """Whether the process goes on in its row, as if it had not called Python."""
        away, things = self._migration, self._migration._things
        if hook_of(away.world) is not away or away.signals.waiting or not away._pays:
            return False
        is_same = away._assumptions.stands() and away._driver.may_go_on(away._memory)
        return is_same and things is not None and things.hide()

    def _go_on(self) -> None:
        """Let native code go on behind the call, to the end of the event or to what else is Python's."""
        migration = self._migration
        memory, i = migration._memory, migration.away[self.activity]
        assert memory is not None
        memory.views.activity.at[i], memory.run.current = self.behind, i
        migration.calling = None
        migration._proceed(inf, 0)

    def _come_back(self, *, is_amid: bool) -> None:
        """The process goes on in Python, in the middle of the call or before it."""
        process, migration = self.activity, self._migration
        self.is_running, migration.calling = False, self if is_amid else None
        if process in migration.away:
            busy(type(migration)._fetch)(migration, process)
        migration.calling = None
        if self._successor is not self._carrier:
            resume_with(process, self._successor)

    def _follows(self, called: Entry) -> bool:
        """Let the event go on in Python once those are heard that wait; False if it can do so at once."""
        migration = self._migration
        if hook_of(migration.world) is migration:
            migration._called = called
        return migration._called is called


def call_at(migration: RowMigration, process: Process, body: Body, at: int) -> CallInPython | None:
    """The call with which a process in a row goes on, that stays there; None for another statement, or if too many."""
    memory, driver, i = migration._memory, migration._driver, migration.away[process]
    place = body.python_calls.get(at)
    if place is None or memory is None or migration._rows[i].prototype is not None or not driver.calls_python:
        return None
    migration.calls += 1
    if migration.calls > FEW_CALLS and migration.taken - migration._since < EACH_CALL * migration.calls:
        return None
    generator = suspended_with(process)
    function = function_of(generator)
    if function is None:
        return None
    values = body.values_at(at, locals_of(generator, function), *memory.numbers_of(i, *body.sizes))
    carrier = body.reading.points[at].frame.twin.carrier(place.code, function, values)
    carrier.__name__ = generator.__name__
    return CallInPython(migration, process, carrier, place)
