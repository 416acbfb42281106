"""What a contest found: as a table to read, as data to keep."""

import json
import os
import platform
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import metadata
from math import isnan
from pathlib import Path
from statistics import median
from typing import Any

from contest import Contest, Standing, spread

SCALES = [(1e6, "M "), (1e3, "k "), (1.0, "")]


def table(contest: Contest) -> str:
    """Counts and checksums first, then rates and ratios; below, whoever is missing or differs."""
    workload = contest.workload
    standings = list(contest.taking_part)
    columns = list(dict.fromkeys(key for standing in standings for key in standing.result))
    shown = _Prices(contest) if workload.price else _Rates(contest)
    head = ["contestant", *columns, *shown.head(), "first s"]
    rows = [head]
    for standing in standings:
        row = [standing.name + _marks(contest, standing)]
        row += [_number(standing.result.get(column)) for column in columns]
        rows.append([*row, *shown.cells(standing), f"{standing.first:.2f}"])
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = [f"{workload.name}: {workload.story}"]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        lines.append("  " + "  ".join(cells))
    return "\n".join([*lines, *_notes(contest)])


class _Rates:
    """Columns of what was done in a second."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        best = max((rate for one in contest.taking_part for rate in contest.rates(one)), default=1.0)
        self.scale, self.prefix = next((scale for scale in SCALES if best >= scale[0]), SCALES[-1])

    def head(self) -> list[str]:
        workload = self.contest.workload
        names = [f"x {name} (min)" for name in workload.references]
        return [f"{self.prefix}{workload.unit}/s", *names, *(["goal"] if workload.goals_rate else [])]

    def cells(self, standing: Standing) -> list[str]:
        workload = self.contest.workload
        cells = [f"{spread(self.contest.rates(standing))['median'] / self.scale:.3f}"]
        cells += [_ratio(self.contest.ratios(standing, name)) for name in workload.references]
        if workload.goals_rate:
            goal = workload.goals_rate.get(standing.name)
            cells.append(f"{goal / self.scale:g}" if goal else "")
        return cells


class _Prices:
    """Columns of how long it took: to make the model, to run it, for one unit, and as a multiple of the references."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest

    def head(self) -> list[str]:
        workload = self.contest.workload
        names = [f"time / {name} (max)" for name in workload.references]
        return ["make ms", "run ms", f"us/{workload.unit}", *names, *(["goal"] if self._has_goals() else [])]

    def cells(self, standing: Standing) -> list[str]:
        contest, workload = self.contest, self.contest.workload
        seconds = median(standing.seconds)
        cells = [f"{1e3 * median(standing.preparing):.3g}" if standing.preparing else "-", f"{1e3 * seconds:.3f}"]
        price = contest.price(standing)
        cells.append("-" if isnan(price) else f"{1e6 * price:.3g}")
        cells += [_multiple(contest.ratios(standing, name)) for name in workload.references]
        if self._has_goals():
            multiple, absolute = workload.goals.get(standing.name), workload.goals_us.get(standing.name)
            cells.append(f"{multiple:g} x" if multiple else f"{absolute:g} us" if absolute else "")
        return cells

    def _has_goals(self) -> bool:
        return bool(self.contest.workload.goals or self.contest.workload.goals_us)


def _multiple(ratios: list[float]) -> str:
    if not ratios:
        return "-"
    found = [1.0 / ratio for ratio in ratios]
    return f"{median(found):.2f} ({max(found):.2f})"


def _marks(contest: Contest, standing: Standing) -> str:
    is_smaller = standing.size != contest.workload.size_for("", is_quick=contest.is_quick)
    return ("*" if standing.has_own_draws else "") + ("'" if is_smaller else "") + ("!" if standing.wrong else "")


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,d}" if isinstance(value, int) else f"{value:.9g}"


def _ratio(ratios: list[float]) -> str:
    if not ratios:
        return "-"
    found = spread(ratios)
    return f"{found['median']:.3f} ({found['min']:.3f})"


def _notes(contest: Contest) -> Iterator[str]:
    if any(standing.has_own_draws for standing in contest.taking_part):
        yield "  * draws its own random numbers: its results are its own"
    for standing in contest.taking_part:
        if "'" in _marks(contest, standing):
            size = ", ".join(f"{name}={value:,}" for name, value in standing.size.items())
            yield f"  ' {standing.name} ran with {size}"
    for standing in contest.taking_part:
        if standing.wrong:
            yield f"  ! {standing.name} is wrong: {'; '.join(standing.wrong)}"
    for standing in contest.standings:
        if standing.trouble:
            yield f"  {standing.name} takes no part: {standing.trouble.strip().splitlines()[-1]}"
    for text in contest.disagreements:
        yield f"  DIFFERS: {text}"


def growth(contests: list[Contest]) -> Iterator[str]:
    """Where a unit should cost no more than in another workload: what it costs in both, if both were held."""
    held = {contest.workload.name: contest for contest in contests}
    for contest in contests:
        if contest.workload.no_dearer is None or contest.workload.no_dearer[0] not in held:
            continue
        other, most = held[contest.workload.no_dearer[0]], contest.workload.no_dearer[1]
        cheap = {standing.name: other.price(standing) for standing in other.taking_part}
        for standing in contest.taking_part:
            if standing.name in cheap:
                ratio = contest.price(standing) / cheap[standing.name]
                name, unit = contest.workload.name, contest.workload.unit
                than = f"as long for a {unit} as in {other.workload.name}; goal {most:g}"
                yield f"{name}: {standing.name} takes {ratio:.2f} times {than}"


def record(contests: list[Contest], *, rounds: int) -> dict[str, Any]:
    """All that was found, with the machine, the versions and the date, ready for JSON."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "rounds": rounds,
        "workloads": [_workload(contest) for contest in contests],
    }


def machine() -> dict[str, Any]:
    """What the numbers depend on besides the programs."""
    return {
        "platform": platform.platform(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "numpy": metadata.version("numpy"),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor()


def _workload(contest: Contest) -> dict[str, Any]:
    workload = contest.workload
    return {
        "name": workload.name,
        "story": workload.story,
        "unit": workload.unit,
        "price": workload.price,
        "seed": contest.seed,
        "references": list(workload.references),
        "goals": dict(workload.goals),
        "goals_us": dict(workload.goals_us),
        "goals_rate": dict(workload.goals_rate),
        "disagreements": contest.disagreements,
        "contestants": [_standing(contest, standing) for standing in contest.standings],
    }


def _standing(contest: Contest, standing: Standing) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": standing.name,
        "library": standing.contestant.library,
        "version": standing.version,
        "size": dict(standing.size),
    }
    if standing.trouble:
        return facts | {"trouble": standing.trouble}
    ratios = {name: contest.ratios(standing, name) for name in contest.workload.references}
    return facts | {
        "has_own_draws": standing.has_own_draws,
        "result": standing.result,
        "first_s": standing.first,
        "seconds": standing.seconds,
        "preparing_s": standing.preparing,
        "wrong": standing.wrong,
        "rate": spread(contest.rates(standing)),
        "ratios": {name: spread(values) | {"rounds": values} for name, values in ratios.items() if values},
        "memory_mb": standing.megabytes,
    }


def write(found: dict[str, Any], folder: Path) -> Path:
    """Keep what `record` gave as a file named by its date; a file half written never stands there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (found["date"].replace(":", "").removesuffix("+0000") + "Z.json")
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    unfinished.replace(path)
    return path
