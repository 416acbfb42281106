"""The expressions of a body as operands of its kernel: Python's own results, or the statement is left to Python."""

from __future__ import annotations

import ast
from array import array
from collections.abc import Callable
from functools import partial
from operator import pow as power
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.bodies import attributes, items, words
from eventide.bodies.arithmetic import (
    ARITHMETIC,
    CHECKED,
    between,
    bounds_of_either,
    computed_by_numpy,
    decided,
    divided_down,
    divided_whole,
    one_of,
    ordered,
    real,
    summed,
)
from eventide.bodies.calls import (
    BUILTINS,
    COMPUTED,
    addressed_call,
    appended,
    builtin,
    called_at,
    computed,
    drawn_number,
    made_of,
)
from eventide.bodies.emission import SEVERAL_WAYS, apart, in_turn, merged, told
from eventide.bodies.entities import made
from eventide.bodies.interrupts import is_interrupt, is_of_request, is_preemption, read_of_interrupt
from eventide.bodies.operands import (
    EXACT,
    KINDS,
    MOST_TURNS,
    OPTIONAL,
    SAMPLES,
    WIDE,
    Kind,
    Known,
    Operand,
    Thing,
    Unknown,
    as_kept,
    constant,
    sure,
)
from eventide.bodies.requests import count_of, is_granted
from eventide.bodies.stations.choosing import chosen, resource_of
from eventide.bodies.waits.choices import held_for, name_compared
from eventide.bodies.waits.levels import value_of_level
from eventide.bodies.waits.transfers import amount_of, count_of_items
from eventide.bodies.weighting import weighted
from eventide.discrete.commands import hold
from eventide.discrete.world import World
from eventide.reading.source import CannotLower
from eventide.rows.codes import UNMADE
from eventide.streams.number_draws import UNIT, Draw

if TYPE_CHECKING:
    from eventide.bodies.emission import Emission
    from eventide.bodies.naming import Naming

Value: TypeAlias = "Operand | Thing"
Side: TypeAlias = "tuple[ast.expr, Value]"
"""What an expression gives that is compared."""
_POWERS: Final = (2.0, 3.0, 4.0)
_ROOM: Final = 1e75
"""Up to here these are numbers."""
_COMPARISONS: Final[dict[type, str]] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
_NOTHING: Final = Thing("", (), None)
_DEEPEST: Final = 8
"""The depth to which calls are followed into each other."""


