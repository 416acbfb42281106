"""Parameters: which values each kind takes, from Python and from a text."""

import math
from enum import Enum, StrEnum
from typing import Annotated, Any, Literal, Optional

import numpy as np
import pytest

from eventide.errors import ModelError, ParameterError
from eventide.experiment import Parameter
from eventide.experiment.parameters import REQUIRED, parameters_of


class Arrivals(StrEnum):
    RANDOM = "random"
    REGULAR = "regular"


class Colour(Enum):
    RED = 1
    BLUE = 2


class Unknown:
    def __repr__(self):
        return "<unknown>"


ANY = Unknown()


def parameter(annotation):
    return Parameter("p", annotation)


ACCEPTED = [
    (int, 8, 8),
    (int, np.int64(8), 8),
    (float, 2, 2.0),
    (float, np.float32(0.5), 0.5),
    (float, math.inf, math.inf),
    (bool, False, False),
    (str, "", ""),
    (Literal["a", "b"], "b", "b"),
    (Literal[1, True], True, True),
    (Arrivals, Arrivals.RANDOM, Arrivals.RANDOM),
    (int | None, None, None),
    (int | None, 3, 3),
    (int | float, 3, 3),
    (int | float, 3.5, 3.5),
    (list[int], [1], [1]),
    ("NotHere", ANY, ANY),
]


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    ACCEPTED,
    ids=[f"{number} {annotation}" for number, (annotation, *_) in enumerate(ACCEPTED)],  # 3.14 names all unions alike
)
def test_values_of_the_kind_are_taken(annotation, value, expected):
    taken = parameter(annotation).check(value, "pit")

    assert (taken, type(taken)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("annotation", "value", "allowed"),
    [
        (int, 8.0, "a whole number, and got 8.0"),
        (int, True, "a whole number, and got True"),
        (int, "8", "a whole number, and got '8'"),
        (float, "2.0", "a number, and got '2.0'"),
        (float, True, "a number, and got True"),
        (float, math.nan, "a number, and got nan"),
        (float, None, "a number, and got None"),
        (float, 10**400, f"a number, and got {10**400}"),
        (bool, 1, "true or false, and got 1"),
        (str, 1, "a text, and got 1"),
        (Literal["a", "b"], "c", "one of a, b, and got 'c'"),
        (Literal[1, 2], True, "one of 1, 2, and got True"),
        (Literal["a", None], "none", "one of a, none, and got 'none'"),  # noqa: PYI061  # its None is a choice
        (Arrivals, "random", "one of Arrivals.RANDOM, Arrivals.REGULAR, and got 'random'"),
        (Colour, 1, "one of Colour.RED, Colour.BLUE, and got 1"),
        (Optional[int], 1.5, "a whole number or none, and got 1.5"),  # noqa: UP045  # the old form is a kind too
    ],
)
def test_other_values_are_refused(annotation, value, allowed):
    with pytest.raises(ParameterError) as refused:
        parameter(annotation).check(value, "pit")

    assert str(refused.value) == f"parameter p of pit takes {allowed}"


@pytest.mark.parametrize(
    ("annotation", "text", "expected"),
    [
        (int, "8", 8),
        (int, "-3", -3),
        (float, "8", 8.0),
        (float, "1e-3", 0.001),
        (float, "inf", math.inf),
        (bool, "true", True),
        (bool, "No", False),
        (bool, "on", True),
        (str, "8", "8"),
        (str, "none", "none"),
        (Literal["a", "b"], "a", "a"),
        (Literal[1, 2], "2", 2),
        (Arrivals, "regular", Arrivals.REGULAR),
        (Colour, "BLUE", Colour.BLUE),
        (int | None, "none", None),
        (int | None, "8", 8),
        (str | None, "None", None),
        (str | None, "no", "no"),
    ],
)
def test_texts_of_the_kind_are_read(annotation, text, expected):
    read = parameter(annotation).parse(text, "pit")

    assert (read, type(read)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("annotation", "text", "allowed"),
    [
        (int, "8.5", "a whole number"),
        (int, "", "a whole number"),
        (float, "wide", "a number"),
        (float, "nan", "a number"),
        (bool, "1", "true or false"),
        (Literal["a", "b"], "c", "one of a, b"),
        (Arrivals, "RANDOM", "one of random, regular"),
        (Colour, "1", "one of RED, BLUE"),
        (int | None, "nothing", "a whole number or none"),
        (None, "nothing", "none"),
        (list[int], "1", "a value that is set in Python"),
    ],
)
def test_other_texts_are_refused(annotation, text, allowed):
    with pytest.raises(ParameterError) as refused:
        parameter(annotation if annotation is not None else type(None)).parse(text, "pit")

    assert str(refused.value) == f"parameter p of pit takes {allowed}, and got {text!r}"


