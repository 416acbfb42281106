"""Looking at a run: reporters, recordings, dumps, data processing.

May import: monitor, continuous, discrete, statistics, declare, errors. Start reading at `recording.py`, then
`recording_base.py`; files and databases begin at `dumps.py`.
"""

from eventide.observe.dumps import dump, read_dump
from eventide.observe.files import whole_file, write_csv
from eventide.observe.integral import Integral
from eventide.observe.occupancy import Occupancy, Stay
from eventide.observe.population import PopulationRecording, Series
from eventide.observe.processing import fence, find_faults, outliers, sample, summarise, tail_means, validate
from eventide.observe.progress import Progress
from eventide.observe.recording import Recording, record
from eventide.observe.recording_base import Heading
from eventide.observe.reporter import Every, Reporter
from eventide.observe.row_sink import Outlet
from eventide.observe.subjects import Expression, Group
from eventide.observe.tables import read_table
from eventide.observe.watching import Watch, watch

__all__ = [
    "Every",
    "Expression",
    "Group",
    "Heading",
    "Integral",
    "Occupancy",
    "Outlet",
    "PopulationRecording",
    "Progress",
    "Recording",
    "Reporter",
    "Series",
    "Stay",
    "Watch",
    "dump",
    "fence",
    "find_faults",
    "outliers",
    "read_dump",
    "read_table",
    "record",
    "sample",
    "summarise",
    "tail_means",
    "validate",
    "watch",
    "whole_file",
    "write_csv",
]