class BodyExpressions:
    """The expressions of one statement, and of the functions that it calls.

    naming      what its names stand for
    """

    def __init__(self, naming: Naming, emission: Emission) -> None:
        self.naming = naming
        self.emission = emission
        self._by_value: ast.expr | None = None
        self.wanted: ast.expr | None = None
        """What is evaluated where only a number will do."""
        self.scopes: list[tuple[dict[str, Value], FunctionType | None]] = []

    @property
    def is_inside(self) -> bool:
        """Whether this is the text of a function that is called."""
        return bool(self.scopes)

    def value(self, node: ast.expr) -> Value:
        """What an expression gives, of one type. Raises Unknown."""
        found = self.varying(node)
        if isinstance(found, Operand) and found.kind == "mixed":
            raise Unknown("it is now a whole number, now a float", node)
        return found

    def varying(self, node: ast.expr) -> Value:
        """What an expression gives, also what is mixed. Raises Unknown."""
        return self.present(self._found(node), node)

    def _found(self, node: ast.expr) -> Value:
        visit: Callable[[ast.expr], Value] | None = getattr(self, f"_on_{type(node).__name__.lower()}", None)
        if visit is None:
            raise Unknown("no native code is made of such an expression", node)
        is_by_value = node is self._by_value
        found = told(self, node, visit)
        if isinstance(found, Operand) and found.is_numpy and not is_by_value:
            raise Unknown("numbers of numpy's own classes are native where only their values count", node)
        return found

    def by_value(self, node: ast.expr, *kinds: Kind) -> Operand:
        """A number of which only the value counts: it may be of a class of numpy's own."""
        self._by_value = node
        return self.number(node, *kinds)._replace(is_numpy=False)

    def handed(self, node: ast.expr) -> Value:
        """What an expression gives, also what is mixed, or a whole number of numpy's. Raises Unknown."""
        self._by_value = node
        found = self.varying(node)
        if isinstance(found, Operand):
            as_kept(found, node)
        return found

    def kept(self, node: ast.expr) -> Value:
        """What an expression gives to a variable, which may be None. Raises Unknown."""
        self._by_value = node
        found = self.optional(node)
        return as_kept(found, node) if isinstance(found, Operand) else found

    def word(self, node: ast.expr) -> Value:
        """What an expression gives, also what is mixed, or a word that an attribute has now. Raises Unknown."""
        return self.present(self.optional(node), node)

    def optional(self, node: ast.expr) -> Value:
        """The same, or a number that may be None. Raises Unknown."""
        return self._attribute(node, is_compared=True) if isinstance(node, ast.Attribute) else self._found(node)

    def present(self, found: Value, node: ast.AST) -> Value:
        """What an expression gave, or Python goes on where that is None and not the number that it may be."""
        if not isinstance(found, Operand) or found.kind not in OPTIONAL.values():
            return found
        self.emission.stop_if(found.none, found, node=node)
        return found._replace(kind=sure(found.kind), none="")

    def as_operand(self, found: Value, node: ast.AST) -> Operand:
        """The number, or the address of the word, that an expression gave. Raises Unknown for other objects."""
        return found if isinstance(found, Operand) else words.of_thing(self, found, node)

    def number(self, node: ast.expr, *kinds: Kind) -> Operand:
        """A number of one of some kinds."""
        self.wanted = node
        found = self.varying(node) if "mixed" in kinds else self.value(node)
        if not isinstance(found, Operand) or (not kinds and found.kind == "object"):
            raise Unknown("it is no number that a row could keep", node)
        if kinds and found.kind not in kinds:
            raise Unknown(f"it is of type {found.kind}", node)
        return found

    def any_number(self, node: ast.expr) -> Operand:
        """A number of any kind."""
        return self.number(node, "int", "float", "bool", "mixed")

    def truth(self, node: ast.expr) -> Operand:
        """Whether an expression is true."""
        if isinstance(node, ast.BoolOp):
            word = "and" if isinstance(node.op, ast.And) else "or"
            tests = [partial(self.truth, one) for one in node.values]
            return told(self, node, lambda _: in_turn(self, word, tests))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.truth(node.operand)
            if inner.text in ("True", "False"):
                return constant(inner.text == "False")
            return Operand(f"(not {inner.text})", "bool", inner.is_early)
        self._by_value = node
        found = self.optional(node)
        if isinstance(found, Thing) or found.kind == "object":
            return words.truth(self, found, node)
        zero = {"int": " != 0", "bool": ""}.get(sure(found.kind), " != 0.0")
        text = f"not {found.none} and {found.text}{zero}" if found.none else f"{found.text}{zero}"
        return found._replace(is_numpy=False) if text == found.text else Operand(f"({text})", "bool", found.is_early)

    # --- leaves ---------------------------------------------------------------------------------------------------

    def _on_constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, int | float):
            return constant(node.value)
        function = self.scopes[-1][1] if self.scopes else None
        return Thing("", (), words.written(function or self.naming.function, node.value))

    def _on_tuple(self, node: ast.Tuple) -> Value:
        return words.tuple_of(self, node)

    def _on_name(self, node: ast.Name) -> Value:
        if self.scopes:
            scope, function = self.scopes[-1]
            if node.id in scope:
                return scope[node.id]
            if function is not None and node.id in function.__code__.co_varnames:
                raise Unknown("it has no value yet", node)
            if function is not None:
                return self.naming.of_library(function, node)
        return self.naming.of_body(node, self.emission)

    def _on_attribute(self, node: ast.Attribute) -> Value:
        return self._attribute(node)

    def _attribute(self, node: ast.Attribute, *, is_compared: bool = False) -> Value:
        if is_interrupt(self, node.value):
            return read_of_interrupt(self, node)
        known = is_granted(self.naming, node) or resource_of(self, node) or count_of(self, node)
        known = known or value_of_level(self, node) or amount_of(self, node)
        if known is not None:
            return known
        owner = self.value(node.value)
        if isinstance(owner, Operand):
            if node.attr == "__class__" and owner.kind != "object":
                return Thing("", (), type(SAMPLES[owner.kind]))
            return attributes.read_held(self, owner, node, is_compared=is_compared)
        if isinstance(owner.value, World) and node.attr == "time":
            self.naming.need_simulation(owner)
            return self.emission.keep("a.run.time", "float", is_number=True)
        if isinstance(owner.value, ModuleType):
            return self.naming.of_module(owner.value, node)
        kept = attributes.kept_of(owner, node.attr)
        if kept is not None:
            return attributes.read_quantity(self, owner, kept, node)
        if attributes.is_plain(owner.value):
            return attributes.read(self, owner, node, is_compared=is_compared)
        return self.naming.of_thing(owner, node)

    def _on_subscript(self, node: ast.Subscript) -> Value:
        return weighted(self, node) or attributes.item_of(self, node) or items.item(self, node)

    # --- arithmetic -----------------------------------------------------------------------------------------------

    def _on_unaryop(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return self.truth(node)
        found = self.number(node.operand, "int", "float")
        if isinstance(node.op, ast.UAdd):
            return found
        if not isinstance(node.op, ast.USub):
            raise Unknown("operations on bits are left to Python", node)
        if found.is_constant:
            return constant(-found.low if found.kind == "float" else -int(found.text))
        known: Known = {"low": -found.high, "high": -found.low, "is_number": found.is_number}
        return self.emission.keep(f"-{found.text}", found.kind, **known)

    def _on_binop(self, node: ast.BinOp) -> Value:
        is_by_value, sides = node is self._by_value, list[Operand]()
        for side in (node.left, node.right):
            self._by_value = side if is_by_value else None
            sides.append(self.any_number(side))
        if any(side.is_numpy for side in sides):
            return computed_by_numpy(self, node, *sides)
        left, right = (self.as_number(side) if side.kind == "bool" else side for side in sides)
        return self.compute(node, node.op, left, right)

    def operand(self, node: ast.expr) -> Operand:
        """A number of arithmetic: a Boolean is 1 or 0."""
        found = self.any_number(node)
        return found if found.kind != "bool" else self.as_number(found)

    def as_number(self, truth: Operand) -> Operand:
        """A Boolean as 1 or 0."""
        return self.emission.keep(f"int({truth.text})", "int", low=0.0, high=1.0, is_number=True)

    def compute(self, node: ast.AST, operator: ast.operator, left: Operand, right: Operand) -> Operand:
        """One operation of arithmetic."""
        if left.kind == right.kind == "int":
            return self._whole(node, operator, left, right)
        if "mixed" in (left.kind, right.kind) and "float" not in (left.kind, right.kind):
            return summed(self.emission, node, operator, left, right)
        if isinstance(operator, ast.Div):
            if not (right.low > 0.0 or right.high < 0.0):
                self.emission.stop_if(f"{right.text} == 0", right, node=node)
            known = between(operator, left, right) if right.low > 0.0 or right.high < 0.0 else {}
            return self.emission.keep(f"{real(left)} / {real(right)}", "float", **known)
        if isinstance(operator, ast.FloorDiv | ast.Mod):
            return divided_down(self.emission, node, operator, left, right)
        if isinstance(operator, ast.Pow) and left.kind == "float" and right.is_constant and right.low in _POWERS:
            self.emission.stop_if(f"not (-{_ROOM!r} <= {left.text} <= {_ROOM!r})", left, node=node)
            return self.emission.keep(f"{left.text} ** {right.low!r}", "float")
        if isinstance(operator, ast.Pow):
            self.emission.stop_if(f"{real(left)} < 0.0", left, node=node)  # it may be complex
            return made_of(self, power, [left, right], node)._replace(low=0.0)
        if type(operator) not in ARITHMETIC:
            raise Unknown("of floats it is left to Python", node)
        known = between(operator, left, right)
        return self.emission.keep(f"{real(left)} {ARITHMETIC[type(operator)]} {real(right)}", "float", **known)

    def _whole(self, node: ast.AST, operator: ast.operator, left: Operand, right: Operand) -> Operand:
        """Whole numbers are unbounded in Python and bounded here."""
        emission = self.emission
        one, other = left.text, right.text
        if isinstance(operator, ast.Div | ast.FloorDiv | ast.Mod):
            return divided_whole(emission, node, operator, left, right)
        if type(operator) not in ARITHMETIC:
            raise Unknown("of whole numbers it is left to Python", node)
        known = between(operator, left, right)
        if known and max(map(abs, (left.low, left.high, right.low, right.high, known["low"], known["high"]))) < EXACT:
            return emission.keep(f"{one} {ARITHMETIC[type(operator)]} {other}", "int", **known)
        if isinstance(operator, ast.Mult):
            emission.stop_if(f"abs(float({one})) * abs(float({other})) > 4e18", left, right, node=node)
        result = emission.keep(f"{one} {ARITHMETIC[type(operator)]} {other}", "int")
        emission.stop_if(f"{result.text} > {WIDE} or {result.text} < -{WIDE}", result, node=node)
        return result

    # --- Booleans and choices -------------------------------------------------------------------------------------

    def _on_compare(self, node: ast.Compare) -> Value:
        if isinstance(node.ops[0], ast.Is | ast.IsNot):
            return is_of_request(self, node) or words.are_one(self, node)
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            return words.is_among(self, node) or items.is_in(self, node)
        if (is_first := name_compared(self.naming, node)) is not None:
            return is_first
        is_ordered = not any(isinstance(operator, ast.Eq | ast.NotEq) for operator in node.ops)
        sides = [partial(self._side, item, is_number=is_ordered) for item in (node.left, *node.comparators)]
        left = sides[0]()

        def compare(operator: ast.cmpop, side: Callable[[], Side]) -> Operand:
            nonlocal left
            one, left = left, side()
            return self.compared(operator, one, left, node)

        return in_turn(self, "and", [partial(compare, *pair) for pair in zip(node.ops, sides[1:], strict=True)])

    def _side(self, node: ast.expr, *, is_number: bool) -> Side:
        self._by_value = node
        self.wanted = node if is_number else None
        return node, self.word(node)

    def compared(self, operator: ast.cmpop, one: Side, other: Side, node: ast.Compare) -> Operand:
        """A comparison of two numbers or words, from the nodes that give them."""
        left, right = one[1], other[1]
        if type(operator) not in _COMPARISONS:
            raise Unknown("such a comparison is left to Python", node)
        if isinstance(left, Thing) or isinstance(right, Thing) or "object" in (left.kind, right.kind):
            if not isinstance(operator, ast.Eq | ast.NotEq):
                raise Unknown("such a comparison is left to Python", node)
            return words.negated(words.equal(self, left, right, node), isinstance(operator, ast.NotEq))
        for item, side in ((one[0], left), (other[0], right)):
            if side.kind == "bool":
                raise Unknown("it is of type bool", item)
        answer = decided(operator, left, right)
        known = None if answer is None else constant(answer)
        result = known or ordered(self.emission, _COMPARISONS[type(operator)], left, right, node)
        return result._replace(is_numpy=left.is_numpy or right.is_numpy)

    def _on_boolop(self, node: ast.BoolOp) -> Value:
        for item in node.values:
            found = self.tried(item)
            if not isinstance(found, Operand) or found.kind != "bool":
                raise Unknown("`and` and `or` of what is no Boolean are left to Python", node)
            if found.text == ("False" if isinstance(node.op, ast.And) else "True"):  # Python looks no further
                break
        return self.truth(node)

    def tried(self, node: ast.expr, visit: Callable[[ast.expr], Value] | None = None) -> Value:
        """What an expression gives, whose lines are not kept."""
        kept = self.emission
        self.emission = type(kept)(kept.used)
        try:
            return (visit or self.value)(node)
        finally:
            self.emission = kept

    def _on_ifexp(self, node: ast.IfExp) -> Value:
        test = self.truth(node.test)
        if test.text in ("True", "False"):
            return self.optional(node.body if test.text == "True" else node.orelse)
        ways = [apart(self, partial(self.optional, item)) for item in (node.body, node.orelse)]
        if not all(lines.is_plain for lines, _ in ways):
            return merged(self, test, ways[0], ways[1], node)
        for lines, _ in ways:
            self.emission.take(lines)
        one, other = ways[0][1], ways[1][1]
        one, other = self.as_operand(one, node), self.as_operand(other, node)
        if one.kind == other.kind == "object":
            return words.one_of(self, test, one, other, node)
        if one.kind != other.kind or one.kind not in KINDS.values():
            return one_of(self.emission, test, one, other, node)
        text = f"({one.text} if {test.text} else {other.text})"
        return self.emission.keep(text, one.kind, **bounds_of_either(one, other))

    # --- calls ----------------------------------------------------------------------------------------------------

    def _on_call(self, node: ast.Call) -> Value:
        if (given_or_other := items.got(self, node)) is not None:
            return given_or_other
        called = self.value(node.func)
        if isinstance(called, Operand):
            raise Unknown("a number is called", node)
        function = called.value
        if type(function) in (type(abs), type) and function in BUILTINS:
            found = chosen(self, node, "<" if function is min else ">") if function in (min, max) else None
            return found or builtin(self, function, node)
        if function is len and len(node.args) == 1 and not node.keywords:
            held, count = node.args[0], None
            if isinstance(held, ast.Attribute):
                count = count_of(self, held, "len({})") or count_of_items(self, held)
            return count or attributes.length_of(self, held) or items.count(self, held)
        if function is isinstance:
            return is_preemption(self, node)
        if function is object and not (node.args or node.keywords):
            self.emission.emit("a.run.plain = a.run.plain + 1")
            return self.emission.keep(f"{UNMADE} - a.run.plain", "object")
        if type(function) is type(abs) and (function in CHECKED or function in COMPUTED):
            return computed(self, function, node)
        given = addressed_call(called.value, called.path)
        if given is not None:
            return self._addressed(called, given, node)
        if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
            inner = function.__func__
            if inner is World.stream:
                return self._stream(called, node)
            if inner is World.process:
                raise Unknown("a process to which something else refers is made by Python", node)
            return self.followed(inner, self.naming.owner_of(called), node)
        if function is hold and len(node.args) == 1 and not node.keywords:
            return held_for(self, node.args[0])
        if isinstance(function, FunctionType):
            return self.followed(function, None, node)
        return made(self, called, node)

    def _stream(self, called: Thing, node: ast.Call) -> Thing:
        """A stream of the simulation, which has it for good."""
        name = node.args[0] if len(node.args) == 1 and not node.keywords else None
        if not isinstance(name, ast.Constant) or type(name.value) is not str:
            raise Unknown("the name of the stream is computed each time", node)
        owner = self.naming.owner_of(called)
        self.naming.need_simulation(owner)
        return self.naming.stream(owner, name.value)

    def _addressed(self, called: Thing, given: str | Draw, node: ast.Call) -> Value:
        """A call of a builtin method whose address the row has."""
        if isinstance(given, Draw):
            return drawn_number(self, called, given, node)
        if node.keywords or len(node.args) != (given == "takes"):
            raise Unknown("it is called in another way than others are", node)
        if given == "takes" and type(called.value.__self__) is list:
            appended(self, called, node.args[0])
            return _NOTHING
        takes_all = given == "takes" and isinstance(called.value.__self__, array)  # an array makes floats of numbers
        arguments = [self.number(item, *(() if takes_all else ("float",))) for item in node.args]
        address, emission = self.naming.address(called), self.emission
        emission.begin_effect(changes=given == "takes")
        if given == "takes":
            emission.emit(f"if tell({address}, {real(arguments[0])}) != 0:\n    code = FAILED\n    break")
            return _NOTHING
        return called_at(emission, f"draw_next({address})", UNIT)

    # --- functions that are followed ------------------------------------------------------------------------------

    def followed(self, function: FunctionType, bound: Thing | None, node: ast.Call) -> Value:
        """The result of a plain function of Python, from its own text."""
        if len(self.scopes) >= _DEEPEST:
            raise Unknown("its calls are nested too deep", node)
        try:
            tree = self.naming.definition(function).tree
        except CannotLower as refusal:
            raise Unknown(refusal.why, node) from None
        if isinstance(tree, ast.FunctionDef) and tree.decorator_list:
            raise Unknown("what it calls is no plain function", node)
        self.naming.note_function(function)
        scope = self.arguments(function, tree, bound, node)
        self.scopes.append((scope, function))
        try:
            result = self._run(tree.body) if isinstance(tree, ast.FunctionDef) else self.value(tree.body)
        finally:
            self.scopes.pop()
        return _NOTHING if result is None else result

    def applied(self, function: ast.Lambda, item: Thing) -> Value:
        """The result of a lambda of one argument that is written in the body."""
        names = [argument.arg for argument in function.args.args]
        if self.is_inside or len(names) != 1 or ast.unparse(function.args) != names[0]:
            raise Unknown("its arguments are not plain", function)
        self.scopes.append(({names[0]: item}, None))
        try:
            return self.value(function.body)
        finally:
            self.scopes.pop()

    def arguments(
        self, function: FunctionType, tree: ast.FunctionDef | ast.Lambda, bound: Value | None, node: ast.Call
    ) -> dict[str, Value]:
        """What a function's arguments are. Raises Unknown."""
        arguments = tree.args
        names, others = ([argument.arg for argument in of] for of in (arguments.args, arguments.kwonlyargs))
        if arguments.posonlyargs or arguments.vararg or arguments.kwarg:
            raise Unknown("it has arguments of other kinds", node)
        values: list[Value] = [] if bound is None else [bound]
        values += [words.given(self, function, item) for item in node.args]
        scope = dict(zip(names, values, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg in scope or keyword.arg not in (*names, *others):
                raise Unknown("its arguments are not plain", node)
            scope[keyword.arg] = self.handed(keyword.value)
        defaults = function.__defaults__ or ()
        known = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        for name, default in {**known, **(function.__kwdefaults__ or {})}.items():
            if name not in scope:
                scope[name] = constant(default) if type(default) in KINDS else Thing("", (), default)
        if len(values) > len(names) or scope.keys() != {*names, *others}:
            raise Unknown("its arguments are not those that it takes", node)
        return scope

    def _run(self, body: list[ast.stmt], *, is_turn: bool = False) -> Value | None:
        """The statements of an inlined function, or of a turn of its loop; None if it ends without a result."""
        for k, statement in enumerate(body):
            if isinstance(statement, ast.Expr):
                if not isinstance(statement.value, ast.Constant):
                    self.value(statement.value)
            elif isinstance(statement, ast.Return):
                return _NOTHING if statement.value is None else self.handed(statement.value)
            elif (
                isinstance(statement, ast.Assign)
                and len(statement.targets) == 1
                and isinstance(statement.targets[0], ast.Name)
            ):
                self.scopes[-1][0][statement.targets[0].id] = self.value(statement.value)
            elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                old, name = self.operand(statement.target), statement.target.id
                self.scopes[-1][0][name] = self.compute(statement, statement.op, old, self.operand(statement.value))
            elif isinstance(statement, ast.For) and not statement.orelse:
                self._repeat(statement)
            elif isinstance(statement, ast.Try) and not statement.finalbody and not statement.orelse:
                return self._run([*statement.body, *body[k + 1 :]], is_turn=is_turn)
            elif isinstance(statement, ast.If):
                test, rest = self.truth(statement.test), body[k + 1 :]
                if test.text in ("True", "False"):
                    return self._run(
                        [*(statement.body if test.text == "True" else statement.orelse), *rest], is_turn=is_turn
                    )
                if isinstance(statement.body[-1], ast.Raise) and not statement.orelse:
                    self.emission.stop_if(test.text, test, node=statement)
                elif is_turn:
                    raise Unknown(SEVERAL_WAYS, statement)
                else:
                    return self._run_either(statement, test, rest)
            else:
                raise Unknown("such a statement in what it calls is left to Python", statement)
        return None

    def _run_either(self, statement: ast.If, test: Operand, rest: list[ast.stmt]) -> Value | None:
        """An `if` of an inlined function, and what stands behind it, once for each way."""
        scope, function = self.scopes[-1]
        if isinstance(statement.body[-1], ast.Return) and not statement.orelse and self._is_other_way(rest):
            self.emission.stop_if(f"not {test.text}", test, node=statement)
            return self._run(statement.body)
        self.scopes[-1] = {**scope}, function
        way = apart(self, lambda: self._run([*statement.body, *rest]) or _NOTHING)
        self.scopes[-1] = {**scope}, function
        other = apart(self, lambda: self._run([*statement.orelse, *rest]) or _NOTHING)
        return merged(self, test, way, other, statement)

    def _is_other_way(self, body: list[ast.stmt]) -> bool:
        """Whether some statements raise an error, or are what the library does rarely: both are left to Python."""
        last, module = body[0] if len(body) == 1 else None, getattr(self.scopes[-1][1], "__module__", "")
        is_call = isinstance(last, ast.Return) and isinstance(last.value, ast.Call)
        return isinstance(last, ast.Raise) or (is_call and module.startswith("eventide."))

    def _repeat(self, loop: ast.For) -> None:
        """A loop of a few turns whose number is written: its statements, one turn after the other."""
        turns: Operand | None = None
        if isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 1:
            called = self.value(loop.iter.func)
            is_range = isinstance(called, Thing) and called.value is range
            turns = self.number(loop.iter.args[0], "int") if is_range else None
        if turns is None or not turns.is_constant or turns.high > MOST_TURNS or not isinstance(loop.target, ast.Name):
            raise Unknown("a loop in what it calls is left to Python", loop)
        for turn in range(int(turns.high)):
            self.scopes[-1][0][loop.target.id] = constant(turn)
            if self._run(loop.body, is_turn=True) is not None:
                raise Unknown("a loop in what it calls is left to Python", loop)
