"""Code that holds between events, in equations, contributions, reports and conditions: what has no sense there.

The same point may be evaluated several times, and in any order: a law or condition that gives another result each time,
by random numbers, the wall clock or what is typed, has no solution and is refused. A process may draw, but the
generators that `random` and `numpy.random` share are not of the simulation: neither its entropy nor the number of a
replication reaches them.

Such code cannot wait. Methods of the world refuse calls from it themselves. A command by itself is only an
object; so it is looked for in the code, before that is first used, and in what the code returns. Then it is also
checked that a condition returns something and equations nothing.

A condition only reads. One that adds to something, or sets what a component has, would do so as often as it is tested,
which is no part of the model; to put a value into a memo that others do not see is left to it. Laws set no fields.
"""

from __future__ import annotations

import datetime as dt
import dis
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from inspect import CO_GENERATOR
from random import Random
from types import CodeType, FunctionType, GeneratorType, MethodType
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from eventide.declare import Component, fields_of
from eventide.errors import ModelError, SimulationError
from eventide.reading.assignments import Change, outside_changes
from eventide.reading.description import location
from eventide.reading.scope import UNKNOWN, attribute_of, closures_of
from eventide.statistics import Histogram, Level, Tally

if TYPE_CHECKING:
    from eventide.errors import Named


CLOCKS: Final = frozenset(
    id(getattr(time, name))
    for name in (
        "time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time",
        "process_time_ns", "thread_time", "thread_time_ns", "sleep", "localtime", "gmtime",
    )
)  # fmt: skip
"""Functions of the wall clock; those of a module of CPython live as long as the program."""
DATES: Final = (dt.datetime, dt.date)
NOW: Final = ("now", "utcnow", "today")
OTHERS: Final = frozenset((id(input), id(os.urandom)))
MODULES: Final = ("secrets", "uuid")
"""Modules whose functions give something else at every call."""
GENERATORS: Final = ("numpy.random.", "eventide.streams.")
"""Where the classes of generators of random numbers are from, besides `random`."""
FOR_RANDOM: Final = (
    "Draw in an event, from sim.stream(name), and keep the number in a field; or take an input, as ev.inputs.HeldNoise"
)
FOR_CHANGES: Final = "Change it in an event: behind the `yield`, or in a handler"
CHANGING: Final = (
    "STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL", "DELETE_ATTR", "DELETE_SUBSCR", "DELETE_GLOBAL",
)  # fmt: skip
"""The instructions that may change what was there before."""
HOLDERS: Final = (list, dict, set, deque)
TAKING: Final = ("pop", "popitem", "popleft", "remove", "discard", "clear")
STATISTICS: Final = (Level, Tally, Histogram)
KEEPING: Final = ("add", "set", "change", "reset")
"""What changes containers and statistics so that the next test gives something else."""
FOR_TIME: Final = "The time of the model is sim.time"


def impurity_of(owner: object, name: str, value: object) -> str:
    """What to write instead of a function that is found as `owner.name`, or by its name alone; empty if it is pure."""
    for holder in (owner, getattr(value, "__self__", None)):
        module = type(holder).__module__
        if module == "random" or module.startswith(GENERATORS):
            return FOR_RANDOM
    is_stream = owner is not UNKNOWN and getattr(value, "__qualname__", "") == "World.stream"
    if is_stream or getattr(value, "__module__", "") in MODULES or id(value) in OTHERS:
        return FOR_RANDOM
    is_date = any(owner is date for date in DATES)  # by identity: an array would compare its items
    if id(value) in CLOCKS or (is_date and name in NOW):
        return FOR_TIME
    return ""


def is_global_generator(value: object) -> bool:
    """Whether something is a function of `random` or `numpy.random` that draws from the generator of all programs."""
    owner = getattr(value, "__self__", None)
    return owner is not None and callable(value) and any(owner is shared for shared in _shared_generators())


def is_unseeded(value: object) -> bool:
    """Whether something makes a generator that begins somewhere unless it is given a seed."""
    numbers = sys.modules.get("numpy.random")
    made_by = () if numbers is None else (numbers.default_rng, numbers.RandomState)
    return any(value is maker for maker in (Random, *made_by))


def _shared_generators() -> list[object]:
    """The objects whose methods are the functions of `random` and `numpy.random`, of those modules that are loaded."""
    loaded = [sys.modules.get("random"), sys.modules.get("numpy.random")]
    return [module.random.__self__ for module in loaded if module is not None]


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
PURE: Final = (EQUATIONS, CONDITION)
"""What has to give the same result at the same time and states, and may change nothing."""


class Mention(NamedTuple):
    """What makes no sense between events and is named in some code: its name there, and the place.

    number      of the error of a command
    advice      what to write instead of a call whose result does not follow from the model
    """

    number: int
    name: str
    file: str
    line: int
    advice: str = ""


