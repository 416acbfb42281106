"""Tables of data: read with their faults, checked, summarised, sampled.

What comes in: columns of numbers, as a DataFrame or as anything with `to_pandas`, or a text file. What goes out: a
DataFrame, or an error that lists what is wrong. Nothing here knows of simulations.

May import: statistics, errors. Start reading at `processing.py`.
"""

from eventide.data.processing import fence, find_faults, outliers, sample, summarise, tail_means, validate
from eventide.data.tables import read_table

__all__ = ["fence", "find_faults", "outliers", "read_table", "sample", "summarise", "tail_means", "validate"]
