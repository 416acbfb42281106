"""Objects that processes make: `part = Part(number, rng.uniform(1.0, 2.0))`.

Python makes them, by a constructor that only sets attributes; rows have addresses, and `RowMemory.made` keeps them.
"""

from __future__ import annotations

import ast
from inspect import signature
from typing import TYPE_CHECKING, Final

from eventide.bodies.attributes import ACCESS, class_by_name, is_plain_class
from eventide.bodies.calls import Entry, called_at, called_with
from eventide.bodies.naming import Fact
from eventide.bodies.operands import EXACT, SAMPLES, Operand, Thing, Unknown, sure
from eventide.discrete.world import World
from eventide.reading.common import PLAIN
from eventide.reading.constructors import Constructor, NotPlain, constructor_of, like
from eventide.reading.source import CannotLower

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions

_WRITTEN: Final = (ast.Tuple, ast.List, ast.Dict, ast.JoinedStr)
_MAKE: Final = """    {}
    made = {}({})
    object_at(int(n[{}]))(made)
    return id(made)"""


def made(expressions: BodyExpressions, called: Thing, node: ast.Call) -> Operand:
    """The address of a new object of the class that is called. Raises Unknown if only Python can make it."""
    naming, emission, entry = expressions.naming, expressions.emission, Entry(expressions)
    kind = called.value
    if not isinstance(kind, type) or called.root or not is_plain_class(kind) or expressions.is_inside:
        raise Unknown("what it calls is left to Python", node)
    constructor = _constructor(expressions, kind, node)
    arguments = {**dict.fromkeys(node.args), **{one.value: one.arg for one in node.keywords}}
    if None in [one.arg for one in node.keywords] or any(isinstance(one, ast.Starred) for one in node.args):
        raise Unknown("its arguments are not plain", node)
    try:
        bound = signature(kind).bind(*node.args, **{str(one.arg): one.value for one in node.keywords}).arguments
    except TypeError:
        raise Unknown("its arguments are not those that it takes", node) from None
    names = {id(item): name for name, item in bound.items()}
    texts, samples, clock = list[str](), dict[str, object](), "pass"
    for item, keyword in arguments.items():
        name = names[id(item)]
        text, samples[name] = _argument(expressions, entry, item, constructor, name)
        texts.append(f"{keyword}={text}" if keyword else text)
        if name in constructor.clocks:
            clock = f"{text}.time = n[{len(entry.numbers)}]"
            entry.numbers.append("a.run.time")
    entry.numbers.append("float(a.run.keeping)")
    text = _MAKE.format(clock, entry.known(Thing("", (), kind), node), ", ".join(texts), len(entry.numbers) - 1)
    emission.begin_effect()
    found = called_at(emission, called_with(naming, entry, text)[0], (-EXACT, EXACT), counts=True)
    return Operand(found.text, "object", is_early=False, low=1.0, sample=constructor.sample(kind, samples))


def _constructor(expressions: BodyExpressions, kind: type, node: ast.Call) -> Constructor:
    """The constructor of a class, on which the body relies from now on. Raises Unknown."""
    naming = expressions.naming
    try:
        found = constructor_of(kind, lambda function: naming.definition(function).tree)
    except (NotPlain, CannotLower) as refusal:
        raise Unknown(refusal.why, node) from None
    function = found.function
    naming.note_function(function)
    for name in found.names:
        naming.of_library(function, ast.copy_location(ast.Name(name, ast.Load()), node))
    about = [(kind, name) for name in (*ACCESS, "__init__", "__new__", "__del__", *found.attributes)]
    for owner, name in (*about, *found.of_classes):
        ask = class_by_name(owner)
        naming.facts[id(owner), name] = Fact(ask, name, ask(name))
    return found


def _argument(
    expressions: BodyExpressions, entry: Entry, node: ast.expr, constructor: Constructor, name: str
) -> tuple[str, object]:
    """The text of an argument, and a sample of it. Raises Unknown."""
    found = None if isinstance(node, _WRITTEN) else expressions.kept(node)
    sample: object = found.value if isinstance(found, Thing) else None if found is None else found.sample
    is_number = isinstance(node, ast.JoinedStr) or (isinstance(found, Thing) and type(sample) in PLAIN)
    if isinstance(found, Operand) and found.kind != "object":
        is_number, sample = True, 0.0 if sure(found.kind) == "mixed" else SAMPLES[sure(found.kind)]
    if name in constructor.clocks and isinstance(found, Thing) and isinstance(sample, World):
        expressions.naming.need_simulation(found)
    elif name in constructor.numbers | constructor.clocks and not is_number:
        raise Unknown("the constructor computes with it", node)
    return entry.text(node) if found is None else entry.of(found, node), sample


def sample_of(value: object) -> object:
    """An object like another one, which it does not keep; None if nothing is known of such objects."""
    kind = type(value)
    return like(kind, getattr(value, "__dict__", {})) if is_plain_class(kind) else None
