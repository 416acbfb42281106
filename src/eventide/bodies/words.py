"""Words: strings, members of enumerations and None, of which a variable or an attribute has now one, now another.

A row has the address of a word, as of other objects. Two are the same by their addresses; they are equal if they are
the same, or by their text. An object of another class may have a say in that, and is left to Python.

Only what lasts gets into a variable: it stands in the code, or is kept by a class or a tuple. What an attribute has is
compared, or handed on, where its owner keeps it.
"""

from __future__ import annotations

import ast
import sys
from enum import Enum, EnumType
from functools import partial
from random import Random
from textwrap import indent
from types import FunctionType, NoneType
from typing import TYPE_CHECKING, Final

from eventide.bodies.emission import EXIT, joined, without_effects
from eventide.bodies.naming import Fact
from eventide.bodies.operands import KINDS, OPTIONAL, Operand, Thing, Unknown, constant
from eventide.reading.nodes import attributes_set, left_empty
from eventide.rows.codes import UNMADE
from eventide.streams.streams import Stream

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions, Value
    from eventide.bodies.naming import Naming

MOST: Final = 16
"""Of the words of a function, and of those of which one is looked for."""
_COMPARED: Final = "__eq__", "__ne__", "__hash__"
_AS_TEXT: Final = tuple(getattr(str, name) for name in _COMPARED)
_CHOOSING: Final = (Random.choice, Stream.choice)
_SAME: Final = "whether it is another object is left to Python"
_OTHER: Final = "objects of other classes than strings and plain enumerations are compared by Python"


def is_word_class(kind: type) -> bool:
    """Whether objects of a class are words: comparing them runs no code of the user's."""
    return kind in (str, NoneType) or (type(kind) is EnumType and (is_text(kind) or _is_by_identity(kind)))


def is_text(kind: type) -> bool:
    """Whether words of a class are equal by their text."""
    return kind is str or (issubclass(kind, str) and tuple(getattr(kind, name) for name in _COMPARED) == _AS_TEXT)


def _is_by_identity(kind: type) -> bool:
    known = tuple(getattr(kind, name) for name in _COMPARED)
    return known[:2] == (object.__eq__, object.__ne__) and known[2] in (object.__hash__, Enum.__hash__)


def is_word(value: object) -> bool:
    """Whether an object is a word."""
    return is_word_class(type(value))


def written(function: FunctionType, value: object) -> object:
    """The very object that the code of a function has for a constant of its text."""
    if type(value) is not str:
        return value
    constants = [*function.__code__.co_consts]
    for one in constants:
        if type(one) is str and one == value:
            return one
        constants += one if type(one) in (tuple, frozenset) else ()
    return sys.intern(value)


def tuple_written(expressions: BodyExpressions, node: ast.expr) -> Thing | None:
    """A tuple like one, or like a list, that is written with constants alone; None for other expressions."""
    if not isinstance(node, ast.Tuple | ast.List) or not all(isinstance(one, ast.Constant) for one in node.elts):
        return None
    values = [written(_function_around(expressions), one.value) for one in node.elts if isinstance(one, ast.Constant)]
    return Thing("", (), tuple(values))


def tuple_of(expressions: BodyExpressions, node: ast.Tuple) -> Thing:
    """The very tuple that the code of a function has. Raises Unknown for others than of constants."""
    like = tuple_written(expressions, node)
    constants = _function_around(expressions).__code__.co_consts
    found = [one for one in constants if type(one) is tuple and like is not None and repr(one) == repr(like.value)]
    if len(found) != 1:
        raise Unknown("of tuples that are written those of constants are native", node)
    return Thing("", (), found[0])


def _function_around(expressions: BodyExpressions) -> FunctionType:
    """The function in whose text an expression stands."""
    return (expressions.scopes[-1][1] if expressions.scopes else None) or expressions.naming.function


def given(expressions: BodyExpressions, function: FunctionType, node: ast.expr) -> Value:
    """What an argument of a function gives; a list from which one of its items is chosen is as good as a tuple."""
    found = tuple_written(expressions, node) if function in _CHOOSING else None
    return found or expressions.handed(node)


