"""Which kernels there are already, so that objects of a class that start by the thousand compile nothing."""

from __future__ import annotations

from operator import attrgetter
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.compilation.branches.smoothness import Smoothness
from eventide.compilation.condition_plans import usage_of
from eventide.compilation.fused_steps import Part, can_fuse, fused_text
from eventide.compilation.joined_laws import joined
from eventide.compilation.law_templates import LawTemplate
from eventide.lowering.kernels.lowered import compile_kernel
from eventide.lowering.kernels.lowering import Lowering, not_a_function
from eventide.lowering.names.binder import Bind, Binding, make_binder
from eventide.lowering.names.name_resolution import STRANGE
from eventide.lowering.not_compilable import CannotLower
from eventide.native.locking import LOCK, locked
from eventide.native.packing import table_at
from eventide.native.store import Store
from eventide.reading.entries import Entry
from eventide.reading.source import SourceBook

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.compilation.code_facts import Written
    from eventide.continuous.components.member import Member
    from eventide.engine.codes import Coefficients
    from eventide.lowering.kernels.lowered import Kernel, LoweredKind
    from eventide.reading.constants import Constant


class Bound(NamedTuple):
    """A kernel and what it works on for one object or wait."""

    kernel: Kernel
    binding: Binding


_KERNEL: Final = attrgetter("kernel")
_new: Final = tuple.__new__  # the constructor of a named tuple is a function of Python's, and as slow


MOST_REFUSALS: Final = 8
"""The most refusals of one code that are kept for later simulations, the latest; a class made again has others."""
MOST_KERNELS: Final = 64
"""The most kernels of one code that are kept for later simulations, the latest.

A model function that makes its classes has others in each run, which keep what they are closed over: its simulation.
"""
OFTEN: Final = 8
"""A number of a module or class that has changed so often while models ran is no part of the code that reads it."""


class _Refused(NamedTuple):
    """A refusal, without the traceback of its error, which would keep objects of a simulation.

    fits    whether a function and its arguments are such as were refused
    names   what names stood for that were met
    what    what `CannotLower` is told
    """

    fits: Bind
    names: tuple[Constant, ...]
    what: tuple[str, int, str, str]

    @property
    def is_current(self) -> bool:
        """Whether all names stand for what they stood for."""
        return all(name.is_current for name in self.names)


