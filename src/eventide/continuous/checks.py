"""What is looked at before equations are trusted: once per class their text, once per change of the chain one pass."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

from eventide.continuous.culprits import execute_law
from eventide.errors import ModelError

if TYPE_CHECKING:
    from eventide.continuous.component import Continuous
    from eventide.continuous.flow import Flow
    from eventide.continuous.variable import Variable

_checked = "_equations_are_checked"


def check_class(cls: type[Continuous]) -> None:
    """Raise ModelError, naming file and line, if the equations of a class assign a plain field."""
    if _checked in cls.__dict__:
        return
    for function in (cls.equations, cls.contributions):
        for name, line in _assigned_fields(cls, function):
            raise ModelError(
                f"{cls.__name__}.{function.__name__} assigns the field {name!r} "
                f"({function.__code__.co_filename}:{line}), and a plain field changes in events only: "
                f"declare it `{name}: ev.Computed = ev.computed()`, or as a State with a rate"
            )
    setattr(cls, _checked, True)


def _assigned_fields(cls: type[Continuous], function: Any) -> list[tuple[str, int]]:
    """Plain fields of `self` that a function assigns, with their lines; none if its text cannot be had."""
    try:
        text = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(text).body[0]
    except (OSError, TypeError, SyntaxError, IndentationError):
        return []
    if not isinstance(tree, ast.FunctionDef) or not tree.args.args:
        return []
    this, first = tree.args.args[0].arg, function.__code__.co_firstlineno
    plain = {name for name, spec in cls._fields.items() if spec.role == "field"}
    return [
        (node.attr, first + node.lineno - 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == this
        and node.attr in plain
    ]


def two_setters(law: Any, other: Any, variable: Variable) -> ModelError:
    """The error of two laws that set one rate."""
    return ModelError(
        f"{law.name} sets the rate of {variable.name}, which {other.name} has set already: "
        "write `+=` to add to it, or let one of them set it"
    )


class _Ledger:
    """Who wrote which rate in this pass, and which rates the present law has read."""

    def __init__(self) -> None:
        self.law: Any = None
        self.writers: dict[tuple[int, str], Any] = {}
        self.read: set[tuple[int, str]] = set()

    def begin(self, law: Any) -> None:
        self.law = law
        self.read.clear()

    def note_write(self, owner: Any, name: str) -> None:
        key = (owner._base, name)  # two objects may have one name, and no two a block
        other = self.writers.get(key)
        if other is not None and other is not self.law and key not in self.read:
            raise two_setters(self.law, other, owner[name])
        self.writers[key] = self.law


class _CheckedRates:
    """Stands in for an object's rates during one pass and keeps the ledger."""

    __slots__ = ("_ledger", "_owner", "_rates")

    def __init__(self, owner: Any, ledger: _Ledger) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_rates", owner._rates)
        object.__setattr__(self, "_ledger", ledger)

    def __getattr__(self, name: str) -> Any:
        self._ledger.read.add((self._owner._base, name))
        return getattr(self._rates, name)

    def __setattr__(self, name: str, value: float) -> None:
        setattr(self._rates, name, value)
        self._ledger.note_write(self._owner, name)


def check_pass(flow: Flow) -> None:
    """Execute all laws of a flow once, with every write of a rate on record.

    Raises ModelError, naming both laws, if one sets a rate that another has set and it has not read.
    """
    ledger = _Ledger()
    owners = [c for c in flow.motion.system.components() if c._layout.states]
    views = [owner._rates for owner in owners]
    for owner in owners:
        owner._rates = _CheckedRates(owner, ledger)
    try:
        for (stage, _, _), law in zip(flow.order, flow.laws, strict=True):
            ledger.begin(law)
            execute_law(law, law.contributions if stage == 0 else law.equations, law.sim.time)
    finally:
        for owner, view in zip(owners, views, strict=True):
            owner._rates = view
