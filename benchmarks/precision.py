"""Work-precision curves: how many evaluations, and how much time, an error costs, drawn and as a table.

make bench ARGS="precision"
make bench ARGS="precision kepler-0.9 lorenz --only eventide,scipy"

Each solver runs each problem at tolerances of 1e-3 down to 1e-12. The error is the largest of a state at the end, the
time the processor's for the run alone, the least of three. Solvers in Python (SciPy, SUNDIALS by scikit-sundae) are
given the right-hand side as native code by numba. A Taylor method has no evaluations to count.
"""

import json
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, log
from pathlib import Path
from time import process_time
from typing import Any

from reference import PROBLEMS
from solvers import SOLVERS, Solver

RESULTS = Path(__file__).resolve().parent / "results"
TOLERANCES = [10.0**-k for k in range(3, 13)]
QUICK = [1e-4, 1e-8]
REPEATS = 3
ERRORS = (1e-4, 1e-6, 1e-8)
"""The table says what these cost."""
LONGEST = 10.0
"""Seconds after which a solver is spared tighter tolerances."""


@dataclass(frozen=True)
class Point:
    """One run: its tolerance, its error, and what it took; no evaluations where they are not counted."""

    tolerance: float
    error: float
    evaluations: int | None
    seconds: float


Curve = list[Point]


def measure(solver: Solver, name: str, tolerances: Sequence[float], repeats: int) -> Curve:
    """A solver's runs of one problem, from coarse to tight; those that fail are left out, and said so."""
    curve = []
    for tolerance in tolerances:
        try:
            point = _run(solver, name, tolerance, repeats)
        except Exception as error:  # noqa: BLE001  # whatever a peer raises
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            print(f"{solver.name} on {name} at {tolerance:.0e}: {reason[:100]}", file=sys.stderr)
            continue
        if isfinite(point.error):
            curve.append(point)
        if point.seconds > LONGEST:
            break
    return curve


def _run(solver: Solver, name: str, tolerance: float, repeats: int) -> Point:
    problem, least = PROBLEMS[name], float("inf")
    for _ in range(repeats):
        trial = solver.prepare(name, problem, tolerance)
        begin = process_time()
        state, evaluations = trial()
        least = min(least, process_time() - begin)
        if least > LONGEST / repeats:
            break
    return Point(tolerance, problem.error(state), evaluations, least)


def cost_of(curve: Curve, error: float, measure: str) -> float | None:
    """What an error costs, between two points in logarithms; None where the curve does not go from above it to below.

    Where a curve goes up and down, the first way down counts.
    """
    known = [(p.error, getattr(p, measure)) for p in curve if getattr(p, measure) is not None and p.error > 0.0]
    for (high, cheap), (low, dear) in pairwise(known):
        if high > error >= low:
            share = log(high / error) / log(high / low)
            return float(cheap * (dear / cheap) ** share) if cheap > 0.0 else None
    return None


def table(name: str, curves: dict[str, Curve]) -> str:
    """What errors cost with each solver: evaluations, and milliseconds."""
    titles = [f"{error:.0e}" for error in ERRORS]
    lines = [
        name,
        f"  {'':24}" + f"{'evaluations for an error of':>30}" + f"{'milliseconds for it':>32}",
        f"  {'':24}" + "".join(f"{title:>10}" for title in titles) + "  " + "".join(f"{title:>10}" for title in titles),
    ]
    for solver, curve in curves.items():
        calls = [cost_of(curve, error, "evaluations") for error in ERRORS]
        times = [cost_of(curve, error, "seconds") for error in ERRORS]
        lines.append(
            f"  {solver:24}"
            + "".join(f"{'-' if call is None else f'{call:,.0f}':>10}" for call in calls)
            + "  "
            + "".join(f"{'-' if time is None else f'{1e3 * time:,.3g}':>10}" for time in times)
        )
    return "\n".join(lines)


def draw(found: dict[str, dict[str, Curve]], measure: str, label: str, path: Path) -> None:
    """One picture for each problem, an error against what it took, in logarithms."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    figure = Figure(figsize=(5.2 * columns, 3.8 * rows))
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False)
    handles: dict[str, Any] = {}
    for axis, (name, curves) in zip(axes.flat, found.items(), strict=False):
        for solver in SOLVERS:
            points = [p for p in curves.get(solver.name, []) if getattr(p, measure) is not None and p.error > 0.0]
            if points:
                xs, ys = [p.error for p in points], [getattr(p, measure) for p in points]
                (line,) = axis.loglog(xs, ys, solver.style, color=solver.color, linewidth=1.3, markersize=4)
                handles[solver.name] = line
        axis.set_title(name, fontsize=11)
        axis.invert_xaxis()
        axis.grid(visible=True, which="major", color="0.9")
        axis.set_xlabel("error at the end")
        axis.set_ylabel(label)
    for axis in list(axes.flat)[len(found) :]:
        axis.set_visible(False)
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0.0, 0.9 / (3.8 * rows), 1.0, 1.0))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)


def chosen(arguments: list[str]) -> Namespace:
    """What the command line asks for; ends the program if it asks for something unknown."""
    parser = ArgumentParser(prog="bench precision", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument(
        "problems", nargs="*", metavar="PROBLEM", help=f"of {', '.join(PROBLEMS)}; all if none is named"
    )
    parser.add_argument("--only", default="", help="libraries or solvers that take part, as in eventide,scipy")
    parser.add_argument("--quick", action="store_true", help="two tolerances, once, to see that everything works")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the pictures and the JSON file")
    options = parser.parse_args(arguments)
    for name in options.problems:
        if name not in PROBLEMS:
            parser.error(f"there is no problem {name!r}; there are {', '.join(PROBLEMS)}")
    known = {each for solver in SOLVERS for each in (solver.name, solver.library)}
    wanted = [name for name in options.only.split(",") if name]
    for name in wanted:
        if name not in known:
            parser.error(f"there is no solver {name!r}; there are {', '.join(sorted(known))}")
    options.solvers = [s for s in SOLVERS if not wanted or s.name in wanted or s.library in wanted]
    return options


def main(arguments: list[str]) -> int:
    options = chosen(arguments)
    missing = {solver.library: solver.missing() for solver in options.solvers}
    for library, reason in missing.items():
        if reason:
            print(f"{library} is left out: {reason}", file=sys.stderr)
    solvers = [solver for solver in options.solvers if not missing[solver.library]]
    tolerances, repeats = (QUICK, 1) if options.quick else (TOLERANCES, REPEATS)
    found: dict[str, dict[str, Curve]] = {}
    for name in options.problems or PROBLEMS:
        able = [solver for solver in solvers if solver.for_stiff == PROBLEMS[name].is_stiff]
        found[name] = {solver.name: measure(solver, name, tolerances, repeats) for solver in able}
        print(table(name, found[name]) + "\n", flush=True)
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / "precision.json"
    numbers = {name: {who: [vars(p) for p in curve] for who, curve in curves.items()} for name, curves in found.items()}
    file.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    for measure_, label in (("evaluations", "evaluations"), ("seconds", "seconds of the processor")):
        path = options.results / f"precision-{measure_}.png"
        draw(found, measure_, label, path)
        print(f"drawn to {path}", file=sys.stderr)
    broken = [
        s.name for s in solvers if s.library == "eventide" and not all(c[s.name] for c in found.values() if s.name in c)
    ]
    return 1 if broken else 0
