"""Machine code on disk: found again, never half, never another's, and dispensable."""

from __future__ import annotations

import hashlib
import linecache
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from compiled.harness import run_condition, table_of

import eventide as ev
from eventide.compilation import Bound, Registry
from eventide.lowering import compile_kernel, lower_condition
from eventide.native.store import FORMAT, Store, default_folder, is_trusted


class Tank(ev.Continuous):
    level: ev.State = ev.state(3.0)


def condition_of(limit: float):
    """A tank and a condition whose limit is part of the text, so that each is a kernel of its own."""
    tank = Tank(ev.Simulation(rng=1))
    names = {"tank": tank, "__name__": "limits"}
    text = f"test = lambda tank: tank.level > {limit!r}\n"
    linecache.cache[f"<limit {limit}>"] = (len(text), None, [text], f"<limit {limit}>")
    exec(compile(text, f"<limit {limit}>", "exec", dont_inherit=True), names)  # noqa: S102  # made here
    return tank, names["test"]


def guide(store: Store, limit: float) -> float:
    tank, test = condition_of(limit)
    lowered = lower_condition(test, tank)
    bound = Bound(compile_kernel(lowered, store), lowered.bind(test, (tank,)))
    return run_condition(bound, table_of(tank.sim)).guide


def files(folder: Path) -> list[str]:
    return sorted(path.suffix for path in folder.iterdir()) if folder.is_dir() else []


def test_a_kernel_is_compiled_once_and_read_ever_after(tmp_path) -> None:
    first, second = Store(tmp_path / "a" / "b"), Store(tmp_path / "a" / "b")
    assert (guide(first, 1.0), guide(first, 1.0), guide(first, 2.5)) == (2.0, 2.0, 0.5)
    assert (first.compiled, files(tmp_path / "a" / "b")) == (2, [".o", ".o"])
    assert (guide(second, 2.5), guide(second, 1.0), second.compiled) == (0.5, 2.0, 0)


def test_without_a_folder_everything_stays_in_memory(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("EVENTIDE_CACHE_DIR", str(tmp_path))
    store = Store(None)
    assert (guide(store, 1.0), guide(store, 1.0), store.compiled, files(tmp_path)) == (2.0, 2.0, 1, [])


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda content: content[:-1], id="cut off"),
        pytest.param(lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:], id="a bit turned"),
        pytest.param(lambda content: b"", id="empty"),
        pytest.param(lambda content: content.replace(b"kernel 2", b"kernel 0"), id="another format"),
    ],
)
def test_a_damaged_file_is_made_anew(tmp_path, damage) -> None:
    guide(Store(tmp_path), 1.0)
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    store = Store(tmp_path)
    assert (guide(store, 1.0), store.compiled) == (2.0, 1)
    assert path.read_bytes() == whole


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = Store(tmp_path / "file" / "folder")
    assert (guide(store, 1.0), guide(store, 1.0), store.compiled) == (2.0, 2.0, 1)


def test_a_folder_that_cannot_be_written_is_read(tmp_path, monkeypatch) -> None:
    guide(Store(tmp_path), 1.0)
    tmp_path.chmod(0o555)

    def refuse(*args, **options):  # the owner of the machine may write everywhere all the same
        raise PermissionError("read-only")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    store = Store(tmp_path)
    assert (guide(store, 1.0), store.compiled) == (2.0, 0)
    assert (guide(store, 2.0), store.compiled) == (1.0, 1)
    assert files(tmp_path) == [".o"]
    tmp_path.chmod(0o755)


def test_a_file_that_cannot_be_finished_is_not_left_behind(tmp_path, monkeypatch) -> None:
    def refuse(self, target):
        raise OSError("the disk is full")

    monkeypatch.setattr(Path, "replace", refuse)
    assert guide(Store(tmp_path), 1.0) == 2.0
    assert files(tmp_path) == []


def test_another_compiler_or_processor_is_another_file(tmp_path, monkeypatch) -> None:
    guide(Store(tmp_path), 1.0)
    monkeypatch.setattr("eventide.native.llvm.machine_name", lambda: "another machine")
    store = Store(tmp_path)
    assert (guide(store, 1.0), store.compiled, len(files(tmp_path))) == (2.0, 1, 2)


