"""Many runs of the model in a file: `eventide study` and `eventide replicate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Final

from eventide.cli.loading import model_in, set_up
from eventide.cli.options import (
    Antithetic,
    Command,
    Entropy,
    File,
    HalfWidths,
    Out,
    Over,
    Plot,
    Replications,
    Response,
    Settings,
    Shard,
    Store,
    TimeLimit,
    Until,
    Workers,
)
from eventide.cli.telling import DONE, FAILED, check_outputs, note, say, texts_by_name, write_picture, write_table
from eventide.errors import InputError, ModelError, ParameterError

if TYPE_CHECKING:
    from eventide.experiment import Model, Replication

MOST: Final = 1_000_000
"""So many values of one parameter are a slip of the pen."""


@dataclass(frozen=True, kw_only=True)
class StudyJob(Command):
    """One call of `eventide study` or `eventide replicate`."""

    file: File
    over: Over = None
    replications: Replications = 1
    workers: Workers = None
    store: Store = None
    shard: Shard = None
    until: Until = None
    entropy: Entropy = None
    settings: Settings = None
    time_limit: TimeLimit = None
    out: Out = None
    plot: Plot = None
    response: Response = None
    antithetic: Antithetic = False
    until_half_width: HalfWidths = None

    def do(self) -> int:
        """Make the runs, tell their means, write the table, draw the picture."""
        from eventide.experiment import Study

        check_outputs(self.out, self.plot)
        texts, shard, half_widths = texts_by_name(self.settings), self._shard(), self._half_widths()
        with model_in(self.file) as found:
            over = {name: values_of(found, name, text) for name, text in self._axes().items()}
            first = {name: values[0] for name, values in over.items()}
            try:
                model = found(**first)
            except ParameterError as error:
                raise InputError(str(error)) from None
            model = set_up(model, texts, self.until)
            study = Study(
                model, over, replications=self.replications, until=self.until, entropy=self.entropy,
                time_limit=self.time_limit, antithetic=self._antithetic(),
            )  # fmt: skip
            start = perf_counter()
            try:
                runs = study.run(workers=self.workers, store=self.store, shard=shard)
                self._extend(runs, half_widths)
            except KeyboardInterrupt:
                if self.store is not None:
                    note(f"stopped; what was done is in {self.store}: the same command goes on from there")
                raise
            note(f"{len(runs)} runs of {model.name} took {perf_counter() - start:.2f} s")
            try:
                self._write(runs)
            finally:
                say(str(runs))
            return FAILED if len(runs.failures) else DONE

    def _shard(self) -> tuple[int, int] | None:
        if self.shard is None:
            return None
        part, _, parts = self.shard.partition("/")
        if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
            raise InputError(f"--shard takes PART/PARTS, as 3/100, and got {self.shard!r}")
        if self.store is None:
            raise InputError("--shard needs --store, the folder in which the parts come together")
        return int(part), int(parts)

    def _antithetic(self) -> bool:
        if self.antithetic and self.replications % 2:
            raise InputError(f"--antithetic makes pairs: give an even number of replications, not {self.replications}")
        return self.antithetic

    def _half_widths(self) -> dict[str, tuple[float, bool]]:
        """By response how closely its mean is to be known, and whether in parts of it."""
        found: dict[str, tuple[float, bool]] = {}
        for told in self.until_half_width or ():
            name, equals, text = told.rpartition("=")
            is_relative = text.endswith("%")
            try:
                half_width = float(text.removesuffix("%")) / (100.0 if is_relative else 1.0)
            except ValueError:
                half_width = 0.0
            if not (name and equals and 0.0 < half_width < inf):
                raise InputError(f"--until-half-width takes NAME=WIDTH or NAME=PERCENT%, as wait=5%, and got {told!r}")
            found[name] = half_width, is_relative
        if found and self.shard is not None:
            raise InputError("--until-half-width needs all runs: leave --shard out")
        return found

    def _extend(self, runs: Replication, half_widths: Mapping[str, tuple[float, bool]]) -> None:
        for name, (half_width, is_relative) in half_widths.items():
            try:
                runs.extend_until(name, half_width, relative=is_relative, workers=self.workers)
            except ModelError as error:
                raise InputError(str(error)) from None

    def _axes(self) -> dict[str, str]:
        axes = texts_by_name(self.over, "--over", "NAME=VALUES, as --over pits=8:12:2 or pits=8,10,12")
        for name in texts_by_name(self.settings):
            if name in axes:
                raise InputError(f"{name} stands in --over and in --set: leave one of them out")
        return axes

    def _write(self, runs: Replication) -> None:
        if self.out is not None:
            write_table(runs.table, self.out)
        if self.plot is not None:
            try:
                drawn = runs.plot(self.response)
            except ModelError as error:
                raise InputError(f"{self.plot} was not drawn: {error}") from None
            write_picture(drawn, self.plot)


def values_of(model: Model[..., object], name: str, text: str) -> list[object]:
    """The values that a text gives to a parameter: `8:12:2` from 8 to 12 by 2, both ends if they fit, or `8,10,12`."""
    try:
        return [model.set_texts({name: one}).values[name] for one in _texts(text)]
    except ParameterError as error:
        raise InputError(f"--over {name}={text}: {error}") from None


def _texts(text: str) -> list[str]:
    parts = text.split(":")
    if len(parts) == 1:
        return text.split(",")
    try:
        start, stop, step = (Decimal(part) for part in (*parts, "1")[:3])
    except (InvalidOperation, ValueError):
        raise InputError(f"{text!r} is no range, which is FROM:TO:STEP, as 8:12:2") from None
    if len(parts) > 3 or not step or (stop - start) / step < 0 or (stop - start) / step > MOST:
        raise InputError(f"{text!r} is no range, which is FROM:TO:STEP, as 8:12:2, and leads from one to the other")
    # In decimals, so that 0.1 is one.
    return [f"{start + k * step:f}" for k in range(int((stop - start) / step) + 1)]
