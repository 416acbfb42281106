"""Minimising: known optima, methods, failures, stores, workers."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from math import inf, isnan, sqrt
from typing import Literal

import numpy as np
import pandas as pd
import pytest

import eventide as ev

METHODS = ["nelder-mead", "powell", "cobyqa", "differential evolution", "tpe"]
DAYS = 200


@ev.model
def newsvendor(sim, *, order: float = 10.0):
    """Each paper that is missing costs 3, each that is left 1; demand is uniform from 0 to 100."""
    demand, cost = sim.stream("demand"), 0.0
    for _ in range(DAYS):
        wanted = demand.uniform(0.0, 100.0)
        cost += 3.0 * max(wanted - order, 0.0) + max(order - wanted, 0.0)
    yield ev.hold(1.0)
    return {"cost": cost / DAYS}


def demands(replications: int) -> np.ndarray:
    streams = [ev.Simulation(rng=1, replication=k).stream("demand") for k in range(replications)]
    return np.array([stream.uniform(0.0, 100.0) for stream in streams for _ in range(DAYS)])


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_the_sample_optimum_of_the_newsvendor_is_the_quantile_of_all_demands(method):
    found = ev.minimise(
        newsvendor,
        "cost",
        {"order": (0.0, 100.0)},
        replications=10,
        method=method,
        entropy=1,
        evaluations=60,
        workers=1,
    )
    drawn = demands(10)
    best = float(np.quantile(drawn, 0.75, method="inverted_cdf"))
    least = float(np.mean(np.maximum(3.0 * (drawn - best), best - drawn)))
    assert abs(found.best["order"] - best) < (1.0 if method == "tpe" else 0.2)
    assert least - 1e-9 <= found.sample_value <= least + 0.02
    # Replications that the search has not seen: 37.5 is the exact cost of the exact optimum, 75.
    assert found.low < 37.5 < found.high
    assert found.value != found.sample_value
    assert found.runs == 10 * (found.evaluations + 1)
    assert found.evaluations == len(found.history) <= 60
    assert found.model.values["order"] == found.best["order"]
    assert found.at_ends == ()


@ev.model
def queue(sim, *, rate: float = 3.0, customers: int = 2000):
    """M/M/1 by Lindley's recursion: a rate of 1 of service costs 1, an hour of a customer in the system 1."""
    arrivals, services = sim.stream("arrivals"), sim.stream("services")
    wait = total = 0.0
    for _ in range(customers):
        served = services.exponential(1.0) / rate
        total += wait + served
        wait = max(0.0, wait + served - arrivals.exponential(1.0))
    yield ev.hold(1.0)
    return {"cost": rate + total / customers}


@pytest.mark.slow
def test_the_best_rate_of_a_queue_is_that_of_the_closed_form():
    found = ev.minimise(queue, "cost", over={"rate": (1.2, 5.0)}, replications=20, entropy=3, workers=1)
    assert found.best["rate"] == pytest.approx(1.0 + sqrt(1.0), abs=0.1)
    assert found.low < 3.0 < found.high
    assert found.method == "nelder-mead"
    assert found.reason == "the simplex is smaller than 0.001 of the ranges"


@ev.model
def mixed(sim, *, places: int = 2, share: float = 0.5, kind: Literal["a", "b", "c"] = "a"):
    yield ev.hold(1.0)
    if kind == "c":
        raise ValueError("there is no c")
    return {"y": (places - 7) ** 2 + (share - 0.25) ** 2 + (3.0 if kind == "a" else 0.0)}


MIXED = {"places": (0, 20), "share": (0.0, 1.0), "kind": ["a", "b", "c"]}


@pytest.mark.slow
@pytest.mark.parametrize(("method", "evaluations", "near"), [(None, 800, 1e-3), ("tpe", 80, 0.2)])
def test_whole_numbers_and_choices_are_searched_and_failures_are_infinitely_bad(method, evaluations, near):
    found = ev.minimise(mixed, "y", MIXED, method=method, entropy=1, evaluations=evaluations)
    assert (found.best["places"], found.best["kind"]) == (7, "b")
    assert found.best["share"] == pytest.approx(0.25, abs=near)
    assert isnan(found.low)
    assert type(found.best["places"]) is int
    failed = found.history[found.history["kind"] == "c"]
    assert len(failed) > 0
    assert failed.equals(found.failures)
    assert failed["value"].eq(inf).all()
    assert failed["error"].eq("ValueError: there is no c").all()
    first = failed.iloc[0]
    assert (
        first["replay"] == f"mixed(places={first['places']}, share={float(first['share'])!r}, kind='c').run(entropy=1)"
    )
    assert f"{len(failed)} evaluations failed, one of them with ValueError: there is no c" in str(found)


