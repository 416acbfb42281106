"""Rooted trees: each gives one condition on the order of a Runge-Kutta method.

Source: Butcher, Numerical Methods for Ordinary Differential Equations, 301 to 313.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product
from math import prod
from typing import TypeAlias

Tree: TypeAlias = "tuple[Tree, ...]"
"""A rooted tree: the tuple of the branches at its root, in order."""


@cache
def rooted_trees(order: int) -> tuple[Tree, ...]:
    """All rooted trees with `order` nodes: 1, 1, 2, 4, 9, 20, 48, 115 for orders 1 to 8."""
    if order < 1:
        return ()
    found: list[Tree] = []
    for sizes in _partitions(order - 1, order - 1):
        kinds = [combinations_with_replacement(rooted_trees(size), sizes.count(size)) for size in dict.fromkeys(sizes)]
        found.extend(tuple(branch for group in groups for branch in group) for groups in product(*kinds))
    return tuple(found)


def trees_up_to(order: int) -> tuple[Tree, ...]:
    """All rooted trees with at most `order` nodes: 1, 2, 4, 8, 17, 37, 85, 200 for orders 1 to 8."""
    return tuple(tree for n in range(1, order + 1) for tree in rooted_trees(n))


@cache
def size(tree: Tree) -> int:
    """The number of nodes of a tree."""
    return 1 + sum(size(branch) for branch in tree)


@cache
def density(tree: Tree) -> int:
    """The product of the sizes of a tree and of all its subtrees; the exact solution has weight 1/density."""
    return size(tree) * prod(density(branch) for branch in tree)


def _partitions(total: int, largest: int) -> list[tuple[int, ...]]:
    """All ways to write `total` as a falling sum of parts no larger than `largest`."""
    if total == 0:
        return [()]
    return [(k, *rest) for k in range(min(total, largest), 0, -1) for rest in _partitions(total - k, k)]
