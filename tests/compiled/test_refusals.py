"""What cannot be lowered is refused, and the refusal names file, line, text and reason."""
# ruff: noqa: B007, F841, PLC3002, PLW0120, RET503  # laws are wrong here in every way that is to be refused

from __future__ import annotations

import linecache
import math
import pickle
from bisect import bisect
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from compiled import formulas
from compiled.harness import new_registry
from compiled.test_laws import House, Probe, new_probe

import eventide as ev
from eventide.lowering import CannotLower, lower_condition, lower_law

HERE = Path(__file__)
LEVEL = 1.0
TABLE = [1.0, 2.0]
WORDS = ["one", "two"]
ARRAY = np.array([1.0, 2.0, 3.0])
MATRIX = np.zeros((2, 3))
WHOLE = np.array([1, 2, 3], dtype=np.int64)
MIXED = [0, 0.5, 1]
NARROW = np.float32(0.5)


class Odd(Probe):
    """A Probe with data and members that have no place in a kernel."""

    words: str = "text"
    mixed: list[ev.Continuous] = ev.field(default_factory=list)
    u: ev.StateVector = ev.state_vector(size=5)
    v: ev.StateVector = ev.state_vector(size=3)
    flux: ev.ComputedVector = ev.computed_vector(size=5)

    @classmethod
    def of_class(cls) -> float:
        return 1.0

    def poke(self) -> float:
        self.u[0] = 1.0
        return 2.0

    def factorial(self, n: float) -> float:
        return 1.0 if n < 1.0 else n * self.factorial(n - 1.0)

    def any_number(self, *numbers: float) -> float:
        return 1.0

    def sometimes(self) -> float | None:
        if self.x > 0.0:
            return 1.0

    def endless(self) -> float:
        while True:
            pass


CASES: list[tuple[Callable[[Odd], None], str, str]] = []


def refused(construct: str, why: str):
    def add(function):
        CASES.append((function, construct, why))
        return function

    return add


@refused("np.gradient(self.u)", "numpy's gradient is not followed")
def numpy_call(self):
    self.rate.u = np.gradient(self.u)


@refused("np.modf(self.u)", "numpy's modf is followed with 1 numbers or vectors and one result")
def numpy_call_with_two_results(self):
    self.rate.u = np.modf(self.u)


@refused("np.exp(self.u, out=self.flux)", "arguments of numpy's functions are followed one by one, without names and *")
def numpy_call_by_name(self):
    np.exp(self.u, out=self.flux)


@refused("np.where(self.u > 0.0)", "numpy's where is not followed like that")
def numpy_call_with_an_argument_missing(self):
    self.rate.u = np.where(self.u > 0.0)


@refused("np.zeros(self.count)", "the size has to be known")
def numpy_array_of_unknown_size(self):
    self.rate.u = np.zeros(self.count)


@refused("self.u + self.v", "vectors of 5 and 3 items do not fit each other")
def vectors_of_two_sizes(self):
    self.rate.u = self.u + self.v


@refused("self.rate.u[1:] = self.u", "5 numbers do not fit into 4 places")
def vector_that_does_not_fit(self):
    self.rate.u[1:] = self.u


@refused("self.u[5]", "there is no such item: the vector has 5")
def item_beyond_the_last(self):
    self.rate.x = self.u[2] + self.u[5]


@refused("self.rate.u[self.count + 0.5] = 1.0", "an index is a whole number, and this is a float")
def item_by_a_float(self):
    self.rate.u[self.count + 0.5] = 1.0


@refused("self.u[: self.count]", "the bounds of a slice must be known")
def slice_to_a_variable_place(self):
    self.rate.x = self.u[: self.count].sum()


@refused("self.u[::0]", "slice step cannot be zero")
def slice_without_a_step(self):
    self.rate.u = self.u[::0]


@refused("self.u > 0.0", "a vector is no number")
def items_by_truths(self):
    self.rate.x = self.u[self.u > 0.0].sum()


@refused("self.u[0, 1]", "vectors have one dimension")
def items_of_a_matrix(self):
    self.rate.x = self.u[0, 1]


@refused("self.u @ self.flux", "products of matrices sum in an order of their own: write (a * b).sum()")
def inner_product(self):
    self.rate.x = self.u @ self.flux


@refused("np.dot(self.u, self.u)", "numpy's dot sums in an order of its own: write (a * b).sum()")
def dot(self):
    self.rate.x = np.dot(self.u, self.u)


