"""What is known of processes before they have had enough events to become rows: whether they can, and what cannot.

In: processes. Out: notes of their functions, as there are of those whose processes have been rows.
"""

from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING

from eventide.discrete.inside import generator_of
from eventide.reading.generators import function_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import CodeType

    from eventide.discrete.processes.migration import RowNote
    from eventide.discrete.processes.process import Process
    from eventide.migration.bodies import Bodies


def examined(bodies: Bodies, processes: Iterable[Process], known: Sequence[RowNote]) -> list[RowNote]:
    """Notes of the functions of some processes, besides those that are known."""
    codes: dict[CodeType, None] = {note.code: None for note in known}
    for process in processes:
        generator: object = generator_of(process)
        if isinstance(generator, GeneratorType):
            function = function_of(generator)
            if function is not None and function.__code__ not in codes:
                codes[function.__code__] = None
                bodies.admit(generator)
    return bodies.notes({})
