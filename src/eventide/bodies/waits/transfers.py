"""Puts into containers and stores and gets from them, and what is read of these: `yield tank.get(2.5)`.

Of what such a `yield` returns the item of a get from a store is native: `part = yield shelf.get()`. Rows have items as
numbers of one type, or as the addresses of objects.
"""

from __future__ import annotations

import ast
from types import MethodType
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.bodies.attributes import class_by_name, note_change
from eventide.bodies.naming import Fact
from eventide.bodies.operands import EXACT, KINDS, LARGEST, Kind, Operand, Thing, Unknown, constant
from eventide.bodies.stations.choosing import CONTAINERS, STORES, method_of_chosen, number_of
from eventide.bodies.stations.statistics import kind_of_content
from eventide.discrete.resources.away_inventories import sample_item
from eventide.discrete.resources.container import Container
from eventide.discrete.resources.store import Store
from eventide.statistics.level import Level

if TYPE_CHECKING:
    from eventide.bodies.expressions import BodyExpressions, Value

_SIDES: Final[dict[object, str]] = {Container.put: "puts", Container.get: "gets", Store.put: "puts", Store.get: "gets"}
"""Whatever stands in their place later."""
_ARGUMENTS: Final[dict[object, str]] = {
    Container.put: "amount", Container.get: "amount", Store.put: "item", Store.get: "filter",
}  # fmt: skip
_INVENTORIES: Final = (Container, Store)


class Move(NamedTuple):
    """A put or a get, as it is written.

    inventories, side   the variables of the container or the store, or of those of which it is one; "puts" or "gets"
    text            of the call that yields it, without the activity, which is `{0}`
    item            the type of the item that a get from a store returns; sample: one that it has now
    """

    inventories: tuple[str, ...]
    side: str
    text: str
    item: Kind | None = None
    sample: object = None

    def result(self, node: ast.AST) -> Operand:
        """What the `yield` returns, as its process continues. Raises Unknown where that is left to Python."""
        if self.item is None:
            raise Unknown("what a wait returns is native for a get from a store, a process, and `ev.first_of`", node)
        text = f"a.request.{'real' if self.item == 'float' else 'item'}[a.process.subject[i]]"
        return Operand(f"({text} != 0)" if self.item == "bool" else text, self.item)


def transferred(expressions: BodyExpressions, node: ast.expr | None, resume: int) -> Move | None:
    """Write a put or a get, which ends in a state; None for other commands. Raises Unknown for those of Python."""
    made = transfer_made(expressions, node)
    if made is not None:
        expressions.emission.begin_effect()
        call = made.text.format("i")
        expressions.emission.emit(f"at = {resume}\nif not {call}:\n    code = WAITS\n    break\ncontinue")
    return made


def is_at_chosen(expressions: BodyExpressions, node: ast.expr) -> bool:
    """Whether a command is a put or a get at one of a few stores, or containers."""
    return isinstance(node, ast.Call) and _at_chosen(expressions, node) is not None


def _at_chosen(expressions: BodyExpressions, node: ast.Call) -> tuple[object, Value] | None:
    return method_of_chosen(expressions, node, STORES) or method_of_chosen(expressions, node, CONTAINERS)


