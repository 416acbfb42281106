"""The soaking pit: its deterministic variant has an exact solution, its random one must be the same for one entropy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from oracles.soaking_pit import solve

ROOT = Path(__file__).parents[2]


@pytest.fixture
def pit(example):
    return example("soaking_pit")


@pytest.mark.slow
@pytest.mark.parametrize("gap", [2.25, 1.25])
def test_regular_arrivals_give_the_exact_table(pit, gap: float) -> None:
    run = pit(gap=gap, arrivals="regular").run()
    expected = solve(gap)
    answers = run.responses
    assert (answers["arrived"], answers["drawn"], answers["draws"]) == (
        expected.arrived,
        expected.removed,
        len(expected.removals),
    )
    places, bank = run.statistics["places in use"], run.statistics["ingots in the bank"]
    assert (places.value, bank.value) == (expected.left_in_pits, expected.bank)

    furnace, _, ingots = run.recordings
    ends = Counter(float(series.times[-1]) for series in ingots.series().values() if series.times[-1] < 500.0)
    draws = sorted(ends.items())
    assert [count for _, count in draws] == [removal.count for removal in expected.removals]
    assert [time for time, _ in draws] == pytest.approx([removal.time for removal in expected.removals], abs=1e-7)
    before = {time: row for row, (time, side) in enumerate(zip(furnace.times, furnace.sides, strict=True)) if side < 0}
    seen = [furnace["furnace.temperature"][before[time]] for time, _ in draws]
    assert seen == pytest.approx([removal.furnace_temperature for removal in expected.removals], abs=1e-5)

    assert answers["heating time"] == pytest.approx(expected.mean_heating_time, abs=1e-7)
    assert answers["temperature when drawn"] == pytest.approx(expected.mean_final_temperature, abs=1e-4)
    assert answers["places in use"] == pytest.approx(expected.mean_number_in_pits, abs=1e-7)
    assert answers["waiting time"] == pytest.approx(expected.mean_wait, abs=1e-7)
    assert run.statistics["waiting time"].maximum == pytest.approx(expected.longest_wait, abs=1e-7)
    assert furnace["furnace.temperature"][-1] == pytest.approx(expected.last_furnace_temperature, abs=1e-4)


def printed(tmp_path: Path, hash_seed: str, code: str = "pass") -> str:
    """What the command line prints, in a process of its own."""
    program = f"import gc, sys; {code}; from eventide.cli import main; main()"
    arguments = ["run", str(ROOT / "examples/soaking_pit.py"), "--entropy", "7", "--set", "hours=120"]
    arguments += ["--plot", "soaking_pit.png"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
def test_the_same_entropy_prints_the_same_in_any_process(tmp_path: Path) -> None:
    first = printed(tmp_path, "1")
    picture = (tmp_path / "soaking_pit.png").read_bytes()
    assert "heating time" in first
    assert printed(tmp_path, "2", "gc.disable()") == first
    assert (tmp_path / "soaking_pit.png").read_bytes() == picture
    assert printed(tmp_path, "3", "gc.set_threshold(1)") == first


@pytest.mark.slow
def test_another_entropy_is_another_run(pit) -> None:
    one, other = (pit(hours=60.0).run(entropy=entropy).responses for entropy in (1, 2))
    assert one != other
