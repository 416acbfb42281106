"""What is known of laws and conditions before they run: which objects they touch, and their compiled forms.

Here nothing is known, so that everything moves together and runs as Python; the compiled room knows more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventide.continuous.flow import Flow


@dataclass(frozen=True)
class LawPlan:
    """What is known of a component's laws.

    touches     the objects whose states, rates, computed values or sums they read or write
    reads       slots of parameters, and of states that stand still, whose change touches the flow
    rows        (address, place of the index row, objects) of contributions and of equations, None for one not there
    """

    touches: tuple[Any, ...]
    reads: tuple[int, ...]
    contributions: tuple[int, int, int] | None
    equations: tuple[int, int, int] | None


@dataclass(frozen=True)
class ConditionPlan:
    """What is known of a condition.

    touches, reads      as in `LawPlan`
    needs_laws          whether it reads rates, computed values or sums
    address, index, constants   its kernel, its index row and its closure numbers
    """

    touches: tuple[Any, ...]
    reads: tuple[int, ...]
    needs_laws: bool
    address: int
    index: int
    constants: int


class Analyst:
    """Knows nothing: every law and condition may touch everything."""

    def law(self, owner: Any) -> LawPlan | None:
        """What is known of a component's laws; None if they may touch anything."""
        return None

    def condition(self, test: Callable[[], Any]) -> ConditionPlan | None:
        """What is known of a condition; None if it may touch anything."""
        return None

    def release(self, plan: LawPlan | ConditionPlan) -> None:
        """A plan is not used any longer."""

    def groups(self, flow: Flow) -> list[list[Any]]:
        """The owners of a flow, grouped by what they touch in common."""
        return [flow.owners()]
