"""Two hundred runs of the soaking pit have equal bits wherever they are made, and a killed study loses none of them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eventide as ev

PIT = Path(__file__).parents[2] / "examples" / "soaking_pit.py"

EVERYWHERE = """
import hashlib
from distributed import Client, LocalCluster
from loky import get_reusable_executor

def digest(**how):
    study = ev.Study(soaking_pit(hours=5.0), {"pits": [8, 10]}, replications=100, entropy=7)
    table = study.run(progress=False, **how).table
    assert len(table) == 200 and "error" not in table
    return hashlib.sha256("\\n".join(map(repr, table.itertuples())).encode()).hexdigest()

if __name__ == "__main__":
    print(digest(workers=1))
    print(digest(workers=2))
    print(digest(executor=get_reusable_executor(2), workers=2))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        print(digest(executor=client.get_executor(), workers=2))
"""


def _printed(program: str, folder: Path) -> list[str]:
    (folder / "program.py").write_text(program)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(PIT.parent)])}
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def _printed_in_a_notebook(program: str) -> list[str]:
    nbclient = pytest.importorskip("nbclient", reason="no notebook: install the group dev")
    nbformat = pytest.importorskip("nbformat", reason="no notebook: install the group dev")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(program)])
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    return "".join(one["text"] for one in book.cells[0].outputs if one.get("name") == "stdout").split()


@pytest.mark.slow
@pytest.mark.row("R-272")
def test_a_module_a_script_and_a_notebook_give_equal_bits_serially_on_processes_loky_and_dask(tmp_path: Path) -> None:
    for library in ("distributed", "loky"):
        pytest.importorskip(library, reason=f"no {library}: install the group dev")
    own = PIT.read_text() + EVERYWHERE
    by_module = _printed("import eventide as ev\nfrom soaking_pit import soaking_pit\n" + EVERYWHERE, tmp_path)
    assert len(by_module) == 4
    assert len(set(by_module)) == 1
    assert _printed(own, tmp_path) == by_module
    assert _printed_in_a_notebook(own) == by_module


BY_MPI = """
import eventide as ev
from soaking_pit import soaking_pit

def table(**how):
    study = ev.Study(soaking_pit(hours=5.0), {"pits": [8, 10]}, replications=10, entropy=7)
    return study.run(progress=False, **how).table

if __name__ == "__main__":
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as pool:
        print(table(executor=pool, workers=2).equals(table(workers=1)))
"""


@pytest.mark.slow
def test_workers_of_mpi_give_the_same(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py", reason="no mpi4py")
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # that of the wheel comes first
    mpiexec = shutil.which("mpiexec", path=beside)
    if mpiexec is None:
        pytest.skip("no MPI: install the group dev, or openmpi-bin")
    (tmp_path / "program.py").write_text(BY_MPI)
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(PIT.parent)])
    done = subprocess.run(
        [mpiexec, "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", "program.py"],
        cwd=tmp_path, env={**os.environ, **allowed, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


KILLED = """
import os
import time
import eventide as ev

@ev.model
def queue(sim, *, gap: float = 1.0):
    while sim.replication >= int(os.environ.get("KILLED_BEFORE", "1000000")):
        time.sleep(0.01)
    with open(os.environ["MADE"], "a") as made:
        made.write(f"{gap} {sim.replication}\\n")
    desk, waits = ev.Resource(sim, 1, name="desk"), ev.Tally(name="wait")
    times = sim.stream("times")

    def customer():
        arrived = sim.time
        with desk.request() as place:
            yield place
            waits.add(sim.time - arrived)
            yield ev.hold(times.exponential(0.8))

    for _ in range(300):
        sim.process(customer())
        yield ev.hold(times.exponential(gap))
    time.sleep(0.01)
    return {"wait": waits, "end": sim.time}
"""


def _stored(store: Path) -> list[int]:
    """The numbers of the runs in all files of a store; also those that stand there twice."""
    files = [path for path in store.glob("runs-*.parquet") if ".table-" not in path.name]
    return sorted(number for path in files for number in pd.read_parquet(path, columns=["run"])["run"])


@pytest.mark.slow
def test_a_study_whose_processes_are_killed_ten_times_loses_no_run_and_repeats_none_that_was_kept(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "model.py").write_text(KILLED)
    made, store, rng = tmp_path / "made", tmp_path / "store", np.random.default_rng(1)
    made.touch()
    command = [sys.executable, "-m", "eventide", "study", "model.py", "--over", "gap=1.0,1.5", "-n", "200"]
    command += ["--entropy", "7", "--workers", "2", "--store", "store", "--out", "whole.csv"]
    how = {"cwd": tmp_path, "stderr": subprocess.DEVNULL}
    points, kills = {"1.0": 0, "1.5": 1}, 0

    def numbers(lines: list[str]) -> list[int]:
        found = [line.split() for line in lines]
        return [2 * int(replication) + points[gap] for gap, replication in found]

    for kill in range(11):
        kept, begun = set(_stored(store)), len(made.read_text().splitlines())
        # It does not come to its end before, however late this process looks.
        bound = {"KILLED_BEFORE": str(19 * (kill + 1))} if kill < 10 else {}
        environment = {**os.environ, "MADE": str(made), **bound}
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True, env=environment, **how)
        if kill < 10:
            while process.poll() is None and len(made.read_text().splitlines()) == begun:
                time.sleep(0.005)
            time.sleep(float(rng.uniform(0.0, 0.9)))
            kills += process.poll() is None
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        again = numbers(made.read_text().splitlines()[begun:])
        assert not kept & set(again)  # what was kept is not made again
        assert len(set(again)) == len(again)
    assert status == 0
    assert kills == 10
    assert _stored(store) == list(range(400))
    assert sorted(set(numbers(made.read_text().splitlines()))) == list(range(400))

    names: dict[str, object] = {"__name__": "model"}
    exec(compile(KILLED, str(tmp_path / "model.py"), "exec"), names)  # noqa: S102  # a module that is not imported
    os.environ["MADE"] = os.devnull
    try:
        whole = ev.Study(names["queue"], {"gap": [1.0, 1.5]}, replications=200, entropy=7).run(workers=1).table
    finally:
        del os.environ["MADE"]
    pd.testing.assert_frame_equal(ev.load(tmp_path / "whole.csv"), whole, check_exact=True, check_dtype=False)
