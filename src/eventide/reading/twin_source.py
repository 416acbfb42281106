"""The source of a twin: a generator function's own statements, each with a guard, so that it can begin at any of them.

In: the syntax tree of a generator function. Out: a tree of the same statements at the same lines, and a number for
each place at which a generator of it can begin. A guard lets a statement run if the generator has begun (the hidden
variable `entry` is None then, which costs two instructions a statement), or if the place is inside. There it stands
still, by a `yield` of its own at the line of what it stands for, so that what is sent or thrown arrives as in the
original.

    if entry is None or entry.at == 7 and ((entry := None), (yield)):
        a = b

Loops go on with the iterators that they are given, `with` with the `__exit__` that it called for, handlers with the
error, which is raised once more in their `try`, `yield from` with the inner generator. So nothing depends on how a
version of Python compiles or keeps a generator. A statement that was executed in part begins once more, and is told
what its calls have given before (the hidden variable `given`). A plain function has a twin as well, which is called in
place of the function as its caller goes on, and stands still nowhere.
Rejected: a trace function that sets `f_lineno`, which enters no `for`, `with` or `except`; changed bytecode.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypedDict, TypeVar

from eventide.native.locking import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ENTRY: Final = ".entry"
"""The hidden variable: an `Entry` until the generator has begun, None from then on. No name of the user's has a dot."""
GIVEN: Final = ".given"
"""The hidden variable with what calls of the present statement have given before it began; None or empty mostly."""
FIRST: Final = ".first"
"""The first argument, where a function calls `super()`, which looks for it among the arguments."""

_EVALUATED_FIRST: Final[dict[type[ast.AST], str]] = {
    ast.AnnAssign: "value",
    ast.Assert: "test",
    ast.Assign: "value",
    ast.Attribute: "value",
    ast.BinOp: "left",
    ast.BoolOp: "values",
    ast.Call: "func",
    ast.Compare: "left",
    ast.Expr: "value",
    ast.FormattedValue: "value",
    ast.IfExp: "test",
    ast.JoinedStr: "values",
    ast.List: "elts",
    ast.NamedExpr: "value",
    ast.Raise: "exc",
    ast.Return: "value",
    ast.Starred: "value",
    ast.Subscript: "value",
    ast.Tuple: "elts",
    ast.UnaryOp: "operand",
}
"""What a statement or an expression evaluates before anything else: the first, where there is a list."""
_OF_STATEMENTS: Final[dict[type[ast.AST], str]] = {
    ast.AugAssign: "target",
    ast.Delete: "targets",
    ast.For: "iter",
    ast.If: "test",
    ast.Match: "subject",
    ast.While: "test",
    ast.With: "items",
    ast.Yield: "value",
    ast.YieldFrom: "value",
}
"""The same of what is written in another way."""
_SCOPES: Final = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_COMPREHENSIONS: Final = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SIMPLE: Final = ast.Assert | ast.Assign | ast.AugAssign | ast.Delete | ast.Expr | ast.Raise | ast.Return | ast.expr
"""Of these a part is told what it gives wherever it stands in them; of an annotated assignment its value."""

Node = TypeVar("Node", bound=ast.AST)


