"""Bodies of generator functions as kernels: what a generator gives to its row, and what a row gives back."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from math import nan
from types import FunctionType, GeneratorType, MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from eventide.bodies.naming import CREATED, hold, questions_of
from eventide.bodies.operands import EITHER, GIVEN, WIDE, Handed
from eventide.discrete.processes.process import Process
from eventide.discrete.resources.request import PreemptingRequest, Request
from eventide.errors import Interrupt
from eventide.migration.crossing import branches
from eventide.migration.crossing.environment import Environment, Paths, RowStart, SpawnTemplate
from eventide.migration.crossing.layout import Layout, iterator_of
from eventide.migration.crossing.simulations import in_simulation
from eventide.native.objects import object_at
from eventide.reading.generators import chain_of, iterators_in, locals_of, rest_of, successor_of
from eventide.reading.twins import Entry, GoingOn

if TYPE_CHECKING:
    from types import CodeType

    from eventide.bodies.frames import Continuation
    from eventide.bodies.points import Handler
    from eventide.bodies.reader import Reading
    from eventide.discrete.resources.resource import Resource
    from eventide.discrete.world import World
    from eventide.reading.generators import Suspended
    from eventide.reading.nodes import Extent

PRESENT: Final = ("waiting", "granted")
"""The states of requests that can go away."""


class Return(NamedTuple):
    """What a process continues with in Python.

    generator   a generator that stands where the row was
    error       that is raised there, if that is so
    """

    generator: object
    error: BaseException | None = None


class Body:
    """The body of a generator function, for certain types of its variables.

    name, text  of its kernel
    sizes       how many whole numbers and floats a row has
    python_calls    by the state, those that Python can make while a process stays in its row
    environment what the variables of processes lead to, in one simulation
    refused     by prototype: why Python makes the processes of a statement that native code could make, there
    """

    environment: Environment
    refused: dict[str, str]

    def __init__(self, reading: Reading, name: str) -> None:
        self.reading = reading
        self.naming = reading.naming
        self.text = reading.text(name)
        self.wholes, self.reals = reading.columns()
        self.layout = Layout(reading, self.wholes, self.reals)
        self._positions: dict[CodeType, list[Extent]] = {}
        self._states: dict[tuple[int, int], int | None] = {}
        """Those in which plain generators of code that is kept in `_positions` stand, by its id and instruction."""
        self._optional = reading.optional
        handlers = (handler for point in reading.points.values() for handler in point.all_handlers)
        caught = (handler.name for handler in handlers if handler.name)
        outcomes = (choice.name for choice in reading.choices.values())
        names = (self.naming.requests, self.naming.awaited, self.naming.children)
        self._absent = dict.fromkeys([*chain(*names), *caught, *outcomes])
        self.python_calls = {at: one for at, one in reading.python_calls.items() if not one.reads_any(self._absent)}
        self.name = name
        self._paths = Paths(self.naming)

    def in_simulation(self, world: World, function: FunctionType) -> Body:
        """The same for the processes of a simulation that execute a function."""
        made = Body.__new__(Body)
        made.__dict__.update(self.__dict__)
        made.naming, made.refused = in_simulation(self.naming, world, function), {}
        template = partial(SpawnTemplate, made)
        made.environment = Environment(made.naming, self._paths, self.layout.places, world, template)
        return made

    def asks(self, exits: Mapping[tuple[Body, int], int]) -> Iterator[tuple[tuple[str, int, str, str], int]]:
        """The statements that stay Python: where, what and why, as CannotLower has it, and how often they were met."""
        for state, (node, why) in self.reading.asks.items():
            frame, count = self.reading.points[state].frame, exits.get((self, state), 0)
            if count or not frame.is_ours:
                yield frame.twin.definition.refusal(node, why).__reduce__()[1], count
        for state, (node, texts) in self.reading.spawns.items():
            for reason in filter(None, map(self.refused.get, texts)):
                definition = self.reading.points[state].frame.twin.definition
                yield definition.refusal(node, reason).__reduce__()[1], exits.get((self, state), 0)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many whole numbers and floats a row has."""
        return len(self.wholes), len(self.reals)

    @property
    def is_current(self) -> bool:
        """Whether all stands with which it was made."""
        return hold(questions_of(self.naming.facts.values()))

    # --- from a generator to a row --------------------------------------------------------------------------------

    def admit(
        self, generator: GeneratorType[object, object, object], values: dict[str, object] | None = None
    ) -> RowStart | None:
        """What the row of a process with a suspended generator begins with; None if it cannot continue there.

        values  of its local variables, if they are known already
        """
        each = chain_of(generator)
        at = self.resumes_at(each)
        if at is None:
            return None
        values = self.variables_of(generator) if values is None else {**self.naming.held, **values}
        iterators: list[object] = []
        handling: list[Interrupt] = []
        standing = self.layout.standing(at)
        for point, one in zip(standing.chain, each, strict=True):
            if one is not generator:
                inside = point.frame.values_of(one, values)
                if inside is None:
                    return None
                values = {**values, **inside}
            referents = gc.get_referents(one) if point.loops or point.handlers else []
            if point.loops:
                found = iterators_in(referents, also_of_items=any(loop.step == 0 for loop in point.loops))
                if len(found) != len(point.loops):
                    return None
                iterators += found
            if point.handlers:
                errors = {id(item): item for item in referents if type(item) is Interrupt}
                if len(errors) != 1:
                    return None
                handling += errors.values()
        row_start, handlers = self._row_start(at, values, iterators), standing.handlers
        return row_start and (self._handling(row_start, handlers[0], values, *handling) if handlers else row_start)

    def _handling(
        self, row_start: RowStart, handler: Handler, values: Mapping[str, object], error: Interrupt
    ) -> RowStart | None:
        """The same for a generator that handles an interrupt."""
        left = nan if error.left is None else error.left
        if type(left) is not float or (handler.name and values.get(handler.name) is not error):
            return None
        row_start.reals[self.reals.index(f"l_{handler.number}")] = left
        return row_start._replace(causes={**row_start.causes, self.wholes.index(f"e_{handler.number}"): error})

    def begin(self, arguments: Mapping[str, object]) -> RowStart | None:
        """What the row of a process that has not begun starts with; None if it cannot begin as a row."""
        kinds = {name: GIVEN.get(type(value), "object") for name, value in arguments.items()}
        if any(self.naming.kinds.get(name) != kind for name, kind in kinds.items() if kind != "object"):
            return None
        if {name for name, value in arguments.items() if isinstance(value, Handed)} != self.naming.handed:
            return None
        numbers = {name: 0.0 for name, value in arguments.items() if value is EITHER}
        return self._row_start(0, {**self.naming.held, **arguments, **numbers}, [])

    def variables_of(self, generator: GeneratorType[object, object, object]) -> dict[str, object]:
        """The local variables of a suspended generator, and what its function reaches by cells."""
        return {**self.naming.held, **locals_of(generator)}

    def arguments(self, wholes: list[int], reals: list[float]) -> dict[str, float]:
        """The arguments that are numbers, the present values of fields, and other attributes set since then."""
        texts = {**dict(zip(self.wholes, wholes, strict=True)), **dict(zip(self.reals, reals, strict=True))}
        found: dict[str, float] = {}
        for column in chain(*self.naming.given_columns()):
            if column[:2] != "i_":
                is_whole = texts.get(f"i_{column[2:]}", 0) and self.naming.kinds[column[2:]] == "mixed"
                number = int(texts[column]) if is_whole else texts[column]
                found[column[2:].removeprefix(CREATED)] = self._number(column[2:], number)
        for k, name in enumerate(self._optional):
            if name[0] == CREATED and int(texts["has"]) >> k & 1:
                found[name.removeprefix(CREATED)] = self._number(name, texts[f"v_{name}"])
        return found

    def _number(self, name: str, value: float) -> float:
        """What a row keeps of a variable, of its own type; or the object of which it has the address."""
        kind = self.naming.kinds[name]
        if kind == "int64":
            return np.int64(value)  # type: ignore[return-value]  # a number all the same
        known: float = object_at(int(value)) if kind == "object" else value
        return bool(value) if kind == "bool" else known

    def _row_start(self, at: int, values: Mapping[str, object], iterators: list[object]) -> RowStart | None:
        naming, standing, places = self.naming, self.layout.standing(at), self.layout.places
        if (CREATED in values) != naming.is_created:
            return None
        found, numbers = self.environment.found(values), self.layout.numbers(values)
        if numbers is None or found is None:
            return None
        wholes, reals = numbers
        for place, number in found.wholes:
            wholes[place] = number
        for point in standing.chain[1:]:
            wholes[places[point.frame.began_in_python]] = 1
        for loop, iterator in zip(standing.loops, iterators, strict=True):
            rest = rest_of(iterator)
            if rest is None or (rest.step, rest.start) != (loop.step, loop.start):
                return None
            if max(abs(rest.begin), abs(rest.end)) >= WIDE:
                return None
            if loop.members and all(id(one.found(values)) != rest.end for one in loop.members):
                return None
            if rest.zipped != tuple([id(one.found(values)) for _, one in loop.zipped]):
                return None
            wholes[places[f"n_{loop.number}"]], wholes[places[f"s_{loop.number}"]] = rest[:2]
        children = {place: values[name] for name, place in self.layout.children.items() if name in values}
        if not all(isinstance(one, Process) and one.sim is self.environment.world for one in children.values()):
            return None
        requests = self._requests(at, values, found.resources) if standing.blocks else {}
        if requests is None:
            return None
        if standing.choices:
            numbers_of = branches.outcomes_of(standing.choices, values, [*standing.blocks])
            if numbers_of is None:
                return None
            for choice, number in numbers_of.items():
                wholes[places[f"o_{choice.number}"]] = number
        return RowStart(
            at,
            wholes,
            reals,
            (*found.kept, *[values[name] for name in self.layout.objects if name in values]),
            found.relied,
            found.stations,
            {places[f"q_{name}"]: request for name, request in requests.items()} if requests else {},
            found.spawn_templates,
            found.processes,
            found.causes,
            children,  # type: ignore[arg-type]  # they are processes
        )

    def _requests(
        self, at: int, values: Mapping[str, object], resources: Mapping[str, Resource]
    ) -> dict[str, Request] | None:
        """The requests whose blocks a generator is in; None if there is one that a row cannot have."""
        found: dict[str, Request] = {}
        for block in self.layout.standing(at).blocks:
            request = values.get(block.name)
            if block.outcome:
                request = getattr(values.get(block.outcome), "value", None)
            if not isinstance(request, Request) or all(
                request.station is not resources[station] for station in block.stations
            ):
                return None
            if type(request) not in (Request, PreemptingRequest) or request.state not in PRESENT:
                return None
            found[block.name] = request
        return found

    def resumes_at(self, each: list[Suspended]) -> int | None:
        """The state in which native code continues a suspended generator, of its `chain_of`; None if it cannot."""
        frames = [frame for one in each if (frame := one.gi_frame) is not None]
        key = (id(frames[0].f_code), frames[0].f_lasti) if len(frames) == 1 else None
        if key is None or key not in self._states:
            positions = tuple(self._positions_of(one.f_code)[one.f_lasti // 2] for one in frames)
            at = self.reading.resumes.get(positions)
            if key is None:
                return at
            self._states[key] = at
        return self._states[key]

    def _positions_of(self, code: CodeType) -> list[Extent]:
        """The extents of the instructions of some code."""
        if code not in self._positions:
            self._positions[code] = [
                (line, end_line, column, end_column) for line, end_line, column, end_column in code.co_positions()
            ]
        return self._positions[code]

    guards_of, gets, joins = branches.guards_of, branches.gets, branches.joins
    references_to, leave_wait = branches.references_to, branches.leave_wait
    place_branches = staticmethod(branches.place_branches)

    # --- from a row to a generator --------------------------------------------------------------------------------

    def stand(self, generator: GeneratorType[object, object, object]) -> Return:
        """A process goes on with a generator that has not begun."""
        return Return(generator)

    def requests_at(self, at: int, wholes: list[int]) -> list[int]:
        """The rows of the requests in whose blocks a row is."""
        return [row for place in self.layout.standing(at).requests if (row := wholes[place]) >= 0]

    def give_back(
        self,
        generator: GeneratorType[object, object, object],
        at: int,
        wholes: list[int],
        reals: list[float],
        requests: Mapping[int, Request],
        handled: list[tuple[Handler, Interrupt]],
        inner: Callable[[], object] | None = None,
        children: Mapping[str, Process] = MappingProxyType({}),
    ) -> Return:
        """The generator that continues a process whose row is in a state; the process was suspended with another one.

        requests    by their rows
        handled     the interrupts that it handles there
        inner       gives what the call returns in whose middle it is
        children    the processes that it has made, by its variables
        """
        texts = dict(zip(self.wholes, wholes, strict=True))
        changed = {**self._variables(at, wholes, reals), **children}
        absent = {name: None for name in self._absent if name not in children}
        chain_at, errors = self.layout.standing(at).chain, dict(handled)
        outermost = self.variables_of(generator) if len(chain_at) > 1 else {}
        before = {
            point.frame: locals_of(one)
            for point, one in zip(chain_at, chain_of(generator), strict=False)
            if point.frame.call is not None and texts[point.frame.began_in_python]
        }
        made: Continuation | None = inner
        numbers = {**texts, **dict(zip(self.reals, reals, strict=True))} if chain_at[-1].told else {}
        for point in reversed(chain_at):
            frame, places = point.frame, point.frame.twin.places
            iterators = {places[loop.statement]: iterator_of(loop, texts) for loop in point.loops}
            contexts = {}
            for block in point.blocks:
                request = requests[texts[f"q_{block.name}"]]
                contexts[places[block.item]] = request.__exit__
                if not block.outcome:
                    del absent[block.name]
                    changed[block.name] = request
            for name, outcome in branches.outcomes_at(point, texts, requests):
                absent.pop(name, None)
                changed[name] = outcome
            for handler in point.handlers:
                if handler.name:
                    del absent[handler.name]
                    changed[handler.name] = errors[handler]
            raised = {places[handler.statement]: errors[handler] for handler in point.handlers}
            goes_on = GoingOn(made) if isinstance(made, GeneratorType) else made
            given = {frame.twin.told[one.node]: one.value(numbers) for one in point.told}
            if frame.call is None:
                entry = Entry(point.place, changed, iterators, contexts, raised, goes_on, given)
                made = successor_of(generator, frame.twin, entry, absent)
            else:
                values = frame.values_at(texts, outermost, before.get(frame, {}), changed, [*absent])
                made = frame.begin(Entry(point.place, values, iterators, contexts, raised, goes_on, given))
            for handler in point.handlers:
                if state := texts[f"f_{handler.number}"]:
                    errors[handler].__traceback__ = self._traceback(made, state)
        return Return(made)

    def _variables(self, at: int, wholes: list[int], reals: list[float]) -> dict[str, object]:
        """The variables that a row in a state keeps, by their names."""
        has = wholes[self.layout.has] if self.layout.has >= 0 else 0
        variables = self.layout.standing(at).variables
        return {one.name: one.value(wholes, reals) for one in variables if not one.bit or has & one.bit}

    def values_at(
        self, at: int, before: Mapping[str, object], wholes: list[int], reals: list[float]
    ) -> dict[str, object]:
        """The variables of a process in a row, but for requests, outcomes and exceptions.

        before  those with which it was suspended
        """
        values = {**before, **self._variables(at, wholes, reals)}
        return {name: value for name, value in values.items() if name not in self._absent}

    def handles_at(self, at: int) -> bool:
        """Whether a row handles an interrupt in a state."""
        return bool(self.layout.standing(at).handlers)

    def handled(
        self, at: int, wholes: list[int], reals: list[float], cause_of: Callable[[int], object]
    ) -> list[tuple[Handler, Interrupt]]:
        """The interrupts that a row handles in a state, the outermost first.

        cause_of    their causes by what the row has of them
        """
        handled: list[tuple[Handler, Interrupt]] = []
        for handler in self.layout.standing(at).handlers:
            left = reals[self.reals.index(f"l_{handler.number}")]
            error = cause_of(wholes[self.wholes.index(f"e_{handler.number}")])
            if wholes[self.wholes.index(f"f_{handler.number}")] or not isinstance(error, Interrupt):
                error = Interrupt(error, None if left != left else left)
                error.__context__ = handled[-1][1] if handled else None
            handled.append((handler, error))
        return handled

    def _traceback(self, generator: object, state: int) -> TracebackType:
        """The handler of an interrupt raised at the wait of a state, in the frame of a generator."""
        assert isinstance(generator, GeneratorType)
        place, frame = self.reading.extents[state], generator.gi_frame
        assert frame is not None
        return TracebackType(None, frame, 2 * self._positions_of(generator.gi_code).index(place), place[0])
