"""Statistics of a run: single values (Tally), levels over time (Level), bins.

May import numpy and the standard library, nothing else of eventide but its errors.
Start with tally.py; moments.py holds the arithmetic that tally and level share.
"""

from eventide.statistics.histogram import Histogram
from eventide.statistics.level import Clock, Level
from eventide.statistics.output import (
    BatchMeans,
    Comparison,
    batch_means,
    mser5,
    paired,
    quantile_interval,
    variance_interval,
    welch,
)
from eventide.statistics.planning import independence, sample_size
from eventide.statistics.tally import Tally

__all__ = [
    "BatchMeans",
    "Clock",
    "Comparison",
    "Histogram",
    "Level",
    "Tally",
    "batch_means",
    "independence",
    "mser5",
    "paired",
    "quantile_interval",
    "sample_size",
    "variance_interval",
    "welch",
]
