"""Curves of a running simulation as a self-contained piece of HTML, drawn small and fast, for light and dark pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from math import ceil, floor, inf, isfinite, log10, nan
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from eventide.observe.curves import thinned
from eventide.view.palette import DARK, LIGHT, STROKES, Tones
from eventide.view.quantities import with_unit

if TYPE_CHECKING:
    import numpy.typing as npt

    from eventide.observe.curves import Points
    from eventide.observe.recording_base import Heading
    from eventide.observe.watching import Snapshot

WIDTH: Final = 760
"""Of a picture whose place is not known."""
NARROWEST: Final = 280
LETTER: Final = 7.0
"""How wide a letter of a tick's label is at most."""
TOP: Final = 8
RIGHT: Final = 12
"""Room above and beside the data, in pixels."""
TIMES: Final = 36
"""Room below for the labels of times."""
MARGIN: Final = 0.04
"""Room above and below a curve, in heights of it."""
FLAT: Final = 1e-10
"""What varies by less, in parts of its size, is drawn as a straight line: that is rounding."""
TINIEST: Final = 1e-280
CROWD: Final = 6
"""From this number on, components of one class are drawn as one crowd in one colour."""
COLUMNS: Final = 24_000
"""The number of columns of points of all lines of a panel together, so that many are drawn as fast as few;"""
FEWEST_COLUMNS: Final = 60
"""but each line has at least this number."""
LONGEST_LEGEND: Final = 12
DASHES: Final = {"-": "none", "--": "6 3", ":": "2 3"}
STATES: Final = {"waits": "not begun", "runs": "running", "rests": "at rest", "ended": "ended", "failed": "failed"}


class Line(NamedTuple):
    """One curve of a panel."""

    heading: Heading
    points: Points
    crowd: str = ""