def test_whether_something_is_kept_is_told_without_the_compiler(tmp_path, monkeypatch) -> None:
    text = "define ptr @kernel() {\n  ret ptr null\n}\n"
    Store(tmp_path).load(lambda: text, key="this")
    in_memory = Store(None)
    in_memory.load(text)
    monkeypatch.setitem(sys.modules, "eventide.native.llvm", None)  # to import it is an error
    stores = Store(tmp_path), Store(tmp_path / "none"), in_memory
    assert [[store.seems_to_have(key) for key in ("this", text)] for store in stores] == [
        [True, False],
        [False, False],
        [False, True],
    ]


def test_the_folder_is_listed_again_only_where_it_has_changed(tmp_path, monkeypatch) -> None:
    """With 40,000 files each run of a ball cost 35 ms for a kernel that was not there."""
    Store(tmp_path).load(lambda: "define ptr @kernel() {\n  ret ptr null\n}\n", key="this")
    listed, listing, store = [], os.scandir, Store(tmp_path)
    monkeypatch.setattr("os.scandir", lambda folder: listed.append(folder) or listing(folder))
    assert [store.seems_to_have(key) for key in ("that", "that", "this", "other")] == [False, False, True, False]
    assert listed == [tmp_path]
    os.utime(tmp_path, ns=(1, 1))
    assert not store.seems_to_have("that")
    assert listed == [tmp_path] * 2


# --- whose

MODES = pytest.mark.skipif(sys.platform == "win32", reason="modes tell nothing there")


def made(folder: Path, limit: float) -> Path:
    """The file of a kernel."""
    before = set(folder.iterdir()) if folder.is_dir() else set()
    guide(Store(folder), limit)
    (path,) = set(folder.iterdir()) - before
    return path


@MODES
def test_what_is_kept_is_for_its_user_alone(tmp_path) -> None:
    path = made(tmp_path / "a" / "b", 1.0)
    modes = [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent, path.parent.parent)]
    assert list(map(oct, modes)) == ["0o600", "0o700", "0o700"]


def test_a_file_in_the_place_of_another_is_made_anew(tmp_path) -> None:
    path, other = made(tmp_path, 1.0), made(tmp_path, 2.5)
    whole = path.read_bytes()
    path.write_bytes(other.read_bytes())
    store = Store(tmp_path)
    assert (guide(store, 1.0), store.compiled, path.read_bytes() == whole) == (2.0, 1, True)


def test_code_without_its_function_is_made_anew(tmp_path) -> None:
    path, other = made(tmp_path, 1.0), made(tmp_path, 2.5)
    whole, code = path.read_bytes(), other.read_bytes()[len(FORMAT) + 32 :]
    path.write_bytes(FORMAT + hashlib.sha256(path.stem.encode() + code).digest() + code)
    store = Store(tmp_path)
    assert (guide(store, 1.0), store.compiled, path.read_bytes() == whole) == (2.0, 1, True)


@MODES
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1777, 0o702])
def test_a_folder_in_which_others_may_write_is_done_without_and_named(tmp_path, monkeypatch, mode) -> None:
    path = made(tmp_path, 1.0)
    path.unlink()
    tmp_path.chmod(mode)
    store = Store(tmp_path)
    monkeypatch.setattr("eventide.compilation._shared_registry", lambda: Registry(store))
    assert (guide(store, 1.0), guide(store, 1.0), store.compiled, files(tmp_path)) == (2.0, 2.0, 1, [])
    tank = Tank(ev.Simulation(rng=1)).start()
    told = f"{tmp_path} belongs to another user, or others may write there"
    assert tank.sim.explain().unkept == told
    assert str(tank.sim.explain()).endswith(f"native code is not kept on disk: {told}")


@MODES
@pytest.mark.parametrize("change", [0o666, 0o620, "link", "pipe"])
def test_a_file_that_others_may_write_or_that_is_none_is_made_anew(tmp_path, change) -> None:
    path = made(tmp_path / "kept", 1.0)
    if change == "link":
        path.symlink_to(path.rename(tmp_path / "elsewhere"))
    elif change == "pipe":
        path.unlink()
        os.mkfifo(path, 0o600)
    else:
        path.chmod(change)
    store = Store(path.parent)
    assert (guide(store, 1.0), store.compiled) == (2.0, 1)
    assert stat.filemode(path.lstat().st_mode) == "-rw-------"