def test_where_there_are_few_points_all_are_evaluated_once():
    found = ev.minimise(mixed(share=0.25), "y", {"places": (0, 4), "kind": ["a", "b"]}, entropy=1)
    assert found.method == "enumeration"
    assert found.history[["places", "kind"]].to_numpy().tolist() == [[n, kind] for n in range(5) for kind in "ab"]
    assert str(found).splitlines()[:3] == [
        "least y of mixed: 9",
        "  places = 4, the end of its range",
        "  kind = b",
    ]
    assert found.at_ends == ("places",)


def test_a_function_of_the_responses_is_minimised():
    found = ev.minimise(mixed(kind="b"), lambda r: -r["y"], {"places": (5, 12)}, entropy=1)
    assert found.best == {"places": 12}
    assert found.response == "lambda"


@ev.model
def late(sim, *, x: float = 0.5):
    yield ev.hold(1.0)
    if sim.replication == 3:
        raise ValueError("only now")
    return {"y": x}


def test_a_failure_that_only_the_fresh_replications_have_is_told():
    found = ev.minimise(late, "y", {"x": (0.0, 1.0)}, replications=2, entropy=1, evaluations=20, workers=1)
    assert (found.value, found.best) == (inf, {"x": 0.0})
    assert found.sample_value == 0.0
    assert "of the replications that the search has not seen one came to: ValueError: only now" in str(found)


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.setitem(sys.modules, "SALib.sample.morris", None)
    with pytest.raises(ev.MissingLibraryError, match=r"needs optuna, .* pip install 'eventide-sim\[optuna\]'"):
        ev.minimise(mixed, "y", SHARE, method="tpe")
    ranges = {"places": (0, 4), "share": (0.0, 1.0)}
    with pytest.raises(ev.MissingLibraryError, match=r"pip install 'eventide-sim\[salib\]'"):
        ev.global_sensitivity(mixed, ranges, by="morris")


def test_no_more_points_are_evaluated_than_were_allowed_and_none_twice():
    found = ev.minimise(mixed(kind="b"), "y", {"share": (0.0, 1.0)}, entropy=1, evaluations=7)
    assert found.evaluations == found.runs == 7
    assert found.reason == "all 7 evaluations were made"
    assert found.history["share"].is_unique


@pytest.mark.slow
def test_the_workers_change_nothing():
    asked = {"replications": 4, "entropy": 5, "evaluations": 40, "method": "differential evolution"}
    alone = ev.minimise(newsvendor, "cost", {"order": (0.0, 100.0)}, workers=1, **asked)
    others = ev.minimise(newsvendor, "cost", {"order": (0.0, 100.0)}, workers=2, **asked)
    pd.testing.assert_frame_equal(alone.history, others.history, check_exact=True)
    assert (alone.best, alone.value, alone.low) == (others.best, others.value, others.low)


class Killed(ThreadPoolExecutor):
    """Ctrl-C is pressed as so many chunks of work were given to it; where none may be, that is an error."""

    def __init__(self, left):
        super().__init__(1)
        self.left = left
        self.end = KeyboardInterrupt if left else AssertionError

    def submit(self, *task, **options):
        if not self.left:
            raise self.end
        self.left -= 1
        return super().submit(*task, **options)


@pytest.mark.slow
def test_a_search_that_was_killed_goes_on_from_its_store(tmp_path):
    def searched(left):
        with Killed(left) as executor:
            found = ev.minimise(
                newsvendor, "cost", {"order": (0.0, 100.0)}, replications=2, entropy=1, executor=executor,
                workers=1, store=tmp_path / "store",
            )  # fmt: skip
            return found, left - executor.left

    with pytest.raises(KeyboardInterrupt) as interrupted:
        searched(8)
    assert "points were evaluated; with store= the same call goes on from there" in interrupted.value.__notes__[0]
    kept = len(list((tmp_path / "store").rglob("runs-*.parquet")))
    found, _ = searched(1000)
    again, chunks = searched(0)
    alone = ev.minimise(newsvendor, "cost", {"order": (0.0, 100.0)}, replications=2, entropy=1, workers=1)
    assert kept > 1
    assert chunks == 0
    for other in (found, again):
        pd.testing.assert_frame_equal(other.history, alone.history, check_exact=True)
        assert (other.value, other.low, other.runs) == (alone.value, alone.low, alone.runs)


