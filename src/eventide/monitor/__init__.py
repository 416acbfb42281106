"""Discrete and continuous on one clock: what happens between two events.

May import: continuous, discrete, statistics, declare, errors. Start reading at `monitor.py`.
"""

from eventide.monitor.monitor import Monitor
from eventide.monitor.observers import Observer, Phase

__all__ = ["Monitor", "Observer", "Phase"]
