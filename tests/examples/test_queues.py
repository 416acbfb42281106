"""The queues: steady states against their exact values, four lines against a plain list of events."""

from __future__ import annotations

from heapq import heappop, heappush
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from eventide.cli import main
from eventide.statistics.quantiles import student_quantile

QUEUES = Path(__file__).parents[2] / "examples" / "queues"
NAMES = ("mm1", "mm3", "mg1", "priority", "jackson", "machine_repair", "finite_source", "four_queues")

# From balance equations, Pollaczek and Khinchine, Cobham, Jackson, worked out apart from the examples.
CASES = {
    "mm1": (
        "mm1",
        {},
        {
            "customers in the system": 4.0,
            "time in the system": 5.0,
            "waiting time": 4.0,
            "customers waiting": 3.2,
            "stays longer than 10": 0.1353352832366127,
            "utilisation": 0.8,
        },
    ),
    "mm3": (
        "mm3",
        {},
        {
            "all servers idle": 0.05617977528089888,
            "share that waits": 0.6471910112359551,
            "customers waiting": 2.58876404494382,
            "waiting time": 1.078651685393258,
            "share that goes away": 0.0,
            "utilisation": 0.8,
        },
    ),
    "erlang loss": (
        "mm3",
        {"servers": 5, "arrival_rate": 3.0, "room": 0, "length": 300.0},
        {"share that goes away": 0.110054347826087, "waiting time": 0.0, "customers waiting": 0.0},
    ),
    "five places": (
        "mm3",
        {"servers": 1, "arrival_rate": 0.8, "room": 4, "length": 1000.0},
        {"share that goes away": 0.08881949865556423},
    ),
    "constant": ("mg1", {"service": "constant"}, {"waiting time": 2.0, "customers waiting": 1.6}),
    "uniform": ("mg1", {"service": "uniform"}, {"waiting time": 8.0 / 3.0, "customers waiting": 6.4 / 3.0}),
    "erlang": ("mg1", {"service": "erlang"}, {"waiting time": 3.0, "customers waiting": 2.4}),
    "exponential": ("mg1", {"service": "exponential"}, {"waiting time": 4.0, "customers waiting": 3.2}),
    "hyperexponential": ("mg1", {"service": "hyperexponential"}, {"waiting time": 5.0, "customers waiting": 4.0}),
    "priority": (
        "priority",
        {},
        {
            "time not served, urgent": 1.0,
            "time not served, ordinary": 10.0 / 3.0,
            "time in the system, ordinary": 13.0 / 3.0,
            "utilisation": 0.7,
        },
    ),
    "preemptive priority": (
        "priority",
        {"preemptive": True},
        {"time in the system, urgent": 1.0 / 0.7, "time in the system, ordinary": 1.0 / 0.21, "utilisation": 0.7},
    ),
    "jackson": (
        "jackson",
        {},
        {"jobs at work": 2.5, "jobs at inspection": 4.0 / 3.0, "time in the shop": 23.0 / 6.0},
    ),
    "two repairers": ("machine_repair", {"repairers": "two"}, {"share of time running": 2.0 / 3.0}),
    "one repairer": (
        "machine_repair",
        {"repairers": "one"},
        {"share of time running": 0.6, "repairs that begin at once": 2.0 / 3.0},
    ),
    "late repairer": ("machine_repair", {"repairers": "late", "length": 100.0}, {"share of time running": 5.0 / 11.0}),
    "finite source": (
        "finite_source",
        {},
        {"machines down": 2.403721530129899, "repairs per hour": 1.51925569397402, "hours down": 1.582170492869651},
    ),
}


def model_of(example, case: str):
    name, values, exact = CASES[case]
    return example(f"queues/{name}")(**values), exact


@pytest.mark.slow
@pytest.mark.parametrize("entropy", [1, 2, 3])
@pytest.mark.parametrize("case", CASES)
def test_estimates_agree_with_exact_values_within_four_standard_errors(example, case: str, entropy: int) -> None:
    model, exact = model_of(example, case)
    run = model.run(entropy=entropy)
    for name, value in exact.items():
        batches = run.statistics[name]
        assert batches.count == 20
        error = batches.stdev / sqrt(batches.count)
        # A share that cannot be but 0 has no error: it is the exact value then.
        assert abs(batches.mean - value) <= 4.0 * error, f"{name}: {batches.mean} +- {error}, exactly {value}"


@pytest.mark.parametrize("case", CASES)
def test_examples_print_the_exact_values(example, case: str) -> None:
    model, exact = model_of(example, case)
    answers = model(batches=2, length=10.0, warm_up=0.0).run(entropy=1).responses
    printed = {name: answers[f"{name}, exact"] for name in exact}
    assert printed == pytest.approx(exact, rel=1e-12)


