"""The steady state of one long run of the model in a file: `eventide batches`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import Option

from eventide.cli.loading import model_in, set_up
from eventide.cli.options import Command, Entropy, File, Settings, Until
from eventide.cli.telling import DONE, PICTURES, check_target, say, texts_by_name, write_picture
from eventide.errors import InputError

if TYPE_CHECKING:
    from eventide.experiment import Run
    from eventide.statistics import Tally

DEPENDENT: Final = 0.05
"""Below this chance batches are told to depend on each other."""


@dataclass(frozen=True, kw_only=True)
class BatchesJob(Command):
    """One call of `eventide batches`."""

    file: File
    response: Annotated[str | None, Option(metavar="NAME", help="A response that is a Tally; else the first.")] = None
    batches: Annotated[int, Option(metavar="N", min=2, help="How many batches.")] = 20
    warm_up: Annotated[
        str, Option(metavar="N", help="How many values are left out at the start, or mser5, which finds it.")
    ] = "mser5"
    of: Annotated[str, Option(metavar="WHAT", help="mean, variance, or the share of a quantile, as 0.9.")] = "mean"
    until: Until = None
    entropy: Entropy = None
    settings: Settings = None
    plot: Annotated[Path | None, Option(metavar="FILE.png", help="Draw Welch's plot of the warm-up here.")] = None

    def do(self) -> int:
        """Run the model once, leave out the warm-up, tell the means of batches, draw Welch's plot."""
        check_target(self.plot, "--plot", PICTURES)
        texts, of = texts_by_name(self.settings), self._of()
        with model_in(self.file) as found:
            model = set_up(found, texts, self.until)
            run = model.run(entropy=self.entropy, until=self.until)
            name, tally = self._tally(run)
            say("\n".join([f"{model!r}, entropy {run.entropy}", *self._told(name, tally, of)]))
            self._draw(name, tally)
        return DONE

    def _of(self) -> object:
        if self.of in ("mean", "variance"):
            return self.of
        try:
            share = float(self.of)
        except ValueError:
            share = 0.0
        if not 0.0 < share < 1.0:
            raise InputError(f"--of takes mean, variance or a share as 0.9, and got {self.of!r}")
        return share

    def _tally(self, run: Run[object]) -> tuple[str, Tally]:
        """The statistic that is asked for, with its name."""
        from eventide.statistics import Tally

        there = {name: one for name, one in run.statistics.items() if isinstance(one, Tally) and one.keep}
        known = ", ".join(there) or "none"
        if self.response is None and there:
            return next(iter(there.items()))
        if self.response is None or self.response not in there:
            raise InputError(
                f"batches are of a response that is a Tally, and {run.model.name} has "
                f"{'none' if self.response is None else f'no such one called {self.response!r}'}; it has: {known}"
            )
        return self.response, there[self.response]

    def _told(self, name: str, tally: Tally, of: Any) -> list[str]:
        from eventide.experiment.report import readable
        from eventide.statistics import batch_means

        values = tally.values
        cut = self._cut(name, tally)
        try:
            found = batch_means(values[cut:], batches=self.batches, of=of)
        except ValueError as error:
            raise InputError(f"{name} has {len(values) - cut} values after the warm-up: {error}") from None
        unit = f" {tally.unit}" if tally.unit else ""
        what = of if isinstance(of, str) else f"quantile {of:g}"
        lines = [
            f"{what} of {name}: {readable(found.estimate)} +- {0.5 * (found.high - found.low):.2g}{unit}, with 95 %",
            f"warm-up: {cut} of {len(values)} values left out{' by MSER-5' * (self.warm_up == 'mser5')}",
            f"batches: {found.batches} of {found.size} values",
        ]
        # MSER-5 leaves out half at most: where it takes nearly that, its least value may lie farther on.
        if self.warm_up == "mser5" and cut >= len(values) // 10 * 5 - 5:
            lines.append(
                "steady state: none is seen, as MSER-5 leaves out as many as it may: the model fills up, or takes long "
                "to forget its start; run longer (--until), or give --warm-up"
            )
        if found.independence < DEPENDENT:
            lines.append(
                f"independence: {found.independence:.2g}; the batches depend on each other, and the interval is too "
                "short: run longer (--until), or take fewer (--batches)"
            )
        else:
            lines.append(f"independence: {found.independence:.2g}; nothing speaks against it")
        return lines

    def _cut(self, name: str, tally: Tally) -> int:
        """How many values of the warm-up are left out."""
        from eventide.statistics import mser5

        if self.warm_up == "mser5":
            try:
                return mser5(tally.values)
            except ValueError as error:
                raise InputError(f"the warm-up of {name}: {error}") from None
        if not self.warm_up.isdecimal():
            raise InputError(f"--warm-up takes mser5 or a number of values, as 500, and got {self.warm_up!r}")
        return min(int(self.warm_up), tally.count)

    def _draw(self, name: str, tally: Tally) -> None:
        if self.plot is not None:
            from eventide.view import plot_warm_up

            write_picture(plot_warm_up(tally.values, label=name, unit=tally.unit), self.plot)
