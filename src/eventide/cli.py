"""The command line: `eventide run FILE` runs the model in a file, prints what came of it and draws its picture."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

import typer

from eventide.errors import InputError, ModelError, ParameterError, SimulationError

if TYPE_CHECKING:
    from traceback import TracebackException

    from eventide.experiment import Model, Run

DONE: Final = 0
FAILED: Final = 1
"""The exit status when the model raises an error of its own."""
REFUSED: Final = 2
"""The exit status when what was typed, or data that the model reads, cannot be used."""
INTERRUPTED: Final = 130

PICTURES: Final = (".png", ".pdf", ".svg")

USAGE_ERROR: Final = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What typer raises for a command line that it cannot read; it has no public name."""


# --- what is asked for ------------------------------------------------------------------------------------------------

app = typer.Typer(
    help="Run models of combined simulation: processes that live by events, states that move between them.",
    epilog="Example: eventide run examples/soaking_pit.py --entropy 1",
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; answers the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = typer.main.get_command(app).main(given, prog_name="eventide", standalone_mode=False)
    except USAGE_ERROR as error:
        _complain(f"{error.format_message().rstrip('.')}; `eventide run --help` tells how it is written")
        return REFUSED
    return status if isinstance(status, int) else DONE


def _print_version(wanted: bool) -> None:
    if wanted:
        from eventide import __version__

        print(f"eventide {__version__}")
        raise typer.Exit


@app.callback()
def _options_of_all(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """With this, `run` stays a command of its own although it is the only one."""


def _time(text: str) -> float:
    time = _number_in(text)
    if not isfinite(time) or time < 0.0:
        raise typer.BadParameter(f"{text!r} is no time, which is a number from 0 on")
    return time


def _number_in(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _entropy(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise typer.BadParameter(f"{text!r} is no entropy, which is a whole number from 0 on")
    return int(text)


@app.command(
    help="Run the model in FILE, print its responses and what the run took, draw its picture.\n\n"
    "Results go to standard output: equal runs print the same. Wall time and the names of the files written go to "
    "standard error.",
    epilog="Example: eventide run examples/soaking_pit.py --set arrivals=regular",
)
def run(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A Python file with one function marked @ev.model.", show_default=False),
    ],
    until: Annotated[
        float | None,
        typer.Option(metavar="T", parser=_time, help="Stop at this simulated time. Otherwise the model says when."),
    ] = None,
    entropy: Annotated[
        int | None,
        typer.Option(metavar="N", parser=_entropy, help="Where all randomness comes from: the same N, the same run."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Give a parameter of the model a value. May be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Write what the model recorded (.csv, .parquet, .json, .db); a second recording goes beside.",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.png", help="Draw the picture here. Otherwise into this folder, named as FILE is."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show what the model records on a page of this machine, while it runs.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say what is done and with what; show tracebacks whole.")
    ] = False,
) -> None:
    """Carry out `eventide run`."""
    raise typer.Exit(Job(file, until, entropy, settings or [], out, plot, verbose, watch).status())


# --- doing it ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One call of `eventide run`."""

    file: Path
    until: float | None
    entropy: int | None
    settings: Sequence[str]
    out: Path | None
    plot: Path | None
    verbose: bool
    watch: bool = False

    def status(self) -> int:
        """Do it and tell what went wrong, if anything did; answers the exit status."""
        try:
            self.do()
        except KeyboardInterrupt:
            return INTERRUPTED
        except InputError as error:
            _complain(str(error))
            return REFUSED
        except BrokenPipeError:
            _close_output()
            return FAILED
        except Exception as error:  # noqa: BLE001  # whatever a model raises is shown to those who run it
            _show_failure(error, whole=self.verbose)
            return FAILED
        return DONE

    def do(self) -> None:
        """Check what can be checked before the run, so that no result is lost; run, tell, write, draw."""
        texts = _texts_by_name(self.settings)
        _check_target(self.out, "--out")
        _check_target(self.plot, "--plot", PICTURES)
        self._say(f"loading {self.file}")
        from eventide.experiment import imported, only_model, report

        with imported(self.file) as module:
            model = self._set_up(only_model(module, self.file), texts)
            self._say(f"running {model!r}")
            start = perf_counter()
            sim = model.simulation(self.entropy)
            try:
                outcome = model.run_in(sim, until=self.until, watch=self.watch)
            except KeyboardInterrupt:
                self._keep_what_there_is(model.stopped(sim))
                raise
            _note(f"{model.name} ran for {perf_counter() - start:.2f} s")
            self._say_details(outcome)
            # Files first: whoever reads standard output may have gone. What cannot be written is printed nevertheless.
            try:
                try:
                    self._write_recordings(outcome)
                finally:
                    self._draw(outcome)
            finally:
                _print(report(outcome, for_terminal=sys.stdout is not None and sys.stdout.isatty()))

    def _keep_what_there_is(self, outcome: Run[Any]) -> None:
        """Write and draw what was asked for, as far as a run has come that was stopped."""
        if not outcome.recordings or (self.out is None and self.plot is None):
            return
        _note(f"stopped at time {outcome.simulation.time!r}")
        self._write_recordings(outcome)
        if self.plot is not None:
            self._draw(outcome)

    def _set_up(self, model: Model[..., Any], texts: Mapping[str, str]) -> Model[..., Any]:
        """The model with its parameters, able to run."""
        try:
            model = model.set_texts(texts)
        except ParameterError as error:
            raise InputError(str(error)) from None
        if model.missing:
            raise InputError(f"{model.name} needs --set {model.missing[0].name}=...: {model.missing[0]} has no default")
        try:
            model.check_ready(self.until)
        except ModelError:
            raise InputError(f"{model.name} does not say when it ends: give it a time with --until") from None
        return model

    def _write_recordings(self, outcome: Run[Any]) -> None:
        if self.out is None:
            return
        name = outcome.model.name
        if not outcome.recordings:
            raise InputError(f"{self.out} was not written: {name} records nothing, as sim.record(...) would")
        from eventide.observe.dumps import has_format
        from eventide.observe.dumps import save as save_table

        for recording, path in zip(
            outcome.recordings, _paths_beside(self.out, [r.name for r in outcome.recordings]), strict=True
        ):
            with _writing(path):
                save_table(recording, path, ending="" if has_format(path) else ".csv")
            _note(f"{recording.name} written to {path}")

    def _draw(self, outcome: Run[Any]) -> None:
        model = outcome.model
        if model.drawing is None and not outcome.recordings:
            if self.plot is not None:
                raise InputError(
                    f"{self.plot} was not drawn: {model.name} records nothing and has no @{model.name}.picture"
                )
            return
        path = self.plot or Path(f"{self.file.stem}.png")
        self._say(f"drawing {path}")
        from eventide.view import new_figure, plot_recordings, save

        figure = new_figure()
        if model.drawing is None:
            plot_recordings(outcome.recordings, figure, time_unit=outcome.simulation.time_unit)
        else:
            model.drawing(outcome, figure)
        with _writing(path):
            save(figure, path)
        _note(f"picture written to {path}")

    def _say(self, text: str) -> None:
        if self.verbose:
            _note(text)

    def _say_details(self, outcome: Run[Any]) -> None:
        if not self.verbose:
            return
        from platform import python_version

        import numpy as np

        from eventide import __version__

        sim = outcome.simulation
        rooms = dict.fromkeys(name.split(".")[1] for name in sorted(sys.modules) if name.startswith("eventide."))
        _note(f"eventide {__version__}, Python {python_version()}, numpy {np.__version__}")
        _note(f"rooms loaded: {', '.join(rooms)}")
        _note(f"rel_error {sim.rel_error!r}, abs_error {sim.abs_error!r}, dt_min {sim.dt_min!r}, dt_max {sim.dt_max!r}")


def _texts_by_name(settings: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not (name and equals):
            raise InputError(f"--set takes NAME=VALUE, as --set pits=8, and got {setting!r}")
        if name in texts:
            raise InputError(f"--set gives {name} twice, {texts[name]!r} and {text!r}: give it once")
        texts[name] = text
    return texts


def _check_target(path: Path | None, option: str, suffixes: Sequence[str] = ()) -> None:
    """Raise InputError if a file to be written could not be."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{option} takes the name of a file, and {path} is a folder")
    if not path.parent.is_dir():
        raise InputError(f"{option} {path} cannot be written: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{option} {path} cannot be written: the folder {path.parent} is write-protected")
    if suffixes and path.suffix.lower() not in suffixes:
        raise InputError(
            f"{option} {path} is no kind of picture that can be drawn: its name should end in {' or '.join(suffixes)}"
        )


def _paths_beside(first: Path, names: Sequence[str]) -> list[Path]:
    """A path for each recording: `first`, then others beside it that bear the recordings' names."""
    paths = [first]
    for name in names[1:]:
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in name)
        path = first.with_name(f"{first.stem}-{plain}{first.suffix}")
        number = 2
        while path in paths:
            path = first.with_name(f"{first.stem}-{plain}-{number}{first.suffix}")
            number += 1
        paths.append(path)
    return paths


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}") from None


# --- telling it -------------------------------------------------------------------------------------------------------


def _print(text: str) -> None:
    """Print, with a question mark for what standard output cannot show; nothing if there is no standard output."""
    if sys.stdout is None:
        return
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), flush=True)


def _note(text: str) -> None:
    print(text, file=sys.stderr)


def _complain(text: str) -> None:
    """Say what is wrong, in one line."""
    _note(f"eventide: {' '.join(text.split())}")


def _close_output() -> None:
    """Whoever read standard output has gone: let nothing more be written there, not even when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_failure(error: Exception, *, whole: bool) -> None:
    """Print the traceback of a model's error, of the model's own frames unless it is to be whole.

    A numbered error is told first in the three lines of the manual of COMBINEDSIMULATION, 3.25.
    """
    from traceback import TracebackException

    if isinstance(error, SimulationError):
        for line in error.lines:
            _note(line)
    shown = TracebackException.from_exception(error)
    if not whole:
        _hide_frames(shown)
    sys.stderr.writelines(shown.format())
    if not whole:
        _note("The frames of eventide are left out: --verbose shows them.")


def _hide_frames(shown: TracebackException | None) -> None:
    """Leave out the frames of eventide and of the machinery around it, in the causes of an error as well."""
    if shown is None:
        return
    # Constructors of components are made of a string; their frames have no line to show.
    hidden = (str(Path(__file__).parent), contextlib.__file__, "<eventide ", "<frozen")
    shown.stack[:] = [frame for frame in shown.stack if not frame.filename.startswith(hidden)]
    for other in (shown.__cause__, shown.__context__, *(shown.exceptions or ())):
        _hide_frames(other)


if __name__ == "__main__":
    sys.exit(main())
