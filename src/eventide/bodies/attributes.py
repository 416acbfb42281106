"""Attributes of objects of the user's classes: native code reads and sets numbers where Python keeps them.

An object that a local variable leads to is compared with the one that the row has known, whenever it is used. Classes
that have a say in it (`__getattr__`, `__setattr__`, properties, other descriptors) leave their attributes to Python.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from operator import attrgetter
from textwrap import indent
from types import FunctionType, MemberDescriptorType, NoneType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from eventide.bodies import words
from eventide.bodies.calls import PLAIN, addressed_call
from eventide.bodies.emission import EXIT, taken
from eventide.bodies.naming import ABSENT, CREATED, Fact
from eventide.bodies.operands import EXACT, ITSELF, KINDS, OPTIONAL, WIDE, Kind, Operand, Thing, Unknown, constant, sure
from eventide.bodies.stations.choosing import MOST, are_few, are_of_one_sort, known_in, numbers_in, picked
from eventide.discrete.processes.process import Process
from eventide.discrete.world import World
from eventide.reading.nodes import is_set_in_order
from eventide.rows.codes import UNMADE
from eventide.statistics.tally import Tally

if TYPE_CHECKING:
    from eventide.bodies.emission import Emission
    from eventide.bodies.expressions import BodyExpressions
    from eventide.bodies.naming import Naming
    from eventide.declare import Kept

_MADE_IN_PYTHON: Final = 1 << 9
"""Among `__flags__` of a class: it was made by a class statement."""
ACCESS: Final = {
    "__getattribute__": object.__getattribute__,
    "__setattr__": object.__setattr__,
    "__getattr__": ABSENT,
}
"""What a class has under these names if it does not customise attributes."""
_TYPES: Final[dict[Kind, type]] = {kind: known for known, kind in KINDS.items()}


def is_plain(value: object) -> bool:
    """Whether the class of an object is the user's, and does not customise attributes."""
    return is_plain_class(type(value))


def may_change_class(kind: type) -> bool:
    """Whether objects of a class may get another one, but for processes, whose classes change as they become rows."""
    return bool(kind.__flags__ & _MADE_IN_PYTHON) and not issubclass(kind, Process) and is_plain_class(kind)


def is_plain_class(kind: type) -> bool:
    """The same of the objects of a class."""
    is_other = kind in PLAIN or issubclass(kind, World | Tally)
    if kind is SimpleNamespace:
        return True
    is_own = not is_other and kind.__flags__ & _MADE_IN_PYTHON and not f"{kind.__module__}.".startswith("eventide.")
    return bool(is_own) and all(getattr(kind, name, ABSENT) is plain for name, plain in ACCESS.items())


def read(
    expressions: BodyExpressions, owner: Thing, node: ast.Attribute, *, is_compared: bool = False
) -> Operand | Thing:
    """What a plain object has by a name: a number as it is now, or an object that is known. Raises Unknown.

    is_compared     whether the address of a word will do that the attribute has now
    """
    naming, name = expressions.naming, node.attr
    inherited = _note_class(naming, type(owner.value), node)
    naming.note_class(owner)
    if isinstance(inherited, FunctionType):
        return naming.method(owner, node)
    if owner.value is naming.created:
        return _of_created(expressions, owner, node, inherited)
    found = getattr(owner.value, name, ABSENT)
    key = ".".join((owner.root, *map(str, owner.path), name))
    kind = KINDS.get(type(found)) or (naming.kinds.get(key) if owner.root else None)
    now = _kind_now(expressions, node, found, "mixed" if naming.kinds.get(key) == "mixed" else kind)
    if now is None and is_compared and found is not ABSENT and words.varies(expressions, name, found):
        return words.held(expressions, _where(naming, owner, name), found)
    if now is not None:
        if now == KINDS.get(type(found)):
            naming.note_type(owner, name, type(found))
        return taken_varying(naming, expressions.emission, f"attribute({_where(naming, owner, name)}, {{}})", now)
    if found is ABSENT:
        if owner.root:
            naming.doubts[1][owner.root, (*owner.path, name)] = type(ABSENT)
        raise Unknown("it has no such attribute yet", node)
    thing = Thing(owner.root, (*owner.path, name), found) if owner.root else Thing("", (), found)
    if owner.root:
        naming.note_type(owner, name, type(found))
    else:
        naming.note(owner.value, f"own {name}", Fact(attrgetter(name), owner.value, found))
        if not words.is_word(found):  # rows may set it
            return thing
    known = thing if addressed_call(found, thing.path) is None else thing._replace(path=(*thing.path, ITSELF))
    test = f"is_attribute({_where(naming, owner, name)}, {naming.address(known)})"
    expressions.emission.emit_early(EXIT.format(f"{test} == 0"))
    return thing