def test_a_refusal_is_a_model_error_and_a_type_error():
    assert issubclass(ParameterError, ModelError)
    assert issubclass(ParameterError, TypeError)


@pytest.mark.parametrize(
    ("annotation", "default", "written"),
    [
        (int, 8, "p: int = 8"),
        (float | None, None, "p: float | None = None"),
        (Literal["a", "b"], "a", "p: 'a' | 'b' = 'a'"),
        (Colour, Colour.RED, "p: Colour.RED | Colour.BLUE = Colour.RED"),
        (list[int], REQUIRED, "p: list[int]"),
        (Unknown, ANY, "p: Unknown = <unknown>"),
        (dict[str, Any], REQUIRED, "p: dict[str, Any]"),
        (REQUIRED, ANY, "p: any = <unknown>"),
        ("NotHere", REQUIRED, "p: NotHere"),
    ],
)
def test_a_parameter_is_written_as_in_a_signature(annotation, default, written):
    assert str(Parameter("p", annotation, default)) == written


def written_out(function):
    return [(p.name, p.annotation, p.default) for p in parameters_of(function).values()]


def test_parameters_are_those_after_the_simulation_in_their_order():
    def pit(sim, gap: float, *, pits: int = 10, road: Annotated[str, "a file"] = "road.csv"): ...

    assert written_out(pit) == [("gap", float, REQUIRED), ("pits", int, 10), ("road", str, "road.csv")]


def test_annotations_that_are_texts_are_resolved_one_by_one():
    class Local(Enum):
        A = 1

    def pit(
        sim,
        *,
        pits: "int" = 3,
        gap: "float" = 2,
        local: "Local" = Local.A,
        other: "NotImported" = ANY,  # noqa: F821  # as a name that only a type checker sees
    ):
        return Local

    assert written_out(pit) == [
        ("pits", int, 3),
        ("gap", float, 2.0),
        ("local", Local, Local.A),
        ("other", "NotImported", ANY),
    ]


def test_a_default_tells_the_kind_where_nothing_else_does():
    def pit(sim, *, pits=10, gap=2.0, wet=False, road="a", other=ANY, needed): ...

    assert written_out(pit) == [
        ("pits", int, 10),
        ("gap", float, 2.0),
        ("wet", bool, False),
        ("road", str, "a"),
        ("other", REQUIRED, ANY),
        ("needed", REQUIRED, REQUIRED),
    ]


def test_a_default_of_another_kind_is_refused():
    def pit(sim, *, pits: int = None): ...  # noqa: RUF013  # the mistake that is refused

    with pytest.raises(ParameterError, match=r"^parameter pits of pit takes a whole number, and got None$"):
        parameters_of(pit)


def nobody(): ...


def only_keywords(*, sim): ...


@pytest.mark.parametrize("function", [nobody, only_keywords])
def test_a_model_takes_the_simulation_first(function):
    with pytest.raises(ModelError, match=rf"takes no simulation: write `def {function.__name__}\(sim, \*, ...\)`"):
        parameters_of(function)


def with_many(sim, *many): ...


def with_any(sim, **any_name): ...


@pytest.mark.parametrize(("function", "nameless"), [(with_many, r"\*many"), (with_any, r"\*\*any_name")])
def test_parameters_have_names_of_their_own(function, nameless):
    with pytest.raises(ModelError, match=f"need names of their own: {nameless} has none"):
        parameters_of(function)
