"""Files: written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from eventide.observe.frames import SIDES
from eventide.observe.population import PopulationRecording
from eventide.observe.writers import write_rows

if TYPE_CHECKING:
    from eventide.observe.recording import Recording


@contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[Path]:
    """A path beside `path` to write to; at the end of the block it takes its place, after an error it is gone.

    Raises FileNotFoundError if the folder does not exist.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target} cannot be written: there is no folder {target.parent}")
    unfinished = target.with_name(f".{target.name}.{token_hex(4)}.part")
    try:
        yield unfinished
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())  # else a machine that fails may keep the new name and lose what it names
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_csv(recording: Recording | PopulationRecording, path: str | PathLike[str]) -> None:
    """Write a recording as a table: time, side of an event (before, after or empty), for a class the component, values.

    Units stand in the header, as in `ball.height [m]`; every number is written so that it is read back exactly.
    """
    heads = ["time", "side"]
    labels = [recording.times.tolist(), [SIDES[side] for side in recording.sides.tolist()]]
    if isinstance(recording, PopulationRecording):
        heads.append("component")
        labels.append(recording.components)
    heads += [f"{column.name} [{column.unit}]" if column.unit else column.name for column in recording.columns]
    values = [recording[column.name].tolist() for column in recording.columns]
    with whole_file(path) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
        write_rows(file, heads, [*labels, *values])
