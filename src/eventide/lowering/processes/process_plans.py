"""What can be native code of a process that waits, and what of it is left to Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eventide.continuous.guards.native_processes import obstacle
from eventide.discrete.conditions.until import past_waits
from eventide.discrete.processes.stand import Stand
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.generators import function_of, is_tested, locals_of
from eventide.reading.scope import closures_of

if TYPE_CHECKING:
    from types import FunctionType

    from eventide.lowering.plans.registry import Registry
    from eventide.lowering.processes.process_reader import ProcessCode


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
    process_code = registry.process_code(function)
    if not process_code.segments and not any(wait_point.why for wait_point in process_code.wait_points):
        why = "it waits for nothing by `yield until(lambda: ...)`"
        raise CannotLower(code.co_filename, code.co_firstlineno, code.co_qualname, why)
    is_known, name = is_tested()
    if not is_known:
        why = f"how {name} keeps generators has not been tried out"
        raise CannotLower(code.co_filename, code.co_firstlineno, code.co_qualname, why)
    asks = [
        CannotLower(code.co_filename, wait_point.line, wait_point.text, wait_point.why)
        for wait_point in process_code.wait_points
        if wait_point.why
    ]
    values, is_native = names_of(generator, function), False
    obstacles = {wait.code: obstacle(wait) for wait in (*past_waits(process), process._wait)}
    for number in process_code.segments:
        wait_point = process_code.wait_points[number]
        try:
            if why := obstacles.get(wait_point.condition, ""):
                raise CannotLower(code.co_filename, wait_point.line, wait_point.text, why)
            asks += _asks_behind(registry, process_code, number, values)
        except CannotLower as error:
            asks.append(error)
        else:
            is_native = True
    if not is_native:
        raise asks[0]
    return tuple({str(ask): ask for ask in asks}.values())


def _asks_behind(
    registry: Registry, process_code: ProcessCode, number: int, values: dict[str, Any]
) -> list[CannotLower]:
    """What is left to Python behind one wait point."""
    segment = process_code.segments[number]
    lowered = registry.find(
        "segment", segment.function, tuple(values.get(name) for name in segment.names)
    ).kernel.lowered
    return [CannotLower(*ask) for ask in lowered.asks]