def note_class(naming: Naming, kind: type) -> None:
    """From now on words of a class, if it is an enumeration, are compared in a body: that goes on as it is."""
    if type(kind) is EnumType:
        ask = partial(getattr, kind)
        naming.enumerations[kind] = None
        naming.facts.update({(id(kind), name): Fact(ask, name, ask(name)) for name in _COMPARED})


def held(expressions: BodyExpressions, where: str, found: object) -> Operand:
    """What an object has under a name now, whatever that is.

    where   the variables of the kernel with its address, and with that of the name; found: what it was found to be
    """
    if is_word(found):
        note_class(expressions.naming, type(found))
    made = expressions.emission.keep_early(f"held({where})", "object")
    expressions.emission.emit_early(EXIT.format(f"{made.text} == 0"))
    return made._replace(is_borrowed=True)


def lasting(expressions: BodyExpressions, found: Operand, node: ast.expr) -> Operand:
    """A word for a variable: one that others keep, also where an attribute has it. Raises Unknown."""
    if not found.is_borrowed:
        return found._replace(among=()) if all(is_word(one.value) for one in found.among) else found
    naming = expressions.naming
    tree = naming.definition(naming.function, yields=True).tree
    constants = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant))
    known = (one.value for one in naming.addresses.values() if not one.root and type(one.value) is str)
    words = [*dict.fromkeys([*known, *(written(naming.function, one) for one in constants if type(one) is str)])][:MOST]
    tests = [f"{found.text} == {_address(naming, one)}" for one in (None, *words)]
    _need(expressions, [found], node)
    tests += _are_of(expressions, found.text, list(naming.enumerations))
    expressions.emission.emit_early(EXIT.format(f"not ({' or '.join(tests)})"))
    return found._replace(is_borrowed=False)


def for_variable(expressions: BodyExpressions, node: ast.expr) -> Value:
    """What a variable may get. An attribute that is a string, and that others set, is that one or is left to Python."""
    if isinstance(node, ast.Attribute) and not _is_set(expressions, node.attr):
        noted, found = expressions.naming.noted(), expressions.tried(node)
        expressions.naming.take_back(noted)
        if isinstance(found, Thing) and type(found.value) is str:
            return expressions.value(node)
    return expressions.kept(node)


def handed_on(expressions: BodyExpressions, node: ast.expr) -> Operand:
    """A number, which may be None, or the address of a word that others keep. Raises Unknown."""
    found = for_variable(expressions, node)
    return lasting(expressions, found, node) if isinstance(found, Operand) else of_thing(expressions, found, node)


def of_thing(expressions: BodyExpressions, thing: Thing, node: ast.AST) -> Operand:
    """The address of a word that is known. Raises Unknown for other objects."""
    if not is_word(thing.value) or not expressions.naming.is_lasting(thing):
        raise Unknown("it is no number that a row could keep", node)
    note_class(expressions.naming, type(thing.value))
    return Operand(expressions.naming.address(thing), "object", none="True" if thing.value is None else "")


# --- comparisons ------------------------------------------------------------------------------------------------------


def negated(found: Operand, is_negated: bool) -> Operand:
    """Something that is true or not, or its opposite."""
    if not is_negated:
        return found
    known = {"True": "False", "False": "True"}.get(found.text)
    return constant(known == "True") if known else found._replace(text=f"(not {found.text})")


def are_one(expressions: BodyExpressions, node: ast.Compare) -> Operand:
    """Whether two things are one object, or are not: known in advance for numbers and for known objects."""
    if len(node.ops) > 1:
        raise Unknown(_SAME, node)
    found = _is_same(expressions, expressions.optional(node.left), expressions.optional(node.comparators[0]), node)
    return negated(found, isinstance(node.ops[0], ast.IsNot))


def _is_same(expressions: BodyExpressions, one: Value, other: Value, node: ast.Compare) -> Operand:
    sides, naming = (one, other), expressions.naming
    things = [it for it in sides if isinstance(it, Thing)]
    numbers = [it for it in sides if isinstance(it, Operand) and it.kind != "object"]
    is_known = any(it.value is None and not it.root for it in things)  # and of what is not, the type
    may = next((it for it in numbers if it.kind in OPTIONAL.values()), None)
    if may is not None and is_known:
        return Operand(may.none, "bool", may.is_early)
    if len(things) == 2 and (is_known or not any(it.root for it in things)):
        return constant(things[0].value is things[1].value)
    if things and numbers and is_word(things[0].value) and may is None:
        return constant(False)
    if numbers or not all(map(naming.is_lasting, things)):
        raise Unknown(_SAME, node)
    left, right = (it.text if isinstance(it, Operand) else naming.address(it) for it in sides)
    return Operand(f"({left} == {right})", "bool", all(it.is_early for it in sides if isinstance(it, Operand)))


