"""What studies are made for: parameters for which a response is least, or a model comes closest to data.

May import: experiment and the rooms below it. Start reading at `minimising.py` and `calibrating.py`; both search by
`search.py` over what `evaluations.py` runs. `sensitivity/` has derivatives of a model's answers.
"""

from eventide.analysis.calibrating import calibrate
from eventide.analysis.data import Experiment
from eventide.analysis.fits import Calibration
from eventide.analysis.influence import GlobalSensitivity, global_sensitivity
from eventide.analysis.minimising import Optimum, minimise
from eventide.analysis.prediction import Prediction, predict
from eventide.analysis.stored import stored

__all__ = [
    "Calibration",
    "Experiment",
    "GlobalSensitivity",
    "Optimum",
    "Prediction",
    "calibrate",
    "global_sensitivity",
    "minimise",
    "predict",
    "stored",
]
