"""The one question: `sensitivity`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, overload

from eventide.analysis.sensitivity.models import sensitivity_of_model
from eventide.errors import ModelError
from eventide.experiment.arguments import refuse_unknown
from eventide.experiment.models import Model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from eventide.analysis.sensitivity.results import Sensitivity, Way
    from eventide.experiment.systems import Cost, Signal, Simulator


@overload
def sensitivity(
    subject: Model[..., object],
    wrt: str | Iterable[str] | None = None,
    *,
    by: Way = "variational",
    at: Iterable[float] = (),
    until: float | None = None,
    entropy: int | None = None,
    step: float | None = None,
) -> Sensitivity: ...
@overload
def sensitivity(
    subject: Simulator,
    wrt: str | Iterable[str] | None = None,
    *,
    by: Way = "variational",
    at: float | Iterable[float],
    state: ArrayLike,
    start: float = 0.0,
    signal: Signal | None = None,
    parameters: Mapping[str, object] | None = None,
    direction: Signal | None = None,
    cost: Cost | None = None,
    step: float | None = None,
) -> Sensitivity: ...
def sensitivity(subject: object, wrt: str | Iterable[str] | None = None, **how: Any) -> Sensitivity:
    """How fast the responses and states of a model change with its inputs: `sensitivity(ball)["landing", "gravity"]`.

    Of a model marked `@ev.model` inputs are its parameters of type float, outputs its responses, and the states of its
    active components at the times `at`. Of a simulator of `eventide.experiment.systems` inputs are "start", "state",
    the parameters, and "signal" in a direction; outputs are the states x[0], x[1], ... at the times `at`, and the cost.

    wrt         names of inputs; None: all that can be varied
    by          "variational": the exact equations of the derivatives, integrated with the model, with the jumps that
                events bring; "central" and "one-sided": differences of runs with the same random numbers
    at          times, growing, up to the end of the run
    until, entropy      of the run, as for `Model.run`
    step        of differences: the share of an input by which it is varied; it suits the tolerances unless given
    start, state, signal, parameters    as for a simulator: t0, x0, u(.), p
    direction   a function of time: the input is varied as u + e * direction
    cost        a cost of the state, whose integral is the output "cost"
    Raises      ModelError for an input that is not there or has discrete values; UndifferentiableError where the
                variational equations do not go through, by name: a grazing event, a vector of states, ...; if that is
                so of some responses alone, these are NaN, and a note says why
    Source      Pannek, Simulation of mechatronic systems, Definitions 4.21 and 4.24
    """
    if isinstance(subject, Model):
        _refuse_unknown("a model", sensitivity_of_model, how)
        return sensitivity_of_model(subject, wrt, **how)
    from eventide.analysis.sensitivity.systems import sensitivity_of_simulator
    from eventide.experiment.systems import Simulator

    if isinstance(subject, Simulator):
        _refuse_unknown("a simulator", sensitivity_of_simulator, how)
        return sensitivity_of_simulator(subject, wrt, **how)
    raise ModelError(
        f"sensitivity takes a model marked @ev.model or a simulator of eventide.experiment.systems, and got {subject!r}"
    )


def _refuse_unknown(of: str, function: Callable[..., object], how: Mapping[str, object]) -> None:
    known = signature(function).parameters
    refuse_unknown(f"the sensitivity of {of}", function, [name for name in how if name not in known])
