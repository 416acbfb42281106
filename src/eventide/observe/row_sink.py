"""Targets for rows while a run continues, so that a run without end needs a bounded amount of memory."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from eventide.errors import ModelError

if TYPE_CHECKING:
    import pandas as pd

    from eventide.observe.formats import Write
    from eventide.observe.recording_base import RecordingBase


FEWEST_ROWS: Final = 64
"""Fewer rows than these are not left to the stepper, which takes down many before it comes back."""


class RowSink:
    """Hands the rows of a recording on, some at a time; the recording then lets them go.

    count       how many rows have been handed on
    """

    def __init__(self, recording: RecordingBase, receive: Callable[[pd.DataFrame], object], rows: int) -> None:
        if not callable(receive):
            raise ModelError(f"{recording.name}: rows are passed to a function, and got {receive!r}")
        if not hasattr(rows, "__index__") or rows < 1:
            raise ModelError(f"{recording.name}: rows= is a whole number of at least 1, and is {rows!r}")
        recording._check_no_sink()
        self.count = 0
        self._recording = recording
        self._receive = receive
        self._rows = rows
        self._file: AbstractContextManager[Write] | None = None
        self._path = ""
        """Of that file; empty for a database."""
        self._failure: BaseException | None = None
        """Why the rows could not be handed on: then what was written is not whole."""
        self._program = os.getpid()
        recording._sink = self
        atexit.register(self._close_with_program)

    @classmethod
    def into(cls, recording: RecordingBase, where: str | PathLike[str], table: str, rows: int) -> Self:
        """A sink into a file or a database."""
        from eventide.observe.dumps import begin_stream
        from eventide.observe.formats import FORMATS

        path = os.path.realpath(where) if Path(where).suffix.lower() in FORMATS else ""  # a database has several tables
        for other in recording.sim.recordings:
            if path and other is not recording and other._sink is not None and other._sink._path == path:
                raise ModelError(
                    f"the rows of {other.name} go to {os.fspath(where)} already, and those of {recording.name} would "
                    "take their place: give each a file of its own"
                )
        writing = begin_stream(recording._settled(), where, table)
        sink = cls(recording, writing.__enter__(), rows)
        sink._file, sink._path = writing, path
        return sink

    def offer(self, count: int) -> None:
        """The buffer has this number of rows: pass them on if they are enough."""
        if count >= self._rows:
            self._hand_on()

    def is_due(self, count: int) -> bool:
        """Whether rows that are written down are to be handed on when the next one has come."""
        return count >= self._rows or self._rows < FEWEST_ROWS

    def close(self) -> None:
        """Pass on the rest; a file is then moved to its place. The recording continues in memory."""
        self.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._recording._sink is not self:
            return
        self._recording._sink = None
        atexit.unregister(self._close_with_program)
        try:
            if self._failure is None:
                self._recording._settle_for_good()
                self._hand_on()
        except BaseException as failure:
            self._end_file(failure)
            raise
        self._end_file(self._failure)

    def _close_with_program(self) -> None:
        """Close what nobody has closed: what was written would be lost."""
        if os.getpid() == self._program:  # a forked process has no part in it
            self.close()

    def _end_file(self, failure: BaseException | None) -> None:
        if self._file is None:
            return
        if failure is None:
            self._file.__exit__(None, None, None)
        else:
            self._file.__exit__(type(failure), failure, failure.__traceback__)

    def _hand_on(self) -> None:
        frame = self._recording._settled()
        if frame.empty:
            return
        try:
            self._receive(frame)
        except BaseException as error:
            self._failure = error
            error.add_note(f"raised where the rows of {self._recording.name} go, with {len(frame)} of them")
            raise
        self.count += len(frame)
        self._recording._let_go()


def close_sinks(recordings: Sequence[RecordingBase]) -> None:
    """End what a model has begun by `stream_to` and `drain`: nobody else can when its run is over."""
    for recording in recordings:
        if recording._sink is not None:
            recording._sink.close()
