"""Commands of the command line as classes: each field is an option, which is declared once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Signature, signature
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

import typer

from eventide.cli.telling import status_of

app: Final = typer.Typer(
    help="Run models of combined simulation: processes that live by events, states that move between them.",
    epilog="Example: eventide run examples/soaking_pit.py --entropy 1",
    add_completion=False,
    pretty_exceptions_enable=False,
)


def time_in(text: str) -> float:
    """A time that was typed; raises what typer expects for one that is none."""
    time = _number_in(text)
    if not isfinite(time) or time < 0.0:
        raise typer.BadParameter(f"{text!r} is no time, which is a number from 0 on")
    return time


def _number_in(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def entropy_in(text: str) -> int:
    """An entropy that was typed; raises what typer expects for one that is none."""
    if not (text.isascii() and text.isdigit()):
        raise typer.BadParameter(f"{text!r} is no entropy, which is a whole number from 0 on")
    return int(text)


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
Until = Annotated[float | None, typer.Option(metavar="T", parser=time_in, help="Stop each run at this simulated time.")]
Entropy = Annotated[
    int | None,
    typer.Option(metavar="N", parser=entropy_in, help="Where all randomness comes from: the same N, the same results."),
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


@dataclass(frozen=True, kw_only=True)
class Command(ABC):
    """A command: what was typed, and what is done.

    verbose     whether tracebacks are whole
    """

    verbose: Verbose = False

    @abstractmethod
    def do(self) -> int:
        """Do it; returns the exit status."""

    def status(self) -> int:
        """Do it and tell what went wrong, if anything did; returns the exit status."""
        return status_of(self.do, verbose=self.verbose)


def register(
    name: str, kind: type[Command], help_: str, example: str, *, without: Sequence[str] = (), **defaults: object
) -> None:
    """Let a name call a command, whose fields are its options.

    without     fields that are no options under this name
    defaults    of fields, where they differ under this name; `Parameter.empty` for one that is required
    """
    hints, (verbose, *others) = get_type_hints(kind, include_extras=True), signature(kind).parameters.values()
    parameters = [
        one.replace(annotation=hints[one.name], default=defaults.get(one.name, one.default))
        for one in (*others, verbose)
        if one.name not in without
    ]

    def carry_out(**options: Any) -> None:
        raise typer.Exit(kind(**options).status())

    carry_out.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    app.command(name, help=help_, epilog=f"Example: {example}")(carry_out)
