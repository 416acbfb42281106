"""What matters in the model in a file: `eventide sensitivity`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

from typer import Option

from eventide.cli.loading import model_in, set_up
from eventide.cli.options import Command, Entropy, File, Settings, Until
from eventide.cli.telling import DONE, check_outputs, say, texts_by_name, write_picture, write_table
from eventide.errors import InputError, ModelError

if TYPE_CHECKING:
    from eventide.analysis.sensitivity import Sensitivity
    from eventide.analysis.sensitivity.results import Way


@dataclass(frozen=True, kw_only=True)
class SensitivityJob(Command):
    """One call of `eventide sensitivity`."""

    file: File
    wrt: Annotated[
        list[str] | None,
        Option(metavar="NAME", help="Vary this parameter. May be repeated; otherwise all that are real numbers."),
    ] = None
    by: Annotated[str, Option(metavar="WAY", help="variational, or differences: central or one-sided.")] = "variational"
    until: Until = None
    entropy: Entropy = None
    settings: Settings = None
    out: Annotated[
        Path | None,
        Option(metavar="FILE.csv", help="Write a row for each output and input (.csv, .parquet, .json, .db)."),
    ] = None
    plot: Annotated[Path | None, Option(metavar="FILE.png", help="Draw what matters most here.")] = None

    def do(self) -> int:
        """Find the sensitivities, tell them, write the table, draw the picture."""
        from eventide.analysis.sensitivity import sensitivity

        check_outputs(self.out, self.plot)
        texts = texts_by_name(self.settings)
        with model_in(self.file) as found:
            model = set_up(found, texts, self.until)
            try:
                told = sensitivity(
                    model,
                    tuple(self.wrt or ()) or None,
                    by=cast("Way", self.by),
                    until=self.until,
                    entropy=self.entropy,
                )
            except ModelError as error:
                raise InputError(str(error)) from None
            try:
                self._write(told)
            finally:
                say(f"{told}\n\nChange of the output in % for 1 % more:\n{told.elasticities.to_string()}")
        return DONE

    def _write(self, told: Sensitivity) -> None:
        if self.out is not None:
            write_table(told, self.out)
        if self.plot is not None:
            write_picture(told.plot(), self.plot)
