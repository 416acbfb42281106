"""Which rows a recording keeps: regular instants, both sides of events, ends of runs."""

import numpy as np
import pytest

import eventide as ev


class Tank(ev.Continuous):
    """Fills at a constant rate."""

    level: ev.State = ev.state(0.0, unit="m", description="of the water")
    inflow: float = 1.0

    def equations(self):
        self.rate.level = self.inflow


def rows(recording):
    """Times and sides as they are, levels without what rounding left of them."""
    levels = recording["tank.level"].round(12)
    return list(zip(recording.times.tolist(), recording.sides.tolist(), levels.tolist(), strict=True))


@pytest.fixture
def tank(sim):
    return Tank(sim, name="tank").start()


@pytest.fixture
def sim():
    return ev.Simulation()


def at(sim, time, action=lambda: None):
    """Let an event take place at a time."""

    def story():
        yield ev.hold(time)
        action()

    sim.process(story())


def test_events_leave_two_rows_where_they_changed_a_value_or_a_rate(sim, tank):
    at(sim, 1.25, lambda: setattr(tank, "level", 5.0))
    at(sim, 2.5, lambda: setattr(tank, "inflow", 2.0))
    at(sim, 2.75)
    trace = sim.record(tank, every=1.0)

    sim.run(until=3.5)

    assert rows(trace) == [
        (0.0, 1, 0.0),
        (1.0, 0, 1.0),
        (1.25, -1, 1.25),
        (1.25, 1, 5.0),
        (2.0, 0, 5.75),
        (2.5, -1, 6.25),
        (2.5, 1, 6.25),
        (3.0, 0, 7.25),
        (3.5, -1, 8.25),
    ]


def test_a_regular_instant_at_an_event_adds_no_third_row(sim, tank):
    at(sim, 1.0, lambda: setattr(tank, "level", 5.0))
    at(sim, 2.0)
    trace = sim.record(tank, every=1.0)

    sim.run(until=2.5)

    assert rows(trace) == [(0.0, 1, 0.0), (1.0, -1, 1.0), (1.0, 1, 5.0), (2.0, 0, 6.0), (2.5, -1, 6.5)]


def test_a_regular_instant_belongs_to_its_own_event_and_not_to_one_before(sim, tank):
    at(sim, 0.75)
    at(sim, 1.0)
    trace = sim.record(tank, every=1.0)

    sim.run(until=1.5)

    assert rows(trace) == [(0.0, 1, 0.0), (1.0, 0, 1.0), (1.5, -1, 1.5)]


def test_the_sides_are_the_first_before_and_the_last_after_of_an_instant(sim, tank):
    for level in (5.0, 6.0, 7.0):
        at(sim, 1.0, lambda level=level: setattr(tank, "level", level))
    trace = sim.record(tank, every="event")

    sim.run(until=2.0)

    assert rows(trace) == [(0.0, 1, 0.0), (1.0, -1, 1.0), (1.0, 1, 7.0), (2.0, -1, 8.0)]


def test_every_event_keeps_both_sides_of_events_without_a_trace(sim, tank):
    at(sim, 1.0)
    trace = sim.record(tank, every="event")

    sim.run(until=2.0)

    assert rows(trace) == [(0.0, 1, 0.0), (1.0, -1, 1.0), (1.0, 1, 1.0), (2.0, -1, 2.0)]


def test_every_step_keeps_the_end_of_a_step_at_an_event_without_a_trace():
    sim = ev.Simulation(dt_max=1.0, stepping="together")
    tank = Tank(sim, name="tank").start()
    at(sim, 1.5)
    trace = sim.record(tank)

    sim.run(until=2.5)

    assert rows(trace) == [(0.0, 1, 0.0), (1.0, 0, 1.0), (1.5, 0, 1.5), (2.5, -1, 2.5)]


@pytest.mark.parametrize("compiles", [False, "auto"])
@pytest.mark.parametrize("events", [True, False])
def test_steps_of_several_flows_that_end_at_one_time_have_one_row(compiles, events):
    sim = ev.Simulation(dt_max=0.5, compile=compiles)
    first, second = (Tank(sim, name=name, level=level).start() for name, level in (("first", 0.0), ("second", 1.0)))
    at(sim, 1.25, lambda: setattr(first, "level", 9.0))
    trace = sim.record(first, second, every="step", events=events)
    population = sim.record(Tank, every="step", events=events)

    sim.run(until=2.0)

    whole = list(zip(trace.times.tolist(), trace.sides.tolist(), strict=True))
    assert [(time, side) for time, side in whole if trace.times.tolist().count(time) > 1] == (
        [(1.25, -1), (1.25, 1)] if events else []
    )
    assert sum(side == 0 for _, side in whole) >= 4
    assert trace["second.level"] == pytest.approx(1.0 + trace.times)
    for name in ("first", "second"):
        own = [time for time, who in zip(population.times.tolist(), population.components, strict=True) if who == name]
        assert [time for time in own if own.count(time) > 1] == ([1.25, 1.25] if events and name == "first" else [])
        assert sorted(set(own)) == sorted(set(trace.times.tolist()))


