"""Trees of Booleans: the comparisons of which a condition is joined, each with how its sides move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from eventide.enclosures.guard_expressions import GuardExpression, Maybe, extreme, negative
from eventide.engine.codes import JOINTS


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison: what is above zero where it holds and below where it does not; None if that is not known.

    is_weak     whether it holds at zero, too
    """

    form: GuardExpression | None
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class Junction:
    """Two Booleans joined by "and" or "or"."""

    word: str
    one: BooleanTree
    other: BooleanTree


BooleanTree: TypeAlias = Comparison | Junction


def comparisons_in(tree: BooleanTree | None) -> int:
    """Of how many comparisons a condition consists; 0 if that is not known."""
    if isinstance(tree, Junction):
        return comparisons_in(tree.one) + comparisons_in(tree.other)
    return int(tree is not None)


def number_of(tree: BooleanTree | None) -> Maybe:
    """What is above zero where a Boolean holds and below where it does not."""
    if isinstance(tree, Junction):
        return extreme("lt" if tree.word == "and" else "gt", number_of(tree.one), number_of(tree.other))
    return tree.form if tree else None


def joined(word: str, one: BooleanTree, other: BooleanTree) -> BooleanTree:
    """Two joined; of more comparisons than can be enclosed nothing is known."""
    return Junction(word, one, other) if comparisons_in(one) + comparisons_in(other) <= JOINTS else Comparison(None)


def opposite(tree: BooleanTree) -> BooleanTree:
    """What the opposite is joined of. Source: De Morgan's laws."""
    if isinstance(tree, Junction):
        return Junction("or" if tree.word == "and" else "and", opposite(tree.one), opposite(tree.other))
    return Comparison(negative(tree.form), not tree.is_weak)
