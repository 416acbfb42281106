"""Code that holds between events, in equations, contributions, reports and conditions: what has no sense there.

Nobody can wait there. Whoever calls a method of the world is refused by that method. A command by itself is only an
object, so that it is looked for in the code, which is done when the code is first to be used, and in what the code
answers. Then it is seen as well whether a condition answers anything, and equations nothing.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from inspect import CO_GENERATOR
from types import CodeType, FunctionType, GeneratorType, MethodType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from eventide.errors import ModelError, SimulationError
from eventide.reading.scope import UNKNOWN, attribute_of, closures_of

if TYPE_CHECKING:
    from eventide.discrete.world import World

HOLD: Final = 19
WAITS: Final = 18
"""The number of commands that wait for something without a number of its own, as PASSIVATE does."""
NUMBERS: Final[dict[str, int]] = {
    "pause": 8,
    "until": 10,
    "activate": 17,
    "hold": HOLD,
    "tick": HOLD,
    "Pause": 8,
    "Until": 10,
    "ActivateNow": 17,
    "Tick": HOLD,
}
"""The numbers of the makers of commands and of the commands themselves."""


EQUATIONS: Final = "the equations"
CONDITION: Final = "the condition"


class Mention(NamedTuple):
    """A maker of commands that is named in some code: the error's number, how it is called there, and where."""

    number: int
    name: str
    file: str
    line: int


def refuse_commands(function: Any, this: Any, sim: World, what: str, owner: Any) -> None:
    """Look through code that holds between events, once.

    function    the equations, report or condition; one whose code cannot be seen is passed over
    this        its first argument, or None
    what, owner what it is and whose, as in "the equations" and a ball
    Raises SimulationError, naming the line, if it makes a command; ModelError for a condition that answers nothing and
    for equations that answer something.
    """
    if isinstance(function, MethodType):
        function, this = function.__func__, function.__self__
    if not isinstance(function, FunctionType) or id(function.__code__) in sim._code_in_order:
        return
    found = next(_mentions(function, this), None)
    if found is not None:
        raise SimulationError(
            found.number,
            sim.time,
            f"{found.name}() at {found.file}:{found.line} makes a command in {what} of {owner.name}, "
            "where nothing can wait: use a process.",
        )
    place = f"{what} of {owner.name} at {function.__code__.co_filename}:{function.__code__.co_firstlineno}"
    if what == CONDITION and _answers_nothing(function.__code__):
        raise ModelError(f"{place} returns nothing, so that it is never true: write `return ...`")
    if what == EQUATIONS and _answers_in_vain(function.__code__):
        raise ModelError(f"{place} return a value, which is never read: set the rates, as `self.rate.level = ...`")
    sim._code_in_order[id(function.__code__)] = function.__code__


def refuse_answer(answer: Any, sim: World, owner: str) -> None:
    """Raise SimulationError, by its first command, if code that holds between events has answered a generator."""
    if isinstance(answer, GeneratorType):
        command = next(answer, None)
        answer.close()
        if command is None:
            raise ModelError(f"{owner} contain a `yield`, but nothing can wait there: write a plain function")
    elif hasattr(answer, "_execute"):
        command = answer
    else:
        return
    raise SimulationError(
        number_of(command), sim.time, f"{_describe(command)} was met in {owner}, where nothing can wait."
    )


def number_of(command: Any) -> int:
    """The number of the error for a command that is met between events."""
    return HOLD if _is_number(command) else NUMBERS.get(type(command).__name__, WAITS)


def _describe(command: Any) -> str:
    return f"hold({command!r})" if _is_number(command) else f"the command {type(command).__name__.lower()}"


def _is_number(command: Any) -> bool:
    return hasattr(command, "__float__") and not hasattr(command, "_execute")


def _mentions(function: FunctionType, this: Any) -> Iterator[Mention]:
    """The makers of commands that a function's code names; nothing of the user's is executed."""
    code = function.__code__
    variables = closures_of(function)
    if this is not None and code.co_argcount:
        variables[code.co_varnames[0]] = this
    value: Any = UNKNOWN
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            value = attribute_of(value, step.argval)
        elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = function.__globals__.get(step.argval, UNKNOWN)
        elif step.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
            name = step.argval[-1] if isinstance(step.argval, tuple) else step.argval
            value = variables.get(name, UNKNOWN)
        else:
            value = UNKNOWN
        maker = getattr(value, "__func__", value)
        if isinstance(maker, FunctionType) and getattr(maker, "_makes_command", False) is True:
            line = step.positions.lineno if step.positions else None
            yield Mention(
                NUMBERS.get(maker.__name__, WAITS), maker.__name__, code.co_filename, line or code.co_firstlineno
            )


def _answers(code: CodeType) -> Iterator[tuple[str, Any]]:
    """What a function's code returns, at each return: the name of the instruction that made it, and its argument."""
    name, argument = "", None
    for step in dis.get_instructions(code):
        if step.opname == "RETURN_CONST":  # of Python 3.12 and 3.13
            yield "LOAD_CONST", step.argval
        elif step.opname == "RETURN_VALUE":
            yield name, argument
        name, argument = step.opname, step.argval


def _answers_nothing(code: CodeType) -> bool:
    answers = list(_answers(code))
    return bool(answers) and not code.co_flags & CO_GENERATOR and all(a == ("LOAD_CONST", None) for a in answers)


def _answers_in_vain(code: CodeType) -> bool:
    """Whether a law returns what is no answer of a call: that may be None, as in `return super().equations()`."""
    if code.co_flags & CO_GENERATOR:
        return False
    has_calls = any(step.opname.startswith("CALL") for step in dis.get_instructions(code))
    made = [name for name, argument in _answers(code) if (name, argument) != ("LOAD_CONST", None)]
    # `lambda: (x.set_rate(1.0), y.set_rate(2.0))` is a way to write two statements.
    return any(not name.startswith("CALL") and not (name.startswith("BUILD") and has_calls) for name in made)