@refused("self.u", "a vector is neither true nor false here")
def vector_as_a_truth(self):
    if self.u:
        self.rate.x = 1.0


@refused("self.rate.x", "a vector is no number")
def vector_as_a_rate(self):
    self.rate.x = self.u


@refused("self.q += self.u", "this is one number, and what is to be set is a vector")
def vector_added_to_a_number(self):
    self.q += self.u


@refused("self.u.cumsum()", "of an array's methods sum, mean, min, max, any, all and copy are followed")
def method_of_an_array(self):
    self.rate.u = self.u.cumsum()


@refused("self.u.sum(0)", "the method sum is followed without arguments")
def argument_of_a_method(self):
    self.rate.x = self.u.sum(0)


@refused("(self.u > 0.0).sum()", "Booleans are not summed: write np.where(..., 1.0, 0.0).sum()")
def sum_of_truths(self):
    self.rate.x = (self.u > 0.0).sum()


@refused("(self.u[0] > 0.0) + (self.u[1] > 0.0)", "numpy does not add its Booleans as numbers")
def truths_added_up(self):
    self.rate.x = (self.u[0] > 0.0) + (self.u[1] > 0.0)


@refused("-(self.u > 0.0)", "numpy's Booleans have no sign")
def negative_truths(self):
    self.rate.u = -(self.u > 0.0)


@refused("self.last.u[0] = 1.0", "last states are set by the monitor")
def writing_last_states(self):
    self.last.u[0] = 1.0


@refused("ARRAY[:] = self.v", "an array that stands outside the table of states changes in events only")
def writing_an_array_outside(self):
    ARRAY[:] = self.v


@refused("[1.0, 2.0, 3.0]", "lists made here are not followed")
def vector_of_a_display(self):
    self.rate.v = [1.0, 2.0, 3.0]


@refused("self.table", "a list of numbers has no arithmetic: make it an array")
def list_as_a_vector(self):
    self.rate.u = self.table * self.u


@refused('self["u"]', "the variable behind a vector is not followed: name the vector itself")
def variable_behind_a_vector(self):
    self.rate.x = self["u"].rate[0]


@refused("w", "it may have no value here")
def vector_by_one_name_on_two_ways(self):
    if self.x > 0.0:
        w = self.u * 2.0
    else:
        w = self.u * 3.0
    self.rate.u = w


@refused("self.u * 1.0 + self.poke()", "one of its operands is written before it is used: give it a name first")
def formula_of_what_changes(self):
    self.rate.u = self.u * 1.0 + self.poke()


@refused("np.zeros(40_000)", "more than 32768 numbers would have to be kept in between")
def too_much_memory(self):
    w = np.zeros(40_000)
    self.rate.x = w[0]


@refused("print(self.x)", "print is not followed")
def printing(self):
    self.rate.x = 1.0
    print(self.x)


@refused("gain", "'gain' is a parameter, which changes in events only: declare it as ev.Computed")
def writing_a_parameter(self):
    self.gain = 2.0


@refused("words", "'words' is a str")
def writing_a_plain_field(self):
    self.words = 2.0


@refused("self.words", "'words' is a str, and only numbers and components")
def reading_text(self):
    if self.words == "text":
        self.rate.x = 1.0


@refused("self.absent", "Odd has no 'absent'")
def reading_nothing(self):
    self.rate.x = self.absent


@refused("self.rate.heigth", "Odd has no state 'heigth'; it has: x, y, z")
def misspelt_rate(self):
    self.rate.heigth = 1.0


@refused("self.active", "'active' of Odd is the library's own")
def library_property(self):
    self.rate.x = self.active


@refused("self.sim.rel_error", "of the simulation only time, dt, last_time are followed")
def setting_of_the_simulation(self):
    self.rate.x = self.sim.rel_error


@refused("self.last.x = 1.0", "last states are set by the monitor")
def writing_a_last_state(self):
    self.last.x = 1.0


@refused("self.sim.time", "'time' is stored in no slot")
def writing_the_time(self):
    self.sim.time = 1.0


@refused("self.of_class", "a classmethod is not followed")
def class_method(self):
    self.rate.x = self.of_class()


@refused("self.factorial(n - 1.0)", "factorial calls itself")
def recursion(self):
    self.rate.x = self.factorial(3.0)


