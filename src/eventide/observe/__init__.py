"""Looking at a run: reporters, recordings.

May import: monitor, continuous, discrete, statistics, declare, errors. Start reading at `recording.py`.
"""

from eventide.observe.files import whole_file, write_csv
from eventide.observe.ledger import Heading
from eventide.observe.population import PopulationRecording, Series
from eventide.observe.recording import Group, Recording, record
from eventide.observe.reporter import Every, Reporter
from eventide.observe.tables import read_table

__all__ = [
    "Every",
    "Group",
    "Heading",
    "PopulationRecording",
    "Recording",
    "Reporter",
    "Series",
    "read_table",
    "record",
    "whole_file",
    "write_csv",
]
