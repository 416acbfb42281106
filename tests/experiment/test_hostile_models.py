"""Models that die, exit, print, fork and move away, values that are no numbers, stores that cannot be written."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eventide as ev
from eventide.experiment import store as stores
from eventide.experiment.processes import processes
from eventide.experiment.progress import as_html


@ev.model
def plain(sim: ev.Simulation, *, weight: float = 1.0) -> ev.ProcessGenerator[dict[str, float]]:
    yield ev.hold(weight)
    return {"x": sim.stream("x").uniform(0.0, 1.0)}


class Locked(Exception):  # an error of somebody else
    """Neither what it keeps nor how it is made goes through a pickle."""

    def __init__(self, text: str, more: int) -> None:
        super().__init__(text)
        self.lock, self.more = threading.Lock(), more


def _die(replication: int, once: Path) -> None:
    if replication == 1:
        os._exit(3)
    if replication == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    if replication == 3 and once.exists():
        once.unlink()
        os._exit(0)


@ev.model
def odd(sim: ev.Simulation, *, way: str = "") -> ev.ProcessGenerator[dict[str, float]]:
    yield ev.hold(1.0)
    is_one = sim.replication == 1
    if way == "dies" and is_one:
        os._exit(3)
    if way.startswith("dies where"):
        _die(sim.replication, Path(way.split()[2]))
    if way.startswith("dies late") and is_one:
        time.sleep(0.5)
        os._exit(3)
    if way.startswith("dies late") and sim.replication == 2:
        _die(3, Path(way.split()[2]))
    if way == "exits" and is_one:
        sys.exit(4)
    if way == "raises" and is_one:
        raise Locked("no", 2)
    if way == "prints":
        print("hello")
    if way == "moves":
        os.chdir("/")
    if way == "forks":
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    return {"x": sim.stream("x").uniform(0.0, 1.0)}


@ev.model
def mortal(sim: ev.Simulation) -> ev.ProcessGenerator[dict[str, float]]:
    yield ev.hold(1.0)
    os._exit(0)


def study(way: str) -> ev.Study:
    return ev.Study(odd, {"way": [way]}, replications=4, entropy=1)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_what_models_do_to_their_process_changes_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = study("").run(workers=1).table["x"].to_list()
    for way in ("prints", "moves", "forks"):
        assert study(way).run(workers=2, store=way).table["x"].to_list() == values
    assert study("moves").run(workers=1, store="here").table["x"].to_list() == values
    assert sorted(path.name for path in tmp_path.iterdir()) == ["forks", "here", "moves", "prints"]
    for way, error in (("exits", "SystemExit: 4"), ("raises", "Locked: no")):
        for workers in (1, 2):
            runs = study(way).run(workers=workers)
            assert runs.table["error"].to_list() == ["", error, "", ""]
            assert runs.failures["replay"][1] == f"odd(way='{way}').run(entropy=1, replication=1)"


SECOND = "DeadWorkerError: this run has ended two worker processes; of the second it is known that the worker process "


@pytest.mark.slow
def test_a_run_that_ends_its_process_is_made_again_alone_and_then_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "died").touch()
    way = f"dies where {tmp_path / 'died'} is"
    table = ev.Study(odd, {"way": [way]}, replications=40, entropy=1).run(workers=2).table
    errors = {1: "ended itself with exit code 3", 2: "was ended by SIGKILL, as the system does when memory runs out"}
    assert table["error"].to_list() == [SECOND + errors[run] if run in errors else "" for run in range(40)]
    values = ev.Study(odd, {"way": [""]}, replications=40, entropy=1).run(workers=1).table["x"]
    assert table["x"].drop([*errors]).equals(values.drop([*errors]))
    assert not (tmp_path / "died").exists()  # run 3 has ended one process only


@pytest.mark.slow
def test_a_run_is_not_blamed_for_a_process_that_died_before_it_began(tmp_path: Path) -> None:
    (tmp_path / "died").touch()
    way = f"dies late {tmp_path / 'died'}"
    with processes(1) as one:  # run 2 waits there while run 1 ends it
        table = ev.Study(odd, {"way": [way]}, replications=4, entropy=1).run(executor=one, workers=1).table
    assert table["error"].to_list() == ["", SECOND + "ended itself with exit code 3", "", ""]
    assert not (tmp_path / "died").exists()  # then run 2 has ended one of its own


@pytest.mark.slow
def test_a_model_of_which_no_process_comes_back_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eventide.experiment.replication.HOPELESS", 2)
    with pytest.raises(ev.ModelError, match="the first 2 runs of mortal have all failed, one of them with DeadWorker"):
        ev.Study(mortal, replications=100, entropy=1).run(workers=2)


@pytest.mark.slow
def test_an_executor_that_breaks_says_what_was_under_way_and_what_to_do() -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        for which in ("; it was one of the runs ", ". Give a new executor, with store= to go on from"):
            with pytest.raises(
                ev.ModelError, match=r"^the executor ProcessPoolExecutor has broken in a study of odd, as"
            ) as caught:
                study("dies").run(executor=pool, workers=2)
            assert which in str(caught.value)


def test_a_store_that_cannot_be_written_says_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    some = ev.Study(plain, replications=3, entropy=1)
    some.replicated(1).run(workers=1, store=tmp_path / "store")

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(stores, "_write", full)
        with pytest.raises(OSError, match="No space left") as caught:
            some.run(workers=1, store=tmp_path / "store")
    assert caught.value.__notes__ == [
        f"{tmp_path / 'store'} cannot be written; it has 1 of the runs, from which the same study goes on"
    ]
    assert len(some.run(workers=1, store=tmp_path / "store")) == 3


def test_a_file_of_a_store_that_cannot_be_read_is_named_and_its_runs_are_made_again(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    some = ev.Study(plain, replications=3, entropy=1)
    values = some.run(workers=1, store=tmp_path / "store").table["x"].to_list()
    [path] = (tmp_path / "store").glob("runs-*.parquet")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ev.InputError) as caught:
        some.run(workers=1, store=tmp_path / "store")
    assert str(caught.value).startswith(f"{path} cannot be read, as something else has written there or cut it off (")
    assert str(caught.value).endswith("): take it out of the folder, and the same study makes its runs again")
    path.unlink()
    assert some.run(workers=1, store=tmp_path / "store").table["x"].to_list() == values


class Shape(StrEnum):
    ROUND = "round"


@ev.model
def summing(
    sim: ev.Simulation, *, items: Any = None, limit: float = 1.0, shape: Shape = Shape.ROUND
) -> ev.ProcessGenerator[dict[str, float]]:
    yield ev.hold(1.0)
    if limit > 1e300:
        raise ValueError("too much")
    return {"sum": float(np.asarray(items, dtype=float).sum())}  # pandas 2 warns of sums of all of a table


def test_arrays_and_tables_are_values(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    for values in ([np.array([1.0, 2.0]), np.array([4.0])], [pd.DataFrame({"a": [3.0]}), pd.DataFrame({"a": [4.0]})]):
        runs = ev.Study(summing, {"items": values}, replications=2, entropy=1).run(workers=1)
        assert runs.summary()["sum"].to_list() == [3.0, 4.0]
        assert str(runs).startswith("<Replication of summing: 2 points x 2, 4 runs, entropy 1>")
    long = np.arange(5_000.0)
    ev.Study(summing, {"items": [long]}, entropy=1).run(workers=1, store=tmp_path / "store")
    other = long.copy()
    other[2_500] += 1.0
    with pytest.raises(ev.ModelError, match="holds another study: the values at the points differ"):
        ev.Study(summing, {"items": [other]}, entropy=1).run(workers=1, store=tmp_path / "store")
    for wrong, kind in (({"a": 1}, "dict"), ({1, 2}, "set"), (pd.DataFrame({"a": [1.0]}), "DataFrame")):
        with pytest.raises(ev.ParameterError) as caught:
            ev.Study(summing, {"items": wrong})
        assert str(caught.value) == (
            f"the values of items are a list, as {{'items': [...]}}, and got {kind}: what it gives one by one are no "
            "values, or in no order"
        )


def test_the_line_that_repeats_a_run_can_be_pasted_whatever_its_values_are() -> None:
    over = {"items": [np.array([0.1, 2.0])], "limit": [float("inf")]}
    runs = ev.Study(summing, over, entropy=3).run(workers=1)
    line = runs.failures["replay"][0]
    assert line == (
        "import numpy; summing(items=numpy.array([0.1, 2.0], '<f8'), limit=float('inf'), shape=Shape.ROUND)"
        ".run(entropy=3)"
    )
    with pytest.raises(ValueError, match="too much"):
        exec(line, {"summing": summing, "Shape": Shape})  # noqa: S102  # the line that it tells


PASTED = """
import eventide as ev