@refused("self.any_number(1.0, 2.0)", "functions with *args")
def star_in_a_helper(self):
    self.rate.x = self.any_number(1.0, 2.0)


@refused("self.half(*TABLE)", "arguments are followed one by one")
def star_in_a_call(self):
    self.rate.x = self.half(*TABLE)


@refused("self.half()", "`value` has no value yet")
def missing_argument(self):
    self.rate.x = self.half()


@refused("self.half(1.0, 2.0)", "half takes 1 arguments, not 2")
def argument_too_many(self):
    self.rate.x = self.half(1.0, 2.0)


@refused("self.half(other=1.0)", "half cannot be given 'other'")
def unknown_argument(self):
    self.rate.x = self.half(other=1.0)


@refused("x", "different objects, depending on the path is no number")
def sometimes_nothing(self):
    x = self.sometimes()
    self.rate.x = x + 1.0


@refused("self.endless()", "endless never ends")
def endless(self):
    self.rate.x = self.endless()


@refused("global LEVEL", "a law changes nothing outside the table of states")
def global_statement(self):
    global LEVEL  # noqa: PLW0603  # this is what is refused
    LEVEL = 2.0


@refused("WORDS[0]", "items of a list of components are followed, in loops or by a number written out")
def subscript(self):
    self.rate.x = WORDS[0]


@refused("sum(WORDS)", "sum is followed around `... for ... in ...`, a vector or a list of numbers")
def sum_of_words(self):
    self.rate.x = sum(WORDS)


@refused("self.mixed", "a list is no list of numbers")
def bisecting_objects(self):
    self.rate.x = bisect(self.mixed, 1.0)


@refused("self.guests[7]", "the list has 4 items now")
def item_that_is_not_there(self):
    self.rate.x = self.guests[7].x


@refused("self.guests[self.count]", "by a number written out")
def item_by_a_variable_number(self):
    self.rate.x = self.guests[self.count].x


@refused("self.mixed", "the items are of several classes: Probe and House")
def list_of_several_classes(self):
    for item in self.mixed:
        self.rate.x += item.loss


@refused("MATRIX", "arrays those of floats in one dimension are followed, and this is one of float64 in 2")
def matrix(self):
    self.rate.x = MATRIX[0, 1]


@refused("WHOLE", "arrays those of floats in one dimension are followed, and this is one of int64")
def array_of_whole_numbers(self):
    self.rate.x = WHOLE[0]


@refused("MIXED", "whole numbers and floats stand in one list here: write them all as floats")
def list_of_mixed_numbers(self):
    self.rate.x = MIXED[0]


@refused("NARROW", "is no number")
def single_precision(self):
    self.rate.x = self.x * NARROW


@refused("a", "it may have no value here")
def name_without_a_value(self):
    if self.x > 0.0:
        a = 1.0
    self.rate.x = a


@refused("k", "it may have no value here")
def name_after_a_loop(self):
    for k in range(self.count):
        pass
    self.rate.x = k


@refused("guest", "it may have no value here")
def item_after_a_loop(self):
    for guest in self.guests:
        pass
    self.rate.x = guest.x


@refused("house", "it may have no value here")
def two_objects_by_one_name(self):
    house = self.house
    if self.x > 0.0:
        house = self.guests
    self.rate.x = house.loss


@refused("deleted", "`deleted` is not defined")
def undefined_global(self):
    self.rate.x = deleted  # noqa: F821  # this is what is refused


@refused("formulas.missing", "has no 'missing'")
def undefined_name_of_a_module(self):
    self.rate.x = formulas.missing


@refused('{"x": self.x}', "dictionaries are not followed")
def dictionary(self):
    self.rate.x = {"x": self.x}["x"]


@refused("[self.x, self.y]", "lists made here are not followed")
def list_display(self):
    values = [self.x, self.y]
    self.rate.x = values


@refused("1.0 if self.x > 0.0 else None", "the two values are of different kinds")
def nothing_as_a_choice(self):
    self.rate.x = 1.0 if self.x > 0.0 else None


@refused("[guest.x for guest in self.guests]", "inside sum, any, all, min and max only")
def comprehension(self):
    values = [guest.x for guest in self.guests]
    self.rate.x = values


@refused('f"{self.x}"', "texts are not followed")
def f_string(self):
    self.rate.x = float(f"{self.x}")


@refused("a := self.x", "`:=` is not followed")
def walrus(self):
    self.rate.x = (a := self.x) + a


