"""What lets the stepper prove that a condition stays false within a step: how its comparisons are joined."""

from __future__ import annotations

from collections.abc import Iterator

from eventide.compiled.values import Joint, Leaf, Tree
from eventide.continuous.tables import AND, LEAVES, OR


def leaves_of(tree: Tree | None) -> list[Leaf]:
    """The comparisons, from left to right."""
    if isinstance(tree, Joint):
        return [*leaves_of(tree.one), *leaves_of(tree.other)]
    return [] if tree is None else [tree]


def certificate_of(tree: Tree | None) -> tuple[int, ...]:
    """How many comparisons there are, for each whether it is a line, then the joints as a program for a stack.

    A number from 0 on puts the sign of that comparison on the stack; AND and OR join the two topmost.
    Returns     nothing if it is not known, has too many comparisons, or none of them is a line
    """
    leaves = leaves_of(tree)
    if not leaves or len(leaves) > LEAVES or not any(leaf.is_line for leaf in leaves):
        return ()
    assert tree is not None
    program = _program(tree, iter(range(len(leaves))))
    return (len(leaves), *(int(leaf.is_line) for leaf in leaves), len(program), *program)


def _program(tree: Tree, numbers: Iterator[int]) -> list[int]:
    if isinstance(tree, Joint):
        return [*_program(tree.one, numbers), *_program(tree.other, numbers), AND if tree.word == "and" else OR]
    return [next(numbers)]
