"""The steady state of a simulation without end: its results are processed as a stream, in bounded memory.

In: a running simulation and one of its statistics. Out: after each portion of simulated time the mean and quantiles of
all values so far, and an interval of the mean as soon as there are enough of them. The statistics of the simulation are
emptied after each portion, so that memory does not grow with time.

Source: Pannek, Simulation of mechatronic systems, definition 4.5; Law 2015, 9.5
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING, Final, Self, TypedDict, Unpack

import numpy as np

from eventide.declare.units import in_own_unit, in_time_unit
from eventide.errors import ModelError, check_boolean
from eventide.experiment.arguments import check_level
from eventide.experiment.designs import is_count, is_positive
from eventide.statistics import Level, QuantileSketch, RunningBatches, RunningMean, Tally, mser5

if TYPE_CHECKING:
    import numpy.typing as npt

    from eventide.experiment.models import Model
    from eventide.observe import Integral
    from eventide.simulation import Simulation
    from eventide.streams.uniforms import Rng

PILOT: Final = 1000
"""Values by which the warm-up is found, if it is short."""
LONGEST_PILOT: Final = 64 * PILOT
IDLE: Final = 1000
"""After this many portions without a value none is expected any more."""


class Known(TypedDict, total=False):
    """What `SteadyState` may be told besides a simulation and a response."""

    warm_up: float | None
    level: float


class SteadyState:
    """The mean and the quantiles of a statistic of a simulation that goes on without end.

        steady = ev.SteadyState(sim, desk.waits, portion=1000.0)
        print(steady.until_half_width(0.05, relative=True))

    Or as a stream: `for state in steady: print(state.time, state.mean, state.quantile(0.9))`, from which the caller
    leaves. It runs the simulation, and resets all of its statistics after each portion. What a model records beside is
    kept: let it write to a file.
    sim         the simulation; it may have run already
    statistic   a Tally, whose values count one by one; a Level or an Integral, whose average over each portion is one
                value; or a function without arguments, which is called at the end of each portion
    portion     of simulated time, run at once: best about a hundred values of a tally, or what a level takes to forget
    warm_up     the time that is left out at the start; None: as MSER-5 finds it in the first thousand values, or in
                more where these are still on their way
    level       of intervals
    Raises      ModelError for arguments that are not allowed; when it runs, for a statistic without values or
                with some that are not finite, and for a warm-up that does not end
    """

    def __init__(
        self,
        sim: Simulation,
        statistic: Tally | Level | Integral | Callable[[], float],
        *,
        portion: float,
        warm_up: float | None = None,
        level: float = 0.95,
    ) -> None:
        check_level(level)
        if not hasattr(sim, "reset_statistics"):
            raise ModelError(f"SteadyState takes a Simulation, and got {sim!r}; of a model: SteadyState.of_model")
        portion = in_time_unit(portion, sim.time_unit, "SteadyState(portion=...)")
        warm_up = in_time_unit(warm_up, sim.time_unit, "SteadyState(warm_up=...)")
        if not (is_positive(portion) and float(portion) < inf):
            raise ModelError(f"SteadyState takes a portion > 0 of simulated time, and got {portion!r}")
        if warm_up is not None and not _is_time(warm_up):
            raise ModelError(f"SteadyState takes warm_up= as a time from 0 on, or None to find it, and got {warm_up!r}")
        if isinstance(statistic, Tally) and not statistic.keep:
            raise ModelError(
                f"SteadyState reads each value of a tally: make {statistic!r} with keep=True; it is emptied after each "
                "portion, so that its memory stays small"
            )
        if not hasattr(statistic, "reset") and not callable(statistic):
            raise ModelError(
                f"SteadyState takes a Tally, a Level, an Integral or a function of no arguments, and got {statistic!r}"
            )
        self.sim = sim
        self.statistic = statistic
        self.portion = float(portion)
        self._batches = RunningBatches(level)
        self._sketch = QuantileSketch()
        self._pilot: list[float] | None = [] if warm_up is None else None
        self._pilot_length = PILOT
        self._idle = 0
        self.left_out: float = 0
        """How many values, or which time, of the warm-up were left out."""
        self._begin = None if warm_up is None else sim.time + warm_up

    @classmethod
    def of_model(
        cls, model: Model[..., object], response: str, *, portion: float, entropy: Rng = None, **options: Unpack[Known]
    ) -> Self:
        """The steady state of a response of a model, in a simulation of its own.

        model       a function marked @ev.model that builds a model, not a main program; its `until` does not count
        response    the name under which it returns a Tally, Level, Integral or function
        options     `warm_up` and `level`
        Raises      ModelError as `SteadyState`, for a main program and for a response that is not there
        """
        if model.is_program:
            raise ModelError(
                f"{model.name} is a main program, whose end is the end of the run: the steady state is of a model "
                "without yield, which returns its statistics"
            )
        model.check_ready(until=0.0)
        sim = model.simulation(entropy)
        told = model.function(sim, **model.values)
        if not isinstance(told, dict) or response not in told:
            known = ", ".join(told) if isinstance(told, dict) else "none"
            raise ModelError(f"{model.name} has no response {response!r}; it has: {known}")
        return cls(sim, told[response], portion=portion, **options)

    # --- what is known ----------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """The simulated time."""
        return self.sim.time

    @property
    def count(self) -> int:
        """How many values there are after the warm-up."""
        return self._batches.count

    @property
    def mean(self) -> float:
        """Of all values after the warm-up; nan without any."""
        return self._batches.mean

    @property
    def latest(self) -> RunningMean | None:
        """The latest estimate of the mean with its interval; None with fewer than 800 values."""
        return self._batches.latest

    def quantile(self, q: float) -> float:
        """A quantile of all values after the warm-up, by `quantile_error` at most off; nan without values."""
        return self._sketch.quantile(q)

    @property
    def quantile_error(self) -> float:
        """By how much the share of values below a quantile may be off."""
        return self._sketch.error

    @property
    def _label(self) -> str:
        return getattr(self.statistic, "name", "") or "the statistic"

    # --- going on ---------------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Self]:
        """Run one portion after the other, without end."""
        while True:
            self.advance()
            yield self

    def advance(self) -> list[RunningMean]:
        """Run one portion; the estimates of the mean that were made on the way."""
        values = self._run(self.portion)
        if self._pilot is not None:
            values = self._after_warm_up(values)
        self._sketch.add(values)
        return self._batches.add(values)

    def until_half_width(self, half_width: float, *, relative: bool = False, most: int = 10_000_000) -> RunningMean:
        """Run until half the interval of the mean is that short, and can be trusted; the estimate.

        half_width      in the unit of the statistic; relative: in parts of the mean
        most            values
        Raises          ModelError for arguments that are not allowed, and if `most` do not suffice
        Source          Law & Carson 1979, Oper. Res. 27; it holds the mean a little less often than it says
        """
        check_boolean(relative, "until_half_width(relative=)")
        unit = "" if relative else getattr(self.statistic, "unit", "")
        half_width = in_own_unit(half_width, unit, "until_half_width(half_width=...)")
        if not is_positive(half_width) or not is_count(most):
            raise ModelError(
                f"until_half_width takes a half width > 0 and most= as a whole number, and got {half_width!r} and "
                f"{most!r}"
            )
        found = [] if self.latest is None else [self.latest]
        while True:
            for one in found:
                wanted = half_width * abs(one.mean) if relative else half_width
                if one.is_settled and one.half_width <= wanted:
                    return one
            if self.count >= most:
                latest = self.latest
                told = "no interval yet" if latest is None else f"{latest.mean:.6g} +- {latest.half_width:.2g}"
                raise ModelError(
                    f"after {self.count} values the mean is not known as closely as {half_width!r}: {told}; allow more "
                    f"than most={most}, or a wider interval"
                )
            found = self.advance()

    def _run(self, duration: float) -> npt.NDArray[np.float64]:
        """Run for a time; the values that came, which are no longer in the statistic."""
        if self._begin is not None:
            self._skip(self._begin)
        end = self.sim.time + duration
        self.sim.run(until=end)
        if self.sim.time < end:
            raise ModelError(
                f"the simulation stopped at time {self.sim.time!r}, before {end!r}: a steady state is of a model that "
                "goes on"
            )
        values = self._read()
        self._reset()
        self._idle = 0 if len(values) else self._idle + 1
        if self._idle == IDLE:
            raise ModelError(
                f"{self._label} got no value in {IDLE} portions of {self.portion!r}: does the model still do "
                "something? Else give a longer portion"
            )
        if not np.isfinite(values).all():
            raise ModelError(f"{self._label} was not finite at time {self.sim.time!r}: it has no mean")
        return values

    def _skip(self, begin: float) -> None:
        """Run to the end of the warm-up."""
        self._begin = None
        if begin > self.sim.time:
            self.left_out = begin - self.sim.time
            self.sim.run(until=begin)
        self._reset()

    def _read(self) -> npt.NDArray[np.float64]:
        statistic = self.statistic
        if isinstance(statistic, Tally):
            return statistic.values
        if isinstance(statistic, Level):
            return np.array([statistic.mean])
        if hasattr(statistic, "average"):
            return np.array([statistic.average])
        return np.array([float(statistic())])

    def _reset(self) -> None:
        self.sim.reset_statistics()
        if not callable(self.statistic):
            self.statistic.reset()

    def _after_warm_up(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The values that count: none until the end of the warm-up is found."""
        assert self._pilot is not None
        self._pilot.extend(values.tolist())
        count = len(self._pilot)
        if count < self._pilot_length:
            return np.empty(0)
        cut = mser5(self._pilot)
        # Where the least is at the end of what it may leave out, the series is still on its way.
        if cut < count // 10 * 5 - 5:
            numbers = np.array(self._pilot[cut:])
            self.left_out, self._pilot = cut, None
            return numbers
        if count >= LONGEST_PILOT:
            raise ModelError(
                f"{self._label} has no steady state in its first {count} values: the model fills up, or takes long "
                "to forget its start; give warm_up= as a time"
            )
        self._pilot_length = 2 * count
        return np.empty(0)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and 0.0 <= value < inf
