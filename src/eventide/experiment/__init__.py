"""Experiments with models: a model as a function with parameters, a run with its responses and its account, studies.

May import: simulation and every room below it. Start reading at `models.py`, then `run.py` and `parameters.py`; studies
begin at `study.py`.
"""

from eventide.experiment import designs
from eventide.experiment.analysis import Plan, Selection
from eventide.experiment.files import imported, only_model
from eventide.experiment.models import Model, model
from eventide.experiment.parameters import Parameter
from eventide.experiment.replication import Replication
from eventide.experiment.report import report
from eventide.experiment.responses import Quantity, Reading, Statistic
from eventide.experiment.results import Failure, Result
from eventide.experiment.run import Account, Run
from eventide.experiment.scenarios import Scenarios
from eventide.experiment.steady import SteadyState
from eventide.experiment.study import Study

__all__ = [
    "Account",
    "Failure",
    "Model",
    "Parameter",
    "Plan",
    "Quantity",
    "Reading",
    "Replication",
    "Result",
    "Run",
    "Scenarios",
    "Selection",
    "Statistic",
    "SteadyState",
    "Study",
    "designs",
    "imported",
    "model",
    "only_model",
    "report",
]
