"""Order conditions of Runge-Kutta methods, evaluated in exact numbers.

In: a tableau. Out: whether each condition holds. A method of order p meets the condition sum_i b_i phi_i(tree) = 1 /
density(tree) for every rooted tree with at most p nodes. An interpolant of order q meets sum_i b_i(theta) phi_i(tree)
= theta**size / density(tree) for all theta, which is one condition for each power of theta.

Source: Hairer, Norsett & Wanner, Solving ODEs I, II.2 and II.6.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from eventide.methods.surd import Exact, Row, dot, power
from eventide.methods.trees import Tree, density, size, trees_up_to


class StageWeights:
    """The elementary weights phi_i(tree) of the stages of a method, each tree's computed once.

    matrix      row i: weights of the stages in the argument of stage i
    past        nodes of stages whose arguments are not combined but lie on the exact solution, such as the rate at the
                start of the step before; their rows of the matrix are not read
    """

    def __init__(self, matrix: tuple[Row, ...], past: dict[int, Exact] | None = None) -> None:
        self.matrix = matrix
        self.past = past or {}
        self._arguments: dict[Tree, Row] = {}

    def of(self, tree: Tree) -> Row:
        """phi_i(tree) of all stages: the product over the branches of what they give in the stage's argument."""
        factors = [self._argument(branch) for branch in tree]
        one: Exact = Fraction(1)
        return tuple(prod((factor[i] for factor in factors), start=one) for i in range(len(self.matrix)))

    def _argument(self, tree: Tree) -> Row:
        if tree not in self._arguments:
            inner = self.of(tree)
            self._arguments[tree] = tuple(
                power(self.past[i], size(tree)) / density(tree) if i in self.past else dot(entries, inner)
                for i, entries in enumerate(self.matrix)
            )
        return self._arguments[tree]


def order_defects(
    matrix: tuple[Row, ...], weights: Row, order: int, past: dict[int, Exact] | None = None
) -> dict[Tree, Exact]:
    """sum_i b_i phi_i(tree) - 1/density(tree) for every rooted tree with at most `order` nodes; 0 where it is met."""
    phi = StageWeights(matrix, past)
    return {tree: dot(weights, phi.of(tree)) - Fraction(1, density(tree)) for tree in trees_up_to(order)}


def dense_defects(matrix: tuple[Row, ...], dense: tuple[Row, ...], order: int) -> dict[tuple[Tree, int], Exact]:
    """What the conditions of an interpolant miss, for every tree with at most `order` nodes and each power of theta.

    dense       row m: weights of the stages for theta**(m+1)
    """
    phi = StageWeights(matrix)
    defects: dict[tuple[Tree, int], Exact] = {}
    for tree in trees_up_to(order):
        weights = phi.of(tree)
        for exponent in range(1, max(len(dense), size(tree)) + 1):
            got = dot(dense[exponent - 1], weights) if exponent <= len(dense) else Fraction(0)
            wanted = Fraction(1, density(tree)) if exponent == size(tree) else Fraction(0)
            defects[tree, exponent] = got - wanted
    return defects
