"""How many events make it pay that processes become rows, and return: what that takes, counted in events of Python."""

from __future__ import annotations

from typing import Final

EACH: Final = 16
"""The events of each process before it goes: to go takes as long as these, to lend a guard as these beside flows."""
EACH_EARLY: Final = 2
"""The same where it has paid in earlier runs."""
BACK: Final = 128
"""The events that each process must have had while away when it returns to Python; with fewer it does not pay. Where an
event costs as much as several, as beside flows, that many times fewer."""
MORE: Final = 15
"""The chunks that follow one while rows need no Python."""
EACH_CALL: Final = 75
"""The events of rows for each call that Python makes for one: it takes as long as these in Python if they only hold."""
FEW_CALLS: Final = 64
"""The calls before it is judged whether they are too many."""
FEW: Final = 8
"""The processes that may return to Python before it is judged whether that is too often."""
FEW_EXITS: Final = 4
"""After so many exits of rows to Python these few are enough ..."""
FEW_AT_FIRST: Final = 64
"""... and before this many: the first exits make what later ones find, as the guards of waits."""
AGAIN: Final = 32
"""The events after a return that has paid, before processes may go again."""
MOST_MADE: Final = 2**15
"""The objects that rows may make before all return to Python, which lets go of those that are no longer needed."""
