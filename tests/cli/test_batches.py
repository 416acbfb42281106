"""`eventide batches`: the steady state of one long run, from the command line."""

import pytest

from eventide.experiment import imported, only_model
from eventide.statistics import batch_means, mser5

QUEUE = """
@ev.model(until=4000.0)
def queue(sim, *, load: float = 0.5):
    desk = ev.Resource(sim, 1, name="desk")
    times = sim.tally("times", unit="min")

    def customer():
        with desk.request() as place:
            yield place
            times.add(sim.stream("service").exponential(1.0))
            yield ev.hold(1.0)

    def door():
        while True:
            sim.process(customer())
            yield ev.hold(sim.stream("gaps").exponential(1.0 / load))

    sim.process(door())
    return {"busy": desk.in_use, "wait": desk.waits, "service": times}
"""


def values_of(path, name):
    with imported(path) as module:
        return only_model(module, path, "").run(entropy=1).statistics[name].values


@pytest.mark.slow
def test_the_mean_of_a_tally_is_told_with_its_interval_by_batches(command, model_file, tmp_path):
    path, picture = model_file(QUEUE), tmp_path / "warm-up.png"
    outcome = command("batches", path, "--entropy", 1, "--plot", picture)
    values = values_of(path, "wait")
    cut = mser5(values)
    found = batch_means(values[cut:])
    half = 0.5 * (found.high - found.low)
    assert outcome.status == 0
    assert outcome.out.splitlines() == [
        "queue(load=0.5), entropy 1",
        f"mean of wait: {found.estimate:.6g} +- {half:.2g}, with 95 %",
        f"warm-up: {cut} of {len(values)} values left out by MSER-5",
        f"batches: 20 of {found.size} values",
        f"independence: {found.independence:.2g}; nothing speaks against it",
    ]
    assert outcome.err == f"picture written to {picture}\n"
    assert picture.stat().st_size > 10_000

    other = command("batches", path, "--entropy", 1, "--response", "service", "--of", "0.9", "--batches", 10,
                    "--warm-up", 7)  # fmt: skip
    services = values_of(path, "service")
    found = batch_means(services[7:], batches=10, of=0.9)
    assert (
        f"quantile 0.9 of service: {found.estimate:.6g} +- {0.5 * (found.high - found.low):.2g} min, with 95 %"
        in other.out
    )
    assert f"warm-up: 7 of {len(services)} values left out\nbatches: 10 of {found.size} values\n" in other.out


def test_batches_that_depend_on_each_other_are_told(command, model_file):
    path = model_file(QUEUE)
    outcome = command("batches", path, "--entropy", 1, "--set", "load=0.99", "--batches", 200, "--warm-up", 0)
    assert "the batches depend on each other, and the interval is too short: run longer (--until)" in outcome.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--response", "busy"], "queue has no such one called 'busy'; it has: wait, service"),
        (["--warm-up", "some"], "--warm-up takes mser5 or a number of values, as 500, and got 'some'"),
        (["--warm-up", "99999"], "has 0 values after the warm-up"),
        (["--of", "2"], "--of takes mean, variance or a share as 0.9, and got '2'"),
        (["--until", "5"], "the warm-up of wait: mser5(...) takes ten values at least, and got"),
        (["--batches", "1"], "eventide batches --help"),
    ],
)
def test_what_cannot_be_told_is_refused(command, model_file, options, told):
    outcome = command("batches", model_file(QUEUE), "--entropy", 1, *options)
    assert outcome.status == 2
    assert told in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_model_without_a_tally_has_no_batches(command, model_file):
    path = model_file("@ev.model\ndef one(sim):\n    yield ev.hold(1.0)\n    return {'x': 1.0}\n")
    assert "batches are of a response that is a Tally, and one has none; it has: none" in command("batches", path).err


FULL = """
@ev.model(until=200.0)
def filling(sim, *, until: float = 200.0):
    times = sim.tally("times")

    def clock():
        while sim.time < until:
            times.add(sim.time)
            yield ev.hold(1.0)

    sim.process(clock())
    return {"times": times}
"""


@pytest.mark.parametrize(("warm_up", "is_told"), [("mser5", True), ("20", False)])
def test_a_series_that_is_still_on_its_way_has_no_steady_state(command, model_file, warm_up, is_told):
    outcome = command("batches", model_file(FULL), "--warm-up", warm_up)

    assert outcome.status == 0
    assert ("steady state: none is seen, as MSER-5 leaves out as many as it may" in outcome.out) is is_told
