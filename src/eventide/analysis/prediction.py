"""Prediction: what becomes of a model whose parameters are known only roughly, as bands over time and of responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.analysis.data import recorded_name
from eventide.analysis.minimising import checked_model
from eventide.errors import ModelError
from eventide.experiment.arguments import check_level, reading_times
from eventide.experiment.designs import Distribution, Drawn, is_count
from eventide.experiment.report import readable
from eventide.experiment.results import READINGS
from eventide.experiment.study import Study

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from os import PathLike

    import numpy.typing as npt
    import pandas as pd
    from matplotlib.axes import Axes

    from eventide.experiment.models import Model
    from eventide.experiment.replication import Replication

TIMES: Final = 101
"""The number of times at which curves are read, unless times are given."""


@dataclass(frozen=True, eq=False)
class Prediction:
    """What a model comes to where some parameters are drawn: `found.bands("level")`, `found.plot("level")`.

    runs        all of them, each with parameters and random streams of its own
    uncertain   the parameters that were drawn
    """

    runs: Replication
    uncertain: tuple[str, ...]

    @property
    def quantities(self) -> list[str]:
        """The recorded quantities of which there are bands."""
        return [*dict.fromkeys(name for table in self._readings() for name in table.columns)]

    def bands(self, quantity: str | None = None, levels: Sequence[float] = (0.5, 0.9)) -> pd.DataFrame:
        """Quantiles of a recorded quantity over time: a row for each time, a column for each share, the median's 0.5.

        quantity    its name ("tank.level"), or the end of it ("level"); None: the first
        levels      of the central bands: 0.9 lies between the columns 0.05 and 0.95. They are pointwise: at each time
                    so many of the runs lie inside, while fewer lie inside at all times. NaN at a time at which a run
                    has no value, as it has ended, or does not record it: those that have one are no sample of all
        Raises      ModelError for a quantity that is not recorded, or a level that is none
        """
        from eventide.libraries import pandas as pd

        tables, names = self._readings(), self.quantities
        name = recorded_name(quantity or next(iter(names), ""), names, self.runs.model.name)
        curves = pd.concat([table.reindex(columns=[name]) for table in tables], axis=1)
        shares = _shares(levels)
        found = pd.DataFrame(np.quantile(curves.to_numpy(), shares, axis=1).T, index=curves.index, columns=shares)
        units = {name: unit for table in reversed(tables) for name, unit in table.attrs.get("units", {}).items()}
        found.attrs.update({"name": name, "unit": units.get(name, "")})
        return found

    def table(self, levels: Sequence[float] = (0.5, 0.9)) -> pd.DataFrame:
        """A row for each response: its mean over all runs, and its quantiles, of which the median is 0.5.

        Runs that failed are left out; a response that is no number in another run has NaN.
        """
        from eventide.libraries import pandas as pd

        runs, shares = self.runs.table, _shares(levels)
        came = runs[runs["error"] == ""] if "error" in runs else runs
        values = came[self._responses()].to_numpy(dtype=float)
        numbers = np.vstack([values.mean(axis=0), np.quantile(values, shares, axis=0)])
        return pd.DataFrame(numbers.T, index=self._responses(), columns=["mean", *shares]).rename_axis("response")

    def plot(
        self, quantity: str | None = None, levels: Sequence[float] = (0.5, 0.9), *, ax: Axes | None = None
    ) -> Axes:
        """Draw the median of a recorded quantity over time, with its bands; arguments as for `bands`."""
        from eventide.view import plot_bands

        return plot_bands(self.bands(quantity, levels), ax, time_unit=self.runs.model.simulation().time_unit)

    def _responses(self) -> list[str]:
        return [str(name) for name in self.runs.table.attrs["units"]]

    def _readings(self) -> list[pd.DataFrame]:
        tables = [result.tables[READINGS] for result in self.runs if READINGS in result.tables]
        if not tables:
            raise ModelError(
                f"{self.runs.model.name} was not read over time: nothing says when its runs end; give predict(at=...)"
            )
        return tables

    def __str__(self) -> str:
        count, failed = len(self.runs), len(self.runs.failures)
        lines = [
            f"{self.runs.model.name} with {', '.join(self.uncertain)} drawn: {count} runs, entropy {self.runs.entropy}"
        ]
        if self._responses():
            lines += ["", self.table((0.9,)).to_string(float_format=readable)]
        if failed:
            lines += ["", f"{failed} runs failed, one of them with {self.runs.failures['error'].iloc[0]}"]
        return "\n".join(lines)

    __repr__ = __str__  # what a notebook shows


def predict(
    model: Model[..., object],
    uncertain: Mapping[str, object],
    *,
    runs: int = 200,
    at: npt.ArrayLike | None = None,
    until: float | None = None,
    entropy: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    store: str | PathLike[str] | None = None,
    time_limit: float | None = None,
) -> Prediction:
    """What a model comes to where parameters are known as distributions, as bands over time and of responses.

    `ev.predict(tank, {"inflow": scipy.stats.norm(2.0, 0.1)}, entropy=1).plot("level")`.
    uncertain   a distribution for each parameter that is not known exactly; or `calibration.uncertain`, of which all
                are drawn together
    runs        how many; each draws its parameters, and has random streams of its own
    at          the times at which what is recorded is read, from the steps themselves; None: 101 of them up to the end
                of the runs, where that is known beforehand
    Others      as for `Study` and `Study.run`
    Raises      ModelError for what is no distribution, or no number of runs; ParameterError for an unknown parameter
    """
    checked_model(model)
    if not uncertain or not isinstance(uncertain, Mapping):
        raise ModelError(f"predict takes distributions by name, one at least, and got {uncertain!r}")
    for name, chance in uncertain.items():
        if not isinstance(chance, Distribution | Drawn):
            raise ModelError(
                f"{name} is given as a distribution, as scipy.stats.norm(2.0, 0.1), and got {chance!r}; give what is "
                "known exactly to the model"
            )
    if not is_count(runs, 2):
        raise ModelError(f"predict takes a whole number of runs from 2 on, and got {runs!r}")
    study = Study(model, uncertain, replications=runs, until=until, entropy=entropy, time_limit=time_limit)
    end = model.until if study.settings.until is None else study.settings.until
    times = reading_times(at, end, model.time_unit)
    if times is None and end is not None and isfinite(end):
        times = tuple(np.linspace(0.0, end, TIMES).tolist())
    study.settings = replace(study.settings, readings=tuple(sorted(set(times or ()))))
    return Prediction(study.run(workers=workers, executor=executor, store=store), tuple(uncertain))


def _shares(levels: Sequence[float]) -> list[float]:
    """The shares of runs below the ends of some central bands, and the median."""
    for level in levels:
        check_level(level)
    found = {0.5, *(round(0.5 + side * 0.5 * level, 12) for level in levels for side in (-1.0, 1.0))}
    return sorted(found)
