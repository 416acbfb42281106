"""Laws that cannot be lowered, each with what its refusal names and says."""
# ruff: noqa: B007, F841, PLC3002, PLW0120, RET503  # laws are wrong here in every way that is to be refused

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable

import numpy as np
from compiled import formulas
from compiled.test_laws import House, Probe

import eventide as ev

LEVEL = 1.0
TABLE = [1.0, 2.0]
WORDS = ["one", "two"]
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


Case = tuple[Callable[[Odd], None], str, str]
CASES: list[Case] = []


def refusals(cases: list[Case]):
    """Returns a decorator that adds a law to the cases, with the construct and the reason that its refusal names."""

    def refused(construct: str, why: str):
        def add(function):
            cases.append((function, construct, why))
            return function

        return add

    return refused


refused = refusals(CASES)


@refused("print(self.x)", "print is not followed")
def printing(self):
    self.rate.x = 1.0
    print(self.x)


@refused("gain", "'gain' is a parameter, which changes in events only: declare it as ev.Computed")
def writing_a_parameter(self):
    self.gain = 2.0


@refused("words", "'words' is stored in no slot")
def writing_a_plain_field(self):
    self.words = 2.0


@refused('self.words < "text"', "texts are compared by == and !=")
def reading_text(self):
    if self.words < "text":
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


@refused("{self.y: self.x}", "dictionaries are followed whose keys are texts, members and whole numbers")
def dictionary(self):
    self.rate.x = {self.y: self.x}[self.y]


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
