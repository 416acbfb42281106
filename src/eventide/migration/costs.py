"""What it costs that processes become rows and return to Python, in events of Python."""

from __future__ import annotations

from typing import Final

EACH: Final = 16
"""The events of each process before it goes: to go takes as long as these, to lend a guard as these beside flows."""
BACK: Final = 25
"""The events that each process must have had while away when it returns to Python; with fewer it does not pay."""
MORE: Final = 15
"""The chunks that follow one while rows need no Python."""
STAY: Final = 6
"""What all go and return for costs besides, as so many of them that return."""
LEAST: Final = 8
"""The fewest returns that must have paid before all go again soon."""
FEW: Final = 12
"""What may return to Python before it is judged whether that is too often."""
