"""Statistics of a simulation, begun anew after the warm-up."""

from __future__ import annotations

import gc
import weakref

import pytest

import eventide as ev
from eventide.statistics.restarts import FEW


def test_statistics_made_by_the_simulation_carry_their_names(sim):
    tally = sim.tally("waiting", "h")
    level = sim.level("stock", "kg", initial=3.0)
    histogram = sim.histogram(0.0, 2.0, 4, name="sizes", unit="m")

    assert [(s.name, s.unit) for s in (tally, level, histogram)] == [("waiting", "h"), ("stock", "kg"), ("sizes", "m")]
    assert (level.value, histogram.edges) == (3.0, (0.0, 0.5, 1.0, 1.5, 2.0))
    assert (tally.keep, sim.tally(keep=False).keep) == (True, False)


def test_the_warm_up_is_forgotten_and_the_model_goes_on(sim):
    desk, line = ev.Resource(sim), ev.Queue(sim)
    waiting, stock = sim.tally("waiting"), sim.level("stock")
    sizes, own = sim.histogram(0.0, 10.0, 2), ev.Tally("own")

    def customer():
        with desk.request() as unit:
            yield unit
            yield ev.hold(4.0)

    def warm_up():
        line.into("a")
        line.into("b")
        stock.set(5.0)
        for statistic in (waiting, sizes, own):
            statistic.add(1.0)
        yield ev.hold(2.0)
        line.out("a")
        sim.reset_statistics()
        yield ev.hold(3.0)
        line.out("b")
        waiting.add(3.0)

    sim.process(customer())
    sim.process(customer())
    sim.process(warm_up())
    sim.run(until=6.0)

    assert (waiting.count, waiting.mean, sizes.count, own.count) == (1, 3.0, 0, 1)
    assert (stock.value, stock.mean, stock.elapsed) == (5.0, 5.0, 4.0)
    assert (line.entered, line.departed, line.length.mean, list(line.waits.values)) == (0, 1, 0.75, [5.0])
    assert (desk.in_use.mean, desk.queue.mean, desk.waits.count) == (1.0, 0.5, 1)


def test_reset_statistics_reaches_whatever_keeps_some(sim):
    class Counter:
        resets = 0

        def reset(self):
            self.resets += 1

    counter = Counter()
    assert sim._keep_statistics(counter) is counter
    sim.reset_statistics()
    sim.reset_statistics()

    assert counter.resets == 2


@pytest.mark.slow
def test_queues_and_stations_that_nobody_has_are_given_back(sim):
    made, kept = [], []

    def story():
        for number in range(100):
            here = ev.Resource(sim), ev.Queue(sim), ev.Store(sim), ev.Container(sim, 5.0)
            made.extend(map(weakref.ref, here))
            kept.extend(here if number == 50 else ())
            with here[0].request() as place:
                yield place
                yield ev.hold(1.0)

    sim.process(story())
    sim.run()
    gc.collect()
    assert [reference() for reference in made if reference() is not None] == kept
    assert len(sim._statistics._kept) < 2 * FEW + 4
    assert kept[0].in_use.mean == 0.02  # from 50 on
    sim.reset_statistics()
    sim.run(until=200.0)
    assert (kept[0].in_use.mean, kept[1].length.elapsed) == (0.0, 100.0)