class Registry:
    """Kernels by the code they were made from and the classes of what it refers to.

    One may serve many simulations in turn. It keeps no object of theirs, only classes and code.
    exact_pow   whether `**` keeps the last bit of Python's
    lowered     how many functions were lowered; refused: how many could not be
    generation  how often kernels have been looked through whether they still stand
    written     comparisons with what code was made with
    """

    def __init__(self, store: Store | None = None, *, exact_pow: bool = False) -> None:
        self.store = store or Store.default()
        self.exact_pow = exact_pow
        self.lowered = 0
        self.refused = 0
        self.book = SourceBook()
        self.smoothness = Smoothness(self.book)
        self._kernels: dict[tuple[str, int], list[Kernel]] = {}
        self._refusals: dict[tuple[str, int], list[_Refused]] = {}
        # Code is compared by identity: equal code may stand in several files, among other globals.
        self._codes: dict[int, CodeType] = {}
        self._templates: dict[tuple[tuple[Kernel, ...], tuple[str, ...]], LawTemplate] = {}
        self._joined: dict[tuple[Kernel, Kernel], tuple[int, int, int]] = {}
        self._usages: dict[Kernel, tuple[int, tuple[int, ...]] | None] = {}
        self.generation = 0
        self._plain: dict[type, list[LawTemplate]] = {}
        self._fused: dict[object, tuple[Coefficients, tuple[int, int]]] = {}
        self._changes: dict[tuple[int, str], tuple[int, object]] = {}
        self.written: Written = {}

    def find(self, kind: LoweredKind, function: object, arguments: tuple[object, ...]) -> Bound:
        """The kernel of a function for some arguments, and its binding.

        Raises CannotLower if something in it cannot be followed.
        """
        if not isinstance(function, FunctionType):
            if not isinstance(function, MethodType) or not isinstance(function.__func__, FunctionType):
                raise not_a_function(getattr(function, "__func__", function))
            arguments, function = (function.__self__, *arguments), function.__func__
        key = kind, id(function.__code__)
        for kernel in self._kernels.get(key, ()):
            binding = kernel.lowered.bind(function, arguments)
            if binding is not None:
                return _new(Bound, (kernel, binding))
        with LOCK:
            return self._find_or_make(key, function, arguments)

    def _find_or_make(
        self, key: tuple[LoweredKind, int], function: FunctionType, arguments: tuple[object, ...]
    ) -> Bound:
        for kernel in self._kernels.get(key, ()):  # another thread may have made it meanwhile
            binding = kernel.lowered.bind(function, arguments)
            if binding is not None:
                return Bound(kernel, binding)
        for refused in self._refusals.get(key, ()):
            if refused.fits(function, arguments) is not None:
                raise CannotLower(*refused.what)
        kernel = self._make(key[0], Entry(function, arguments))
        binding = kernel.lowered.bind(function, arguments)
        assert binding is not None
        return Bound(kernel, binding)

    def knows(self, kind: LoweredKind, code: CodeType | None) -> bool:
        """Whether functions of some code have been lowered, or refused."""
        key = kind, id(code)
        return bool(self._kernels.get(key) or self._refusals.get(key))

    def law(self, component: object, function: FunctionType) -> Bound:
        """The kernel of a law of a component, and its binding.

        function    of the class, as in `Ball.equations`
        Raises CannotLower if something in it cannot be followed.
        """
        return self.find("law", function, (component,))

    def condition(self, test: object, *arguments: object) -> Bound:
        """The kernel of a condition (and what it is to be called with), and its binding.

        Raises CannotLower if something in it cannot be followed.
        """
        return self.find("condition", test, arguments)

    def fused(
        self, method: Coefficients, slots: int, laws: list[tuple[Kernel, tuple[int | None, ...]]]
    ) -> tuple[int, int]:
        """The addresses of what stands for `attempt` and `complete` in a flow of so few slots; 0 if nothing can.

        laws    kernels in their order; for each block that they use the place of its first among the slots, if it is
                there
        """
        # A method's arrays are compared by identity, and kept, as long as this registry lives.
        key = id(method.table), slots, tuple([(kernel.address, own) for kernel, own in laws])
        known = self._fused.get(key)
        if known is not None:
            return known[1]
        with LOCK:
            addresses = (0, 0)
            if can_fuse(method):
                parts = [Part(one.lowered, own + (None,) * (one.width - len(own))) for one, own in laws]
                symbols = tuple(dict.fromkeys(name for part in parts for name in part.lowered.symbols))
                table = table_at(self.store.load(fused_text(method, slots, parts), symbols))
                addresses = int(table[0]), int(table[1])
            return self._fused.setdefault(key, (method, addresses))[1]

    @locked
    def joined(self, owner: Member, contributions: Kernel, equations: Kernel) -> tuple[int, int, int]:
        """The kernels that do what these two of an object do, for rows that are to be laid and for those that are, and
        how wide these are; zeros if they are to stay two. See `joined_laws.py`.
        """
        pair = contributions, equations
        if pair not in self._joined:
            made = joined(owner, contributions.lowered, equations.lowered, exact_pow=self.exact_pow)
            load = self.store.load
            found = (load(text, made.lowered.symbols) for text in (made.laying, made.laid)) if made else (0, 0)
            self._joined[pair] = (*found, made.width if made else 0)
        return self._joined[pair]

    def quantity(self, read: object) -> Bound:
        """The kernel of a function without arguments that returns a number, and its binding.

        It has the form of a condition's, leaves the number in the answer, and returns RAISES where Python would.
        Raises CannotLower if something in it cannot be followed.
        """
        return self.find("quantity", read, ())

    def usage(self, kernel: Kernel) -> tuple[int, tuple[int, ...]] | None:
        """How many slots a condition or a quantity uses, and the record that says which; None if each time that it is
        bound it has its own.
        """
        # Threads find kernels that another one has just made, or forgets: what follows from a kernel is found here.
        usages = self._usages
        if kernel not in usages:
            usage = usage_of((kernel,))
            with LOCK:  # while they are looked through nothing is added
                usages[kernel] = usage and (usage.uses, usage.words())
        return usages[kernel]

    def template(self, bounds: tuple[Bound, ...], names: tuple[str, ...]) -> LawTemplate:
        """What all plans have in common whose laws of these names are these kernels."""
        key = tuple(map(_KERNEL, bounds)), names
        known = self._templates.get(key)
        if known is None:
            with LOCK:
                known = self._templates.setdefault(key, LawTemplate(*key))
        return known

    def templates_of(self, cls: type) -> list[LawTemplate]:
        """The templates of laws of a class's objects that are plain, as far as they are known; to be added to."""
        return self._plain.setdefault(cls, [])

    def handler(self, handler: object) -> Bound:
        """The kernel of a handler, a bound method, and its binding: see `translation/handlers.py`.

        Raises CannotLower if it is left to Python on every path.
        """
        return self.find("handler", handler, ())

    @locked
    def renew(self, *, within_run: bool = False) -> None:
        """Forget kernels, and refusals, where names no longer stand for what was taken.

        So what cannot be lowered is looked at once, and not again for each simulation.
        """
        self.generation += 1
        self._plain.clear()
        changed: dict[tuple[int, str], Constant] = {}
        current: set[Kernel] = set()  # asked for membership only, so its order is never seen
        for key, kernels in self._kernels.items():
            renewed = self._renewed(kernels, changed)
            self._kernels[key] = renewed if within_run else renewed[-MOST_KERNELS:]
            current.update(self._kernels[key])
        if within_run:
            self._note_varying(changed.values())
        self._templates = {key: known for key, known in self._templates.items() if current.issuperset(key[0])}
        self._joined = {key: known for key, known in self._joined.items() if current.issuperset(key)}
        self._usages = {kernel: known for kernel, known in self._usages.items() if kernel in current}
        for key, refusals in self._refusals.items():
            self._refusals[key] = [refused for refused in refusals if refused.is_current][-MOST_REFUSALS:]

    def _renewed(self, kernels: list[Kernel], changed: dict[tuple[int, str], Constant]) -> list[Kernel]:
        """Those of some kernels that still stand; what has changed of the others is gathered."""
        kept = []
        for kernel in kernels:
            new = [constant for constant in kernel.lowered.constants if not constant.is_current]
            changed.update(((id(constant.holder), constant.name), constant) for constant in new)
            if not new:
                kept.append(kernel)
        return kept

    def _note_varying(self, changed: Iterable[Constant]) -> None:
        """Numbers that change often are told to code from then on, and no part of it."""
        for constant in changed:
            if isinstance(constant.value, float | int):
                key = id(constant.holder), constant.name
                count, holder = self._changes.get(key, (0, constant.holder))
                self._changes[key] = count + 1, holder
                if count + 1 >= OFTEN:
                    self.book.varying[key] = holder

    def _make(self, kind: LoweredKind, entry: Entry) -> Kernel:
        code = entry.function.__code__
        key, lowering = (kind, id(code)), None
        self._codes[id(code)] = code
        try:
            lowering = Lowering(entry, kind, self.book)
            kernel = self._compile(lowering)
        except CannotLower as error:
            self.refused += 1
            outside = lowering.outside if lowering else None
            if error.why == STRANGE and kind in ("law", "condition"):
                raise  # an error of this object, and not kept for others
            steps, names = (outside.steps, outside.names) if outside else ({}, {})
            what = (error.file, error.line, error.construct, error.why)
            refused = _Refused(make_binder(entry, tuple(steps.values())), tuple(names.values()), what)
            self._refusals.setdefault(key, []).append(refused)
            raise
        self.lowered += 1
        self._kernels.setdefault(key, []).append(kernel)
        return kernel

    def _compile(self, lowering: Lowering) -> Kernel:
        # What is looked at is what Python would have seen, to the last bit.
        lowered = lowering.lower(exact_pow=self.exact_pow or lowering.kind in ("quantity", "handler"))
        try:
            return compile_kernel(lowered, self.store)
        except LookupError as error:
            raise lowering.refusal(f"the mathematical library of this system has no {error}") from None
        except RuntimeError as error:
            raise lowering.refusal(
                f"LLVM does not take what was made of it, which is an error of ours: {error}"
            ) from error