class Checked(Protocol):
    """A simulation: its clock, and the code of its model that makes no command, by its id."""

    time: float
    _code_in_order: dict[int, CodeType]


def refuse_commands(function: object, this: object, sim: Checked, what: str, owner: Named) -> None:
    """Look through code that holds between events, once.

    function    the equations, report or condition; one whose code cannot be seen is passed over
    this        its first argument, or None
    what, owner what it is and whose, as in "the equations" and a ball
    Raises SimulationError, naming the line, if it makes a command; ModelError for a condition that returns nothing and
    for equations that return something.
    """
    if isinstance(function, MethodType):
        this, function = function.__self__, function.__func__
    if not isinstance(function, FunctionType) or id(function.__code__) in sim._code_in_order:
        return
    outline = _outline_of(function.__code__)
    found = None
    if outline.calls or (outline.changes and what in PURE):
        found = next(_mentions(function, this, what), None)
    if found is not None and found.advice is FOR_CHANGES:
        raise ModelError(
            f"{found.name} is changed at {location(found.file, found.line)} in {what} of {owner.name}, evaluated as "
            f"often as steps want: between events nothing discrete changes. {found.advice}"
        )
    if found is not None and found.advice:
        raise ModelError(
            f"{found.name}() at {location(found.file, found.line)} is called in {what} of {owner.name}, where the same "
            f"time and states have to give the same result: a step evaluates it at many points. {found.advice}"
        )
    if found is not None:
        raise SimulationError(
            found.number,
            sim.time,
            f"{found.name}() at {location(found.file, found.line)} makes a command in {what} of {owner.name}, "
            "where nothing can wait: use a process.",
        )
    code = function.__code__
    if what == CONDITION and outline.answers_nothing:
        raise ModelError(f"{_place(what, owner, code)} returns nothing, so it is never true: write `return ...`")
    if what == EQUATIONS and outline.answers_in_vain:
        place = _place(what, owner, code)
        raise ModelError(f"{place} return a value, which is never read: set the rates, as `self.rate.level = ...`")
    sim._code_in_order[id(code)] = code


def refuse_answer(answer: object, sim: Checked, owner: str) -> None:
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


def number_of(command: object) -> int:
    """The number of the error for a command that is met between events."""
    return HOLD if _is_number(command) else NUMBERS.get(type(command).__name__, WAITS)


def _describe(command: object) -> str:
    return f"hold({command!r})" if _is_number(command) else f"the command {type(command).__name__.lower()}"


def _is_number(command: object) -> bool:
    return hasattr(command, "__float__") and not hasattr(command, "_execute")


def _place(what: str, owner: Named, code: CodeType) -> str:
    return f"{what} of {owner.name} at {location(code.co_filename, code.co_firstlineno)}"


ATTRIBUTE: Final = "attribute"
GLOBAL: Final = "global"
LOCAL: Final = "local"
OTHER: Final = "other"


class Outline(NamedTuple):
    """What follows from code alone, whatever its names stand for.

    loads           of what is loaded, in order: how it is found, its name, and the place of the instruction; OTHER
                    for any number of instructions between that load nothing by a name
    calls           whether it calls anything: what is named and not called makes no command, and draws no number
    changes         whether it may change something that was there before
    """

    loads: tuple[tuple[str, str, int], ...]
    calls: bool
    changes: bool
    answers_nothing: bool
    answers_in_vain: bool


_OUTLINES: Final[WeakKeyDictionary[CodeType, Outline]] = WeakKeyDictionary()
"""Of code that was looked through before: to take it apart takes longer than a short run."""


def _outline_of(code: CodeType) -> Outline:
    found = _OUTLINES.get(code)
    if found is None:
        steps = list(dis.get_instructions(code))
        calls = any(step.opname.startswith("CALL") for step in steps)
        changes = any(
            step.opname in CHANGING or (step.opname == "STORE_DEREF" and step.argval in code.co_freevars)
            for step in steps
        )
        answers = _answers_nothing(code), _answers_in_vain(code)
        found = _OUTLINES[code] = Outline(tuple(_loads(code)), calls, changes, *answers)
    return found


def _loads(code: CodeType) -> Iterator[tuple[str, str, int]]:
    """See `Outline.loads`."""
    before = OTHER
    for place, step in enumerate(dis.get_instructions(code)):
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            kind, name = ATTRIBUTE, str(step.argval)
        elif step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            kind, name = GLOBAL, str(step.argval)
        elif step.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
            kind, name = LOCAL, str(step.argval[-1] if isinstance(step.argval, tuple) else step.argval)
        else:
            kind, name = OTHER, ""
        if kind != OTHER or before != OTHER:
            yield kind, name, place
        before = kind


