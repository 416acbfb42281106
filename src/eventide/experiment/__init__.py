"""Experiments with models: a model as a function with parameters, and a run with its responses and its account.

May import: simulation and every room below it. Start reading at `models.py`, then `run.py` and `parameters.py`.
"""

from eventide.experiment.files import imported, only_model
from eventide.experiment.models import Model, model
from eventide.experiment.parameters import Parameter
from eventide.experiment.replication import Plan, Replication
from eventide.experiment.report import report
from eventide.experiment.responses import Quantity, Reading, Statistic
from eventide.experiment.run import Account, Run

__all__ = [
    "Account",
    "Model",
    "Parameter",
    "Plan",
    "Quantity",
    "Reading",
    "Replication",
    "Run",
    "Statistic",
    "imported",
    "model",
    "only_model",
    "report",
]
