"""What may be typed: the commands, their options, and what each of these means."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from eventide.cli.batches import BatchesJob
from eventide.cli.diagram import DiagramJob
from eventide.cli.job import Job
from eventide.cli.new_project import write_project
from eventide.cli.report import ReportJob
from eventide.cli.search import SearchJob
from eventide.cli.sensitivity import SensitivityJob
from eventide.cli.study import StudyJob
from eventide.cli.telling import DONE, REFUSED, complain, status_of
from eventide.cli.verify import VerifyJob

if TYPE_CHECKING:
    from eventide.analysis.sensitivity.results import Way

USAGE_ERROR: Final = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[1])
"""What typer raises for a command line that it cannot read; it has no public name."""


COMMANDS: Final = (
    "batches",
    "calibrate",
    "diagram",
    "minimise",
    "new",
    "replicate",
    "report",
    "sensitivity",
    "study",
    "verify",
)
"""All but `run`."""


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
        command = given[0] if given[0] in COMMANDS else "run"
        complain(f"{error.format_message().rstrip('.')}; `eventide {command} --help` tells how it is written")
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
    help="Run the model in FILE, print its responses and what the run took; draw its picture with --plot.\n\n"
    "Results go to standard output: equal runs print the same. Wall time and the names of the files written go to "
    "standard error.",
    epilog="Example: eventide run examples/soaking_pit.py --set arrivals=regular",
)
def run(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE[:MODEL]",
            help="A Python file with a function marked @ev.model; the name of one if it has several.",
            show_default=False,
        ),
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
        typer.Option(metavar="FILE.png", help="Draw the picture of the model, or what it recorded, here."),
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


File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE[:MODEL]",
        help="A Python file with a function marked @ev.model; the name of one if it has several.",
        show_default=False,
    ),
]
Replications = Annotated[int, typer.Option("--replications", "-n", metavar="N", min=1, help="Runs of each point.")]
Over = Annotated[
    list[str] | None,
    typer.Option(
        "--over", metavar="NAME=VALUES",
        help="Go over values of a parameter: 8,10,12 or FROM:TO:STEP. May be repeated: each with each.",
    ),
]  # fmt: skip
Workers = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Processes that work side by side. Otherwise all cores, if worth while."),
]
Store = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Keep results here as they come; the same command goes on there.")
]
Shard = Annotated[
    str | None,
    typer.Option(
        metavar="PART/PARTS", help="Make one part only, as 3/100, with one store for all: for jobs of a cluster."
    ),
]
Until = Annotated[float | None, typer.Option(metavar="T", parser=_time, help="Stop each run at this simulated time.")]
Entropy = Annotated[
    int | None,
    typer.Option(metavar="N", parser=_entropy, help="Where all randomness comes from: the same N, the same results."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Give a parameter of the model a value. May be repeated."),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", min=0.001, help="A run that takes longer fails, and the others go on."),
]
Out = Annotated[
    Path | None, typer.Option(metavar="FILE.csv", help="Write a row for each run (.csv, .parquet, .json, .db).")
]
Plot = Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw a response at the points here.")]
Response = Annotated[str | None, typer.Option(metavar="NAME", help="The response that is drawn; else the first.")]
Antithetic = Annotated[
    bool,
    typer.Option("--antithetic", help="Replications in pairs, the second with 1 - u for each uniform u of the first."),
]
HalfWidths = Annotated[
    list[str] | None,
    typer.Option(
        "--until-half-width", metavar="NAME=WIDTH",
        help="Go on until the mean of a response is known that closely: wait=0.5, or wait=5%. May be repeated.",
    ),
]  # fmt: skip
Verbose = Annotated[bool, typer.Option("--verbose", help="Show tracebacks whole.")]


@app.command(
    help="Run the model in FILE at many points, each as often as is wanted, and print the means of its responses with "
    "their confidence intervals.\n\n"
    "Equal studies print the same, however many work on them.",
    epilog="Example: eventide study examples/soaking_pit.py --over pits=8:12:2 -n 30 --store results",
)
def study(
    file: File,
    over: Over = None,
    replications: Replications = 1,
    workers: Workers = None,
    store: Store = None,
    shard: Shard = None,
    until: Until = None,
    entropy: Entropy = None,
    settings: Settings = None,
    time_limit: TimeLimit = None,
    out: Out = None,
    plot: Plot = None,
    response: Response = None,
    antithetic: Antithetic = False,
    until_half_width: HalfWidths = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide study`."""
    job = StudyJob(
        file, over or [], replications, workers, store, shard, until, entropy, settings or [], time_limit, out, plot,
        response, verbose, antithetic, until_half_width or (),
    )  # fmt: skip
    raise typer.Exit(job.status())


