"""The independent solutions, held against published and hand-derived values."""

from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from oracles import quarter_car, rocket, soaking_pit
from oracles.bouncing_ball import C21_BALL, FMI_BALL
from oracles.quarter_car import BUS, PASSENGER_CAR, Car
from scipy.integrate import solve_ivp

ROAD = Path(__file__).parents[2] / "examples" / "quarter_car_road.csv"
SPEED = 10.0  # m/s


def rounded(value, digits):
    return f"{value:.{digits}f}"


# --- soaking pit


@pytest.mark.slow
def test_soaking_pit_with_an_ingot_every_two_and_a_quarter_hours():
    table = soaking_pit.solve(2.25)

    assert (table.arrived, table.removed, len(table.removals)) == (223, 217, 27)
    assert (table.left_in_pits, table.bank) == (10, 2)
    assert [removal.count for removal in table.removals] == [9] + 26 * [8]
    times = [removal.time for removal in table.removals]
    assert times[:6] + times[-1:] == pytest.approx(
        [
            17.0522233226759422,
            35.7090389821807056,
            53.2380779429141472,
            71.1382918257326835,
            89.111538794684879,
            107.104826215869255,
            485.1025424864293,
        ],
        rel=1e-15,
    )
    assert [
        table.removals[0].furnace_temperature,
        table.mean_heating_time,
        table.mean_final_temperature,
        table.mean_number_in_pits,
        table.mean_wait,
        table.longest_wait,
        table.last_furnace_temperature,
        table.lowest_furnace_temperature,
    ] == pytest.approx(
        [
            2518.08274934461,
            18.99123708440234,
            2107.331006101832,
            8.52308163971204,
            1.3668629648701,
            8.0522233226759,
            2369.93998133751,
            823.61654986892,
        ],
        rel=3e-14,
    )


@pytest.mark.slow
def test_soaking_pit_with_an_ingot_every_hour_and_a_quarter():
    table = soaking_pit.solve(1.25)

    assert (table.arrived, table.removed, len(table.removals)) == (400, 270, 27)
    assert (table.left_in_pits, table.bank) == (10, 126)
    assert [removal.count for removal in table.removals] == 27 * [10]
    times = np.array([removal.time for removal in table.removals])
    assert times[:2] == pytest.approx([16.3679416082127899, 34.5808658951425865], rel=1e-15)
    assert np.diff(times) == pytest.approx(26 * [18.2129242870], abs=1e-10)
    assert [
        table.removals[0].furnace_temperature,
        table.mean_heating_time,
        table.mean_final_temperature,
        table.mean_number_in_pits,
        table.mean_wait,
        table.longest_wait,
        table.last_furnace_temperature,
        table.lowest_furnace_temperature,
    ] == pytest.approx(
        [
            2529.15621326082,
            18.11681381734769,
            2198.766898669882,
            9.985,
            78.842914165478,
            159.90397306839,
            2307.925982999921,
            400.0,
        ],
        rel=3e-14,
    )


@pytest.mark.slow
@pytest.mark.parametrize("interval", [2.25, 1.25])
def test_no_ingot_is_lost(interval):
    table = soaking_pit.solve(interval)

    assert 6 + table.arrived == table.removed + table.left_in_pits + table.bank
    assert table.removed == sum(removal.count for removal in table.removals)


def test_ingot_law_between_two_removals_solves_its_equation():
    ingot = soaking_pit.Ingot(Decimal(2150), Decimal(0))
    pits = soaking_pit.Pits(ingots=[ingot])
    solution = solve_ivp(
        lambda _, y: (0.15 * (y[1] - y[0]), 0.2 * (2600.0 - y[1])),
        (0.0, 3.0),
        (450.0, 1650.0),
        method="DOP853",
        rtol=1e-13,
        atol=1e-10,
    )

    pits.advance(Decimal(3))

    found = [float(2600 - ingot.deficit), float(2600 - pits.deficit)]
    assert found == pytest.approx(solution.y[:, -1], rel=1e-12)


# --- rocket


def test_rocket_burnouts_agree_with_the_reference():
    found = rocket.solve()

    assert len(found) == len(rocket.REFERENCE) == 3
    assert [b.time for b in found] == [b.time for b in rocket.REFERENCE]
    for quantity in ("mass", "velocity", "height"):
        expected = [getattr(burnout, quantity) for burnout in rocket.REFERENCE]
        assert [getattr(b, quantity) for b in found] == pytest.approx(expected, rel=1e-12)


def test_rocket_burns_exactly_the_fuel_of_each_stage():
    for stage, burnout in zip(rocket.STAGES, rocket.REFERENCE, strict=True):
        assert burnout.mass == pytest.approx(stage.mass - stage.flow * stage.duration, rel=1e-15)


# --- bouncing ball


