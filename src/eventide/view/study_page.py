"""A study as a page of its own: what was run, what came of it in tables and figures, what failed and how to repeat it.

In: the results of a study, or a folder that keeps them. Out: one HTML file that loads nothing. Each figure is there
twice, for light and for dark screens; the browser shows one.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from eventide.analysis import Prediction
from eventide.errors import ModelError
from eventide.experiment.report import readable
from eventide.experiment.results import READINGS
from eventide.experiment.tables import (
    COUNTS,
    label_of,
    mean_column,
    provenance,
    responses_of,
    summary,
    units_of,
)
from eventide.experiment.told import notes, with_interval
from eventide.observe import whole_file
from eventide.verify.page import PAGE_STYLE, STYLE
from eventide.view.canvas import ThemeName, ink_words, new_figure, settings
from eventide.view.quantities import with_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eventide.experiment import Replication

Drawing: TypeAlias = "Callable[[Axes], object]"

ROWS: Final = 200
"""The most points in the table of the page; the store has them all."""
FIGURES: Final = 8
"""The most responses, and recorded quantities, that are drawn."""
FAILURES: Final = 20
"""The most failures that are listed."""
MOST_RUNS: Final = 20_000
"""Curves of more runs than these are not drawn over time."""

OWN_STYLE: Final = """
.ev h2 { font-size: 1.15em; margin: 1.8em 0 .4em; padding-top: .6em; border-top: 1px solid var(--line) }
.ev dl { display: grid; grid-template-columns: max-content 1fr; gap: .25em 1.2em; margin: .6em 0 }
.ev dt { color: var(--rest) } .ev dd { margin: 0; overflow-wrap: anywhere }
.ev .figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(30em, 100%), 1fr)); gap: 1.2em }
.ev figure { margin: 0; min-width: 0 } .ev figure img { width: 100%; height: auto; display: block }
.ev figcaption { color: var(--rest); font-size: .87em; margin-top: .2em }
.ev .wide { max-height: 38em; overflow-y: auto } .ev .wide table { width: auto; margin: 0 }
.ev .wide th { position: sticky; top: 0; background: var(--paper) } .ev .wide tbody tr:hover { background: var(--soft) }
.ev .lead { margin: .2em 0 1em } .ev details { margin: .4em 0 } .ev summary { cursor: pointer; color: var(--rest) }
.ev pre { font: 12.5px/1.4 ui-monospace, monospace; overflow-x: auto; margin: .4em 0 }
@media (max-width: 50em) { .ev .wide thead { display: table-header-group } .ev .wide table { display: table }
  .ev .wide tbody { display: table-row-group } .ev .wide tr { display: table-row }
  .ev .wide tbody td { display: table-cell; padding: .35em .7em; border-bottom: 1px solid var(--line) } }
