"""Laws of vectors that cannot be lowered, each with what its refusal names and says."""

from __future__ import annotations

import numpy as np
from compiled.refused_laws import Case, refusals

ARRAY = np.array([1.0, 2.0, 3.0])
CASES: list[Case] = []

refused = refusals(CASES)


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
