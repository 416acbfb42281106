"""The system itself, moved by a recording: as a GIF, or as a page with a button and a slider.

Source: Pannek, Simulation of mechatronic systems, figure 4.8: results mapped to the parts of a graphical model.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from json import dumps
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from eventide.data import sample
from eventide.declare.units import in_time_unit
from eventide.errors import ModelError
from eventide.observe import PopulationRecording, Recording, whole_file
from eventide.view.canvas import THEMES, Theme, ThemeName, ink_words, new_figure, settings

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.figure import Figure

    from eventide.view.quantities import AnyRecording

Scene: TypeAlias = "Callable[[Figure], Callable[[Moment], object]]"
"""Draws what does not move once, and returns the function that moves the rest to a moment."""

DOTS_PER_INCH: Final = 100
MOST_FRAMES: Final = 5000
"""More than three minutes: a speed that was mistyped would fill the disk."""


class Moment:
    """What was recorded, at one time: `moment["ball.height"]`.

    time        of the moment
    frame       the number of the frame, from 0
    """

    def __init__(self, data: FrameData, frame: int) -> None:
        self.frame = frame
        self.time = float(data.times[frame])
        self._data = data

    def __getitem__(self, name: str) -> float:
        """The value of a recorded quantity; NaN before and after its recording. Raises KeyError if it is not there."""
        column = self._data.columns.get(name)
        if column is None:
            known = ", ".join(self._data.columns) or "none"
            raise KeyError(f"no recording of the animation has {name!r}; there are: {known}")
        return float(column[self.frame])

    def components(self, recording: str) -> dict[str, dict[str, float]]:
        """Of the recording of a class, by its name: the components that are there now, and their quantities by name."""
        people = self._data.populations.get(recording)
        if people is None:
            known = ", ".join(self._data.populations) or "none"
            raise KeyError(f"the animation has no recording {recording!r} of a class; there are: {known}")
        present = {}
        for component, columns in people.items():
            values = {name: float(column[self.frame]) for name, column in columns.items()}
            if not any(value != value for value in values.values()):
                present[component] = values
        return present


class FrameData:
    """All recorded quantities at the times of the frames."""

    def __init__(self, recordings: Sequence[AnyRecording], times: npt.NDArray[np.float64]) -> None:
        self.times = times
        self.columns: dict[str, npt.NDArray[np.float64]] = {}
        self.populations: dict[str, dict[str, dict[str, npt.NDArray[np.float64]]]] = {}
        for recording in recordings:
            if isinstance(recording, PopulationRecording):
                self.populations[recording.name] = {
                    component: {name: sample(series.times, data, times) for name, data in series.values.items()}
                    for component, series in recording.series().items()
                }
            else:
                frame = recording.at(times)
                self.columns.update({str(name): frame[name].to_numpy() for name in frame.columns})


def animate(
    recordings: AnyRecording | Sequence[AnyRecording],
    scene: Scene,
    path: str | PathLike[str],
    *,
    speed: float = 1.0,
    frames_per_second: int = 25,
    start: float | None = None,
    end: float | None = None,
    width: float = 7.0,
    height: float = 4.5,
    theme: ThemeName = "light",
) -> int:
    """Write an animation of a system; returns its number of frames.

    recordings          of the run, or one of them; a recording of a class gives the components that start and stop
    scene               takes an empty figure, draws what does not move, and returns a function that takes a `Moment`
                        and moves the rest; moments come in the order of time
    path                of a file that ends in .gif, or in .html for a page that needs nothing else
    speed               simulated time for each second of the picture
    frames_per_second   at most 50, which is the most that a GIF can show
    start, end          its times; None: the whole recording
    Raises              ModelError for another ending, for nothing recorded, or for frames without end
    """
    target = Path(path)
    write = {".gif": _write_gif, ".html": _write_page}.get(target.suffix.lower())
    if write is None:
        raise ModelError(f"a moving picture cannot be saved as {str(target)!r}: its name must end in .gif, .html")
    chosen = [recordings] if isinstance(recordings, Recording | PopulationRecording) else list(recordings)
    data = FrameData(chosen, _frame_times(chosen, speed, frames_per_second, start, end))
    figure = new_figure(width, height, theme=theme)
    with settings(), whole_file(target) as unfinished:
        write(unfinished, _pictures(figure, scene(figure), data), Timing(data.times, frames_per_second, THEMES[theme]))
    return len(data.times)


class Timing(NamedTuple):
    """What the file has to know beside the pictures: the time of each, how many a second show, and their colours."""

    times: npt.NDArray[np.float64]
    rate: int
    theme: Theme


def _frame_times(
    recordings: Sequence[AnyRecording], speed: float, rate: int, start: float | None, end: float | None
) -> npt.NDArray[np.float64]:
    if not speed > 0.0 or not 1 <= rate <= 50:
        raise ModelError(f"an animation takes speed > 0 and 1 to 50 frames_per_second, and got {speed!r} and {rate!r}")
    times = [recording.times for recording in recordings if len(recording)]
    unit = recordings[0].sim.time_unit if recordings else ""
    start, end = in_time_unit(start, unit, "start="), in_time_unit(end, unit, "end=")
    if not times:
        raise ModelError("there is nothing to move: the recordings are empty, or none was given")
    first = min(float(t[0]) for t in times) if start is None else start
    last = max(float(t[-1]) for t in times) if end is None else end
    count = int((last - first) * rate / speed + 1e-9) + 1
    if not 1 <= count <= MOST_FRAMES:
        raise ModelError(
            f"an animation from {first!r} to {last!r} at speed={speed!r} has {max(count, 0)} frames, and 1 to "
            f"{MOST_FRAMES} are allowed: give another speed=, the simulated time for each second of the picture"
        )
    found: npt.NDArray[np.float64] = first + np.arange(count) * speed / rate
    return found


def _pictures(figure: Figure, move: Callable[[Moment], object], data: FrameData) -> Iterator[Image.Image]:
    """The frames one by one, each with a palette of its own: few of them are ever in memory."""
    figure.set_dpi(DOTS_PER_INCH)
    canvas: Any = FigureCanvasAgg(figure)
    for frame in range(len(data.times)):
        move(Moment(data, frame))
        if frame == 0:
            ink_words(figure)
            canvas.draw()
            # From now on every part stays where it is, whatever the words beside it are.
            figure.set_layout_engine("none")
        canvas.draw()
        size = canvas.get_width_height()
        picture = Image.frombuffer("RGBA", size, canvas.buffer_rgba(), "raw", "RGBA", 0, 1).convert("RGB")
        yield picture.quantize(colors=256, dither=Image.Dither.NONE)


def _write_gif(path: Path, pictures: Iterator[Image.Image], timing: Timing) -> None:
    duration = round(1000 / timing.rate)
    next(pictures).save(path, format="GIF", save_all=True, append_images=pictures, duration=duration, loop=0)


def _write_page(path: Path, pictures: Iterator[Image.Image], timing: Timing) -> None:
    head, tail = PAGE.replace("GROUND", timing.theme.ground).replace("INK", timing.theme.ink).split("FRAMES")
    told = dumps([float(f"{time:.6g}") for time in timing.times])
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        for picture in pictures:
            packed = BytesIO()
            picture.save(packed, format="PNG", optimize=True)
            file.write(f'"{b64encode(packed.getvalue()).decode()}",\n')
        file.write(tail.replace("TIMES", told).replace("PAUSE", str(1000 / timing.rate)))


PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>eventide</title>
<style>
body { font-family: sans-serif; background: GROUND; color: INK; margin: 1rem; }
img { display: block; max-width: 100%; }
div { display: flex; gap: 0.75rem; align-items: center; max-width: 44rem; }
input { flex: 1; }
output { min-width: 6rem; font-variant-numeric: tabular-nums; }
</style></head><body>
<img id="picture" alt="the system as it moves">
<div><button id="button" type="button">Pause</button>
<input id="slider" type="range" min="0" value="0" aria-label="time">
<output id="time"></output></div>
<script>
const frames = [
FRAMES];
const times = TIMES;
const picture = document.getElementById("picture"), button = document.getElementById("button");
const slider = document.getElementById("slider"), time = document.getElementById("time");
let frame = 0, moves = true;
slider.max = frames.length - 1;
function show(number) {
  frame = number;
  picture.src = "data:image/png;base64," + frames[frame];
  slider.value = frame;
  time.textContent = "t = " + times[frame];
}
button.addEventListener("click", () => { moves = !moves; button.textContent = moves ? "Pause" : "Play"; });
slider.addEventListener("input", () => { moves = false; button.textContent = "Play"; show(Number(slider.value)); });
setInterval(() => { if (moves) show((frame + 1) % frames.length); }, PAUSE);
show(0);
</script></body></html>
"""


def zigzag(
    start: tuple[float, float], end: tuple[float, float], *, coils: int = 6, width: float = 0.1
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The x and the y of a spring between two points, for `line.set_data(*zigzag(...))`; its ends are straight."""
    along = np.array([0.0, 0.12, *np.linspace(0.12, 0.88, 2 * coils + 2)[1:-1], 0.88, 1.0])
    across = np.array([0.0, 0.0, *(width / 2.0 * (-1.0) ** np.arange(2 * coils)), 0.0, 0.0])
    (x0, y0), (x1, y1) = start, end
    length = float(np.hypot(x1 - x0, y1 - y0)) or 1.0
    right = ((y0 - y1) / length, (x1 - x0) / length)
    return x0 + along * (x1 - x0) + across * right[0], y0 + along * (y1 - y0) + across * right[1]
