"""eventide: combined simulation, discrete processes and continuous state on one clock."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eventide.continuous import Continuous as Continuous
    from eventide.continuous import Variable as Variable
    from eventide.continuous import law as law
    from eventide.continuous import rest as rest
    from eventide.declare import Component as Component
    from eventide.declare import Computed as Computed
    from eventide.declare import ComputedVector as ComputedVector
    from eventide.declare import State as State
    from eventide.declare import Sum as Sum
    from eventide.declare import VectorState as VectorState
    from eventide.declare import computed as computed
    from eventide.declare import computed_vector as computed_vector
    from eventide.declare import field as field
    from eventide.declare import state as state
    from eventide.declare import sum_ as sum_
    from eventide.declare import vector as vector
    from eventide.discrete import Container as Container
    from eventide.discrete import Life as Life
    from eventide.discrete import Occurrence as Occurrence
    from eventide.discrete import Outcome as Outcome
    from eventide.discrete import Preemption as Preemption
    from eventide.discrete import PreemptiveResource as PreemptiveResource
    from eventide.discrete import Process as Process
    from eventide.discrete import Queue as Queue
    from eventide.discrete import Request as Request
    from eventide.discrete import Resource as Resource
    from eventide.discrete import Shifts as Shifts
    from eventide.discrete import Signal as Signal
    from eventide.discrete import Store as Store
    from eventide.discrete import Stream as Stream
    from eventide.discrete import activate as activate
    from eventide.discrete import all_of as all_of
    from eventide.discrete import crosses as crosses
    from eventide.discrete import every as every
    from eventide.discrete import first_of as first_of
    from eventide.discrete import hold as hold
    from eventide.discrete import passivate as passivate
    from eventide.discrete import pause as pause
    from eventide.discrete import tick as tick
    from eventide.discrete import until as until
    from eventide.discrete import wait as wait
    from eventide.discrete import when as when
    from eventide.errors import CascadeWarning as CascadeWarning
    from eventide.errors import Ended as Ended
    from eventide.errors import EqualityWarning as EqualityWarning
    from eventide.errors import EventideError as EventideError
    from eventide.errors import InputError as InputError
    from eventide.errors import Interrupt as Interrupt
    from eventide.errors import MissingLibraryError as MissingLibraryError
    from eventide.errors import ModelError as ModelError
    from eventide.errors import ParameterError as ParameterError
    from eventide.errors import SimulationError as SimulationError
    from eventide.experiment import Account as Account
    from eventide.experiment import Model as Model
    from eventide.experiment import Quantity as Quantity
    from eventide.experiment import Replication as Replication
    from eventide.experiment import Run as Run
    from eventide.experiment import model as model
    from eventide.methods import BOGACKI_SHAMPINE as BOGACKI_SHAMPINE
    from eventide.methods import DOP853 as DOP853
    from eventide.methods import DORMAND_PRINCE as DORMAND_PRINCE
    from eventide.methods import ENGLAND as ENGLAND
    from eventide.methods import ENGLAND_PLAIN as ENGLAND_PLAIN
    from eventide.methods import EULER as EULER
    from eventide.methods import FEHLBERG as FEHLBERG
    from eventide.methods import FEHLBERG_EXTRAPOLATED as FEHLBERG_EXTRAPOLATED
    from eventide.methods import HEUN3 as HEUN3
    from eventide.methods import KUTTA_SIMPSON as KUTTA_SIMPSON
    from eventide.methods import MIDPOINT as MIDPOINT
    from eventide.methods import RK4 as RK4
    from eventide.methods import RK4_38 as RK4_38
    from eventide.methods import RK43 as RK43
    from eventide.methods import TRAPEZOID as TRAPEZOID
    from eventide.methods import Method as Method
    from eventide.methods import PathIntegrator as PathIntegrator
    from eventide.methods import PathState as PathState
    from eventide.methods import Tableau as Tableau
    from eventide.methods import hermite_interpolate as hermite_interpolate
    from eventide.methods import method_from_flags as method_from_flags
    from eventide.observe import Expression as Expression
    from eventide.observe import Integral as Integral
    from eventide.observe import Occupancy as Occupancy
    from eventide.observe import PopulationRecording as PopulationRecording
    from eventide.observe import Progress as Progress
    from eventide.observe import Recording as Recording
    from eventide.observe import Reporter as Reporter
    from eventide.observe import Watch as Watch
    from eventide.observe import dump as dump
    from eventide.observe import find_faults as find_faults
    from eventide.observe import outliers as outliers
    from eventide.observe import read_dump as read_dump
    from eventide.observe import read_table as read_table
    from eventide.observe import summarise as summarise
    from eventide.observe import validate as validate
    from eventide.observe import write_csv as write_csv
    from eventide.simulation import Simulation as Simulation
    from eventide.statistics import Histogram as Histogram
    from eventide.statistics import Level as Level
    from eventide.statistics import Tally as Tally

    from . import inputs as inputs  # noqa: TID252  # an absolute import would be of the front door itself
    from . import methods as methods  # noqa: TID252  # as above

__version__ = "0.1.0"

_HOMES = {
    "continuous": ("Continuous", "Variable", "law", "rest"),
    "declare": (
        "Component",
        "Computed",
        "ComputedVector",
        "State",
        "Sum",
        "VectorState",
        "computed",
        "computed_vector",
        "field",
        "state",
        "sum_",
        "vector",
    ),
    "discrete": (
        "Container",
        "Life",
        "Occurrence",
        "Outcome",
        "Preemption",
        "PreemptiveResource",
        "Process",
        "Queue",
        "Request",
        "Resource",
        "Shifts",
        "Signal",
        "Store",
        "Stream",
        "activate",
        "all_of",
        "crosses",
        "every",
        "first_of",
        "hold",
        "passivate",
        "pause",
        "tick",
        "until",
        "wait",
        "when",
    ),
    "errors": (
        "CascadeWarning",
        "Ended",
        "EqualityWarning",
        "EventideError",
        "InputError",
        "Interrupt",
        "MissingLibraryError",
        "ModelError",
        "ParameterError",
        "SimulationError",
    ),
    "experiment": ("Account", "Model", "Quantity", "Replication", "Run", "model"),
    "methods": (
        "BOGACKI_SHAMPINE",
        "DOP853",
        "DORMAND_PRINCE",
        "ENGLAND",
        "ENGLAND_PLAIN",
        "EULER",
        "FEHLBERG",
        "FEHLBERG_EXTRAPOLATED",
        "HEUN3",
        "KUTTA_SIMPSON",
        "MIDPOINT",
        "Method",
        "PathIntegrator",
        "PathState",
        "RK4",
        "RK43",
        "RK4_38",
        "TRAPEZOID",
        "Tableau",
        "hermite_interpolate",
        "method_from_flags",
    ),
    "observe": (
        "Expression",
        "Integral",
        "Occupancy",
        "PopulationRecording",
        "Progress",
        "Recording",
        "Reporter",
        "Watch",
        "dump",
        "find_faults",
        "outliers",
        "read_dump",
        "read_table",
        "summarise",
        "validate",
        "write_csv",
    ),
    "simulation": ("Simulation",),
    "statistics": ("Histogram", "Level", "Tally"),
}
_ROOM_OF = {name: room for room, names in _HOMES.items() for name in names}

_MODULES = ("inputs", "methods")
"""Rooms that are public themselves."""

__all__ = [*_ROOM_OF, *_MODULES]  # noqa: PLE0604, PLE0605, RUF100  # made from the table above, so that they cannot disagree


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that a discrete model loads no continuous room."""
    if name in _MODULES:
        return import_module(f"eventide.{name}")
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module 'eventide' has no attribute {name!r}")
    value = getattr(import_module(f"eventide.{room}"), name)
    globals()[name] = value
    if "Interrupt" not in globals():  # generators that are closed as Python ends look for errors, and cannot import any
        errors = import_module("eventide.errors")
        globals().update({error: getattr(errors, error) for error in _HOMES["errors"]})
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
