"""Watches: a run that is watched is the same run, and what is seen of it is what it was."""

import gc
import weakref
from math import inf

import numpy as np
import pytest

import eventide as ev
from eventide.observe import watching
from eventide.observe.watching import ALLOWANCE, INSTANTS, Watch


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0, unit="m")
    velocity: ev.State = ev.state(0.0, unit="m/s")
    energy: ev.Computed = ev.computed()

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -10.0
        self.energy = 10.0 * self.height + self.velocity**2 / 2.0

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self):
        self.velocity *= -0.9


class Screen:
    """Notes when it is called."""

    address = "nowhere"

    def __init__(self, watch, where=None, port=0):
        self.watch = watch
        self.notices = []
        self.is_closed = False

    def notice(self, *, is_at_rest):
        self.notices.append((self.watch.sim.time, is_at_rest))

    def close(self):
        self.is_closed = True


@pytest.fixture
def screens(monkeypatch):
    """Watches are shown nowhere, and no time passes while they look."""
    monkeypatch.setattr("eventide.view.screen_for", Screen)
    monkeypatch.setattr(watching, "perf_counter", lambda: 0.0)


pytestmark = pytest.mark.usefixtures("screens")


@pytest.fixture(params=[False, True], ids=["plain", "native"])
def compiles(request):
    return request.param


def shop(sim, served, line=None):
    desk = ev.Resource(sim, 1, name="desk")

    def customer():
        if line is not None:
            line.add(sim.current)
        with desk.request() as place:
            yield place
            yield ev.hold(sim.stream("service").negexp(4.0))
            served.append(sim.time)

    def arrivals():
        while True:
            sim.process(customer())
            yield ev.hold(sim.stream("arrivals").negexp(3.0))

    sim.process(arrivals())
    return desk


def latest(watch):
    return {heading.name: (points.times[-1], points.values[-1]) for heading, points, _ in watch.snapshot().curves}


@pytest.mark.slow
@pytest.mark.row("R-117", "R-277")
@pytest.mark.parametrize("every", [None, 0.01, "step", "event"])
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_a_run_is_the_same_with_and_without_it(compiles, stepping, every):
    def run(*, watches):
        sim = ev.Simulation(rng=1, compile=compiles, stepping=stepping)
        ball, served = Ball(sim, name="ball").start(), []
        desk = shop(sim, served)
        integral = sim.integral(lambda: ball.height)
        trace = sim.record(ball, every=0.1)
        log = sim.log()
        if watches:
            sim.watch(ball, desk, every=every, double=lambda: 2.0 * ball.height)
            sim.watch()
        sim.run(until=1.7)
        ball.velocity += 1.0
        sim.run(until=3.5)
        told = list(map(str, log))
        return ball.height, ball.velocity, served, told, sim.report(), integral.value, trace._block().data[0].tobytes()

    assert run(watches=True) == run(watches=False)


def test_what_is_seen_is_what_the_model_was(compiles):
    sim = ev.Simulation(compile=compiles, time_unit="s")
    ball = Ball(sim, name="ball").start()
    watch = sim.watch(ball, title="a ball")
    sim.run(until=1.0)

    seen = watch.snapshot()
    assert (seen.title, seen.time_unit, seen.state, seen.share) == ("a ball", "s", "rests", 1.0)
    assert [(heading.name, heading.unit) for heading, *_ in seen.curves] == [
        ("ball.height", "m"),
        ("ball.velocity", "m/s"),
        ("ball.energy", ""),
    ]
    times, heights = seen.curves[0][1]
    assert INSTANTS <= len(times) <= INSTANTS + 30
    assert times[-1] == 1.0
    assert np.abs(heights - (10.0 - 5.0 * times**2)).max() < 1e-6
    assert np.abs(seen.curves[2][1].values - 100.0).max() < 1e-5
    assert latest(watch)["ball.velocity"] == (1.0, ball.velocity)


def test_at_first_looks_come_ever_later_then_as_close_as_a_picture_can_show():
    sim = ev.Simulation()
    Ball(sim, name="ball").start()
    watch = sim.watch(sim.variables[0])
    sim.run(until=1.0)

    gaps = np.diff([time for time, _ in watch._screen.notices])
    assert gaps[0] < 3e-6
    assert (np.abs(np.diff(np.log2(gaps[:8])) - 1.0) < 0.5).all()
    assert np.allclose(gaps[15:-1], 1.0 / INSTANTS)


def watched_with(seconds, until, cost=0.0):
    """The times at which a watch looks if the run takes so many seconds up to a simulated time."""
    sim = ev.Simulation()
    Ball(sim, name="ball").start()
    watch = sim.watch(x=lambda: 1.0)
    spent = [0.0]

    def clock():
        spent[0] += cost
        return seconds(sim.time) + spent[0]

    watch._clock = clock
    sim.run(until=until)
    return np.array([time for time, _ in watch._screen.notices])