def test_bounce_times_of_the_c21_ball():
    assert rounded(C21_BALL.bounce_time(1), 18) == "1.427843122927064467"
    assert rounded(C21_BALL.bounce_time(2), 19) == "3.9979607441957805075"
    assert rounded(C21_BALL.bounce_time(3), 18) == "6.311066603337624944"
    assert rounded(C21_BALL.bounce_time(10), 18) == "17.171857079419797184"
    assert rounded(C21_BALL.bounce_time(50), 18) == "26.981843685876544278"
    assert rounded(C21_BALL.bounce_time(100), 18) == "27.128260825399485585"
    assert rounded(C21_BALL.zeno_time(), 18) == "27.129019335614224872"


def test_bounce_times_of_the_fmi_ball():
    found = [rounded(FMI_BALL.bounce_time(number), 17) for number in range(1, 12)]

    assert found == [
        "0.45152364098573090",
        "1.08365673836575417",
        "1.52614990653177046",
        "1.83589512424798186",
        "2.05271677664932984",
        "2.20449193333027342",
        "2.31073454300693393",
        "2.38510436978059629",
        "2.43716324852215994",
        "2.47360446364125450",
        "2.49911331422462069",
    ]
    assert rounded(FMI_BALL.rebound_speed(11), 5) == "0.08758"
    assert rounded(FMI_BALL.zeno_time(), 19) == "2.5586339655858084586"


def test_apexes_are_exact_fractions():
    assert C21_BALL.apex_height(1) == Fraction("8.1")
    assert C21_BALL.apex_height(2) == Fraction("6.561")
    assert C21_BALL.apex_height(100) == 10 * Fraction("0.81") ** 100


@pytest.mark.parametrize("ball", [C21_BALL, FMI_BALL])
@pytest.mark.parametrize("number", [1, 2, 7])
def test_a_flight_obeys_the_law_of_free_fall(ball, number):
    gravity = float(ball.gravity)
    speed = float(ball.rebound_speed(number))
    rise = float(ball.apex_time(number) - ball.bounce_time(number))
    flight = float(ball.bounce_time(number + 1) - ball.bounce_time(number))

    assert speed - gravity * rise == pytest.approx(0.0, abs=1e-13)
    assert rise * speed - gravity * rise**2 / 2 == pytest.approx(float(ball.apex_height(number)), rel=1e-14)
    assert flight == pytest.approx(2 * rise, rel=1e-14)


def test_bounce_zero_is_refused():
    with pytest.raises(ValueError, match="bounce 0 asked for"):
        C21_BALL.bounce_time(0)


def test_caller_precision_does_not_matter():
    with localcontext(prec=6):
        coarse = C21_BALL.bounce_time(10)

    assert coarse == C21_BALL.bounce_time(10)


# --- quarter car


