"""What stands in the lists of a run, to look at: scheduled events and awaited conditions, in their order.

Source: Helsgaun, COMBINEDSIMULATION manual, 2, 3.26: the lists of time events and of wait notices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from eventide.discrete.processes.process import owner_of
from eventide.reading.description import describe_function

if TYPE_CHECKING:
    from eventide.declare import Component
    from eventide.discrete.calendar import Calendar
    from eventide.discrete.conditions.condition import ConditionList
    from eventide.discrete.processes.process import Process


class ScheduledEvent(NamedTuple):
    """An entry of the event list.

    time    when the event takes place
    process whose event it is; None for an event of no process, as of an `@every` handler
    name    of the process, or of whatever else the event belongs to
    """

    time: float
    process: Process | None
    name: str


class AwaitedCondition(NamedTuple):
    """An entry of the condition list.

    process     the process that waits; None for the condition of a `@when` handler
    component   the component whose handler it releases; None for a wait
    priority    high first
    condition   its function: the name, or file and line
    """

    process: Process | None
    component: Component | None
    priority: float
    condition: str


def scheduled_events(calendar: Calendar) -> tuple[ScheduledEvent, ...]:
    """The valid entries of an event list, the next event first."""
    return tuple(
        ScheduledEvent(time, owner := owner_of(activity), str((owner or activity).name))
        for time, _, _, activity in calendar
    )


def awaited_conditions(conditions: ConditionList) -> tuple[AwaitedCondition, ...]:
    """The entries of a condition list, in the order in which the events of true conditions take place."""
    return tuple(
        AwaitedCondition(
            owner_of(condition.owner),
            condition.owner if condition.is_handler else None,
            condition.priority,
            describe_function(condition.function),
        )
        for condition in conditions
    )
