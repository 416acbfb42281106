from math import inf
from pathlib import Path

import numpy as np
import pytest
from oracles import quarter_car as oracle

import eventide as ev
from eventide.view import new_figure

ROAD = Path(__file__).parents[2] / "examples" / "quarter_car_road.csv"
STATES = ("body", "wheel", "body_speed", "wheel_speed")
BUS = {
    "body_mass": oracle.BUS.m1,
    "wheel_mass": oracle.BUS.m2,
    "spring": oracle.BUS.s1,
    "damper": oracle.BUS.d1,
    "tyre_spring": oracle.BUS.s2,
    "tyre_damper": oracle.BUS.d2,
}


@pytest.fixture(scope="module")
def quarter_car(example):
    return example("quarter_car")


@pytest.fixture(scope="module")
def whole_drive(quarter_car):
    return quarter_car.run()


@pytest.fixture
def road_file(tmp_path):
    """A function: a road file with these points."""

    def write(*points):
        path = tmp_path / "road.csv"
        rows = "".join(f"{position},{height}\n" for position, height in points)
        path.write_text(f"position_m,height_m\n{rows}")
        return str(path)

    return write


def deviation(run, car=oracle.PASSENGER_CAR):
    """The greatest difference of each state from the exact solution, in units of its greatest value."""
    positions, heights = oracle.read_road(run.parameters["road"])
    times = positions / run.parameters["speed"]
    ride = run.recordings[0]
    seen = ride.times <= times[-1]
    found = np.column_stack([ride[f"car.{name}"][seen] for name in STATES])
    start = (heights[0], heights[0], 0.0, 0.0)
    exact = oracle.solve(times, heights, ride.times[seen], car=car, start=start)
    assert len(found) > 50
    return np.max(np.abs(found - exact), axis=0) / np.max(np.abs(exact), axis=0)


def judged(times):
    """Body acceleration, suspension travel and change of the tyre force on the road of the example, exactly."""
    car = oracle.PASSENGER_CAR
    positions, heights = oracle.read_road(ROAD)
    body, wheel, body_speed, wheel_speed = oracle.solve(positions / 10.0, heights, times, car=car).T
    acceleration = -(car.s1 * (body - wheel) + car.d1 * (body_speed - wheel_speed)) / car.m1
    return acceleration, body - wheel, car.s2 * (np.interp(times, positions / 10.0, heights) - wheel)


def around(time):
    return np.linspace(time - 1e-3, time + 1e-3, 501)


@pytest.mark.slow
def test_first_two_seconds_agree_with_the_exact_solution(quarter_car):
    run = quarter_car.run(until=2.0)

    assert run.account.end_time == 2.0
    assert max(deviation(run)) < 1e-6


@pytest.mark.slow
def test_whole_drive_agrees_with_the_exact_solution(whole_drive):
    assert whole_drive.responses["drive"] == 5.0
    assert max(deviation(whole_drive)) < 1e-6


@pytest.mark.slow
def test_bus_with_a_damped_tyre_at_another_speed_agrees_with_the_exact_solution(quarter_car):
    run = quarter_car(speed=20.0, **BUS).run()

    assert run.responses["drive"] == 2.5
    assert max(deviation(run, oracle.BUS)) < 1e-6


@pytest.mark.slow
def test_responses_agree_with_the_exact_solution(whole_drive):
    responses = whole_drive.responses
    times = np.linspace(0.0, 5.0, 5001)
    quantities = judged(times)

    names = ("body acceleration, greatest", "suspension travel, greatest", "tyre force, greatest change")
    for which, name in enumerate(names):
        peak = times[np.argmax(np.abs(quantities[which]))]
        assert responses[name] == pytest.approx(np.max(np.abs(judged(around(peak))[which])), rel=1e-6)
    acceleration, _, force = quantities
    assert responses["body acceleration, rms"] == pytest.approx(
        np.sqrt(np.trapezoid(acceleration**2, times) / 5.0), rel=1e-5
    )
    least = np.min(judged(around(times[np.argmin(force)]))[2])
    assert responses["tyre load at rest"] == pytest.approx(360.0 * 9.81, rel=1e-12)
    assert responses["tyre load, least"] == pytest.approx(360.0 * 9.81 + least, abs=1e-3)
    assert responses["tyre load, least"] > 0.0