@ev.model
def hopeless(sim, *, x: float = 0.5):
    yield ev.hold(1.0)
    raise ZeroDivisionError("always")


SHARE = {"share": (0.0, 1.0)}
WRONG = {
    "response": ((mixed, "z", MIXED, {}), "mixed has no response 'z'; it has: y"),
    "model": ((len, "y", MIXED, {}), "a model marked @ev.model is searched, and got 'len': write @ev.model above it"),
    "nothing": ((mixed, "y", {}, {}), "over= takes ranges by name"),
    "parameter": ((mixed, "y", {"pits": (1, 2)}, {}), "mixed has no parameter pits; it has places"),
    "range": ((mixed, "y", {"share": (1.0, 0.0)}, {}), "share is searched from low to high"),
    "one value": ((mixed, "y", {"share": 0.5}, {}), "share is searched from low to high"),
    "infinite": ((mixed, "y", {"share": (0.0, inf)}, {}), "share is searched from low to high"),
    "kind": ((mixed, "y", {"places": (0.5, 2.0)}, {}), "parameter places of mixed takes a whole number, and got 0.5"),
    "choice": ((mixed, "y", {"kind": ["a", "d"]}, {}), "parameter kind of mixed takes one of a, b, c, and got 'd'"),
    "method": ((mixed, "y", MIXED, {"method": "newton"}), "method= takes 'nelder-mead', 'powell', 'cobyqa'"),
    "real only": (
        (mixed, "y", MIXED, {"method": "cobyqa"}),
        "'cobyqa' varies real parameters only, and places is none: take 'differential evolution', 'enumeration', 'tpe'",
    ),
    "enumeration": ((mixed, "y", MIXED, {"method": "enumeration"}), "share has infinitely many: give a list of them"),
    "start": ((mixed, "y", SHARE, {"start": {"share": 2.0}}), "share lies from 0 to 1 here, and got 2.0"),
    "other start": ((mixed, "y", SHARE, {"start": {"places": 2}}), "a start has a value for each of share"),
    "start list": ((mixed, "y", SHARE, {"start": [0.5]}), "start= takes values by name, as"),
    "start text": ((mixed, "y", SHARE, {"start": {"share": "a"}}), "parameter share of mixed takes a number, and got"),
    "options": ((mixed, "y", SHARE, {"options": 3}), "options= takes values by name"),
    "workers": ((mixed, "y", SHARE, {"workers": 0}), "a whole number of workers from 1 on, and got 0"),
    "file": ((mixed, "y", SHARE, {"store": __file__}), "store= takes a folder, and "),
    "replications": ((mixed, "y", MIXED, {"replications": 0}), "a whole number of times from 1 on, and got 0"),
    "evaluations": ((mixed, "y", MIXED, {"evaluations": 0}), "a whole number of evaluations from 1 on, and got 0"),
    "tolerance": ((mixed, "y", MIXED, {"tolerance": 0.0}), "tolerance= takes a share of the ranges"),
    "store": ((mixed, "y", MIXED, {"store": "here"}), "store= goes on only where the entropy is the same"),
    "failures": (
        (hopeless, "y", {"x": (0.0, 1.0)}, {"entropy": 4, "method": "differential evolution"}),
        "the first 16 points of the search have all failed, one of them with ZeroDivisionError: always; repeat it by ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_searched_is_refused_in_words(case):
    (model, response, over, options), message = WRONG[case]
    with pytest.raises((ev.ModelError, ev.ParameterError)) as refused:
        ev.minimise(model, response, over, **{"entropy": 1, **options} if case != "store" else options)
    assert message in str(refused.value)


@ev.model(until=1.0)
def chosen(sim, *, rates: list = [1.0], flag: object = None):  # noqa: B006  # a parameter that is a list
    return {"y": lambda: sum(rates) + (10.0 if flag is True else 5.0)}


def test_choices_may_be_lists_and_equal_numbers_of_other_kinds_are_two():
    found = ev.minimise(chosen, "y", {"rates": [[1.0, 2.0], [0.5]], "flag": [True, 1]}, entropy=1, workers=1)
    assert found.best == {"rates": [0.5], "flag": 1}
    assert found.evaluations == 4
