"""What the loop of events asks of others: duties between events."""

from __future__ import annotations

from typing import Any, Protocol


class Vigil(Protocol):
    """What has duties between events."""

    def advance(self, horizon: float) -> Any:
        """Advance the model to its next event.

        Returns     whose event it is, if that comes before all in the list; None if it is that of the first there;
                    AT_END if there is none before `horizon`
        """
        ...

    def refresh(self) -> None:
        """Evaluate all laws and run all reporters at the present instant."""
        ...

    def come_to_rest(self) -> None:
        """Call observers where a run has ended."""
        ...
