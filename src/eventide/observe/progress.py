"""A progress line on the terminal: simulated time, events and steps of a run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from math import inf, isfinite
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from eventide.declare.units import in_time_unit

if TYPE_CHECKING:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from eventide.simulation import Simulation

REFRESHES: Final = 4
"""How often the line is rewritten in a second."""


class Progress:
    """The simulated time, events and steps of a run, and when it may end, on the last line of the terminal.

    `with ev.Progress(sim, until=500.0): sim.run(until=500.0)`. It reads the model from a thread of its own, so a
    run is the same with and without it, bit for bit. Where standard error is no terminal it writes nothing.
    until       the end of the run; without it no end is estimated
    console     where to write; None: standard error
    clock       gives the seconds since some moment
    events      the number of events from which it counts; None: that of now, or when the block begins
    """

    def __init__(
        self,
        sim: Simulation,
        until: float = inf,
        *,
        console: Console | None = None,
        clock: Callable[[], float] = perf_counter,
        events: int | None = None,
    ) -> None:
        self.sim = sim
        self._first = events
        self.until = in_time_unit(until, sim.time_unit, "Progress(until=...)")
        self._console = console
        self._clock = clock
        self._live: Live | None = None
        self._latest = ""
        self._begin()

    def line(self) -> str:
        """The present text of the line."""
        return " | ".join(self.parts())

    def parts(self) -> list[str]:
        """The parts of the line: the time and how far that is, events, steps, how long the rest may take."""
        sim = self.sim
        elapsed = self._clock() - self._start
        moved, events = sim.time - self._time, sim.events - self._events
        unit = f" {sim.time_unit}" if sim.time_unit else ""
        parts = [f"t = {sim.time:.6g}{unit}{self._share()}", f"{events:,} events"]
        if elapsed > 0.0:
            parts[1] += f", {events / elapsed:,.0f} a second"
        if "_the_monitor" in vars(sim):
            parts.append(f"{sim.monitor.steps:,} steps")
        left = self.until - sim.time
        if moved > 0.0 and elapsed > 0.0 and isfinite(left) and left > 0.0:
            parts.append(f"{_readable(left / moved * elapsed)} left")
        return parts

    def share(self) -> float | None:
        """The fraction of the run that is done, from 0 to 1; None where no end is known."""
        whole = self.until - self._time
        return (self.sim.time - self._time) / whole if isfinite(whole) and whole > 0.0 else None

    def _share(self) -> str:
        """The same in per cent."""
        share = self.share()
        return "" if share is None else f" ({100.0 * share:.0f} %)"

    def _begin(self) -> None:
        self._start = self._clock()
        self._time = self.sim.time
        self._events = self.sim.events if self._first is None else self._first

    def _text(self) -> Text:
        from rich.text import Text

        with suppress(RuntimeError):  # the run has changed what was being counted: the next look will see it
            self._latest = self.line()
        return Text(self._latest, no_wrap=True, overflow="ellipsis")

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.live import Live

        self._begin()
        console = self._console or Console(stderr=True)
        if console.is_terminal:
            self._live = Live(console=console, get_renderable=self._text, refresh_per_second=REFRESHES, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def _readable(seconds: float) -> str:
    """A duration as one or two whole numbers."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
