"""One run of the model in a file: `eventide run`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

from typer import Option

from eventide.cli.loading import model_in, set_up
from eventide.cli.options import Command, File, Settings, entropy_in, time_in
from eventide.cli.telling import (
    DONE,
    check_outputs,
    complain,
    ended_by_a_signal,
    note,
    paths_beside,
    say,
    texts_by_name,
    write_picture,
    write_table,
)
from eventide.errors import InputError

if TYPE_CHECKING:
    from eventide.experiment import Run


@dataclass(frozen=True, kw_only=True)
class Job(Command):
    """One call of `eventide run`."""

    file: File
    until: Annotated[
        float | None,
        Option(metavar="T", parser=time_in, help="Stop at this simulated time. Otherwise the model says when."),
    ] = None
    entropy: Annotated[
        int | None,
        Option(metavar="N", parser=entropy_in, help="Where all randomness comes from: the same N, the same run."),
    ] = None
    settings: Settings = None
    out: Annotated[
        Path | None,
        Option(
            metavar="FILE.csv",
            help="Write what the model recorded (.csv, .parquet, .json, .db); a second recording goes beside.",
        ),
    ] = None
    plot: Annotated[
        Path | None, Option(metavar="FILE.png", help="Draw the picture of the model, or what it recorded, here.")
    ] = None
    watch: Annotated[
        bool, Option("--watch", help="Show what the model records on a page of this machine, while it runs.")
    ] = False
    verbose: Annotated[bool, Option("--verbose", help="Say what is done and with what; show tracebacks whole.")] = False

    def do(self) -> int:
        """Check what can be checked before the run, so that no result is lost; run, tell, write, draw."""
        texts = texts_by_name(self.settings)
        check_outputs(self.out, self.plot)
        self._say(f"loading {self.file}")
        from eventide.experiment import report

        with model_in(self.file) as found:
            model = set_up(found, texts, self.until)
            self._say(f"running {model!r}")
            start = perf_counter()
            sim = model.simulation(self.entropy)
            try:
                with ended_by_a_signal():
                    outcome = model.run_in(sim, until=self.until, watch=self.watch)
            except BaseException:
                self._keep_what_there_is(model.stopped(sim))
                raise
            note(f"{model.name} ran for {perf_counter() - start:.2f} s")
            self._say_details(outcome)
            # Files first: the reader of standard output may have exited. What cannot be written is printed anyway.
            try:
                try:
                    self._write_recordings(outcome)
                finally:
                    self._draw(outcome)
            finally:
                say(report(outcome, for_terminal=sys.stdout is not None and sys.stdout.isatty()))
        return DONE

    def _keep_what_there_is(self, outcome: Run[object]) -> None:
        """Write and draw what was asked for, as far as a run has come that failed or was stopped."""
        if not any(map(len, outcome.recordings)) or (self.out is None and self.plot is None):
            return
        note(f"stopped at time {outcome.simulation.time!r}")
        try:
            self._write_recordings(outcome)
            self._draw(outcome)
        except Exception as error:  # noqa: BLE001  # why the run has ended is told before all else
            complain(str(error) if isinstance(error, InputError) else f"{self.plot} was not drawn: {error!r}")

    def _write_recordings(self, outcome: Run[object]) -> None:
        if self.out is None:
            return
        name = outcome.model.name
        if not outcome.recordings:
            raise InputError(f"{self.out} was not written: {name} records nothing, as sim.record(...) would")
        names = [recording.name for recording in outcome.recordings]
        for recording, path in zip(outcome.recordings, paths_beside(self.out, names), strict=True):
            write_table(recording, path, recording.name)

    def _draw(self, outcome: Run[object]) -> None:
        path = self.plot
        if path is None:
            return
        model = outcome.model
        if model.drawing is None and not outcome.recordings:
            raise InputError(f"{path} was not drawn: {model.name} records nothing and has no @{model.name}.picture")
        self._say(f"drawing {path}")
        from eventide.view import new_figure, plot_recordings

        figure = new_figure()
        if model.drawing is None:
            plot_recordings(outcome.recordings, figure, time_unit=outcome.simulation.time_unit)
        else:
            model.drawing(outcome, figure)
        write_picture(figure, path)

    def _say(self, text: str) -> None:
        if self.verbose:
            note(text)

    def _say_details(self, outcome: Run[object]) -> None:
        if not self.verbose:
            return
        from platform import python_version

        import numpy as np

        from eventide import __version__

        sim = outcome.simulation
        rooms = dict.fromkeys(name.split(".")[1] for name in sorted(sys.modules) if name.startswith("eventide."))
        note(f"eventide {__version__}, Python {python_version()}, numpy {np.__version__}")
        note(f"rooms loaded: {', '.join(rooms)}")
        note(f"rel_error {sim.rel_error!r}, abs_error {sim.abs_error!r}, dt_min {sim.dt_min!r}, dt_max {sim.dt_max!r}")
