"""One function on its way to a kernel: what is known where the next instruction goes, and how code is followed.

Rules (`rules.py`) are called with the context; they ask it to evaluate parts of expressions, to execute statements and
to follow calls. What differs between laws, conditions and handlers is the dialect's.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.translation.arithmetic import Arithmetic
from eventide.lowering.translation.booleans import BooleanOperations
from eventide.lowering.translation.functions import Functions
from eventide.lowering.translation.returns import write_body
from eventide.lowering.translation.rules import rule_for
from eventide.lowering.translation.scope import PATH_CONDITION, UNCONDITIONAL, Edge, Loop, Merger, Scope
from eventide.lowering.translation.slots import Slots
from eventide.lowering.translation.values import (
    COUNTABLE,
    Boolean,
    Formula,
    Function,
    Item,
    Nothing,
    Number,
    ObjectList,
    Opaque,
    Ref,
    Table,
    Vector,
    Void,
    describe,
    literal,
)
from eventide.lowering.translation.vectors import kept_item
from eventide.native.ir import Builder

if TYPE_CHECKING:
    from eventide.lowering.kernels.lowered import Access
    from eventide.lowering.names.found import Found
    from eventide.lowering.names.name_resolution import NameResolver
    from eventide.lowering.translation.dialect import Dialect
    from eventide.reading.source import Definition

LONGEST: Final = 30_000
"""How many values a kernel may have: helpers are followed at each call, so calls in calls in calls may grow beyond."""


@dataclass
class Frame:
    """One function that is being followed.

    is_entry    whether it is what is lowered, and not called from there
    is_straight whether paths that return are written one after the other with those that go on; see `control_flow.py`
    """

    function: Function
    definition: Definition
    is_entry: bool
    returns: list[Edge] = field(default_factory=list)
    is_straight: bool = False


class Context:
    """One function that is lowered.

    names       what stands around the code
    dialect     what is particular to code of its kind
    is_guided   whether guides and slopes are wanted: it is a condition
    scope       what is known where the next instruction goes
    unbounded   how many loops have been written that might never end
    copies      for how many items of vectors the present code is written
    turns       the memory for how often the loop is repeated that is being written, if it might never end
    epoch       how often something in memory has been written
    kept        how many numbers are kept in buffers
    at          the statement that is being followed
    assignments the states that the law assigns, and where it does so first: file, line, text
    """

    def __init__(self, names: NameResolver, dialect: Dialect, *, exact_pow: bool) -> None:
        self.names = names
        self.dialect = dialect
        self.is_guided = dialect.is_guided
        self.builder = Builder()
        self.builder.overflows = dialect.overflows
        self.arithmetic = Arithmetic(self.builder, exact_pow=exact_pow)
        self.booleans = BooleanOperations(self.arithmetic, is_guided=self.is_guided)
        self.functions = Functions(self.arithmetic, self.booleans)
        self.merger = Merger(self.builder, self.arithmetic, self.booleans)
        self.slots = Slots(self.builder, is_guided=self.is_guided)
        self.scope = Scope({PATH_CONDITION: UNCONDITIONAL})
        self.frames: list[Frame] = []
        self.loops: list[Loop] = []
        self.unbounded = 0
        self.copies = 1
        self.turns = ""
        self.epoch = 0
        self.kept = 0
        self.at: ast.stmt | None = None
        self.assignments: dict[Access, tuple[str, int, str]] = {}

    @property
    def frame(self) -> Frame:
        """The function that is being followed."""
        return self.frames[-1]

    @property
    def is_dead(self) -> bool:
        """Whether no execution can come here."""
        return self.builder.current is None

    def arrive(self, value: Item | None = None) -> Edge:
        """The end of the present path; the current block is left open for its continuation."""
        assert self.builder.current is not None
        arrival = Edge(self.builder.current, self.scope, value)
        self.builder.current = None
        return arrival

    def refusal(self, node: ast.AST, why: str) -> CannotLower:
        """The error that names a piece of the function that is being followed."""
        return self.frame.definition.refusal(node, why)

    # --- expressions ----------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> Item:
        """What an expression stands for.

        Raises CannotLower, naming the innermost expression that cannot be followed.
        """
        rule = rule_for(type(node), self.dialect.kinds)
        try:
            if rule is None:
                raise Unlowerable(UNFOLLOWED.get(type(node), "this is not followed"))
            item: Item = rule(self, node)
        except Unlowerable as error:
            raise self.refusal(node, error.why) from None
        self.dialect.check_value(self, item, node)
        return item

    def number(self, node: ast.expr) -> Number | Boolean:
        """The number or Boolean that an expression gives."""
        return self.as_number(self.evaluate(node), node)

    def as_number(self, item: Item, node: ast.expr) -> Number | Boolean:
        """What an expression gave, if it is a number or Boolean; raises CannotLower if it is not."""
        if isinstance(item, Number | Boolean):
            return item
        raise self.refusal(node, f"{describe(item)} is no number")

    def as_boolean(self, item: Item, node: ast.expr) -> Boolean:
        """Whether what an expression gave is true for Python; raises CannotLower if that is not known."""
        if isinstance(item, Number | Boolean):
            return self.booleans.of(item)
        if isinstance(item, ObjectList | Table):
            return self.booleans.of(self.length(item))
        known = isinstance(item, Ref) and not hasattr(item.sample, "__len__") and not hasattr(item.sample, "__bool__")
        if known or isinstance(item, Nothing):
            return literal(known)
        raise self.refusal(node, f"{describe(item)} is neither true nor false here")

    def length(self, item: ObjectList | Table | Vector | Formula) -> Number:
        """How many items there are."""
        if isinstance(item, Vector | Formula):
            return Number(str(item.count), "int", known=item.count)
        if isinstance(item, Table):
            return self.slots.size(item)
        return Number(self.slots.count(self.names.all_items(item)), "int", span=(0, COUNTABLE[1]))

    def settle(self, found: Found) -> Item:
        """Read what a name or attribute was found to be."""
        return self.dialect.read(self, found)

    # --- statements -----------------------------------------------------------------------------------------------

    def run(self, statements: list[ast.stmt]) -> None:
        """Write statements, as far as they can be reached."""
        for statement in statements:
            if self.is_dead:
                return
            self.execute(statement)

    def execute(self, node: ast.stmt) -> None:
        """Write a statement."""
        self.dialect.execute(self, node)

    def execute_by_rule(self, node: ast.stmt) -> None:
        """Write a statement by its rule; raises CannotLower, naming the innermost piece that cannot be followed."""
        rule = rule_for(type(node), self.dialect.kinds)
        outer, self.at = self.at, node
        try:
            if rule is None:
                raise Unlowerable(UNFOLLOWED.get(type(node), "this is not followed"))
            rule(self, node)
        except Unlowerable as error:
            raise self.refusal(node, error.why) from None
        finally:
            self.at = outer

    # --- functions with a body ------------------------------------------------------------------------------------

    def follow(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """What a call of a function gives: its body is written where it is called."""
        return self.dialect.follow(self, function, arguments, keywords)

    def write_out(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> Item:
        """Write the body of a function here; returns what a call of it gives."""
        definition = self.names.book.definition(function.function)
        if any(frame.function.function.__code__ is function.function.__code__ for frame in self.frames):
            raise Unlowerable(f"{function.function.__name__} calls itself, and such calls are not followed")
        if self.builder.count > LONGEST:
            raise Unlowerable(f"this would be more than {LONGEST} instructions")
        bindings = self._bind(function, arguments, keywords)
        outer = self.scope
        self.scope = Scope({**bindings, PATH_CONDITION: UNCONDITIONAL}, outer.written)
        frame = Frame(function, definition, is_entry=not self.frames)
        value = write_body(self, frame)
        returns = frame.returns
        if not all(isinstance(way.value, Void) for way in returns):  # else it is left for Python alone
            merged = self.merger.merge(returns)
            assert merged is not None
            self.scope, value = merged
        if self.is_dead:
            raise Unlowerable(f"{function.function.__name__} never ends")
        self.scope = Scope(outer.bindings, self.scope.written, outer.returned)
        return Opaque("different objects, depending on the path") if value is None else value

    def execute_body(self, tree: ast.FunctionDef | ast.Lambda) -> Item | None:
        """Write the body of a function; its exits are left in the frame. Returns the value of a lambda."""
        if isinstance(tree, ast.Lambda):
            return kept_item(self, self.evaluate(tree.body))
        self.run(tree.body)
        if not self.is_dead:
            self.frame.returns.append(self.arrive(Nothing()))
        return None

    def _bind(self, function: Function, arguments: list[Item], keywords: dict[str, Item]) -> dict[str, Item]:
        code = function.function.__code__
        if code.co_flags & 0x0C:
            raise Unlowerable("functions with *args or **options are not followed")
        given = [*([function.owner] if function.owner else []), *(kept_item(self, item) for item in arguments)]
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if len(given) > code.co_argcount:
            raise Unlowerable(f"{function.function.__name__} takes {code.co_argcount} arguments, not {len(given)}")
        bindings: dict[str, Item] = dict(zip(names, given, strict=False))
        for name, item in keywords.items():
            if name in bindings or name not in names:
                raise Unlowerable(f"{function.function.__name__} cannot be given {name!r} here")
            bindings[name] = kept_item(self, item)
        for name in names:
            if name not in bindings:
                found = self.names.root(name) if not self.frames else self.names.default(function, name)
                bindings[name] = self.settle(found)
        return bindings


UNFOLLOWED: Final[dict[type[ast.AST], str]] = {
    ast.Lambda: "functions made here are not followed: define it outside",
    ast.NamedExpr: "`:=` is not followed: write an assignment of its own",
    ast.JoinedStr: "texts are not followed",
    ast.List: "lists made here are not followed",
    ast.Set: "sets are not followed",
    ast.ListComp: "such expressions are followed inside sum, any, all, min and max only",
    ast.GeneratorExp: "such expressions are followed inside sum, any, all, min and max only",
    ast.SetComp: "sets are not followed",
    ast.DictComp: "dictionaries are not followed",
    ast.Yield: "what holds between events does not wait",
    ast.YieldFrom: "what holds between events does not wait",
    ast.Await: "what holds between events does not wait",
    ast.Starred: "`*` is not followed",
    ast.Assert: "an assertion cannot raise in native code: let an `@when` handler check it",
    ast.Raise: "native code cannot raise",
    ast.Try: "native code neither raises nor catches",
    ast.With: "`with` is not followed",
    ast.Global: "a law changes nothing outside the table of states",
    ast.Nonlocal: "a law changes nothing outside the table of states",
    ast.Delete: "`del` is not followed",
    ast.Import: "import it at the top of the file",
    ast.ImportFrom: "import it at the top of the file",
    ast.FunctionDef: "functions made here are not followed: define it outside",
    ast.ClassDef: "classes are not followed",
}
"""What is said of expressions and statements without a rule."""
