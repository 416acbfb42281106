"""What a study is asked for, checked in words before the first run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from inspect import signature
from math import inf
from numbers import Real
from os import PathLike
from typing import TYPE_CHECKING, Final, cast

from eventide.declare.units import in_time_unit, in_time_units
from eventide.errors import ModelError, ParameterError
from eventide.experiment.designs import is_count

if TYPE_CHECKING:
    import numpy.typing as npt


def refuse_unknown(call: str, function: Callable[..., object], given: Iterable[str]) -> None:
    """Raise ParameterError for an argument that a function does not take, with the one that may be meant."""
    taken = [name for name, one in signature(function).parameters.items() if one.kind is not one.VAR_KEYWORD]
    taken = [name for name in taken if name != "self"]
    for name in given:
        near = ["entropy"] if name in OTHER_WORDS else get_close_matches(name, taken, n=1)
        meant = f"did you mean {near[0]}=?" if near else f"it takes {', '.join(taken)}"
        raise ParameterError(f"{call} takes no {name}=; {meant}")


OTHER_WORDS: Final = ("seed", "rng", "random_state")
"""For `entropy` of a study, which decides all of its runs."""


def check_end(until: float | None, where: str, unit: str) -> float | None:
    """The time at which runs are to stop, in the time unit of a model. Raises ModelError if it is no time."""
    end: object = in_time_unit(until, unit, f"{where}: until=")
    is_number = isinstance(end, Real) and not isinstance(end, bool)
    if end is not None and not (is_number and 0.0 <= float(end) <= inf):  # type: ignore[arg-type]  # a Real
        raise ModelError(f"{where} takes until= as a time from 0 on, and got {until!r}")
    return cast("float | None", end)


def recording_names(record: object) -> tuple[str, ...] | None:
    """The names of the recordings that are kept; None: of all. Raises ModelError for what are no names."""
    if isinstance(record, bool):
        return None if record else ()
    names = (record,) if isinstance(record, str) else tuple(record) if isinstance(record, Iterable) else None
    if names is None or not all(isinstance(name, str) for name in names):
        raise ModelError(
            f'a study takes record= as the names of recordings, as ["level"], or True for all, and got {record!r}'
        )
    return names


def reading_times(at: npt.ArrayLike | None, end: float | None, unit: str) -> tuple[float, ...] | None:
    """The times at which recordings are read.

    end         of all runs, if it is known
    unit        of the time of the model
    Raises      ModelError for what are no times, and for those that no run has
    """
    import numpy as np

    if at is None:
        return None
    try:
        times = tuple(np.asarray(in_time_units(at, unit, "at="), dtype=float).ravel().tolist())
    except (TypeError, ValueError):
        raise ModelError(f"a study takes at= as times, as [0.0, 0.5, 1.0], and got {at!r}") from None
    last = inf if end is None else end
    for time in times:
        if not (0.0 <= time <= last and time < inf):
            span = "from 0 on" if end is None else f"from 0 to {end!r}, where its runs stop"
            raise ModelError(f"a study takes at= as times {span}, and got {time!r}")
    return times


def check_folder(store: object) -> None:
    """Raise ModelError if a store is no path."""
    if not isinstance(store, str | PathLike):
        raise ModelError(f"a study takes store= as the path of a folder, and got {store!r}")


def part_of(shard: object) -> tuple[int, int]:
    """Which part of how many is to be run. Raises ModelError for what is no shard."""
    if isinstance(shard, tuple | list) and len(shard) == 2 and all(is_count(number) for number in shard):
        number, count = shard
        if number <= count:
            return int(number), int(count)
    raise ModelError(f"a shard is (3, 100), the third of a hundred parts, and got {shard!r}")


def check_level(level: object) -> None:
    """Raise ModelError if the level of a confidence interval is none."""
    if not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise ModelError(f"a confidence interval takes a level between 0 and 1, as 0.95, and got {level!r}")
