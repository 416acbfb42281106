"""What stands around the code that is lowered: the objects it refers to, their attributes, globals, modules.

Every object that is met is written down as a step, with what another must be like to stand in its place.
"""

from __future__ import annotations

import builtins
from dataclasses import replace
from enum import Enum
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from eventide.continuous import Continuous, StateVariable, Variable, VectorVariable
from eventide.continuous.components.component import Law
from eventide.continuous.components.reference import Mode
from eventide.declare import Component
from eventide.discrete.queue import Queue
from eventide.discrete.world import World
from eventide.lowering.names.found import (
    ROLES,
    ClosureNumber,
    Found,
    ModePlace,
    PassedNumber,
    Place,
    PropertyRead,
    mode_of,
    place_of,
)
from eventide.lowering.names.paths import (
    GLOBALS,
    ITEMS,
    NUMBERS,
    Check,
    Listed,
    Space,
    Step,
    check_of,
    follow,
    is_array,
    is_class_variable,
    is_double,
    is_itself,
    is_number,
    is_numpys,
    is_plain,
    is_token,
)
from eventide.lowering.not_compilable import Unlowerable
from eventide.lowering.translation.values import (
    AppendTarget,
    Builtin,
    Clock,
    Function,
    Item,
    Items,
    Mapped,
    Module,
    Nothing,
    ObjectList,
    Opaque,
    Path,
    Ref,
    Slot,
    Stored,
    SuperRef,
    Table,
    Token,
    Vector,
    View,
    constant,
)
from eventide.reading.constants import ABSENT, Constant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eventide.continuous.components.member import Member
    from eventide.lowering.kernels.lowered import LoweredKind, Row
    from eventide.reading.entries import Entry
    from eventide.reading.source import SourceBook

LASTING: Final = (ModuleType, type, FunctionType, BuiltinFunctionType, staticmethod, property, int, float, str)
"""Of these no object is of a simulation."""
STRANGE: Final = "it belongs to another simulation"
LARGEST_WHOLE: Final = 2**53
"""Up to this whole number every one is a float."""
LOOSE: Final[dict[str, Row]] = {"state": "state", "rate": "rate", "last_state": "last"}


