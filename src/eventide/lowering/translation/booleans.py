"""Comparisons and what joins them: Booleans, and for conditions the number that guides the search for their change.

A guide is >= 0 where its Boolean holds and <= 0 where it does not. A Boolean without one is as far from changing as can
be.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from eventide.enclosures import guard_expressions, trees
from eventide.enclosures.trees import BooleanTree, Comparison
from eventide.lowering.translation.values import Boolean, Number, constant
from eventide.native.ir import INFINITE, NAN, ONE, ZERO, Wire, real

if TYPE_CHECKING:
    from eventide.lowering.translation.arithmetic import Arithmetic

COMPARISONS: Final = {
    "Lt": ("slt", "olt"),
    "LtE": ("sle", "ole"),
    "Gt": ("sgt", "ogt"),
    "GtE": ("sge", "oge"),
    "Eq": ("eq", "oeq"),
    "NotEq": ("ne", "une"),
}
"""For each comparison, by the name of its syntax node: the machine's, of whole numbers and of doubles."""
MINUS_INFINITE: Final = real(float("-inf"))


class BooleanOperations:
    """Writes instructions for Booleans.

    is_guided   whether guides and slopes are wanted
    """

    def __init__(self, arithmetic: Arithmetic, *, is_guided: bool) -> None:
        self.arithmetic = arithmetic
        self.builder = arithmetic.builder
        self.is_guided = is_guided

    # --- from numbers ---------------------------------------------------------------------------------------------

    def compare(self, name: str, left: Number | Boolean, right: Number | Boolean) -> Boolean:
        """`left <comparison> right`."""
        truth = self._compared(name, left, right)
        return replace(truth, is_numpy=True) if left.is_numpy or right.is_numpy else truth

    def _compared(self, name: str, left: Number | Boolean, right: Number | Boolean) -> Boolean:
        if self.is_guided and name in ("Eq", "NotEq") and isinstance(left, Boolean) and isinstance(right, Boolean):
            return self.decided(
                left, *((right, self.opposite(right)) if name == "Eq" else (self.opposite(right), right))
            )
        one, other = self.arithmetic.number(left), self.arithmetic.number(right)
        whole, double = COMPARISONS[name]
        if one.kind == other.kind == "int":
            text = self.builder.value(f"icmp {whole}", "i64", one.text, other.text)
        else:
            # Python compares whole numbers with floats as they are, without rounding.
            sides = [Wire(self.builder, self.arithmetic.exactly(number)) for number in (one, other)]
            text = sides[0].test(double, sides[1])
        if not self.is_guided:
            return Boolean(text)
        if name in ("Lt", "LtE"):
            one, other = other, one
        difference = self.arithmetic.wire(one) - self.arithmetic.wire(other)
        slope = self.arithmetic.subtract_slopes(one.slope, other.slope)
        form = None if slope is None else self.arithmetic.form_of("Sub", one, other)
        if name in ("Eq", "NotEq"):
            form = form if form and guard_expressions.may_rest(form) else None
            distance = self.arithmetic.absolute(Number(difference.text, "float", slope, form=form))
            return self._signed(text, distance, is_turned=name == "Eq")
        return Boolean(text, difference.text, slope, tree=Comparison(form, name.endswith("E")) if form else None)

    def _signed(self, text: str, distance: Number, *, is_turned: bool) -> Boolean:
        guide = self.arithmetic.negative(distance) if is_turned else distance
        tree = Comparison(guide.form, is_turned) if guide.form else None
        return Boolean(text, guide.text, guide.slope, tree=tree)

    def of(self, item: Number | Boolean) -> Boolean:
        """`bool(item)`."""
        if isinstance(item, Boolean):
            return item
        if item.known is not None:
            known = constant(bool(item.known))
            assert isinstance(known, Boolean)
            return known
        return self._compared("NotEq", item, constant(0 if item.kind == "int" else 0.0))

    # --- from Booleans ----------------------------------------------------------------------------------------------

    def opposite(self, truth: Boolean) -> Boolean:
        """`not truth`."""
        text = self.builder.value("xor", "i1", truth.text, "true")
        known = None if truth.known is None else not truth.known
        tree = truth.tree and trees.opposite(truth.tree)
        if truth.guide is None:
            return Boolean(text, None, truth.slope, known, tree=tree)
        guide = self.builder.value("fneg", "double", truth.guide)
        return Boolean(text, guide, self.arithmetic.turn_slope(truth.slope), known, tree=tree)

    def tree(self, truth: Boolean) -> BooleanTree:
        """The comparisons of which a Boolean is joined; one that does not move within a step is one by itself."""
        if truth.tree is not None:
            return truth.tree
        if truth.slope is not None:
            return Comparison(None)
        return Comparison(guard_expressions.still(self.builder.select(truth.text, "double", ONE, real(-1.0))))

    def chosen(self, test: Boolean, made: Number, one: Number | Boolean, other: Number | Boolean) -> Number:
        """One of two numbers, with how it moves: from one to the other, where the test changes."""
        if made.slope is None:
            return made
        forms = [self.arithmetic.form(self.arithmetic.number(each)) for each in (one, other)]
        return replace(made, form=guard_expressions.choice(trees.number_of(self.tree(test)), *forms))

    def decided(self, test: Boolean, one: Boolean, other: Boolean) -> Boolean:
        """`one if test else other`, all of which have been computed.

        `True if test else False` is as far from changing as can be: laws so say which way they have gone.
        """
        chosen = self.chosen_truth(test, one, other)
        if one.known is None or other.known is None:
            return chosen
        return replace(chosen, guide=None, slope=chosen.slope and NAN)

    def chosen_truth(self, test: Boolean, one: Boolean, other: Boolean) -> Boolean:
        """`one if test else other`; where a literal has been chosen it is as far from changing as the test."""
        if one.known is not None:
            return self.either(test, other) if one.known else self.both(self.opposite(test), other)
        if other.known is not None:
            return self.either(self.opposite(test), one) if other.known else self.both(test, one)
        return self.either(self.both(test, one), self.both(self.opposite(test), other))

    def both(self, one: Boolean, other: Boolean) -> Boolean:
        """`one and other`, both of which have been computed."""
        return self._join("and", one, other)

    def either(self, one: Boolean, other: Boolean) -> Boolean:
        """`one or other`, both of which have been computed."""
        return self._join("or", one, other)

    def _join(self, word: str, one: Boolean, other: Boolean) -> Boolean:
        for truth, rest in ((one, other), (other, one)):
            if truth.known is not None:
                return truth if truth.known == (word == "or") else rest
        builder = self.builder
        text = builder.value(word, "i1", one.text, other.text)
        tree = trees.joined(word, self.tree(one), self.tree(other)) if self.is_guided else None
        if one.guide is None and other.guide is None:
            return Boolean(text, None, (one.slope or other.slope) and NAN, tree=tree)
        first, second = self.guide(one), self.guide(other)
        # Where they differ the guide is that of the one which decides; where they agree, of the one nearer to
        # deciding. A guide that is not a number gives way.
        decides = builder.value("xor", "i1", one.text, "true") if word == "and" else one.text
        is_nearer = Wire(builder, first).test("ole" if word == "and" else "oge", Wire(builder, second))
        is_alone = Wire(builder, second).test("uno", Wire(builder, second))
        is_first = builder.value("or", "i1", is_nearer, is_alone)
        agree = builder.value("icmp eq", "i1", one.text, other.text)
        test = builder.select(agree, "i1", is_first, decides)
        slope = self.arithmetic.choose_slope(test, one.slope, other.slope)
        return Boolean(text, builder.select(test, "double", first, second), slope, tree=tree)

    # --- guides ---------------------------------------------------------------------------------------------------

    def guide(self, truth: Boolean) -> str:
        """The guide as an operand, without bounds if there is none."""
        if truth.guide is not None:
            return truth.guide
        if truth.known is not None:
            return INFINITE if truth.known else MINUS_INFINITE
        return self.builder.select(truth.text, "double", INFINITE, MINUS_INFINITE)

    def answer(self, truth: Boolean) -> tuple[str, str]:
        """Guide and slope as the caller gets them: +-1 where there is no guide, and the slope NaN if it may move."""
        guide = Wire(self.builder, self.guide(truth))
        sign = Wire(self.builder, self.builder.select(truth.text, "double", ONE, real(-1.0)))
        is_bounded = guide.machine("fabs").test("olt", float("inf"))
        is_unknown = guide.test("uno", guide)
        slope = Wire(self.builder, truth.slope or ZERO)
        still = (slope * 0.0).unless(is_unknown, Wire(self.builder, NAN))
        return sign.unless(is_bounded, guide).text, still.unless(is_bounded, slope).text
