"""What lowers what: a table from syntax nodes and functions to rules, which write the instructions for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

Rule: TypeAlias = Callable[..., Any]
_Given = TypeVar("_Given", bound=Rule)
_RULES: Final[dict[tuple[str, object], Rule]] = {}
"""Filled while this package is imported, and never changed by a model."""


def lowers(*keys: object, kind: str = "") -> Callable[[_Given], _Given]:
    """Register a rule.

    keys    classes of syntax nodes: the rule is called with the context and the node; functions of Python: with the
            context and the call; functions of numpy: with the context and the operands, numbers or vectors
    kind    of the code in which it holds, before one for code of any kind: "condition", "handler"
    """

    def register(rule: _Given) -> _Given:
        for key in keys:
            _RULES[kind, key] = rule
        return rule

    return register


def rule_for(key: object, kinds: Sequence[str]) -> Rule | None:
    """The rule for a syntax node's class or a function in code of some kinds; None if there is none."""
    if getattr(key, "__hash__", None) is None:
        return None
    return next((rule for kind in kinds if (rule := _RULES.get((kind, key))) is not None), None)