def transfer_made(expressions: BodyExpressions, node: ast.expr | None) -> Move | None:
    """A put or a get; None for other commands. Raises Unknown for those of Python."""
    if not isinstance(node, ast.Call):
        return None
    found = _at_chosen(expressions, node)
    if found is None:
        called = expressions.value(node.func)
        if not isinstance(called, Thing) or type(called.value) is not MethodType:
            return None
        found = called.value.__func__, expressions.naming.owner_of(called)
    function, owner = found
    side = _SIDES.get(function, "")
    if not side:
        return None
    owners = (owner,) if isinstance(owner, Thing) else owner.among
    inventories, kinds = zip(*[_known(expressions, one, node) for one in owners], strict=True)
    if len({*kinds}) > 1:
        raise Unknown("stores of items of different types, and such containers, are left to Python", node)
    inventory, kind = inventories[0], kinds[0]
    if isinstance(owner, Operand):
        inventory = number_of(expressions, owner, inventories, node)
    expressions.emission.emit_early(f"if not is_open(a, {inventory}):\n    code = ROOM\n    break")
    given = _given(node, _ARGUMENTS[function])
    if type(owners[0].value) is Store:
        made = _of_store(expressions, given, inventory, side, kind)
        sample = next((item for one in owners if (item := sample_item(one.value)) is not None), None)
        return made._replace(inventories=inventories, sample=sample)
    return _of_container(expressions, given, inventory, side, kind, node)._replace(inventories=inventories)


def _of_container(
    expressions: BodyExpressions, given: dict[str, ast.expr], inventory: str, side: str, kind: Kind, node: ast.Call
) -> Move:
    emission = expressions.emission
    note_change(expressions.naming, "amount", node)
    if "amount" not in given:
        raise Unknown("it is called in another way than others are", node)
    operands = {name: expressions.number(value, "int", "float") for name, value in given.items()}
    amount = operands["amount"]
    if amount.kind == "float" and kind == "int":
        expressions.naming.note_state(inventory)
        raise Unknown("a container whose amount becomes a float is left to Python", node)
    real = f"float({amount.text})" if amount.kind == "int" else amount.text
    most, largest = f"a.inventory.capacity[{inventory}]", EXACT if amount.kind == "int" else LARGEST
    if amount.is_number and not amount.is_early and amount.low >= 0.0 and amount.high <= largest:
        emission.emit_early(f"if {most} < {amount.high!r}:\n    code = EXIT\n    break")
    else:
        emission.stop_if(f"not (0.0 <= {real} <= {float(largest)!r}) or {real} > {most}", amount, node=node)
    if kind == "int" and side == "puts":
        emission.stop_if(
            f"a.inventory.amount[{inventory}] + a.inventory.kept[{inventory}] + {real} > {EXACT}.0", amount, node=node
        )
    rank = _rank(expressions, operands.get("priority"), node)
    where = f"transfer(a, {{0}}, a.inventory.{side}[{inventory}]"
    return Move((inventory,), side, f"{where}, {rank}, {real}, {amount.kind == 'int'})")


def _of_store(expressions: BodyExpressions, given: dict[str, ast.expr], inventory: str, side: str, kind: Kind) -> Move:
    where = f"_item(a, {{0}}, a.inventory.{side}[{inventory}]"
    operands: dict[str, Operand] = {}
    for name, node in given.items():
        if name == "filter" and not (isinstance(node, ast.Constant) and node.value is None):
            raise Unknown("a get with a filter is left to Python", node)
        if name == "priority":
            operands[name] = expressions.number(node, "int", "float")
        elif name == "item" and kind == "object":
            operands[name] = _address_of(expressions, node)
        elif name == "item":
            operands[name] = found = expressions.number(node)
            if found.kind != kind:
                expressions.naming.note_state(inventory)
                raise Unknown(f"a store whose items have been of type {kind} is left to Python", node)
    rank = _rank(expressions, operands.get("priority"), next(iter(given.values()), None))
    if side == "gets":
        return Move((inventory,), side, f"get{where}, {rank})", kind)
    item = operands["item"].text
    values = f"0, {item}" if kind == "float" else f"int({item}), 0.0" if kind == "bool" else f"{item}, 0.0"
    return Move((inventory,), side, f"put{where}, {rank}, {values})")


def _address_of(expressions: BodyExpressions, node: ast.expr) -> Operand:
    """The address of an object."""
    found = expressions.value(node)
    if isinstance(found, Operand) and found.kind == "object":
        return found
    if isinstance(found, Operand) or not expressions.naming.is_lasting(found):
        raise Unknown("it is no object that is known", node)
    return Operand(expressions.naming.address(found), "object")