def _where(naming: Naming, owner: Operand | Thing, name: str) -> str:
    """The address of an object, and that of the name of an attribute."""
    address = owner.text if isinstance(owner, Operand) else naming.address(owner)
    return f"{address}, {_constant(naming, sys.intern(name))}"


def _kind_now(expressions: BodyExpressions, node: ast.Attribute, found: object, known: Kind | None) -> Kind | None:
    """The kind of the number that an attribute has, which may be None where the text says so; None for other things."""
    is_number = known is not None or (found is None and expressions.wanted is node)
    return OPTIONAL[known or "mixed"] if is_number and words.may_be_none(expressions, node.attr) else known


def read_held(
    expressions: BodyExpressions, owner: Operand, node: ast.Attribute, *, is_compared: bool = False
) -> Operand:
    """A number of the object that a variable holds now, which may be another one each time. Raises Unknown.

    is_compared     as of `read`
    """
    naming, known = expressions.naming, _held(expressions, owner, node)
    if (kept := kept_of(Thing("", (), known), node.attr)) is not None:
        return read_quantity(expressions, owner, kept, node)
    _note_class(naming, type(known), node)
    found = getattr(known, node.attr, ABSENT)
    where, now = _where(naming, owner, node.attr), _kind_now(expressions, node, found, KINDS.get(type(found)))
    if now is None and is_compared and words.is_word(found):
        return words.held(expressions, where, found)
    if now is None:
        raise Unknown("of objects that a variable holds in turn numbers are native", node)
    return taken_varying(naming, expressions.emission, f"attribute({where}, {{}})", now)


def _held(expressions: BodyExpressions, owner: Operand, node: ast.Attribute) -> Any:
    """The object that a variable has held; one of another class is left to Python. Raises Unknown."""
    naming, emission = expressions.naming, expressions.emission
    held = owner.sample
    if owner.kind != "object" or not owner.is_early or expressions.is_inside or not is_plain(held):
        raise Unknown("attributes of numbers, and of objects that are not known, are left to Python", node)
    emission.emit_early(EXIT.format(f"{owner.text} <= {UNMADE}"))
    emission.emit_early(EXIT.format(f"is_of_class({owner.text}, {_constant(naming, type(held))}) == 0"))
    return held


def _of_created(expressions: BodyExpressions, owner: Thing, node: ast.Attribute, inherited: object) -> Operand | Thing:
    """What an object has that is not made yet: nothing else can change it."""
    naming, name, held = expressions.naming, node.attr, vars(owner.value)
    key = CREATED + name
    kind = naming.kinds.get(key)
    if kind is not None:
        naming.used.add(key)
        if key not in naming.parameters:
            expressions.emission.stop_if(f"h_{key} == 0", Operand(f"h_{key}", "int"), node=node)
        return Operand(f"v_{key}", kind)
    if name in held:
        naming.note_type(owner, name, type(held[name]))
        return Thing(owner.root, (name,), held[name])
    if isinstance(inherited, int | float) and type(inherited) in KINDS:
        return constant(inherited)
    raise Unknown("it has no such attribute yet", node)


