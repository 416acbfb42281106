"""Figures; the only room that knows the plotting library.

May import: experiment, observe, monitor, continuous, discrete, statistics, declare, errors. Start reading at
`pictures.py`.
"""

from eventide.view.canvas import new_figure, save
from eventide.view.pictures import plot_recording, plot_recordings

__all__ = ["new_figure", "plot_recording", "plot_recordings", "save"]
