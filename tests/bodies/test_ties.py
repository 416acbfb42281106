"""What takes place at exactly one time is seen in one order: by rows, in native code and in Python, cut or observed."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import random_bodies
from bodies.ties import Outcome, is_cut_freely, outcome

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    random_bodies.hurry(monkeypatch)


def same(one: Outcome, other: Outcome) -> bool:
    """Whether two runs left the same, and showed the same, to the bit."""
    return repr((one.left, one.observed, one.events)) == repr((other.left, other.observed, other.events))


@pytest.mark.parametrize("native", [False, True], ids=["plain-rows", "native-rows"])
def test_what_falls_on_one_time_is_seen_in_the_order_of_python(*, native: bool) -> None:
    of_rows = 0
    for seed in (*range(10), 1055):
        expected, found = outcome(seed, False, native=native), outcome(seed, "auto", native=native)
        assert same(found, expected), seed
        of_rows += found.of_rows
    assert of_rows > 1500


CUTS = 0.5, 1.0, 2.25, 2.5, 5.0, 7.125


def test_a_run_that_is_cut_where_events_fall_together_leaves_the_same() -> None:
    of_rows = 0
    for seed in filter(is_cut_freely, range(100, 124)):
        whole, cut = outcome(seed, "auto", cuts=()), outcome(seed, "auto", cuts=CUTS)
        for one in (whole, cut):  # observers show the end of a run, too
            one.observed = [[row for row in rows if row[0] not in CUTS] for rows in one.observed]
        assert same(cut, whole), seed
        of_rows += cut.of_rows
    assert of_rows > 500


def test_who_observes_what_falls_on_one_time_changes_nothing() -> None:
    of_rows = 0
    for seed in range(200, 208):
        alone = outcome(seed, "auto", is_observed=False)
        seen = outcome(seed, "auto")
        assert repr(seen.left) == repr(alone.left), seed
        assert seen.events == alone.events, seed
        of_rows += alone.of_rows
    assert of_rows > 500


def test_models_in_threads_at_the_same_time_leave_what_each_leaves_alone() -> None:
    seeds = range(300, 306)
    alone = [outcome(seed, "auto") for seed in seeds]
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda seed: outcome(seed, "auto"), seeds))
    assert [same(one, other) for one, other in zip(found, alone, strict=True)] == [True] * len(alone)


def test_the_order_of_hashes_does_not_matter() -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "import pytest, random_bodies\nfrom bodies import ties\n"
        "random_bodies.hurry(pytest.MonkeyPatch())\n"
        "for seed in range(400, 406):\n"
        "    one = ties.outcome(seed, 'auto')\n"
        "    print(one.left, one.observed, one.events)\n"
    )
    here = Path(__file__).parent
    told = [
        subprocess.run(
            [sys.executable, "-c", code, str(here), str(here.parent)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1]
    assert len(told[0]) > 1000
