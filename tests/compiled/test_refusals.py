"""What cannot be lowered is refused, and the refusal names file, line, text and reason."""

from __future__ import annotations

import linecache
import math
import pickle
from functools import partial
from pathlib import Path

import pytest
from compiled import formulas, refused_laws, refused_vector_laws
from compiled.harness import new_registry
from compiled.refused_laws import Odd, printing
from compiled.test_laws import House, new_probe

import eventide as ev
from eventide.lowering import CannotLower, lower_condition, lower_law

CASES = [*refused_laws.CASES, *refused_vector_laws.CASES]


@pytest.fixture(scope="module")
def odd() -> Odd:
    probe = new_probe()
    return Odd(probe.sim, house=probe.house, twin=probe.twin, guests=probe.guests, mixed=[probe, probe.house])


@pytest.mark.parametrize(("function", "construct", "why"), CASES, ids=[function.__name__ for function, _, _ in CASES])
def test_what_is_refused_is_named(odd, function, construct, why) -> None:
    with pytest.raises(CannotLower) as caught:
        lower_law(odd, function)
    error = caught.value
    assert error.file == function.__code__.co_filename
    assert construct.removesuffix(": ...") in error.construct
    assert error.construct.removesuffix(" ...") in Path(error.file).read_text().splitlines()[error.line - 1]
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
    def forgetful(probe):  # noqa: RET503  # what is refused
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