def taken_varying(naming: Naming, emission: Emission, text: str, kind: Kind = "mixed") -> Operand:
    """A number that is now a whole one, now a float, or now None; the text leaves out the address of its type."""
    known = sure(kind)
    value = emission.keep_early({"int": "0", "bool": "False"}.get(known, "0.0"), kind)
    is_needed = (True, known == "mixed", known != kind)
    found, is_whole, none = (emission.keep_early("0", "int").text if one else "" for one in is_needed)
    one = _constant(naming, float if known == "mixed" else _TYPES[known])
    lines = f"{found} = {text.format(one)}\n{EXIT.format(f'{found} == 0')}\n{value.text} = "
    lines += f"taken_{'whole' if known in ('int', 'bool') else 'real'}({found}){' != 0' if known == 'bool' else ''}"
    if known == "int":
        lines += f"\n{EXIT.format(f'{value.text} > {WIDE} or {value.text} < -{WIDE}')}"
    if known == "mixed":
        whole = f"{found} = taken_whole({is_whole})\n{EXIT.format(f'{found} > {EXACT} or {found} < -{EXACT}')}"
        lines = _either(f"{is_whole} == 0", lines, f"{whole}\n{value.text} = float({found})")
        lines = f"{is_whole} = {text.format(_constant(naming, int))}\n{lines}"
    if known != kind:
        lines = _either(f"{none} == 0", lines, f"{none} = dropped({none})")
        lines = f"{none} = {text.format(_constant(naming, NoneType))}\n{lines}"
    emission.emit_early(lines)
    whole = f"({is_whole} != 0)" if known == "mixed" else ""
    return value._replace(whole=whole, none=f"({none} != 0)" if known != kind else "")


def _either(test: str, lines: str, others: str) -> str:
    return f"if {test}:\n{indent(lines, '    ')}\nelse:\n{indent(others, '    ')}"


def item_of(expressions: BodyExpressions, node: ast.Subscript) -> Operand | None:
    """A number of a list or a tuple as it is now, or an object of a tuple, which keeps it; None for other items.

    Raises Unknown.
    """
    naming = expressions.naming
    literal = words.tuple_written(expressions, node.value)
    owner = None if isinstance(node.value, ast.Subscript) else literal or expressions.value(node.value)
    if not isinstance(owner, Thing) or not _has_items(owner) or not owner.value:
        return None
    kind, is_tuple = type(owner.value[0]), type(owner.value) is tuple
    is_picked = are_few(owner.value) and not (is_tuple and words.is_word(owner.value[0]))
    if kind not in KINDS and not is_picked and not (is_tuple and {*map(type, owner.value)} == {kind}):
        return None
    index = expressions.by_value(node.slice, "int")
    if is_picked or (not index.is_early and expressions.is_inside and len(owner.value) <= MOST):
        return picked(expressions, owner, index, node)
    text = f"item({naming.address(owner)}, {index.text}, {_constant(naming, kind)})"
    return taken(expressions.emission, text, KINDS.get(kind, "object"), is_early=index.is_early)


def length_of(expressions: BodyExpressions, node: ast.expr) -> Operand | None:
    """How many items a list or a tuple has; None for anything else. Raises Unknown."""
    owner = None if isinstance(node, ast.Subscript) else expressions.value(node)
    if not isinstance(owner, Thing) or not _has_items(owner):
        return None
    if are_few(owner.value) and (
        words.is_word(owner.value[0]) or (expressions.is_inside and are_of_one_sort(owner.value))
    ):
        return constant(len(known_in(expressions, owner, node)))
    if expressions.is_inside and (count := numbers_in(expressions, owner)):
        return constant(count)
    return expressions.emission.keep_early(f"length({expressions.naming.address(owner)})", "int")


def _has_items(owner: Thing) -> bool:
    """Whether something is a list or a tuple."""
    return type(owner.value) in (list, tuple)


def _setting_plain(
    expressions: BodyExpressions,
    owner: Operand | Thing,
    target: ast.Attribute,
    operand: Operand,
    function: ast.FunctionDef,
) -> tuple[str, bool]:
    """The lines that set an attribute, and whether its type was not known before. Raises Unknown.

    function    in whose text it stands
    """
    naming, name = expressions.naming, target.attr
    known = _held(expressions, owner, target) if isinstance(owner, Operand) else owner.value
    if not is_plain(known):
        raise Unknown("attributes of such objects are set by Python", target)
    inherited = _note_class(naming, type(known), target)
    if isinstance(inherited, FunctionType):
        raise Unknown("it takes the place of a method", target)
    found = getattr(known, name, ABSENT)
    if operand.kind == "object" and known is not naming.created:
        note_change(naming, name, target)
        return words.set_line(expressions, _where(naming, owner, name), operand, found, target), False
    if isinstance(owner, Operand):
        return _set_line(naming, owner, name, operand), False
    if owner.value is naming.created:
        return _setting_created(naming, target, operand, function, inherited)
    key = ".".join((owner.root, *map(str, owner.path), name))
    held, other = KINDS.get(type(found)), sure(operand.kind)
    is_new = bool(owner.root) and key not in naming.kinds and held is None
    if is_new:
        naming.kinds[key] = other
    elif {held, other} <= {"int", "float", "mixed"} and held != other:  # it is read in another way
        is_new = naming.kinds.get(key) != "mixed"
        naming.kinds[key] = "mixed"
    return _set_line(naming, owner, name, operand), is_new


