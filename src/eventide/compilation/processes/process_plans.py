"""What can be native code of a process that waits, and what of it is left to Python."""

from __future__ import annotations

from types import GeneratorType
from typing import TYPE_CHECKING

from eventide.continuous.guards.native_processes import obstacle
from eventide.discrete.conditions.until import StateWait, past_waits
from eventide.discrete.inside import generator_of, wait_of
from eventide.discrete.processes.generator_stand_in import GeneratorStandIn
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.generators import function_of, locals_of
from eventide.reading.scope import closures_of

if TYPE_CHECKING:
    from types import CodeType, FunctionType

    from eventide.compilation.processes.process_reader import ProcessCode
    from eventide.compilation.registry import Registry
    from eventide.discrete.processes.process import Process


def names_of(generator: GeneratorType[object, object, object], function: FunctionType) -> dict[str, object]:
    """What the names stand for that the code of a suspended generator may use."""
    return {**locals_of(generator, function), **closures_of(function)}


def code_of(process: Process) -> CodeType:
    """The code of the function of a process that waits."""
    return _read(process)[1]


def asks_of(process: Process, registry: Registry) -> tuple[CannotLower, ...]:
    """What is left to Python of a process that waits.

    Raises CannotLower if that is all of it.
    """
    function, code, values = _read(process)
    if function is None:
        raise CannotLower(code.co_filename, code.co_firstlineno, code.co_qualname, "its function is not to be had")
    process_code = registry.process_code(function)
    elsewhere = [CannotLower(code.co_filename, *one) for one in process_code.elsewhere]
    if not (process_code.segments or elsewhere or any(wait_point.why for wait_point in process_code.wait_points)):
        why = "it waits for nothing by `yield until(lambda: ...)`"
        raise CannotLower(code.co_filename, code.co_firstlineno, code.co_qualname, why)
    asks = [
        CannotLower(code.co_filename, wait_point.line, wait_point.text, wait_point.why)
        for wait_point in process_code.wait_points
        if wait_point.why
    ]
    asks += elsewhere
    is_native = False
    obstacles = {wait.code: obstacle(wait) or _change_of(wait) for wait in (*past_waits(process), wait_of(process))}
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


def _change_of(wait: StateWait) -> str:
    """Why only a row can wait so; empty if native code from wait to wait can as well."""
    return "" if wait.plan.signature is None else "what it waits for may come to refer to something else"


def _read(process: Process) -> tuple[FunctionType | None, CodeType, dict[str, object]]:
    """The function of a process that waits, its code, and what its names stand for.

    The frames of those that go on with these do not have the generator, as errors keep frames for a while; else it
    would be taken for one that is in use elsewhere.
    """
    generator = generator_of(process)
    if type(generator) is GeneratorStandIn:
        generator = generator.generator
    function = function_of(generator)
    if function is None:
        return None, generator.gi_code, {}
    return function, function.__code__, names_of(generator, function)


def _asks_behind(
    registry: Registry, process_code: ProcessCode, number: int, values: dict[str, object]
) -> list[CannotLower]:
    """What is left to Python behind one wait point."""
    segment = process_code.segments[number]
    lowered = registry.find(
        "segment", segment.function, tuple(values.get(name) for name in segment.names)
    ).kernel.lowered
    return [CannotLower(*ask) for ask in lowered.asks]
