"""Global sensitivity: how much of what a response varies by comes from each parameter, over all of their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, TypedDict

import numpy as np

from eventide.analysis.minimising import check_store, checked_model
from eventide.errors import ModelError, to_float
from eventide.experiment.arguments import check_level
from eventide.experiment.designs import Distribution, fitting, is_count, item_at, scaled
from eventide.experiment.study import Study
from eventide.libraries import load
from eventide.statistics.quantiles import normal_quantile
from eventide.streams.uniforms import entropy_from

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from eventide.experiment.designs import Range
    from eventide.experiment.models import Model
    from eventide.experiment.replication import Replication

    Array: TypeAlias = NDArray[np.float64]

WAYS = {"sobol": 256, "morris": 20}
"""How many samples there are, unless they are given."""
RESAMPLES: Final = 1000
"""Of elementary effects."""


class Problem(TypedDict):
    """What SALib takes for the description of a problem."""

    num_vars: int
    names: list[str]
    bounds: list[list[float]]


@dataclass(frozen=True, eq=False)
class GlobalSensitivity:
    """How much each parameter matters, over all of the ranges: `found["waiting time"]`, or all as one table.

    by          "sobol" or "morris"
    table       a row for each response and parameter. By Sobol': "first", the share of the response's variance that
                goes with the parameter alone, and "total", the share that goes with it in any way; after "+-" the half
                widths of their confidence intervals. By Morris: "mu", the mean of elementary effects, "mu*", that of
                their absolute values, with "+- mu*", and "sigma", their standard deviation. An elementary effect is
                the difference of the response for the whole range, as found over two thirds of it; of whole numbers and
                choices over that part of it which is nearest
    level       of the intervals, which come from resampling
    runs        all runs, from which `plot` and tables of their own can be made
    A response that is the same in all runs has zeros.
    """

    by: str
    table: pd.DataFrame
    level: float
    runs: Replication

    @property
    def responses(self) -> list[str]:
        """The names of the responses."""
        return list(dict.fromkeys(self.table.index.get_level_values("response")))

    def __getitem__(self, response: str) -> pd.DataFrame:
        """The rows of one response, by parameter. Raises KeyError for one that is not there."""
        if response not in self.responses:
            raise KeyError(f"no response {response!r}: there are {', '.join(self.responses)}")
        return self.table[self.table.index.get_level_values("response") == response].droplevel("response")

    def plot(self, response: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the indices of one response, or of the first: bars with their intervals, by Morris sigma over mu*."""
        from eventide.view import plot_influence

        name = self.responses[0] if response is None else response
        return plot_influence(self[name], name, ax)

    def __str__(self) -> str:
        count, way = len(self.runs), "Sobol' indices" if self.by == "sobol" else "elementary effects of Morris"
        head = f"{way} of {self.runs.model.name}, from {count} runs, entropy {self.runs.entropy}"
        return f"{head}\n\n{self.table.to_string(float_format=_written)}"

    __repr__ = __str__  # what a notebook shows


def global_sensitivity(
    model: Model[..., object],
    over: Mapping[str, Range],
    *,
    by: Literal["sobol", "morris"] = "sobol",
    samples: int | None = None,
    replications: int = 1,
    level: float = 0.95,
    until: float | None = None,
    entropy: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    store: str | PathLike[str] | None = None,
    time_limit: float | None = None,
) -> GlobalSensitivity:
    """How much each parameter matters to the responses of a model, when all of them vary over their ranges at once.

    `ev.global_sensitivity(pit, {"gap": (2.0, 3.0), "pits": (8, 14)}, by="morris", entropy=1)`. It needs the extra
    salib. For derivatives at one point see `sensitivity`.
    over            for each parameter, two at least: (low, high), a list of its values, or a distribution
    by              "sobol": the shares of the variance that go with each parameter; "morris": elementary effects, which
                    take few runs, and tell which parameters hardly matter
    samples         by Sobol' a power of 2, and (number of parameters + 2) times as many runs; by Morris trajectories,
                    each of (number of parameters + 1) runs. None: 256, or 20
    replications    of each point, of which responses are averaged. All points have the same random streams
    level           of the confidence intervals
    Others          as for `Study` and `Study.run`
    Raises          ModelError for ranges and numbers that are none, and if a run fails, as an index needs all of them;
                    ParameterError as a study; MissingLibraryError without SALib
    Source          Saltelli et al. 2010, Comput. Phys. Commun. 181; Jansen 1999, Comput. Phys. Commun. 117; Morris
                    1991, Technometrics 33; Campolongo, Cariboni & Saltelli 2007, Environ. Model. Softw. 22
    """
    ranges = _checked(checked_model(model), over, by)
    check_level(level)
    count = WAYS[by] if samples is None else samples
    if not is_count(count, 2) or (by == "sobol" and count & (count - 1)):
        what = "a power of 2, as 256" if by == "sobol" else "a whole number of trajectories from 2 on"
        raise ModelError(f"by={by!r} takes samples= as {what}, and got {samples!r}")
    problem: Problem = {"num_vars": len(ranges), "names": list(ranges), "bounds": [[0.0, 1.0]] * len(ranges)}
    check_store(store, entropy)
    seed = entropy_from(entropy)  # from which the points follow
    shares = _shares(problem, by, count, seed)
    points = [
        {name: scaled(ranges[name], float(share), model, name) for name, share in zip(ranges, row, strict=True)}
        for row in shares
    ]
    study = Study(
        model, points, replications=replications, until=until, entropy=seed, time_limit=time_limit
    )  # fmt: skip
    runs = study.run(workers=workers, executor=executor, store=store)
    places = [
        [_place(ranges[name], float(one), model, name) for name, one in zip(ranges, row, strict=True)] for row in shares
    ]
    return GlobalSensitivity(by, _table(runs, problem, np.array(places), by, level), level, runs)


