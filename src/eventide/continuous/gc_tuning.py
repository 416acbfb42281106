"""Tuning of Python's garbage collector for models of many long-lived objects.

When a model has a quarter more objects than at the last time, all live objects are moved to the oldest generation (by
freezing and unfreezing), and the collector pauses while hundreds of objects are placed. They do not count as growth;
so the first time, at 512 objects, everything is collected before, or models that are gone would never be. Rejected: no
tuning (with 4,000 balls the collector took 0.3 of the run, examining what stays), and no collection during a run
(objects that start and stop leave garbage). Once growth ends, the collector works as usual.
"""

from __future__ import annotations

import gc
from typing import Final

FEWEST: Final = 512
"""From this many objects on the collector is tuned."""
GROWTH: Final = 1.25
"""The collector is tuned again when there are this many times as many objects. Where objects come and go the
collector is left alone, as there may be something to collect.
"""
OWN: Final = 1000
"""Fewer frozen objects are Python's own: 3.12 freezes some 400 as it starts. Programs that freeze have thousands."""


class Collector:
    """The garbage collector of Python, as one simulation tunes it.

    next        how many objects are many more than before
    """

    def __init__(self) -> None:
        self.next = float(FEWEST)
        self._rests = False

    def note_growth(self, count: int) -> None:
        """The model has `count` objects, many more than before: all that live now count as old."""
        is_first, self.next = self.next == FEWEST, GROWTH * count
        if not (self._rests or gc.isenabled()):
            return
        if is_first:
            gc.collect()
        elif gc.get_freeze_count() < OWN:  # what the program has frozen would be unfrozen as well
            gc.freeze()
            gc.unfreeze()

    def pause(self) -> bool:
        """Let it rest while many lasting objects are made; returns whether it was at work, and `resume` is called."""
        self._rests = gc.isenabled()
        gc.disable()
        return self._rests

    def resume(self) -> None:
        """Let it work again."""
        gc.enable()
        self._rests = False