def _rank(expressions: BodyExpressions, priority: Operand | None, node: ast.AST | None) -> str:
    """The text of a priority."""
    priority = priority or constant(0.0)
    if not priority.is_number:
        expressions.emission.stop_if(f"{priority.text} != {priority.text}", priority, node=node)
    return f"{priority.text if priority.kind == 'float' else f'float({priority.text})'} + 0.0"


def _given(node: ast.Call, first: str) -> dict[str, ast.expr]:
    """The arguments of a put or a get, in the order in which they are evaluated. Raises Unknown."""
    given = dict(zip((first, "priority"), node.args, strict=False))
    given |= {str(keyword.arg): keyword.value for keyword in node.keywords}
    is_plain = (first in given or first == "filter") and {first, "priority"} >= given.keys()
    if not is_plain or len(given) != len(node.args) + len(node.keywords):
        raise Unknown("it is called in another way than others are", node)
    return given


def count_of_items(expressions: BodyExpressions, node: ast.expr) -> Operand | None:
    """How many items a store has, which are counted: `len(store.items)`; None for others."""
    if not isinstance(node, ast.Attribute) or node.attr != "items":
        return None
    found = _inventory_of(expressions, node.value, Store)
    if found is None:
        return None
    inventory, _ = _known(expressions, found, node)
    return expressions.emission.keep(
        f"a.station.waiting[a.inventory.items[{inventory}]]", "int", low=0.0, is_number=True
    )


def _inventory_of(expressions: BodyExpressions, node: ast.expr, *kinds: type) -> Thing | None:
    """The container or the store that an expression is; None for others."""
    if not isinstance(node, ast.Name | ast.Attribute):
        return None
    try:
        owner = expressions.tried(node)
    except Unknown:
        return None
    if not isinstance(owner, Thing) or type(owner.value) not in kinds:
        return None
    found = expressions.value(node)
    assert isinstance(found, Thing)
    return found


def amount_of(expressions: BodyExpressions, node: ast.Attribute) -> Operand | None:
    """How much an inventory holds, or can: `tank.amount`, `tank.level.value`, `tank.capacity`; None for others."""
    is_level = node.attr == "value" and isinstance(node.value, ast.Attribute) and node.value.attr == "level"
    inner = node.value.value if is_level and isinstance(node.value, ast.Attribute) else node.value
    kinds = _INVENTORIES if is_level or node.attr == "capacity" else (Container,) if node.attr == "amount" else ()
    found = _inventory_of(expressions, inner, *kinds) if kinds else None
    if found is None:
        return None
    if is_level:
        ask = class_by_name(Level)
        expressions.naming.facts[id(Level), "value"] = Fact(ask, "value", ask("value"))
    inventory, kind = _known(expressions, found, node)
    text = f"a.inventory.{'amount' if is_level else node.attr}[{inventory}]"
    is_whole = kind == "int" and not is_level
    if type(found.value) is Store:
        is_whole = is_level
    if node.attr == "capacity":
        is_whole = KINDS[type(found.value.capacity)] == "int"
        expressions.naming.note_type(found, "capacity", type(found.value.capacity))
    if is_whole:
        return expressions.emission.keep(f"int({text})", "int", low=0.0, is_number=True)
    return expressions.emission.keep(text, "float", low=0.0, is_number=True)


def _known(expressions: BodyExpressions, owner: Thing, node: ast.AST) -> tuple[str, Kind]:
    """The variable of the kernel with the row of an inventory, and the type of its content. Raises Unknown."""
    kind = kind_of_content(owner.value)
    if kind is None:
        expressions.naming.note_state(owner.value)
        what = "such an amount or capacity" if type(owner.value) is Container else "such items, or a key,"
        raise Unknown(f"a {type(owner.value).__name__.lower()} of {what} is left to Python", node)
    return expressions.naming.level(owner, kind), kind
