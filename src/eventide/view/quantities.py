"""The data of a figure, from any source: quantities by name, with their units."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from eventide.data.processing import as_frame
from eventide.errors import ModelError
from eventide.observe import PopulationRecording, Recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt
    import pandas as pd

AnyRecording: TypeAlias = Recording | PopulationRecording
Data: TypeAlias = "AnyRecording | pd.DataFrame"


class Quantities:
    """The columns of numbers of a recording or a DataFrame, and the levels of its index.

    names       of the quantities, without the index
    index       the name of the index, such as the time; empty if the rows are merely counted
    """

    def __init__(self, data: Data) -> None:
        frame = as_frame(data)
        self._frame = frame
        self.names = [str(name) for name in frame.select_dtypes(include="number").columns]
        self.index = str(frame.index.name) if frame.index.name is not None else ""
        self._units = dict(frame.attrs.get("units", {}))

    def chosen(self, names: Sequence[str] | None) -> list[str]:
        """These names, or all. Raises KeyError for one that is not there, TypeError for a text in place of a list."""
        if isinstance(names, str):
            raise TypeError(f"columns takes a list of names, and got {names!r}: write `columns=[{names!r}]`")
        for name in names or ():
            self._check(name)
        return self.names if names is None else list(names)

    def __getitem__(self, name: str) -> npt.NDArray[np.float64]:
        """The values of one quantity, or of the index. Raises KeyError if it is not there."""
        self._check(name)
        if name == self.index:
            return self._frame.index.to_numpy(dtype=float)
        return self._frame[name].to_numpy(dtype=float)

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The index."""
        return self._frame.index.to_numpy(dtype=float)

    def unit(self, name: str) -> str:
        """The unit of a quantity, empty if it has none."""
        return str(self._units.get(name, ""))

    def label(self, name: str) -> str:
        """A quantity with its unit, as an axis shows it."""
        return with_unit(name, self.unit(name))

    def common_label(self, names: list[str]) -> str:
        """What an axis of several quantities shows: the names if there are few, the unit if it is one."""
        units = {self.unit(name) for name in names}
        if len(units) > 1:
            return ""
        words = ", ".join(names)
        return with_unit(words if len(words) <= WIDEST_LABEL else "value", units.pop() if units else "")

    def _check(self, name: str) -> None:
        if name not in self.names and (not name or name != self.index):
            known = ", ".join([*filter(None, [self.index]), *self.names])
            raise KeyError(f"there is no quantity {name!r} to draw; there are: {known}")


WIDEST_LABEL = 36
"""How many letters there is room for beside an axis."""


def with_unit(name: str, unit: str) -> str:
    """A name with its unit, as an axis shows it."""
    return f"{name} [{unit}]" if unit else name


def check_some(names: list[str]) -> None:
    """Raise ModelError if there is nothing to draw."""
    if not names:
        raise ModelError("there is nothing to draw: the data have no column of numbers")
