"""Fields of continuous components that refer to other objects: setting one announces the change to the flows.

So after an event only what may have changed is checked, not a thousand other objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eventide.continuous.components.member import Member


class Reference:
    """A field of a class: its values stand among the object's own attributes, and only setting it comes by here."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __set__(self, owner: Member, value: object) -> None:
        """Set it; laws and conditions that refer to another object through it are planned again."""
        attributes = owner.__dict__
        if self.name in attributes and attributes[self.name] is not value and "integrator" in owner._system.__dict__:
            owner._system.integrator.changes.note_reference()
        attributes[self.name] = value

    def __delete__(self, owner: Member) -> None:
        """Delete it, as any attribute."""
        try:
            del owner.__dict__[self.name]
        except KeyError:
            raise AttributeError(self.name) from None
        owner._system.integrator.changes.note_reference()
