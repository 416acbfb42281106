"""LLVM functions in memory: blocks of instruction objects that passes inspect, move and replace.

An operand is its name, `%v7`, or a constant. Doubles are `double`, whole numbers `i64`, Booleans `i1`. Nothing here
knows what the code means in Python. Invariant: assembly is made from a function once it is complete, and is never
parsed again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, nan
from typing import Final, TypeAlias


def real(value: float) -> str:
    """A double constant, written so that no bit is lost."""
    return f"0x{int.from_bytes(struct.pack('>d', value)):016X}"


ZERO = real(0.0)
ONE = real(1.0)
INFINITE = real(inf)
NAN = real(nan)
SCALAR = "!llvm.loop !0"
"""Do not vectorise a loop over objects, which are at any place: for a law of three operands gathering the numbers of
eight objects took 2.6 times as long as loading each."""
SELDOM = "!prof !2"
"""The mark of a branch that hardly ever goes the first way."""
MARKS = """!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.vectorize.enable", i1 false}
!2 = !{!"branch_weights", i32 1, i32 1048575}
"""
"""What a text that has these marks ends with."""
STACK = 2**14
"""The bytes that a kernel may keep on the stack, which is small in some threads; the rest is allocated."""
HEAP: Final = "%heap"
"""The address of the memory that is allocated for the length of a call."""
LARGEST_WHOLE = 2.0**53
"""Below this whole number every one is a double, and no other is rounded to it."""


Operand: TypeAlias = str | int
CONVERSIONS: Final = frozenset(
    ["zext", "sext", "trunc", "sitofp", "uitofp", "fptosi", "inttoptr", "ptrtoint", "bitcast"]
)
"""Opcodes that make a value of another kind."""


class Instruction:
    """One instruction of LLVM.

    opcode      with its flags or predicate: "fadd", "add nsw", "icmp slt", "call", "br", ...
    kind        of the operands; of a call what it returns, of memory what it holds
    operands    values; of a call each with its kind; of a branch the labels after the test; of a phi the values
    result      the name of its value; empty if it has none
    to          of a conversion the kind it gives; of a call what is called; of a phi the labels of its values
    mark        what follows it: alignment, metadata
    """

    __slots__ = ("kind", "mark", "opcode", "operands", "result", "to")

    def __init__(
        self, opcode: str, kind: str, *operands: Operand, result: str = "", to: str = "", mark: str = ""
    ) -> None:
        self.opcode = opcode
        self.kind = kind
        self.operands = tuple(map(str, operands))
        self.result = result
        self.to = to
        self.mark = mark

    @property
    def may_overflow(self) -> bool:
        """Whether its value may be finite although that of an operand is not."""
        if self.opcode == "fdiv":
            return self.operands[1].startswith("%")
        return self.opcode in ("call", "frem") or self.opcode.startswith("fcmp")

    def redirect(self, label: str, other: str) -> None:
        """Let a branch lead to another block."""
        self.operands = tuple(other if operand == label else operand for operand in self.operands)

    def __str__(self) -> str:
        """The line of assembly."""
        text = self._text()
        return f"{f'{self.result} = ' if self.result else ''}{text}{self.mark and ', '}{self.mark}"

    def _text(self) -> str:
        opcode, kind, operands = self.opcode, self.kind, self.operands
        match opcode.split(" ", 1)[0]:
            case "load":
                return f"{opcode} {kind}, ptr {operands[0]}"
            case "store":
                return f"{opcode} {kind} {operands[0]}, ptr {operands[1]}"
            case "getelementptr":
                return f"{opcode} {kind}, ptr {operands[0]}, i64 {operands[1]}"
            case "select":
                return f"select i1 {operands[0]}, {kind} {operands[1]}, {kind} {operands[2]}"
            case "call":
                return f"call {kind} {self.to}({', '.join(operands)})"
            case "phi":
                pairs = zip(operands, self.to.split(), strict=True)
                return f"phi {kind} {', '.join(f'[ {value}, %{label} ]' for value, label in pairs)}"
            case "br" if len(operands) == 1:
                return f"br label %{operands[0]}"
            case "br":
                return f"br i1 {operands[0]}, label %{operands[1]}, label %{operands[2]}"
            case word if word in CONVERSIONS:
                return f"{opcode} {kind} {operands[0]} to {self.to}"
        return " ".join([opcode, kind, ", ".join(operands)]).rstrip()


@dataclass
class Block:
    """A run of instructions with one entry; closed once it has been left.

    merges      those at its entry, whose values depend on where it is entered from
    repeats     whether it is executed again and again in one call
    """

    label: str
    merges: list[Instruction] = field(default_factory=list)
    lines: list[Instruction] = field(default_factory=list)
    is_closed: bool = False
    repeats: bool = False


@dataclass(frozen=True)
class Function:
    """A kernel as assembly.

    declarations    of what it calls
    arguments       with their kinds
    marks           the metadata that it names
    pieces          functions that it calls, if it has been cut
    effort          of LLVM's passes, 0 to 3
    """

    declarations: tuple[str, ...]
    arguments: str
    body: str
    marks: str = ""
    pieces: str = ""
    effort: int = 2

    @property
    def module(self) -> str:
        """The module of this function alone, which is called `@kernel` there."""
        head = f"define i64 @kernel({self.arguments})"
        return "\n".join([*self.declarations, f"{head} {{\n{self.body}\n}}\n"]) + self.pieces + self.marks

    def inlined(self, name: str) -> str:
        """The function by another name, to be inlined into its callers."""
        return f"define internal i64 {name}({self.arguments}) alwaysinline {{\n{self.body}\n}}\n"


class Builder:
    """One function in the making.

    blocks      in order of their text
    current     where the next instruction goes; None where no execution can come
    symbols     the functions of the mathematical library that are called
    loops       the loops of numpy that are called
    calls       the functions of Python that are called, with their declarations
    room        the memory that is used for the duration of a call, as instructions of the first block
    heap        how many bytes of it are allocated because they are too many for the stack
    traps       whether it is noted where Python would raise; trap: the memory of that note, if there is any such place
    only_where  the Booleans, and their values on the paths on which Python would come here
    overflows   whether it is noted at once where a power is too large for Python; else when all else is known
    """

    def __init__(self) -> None:
        self.loops: dict[str, None] = {}
        self.room: list[Instruction] = []
        self.heap = 0
        self._stacked = 0
        self.traps = False
        self.trap = ""
        self.only_where: tuple[tuple[str, bool], ...] = ()
        self.overflows = False
        self._put_off: list[tuple[Block, Instruction, Callable[[], None]]] = []
        self.calls: dict[str, str] = {}
        self.blocks: list[Block] = []
        self.current: Block | None = None
        self.symbols: dict[str, int] = {}
        self._intrinsics: dict[str, str] = {}
        self._count = 0

    # --- blocks ---------------------------------------------------------------------------------------------------

    def block(self) -> Block:
        """A new block, to be entered later."""
        self._count += 1
        return Block(f"b{self._count}")

    def enter(self, block: Block) -> None:
        """Go on in a block that has not been entered before."""
        self.blocks.append(block)
        self.current = block

    def resume(self, block: Block) -> None:
        """Add to a block that was left open."""
        self.current = block

    def jump(self, target: Block, mark: str = "") -> None:
        """Leave the current block for another."""
        self._close(Instruction("br", "label", target.label, mark=mark))

    def branch(self, test: str, then: Block, otherwise: Block, mark: str = "") -> None:
        """Leave the current block for one of two."""
        self._close(Instruction("br", "i1", test, then.label, otherwise.label, mark=mark))

    def finish(self, kind: str = "void", *value: str) -> None:
        """Return from the function."""
        self._close(Instruction("ret", kind, *value))

    def _close(self, instruction: Instruction) -> None:
        self.do(instruction)
        assert self.current is not None
        self.current.is_closed = True
        self.current = None

    @property
    def count(self) -> int:
        """How many names have been given."""
        return self._count

    def mark(self) -> tuple[int, Block, int]:
        """A place to which `return_to` can go back."""
        assert self.current is not None
        return len(self.blocks), self.current, len(self.current.lines)

    def return_to(self, mark: tuple[int, Block, int]) -> None:
        """Drop everything that was written since the mark."""
        count, block, length = mark
        del self.blocks[count:]
        del block.lines[length:]
        block.is_closed = False
        self.current = block

    # --- instructions ---------------------------------------------------------------------------------------------

    def name(self) -> str:
        """A name that no other value has."""
        self._count += 1
        return f"%v{self._count}"

    def do(self, instruction: Instruction) -> None:
        """Write an instruction."""
        assert self.current is not None
        assert not self.current.is_closed
        self.current.lines.append(instruction)

    def value(self, opcode: str, kind: str, *operands: Operand, mark: str = "") -> str:
        """Write an instruction; returns the name of its value."""
        name = self.name()
        self.do(Instruction(opcode, kind, *operands, result=name, mark=mark))
        return name

    def convert(self, opcode: str, kind: str, value: str, to: str) -> str:
        """The value as another kind."""
        name = self.name()
        self.do(Instruction(opcode, kind, value, result=name, to=to))
        return name

    def call(self, kind: str, function: str, *arguments: tuple[str, str]) -> str:
        """Call a function, a name such as `@f` or the operand of its address; returns the name of its value, if any.

        arguments   each with its kind before it
        """
        name = "" if kind == "void" else self.name()
        given = (f"{sort} {value}" for sort, value in arguments)
        self.do(Instruction("call", kind, *given, result=name, to=function))
        return name

    def get(self, kind: str, pointer: str, mark: str = "") -> str:
        """Load the value at an address."""
        return self.value("load", kind, pointer, mark=mark)

    def put(self, kind: str, value: str, pointer: str) -> None:
        """Store a value at an address."""
        self.do(Instruction("store", kind, value, pointer))

    def merge(self, block: Block, kind: str, incoming: list[tuple[str, Block]], name: str | None = None) -> str:
        """A value that depends on where a block is entered from."""
        name = name or self.name()
        labels = " ".join(source.label for _, source in incoming)
        block.merges.append(Instruction("phi", kind, *(value for value, _ in incoming), result=name, to=labels))
        return name

    def load(self, kind: str, row: str, index: str) -> str:
        """The item of an array."""
        return self.get(kind, self.address(kind, row, index))

    def store(self, kind: str, value: str, row: str, index: str) -> None:
        """Set an item of an array."""
        self.put(kind, value, self.address(kind, row, index))

    def address(self, kind: str, row: str, index: str) -> str:
        """The address of an item of an array."""
        return self.value("getelementptr", kind, row, index)

    def select(self, test: str, kind: str, then: str, otherwise: str) -> str:
        """One of two values, both of which have been computed."""
        return then if then == otherwise else self.value("select", kind, test, then, otherwise)

    def intrinsic(self, name: str, *arguments: str) -> str:
        """A function that the machine has: floor, fabs, sqrt, ..."""
        self._intrinsics[f"llvm.{name}.f64"] = ", ".join(["double"] * len(arguments))
        return self._call(f"llvm.{name}.f64", arguments)

    def library(self, name: str, *arguments: str) -> str:
        """A function of the mathematical library."""
        self.symbols[name] = len(arguments)
        return self._call(name, arguments)

    def note_trap(self, test: str) -> None:
        """Where `test` holds Python raises an error of arithmetic."""
        if not self.traps:
            return
        if not self.trap:
            self.trap = "%trap"
            self.room.append(Instruction("alloca", "i1", result="%trap"))
        for truth, wanted in self.only_where:
            here = truth if wanted else self.value("xor", "i1", truth, "true")
            test = self.value("and", "i1", test, here)
        before = self.get("i1", "%trap")
        self.put("i1", self.value("or", "i1", before, test), "%trap")

    def note_inexact(self, value: str) -> None:
        """A double represents a whole number, perhaps not exactly: ask Python."""
        if self.traps:
            self.note_trap(Wire(self, value).machine("fabs").test("uge", LARGEST_WHOLE))

    @contextmanager
    def without_traps(self) -> Iterator[None]:
        """What is written meanwhile never raises."""
        before, self.traps = self.traps, False
        try:
            yield
        finally:
            self.traps = before

    @contextmanager
    def where(self, truth: str, wanted: bool) -> Iterator[None]:
        """What is written meanwhile is always computed, but Python comes there only if a Boolean has this value."""
        before = self.only_where
        self.only_where = (*before, (truth, wanted))
        try:
            yield
        finally:
            self.only_where = before

    def put_off(self, note: Callable[[], None]) -> None:
        """Keep what notes an error here, to be written when all else is known."""
        assert self.current is not None
        if self.traps and self.current.lines:
            self._put_off.append((self.current, self.current.lines[-1], note))

    def note_what_was_put_off(self) -> None:
        """Write it where it belongs, unless what it belongs to has been taken back; to be called with an open block."""
        present = self.current
        there = {(id(block), id(line)): at for block in self.blocks for at, line in enumerate(block.lines)}
        for block, line, note in reversed(self._put_off):
            place = there.get((id(block), id(line)))
            if place is not None:
                assert block.lines[place] is line  # lines come at ends of blocks, and the last are noted first
                rest, block.lines[place + 1 :] = block.lines[place + 1 :], []
                is_closed, block.is_closed = block.is_closed, False
                self.current = block
                note()
                block.lines += rest
                block.is_closed = is_closed
        self.current = present

    def has_trapped(self) -> str:
        """Whether Python would have raised in this call, for the last block; call it only if there is a `trap`."""
        return self.get("i1", self.trap)

    def begin_without_trap(self, block: Block) -> None:
        """At the start of a block nothing has been noted yet."""
        if self.trap:
            block.lines[:0] = [Instruction("store", "i1", "false", self.trap)]

    def memory(self, kind: str, count: int) -> str:
        """The address of memory for N values of eight bytes, new in each call of the kernel."""
        self._count += 1
        name, size = f"%m{self._count}", 16 * ((count + 1) // 2)
        if self._stacked + size <= STACK:
            self._stacked += size
            self.room.append(Instruction("alloca", f"[{count} x {kind}]", result=name, mark="align 16"))
        else:
            self.room.append(Instruction("getelementptr", "i8", HEAP, self.heap, result=name))
            self.heap += size
        return name

    def place_room(self, entry: Block, failure: Operand) -> None:
        """Take the memory before a function's first block; where there is none left, return `failure`, an i64."""
        room = self.room
        if not self.heap:
            entry.lines[:0] = room
            return
        self.calls["PyMem_RawMalloc"] = "declare ptr @PyMem_RawMalloc(i64)"
        self.calls["PyMem_RawFree"] = "declare void @PyMem_RawFree(ptr)"
        start, none = self.block(), self.block()
        start.lines = [
            *(one for one in room if HEAP not in one.operands),
            Instruction("call", "ptr", f"i64 {self.heap}", result=HEAP, to="@PyMem_RawMalloc"),
            *(one for one in room if HEAP in one.operands),
            Instruction("icmp eq", "ptr", HEAP, "null", result=f"{HEAP}.none"),
            Instruction("br", "i1", f"{HEAP}.none", none.label, entry.label),
        ]
        none.lines = [Instruction("ret", "i64", failure)]
        self.blocks.insert(0, start)
        self.blocks.append(none)

    def give_back_room(self) -> None:
        """Before a function returns: free what has been allocated."""
        if self.heap:
            self.call("void", "@PyMem_RawFree", ("ptr", HEAP))

    def loop(self, symbol: str, arguments: list[tuple[str, int]], count: int) -> None:
        """Call a loop of numpy over arrays, each an address and a stride in bytes; the last is the result."""
        self.loops[symbol] = None
        addresses = self.memory("ptr", len(arguments))
        strides, counts = self.memory("i64", len(arguments)), self.memory("i64", 1)
        for place, (address, stride) in enumerate(arguments):
            self.store("ptr", address, addresses, str(place))
            self.store("i64", str(stride), strides, str(place))
        self.store("i64", str(count), counts, "0")
        self.call("void", f"@{symbol}", ("ptr", addresses), ("ptr", counts), ("ptr", strides), ("ptr", "null"))

    def truncated(self, value: str) -> str:
        """A double as a whole number; one that is too large as the nearest there is, NaN as 0."""
        self._intrinsics["llvm.fptosi.sat.i64.f64"] = "double"
        return self.call("i64", "@llvm.fptosi.sat.i64.f64", ("double", value))

    def _call(self, name: str, arguments: tuple[str, ...]) -> str:
        return self.call("double", f"@{name}", *(("double", argument) for argument in arguments))

    # --- text -----------------------------------------------------------------------------------------------------

    def function(self, arguments: str, marks: str = "", pieces: str = "", effort: int = 2) -> Function:
        """The kernel that has been written, with its arguments, the metadata that it names, and its pieces."""
        return Function(self.declarations(), arguments, self._body(), marks, pieces, effort)

    def declarations(self) -> tuple[str, ...]:
        """What the function calls."""
        # Without `nobuiltin` the compiler would compute some calls itself, and to other bits than the library.
        declared = [
            f"declare double @{name}({', '.join(['double'] * count)}) nobuiltin nounwind willreturn memory(none)"
            for name, count in self.symbols.items()
        ]
        declared += [f"declare void @{name}(ptr, ptr, ptr, ptr) nounwind" for name in self.loops]
        declared += self.calls.values()
        for name, parameters in self._intrinsics.items():
            result = "i64" if name.endswith("i64.f64") else "double"
            declared.append(f"declare {result} @{name}({parameters})")
        return tuple(declared)

    def definition(self, head: str) -> str:
        """The function whose first line is `head`."""
        return f"{head} {{\n{self._body()}\n}}\n"

    def _body(self) -> str:
        lines: list[str] = []
        for block in self.blocks:
            lines.append(f"{block.label}:")
            lines += [f"  {instruction}" for instruction in (*block.merges, *block.lines)]
        return "\n".join(lines)