class TwinSource:
    """Writes the statements of a twin.

    body        the statements
    places      of each statement, `yield`, `yield from` and call that is a statement's value at which a twin can begin,
                its number; of each loop, item of a `with` and `try` the number by which its iterator, `__exit__` or
                error is given
    heads       of each `for` the number of the place where its next item is taken
    closed      of each statement and `yield` at which no twin can begin, why
    told        of each expression as `is_told` says, the number by which the twin is told what it gives
    """

    def __init__(self, tree: ast.FunctionDef, shared: Sequence[str]) -> None:
        self.places: dict[ast.AST, int] = {}
        self.heads: dict[ast.AST, int] = {}
        self.closed: dict[ast.AST, str] = {}
        self.told: dict[ast.AST, int] = {}
        self._last = 0
        self._why = ""
        self._shared = shared
        nodes = _own_nodes(tree)
        yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in nodes)
        self._stand = "(yield)" if yields else "0"  # the twin of a plain function is called when it is to go on
        declared = [node for node in nodes if isinstance(node, ast.Global | ast.Nonlocal)]
        self._others = {name for node in declared for name in node.names}
        self.body = self._block(tree.body)
        for node in nodes:
            if isinstance(node, ast.Yield | ast.YieldFrom) and node not in self.places:
                self.closed.setdefault(node, "its statement evaluates something else before it")

    def _number(self, node: ast.AST) -> int:
        """The next number, which is a node's."""
        self._last += 1
        if self._why:
            self.closed[node] = self._why
        else:
            self.places[node] = self._last
        return self._last

    def _block(self, statements: Sequence[ast.stmt], why_not: str = "") -> list[ast.stmt]:
        """Some statements, at which no twin can begin if a reason is given."""
        kept, self._why = self._why, self._why or why_not
        made = [self._guarded(statement) for statement in statements]
        self._why = kept
        return made

    def _guarded(self, statement: ast.stmt) -> ast.stmt:
        if isinstance(statement, ast.Global | ast.Nonlocal):
            return statement
        number, told = self._number(statement), len(self.told)
        write: Callable[..., ast.stmt] = self._WRITERS.get(type(statement), TwinSource._evaluated)
        made = write(self, statement)
        begins = f"((entry := None), {self._stand})"
        test = f"entry is None or entry.at == _0 and {begins}"
        if self._last > number:
            test = f"entry is None or _0 <= entry.at <= _1 and (entry.at > _0 or {begins})"
        if len(self.told) > told:
            begins = f"((given := entry.given), entry.at > _0 or {begins})[1]"
            test = f"(given := None) is None if entry is None else _0 <= entry.at <= _1 and {begins}"
        return _if(_start_of(statement), [made], [], test, number, self._last)

    # --- what is evaluated first ----------------------------------------------------------------------------------

    def _evaluated(self, node: Any) -> Any:
        """Something that is the first to be evaluated in its statement, with the place of its first `yield`."""
        if isinstance(node, ast.Yield | ast.YieldFrom):
            inside = _changed(node, value=self._evaluated(node.value))
            number = self._number(node)
            text = "((entry := None), (yield))[1]"
            if isinstance(node, ast.YieldFrom):
                text = "(yield from (entry.inner, (entry := None))[0])"
            return _expression(f"_0 if entry is None or entry.at != _1 else {text}", node, inside, number)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in self._shared:
            return self._evaluated(_unannotated(node))
        if isinstance(node, ast.AnnAssign | ast.Assign | ast.Expr) and isinstance(node.value, ast.Call):
            return self._all_told(_changed(node, value=self._called(node.value)), ["value", "annotation"])
        if isinstance(node, ast.IfExp):
            test, at_test = self._evaluated(node.test), self._last
            body, at_body = self._evaluated(node.body), self._last
            orelse = self._evaluated(node.orelse)
            if self._last > at_test:
                test = self._chosen(test, at_test, "entry.at <= _2", at_body)
            return self._told(node, _changed(node, test=test, body=body, orelse=orelse))
        if isinstance(node, _COMPREHENSIONS):
            return node
        field = _EVALUATED_FIRST.get(type(node), "")
        operand, made = getattr(node, field, None), node
        if isinstance(operand, list) and operand:
            made = _changed(node, **{field: [self._evaluated(operand[0]), *map(self._all_told, operand[1:])]})
        elif isinstance(operand, ast.AST):
            made = _changed(node, **{field: self._evaluated(operand)})
        return self._told(node, self._all_told(made, [field, "annotation"]))

    def _all_told(self, node: ast.AST, without: Sequence[str] = ()) -> ast.AST:
        """The same of something of which other parts are evaluated before; but for some fields."""
        if not isinstance(node, _SIMPLE | ast.AnnAssign | ast.keyword) or isinstance(
            node, ast.Lambda | _COMPREHENSIONS
        ):
            return node
        fields: dict[str, object] = {}
        for name, value in ast.iter_fields(node):
            if name in without:
                continue
            if isinstance(value, list):
                items = [self._all_told(item) for item in value]
                if any(one is not other for one, other in zip(items, value, strict=True)):
                    fields[name] = items
            elif isinstance(value, ast.AST):
                fields[name] = self._all_told(value)
        made = _changed(node, **fields)
        return made if without else self._told(node, made)

    def _told(self, node: ast.AST, made: ast.AST) -> ast.AST:
        """An expression that is evaluated unless the twin was told what it gives."""
        if not is_told(node):
            return made
        number = self.told[node] = len(self.told)
        return _expression("_0 if given is None or _1 not in given else given.pop(_1)", node, made, number)

    def _called(self, node: ast.Call) -> ast.expr:
        """A call that is all that its statement evaluates: the twin of the function may be in the middle of it."""
        inside, number = self._evaluated(node), self._number(node)
        text = f"(entry.inner, (entry := None), {self._stand})[0]()"
        return _expression(f"_0 if entry is None or entry.at != _1 else {text}", node, inside, number)

    def _chosen(self, evaluated: ast.expr, last: int, otherwise: str, *given: object) -> ast.expr:
        """What a compound statement evaluates first, or something else if the place is behind number `last`."""
        text = f"_0 if entry is None or entry.at <= _1 else {otherwise}"
        return _expression(text, evaluated, evaluated, last, *given)

    # --- compound statements --------------------------------------------------------------------------------------

    def _branch(self, statement: ast.If | ast.While) -> ast.stmt:
        """An `if` or `while`."""
        test, at_test = self._evaluated(statement.test), self._last
        body, at_body = self._block(statement.body), self._last
        orelse = self._block(statement.orelse)
        if not (isinstance(test, ast.Constant) and test.value and not orelse):  # `while True` is kept as it is
            test = self._chosen(test, at_test, "entry.at <= _2", at_body)
        return _changed(statement, test=test, body=body, orelse=orelse)

    def _for(self, statement: ast.For) -> ast.stmt:
        number, target = self._last, statement.target
        items, at_items = self._evaluated(statement.iter), self._last
        self._last += 1
        head = self._last
        if not self._why:
            self.heads[statement] = head
        body = self._block(statement.body, self._why_not(target))
        again = self._again(target)
        first = f"(entry.iterators[_3], (entry := None), {self._stand})[0]"
        going = f"{first} if entry.at == _2 else entry.loop(_3, _4, _5)"
        items = self._chosen(items, at_items, going, head, number, self._last, _shape(target))
        return _changed(statement, iter=items, body=[*again, *body], orelse=self._block(statement.orelse))

    def _with(self, statement: ast.With, place: int = 0) -> ast.With:
        """A `with`; of several items each becomes a `with` in the one before."""
        item = statement.items[place]
        number, target = self._number(item), item.optional_vars
        context, at_context = self._evaluated(item.context_expr), self._last
        why, again = (self._why_not(target), self._again(target)) if target else ("", [])
        if place + 1 < len(statement.items):
            kept, self._why = self._why, self._why or why
            body: list[ast.stmt] = [self._with(statement, place + 1)]
            self._why = kept
        else:
            body = self._block(statement.body, why)
        context = self._chosen(context, at_context, "entry.context(_2, _3)", number, _shape(target))
        return _changed(statement, items=[ast.withitem(context, target)], body=[*again, *body])

    def _try(self, statement: ast.Try | ast.TryStar) -> ast.stmt:
        number, is_star = self._last, isinstance(statement, ast.TryStar)
        body, orelse = self._block(statement.body), self._block(statement.orelse)
        first = self._last + 1
        handlers = [self._handler(handler, number, is_star=is_star) for handler in statement.handlers]
        final = self._block(statement.finalbody)
        if not is_star:
            failing = ast.Raise(_expression("entry.errors[_0]", statement, number), None, **position_of(statement))
            fails = "entry is not None and entry.fails(_0, _1, _2)"
            body = [_if(statement, [failing], [], fails, number, first, self._last), *body]
        if final and not is_star:
            final = [_restored(number, statement), *final]
        return _changed(statement, body=body, handlers=handlers, orelse=orelse, finalbody=final)

    def _handler(self, handler: ast.ExceptHandler, number: int, *, is_star: bool) -> object:
        self._last += 1
        first = self._last
        if is_star:
            return _changed(handler, body=self._block(handler.body, "it is in an `except*`"))
        name = ast.Name(handler.name or "", ast.Store(), **position_of(handler))
        body = self._block(handler.body, self._why_not(name))
        again = self._again(name) if handler.name else []
        if handler.type is None:  # it is behind all others; what leads to `finally` goes on
            goes_on = ast.Raise(None, None, **position_of(handler))
            again = [_if(handler, [goes_on], [], "entry is not None and not entry.caught(_0, _1)", first, self._last)]
            return _changed(handler, body=[*again, _restored(number, handler), *body])
        kind = self._chosen(handler.type, 0, "entry.caught(_2, _3)", first, self._last)
        return _changed(handler, type=kind, body=[_restored(number, handler), *again, *body])

    def _match(self, statement: ast.Match) -> ast.stmt:
        """A `match`; its blocks stand a second time where it is not evaluated."""
        subject, at_subject = self._evaluated(statement.subject), self._last
        blocks = [(case, self._block(case.body), self._last) for case in statement.cases]
        whole = _changed(statement, subject=subject, cases=[_changed(case, body=body) for case, body, _ in blocks])
        otherwise: list[ast.stmt] = []
        for _, body, last in reversed(blocks):
            otherwise = [_if(statement, body, otherwise, "entry.at <= _0", last)]
        return _if(statement, [whole], otherwise, "entry is None or entry.at <= _0", at_subject)

    # --- the names that loops, `with` and handlers give values --------------------------------------------------------

    def _why_not(self, target: ast.expr) -> str:
        """Why no twin can begin behind a target; empty if it can."""
        for node in _leaves(target):
            if not isinstance(node, ast.Name):
                return "what is given a value before it is no plain name"
            if node.id in self._others:
                return f"{node.id!r}, which is given a value before it, belongs to others as well"
        return ""

    def _again(self, target: ast.expr) -> list[ast.stmt]:
        """Statements that give the names of a target the values, or none, that the generator has there."""
        if self._why_not(target):
            return []
        made: list[ast.stmt] = []
        for name in _leaves(target):
            assert isinstance(name, ast.Name)
            where = position_of(name)
            value = _expression("entry.value(_0)", name, name.id)
            made.append(ast.Assign([ast.Name(name.id, ast.Store(), **where)], value, **where))
            made += unbound([name.id], name)
        return [_if(target, made, [], "entry is not None")] if made else []

    _WRITERS: Final[dict[type[ast.AST], Callable[..., ast.stmt]]] = {
        ast.For: _for,
        ast.If: _branch,
        ast.Match: _match,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.While: _branch,
        ast.With: _with,
    }


