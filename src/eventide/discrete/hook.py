"""What acts between the events of a world: the hook, called before the loop takes an event, and what wraps a hook."""

from __future__ import annotations

from typing import Any, Protocol


class Hook(Protocol):
    """What acts between events."""

    def advance(self, horizon: float) -> Any:
        """Advance the model to its next event.

        Returns     the owner of the event, if that comes before all in the list; None if it is that of the first there;
                    AT_END if there is none before `horizon`
        """
        ...

    def refresh(self) -> None:
        """Evaluate all laws and run all reporters at the present instant."""
        ...

    def come_to_rest(self, *, has_acted: bool) -> bool:
        """Call observers where a run has ended.

        has_acted   whether code of the user has run in it, as an event
        Returns     the same with what has run between the events
        """
        ...


class OuterHook:
    """A hook that wraps another, which still does what it did.

    inner       the other; None if nothing else acts between events
    """

    inner: Hook | None = None

    def refresh(self) -> None:
        """Pass on."""
        if self.inner is not None:
            self.inner.refresh()

    def come_to_rest(self, *, has_acted: bool) -> bool:
        """Pass on."""
        return has_acted if self.inner is None else self.inner.come_to_rest(has_acted=has_acted)
