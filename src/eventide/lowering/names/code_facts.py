"""What native code was made with and Python code may change: compared before time advances.

In: numbers and functions of modules, what a class has by a name, the code and defaults of functions; each is a
constant with its place, name and value. Out: the kernels to drop. One function, written out for all of them, compares
by identity when a run begins and after each event in Python: one comparison for each name (about 20 ns), however many
objects depend on it. Where one differs, kernels made with it are dropped, and laws, conditions, handlers and processes
that used them are planned again. A number that has changed eight times at events is no longer part of the code, but
passed to it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from eventide.continuous import Continuous
from eventide.errors import ModelError
from eventide.lowering.kernels.lowered import ABSENT, Constant

if TYPE_CHECKING:
    from eventide.lowering.kernels.lowered import Lowered

Comparison: TypeAlias = Callable[[], bool]
Shape: TypeAlias = tuple[tuple[str, bool, bool], ...]
"""For each fact its name, whether it is an attribute, and whether there is nothing by that name."""
PARTS: Final = ("__code__", "__defaults__", "__kwdefaults__")
"""What may become another in a function that stays the same."""
OURS: Final = "_eventide_"
"""What our own names begin with in a function whose other names are a user's."""


class CodeFacts:
    """What the code of one simulation was made with.

    announce    is told the function to ask whether all of it stands, each time that this is another
    """

    def __init__(self, announce: Callable[[Comparison], None]) -> None:
        self._announce = announce
        self._held: dict[tuple[int, str], Constant] = {}
        self._code: dict[Lowered, None] = {}
        self._classes: dict[type[Continuous], None] = {}
        self._more: dict[tuple[int, str, int], Constant] = {}

    def note_code(self, lowered: Lowered) -> None:
        """Lowered code is used."""
        if lowered not in self._code:
            self._code[lowered] = None
            self._hold((*lowered.constants, *lowered.named))

    def note_laws(self, cls: type[Continuous]) -> None:
        """Laws of a class are used, whether they are native code or not."""
        if cls not in self._classes:
            self._classes[cls] = None
            self._hold(_laws_of(cls))

    def note(self, constants: Sequence[Constant]) -> None:
        """These are used as long as they stand."""
        for one in constants:
            self._more.setdefault((id(one.holder), one.name, id(one.value)), one)
        self._hold(constants)

    def renew(self) -> None:
        """From now on compare with what is found now, and forget code that was made with something else."""
        self._code = {lowered: None for lowered in self._code if lowered.is_current}
        self._more = {key: constant for key, constant in self._more.items() if constant.is_current}
        self._held.clear()
        for lowered in self._code:
            self._hold((*lowered.constants, *lowered.named))
        for cls in self._classes:
            self._hold(_laws_of(cls))
        self._hold(self._more.values())
        self._announce(self._write_out)

    def _hold(self, constants: Iterable[Constant]) -> None:
        known = len(self._held)
        for constant in constants:
            self._held.setdefault((id(constant.holder), constant.name), constant)
        if len(self._held) > known:  # writing the comparison out costs more than all else when an object comes
            self._announce(self._write_out)

    def adopt(self) -> bool:
        """Whether all stands: numbers that were set to what they had been are other objects, and are taken up."""
        if not all(fact.is_current for fact in self._held.values()):
            return False
        for key, fact in self._held.items():
            self._held[key] = replace(fact, value=fact.present)
        self._announce(self._write_out)
        return True

    def _write_out(self) -> bool:
        """Write the comparison out, and compare."""
        spaces: dict[int, list[Constant]] = {}
        for fact in self._held.values():
            spaces.setdefault(id(fact.holder) if _is_space(fact) else 0, []).append(fact)
        stand: Comparison | None = None
        for facts in spaces.values():
            stand = _comparer(facts, stand)
        self._announce(stand or _always)
        return stand is None or stand()


def _laws_of(cls: type[Continuous]) -> Iterable[Constant]:
    """What the laws of a class's objects are: functions, and what is in them.

    Raises ModelError where there is a law of a kind that there was not when the class was made.
    """
    for name, is_there in (("contributions", cls._contributes), ("equations", cls._has_equations)):
        function: Any = getattr(cls, name)
        yield Constant(cls.__qualname__, name, function, cls, is_attribute=True)
        if not is_there and function is not getattr(Continuous, name):
            raise ModelError(
                f"{cls.__name__} has come to have {name}, which it lacked when it was made, and its objects go on "
                f"without: write `def {name}(self)` in the class, or derive a class that has it"
            )
        for part in PARTS if is_there else ():
            if getattr(function, part, None) is not None:
                yield Constant(name, part, getattr(function, part), function, is_attribute=True)
        for key, value in (getattr(function, "__kwdefaults__", None) or {}).items():
            yield Constant(name, key, value, function.__kwdefaults__)


def _is_space(fact: Constant) -> bool:
    """Whether it is of the names of a module."""
    return type(fact.holder) is dict


def _comparer(facts: list[Constant], others: Comparison | None) -> Comparison:
    """What compares facts that are all of one module, or all of none, and then others.

    Names of a module are global names of that function, which Python finds faster than items of any dict.
    """
    shape = tuple((fact.name, fact.is_attribute, fact.value is ABSENT) for fact in facts)
    is_space = _is_space(facts[0])
    space = facts[0].holder if is_space else {"__builtins__": builtins}
    values = [getattr(builtins, f.name, ABSENT) if is_space and f.value is ABSENT else f.value for f in facts]
    make = FunctionType(_maker(shape, is_space, others is not None), space)
    stand: Comparison = make(others, *(fact.holder for fact in facts), *values)
    return stand


@lru_cache(256)
def _maker(shape: Shape, is_space: bool, has_others: bool) -> CodeType:
    """The code of what makes a comparison from the next one, and the holders and values of facts of a shape."""
    numbers = range(len(shape))
    names = [f"{OURS}{kind}{number}" for kind in "hv" for number in numbers]
    tests = [f"{fact[0]} is {OURS}v{n}" if is_space else _test(n, *fact) for n, fact in enumerate(shape)]
    tests += [f"{OURS}others()"] if has_others else []
    source = f"""
def make({OURS}others, {", ".join(names)}):
    def stand():
        try:
            return {" and ".join(tests)}
        except (AttributeError, KeyError, NameError):
            return False
    return stand
"""
    module = compile(source, "<string>", "exec", dont_inherit=True)
    return next(code for code in module.co_consts if isinstance(code, CodeType))


def _test(number: int, name: str, is_attribute: bool, is_absent: bool) -> str:
    holder, value = f"{OURS}h{number}", f"{OURS}v{number}"
    if is_attribute:
        return f"not hasattr({holder}, {name!r})" if is_absent else f"{holder}.{name} is {value}"
    return f"{name!r} not in {holder}" if is_absent else f"{holder}[{name!r}] is {value}"


def _always() -> bool:
    return True
