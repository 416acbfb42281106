"""What ends a run of the reference, or is thrown into its processes."""

from __future__ import annotations


class Skip(Exception):
    """A program of which the reference cannot say what is right, and why."""


class Refused(Exception):
    """Laws that have to be refused have come into the model."""


class Preempted(Exception):
    """What is thrown into a process of the reference whose unit was taken away.

    left    of the time for which it was to hold
    """

    def __init__(self, left: float) -> None:
        super().__init__(left)
        self.left = left


class Interrupted(Exception):
    """What an interrupt throws into a process of the reference."""

    def __init__(self, cause: float) -> None:
        super().__init__()
        self.cause = cause


class Ended(Exception):
    """What is thrown into a process that is to end."""