# --- the same, with a half width of at most one percent


def controlled(values: np.ndarray, control: np.ndarray, known: float) -> tuple[float, float]:
    """Mean of batch means and its standard error, after taking out what goes with a control whose mean is known.

    Source  Lavenberg & Welch 1981, Management Science 27: control variates, with the regression's own error
    """
    count = len(values)
    away = control - control.mean()
    slope = away @ values / (away @ away)
    residuals = values - values.mean() - slope * away
    variance = residuals @ residuals / (count - 2)
    shift = control.mean() - known
    return values.mean() - slope * shift, sqrt(variance * (1.0 / count + shift**2 / (away @ away)))


# How long a batch is, of a hundred; how busy the servers are goes along with every line, and is known.
LONG_RUNS = {
    "mm1": ("waiting time", 36000.0),
    "mm3": ("waiting time", 15000.0),
    "constant": ("waiting time", 20000.0),
    "uniform": ("waiting time", 25000.0),
    "erlang": ("waiting time", 30000.0),
    "exponential": ("waiting time", 36000.0),
    "hyperexponential": ("waiting time", 50000.0),
    "priority": ("time in the system, ordinary", 20000.0),
    "preemptive priority": ("time in the system, ordinary", 18000.0),
    "jackson": ("time in the shop", 8500.0),
    "two repairers": ("share of time running", 300.0),
    "one repairer": ("share of time running", 300.0),
    "late repairer": ("share of time running", 300.0),
    "finite source": ("hours down", 1500.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", LONG_RUNS)
def test_long_runs_agree_with_a_half_width_of_one_percent(example, case: str) -> None:
    model, exact = model_of(example, case)
    name, length = LONG_RUNS[case]
    run = model(batches=100, length=length, warm_up=1000.0).run(entropy=1)
    values = run.statistics[name].values
    if "utilisation" in run.statistics:
        busy = run.statistics["utilisation"].values
        mean, error = controlled(values, busy, run.responses["utilisation, exact"])
    else:
        mean, error = values.mean(), values.std(ddof=1) / sqrt(len(values))
    assert student_quantile(len(values) - 2.0, 0.975) * error <= 0.01 * mean
    assert abs(mean - exact[name]) <= 4.0 * error


# --- the four lines


def four_lines(policy: str) -> tuple[list[float], float, int, int]:
    """Waits of those served in the order of arrival, last departure, how many gave up, how many changed lines.

    A list of events and nothing else: at one time first those who lose patience, then ends of services, then arrivals.
    """
    impatience, end, arrival = range(3)
    lines: list[list[int]] = [[] for _ in range(4)]
    waits: dict[int, float] = {}
    events = [(float(minute), arrival, minute, 0) for minute in range(1, 101)]
    last, gone, changes = 0.0, 0, 0

    def serve_first(line: list[int], now: float) -> None:
        if line and line[0] not in waits:
            waits[line[0]] = now - line[0]
            heappush(events, (now + 4.5, end, line[0], 0))

    while events:
        now, kind, customer, _ = heappop(events)
        line = next((line for line in lines if customer in line), None)
        if kind == arrival:
            line = min(lines, key=len)
            line.append(customer)
            if policy == "renege":
                heappush(events, (now + 9.0, impatience, customer, 0))
        elif kind == impatience:
            if customer not in waits:
                line.remove(customer)
                gone += 1
            continue
        else:
            line.remove(customer)
            last = now
            longest = max(lines, key=len)
            serve_first(line, now)
            if policy == "jockey" and len(longest) >= len(line) + 2:
                line.append(longest.pop())
                changes += 1
        serve_first(line, now)
    return [waits[customer] for customer in sorted(waits)], last, gone, changes


def test_four_queues_have_the_known_results(example) -> None:
    run = example("queues/four_queues").run(entropy=1)
    answers = run.responses
    assert (answers["waiting time"], answers["longest wait"], answers["last departure"]) == (6.7, 13.5, 118.0)
    assert (answers["served"], answers["served at once"]) == (100, 10)


@pytest.mark.parametrize("policy", ["stay", "renege", "jockey"])
def test_four_queues_serve_as_a_plain_list_of_events_does(example, policy: str) -> None:
    run = example("queues/four_queues")(policy=policy).run(entropy=1)
    answers = run.responses
    waits, last, gone, changes = four_lines(policy)
    assert sorted(run.statistics["waiting time"].values) == sorted(waits)
    assert (answers["last departure"], answers["gave up"], answers["changes of line"]) == (last, gone, changes)


# --- what they print


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_examples_print_what_stands_beside_them(name: str, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(QUEUES / f"{name}.py"), "--entropy", "1"]) == 0
    assert capsys.readouterr().out == (QUEUES / f"{name}.out").read_text(encoding="utf-8")
