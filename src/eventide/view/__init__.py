"""Figures and moving pictures; the only room that knows the plotting library.

May import: experiment, observe, monitor, continuous, discrete, statistics, declare, errors. Start reading at
`pictures.py`.
"""

from eventide.view.animation import Moment, animate, zigzag
from eventide.view.canvas import new_figure, save
from eventide.view.charts import mark_events, plot_gantt
from eventide.view.pictures import plot_recording, plot_recordings
from eventide.view.regions import plot_stability
from eventide.view.spaces import plot_cloud, plot_phase, plot_series, plot_trajectory
from eventide.view.spreads import plot_boxes, plot_histogram

__all__ = [
    "Moment",
    "animate",
    "mark_events",
    "new_figure",
    "plot_boxes",
    "plot_cloud",
    "plot_gantt",
    "plot_histogram",
    "plot_phase",
    "plot_recording",
    "plot_recordings",
    "plot_series",
    "plot_stability",
    "plot_trajectory",
    "save",
    "zigzag",
]