def _checked(model: Model[..., object], over: object, by: str) -> Mapping[str, Range]:
    if by not in WAYS:
        raise ModelError(f"by= takes 'sobol' or 'morris', and got {by!r}; for derivatives see sensitivity(...)")
    if not isinstance(over, Mapping) or len(over) < 2:
        raise ModelError(f'over= takes ranges by name, as {{"gap": (2.0, 3.0)}}, two at least, and got {over!r}')
    for name, values in over.items():
        ends = [scaled(values, share, model, name) for share in (0.0, 1.0)] if _is_range(values) else None
        if ends is None:
            raise ModelError(f"{name} has a range (low, high), a list of values or a distribution, and got {values!r}")
        if by == "morris" and not all(not isinstance(end, float) or np.isfinite(end) for end in ends):
            raise ModelError(
                f"{name} has no ends, and elementary effects are taken between the ends of ranges: give (low, high), "
                "or by='sobol'"
            )
        model(**{name: fitting(model, name, scaled(values, 0.5, model, name))})
    return over


def _is_range(values: object) -> bool:
    return isinstance(values, Distribution) or (isinstance(values, tuple | list) and len(values) > 1)


def _shares(problem: Problem, by: str, count: int, seed: int) -> Array:
    """The points as shares of their ranges, from 0 to 1."""
    sampler = load(f"SALib.sample.{by}", "salib", "a global sensitivity analysis")
    options = {"calc_second_order": False} if by == "sobol" else {}
    found: Array = sampler.sample(problem, count, seed=np.random.default_rng(seed), **options)
    return found


def _place(values: Range, share: float, model: Model[..., object], name: str) -> float:
    """Where the value at a share is between the first value and the last one: of whole numbers and items it jumps."""
    if not isinstance(values, tuple | Distribution):
        return item_at(share, len(values)) / (len(values) - 1)
    found = [scaled(values, one, model, name) for one in (share, 0.0, 1.0)]
    if not (hasattr(values, "pmf") or isinstance(found[0], int)):
        return share
    value, low, high = (to_float(one, name) for one in found)
    return (value - low) / (high - low)


def _table(runs: Replication, problem: Problem, places: Array, by: str, level: float) -> pd.DataFrame:
    from eventide.libraries import pandas as pd

    if len(runs.failures):
        first = runs.failures.iloc[0]
        raise ModelError(
            f"{len(runs.failures)} of {len(runs)} runs failed, and an index needs all of them: narrow the ranges. One "
            f"failed with {first['error']}; repeat it by {first['replay']}"
        )
    names = [str(name) for name in runs.table.attrs["units"]]
    if not names:
        raise ModelError(f"{runs.model.name} answers nothing, or its runs are stopped before they do")
    responses = runs.table[["point", *names]].astype(float)
    found = {}
    for name in names:
        if not np.isfinite(responses[name]).all():
            raise ModelError(f"{name} is not finite in all runs, and an index needs all of them: narrow the ranges")
        values = responses.groupby("point")[name].mean().to_numpy()
        found[name] = _indices(problem, places, values, by, level, runs.entropy)
    return pd.concat(found, names=["response", "parameter"])


def _indices(problem: Problem, places: Array, values: Array, by: str, level: float, seed: int) -> pd.DataFrame:
    from eventide.libraries import pandas as pd

    index = pd.Index(problem["names"], name="parameter")
    if by == "morris":
        return pd.DataFrame(_of_effects(_effects(places, values), level, seed), index=index)
    analyser = load("SALib.analyze.sobol", "salib", "a global sensitivity analysis")
    # Shares of a variance have no unit: of tiny and huge responses the squares would be no numbers.
    values = values - values.mean()
    values = values / (np.abs(values).max() or 1.0)
    # What is the same in all runs has no variance to be divided by.
    with np.errstate(invalid="ignore", divide="ignore"):
        # A seed of 0 would be taken for none, and the library would then draw from numpy's global numbers.
        told = analyser.analyze(problem, values, calc_second_order=False, conf_level=level, seed=seed + 1)
    columns = {"first": "S1", "+- first": "S1_conf", "total": "ST", "+- total": "ST_conf"}
    return pd.DataFrame({name: np.asarray(told[key], dtype=float) for name, key in columns.items()}, index=index)


def _effects(places: Array, values: Array) -> Array:
    """The elementary effects (trajectories, parameters): between two points of one, one parameter moves."""
    count = places.shape[1]
    moves = np.diff(places.reshape(-1, count + 1, count), axis=1)
    which = np.abs(moves).argmax(axis=2)
    steps = np.take_along_axis(moves, which[..., np.newaxis], axis=2)[..., 0]
    found = np.empty_like(steps)
    np.put_along_axis(found, which, np.diff(values.reshape(-1, count + 1), axis=1) / steps, axis=1)
    return found


def _of_effects(effects: Array, level: float, seed: int) -> dict[str, Array]:
    """Their statistics; the interval is from the spread of means of resamples."""
    count, scale = len(effects), float(np.abs(effects).max()) or 1.0
    effects = effects / scale  # so that squares are numbers
    chosen = np.random.default_rng(seed).integers(count, size=(RESAMPLES, count))
    spread = np.abs(effects)[chosen].mean(axis=1).std(axis=0, ddof=1)
    found = {
        "mu": effects.mean(axis=0),
        "mu*": np.abs(effects).mean(axis=0),
        "+- mu*": normal_quantile(0.5 + 0.5 * level) * spread,
        "sigma": effects.std(axis=0, ddof=1),
    }
    return {name: scale * one for name, one in found.items()}


def _written(number: float) -> str:
    return f"{number:.4g}"
