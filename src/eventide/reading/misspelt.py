"""Attributes that the methods of a class set, that it does not declare, and that nearly have the name of a field.

In: a class of components. Out: ModelError at the first of them. Only code is read, once per class. A name that another
line of the class reads is meant; so is one that is set where an object is made.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Iterator
from inspect import CO_GENERATOR
from types import CodeType
from typing import Final

from eventide.declare import GENERATED, Component, fields_of
from eventide.errors import ModelError
from eventide.reading.description import location

CLOSE: Final = 0.75
"""From this likeness on, a name is taken for another that was misspelt."""
MAKERS: Final = ("__init__", "prelude")
LAWS: Final = ("equations", "contributions")
RATE: Final = re.compile(r"d?_?(?P<state>.+?)(_rate|_dot|_prime|_?dt)?")
"""How a rate is called where it is no part of `rate`: `level_rate`, `dlevel`, `level_dot`, `dlevel_dt`."""
COMMANDS: Final = frozenset(["hold", "until", "passivate", "request", "wait", "put", "get", "activate", "from_store"])
"""Names of commands, in eventide and elsewhere."""
_CHECKED: Final = "_methods_are_checked"


def nearest(name: str, cls: type[Component]) -> str:
    """The declared name that is most like another; empty if none is."""
    from difflib import get_close_matches

    declared = {field.casefold(): field for field in fields_of(cls)}
    found = get_close_matches(name.casefold(), declared, n=1, cutoff=CLOSE)
    return declared[found[0]] if found else ""


def refuse_misspelt_methods(cls: type[Component]) -> None:
    """Raise ModelError, naming the line, if a method sets what the class does not declare but nearly does."""
    if _CHECKED in cls.__dict__:
        return
    codes = _codes_of(cls)
    known = {"sim", "name", *fields_of(cls), *dir(cls), *_loaded(codes)}
    known |= {name for method, code in codes if method in MAKERS for name, _ in _set_on_self(code)}
    for method, code in codes:
        for name, line in _set_on_self(code):
            if name in known or name[0] == "_":
                continue
            meant = _meant(name, cls, in_law=method in LAWS)
            if meant:
                declared = "ev.Computed = ev.computed()" if method in LAWS else "float = 0.0"
                raise ModelError(
                    f"{cls.__name__}.{method} sets self.{name} ({location(code.co_filename, line)}), and "
                    f"{cls.__name__} declares no {name!r}: write self.{meant}; or declare it, as `{name}: {declared}`"
                )
    setattr(cls, _CHECKED, True)


def unused_methods(cls: type) -> list[str]:
    """What to write where a class has a generator of commands by the name that it has in other libraries, `process`."""
    method = getattr(getattr(cls, "process", None), "__code__", None)
    if method is None or not method.co_flags & CO_GENERATOR or not COMMANDS & {*method.co_names}:
        return []
    name, place = cls.__name__, location(method.co_filename, method.co_firstlineno)
    advice = f"derive {name} from ev.Process, call it `run` and activate() each object; or sim.process(one.process())"
    return [f"nothing has begun {name}.process ({place}): {advice}"]


def _meant(name: str, cls: type[Component], *, in_law: bool) -> str:
    """What was meant by a name, after `self.`; empty if that is not known."""
    fields = fields_of(cls)
    near = nearest(name, cls)
    if in_law:
        match = RATE.fullmatch(name)
        state = near or (match["state"] if match else "")
        if state in fields and fields[state].role in ("state", "vector"):
            return f"rate.{state}"
    return near


def _codes_of(cls: type[Component]) -> list[tuple[str, CodeType]]:
    """The code of the user's methods, of properties and of what is inside them, and of conditions; with their names."""
    found: list[tuple[str, CodeType]] = []
    for base in cls.__mro__:
        if base.__module__.startswith("eventide.") or base is object:
            continue
        for name, member in vars(base).copy().items():  # another thread may set one meanwhile
            for one in (member, *_parts_of(member)):
                code = getattr(getattr(one, "__func__", one), "__code__", None)
                if isinstance(code, CodeType) and not code.co_filename.startswith(GENERATED):
                    found += [(name, inner) for inner in _with_inner(code)]
    return found


def _parts_of(member: object) -> list[object]:
    """The functions of a property, the conditions of a handler, and what follows where its events accumulate."""
    parts = [getattr(member, part, None) for part in ("fget", "fset", "continuation")]
    return [*parts, *getattr(getattr(member, "_when", None), "parts", ())]


def _with_inner(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_inner(constant)


def _loaded(codes: list[tuple[str, CodeType]]) -> set[str]:
    """The attributes that are read."""
    return {
        str(step.argval)
        for _, code in codes
        for step in dis.get_instructions(code)
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD", "DELETE_ATTR")
    }


def _set_on_self(code: CodeType) -> Iterator[tuple[str, int]]:
    """The attributes that a method sets on its first argument, with their lines."""
    this = code.co_varnames[0] if code.co_argcount else None
    before: object = None
    for step in dis.get_instructions(code):
        if step.opname == "STORE_ATTR" and this is not None and before == this:
            yield str(step.argval), (step.positions and step.positions.lineno) or code.co_firstlineno
        loads = "LOAD_FAST" in step.opname or step.opname == "LOAD_DEREF"
        before = (step.argval[-1] if isinstance(step.argval, tuple) else step.argval) if loads else None
