"""Rooted trees: how many there are, their sizes and densities."""

from __future__ import annotations

from itertools import accumulate
from math import factorial

from eventide.methods import density, rooted_trees, size, trees_up_to

COUNTS = [1, 1, 2, 4, 9, 20, 48, 115]
"""Trees of 1 to 8 nodes. Source: Butcher, Table 300(I); OEIS A000081."""


def test_there_are_as_many_trees_as_the_literature_counts() -> None:
    assert [len(rooted_trees(n)) for n in range(1, 9)] == COUNTS
    assert [len(trees_up_to(n)) for n in range(1, 9)] == list(accumulate(COUNTS)) == [1, 2, 4, 8, 17, 37, 85, 200]
    assert rooted_trees(0) == ()


def test_every_tree_is_there_once_and_has_its_size() -> None:
    def shape(tree: tuple) -> tuple:
        return tuple(sorted(shape(branch) for branch in tree))

    for n in range(1, 9):
        trees = rooted_trees(n)
        assert len({shape(tree) for tree in trees}) == COUNTS[n - 1]
        assert {size(tree) for tree in trees} == {n}


def test_densities_of_the_trees_of_order_four() -> None:
    bush, chain = ((), (), ()), ((((),),),)
    assert {tree: density(tree) for tree in rooted_trees(4)} == {
        bush: 4,
        chain: 24,
        (((),), ()): 8,
        (((), ()),): 12,
    }


def test_the_densities_add_up_to_what_all_labelled_growths_are() -> None:
    # A tree of n nodes can be grown node by node in n! / (density * symmetry) ways, and there are (n-1)! in all.
    def symmetry(tree: tuple) -> int:
        result = 1
        for branch in dict.fromkeys(tree):
            many = tree.count(branch)
            result *= factorial(many) * symmetry(branch) ** many
        return result

    for n in range(1, 9):
        ways = [factorial(n) // (density(tree) * symmetry(tree)) for tree in rooted_trees(n)]
        assert sum(ways) == factorial(n - 1)
