"""The bodies of the processes of one simulation: which one a process has, and what it becomes a row with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, partial
from itertools import chain
from types import FunctionType, GeneratorType
from typing import TYPE_CHECKING, Final

from eventide.bodies import attributes
from eventide.discrete.inside import generator_of
from eventide.discrete.processes.migration import RowNote
from eventide.migration.crossing.body import Body
from eventide.migration.crossing.simulations import is_of_all, stands
from eventide.migration.examination import read, suits
from eventide.migration.kernels import plain_kernel
from eventide.migration.learned import learned
from eventide.migration.prototypes import Prototypes, created_values
from eventide.migration.things import Things, can_go
from eventide.native.locking import locked
from eventide.reading.dropped_commands import KNOWN
from eventide.reading.generators import chain_of, function_of, locals_of
from eventide.reading.source import CannotLower
from eventide.rows.loading import ENGINE, KERNEL, LOADING, RESOURCES
from eventide.rows.memory import RowMemory

if TYPE_CHECKING:
    from types import CodeType

    from eventide.discrete.processes.process import Process
    from eventide.discrete.world import World
    from eventide.migration.crossing.environment import RowStart
    from eventide.native.row_engine import NativeRows

MOST_KINDS: Final = 4
"""The most combinations of types for which a body is read."""
_RESTS: Final = "its processes have returned to Python too often of late for native code to pay"
MOST_SHAPES: Final = 24
"""The most objects of different kinds for which the refusal of a method is told apart."""


@locked
@cache
def native_rows() -> NativeRows:
    """One engine of native processes for all simulations of this process."""
    from eventide.native.row_engine import NativeRows
    from eventide.native.store import Store

    return NativeRows(Store.default())


class Bodies:
    """The bodies of the processes of one simulation.

    native      gives, when it is first needed, what compiles kernels; None: Python runs them
    refused     by code: why it stays Python
    """

    def __init__(self, world: World, native: Callable[[], NativeRows] | None) -> None:
        self.world = world
        self.native = native
        self.refused: dict[int, tuple[CodeType, CannotLower]] = {}
        self.observed: AbstractSet[str] = frozenset()  # the attributes of plain objects that only Python may set
        self._resting: dict[CodeType, FunctionType | None] = {}
        """The functions that rested at the last look, by their code."""
        self._learned = learned()
        self._known: dict[object, list[Body]] = {}
        self._current: dict[object, list[Body]] = {}
        """Those that were examined while processes have been rows this time, and are valid."""
        self._refused_starts: dict[tuple[object, ...], tuple[CodeType, CannotLower]] = {}
        """Why processes of some code and types of arguments begin in Python."""

    def notes(self, exits: Mapping[tuple[Body, int], int]) -> list[RowNote]:
        """What is known of each examined function, and how often each statement that stays Python was met."""
        resting = ((code, self._rest_of(function)) for code, function in self._resting.items())
        refused = dict(self.refused.values()) | {code: refusal for code, refusal in resting if refusal is not None}
        counts: dict[CodeType, dict[tuple[str, int, str, str], int]] = {}
        for body in chain.from_iterable(self._known.values()):
            known = counts.setdefault(body.naming.function.__code__, {})
            for ask, count in body.asks(exits):
                known[ask] = known.get(ask, 0) + count
        told = []
        for code, known in counts.items():
            left = [CannotLower(*ask[:3], f"{ask[3]} ({count} times)") for ask, count in known.items()]
            left += [refused.pop(code)] if code in refused else []  # for variables of other types
            told.append(RowNote(code, None, tuple(left)))
        return [*(RowNote(code, refusal, ()) for code, refusal in refused.items()), *told]

    def prototypes(self) -> Prototypes:
        """New prototypes, for one stay of processes in rows."""
        self._current.clear()
        for body in chain.from_iterable(self._known.values()):
            body.environment.forget()
        return Prototypes(self)

    @staticmethod
    def things(memory: RowMemory, look: Callable[[object], object]) -> Things:
        """The resources and levels that are away; there are none."""
        return Things(memory, look)

    can_go = staticmethod(can_go)

    def price_of(self, bodies: Iterable[Body]) -> int:
        """The cost of loading the engine and these kernels, in events; see `rows/loading.py`."""
        if self.native is None:
            return 0
        native = self.native()
        engine = 0 if native.is_loaded else LOADING if native.is_kept else LOADING + ENGINE
        cold = [body for body in bodies if not native.is_kernel_kept(body.text)]
        return engine + sum(KERNEL + RESOURCES * bool(body.naming.stations) for body in cold)

    def memory(self, bodies: Sequence[Body]) -> RowMemory:
        """New tables for rows, to which some bodies are known, with the numbers from `BRANCH + 1` on."""
        if self.native is None:
            memory = RowMemory()
            for body in bodies:
                self.add_kind(memory, body)
            return memory
        kernel, engine = self.native().kernel, self.native().engine
        return RowMemory.like_others(
            engine, tuple((*one.sizes, kernel(partial(plain_kernel, one.name, one.text), one.text)) for one in bodies)
        )

    def add_kind(self, memory: RowMemory, body: Body) -> int:
        """Make a body known to tables; the number of its kind."""
        plain = partial(plain_kernel, body.name, body.text)  # not needed where machine code is stored
        kernel = plain() if self.native is None else self.native().kernel(plain, body.text)
        return memory.add_kind(*body.sizes, kernel)

    def admit(self, generator: GeneratorType[object, object, object]) -> tuple[Body, RowStart] | None:
        """The body of a suspended generator, and what its row begins with; None if it stays Python."""
        function = function_of(generator)
        if function is None:
            return None
        code = function.__code__
        known, values = self._learned.refused.get(id(code), {}), locals_of(generator, function)
        if known and (refused := known.get(()) or known.get(self._shape(code, values))):
            self.refused[id(code)] = refused
            return None
        bodies = self._bodies_of(function)
        for body in bodies:
            if (row_start := body.admit(generator, values)) is not None:
                return body, row_start
        if len(bodies) >= MOST_KINDS or any(body.resumes_at(chain_of(generator)) is None for body in bodies):
            return None
        row_start = None
        try:
            for body in self._read(function, values):
                row_start = body.admit(generator, values)
                if row_start is not None or body.resumes_at(chain_of(generator)) is None:
                    break
        except CannotLower as refusal:
            shape = self._shape(code, values) if len(known) < MOST_SHAPES else ()
            self.refused[id(code)] = self._learned.refused.setdefault(id(code), {})[shape] = code, refusal.untraced
            return None
        bodies.append(body)
        return None if row_start is None else (body, row_start)

    def _shape(self, code: CodeType, values: Mapping[str, object]) -> tuple[object, ...]:
        """For what native code of a function is refused: a method may be called with other first arguments."""
        first = values.get(code.co_varnames[0]) if code.co_argcount else None
        held = getattr(first, "__dict__", {}) if attributes.is_plain(first) else {}
        return type(first), *(type(value) for value in held.values()), *sorted(self.observed)

    def may_go(self, processes: list[Process], *, is_early: bool) -> bool:
        """Whether none of some processes rests, and all may go early if they would."""
        generators = [generator_of(process) for process in processes]
        codes = [one.gi_code for one in generators]
        self._resting = {one.gi_code: function_of(one) for one in generators if self._learned.rests(one.gi_code)}
        return not self._resting and (not is_early or self._learned.go_early(codes))

    def _rest_of(self, function: FunctionType | None) -> CannotLower | None:
        """Why processes of a function rest; None if its text cannot be had."""
        try:
            definition = None if function is None else self._learned.book.definition(function, yields=True)
        except CannotLower:
            return None
        return None if definition is None else definition.refusal(definition.tree, _RESTS)

    def note_run(self, bodies: Iterable[Body], *, is_short: bool) -> None:
        """Rows of some bodies have returned to Python: note whether the run had too few events to go early."""
        self._learned.note_run([body.naming.function.__code__ for body in bodies], is_short=is_short)

    def give_up(self, bodies: Iterable[Body]) -> None:
        """Let the processes rest that have returned to Python too often, in further simulations as well."""
        for code in dict.fromkeys(body.naming.function.__code__ for body in bodies):
            self._learned.note_return(code)

    def begin(
        self, function: FunctionType, arguments: Mapping[str, object], kind: type | None
    ) -> tuple[Body, RowStart]:
        """The body of a process that begins with a function's arguments, and what its row begins with.

        kind    the class of its object, of which these are the fields; None for a plain process
        Raises CannotLower if it stays Python.
        """
        if kind is not None:
            arguments = created_values(kind, function, self.world, arguments)
        code = function.__code__
        definition = self._learned.book.definition(function, yields=True)
        if id(code) not in KNOWN:  # the first one is examined for commands that it makes and drops
            raise definition.refusal(definition.tree, "Python has not seen it begin yet")
        bodies = self._bodies_of(function)
        for body in bodies:
            if (row_start := body.begin(arguments)) is not None:
                return body, row_start
        key = id(code), *(type(value) for value in arguments.values())
        if key not in self._refused_starts and len(bodies) < MOST_KINDS:
            try:
                for body in self._read(function, arguments):
                    if (row_start := body.begin(arguments)) is not None:
                        bodies.append(body)
                        return body, row_start
                bodies.append(body)
            except CannotLower as refusal:
                self._refused_starts[key] = code, refusal.untraced
        if key in self._refused_starts:
            raise self._refused_starts[key][1].untraced
        raise definition.refusal(definition.tree, "its arguments change their types")

    def _bodies_of(self, function: FunctionType) -> list[Body]:
        """The bodies of a function that stand with what it refers to by now."""
        key = id(function.__code__), id(function.__globals__), tuple(map(id, function.__closure__ or ()))
        bodies = self._current.get(key)
        if bodies is None:
            bodies = self._current[key] = self._known.setdefault(key, [])
            bodies[:] = [body for body in bodies if body.is_current and suits(body.naming, self.observed)]
        return bodies

    def _read(self, function: FunctionType, values: Mapping[str, object]) -> Iterator[Body]:
        """Bodies of a function for the types of its variables: those that other simulations had, then one made anew.

        Raises CannotLower, after those that are known, if it stays Python.
        """
        kept = self._learned.bodies_of(function, values)
        for body in kept:
            if suits(body.naming, self.observed) and stands(body.naming, self.world, values, function):
                yield body.in_simulation(self.world, function)
        reading = read(function, values, self._learned.book, self._learned.twin_of, self.world, self.observed)
        body = Body(reading, f"body_{function.__name__}")
        if is_of_all(reading):
            self._learned.keep(function, values, body)
        yield body.in_simulation(self.world, function)
