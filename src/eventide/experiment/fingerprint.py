"""What a model does, as a short text: it changes when its code does, and not with comments, names of files or lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from enum import Enum
from functools import cached_property, partial
from hashlib import blake2b
from numbers import Number
from pathlib import Path, PurePath
from types import CodeType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, Final

import numpy as np

from eventide.declare import fields_of
from eventide.experiment.models import Model
from eventide.experiment.travel import members_of


def fingerprint(model: Model[..., object]) -> str:
    """A digest of the code of a model, of the functions and classes that it leads to, and of the values that these
    refer to: in its module and in others of its author, not in packages that are installed.
    """
    reader = _Reader(model.function.__module__)
    reader.read(model.function)
    options = sorted((name, repr(value)) for name, value in model.options.items())
    text = repr([reader.lines, model.until, options, sys.version_info[:2]])
    return blake2b(text.encode(), digest_size=16).hexdigest()


def described(value: object, model: Model[..., object]) -> str:
    """A value as a text that changes when it does: a distribution, with what it was made from."""
    return _described(value, model.function.__module__)


def _described(value: object, module: str) -> str:
    reader = _Reader(module)
    reader.read(value)
    return repr(reader.lines)


def described_values(values: Mapping[str, object], model: Model[..., object]) -> str:
    """Values by name as a text that changes when they do, and not with the places of objects in memory.

    Functions and objects of the model's author are told by what they lead to; others that cannot be read, as Python
    writes them.
    """
    if all(value is None or isinstance(value, (*_PLAIN, Enum)) for value in values.values()):
        return repr(values)
    reader = _Reader(model.function.__module__, is_exact=True)
    reader.read(dict(values))
    return repr(reader.lines)


def exact(values: Mapping[str, object]) -> str:
    """Values by name as a text that tells them apart: arrays and tables also by their items, which `repr` abridges."""
    items = [_items(value) for value in values.values() if isinstance(value, np.ndarray) or hasattr(value, "to_csv")]
    return "\n".join([repr(values), *items])


def _items(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value.to_csv())
    return f"{value.dtype.str} {value.shape} {value.tolist() if value.dtype.hasobject else value.tobytes().hex()}"


class _Reader:
    """Goes through what a function leads to, each function, class and object once.

    lines       what is found, in the order in which it is met
    is_exact    whether an object of which nothing is known is noted as Python writes it
    """

    def __init__(self, module: str, *, is_exact: bool = False) -> None:
        self.lines: list[object] = []
        self._is_exact = is_exact
        self._module = module
        self._seen: dict[int, object] = {}
        self._open: list[int] = []
        """Of containers that are being read: one that holds itself ends here."""

    def read(self, value: object) -> None:
        """Note a value, and what it leads to."""
        if isinstance(value, Model):
            value = value.function
        if value is None or isinstance(value, _PLAIN):
            self.lines.append(repr(value))
        elif isinstance(value, set | frozenset):
            self.lines.append(sorted(_described(one, self._module) for one in value))
        elif isinstance(value, np.ndarray) or hasattr(value, "to_csv"):
            self.lines.append(_items(value))
        elif isinstance(value, tuple | list | Mapping):
            self._read_container(value)
        elif isinstance(value, FunctionType | type):
            self._read_code(value)
        else:
            self._read_object(value)

    def _read_container(self, value: Sequence[object] | Mapping[object, object]) -> None:
        self.lines.append(type(value).__name__)
        if id(value) in self._open:
            return
        self._open.append(id(value))
        for item in value.items() if isinstance(value, Mapping) else value:
            self.read(item)
        self._open.pop()

    def _read_code(self, value: FunctionType | type) -> None:
        if id(value) in self._seen or not self._is_own(value.__module__):
            self.lines.append(value.__qualname__)
            return
        self._seen[id(value)] = value
        self._read_function(value) if isinstance(value, FunctionType) else self._read_class(value)

    def _read_object(self, value: object) -> None:
        """What an object holds, if it is one of a model: of others, as locks and modules, the class alone."""
        kind = type(value)
        self.lines.append(kind.__qualname__)
        if id(value) in self._seen:
            return
        names = next((names for one, names in _PARTS.items() if isinstance(value, one)), ())
        if not names and hasattr(value, "__wrapped__"):
            names = ("__wrapped__",)
        if not names and hasattr(value, "kwds") and hasattr(value, "dist"):  # a distribution of scipy
            self.lines.append(value.dist.name)
            names = ("args", "kwds")
        if not names and is_dataclass(value):
            names = tuple(field.name for field in fields(value))
        if not names and (self._is_own(kind.__module__) or isinstance(value, _KNOWN)):
            names = tuple(getattr(value, "__dict__", {}))
            if not isinstance(value, _KNOWN):
                self._read_code(kind)
        self._seen[id(value)] = value
        if self._is_exact and not names:
            self.lines.append(repr(value))
        for name in names:
            self.lines.append(name)
            self.read(getattr(value, name))

    def _is_own(self, module: str | None) -> bool:
        """Whether a module belongs to the model, and not to Python, to eventide or to a package that is installed."""
        if module == self._module:
            return True
        top = (module or "").partition(".")[0]
        file = getattr(sys.modules.get(module or ""), "__file__", None)
        if file is None or top in _LEFT_ALONE:
            return False
        return not {"site-packages", "dist-packages"}.intersection(Path(file).parts)

    def _read_function(self, function: FunctionType) -> None:
        self.lines.append(function.__qualname__)
        for code in _codes(function.__code__):
            plain = [repr(one) for one in code.co_consts if not isinstance(one, CodeType | frozenset)]
            sets = [sorted(map(repr, one)) for one in code.co_consts if isinstance(one, frozenset)]
            self.lines.append((code.co_code.hex(), plain, sets, code.co_names, code.co_varnames))
            self._read_names(code.co_names, function.__globals__)
        for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.read(value)
        for cell in function.__closure__ or ():
            self.read(cell.cell_contents)

    def _read_names(self, names: Sequence[str], known: Mapping[str, object]) -> None:
        """What some names stand for in a module, and in other modules of the model that are among it."""
        for name in names:
            if name in known:
                value = known[name]
                if not isinstance(value, ModuleType):
                    self.read(value)
                elif self._is_own(value.__name__):
                    self._read_names([other for other in names if other != name], vars(value))

    def _read_class(self, cls: type) -> None:
        self.lines.append((cls.__qualname__, [base.__qualname__ for base in cls.__bases__]))
        for name, value in members_of(cls).items():
            if not (name in _NO_MEMBERS or (name.startswith("_") and self._is_inherited(cls, name, value))):
                self.lines.append(name)
                self.read(value)
        for name, field in fields_of(cls).items():
            self.lines.append((name, field.role))
            self.read(field.default)
        for specs in ("_when_specs", "_every_specs"):
            for spec in getattr(cls, specs, {}).values():
                self.read(getattr(spec, "__dict__", spec))
        for base in cls.__bases__:
            self.read(base)

    def _is_inherited(self, cls: type, name: str, value: object) -> bool:
        """Whether an attribute is one that a class of eventide keeps for each class, of which some are of its runs."""
        return not isinstance(value, FunctionType) and any(
            name in vars(base) for base in cls.__mro__ if not self._is_own(base.__module__)
        )


_PLAIN: Final = (bool, Number, str, bytes, range, date, timedelta, PurePath)
"""What its `repr` tells whole."""
_PARTS: Final[Mapping[type, tuple[str, ...]]] = {
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    MethodType: ("__func__", "__self__"),
    cached_property: ("func",),
    partial: ("func", "args", "keywords"),
    Enum: ("name", "value"),
}
"""Where the code and the values are in what is made of functions."""
_KNOWN: Final = (SimpleNamespace,)
_LEFT_ALONE: Final = sys.stdlib_module_names | {"eventide"}
_NO_MEMBERS: Final = {
    *("__annotations__", "__doc__", "__firstlineno__", "__static_attributes__", "__slots__", "__classcell__"),
    *("_methods_are_checked", "_equations_are_checked", "_known_names"),
}
"""What tells nothing that is not told otherwise, or what a run notes in a class."""


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A piece of code, and those inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