def curves_as_html(snapshot: Snapshot, width: int = WIDTH) -> str:
    """The state of a run and its curves, as HTML: a panel for each unit, counts below, over one axis of time.

    width       of the place, in pixels
    """
    width = max(width, NARROWEST)
    lines = [line for line in (Line(*curve) for curve in snapshot.curves) if len(line.points.times)]
    panels: dict[tuple[bool, str], list[Line]] = {}
    for line in lines:
        panels.setdefault((line.heading.is_discrete, line.heading.unit), []).append(line)
    start = min((float(line.points.times[0]) for line in lines), default=0.0)
    end = max((float(line.points.times[-1]) for line in lines), default=0.0)
    time = Scale.over(start, end, exact=True, count=max(2, min(8, (width - 60) // 90)))
    parts = [_head(snapshot)]
    order = sorted(panels.items(), key=lambda panel: panel[0][0])
    scales = [_scale_of(panel, is_count=kind[0]) for kind, panel in order]
    left = max([8.0 + LETTER * scale.widest for scale in scales], default=40.0)
    for number, ((_, panel), values) in enumerate(zip(order, scales, strict=True)):
        is_last = number == len(order) - 1
        parts.append(_panel(panel, time, values, left, width, time_unit=snapshot.time_unit if is_last else None))
    if not lines:
        parts.append("<p>There is nothing to be seen yet.</p>")
    if snapshot.hidden:
        parts.append(f"<p>{snapshot.hidden} further curves are not shown</p>")
    return f'<div class="eventide"><style>{STYLE}</style>{"".join(parts)}</div>'


def _head(snapshot: Snapshot) -> str:
    share = snapshot.share
    bar = ""
    if share is not None:
        bar = f'<div class="bar"><i style="width:{100.0 * min(max(share, 0.0), 1.0):.1f}%"></i></div>'
    told = "".join(f"<span>{escape(part)}</span>" for part in snapshot.progress)
    title = f"<b>{escape(snapshot.title)}</b>" if snapshot.title else ""
    return f'<div class="head">{title}<span class="{snapshot.state}">{STATES[snapshot.state]}</span>{told}</div>{bar}'


# --- scales ----------------------------------------------------------------------------------------------------------


class Scale(NamedTuple):
    """The ends of an axis, and the places of its ticks."""

    low: float
    high: float
    ticks: list[float]
    labels: list[str]

    @classmethod
    def over(cls, low: float, high: float, *, exact: bool = False, whole: bool = False, count: int = 4) -> Scale:
        """An axis that holds two numbers, with a margin; exact: without; whole: with ticks at whole numbers only."""
        size = max(abs(low), abs(high))
        if not high - low > max(FLAT * size, TINIEST):
            room = 0.5 * (size if size > TINIEST else 1.0)
            low, high = low if exact else low - room, high + room
        elif not exact:
            margin = MARGIN * (high - low)
            low, high = low - margin * (low != 0.0), high + margin
        step = _step(high - low, count)
        if whole:
            step = max(step, 1.0)
        first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
        ticks = [k * step for k in range(first, last + 1)]
        return cls(low, high, ticks, _labels(ticks, step))

    @property
    def widest(self) -> int:
        """The length of the longest label."""
        return max(map(len, self.labels), default=1)

    def place(self, numbers: npt.ArrayLike, start: float, end: float) -> npt.NDArray[np.float64]:
        """The positions of numbers between two ends of a picture."""
        shares = (np.asarray(numbers, dtype=float) - self.low) / (self.high - self.low)
        return start + shares * (end - start)


def _step(span: float, count: int) -> float:
    """1, 2 or 5 times a power of ten, so that about `count` steps fill a span."""
    least = span / count
    power = 10.0 ** floor(log10(least))
    return float(next(power * digit for digit in (1.0, 2.0, 5.0, 10.0) if power * digit >= least * (1.0 - 1e-9)))


def _labels(ticks: Sequence[float], step: float) -> list[str]:
    """Short texts of numbers, in one form, that differ where the numbers do."""
    size = max(map(abs, ticks), default=0.0)
    form = f".{max(0, -floor(log10(step) + 1e-9))}f"
    if size >= 1e5 or 0.0 < size < 1e-3:
        form = f".{max(0, floor(log10(size)) - floor(log10(step) + 1e-9))}e"
    return ["0" if abs(tick) < 0.5 * step else _short(f"{tick:{form}}") for tick in ticks]


def _short(number: str) -> str:
    """A number without the zeros of its exponent."""
    mantissa, e, exponent = number.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def _scale_of(lines: Iterable[Line], *, is_count: bool) -> Scale:
    """An axis for the values of some lines; for counts from zero on."""
    low, high = (0.0, 1.0) if is_count else (inf, -inf)
    for line in lines:
        finite = line.points.values[np.isfinite(line.points.values)]
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    if not isfinite(high - low):
        low, high = (0.0, 0.0) if low > high else (max(low, -1e300), min(high, 1e300))
    return Scale.over(low, high, whole=is_count)


# --- panels ----------------------------------------------------------------------------------------------------------


def _panel(lines: list[Line], time: Scale, values: Scale, left: float, width: int, *, time_unit: str | None) -> str:
    """A legend and a picture; with the labels of the times, if their unit is given."""
    height = 120 if lines[0].heading.is_discrete else 170
    right, bottom = width - RIGHT, TOP + height
    total = bottom + (TIMES if time_unit is not None else 6)
    marks = []
    for label, y in zip(values.labels, values.place(values.ticks, bottom, TOP), strict=True):
        marks.append(f'<path class="grid" d="M{left:.1f} {y:.1f}H{right}"/>')
        marks.append(f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    for label, x in zip(time.labels, time.place(time.ticks, left, right), strict=True):
        marks.append(f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>')
        if time_unit is not None:
            marks.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{label}</text>')
    if time_unit is not None:
        named = escape(with_unit("time", time_unit))
        middle = (left + right) / 2
        marks.append(f'<text class="axis" x="{middle:.1f}" y="{bottom + 33}" text-anchor="middle">{named}</text>')
    marks.append(f'<path class="frame" d="M{left:.1f} {TOP}V{bottom}H{right}"/>')
    columns = max(min(int(right - left), COLUMNS // len(lines)), FEWEST_COLUMNS)
    paths = []
    entries = _entries(lines)
    for place, members in enumerate(entries.values()):
        kind = "line" if len(members) == 1 else "line crowd"
        for line in members:
            way = _path(line, columns, time, values, (left, right), (bottom, TOP))
            paths.append(f'<path class="{kind}" d="{way}" style="{_look(place)}"/>')
    size = f'viewBox="0 0 {width} {total}" width="{width}" height="{total}"'
    picture = f'<svg {size} role="img" aria-label="{_names(entries)}">'
    return f"{_legend(entries)}{picture}{''.join(marks)}{''.join(paths)}</svg>"


def _path(
    line: Line, columns: int, time: Scale, values: Scale, across: tuple[float, float], along: tuple[float, float]
) -> str:
    """The path of a curve, in tenths of a pixel; counts as steps, gaps left out."""
    times, numbers = thinned(line.points, columns)
    xs = time.place(times, *across)
    ys = np.clip(values.place(np.clip(numbers, values.low, values.high), *along), -1e5, 1e5)
    written: list[str] = []
    is_step, is_gap, last = line.heading.is_discrete, True, ""
    for x, y in zip(np.round(xs, 1).tolist(), np.round(ys, 1).tolist(), strict=True):
        if y != y:
            is_gap = True
            continue
        point = f"{x:g} {y:g}"
        if is_gap:
            written.append(f"M{point}")
        elif point != last:
            written.append(f"H{x:g}V{y:g}" if is_step else f"L{point}")
        is_gap, last = False, point
    return "".join(written)


def _look(place: int) -> str:
    """Colour and stroke of the line with this number, from 0."""
    count = len(LIGHT.colours)
    dashes = DASHES[STROKES[place // count % len(STROKES)]]
    return f"stroke:var(--c{place % count});stroke-dasharray:{dashes}"


def _entries(lines: list[Line]) -> dict[str, list[Line]]:
    """The lines by their names in the legend: those of a large crowd under one name."""
    sizes = Counter(line.crowd for line in lines if line.crowd)
    entries: dict[str, list[Line]] = {}
    for place, line in enumerate(lines):
        is_one_of_many = sizes[line.crowd] >= CROWD
        name = f"{line.crowd} ({sizes[line.crowd]})" if is_one_of_many else line.heading.name
        entries.setdefault(name if is_one_of_many or name not in entries else f"{name} ({place})", []).append(line)
    return entries


def _legend(lines: dict[str, list[Line]]) -> str:
    """The name, the unit and the latest value of each line; of a crowd the name and the unit."""
    entries = []
    for place, (name, (line, *others)) in enumerate(list(lines.items())[:LONGEST_LEGEND]):
        value = nan if others else float(line.points.values[-1])
        swatch = f'<svg width="22" height="10"><path class="line" d="M1 5H21" style="{_look(place)}"/></svg>'
        told = f'<span class="value">{value:.5g}</span>' if isfinite(value) else ""
        title = f' title="{escape(line.heading.description)}"' if line.heading.description else ""
        entries.append(f"<span{title}>{swatch}{escape(with_unit(name, line.heading.unit))} {told}</span>")
    if len(lines) > LONGEST_LEGEND:
        entries.append(f"<span>and {len(lines) - LONGEST_LEGEND} more</span>")
    return f'<div class="legend">{"".join(entries)}</div>'


def _names(lines: Iterable[str]) -> str:
    return escape(", ".join(list(lines)[:LONGEST_LEGEND]) + " over time")


def _variables(tones: Tones) -> str:
    colours = "".join(f"--c{k}:{colour};" for k, colour in enumerate(tones.colours))
    return f"--ground:{tones.ground};--ink:{tones.ink};--frame:{tones.frame};--grid:{tones.grid};{colours}"


STYLE: Final = f"""
.eventide{{{_variables(LIGHT)}background:var(--ground);color:var(--ink);
font:13px/1.4 system-ui,sans-serif;padding:8px 12px 10px;font-variant-numeric:tabular-nums}}
@media(prefers-color-scheme:dark){{.eventide{{{_variables(DARK)}}}}}
.eventide svg{{display:block;max-width:100%;height:auto;overflow:visible}}
.eventide text{{font-size:12px;fill:var(--ink)}}
.eventide .axis{{font-size:13px}}
.eventide path{{fill:none}}
.eventide .grid{{stroke:var(--grid);stroke-width:.8}}
.eventide .frame{{stroke:var(--frame)}}
.eventide .line{{stroke-width:1.4;stroke-linejoin:round}}
.eventide .crowd{{stroke-width:.8;opacity:.7}}
.eventide .head{{display:flex;flex-wrap:wrap;gap:2px 18px;align-items:baseline}}
.eventide .head b{{font-size:16px}}
.eventide .runs::before,.eventide .rests::before,.eventide .waits::before,
.eventide .ended::before,.eventide .failed::before{{content:"";
display:inline-block;width:9px;height:9px;border-radius:5px;margin-right:6px;background:var(--c2)}}
.eventide .rests::before,.eventide .ended::before{{background:var(--frame)}}
.eventide .failed::before{{background:var(--c1)}}
.eventide .waits::before{{background:none;border:1.5px solid var(--frame);width:7px;height:7px}}
.eventide .bar{{height:4px;border-radius:2px;background:var(--grid);margin:6px 0 2px}}
.eventide .bar i{{display:block;height:4px;border-radius:2px;background:var(--c0)}}
.eventide .legend{{display:flex;flex-wrap:wrap;gap:1px 18px;margin:10px 0 0}}
.eventide .legend span svg{{display:inline-block;vertical-align:middle;margin-right:6px}}
.eventide .value{{opacity:.75}}
.eventide p{{margin:6px 0 0}}
""".replace("\n", "")
