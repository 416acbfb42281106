"""Recordings of a class: components come and go, and each has a whole curve."""

import gc
import weakref

import numpy as np
import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0, unit="m")
    double: ev.Computed = ev.computed(unit="m2", description="for tests")
    inflow: float = 1.0

    def equations(self):
        self.rate.level = self.inflow
        self.double = 2.0 * self.level


class Pond(Tank):
    """Its slots are in another order: a further state stands before the computed value."""

    algae: ev.State = ev.state(7.0)


class Clock(ev.Continuous):
    reading: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.reading = 1.0


@pytest.fixture
def sim():
    return ev.Simulation()


def at(sim, time, action):
    """Let an event take place at a time."""

    def story():
        yield ev.hold(time)
        action()

    sim.process(story())


def rows(recording, column="level"):
    values = recording[column].round(12).tolist()
    return list(zip(recording.times.tolist(), recording.sides.tolist(), recording.components, values, strict=True))


def test_components_have_rows_from_their_start_to_their_stop(sim):
    first, second = Tank(sim, name="first").start(), Tank(sim, name="second", level=10.0)
    Clock(sim).start()
    at(sim, 1.5, second.start)
    at(sim, 2.25, first.stop)
    trace = sim.record(Tank, every=1.0)

    sim.run(until=3.5)

    assert rows(trace) == [
        (0.0, 1, "first", 0.0),
        (1.0, 0, "first", 1.0),
        (1.5, 1, "second", 10.0),
        (2.0, 0, "first", 2.0),
        (2.0, 0, "second", 10.5),
        (2.25, -1, "first", 2.25),
        (3.0, 0, "second", 11.5),
        (3.5, -1, "second", 12.0),
    ]
    assert [(column.name, column.unit) for column in trace.columns] == [("level", "m"), ("double", "m2")]
    assert trace["double"].round(12).tolist() == [2.0 * level for *_, level in rows(trace)]


def test_an_event_leaves_two_rows_of_those_that_it_changed(sim):
    first, second = Tank(sim, name="first").start(), Tank(sim, name="second").start()
    at(sim, 1.0, lambda: setattr(first, "level", 5.0))
    at(sim, 1.5, lambda: setattr(second, "inflow", 2.0))
    trace = sim.record(Tank, every=1.0)

    sim.run(until=1.75)

    assert rows(trace) == [
        (0.0, 1, "first", 0.0),
        (0.0, 1, "second", 0.0),
        (1.0, -1, "first", 1.0),
        (1.0, 1, "first", 5.0),
        (1.0, 0, "second", 1.0),
        (1.5, -1, "second", 1.5),
        (1.5, 1, "second", 1.5),
        (1.75, -1, "first", 5.75),
        (1.75, -1, "second", 2.0),
    ]


def test_a_start_and_a_stop_on_the_grid_leave_one_row_each(sim):
    tank = Tank(sim, name="tank")
    at(sim, 1.0, tank.start)
    at(sim, 3.0, tank.stop)
    trace = sim.record(Tank, every=1.0)

    sim.run(until=4.0)

    assert rows(trace) == [(1.0, 1, "tank", 0.0), (2.0, 0, "tank", 1.0), (3.0, -1, "tank", 2.0)]


def test_a_grid_instant_without_components_says_nothing_of_a_later_event(sim):
    tank = Tank(sim, name="tank").start()
    at(sim, 0.5, tank.stop)
    at(sim, 1.0, lambda: None)
    at(sim, 1.25, tank.start)
    at(sim, 1.5, lambda: None)
    trace = sim.record(Tank, every=1.0)

    sim.run(until=1.75)

    assert [(time, side) for time, side, *_ in rows(trace)] == [(0.0, 1), (0.5, -1), (1.25, 1), (1.75, -1)]


def test_one_that_starts_and_stops_at_one_instant_leaves_nothing(sim):
    tank = Tank(sim, name="tank")
    at(sim, 1.0, tank.start)
    at(sim, 1.0, tank.stop)
    trace = sim.record(Tank, every=0.5)

    sim.run(until=2.0)

    assert rows(trace) == []
    assert trace.series() == {}


