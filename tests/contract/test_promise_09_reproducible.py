"""Promise 9: a run is its inputs: the same bits in any process, whatever Python's settings and whoever looks."""

from __future__ import annotations

import gc
import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import eventide as ev

SOURCE = str(Path(ev.__file__).parents[1])


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    inflow: float = 0.0
    log: list = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.level = self.inflow - 0.3 * self.level

    @ev.when(lambda self: self.level <= 0.5)
    def low(self) -> None:
        self.log.append((self.name, self.sim.time, self.level))
        self.inflow = 0.2 + 0.1 * self.sim.stream("inflow").uniform(0.0, 1.0)

    @ev.when(ev.crosses(lambda self: self.level, 0.8, direction="up"))
    def high(self) -> None:
        self.log.append((self.name, self.sim.time, self.level))
        self.inflow = 0.0


def plant(log: list[Any], **options: Any) -> ev.Simulation:
    """Tanks that fill and drain, and customers who take from them."""
    sim = ev.Simulation(**{"rng": 7, **options})
    desk = ev.Resource(sim, 2, name="desk")
    tanks = [Tank(sim, name=f"tank {k}", level=1.0 + 0.1 * k, log=log).start() for k in range(4)]

    def customer(k: int) -> ev.ProcessGenerator:
        tank = tanks[k % 4]
        with desk.request() as place:
            got = yield ev.first_of(place=place, gave_up=ev.hold(2.0))
            if got.name == "gave_up":
                log.append((f"customer {k}", "left", sim.time))
                return
            yield ev.until(lambda: tank.level > 0.55)
            tank.level -= 0.05
            log.append((f"customer {k}", sim.time, tank.level))
            yield ev.hold(sim.stream("service").exponential(1.5))

    def source() -> ev.ProcessGenerator:
        for k in range(60):
            sim.process(customer(k))
            yield ev.hold(sim.stream("arrivals").exponential(0.5))

    sim.process(source())
    return sim


def digest(**options: Any) -> str:
    log: list[Any] = []
    sim = plant(log, **options)
    sim.run(until=40.0)
    assert len(log) > 60
    return hashlib.sha256(repr((log, sim.events, sim.report())).encode()).hexdigest()


@pytest.mark.slow
def test_two_runs_are_equal_to_the_bit_and_another_entropy_is_another_run() -> None:
    assert digest() == digest()
    assert digest() != digest(rng=8)


def test_the_collector_of_garbage_does_not_matter() -> None:
    expected = digest()
    gc.disable()
    try:
        assert digest() == expected
    finally:
        gc.enable()
    limits = gc.get_threshold()
    gc.set_threshold(1)
    try:
        assert digest() == expected
    finally:
        gc.set_threshold(*limits)


def test_other_streams_and_bystanders_change_nothing() -> None:
    plain: list[Any] = []
    plant(plain).run(until=40.0)
    log: list[Any] = []
    sim = plant(log)

    def bystander() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(sim.stream("a stream of its own").exponential(0.3))

    sim.process(bystander())
    sim.record(Tank, every=0.1)
    sim.run(until=40.0)
    assert log == plain


def test_in_parts_as_in_one_piece() -> None:
    whole: list[Any] = []
    plant(whole, stepping="apart").run(until=40.0)
    log: list[Any] = []
    sim = plant(log, stepping="apart")
    for end in (0.1, 3.3, 17.0, 40.0):
        sim.run(until=end)
    assert log == whole


SETTINGS: dict[str, tuple[dict[str, str], list[str]]] = {
    "hash seed 1": ({"PYTHONHASHSEED": "1"}, []),
    "hash seed 2": ({"PYTHONHASHSEED": "2"}, []),
    "optimised": ({}, ["-O"]),
    "no garbage": ({"EVENTIDE_TEST_GC": "off"}, []),
}


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_in_any_process(setting: str) -> None:
    environment, flags = SETTINGS[setting]
    code = (
        "import gc, os, sys, importlib.util as u\n"
        "if os.environ.get('EVENTIDE_TEST_GC'): gc.disable()\n"
        f"spec = u.spec_from_file_location('promise', {__file__!r})\n"
        "module = u.module_from_spec(spec); sys.modules['promise'] = module; spec.loader.exec_module(module)\n"
        "print(module.digest())\n"
    )
    done = subprocess.run(
        [sys.executable, *flags, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": SOURCE, **environment},
    )
    assert done.stdout.strip() == digest()
