"""Observation of a run: reporters, recordings, integrals, logs, watches, and dumps to files and databases.

In: a running model. Out: rows of numbers and texts. Invariant: observing never changes a step or an event; the model
refuses writes while it is observed. May import: monitor, continuous, discrete, data, statistics, declare, errors.
Start reading at `recording.py`, then `recording_base.py`; files and databases begin at `dumps.py`.
"""

from eventide.observe.dumps import load, save
from eventide.observe.files import sweep, whole_file
from eventide.observe.integral import Integral
from eventide.observe.occupancy import Occupancy, Stay
from eventide.observe.population import PopulationRecording, Series
from eventide.observe.progress import Progress
from eventide.observe.recording import Recording, record
from eventide.observe.recording_base import Heading
from eventide.observe.reporter import Every, Reporter
from eventide.observe.row_sink import RowSink, close_sinks
from eventide.observe.subjects import Expression, Group
from eventide.observe.watching import Watch, watch

__all__ = [
    "Every",
    "Expression",
    "Group",
    "Heading",
    "Integral",
    "Occupancy",
    "PopulationRecording",
    "Progress",
    "Recording",
    "Reporter",
    "RowSink",
    "Series",
    "Stay",
    "Watch",
    "close_sinks",
    "load",
    "record",
    "save",
    "sweep",
    "watch",
    "whole_file",
]