def is_among(expressions: BodyExpressions, node: ast.Compare) -> Operand | None:
    """Whether something is one of a few words or numbers that are written there, or one of the words of a tuple; None
    for other containers.
    """
    held, nodes, items = node.comparators[0], list[ast.expr](), list["Value"]()
    if isinstance(held, ast.Tuple | ast.List | ast.Set):
        nodes, items = (
            held.elts,
            [without_effects(expressions, partial(expressions.word, item), item) for item in held.elts],
        )
    elif not isinstance(held, ast.Subscript):
        owner = expressions.tried(held)
        if isinstance(owner, Thing) and not owner.root and type(owner.value) in (tuple, frozenset):
            nodes, items = [held] * len(owner.value), [Thing("", (), item) for item in owner.value]
    if len(node.ops) > 1 or not 0 < len(items) <= MOST or any(_is_other(item) for item in items):
        return None
    left, equals = (node.left, expressions.word(node.left)), ast.Eq()
    parts = [expressions.compared(equals, left, pair, node) for pair in zip(nodes, items, strict=True)]
    return negated(joined("or", parts), isinstance(node.ops[0], ast.NotIn))


def _is_other(item: Value) -> bool:
    return isinstance(item, Thing) and not is_word(item.value)


def equal(expressions: BodyExpressions, one: Value, other: Value, node: ast.AST) -> Operand:
    """Whether two words are equal, or a word and a number. Raises Unknown."""
    things = [it for it in (one, other) if isinstance(it, Thing)]
    if any(isinstance(it, Operand) and it.kind != "object" for it in (one, other)):
        if things and is_word(things[0].value):
            return constant(False)
        raise Unknown(_OTHER, node)
    left, right = (it if isinstance(it, Operand) else of_thing(expressions, it, node) for it in (one, other))
    if len(things) == 2 and not any(it.root for it in things):
        return constant(one.value == other.value)  # type: ignore[union-attr]  # they are things
    _need(expressions, [left, right], node)
    emission = expressions.emission
    found = emission.keep_early(f"({left.text} == {right.text})", "bool")
    if not all(is_text(type(it.value)) for it in things) and len(things) == 2:
        return found
    lines, tests = [], []
    for side, known in ((left, one), (right, other)):
        if isinstance(known, Operand):
            mark = emission.keep_early("0", "int").text
            lines.append(_classified(expressions, side, mark, "1", "0"))
            tests.append(f"{mark} == 1")
        elif not is_text(type(known.value)):
            tests.append("False")
    if not things:  # what is the same may be an object that is asked whether it equals itself
        emission.emit_early("\n".join(lines))
        lines.clear()
    lines.append(f"if {' and '.join(tests) or 'True'}:")
    lines.append(f"    {found.text} = is_same_text({left.text}, {right.text}) != 0")
    emission.emit_early(f"if not {found.text}:\n{indent(chr(10).join(lines), '    ')}")
    return found


def one_of(expressions: BodyExpressions, test: Operand, first: Operand, second: Operand, node: ast.expr) -> Operand:
    """One of two words where a test holds, else the other one. Raises Unknown."""
    if not all(is_word(one.value) for one in (*first.among, *second.among)):
        raise Unknown("its two values are of different types", node)
    found = expressions.emission.keep(f"({first.text} if {test.text} else {second.text})", "object")
    return found._replace(is_borrowed=first.is_borrowed or second.is_borrowed)


def truth(expressions: BodyExpressions, found: Value, node: ast.AST) -> Operand:
    """Whether a word is true. Raises Unknown."""
    known = found if isinstance(found, Operand) else of_thing(expressions, found, node)
    if isinstance(found, Thing) and not found.root and _has_plain_truth(type(found.value)):
        return constant(bool(found.value))
    _need(expressions, [known], node)
    answer = expressions.emission.keep_early("0", "int").text
    lines = _classified(expressions, known, answer, f"length({known.text})", "1")
    none = _address(expressions.naming, None)
    expressions.emission.emit_early(f"{lines}\nif {known.text} == {none}:\n    {answer} = 0")
    return Operand(f"({answer} != 0)", "bool")


