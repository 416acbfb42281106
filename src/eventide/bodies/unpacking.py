"""What is unpacked in an assignment: one of a few tuples, as in `kind, mean = rng.choice(KINDS)`.

Which tuple it is may be drawn. What tuples have does not change, so their numbers are read before.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from eventide.bodies.attributes import taken_varying
from eventide.bodies.items import kind_of
from eventide.bodies.operands import Operand, Thing, Unknown
from eventide.bodies.stations.choosing import RESOURCES
from eventide.bodies.words import is_word, of_thing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventide.bodies.expressions import BodyExpressions


def is_unpacked(target: ast.expr, value: ast.expr) -> bool:
    """Whether an assignment unpacks what an expression gives, which is not written item by item."""
    return isinstance(target, ast.Tuple | ast.List) and not isinstance(value, ast.Tuple | ast.List)


def unpacked(expressions: BodyExpressions, target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, Operand]]:
    """What the parts of a target get. Raises Unknown."""
    parts: list[ast.expr] = target.elts  # type: ignore[attr-defined]  # as was tested
    found = expressions.value(value)
    rows = (found,) if isinstance(found, Thing) else found.among
    are_alike = {(type(row.value), len(row.value)) for row in rows} == {(tuple, len(parts))} if rows else False
    if not are_alike or not all(isinstance(part, ast.Name) for part in parts):
        raise Unknown("what is unpacked into variables is native where it is one of a few tuples", value)
    return [(part, _column(expressions, found, rows, k, value)) for k, part in enumerate(parts)]


def _column(
    expressions: BodyExpressions, found: Operand | Thing, rows: Sequence[Thing], k: int, node: ast.expr
) -> Operand:
    """The item at one place of the tuple that it is."""
    naming, emission = expressions.naming, expressions.emission
    items = [Thing(row.root, (*row.path, k), row.value[k]) if row.root else Thing("", (), row.value[k]) for row in rows]
    naming.things.update({(one.root, one.path): type(one.value) for one in items if one.root})
    kinds = {type(one.value) for one in items}
    kind, among = kind_of(kinds), tuple[Thing, ...]()
    if kind is not None:
        where = f"item({{}}, {k}, {{{{}}}})"
        values = [taken_varying(naming, emission, where.format(naming.address(row)), kind) for row in rows]
    elif kinds <= {*RESOURCES}:
        values, among = [Operand(naming.address(one), "object") for one in items], tuple(items)
    elif all(is_word(one.value) for one in items):
        values = [of_thing(expressions, one, node)._replace(none="") for one in items]
    else:
        raise Unknown("what is unpacked into variables is native where it is numbers, words or resources", node)
    texts = [[value.text for value in values], [value.whole for value in values], [value.none for value in values]]
    if isinstance(found, Operand):
        tests = [f"{found.text} == {naming.address(row)}" for row in rows]
        texts = [[_one_of(tests, each)] for each in texts]
    text, whole, none = (each[0] for each in texts)
    made = emission.keep(text, kind or "object", among=among)
    return made._replace(
        whole=whole and emission.keep(whole, "bool").text, none=none and emission.keep(none, "bool").text
    )


def _one_of(tests: list[str], texts: list[str]) -> str:
    """The text of the one for which a test holds."""
    text = texts[-1]
    for test, other in zip(reversed(tests[:-1]), reversed(texts[:-1]), strict=True):
        text = f"({other} if {test} else {text})" if text else ""
    return text
