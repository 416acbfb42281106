"""The command line: `eventide run FILE` runs the model in a file, prints what came of it and draws its picture."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from eventide.errors import InputError, ModelError, ParameterError

if TYPE_CHECKING:
    from eventide.experiment import Model, Run

DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130
"""The exit statuses: all went well, the model failed, the input cannot be used, Ctrl-C."""

PICTURES: Final = (".png", ".pdf", ".svg")

app = typer.Typer(
    name="eventide",
    help="Run combined simulation models: processes that live by events, states that move between them.",
    epilog="Example: eventide run examples/soaking_pit.py --entropy 1",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; answers the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        status = typer.main.get_command(app).main(given, prog_name="eventide", standalone_mode=False)
    except typer.BadParameter.__mro__[1] as error:  # the usage error, which typer does not export
        complain(error.format_message())  # type: ignore[attr-defined]  # it is one of click's
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status if isinstance(status, int) else DONE


def _print_version(wanted: bool) -> None:
    if wanted:
        from eventide import __version__

        print(f"eventide {__version__}")
        raise typer.Exit


@app.callback()
def _eventide(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: eventide run examples/soaking_pit.py --set pits=8 --set arrivals=regular --out pit.csv")
def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Python file with one function marked @ev.model.")],
    until: Annotated[
        str | None,
        typer.Option(metavar="T", help="Stop at this simulated time. Without it: at the end that the model gives."),
    ] = None,
    entropy: Annotated[
        str | None,
        typer.Option(metavar="N", help="A whole number from which all randomness comes: the same gives the same run."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Give a parameter of the model a value; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv", help="Write what the model recorded to this file, further recordings beside it."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.png",
            help="Draw the picture to this file (.png, .pdf or .svg). Without it: to a .png of the model's name, here.",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say what is being done and with what; show every frame of a traceback.")
    ] = False,
) -> None:
    """Run the model in FILE: print its responses and the account of the run, draw its picture.

    The results go to standard output and are the same whenever model, parameters and entropy are;
    wall time and the names of the files written go to standard error.
    """
    job = Job(file, until, entropy, settings or [], out, plot, verbose)
    raise typer.Exit(job.status())


@dataclass(frozen=True)
class Job:
    """One call of `eventide run`, as it was typed."""

    file: Path
    until_text: str | None
    entropy_text: str | None
    settings: Sequence[str]
    out: Path | None
    plot: Path | None
    verbose: bool

    def status(self) -> int:
        """Do it; answers the exit status, every failure told on standard error."""
        try:
            self.do()
        except KeyboardInterrupt:
            return INTERRUPTED
        except InputError as error:
            complain(str(error))
            return REFUSED
        except BrokenPipeError:
            _silence_output()
            return FAILED
        except Exception as error:  # noqa: BLE001  # whatever the model raises is shown to who runs it
            _show_failure(error, whole=self.verbose)
            return FAILED
        return DONE

    def do(self) -> None:
        """Check all that can be checked before the run, run the model, tell and draw what came of it."""
        until, entropy, texts = self._until, self._entropy, self._texts
        _check_target(self.out, "--out")
        _check_target(self.plot, "--plot", PICTURES)
        self._say("loading", str(self.file))
        from eventide.experiment import imported, only_model

        with imported(self.file) as module:
            model = self._ready(only_model(module, self.file), texts, until)
            self._say("running", repr(model))
            start = perf_counter()
            outcome = model.run(entropy=entropy, until=until)
            seconds = perf_counter() - start
            print(report(outcome), flush=True)
            note(f"{model.name} ran for {seconds:.2f} s")
            self._say_details(outcome)
            self._write_recordings(outcome)
            self._draw(outcome)

    # --- what was asked for ---------------------------------------------------------------------------------------

    @cached_property
    def _until(self) -> float | None:
        if self.until_text is None:
            return None
        time = _parsed(float, self.until_text)
        if time is None or not isfinite(time) or time < 0.0:
            raise InputError(f"--until takes a time, a number from 0 on, and got {self.until_text!r}")
        return time

    @cached_property
    def _entropy(self) -> int | None:
        if self.entropy_text is None:
            return None
        number = _parsed(int, self.entropy_text)
        if number is None or number < 0:
            raise InputError(f"--entropy takes a whole number from 0 on, and got {self.entropy_text!r}")
        return number

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        texts: dict[str, str] = {}
        for setting in self.settings:
            name, equals, text = setting.partition("=")
            if not (name and equals):
                raise InputError(f"--set takes a parameter and its value, as --set pits=8, and got {setting!r}")
            if name in texts:
                raise InputError(f"--set gives {name} two values, {texts[name]!r} and {text!r}: give one")
            texts[name] = text
        return texts

    def _ready(self, model: Model[..., Any], texts: Mapping[str, str], until: float | None) -> Model[..., Any]:
        """The model with its parameters, able to run."""
        try:
            model = model.set_texts(texts)
        except ParameterError as error:
            raise InputError(str(error)) from None
        if model.missing:
            missing = ", ".join(map(str, model.missing))
            raise InputError(
                f"{model.name} needs a value for {missing}: give it with --set {model.missing[0].name}=..."
            )
        try:
            model.check_ready(until)
        except ModelError:
            raise InputError(f"{model.name} does not say when to stop: give it a time with --until") from None
        return model

    # --- what is written ------------------------------------------------------------------------------------------

    def _write_recordings(self, outcome: Run[Any]) -> None:
        if self.out is None:
            return
        if not outcome.recordings:
            raise InputError(
                f"{self.out} was not written: {outcome.model.name} records nothing, it calls no sim.record"
            )
        from eventide.observe import write_csv

        targets = targets_beside(self.out, [recording.name for recording in outcome.recordings])
        for recording, target in zip(outcome.recordings, targets, strict=True):
            with _writing(target):
                write_csv(recording, target)
            note(f"{recording.name} written to {target}")

    def _draw(self, outcome: Run[Any]) -> None:
        drawing = outcome.model.drawing
        if drawing is None and not outcome.recordings:
            if self.plot is not None:
                raise InputError(
                    f"{self.plot} was not drawn: {outcome.model.name} has no function marked "
                    f"@{outcome.model.name}.picture and records nothing"
                )
            return
        path = self.plot or Path(f"{self.file.stem}.png")
        self._say("drawing", str(path))
        from eventide.view import new_figure, plot_recordings, save

        figure = new_figure()
        if drawing is None:
            plot_recordings(outcome.recordings, figure)
        else:
            drawing(outcome, figure)
        with _writing(path):
            save(figure, path)
        note(f"picture written to {path}")

    # --- with --verbose -------------------------------------------------------------------------------------------

    def _say(self, what: str, about: str) -> None:
        if self.verbose:
            note(f"{what} {about}")

    def _say_details(self, outcome: Run[Any]) -> None:
        if not self.verbose:
            return
        from platform import python_version

        from numpy import __version__ as numpy_version

        from eventide import __version__

        sim = outcome.simulation
        rooms = [name for name in _rooms() if f"eventide.{name}" in sys.modules]
        note(f"eventide {__version__}, python {python_version()}, numpy {numpy_version}")
        note(f"rooms loaded: {', '.join(rooms)}")
        note(f"rel_error {sim.rel_error!r}, abs_error {sim.abs_error!r}, dt_min {sim.dt_min!r}, dt_max {sim.dt_max!r}")


def _rooms() -> list[str]:
    here = Path(__file__).parent
    return sorted(path.stem for path in here.iterdir() if path.is_dir() or path.suffix == ".py")
