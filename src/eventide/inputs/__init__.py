"""Input signals: functions of time for laws, which know the times at which they or their slopes jump.

In: a time. Out: the value of the signal, and the next time at which it is not smooth. A flow whose laws or conditions
call an input has a limit there: its step ends at that time, and laws see a time just below it in the step that ends
there. May import: discrete, statistics, declare, errors. Start reading at `base.py`.
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


def __dir__() -> list[str]:
    """The public names alone."""
    return sorted(__all__)
