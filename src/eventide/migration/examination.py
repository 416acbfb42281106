"""What is known of processes before they have had enough events to become rows: whether they can, and what cannot.

In: conditions that are waited for. Out: notes of the functions of processes that wait for them, as there are of those
whose processes have been rows.
"""

from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING

from eventide.discrete.inside import generator_of
from eventide.discrete.processes.composite import who_waits
from eventide.discrete.processes.process import Process
from eventide.reading.generators import function_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType

    from eventide.bodies.body import Bodies
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.processes.migration import RowNote


def examined(bodies: Bodies, conditions: Iterable[Condition], known: Sequence[RowNote]) -> list[RowNote]:
    """Notes of the functions of the processes that wait for some conditions, besides those that are known."""
    codes: dict[CodeType, None] = {note.code: None for note in known}
    for condition in conditions:
        process = who_waits(condition.owner)
        generator: object = generator_of(process) if isinstance(process, Process) else None
        if isinstance(generator, GeneratorType):
            function = function_of(generator)
            if function is not None and function.__code__ not in codes:
                codes[function.__code__] = None
                bodies.admit(generator)
    return bodies.notes({})
