"""What a model does, as a short text: it changes when its code does, and not with comments, names of files or lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from eventide.declare import fields_of
from eventide.experiment.models import Model
from eventide.experiment.travel import members_of


def fingerprint(model: Model[..., object]) -> str:
    """A digest of the code of a model, of the functions and classes of its module that it leads to, and of the plain
    values that these refer to.
    """
    reader = _Reader(model.function.__module__)
    reader.read(model.function)
    options = sorted((name, repr(value)) for name, value in model.options.items())
    text = repr([reader.lines, model.until, options, sys.version_info[:2]])
    return blake2b(text.encode(), digest_size=16).hexdigest()


def exact(values: Mapping[str, object]) -> str:
    """Values by name as a text that tells them apart: arrays and tables also by their items, which `repr` abridges."""
    items = [_items(value) for value in values.values() if isinstance(value, np.ndarray) or hasattr(value, "to_csv")]
    return "\n".join([repr(values), *items])


def _items(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value.to_csv())
    return f"{value.dtype.str} {value.shape} {value.tolist() if value.dtype.hasobject else value.tobytes().hex()}"


class _Reader:
    """Goes through what a function leads to, each thing once.

    lines   what is found, in the order in which it is met
    """

    def __init__(self, module: str) -> None:
        self.lines: list[object] = []
        self._module = module
        self._seen: dict[int, object] = {}

    def read(self, value: object) -> None:
        """Note a value, and what it leads to."""
        if isinstance(value, Model):
            value = value.function
        if value is None or isinstance(value, bool | int | float | str | bytes):
            self.lines.append(repr(value))
        elif isinstance(value, tuple | list):
            self.lines.append(type(value).__name__)
            for item in value:
                self.read(item)
        elif not isinstance(value, FunctionType | type) or value.__module__ != self._module:
            self.lines.append(getattr(value, "__qualname__", type(value).__qualname__))
        elif id(value) not in self._seen:
            self._seen[id(value)] = value
            self._read_function(value) if isinstance(value, FunctionType) else self._read_class(value)

    def _read_function(self, function: FunctionType) -> None:
        self.lines.append(function.__qualname__)
        for code in _codes(function.__code__):
            plain = [repr(one) for one in code.co_consts if not isinstance(one, CodeType | frozenset)]
            sets = [sorted(map(repr, one)) for one in code.co_consts if isinstance(one, frozenset)]
            self.lines.append((code.co_code.hex(), plain, sets, code.co_names, code.co_varnames))
            for name in code.co_names:
                if name in function.__globals__:
                    self.read(function.__globals__[name])
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.read(value)
        for cell in function.__closure__ or ():
            self.read(cell.cell_contents)

    def _read_class(self, cls: type) -> None:
        self.lines.append((cls.__qualname__, [base.__qualname__ for base in cls.__bases__]))
        for name, value in members_of(cls).items():
            if isinstance(value, FunctionType):
                self.lines.append(name)
                self.read(value)
        for name, field in fields_of(cls).items():
            self.lines.append((name, field.role))
            self.read(field.default)
        for base in cls.__bases__:
            self.read(base)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A piece of code, and those inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
