"""Recordings as tables of pandas, xarray and polars."""

import sys

import numpy as np
import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0, unit="m", description="of the water")

    def equations(self):
        self.rate.level = 1.0

    @ev.when(lambda self: self.level >= 1.5)
    def pour(self):
        self.level = 0.0


@pytest.fixture
def sim():
    return ev.Simulation(time_unit="h")


@pytest.fixture
def trace(sim):
    tank = Tank(sim, name="tank").start()
    recording = sim.record(tank, double=lambda: 2.0 * tank.level, every=1.0, name="pouring")
    sim.run(until=2.0)
    return recording


LEVELS = [0.0, 1.0, 1.5, 0.0, 0.5]
ATTRIBUTES = {
    "name": "pouring",
    "units": {"time": "h", "tank.level": "m", "double": ""},
    "descriptions": {"tank.level": "of the water"},
}


def test_a_dataframe_has_the_sides_of_events_on_demand(trace):
    frame = trace.to_pandas(sides=True).round(9)

    assert frame.to_dict("split") == {
        "index": [0.0, 1.0, pytest.approx(1.5), pytest.approx(1.5), 2.0],
        "columns": ["side", "tank.level", "double"],
        "data": [
            [side, level, 2.0 * level]
            for side, level in zip(["after", "", "before", "after", "before"], LEVELS, strict=True)
        ],
    }
    assert frame.attrs == trace.to_pandas().attrs == ATTRIBUTES
    assert list(trace.to_pandas().columns) == ["tank.level", "double"]


@pytest.mark.slow
def test_a_dataset_has_units_and_names_as_attributes(trace):
    dataset = trace.to_xarray()

    assert dict(dataset.sizes) == {"time": 5}
    assert dataset["tank.level"].values.round(9).tolist() == LEVELS
    assert dataset["side"].values.tolist() == [1, 0, -1, 1, -1]
    assert dataset["time"].values.tolist() == trace.times.tolist()
    assert (dataset["tank.level"].attrs, dataset["double"].attrs, dataset["time"].attrs, dataset.attrs) == (
        {"units": "m", "long_name": "of the water"},
        {},
        {"units": "h"},
        {"name": "pouring"},
    )
    assert dataset["tank.level"].dims == dataset["side"].dims == ("time",)


def test_a_dataset_of_a_class_names_the_component_of_each_row(sim):
    for name in ("red", "blue"):
        Tank(sim, name=name).start()
    trace = sim.record(Tank, every=1.0, events=False)
    assert trace.to_xarray()["component"].dtype.kind == "U"
    sim.run(until=1.0)

    dataset = trace.to_xarray()

    assert dataset["component"].values.tolist() == ["red", "blue", "red", "blue"]
    assert dataset["level"].where(dataset["component"] == "blue", drop=True).values.round(9).tolist() == [0.0, 1.0]


@pytest.mark.slow
def test_a_polars_frame_has_the_time_as_first_column(trace):
    frame = trace.to_polars(sides=True)

    assert frame.columns == ["time", "side", "tank.level", "double"]
    assert frame["time"].to_list() == trace.times.tolist()
    assert np.round(frame["tank.level"].to_list(), 9).tolist() == LEVELS


@pytest.mark.parametrize(("library", "method"), [("polars", "to_polars"), ("xarray", "to_xarray")])
def test_a_library_that_is_not_there_is_named_with_its_extra(trace, monkeypatch, library, method):
    monkeypatch.setitem(sys.modules, library, None)

    with pytest.raises(ev.MissingLibraryError) as refused:
        getattr(trace, method)()

    assert str(refused.value) == (
        f"{method}() needs {library}, which is not installed: run pip install 'eventide-sim[{library}]'"
    )
    assert isinstance(refused.value, ImportError)


class Wall(ev.Continuous):
    """Its state is called as what tells of each row of a recording of its class."""

    component: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.component = 1.0


def test_a_quantity_called_as_what_tells_of_each_row_is_refused_before_anything_is_recorded(sim):
    told = "s would have two columns called '{}', which describes each row: record it under another name"
    with pytest.raises(ev.ModelError, match=told.format("time")):
        sim.record(time=lambda: 0.0, name="times")
    with pytest.raises(ev.ModelError, match=told.format("side")):
        sim.record(side=lambda: 0.0, name="sides")
    with pytest.raises(ev.ModelError, match=told.format("component")):
        sim.record(Wall, name="walls")
    assert sim.record(component=lambda: 0.0).columns[0].name == "component"
