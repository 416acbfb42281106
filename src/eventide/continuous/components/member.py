"""What may be a member of a flow, and what belongs to it there."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.layout import Layout
    from eventide.continuous.components.switches import Branches, Switch
    from eventide.continuous.components.variable import Variable
    from eventide.continuous.flows.flow import Flow, Still
    from eventide.continuous.flows.sliding import Slide
    from eventide.continuous.plans import ClassPlan
    from eventide.continuous.storage.slot_storage import Slab

Member: TypeAlias = "Continuous | Variable"
"""A component with states or laws, or a loose variable."""


_FLOW: Final = attrgetter("_flow")


def layout_of(component: Continuous | type[Continuous]) -> Layout:
    """How the slots of a component, or of the objects of a class, are laid out."""
    return component._layout


def slab_of(member: Member) -> Slab:
    """Where the slots of a member are."""
    return member._slab


def class_plan_of(member: Member) -> ClassPlan:
    """What is known of a member's laws; of one that has been placed."""
    return member._class_plan


def laws_hold(member: Member) -> bool:
    """Whether its laws hold: it is a component that has been started. A variable has none."""
    return member._is_active


def flow_of(member: Member) -> Flow | Still:
    """The flow in whose steps a member moves; that of all that stands still if it does not move."""
    return member._flow


def flows_of(members: Iterable[Member]) -> dict[Flow | Still, None]:
    """The flows of members, each once."""
    return dict.fromkeys(map(_FLOW, members))


def holder_of(variable: Variable) -> Member:
    """The component whose state a variable is; a loose variable itself."""
    return variable._owner


def slide_of(member: Member) -> Slide | None:
    """The motion along a surface that a member stands for; None if it stands for none."""
    return member._slide


def slide_along(component: Continuous, slide: Slide) -> None:
    """From its next start on a component stands for a motion along a surface."""
    component._slide = slide


def branches_in(cls: type[Continuous]) -> Branches:
    """What has been found to branch in the laws of a class."""
    return cls._branches


def switches_of(component: Continuous) -> tuple[Switch, ...]:
    """The comparisons in the laws of a component of which outcomes are held."""
    return component._switches


def show_variables(component: Continuous, variables: dict[str, Variable]) -> None:
    """Show a component's states, where they are read as variables, by these."""
    component._variables = variables


def slots_of(variable: Variable) -> list[int]:
    """The slots of a variable, of a vector those of its items."""
    return variable._every_slot()
