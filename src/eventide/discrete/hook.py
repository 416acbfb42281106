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

    def come_to_rest(self) -> None:
        """Call observers where a run has ended."""
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

    def come_to_rest(self) -> None:
        """Pass on."""
        if self.inner is not None:
            self.inner.come_to_rest()