@refused("lambda: self.x", "functions made here are not followed")
def inner_lambda(self):
    self.rate.x = (lambda: self.x)()


@refused("def inner(): ...", "functions made here are not followed")
def inner_function(self):
    def inner(): ...


@refused("try: ...", "native code neither raises nor catches")
def trying(self):
    try:
        self.rate.x = 1.0
    finally:
        pass


@refused("with self.house: ...", "`with` is not followed")
def with_statement(self):
    with self.house:
        pass


@refused("raise ValueError", "native code cannot raise")
def raising(self):
    raise ValueError


@refused("from math import exp", "import it at the top of the file")
def importing(self):
    from math import exp

    self.rate.x = exp(1.0)


@refused("for k in range(3): ...", "`else` of a loop is not followed")
def else_of_a_loop(self):
    for k in range(3):
        self.rate.x = k
    else:
        self.rate.y = 1.0


@refused("self.guests", "a list is no number")
def other_loops(self):
    for pair in enumerate(self.guests):
        self.rate.x = pair


@refused("zip(self.u, self.v, strict=True)", "the vectors are not of one size")
def vectors_of_two_sizes_side_by_side(self):
    for one, other in zip(self.u, self.v, strict=True):
        self.rate.x = one + other


@refused(
    "zip(self.u, self.flux, strict=True)",
    "enumerate(...) and zip(...) are followed around vectors, with a name for each",
)
def two_vectors_for_one_name(self):
    for pair in zip(self.u, self.flux, strict=True):
        self.rate.x = pair


@refused("k, guest", "loops give their items to one name")
def several_targets(self):
    for k, guest in self.guests:
        guest.rate.x = k


@refused("range(self.x)", "range takes whole numbers, and this is a float")
def range_of_a_float(self):
    for k in range(self.x):
        self.rate.x = k


@refused("range(1, 5, self.count)", "the step of range has to be written as a number other than 0")
def variable_step(self):
    for k in range(1, 5, self.count):
        self.rate.x = k


@refused("House(self.sim)", "objects (House) are not made between events")
def making_objects(self):
    House(self.sim)


@refused("math.gamma(self.x)", "gamma is not followed")
def unknown_function(self):
    self.rate.x = math.gamma(self.x)


@refused("round(self.x, 2)", "round with 2 arguments is not followed")
def unknown_arguments(self):
    self.rate.x = round(self.x, 2)


@refused("max(self.x, key=self.y)", "arguments are followed one by one, without names")
def keyword_of_a_function(self):
    self.rate.x = max(self.x, key=self.y)


@refused("self.x << 2", "only the operators + - * / // % ** can be compiled")
def shift(self):
    self.rate.x = self.x << 2


@refused("~self.count", "only the operators + - * / // % ** can be compiled")
def inversion(self):
    self.rate.x = ~self.count


@refused("self.house is self.twin", "of the comparisons < <= > >= == != are followed")
def identity(self):
    self.rate.x = self.house is self.twin


@refused("self.x", "`and`/`or` of non-Booleans returns an operand")
def value_of_or(self):
    self.rate.x = self.x or 1.0


@refused("a, b, c = self.x, self.y", "3 names need as many values")
def unpacking(self):
    a, b, c = self.x, self.y


@refused("TABLE[0] = 1.0", "of items only those of vectors can be assigned")
def assigned_item(self):
    TABLE[0] = 1.0


@refused("(-8.0) ** 0.5", "this is a complex number")
def complex_number(self):
    self.rate.x = (-8.0) ** 0.5


@refused("self", "a Odd is no number")
def object_as_a_number(self):
    self.rate.x = self + 1.0


@refused("10**400", "larger than any float")
def number_beyond_floats(self):
    self.rate.x = self.x * 10**400


@refused("7 ** (9**9)", "larger than any float")
def number_of_millions_of_digits(self):
    self.rate.x = self.x * 7 ** (9**9)


@refused("self.rate", "all rates or last states is neither true nor false here")
def view_as_a_truth(self):
    if self.rate:
        self.rate.x = 1.0


@pytest.fixture(scope="module")
def odd() -> Odd:
    probe = new_probe()
    return Odd(probe.sim, house=probe.house, twin=probe.twin, guests=probe.guests, mixed=[probe, probe.house])


