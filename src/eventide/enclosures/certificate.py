"""What lets the stepper prove that a condition stays false within a step: its comparisons as expressions, and how these
are joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.enclosures.trees import BooleanTree, Junction
from eventide.engine.codes import AND, EXPRESSION, EXPRESSIONS, JOINTS, OR, WEAK
from eventide.engine.records import STILLS
from eventide.native.ir import Instruction

if TYPE_CHECKING:
    from eventide.enclosures.guard_expressions import GuardExpression
    from eventide.native.ir import Block, Builder


class Certificate(NamedTuple):
    """What the stepper is told of a condition.

    words       as `tables.py` says
    stills      the operands that stand still, in the order in which the kernel is to leave them
    """

    words: tuple[int, ...]
    stills: tuple[str, ...]


NONE: Final = Certificate((), ())


def certificate_of(tree: BooleanTree) -> Certificate:
    """The certificate of a condition; without words if something in it cannot be told, or it would be too long."""
    writer = _Writer()
    words = writer.words_of(tree)
    if words is None or len(writer.lines) > EXPRESSIONS or len(writer.stills) > STILLS or len(words) > JOINTS:
        return NONE
    numbers = (number for line in writer.lines for number in line)
    return Certificate((len(writer.lines), len(words), *numbers, *words), tuple(writer.stills))


class _Writer:
    """Numbers expressions in the order in which they are to be enclosed, each once."""

    def __init__(self) -> None:
        self.lines: list[tuple[int, ...]] = []
        self.stills: dict[str, int] = {}
        self._places: dict[tuple[int, ...], int] = {}
        self._known: dict[GuardExpression, int] = {}

    def words_of(self, tree: BooleanTree) -> list[int] | None:
        """The comparisons as a program for a stack: a number puts one on it, AND and OR join the two topmost."""
        if isinstance(tree, Junction):
            one, other = self.words_of(tree.one), self.words_of(tree.other)
            if one is None or other is None:
                return None
            return [*one, *other, AND if tree.word == "and" else OR]
        return None if tree.form is None else [self.place_of(tree.form) + (WEAK if tree.is_weak else 0)]

    def place_of(self, form: GuardExpression) -> int:
        """The number of an expression; what is made of the same in the same way is one."""
        if form not in self._known:
            numbers = form.numbers or tuple(self.place_of(part) for part in form.parts)
            if form.still:
                numbers = (*numbers, *[0] * (2 - len(numbers)), self.stills.setdefault(form.still, len(self.stills)))
            line = (form.code, *numbers, *[0] * (EXPRESSION - 1 - len(numbers)))
            if line not in self._places:
                self._places[line] = len(self.lines)
                self.lines.append(line)
            self._known[form] = self._places[line]
        return self._known[form]


def leave(builder: Builder, stills: tuple[str, ...], first: int) -> bool:
    """Let a kernel leave operands in its answer from place `first` on, where each is computed.

    Returns     whether that can be done; not if one of them is computed again and again
    """
    places = [_place_of(builder, operand) for operand in stills]
    if any(block.repeats for block, _ in places):
        return False
    for k, (operand, (block, source)) in enumerate(zip(stills, places, strict=True)):
        at = builder.name()
        place = block.lines.index(source) + 1 if source else 0
        block.lines[place:place] = [
            Instruction("getelementptr", "double", "%out", first + k, result=at),
            Instruction("store", "double", operand, at),
        ]
    return True


def _place_of(builder: Builder, operand: str) -> tuple[Block, Instruction | None]:
    """The block in which an operand gets its value, and the instruction; None if it has it at the block's start."""
    for block in builder.blocks:
        for instruction in block.lines:
            if instruction.result == operand:
                return block, instruction
        if any(instruction.result == operand for instruction in block.merges):
            return block, None
    return builder.blocks[0], None
