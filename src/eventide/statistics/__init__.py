"""Statistics of a run: single values (Tally), levels over time (Level), bins; and what is concluded from them.

May import numpy, scipy and the standard library, nothing else of eventide but its errors; scipy only inside functions,
as a discrete model does without it. Start with tally.py; moments.py holds the arithmetic that tally and level share.
Output analysis: intervals.py for replications; batches.py and warm_up.py for long runs, running.py and sketch.py for
those without end; comparisons.py and selection.py for several systems.
"""

from eventide.statistics.batches import BatchMeans, batch_means
from eventide.statistics.comparisons import Comparison, compare_several, paired, welch
from eventide.statistics.controls import Controlled, controlled
from eventide.statistics.histogram import Histogram
from eventide.statistics.hypotheses import HypothesisTest, chi_square, kolmogorov_smirnov, t_test
from eventide.statistics.intervals import mean_interval, quantile_interval, variance_interval
from eventide.statistics.level import Clock, Level
from eventide.statistics.planning import independence, sample_size
from eventide.statistics.running import RunningBatches, RunningMean
from eventide.statistics.selection import KimNelson
from eventide.statistics.sketch import QuantileSketch
from eventide.statistics.tally import Tally
from eventide.statistics.warm_up import moving_average, mser5

__all__ = [
    "BatchMeans",
    "Clock",
    "Comparison",
    "Controlled",
    "Histogram",
    "HypothesisTest",
    "KimNelson",
    "Level",
    "QuantileSketch",
    "RunningBatches",
    "RunningMean",
    "Tally",
    "batch_means",
    "chi_square",
    "compare_several",
    "controlled",
    "independence",
    "kolmogorov_smirnov",
    "mean_interval",
    "moving_average",
    "mser5",
    "paired",
    "quantile_interval",
    "sample_size",
    "t_test",
    "variance_interval",
    "welch",
]


def __dir__() -> list[str]:
    """The public names alone."""
    return sorted(__all__)
