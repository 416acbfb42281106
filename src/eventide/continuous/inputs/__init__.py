"""Input signals: functions of time for laws, which know at which instants they or their slopes jump.

Start reading at `base.py`.
"""

from eventide.continuous.inputs.base import Input, common_grid
from eventide.continuous.inputs.periodic import HeldNoise, Periodic, Pulse, Sampled
from eventide.continuous.inputs.shapes import Chirp, Ramp, Sine, Step
from eventide.continuous.inputs.tables import CubicTable, HeldTable, LinearTable

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
