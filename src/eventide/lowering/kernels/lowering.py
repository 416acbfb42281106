"""From a law or condition to the text of its kernel."""

from __future__ import annotations

from typing import Final

from eventide.enclosures.certificate import certificate_of, leave
from eventide.enclosures.trees import comparisons_in
from eventide.engine.codes import RAISES
from eventide.engine.records import GuardRecord
from eventide.lowering.kernels.carried_sums import carry
from eventide.lowering.kernels.index_rows import EACH_AT_ITS_PLACE, Rows
from eventide.lowering.kernels.lowered import Lowered, LoweredKind
from eventide.lowering.names.binder import is_of_blocks, make_binder, make_comparison
from eventide.lowering.names.name_resolution import NameResolver
from eventide.lowering.not_compilable import CannotLower, Unlowerable
from eventide.lowering.translation import calls, closeness, expressions, numpy_functions, statements
from eventide.lowering.translation.conditions import ConditionDialect
from eventide.lowering.translation.context import Context
from eventide.lowering.translation.dialect import Dialect
from eventide.lowering.translation.handlers import HandlerDialect
from eventide.lowering.translation.values import Boolean, Function, Item, Number
from eventide.native.ir import MARKS, SCALAR, Block, Builder, Instruction
from eventide.native.ir import Function as LLVMFunction
from eventide.native.pieces import cut
from eventide.reading.description import location
from eventide.reading.entries import Entry
from eventide.reading.source import SourceBook

RULES: Final = (calls, closeness, expressions, numpy_functions, statements)
"""The modules of rules, which are imported so that these are registered; those of dialects are imported by name."""
CONDITION: Final = (
    "double %t, double %dt, double %last, ptr %Y, ptr %R, ptr %Y0, "
    "ptr noalias readonly %ix, ptr noalias readonly %consts, ptr noalias %out, ptr noalias readonly %lists"
)
"""The arguments of a kernel; of a law's see `index_rows.py`."""
HANDLER: Final = CONDITION.replace("ptr noalias readonly %lists", "ptr readonly %lists")
LAWS: Final = ("contributions", "equations")
_DIALECTS: Final[dict[LoweredKind, type[Dialect]]] = {
    "condition": ConditionDialect,
    "handler": HandlerDialect,
}


def lower_law(
    component: object, function: object, *, exact_pow: bool = False, rows: Rows = EACH_AT_ITS_PLACE
) -> Lowered:
    """The kernel text of a method of a component that sets rates: `equations`, `contributions`.

    function    of the class, as in `Ball.equations`
    exact_pow   whether `**` keeps the last bit of Python's, which costs time
    rows        where the kernel finds the entries of its index rows
    Raises CannotLower if something in it cannot be followed.
    """
    entry = _entry_of(function, (component,))
    return Lowering(entry, "law", SourceBook(), rows).lower(exact_pow=exact_pow)


def lower_condition(test: object, *arguments: object, exact_pow: bool = False) -> Lowered:
    """The kernel text of a condition: a lambda, function or bound method, and what it is called with.

    Raises CannotLower if something in it cannot be followed.
    """
    entry = _entry_of(test, arguments)
    return Lowering(entry, "condition", SourceBook()).lower(exact_pow=exact_pow)


def _hides(context: Context) -> bool:
    """Whether what is too large for Python may leave all rates of a law finite: not if these are sums and products."""
    if any(access.row != "rate" for access in context.slots.writes):
        return True
    return any(one.may_overflow for block in context.builder.blocks for one in block.lines)


def _finish(builder: Builder, answer: str) -> None:
    """Return an answer, or RAISES where Python would have raised."""
    if builder.trap:
        answer = builder.select(builder.has_trapped(), "i64", str(RAISES), answer)
    builder.give_back_room()
    builder.finish("i64", answer)


def _with_prologue(context: Context, entry: Block) -> LLVMFunction:
    """The kernel of a condition or quantity, whose code begins in a block."""
    builder = context.builder
    builder.begin_without_trap(entry)
    entry.lines[:0] = context.slots.prologue("%ix")
    builder.place_room(entry, RAISES)
    return builder.function(CONDITION)


