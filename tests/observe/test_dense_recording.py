"""A recording with `dense=True` reads the solution between its rows, and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eventide as ev


class Swing(ev.Continuous):
    angle: ev.State = ev.state(1.0)
    speed: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.angle = self.speed
        self.rate.speed = -self.angle

    @ev.every(2.5, offset=2.5)
    def kick(self) -> None:
        self.speed += 0.5


def run(*, until: float = 6.0, **options: Any) -> tuple[ev.Simulation, ev.Recording]:
    compile_too = options.pop("compile", "auto")
    sim = ev.Simulation(compile=compile_too)
    swing = Swing(sim, name="swing").start()
    count = sim.level(name="count")

    def counting() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(1.3)
            count.change(1.0)

    sim.process(counting())
    trace = sim.record(swing, count, every=2.0, energy=lambda: swing.angle**2 + swing.speed**2, **options)
    sim.run(until=until)
    return sim, trace


@pytest.mark.parametrize("compiles", ["auto", False])
def test_it_is_the_solution_between_rows_and_a_straight_line_without(compiles: Any) -> None:
    times = np.linspace(0.1, 2.4, 24)
    _, dense = run(dense=True, compile=compiles)
    _, plain = run(compile=compiles)
    off = abs(dense.at(times)["swing.angle"] - np.cos(times)).max()

    assert off < 3e-6
    assert abs(plain.at(times)["swing.angle"] - np.cos(times)).max() > 0.1
    assert abs(dense.at(times)["energy"] - 1.0).max() < 6e-6


def test_it_changes_no_row_and_no_step() -> None:
    sim, dense = run(dense=True)
    other, plain = run()

    assert dense.times.tolist() == plain.times.tolist()
    assert [dense[c.name].tolist() for c in dense.columns] == [plain[c.name].tolist() for c in plain.columns]
    assert sim.report().steps == other.report().steps
    assert sim.events == other.events


def test_it_has_both_sides_of_an_event_and_its_own_rows() -> None:
    _, dense = run(dense=True)
    after, before = dense.at([2.5]), dense.at([2.5], before=True)

    assert after["swing.speed"].iloc[0] - before["swing.speed"].iloc[0] == 0.5
    near = dense.at([np.nextafter(2.5, 0.0), np.nextafter(2.5, 3.0)])["swing.speed"].to_numpy()
    assert near == pytest.approx([-np.sin(2.5), 0.5 - np.sin(2.5)], abs=3e-6)
    rows = dense.at(dense.times[dense.sides == 0])
    assert rows["swing.angle"].tolist() == dense["swing.angle"][dense.sides == 0].tolist()


def test_counts_stay_as_they_are_between_events() -> None:
    _, dense = run(dense=True)

    assert dense.at([0.5, 1.29, 1.31, 2.7, 5.9])["count"].tolist() == [0.0, 0.0, 1.0, 2.0, 4.0]


def test_outside_of_the_rows_nothing_is_known() -> None:
    _, dense = run(dense=True)

    assert np.isnan(dense.at([-0.1, 6.1])["swing.angle"]).all()


def test_it_goes_on_from_run_to_run_and_ends_with_the_recording() -> None:
    sim, dense = run(dense=True, until=1.0)
    sim.run(until=2.0)
    dense.stop()
    sim.run(until=2.2)

    assert dense.at([0.7, 1.4])["swing.angle"].to_numpy() == pytest.approx(np.cos([0.7, 1.4]), abs=3e-6)
    assert np.isnan(dense.at([2.1])["swing.angle"]).all()


def test_rows_that_are_let_go_take_it_along() -> None:
    sim, dense = run(dense=True, until=1.0)
    taken = dense.take()
    sim.run(until=2.0)

    assert len(taken) == 2
    assert [one.result().start for one in dense._dense] == [1.0] * 4  # of what was let go nothing is kept
    assert np.isnan(dense.at([0.5])["swing.angle"]).all()
    assert dense.at([1.5])["swing.angle"].to_numpy() == pytest.approx([np.cos(1.5)], abs=3e-6)


def test_what_cannot_be_known_so_is_refused() -> None:
    sim = ev.Simulation()
    with pytest.raises(ev.ModelError, match=r"^dense=True takes objects, and got the class Swing: name those"):
        sim.record(Swing, dense=True)  # type: ignore[call-overload]  # that is the point
    with pytest.raises(TypeError, match=r"^dense= takes True or False, and got 1$"):
        sim.record(x=lambda: 1.0, dense=1)  # type: ignore[arg-type]  # as is this


def test_without_rows_of_events_their_sides_are_known_all_the_same() -> None:
    _, dense = run(dense=True, events=False)
    after, before = (dense.at([2.5], before=side)["swing.speed"].iloc[0] for side in (False, True))

    assert after - before == pytest.approx(0.5, abs=1e-12)
    assert before == pytest.approx(-np.sin(2.5), abs=3e-6)


SPIKES = ev.inputs.Pulse(1.0, width=0.01, start=0.3, high=100.0)
PRICES = ev.inputs.HeldTable([0.0, 0.83, 0.84, 1.2], [1.0, 500.0, 1.0, 2.0])


@pytest.mark.slow
@pytest.mark.parametrize("compiles", ["auto", False])
def test_an_input_that_no_law_calls_jumps_at_its_times(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles)
    swing = Swing(sim, name="swing").start()
    trace = sim.record(
        swing, every=2.0, dense=True, spikes=lambda: SPIKES(sim.time), cost=lambda: PRICES(sim.time) * swing.angle
    )
    steps = sim.record(swing, every="step")
    hold_until(sim, 0.3)
    sim.run(until=0.6)
    times = [0.299, 0.3, 0.305, 0.31]
    assert trace.at(times)["spikes"].tolist() == pytest.approx([0.0, 100.0, 100.0, 0.0])
    assert trace.at(times, before=True)["spikes"].tolist() == pytest.approx([0.0, 0.0, 100.0, 100.0])
    hold_until(sim, 0.83)
    sim.run(until=1.2)
    rows = trace.at([0.829, 0.831, 0.839, 0.841, 1.2])
    assert (rows["cost"] / rows["swing.angle"]).tolist() == pytest.approx([1.0, 500.0, 500.0, 1.0, 2.0], rel=1e-5)
    assert {0.3, 0.83, 1.2} < set(steps.times)
    assert not set(np.nextafter([0.3, 0.83, 1.2], 0.0)) & set(steps.times)


def hold_until(sim: ev.Simulation, time: float) -> None:
    def story() -> ev.ProcessGenerator:
        yield ev.hold(time - sim.time)

    sim.process(story())


def test_what_is_sampled_and_jumps_by_the_time_is_told() -> None:
    sim = ev.Simulation()
    Swing(sim).start()
    sim.record(every=2.0, dense=True, later=lambda: PRICES(sim.time - 0.5))
    with pytest.warns(
        ev.SwitchWarning, match=r"`PRICES\(sim\.time - 0\.5\)` in the quantity of later goes by the time"
    ):
        sim.run(until=1.0)