def note_change(naming: Naming, name: str, node: ast.AST | None = None) -> None:
    """Native code changes an attribute of an object. Raises Unknown where laws or conditions read one of that name."""
    if name in naming.observed:
        naming.avoided.add(name)
        raise Unknown("laws or conditions read it: it is set by Python, which tells them", node)
    naming.changed.add(name)


def _set_line(naming: Naming, owner: Operand | Thing, name: str, operand: Operand) -> str:
    """The lines that set an attribute of an object."""
    note_change(naming, name)
    where = _where(naming, owner, name)
    kind = sure(operand.kind)
    word = {"int": "whole", "bool": "truth"}.get(kind, "real")
    lines = f"failed = set_{word}({where}, {f'int({operand.text})' if kind == 'bool' else operand.text})"
    if kind == "mixed":
        lines = _either(operand.whole, f"failed = set_whole({where}, int({operand.text}))", lines)
    if kind != operand.kind:
        lines = _either(operand.none, f"failed = set_object({where}, {_constant(naming, None)})", lines)
    return f"{lines}\nif failed != 0:\n    code = FAILED\n    break"


def _setting_created(
    naming: Naming, target: ast.Attribute, operand: Operand, function: ast.FunctionDef, inherited: object
) -> tuple[str, bool]:
    """The same for an object that is not made yet: a number of the row, which the object gets when it is made."""
    name, key = target.attr, CREATED + target.attr
    known = naming.kinds.get(key)
    if operand.kind == "object":
        raise Unknown("of what is no number its object is made before", target)
    if key in naming.parameters:
        line = f"v_{key} = {operand.text}"
    elif naming.prefix or isinstance(inherited, MemberDescriptorType) or name in vars(naming.created):
        raise Unknown("of what is no number and no field its object is made before", target)
    elif not is_set_in_order(function, target):
        raise Unknown("an attribute that is no field is native where a statement in no block sets it first", target)
    else:
        line = f"v_{key} = {operand.text}\nh_{key} = 1"
    if known not in (None, operand.kind) or operand.kind not in _TYPES:
        raise Unknown("its type changes", target)
    naming.kinds[key] = operand.kind
    naming.used.add(key)
    return line, known is None


def _constant(naming: Naming, value: object) -> str:
    """The variable of the kernel with the address of an object that all rows have in common."""
    return naming.address(Thing("", (), value))


def _note_class(naming: Naming, kind: type, node: ast.Attribute) -> object:
    """What a class has under the name of an attribute, which becomes a fact. Raises Unknown."""
    name = node.attr
    if name[:2] == "__":
        raise Unknown("names with two underscores are left to Python", node)
    ask = class_by_name(kind)
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), ABSENT)
    if not isinstance(found, FunctionType | MemberDescriptorType) and hasattr(type(found), "__get__"):
        raise Unknown("what is computed at each access is left to Python", node)
    for known in (*ACCESS, name):
        naming.facts[id(kind), known] = Fact(ask, known, ask(known))
    return found


def class_by_name(kind: type) -> Callable[[str], object]:
    """What gives what a class has by a name, or ABSENT."""
    return lambda name: getattr(kind, name, ABSENT)


# --- numbers of components: states, what laws set, and parameters -----------------------------------------------------
# A row has the numbers of the slots, which are an object's own as long as it lives. A read advances flows to the
# present, and a change ends its step, as they do in Python.

_KEPT_KINDS: Final = {"": "float", "int": "int", "bool": "bool"}
_BROKEN: Final = "if {0} != {0} and has_broken(a):\n    code = FAILED\n    break"