@app.command(
    help="Run the model in FILE several times, each with random numbers of its own, and print the means of its "
    "responses with their confidence intervals.",
    epilog="Example: eventide replicate examples/soaking_pit.py -n 30",
)
def replicate(
    file: File,
    replications: Replications = 10,
    workers: Workers = None,
    store: Store = None,
    shard: Shard = None,
    until: Until = None,
    entropy: Entropy = None,
    settings: Settings = None,
    time_limit: TimeLimit = None,
    out: Out = None,
    plot: Plot = None,
    response: Response = None,
    antithetic: Antithetic = False,
    until_half_width: HalfWidths = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide replicate`."""
    job = StudyJob(
        file,
        [],
        replications,
        workers,
        store,
        shard,
        until,
        entropy,
        settings or [],
        time_limit,
        out,
        plot,
        response,
        verbose,
        antithetic,
        until_half_width or (),
    )
    raise typer.Exit(job.status())


Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--over", metavar="NAME=LOW:HIGH", help="Where a parameter may be; NAME=A,B,C for choices. May be repeated."
    ),
]
MethodOf = Annotated[
    str | None,
    typer.Option(
        "--method", metavar="NAME", help="nelder-mead, powell, cobyqa, differential evolution, enumeration or tpe."
    ),
]
Evaluations = Annotated[int, typer.Option(metavar="N", min=1, help="So many points at most.")]
History = Annotated[
    Path | None, typer.Option("--out", metavar="FILE.csv", help="Write a row for each point that was evaluated.")
]
SearchPlot = Annotated[Path | None, typer.Option("--plot", metavar="FILE.png", help="Draw what was found here.")]


@app.command(
    help="Find the parameters of the model in FILE for which a response is least, in the mean over replications with "
    "the same random numbers at all points.",
    epilog="Example: eventide minimise examples/best_rate.py cost --over rate=1.2:5 -n 20 --entropy 1",
)
def minimise(
    file: File,
    response: Annotated[str, typer.Argument(metavar="RESPONSE", help="What is to be small.", show_default=False)],
    over: Ranges = None,
    replications: Replications = 1,
    method: MethodOf = None,
    evaluations: Evaluations = 200,
    workers: Workers = None,
    store: Store = None,
    until: Until = None,
    entropy: Entropy = None,
    settings: Settings = None,
    time_limit: TimeLimit = None,
    out: History = None,
    plot: SearchPlot = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide minimise`."""
    job = SearchJob(
        file, response, None, over or [], replications, method, evaluations, workers, store, until, entropy,
        settings or [], time_limit, out, plot, verbose,
    )  # fmt: skip
    raise typer.Exit(job.status())


@app.command(
    help="Find the parameters of the model in FILE for which what it records comes closest to data, and how well these "
    "settle them.",
    epilog="Example: eventide calibrate examples/cooling.py measured.csv --over loss=0.01:1 --plot fit.png",
)
def calibrate(
    file: File,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA.csv", help="A column `time`, and one for each quantity that was measured.", show_default=False
        ),
    ],
    over: Ranges = None,
    replications: Replications = 1,
    method: MethodOf = None,
    evaluations: Evaluations = 200,
    workers: Workers = None,
    store: Store = None,
    entropy: Entropy = None,
    settings: Settings = None,
    time_limit: TimeLimit = None,
    out: History = None,
    plot: SearchPlot = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide calibrate`."""
    job = SearchJob(
        file, "", data, over or [], replications, method, evaluations, workers, store, None, entropy, settings or [],
        time_limit, out, plot, verbose,
    )  # fmt: skip
    raise typer.Exit(job.status())


@app.command(
    help="Write a page of the runs in FOLDER, which a study has had as its store: what was run, means with their "
    "confidence intervals, figures, and what failed. It loads nothing, and is made without the model.",
    epilog="Example: eventide report results --out report.html",
)
def report(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The store of a study or of a search.", show_default=False)
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write the page here. Otherwise into this folder, named as FOLDER is."),
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide report`."""
    raise typer.Exit(ReportJob(folder, out, verbose).status())


@app.command(
    help="Run the model in FILE once, for long, and print what holds in the steady state: the mean of a response that "
    "is a Tally, its confidence interval by batch means, and whether the batches can be taken for independent.",
    epilog="Example: eventide batches shop.py --response wait --until 100000 --plot warm-up.png",
)
def batches(
    file: File,
    response: Annotated[
        str | None, typer.Option(metavar="NAME", help="A response that is a Tally; else the first.")
    ] = None,
    batches: Annotated[int, typer.Option(metavar="N", min=2, help="How many batches.")] = 20,
    warm_up: Annotated[
        str, typer.Option(metavar="N", help="How many values are left out at the start, or mser5, which finds it.")
    ] = "mser5",
    of: Annotated[
        str, typer.Option(metavar="WHAT", help="mean, variance, or the share of a quantile, as 0.9.")
    ] = "mean",
    until: Until = None,
    entropy: Entropy = None,
    settings: Settings = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw Welch's plot of the warm-up here.")
    ] = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide batches`."""
    job = BatchesJob(file, response, batches, warm_up, of, until, entropy, settings or [], plot, verbose)
    raise typer.Exit(job.status())


@app.command(
    help="Tell how fast the responses of the model in FILE change with its parameters.\n\n"
    "By variational equations, which are integrated with the model and go through its events, or by differences of "
    "runs with the same random numbers.",
    epilog="Example: eventide sensitivity examples/heated_room.py --wrt insulation",
)
def sensitivity(
    file: File,
    wrt: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Vary this parameter. May be repeated; otherwise all that are real numbers."),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="WAY", help="variational, or differences: central or one-sided.")
    ] = "variational",
    until: Until = None,
    entropy: Entropy = None,
    settings: Settings = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Write a row for each output and input (.csv, .parquet, .json, .db)."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw what matters most here.")] = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide sensitivity`."""
    job = SensitivityJob(file, wrt or [], cast("Way", by), until, entropy, settings or [], out, plot, verbose)
    raise typer.Exit(job.status())


@app.command(
    help="Run the tests of the requirements in FILE, print what came of them, and how each failure is replayed.\n\n"
    "The exit status is 0 if the system can be released, else 1.",
    epilog="Example: eventide verify examples/quarter_car_requirements.py --structured",
)
def verify(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A Python file with tests (ev.verify.Test) in it.", show_default=False),
    ],
    structured: Annotated[
        bool,
        typer.Option(
            "--structured", help="Units first, then integrations, then the system; stop at the first failure."
        ),
    ] = False,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE.xml", help="Write a JUnit file for continuous integration.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Write a page of its own.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write a row for each input (.csv, .parquet, .json, .db).")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Run the test of this requirement alone. May be repeated.")
    ] = None,
    case: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="With --only: the input of this number alone.")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", min=0.001, help="The status is 1 also if the tests would take longer."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Processes that run models side by side. Otherwise one."),
    ] = 1,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide verify`."""
    job = VerifyJob(file, structured, junit, html, out, only or [], case, budget, workers, verbose)
    raise typer.Exit(job.status())


@app.command(
    help="Print the class diagram of the model in FILE, or of the package PACKAGE, as text for Mermaid.",
    epilog="Example: eventide diagram examples/quarter_car.py; eventide diagram eventide.verify --out verify.mmd",
)
def diagram(
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE|PACKAGE", help="A Python file, or a dotted name as eventide.verify.", show_default=False
        ),
    ],
    out: Annotated[Path | None, typer.Option(metavar="FILE.mmd", help="Write it here.")] = None,
    verbose: Verbose = False,
) -> None:
    """Carry out `eventide diagram`."""
    raise typer.Exit(DiagramJob(what, out, verbose).status())
