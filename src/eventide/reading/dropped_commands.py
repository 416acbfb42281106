"""The search for a forgotten `yield`: commands that a generator's code creates and drops.

`hold(1.0)` as a statement of its own has no effect, and the model runs on with wrong results; nor has `x == 1.0`, where
`=` was to be written. The code of a process is examined when the first process starts with it.
"""

from __future__ import annotations

import ast
import dis
import inspect
import sys
import warnings
from collections.abc import Iterator, Mapping
from random import Random
from types import CodeType, FunctionType, GeneratorType, MethodType
from typing import Final, NamedTuple

from eventide.declare import Component, fields_of
from eventide.errors import ModelError, RandomWarning
from eventide.reading.assignments import refuse_lost_comparison
from eventide.reading.between_events import is_global_generator, is_unseeded
from eventide.reading.description import location
from eventide.reading.outcomes import refuse_unknown_outcomes
from eventide.reading.reach import is_of_library
from eventide.reading.scope import Scope, closures_of, own_nodes
from eventide.reading.source import parse_function

KNOWN: Final[dict[int, CodeType]] = {}
"""Code that was found to be in order, by id, as its hash takes longer than the whole start of a process."""

CLOCK: Final = ("time", "dt", "last_time", "current", "active")
"""What eventide alone sets of a simulation."""
STATISTICS: Final = ("tally", "level", "histogram")
"""The methods of a simulation that make one, whatever the name: other than `stream`, which gives that of a name."""
_GENERATOR: Final = inspect.CO_GENERATOR


class Dropped(NamedTuple):
    """A command that is made and dropped: the text of the statement, where it stands, and what to write instead.

    by      the plain function that does so, which cannot wait; empty for a generator
    """

    text: str
    file: str
    line: int
    advice: str
    by: str = ""


def refuse_dropped_commands(generator: GeneratorType[object, object, object]) -> None:
    """Raise ModelError, naming the lines, if the code of a generator that has not begun drops a command."""
    code = generator.gi_code
    frame = generator.gi_frame
    assert frame is not None  # it has not begun
    found = list(dropped_commands(code, frame.f_locals, frame.f_globals))
    if found:
        first, *others = found
        also = f" (also {', '.join(location(d.file, d.line) for d in others)})" if others else ""
        told = f"{first.text} at {location(first.file, first.line)} makes a command and drops it"
        if first.by:
            raise ModelError(
                f"{told}, as {first.by}() does not wait: make it a generator with `{first.advice}`, and call it by "
                f"`yield from`{also}"
            )
        raise ModelError(f"{told}: write `{first.advice}`{also}")


def refuse_dropped_by_handler(handler: object, owner: object, title: str) -> None:
    """Raise ModelError, naming the line, if a handler, which cannot wait, makes a command and drops it."""
    if not isinstance(handler, FunctionType) or id(handler.__code__) in KNOWN or not handler.__code__.co_argcount:
        return
    code = handler.__code__
    variables = {**closures_of(handler), code.co_varnames[0]: owner}
    for first in dropped_commands(code, variables, handler.__globals__):
        raise ModelError(
            f"{first.text} at {location(first.file, first.line)} makes a command and drops it, and the handler {title} "
            f"cannot wait: let it begin a process that does `{first.advice}`"
        )


WAITS: Final = ("hold", "tick")
"""The commands that take a duration."""
UNITS_OF_TIME: Final = {
    word: words.split()[0]
    for words in ("s sec second seconds", "min minute minutes", "h hr hour hours", "d day days", "ms millisecond")
    for word in words.split()
}
"""The one word for each unit of time, by all that mean the same."""


