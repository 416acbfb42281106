"""What came of a sensitivity analysis: how fast each output changes with each input."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from eventide.errors import ModelError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

Way: TypeAlias = Literal["variational", "central", "one-sided"]
Effect: TypeAlias = Literal["decreasing", "unchanged", "increasing", "unknown"]
EPSILON: Final = 2.0**-52
"""The least relative error that a run is taken to have."""
INSENSITIVE: Final = 1e-9
"""An output is unchanged if a change of the whole input would change it by less than this share of it."""


class Entry(NamedTuple):
    """How one output at one time changes with one input.

    sensitivity     the derivative of the output with respect to the input
    """

    output: str
    time: float
    input: str
    input_value: float
    output_value: float
    sensitivity: float

    @property
    def elasticity(self) -> float:
        """By how many per cent the output changes if the input changes by one; not a number for an output of 0."""
        return self.sensitivity * self.input_value / self.output_value if self.output_value else float("nan")

    @property
    def effect(self) -> Effect:
        """What a larger input does to the output. Source: Pannek, Simulation of mechatronic systems, Task 4.22."""
        change = self.sensitivity * (abs(self.input_value) or 1.0)
        if isnan(change):
            return "unknown"
        if abs(change) <= INSENSITIVE * (abs(self.output_value) or 1.0):
            return "unchanged"
        return "increasing" if change > 0.0 else "decreasing"


@dataclass(frozen=True)
class Sensitivity:
    """Sensitivities of the outputs of a model: `found["landing", "gravity"]`, or all of them as tables.

    subject     what was asked about
    by          how: by variational equations, or by central or one-sided differences
    entries     one for each output, time and input
    units       of outputs and inputs, as far as they are known
    warnings    what is to be known before they are used, as that events changed their order between two runs
    entropy     of the random streams: the same for all runs
    """

    subject: str
    by: Way
    entries: tuple[Entry, ...]
    units: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    entropy: int | None = None

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(dict.fromkeys(entry.output for entry in self.entries))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs."""
        return tuple(dict.fromkeys(entry.input for entry in self.entries))

    def __getitem__(self, names: tuple[str, str]) -> float:
        """The sensitivity of an output to an input, at the last time. Raises KeyError for names that are not there."""
        return self.entry(*names).sensitivity

    def entry(self, output: str, input: str, time: float | None = None) -> Entry:  # noqa: A002  # the word for it
        """All that is known of an output, with respect to an input, at a time or at the last one.

        Raises      KeyError for names and times that are not there
        """
        found = [one for one in self.entries if one.output == output and one.input == input]
        found = [one for one in found if time is None or one.time == time]
        if not found:
            known = f"outputs {', '.join(self.outputs)}; inputs {', '.join(self.inputs)}"
            when = "" if time is None else f" at {time!r}"
            raise KeyError(f"no sensitivity of {output!r} to {input!r}{when}: there are {known}")
        return found[-1]

    def to_pandas(self) -> pd.DataFrame:
        """One row for each output, time and input; `ev.save` writes these."""
        from eventide.libraries import pandas as pd

        rows = [{**one._asdict(), "elasticity": one.elasticity, "effect": one.effect} for one in self.entries]
        columns = [*Entry._fields, "elasticity", "effect"]
        frame = pd.DataFrame(rows, columns=columns)
        frame.attrs["name"] = "sensitivity"
        return frame

    @property
    def table(self) -> pd.DataFrame:
        """The sensitivities at the last time of each output: a row for each output, a column for each input."""
        return self._pivot("sensitivity")

    @property
    def elasticities(self) -> pd.DataFrame:
        """The same in per cent for each per cent, so that inputs of different units can be compared."""
        return self._pivot("elasticity")

    @property
    def effects(self) -> pd.DataFrame:
        """What a larger input does to each output: "decreasing", "unchanged", "increasing" or, of NaN, "unknown"."""
        return self._pivot("effect")

    def _pivot(self, value: str) -> pd.DataFrame:
        from eventide.libraries import pandas as pd

        cells = {name: [getattr(self.entry(output, name), value) for output in self.outputs] for name in self.inputs}
        return pd.DataFrame(cells, index=pd.Index(self.outputs, name="output"))

    def over_time(self, output: str) -> pd.DataFrame:
        """The sensitivities of one output by time: a column for each input. Raises KeyError for an unknown output."""
        self.entry(output, self.inputs[0])
        frame = self.to_pandas()
        field_of = frame[frame["output"] == output].pivot(index="time", columns="input", values="sensitivity")
        return field_of[list(self.inputs)]

    def plot(self, output: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the elasticities of all outputs as bars; or the sensitivities of one output along time."""
        from eventide.view import plot_sensitivity

        return plot_sensitivity(self, output, ax)

    def __str__(self) -> str:
        by = "variational equations" if self.by == "variational" else f"{self.by} differences"
        lines = [f"Sensitivities of {self.subject}, by {by}", "", self.table.to_string(float_format=_written)]
        return "\n".join([*lines, *(f"note: {warning}" for warning in self.warnings)])

    __repr__ = __str__  # what a notebook shows


def _written(number: float) -> str:
    return f"{number + 0.0:.7g}"  # no negative zero


def check_way(by: str) -> None:
    """Raise ModelError for a way that is none."""
    ways = ("variational", "central", "one-sided")
    if by not in ways:
        raise ModelError(f"by= takes {', '.join(map(repr, ways))}, and got {by!r}")


def check_names(asked: Iterable[str] | str, known: Iterable[str], whose: str) -> tuple[str, ...]:
    """The names of inputs that were asked for. Raises ModelError for one that is not known."""
    names, allowed = (asked,) if isinstance(asked, str) else tuple(asked), tuple(known)
    for name in names:
        if name not in allowed:
            raise ModelError(f"{whose} has no input {name!r} to vary; it has {', '.join(allowed) or 'none'}")
    return names


def share_for(error: float, by: Way) -> float:
    """The share of an input by which it is varied: where the errors of the formula and of the runs are alike."""
    share: float = max(error, EPSILON) ** (1.0 / 3.0 if by == "central" else 0.5)
    return share