def _mentions(function: FunctionType, this: object, what: str, above: tuple[CodeType, ...] = ()) -> Iterator[Mention]:
    """What a function's code names and must not: makers of commands and, if it is to be pure, what is not.

    Functions of its own module and methods of components that it names are looked through for what is not pure as well;
    `above` are those on the way to it. Nothing of the user's is executed.
    """
    is_pure = what in PURE
    code = function.__code__
    outline = _outline_of(code)
    variables = closures_of(function)
    if this is not None and code.co_argcount:
        variables[code.co_varnames[0]] = this
    if is_pure and outline.changes and not str(function.__module__).startswith("eventide."):  # ours refuse it
        yield from _outside_changes(function, variables, is_law=what == EQUATIONS, is_own=not above)
    value: object = UNKNOWN
    chain = ""
    for kind, name, place in outline.loads if outline.calls else ():
        owner: object = UNKNOWN
        if kind is ATTRIBUTE:
            if value is UNKNOWN:
                continue
            owner, value = value, _attribute(value, name)
            chain += f".{name}"
        elif kind is GLOBAL:
            value = function.__globals__.get(name, UNKNOWN)
        elif kind is LOCAL:
            value = variables.get(name, UNKNOWN)
        else:
            value = UNKNOWN
        if value is UNKNOWN:
            continue
        if owner is UNKNOWN:
            chain = name
        maker = getattr(value, "__func__", value)
        if isinstance(maker, FunctionType) and getattr(maker, "_makes_command", False) is True:
            if above:
                continue  # a function may make one for its caller; its result is checked when it is called
            yield Mention(NUMBERS.get(maker.__name__, WAITS), maker.__name__, code.co_filename, _line_of(code, place))
        elif is_pure and (advice := impurity_of(owner, name, value)):
            yield Mention(0, chain, code.co_filename, _line_of(code, place), advice)
        elif is_pure and _is_changed_by(owner, name, is_law=what == EQUATIONS):
            yield Mention(0, chain.removesuffix(f".{name}"), code.co_filename, _line_of(code, place), FOR_CHANGES)
        elif is_pure and isinstance(maker, FunctionType) and maker.__code__ not in (*above, code):
            of_component = isinstance(value, MethodType) and isinstance(value.__self__, Component)
            if of_component or maker.__globals__ is function.__globals__:
                whose = value.__self__ if isinstance(value, MethodType) else None
                yield from _mentions(maker, whose, what, (*above, code))


def _is_changed_by(owner: object, name: str, *, is_law: bool) -> bool:
    """Whether a method of a statistic or, in a condition, of a container changes it."""
    if isinstance(owner, STATISTICS):
        return name in KEEPING
    return type(owner) in HOLDERS and name in TAKING and not is_law


_CHANGES: Final[WeakKeyDictionary[CodeType, list[Change]]] = WeakKeyDictionary()
"""Of code that was read before, as outlines are."""


def _outside_changes(
    function: FunctionType, variables: Mapping[str, object], *, is_law: bool, is_own: bool
) -> Iterator[Mention]:
    """What a function changes, and others see: what a component has and, in a condition, what it adds to.

    A law sets rates and what it computes, and may count its calls; fields of its own object are looked for elsewhere.
    variables   what names stand for that are not global; is_own: whether it is the law itself
    """
    code, around = function.__code__, function.__globals__
    changes = _CHANGES.get(code)
    if changes is None:
        changes = _CHANGES[code] = outside_changes(function)
    for change in changes:
        first = change.path[0] if change.path else ""
        owner = variables[first] if first in variables else around.get(first, UNKNOWN)
        for name in change.path[1:-1]:
            owner = UNKNOWN if owner is UNKNOWN else _attribute(owner, name)
        is_component = isinstance(owner, Component)
        if is_law and is_component:
            field = fields_of(type(owner)).get(change.path[-1])
            is_component = field is not None and field.role == "field" and not (is_own and len(change.path) == 2)
        if is_component or (change.is_added and not is_law):
            yield Mention(0, change.text, code.co_filename, change.line, FOR_CHANGES)


def _line_of(code: CodeType, place: int) -> int:
    """The line of an instruction."""
    positions = list(dis.get_instructions(code))[place].positions
    return (positions.lineno if positions else None) or code.co_firstlineno


def _attribute(owner: object, name: str) -> object:
    """As `attribute_of`; of a component also what a field refers to."""
    if isinstance(owner, Component):
        if name in vars(owner):
            return vars(owner)[name]
        if type(type(owner)) is type:  # then this is what `attribute_of` finds, by a longer way
            for base in type(owner).__mro__:
                if name in base.__dict__:
                    found = base.__dict__[name]
                    return MethodType(found, owner) if isinstance(found, FunctionType) else found
            return UNKNOWN
    return attribute_of(owner, name)


def _answers(code: CodeType) -> Iterator[tuple[str, object]]:
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
