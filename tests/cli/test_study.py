"""`eventide study` and `eventide replicate`: many runs from the command line."""

import subprocess
import sys

import pandas as pd
import pytest

import eventide as ev

TWO = """
import eventide as ev

@ev.model
def queue(sim, *, servers: int = 1, rate: float = 0.5, kind: str = "fifo"):
    desk = ev.Resource(sim, servers, name="desk")
    for _ in range(3):
        yield ev.hold(sim.stream("x").negexp(rate))
    return {"time": ev.Quantity(sim.time, unit="min"), "twice": 2 * servers}

@ev.model
def fragile(sim, *, weight: float = 1.0):
    yield ev.hold(weight)
    if weight > 1.0:
        raise ValueError("broken")
    return {"weight": weight}
"""


@pytest.mark.slow
def test_a_study_prints_means_with_intervals_and_writes_a_row_for_each_run(command, model_file, tmp_path):
    path = model_file(TWO)
    out, picture = tmp_path / "runs.csv", tmp_path / "runs.png"
    outcome = command(
        "study", f"{path}:queue", "--over", "servers=1:3", "--over", "rate=0.1:0.3:0.1", "--set", "kind=lifo",
        "-n", "4", "--entropy", "1", "--workers", "1", "--out", out, "--plot", picture, "--response", "time",
    )  # fmt: skip
    assert outcome.status == 0
    table = ev.load(out)
    assert len(table) == 36
    assert table["servers"].to_list()[:9] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert table["rate"].to_list()[:3] == [0.1, 0.2, 0.3]
    assert table.attrs["provenance"]["parameters"] == "kind='lifo'"
    assert outcome.out.splitlines()[0] == "<Replication of queue: 9 points x 4, 36 runs, entropy 1>"
    assert "time [min]" in outcome.out
    assert picture.stat().st_size > 10_000
    again = command("study", f"{path}:queue", "--over", "servers=1:3", "--over", "rate=0.1,0.2,0.3", "-n", "4",
                    "--entropy", "1")  # fmt: skip
    assert again.out == outcome.out


def test_a_model_is_replicated_and_the_store_goes_on(command, model_file, tmp_path):
    pytest.importorskip("pyarrow")
    path, store = model_file(TWO), tmp_path / "store"
    few = command("replicate", f"{path}:queue", "-n", "5", "--store", store, "--entropy", "3")
    more = command("replicate", f"{path}:queue", "-n", "8", "--store", store)
    whole = command("replicate", f"{path}:queue", "-n", "8", "--entropy", "3")
    assert (few.status, more.status) == (0, 0)
    assert more.out == whole.out
    assert sum(len(pd.read_parquet(file)) for file in store.glob("runs-*.parquet")) == 8


def test_runs_that_fail_are_told_with_the_line_that_repeats_them(command, model_file):
    outcome = command("study", f"{model_file(TWO)}:fragile", "--over", "weight=1,2", "-n", "2", "--entropy", "4")
    assert outcome.status == 1
    assert "4 runs, 2 of them failed, entropy 4" in outcome.out
    assert "run 1 failed: ValueError: broken\n    fragile(weight=2.0).run(entropy=4)\n" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ("queue --over servers=8:12:-2", "'8:12:-2' is no range, which is FROM:TO:STEP"),
        ("queue --over servers=a:b", "'a:b' is no range"),
        ("queue --over servers=1.5", "--over servers=1.5: parameter servers of queue takes a whole number"),
        ("queue --over server=1", "queue has no parameter server; it has servers: int = 1"),
        ("queue --over servers", "--over takes NAME=VALUES, as --over pits=8:12:2 or pits=8,10,12, and got 'servers'"),
        ("queue --over servers=1 --over servers=2", "--over gives servers twice"),
        ("queue --over servers=1 --set servers=2", "servers stands in --over and in --set"),
        ("queue --workers 0", "Invalid value for '--workers'"),
        ("other", "has no model other; it has: queue, fragile"),
        ("queue --shard 1/2", "--shard needs --store"),
        ("queue --shard 3/2 --store s", "--shard takes PART/PARTS, as 3/100, and got '3/2'"),
        ("queue --store x.py", "is a file: a store is a folder of its own"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_told_in_one_line(command, model_file, arguments, why, tmp_path):
    (tmp_path / "x.py").touch()
    name, *others = [str(tmp_path / "x.py") if word == "x.py" else word for word in arguments.split()]
    outcome = command("study", f"{model_file(TWO)}:{name}", *others)
    assert outcome.status == 2
    assert outcome.err.startswith("eventide: ")
    assert why in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_run_takes_one_of_several_models(command, model_file):
    assert command("run", f"{model_file(TWO)}:fragile").out.startswith("fragile(weight=1.0)")


@pytest.mark.slow
def test_python_runs_it_as_a_module_with_workers(model_file):
    command = [sys.executable, "-m", "eventide", "study", f"{model_file(TWO)}:queue", "--over", "servers=1,2"]
    outs = [
        subprocess.run(
            [*command, "-n", "3", "--entropy", "1", "--workers", workers], capture_output=True, text=True, check=False
        )
        for workers in ("1", "2")
    ]
    assert [out.returncode for out in outs] == [0, 0], outs[1].stderr
    assert outs[0].stdout == outs[1].stdout
    assert "queue: 2 points x 3, 6 runs" in outs[0].stdout


@pytest.mark.slow
def test_runs_go_on_until_means_are_known_and_come_in_antithetic_pairs(command, model_file):
    path = model_file(TWO)
    few = command("replicate", f"{path}:queue", "-n", "4", "--entropy", "1", "--workers", "1", "--antithetic",
                  "--until-half-width", "time=10%")  # fmt: skip
    head = few.out.splitlines()[0]
    count = int(head.split()[6].rstrip(","))
    assert few.status == 0
    assert head == f"<Replication of queue: 1 point x {count}, {count} runs, in antithetic pairs, entropy 1>"
    assert (count > 20, count % 2) == (True, 0)
    plain = command("study", f"{path}:queue", "--over", "rate=0.4,0.5", "-n", "5", "--entropy", "1", "--workers", "1",
                    "--until-half-width", "time=3")  # fmt: skip
    assert "time [min]" in plain.out
    assert "antithetic" not in plain.out
    for options, told in (
        (["--antithetic", "-n", "3"], "--antithetic makes pairs: give an even number of replications, not 3"),
        (["--until-half-width", "time"], "takes NAME=WIDTH or NAME=PERCENT%, as wait=5%, and got 'time'"),
        (["--until-half-width", "time=-1"], "as wait=5%, and got 'time=-1'"),
        (["--until-half-width", "times=1", "-n", "2"], "queue has no response 'times'; it has: time, twice"),
        (["--until-half-width", "time=1", "--shard", "1/2", "--store", "s"], "needs all runs: leave --shard out"),
    ):
        outcome = command("replicate", f"{path}:queue", "--entropy", "1", "--workers", "1", *options)
        assert (outcome.status, told in outcome.err) == (2, True)
