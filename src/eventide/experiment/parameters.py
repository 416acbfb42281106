"""The parameters of a model: what kind each one is, by its annotation, and how a text becomes a value of that kind."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from hashlib import blake2b
from math import isfinite
from numbers import Real
from operator import index
from types import NoneType, SimpleNamespace, UnionType
from typing import (
    Final,
    Literal,
    SupportsFloat,
    SupportsIndex,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from eventide.errors import ModelError, ParameterError

REQUIRED: Final = inspect.Parameter.empty
"""Stands for the default of a parameter that has none."""

MISFITS: Final = (ArithmeticError, LookupError, TypeError, ValueError)
"""What it may raise to make a value of something that is none."""


Given = TypeVar("Given")


@dataclass(frozen=True)
class Kind:
    """Which values a parameter may have.

    short       as it is written in Python
    allowed     in words, after "takes"
    accept      value -> the value as this kind has it; raises one of `MISFITS` if it is none
    read        the same for a text
    in_python   `allowed` where that is written otherwise in Python
    """

    short: str
    allowed: str
    accept: Callable[[object], object]
    read: Callable[[str], object]
    in_python: str = ""


@dataclass(frozen=True)
class Parameter:
    """A named parameter of a model.

    annotation      its type; without one, the type of a default that is a number, a truth value or a text
    default         its value unless another is given, or `REQUIRED`
    """

    name: str
    annotation: object
    default: object = REQUIRED

    @cached_property
    def kind(self) -> Kind:
        """Which values it may have."""
        return kind_of(self.annotation)

    def check(self, value: object, model: str) -> object:
        """The value as this parameter has it; ParameterError names `model` and says what is allowed."""
        return self._fit(self.kind.accept, value, model, self.kind.in_python or self.kind.allowed)

    def parse(self, text: str, model: str) -> object:
        """The value that a text means for this parameter; ParameterError as `check`."""
        return self._fit(self.kind.read, text, model, self.kind.allowed)

    def _fit(self, fit: Callable[[Given], object], value: Given, model: str, allowed: str) -> object:
        try:
            return fit(value)
        except MISFITS:
            advice = ": it has no unit, so give a plain number" if getattr(value, "unit", "") else ""
            told = f"parameter {self.name} of {model} takes {allowed}, and got {value!r}{advice}"
            raise ParameterError(told) from None

    def __str__(self) -> str:
        default = "" if self.default is REQUIRED else f" = {show(self.default)}"
        return f"{self.name}: {self.kind.short}{default}"


def show(value: object) -> str:
    """A value in a call or a list of parameters, as it is written in Python."""
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    return f"float({str(value)!r})" if isinstance(value, float) and not isfinite(value) else repr(value)


MOST_COMPARED: Final = 10_000
"""Of the items of a container that are looked at, to see whether a run has changed it."""


def contents(value: object) -> object:
    """What a container or an array holds, to be compared with later; None of what does not change in place."""
    if isinstance(value, np.ndarray):
        return value.tolist() if value.dtype.hasobject else blake2b(value.tobytes()).digest()
    if type(value) in (list, dict, set, bytearray):
        return repr(value) if len(value) <= MOST_COMPARED else len(value)  # type: ignore[arg-type]  # it has one
    return None


def refuse_changed(values: Mapping[str, object], before: Mapping[str, object], model: str) -> None:
    """Raise ModelError if one of the values is not what its contents were before: the next run would begin with it."""
    for name, value in values.items():
        if contents(value) != before[name]:
            raise ModelError(
                f"{name} of {model} was changed by a run, and the next run would begin with what is left of it: let "
                f"the model work on a copy, as {name} = copy.copy({name})"
            )


# --- the kinds ----------------------------------------------------------------------------------------------------


def kind_of(annotation: object) -> Kind:
    """The kind that an annotation means; one that accepts everything if it is none of those known here."""
    for plain, kind in _PLAIN:
        if annotation is plain:
            return kind
    if get_origin(annotation) is Literal:
        return _choice({_label(choice): choice for choice in get_args(annotation)})
    if get_origin(annotation) in (Union, UnionType):
        return _alternatives([kind_of(member) for member in get_args(annotation)])
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice({_label(member): member for member in annotation})
    return Kind(_written(annotation), "a value that is set in Python", lambda value: value, _refuse_text)


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError
    return index(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or bool(getattr(value, "unit", None)):
        raise TypeError
    return _read_number(value)


def _read_number(value: SupportsFloat | str) -> float:
    number = float(value)
    if number != number:
        raise ValueError
    return number


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _read_truth(text: str) -> bool:
    return _TRUTHS[text.lower()]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _nothing(value: object) -> None:
    if value is not None:
        raise TypeError


def _read_nothing(text: str) -> None:
    if text.lower() != "none":
        raise ValueError


def _refuse_text(text: str) -> object:
    raise TypeError(text)


_TRUTHS: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NONE: Final = Kind("None", "none", _nothing, _read_nothing)
_PLAIN: Final[list[tuple[object, Kind]]] = [
    (int, Kind("int", "a whole number", _whole, int)),
    (float, Kind("float", "a number", _number, _read_number)),
    (bool, Kind("bool", "true or false", _truth, _read_truth)),
    (str, Kind("str", "a text", _text, _text)),
    (NoneType, _NONE),
]


def _choice(choices: dict[str, object]) -> Kind:
    """One of the values of a Literal or the members of an Enum, each under its label."""

    def accept(value: object) -> object:
        # 1, 1.0 and True are equal, and only one of them is the choice.
        if any(type(value) is type(choice) and value == choice for choice in choices.values()):
            return value
        raise ValueError

    short = " | ".join(show(choice) for choice in choices.values())
    written = [show(choice) if isinstance(choice, Enum) else label for label, choice in choices.items()]
    in_python = "one of " + ", ".join(written)
    return Kind(short, "one of " + ", ".join(choices), accept, choices.__getitem__, in_python)


def _label(choice: object) -> str:
    """How a choice is written in a text: a member of an Enum by its name, or by its value if that is a text."""
    if isinstance(choice, Enum):
        return choice.value if isinstance(choice.value, str) else choice.name
    return "none" if choice is None else str(choice)


def _alternatives(kinds: list[Kind]) -> Kind:
    """Any of several kinds, tried in order; `none` comes first, so that a text of that name means None."""
    ordered = sorted(kinds, key=lambda kind: kind is not _NONE)
    return Kind(
        " | ".join(kind.short for kind in kinds),
        " or ".join(kind.allowed for kind in kinds),
        lambda value: _first_fit([kind.accept for kind in ordered], value),
        lambda text: _first_fit([kind.read for kind in ordered], text),
        " or ".join(kind.in_python or kind.allowed for kind in kinds),
    )


def _first_fit(fits: Iterable[Callable[[Given], object]], value: Given) -> object:
    for fit in fits:
        try:
            return fit(value)
        except MISFITS:
            continue
    raise ValueError


def _written(annotation: object) -> str:
    if annotation is REQUIRED:
        return "any"
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if isinstance(annotation, type) else str(annotation).replace("typing.", "")


# --- the parameters of a function ---------------------------------------------------------------------------------


def parameters_of(function: Callable[..., object]) -> dict[str, Parameter]:
    """What a model's function takes after the simulation, by name.

    Raises ModelError if the function has no place for the simulation or takes something that has no name of its own;
    ParameterError if a default is not of its parameter's kind.
    """
    name = function.__name__
    given = list(inspect.signature(function).parameters.values())
    if not given or given[0].kind not in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
        raise ModelError(f"{name} takes no simulation: write `def {name}(sim, *, ...)` below @ev.model")
    found: dict[str, Parameter] = {}
    for entry in given[1:]:
        if entry.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            raise ModelError(f"the parameters of {name} need names of their own: {entry} has none; write them out")
        parameter = Parameter(entry.name, _annotation_of(function, entry), entry.default)
        if entry.default is not REQUIRED:
            parameter = Parameter(entry.name, parameter.annotation, parameter.check(entry.default, name))
        found[entry.name] = parameter
    return found


def _annotation_of(function: Callable[..., object], entry: inspect.Parameter) -> object:
    """The type of one parameter; a name that cannot be resolved stays a text, and stands for any value."""
    if entry.annotation is REQUIRED:
        return type(entry.default) if type(entry.default) in (int, float, bool, str) else REQUIRED
    # One by one: an annotation that only a type checker can resolve must not spoil the others.
    alone = SimpleNamespace(__annotations__={entry.name: entry.annotation})
    enclosed = dict(inspect.getclosurevars(function).nonlocals)
    try:
        return get_type_hints(alone, getattr(function, "__globals__", {}), enclosed)[entry.name]
    except (AttributeError, NameError, SyntaxError, TypeError):
        return entry.annotation