@pytest.mark.slow
def test_car_has_settled_when_its_energy_has_left(whole_drive):
    car, settled = oracle.PASSENGER_CAR, whole_drive.responses["settling"]
    positions, heights = oracle.read_road(whole_drive.parameters["road"])
    times, levels = np.append(positions / 10.0, 20.0), np.append(heights, heights[-1])
    body, wheel, body_speed, wheel_speed = oracle.solve(times, levels, [5.0 + settled], car=car)[0]

    energy = car.m1 * body_speed**2 + car.m2 * wheel_speed**2 + car.s1 * (body - wheel) ** 2 + car.s2 * wheel**2

    assert energy == pytest.approx(car.s1 * 1e-4**2, rel=1e-5)
    assert whole_drive.account.end_time == 5.0 + settled


@pytest.mark.row("R-247")
def test_energy_never_grows_on_a_level_road_and_the_car_settles_on_it(quarter_car, road_file):
    run = quarter_car(road=road_file((0, 0), (1, 0.1))).run()  # it is level behind its last point
    ride = run.recordings[0]
    after = ride.times >= 0.1
    body, wheel, body_speed, wheel_speed = (ride[f"car.{name}"][after] for name in STATES)

    energy = (
        300.0 * body_speed**2 + 60.0 * wheel_speed**2 + 16000.0 * (body - wheel) ** 2 + 190000.0 * (wheel - 0.1) ** 2
    )

    assert len(energy) > 200
    assert np.all(np.diff(energy) <= 1e-9)
    assert (body[-1], wheel[-1]) == pytest.approx((0.1, 0.1), abs=2e-4)
    assert 0.0 < run.responses["settling"] < 5.0


def test_car_that_starts_on_a_level_height_stays_at_rest(quarter_car, road_file):
    run = quarter_car(road=road_file((5, 0.3), (8, 0.3))).run()

    assert run.responses["drive"] == pytest.approx(0.3)
    assert run.responses["settling"] == 0.0
    assert run.responses["body acceleration, greatest"] == pytest.approx(0.0, abs=1e-9)
    assert run.recordings[0]["car.body"] == pytest.approx(0.3)


def test_jump_of_the_force_of_a_damped_tyre_counts_on_both_sides(quarter_car, road_file):
    car = dict(BUS, tyre_damper=15020.0, tyre_spring=0.001)
    run = quarter_car(road=road_file((0, 0), (0.1, 0.01), (10, 0.01)), **car).run(until=0.02)

    # Only its damper makes the force: greatest in the first moment of the climb of 0.01 m in 0.01 s.
    [force] = [p for p in run.simulation.processes if getattr(p, "greatest", 0.0) > 10000.0]
    assert force.greatest == pytest.approx(15020.0, rel=1e-6)


@pytest.mark.slow
def test_car_without_dampers_never_settles(quarter_car, road_file):
    run = quarter_car(road=road_file((0, 0), (1, 0.01)), damper=0.0, spring=100.0, tyre_spring=1000.0).run()

    assert run.responses["settling"] == inf


@pytest.mark.parametrize("speed", [0.0, -1.0, inf])
def test_speed_that_leads_nowhere_is_refused(quarter_car, speed):
    with pytest.raises(ev.InputError, match=rf"speed is {speed!r} m/s"):
        quarter_car(speed=speed).run()


def test_road_without_heights_is_refused(quarter_car, tmp_path):
    path = tmp_path / "road.csv"
    path.write_text("position_m,level_m\n0,0\n1,0\n")

    with pytest.raises(ev.InputError, match=r"road.csv has no column height_m; its columns are position_m, level_m"):
        quarter_car(road=str(path)).run()


def test_road_of_one_point_is_refused(quarter_car, road_file):
    with pytest.raises(ev.InputError, match=r"road.csv has one point: a road has two or more"):
        quarter_car(road=road_file((0, 0))).run()


def test_picture_shows_road_wheel_and_body(quarter_car):
    figure = new_figure()

    quarter_car.drawing(quarter_car.run(until=0.7), figure)

    upper, lower = figure.axes
    assert upper.get_title() == "Quarter car at 10 m/s"
    assert [axes.get_ylabel() for axes in figure.axes] == ["displacement [mm]", "body acceleration [m/s2]"]
    assert lower.get_xlabel() == "time [s]"
    assert [text.get_text() for text in upper.get_legend().get_texts()] == ["body", "wheel", "road"]
    assert upper.lines[2].get_ydata()[-1] == pytest.approx(30.0)