class NameResolver:
    """What one function reaches.

    steps       every object met, by its path
    consts      the paths of the numbers that a condition closes over
    names       what names of modules and classes stand for, as far as that is no object of the model's: also where it
                is nothing, or cannot be followed
    takes_lists whether a list is meant itself, and not what is in it
    has_modes   whether it reads a mode by its number; asks_modes: whether it does so, or one kernel fits one answer
    """

    def __init__(self, entry: Entry, kind: LoweredKind, book: SourceBook) -> None:
        self.entry = entry
        self.kind = kind
        self.book = book
        self.steps: dict[Path, Step] = {}
        self.constants: dict[tuple[int, str], Constant] = {}
        self.names: dict[tuple[int, str], Constant] = {}
        self.consts: list[Path] = []
        self._sim: World | None = None
        self._namespaces: dict[Path, dict[str, object] | type] = {}
        self._unsteady: set[Path] = set()
        self._of_class: set[Path] = set()
        self._told: set[Path] = set()
        self.takes_lists = False
        self.has_modes, self.asks_modes = False, True

    # --- objects by their paths -----------------------------------------------------------------------------------

    def root(self, name: str) -> Found:
        """What a name of the entry stands for."""
        try:
            value = self.entry.root(name)
        except (KeyError, ValueError):
            raise Unlowerable(f"`{name}` has no value yet") from None
        if name in self.entry.function.__code__.co_freevars and self.book.is_rebound(self.entry.function, name):
            self._unsteady.add((name,))
        return self.item(value, (name,))

    def item(self, value: object, path: Path, element: str | None = None) -> Found:
        """What an object found at a path means to the code."""
        if is_itself(value):
            self._note(path, "same", value)
            return _as_item(value)
        if isinstance(value, BuiltinFunctionType):
            return Builtin(value)
        if is_token(value) and element is None:
            self._note(path, "token", (type(value), ()))
            return Token(type(value), path, value)
        if is_number(value):
            return self._number(value, path, element)
        if self.takes_lists and type(value) is list:
            self._note(path, "class", list)
            return AppendTarget(path)
        if isinstance(value, list | tuple) or is_array(value):
            return self._list(value, path, element)
        if type(value) is dict and element is None:
            self._note(path, "class", dict)
            return Mapped(path, value)
        if isinstance(value, np.ndarray):
            sort = f"one of {value.dtype} in {value.ndim}" if value.ndim != 1 else f"one of {value.dtype}"
            raise Unlowerable(f"of arrays those of floats in one dimension are followed, and this is {sort}")
        self._doubt(path, getattr(value, "__func__", value))
        self._note(path, *check_of(value), sample=value)
        self._check_simulation(value)
        if value is None:
            return Nothing()
        if isinstance(value, World):
            return Clock()
        if isinstance(value, FunctionType):
            found = Function(value, path)
            # What a module names is no simulation's.
            return self._followed(found) if value.__globals__.get(value.__name__) is value else found
        if isinstance(value, MethodType) and isinstance(value.__func__, FunctionType):
            owner = self.item(value.__self__, (*path, "__self__"), element)
            return Function(value.__func__, path, owner) if isinstance(owner, Ref) else Opaque(value)
        is_odd = isinstance(value, str | bytes | dict | set | frozenset | float | int | complex)
        if is_odd or (callable(value) and not isinstance(type(value).__call__, FunctionType)):
            return Opaque(value)
        return Ref(path, value, element)

    def _doubt(self, path: Path, function: object) -> None:
        """Compare a function after each event where some code may set its code or its defaults."""
        if isinstance(function, FunctionType) and self.book.may_alter(function, self.entry.function):
            self._unsteady.add(path)
            self._told.discard(path)

    def _number(self, value: Any, path: Path, element: str | None) -> ClosureNumber | PassedNumber:
        kind = type(value) if type(value) in NUMBERS else float
        if kind is int and abs(value) > LARGEST_WHOLE:
            raise Unlowerable(f"{value} is too large to be passed to a kernel exactly")
        self._note(path, "class", type(value))
        is_closed_over = len(path) == 1 or path[-1][0] in "(="
        if self.kind == "law" or not is_closed_over:
            return PassedNumber(path, kind, element, is_double(value))
        if path not in self.consts:
            self.consts.append(path)
        return ClosureNumber(self.consts.index(path), kind, is_double(value))

    def _list(self, value: Listed, path: Path, element: str | None) -> Item:
        if element is not None:
            raise Unlowerable("lists inside lists are not followed")
        kinds = {type(item) for item in value} if len(value) else set()
        if is_array(value) or kinds in ({float}, {int}):
            kind = int if kinds == {int} else float
            self._note(path, "table", kind, sample=value)
            return Table(path, kind, len(value) if is_array(value) else None)
        if kinds and kinds <= {int, float}:
            raise Unlowerable("whole numbers and floats stand in one list here: write them all as floats")
        if type(value) is tuple and value and all(is_plain(item) for item in value):
            return self._tuple(value, path)
        if not all(isinstance(item, Component | Variable) and not isinstance(item, StateVariable) for item in value):
            return Opaque(value)
        self._note(path, "class", type(value))
        return ObjectList(path, tuple(value))

    def _tuple(self, value: tuple[object, ...], path: Path) -> Item:
        """Objects of any kind, which are followed one by one."""
        self._note(path, "tuple", len(value))
        found = [self.item(item, (*path, f"[{number}]")) for number, item in enumerate(value)]
        items = [item for item in found if isinstance(item, Ref | Function)]
        return Items(tuple(items)) if len(items) == len(found) else Opaque(value)

    def all_items(self, elements: ObjectList) -> Path:
        """The path of all items of a list, to go over or to count."""
        classes = list(dict.fromkeys(type(item) for item in elements.items))
        if len(classes) > 1:
            raise Unlowerable(f"the items are of several classes: {' and '.join(cls.__name__ for cls in classes)}")
        path = (*elements.path, ITEMS)
        layouts: dict[int, Continuous] = {}
        for item in elements.items:
            if isinstance(item, Continuous):
                layouts.setdefault(id(item._layout), item)
        if len(layouts) > 1:
            names = " and ".join(item.name for item in list(layouts.values())[:2])
            raise Unlowerable(f"the vectors of the items differ in size, as those of {names} do")
        self._note(path, "items", classes[0] if classes else None, sample=elements.items[0] if classes else None)
        for item in elements.items:
            self._check_simulation(item)
        return path

    def members(self, item: Item) -> Item:
        """A queue of components as the list of its members; anything else as it is."""
        if not isinstance(item, Ref) or not isinstance(item.sample, Queue) or item.element is not None:
            return item
        members = tuple(item.sample)
        return ObjectList(item.path, members) if all(isinstance(one, Component) for one in members) else item

    def one_item(self, elements: ObjectList, index: int) -> Found:
        """One item of a list."""
        if not -len(elements.items) <= index < len(elements.items):
            self.all_items(elements)  # so that the refusal is taken back when there are items
            raise Unlowerable(f"the list has {len(elements.items)} items now")
        return self.item(elements.items[index], (*elements.path, f"[{index}]"))

    def note_keys(self, mapped: Mapped) -> None:
        """A dictionary has to keep its keys from now on, as what they are not is one and the same to a kernel."""
        if mapped.path:
            self.steps[mapped.path] = replace(self.steps[mapped.path], check="keys", expected=tuple(mapped.items))

    def item_of_key(self, mapped: Mapped, key: object) -> Found:
        """One item of a dictionary."""
        if type(key) not in (str, int):
            raise Unlowerable("of dictionaries that are not written out, keys are followed that are texts or numbers")
        if key not in mapped.items:
            self.note_keys(mapped)  # so that the refusal is taken back when it has it
            raise Unlowerable(f"the dictionary has no {key!r} now")
        return self.item(mapped.items[key], (*mapped.path, f"[{key!r}]"))

    def _note(self, path: Path, check: Check, expected: object, sample: object = None) -> None:
        if path not in self.steps:
            parents = list(self.steps)
            parent = parents.index(path[:-1]) if path[:-1] in self.steps else -1
            layout = sample._layout if isinstance(sample, Continuous) else None
            self.steps[path] = Step(
                path,
                parent,
                check,
                expected,
                self._can_change(path, check),
                self._namespaces.get(path),
                layout if layout is not None and layout.lengths else None,
                path in self._told and (check not in ("table", "array") or type(sample) is tuple),
            )

    def equals(self, token: Token, other: object) -> bool:
        """Whether a token is equal to another one; from now on that is a part of the code."""
        step, is_equal = self.steps[token.path], bool(token.value == other)
        kind, told = step.expected
        self.steps[token.path] = replace(step, expected=(kind, tuple(dict.fromkeys((*told, (other, is_equal))))))
        return is_equal

    def as_vector(self, table: Table) -> Vector:
        """An array to compute with: from now on it has to keep its size."""
        assert table.array_size is not None
        step = self.steps[table.path]
        self.steps[table.path] = replace(step, check="array", expected=(table.array_size,))
        return Vector(table, 0, 1, table.array_size)

    def _can_change(self, path: Path, check: Check) -> bool:
        """Closures change where code rebinds the name; attributes and items change, but not those of a tuple.

        What is found through a class changes with the class, which is looked at for all its objects at once.
        """
        if len(path) == 1 or path[-1][0] in "(=" or path in self._unsteady:
            return check in ("table", "array") or path in self._unsteady
        parent = self.steps.get(path[:-1])
        is_of_tuple = path[-1][0] == "[" and parent is not None and parent.check == "tuple"
        return not is_of_tuple and path[-1] not in ("__self__", GLOBALS) and path not in self._of_class

    def _check_simulation(self, value: object) -> None:
        if not isinstance(value, Component | Variable | World):
            return
        sim = value if isinstance(value, World) else value.sim
        if self._sim is not None and sim is not self._sim:
            raise Unlowerable(STRANGE)
        self._sim = sim

    # --- globals --------------------------------------------------------------------------------------------------

    def global_name(self, function: Function, name: str) -> Found:
        """What a name outside all functions stands for."""
        namespace = function.function.__globals__
        self._note_globals(function)
        where = str(namespace.get("__name__"))
        self._note_name(where, name, namespace)
        if name not in namespace:
            if hasattr(builtins, name):
                self._freeze(where, name, ABSENT, namespace)
                return Builtin(getattr(builtins, name))
            raise Unlowerable(f"`{name}` is not defined")
        return self._named(namespace, where, name, function.function.__code__.co_filename)

    def _note_globals(self, function: Function) -> None:
        """A function that names find is that very one; of what objects refer to, one code may have several globals."""
        path = () if function.function is self.entry.function else function.path
        if path is not None and path not in self._namespaces:
            if path:
                self._note(path, "code", function.function.__code__)
            self._note((*path, GLOBALS), "same", function.function.__globals__)

    def module_name(self, module: ModuleType, name: str) -> Found:
        """A name of a module."""
        namespace = vars(module)
        self._note_name(module.__name__, name, namespace)
        if name not in namespace:
            raise Unlowerable(f"module {module.__name__} has no {name!r}")
        return self._named(namespace, module.__name__, name, getattr(module, "__file__", None) or "")

    def _named(self, namespace: dict[str, object], where: str, name: str, file: str) -> Found:
        value = namespace[name]
        if is_number(value):
            return self._named_number(namespace, where, name, value, self.book.sets_global(file, namespace, name))
        is_word = isinstance(value, str) or is_token(value)
        if value is None or is_word or is_itself(value) or isinstance(value, FunctionType):
            self._freeze(where, name, value, namespace)
        if isinstance(value, FunctionType):
            return self._followed(Function(value, self._path_of(namespace, where, name)))
        if value is None:
            return Nothing()
        if is_itself(value):
            return _as_item(value)
        return Opaque(value) if is_word else self.item(value, self._path_of(namespace, where, name))

    def _named_number(self, space: Space, where: str, name: str, value: float, is_varying: bool) -> Found:
        """A number of a module or class: a part of the code, unless it changes often; then it is told."""
        if not is_varying and (id(space), name) not in self.book.varying:
            self._freeze(where, name, value, space)
            return constant(value)
        path = self._path_of(space, where, name)
        self._unsteady.add(path)
        return self._number(value, path, None)

    def _path_of(self, space: Space, where: str, name: str) -> Path:
        """The path of what a module or class has; of two of one name the later has its name marked."""
        while self._namespaces.setdefault((f"{where}:{name}",), space) is not space:
            where += "'"
        return (f"{where}:{name}",)

    def _note_name(self, where: str, name: str, namespace: Mapping[str, object]) -> None:
        value = namespace.get(name, ABSENT)
        if value is None or value is ABSENT or isinstance(value, LASTING):
            self.names[id(namespace), name] = Constant(where, name, value, namespace)

    def _freeze(self, where: str, name: str, value: object, holder: object) -> None:
        is_attribute = isinstance(holder, type | FunctionType)
        self.constants[id(holder), name] = Constant(where, name, value, holder, is_attribute)

    def _followed(self, function: Function) -> Function:
        """A function that is no simulation's, which is taken as it stands."""
        self._freeze(function.function.__qualname__, "__code__", function.function.__code__, function.function)
        return function

    def freeze_defaults(self, function: FunctionType) -> None:
        """Take the defaults of a function as they stand."""
        for part in ("__defaults__", "__kwdefaults__"):
            self._freeze(function.__qualname__, part, getattr(function, part), function)
        for name, value in (function.__kwdefaults__ or {}).items():
            self._freeze(function.__qualname__, name, value, function.__kwdefaults__)

    def closed_over(self, function: Function, name: str) -> Found:
        """What a function that was met on the way closes over."""
        return self._selected(function, f"({name})", name)

    def default(self, function: Function, name: str) -> Found:
        """The default of a parameter of such a function."""
        return self._selected(function, f"={name}", name)

    def _selected(self, function: Function, selector: str, name: str) -> Found:
        try:
            value = follow(function.function, selector)
        except (KeyError, ValueError):
            raise Unlowerable(f"`{name}` has no value yet") from None
        if selector[0] == "=" and (id(function.function), "__code__") in self.constants:
            self.freeze_defaults(function.function)
        if function.path is None:
            if type(value) in NUMBERS and selector[0] == "=":
                return constant(value)
            raise Unlowerable(f"`{name}` is closed over by a function that is found through a class")
        self._note(function.path, "code", function.function.__code__)
        path = (*function.path, selector)
        if selector[0] == "(" and self.book.is_rebound(function.function, name):
            self._unsteady.add(path)
        elif selector[0] == "=":
            self._doubt(path, function.function)
        return self.item(value, path)

    # --- attributes -----------------------------------------------------------------------------------------------

    def attribute(self, ref: Ref, name: str) -> Found:
        """What `object.name` means."""
        sample = ref.sample
        if isinstance(sample, VectorVariable):
            raise Unlowerable("the variable behind a vector is not followed: name the vector of its component")
        if isinstance(sample, Variable):
            return _variable_place(ref, name)
        if isinstance(sample, Component) and name == "sim":
            return Clock()
        if isinstance(sample, Continuous):
            if name in sample._layout.offsets:
                return place_of(ref, name)
            if name in sample._layout.starts:
                return vector_of(ref, ROLES[sample._layout.fields[name].role], name)
            if name in sample._layout.sizes:
                return constant(sample._layout.sizes[name])
            if name in ("rate", "last"):
                return View(ref, "rate" if name == "rate" else "last")
        return self._member(ref, name)

    def view(self, view: View, name: str) -> Place | Vector:
        """A name of `rate` or `last`."""
        layout = view.owner.sample._layout
        if name in layout.vectors:
            return vector_of(view.owner, view.row, name)
        if name not in layout.states:
            known = ", ".join((*layout.states, *layout.vectors)) or "none"
            raise Unlowerable(f"{type(view.owner.sample).__name__} has no state {name!r}; it has: {known}")
        return Place(view.owner, view.row, name, layout.offsets[name])

    def slot(self, slot: Slot, name: str) -> Place:
        """A name of the `Variable` behind a name of a component."""
        place = place_of(slot.owner, slot.name)
        if name not in LOOSE:
            raise Unlowerable(f"of a Variable only {', '.join(LOOSE)} are followed")
        return Place(place.owner, place.row if name == "state" else LOOSE[name], place.name, place.offset)

    def _member(self, ref: Ref, name: str) -> Found:
        sample, cls = ref.sample, type(ref.sample)
        home, member = self._find_member(cls, name)
        path = (*ref.path, name)
        if isinstance(member, property):
            if home.__module__.startswith("eventide.") or not isinstance(member.fget, FunctionType):
                raise Unlowerable(f"{name!r} of {cls.__name__} is the library's own and is not stored as a number")
            self._freeze(cls.__qualname__, name, member, cls)
            return PropertyRead(self._followed(Function(member.fget, None, ref)))
        is_static = isinstance(member, staticmethod)
        function = member.__func__ if is_static else member
        if isinstance(function, FunctionType) and name not in _own(sample):
            if not self._is_laid_over(function, name):
                self._freeze(cls.__qualname__, name, function, cls)
                if isinstance(sample, Continuous | Variable) or home.__module__.startswith("eventide."):
                    self._of_class.add(path)  # members of flows are searched for own methods, others are not
            self._note(path, "code", function.__code__)
            return self._followed(Function(function, path, None if is_static else ref))
        if name not in _own(sample) and type(member) in NUMBERS and is_class_variable(home, name):
            return self._class_number(cls, home, name, member)
        if hasattr(type(member), "__get__") and name not in _own(sample) and not _is_slot(member):
            raise Unlowerable(f"a {type(member).__name__} is not followed")
        try:
            value = getattr(sample, name)
        except AttributeError:
            raise Unlowerable(f"{cls.__name__} has no {name!r}") from None
        is_reference = isinstance(sample, Continuous) and name in sample._layout.references
        if is_reference and not self.book.definition(self.entry.function).file.lays_over(name):
            self._told.add(path)
        if isinstance(sample, Law):
            self._of_class.add(path)  # its function is given once for all
        if is_reference and self.asks_modes and isinstance(member, Mode) and member.fits(sample):
            return self._mode(ref, name, member)
        item = self.item(value, path, ref.element)
        if isinstance(item, Opaque) and not is_numpys(item.value):
            raise Unlowerable(f"{name!r} is a {type(value).__name__}, and only numbers and components can be followed")
        return item

    def _mode(self, ref: Ref, name: str, field: Mode) -> ModePlace:
        """A mode, of which the number is read."""
        self.has_modes = True
        self._note((*ref.path, name), "mode", field)
        return mode_of(ref, name)

    def _is_laid_over(self, function: FunctionType, name: str) -> bool:
        """Whether code sets an attribute by a method's name, so that an object's may differ from its class's."""
        return any(self.book.definition(one).file.stores(name) for one in (function, self.entry.function))

    def class_attribute(self, cls: type, name: str) -> Found:
        """What `Class.name` means."""
        home, member = self._find_member(cls, name)
        function = member.__func__ if isinstance(member, staticmethod) else member
        if isinstance(function, FunctionType):
            self._freeze(cls.__qualname__, name, function, cls)
            return self._followed(Function(function))
        if type(member) in NUMBERS:
            return self._class_number(cls, home, name, member)
        if issubclass(cls, Enum) and is_token(found := getattr(cls, name)):
            return Opaque(found)
        raise Unlowerable(f"of classes only functions and numbers annotated as ClassVar are followed, not {name!r}")

    def above(self, above: SuperRef, name: str) -> Item:
        """What `super().name` means."""
        classes = type(above.owner.sample).__mro__
        for cls in classes[classes.index(above.cls) + 1 :]:
            member = vars(cls).get(name)
            self._note_name(cls.__qualname__, name, vars(cls))
            self._freeze(cls.__qualname__, name, ABSENT if member is None else member, vars(cls))
            if isinstance(member, FunctionType):
                return self._followed(Function(member, None, above.owner))
            if member is not None:
                return Opaque(member)
        raise Unlowerable(f"no class above {above.cls.__name__} has {name!r}")

    def _find_member(self, cls: type, name: str) -> tuple[type, Any]:
        """The class in which a name is found, and what it stands for there; the class itself and None if nowhere."""
        home = next((base for base in cls.__mro__ if name in vars(base)), cls)
        self._note_name(home.__qualname__, name, vars(home))
        return home, vars(home).get(name)

    def _class_number(self, cls: type, home: type, name: str, value: float) -> Found:
        if not is_class_variable(home, name):
            raise Unlowerable(f"{home.__name__}.{name} is a number of the class: annotate it as ClassVar")
        return self._named_number(cls, cls.__qualname__, name, value, is_varying=False)


def _as_item(value: object) -> Item:
    if isinstance(value, ModuleType):
        return Module(value)
    return Builtin(value) if isinstance(value, BuiltinFunctionType | type) else Opaque(value)


def vector_of(ref: Ref, row: Row, name: str) -> Vector:
    """All of a vector of a component."""
    layout = ref.sample._layout
    length = layout.lengths[name]
    return Vector(Stored(ref, row, name, layout.starts[name], length), 0, 1, length)


def _variable_place(ref: Ref, name: str) -> Place:
    if isinstance(ref.sample, StateVariable):
        raise Unlowerable(f"{ref.sample.name} stands for a state of a component: name it by its component")
    if name not in LOOSE:
        raise Unlowerable(f"of a Variable only {', '.join(LOOSE)} are followed")
    return Place(ref, LOOSE[name], "state", 0)


def _own(sample: object) -> dict[str, object]:
    return getattr(sample, "__dict__", {})


def _is_slot(member: Member) -> bool:
    return type(member).__name__ == "member_descriptor"