@pytest.mark.parametrize(("function", "construct", "why"), CASES, ids=[function.__name__ for function, _, _ in CASES])
def test_what_is_refused_is_named(odd, function, construct, why) -> None:
    with pytest.raises(CannotLower) as caught:
        lower_law(odd, function)
    error = caught.value
    assert Path(error.file) == HERE
    assert construct.removesuffix(": ...") in error.construct
    assert error.construct.removesuffix(" ...") in HERE.read_text().splitlines()[error.line - 1]
    assert why in error.why
    assert str(error) == f"{error.file}:{error.line}: `{error.construct}`: {error.why}"


def test_a_refusal_in_a_helper_names_the_helpers_line(odd) -> None:
    def law(self):
        self.rate.x = formulas.shouted(self.x)

    with pytest.raises(CannotLower) as caught:
        lower_law(odd, law)
    assert Path(caught.value.file).name == "formulas.py"
    assert caught.value.construct == "print(value)"


def test_assertions_are_refused(odd) -> None:
    with pytest.raises(CannotLower, match="an assertion cannot raise") as caught:
        lower_law(odd, formulas.sure)
    assert caught.value.construct == "assert self.x > 0.0"


def test_conditions_only_read(odd) -> None:
    def test(probe):
        probe.x = 1.0
        return True

    with pytest.raises(CannotLower, match="a condition only reads"):
        lower_condition(test, odd)


def test_conditions_answer_a_truth(odd) -> None:
    def forgetful(probe):
        if probe.x > 0:
            return True

    with pytest.raises(CannotLower, match="a condition returns a Boolean"):
        lower_condition(forgetful, odd)


def test_objects_of_another_simulation_are_refused(odd) -> None:
    other = House(ev.Simulation(rng=1))
    with pytest.raises(CannotLower, match="it belongs to another simulation"):
        lower_condition(lambda: odd.x > other.loss)


def test_a_number_too_large_to_be_told(odd) -> None:
    limit = 2**53 + 1
    with pytest.raises(CannotLower, match="too large to be passed"):
        lower_condition(lambda: odd.x > limit)


def test_a_generator_is_refused(odd) -> None:
    def test():
        yield odd.x > 1.0

    with pytest.raises(CannotLower, match="it yields or awaits"):
        lower_condition(test)


@pytest.mark.parametrize(
    "test", [partial(max, 1), math.isnan, House, "text"], ids=["partial", "builtin", "class", "text"]
)
def test_what_is_no_function_is_refused(test) -> None:
    with pytest.raises(CannotLower, match="only functions, lambdas and methods are followed"):
        lower_condition(test)
    with pytest.raises(CannotLower, match="only functions, lambdas and methods are followed"):
        new_registry().condition(test)


@pytest.mark.slow
def test_calls_upon_calls_have_an_end(odd) -> None:
    def a(v):
        return v + v / 3.0 + v / 5.0 + v / 7.0

    def b(v):
        return a(v) + a(-v) + a(v + 1) + a(v + 2) + a(v + 3) + a(v + 4)

    def c(v):
        return b(v) + b(-v) + b(v + 1) + b(v + 2) + b(v + 3) + b(v + 4)

    def d(v):
        return c(v) + c(-v) + c(v + 1) + c(v + 2) + c(v + 3) + c(v + 4)

    def e(v):
        return d(v) + d(-v) + d(v + 1) + d(v + 2) + d(v + 3) + d(v + 4)

    def f(v):
        return e(v) + e(-v) + e(v + 1) + e(v + 2) + e(v + 3) + e(v + 4)

    with pytest.raises(CannotLower, match="more than 30000 instructions"):
        lower_condition(lambda: f(odd.x) > 1.0)


def test_a_refusal_travels_between_processes(odd) -> None:
    with pytest.raises(CannotLower) as caught:
        lower_law(odd, printing)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.line, again.why) == (str(caught.value), caught.value.line, caught.value.why)


def test_an_expression_that_is_nested_too_deeply_is_refused(odd) -> None:
    text = f"def law(self):\n    self.rate.x = {' + '.join(['self.x'] * 900)}\n"
    linecache.cache["<deep>"] = (len(text), None, text.splitlines(keepends=True), "<deep>")
    names: dict = {}
    exec(compile(text, "<deep>", "exec", dont_inherit=True), names)  # noqa: S102  # made here
    with pytest.raises(CannotLower, match="nested too deeply"):
        lower_law(odd, names["law"])
