"""Context of errors between events: a note says whose code failed; the error stays the same object."""

from __future__ import annotations

from inspect import getattr_static
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from eventide.declare.showing import what_has_a_rate
from eventide.discrete.processes.process import owner_of
from eventide.discrete.resources.station import Station
from eventide.discrete.world import World
from eventide.errors import ModelError, SimulationError
from eventide.reading.between_events import CONDITION, EQUATIONS, refuse_answer, refuse_commands
from eventide.reading.dropped_commands import refuse_dropped_by_handler
from eventide.statistics.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.continuous.components.component import Continuous
    from eventide.discrete.conditions.condition import Condition


def execute_law(law: Continuous, call: Callable[[], object], time: float) -> None:
    """Execute the equations or contributions of a component; errors that they raise get a note of whose they are."""
    try:
        answer = call()
        if answer is not None:
            refuse_answer(answer, law.sim, f"the equations of {law.name}")
    except BaseException as error:
        tell_law(error, law, time)
        raise


def tell_law(error: BaseException, law: Continuous, time: float) -> None:
    """Add to an error of a law whose it is and when, once."""
    place = f"the equations of {law.name}"
    if isinstance(error, SimulationError):
        error.blame(law, place, continuous=law)
    _note(error, place, time)
    advice = ""
    if isinstance(error, ValueError) and "read-only" in str(error):
        advice = "laws set rates: a vector of states is read here, unless it is declared with assigned=True"
    elif isinstance(error, AttributeError) and str(error).startswith(("'Rates' object", "'_NoStates' object")):
        advice = what_has_a_rate(str(error), (*law._layout.states, *law._layout.vectors))
    if advice and advice not in error.__notes__:
        error.add_note(advice)


def is_condition_true(condition: Condition, time: float) -> bool:
    """Test a condition in Python; an error that it raises gets a note of whose it is."""
    try:
        answer = condition.test()
        if answer is not True and answer is not False:
            refuse_answer(answer, condition.sim, f"the condition of {condition.name}")
            _refuse_what_is_always_true(answer, condition.name)
        return bool(answer)
    except BaseException as error:
        place = f"the condition of {condition.name}"
        if isinstance(error, SimulationError):
            owner: Any = owner_of(condition.owner) or condition.owner
            error.blame(owner, place, continuous=owner if hasattr(owner, "_laws") else None)
        _note(error, place, time)
        raise


def _refuse_what_is_always_true(answer: object, name: str) -> None:
    """Raise ModelError if a condition gives a thing that no model means by it: others may be there, or None."""
    if isinstance(answer, FunctionType | MethodType):
        what, advice = f"the function {answer.__name__}", f"call it, as in `{answer.__name__}()`"
    elif isinstance(answer, Station | World | Tally | type):
        what, advice = repr(answer), "compare one of its numbers, as in `desk.available > 0`"
    else:
        return
    raise ModelError(f"the condition of {name} gives {what}, which is always true: {advice}")


def _note(error: BaseException, place: str, time: float) -> None:
    """Tell where and when an error was raised last: one object may have been raised in trial steps before."""
    start, notes = f"in {place} at time ", getattr(error, "__notes__", None)
    if notes:
        notes[:] = [note for note in notes if not note.startswith(start)]
    error.add_note(f"{start}{time!r}")


def refuse_commands_of(component: Continuous) -> None:
    """Raise SimulationError, naming the line, if what a component says of the time between events makes a command.

    Raises ModelError if one of its handlers makes one and drops it.
    """
    for function in component._laws():
        refuse_commands(function, component, component.sim, EQUATIONS, component)
    for part in [part for spec in component._when_specs.values() for part in spec.parts]:
        refuse_commands(part, component, component.sim, CONDITION, component)
    kind = type(component)
    for name in (*kind._when_specs, *kind._every_specs):
        refuse_dropped_by_handler(getattr_static(kind, name), component, f"{kind.__name__}.{name}")
