"""Means and quantiles of streams: the same as of kept values, in bounded memory."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from eventide.statistics import QuantileSketch, RunningBatches
from eventide.statistics.running import RunningMean


def correlation(values):
    def plain(x):
        apart = x - x.mean()
        return (apart[1:] * apart[:-1]).sum() / (apart**2).sum()

    half = len(values) // 2
    return 2.0 * plain(values) - 0.5 * (plain(values[:half]) + plain(values[half:]))


@pytest.mark.parametrize("portion", [1, 7, 1000, 5000])
def test_estimates_are_those_of_kept_values_however_many_come_at_a_time(portion):
    values = 3.0 + lfilter([1.0], [1.0, -0.7], np.random.default_rng(1).normal(size=5000))
    stream, found = RunningBatches(0.9), []
    for start in range(0, 5000, portion):
        found += stream.add(values[start : start + portion])
    assert [one.count for one in found] == [800, 1200, 1600, 2400, 3200, 4800]
    for one in found:
        used = values[: one.count]
        parts = used.reshape(400, -1).mean(axis=1)
        low, high = stats.ttest_1samp(used.reshape(40, -1).mean(axis=1), 0.0).confidence_interval(0.9)
        assert (one.mean, one.low, one.high) == pytest.approx((used.mean(), low, high), rel=1e-12)
        rho = correlation(parts)
        assert one.correlation == pytest.approx(rho, rel=1e-9)
        is_falling = correlation(parts.reshape(-1, 2).mean(axis=1)) < rho
        assert one.is_settled == (rho < 0.4 and (rho <= 0.0 or is_falling))
    assert stream.latest == found[-1]
    assert (stream.count, stream.mean) == (5000, pytest.approx(values.mean(), rel=1e-13))
    assert not found[0].is_settled
    assert found[-1].is_settled


@pytest.mark.slow
@pytest.mark.row("R-273")
def test_intervals_hold_the_mean_nearly_as_often_as_they_say_where_they_stop_the_run():
    rng, held, needed = np.random.default_rng(1), 0, 0
    for _ in range(400):
        stream, state = RunningBatches(), np.zeros(1)
        while True:
            values, state = lfilter([1.0], [1.0, -0.9], rng.normal(size=2000), zi=state)
            found = stream.add(5.0 + values)
            if found and found[-1].is_settled and found[-1].half_width <= 0.05 * abs(found[-1].mean):
                break
        held += found[-1].low <= 5.0 <= found[-1].high
        needed += found[-1].count
    assert 0.90 < held / 400 < 0.98
    assert 6000 < needed / 400 < 12_000  # of independent values 62 would do, of these (1.9 / 0.1) times as many or more


def test_quantiles_are_exact_at_first_and_then_as_close_as_is_told():
    values = np.random.default_rng(1).exponential(size=300_000)
    sketch = QuantileSketch()
    assert np.isnan(sketch.quantile(0.5))
    sketch.add(values[:4000])
    ordered = np.sort(values[:4000])
    assert [sketch.quantile(q) for q in (0.0, 0.25, 0.9, 1.0)] == ordered[[0, 999, 3599, 3999]].tolist()
    assert sketch.error == 0.0
    for start in range(4000, 300_000, 1777):
        sketch.add(values[start : start + 1777])
    ordered = np.sort(values)
    assert sketch.count == 300_000
    assert 0.0 < sketch.error < 0.002
    for q in (0.01, 0.1, 0.5, 0.9, 0.99, 0.999):
        place = np.searchsorted(ordered, sketch.quantile(q)) / 300_000
        assert abs(place - q) <= sketch.error + 1e-5
    rising = QuantileSketch()
    rising.add(np.arange(300_000.0))  # the worst order
    assert abs(rising.quantile(0.5) / 300_000 - 0.5) <= rising.error


@pytest.mark.slow
@pytest.mark.row("R-273")
def test_memory_does_not_grow_with_the_number_of_values():
    rng, stream, sketch = np.random.default_rng(1), RunningBatches(), QuantileSketch()

    def feed(portions):
        for _ in range(portions):
            values = rng.normal(size=1000)
            stream.add(values)
            sketch.add(values)

    feed(100)
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        feed(3100)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert stream.count == 3_200_000
    assert after - before < 5 * 40_000  # five doublings
    assert peak - before < 600_000


def test_what_is_known_of_a_mean_is_a_sentence():
    known = RunningMean(2.0, 1.5, 2.5, 800, 0.1, is_settled=True)
    assert str(known) == "mean 2, between 1.5 and 2.5 after 800 values"
    assert str(replace(known, is_settled=False)) == (
        f"{known}; its batches are still correlated, so that the interval may be too short"
    )


def test_what_is_no_value_is_refused():
    with pytest.raises(ValueError, match="finite numbers, and some are not"):
        RunningBatches().add([1.0, float("nan")])
    with pytest.raises(ValueError, match="finite numbers, and some are not"):
        QuantileSketch().add(float("inf"))
    with pytest.raises(ValueError, match="q is a share from 0 to 1"):
        QuantileSketch().quantile(95)
    with pytest.raises(ValueError, match="level lies between 0 and 1, and got 95"):
        RunningBatches(95)
