"""Stores: results on disk survive the process that makes them, and are of one study only."""

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eventide as ev
from eventide.analysis.stored import stored
from eventide.experiment.fingerprint import fingerprint

pytest.importorskip("pyarrow")

SCRIPT = """
import os
import sys
import time
import eventide as ev

class Tank(ev.Continuous):
    level: ev.State = ev.state(unit="m")
    loss: float = 1.0

    def equations(self):
        self.rate.level = -self.loss * self.level

@ev.model(until=2.0)
def tank(sim, *, loss: float = 1.0, steps: int = 1):
    while sim.replication >= int(os.environ.get("KILLED_BEFORE", "1000000")):
        time.sleep(0.01)
    one = Tank(sim, loss=loss, level=sim.stream("start").uniform(1.0, 2.0), name="tank").start()
    sim.record(one, every=0.5, name="level")
    sim.dt_max = 2.0 / steps
    if loss > 1.5 and sim.replication == 2:
        raise ValueError("broken")
    return {"mass": sim.integral(lambda: one.level, unit="m"), "end": lambda: one.level, "count": 3}

study = ev.Study(tank(steps=STEPS), {"loss": [1.0, 2.0]}, replications=REPLICATIONS, entropy=7, record=True)
if __name__ == "__main__":
    from eventide.experiment import store
    store.SECONDS = 0.0  # a file comes with each chunk
    study.run(workers=int(sys.argv[2]), store=sys.argv[1])
"""


def _script(steps: int, replications: int) -> str:
    return SCRIPT.replace("STEPS", str(steps)).replace("REPLICATIONS", str(replications))


@pytest.fixture
def study(tmp_path):
    return _study(tmp_path)


def _study(folder: Path, steps: int = 1, replications: int = 5) -> ev.Study:
    path = folder / "script.py"
    path.write_text(_script(steps, replications))
    names = {"__name__": "script"}
    exec(compile(path.read_text(), str(path), "exec"), names)  # noqa: S102  # a module that is not imported
    return names["study"]


def _assert_equal(one: ev.Replication, other: ev.Replication) -> None:
    pd.testing.assert_frame_equal(one.table, other.table, check_exact=True)
    assert one.table.attrs == other.table.attrs
    pd.testing.assert_frame_equal(one.states(), other.states(), check_exact=True)
    assert one.states().attrs == other.states().attrs
    pd.testing.assert_frame_equal(one.failures, other.failures)
    for mine, yours in zip(one, other, strict=True):
        assert (mine.account, mine.parameters, mine.is_whole) == (yours.account, yours.parameters, yours.is_whole)
        assert {name: (type(value), value) for name, value in mine.responses.items()} == {
            name: (type(value), value) for name, value in yours.responses.items()
        }


def _numbers(folder: Path) -> list[int]:
    """The runs in all files, also those that stand there twice."""
    return sorted(number for path in _files(folder) for number in pd.read_parquet(path, columns=["run"])["run"])


@pytest.mark.slow
def test_what_comes_from_a_store_is_what_was_put_there(study, tmp_path):
    runs = study.run(workers=1)
    _assert_equal(study.run(workers=1, store=tmp_path / "store"), runs)
    _assert_equal(study.run(workers=1, store=tmp_path / "store"), runs)
    assert _numbers(tmp_path / "store") == list(range(10))
    assert study.run(workers=1, store=tmp_path / "store")[5].failure == runs[5].failure
    plain = pd.read_parquet(_files(tmp_path / "store")[0])
    assert plain["parameter.loss"].to_list()[:2] == [1.0, 2.0]
    assert plain["response.count"].to_list()[:2] == [3, 3]


@ev.model(until=1.0)
def rods(sim, *, count: int = 0, first: str = "rod"):
    class Rod(ev.Continuous):
        heat: ev.State = ev.state(1.0, unit="K" if count < 2 else "degC")

        def equations(self):
            self.rate.heat = -1.0

    for number in range(count):
        Rod(sim, name=f"{first}{number}").start()
    sim.record(Rod, every=1.0, name="each")
    for rod in sim.laws:
        sim.record(rod, every=0.5, name=f"of {rod.name}")
    if count:
        sim.record(*sim.laws, every=0.5, name="all")


