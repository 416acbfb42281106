"""Files: written whole or not at all."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from eventide.observe.ledger import AFTER, BEFORE, REGULAR
from eventide.observe.population import PopulationRecording

if TYPE_CHECKING:
    from eventide.observe.recording import Recording

_SIDES: Final = {BEFORE: "before", REGULAR: "", AFTER: "after"}


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
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_csv(recording: Recording | PopulationRecording, path: str | PathLike[str]) -> None:
    """Write a recording as a table: time, side of an event (before, after or empty), for a class the component, values.

    Units stand in the header, as in `ball.height [m]`; every number is written so that it is read back exactly.
    """
    heads = ["time", "side"]
    labels = [recording.times.tolist(), [_SIDES[side] for side in recording.sides.tolist()]]
    if isinstance(recording, PopulationRecording):
        heads.append("component")
        labels.append(recording.components)
    heads += [f"{column.name} [{column.unit}]" if column.unit else column.name for column in recording.columns]
    values = [recording[column.name].tolist() for column in recording.columns]
    with whole_file(path) as unfinished, unfinished.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heads)
        writer.writerows(zip(*labels, *values, strict=True))