class Wire:
    """A double operand with arithmetic operators, for formulas of several operations."""

    __slots__ = ("_builder", "text")

    def __init__(self, builder: Builder, text: str) -> None:
        self._builder = builder
        self.text = text

    def _of(self, other: Wire | float) -> str:
        return other.text if isinstance(other, Wire) else real(other)

    def _join(self, opcode: str, left: str, right: str) -> Wire:
        return Wire(self._builder, self._builder.value(opcode, "double", left, right))

    def __add__(self, other: Wire | float) -> Wire:
        return self._join("fadd", self.text, self._of(other))

    def __radd__(self, other: float) -> Wire:
        return self._join("fadd", real(other), self.text)

    def __sub__(self, other: Wire | float) -> Wire:
        return self._join("fsub", self.text, self._of(other))

    def __rsub__(self, other: float) -> Wire:
        return self._join("fsub", real(other), self.text)

    def __mul__(self, other: Wire | float) -> Wire:
        return self._join("fmul", self.text, self._of(other))

    def __rmul__(self, other: Wire | float) -> Wire:
        return self._join("fmul", self._of(other), self.text)

    def __truediv__(self, other: Wire | float) -> Wire:
        return self._join("fdiv", self.text, self._of(other))

    def __rtruediv__(self, other: float) -> Wire:
        return self._join("fdiv", real(other), self.text)

    def __neg__(self) -> Wire:
        return Wire(self._builder, self._builder.value("fneg", "double", self.text))

    def call(self, name: str) -> Wire:
        """The value of a function of the mathematical library here."""
        return Wire(self._builder, self._builder.library(name, self.text))

    def machine(self, name: str, *others: Wire) -> Wire:
        """The value of a function that the machine has, here and at others."""
        return Wire(self._builder, self._builder.intrinsic(name, self.text, *(other.text for other in others)))

    def test(self, comparison: str, other: Wire | float) -> str:
        """A Boolean: `olt`, `oeq`, `une`, ..."""
        return self._builder.value(f"fcmp {comparison}", "double", self.text, self._of(other))

    def unless(self, test: str, other: Wire | float) -> Wire:
        """The operand, or `other` where `test` holds."""
        return Wire(self._builder, self._builder.select(test, "double", self._of(other), self.text))