@ev.model
def fragile(sim, *, weight: float = 1.0):
    yield ev.hold(weight)
    if sim.replication == 1:
        raise ValueError(f"broken {sim.stream('x').uniform(0.0, 1.0)!r}")
    return {"x": 1.0}

"""
TOLD = """
runs = ev.Study(fragile, {"weight": [2.0]}, replications=2, entropy=4).run(workers=WORKERS, progress=False)
print(runs.failures["replay"][1], runs[1].failure, sep="\\n")
"""


@pytest.mark.slow
def test_the_line_works_where_it_is_pasted_in_a_script_with_a_module_and_in_a_notebook(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PASTED)
    own = PASTED + TOLD.replace("WORKERS", "2")
    by_module = "import eventide as ev\nfrom own import fragile\n" + TOLD.replace("WORKERS", "2")
    told: list[str] = []
    for program in (own, by_module):
        (tmp_path / "script.py").write_text(program)
        first = subprocess.run(
            [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        again = subprocess.run(
            [sys.executable, "-i", "script.py"], cwd=tmp_path, input=first[0] + "\n", capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert first[1] in again.stderr.splitlines()  # the same error, with the same random number
        told += first
    assert told[:2] == told[2:]
    nbclient = pytest.importorskip("nbclient", reason="no notebook: install the extra dev")
    nbformat = pytest.importorskip("nbformat", reason="no notebook: install the extra dev")
    cells = [nbformat.v4.new_code_cell(own), nbformat.v4.new_code_cell(told[0])]
    book = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3", allow_errors=True).execute()
    [error] = [one for one in book.cells[1].outputs if one.output_type == "error"]
    assert f"{error['ename']}: {error['evalue']}" == told[1]


UNGUARDED = """
import multiprocessing
import eventide as ev

