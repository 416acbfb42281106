"""Recorded rows as tables of other libraries: pandas, xarray, polars. Units and descriptions go with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.libraries import load

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import xarray as xr

    from eventide.observe.recording_base import Block, RecordingBase

SIDES: Final = ("", "after", "before")
"""The text for the side of a row, by its number 0, 1 or -1."""


def to_pandas(recording: RecordingBase, block: Block, *, sides: bool) -> pd.DataFrame:
    """A DataFrame with the time as index; the recording's name, units and descriptions in `attrs`."""
    from eventide.libraries import pandas as pd

    columns = _columns(recording, block, sides=sides)
    del columns["time"]
    # A list of texts keeps its type even if it is empty.
    data = {name: pd.array(d, dtype="str") if isinstance(d, list) else d for name, d in columns.items()}
    frame = pd.DataFrame(data, index=pd.Index(block.times, name="time"))
    frame.attrs.update(attributes_of(recording))
    return frame


def to_polars(recording: RecordingBase, block: Block, *, sides: bool) -> pl.DataFrame:
    """A polars DataFrame with the time as first column."""
    polars = load("polars", "polars", "to_polars()")
    frame: pl.DataFrame = polars.DataFrame(_columns(recording, block, sides=sides))
    return frame


def to_xarray(recording: RecordingBase, block: Block) -> xr.Dataset:
    """A Dataset over time, with attributes as the CF conventions name them."""
    xarray = load("xarray", "xarray", "to_xarray()")
    labels = recording._labels_of(block.numbers)
    beside = {"side": block.sides, **{name: np.array(texts, dtype=np.str_) for name, texts in labels.items()}}
    dataset: xr.Dataset = xarray.Dataset(
        {
            column.name: ("time", data, _described(column.unit, column.description))
            for column, data in zip(recording.columns, block.data, strict=True)
        },
        coords={
            "time": ("time", block.times, _described(recording.sim.time_unit, "")),
            **{name: ("time", data) for name, data in beside.items()},
        },
        attrs={"name": recording.name},
    )
    return dataset


def _columns(recording: RecordingBase, block: Block, *, sides: bool) -> dict[str, object]:
    """The columns by name, the time first."""
    columns: list[tuple[str, object]] = [("time", block.times)]
    if sides:
        columns.append(("side", [SIDES[side] for side in block.sides.tolist()]))
    columns += recording._labels_of(block.numbers).items()
    columns += [(column.name, data) for column, data in zip(recording.columns, block.data, strict=True)]
    return dict(columns)


def attributes_of(recording: RecordingBase) -> dict[str, object]:
    """The attributes of a recording and its columns."""
    return {
        "name": recording.name,
        "units": {"time": recording.sim.time_unit, **{column.name: column.unit for column in recording.columns}},
        "descriptions": {column.name: column.description for column in recording.columns if column.description},
    }


def _described(unit: str, description: str) -> dict[str, str]:
    return {key: text for key, text in (("units", unit), ("long_name", description)) if text}