def test_a_class_without_components_has_no_rows(sim):
    Clock(sim).start()
    trace = sim.record(Tank, every=0.5)

    sim.run(until=2.0)

    assert (len(trace), trace.series(), trace.to_pandas().empty) == (0, {}, True)


def test_one_that_is_stopped_and_started_within_an_event_goes_on(sim):
    tank = Tank(sim, name="tank").start()

    def story():
        yield ev.hold(1.0)
        tank.stop()
        yield ev.pause()
        tank.level = 4.0
        tank.start()

    sim.process(story())
    trace = sim.record(Tank, every=10.0)

    sim.run(until=2.0)

    assert rows(trace) == [(0.0, 1, "tank", 0.0), (1.0, -1, "tank", 1.0), (1.0, 1, "tank", 4.0), (2.0, -1, "tank", 5.0)]


def test_without_events_only_the_grid_is_kept(sim):
    tank = Tank(sim, name="tank")
    at(sim, 0.5, tank.start)
    at(sim, 1.25, lambda: setattr(tank, "level", 5.0))
    at(sim, 2.5, tank.stop)
    trace = sim.record(Tank, every=1.0, events=False)

    sim.run(until=3.0)

    assert rows(trace) == [(1.0, 0, "tank", 0.5), (2.0, 0, "tank", 5.75)]


def test_every_event_keeps_both_sides_for_all(sim):
    Tank(sim, name="first").start()
    Tank(sim, name="second").start()
    at(sim, 1.0, lambda: None)
    trace = sim.record(Tank, every="event")

    sim.run(until=2.0)

    assert [row[:3] for row in rows(trace)] == [
        (0.0, 1, "first"),
        (0.0, 1, "second"),
        (1.0, -1, "first"),
        (1.0, 1, "first"),
        (1.0, -1, "second"),
        (1.0, 1, "second"),
        (2.0, -1, "first"),
        (2.0, -1, "second"),
    ]


def test_rows_stand_in_the_order_of_the_laws(sim):
    for name, priority in (("low", -1.0), ("middle", 0.0), ("high", 1.0)):
        Tank(sim, name=name).set_priority(priority).start()
    trace = sim.record(Tank, every=1.0)

    sim.run(until=0.5)

    assert [name for _, side, name, _ in rows(trace) if side == 1] == ["high", "middle", "low"]


def test_a_subclass_counts_with_the_columns_of_the_class(sim):
    Tank(sim, name="tank", level=1.0).start()
    Pond(sim, name="pond", level=2.0).start()
    trace, ponds = sim.record(Tank, every=1.0), sim.record(Pond, every=1.0)

    sim.run(until=1.0)

    assert rows(trace, "double") == [
        (0.0, 1, "tank", 2.0),
        (0.0, 1, "pond", 4.0),
        (1.0, -1, "tank", 4.0),
        (1.0, -1, "pond", 6.0),
    ]
    assert rows(ponds, "algae") == [(0.0, 1, "pond", 7.0), (1.0, -1, "pond", 7.0)]


def test_series_have_a_curve_for_each_component_broken_where_it_was_away(sim):
    first, second = Tank(sim, name="first").start(), Tank(sim, name="second", level=10.0)
    at(sim, 1.0, lambda: (second.start(), first.stop()))
    at(sim, 3.0, first.start)
    trace = sim.record(Tank, every=2.0)
    sim.run(until=3.5)

    series = trace.series()

    assert list(series) == ["first", "second"]
    times, values = series["first"]
    assert times.tolist() == [0.0, 1.0, 3.0, 3.0, 3.5]
    np.testing.assert_allclose(values["level"], [0.0, 1.0, np.nan, 1.0, 1.5], rtol=1e-12)
    times, values = series["second"]
    assert times.tolist() == [1.0, 2.0, 3.5]
    np.testing.assert_allclose(values["double"], [20.0, 22.0, 25.0], rtol=1e-12)


