"""Statistics of a run: single values (Tally), levels over time (Level), bins.

May import numpy and the standard library, nothing else of eventide but its errors.
Start with tally.py; moments.py holds the arithmetic that tally and level share.
"""

from eventide.statistics.histogram import Histogram
from eventide.statistics.level import Clock, Level
from eventide.statistics.planning import independence, sample_size
from eventide.statistics.tally import Tally

__all__ = ["Clock", "Histogram", "Level", "Tally", "independence", "sample_size"]
