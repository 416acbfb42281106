"""What native code was made with and Python code may change: compared before time advances.

In: numbers and functions of modules, what a class has by a name, the code and defaults of functions; each is a
constant with its place, name and value. Out: the kernels to drop. One function, written out for all of them, compares
by identity when a run begins and after each event in Python: one comparison for each name (about 20 ns), however many
objects depend on it. The next simulation of the same code takes that function over. Where one differs, kernels made
with it are dropped, and laws, conditions and handlers that used them are planned again. A number that has
changed eight times at events is no longer part of the code, but passed to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from eventide.compilation.branches.located import renew_branches
from eventide.continuous import Continuous
from eventide.continuous.components.component import STAGES, law_names
from eventide.continuous.components.member import branches_in
from eventide.continuous.own_methods import LAWS
from eventide.errors import ModelError
from eventide.native.locking import LOCK
from eventide.reading.constants import ABSENT, PARTS, Constant

if TYPE_CHECKING:
    from eventide.compilation.branches.law_names import Verdict
    from eventide.compilation.branches.located import Variant
    from eventide.compilation.condition_plans import ConditionCompiler
    from eventide.lowering.kernels.lowered import Lowered

Comparison: TypeAlias = Callable[[], bool]
Source: TypeAlias = "Lowered | Verdict | Variant | ClassMethod | type[Continuous]"
"""What is made with something: code, a handler, the laws of a class, and what is known of a function."""
Held: TypeAlias = dict[tuple[int, str], Constant]
"""By holder and name; it never changes, as simulations may have it in common."""
Written: TypeAlias = dict[tuple[Source, ...], tuple[Held, frozenset[str], Comparison]]
"""What was held of some sources, the names of the methods among it, and the comparison with it."""
MOST_WRITTEN: Final = 64
"""The most comparisons that are kept for later simulations, the latest; a class that is made again has others."""
Shape: TypeAlias = tuple[tuple[str, bool, bool], ...]
"""For each fact its name, whether it is an attribute, and whether there is nothing by that name."""


class ClassMethod(NamedTuple):
    """What is found in a class by a name, as its handlers are."""

    kind: type
    name: str

    @property
    def is_current(self) -> bool:
        """Its facts are what is found now."""
        return True

    @property
    def facts(self) -> tuple[Constant, ...]:
        """The function, and what is in it."""
        function = getattr(self.kind, self.name, ABSENT)
        itself = Constant(self.kind.__qualname__, self.name, function, self.kind, is_attribute=True)
        return itself, *_parts_of(self.name, function)


class CodeFacts:
    """What the code of one simulation was made with.

    methods     the names of the methods that this code has taken from classes, and of laws

    The references of the integrator have the function that tells whether all of it stands. While that is yet to be
    written out it is pending, and happens before Python code goes on. Comparisons that earlier simulations have written
    out are shared by all of the process.
    """

    def __init__(self, compiler: ConditionCompiler) -> None:
        self._compiler = compiler
        self._written = compiler.registry.written
        self.methods = LAWS
        self._held: Held = {}
        self._sources: dict[Source, None] = {}

    def note(self, *sources: Source) -> None:
        """Code is used, or laws of a class, whether they are native code or not."""
        for source in sources:
            if source not in self._sources:
                if isinstance(source, type):
                    renew_branches(source, self._compiler.registry.smoothness)
                self._sources[source] = None
                references = self._compiler.integrator.references
                # Once for all that come together: it costs more than all else.
                references.stands, references.is_pending = self._write_out, True

    def renew(self) -> None:
        """From now on compare with what is found now, and forget code that was made with something else."""
        self._sources = {one: None for one in self._sources if isinstance(one, type) or one.is_current}
        for one in self._sources:
            if isinstance(one, type):
                renew_branches(one, self._compiler.registry.smoothness)
        references = self._compiler.integrator.references
        references.stands, references.is_pending = self._write_out, True  # so also if there is an error now
        self._write_out()

    def adopt(self) -> bool:
        """Whether all stands: numbers that were set to what they had been are other objects, and are taken up."""
        if not all(fact.is_current for fact in self._held.values()):
            return False
        self._write({key: replace(fact, value=fact.present) for key, fact in self._held.items()})
        return True

    def _write_out(self) -> bool:
        """Write the comparison out, unless one that was made of the same code stands, and compare."""
        self._held, self.methods, stand = self._written.get(tuple(self._sources)) or ({}, LAWS, None)
        if stand is None or not stand():
            held: Held = {}
            for source in self._sources:
                for fact in _laws_of(source) if isinstance(source, type) else source.facts:
                    known = held.setdefault((id(fact.holder), fact.name), fact)
                    if known.value is not fact.value and not fact.is_current:
                        held[id(fact.holder), fact.name] = fact  # what stands no longer is to be noticed
            return self._write(held)()
        references = self._compiler.integrator.references
        references.stands, references.is_pending = stand, False
        return True

    def _write(self, held: Held) -> Comparison:
        """Compare with these from now on."""
        facts = list(held.values())
        stand = _comparison(facts)
        taken = [fact.name for fact in facts if isinstance(fact.holder, type) and isinstance(fact.value, FunctionType)]
        self._held, self.methods = held, LAWS.union(taken)
        with LOCK:
            self._written[tuple(self._sources)] = held, self.methods, stand
            while len(self._written) > MOST_WRITTEN:
                del self._written[next(iter(self._written))]
        references = self._compiler.integrator.references
        references.stands, references.is_pending = stand, False
        return stand


def _laws_of(cls: type[Continuous]) -> Iterable[Constant]:
    """What the laws of a class's objects are: functions, and what is in them.

    Raises ModelError where there is a law of a kind that there was not when the class was made.
    """
    yield from branches_in(cls).facts
    for name in STAGES:
        function = getattr(cls, name)
        is_there = name in law_names(cls)
        yield Constant(cls.__qualname__, name, function, cls, is_attribute=True)
        if not is_there and function is not getattr(Continuous, name):
            raise ModelError(
                f"{cls.__name__} has come to have {name}, which it lacked when it was made, and its objects go on "
                f"without: write `def {name}(self)` in the class, or derive a class that has it"
            )
        if is_there:
            yield from _parts_of(name, function)


def _parts_of(name: str, function: object) -> Iterable[Constant]:
    """What may become another in a function of some name."""
    for part in PARTS:
        if getattr(function, part, None) is not None:
            yield Constant(name, part, getattr(function, part), function, is_attribute=True)
    keywords = getattr(function, "__kwdefaults__", None) or {}
    for key, value in keywords.items():
        yield Constant(name, key, value, keywords)


def _comparison(facts: list[Constant]) -> Comparison:
    """What compares facts, one after the other."""
    make = FunctionType(_maker(tuple((fact.name, fact.is_attribute, fact.value is ABSENT) for fact in facts)), {})
    stand: Comparison = make(*(fact.holder for fact in facts), *(fact.value for fact in facts))
    return stand


@lru_cache(256)
def _maker(shape: Shape) -> CodeType:
    """The code of what makes a comparison from the holders and values of facts of a shape."""
    names = [f"{kind}{number}" for kind in "hv" for number in range(len(shape))]
    tests = [_test(number, *fact) for number, fact in enumerate(shape)]
    source = f"""
def make({", ".join(names)}):
    def stand():
        try:
            return {" and ".join(tests) or True}
        except (AttributeError, KeyError):
            return False
    return stand
"""
    module = compile(source, "<string>", "exec", dont_inherit=True)
    return next(code for code in module.co_consts if isinstance(code, CodeType))


def _test(number: int, name: str, is_attribute: bool, is_absent: bool) -> str:
    holder, value = f"h{number}", f"v{number}"
    if is_attribute:
        return f"not hasattr({holder}, {name!r})" if is_absent else f"{holder}.{name} is {value}"
    return f"{name!r} not in {holder}" if is_absent else f"{holder}[{name!r}] is {value}"