def test_a_slow_run_is_looked_at_ten_times_a_second():
    looks = watched_with(lambda time: 1000.0 * time, 0.25)

    gaps = np.diff(looks)
    assert 2300 < len(looks) < 2700
    assert np.median(gaps) == pytest.approx(1e-4, rel=0.1)


def test_looks_that_cost_much_are_few():
    looks = watched_with(lambda time: time, 10.0, cost=0.02)  # three calls of the clock a look: 0.04 s

    assert 2 * ALLOWANCE / 0.04 <= len(looks) < 40


def test_without_a_known_end_gaps_grow_with_the_time():
    sim = ev.Simulation()
    Ball(sim, name="ball").start()
    watch = sim.watch(x=lambda: 1.0)

    def story():
        yield ev.hold(20.0)

    sim.main = sim.process(story())
    sim.run()
    times = np.array([time for time, _ in watch._screen.notices])
    assert watch.snapshot().share is None
    assert times[-1] == 20.0
    assert np.diff(times).max() <= 1.01 * 20.0 / watching.ROUGHLY
    assert len(times) < 3000


@pytest.mark.slow
def test_events_are_not_looked_at_and_go_by_as_fast_as_without():
    sim, calls = ev.Simulation(), []
    served = []
    shop(sim, served)
    watch = sim.watch(waiting=lambda: calls.append(sim.events) or len(served))
    sim.run(until=3000.0)

    assert sim.events > 9000
    assert INSTANTS <= len(calls) <= INSTANTS + 40
    assert len(set(calls)) > INSTANTS / 2  # events go by between the looks, not before them
    assert latest(watch) == {"waiting": (3000.0, float(len(served)))}
    assert sim.monitor.observers.count == 0


@pytest.mark.slow
def test_with_a_period_every_row_of_a_recording_is_in_the_curves_and_none_is_kept(compiles):
    def run(begin):
        sim = ev.Simulation(compile=compiles)
        ball = Ball(sim, name="ball").start()
        seen = begin(sim, ball)
        sim.run(until=3.0)
        sim.run(until=4.0)
        return seen

    watch = run(lambda sim, ball: sim.watch(ball["height"], every=0.01))
    trace = run(lambda sim, ball: sim.record(ball["height"], every=0.01))
    [(heading, points, _)] = watch.snapshot().curves
    rows = dict.fromkeys(zip(trace.times.tolist(), trace["ball.height"].tolist(), strict=True))

    assert heading.name == "ball.height"
    assert list(dict.fromkeys(zip(points.times.tolist(), points.values.tolist(), strict=True))) == list(rows)
    assert watch._source._recording._count() == 0
    assert not watch.sim.recordings


def test_without_anything_it_shows_what_the_model_records_now_and_later(tmp_path):
    sim = ev.Simulation()
    ball = Ball(sim, name="ball").start()
    first = sim.record(ball["height"], every=0.1)
    watch = sim.watch()

    def story():
        yield ev.hold(1.0)
        sim.record(double=lambda: 2.0 * ball.height, every=0.5)

    sim.process(story())
    with first.stream_to(tmp_path / "rows.csv", rows=3):  # rows that are let go are seen as well
        sim.run(until=2.0)

    seen = {heading.name: points for heading, points, _ in watch.snapshot().curves}
    assert list(seen) == ["ball.height", "double"]
    assert set(np.round(seen["ball.height"].times, 9)) >= set(np.round(np.arange(21) * 0.1, 9))
    assert seen["double"].times[0] == 1.0
    assert latest(watch)["double"] == (2.0, 2.0 * ball.height)
    watch.close()
    assert first._taps == []


def test_objects_of_a_class_are_curves_of_their_own_and_the_latest_are_kept(monkeypatch):
    monkeypatch.setattr(watching, "LATEST_CURVES", 6)
    sim = ev.Simulation()
    watch = sim.watch(Ball, every=0.25)

    def births():
        for k in range(4):
            ball = Ball(sim, name=f"ball {k}").start()
            yield ev.hold(1.0)
            ball.stop()

    sim.process(births())
    sim.run(until=5.0)

    seen = watch.snapshot()
    assert [heading.name for heading, *_ in seen.curves] == [
        f"ball {k}.{name}" for k in (2, 3) for name in ("height", "velocity", "energy")
    ]
    assert [crowd for *_, crowd in seen.curves[:3]] == ["Ball.height", "Ball.velocity", "Ball.energy"]
    assert seen.hidden == 6
    assert seen.curves[0][1].times.tolist() == [2.0, 2.25, 2.5, 2.75, 3.0]


def test_what_an_expression_raises_goes_up_with_its_name():
    sim = ev.Simulation()
    Ball(sim).start()
    sim.watch(ratio=lambda: 1.0 / 0.0)
    with pytest.raises(ZeroDivisionError) as caught:
        sim.run(until=1.0)
    assert "raised by the watched expression ratio" in caught.value.__notes__


