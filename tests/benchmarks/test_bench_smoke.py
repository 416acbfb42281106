"""The workloads of `make bench` with eventide and the bare loop alone, in tiny sizes: what they count, not how fast."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from contest import Contest, Contestant, Standing, contestants_of, differences, spread, timed
from workloads import WORKLOADS, Workload

BENCH = Path(__file__).parents[2] / "benchmarks" / "bench.py"
BY_NAME = {workload.name: workload for workload in WORKLOADS}
COUNTS = {
    "hold": ("ended", 20),
    "hold-100k": ("ended", 100),
    "mm1": ("customers", 200),
    "interrupts": ("interrupts", 10 * 5),
    "preemption": ("preemptions", 50),
}


CONTESTANTS = {
    "hold": ["eventide", "bare"],
    "hold-100k": ["eventide", "bare"],
    "mm1": ["eventide", "eventide-class", "bare-calls", "bare"],
    "interrupts": ["eventide", "bare"],
    "preemption": ["eventide", "bare"],
}


def own_contestants(workload: Workload) -> list[Contestant]:
    return contestants_of(workload, only=("eventide", "bare"))


def test_every_workload_is_counted_here() -> None:
    assert list(COUNTS) == list(BY_NAME)


@pytest.mark.parametrize("name", COUNTS)
def test_eventide_counts_what_the_bare_loop_counts(name: str) -> None:
    workload = BY_NAME[name]
    results = {one.name: timed(one.load(), workload.quick, seed=1)["result"] for one in own_contestants(workload)}
    assert list(results) == CONTESTANTS[name]
    key, count = COUNTS[name]
    assert {who: result[key] for who, result in results.items()} == dict.fromkeys(results, count)
    for who, result in results.items():
        assert differences(workload, who, result, "bare", results["bare"]) == []


def test_the_seed_decides_the_checksums() -> None:
    workload = BY_NAME["mm1"]
    program = own_contestants(workload)[0].load()
    first, again, other = (timed(program, workload.quick, seed)["result"] for seed in (1, 1, 2))
    assert first == again
    assert first["customers"] == other["customers"]
    assert first["mean_wait"] != other["mean_wait"]


def test_a_difference_is_said_in_words() -> None:
    found = {"customers": 3, "mean_wait": 1.0 + 1e-9, "end": 5.0}
    truth = {"customers": 3, "mean_wait": 1.0, "end": 5.0, "next_draw": 0.5}
    assert differences(BY_NAME["mm1"], "simpy", found, "bare", truth) == [
        "mm1: simpy has mean_wait = 1.000000001, bare has 1.0",
        "mm1: simpy has next_draw = None, bare has 0.5",
    ]


def test_ratios_are_taken_within_rounds() -> None:
    workload = BY_NAME["hold"]
    contest = Contest(workload, own_contestants(workload), is_quick=True, seed=1)
    mine, bare = contest.standings
    mine.seconds, bare.seconds = [2.0, 3.0, 8.0], [1.0, 2.0, 2.0]
    assert contest.rates(mine) == [50.0, 100.0 / 3.0, 12.5]
    assert contest.ratios(mine, "bare") == pytest.approx([1 / 2, 2 / 3, 1 / 4])
    assert spread(contest.ratios(mine, "bare")) == pytest.approx({"median": 1 / 2, "min": 1 / 4})
    assert contest.ratios(mine, "simpy") == []


@pytest.mark.slow
def test_whoever_is_not_installed_is_named_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "with_absent.py").write_text("import a_library_that_nobody_has\n")
    present = own_contestants(BY_NAME["hold"])[-1]
    contest = Contest(BY_NAME["hold"], [Contestant(tmp_path / "with_absent.py"), present], is_quick=True, seed=1)
    contest.hold(rounds=1)
    absent, bare = contest.standings
    assert absent.trouble == "not installed: No module named 'a_library_that_nobody_has'"
    assert (bare.trouble, len(bare.seconds), bare.result["ended"]) == ("", 1, 20)


@pytest.mark.slow
def test_whoever_brings_its_process_down_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "with_crash.py").write_text("import os\ndef run(**size):\n    os._exit(6)\n")
    present = own_contestants(BY_NAME["hold"])[-1]
    contest = Contest(BY_NAME["hold"], [Contestant(tmp_path / "with_crash.py"), present], is_quick=True, seed=1)
    contest.hold(rounds=2)
    crash, bare = contest.standings
    assert crash.trouble == "its process ended with code 6"
    assert (bare.trouble, len(bare.seconds)) == ("", 2)


@pytest.mark.slow
def test_a_wrong_result_is_found(tmp_path: Path) -> None:
    right = own_contestants(BY_NAME["hold"])[-1]
    lines = right.path.read_text().replace('"ended": len(ended)', '"ended": 7')
    (tmp_path / "with_wrong.py").write_text(lines)
    contest = Contest(BY_NAME["hold"], [Contestant(tmp_path / "with_wrong.py"), right], is_quick=True, seed=1)
    contest.hold(rounds=1)
    assert contest.disagreements == ["hold: wrong has ended = 7, bare has 20"]


@pytest.mark.slow
def test_the_command_prints_a_table_and_writes_what_it_found(tmp_path: Path) -> None:
    command = [sys.executable, str(BENCH), "--quick", "--rounds", "2", "--only", "eventide,bare", "--results"]
    done = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, len(list(tmp_path.iterdir()))) == (0, 1), done.stderr
    found = json.loads(next(tmp_path.glob("*.json")).read_text())
    assert {one["name"]: one["disagreements"] for one in found["workloads"]} == {name: [] for name in COUNTS}
    assert sorted(found["machine"]) == ["cores", "load", "numpy", "platform", "processor", "python"]
    for workload in found["workloads"]:
        key, count = COUNTS[workload["name"]]
        assert f"\n{workload['name']}: " in f"\n{done.stdout}"
        for contestant in workload["contestants"]:
            assert contestant["result"][key] == count
            assert len(contestant["seconds"]) == len(contestant["ratios"]["bare"]["rounds"]) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mm3"], "there is no workload 'mm3'; there are hold, hold-100k, mm1, interrupts, preemption"),
        (["hold", "--only", "simply"], "there is no contestant 'simply'; there are asimpy, bare, cimba, eventide,"),
        (["hold", "--rounds", "0"], "--rounds takes a whole number of at least 1, and got 0"),
    ],
)
def test_a_wrong_request_is_answered_with_what_there_is(arguments: list[str], message: str) -> None:
    done = subprocess.run([sys.executable, str(BENCH), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_contestant_is_named_after_its_file() -> None:
    one = Contestant(Path("with_eventide_class.py"))
    assert (one.name, one.library) == ("eventide-class", "eventide")
    assert Standing(one, {}).name == "eventide-class"
