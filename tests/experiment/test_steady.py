"""Simulations without end: their results as a stream, in bounded memory, until a mean is known."""

import tracemalloc

import numpy as np
import pytest

import eventide as ev


@ev.model
def queue(sim, *, load: float = 0.5):
    """M/M/1; its mean wait is load / (1 - load), its mean number of customers in service the load."""
    desk = ev.Resource(sim, 1, name="desk")

    def customer():
        with desk.request() as place:
            yield place
            yield ev.hold(sim.stream("service").exponential(1.0))

    def door():
        while True:
            sim.process(customer())
            yield ev.hold(sim.stream("gaps").exponential(1.0 / load))

    sim.process(door())
    return {"wait": desk.waits, "busy": desk.in_use, "time": lambda: sim.time}


@pytest.mark.slow
@pytest.mark.row("R-273")
def test_a_simulation_without_end_runs_until_its_mean_is_known():
    steady = ev.SteadyState.of_model(queue, "wait", portion=500.0, entropy=4)
    found = steady.until_half_width(0.08, relative=True)
    assert found.is_settled
    assert found.half_width <= 0.08 * found.mean
    assert found.low <= 1.0 <= found.high
    assert 15_000 < found.count <= steady.count < 200_000
    assert steady.mean == pytest.approx(1.0, abs=0.1)
    # Of those who wait, half of all, the time is exponential with mean 2: a share of exp(-x / 2) / 2 waits longer.
    assert steady.quantile(0.9) == pytest.approx(2.0 * np.log(5.0), abs=0.3)
    assert steady.quantile(0.3) == 0.0
    assert steady.until_half_width(0.08, relative=True) == found  # known already
    busy = ev.SteadyState.of_model(queue, "busy", portion=20.0, entropy=4, warm_up=100.0)
    assert busy.until_half_width(0.02).mean == pytest.approx(0.5, abs=0.03)
    assert busy.left_out == 100.0


def test_results_come_as_a_stream_of_portions():
    sim = ev.Simulation(rng=1)
    waits = queue.function(sim)["wait"]
    steady, seen = ev.SteadyState(sim, waits, portion=100.0, warm_up=50.0), []
    whole = ev.Simulation(rng=1)
    kept = queue.function(whole)["wait"]
    whole.run(until=50.0)
    whole.reset_statistics()
    for state in steady:
        whole.run(until=state.time)
        seen.append((state.time, state.count, state.mean))
        assert (state.count, state.mean) == (kept.count, pytest.approx(kept.mean, rel=1e-12))
        assert state.quantile(0.9) == np.quantile(kept.values, 0.9, method="inverted_cdf")
        if len(seen) == 3:
            break
    assert [time for time, _, _ in seen] == [150.0, 250.0, 350.0]
    assert steady.latest is None
    assert waits.count == 0


@pytest.mark.slow
@pytest.mark.row("R-273")
def test_its_memory_does_not_grow_with_time():
    steady = ev.SteadyState.of_model(queue, "wait", portion=200.0, entropy=1)

    def run(portions):
        for _ in range(portions):
            steady.advance()

    run(50)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        run(200)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert steady.count > 20_000
    assert (
        after - before < 120_000
    )  # the buffers of quantiles, 32 kB each, of which two are new; values alone took 160 kB


def test_the_warm_up_is_found_by_mser5():
    @ev.model
    def cooling(sim):
        values = sim.tally("temperature")

        def measure():
            for k in range(100_000):
                values.add(20.0 + 80.0 * 0.98**k + sim.stream("noise").normal(0.0, 1.0))
                yield ev.hold(1.0)

        sim.process(measure())
        return {"temperature": values}

    steady = ev.SteadyState.of_model(cooling, "temperature", portion=100.0, entropy=1)
    for _ in range(10):
        steady.advance()
    assert 150 <= steady.left_out <= 350
    assert steady.count == 1000 - steady.left_out
    assert steady.mean == pytest.approx(20.0, abs=0.15)


def test_a_model_that_fills_up_has_no_steady_state():
    @ev.model
    def tank(sim):
        heights = sim.tally("height")

        def fill():
            while True:
                for _ in range(100):
                    heights.add(sim.time + sim.stream("waves").normal(0.0, 1.0))
                yield ev.hold(1.0)

        sim.process(fill())
        return {"height": heights}

    steady = ev.SteadyState.of_model(tank, "height", portion=40.0, entropy=1)
    with pytest.raises(ev.ModelError, match="height has no steady state in its first 64000 values: the model fills up"):
        steady.until_half_width(0.1, relative=True)


def test_what_has_no_steady_state_is_told():
    sim = ev.Simulation(rng=1)
    told = queue.function(sim)
    with pytest.raises(ev.ModelError, match="SteadyState takes a Simulation, and got None"):
        ev.SteadyState(None, told["wait"], portion=1.0)
    for wrong in (0.0, float("inf"), "1"):
        with pytest.raises(ev.ModelError, match=r"takes a portion > 0 of simulated time, and got"):
            ev.SteadyState(sim, told["wait"], portion=wrong)
    with pytest.raises(
        ev.ModelError, match="takes a Tally, a Level, an Integral or a function of no arguments, and got 3"
    ):
        ev.SteadyState(sim, 3, portion=1.0)
    with pytest.raises(ev.ModelError, match=r"make <Tally 'x'.*> with keep=True"):
        ev.SteadyState(sim, sim.tally("x", keep=False), portion=1.0)
    with pytest.raises(ev.ModelError, match="warm_up= as a time from 0 on, or None to find it, and got -1"):
        ev.SteadyState(sim, told["wait"], portion=1.0, warm_up=-1)
    with pytest.raises(ev.ModelError, match=r"level between 0 and 1, as 0\.95, and got 95"):
        ev.SteadyState(sim, told["wait"], portion=1.0, level=95)
    with pytest.raises(ev.ModelError, match="queue has no response 'waits'; it has: wait, busy, time"):
        ev.SteadyState.of_model(queue, "waits", portion=1.0)
    silent = ev.SteadyState(sim, sim.tally("none"), portion=0.01, warm_up=0.0)
    with pytest.raises(ev.ModelError, match=r"none got no value in 1000 portions of 0\.01"):
        silent.until_half_width(0.1)
    steady = ev.SteadyState(sim, told["wait"], portion=100.0, warm_up=0.0)
    with pytest.raises(
        ev.ModelError, match=r"after \d+ values the mean is not known as closely as 0\.001: no interval yet"
    ):
        steady.until_half_width(0.001, most=100)
    with pytest.raises(ev.ModelError, match="takes a half width > 0"):
        steady.until_half_width(0.0)
    with pytest.raises(ev.ModelError, match="was not finite at time"):
        ev.SteadyState(sim, lambda: float("nan"), portion=1.0, warm_up=0.0).advance()

    @ev.model
    def program(sim):
        yield ev.hold(1.0)
        return {"x": 1.0}

    with pytest.raises(ev.ModelError, match="program is a main program, whose end is the end of the run"):
        ev.SteadyState.of_model(program, "x", portion=1.0)