def is_told(node: ast.AST) -> bool:
    """Whether a twin can be told what an expression gives: a call, an item of what that gives, or a decision."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Call) and isinstance(node.ctx, ast.Load) and is_told(node.value)
    if not isinstance(node, ast.Call | ast.IfExp | ast.BoolOp | ast.Compare):
        return False
    inside = [*ast.walk(node)]
    if any(isinstance(one, ast.Yield | ast.YieldFrom) for one in inside):
        return False
    is_chain = not isinstance(node, ast.Compare) or len(node.ops) > 1
    return isinstance(node, ast.Call) or (is_chain and any(isinstance(one, ast.Call) for one in inside))


def unbound(names: Sequence[str], where: ast.AST) -> list[ast.stmt]:
    """Statements that take their values from those names that have none: they were given the entry itself."""
    made, at = [], position_of(where)
    for name in names:
        deletion = ast.Delete([ast.Name(name, ast.Del(), **at)], **at)
        made.append(_if(where, [deletion], [], "_0 is entry", ast.Name(name, ast.Load(), **at)))
    return made


def _start_of(node: ast.AST) -> ast.AST:
    """What of a statement is evaluated first: its line is the first that a debugger shows."""
    while True:
        field = _EVALUATED_FIRST.get(type(node)) or _OF_STATEMENTS.get(type(node), "")
        first = getattr(node, field, None)
        first = first[0] if isinstance(first, list) and first else first
        if isinstance(first, ast.withitem):
            first = first.context_expr
        if not isinstance(first, ast.expr):
            return node
        node = first


def _own_nodes(tree: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function's body, but for those of functions and classes made there."""
    found: list[ast.AST] = list(tree.body)
    for node in found:
        if not isinstance(node, _SCOPES):
            found.extend(ast.iter_child_nodes(node))
    return found