@pytest.mark.parametrize("compiles", [False, "auto"])
def test_a_step_that_ends_where_another_flow_has_an_event_has_the_rows_of_that(compiles):
    class Clock(ev.Continuous):
        reading: ev.State = 0.0

        def equations(self):
            self.rate.reading = 1.0

        @ev.when(lambda self: self.reading >= 1.0)
        def strike(self):
            self.reading = 0.0

    sim = ev.Simulation(dt_max=0.25, compile=compiles)
    clock, tank = Clock(sim, name="clock").start(), Tank(sim, name="tank").start()
    trace = sim.record(clock, tank, every="step")
    sim.run(until=3.5)

    times = trace.times.tolist()
    sides = [tuple(trace.sides[trace.times == time].tolist()) for time in dict.fromkeys(times)]
    assert sides.count((-1, 1)) == 3
    assert set(sides) == {(1,), (0,), (-1, 1), (-1,)}


def test_without_events_only_the_grid_is_kept_and_its_value_after_an_event(sim, tank):
    at(sim, 1.0, lambda: setattr(tank, "level", 5.0))
    at(sim, 1.5, lambda: setattr(tank, "level", 6.0))
    trace = sim.record(tank, every=1.0, events=False)

    sim.run(until=3.0)

    assert rows(trace) == [(0.0, 0, 0.0), (1.0, 0, 5.0), (2.0, 0, 6.5), (3.0, 0, 7.5)]


@pytest.mark.parametrize("looks", [False, True], ids=["unread", "read"])
def test_a_run_ends_with_a_row_before_and_the_next_adds_the_one_after(sim, tank, looks):
    trace = sim.record(tank, every=1.0)
    sim.run(until=1.5)
    if looks:
        assert rows(trace) == [(0.0, 1, 0.0), (1.0, 0, 1.0), (1.5, -1, 1.5)]
        assert len(trace) == 3
    sim.run(until=2.0)

    assert rows(trace) == [(0.0, 1, 0.0), (1.0, 0, 1.0), (1.5, -1, 1.5), (1.5, 1, 1.5), (2.0, -1, 2.0)]
    assert len(trace) == 5


@pytest.mark.parametrize("looks", [False, True], ids=["unread", "read"])
def test_on_the_grid_alone_a_split_run_has_the_rows_of_a_whole_one(sim, tank, looks):
    trace = sim.record(tank, every=1.0, events=False)
    sim.run(until=1.0)
    if looks:
        assert rows(trace) == [(0.0, 0, 0.0), (1.0, 0, 1.0)]
    tank.level = 3.0
    sim.run(until=2.0)

    assert rows(trace) == [(0.0, 0, 0.0), (1.0, 0, 3.0), (2.0, 0, 4.0)]


def test_a_recording_that_was_stopped_goes_no_further(sim, tank):
    trace = sim.record(tank, every=1.0)
    at(sim, 1.5, trace.stop)

    sim.run(until=4.0)

    assert rows(trace) == [(0.0, 1, 0.0), (1.0, 0, 1.0), (1.5, -1, 1.5)]


def test_recording_changes_no_step_and_no_bit():
    class Swing(ev.Continuous):
        angle: ev.State = ev.state(1.0)
        speed: ev.State = ev.state(0.0)

        def equations(self):
            self.rate.angle = self.speed
            self.rate.speed = -self.angle

        @ev.when(lambda self: self.angle < 0.0)
        def cross(self):
            self.speed *= 0.9

    def run(*, watched):
        sim = ev.Simulation(rng=1)
        swing = Swing(sim).start()
        if watched:
            sim.record(swing, every=0.01)
            sim.record(Swing, every="step")
        sim.run(until=10.0)
        return swing.angle, swing.speed, sim.monitor.steps, sim.events

    assert run(watched=True) == run(watched=False)


def test_a_dataframe_has_the_time_as_index_and_knows_the_units(sim, tank):
    frame = sim.record(tank, double=lambda: 2.0 * tank.level, every=1.0).to_pandas()
    assert frame.empty
    sim.run(until=1.0)

    frame = sim.recordings[0].to_pandas().round(12)

    assert frame.index.name == "time"
    assert frame.to_dict("split") == {
        "index": [0.0, 1.0],
        "columns": ["tank.level", "double"],
        "data": [[0.0, 0.0], [1.0, 2.0]],
    }
    assert frame.attrs == {
        "name": "recording 1",
        "units": {"time": "", "tank.level": "m", "double": ""},
        "descriptions": {"tank.level": "of the water"},
    }


def test_a_column_that_is_not_there_is_refused_with_the_list(sim, tank):
    trace = sim.record(tank, name="trace")

    with pytest.raises(KeyError, match=r"trace has no column 'tank.volume'; it has: tank.level"):
        trace["tank.volume"]


def test_columns_are_arrays_of_their_own(sim, tank):
    trace = sim.record(tank, every=1.0)
    sim.run(until=2.0)

    trace["tank.level"][:] = 99.0
    trace.times[:] = 99.0

    assert trace["tank.level"].round(12).tolist() == [0.0, 1.0, 2.0]
    assert trace.times.tolist() == [0.0, 1.0, 2.0]
    assert trace.sides.dtype == np.int8