@pytest.mark.slow
def test_runs_may_differ_in_what_they_record(tmp_path):
    points = [{"count": 0}, {"count": 1}, {"count": 12}, {"count": 1, "first": "bar"}]
    study = ev.Study(rods, points, entropy=1, record=True)
    plain = study.run(workers=1)
    study.run(workers=1, store=tmp_path / "store")
    read = study.run(workers=1, store=tmp_path / "store")
    assert [len(run.tables) for run in read] == [1, 3, 14, 3]
    for mine, yours in zip(plain, read, strict=True):
        assert list(mine.tables) == list(yours.tables)
        for name, table in mine.tables.items():
            pd.testing.assert_frame_equal(table, yours.tables[name], check_exact=True)
            assert table.attrs == yours.tables[name].attrs


@ev.model(until=1.0)
def numbers(sim, *, seed: int = 0):
    return {
        "part": lambda: Fraction(seed, 4),
        "either": lambda: Fraction(1, 2) if seed else 0.25,
        "whole": lambda: seed,
    }


def test_a_store_takes_fractions_and_whole_numbers_of_any_length(tmp_path):
    study = ev.Study(numbers, {"seed": [0, 1, 2**127]}, entropy=1)
    plain = study.run(workers=1)
    for _ in range(2):
        read = study.run(workers=1, store=tmp_path / "store")
        assert [dict(run.responses) for run in read] == [dict(run.responses) for run in plain]
        assert [run.parameters["seed"] for run in read] == [0, 1, 2**127]
    assert {type(value) for run in plain for value in run.responses.values()} <= {int, float}
    assert list(stored(tmp_path / "store").table["seed"]) == ["0", "1", str(2**127)]


@ev.model(until=1.0)
def shaped(sim, *, law=None):
    return {"x": lambda: 1.0 if law is None else law(3.0)}


def test_a_store_is_of_what_functions_among_the_parameters_do(tmp_path):
    def study(power: float, law=None) -> ev.Study:
        return ev.Study(shaped, {"law": [None, law or (lambda x: x**power)]}, entropy=1)

    for _ in range(2):  # another function each time, as in another process
        assert [run.responses["x"] for run in study(2.0).run(workers=1, store=tmp_path / "store")] == [1.0, 9.0]
    for other in (study(3.0), study(2.0, lambda x: 2.0 * x), study(2.0, object())):
        with pytest.raises(ev.ModelError, match="the values at the points differ"):
            other.run(workers=1, store=tmp_path / "store")


@pytest.mark.slow
def test_a_store_grows_with_its_replications_and_makes_none_twice(study, tmp_path, monkeypatch):
    study.replicated(2).run(workers=1, store=tmp_path / "store")
    made = []
    results = ev.Study.results
    monkeypatch.setattr(
        ev.Study, "results", lambda self, numbers, **told: made.extend(numbers) or results(self, numbers, **told)
    )
    runs = study.run(workers=1, store=tmp_path / "store")
    assert made == [4, 5, 6, 7, 8, 9]
    _assert_equal(runs, study.run(workers=1))
    assert len(study.replicated(1).run(workers=1, store=tmp_path / "store")) == 2


@pytest.mark.slow
def test_parts_come_together_in_one_store(study, tmp_path):
    store = tmp_path / "store"
    for part in (2, 1, 3):
        study.run(workers=1, store=store, shard=(part, 3))
    assert _numbers(store) == list(range(10))
    assert len(study.run(workers=1, shard=(3, 3))) == 3
    _assert_equal(study.run(workers=1, store=store), study.run(workers=1))
    with pytest.raises(ev.ModelError, match=r"a shard is \(3, 100\), the third of a hundred parts, and got \(4, 3\)"):
        study.run(shard=(4, 3))


