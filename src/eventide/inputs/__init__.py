"""Input signals: functions of time for laws, which know at which instants they or their slopes jump.

May import: discrete, statistics, declare, errors. Start reading at `base.py`.
"""

from eventide.inputs.base import Input, common_grid
from eventide.inputs.periodic import HeldNoise, Periodic, Pulse, Sampled
from eventide.inputs.shapes import Chirp, Ramp, Sine, Step
from eventide.inputs.tables import CubicTable, HeldTable, LinearTable

__all__ = [
    "Chirp",
    "CubicTable",
    "HeldNoise",
    "HeldTable",
    "Input",
    "LinearTable",
    "Periodic",
    "Pulse",
    "Ramp",
    "Sampled",
    "Sine",
    "Step",
    "common_grid",
]
