"""Looking at a run: reporters, recordings.

May import: monitor, continuous, discrete, statistics, declare, errors. Start reading at `recording.py`.
"""

from eventide.observe.recording import Column, Recording, record
from eventide.observe.reporter import Every, Reporter

__all__ = ["Column", "Every", "Recording", "Reporter", "record"]
