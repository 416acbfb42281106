"""One law on its way to what branches in it, and to its text that goes by outcomes; see `located.py`."""

from __future__ import annotations

import ast
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Final

from eventide.compilation.branches.calls import (
    RESERVED,
    STILL,
    Around,
    Known,
    NotLocated,
    follow_call,
    follow_property,
    name_targets,
)
from eventide.compilation.branches.fields import EACH, is_path
from eventide.compilation.branches.law_names import OUTCOME, LawNames, operands_of
from eventide.compilation.branches.nonsmooth import JUMPS, NONSMOOTH, remainder
from eventide.compilation.branches.smoothness import ORDERS, Smoothness, makes_text
from eventide.compilation.branches.syntax import (
    HOLDS,
    as_float,
    as_read,
    both,
    either,
    every,
    forget_inner,
    function_of,
    holding,
    key_of,
    names_set_by,
    number,
    order,
    placed,
    truth_of,
)
from eventide.continuous import Continuous, Variable
from eventide.continuous.components.switches import Branch, Unlocated
from eventide.discrete.world import World
from eventide.engine.switching import BOUND
from eventide.reading.entries import default_of
from eventide.reading.nodes import as_choices, pairs_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from eventide.compilation.branches.clock import Clock
    from eventide.reading.source import Copies, Definition

LARGEST: Final = 300
"""A comparison of more nodes than this, with all that its names stand for, is not located."""
IN_A_LOOP: Final = "it is in a loop"
OF_THE_STEP: Final[Mapping[str, tuple[type, ...]]] = {
    "rate": (Continuous, Variable), "last": (Continuous,), "last_state": (Variable,), "dt": (World,),
    "last_time": (World,),
}  # fmt: skip
"""What reads these attributes, of objects of these classes, is not located: it jumps where a step begins, as a running
maximum by `last` does, or is not known.
"""
MAYBE_ARRAYS: Final = "it may be one of arrays, item by item"