"""


def write_study_page(runs: Replication, path: str | PathLike[str]) -> None:
    """Write the page; see `Replication.to_html`."""
    title = escape(f"Study of {runs.model.name}")
    text = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{PAGE_STYLE}{STYLE}{OWN_STYLE}</style></head>\n"
        f'<body><div class="ev">\n{_body(runs)}\n</div></body></html>\n'
    )
    with whole_file(Path(path)) as unfinished:
        unfinished.write_text(text, encoding="utf-8")


def _body(runs: Replication) -> str:
    about = getattr(runs.study, "about", {})
    failed = len(runs.failures)
    count, points, made = len(runs), len(runs.study.points.values), runs.study.replications
    said = f"{_counted(count, 'run')} at {_counted(points, 'point')}, {_counted(made, 'replication')} each"
    if count < len(runs.study):
        said += f"; {len(runs.study) - count} of {len(runs.study)} are not made yet"
    state, verdict = ("failed", f"{_counted(failed, 'run')} failed") if failed else ("passed", "no run failed")
    description = about.get("description") or (getattr(runs.model, "description", None) or runs.model.__doc__ or "")
    parts = [
        f"<h1>Study of {escape(runs.model.name)}</h1>",
        f'<p class="lead">{escape(" ".join(description.partition(chr(10) * 2)[0].split()))}</p>' if description else "",
        f'<p class="verdict">{escape(said)}; <span class="{state}">{escape(verdict)}</span></p>',
        "<h2>What was run</h2>",
        _facts(runs, about),
        "<h2>What came of it</h2>",
        _means(runs),
        _figures(runs),
        _failures(runs),
    ]
    return "\n".join(part for part in parts if part)


def _counted(number: int, noun: str) -> str:
    return f"{_grouped(number)} {noun}{'s' * (number != 1)}"


def _grouped(number: int) -> str:
    """A count, with a narrow space between thousands."""
    return f"{number:,}".replace(",", "\u202f")


# --- what was run -----------------------------------------------------------------------------------------------------


def _facts(runs: Replication, about: Any) -> str:
    study, told = runs.study, provenance(runs)
    varied = [f"{name}: {_range_of(runs, name)}" for name in study.points.varied]
    accounts = [result.account for result in runs if result.account is not None]
    versions = about.get("versions") or {name: told[name] for name in ("eventide", "numpy", "python")}
    facts = {
        "parameters, the same in all runs": told["parameters"],
        "parameters that differ": "; ".join(varied),
        "entropy": told["entropy"],
        "runs until": told["until"],
        "events": _grouped(sum(account.events for account in accounts)),
        "steps of integration": _grouped(sum(account.steps for account in accounts)),
        "made with": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "on": about.get("platform", ""),
    }
    rows = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(said))}</dd>" for name, said in facts.items() if said not in {"", "0"}
    )
    return f"<dl>{rows}</dl>"


def _range_of(runs: Replication, name: str) -> str:
    """Which values a parameter has, in words."""
    by_chance = name in runs.study.points.drawn
    values = [result.parameters[name] for result in runs] if by_chance else [
        point[name] for point in runs.study.points.values if name in point
    ]  # fmt: skip
    distinct = list(dict.fromkeys(map(label_of, values)))
    numbers = [value for value in distinct if isinstance(value, int | float) and not isinstance(value, bool)]
    is_number = len(numbers) == len(distinct)
    if is_number and len(distinct) > 8:
        said = f"{len(distinct)} values from {readable(min(numbers))} to {readable(max(numbers))}"
        return f"{said}, drawn for each replication" if by_chance else said
    return ", ".join(
        [readable(number) for number in sorted(numbers)] if is_number else [str(value) for value in distinct]
    )


# --- tables -----------------------------------------------------------------------------------------------------------


def _means(runs: Replication) -> str:
    units = units_of(runs)
    if not units:
        return '<p class="rest">No run has answered.</p>'
    frame = summary(runs, 0.95)
    keys = [str(name) for name in frame.index.names] if frame.index.nlevels > 1 or frame.index.name != "point" else []
    counts = [name for name in COUNTS if name in frame]
    heads = [*(_head(key) for key in keys or ["point"]), *(_head(name, units[name]) for name in units)]
    heads += [_head(name) for name in counts]
    rows = []
    for place, row in list(frame.iterrows())[:ROWS]:
        values = place if isinstance(place, tuple) else (place,)
        cells = [_cell(_shown(value)) for value in values]
        cells += [_cell(_mean(row[mean_column(name)], row.get(f"+- {name}"))) for name in units]
        cells += [_cell(str(int(row[name]))) for name in counts]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    more = f"<p>and {len(frame) - ROWS} points more</p>" if len(frame) > ROWS else ""
    told = "Means with their 95 % confidence intervals." if runs.study.replications > 1 else "One run at each point."
    small = "".join(f'<p class="small">{escape(note)}</p>' for note in [told, *notes(runs)])
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    return f'<div class="wide"><table>{head}\n<tbody>{"".join(rows)}</tbody></table></div>{more}{small}'


def _head(name: str, unit: str = "") -> str:
    return f'<th class="n">{escape(with_unit(name, unit))}</th>'


def _cell(text: str) -> str:
    return f'<td class="n">{escape(text)}</td>'


def _shown(value: object) -> str:
    return readable(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _mean(mean: float, half: float | None) -> str:
    return readable(mean) if half is None else with_interval(mean, half).replace("+-", "\u00b1")


# --- figures ----------------------------------------------------------------------------------------------------------


def _differ(values: Sequence[object]) -> bool:
    """Whether not all of some values are equal."""
    return any(value != values[0] for value in values[1:])


def _figures(runs: Replication) -> str:
    """Each response against the parameters, and what was recorded over time."""
    drawings: list[tuple[str, Drawing]] = [
        (name, partial(_draw_response, runs, name))
        for name in list(responses_of(runs))[:FIGURES]
        if _differ([result.responses.get(name) for result in runs])
    ]
    if len(runs) <= MOST_RUNS:
        drawings += _over_time(runs)
    found = [_figure(name, draw) for name, draw in drawings]
    return f'<div class="figures">{"".join(found)}</div>' if any(found) else ""


def _over_time(runs: Replication) -> list[tuple[str, Drawing]]:
    """Fans of what was recorded: at common times, or as readings."""
    from eventide.view.influence import plot_bands

    first = next((result for result in runs if result.tables), None)
    if first is None:
        return []
    if READINGS in first.tables:
        unit = getattr(runs.model, "time_unit", "") or ""
        prediction = Prediction(runs, tuple(runs.study.points.drawn))
        return [
            (name, partial(plot_bands, prediction.bands(name), time_unit=unit))
            for name in prediction.quantities[:FIGURES]
        ]
    if runs.study.settings.at is None:
        return []
    names = [str(column) for table in first.tables.values() for column in table.columns]
    return [(name, partial(_draw_response, runs, name, kind="fan")) for name in names[:FIGURES]]


def _draw_response(runs: Replication, name: str, axes: Axes, kind: Literal["fan"] | None = None) -> None:
    runs.plot(name, kind=kind, ax=axes)


def _figure(name: str, draw: Drawing) -> str:
    """A figure in both themes; nothing for what cannot be drawn."""
    try:
        light, dark = (_as_data(draw, theme) for theme in ("light", "dark"))
    except ModelError:
        return ""
    return (
        f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
        f'<img src="{light}" alt="{escape(name)}"></picture></figure>'
    )


def _as_data(draw: Drawing, theme: str) -> str:
    figure = new_figure(6.4, 4.0, theme=cast("ThemeName", theme))
    draw(figure.add_subplot())
    ink_words(figure)
    buffer = BytesIO()
    with settings():
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return f"data:image/svg+xml;base64,{b64encode(buffer.getvalue()).decode()}"


# --- failures ---------------------------------------------------------------------------------------------------------


def _failures(runs: Replication) -> str:
    failed = [(result.number, result.failure) for result in runs if result.failure is not None]
    if not failed:
        return ""
    told = [
        f"<section><p><b>run {number}</b> {escape(str(failure))}<br><code>{escape(failure.replay)}</code></p>"
        f"<details><summary>traceback</summary><pre>{escape(failure.traceback)}</pre></details></section>"
        for number, failure in failed[:FAILURES]
    ]
    more = [f"<p>and {len(failed) - FAILURES} more</p>"] if len(failed) > FAILURES else []
    lines: Sequence[str] = ["<h2>What failed, and the line that repeats it</h2>", *told, *more]
    return "\n".join(lines)