def bound_names(tree: ast.FunctionDef) -> frozenset[str]:
    """The names to which a function gives values, or takes them from, those of comprehensions excepted."""
    arguments = tree.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    found = {argument.arg for argument in every if argument is not None}
    for statement in tree.body:
        found.update(_bound_in(statement))
    return frozenset(found)


def _bound_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(getattr(node, "name", None), str):
        yield node.name  # type: ignore[attr-defined]  # a function, class, handled exception or pattern
    if isinstance(node, ast.comprehension):
        children: list[ast.AST] = [node.iter, *node.ifs]
    else:
        children = [] if isinstance(node, _SCOPES) else list(ast.iter_child_nodes(node))
    for child in children:
        yield from _bound_in(child)


# --- making nodes -----------------------------------------------------------------------------------------------------


def _expression(text: str, where: ast.AST, *given: object) -> ast.expr:
    """An expression of our own, at the place of something of the user's.

    In its text `entry` and `given` are the hidden variables, and _0, _1, ... constants, or nodes, that are given.
    """
    made: ast.expr = _filled(_parsed(text), position_of(where), given)
    return made


@cache
def _parsed(text: str) -> ast.expr:
    """An expression; to parse its text each time would take most of the time of a twin."""
    (statement,) = parsed(text).body
    assert isinstance(statement, ast.Expr)
    return statement.value