def _classified(expressions: BodyExpressions, side: Operand, answer: str, text: str, other: str) -> str:
    """The lines that give a variable one value if an object is a text, another one if it is no text; else Python."""
    naming = expressions.naming
    for kind in naming.enumerations:
        note_class(naming, kind)
    kinds = [kind for kind in (str, NoneType, *naming.enumerations) if _has_plain_truth(kind)]
    asked = {kind: f"{answer} == {_address(naming, kind)}" for kind in kinds}
    are_texts = " or ".join(test for kind, test in asked.items() if is_text(kind))
    are_others = " or ".join(test for kind, test in asked.items() if not is_text(kind))
    unmade = "" if side.is_borrowed else f"{EXIT.format(f'{side.text} <= {UNMADE}')}\n"
    return (
        f"{unmade}{answer} = class_of({side.text})\nif {are_texts}:\n    {answer} = {text}\n"
        f"elif {are_others}:\n    {answer} = {other}\nelse:\n    code = EXIT\n    break"
    )


def _are_of(expressions: BodyExpressions, text: str, kinds: list[type]) -> list[str]:
    """Tests of which one holds if an object is of one of some classes."""
    found = expressions.emission.keep_early(f"class_of({text})", "int").text if kinds else ""
    return [f"{found} == {_address(expressions.naming, kind)}" for kind in kinds]


def _has_plain_truth(kind: type) -> bool:
    """Whether objects of a class are true, or like strings or None."""
    names = {"__bool__", "__len__"}
    return kind in (str, NoneType) or not any(names & vars(base).keys() for base in kind.__mro__ if base is not str)


def _need(expressions: BodyExpressions, operands: list[Operand], node: ast.AST) -> None:
    """Some operands are looked at before the first effect. Raises Unknown."""
    if not (expressions.emission.is_pure or all(one.is_early for one in operands)):
        raise Unknown("it may fail after it has had an effect", node)


def _address(naming: Naming, value: object) -> str:
    return naming.address(Thing("", (), value))


# --- attributes -------------------------------------------------------------------------------------------------------


def varies(expressions: BodyExpressions, name: str, found: object) -> bool:
    """Whether what an attribute has is looked at where it is compared: a word, or what the text of the body sets."""
    return (is_word(found) and found is not None) or _is_set(expressions, name) or may_be_none(expressions, name)


def _is_set(expressions: BodyExpressions, name: str) -> bool:
    """Whether the text of the body sets an attribute of this name."""
    naming = expressions.naming
    return name in attributes_set(naming.definition(naming.function, yields=True).tree)


def may_be_none(expressions: BodyExpressions, name: str) -> bool:
    """Whether the text of the body, or of a function that it calls, sets an attribute to None or asks for that."""
    naming = expressions.naming
    functions = [naming.function, *(function for _, function in expressions.scopes if function is not None)]
    return any(name in left_empty(naming.definition(one, yields=True).tree) for one in functions)


def set_line(expressions: BodyExpressions, where: str, operand: Operand, found: object, node: ast.AST) -> str:
    """The lines that set an attribute of an object to a word; what it was must run no code of its own.

    where, found    as of `held`
    """
    naming, old = expressions.naming, held(expressions, where, found).text
    kinds = [str, NoneType, *naming.enumerations]
    if operand.text not in naming.addresses and not operand.among:  # it may be any object, or none yet
        _need(expressions, [operand], node)
        expressions.emission.emit_early(EXIT.format(f"{operand.text} <= {UNMADE}"))
        tests = _are_of(expressions, operand.text, kinds)
        expressions.emission.emit_early(EXIT.format(f"not ({' or '.join(tests)})"))
    tests = _are_of(expressions, old, [*kinds, *KINDS])
    expressions.emission.emit_early(EXIT.format(f"not ({' or '.join(tests)})"))
    return f"if set_object({where}, {operand.text}) != 0:\n    code = FAILED\n    break"