@ev.model
def wait(sim):
    yield ev.hold(1.0)
    return {"x": 1.0}

print("made", len(ev.Study(wait, replications=4, entropy=1).run(workers=2, progress=False)))
multiprocessing.get_context("spawn").Process(target=print, args=("other",)).start()
"""


@pytest.mark.slow
def test_a_script_needs_no_guard_and_where_something_else_starts_it_again_the_study_says_so(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stdout == "made 4\n"
    assert done.stderr.splitlines()[-1] == (
        "eventide.errors.ModelError: a study was begun while a process that something else has started imports the "
        "main file of the program, which would begin it again in each: put what starts processes below "
        '`if __name__ == "__main__":`'
    )


def _in_a_daemon(workers: int | None) -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("eventide.experiment.workers.WORTHWHILE", 0.0)  # processes would be started for the least work
        try:
            return str(len(ev.Study(plain, replications=4, entropy=1).run(workers=workers)))
        except ev.ModelError as error:
            return str(error)


@pytest.mark.slow
def test_a_daemon_runs_a_study_by_itself_and_studies_in_threads_leave_the_main_program() -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_in_a_daemon, [None, 1]) == ["4", "4"]
        assert pool.map(_in_a_daemon, [2])[0].endswith(
            "is a daemon, which can start no processes, as those of multiprocessing.Pool: give the study workers=1, or "
            "let one of concurrent.futures.ProcessPoolExecutor run it"
        )
    main, found = sys.modules["__main__"], []
    some = ev.Study(plain, replications=6, entropy=2**128 - 1)
    threads = [threading.Thread(target=lambda: found.append(some.run(workers=2).table["x"].to_list())) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [some.run(workers=1).table["x"].to_list()] * 2
    assert sys.modules["__main__"] is main


# --- how far it has come ----------------------------------------------------------------------------------------------


def test_a_bar_tells_what_is_done_and_when_the_rest_will_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eventide.experiment.progress.strftime", lambda form, time: "14:05:10")
    assert as_html("pit <1>", 20, 80, 1, 65.0) == (
        '<div>pit &lt;1&gt; <progress value="20" max="80"></progress> 20 of 80 runs, 1 failed, 1 min 05 s so far, '
        "about 3 min 15 s left, until 14:05:10</div>"
    )
    assert as_html("pit", 80, 80, 0, 7_201.0) == (
        '<div>pit <progress value="80" max="80"></progress> 80 of 80 runs, in 2 h 00 min</div>'
    )


BAR = """
import itertools
import eventide as ev
from eventide.experiment import progress

ticks = itertools.count()
progress.perf_counter = lambda: next(ticks) * 0.02  # each look at the clock is a run later

@ev.model
def slow(sim):
    yield ev.hold(1.0)
    return {"x": 1.0}

ev.Study(slow, replications=60, entropy=1).run(workers=1)
ev.Study(slow, replications=3, entropy=1).run(workers=1)
"""


@pytest.mark.slow
def test_a_notebook_shows_one_bar_that_moves_and_none_for_what_is_done_at_once() -> None:
    nbclient = pytest.importorskip("nbclient", reason="no notebook: install the extra dev")
    nbformat = pytest.importorskip("nbformat", reason="no notebook: install the extra dev")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(BAR)])
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
    [shown] = [one for one in book.cells[0].outputs if one.output_type == "display_data"]
    html = shown["data"]["text/html"]
    assert html.startswith('<div>slow <progress value="60" max="60"></progress> 60 of 60 runs, ')