@pytest.mark.slow
def test_another_study_is_refused_and_what_differs_is_named(study, tmp_path):
    store = tmp_path / "store"
    study.run(workers=1, store=store)
    card = json.loads((store / "study.json").read_text())
    assert (card["model"], card["entropy"], card["points"]) == ("tank", "7", "2")
    for other, why in (
        (ev.Study(study.model, {"loss": [1.0, 2.0]}, entropy=8, record=True), "its entropy is 7, and here it is 8"),
        (ev.Study(study.model, {"loss": [1.0, 2.5]}, entropy=7, record=True), "the values at the points differ"),
        (ev.Study(study.model, {"loss": [1.0, 2.0]}, entropy=7), r"its record is None, and here it is \(\)"),
    ):
        with pytest.raises(ev.ModelError, match=rf"store holds another study: {why}; give the store a folder"):
            other.run(workers=1, store=store)
    same = ev.Study(study.model, {"loss": [1.0, 2.0]}, replications=5, record=True)
    assert same.run(workers=1, store=store).entropy == 7
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    with pytest.raises(ev.InputError, match="no store, and not empty"):
        study.run(store=tmp_path / "full")


def test_a_store_is_of_the_code_and_not_of_its_comments_and_lines(tmp_path):
    text = (
        "import eventide as ev\nK = 2.0\ndef f(x):\n    return K * x\n"
        "@ev.model\ndef wait(sim):\n    yield ev.hold(f(1.0))\n"
    )

    def run(text: str) -> None:
        names = {"__name__": "script"}
        exec(compile(text, "script.py", "exec"), names)  # noqa: S102  # as above
        ev.Study(names["wait"], entropy=1).run(workers=1, store=tmp_path / "store")

    run(text)
    run("# a comment\n\n" + text.replace("K * x", "K * x  # twice"))
    for other in (text.replace("2.0", "3.0"), text.replace("K * x", "K + x"), text.replace("hold(f", "hold(-f")):
        with pytest.raises(ev.ModelError, match="the code of the model has changed"):
            run(other)


LEADING_FAR = """
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from types import SimpleNamespace
import numpy as np
import eventide as ev
RATES = {"in": [1.0, 2.0]}
LEVELS = np.array([1.5, 2.5])
SHARE, NAMES, CONFIGURED = Fraction(1, 4), {"one", "two"}, SimpleNamespace(gain=3.5)
INFLOW = ev.inputs.LinearTable((0.0, 1.0), (0.0, 4.5))
POWER = partial(pow, 5.5)
class Kind(Enum):
    WIDE = 6.5
@dataclass
class Chosen:
    width: float
CHOSEN = Chosen(7.5)
@lru_cache
def twice(x):
    return 8.5 * x
class Tank(ev.Continuous):
    G = 9.5
    _H = 10.5
    level: ev.State = ev.state(0.0)
    @property
    def area(self):
        return 11.5
    @cached_property
    def depth(self):
        return 12.5
    @staticmethod
    def side(x):
        return 13.5 * x
    @ev.when(lambda self: self.level >= 14.5)
    def full(self):
        self.level = 0.0
    @ev.every(15.5)
    def drain(self):
        self.level -= 16.5
    def equations(self):
        self.rate.level = RATES["in"][0] + self.G
@ev.model(until=1.0)
def fill(sim):
    tank = Tank(sim).start()
    values = LEVELS[0], SHARE, CONFIGURED.gain, INFLOW(0.5), POWER(2.0), Kind.WIDE, CHOSEN.width, twice(1.0), len(NAMES)
    return {"level": lambda: tank.level}
"""


def _model_in(text):
    names = {"__name__": "script"}
    exec(compile(text, "script.py", "exec"), names)  # noqa: S102  # as above
    return names["fill"]


