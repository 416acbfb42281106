"""What an event has changed besides states and numbers; the monitor checks it before the next event.

Objects that start or stop, references, waits, observers, limits of steps and the method are checked after an event
only if one of them has changed. Each is changed through an object that records it here: a `Pending` list, or a setter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


class Changes:
    """Whether anything has changed since it was last looked at.

    are_seen    whether what brings the model to its next event knows all of it
    references  whether a component has come to refer to another object
    limits      whether the limits of the step are others, or are to hold for another method
    """

    __slots__ = ("are_seen", "limits", "references")

    def __init__(self) -> None:
        self.are_seen = self.references = False
        self.limits = True

    def note(self) -> None:
        """Something has changed."""
        self.are_seen = False

    def note_limits(self) -> None:
        """The limits of the step are others, or are to hold for another method."""
        self.limits = True
        self.are_seen = False

    def note_reference(self) -> None:
        """A component has come to refer to another object."""
        self.references = True
        self.are_seen = False


class Pending(dict[Item, None]):
    """What waits to be taken up before time advances, in order of arrival. An arrival is a change."""

    __slots__ = ("_changes",)

    def __init__(self, changes: Changes) -> None:
        super().__init__()
        self._changes = changes

    def add(self, item: Item) -> None:
        """Let an item wait; one that waits already keeps its place."""
        self[item] = None
        self._changes.are_seen = False

    def take(self) -> dict[Item, None]:
        """Those that wait, which do so no longer."""
        taken = dict(self)
        self.clear()
        return taken

    def put_back(self, items: Iterable[Item]) -> None:
        """Let items that were taken wait again, before those that have come since."""
        since = self.take()
        for item in (*items, *since):
            self.add(item)
