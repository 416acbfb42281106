"""A gallery: every kind of figure, light and dark, wide and in a column, on one page.

Covers:   recordings of states, counts and objects that come and go, stays at resources, all figures of `eventide.view`.
Usage:    python examples/gallery.py gallery   # writes gallery/index.html and its pictures
"""

from __future__ import annotations

import sys
from html import escape
from math import pi
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd
from bouncing_ball import Ball
from matplotlib.figure import Figure
from soaking_pit import soaking_pit

import eventide as ev
from eventide import view


class Drawing(Protocol):
    """Draws one kind of figure; its docstring is the caption."""

    def __call__(self, figure: Figure) -> None: ...


# The rows of the data dump in Pannek, Simulation of mechatronic systems, table 4.3.
DUMP = """
5,5,5 2,3,7 1,2,8 0,0,8 2,0,10 3,0,11 2,-1,12 2,-1,12 2,-1,13 -1,-1,13 -2,-2,13 -4,-2,13 -4,-2,12 -5,-2,12 -5,-2,11
-5,-2,11 -6,-2,11 -6,-3,10 -6,-3,9 -5,-3,8 -5,-3,7 -5,-3,6 -4,-3,6 -2,-3,5 -2,-3,5 -2,-4,6
"""


class Pendulum(ev.Continuous):
    """Swings with friction; it may turn over."""

    angle: ev.State = ev.state(unit="rad")
    speed: ev.State = ev.state(unit="rad/s")
    friction: float = 0.25

    def equations(self) -> None:
        self.rate.angle = self.speed
        self.rate.speed = -np.sin(self.angle) - self.friction * self.speed


class Lorenz(ev.Continuous):
    """Convection in a layer of air. Source: Lorenz 1963, J. Atmos. Sci. 20."""

    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(1.0)
    z: ev.State = ev.state(20.0)

    def equations(self) -> None:
        self.rate.x = 10.0 * (self.y - self.x)
        self.rate.y = self.x * (28.0 - self.z) - self.y
        self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z


def example_dump() -> pd.DataFrame:
    """The example of a data dump in the lecture notes."""
    rows = [[float(number) for number in row.split(",")] for row in DUMP.split()]
    frame = pd.DataFrame(rows, columns=["x1", "x2", "x3"]).rename_axis("t")
    frame.attrs["units"] = {"t": "s", "x1": "m", "x2": "m", "x3": "m"}
    return frame


def flight() -> ev.Recording:
    """A ball that bounces."""
    sim = ev.Simulation(time_unit="s")
    trace = sim.record(Ball(sim, name="ball", restitution=0.8).start(), every=0.01)
    sim.run(until=9.0)
    return trace


def swing(angle: float, speed: float, end: float = 30.0) -> ev.Recording:
    """A pendulum from a start of its own."""
    sim = ev.Simulation(time_unit="s")
    trace = sim.record(Pendulum(sim, name="pendulum", angle=angle, speed=speed).start(), every=0.02)
    sim.run(until=end)
    return trace


def attractor() -> ev.Recording:
    """Forty seconds of the Lorenz system."""
    sim = ev.Simulation(time_unit="s")
    trace = sim.record(Lorenz(sim, name="air").start(), every=0.01)
    sim.run(until=40.0)
    return trace


class Shop:
    """A shop with a row before two desks and one cashier."""

    def __init__(self) -> None:
        self.sim = ev.Simulation(rng=3, time_unit="min")
        self.desks = ev.Resource(self.sim, 2, name="desks")
        self.till = ev.Resource(self.sim, 1, name="till")
        self.log = ev.Occupancy(self.sim, self.desks, self.till)
        self.counts = self.sim.record(self.desks, self.till, every="event", name="counts")
        self.times = ev.Tally("time in the shop", unit="min")
        self.sim.process(self.door(), name="door")
        self.sim.run(until=25.0)

    def door(self) -> ev.ProcessGenerator:
        for number in range(1, 15):
            self.sim.process(self.customer(), name=f"customer {number}")
            yield self.sim.stream("gaps").exponential(1.6)

    def customer(self) -> ev.ProcessGenerator:
        came = self.sim.time
        yield from self.desks.use(self.sim.stream("advice").exponential(3.0))
        yield from self.till.use(self.sim.stream("till").uniform(0.5, 1.5))
        self.times.add(self.sim.time - came)


def draw_time(figure: Figure) -> None:
    """A recording over time, with its events marked where they left a trace."""
    upper, lower = figure.subplots(2, sharex=True)
    trace = flight()
    trace.plot(upper, ["ball.height"])
    trace.plot(lower, ["ball.velocity"])
    view.mark_events(lower, trace)
    upper.set_xlabel("")


def draw_points(figure: Figure) -> None:
    """A time series as points."""
    view.plot_series(example_dump(), linked=False, ax=figure.subplots())


