"""What may be typed: the commands. Their options are the fields of their classes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from inspect import Parameter
from typing import Annotated, Final, cast

import typer

from eventide.cli.batches import BatchesJob
from eventide.cli.diagram import DiagramJob
from eventide.cli.job import Job
from eventide.cli.new_project import write_project
from eventide.cli.options import app, register
from eventide.cli.report import ReportJob
from eventide.cli.search import SearchJob
from eventide.cli.sensitivity import SensitivityJob
from eventide.cli.study import StudyJob
from eventide.cli.telling import DONE, REFUSED, complain, status_of
from eventide.cli.verify import VerifyJob

USAGE_ERROR: Final = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What typer raises for a command line that it cannot read; it has no public name."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    typed = typer.main.get_command(app)
    try:
        status = typed.main(given, prog_name="eventide", standalone_mode=False)
    except USAGE_ERROR as error:
        from eventide.experiment.arguments import OTHER_WORDS

        command = f" {given[0]}" if given[0] in getattr(typed, "commands", ()) else ""
        named = str(getattr(error, "option_name", "")).lstrip("-").replace("-", "_")
        told = f"No such option: --{named}; it is --entropy" if named in OTHER_WORDS else error.format_message()
        complain(f"{told.rstrip('.')}; `eventide{command} --help` tells how it is written")
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
    """Options that stand before the command."""


register(
    "run",
    Job,
    "Run the model in FILE, print its responses and what the run took; draw its picture with --plot.\n\n"
    "Results go to standard output: equal runs print the same. Wall time and the names of the files written go to "
    "standard error.",
    "eventide run examples/soaking_pit.py --set arrivals=regular",
)


@app.command(
    help="Write a first model NAME.py, a test of it and a notebook, into this folder. All three run as they are.\n\n"
    "No file that is there already is changed.",
    epilog="Example: eventide new tank && eventide run tank.py --plot tank.png",
)
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A word of letters, digits and _, as of a Python module.")
    ],
) -> None:
    """Carry out `eventide new`."""
    raise typer.Exit(status_of(lambda: write_project(name), verbose=False))


register(
    "study",
    StudyJob,
    "Run the model in FILE at many points, each as often as is wanted, and print the means of its responses with "
    "their confidence intervals.\n\n"
    "Equal studies print the same, however many work on them.",
    "eventide study examples/soaking_pit.py --over pits=8:12:2 -n 30 --store results",
)
register(
    "replicate",
    StudyJob,
    "Run the model in FILE several times, each with random numbers of its own, and print the means of its "
    "responses with their confidence intervals.",
    "eventide replicate examples/soaking_pit.py -n 30",
    without=["over"],
    replications=10,
)
register(
    "minimise",
    SearchJob,
    "Find the parameters of the model in FILE for which a response is least, in the mean over replications with "
    "the same random numbers at all points.",
    "eventide minimise examples/best_rate.py cost --over rate=1.2:5 -n 20 --entropy 1",
    without=["data"],
    response=Parameter.empty,
)
register(
    "calibrate",
    SearchJob,
    "Find the parameters of the model in FILE for which what it records comes closest to data, and how well these "
    "settle them.",
    "eventide calibrate examples/cooling.py measured.csv --over loss=0.01:1 --plot fit.png",
    without=["response", "until"],
    data=Parameter.empty,
)
register(
    "report",
    ReportJob,
    "Write a page of the runs in FOLDER, which a study has had as its store: what was run, means with their "
    "confidence intervals, figures, and what failed. It loads nothing, and is made without the model.",
    "eventide report results --out report.html",
)
register(
    "batches",
    BatchesJob,
    "Run the model in FILE once, for long, and print what holds in the steady state: the mean of a response that "
    "is a Tally, its confidence interval by batch means, and whether the batches can be taken for independent.",
    "eventide batches shop.py --response wait --until 100000 --plot warm-up.png",
)
register(
    "sensitivity",
    SensitivityJob,
    "Tell how fast the responses of the model in FILE change with its parameters.\n\n"
    "By variational equations, which are integrated with the model and go through its events, or by differences of "
    "runs with the same random numbers.",
    "eventide sensitivity examples/heated_room.py --wrt insulation",
)
register(
    "verify",
    VerifyJob,
    "Run the tests of the requirements in FILE, print what came of them, and how each failure is replayed.\n\n"
    "The exit status is 0 if the system can be released, else 1.",
    "eventide verify examples/quarter_car_requirements.py --structured",
)
register(
    "diagram",
    DiagramJob,
    "Print the class diagram of the model in FILE, or of the package PACKAGE, as text for Mermaid.",
    "eventide diagram examples/quarter_car.py; eventide diagram eventide.verify --out verify.mmd",
)