def _entry_of(function: object, arguments: tuple[object, ...]) -> Entry:
    try:
        return Entry.of(function, arguments)
    except TypeError:
        raise not_a_function(function) from None


def not_a_function(function: object) -> CannotLower:
    """The error for what can be called and has no text."""
    name = getattr(function, "__qualname__", repr(function))
    return CannotLower("<unknown>", 0, name, "only functions, lambdas and methods are followed")


class Lowering:
    """One function on its way to a kernel.

    rows        where a law's kernel finds the entries of its index rows
    outside     what it has been found to refer to so far; it also tells when a refusal may be taken back
    """

    def __init__(self, entry: Entry, kind: LoweredKind, book: SourceBook, rows: Rows = EACH_AT_ITS_PLACE) -> None:
        self.entry = entry
        self.rows = rows
        self.kind: LoweredKind = kind
        self.book = book
        self.outside = NameResolver(entry, kind, book)
        self._definition = book.definition(entry.function)
        self.certificate: tuple[int, ...] = ()
        self.comparisons = 0
        self.equalities: dict[tuple[str, int, str], tuple[tuple[int, int], ...]] = {}

    def lower(self, *, exact_pow: bool = False) -> Lowered:
        """The kernel's text and what its caller has to know."""
        try:
            return self._lower(exact_pow=exact_pow)
        except CannotLower:
            if not self.outside.has_modes or self.kind in ("handler", "segment"):
                raise
        # What cannot be followed may be of another mode than the present one.
        self.outside = NameResolver(self.entry, self.kind, self.book)
        self.outside.asks_modes = False
        return self._lower(exact_pow=exact_pow)

    def _lower(self, *, exact_pow: bool) -> Lowered:
        name = self.entry.function.__name__
        if self.kind == "law" and name in LAWS and self._definition.file.stores(name):
            raise self.refusal(
                f"{self._definition.file.name} sets an attribute `{name}`, so an object may have its own"
            )
        context = Context(self.outside, _DIALECTS.get(self.kind, Dialect)(), exact_pow=exact_pow)
        try:
            function = getattr(self, f"_write_{self.kind}")(context)
        except Unlowerable as error:
            raise self.refusal(error.why) from None
        except RecursionError:
            raise self.refusal("an expression in it is nested too deeply") from None
        lowered = self._result(context, function)
        if lowered.bind(self.entry.function, self.entry.arguments) is None:
            raise self.refusal("the items of a list refer to objects of several classes, and one kernel fits one")
        return lowered

    def refusal(self, why: str) -> CannotLower:
        """The error that names the function as a whole."""
        return self._definition.refusal(self._definition.tree, why)

    # --- the kinds --------------------------------------------------------------------------------------------

    def _write_law(self, context: Context) -> LLVMFunction:
        builder = context.builder
        entry, head, inside, after, end = (builder.block() for _ in range(5))
        builder.enter(entry)
        builder.jump(head)
        builder.enter(head)
        more = builder.value("icmp slt", "i64", "%k", "%n")
        builder.branch(more, inside, end)
        builder.enter(inside)
        builder.traps = True
        self._follow(context)
        if _hides(context):
            builder.note_what_was_put_off()
        builder.jump(after)
        builder.enter(after)
        builder.do(Instruction("add", "i64", "%k", 1, result="%k1"))
        builder.jump(head, SCALAR)
        builder.merge(head, "i64", [("0", entry), ("%k1", after)], "%k")
        first, room = carry(builder, context.slots, head, inside)
        first.lines[:0] = self.rows.instructions(context.slots.entries)
        builder.room += room
        has_loops = any(block.repeats for block in builder.blocks)
        pieces = cut(builder, self.rows.arguments, first, after)
        builder.enter(end)
        _finish(builder, "0")
        builder.begin_without_trap(entry)
        builder.place_room(entry, RAISES)
        # Of pieces without loops the passes after the first ones make hardly anything better.
        return builder.function(self.rows.arguments, MARKS, pieces, effort=1 if pieces and not has_loops else 2)

    def _write_condition(self, context: Context) -> LLVMFunction:
        builder = context.builder
        entry = builder.block()
        builder.enter(entry)
        builder.traps = True
        dialect, answer = context.dialect, self._follow(context)
        assert isinstance(dialect, ConditionDialect)
        if not isinstance(answer, Number | Boolean):
            raise Unlowerable("a condition returns a Boolean on every path; this one does not")
        truth = context.booleans.of(answer)
        guide, slope = context.booleans.answer(truth)
        builder.store("double", guide, "%out", "0")
        builder.store("double", slope, "%out", "1")
        certificate = certificate_of(context.booleans.tree(truth))
        self.comparisons = comparisons_in(truth.tree)
        self.equalities = dialect.equalities
        holds = builder.convert("zext", "i1", truth.text, "i64")
        _finish(builder, holds)
        if leave(builder, certificate.stills, GuardRecord.place_of("still")):
            self.certificate = certificate.words
        return _with_prologue(context, entry)

    def _write_quantity(self, context: Context) -> LLVMFunction:
        builder = context.builder
        entry = builder.block()
        builder.enter(entry)
        builder.traps = True
        answer = self._follow(context)
        if not isinstance(answer, Number | Boolean):
            raise Unlowerable("a quantity returns a number on every path; this one does not")
        arithmetic = context.booleans.arithmetic
        builder.store("double", arithmetic.double(arithmetic.number(answer)), "%out", "0")
        _finish(builder, "0")
        return _with_prologue(context, entry)

    def _write_handler(self, context: Context) -> LLVMFunction:
        builder = context.builder
        entry, dialect = builder.block(), context.dialect
        assert isinstance(dialect, HandlerDialect)
        builder.traps = True
        builder.enter(entry)
        self._follow(context)
        dialect.close(context)
        builder.begin_without_trap(entry)
        entry.lines[:0] = [*builder.room, *context.slots.prologue("%ix"), *dialect.opening(context)]
        return builder.function(HANDLER)

    def _follow(self, context: Context) -> Item:
        names = self.entry.function.__code__.co_varnames[: len(self.entry.arguments)]
        arguments = [context.settle(self.outside.root(name)) for name in names]
        return context.follow(Function(self.entry.function), arguments, {})

    # --- what the caller has to know ------------------------------------------------------------------------------

    def _result(self, context: Context, function: LLVMFunction) -> Lowered:
        slots, outside, dialect = context.slots, self.outside, context.dialect
        blocks, lists, tables = tuple(slots.paths), tuple(slots.lists), tuple(slots.tables)
        steps = tuple(outside.steps.values())
        return Lowered(
            kind=self.kind,
            name=self._name(),
            function=function,
            blocks=blocks,
            lists=lists,
            tables=tables,
            reads=tuple(sorted(slots.reads)),
            writes=tuple(sorted(slots.writes)),
            constants=tuple(outside.constants.values()),
            ranges=tuple((access, tuple(spans)) for access, spans in slots.ranges.items()),
            assignments=tuple(context.assignments.items()),
            symbols=(*context.builder.symbols, *context.builder.loops, *context.builder.calls),
            reads_time="time" in slots.clock,
            reads_step="dt" in slots.clock or "last_time" in slots.clock,
            steps=steps,
            certificate=self.certificate,
            comparisons=self.comparisons,
            equalities=tuple((*where, states) for where, states in self.equalities.items()),
            raises=bool(context.builder.trap or context.builder.heap),
            objects=tuple(slots.objects),
            literals=tuple(slots.literals),
            changes=tuple(dialect.changes) if isinstance(dialect, HandlerDialect) else (),
            appends=isinstance(dialect, HandlerDialect) and dialect.appends,
            asks=tuple((e.file, e.line, e.construct, e.why) for e in getattr(dialect, "asks", ())),
            closed_over=tuple(outside.consts),
            bind=make_binder(self.entry, steps, blocks, lists, tables, tuple(outside.consts), tuple(slots.objects)),
            compare=make_comparison(self.entry, steps),
            is_of_blocks=not (lists or tables or outside.consts) and is_of_blocks(steps),
        )

    def _name(self) -> str:
        function = self.entry.function
        if function.__name__ == "<lambda>":
            return f"lambda at {location(function.__code__.co_filename, function.__code__.co_firstlineno)}"
        return function.__qualname__
