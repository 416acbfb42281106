"""The monitor: discrete and continuous model on one clock; what happens between two events.

In: the time of the next event in the event list. Out: the event that comes next, with every state at its left value.
May import: continuous, discrete, statistics, declare, errors. Start reading at `monitor.py`.
"""

from eventide.monitor.monitor import Monitor
from eventide.monitor.observers import Observer, Phase
from eventide.monitor.rest import rest

__all__ = ["Monitor", "Observer", "Phase", "rest"]
