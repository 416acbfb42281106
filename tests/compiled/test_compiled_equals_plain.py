"""Models run compiled and as plain Python: the same counts, the same events, the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from compiled.specimens import SPECIMENS, Log, Specimen

import eventide as ev
from eventide.compilation import Registry
from eventide.experiment import Model, imported, only_model
from eventide.native.store import Store

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(specimen: Specimen, **settings: Any) -> tuple[ev.Simulation, Log]:
    sim = ev.Simulation(rng=1, rel_error=1e-8, abs_error=1e-8, **settings)
    log: Log = []
    specimen.build(sim, log)
    sim.run(until=specimen.until)
    log.append((sim.time, "end", *(v.state for v in sim.variables)))
    return sim, log


def counts(sim: ev.Simulation) -> dict[str, int]:
    return {
        "events": sim.events,
        "state events": sim.monitor.state_events,
        "steps": sim.monitor.steps,
        "refused": sim.monitor.refused,
        "evaluations": sim._continuum.evaluations,
    }


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize("name", SPECIMENS)
def test_compiled_and_plain_runs_are_the_same_to_the_last_bit(name: str, stepping: Any) -> None:
    specimen = SPECIMENS[name]
    native, native_log = run(specimen, compile="auto" if specimen.opaque else True, stepping=stepping)
    plain, plain_log = run(specimen, compile=False, stepping=stepping)
    assert len(native_log) == len(plain_log) > 1
    assert counts(native) == counts(plain)
    assert native_log == plain_log


@pytest.mark.parametrize("name", SPECIMENS)
def test_apart_and_together_have_the_same_events_at_the_same_times(name: str) -> None:
    specimen = SPECIMENS[name]
    apart, apart_log = run(specimen)
    together, together_log = run(specimen, stepping="together")
    assert len(apart_log) == len(together_log) > 1
    assert [entry[1] for entry in apart_log] == [entry[1] for entry in together_log]
    assert (apart.events, apart.monitor.state_events) == (together.events, together.monitor.state_events)
    for one, other in zip(apart_log, together_log, strict=True):
        assert one[0] == pytest.approx(other[0], rel=1e-7, abs=1e-7)
        assert len(one) == len(other)
        for value, expected in zip(one[2:], other[2:], strict=True):
            is_number = isinstance(expected, float)
            assert value == (pytest.approx(expected, rel=3e-6, abs=3e-6) if is_number else expected)


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
@pytest.mark.parametrize(
    "name",
    [
        "bouncing_ball",
        "rocket",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("soaking_pit", "quarter_car")),
    ],
)
def test_examples_are_the_same_compiled_and_plain(name: str, stepping: str) -> None:
    path = EXAMPLES / f"{name}.py"
    with imported(path) as module:
        model = only_model(module, path)
        plain, native = (
            Model(model.function, until=model.until, options={**model.options, "compile": c, "stepping": stepping})
            for c in (False, True)
        )
        one, other = plain.run(entropy=1), native.run(entropy=1)
    assert one.account == other.account
    assert [rows_of(recording) for recording in one.recordings] == [rows_of(r) for r in other.recordings]
    assert len(one.recordings) > 0


def rows_of(recording: Any) -> str:
    """A recording as text with all digits."""
    return str(recording.to_pandas().to_csv())


class Powers(ev.Continuous):
    """Powers that are products, unless Python's bits are asked for."""

    x: ev.State = ev.state(0.7)

    def equations(self) -> None:
        self.rate.x = 1.3 - self.x**3


class ExactPowers(Powers):
    def equations(self) -> None:
        self.rate.x = 1.3 - self.x**3


@pytest.mark.slow
def test_powers_are_pythons_where_that_is_asked_for_and_else_but_for_the_last_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(cls: type[Powers], *, compile: bool) -> tuple[dict[str, int], float]:  # noqa: A002  # as Simulation has it
        sim = ev.Simulation(rng=1, compile=compile)
        powers = cls(sim).start()
        sim.run(until=3.0)
        return counts(sim), powers.x

    (fast, found), (plain, expected) = run(Powers, compile=True), run(Powers, compile=False)
    assert fast == plain
    assert found == pytest.approx(expected, rel=1e-14)
    monkeypatch.setattr("eventide.compilation._shared_registry", lambda: registry)
    registry = Registry(Store(None), exact_pow=True)
    assert run(ExactPowers, compile=True) == (plain, expected)
