"""Waits for the end of a process: what a row has of one, and the objects that Python has.

Those that wait in rows have begun before all that wait in Python, and continue before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventide.discrete.processes.endings import End
from eventide.rows.activities import enter_joiners, leave_joiners
from eventide.rows.codes import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.bodies.migration.stand_ins import RowProcess
    from eventide.discrete.processes.process import Process
    from eventide.rows.records import Rows


def place_wait(a: Rows, i: int, wait: End, j: int) -> None:
    """Let the process in a row wait for the end of that in row `j`, as it has waited in Python."""
    wait.withdraw()
    enter_joiners(a, i, j)


def take_waits(a: Rows, j: int, away: dict[int, RowProcess], fetch: Callable[[Process], object]) -> None:
    """Those that wait for the end of the process in row `j` go on in Python, in their order.

    away    the processes that are rows, by their rows; fetch: gives one a generator in place of its row
    """
    while (i := a.process.joiners[j]) >= 0:
        process, awaited = away[i].process, away[j].process
        leave_joiners(a, i)
        a.activity.wait[i] = NOTHING
        fetch(process)
        End.begin(awaited, process)
