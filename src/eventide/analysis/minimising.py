"""Minimising: values of a model's parameters for which the mean of a response is least."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, nan
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Literal, TypeAlias

from eventide.analysis.evaluations import Evaluator, How, SpentError, mean_of
from eventide.analysis.search import METHODS, Asked, method_for
from eventide.analysis.space import space_of
from eventide.errors import ModelError
from eventide.experiment.arguments import check_folder, check_level
from eventide.experiment.designs import is_count, is_positive
from eventide.experiment.models import Model
from eventide.experiment.report import readable
from eventide.experiment.told import with_interval
from eventide.statistics.quantiles import student_quantile
from eventide.streams.uniforms import entropy_from

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike

    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.analysis.evaluations import Evaluation
    from eventide.analysis.search import Coordinates
    from eventide.analysis.space import Space
    from eventide.experiment.results import Result

MethodName: TypeAlias = Literal["nelder-mead", "powell", "cobyqa", "differential evolution", "enumeration", "tpe"]
Cost: TypeAlias = "str | Callable[[Mapping[str, float]], float]"


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best point that a search has found; it prints what it found and how.

    model           with the best values: `found.model.run()`
    response        what was minimised
    best            the values of the parameters that were varied, by name
    value           the mean of the response there; of a random model over replications that the search has not seen, as
                    the least of many means is too low
    low, high       its confidence interval; NaN of one replication
    sample_value    the mean over those replications that the search has seen
    evaluations     how many points were evaluated; runs: how many runs were made
    method, reason  how it was found, and why the search ended
    warning         what went wrong in the replications that the search has not seen; "" if nothing did
    entropy         of all runs
    at_ends         parameters whose best value is an end of their range
    seconds         of wall time
    history         a row for each evaluation: parameters, "value", its "standard error", how many runs "failed", the
                    first "error", and the line that is its "replay"
    """

    model: Model[..., object]
    response: str
    best: Mapping[str, object]
    value: float
    low: float
    high: float
    sample_value: float
    level: float
    replications: int
    evaluations: int
    runs: int
    method: str
    reason: str
    warning: str
    entropy: int
    at_ends: tuple[str, ...]
    seconds: float
    history: pd.DataFrame = field(repr=False)

    @property
    def failures(self) -> pd.DataFrame:
        """The evaluations that failed, with their errors, as in `history`."""
        return self.history[self.history["error"] != ""]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the value of each evaluation, and the best until then."""
        from eventide.view import plot_search

        return plot_search(self, ax)

    def __str__(self) -> str:
        return "\n".join([_headline(self), *_lines_of(self)])

    __repr__ = __str__  # what a notebook shows


def _headline(found: Optimum) -> str:
    told = f"least {found.response} of {found.model.name}: "
    if not isfinite(found.high):
        return told + readable(found.value)
    interval = with_interval(found.value, 0.5 * (found.high - found.low))
    unseen = f"{found.replications} replications that the search has not seen"
    return f"{told}{interval} ({100.0 * found.level:g} %, in {unseen})"


def _lines_of(found: Optimum) -> list[str]:
    lines = [
        f"  {name} = {readable(value) if isinstance(value, float) else value}"
        + (", the end of its range" if name in found.at_ends else "")
        for name, value in found.best.items()
    ]
    lines.append(
        f"{found.method}: {found.evaluations} evaluations, {found.runs} runs, {found.seconds:.2f} s, "
        f"entropy {found.entropy}"
    )
    lines.append(f"ended: {found.reason}")
    if found.warning:
        lines.append(f"of the replications that the search has not seen one came to: {found.warning}")
    failed = found.failures
    if len(failed):
        lines.append(f"{len(failed)} evaluations failed, one of them with {failed['error'].iloc[0]}")
    return lines


def minimise(
    model: Model[..., object],
    response: Cost,
    over: Mapping[str, object],
    *,
    replications: int = 1,
    method: MethodName | None = None,
    start: Mapping[str, object] | None = None,
    evaluations: int = 200,
    tolerance: float = 1e-3,
    level: float = 0.95,
    until: float | None = None,
    entropy: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    store: str | PathLike[str] | None = None,
    time_limit: float | None = None,
    options: Mapping[str, object] | None = None,
) -> Optimum:
    """The values of parameters for which a response of a model is least, in the mean.

    `ev.minimise(pit, "cost", over={"pits": (8, 12), "rate": (0.1, 2.0)}, replications=20, entropy=1)`.
    response        its name; or a function of all responses by name, as `lambda r: -r["throughput"]`
    over            where each parameter may be: (low, high), both ends allowed, whole numbers for a parameter that
                    takes these; or a list of choices
    replications    of each point. All points have the same random streams, so what is minimised is a function of the
                    point: its mean over these replications
    method          "nelder-mead", "powell", "cobyqa": local, of real parameters only; "differential evolution", "tpe"
                    (Optuna's, needs the extra optuna): global, of whole numbers and choices as well; "enumeration": all
                    points, of whole numbers and choices. None: enumeration where there are few enough points, else
                    Nelder-Mead for real parameters, else differential evolution
    start           values to begin at; None: the model's own, or the middles of the ranges
    evaluations     the most points
    tolerance       a search ends when its points differ by less than this share of the ranges; "tpe" knows no end
    level           of the confidence interval
    workers, executor   as for `Study.run`; the same bits whatever makes the runs. What can run side by side are
                    replications, and the points of "differential evolution", "enumeration" and "tpe"
    store           a folder that keeps all runs, so that the same call goes on where it was killed; with entropy=
    until, entropy, time_limit      as for `Study`
    options         of the method, as the function of the library that has it takes them
    A point with a run that fails is infinitely bad; its error stands in the history.
    Raises          ModelError for a response, range or method that is none, and if all points fail; ParameterError for
                    a value that is not of a parameter's kind; MissingLibraryError for "tpe" without Optuna
    Source          Kleywegt, Shapiro & Homem-de-Mello 2002, SIAM J. Optim. 12; Fu 2015, Handbook of Simulation
                    Optimization
    """
    space = space_of(checked_model(model), over)
    check_search(replications, tolerance, level, store, entropy)
    chosen = method_for(space, method, evaluations)
    how = How(replications, until, entropy_from(entropy), evaluations, workers, executor, store, time_limit)
    begun = perf_counter()
    with Evaluator(model, _measure(model, response), how) as evaluator:
        asked = (space, space.start(model, start), tolerance, checked_options(options))
        reason = searched(evaluator, chosen, *asked)
        best = evaluator.best
        final = evaluator.fresh(best.point) if replications > 1 else best
    return _optimum(model, response, space, evaluator, final, best, chosen, reason, level, perf_counter() - begun)


def searched(
    evaluator: Evaluator, method: str, space: Space, start: Coordinates, tolerance: float, options: Mapping[str, object]
) -> str:
    """Search until the method or the evaluations end; why it ended."""

    def objective(coordinates: Iterable[Coordinates]) -> list[float]:
        return [one.value for one in evaluator([space.point(x) for x in coordinates])]

    try:
        return METHODS[method].search(Asked(objective, space, start, tolerance, evaluator.how.entropy, options))
    except SpentError:
        return f"all {evaluator.how.evaluations} evaluations were made"
    except KeyboardInterrupt as error:
        error.add_note(f"{len(evaluator.done)} points were evaluated; with store= the same call goes on from there")
        raise


def _optimum(
    model: Model[..., object],
    response: Cost,
    space: Space,
    evaluator: Evaluator,
    final: Evaluation,
    best: Evaluation,
    method: str,
    reason: str,
    level: float,
    seconds: float,
) -> Optimum:
    count = evaluator.how.replications
    half = student_quantile(count - 1.0, 0.5 + 0.5 * level) * final.error if count > 1 else nan
    return Optimum(
        model=model(**best.point),
        response=response if isinstance(response, str) else getattr(response, "__name__", "cost").strip("<>"),
        best=best.point,
        value=final.value,
        low=final.value - half,
        high=final.value + half,
        sample_value=best.value,
        level=level,
        replications=count,
        evaluations=len(evaluator.done),
        runs=evaluator.runs,
        method=method,
        reason=reason,
        warning=final.message,
        entropy=evaluator.how.entropy,
        at_ends=tuple(space.at_ends(best.point)),
        seconds=seconds,
        history=evaluator.history(),
    )


# --- what is asked ----------------------------------------------------------------------------------------------------


def checked_model(model: object) -> Model[..., object]:
    """A model. Raises ModelError for what is none."""
    if isinstance(model, Model):
        return model
    advice = ": write @ev.model above it" if callable(model) else ""
    raise ModelError(f"a model marked @ev.model is searched, and got {getattr(model, '__name__', model)!r}{advice}")


def check_search(
    replications: int, tolerance: float, level: float, store: str | PathLike[str] | None, entropy: int | None
) -> None:
    """Raise ModelError for settings of a search that are none."""
    if not is_count(replications):
        raise ModelError(f"each point is replicated a whole number of times from 1 on, and got {replications!r}")
    if not (is_positive(tolerance) and tolerance < 1.0):
        raise ModelError(f"tolerance= takes a share of the ranges, greater than 0 and below 1, and got {tolerance!r}")
    check_level(level)
    check_store(store, entropy)


def checked_options(options: object) -> dict[str, object]:
    """Options of a library's function. Raises ModelError for what are none."""
    if options is not None and not isinstance(options, Mapping):
        raise ModelError(f'options= takes values by name, as {{"maxiter": 50}}, and got {options!r}')
    return dict(options or {})


def check_store(store: str | PathLike[str] | None, entropy: int | None) -> None:
    """Raise ModelError for a store that is no folder, or whose points would not be found again."""
    if store is None:
        return
    check_folder(store)
    if Path(store).is_file():
        raise ModelError(f"store= takes a folder, and {store} is a file")
    if entropy is None:
        raise ModelError("store= goes on only where the entropy is the same: give entropy=, as entropy=1")


def _measure(model: Model[..., object], response: Cost) -> Callable[[Sequence[Result]], tuple[float, float]]:
    if not (isinstance(response, str) or callable(response)):
        raise ModelError(f"a response is named, or a function of all of them, and got {response!r}")

    def measure(results: Sequence[Result]) -> tuple[float, float]:
        return mean_of([_value(model, response, result) for result in results])

    return measure


def _value(model: Model[..., object], response: Cost, result: Result) -> float:
    if not isinstance(response, str):
        return float(response(result.responses))
    if response in result.responses:
        return float(result.responses[response])
    known = ", ".join(result.responses) or "none; a run that is stopped before its main program ends answers nothing"
    raise ModelError(f"{model.name} has no response {response!r}; it has: {known}")