@MODES
def test_only_this_user_and_the_administrator_are_trusted(monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    users = [os.stat_result((0o100644, 0, 0, 1, user, 0, 0, 0, 0, 0)) for user in (0, 1000, 1001)]
    assert list(map(is_trusted, users)) == [True, True, False]


# --- where


def test_the_folder_is_as_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("EVENTIDE_CACHE_DIR", str(tmp_path / "named"))
    assert default_folder() == Store.default().folder == tmp_path / "named"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the folders of Linux")
def test_the_folder_is_the_users_or_a_private_temporary_one(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("EVENTIDE_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert default_folder() == tmp_path / "cache" / "eventide" / "kernels"
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    private = tmp_path / f"eventide-kernels-{os.getuid()}"
    assert default_folder() == private
    assert private.stat().st_mode & 0o777 == 0o700
    private.chmod(0o777)
    assert default_folder() is None
    private.chmod(0o700)
    assert default_folder() == private
    private.rmdir()
    private.symlink_to(tmp_path / "cache")
    assert default_folder() is None


# --- several processes

WORKER = """
import sys, time
from pathlib import Path
sys.path.insert(0, {tests!r})
from compiled.test_store import Store, guide
folder, start = Path(sys.argv[1]), Path(sys.argv[2])
store = Store(folder)
Path(sys.argv[3]).touch()
while not start.exists():
    pass
print([guide(store, float(k)) for k in range(8)], store.compiled)
"""


@pytest.mark.slow
def test_many_processes_may_compile_at_once(tmp_path) -> None:
    code = WORKER.format(tests=str(Path(__file__).parents[1]))
    ready = [tmp_path / f"ready{k}" for k in range(4)]
    start, folder = tmp_path / "start", tmp_path / "kernels"
    workers = [
        subprocess.Popen([sys.executable, "-c", code, folder, start, flag], stdout=subprocess.PIPE, text=True)
        for flag in ready
    ]
    while not all(flag.exists() for flag in ready):
        assert all(worker.poll() is None for worker in workers)
    start.touch()
    answers = [worker.communicate()[0] for worker in workers]
    expected = str([3.0 - k for k in range(8)])
    assert [answer.rpartition(" ")[0] for answer in answers] == [expected] * 4
    assert files(folder) == [".o"] * 8
    late = Store(folder)
    assert ([guide(late, float(k)) for k in range(8)], late.compiled) == ([3.0 - k for k in range(8)], 0)


MODEL = """
import eventide as ev
from helpers import speed
from eventide.compilation import Registry
from eventide.native.store import Store
from compiled.harness import run_law, table_of
from pathlib import Path

class Runner(ev.Continuous):
    place: ev.State = ev.state(1.0)

    def equations(self):
        self.rate.place = speed(self.place)

runner = Runner(ev.Simulation(rng=1))
registry = Registry(Store(Path("kernels")))
kernel, binding = registry.law(runner, Runner.equations)
run_law(kernel, [binding], table_of(runner.sim))
print(table_of(runner.sim)[1, 0], registry.store.compiled)
"""


WITH_HANDLER = """
import eventide as ev
from helpers import speed

class Counter(ev.Continuous):
    phase: ev.State = ev.state(0.0)
    total: float = 0.0

    def equations(self):
        self.rate.phase = 1.0

    @ev.when(lambda self: self.phase >= 1.0)
    def tick(self):
        self.phase -= 1.0
        self.total += speed(1.0)

if __name__ == "__main__":
    sim = ev.Simulation()
    counter = Counter(sim).start()
    sim.run(until=20.5)
    print(counter.total, sim.monitor.integrator.native_handlers.handled)
"""


@pytest.mark.slow
def test_editing_a_helper_of_a_handler_changes_the_next_run(tmp_path) -> None:
    (tmp_path / "model.py").write_text(WITH_HANDLER)

    def run(factor: float) -> str:
        (tmp_path / "helpers.py").write_text(f"def speed(place):\n    return {factor} * place\n")
        command = [sys.executable, "-B", "model.py"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    assert [run(2.0), run(3.0), run(2.0)] == ["40.0 4\n", "60.0 4\n", "40.0 4\n"]


@pytest.mark.slow
def test_editing_a_helper_in_another_file_changes_the_next_run(tmp_path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[1])])}

    def run(factor: float) -> str:
        (tmp_path / "helpers.py").write_text(f"def speed(place):\n    return {factor} * place\n")
        command = [sys.executable, "-B", "model.py"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    assert [run(2.0), run(3.0), run(2.0)] == ["2.0 1\n", "3.0 1\n", "2.0 0\n"]
