"""Checked tables behind the drawing procedures that take one.

A table is checked and summed once: the memo is keyed by the numbers themselves, so a
list that was changed between two draws is a new table.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, pairwise
from sys import float_info
from typing import Final

Table = tuple[float, ...]

LARGEST: Final = float_info.max
"""What is greater is infinite, or a whole number that no float holds."""


def in_their_order(numbers: Iterable[float]) -> Table:
    """Numbers as a tuple.

    Raises  TypeError for a set, which has no order, and for a dict, whose keys would be taken for them
    """
    if isinstance(numbers, (set, frozenset, dict)):
        raise TypeError(f"numbers are given as a list in their order, and got {numbers!r}: of a dict list(d.values())")
    return tuple(numbers)


@lru_cache(maxsize=256)
def rising_chances(cumulative: Table) -> Table:
    """The table itself, when it holds rising probabilities.

    Raises  ValueError when an entry falls or lies outside 0..1, or there is none
    """
    rising = all(low <= high for low, high in pairwise(cumulative))
    if not cumulative or not rising or not 0.0 <= cumulative[0] <= cumulative[-1] <= 1:
        raise ValueError(
            f"the cumulative probabilities are {cumulative!r}: they rise from at least"
            " 0 to at most 1; itertools.accumulate sums single ones"
        )
    return cumulative


@lru_cache(maxsize=256)
def broken_line(cumulative: Table, values: Table) -> tuple[Table, Table]:
    """Both tables, when they are the corners of a distribution function.

    Raises  ValueError unless the probabilities rise from 0 to 1, the values rise
            strictly, by finite differences, and there are as many of them
    """
    rising_chances(cumulative)
    finite = all(-LARGEST <= value <= LARGEST for value in values)
    rising = finite and all(0.0 < high - low <= LARGEST for low, high in pairwise(values))
    if (cumulative[0], cumulative[-1]) != (0.0, 1.0) or not rising:
        raise ValueError(
            f"the corners are {values!r} with cumulative probabilities {cumulative!r}:"
            " values rise strictly, by finite differences, probabilities begin with 0 and end with 1"
        )
    if len(cumulative) != len(values):
        raise ValueError(f"{len(cumulative)} cumulative probabilities for {len(values)} values: give as many of each")
    return cumulative, values


@lru_cache(maxsize=256)
def summed_weights(weights: Table) -> Table:
    """Running sums of the weights.

    Raises  ValueError when a weight is negative or their sum not finite, or all are 0
    """
    sums = tuple(accumulate(weights))
    if not sums or not (0.0 < sums[-1] <= LARGEST and all(weight >= 0.0 for weight in weights)):
        raise ValueError(
            f"the weights are {weights!r}: each is a finite number >= 0, at least one is greater than 0, "
            "and their sum is finite"
        )
    return sums