def test_a_second_component_of_a_name_gets_a_number(sim):
    Tank(sim, name="tank").start()
    Tank(sim, name="tank", level=5.0).start()
    trace = sim.record(Tank, every=1.0)

    sim.run(until=0.5)

    assert [row[2] for row in rows(trace)] == ["tank", "tank (2)", "tank", "tank (2)"]
    assert [series.values["level"][0] for series in trace.series().values()] == [0.0, 5.0]


def test_a_dataframe_is_long_with_the_time_as_index(sim):
    Tank(sim, name="first").start()
    Tank(sim, name="second", level=1.0).start()
    trace = sim.record(Tank, every=1.0, events=False)
    sim.run(until=1.0)

    frame = trace.to_pandas().round(12)

    assert frame.index.name == "time"
    assert frame.to_dict("split") == {
        "index": [0.0, 0.0, 1.0, 1.0],
        "columns": ["component", "level", "double"],
        "data": [["first", 0.0, 0.0], ["second", 1.0, 2.0], ["first", 1.0, 2.0], ["second", 2.0, 4.0]],
    }
    assert frame.attrs == {
        "name": "recording 1",
        "units": {"time": "", "level": "m", "double": "m2"},
        "descriptions": {"double": "for tests"},
    }


@pytest.mark.parametrize("looks", [False, True], ids=["unread", "read"])
def test_reading_between_two_runs_decides_nothing(sim, looks):
    tank = Tank(sim, name="tank").start()
    trace = sim.record(Tank, every=10.0)
    sim.run(until=1.0)
    if looks:
        assert len(trace) == len(rows(trace)) == 2
    tank.stop()
    sim.run(until=2.0)

    assert rows(trace) == [(0.0, 1, "tank", 0.0), (1.0, -1, "tank", 1.0)]


@pytest.mark.slow
def test_a_component_that_has_left_is_not_kept_alive(sim):
    tanks = [Tank(sim, name="tank").start()]
    at(sim, 1.0, lambda: tanks.pop().stop())
    trace = sim.record(Tank, every=0.5)
    left = weakref.ref(tanks[0])

    sim.run(until=2.0)
    gc.collect()

    assert left() is None
    assert len(trace) == 3


def test_a_class_is_recorded_alone(sim):
    tank = Tank(sim).start()

    message = r"sim.record\(Tank\) records all objects of a class and takes nothing else"
    with pytest.raises(ev.ModelError, match=message):
        sim.record(Tank, tank)
    with pytest.raises(ev.ModelError, match=message):
        sim.record(tank, Tank)
    with pytest.raises(ev.ModelError, match=message):
        sim.record(Tank, double=lambda: 2.0)
    with pytest.raises(ev.ModelError, match=message):
        sim.record(Tank, Clock)
    assert sim.recordings == []


def test_a_class_with_nothing_to_record_is_refused(sim):
    class Idle(ev.Continuous):
        size: float = 1.0

    with pytest.raises(ev.ModelError, match="nothing to record of Idle: it declares no State, Computed or Summed"):
        sim.record(Idle)
    with pytest.raises(ev.ModelError, match="nothing to record of the class Resource: give a class derived from Cont"):
        sim.record(ev.Resource)
    with pytest.raises(ev.ModelError, match="nothing to record of the class int"):
        sim.record(int)


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (("tank", "tank", "tank (2)"), ["tank", "tank (2)", "tank (2) (2)"]),
        (("tank (2)", "tank", "tank", "tank"), ["tank (2)", "tank", "tank (3)", "tank (4)"]),
    ],
)
def test_a_label_is_of_one_component_also_where_another_is_called_so(sim, names, labels):
    trace = sim.record(Tank, every=1.0)
    for level, name in enumerate(names):
        Tank(sim, name=name, level=float(level)).start()
    sim.run(until=1.0)
    assert {label: one.values["level"][0] for label, one in trace.series().items()} == {
        label: float(level) for level, label in enumerate(labels)
    }