def kept_of(thing: Thing, name: str) -> Kept | None:
    """The slot of a component's number, by its name; None for other objects and names."""
    kind = type(thing.value)
    found = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    kept: Kept | None = getattr(found.fget, "kept", None) if type(found) is property else None
    return kept


def read_quantity(expressions: BodyExpressions, owner: Operand | Thing, kept: Kept, node: ast.Attribute) -> Operand:
    """What a component has by a name now. Raises Unknown."""
    slot, first = _place(expressions, owner, kept, node)
    emission = expressions.emission
    value = emission.keep_early(f"look(a, {slot}, {first})", "float")
    if kept.role != "field":
        emission.emit_early(_BROKEN.format(value.text))
    if kept.kind == "bool":
        return Operand(f"({value.text} != 0.0)", "bool")
    if kept.kind == "int":
        emission.emit_early(f"if not (-{EXACT}.0 <= {value.text} <= {EXACT}.0):\n    code = EXIT\n    break")
        return emission.keep_early(f"int({value.text})", "int")
    return value


def setting(
    expressions: BodyExpressions, target: ast.Attribute, operand: Operand, function: ast.FunctionDef
) -> tuple[str, bool]:
    """The lines that set an attribute, and whether its type was not known before. Raises Unknown.

    function    in whose text it stands
    """
    owner = expressions.value(target.value)
    known = owner if isinstance(owner, Thing) else Thing("", (), _held(expressions, owner, target))
    kept = kept_of(known, target.attr)
    if kept is None:
        return _setting_plain(expressions, owner, target, operand, function)
    return _changing(expressions, owner, kept, target, operand), False


def _changing(
    expressions: BodyExpressions, owner: Operand | Thing, kept: Kept, target: ast.Attribute, operand: Operand
) -> str:
    if kept.role not in ("state", "field"):
        raise Unknown("what laws set is set by Python", target)
    kind = _KEPT_KINDS[kept.kind]
    if operand.kind != kind and not (kind == "float" and operand.kind in ("int", "mixed")):
        raise Unknown("a number of another type is set by Python", target)
    slot, first = _place(expressions, owner, kept, target)
    emission, value = expressions.emission, operand.text
    if operand.kind == "int":
        emission.stop_if(f"not (-{EXACT} <= {value} <= {EXACT})", operand, node=target)
        value = f"float({value})"
    elif operand.kind == "bool":
        value = f"(1.0 if {value} else 0.0)"
    emission.emit_early(f"if not may_change(a, {slot}, {first}):\n    code = EXIT\n    break")
    return f"if not change(a, {slot}, {first}, {value}):\n    code = FAILED\n    break"


def _place(expressions: BodyExpressions, owner: Operand | Thing, kept: Kept, node: ast.Attribute) -> tuple[str, str]:
    """The variable of the kernel with the number of a slot, and what gives the first of its block."""
    naming, emission = expressions.naming, expressions.emission
    known = owner.value if isinstance(owner, Thing) else _held(expressions, owner, node)
    kind = type(known)
    if isinstance(owner, Operand) and naming.key(ast.unparse(node.value)) not in naming.members:
        raise Unknown("numbers of components are native where a loop over a list gives the component", node)
    if known.sim is not naming.world:
        raise Unknown("it is of another simulation", node)
    ask = class_by_name(kind)
    for known in ("__getattribute__", "__setattr__", "__getattr__"):
        if ask(known) is not ACCESS[known]:
            raise Unknown("its class has a say in what it has", node)
    for known in (*ACCESS, node.attr):
        naming.facts[id(kind), known] = Fact(ask, known, ask(known))
    emission.emit_early("if a.run.arrays == 0:\n    code = EXIT\n    break")
    if isinstance(owner, Operand):
        where = f"{owner.text}, {_constant(naming, sys.intern(kept.block))}, {_constant(naming, int)}"
        first = taken(emission, f"attribute({where})", "int").text
        slot = emission.keep_early(f"{first} + {kept.offset}", "int").text
    else:
        slot = naming.quantity(owner, kept)
    return slot, "-1" if kept.role == "field" else f"{slot} - {kept.offset}"