def test_a_watched_expression_that_would_change_the_model_is_refused():
    sim = ev.Simulation()
    ball = Ball(sim, name="ball").start()
    sim.watch(x=lambda: setattr(ball, "height", 1.0) or 0.0)
    with pytest.raises(ev.ModelError):
        sim.run(until=1.0)


def test_what_cannot_be_watched_is_refused():
    sim = ev.Simulation()
    ball = Ball(sim, name="ball").start()
    with pytest.raises(ev.ModelError, match=r"there is nothing to record of 7"):
        sim.watch(7)
    with pytest.raises(ev.ModelError, match=r"two watched columns are called ball.height"):
        sim.watch(ball, ball["height"])
    with pytest.raises(ev.ModelError, match=r"needs something to watch"):
        sim.watch(every=0.1)
    sim.record(x=lambda: sim.watch(ball) and 0.0)
    with pytest.raises(ev.ModelError, match=r"called between events"):
        sim.run(until=1.0)
    assert not sim.monitor.observers.at_will


@pytest.mark.slow
def test_after_its_end_it_looks_no_more_and_nothing_holds_it():
    sim = ev.Simulation()
    Ball(sim, name="ball").start()
    with sim.watch(x=lambda: sim.time) as watch:
        sim.run(until=1.0)
    looks = watch.revision
    sim.run(until=2.0)
    assert watch._screen.is_closed
    assert (watch.revision, watch.state, latest(watch)) == (looks, "ended", {"x": (1.0, 1.0)})
    assert watch.address == "nowhere"
    watch.close()
    kept = weakref.ref(watch)
    del watch
    gc.collect()
    assert kept() is None


def test_a_run_that_fails_is_told_so():
    sim = ev.Simulation()

    def story():
        yield ev.hold(1.0)
        raise ValueError("no")

    sim.process(story())
    with pytest.raises(ValueError, match="no"), sim.watch(x=lambda: sim.time) as watch:
        sim.run(until=2.0)
    assert watch.state == "failed"


def test_it_looks_at_a_run_of_nothing_but_time_and_at_one_without_an_end(compiles):
    sim = ev.Simulation(compile=compiles)
    watch = sim.watch(x=lambda: 2.0 * sim.time)
    sim.run(until=5.0)
    assert latest(watch) == {"x": (5.0, 10.0)}
    sim.run()
    assert (sim.time, watch.sim._horizon) == (5.0, inf)


@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_a_model_watches_what_it_records_if_it_is_asked_to(monkeypatch, stepping):
    watches = []
    monkeypatch.setattr(Watch, "show_on", lambda self, screen: watches.append(self))

    @ev.model(until=2.0)
    def falling(sim, weight: float = 1.0):
        sim.record(Ball(sim, name="ball").start()["height"], every=0.5)

    falling(weight=2.0).run(watch=True)
    [watch] = watches
    assert (watch.snapshot().title, watch.state) == ("falling(weight=2.0)", "ended")
    assert latest(watch)["ball.height"][0] == 2.0
    falling.run()
    assert len(watches) == 1


@pytest.mark.slow
@pytest.mark.parametrize("every", [None, 0.25])
def test_of_a_long_vector_some_items_are_watched(every):
    class Rod(ev.Continuous):
        u: ev.StateVector = ev.state_vector(1.0, size=1000)
        load: ev.State = ev.state(2.0)

        def equations(self):
            self.rate.u = -self.u

    sim = ev.Simulation()
    watch = sim.watch(Rod(sim, name="rod").start(), every=every)
    sim.run(until=1.0)

    seen = watch.snapshot()
    names = [heading.name for heading, *_ in seen.curves]
    assert (len(names), seen.hidden) == (1 + 64, 1000 - 64)
    assert {"rod.load", "rod.u[0]", "rod.u[15]", "rod.u[984]"} <= set(names)
    assert latest(watch)["rod.u[500]"] == (1.0, sim.laws[0].u[500])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_events_are_counted_from_when_the_watch_was_made(count):
    sim = ev.Simulation()
    ball = Ball(sim).start()
    earlier = sim.process(ev.hold(0.5) for _ in range(1))
    sim.run(until=earlier)
    before = sim.events
    for _ in range(count):
        sim.process(ev.hold(0.1) for _ in range(2))
    watch = sim.watch(ball)
    for end in (1.0, 1.25):
        sim.run(until=end)
        told = watch.snapshot().progress[1]
        assert told.split(",")[0] == f"{sim.events - before} events"
    assert sim.events - before == 3 * count


def test_a_watch_that_is_not_shown_records_nothing(monkeypatch):
    def refuse(*_):
        raise OSError("the port is taken")

    sim = ev.Simulation()
    ball = Ball(sim, name="ball").start()
    monkeypatch.setattr("eventide.view.screen_for", refuse)
    with pytest.raises(OSError, match="the port is taken"):
        sim.watch(ball, every=0.1)
    with pytest.raises(TypeError, match=r"^title= takes a text, and got 3$"):
        sim.watch(ball, every=0.1, title=3)
    assert len(sim.monitor.observers) == 0