def _filled(node: Any, where: Position, given: tuple[Any, ...]) -> Any:
    """A copy of a part of an expression."""
    if isinstance(node, list):
        return [_filled(item, where, given) for item in node]
    if not isinstance(node, ast.expr):
        return node  # an operator, or the text of a name
    if isinstance(node, ast.Name):
        name = ENTRY if node.id == "entry" else GIVEN
        value = given[int(node.id[1:])] if node.id[0] == "_" else ast.Name(name, node.ctx, **where)
        return value if isinstance(value, ast.expr) else ast.Constant(value, **where)
    return type(node)(*[_filled(getattr(node, name), where, given) for name in node._fields], **where)


class Position(TypedDict):
    """Where a node stands in the text."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


def position_of(node: ast.AST) -> Position:
    """Where a statement or an expression stands in the text."""
    return {
        "lineno": node.lineno,  # type: ignore[attr-defined]  # a statement or an expression
        "col_offset": node.col_offset,  # type: ignore[attr-defined]
        "end_lineno": node.end_lineno,  # type: ignore[attr-defined]
        "end_col_offset": node.end_col_offset,  # type: ignore[attr-defined]
    }


def _if(where: ast.AST, body: list[ast.stmt], orelse: list[ast.stmt], test: str, *given: object) -> ast.stmt:
    return ast.If(_expression(test, where, *given), body, orelse, **position_of(where))


def _restored(number: int, where: ast.AST) -> ast.stmt:
    """Give an error that was raised once more the traceback that it had."""
    restored = ast.Expr(_expression("entry.restore(_0)", where, number), **position_of(where))
    return _if(where, [restored], [], "entry is not None")


def _changed(node: Node, **fields: object) -> Node:
    """A copy of a node with some other fields; itself if they are what they were."""
    if all(getattr(node, name) is value for name, value in fields.items()):
        return node
    made = type(node)(**{**{name: getattr(node, name) for name in node._fields if hasattr(node, name)}, **fields})
    return ast.copy_location(made, node)


def _unannotated(node: ast.AnnAssign) -> ast.stmt:
    """A name that functions share cannot be annotated where it is declared so."""
    where = position_of(node)
    return ast.Pass(**where) if node.value is None else ast.Assign([node.target], node.value, **where)


def _leaves(target: ast.expr) -> Iterator[ast.expr]:
    """What gets values in a target, as (a, *b)."""
    if isinstance(target, ast.Tuple | ast.List):
        for item in target.elts:
            yield from _leaves(item)
    elif isinstance(target, ast.Starred):
        yield from _leaves(target.value)
    else:
        yield target


def _shape(target: ast.expr | None) -> object:
    """A constant that can be assigned to a target of names, but has no values."""
    if isinstance(target, ast.Tuple | ast.List):
        return tuple(_shape(item) for item in target.elts if not isinstance(item, ast.Starred))
    return None
