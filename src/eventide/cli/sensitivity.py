"""What matters in the model in a file: `eventide sensitivity`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eventide.cli.loading import model_in, set_up
from eventide.cli.telling import DONE, PICTURES, check_target, note, say, status_of, texts_by_name, writing
from eventide.errors import InputError, ModelError

if TYPE_CHECKING:
    from eventide.analysis.sensitivity import Sensitivity
    from eventide.analysis.sensitivity.results import Way


@dataclass(frozen=True)
class SensitivityJob:
    """One call of `eventide sensitivity`."""

    file: Path
    wrt: Sequence[str]
    by: Way
    until: float | None
    entropy: int | None
    settings: Sequence[str]
    out: Path | None
    plot: Path | None
    verbose: bool

    def status(self) -> int:
        """Do it and tell what went wrong, if anything did; answers the exit status."""
        return status_of(self.do, verbose=self.verbose)

    def do(self) -> int:
        """Find the sensitivities, tell them, write the table, draw the picture."""
        from eventide.analysis.sensitivity import sensitivity

        check_target(self.out, "--out")
        check_target(self.plot, "--plot", PICTURES)
        texts = texts_by_name(self.settings)
        with model_in(self.file) as found:
            model = set_up(found, texts, self.until)
            try:
                told = sensitivity(
                    model,
                    tuple(self.wrt) or None,
                    by=self.by,
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
            from eventide.observe.dumps import has_format, save

            with writing(self.out):
                save(told, self.out, ending="" if has_format(self.out) else ".csv")
            note(f"results written to {self.out}")
        if self.plot is not None:
            from eventide.view import save as save_figure

            figure = told.plot().get_figure()
            with writing(self.plot):
                save_figure(figure, self.plot)  # type: ignore[arg-type]  # axes of our own are in a figure
            note(f"picture written to {self.plot}")
