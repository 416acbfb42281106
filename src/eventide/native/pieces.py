"""A law of very many instructions in pieces: functions of bounded length, called one after the other.

What the compiler does takes time that grows faster than a function's length, and all the more within the loop over
objects. A value that is made in one piece and used in another goes through memory, where most would be anyway, as there
are so few registers. Operations and their order stay, so the bits do.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.native.ir import CONVERSIONS, Block, Instruction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventide.native.ir import Builder

MOST: Final = 4096
"""A law of more instructions is cut."""
LENGTH: Final = 512
"""A piece that has so many ends where it next can."""
FRAME: Final = "%frame"
"""The memory of what goes from one piece to another."""


class _Place(NamedTuple):
    """A block of the law by its number, and a line in it."""

    block: int
    line: int


def cut(builder: Builder, arguments: str, inside: Block, after: Block) -> str:
    """Cut the part of a kernel that is executed for each object; returns the functions that it calls then.

    arguments       of the kernel
    inside, after   the first block of that part, and the one to which it leads
    """
    first = builder.blocks.index(inside)
    body = builder.blocks[first : builder.blocks.index(after)]
    places = _places(body) if sum(len(block.lines) for block in body) > MOST else []
    if not places:
        return ""
    pieces = [_between(body, *ends) for ends in pairwise([_Place(0, 0), *places])]
    end = places[-1]
    last = Block(body[end.block].label, [], body[end.block].lines[end.line :])
    calling = Block(inside.label, inside.merges, [Instruction("br", "label", last.label)])
    if end.block == 0:
        calling.lines, rest = last.lines, []
    else:
        rest = [last]
    builder.blocks[first : first + len(body)] = [calling, *rest, *body[end.block + 1 :]]
    return _Frame(builder, arguments, pieces).connected(calling)


def _places(body: list[Block]) -> list[_Place]:
    """Where it is cut: before these lines, by which every path comes once."""
    found = []
    length = 0
    for number, (block, is_passed_once) in enumerate(zip(body, _are_passed_once(body), strict=True)):
        line, count = 0, len(block.lines)
        while is_passed_once and count - line + length > LENGTH:
            line += max(LENGTH - length, 0)
            found.append(_Place(number, line))
            length = 0
        length += count - line
    return found


def _are_passed_once(body: list[Block]) -> list[bool]:
    """For each block whether every path comes by once: no branch leads over it, or back to it or over it."""
    numbers = {block.label: number for number, block in enumerate(body)}
    depths = [0] * (len(body) + 1)
    for number, block in enumerate(body):
        leave = block.lines[-1]
        labels = leave.operands[len(leave.operands) > 1 :] if leave.opcode == "br" else ("",)
        for label in labels:
            target = numbers.get(label, len(body))
            low, high = (number + 1, target) if target > number else (target, number + 1)
            depths[low] += 1
            depths[high] -= 1
    return [depth == 0 for depth in accumulate(depths[:-1])]


def _between(body: list[Block], start: _Place, end: _Place) -> list[Block]:
    """The blocks from one place to another."""
    found = [Block(block.label, block.merges, block.lines) for block in body[start.block : end.block + 1]]
    found[-1].lines = [*found[-1].lines[: end.line], Instruction("ret", "void")]
    found[0].merges, found[0].lines = [], found[0].lines[start.line :]
    return found


class _Frame:
    """What goes from one piece of a kernel to another.

    arguments   of the kernel
    pieces      each as blocks
    """

    def __init__(self, builder: Builder, arguments: str, pieces: list[list[Block]]) -> None:
        self._builder = builder
        self._pieces = pieces
        self._arguments = arguments.split(", ")
        self._room = {one.result: "ptr noalias" if one.result == builder.trap else "ptr" for one in builder.room}
        self._kinds: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self._find_places()
        if "ptr" in [self._kinds[name] for name in self._places]:
            # An address that comes by the frame may be one of an argument's memory.
            self._arguments = [argument.replace("noalias ", "") for argument in self._arguments]

    def _find_places(self) -> None:
        """Give a place to each value that is used elsewhere than where it is made; arguments and room are passed."""
        parts = [*self._pieces, self._builder.blocks]
        makers = {one.result: number for number, part in enumerate(parts) for one in _instructions(part)}
        for number, part in enumerate(parts):
            for one in _instructions(part):
                self._kinds[one.result] = _kind(one)
                for name in _used(one):
                    if makers.get(name, number) != number:
                        self._places.setdefault(name, len(self._places))

    def connected(self, calling: Block) -> str:
        """The pieces as functions, which a block calls before all else that it does."""
        frame = self._builder.memory("i64", max(len(self._places), 1))
        blocks = self._builder.blocks
        made = self._store(blocks, frame)
        self._load(blocks[blocks.index(calling) :], made, frame)
        heads = [[*self._arguments, *self._room_of(piece), f"ptr noalias {FRAME}"] for piece in self._pieces]
        calling.lines[:0] = [
            Instruction("call", "void", *_given(head, frame), to=f"@piece{number}") for number, head in enumerate(heads)
        ]
        return "".join(map(self._function, range(len(heads)), heads, self._pieces))

    def _room_of(self, piece: list[Block]) -> list[str]:
        """The memory of the kernel that a piece uses, as arguments."""
        used = dict.fromkeys(name for one in _instructions(piece) for name in _used(one) if name in self._room)
        return [f"{self._room[name]} {name}" for name in used]

    def _function(self, number: int, arguments: list[str], piece: list[Block]) -> str:
        """A piece as a function."""
        self._load(piece, self._store(piece, FRAME), FRAME)
        lines = [line for block in piece for line in (f"{block.label}:", *map(str, (*block.merges, *block.lines)))]
        return "\n".join([f"define internal void @piece{number}({', '.join(arguments)}) noinline {{", *lines, "}\n"])

    def _load(self, part: list[Block], made: set[str], frame: str) -> None:
        """Load what others have made: where it is used first, or at once if several blocks use it."""
        users: dict[str, Block | None] = {}
        for block in part:
            for one in (*block.merges, *block.lines):
                for name in _used(one):
                    if name in self._places and name not in made:
                        is_alone = one.opcode != "phi" and users.get(name, block) is block
                        users[name] = block if is_alone else None
        lines = [one for name, user in users.items() if not user for one in self._loaded(name, frame)]
        for block in part:
            for one in block.lines:
                for name in _used(one):
                    if users.get(name) is block:
                        lines += self._loaded(name, frame)
                        del users[name]
                lines.append(one)
            block.lines, lines = lines, []

    def _store(self, blocks: list[Block], frame: str) -> set[str]:
        """Store what these blocks make and others use; returns what they make."""
        made = {one.result for one in _instructions(blocks)}
        for block in blocks:
            first = [each for one in block.merges for each in self._stored(one.result, frame)]
            block.lines = first + [each for one in block.lines for each in (one, *self._stored(one.result, frame))]
        return made

    def _stored(self, name: str, frame: str) -> list[Instruction]:
        if name not in self._places:
            return []
        at = f"{name}.kept"
        return [
            Instruction("getelementptr", "i64", frame, self._places[name], result=at),
            Instruction("store", self._kinds[name], name, at),
        ]

    def _loaded(self, name: str, frame: str) -> list[Instruction]:
        at = f"{name}.kept"
        return [
            Instruction("getelementptr", "i64", frame, self._places[name], result=at),
            Instruction("load", self._kinds[name], at, result=name),
        ]


def _instructions(blocks: list[Block]) -> Iterator[Instruction]:
    for block in blocks:
        yield from block.merges
        yield from block.lines


def _given(arguments: list[str], frame: str) -> list[str]:
    """What is passed for arguments that have the names of what is passed, but for the frame."""
    plain = [argument.replace("noalias ", "").replace("readonly ", "") for argument in arguments]
    return [*plain[:-1], f"ptr {frame}"]


def _used(one: Instruction) -> list[str]:
    """The values that an instruction uses."""
    words = [operand.rpartition(" ")[2] for operand in one.operands]
    return [word for word in (*words, one.to) if word.startswith("%")]


def _kind(one: Instruction) -> str:
    """The kind of the value of an instruction."""
    match one.opcode.split(" ", 1)[0]:
        case word if word in CONVERSIONS:
            return one.to
        case "icmp" | "fcmp":
            return "i1"
        case "getelementptr" | "alloca":
            return "ptr"
    return one.kind