@pytest.mark.parametrize(
    ("car", "expected"),
    [
        (PASSENGER_CAR, [(1.12, 0.20), (9.26, 0.15)]),
        (Car(290.0, 59.0, 16812.0, 1000.0, 190000.0), [(1.17, None), (9.36, None)]),
        (BUS, [(0.84, 0.02), (6.78, None)]),
    ],
)
def test_modes_of_known_cars(car, expected):
    roots = np.linalg.eigvals(quarter_car.system_matrix(car))
    upper = sorted(roots[roots.imag > 0.0], key=abs)

    assert len(upper) == len(expected) == 2
    for root, (frequency, damping) in zip(upper, expected, strict=True):
        assert abs(root) / (2 * np.pi) == pytest.approx(frequency, abs=0.005)
        if damping is not None:
            assert -root.real / abs(root) == pytest.approx(damping, abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize("car", [PASSENGER_CAR, BUS])
def test_a_car_that_climbs_steadily_goes_on_climbing(car):
    times = np.linspace(0.0, 4.0, 41)

    found = quarter_car.solve([0.0, 1.3, 4.0], [0.0, 0.26, 0.8], times, car=car, start=(0.0, 0.0, 0.2, 0.2))

    assert found.shape == (41, 4)
    assert found[:, 0] == pytest.approx(0.2 * times, abs=1e-13)
    assert found[:, 1] == pytest.approx(0.2 * times, abs=1e-13)
    assert found[:, 2:] == pytest.approx(np.full((41, 2), 0.2), abs=1e-13)


@pytest.mark.parametrize("car", [PASSENGER_CAR, BUS])
def test_after_a_ramp_the_car_settles_on_the_new_height(car):
    found = quarter_car.solve([0.0, 0.5, 400.0], [0.0, 0.1, 0.1], [400.0], car=car)

    assert found == pytest.approx(np.array([[0.1, 0.1, 0.0, 0.0]]), abs=1e-12)


def piecewise_reference(car, times, heights, start):
    """The states at the corners of the road by DOP853, piece after piece.

    The wheel's speed is replaced by w2 = v2 - (d2/m2) u, in which the slope of the
    road does not appear, so the equations differ from those of the exact solution.
    """
    share = car.d2 / car.m2
    y1, y2, v1, v2 = start
    state = np.array([y1, y2, v1, v2 - share * heights[0]])
    corners = [np.array(start)]
    for piece in range(len(times) - 1):
        ends = times[piece : piece + 2]

        def derivative(t, x, ends=ends, levels=heights[piece : piece + 2]):
            u = np.interp(t, ends, levels)
            y1, y2, v1, w2 = x
            v2 = w2 + share * u
            coupling = car.d1 * (v1 - v2) + car.s1 * (y1 - y2)
            tyre = car.d2 * v2 + car.s2 * (y2 - u)
            return v1, v2, -coupling / car.m1, (coupling - tyre) / car.m2

        state = solve_ivp(derivative, ends, state, method="DOP853", rtol=1e-12, atol=1e-15).y[:, -1]
        corners.append(state + np.array([0.0, 0.0, 0.0, share * heights[piece + 1]]))
    return np.array(corners)


@pytest.mark.parametrize("car", [PASSENGER_CAR, BUS])
def test_states_agree_with_a_general_integrator(car):
    times = np.array([0.5, 0.9, 0.95, 1.2, 2.0])
    heights = np.array([0.01, 0.06, 0.02, 0.02, -0.03])
    start = (0.02, 0.01, -0.3, 0.1)

    found = quarter_car.solve(times, heights, times, car=car, start=start)

    expected = piecewise_reference(car, times, heights, start)
    assert found.shape == expected.shape == (5, 4)
    assert np.max(np.abs(found - expected)) < 1e-11


@pytest.mark.slow
@pytest.mark.parametrize("car", [PASSENGER_CAR, BUS])
def test_extra_points_on_a_straight_piece_change_nothing(car):
    positions, heights = quarter_car.read_road(ROAD)
    times = positions / SPEED
    finer = np.sort(np.concatenate([times, (times[:-1] + times[1:]) / 2]))
    outputs = np.linspace(0.0, 5.0, 101)

    coarse = quarter_car.solve(times, heights, outputs, car=car)
    fine = quarter_car.solve(finer, np.interp(finer, times, heights), outputs, car=car)

    assert np.max(np.abs(coarse - fine)) < 1e-13


@pytest.mark.slow
def test_energy_fades_on_a_flat_road():
    car = PASSENGER_CAR
    found = quarter_car.solve([0.0, 2.0], [0.0, 0.0], np.linspace(0.0, 2.0, 81), start=(0.03, -0.01, 0.4, 0.0))
    y1, y2, v1, v2 = found.T

    energy = car.m1 * v1**2 + car.m2 * v2**2 + car.s1 * (y1 - y2) ** 2 + car.s2 * y2**2

    assert len(energy) == 81
    assert np.all(np.diff(energy) < 0.0)


@pytest.mark.parametrize(
    ("times", "outputs", "message"),
    [
        ([0.0, 1.0, 1.0], [0.5], "road time 1.0 s follows 1.0 s"),
        ([0.0, 1.0, 2.0], [0.5, 2.5], "state asked for at 2.5 s"),
        ([0.0, 1.0], [0.5], "road of"),
    ],
)
def test_a_road_that_cannot_be_driven_is_refused(times, outputs, message):
    with pytest.raises(ValueError, match=message):
        quarter_car.solve(times, [0.0, 0.0, 0.0], outputs)


# --- the road of the example


def test_road_of_the_example_has_its_five_parts():
    positions, heights = quarter_car.read_road(ROAD)

    assert ROAD.read_text(encoding="utf-8").splitlines()[0] == "position_m,height_m"
    assert 60 <= len(positions) <= 200
    assert (positions[0], positions[-1]) == (0.0, 50.0)
    assert np.all(np.diff(positions) > 0.0)
    assert np.all(heights == np.round(heights, 4))
    assert np.all(heights[positions <= 6.0] == 0.0)
    bump = (positions >= 6.0) & (positions <= 10.0)
    smooth = 0.03 * (1.0 - np.cos(2.0 * np.pi * (positions[bump] - 6.0) / 4.0))
    assert np.max(np.abs(heights[bump] - smooth)) <= 0.5001e-4
    pothole = (positions >= 18.0) & (positions <= 19.0)
    assert heights[pothole].min() == heights.min() == -0.0181
    rough = (positions >= 26.0) & (positions <= 38.0)
    assert 0.003 < heights[rough].std() < 0.006
    assert np.all(heights[positions >= 43.0] == 0.0)


@pytest.mark.slow
def test_the_tyre_never_leaves_the_road_of_the_example():
    positions, heights = quarter_car.read_road(ROAD)
    times = np.linspace(0.0, 5.0, 2001)

    states = quarter_car.solve(positions / SPEED, heights, times)

    road = np.interp(times, positions / SPEED, heights)
    car = PASSENGER_CAR
    load = (car.m1 + car.m2) * 9.81 + car.s2 * (road - states[:, 1])
    assert 100.0 < load.min() < 500.0
