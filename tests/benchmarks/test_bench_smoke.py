"""The workloads of `make bench` with eventide and the bare loop alone, in tiny sizes: what they count, not how fast."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import answers
import pytest
from contest import MANY, Contest, Contestant, Standing, contestants_of, differences, errors, spread, timed
from report import growth, table
from starts import Start
from workloads import WORKLOADS, Workload

BENCH = Path(__file__).parents[2] / "benchmarks" / "bench.py"
BY_NAME = {workload.name: workload for workload in WORKLOADS}
COUNTS = {
    "hold": ("ended", 20),
    "hold-10": ("ended", 5),
    "hold-100k": ("ended", 100),
    "mm1": ("customers", 200),
    "tandem": ("visits", 5 * 40),
    "reneging": ("served", 60),
    "interrupts": ("interrupts", 10 * 5),
    "preemption": ("preemptions", 50),
    "crossing": ("ended", 5),
    "moving": ("end", 1.8606582543942363),
    "pushed": ("end", 1.8606582543942363),
    "port": ("ships", 44),
}


CONTESTANTS = {name: ["eventide", "bare"] for name in COUNTS} | {
    "mm1": ["eventide", "eventide-class", "bare-calls", "bare-features", "bare"],
}


CONTINUOUS = {
    "lorenz": ["eventide", "bare"],
    "arenstorf": ["eventide", "bare"],
    "brusselator": ["eventide", "bare"],
    "thermostat": ["eventide", "eventide-when", "bare"],
    "balls": ["eventide", "eventide-when", "bare-one-model", "bare"],
    "balls-4000": ["eventide", "eventide-when", "bare"],
    "ingots": ["eventide", "bare"],
    "ingot-life": ["eventide", "bare"],
}


STIFF = {
    "robertson": {"steps": 521, "refused": 2, "evaluations": 4198, "factorizations": 220},
    "hires": {"steps": 240, "refused": 1, "evaluations": 2784, "factorizations": 122},
}
"""What eventide counts; there is no bare loop."""


def own_contestants(workload: Workload) -> list[Contestant]:
    return contestants_of(workload, only=("eventide", "bare"))


def test_every_workload_is_counted_here() -> None:
    assert [*COUNTS, *CONTINUOUS, *STIFF] == list(BY_NAME)


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTS)
def test_eventide_counts_what_the_bare_loop_counts(name: str) -> None:
    workload = BY_NAME[name]
    results = {one.name: timed(one.load(), workload.quick, seed=1)["result"] for one in own_contestants(workload)}
    assert list(results) == CONTESTANTS[name]
    key, count = COUNTS[name]
    assert {who: result[key] for who, result in results.items()} == dict.fromkeys(results, count)
    for who, result in results.items():
        assert differences(workload, who, result, "bare", results["bare"]) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CONTINUOUS)
def test_what_is_known_is_found_and_steps_are_those_of_the_bare_loop(name: str) -> None:
    pytest.importorskip("numba", reason="no bare loop: numba is in the environment that `make bench` makes")
    workload = BY_NAME[name]
    found = {one: timed(one.load(), workload.quick, seed=1)["result"] for one in own_contestants(workload)}
    assert [one.name for one in found] == CONTINUOUS[name]
    bare = next(result for one, result in found.items() if one.name == "bare")
    for one, result in found.items():
        assert errors(workload, Standing(one, workload.quick, result=result)) == []
        assert differences(workload, one.name, result, "bare", bare) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", STIFF)
def test_stiff_problems_are_solved_in_so_many_steps(name: str) -> None:
    workload = BY_NAME[name]
    (own,) = own_contestants(workload)
    result = timed(own.load(), workload.quick, seed=1)["result"]
    assert errors(workload, Standing(own, workload.quick, result=result)) == []
    # Other mathematical libraries may round a power otherwise.
    assert {key: result[key] for key in STIFF[name]} == pytest.approx(STIFF[name], rel=0.02, abs=2)


def test_the_answers_are_those_that_were_published() -> None:
    assert (answers.count_bounces(100), answers.count_bounces(1)) == (4417, 43)
    assert answers.bounces(100)[0][0] == pytest.approx(1.427843122927064467, rel=1e-15)
    on_and_off = [1.0536051565782630123, 1.0536051565782630123 + 1.8232155679395462621, 12.5608880546495001]
    assert answers.switches(9)[[0, 1, 8]] == pytest.approx(on_and_off, rel=1e-15)
    found = [list(times) for times in answers.bounces(3)]
    assert answers.judged_bounces(found) == {"events": 131, "wrong_balls": 0, "time_error": 0.0}
    found[1][5] += 0.25
    found[2].pop()
    assert answers.judged_bounces(found) == {"events": 130, "wrong_balls": 1, "time_error": 0.25}
    assert answers.judged_switches([1.0, 2.0, 3.0], 2)["events"] == 3


def test_a_wrong_answer_is_said_in_words_and_one_not_given_is_none() -> None:
    workload, size = BY_NAME["thermostat"], {"switches": 4}
    wrong = {"events": 3, "time_error": 0.5}
    peer, mine = Contestant(Path("with_peer.py")), Contestant(Path("with_eventide.py"))
    said = ["events = 3, right is 4", "time_error = 0.5, allowed is 0.0001"]
    assert errors(workload, Standing(peer, size, result=wrong)) == said
    assert errors(workload, Standing(peer, size, result={"events": 4})) == []
    assert errors(workload, Standing(mine, size, result={"events": 4})) == ["time_error = None, allowed is 0.0001"]
    assert errors(workload, Standing(peer, size, result={"events": 4, "time_error": float("nan")})) != []


def test_a_wrong_answer_of_a_peer_is_shown_and_one_of_ours_fails() -> None:
    workload = BY_NAME["balls"]
    contest = Contest(workload, [], is_quick=True, seed=1)
    for name in ("with_peer.py", "with_eventide.py", "with_bare.py"):
        result = {"events": 131 if name == "with_bare.py" else 130, "wrong_balls": 0, "time_error": 0.0}
        contest.standings.append(
            Standing(Contestant(Path(name)), workload.quick, result=result, seconds=[1e-3, 3e-3, 2e-3], preparing=[0.5])
        )
    contest._judge()
    assert contest.disagreements == ["balls: eventide has events = 130, right is 131"]
    peer, mine, bare = table(contest).splitlines()[2:5]
    assert peer.split() == ["peer!", "130", "0", "0", "500", "2.000", "15.3", "1.00", "(1.00)", "-", "0.00"]
    assert mine.split() == ["eventide!", *peer.split()[1:-1], "10", "x", "0.00"]
    assert bare.startswith("  bare ")
    assert "  ! peer is wrong: events = 130, right is 131" in table(contest)
    assert "  DIFFERS: balls: eventide has events = 130, right is 131" in table(contest)


def test_a_goal_of_a_rate_stands_beside_the_rates_in_their_unit() -> None:
    workload = BY_NAME["tandem"]
    contest = Contest(workload, [], is_quick=False, seed=1)
    for name in ("with_eventide.py", "with_bare.py"):
        contest.standings.append(Standing(Contestant(Path(name)), workload.size, seconds=[0.04, 0.02, 0.05]))
    head, mine, bare = table(contest).splitlines()[1:]
    assert head.split("  ")[-2:] == ["goal", "first s"]
    assert mine.split() == ["eventide", "0.500", "-", "-", "1.000", "(1.000)", "1.5", "0.00"]
    assert bare.split() == ["bare", "0.500", "-", "-", "1.000", "(1.000)", "0.00"]


@pytest.mark.slow
def test_a_trial_is_made_anew_for_each_run_and_only_the_run_is_timed() -> None:
    calls = []

    class Trial:
        def __init__(self, *, seed: int) -> None:
            calls.append("make")

        def run(self) -> None:
            calls.append("run")

        def result(self) -> dict[str, float]:
            calls.append("result")
            return {"calls": len(calls)}

    answer = timed(SimpleNamespace(Trial=Trial), {}, seed=1)
    assert calls == ["make", "run"] * MANY + ["result"]
    assert answer["result"] == {"calls": 2 * MANY + 1}
    assert {"seconds", "preparing", "megabytes"} < set(answer)


def test_a_unit_is_compared_with_what_it_costs_in_another_workload() -> None:
    contests = []
    for name, seconds in (("balls", 1.0), ("balls-4000", 80.0)):
        contest = Contest(BY_NAME[name], [], is_quick=False, seed=1)
        contest.standings.append(Standing(Contestant(Path("with_bare.py")), BY_NAME[name].size, seconds=[seconds]))
        contests.append(contest)
    assert list(growth(contests)) == ["balls-4000: bare takes 2.00 times as long for a bounce as in balls; goal 1.3"]
    assert list(growth(contests[1:])) == []


@pytest.mark.slow
def test_a_start_is_measured_to_the_first_result_and_a_failure_is_said(tmp_path: Path) -> None:
    model = tmp_path / "wait.py"
    model.write_text(
        "import eventide as ev\n@ev.model\ndef wait(sim):\n    yield ev.hold(1.0)\n    return {'end': sim.time}\n"
    )
    start = Start(model)
    seconds, processor = start.measure(tmp_path / "cache")
    assert (start.trouble, seconds > 0.0, processor > 0.0) == ("", True, True)
    model.write_text("raise ValueError('no model')\n")
    assert start.measure(tmp_path / "cache") is None
    assert start.trouble == "ValueError: no model"


@pytest.mark.slow
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
    command = [sys.executable, str(BENCH), *COUNTS, "--quick", "--rounds", "2", "--only", "eventide,bare", "--results"]
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
        (["mm3"], f"there is no workload 'mm3'; there are {', '.join(BY_NAME)}, starts"),
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
