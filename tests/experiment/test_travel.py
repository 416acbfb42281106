"""Models that travel: from wherever they are written, they run elsewhere with the same bits and the same proofs."""

import importlib
import pickle
import subprocess
import sys
from threading import Lock
from types import CodeType

import pytest

import eventide as ev
from eventide.experiment.travel import pack, unpack

SCRIPT = """
import sys
import eventide as ev

LIMIT = 4.0

def loss(height):
    return 0.1 * height

class Tank(ev.Continuous):
    cells: int = 3
    height: ev.State = ev.state(10.0, unit="m")
    need: float
    inflow: float = 0.0

    def equations(self):
        self.rate.height = self.inflow - self.need * loss(self.height) if self.height > LIMIT else -3.0

class Chain(Tank):
    u: ev.StateVector = ev.state_vector(0.0, size="cells")
    q: ev.Computed = ev.computed()
    log: list = ev.field(default_factory=list)

    def equations(self):
        super().equations()
        self.q = abs(self.height - 5.0)
        self.rate.u[:] = self.q

    @ev.when(lambda self: self.height <= 0.0)
    def refill(self):
        self.height = 10.0

    @ev.every(0.5)
    def look(self):
        self.log.append(self.height)

class Job(ev.Process, ev.Continuous):
    x: ev.State = ev.state(0.0)
    chain: Chain

    def equations(self):
        self.rate.x = self.chain.height

    def run(self):
        self.start()
        for k in range(3):
            yield ev.until(lambda: self.x > 5.0 * (k + 1))
            self.chain.height += self.sim.stream("kick").uniform(0, 1)

@ev.model(until=9.0)
def plain(sim, *, need: float = 1.0):
    chain = Chain(sim, need=need, cells=2, name="chain").start()
    Job(sim, chain=chain, name="job").activate()
    return {"height": lambda: chain.height + chain.u[0], "rows": lambda: len(chain.log)}

def closed(factor):
    class Own(Tank):
        def equations(self):
            self.rate.height = factor * self.height

    @ev.model(until=2.0)
    def inner(sim):
        own = Own(sim, need=1.0, name="own").start()
        ev.Variable(sim, 1.0)
        return {"height": lambda: own.height, "again": lambda: inner.until}

    return inner

MODELS = {"plain": plain(need=1.5), "closed": closed(-0.5)}
"""

AT_HOME = """
if __name__ == "__main__":
    from eventide.experiment.travel import pack
    for name, model in MODELS.items():
        run = model.run(entropy=7)
        print(repr((run.responses, str(run.simulation.explain()))))
        with open(sys.argv[1] + name, "wb") as file:
            file.write(pack(model))
"""

ELSEWHERE = """
import sys
from eventide.experiment.travel import unpack
for name in ("plain", "closed"):
    with open(sys.argv[1] + name, "rb") as file:
        run = unpack(file.read()).run(entropy=7)
    print(repr((run.responses, str(run.simulation.explain()))))
"""


def _lines(*arguments: str) -> list[str]:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_models_of_a_script_run_elsewhere_with_the_same_bits_and_proofs_after_runs_at_home(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + AT_HOME)
    home = _lines(str(script), f"{tmp_path}/")
    script.unlink()  # what is not there cannot be read there
    away = _lines("-c", ELSEWHERE, f"{tmp_path}/")

    assert away == home
    assert len(home) == 2
    assert "native code" in home[0]
    assert "proved over whole steps" in home[0]


class Fall(ev.Continuous):
    height: ev.State = ev.state(10.0)

    def equations(self):
        self.rate.height = -1.0


@ev.model(until=2.0)
def falling(sim, speed: float = 1.0):
    fall = Fall(sim).start()
    return {"height": lambda: fall.height * speed}


def test_a_model_that_can_be_imported_travels_by_its_name(tmp_path, monkeypatch):
    (tmp_path / "own_models.py").write_text(
        "import eventide as ev\n\n@ev.model\ndef wait(sim, time: float = 1.0):\n    yield ev.hold(time)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    wait = importlib.import_module("own_models").wait
    sent = pickle.dumps(wait(time=3.0))
    monkeypatch.delitem(sys.modules, "own_models")
    back = pickle.loads(sent)
    assert back.function is importlib.import_module("own_models").wait.function
    assert (back.values, wait.values) == ({"time": 3.0}, {"time": 1.0})
    assert len(sent) < 200


def test_a_model_is_unpacked_once_for_equal_bytes():
    packed = pack(falling)
    assert unpack(packed) is unpack(pack(falling))
    assert unpack(packed).run(entropy=0).responses == falling.run(entropy=0).responses


def test_code_that_travels_knows_its_file():
    """As its text is found by that; cloudpickle 3.1.3 does not send it, and models of scripts ran as plain Python."""

    @ev.model(until=1.0)
    def waits(sim):
        return {"later": lambda: sim.time + 1.0}

    away = unpack(pack(waits)).function.__code__
    assert away == waits.function.__code__
    inner = [constant for constant in away.co_consts if isinstance(constant, CodeType)]
    assert [code.co_filename for code in (away, *inner)] == [__file__] * 2


def test_what_cannot_be_sent_is_named():
    lock = Lock()

    @ev.model(until=1.0)
    def holds(sim):
        lock.acquire()

    with pytest.raises(ev.ModelError, match=r"holds cannot be sent to another process: .*workers=1"):
        pack(holds)


def test_numbered_errors_travel_with_their_notes_and_names_but_without_the_simulation():
    @ev.model(until=1.0)
    def wrong(sim):
        Blown(sim, name="blown").start()

    class Blown(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self):
            self.rate.x = float("nan")

    with pytest.raises(ev.SimulationError) as caught:
        wrong.run(entropy=3)
    back = pickle.loads(pickle.dumps(caught.value))
    assert str(back) == str(caught.value)
    assert (back.number, back.time, back.__notes__) == (caught.value.number, 0.0, caught.value.__notes__)
    assert (back.continuous, back.variable, back.caller) == (None, None, None)
