"""What can be native code of a process that waits, and what of it is left to Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventide.continuous.native_processes import obstacle
from eventide.discrete.conditions.until import past_waits
from eventide.discrete.processes.stand import Stand
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.generators import function_of, is_tested, locals_of
from eventide.reading.scope import closures_of

if TYPE_CHECKING:
    from types import FunctionType

    from eventide.lowering.plans.registry import Registry
    from eventide.lowering.processes.process_reader import ProcessSegments


def names_of(generator: Any, function: FunctionType) -> dict[str, Any]:
    """What the names stand for that the code of a suspended generator may use."""
    return {**locals_of(generator), **closures_of(function)}


def asks_of(process: Any, registry: Registry) -> tuple[CannotLower, ...]:
    """What is left to Python of a process that waits.

    Raises CannotLower if that is all of it.
    """
    generator = process._generator
    if type(generator) is Stand:
        generator = generator.generator
    code, function = generator.gi_code, function_of(generator)
    if function is None:
        raise CannotLower(code.co_filename, code.co_firstlineno, code.co_qualname, "its function is not to be had")
    course = registry.course(function)
    if not course.legs and not any(stop.why for stop in course.stops):
        why = "it waits for nothing by `yield until(lambda: ...)`"
        raise CannotLower(code.co_filename, code.co_firstlineno, code.co_qualname, why)
    is_known, name = is_tested()
    if not is_known:
        why = f"how {name} keeps generators has not been tried out"
        raise CannotLower(code.co_filename, code.co_firstlineno, code.co_qualname, why)
    asks = [CannotLower(code.co_filename, stop.line, stop.text, stop.why) for stop in course.stops if stop.why]
    values, is_native = names_of(generator, function), False
    obstacles = {wait.code: obstacle(wait) for wait in (*past_waits(process), process._wait)}
    for number in course.legs:
        stop = course.stops[number]
        try:
            if why := obstacles.get(stop.condition, ""):
                raise CannotLower(code.co_filename, stop.line, stop.text, why)
            asks += _asks_behind(registry, course, number, values)
        except CannotLower as error:
            asks.append(error)
        else:
            is_native = True
    if not is_native:
        raise asks[0]
    return tuple({str(ask): ask for ask in asks}.values())


def _asks_behind(registry: Registry, course: ProcessSegments, number: int, values: dict[str, Any]) -> list[CannotLower]:
    """What is left to Python behind one stop."""
    leg = course.legs[number]
    lowered = registry.find("leg", leg.function, tuple(values.get(name) for name in leg.names)).kernel.lowered
    return [CannotLower(*ask) for ask in lowered.asks]