def test_a_store_is_of_all_the_code_and_values_that_a_model_leads_to():
    model = _model_in(LEADING_FAR)
    known = fingerprint(model)
    model.run(entropy=1)
    assert known == fingerprint(model) == fingerprint(_model_in("# a comment\n" + LEADING_FAR))
    numbers = ["1.0, 2.0", *(f"{number}.5" for number in range(1, 17))]
    edits = [("[" + numbers[0], "[1.25, 2.0"), *((number, f"{number[:-1]}25") for number in numbers[1:])]
    for old, new in [*edits, ("(1, 4)", "(1, 5)"), ('"two"', '"three"')]:
        assert old in LEADING_FAR
        assert fingerprint(_model_in(LEADING_FAR.replace(old, new))) != known, old


def test_a_store_is_of_the_code_of_other_modules_of_the_author(tmp_path, monkeypatch):
    text = "import eventide as ev\nimport of_author\n@ev.model(until=1.0)\ndef fill(sim):\n    {}\n"
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    for number in ("1.5", "2.5"):
        module = ModuleType("of_author")
        module.__file__ = str(tmp_path / "of_author.py")
        exec(f"K = {number}\nL = 3.5\ndef helped():\n    return {number}\n", vars(module))  # noqa: S102  # as above
        monkeypatch.setitem(sys.modules, "of_author", module)
        found += [
            fingerprint(_model_in(text.format(line))) for line in ("of_author.L", "of_author.K", "of_author.helped()")
        ]
    assert [one == other for one, other in zip(found[:3], found[3:], strict=True)] == [True, False, False]


def test_a_store_is_of_the_distributions_that_parameters_are_drawn_from(tmp_path):
    @ev.model(until=1.0)
    def wait(sim, *, kind: int = 0):
        return {"kind": lambda: kind}

    ev.Study(wait, {"kind": stats.bernoulli(0.3)}, entropy=1).run(workers=1, store=tmp_path / "store")
    ev.Study(wait, {"kind": stats.bernoulli(0.3)}, entropy=1).run(workers=1, store=tmp_path / "store")
    other = ev.Study(wait, {"kind": stats.bernoulli(0.31)}, entropy=1)
    assert other.task(0).values == {"kind": 0}  # as before, by chance
    with pytest.raises(ev.ModelError, match="the values at the points differ"):
        other.run(workers=1, store=tmp_path / "store")


@pytest.mark.slow
def test_what_was_left_half_written_is_swept_and_what_is_being_written_is_not(study, tmp_path):
    store = tmp_path / "store"
    study.run(workers=1, store=store)
    left = store / ".runs-00000000-0123456789ab.parquet.01234567.part"
    left.write_bytes(b"PAR1 half")
    study.run(workers=1, store=store)
    assert not left.exists()


@pytest.mark.slow
def test_a_study_that_is_killed_goes_on_and_repeats_nothing(tmp_path):
    whole = _study(tmp_path, 250, 60)
    store, seen, rng = tmp_path / "store", 0, np.random.default_rng(1)
    for kill in range(1, 4):  # it does not come to its end before, however late the other process looks
        environment = {**os.environ, "KILLED_BEFORE": str(15 * kill)}
        command = [sys.executable, str(tmp_path / "script.py"), str(store), "2"]
        process = subprocess.Popen(command, env=environment)
        while process.poll() is None and len(_files(store)) <= seen:
            time.sleep(0.01)
        time.sleep(float(rng.uniform(0.0, 0.2)))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        seen = len(_files(store))
    assert 0 < len(set(_numbers(store))) < 120
    runs = whole.run(workers=1, store=store)
    assert _numbers(store) == list(range(120))
    assert not list(store.glob(".*"))
    _assert_equal(runs, whole.run(workers=1))


def _files(store: Path) -> list[Path]:
    return [path for path in store.glob("runs-*.parquet") if ".table-" not in path.name]


@pytest.mark.slow
def test_two_processes_may_work_on_one_store(tmp_path):
    whole = _study(tmp_path, 200, 30)
    command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path / "store"), "1"]
    both = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in both] == [0, 0, 0]
    _assert_equal(whole.run(workers=1, store=tmp_path / "store"), whole.run(workers=1))