class Branching:
    """A law, or a function that it calls, that is gone through, statement by statement.

    tree        its text
    located, unlocated  what branches in it
    copies      the functions that its text calls, by the names that they get in the class; None: a call that has none
    reserved    the names of slots for outcomes in functions that fields will refer to
    names       what its names stand for
    sets        the attributes that it sets
    """

    def __init__(
        self,
        names: LawNames,
        definition: Definition,
        smoothness: Smoothness,
        clock: Clock,
        around: Around,
    ) -> None:
        self.names = names
        self.smoothness = smoothness
        self.located: list[Branch] = []
        self.unlocated: list[Unlocated] = []
        self.copies: dict[str, FunctionType | Copies | None] = {}
        self.reserved: list[str] = []
        self.sets: dict[str, None] = {}
        self.tree = definition.tree
        self.definition = definition
        self.clock = clock
        self.around = around
        self._path: list[ast.expr] = []
        """What is true where the law stands now: nothing is asked that the law would not ask."""
        self._ways: list[tuple[list[ast.expr], ast.expr | None]] = []
        """What is true where it returns, and what it returns there."""
        self._is_lost = False
        """Whether it may return where that is not followed."""
        self._unused: ast.expr | None = None
        """What is called for nothing but its effects."""

    def read(self, known: Known) -> list[ast.stmt]:
        """The body of the law, rewritten.

        known       what the names of a function that is called stand for
        """
        if isinstance(self.tree, ast.Lambda):
            body: list[ast.stmt] = [ast.copy_location(ast.Return(deepcopy(self.tree.body)), self.tree.body)]
        else:
            body = deepcopy(self.tree.body)
        self._is_lost = self._block(body, known) or self._is_lost
        return body

    @property
    def value(self) -> ast.expr | None:
        """What it returns, after it has been read; None if that is not known."""
        if self._is_lost or any(value is None for _, value in self._ways):
            return None
        found: ast.expr | None = None
        for path, value in reversed(self._ways):
            found = value if found is None or value is None else ast.IfExp(every(path), value, found)
        return found if found is None or len(list(ast.walk(found))) <= LARGEST else None

    # --- statements -----------------------------------------------------------------------------------------------

    def _block(self, body: list[ast.stmt], known: Known) -> bool:
        """Go through statements; whether the end of them may be reached."""
        body[:] = [made for statement in body for made in as_choices(statement) or [statement]]
        with self._where():
            return all(self._statement(statement, known) for statement in body)

    def _statement(self, node: ast.stmt, known: Known) -> bool:
        forget_inner(node, known)
        if isinstance(node, ast.Assign):
            node.value = self._value(node.value, known)
            self._assign(node.targets, node.value, known)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            node.value = self._value(node.value, known)
            self._assign([node.target], node.value, known)
        elif isinstance(node, ast.AugAssign):
            self._augment(node, known)
        elif isinstance(node, ast.If):
            return self._if(node, known)
        elif isinstance(node, ast.Return):
            node.value = node.value and self._value(node.value, known)
            self._ways.append(([*self._path], node.value and self.resolved_or_none(node.value, known)))
            return False
        elif isinstance(node, ast.Expr):
            self._forget_shared(node.value, known)
            self._unused = node.value
            node.value = self._value(node.value, known)
        elif isinstance(node, ast.Raise):
            return False
        elif not isinstance(node, ast.Pass):
            self._leave(node, known)
        return True

    def _augment(self, node: ast.AugAssign, known: Known) -> None:
        node.value = self._value(node.value, known)
        before = as_read(node.target)
        value = before and placed(ast.BinOp(before, node.op, node.value), node)
        if isinstance(node.op, ast.Mod | ast.FloorDiv):
            self.note(value or node.value, known, "write `x = x % y`, which can be located")
        self._forget_shared(node.target, known)
        self._assign([node.target], value, known)

    def _if(self, node: ast.If, known: Known) -> bool:
        node.test = self._value(node.test, known, is_test=True)
        one, other = dict(known), dict(known)
        test = self.resolved_or_none(node.test, known)
        count, depth = len(self._ways), len(self._path)
        with self._where(*truth_of(test, is_true=True)):
            reaches = self._block(node.body, one)
        with self._where(*truth_of(test, is_true=False)):
            reaches_too = self._block(node.orelse, other)
        self._is_lost = self._is_lost or (test is None and len(self._ways) > count)
        if reaches and reaches_too and test is not None:  # nothing below is run where it has returned
            self._path += [
                one for path, _ in self._ways[count:] for one in truth_of(every(path[depth:]), is_true=False)
            ]
        if not reaches or not reaches_too:
            known.clear()
            known.update(other if reaches_too else one)
            self._path += truth_of(test, is_true=reaches)  # of what follows in the block
            return reaches or reaches_too
        for name in {**one, **other}:
            first, second = one.get(name), other.get(name)
            if (name not in one or name not in other) and "." not in name:
                known[name] = first or second  # a local name that has no value is not read
            elif first is None or second is None:
                known[name] = None
            elif first is not second:
                known[name] = self.resolved_or_none(ast.IfExp(node.test, first, second), known)
        return True

    @contextmanager
    def _where(self, *tests: ast.expr) -> Iterator[None]:
        """Go through what the law runs only where these are true, and what is found to be true on the way."""
        depth = len(self._path)
        self._path += tests
        yield
        del self._path[depth:]

    def _leave(self, node: ast.stmt, known: Known) -> None:
        """Loops and the like: what branches in them is not located, nor is what they set known."""
        is_loop = isinstance(node, ast.For | ast.While)
        self._name_all(node, known, IN_A_LOOP if is_loop else "its context is not supported")
        self._forget(node, known)
        self._is_lost = self._is_lost or any(isinstance(inner, ast.Return) for inner in ast.walk(node))

    def _assign(self, targets: list[ast.expr], value: ast.expr | None, known: Known) -> None:
        """Targets are set one after the other, to values that have all been found out before the first is set."""
        pairs = [
            (one, item) for target in targets for one, item in (pairs_of(target, value) if value else [(target, None)])
        ]
        found = [(one, item and self.resolved_or_none(item, known)) for one, item in pairs]
        for one, resolved in found:
            if isinstance(one, ast.Name | ast.Attribute):
                self.sets[key_of(one)] = None
                known[key_of(one)] = resolved
            else:
                self._forget_shared(one, known)
                self._forget(one, known)

    def _forget_shared(self, node: ast.expr, known: Known) -> None:
        """What may be changed in place by other names, as a list, is not known any longer by any of them."""
        texts = {
            name: ast.unparse(value)
            for name, value in known.items()
            if value is not None and not is_path(value, self.names.this) and not self.names.is_scalar(value)
        }
        changed = [texts[one.id] for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in texts]
        for name, text in texts.items():
            if any(text in one or one in text for one in changed):
                known[name] = None

    def _forget(self, node: ast.AST, known: Known) -> None:
        """What is set somewhere in a node is not known any longer."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
                self.sets[key_of(inner.value)] = known[key_of(inner.value)] = None
            elif isinstance(inner, ast.Name | ast.Attribute) and isinstance(inner.ctx, ast.Store):
                self.sets[key_of(inner)] = known[key_of(inner)] = None
            known |= dict.fromkeys(names_set_by(inner))

    # --- expressions ----------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr, known: Known, *, is_test: bool = False) -> ast.expr:
        """An expression with its comparisons rewritten.

        is_test     whether it is one Boolean for certain, as what an `if` asks
        """
        if isinstance(node, ast.Compare):
            return self._comparison(node, known, is_test=is_test)
        if isinstance(node, ast.BoolOp):
            self._each_in_turn(node, known, is_test=is_test)
        elif isinstance(node, ast.UnaryOp):
            node.operand = self._value(node.operand, known, is_test=is_test and isinstance(node.op, ast.Not))
        elif isinstance(node, ast.IfExp):
            node.test = self._value(node.test, known, is_test=True)
            test = self.resolved_or_none(node.test, known)
            with self._where(*truth_of(test, is_true=True)):
                node.body = self._value(node.body, known)
            with self._where(*truth_of(test, is_true=False)):
                node.orelse = self._value(node.orelse, known)
        elif isinstance(node, ast.Lambda | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp):
            self._name_all(node, known, IN_A_LOOP)
        else:
            return self._parts(node, known)
        return node

    def _each_in_turn(self, node: ast.BoolOp, known: Known, *, is_test: bool) -> None:
        """The values of `and` and `or`, each of which is asked for after those before it."""
        with self._where():
            for k, value in enumerate(node.values):
                node.values[k] = self._value(value, known, is_test=is_test)
                test = self.resolved_or_none(node.values[k], known)
                self._path += truth_of(test, is_true=isinstance(node.op, ast.And))

    def _parts(self, node: ast.expr, known: Known) -> ast.expr:
        for field, old in ast.iter_fields(node):
            if isinstance(old, ast.expr):
                setattr(node, field, self._value(old, known))
            elif isinstance(old, list):
                setattr(node, field, [self._value(x, known) if isinstance(x, ast.expr) else x for x in old])
        for keyword in getattr(node, "keywords", ()):
            keyword.value = self._value(keyword.value, known)
        if isinstance(node, ast.Call):
            return self._call(node, known)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod | ast.FloorDiv):
            return self._remainder(node, known)
        return follow_property(self, node, known) if isinstance(node, ast.Attribute) else node

    def _comparison(self, node: ast.Compare, known: Known, *, is_test: bool) -> ast.expr:
        sides = [self._value(side, known) for side in (node.left, *node.comparators)]
        node.left, node.comparators = sides[0], sides[1:]
        if not all(isinstance(op, ORDERS) for op in node.ops):
            has_text = any(map(makes_text, ast.walk(node)))
            if has_text or (self.clock.reads(node) and self.resolved_or_none(node, known) is None):
                self._note_if_moving(node, known, "it is no comparison of numbers")
            return node
        count, parts, is_any = len(self.located), [], False
        try:
            for one, op, other in zip(sides, node.ops, sides[1:], strict=False):
                made = self.locate(one, op, other, node, known, is_test=is_test)
                parts.append(made or placed(ast.Compare(one, [op], [other]), node))
                is_any = is_any or made is not None
        except NotLocated as error:
            del self.located[count:]
            self._note_if_moving(node, known, str(error))
            return node
        if not is_any:
            return node
        return parts[0] if len(parts) == 1 else ast.copy_location(ast.BoolOp(ast.And(), parts), node)

    def _call(self, node: ast.Call, known: Known) -> ast.expr:
        function = self.names.object_of(node.func)
        why = next((why for jump, why in JUMPS.items() if jump is function), None)
        if why is not None:
            self._note_if_moving(node, known, why)
        bend = next((bend for name, bend in NONSMOOTH.items() if name is function), None)
        if bend is None or not node.args:
            return node if why is not None else follow_call(self, node, known)
        count = len(self.located)
        try:
            if node.keywords or not self._is_of_numbers(node, function, known):
                raise NotLocated(MAYBE_ARRAYS)
            resolved = [self.resolved(one, known) for one in node.args]
            are_whole = any(self.names.is_whole(one) for one in resolved if not isinstance(one, ast.Constant))
            given = node.args if are_whole else [as_float(one) for one in node.args]
            return bend(self, given, node, known) or node
        except NotLocated as error:
            del self.located[count:]
            self._note_if_moving(node, known, str(error))
        return node

    def _is_of_numbers(self, node: ast.Call, function: object, known: Known) -> bool:
        """Whether a call is given one number each; what `min` compares is one, as what an `if` does."""
        if (function is min or function is max) and len(node.args) > 1:
            return not any(isinstance(one, ast.Starred) for one in node.args)
        return all(self.names.is_scalar(self.resolved(one, known)) for one in node.args)

    def _remainder(self, node: ast.BinOp, known: Known) -> ast.expr:
        count = len(self.located)
        try:
            sides = [self.resolved(side, known) for side in (node.left, node.right)]
            if self.names.moves(sides[1]):
                raise NotLocated("it jumps, and its divisor moves")
            if not all(map(self.names.is_scalar, sides)):
                raise NotLocated(MAYBE_ARRAYS)
            return remainder(self, node, known) or node
        except NotLocated as error:
            del self.located[count:]
            self._note_if_moving(node, known, str(error))
        return node

    # --- what is located ------------------------------------------------------------------------------------------

    def locate(
        self, one: ast.expr, op: ast.cmpop, other: ast.expr, where: ast.expr, known: Known, *, is_test: bool
    ) -> ast.expr | None:
        """What stands in the place of a comparison; None if neither side moves. Raises NotLocated."""
        sides = [self.resolved(side, known) for side in (one, other)]
        if not any(map(self.names.moves, sides)):
            return None
        if not is_test and not all(map(self.names.is_scalar, sides)):
            raise NotLocated(MAYBE_ARRAYS)
        if self.around.why:
            raise NotLocated(self.around.why)
        name, slot = self._slot(where)
        test = ast.Compare(sides[0], [op], sides[1:])
        condition = either(
            both(order(slot, ast.Gt, 0.0), ast.UnaryOp(ast.Not(), test)), both(order(slot, ast.Lt, 0.0), test)
        )
        self._keep(name, condition, where, is_timed=all(map(self.names.is_timed, sides)))
        plain = ast.Compare(one, [op], [other])
        made = placed(either(order(slot, ast.Gt, BOUND), both(order(slot, ast.GtE, -BOUND), plain)), where)
        return holding(made, order(slot, ast.Gt, 0.0))

    def locate_whole(self, one: ast.expr, where: ast.expr, known: Known) -> tuple[ast.expr, ast.expr] | None:
        """The greatest whole number not above a number, while it is held, and whether it is; None if that stands still.

        Raises NotLocated.
        """
        resolved = self.resolved(one, known)
        if not self.names.moves(resolved):
            return None
        if self.around.why:
            raise NotLocated(self.around.why)
        name, slot = self._slot(where)
        whole, held = self._slot(where, "_whole")
        following = ast.BinOp(held, ast.Add(), number(1.0))
        above = both(order(slot, ast.Gt, 0.0), ast.Compare(resolved, [ast.GtE()], [following]))
        condition = either(ast.Compare(resolved, [ast.Lt()], [held]), above)  # where none is held that is -inf
        self._keep(name, condition, where, is_timed=self.names.is_timed(resolved), whole=whole)
        return held, order(slot, ast.Gt, BOUND)

    def _slot(self, where: ast.expr, number: str = "") -> tuple[str, ast.expr]:
        """The name of the slot of the next outcome, and what reads it."""
        count = sum(one.law == self.around.law for one in self.located)  # and none of those in what is called
        name = f"{OUTCOME}{count}{number}_{self.around.prefix}"
        if self.around.pool is not None:
            name = next(self.around.pool, "")
            if not name:
                raise NotLocated(f"of a function in a field {RESERVED} outcomes are held")
        return name, placed(self.of_owner(name), where)

    def of_owner(self, name: str) -> ast.expr:
        """What reads an attribute of the object whose law it is."""
        return ast.Attribute(ast.Name(self.around.owner, ast.Load()), name, ast.Load())

    def _keep(self, name: str, condition: ast.expr, where: ast.expr, *, is_timed: bool, whole: str = "") -> None:
        """Locate where a condition becomes true."""
        text, code = self.definition.file.excerpt(where), self.names.function.__code__
        function, is_timed = self._condition(condition, where), is_timed and self._is_timed
        self.located.append(
            Branch(name, function, code.co_filename, where.lineno, text, self.around.law, is_timed, whole)
        )

    def adopt(self, inner: Branch, condition: ast.expr, where: ast.expr) -> None:
        """Locate what was found in a function that is called, where a condition becomes true."""
        function, is_timed = self._condition(condition, where), inner.is_timed and self._is_timed
        self.located.append(replace(inner, condition=function, is_timed=is_timed))

    @property
    def _is_timed(self) -> bool:
        """Whether the way here depends on the time alone."""
        return all(map(self.names.is_timed, self._path))

    def _condition(self, condition: ast.expr, where: ast.expr) -> FunctionType:
        """A function that is true where a condition is, and the law goes there."""
        return self.function_of(ast.BoolOp(ast.And(), [*self._path, condition]) if self._path else condition, where)

    def function_of(self, value: ast.expr, where: ast.AST) -> FunctionType:
        """A function that returns what an expression stands for, of a law: of its object.

        Of a function that is called: of the object whose it is, the one whose law it is, and what it is given of that.
        """
        if not self.around.above:
            return function_of(
                placed(ast.Lambda(deepcopy(self.tree.args), deepcopy(value)), where), self.names.function
            )
        read = {node.id: None for node in ast.walk(value) if isinstance(node, ast.Name)}
        names = [*([self.names.this] if self.names.cls else []), self.around.owner]
        names += [name for name in read if name in self.names.given and name not in names]
        defaults = [name for name in names if self.names.given.get(name) is STILL]
        given, named = ([ast.arg(name) for name in names if (name in defaults) is late] for late in (False, True))
        arguments = ast.arguments([], given, None, named, [None for _ in named], None, [])
        made = function_of(placed(ast.Lambda(arguments, deepcopy(value)), where), self.names.function)
        made.__kwdefaults__ = {name: default_of(self.names.function, name) for name in defaults} or None
        return made

    def resolved(self, node: ast.expr, known: Known) -> ast.expr:
        """An expression without local names. Raises NotLocated."""
        made = _Resolver(self.names, known).visit(deepcopy(node))
        assert isinstance(made, ast.expr)
        if sum(1 for _ in ast.walk(made)) > LARGEST:
            raise NotLocated("what it is made of is too long")
        return made

    def resolved_or_none(self, node: ast.expr, known: Known) -> ast.expr | None:
        """The same; None if it is not located."""
        try:
            return self.resolved(node, known)
        except NotLocated:
            return None

    def path(self, node: ast.expr, known: Known) -> ast.expr | None:
        """How the law itself gets what an expression stands for from its object; None if that is not known."""
        resolved = self.resolved_or_none(node, known)
        return resolved and self.around.lift(resolved)

    # --- what is not located --------------------------------------------------------------------------------------

    def note(self, node: ast.expr, known: Known, why: str) -> None:
        """Name what is not located."""
        text, code = self.definition.file.excerpt(node), self.names.function.__code__
        is_timed = self._goes_by_time(node, known)
        self.unlocated.append(Unlocated(code.co_filename, node.lineno, text, self.around.law, why, is_timed))

    def _goes_by_time(self, node: ast.expr, known: Known) -> bool:
        """Whether an expression may jump by the time; of what a field refers to that is found out for each object."""
        if self.clock.compares(node):
            return True
        if node is self._unused:
            return False
        path = self.path(node.func, known) if isinstance(node, ast.Call) else None
        return self.clock.reads(node) and (path is None or ast.unparse(path) in self.around.fields.found)

    def _note_if_moving(self, node: ast.expr, known: Known, why: str) -> None:
        """Name what is not located, unless it stands still."""
        resolved = self.resolved_or_none(node, known)
        if resolved is None or any(map(self.names.moves, operands_of(resolved))):
            self.note(node, known, why)

    def note_call(self, node: ast.Call, known: Known, why: str) -> None:
        """Name a call of what may branch; a function that is given nothing may look at what moves by itself."""
        if isinstance(node.func, ast.Attribute) or not operands_of(node):
            self.note(node, known, why)
        else:
            self._note_if_moving(node, known, why)

    def _name_all(self, node: ast.AST, known: Known, why: str) -> None:
        """Name the comparisons somewhere in a node that may move, and the functions that bend or jump."""
        items: Known = {
            one.target.id: ast.Subscript(one.iter, EACH, ast.Load())
            for one in ast.walk(node)
            if isinstance(one, ast.For | ast.comprehension) and isinstance(one.target, ast.Name)
        }
        for inner in ast.walk(node):
            if isinstance(inner, ast.Compare) and all(isinstance(op, ORDERS) for op in inner.ops):
                self._note_if_moving(inner, known, why)
            elif isinstance(inner, ast.Call):
                function = self.names.object_of(inner.func)
                if any(function is other for other in (*NONSMOOTH, *JUMPS)):
                    self._note_if_moving(inner, known, why)
                elif self.smoothness.call_may_branch(inner, self.names) and not name_targets(
                    self, inner, known | items, why
                ):
                    self.note_call(inner, known | items, why)
            elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Mod | ast.FloorDiv):
                self._note_if_moving(inner, known, why)


class _Resolver(ast.NodeTransformer):
    """Puts in the place of each local name what it stands for, and of what is located what it is while that is held."""

    def __init__(self, names: LawNames, known: Known) -> None:
        self._names = names
        self._known = known

    def visit(self, node: ast.AST) -> ast.AST:
        """Visit a node."""
        held = getattr(node, HOLDS, None)
        if held is not None:
            return self.visit(deepcopy(held))
        if isinstance(node, ast.Name | ast.Attribute):
            key = key_of(node)
            if key in self._known:
                found = self._known[key]
                if found is None:
                    raise NotLocated(f"`{key}` is set in a way that is not followed")
                return deepcopy(found)
            if isinstance(node, ast.Name) and node.id in self._names.locals:
                raise NotLocated(f"the value of `{key}` is not known")
            if isinstance(node, ast.Attribute) and self._is_of_the_step(node):
                raise NotLocated(f"it reads `{node.attr}`")
        elif isinstance(node, ast.Lambda | ast.NamedExpr | ast.Starred | ast.Await | ast.Yield | ast.YieldFrom):
            raise NotLocated("it is more than an expression of numbers")
        elif isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp | ast.JoinedStr):
            raise NotLocated("there is a loop in it")
        return self.generic_visit(node)

    def _is_of_the_step(self, node: ast.Attribute) -> bool:
        """Whether an attribute may be a quantity of the step: not for certain one of the model's own of that name."""
        kinds = OF_THE_STEP.get(node.attr)
        if kinds is None:
            return False
        owner = self._names.class_of(node.value)
        return owner is None or issubclass(owner, kinds)
