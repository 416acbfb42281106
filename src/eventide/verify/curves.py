"""What a quality looks at: numbers over time, taken from whatever a component returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from eventide.errors import ModelError
from eventide.experiment.results import Result
from eventide.methods.solution import Trajectory
from eventide.observe.piecewise import PiecewisePolynomial

if TYPE_CHECKING:
    from numpy.typing import NDArray

Of: TypeAlias = "str | int | Callable[[Any], object] | None"
"""What is looked at: the name of a response or a recorded quantity, the number of a state, a function of the output
that returns numbers or a pair (times, values); None: the output itself."""


@dataclass(frozen=True)
class Curve:
    """Values (m, n), at times (m,) if they have any.

    names       of the n columns, for words
    path        the one quantity at all times, if that is known: the values are those where it turns or jumps
    """

    times: NDArray[np.float64] | None
    values: NDArray[np.float64]
    names: tuple[str, ...]
    path: PiecewisePolynomial | None = None

    def cut_at(self, time: float) -> Curve:
        """The same with a value at a time, if it is known at all times."""
        if self.path is None or not self.path.start < time < self.path.end:
            return self
        times = self.timed()
        place = int(np.searchsorted(times, time, side="right"))
        values = np.insert(self.values, place, self.path.at(time), axis=0)
        return Curve(np.insert(times, place, time), values, self.names, self.path)

    def place(self, column: int) -> str:
        """Which column, in words; nothing if there is one alone and it has no name."""
        return self.names[column]

    def column(self) -> NDArray[np.float64]:
        """The one quantity that it has. Raises ModelError if it has several."""
        if self.values.shape[1] != 1:
            raise ModelError(
                f"one quantity is judged here, and the output has {self.values.shape[1]}: name one with of="
            )
        single: NDArray[np.float64] = self.values[:, 0]
        return single

    def timed(self) -> NDArray[np.float64]:
        """The times. Raises ModelError if the output has none."""
        if self.times is None:
            raise ModelError("times are judged here, and the output has none: return a Trajectory, or (times, values)")
        return self.times


def curve_of(output: object, of: Of) -> Curve:
    """What is looked at in an output. Raises ModelError, which says what there is, if it is not there."""
    if isinstance(of, str):
        return _named(output, of)
    if callable(of):
        return _plain(of(output), getattr(of, "__name__", "").replace("<lambda>", ""))
    curve = _plain(output, "")
    if of is None:
        return curve
    if not -curve.values.shape[1] <= of < curve.values.shape[1]:
        raise ModelError(f"of={of!r} is the number of a state, and the output has {curve.values.shape[1]}")
    return Curve(curve.times, curve.values[:, [of]], (f"state {of}",))


def path_of(output: object, of: Of) -> PiecewisePolynomial:
    """What is looked at, at all times; rows are joined by straight lines. Raises ModelError as `curve_of`."""
    curve = curve_of(output, of)
    if curve.path is not None:
        return curve.path
    return PiecewisePolynomial.through(curve.timed(), curve.column())


def of_in_words(of: Of) -> str:
    """What is looked at, and a space; nothing if it has no name."""
    if of is None:
        return ""
    if isinstance(of, int):
        return f"state {of} "
    name = of if isinstance(of, str) else getattr(of, "__name__", "").replace("<lambda>", "")
    return f"{name} " if name else ""


def _named(output: object, name: str) -> Curve:
    if not isinstance(output, Result):
        raise ModelError(
            f"of={name!r} names what a model records or returns, and the output is a {type(output).__name__}"
        )
    holding = [recording for recording, table in output.tables.items() if name in table]
    if len(holding) + (name in output.responses) > 1:
        places = ", ".join([*(f"recording {one}" for one in holding), *["the responses"] * (name in output.responses)])
        raise ModelError(
            f"{name!r} stands in several places, {places}: give of= a function of the result that takes one"
        )
    if holding:
        table = output.tables[holding[0]]
        if list(table.index.names) != ["time"]:
            raise ModelError(f"{name!r} is recorded of all objects of a class: give of= a function of the result")
        if name in output.dense:
            path = output.dense[name]
            times, values = path.knots()
            return Curve(times, values[:, None], (name,), path)
        return Curve(np.asarray(table.index, dtype=float), table[name].to_numpy(dtype=float)[:, None], (name,))
    if name in output.responses:
        return Curve(None, np.array([[float(output.responses[name])]]), (name,))
    known = [*output.responses, *(str(column) for table in output.tables.values() for column in table)]
    raise ModelError(
        f"the model has no response and records no quantity {name!r}; it has: {', '.join(known) or 'none'}"
    )


def _plain(output: object, name: str) -> Curve:
    if isinstance(output, Trajectory) or (isinstance(output, tuple) and len(output) == 2):
        times, values = (np.asarray(part, dtype=float) for part in output)
        if times.ndim != 1 or not times.size or not values.ndim or len(values) != len(times):
            raise ModelError(
                f"an output of two parts has times (m,) and for each of them a number or a row of numbers, and got "
                f"arrays of shapes {times.shape} and {values.shape}: turn a table with a column for each time by .T"
            )
        if not np.isfinite(times).all() or (np.diff(times) < 0.0).any():
            raise ModelError("the times of an output are finite numbers that do not fall, and here they are not: sort")
        table = values.reshape(len(times), -1)
        return Curve(times, table, _numbered(table.shape[1], name))
    if isinstance(output, Result):
        raise ModelError("a model is judged by one of its quantities: name it with of=")
    row = np.atleast_1d(np.asarray(output, dtype=float)).reshape(1, -1)
    return Curve(None, row, _numbered(row.shape[1], name))


def _numbered(count: int, name: str) -> tuple[str, ...]:
    return (name,) if count == 1 else tuple(f"{name or 'item'} {k}" for k in range(count))
