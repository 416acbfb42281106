"""The best parameters of the model in a file: `eventide minimise` and `eventide calibrate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from eventide.cli.loading import model_in, set_up
from eventide.cli.options import Command, Entropy, File, Replications, Settings, Store, TimeLimit, Until, Workers
from eventide.cli.study import values_of
from eventide.cli.telling import DONE, check_outputs, say, texts_by_name, write_picture, write_table
from eventide.errors import InputError, ModelError

if TYPE_CHECKING:
    import pandas as pd

    from eventide.analysis import Calibration, Optimum
    from eventide.experiment import Model


@dataclass(frozen=True, kw_only=True)
class SearchJob(Command):
    """One call of `eventide minimise`, or of `eventide calibrate`, which has data.

    response    what is minimised; data: the file of the data
    """

    file: File
    response: Annotated[str, Argument(metavar="RESPONSE", help="What is to be small.", show_default=False)] = ""
    data: Annotated[
        Path | None,
        Argument(
            metavar="DATA.csv", help="A column `time`, and one for each quantity that was measured.", show_default=False
        ),
    ] = None
    over: Annotated[
        list[str] | None,
        Option(
            "--over", metavar="NAME=LOW:HIGH", help="Where a parameter may be; NAME=A,B,C for choices. May be repeated."
        ),
    ] = None
    replications: Replications = 1
    method: Annotated[
        str | None,
        Option(
            "--method", metavar="NAME", help="nelder-mead, powell, cobyqa, differential evolution, enumeration or tpe."
        ),
    ] = None
    evaluations: Annotated[int, Option(metavar="N", min=1, help="So many points at most.")] = 200
    workers: Workers = None
    store: Store = None
    until: Until = None
    entropy: Entropy = None
    settings: Settings = None
    time_limit: TimeLimit = None
    out: Annotated[
        Path | None, Option("--out", metavar="FILE.csv", help="Write a row for each point that was evaluated.")
    ] = None
    plot: Annotated[Path | None, Option("--plot", metavar="FILE.png", help="Draw what was found here.")] = None

    def do(self) -> int:
        """Search, tell what was found, write all evaluations, draw the picture."""
        check_outputs(self.out, self.plot)
        if self.data is not None and self.out is not None and self.out.resolve() == self.data.resolve():
            raise InputError(f"--out {self.out} is the file of the data, which would be lost: choose another name")
        texts = texts_by_name(self.settings)
        with model_in(self.file) as found:
            over = {name: _range(found, name, text) for name, text in self._ranges().items()}
            first = {name: values[0] for name, values in over.items()}
            model = set_up(found(**{name: value for name, value in first.items() if name not in found.values}), texts,
                           0.0 if self.data else self.until)  # fmt: skip
            try:
                told = self._search(model, over)
            except ModelError as error:
                raise InputError(str(error)) from None
            try:
                self._write(told)
            finally:
                say(str(told))
        return DONE

    def _search(self, model: Model[..., object], over: dict[str, Any]) -> Optimum | Calibration:
        from eventide.analysis import calibrate, minimise

        options: dict[str, Any] = {
            "replications": self.replications, "evaluations": self.evaluations, "entropy": self.entropy,
            "workers": self.workers, "store": self.store, "time_limit": self.time_limit,
        }  # fmt: skip
        if self.method is not None:
            options["method"] = self.method
        if self.data is None:
            return minimise(model, self.response, over, until=self.until, **options)
        return calibrate(model, _data_in(self.data), over, **options)

    def _ranges(self) -> dict[str, str]:
        if not self.over:
            raise InputError("give --over NAME=LOW:HIGH for each parameter that is varied, as --over rate=0.1:2.0")
        return texts_by_name(self.over, "--over", "NAME=LOW:HIGH, or NAME=A,B,C for choices")

    def _write(self, told: Optimum | Calibration) -> None:
        if self.out is not None:
            write_table(told.history, self.out, "evaluations")
        if self.plot is not None:
            write_picture(told.plot(), self.plot)


def _data_in(path: Path) -> pd.DataFrame:
    """The table in a file. Raises InputError for one that cannot be read."""
    from eventide.libraries import pandas as pd
    from eventide.observe.dumps import is_ours, load

    try:
        is_plain = path.suffix.lower() == ".csv" and not is_ours(path)
        return pd.read_csv(path, comment="#") if is_plain else load(path)
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from None


def _range(model: Model[..., object], name: str, text: str) -> Any:
    """`0.1:2.0` as a range, `a,b,c` as choices."""
    if text.count(":") == 1:
        low, high = (values_of(model, name, end)[0] for end in text.split(":"))
        return low, high
    return values_of(model, name, text)