def dropped_commands(
    code: CodeType, variables: Mapping[str, object], names: Mapping[str, object], above: tuple[CodeType, ...] = ()
) -> Iterator[Dropped]:
    """The commands that a function's code makes and drops, and those in functions of its own that it calls.

    variables   values of its arguments and of the variables that it closes over
    names       its module's names
    above       the functions on the way to it
    Nothing is found in code whose text cannot be had.
    """
    if id(code) in KNOWN:
        return
    function, shift = parse_function(code, names)
    if function is None:
        KNOWN[id(code)] = code
        return
    scope = Scope(code, variables, names, function)
    is_clean = True
    for node in own_nodes(function):
        refuse_lost_comparison(node, code.co_filename, shift)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in CLOCK:
            _refuse_clock(scope, node, location(code.co_filename, node.lineno + shift))
        if isinstance(node, ast.Call):
            called = scope.value_of(node.func)
            _refuse_other_unit(scope, node, called, location(code.co_filename, node.lineno + shift))
            if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
                _refuse_lost_statistic(scope, node.func, location(code.co_filename, node.lineno + shift))
            if is_global_generator(called):
                what = "draws from the generator of the whole program"
                _warn_of_draw(node, what, code.co_filename, node.lineno + shift)
            elif is_unseeded(called) and not (node.args or node.keywords):
                _warn_of_draw(node, "makes a generator without a seed", code.co_filename, node.lineno + shift)
            for found in _inside(called, (*above, code), names, _passed(called, node, scope), is_plain=True):
                is_clean = False
                yield found._replace(by=found.by or ast.unparse(node.func))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            word = _yield_for_all(scope.meanings_of(node.value.func))
            if word:
                is_clean = False
                text = ast.unparse(node.value)
                yield Dropped(text, code.co_filename, node.lineno + shift, f"{word} {text}")
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and scope.is_unread(node.targets):
            if _yield_for_all(scope.meanings_of(node.value.func)) == "yield":
                is_clean = False
                text = ast.unparse(node)
                advice = f"{text.removesuffix(ast.unparse(node.value))}yield {ast.unparse(node.value)}"
                yield Dropped(text, code.co_filename, node.lineno + shift, advice)
        elif isinstance(node, ast.YieldFrom) and isinstance(node.value, ast.Call):
            called = scope.value_of(node.value.func)
            for found in _inside(called, (*above, code), names, _passed(called, node.value, scope)):
                is_clean = False
                yield found
    refuse_unknown_outcomes(function, scope, code, shift)
    if is_clean:
        KNOWN[id(code)] = code


def _refuse_clock(scope: Scope, node: ast.Attribute, place: str) -> None:
    """Raise ModelError if it is of a simulation that something is set."""
    if hasattr(scope.value_of(node.value), "_calendar"):
        raise ModelError(
            f"{ast.unparse(node)} is set at {place}, and the clock is eventide's: "
            "a process waits by `yield ev.hold(...)`, and the steps of equations are at most sim.dt_max"
        )


def _refuse_other_unit(scope: Scope, node: ast.Call, called: object, place: str) -> None:
    """Raise ModelError if a process waits for as long as a field says whose unit is another than that of the clock."""
    given = node.args[0] if len(node.args) == 1 else None
    is_wait = getattr(called, "__name__", "") in WAITS and str(getattr(called, "__module__", "")).startswith(
        "eventide."
    )
    owner = scope.value_of(given.value) if is_wait and isinstance(given, ast.Attribute) else None
    if not isinstance(owner, Component) or not isinstance(given, ast.Attribute):
        return
    field, clock = fields_of(type(owner)).get(given.attr), getattr(owner.sim, "time_unit", "")
    unit = "" if field is None else field.unit
    if UNITS_OF_TIME.get(unit, clock) != UNITS_OF_TIME.get(clock, clock):
        raise ModelError(
            f"{ast.unparse(node)} at {place} waits for a number of {unit}, the unit of the field, and the clock counts "
            f"{clock}: write `ev.{called.__name__}(ev.Quantity({ast.unparse(given)}, unit={unit!r}))`"  # type: ignore[attr-defined]  # as was tested
        )


def _refuse_lost_statistic(scope: Scope, asked: ast.Attribute, place: str) -> None:
    """Raise ModelError if something is told to a statistic that is made there, each time another, and kept nowhere."""
    made = asked.value
    maker = scope.value_of(made.func) if isinstance(made, ast.Call) else None
    if getattr(maker, "__name__", "") in STATISTICS and hasattr(getattr(maker, "__self__", None), "_calendar"):
        raise ModelError(
            f"{ast.unparse(asked)}(...) at {place} makes a new statistic each time, which nothing keeps: make it once, "
            f"as `kept = {ast.unparse(made)}` before the run, and write `kept.{asked.attr}(...)`"
        )


