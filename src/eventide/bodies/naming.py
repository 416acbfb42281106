"""What the names of a body mean: numbers of its row, numbers that all rows share, and Python objects.

What a name of a module, a cell or a class stands for is a fact: native code is left when that changes.
"""

from __future__ import annotations

import ast
import builtins
import copy
from enum import EnumType
from functools import reduce
from inspect import getattr_static
from itertools import chain
from operator import attrgetter, call, is_
from types import (
    BuiltinMethodType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodWrapperType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from eventide.bodies.calls import METHODS, PLAIN, addressed_call, is_array_of_floats
from eventide.bodies.operands import KINDS, STREAM, Handed, Kind, Operand, Path, Thing, Unknown, constant, local, step
from eventide.discrete.processes.generator_process import GeneratorProcess
from eventide.discrete.processes.process import Process
from eventide.discrete.resources.container import Container
from eventide.discrete.resources.resource import PreemptiveResource, Resource
from eventide.discrete.resources.store import Store
from eventide.discrete.world import World
from eventide.native.locking import cached_property
from eventide.reading.common import Bounds, Captures, closure_cells, is_common, is_shared
from eventide.reading.nodes import set_inside
from eventide.statistics.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Set as AbstractSet

    from eventide.bodies.calls import Call, EntryCode
    from eventide.bodies.emission import Emission
    from eventide.bodies.points import Choice
    from eventide.bodies.spawning import Site
    from eventide.bodies.waits.states import Awaited
    from eventide.declare import Kept
    from eventide.reading.source import Definition, SourceBook

ABSENT: Final = object()
"""Stands for the value of what is not there."""
CREATED: Final = "0"
"""Among the variables of a process, stands for its object that is not made yet; the prefix of its fields."""
content: Final = attrgetter("cell_contents")
FACTS: Final = "__code__", "__defaults__", "__kwdefaults__", "__name__"
"""What is noted of a function that is followed."""
Conditions: TypeAlias = tuple[dict[Any, Any], ...]
Questions: TypeAlias = tuple[tuple[Any, ...], ...]
NO_QUESTIONS: Final[Questions] = (), (), ()


class Fact(NamedTuple):
    """A fact that native code was compiled with: a question, its subject, and the answer."""

    ask: Callable[[Any], object]
    about: object
    answer: object

    def is_same(self, other: Fact) -> bool:
        """Whether it is the same fact: cells are equal where what they have is, and so are 0.0 and -0.0."""
        return self.ask == other.ask and self.about is other.about and self.answer is other.answer


def questions_of(facts: Iterable[Fact]) -> Questions:
    """What is asked, about what, and the answers, of some facts: they are asked without a loop of Python's."""
    return tuple(zip(*facts, strict=True)) or NO_QUESTIONS


def hold(questions: Questions) -> bool:
    """Whether all still is so."""
    asks, abouts, answers = questions
    try:
        return all(map(is_, map(call, asks, abouts), answers))
    except (AttributeError, ValueError):  # something has no value any longer
        return False


def own_fact(owner: object, name: str, found: object) -> Fact | None:
    """What else than the class decides what an object has under a name; None if nothing."""
    held = getattr(owner, "__dict__", None)
    is_own = held is not None and name in held
    if is_own or isinstance(getattr(type(owner), name, None), MemberDescriptorType):
        return Fact(attrgetter(name), owner, found)
    return None if held is None else Fact(held.get, name, None)


def class_fact(owner: object) -> Fact:
    """An object is of its class, which may be replaced."""
    return Fact(type, owner, type(owner))


def reached(values: Mapping[str, object], root: str, path: Path) -> object:
    """What attributes lead to from a local variable; ABSENT if there is nothing."""
    try:
        return reduce(step, path, values[root])
    except (KeyError, AttributeError, IndexError, TypeError):
        return ABSENT


def _are_same(one: Thing, other: Thing) -> bool:
    """Whether two names mean one object; builtin methods are created at each access."""
    are_methods = all(isinstance(it.value, BuiltinMethodType | MethodWrapperType) for it in (one, other))
    return one.value is other.value or (are_methods and bool(one.value == other.value))


def _numbered(known: dict[str, Thing], prefix: str, owner: Thing) -> str:
    """The variable of the kernel with the number of an object, which is a new one for one that is not known yet."""
    for text, one in known.items():
        if (one.root, one.path) == (owner.root, owner.path) and (owner.root or one.value is owner.value):
            return text
    text = f"{prefix}{len(known)}"
    known[text] = owner
    return text


class Naming:
    """The names of one body.

    values      of the local variables and cells of the generator that was examined
    kinds       of the local variables that a row keeps as numbers
    facts       what names of modules, classes and cells were found to mean
    particular  those of these that are about objects of one simulation; settings: those about itself, by attribute
    handed      the arguments for which makers of processes hand over another object each time
    doubts      facts, and as `things` and `exact`, by which statements were found to be Python's
    addresses   what a row has the address of: by the variable of the kernel, what is called; calls: what that does
    changed     the attributes of plain objects that native code sets; observed: those that only Python may set
    avoided     those of these that statements set
    entries     what is appended to lists, and the like: by the variables with what takes its numbers, what appends it,
                and where that leaves what it finds
    given       numbers that a row is given: by the variable of the kernel, what asks for them
    shared      the variables that functions made in the body may set
    private     of those that such functions read, the ones that only conditions of its waits read
    simulations the local variables, and "" for all others, that refer to the simulation
    things      the types of what local variables refer to, and of what is reached from there, by how it is reached
    methods     by what they were reached from, the functions of the methods that are called
    """

    private: frozenset[str] = frozenset()
    held: Mapping[str, object] = MappingProxyType({})
    """In a simulation, what is reached by cells, by the names under which that is."""

    def __init__(
        self,
        function: FunctionType,
        values: Mapping[str, object],
        kinds: dict[str, Kind | None],
        book: SourceBook,
        world: World,
        observed: AbstractSet[str] = frozenset(),
    ) -> None:
        code = function.__code__
        self.function = function
        self.world = world
        self.values = values
        self.kinds = kinds
        self.book = book
        self.own = frozenset(name for name in code.co_varnames if name.isascii()) - {*code.co_cellvars}
        self.shared = frozenset(code.co_cellvars)
        self.shared &= set_inside(book.definition(function, yields=True).tree) if self.shared else self.shared
        self.captures = Captures(function)
        self.cells = closure_cells(function)
        self.created = values.get(CREATED)  # stands for an object that is not made yet, while the body is read
        self.is_created = CREATED in values
        self.parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if self.is_created:
            self.parameters = tuple(name for name in values if name[0] == CREATED and name != CREATED)
        self.arguments = frozenset(self.parameters)
        self.handed = frozenset(name for name, value in values.items() if isinstance(value, Handed))
        self.observed = observed
        self._note_nothing()
        self.addresses: dict[str, Thing] = {}
        self.things: dict[tuple[str, Path], type] = {}
        self.methods: dict[tuple[str, Path], object] = {}
        self.exact: dict[tuple[str, Path], object] = {}
        """The functions, classes and modules that variables lead to, by how they are reached."""
        self.simulations: dict[tuple[str, Path], World | None] = {}
        self.stations: dict[str, Thing] = {}  # the resources whose numbers a row has, by the variable of the kernel
        self.guards: dict[str, Awaited] = {}  # the states for which a row waits
        self.levels: dict[str, Thing] = {}  # the levels and containers
        self.level_kinds: dict[str, Kind] = {}  # the types of their values and amounts
        self.quantities: dict[str, tuple[Thing, Kept]] = {}
        """Numbers of components of which a row has the slots, and where these are: by the variable of the kernel."""
        self.spawns: dict[str, Site] = {}
        """What begins at the statements that make processes: by the variable with the row of the prototype."""
        self.processes: dict[str, Thing] = {}  # the processes
        self.causes: dict[str, Thing] = {}  # the objects that are causes of interrupts
        self.handled: dict[str, int] = {}  # the variables of exceptions in whose handlers it is, and their numbers
        self.outcomes: dict[str, Choice] = {}
        """The waits for the first of several things whose outcomes have variables where the kernel is being written."""
        self.lists: dict[tuple[str, Path], int | type] = {}  # those that stay: how many items, or of which class
        self.among: dict[str, tuple[Thing, ...]] = {}  # of which objects the variables of objects have one
        self.requests: dict[str, tuple[str, ...]] = {}
        """The variables that refer to requests in their blocks, and the stations of these."""
        self.awaited: dict[str, None] = {}  # those that refer to what is made and waited for, and to nothing else
        self.enumerations: dict[type, None] = {}  # those of which words are compared
        self.prefix = ""
        """Of the variables of a function that the body goes through, before their names."""
        self.bound: dict[str, Operand | Thing] = {}
        """Of the arguments of such a function those that are the same at each call."""
        self.certain = set(self.arguments)
        """The variables that have values wherever their names mean anything."""

    def _note_nothing(self) -> None:
        self.samples: dict[str, object] = {}  # what variables of objects may get
        self.members: set[str] = set()  # the variables that only a loop over objects of the simulation sets
        self.facts: dict[tuple[int, str], Fact] = {}
        self.particular: set[tuple[int, str]] = set()  # asked for whether it is empty only
        self.settings: dict[str, object] = {}
        self.doubts: Conditions = ({}, {}, {})
        self.given: dict[str, Fact] = {}
        self.numbers: dict[str, str] = {}  # of these the ones in cells, and by what they are reached
        self.calls: dict[str, Call] = {}
        self.entries: dict[tuple[str, ...], EntryCode] = {}
        self.children: dict[str, None] = {}  # the variables that refer to processes that the body makes, by their rows
        self.changed, self.avoided = set[str](), set[str]()
        self.used: set[str] = set()
        """The variables that native code reads or sets."""
        self.present: set[str] = set()
        """The variables that surely have values at the present point of the kernel."""

    def inside(self, function: FunctionType, prefix: str) -> Naming:
        """The names of a function that the body goes through: what they stand for is noted in the same tables."""
        made, code = copy.copy(self), function.__code__
        made.function, made.prefix, made.values = function, prefix, {}
        made.own = frozenset(name for name in code.co_varnames if name.isascii()) - {*code.co_cellvars}
        made.shared, made.private = frozenset(), frozenset()
        made.cells = closure_cells(function)
        made.arguments, made.handled, made.bound, made.present = frozenset(), {}, {}, set()
        made.outcomes = {}
        return made

    def choice_named(self, node: ast.Attribute) -> Choice | None:
        """The wait for the first of several things whose outcome's name an attribute is; None for others."""
        is_name = node.attr == "name" and isinstance(node.value, ast.Name)
        return self.outcomes.get(node.value.id) if is_name else None  # type: ignore[attr-defined]  # as was tested

    def key(self, name: str) -> str:
        """The name that a variable has for native code."""
        return self.prefix + name

    def noted(self) -> Conditions:
        """The present facts: native code is left when one changes."""
        return tuple(dict(known) for known in self._conditions)

    def note_state(self, thing: object) -> None:
        """A statement is Python's for a state of something, which may be another one in another simulation."""
        self.particular.add((id(thing), ""))

    def take_back(self, noted: Conditions) -> None:
        """Forget what was noted since then."""
        for known, before in zip(self._conditions, noted, strict=True):
            known.clear()
            known.update(before)

    def leave_to_python(self, noted: Conditions) -> None:
        """The same, as a statement is Python's: that was found by what was noted since then."""
        reasons = zip(self.doubts, self._conditions, noted, strict=False)
        for doubts, known, before in reasons:
            doubts.update({key: known[key] for key in known if key not in before})
        self.take_back(noted)

    @property
    def _conditions(self) -> Conditions:
        about_objects = (
            self.methods,
            self.simulations,
            self.stations,
            self.levels,
            self.quantities,
            self.processes,
            self.causes,
            self.lists,
        )
        about_all = self.facts, self.things, self.exact
        return (
            *about_all,
            self.settings,
            self.calls,
            self.entries,
            self.addresses,
            self.given,
            self.numbers,
            self.spawns,
            self.guards,
            *about_objects,
        )

    def definition(self, function: FunctionType, *, yields: bool = False) -> Definition:
        """Where a function is written. Raises CannotLower."""
        return self.book.definition(function, yields=yields)

    def given_columns(self) -> tuple[list[str], list[str]]:
        """The columns of the arguments that are numbers, used or not, in their order: whole numbers, and floats."""
        wholes: list[str] = []
        reals: list[str] = []
        for name in self.parameters:
            if self.kinds.get(name) not in (None, "object") or name in self.handed:
                text = f"{'v' if name in self.used else 'u'}_{name}"
                (reals if self.kinds[name] in ("float", "mixed") else wholes).append(text)
                wholes += [f"i_{name}"] if self.kinds[name] == "mixed" else []
        return wholes, reals

    # --- names ----------------------------------------------------------------------------------------------------

    def of_body(self, node: ast.Name, emission: Emission) -> Operand | Thing:
        """What a name in the body itself means."""
        name = node.id
        if name in self.shared:
            raise Unknown("other functions share this variable", node)
        if name in self.own or name in self.function.__code__.co_cellvars:
            return self._local(node, emission)
        if name in self.cells:
            return self.captured(self.function, name, node)
        return self._global(self.function, node)

    def _local(self, node: ast.Name, emission: Emission) -> Operand | Thing:
        name = node.id
        if name in self.handled:
            raise Unknown("what is done with an exception but to read it is left to Python", node)
        if name in self.outcomes:
            raise Unknown("what is done with an outcome but to compare its name is left to Python", node)
        if name in self.bound:
            return self.bound[name]
        key = self.key(name)
        if key in self.requests:
            raise Unknown("what is done with a request but to yield it is left to Python", node)
        kind = self.kinds.get(key)
        if kind is not None:
            self.used.add(key)
            if name not in self.arguments and name not in self.present:
                emission.stop_if(f"h_{key} == 0", Operand(f"h_{key}", "int"), node=node)
            among = self.among.get(key, ())
            if len(among) == 1:  # surely, or a process that had another one returns to Python
                emission.emit_early(f"if v_{key} != {self.address(among[0])}:\n    code = EXIT\n    break")
                return among[0]
            return self.variable(key, kind)
        if key in self.kinds or name not in self.values:
            raise Unknown("its type is not known, or changes", node)
        self.things[name, ()] = type(self.values[name])
        self._note_exact(name, (), self.values[name])
        return Thing(name, (), self.values[name])

    def variable(self, key: str, kind: Kind) -> Operand:
        """A variable of a row; what is always None is no variable."""
        if kind == "none":
            return Operand(self.address(Thing("", (), None)), "object", none="True")
        found = local(key, kind, self.among.get(key, ()))
        if kind != "object":
            return found
        sample = next((held[key] for held in (self.samples, self.values) if held.get(key) is not None), None)
        return found._replace(sample=sample.sample if isinstance(sample, Handed) else sample)

    def of_library(self, function: FunctionType, node: ast.Name) -> Operand | Thing:
        """What a name means in an inlined function, of which it is not a local variable."""
        if node.id in function.__code__.co_freevars:
            return self.captured(function, node.id, node)
        return self._global(function, node)

    def captured(self, function: FunctionType, name: str, node: ast.AST) -> Operand | Thing:
        """What a function has in a cell: a number, what all simulations have in common, or what its name leads to."""
        root, fact = self.capture(function, name, node)
        value, found = fact.answer, self._meant(fact)
        bounds = self.captures.of[root].known if root else None
        if isinstance(found, Operand) and isinstance(bounds, Bounds):  # each simulation has a number of its own
            self.numbers[found.text] = root
            return found._replace(low=bounds.low, high=bounds.high)
        if not root or isinstance(value, FunctionType | type) or is_shared(value):
            return found
        self.things[root, ()] = type(value)
        self._note_exact(root, (), value)
        return Thing(root, (), value)

    def capture(self, function: FunctionType, name: str, node: ast.AST) -> tuple[str, Fact]:
        """From now on it is a fact what a cell has; the name under which that is reached, "" if by no cells."""
        cell, root = closure_cells(function)[name], self.captures.root_of(function, name)
        try:
            fact = Fact(content, cell, content(cell))
        except ValueError:
            raise Unknown("it has no value", node) from None
        self.note(cell, f"cell {name}", fact, is_of_all=bool(root))
        if root:
            self.captures.note(root, fact.answer)
        return root, fact

    def _global(self, function: FunctionType, node: ast.Name) -> Operand | Thing:
        names = function.__globals__
        if node.id in names:
            return self._noted(names, names.get, node.id, node.id, node)
        if not hasattr(builtins, node.id):
            raise Unknown("nothing has this name", node)
        self.facts[id(names), node.id] = Fact(names.get, node.id, None)
        return self._noted(builtins, vars(builtins).get, node.id, node.id, node)

    def note(self, holder: object, name: str, fact: Fact, *, is_of_all: bool = False) -> None:
        """From now on something about an object is a fact: about one of this simulation, or of all."""
        self.facts[id(holder), name] = fact
        if not is_of_all:
            self.particular.add((id(holder), name))

    def note_setting(self, name: str) -> None:
        """The same of an attribute of the simulation."""
        self.settings[name] = getattr(self.world, name)

    def note_function(self, function: FunctionType) -> None:
        """A function is inlined: its code and the defaults of its arguments become facts."""
        for name in FACTS:
            ask = attrgetter(name)
            is_of_all = is_common(function) or bool(self.captures.function_root(function))
            self.note(function, name, Fact(ask, function, ask(function)), is_of_all=is_of_all)
        given = function.__kwdefaults__ or {}
        self.facts.update({(id(given), name): Fact(given.get, name, value) for name, value in given.items()})

    def of_module(self, module: ModuleType, node: ast.Attribute) -> Operand | Thing:
        """What a module has by a name."""
        if node.attr not in vars(module):
            getattr(module, node.attr, None)  # it may be loaded when it is first used
        if node.attr not in vars(module):
            return self._noted(module, attrgetter(node.attr), module, node.attr, node)
        return self._noted(module, vars(module).get, node.attr, node.attr, node)

    def _noted(
        self, holder: object, ask: Callable[[Any], Any], about: object, name: str, node: ast.AST
    ) -> Operand | Thing:
        """What an object outside means by a name; from then on that is a fact."""
        try:
            fact = Fact(ask, about, ask(about))
        except AttributeError:
            raise Unknown("it has no value", node) from None
        self.note(holder, name, fact, is_of_all=is_common(fact.answer))
        return self._meant(fact)

    def _meant(self, fact: Fact) -> Operand | Thing:
        """What the answer of a fact is in the kernel."""
        value = fact.answer
        if not isinstance(value, bool | int | float) or type(value) not in KINDS:
            return Thing("", (), value)
        if isinstance(value, bool):
            return constant(value)
        known = constant(value)  # if a row can have it
        text = next((text for text, one in self.given.items() if one.is_same(fact)), f"g_{len(self.given)}")
        self.given[text] = fact
        return known._replace(text=text)

    # --- objects --------------------------------------------------------------------------------------------------

    def of_thing(self, owner: Thing, node: ast.Attribute) -> Operand | Thing:
        """What an object has by a name: methods of objects that are known, members of enumerations."""
        value = owner.value
        if isinstance(value, EnumType) and node.attr in value.__members__:
            return self._noted(value, value._member_map_.get, node.attr, node.attr, node)
        if not (
            (type(value) in (Resource, PreemptiveResource) and node.attr in ("request", "use"))
            or (type(value) in (Container, Store) and node.attr in ("put", "get"))
            or (type(value) is GeneratorProcess and node.attr == "interrupt")
            or type(value) in PLAIN
            or isinstance(value, World | Tally)
            or is_array_of_floats(value)
        ):
            raise Unknown("attributes of objects are left to Python", node)
        found = getattr(value, node.attr, ABSENT)
        if type(found) in KINDS or found is ABSENT or isinstance(found, Process):
            raise Unknown("attributes of objects are left to Python", node)
        for base in type(value).__mro__:
            self.facts[id(base), node.attr] = Fact(vars(base).get, node.attr, vars(base).get(node.attr))
            if node.attr in vars(base):
                break
        if isinstance(getattr_static(value, node.attr), property):
            raise Unknown("what is computed at each access is left to Python", node)
        return self._method_of(owner, node, found)

    def method(self, owner: Thing, node: ast.Attribute) -> Thing:
        """The method that an object of the user's has by a name, whose class is known to have it."""
        if node.attr in getattr(owner.value, "__dict__", ()):
            raise Unknown("it has something else in the place of a method", node)
        return self._method_of(owner, node, getattr(owner.value, node.attr))

    def note_class(self, owner: Thing) -> None:
        """An object goes on to be of its class; that of one to which a variable leads is noted where it does."""
        if not owner.root and owner.value is not self.created:
            self.note(owner.value, "class", class_fact(owner.value))

    def _method_of(self, owner: Thing, node: ast.Attribute, found: object) -> Thing:
        value = owner.value
        own = None if owner.root else own_fact(value, node.attr, found)
        if own is not None:
            self.note(value, f"own {node.attr}", own)
        self.methods[owner.root, (*owner.path, node.attr)] = getattr(found, "__func__", None)
        return Thing(owner.root, (*owner.path, node.attr), found)

    def stream(self, owner: Thing, name: str) -> Thing:
        """The stream of a simulation by its name."""
        found = World.stream(owner.value, name)
        if not owner.root:
            return Thing("", (), found)
        path = (*owner.path, STREAM + name)
        self.things[owner.root, path] = type(found)
        return Thing(owner.root, path, found)

    def station(self, owner: Thing) -> str:
        """The variable of the kernel with the number of a resource."""
        return _numbered(self.stations, "c_station", owner)

    def level(self, owner: Thing, kind: Kind) -> str:
        """The variable of the kernel with the number of a level or a container, whose values are of a type."""
        text = _numbered(self.levels, "c_level", owner)
        self.level_kinds[text] = kind
        return text

    def quantity(self, owner: Thing, kept: Kept) -> str:
        """The variable of the kernel with the slot of a number of a component."""
        for text, (known, where) in self.quantities.items():
            is_it = (known.root, known.path) == (owner.root, owner.path) and (owner.root or known.value is owner.value)
            if is_it and where == kept:
                return text
        text = f"c_slot{len(self.quantities)}"
        self.quantities[text] = owner, kept
        return text

    def guard(self, awaited: Awaited) -> str:
        """The variable of the kernel with the guard of what is waited for."""
        text = next((text for text, known in self.guards.items() if known.is_like(awaited)), "")
        text = text or f"c_guard{len(self.guards)}"
        self.guards[text] = awaited
        return text

    def keep_private(self, names: frozenset[str]) -> None:
        """Only conditions of waits know of these variables besides the function."""
        self.private = names
        self.own |= names

    def process(self, owner: Thing) -> str:
        """The variable of the kernel with a reference to a process."""
        return _numbered(self.processes, "c_process", owner)

    def cause(self, owner: Thing) -> str:
        """The variable of the kernel with the number of an object."""
        return _numbered(self.causes, "c_cause", owner)

    def need_simulation(self, thing: Thing) -> None:
        """Something is taken for the simulation of the process."""
        if thing.value is not self.world:
            raise Unknown("it may be the time of another simulation")
        self.simulations[thing.root, thing.path if thing.root else ()] = thing.value

    def _note_exact(self, root: str, path: Path, value: object) -> None:
        """A function, class or module that a variable leads to: native code is compiled for this one."""
        outside = value.__self__ if isinstance(value, BuiltinMethodType) else value
        if outside is None or isinstance(outside, FunctionType | ModuleType | type):
            self.exact[root, path] = value

    def owner_of(self, called: Thing) -> Thing:
        """The object of a bound method."""
        if not called.root or (called.root, called.path) in self.methods:
            return Thing(called.root, called.path[:-1], called.value.__self__)
        self.exact[called.root, (*called.path, "__func__")] = called.value.__func__
        return Thing(called.root, (*called.path, "__self__"), called.value.__self__)

    def note_type(self, owner: Thing, name: str, kind: type) -> None:
        """An attribute of an object is of a type."""
        if owner.root:
            self.things[owner.root, (*owner.path, name)] = kind
            self._note_exact(owner.root, (*owner.path, name), getattr(owner.value, name))
        else:
            value = owner.value
            self.note(value, f"type {name}", Fact(lambda asked: type(getattr(value, asked, ABSENT)), name, kind))

    def is_lasting(self, thing: Thing) -> bool:
        """Whether an object is the same whenever a row comes there, and not created each time or made later."""
        is_known = not thing.path or (bool(thing.root) and (thing.root, thing.path) in self.things)
        return is_known and not (thing.value is self.created is not None) and not isinstance(thing.value, METHODS)

    def address(self, called: Thing) -> str:
        """The variable of the kernel with the address of a callable, or of another object."""
        for text, known in self.addresses.items():
            if (known.root, known.path) == (called.root, called.path) and (known.root or _are_same(known, called)):
                return text
        text = f"c_{len(self.addresses)}"
        self.addresses[text], self.calls[text] = called, addressed_call(called.value, called.path)
        return text

    @cached_property
    def questions(self) -> Questions:
        """Those of all facts, when all is read."""
        return questions_of(chain(self.facts.values(), self.doubts[0].values()))