def draw_linked(figure: Figure) -> None:
    """Trajectories: the points of a time series linked in the order of time."""
    view.plot_series(example_dump(), ax=figure.subplots())


def draw_marks(figure: Figure) -> None:
    """Events marked with words of their own."""
    axes = view.plot_series(swing(2.8, 0.0, 20.0), ["pendulum.angle"], ax=figure.subplots())
    view.mark_events(axes, [5.0, 12.5], ["a gust", "a second one"])


def draw_cloud(figure: Figure) -> None:
    """A point cloud, coloured by the time."""
    view.plot_cloud(example_dump(), "x1", "x3", colour_by="t", ax=figure.subplots())


def draw_cloud_in_space(figure: Figure) -> None:
    """A point cloud in space."""
    axes = figure.add_subplot(projection="3d")
    view.plot_cloud(example_dump(), "x1", "x2", "x3", colour_by="t", ax=axes)


def draw_trajectory(figure: Figure) -> None:
    """A trajectory through the plane of two states; each bounce is a jump."""
    view.plot_trajectory(flight(), "ball.height", "ball.velocity", ax=figure.subplots())


def draw_trajectory_in_space(figure: Figure) -> None:
    """A trajectory in space: the Lorenz attractor."""
    axes = figure.add_subplot(projection="3d")
    view.plot_trajectory(attractor(), "air.x", "air.y", "air.z", ax=axes)


def draw_phase(figure: Figure) -> None:
    """A phase portrait: the flow of a pendulum with friction, and three trajectories."""
    view.plot_phase(
        lambda angle, speed: (speed, -np.sin(angle) - 0.25 * speed),
        (-pi, 3.0 * pi),
        (-3.0, 3.0),
        trajectories=[
            (trace["pendulum.angle"], trace["pendulum.speed"])
            for trace in (swing(-3.1, 2.0), swing(2.0, 2.5), swing(-2.0, 0.0))
        ],
        labels=("angle [rad]", "speed [rad/s]"),
        ax=figure.subplots(),
    )


def draw_boxes(figure: Figure) -> None:
    """Box plots; x2 has two outliers, 3 and 5."""
    view.plot_boxes(example_dump(), ax=figure.subplots())


def draw_histogram(figure: Figure) -> None:
    """A histogram."""
    stream = ev.Simulation(rng=1).stream("service")
    tally = ev.Tally("service time", unit="min")
    for _ in range(2000):
        tally.add(stream.gamma(3.0, 2.0))
    view.plot_histogram(tally, ax=figure.subplots())


def draw_gantt(figure: Figure) -> None:
    """A Gantt chart: who waited for what, and who had it."""
    Shop().log.plot(figure.subplots())


def draw_counts(figure: Figure) -> None:
    """Counts over time."""
    Shop().counts.plot(figure.subplots())


def draw_plant(figure: Figure) -> None:
    """The default picture of a run: a panel for each unit, counts below."""
    run = soaking_pit(hours=120.0).run(entropy=2)
    view.plot_recordings(run.recordings, figure, time_unit="h")


FIGURES: dict[str, Drawing] = {
    name.removeprefix("draw_").replace("_", " "): function
    for name, function in list(globals().items())
    if name.startswith("draw_")
}


def page(folder: Path) -> None:
    """Write the page that shows all pictures; the dark ones where the reader's machine is set to dark."""
    parts = []
    for name, draw in FIGURES.items():
        pictures = "".join(
            f'<picture><source srcset="{escape(stem)}-dark.png" media="(prefers-color-scheme: dark)">'
            f'<img src="{escape(stem)}.png" alt="{escape(name)}" width="{width}"></picture>'
            for stem, width in ((name, 700), (f"{name}-column", 350))
        )
        parts.append(f"<figure><figcaption>{escape(draw.__doc__ or name)}</figcaption>{pictures}</figure>")
    text = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>eventide: gallery</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font-family: sans-serif; margin: 2rem auto; max-width: 68rem; background: light-dark(white, #14181d); }}
figure {{ margin: 0 0 2rem; }}
figcaption {{ margin-bottom: 0.5rem; }}
img {{ height: auto; margin-right: 1rem; vertical-align: top; }}
</style></head><body><h1>Figures of eventide</h1>
{chr(10).join(parts)}
</body></html>
"""
    (folder / "index.html").write_text(text, encoding="utf-8")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in FIGURES.items():
        for theme, ending in (("light", ""), ("dark", "-dark")):
            for width, kind in ((7.0, ""), (3.5, "-column")):
                figure = view.new_figure(width, 4.5 if width > 4.0 else 3.4, theme=theme)
                draw(figure)
                view.save(figure, folder / f"{name}{kind}{ending}.png")
    page(folder)
    print(f"{len(FIGURES)} figures in {folder / 'index.html'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "gallery"))