def _warn_of_draw(node: ast.Call, what: str, file: str, line: int) -> None:
    """Warn of random numbers that are not the simulation's; a piece of code is looked through once."""
    warnings.warn_explicit(
        RandomWarning(
            f"{ast.unparse(node.func)}() {what}, which neither the entropy of a simulation nor the number of a "
            'replication determines: write `sim.stream("name").uniform(0.0, 1.0)`, or another of its distributions'
        ),
        None,
        file,
        line,
    )


def _passed(function: object, call: ast.Call, scope: Scope) -> dict[str, object]:
    """What a call passes a function of the user's by each name, as far as it is known of which kind it is."""
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(code, CodeType) or any(isinstance(one, ast.Starred) for one in call.args):
        return {}
    own = code.co_varnames[isinstance(function, MethodType) : code.co_argcount]
    given = [*zip(own, call.args, strict=False), *((one.arg, one.value) for one in call.keywords if one.arg)]
    known = {name: scope.meanings_of(argument) for name, argument in given}
    return {name: found[0] for name, found in known.items() if len(found) == 1}


def _inside(
    function: object,
    above: tuple[CodeType, ...],
    names: Mapping[str, object],
    passed: Mapping[str, object],
    *,
    is_plain: bool = False,
) -> Iterator[Dropped]:
    """What is dropped in a generator function or method that is delegated to, or in a plain one of the user's.

    passed  its arguments, as far as they are known
    """
    this = None
    if isinstance(function, MethodType):
        this, function = function.__self__, function.__func__
    if not isinstance(function, FunctionType) or bool(function.__code__.co_flags & _GENERATOR) is is_plain:
        return
    code = function.__code__
    is_near = function.__globals__ is names or not is_of_library(str(function.__globals__.get("__name__")))
    if code in above or (is_plain and not is_near):
        return
    variables = {**closures_of(function), **passed}
    if this is not None and code.co_argcount:
        variables[code.co_varnames[0]] = this
    yield from dropped_commands(code, variables, function.__globals__, above)


def _yield_for_all(functions: list[object]) -> str:
    """The same of what may be called in one place; nothing where that differs."""
    words = {_yield_for(function) for function in functions}
    return words.pop() if len(words) == 1 else ""


def _yield_for(function: object) -> str:
    """What belongs before a call of `function`: "yield", "yield from", or nothing if it is a plain one."""
    function = getattr(function, "__func__", function)
    if getattr(function, "_makes_command", False) is True:
        return "yield"
    if isinstance(function, FunctionType) and function.__code__.co_flags & _GENERATOR:
        return "yield from"
    return ""


def warn_of_outer_generators(model: object, name: str) -> None:
    """Warn of each generator of random numbers that a model, or what it calls of its module, uses and has not made.

    Replications go on where others have left it, or begin with it anew in each worker: their numbers depend on how many
    workers there are, and some are the same in several of them.
    """
    if not isinstance(model, FunctionType):
        return
    for word in dict.fromkeys(_outer_generators(model)):
        warnings.warn_explicit(
            RandomWarning(
                f"{name} draws from {word}, which it has not made: replications go on where others have left it, and "
                f'depend on the number of workers. Write `sim.stream("name")` in its place, or make it in {name} of a '
                'number that the simulation draws: `random.Random(sim.stream("seed").randint(0, 10**9))`'
            ),
            None,
            model.__code__.co_filename,
            model.__code__.co_firstlineno,
        )


def _outer_generators(function: FunctionType) -> Iterator[str]:
    waiting, seen = [function], set[FunctionType]()
    numbers = sys.modules.get("numpy.random")
    kinds = (Random,) if numbers is None else (Random, numbers.Generator, numbers.RandomState)
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if "seed" in one.__code__.co_names:  # it may begin anew in each
            return
        around = {**one.__globals__, **closures_of(one)}
        for name in _loaded(one.__code__):
            value = around.get(name)
            if isinstance(value, kinds):
                yield name
            elif getattr(value, "__module__", "") == one.__module__:
                parts = vars(value).values() if isinstance(value, type) else [value]
                waiting += [part for part in parts if isinstance(part, FunctionType)]


def _loaded(code: CodeType) -> Iterator[str]:
    """The names that code, and code in it, takes from its module and from around it, in order."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"):
            yield str(step.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _loaded(constant)
