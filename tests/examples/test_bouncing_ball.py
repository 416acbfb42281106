from fractions import Fraction

import numpy as np
import pytest
from oracles.bouncing_ball import C21_BALL, Ball

from eventide.view import new_figure


@pytest.fixture
def bouncing_ball(example):
    return example("bouncing_ball")


def bounces(run):
    """The instants at which the velocity was turned round, from the recording."""
    flight = run.recordings[0]
    return flight.times[1:][np.diff(flight.times) == 0.0]


def test_first_twenty_bounces_are_where_the_series_has_them(bouncing_ball):
    run = bouncing_ball.run(until=24.0)

    found = bounces(run)

    assert bouncing_ball.options == {"rel_error": 1e-10, "abs_error": 1e-10}
    assert len(found) == run.responses["bounces"] == 20
    expected = [float(C21_BALL.bounce_time(number)) for number in range(1, 21)]
    assert np.max(np.abs(found - expected)) < 1e-9
    assert found[-1] == run.responses["last bounce"]


def test_apexes_lose_a_fixed_share(bouncing_ball):
    run = bouncing_ball.run(until=24.0)

    assert run.account.end_time == 24.0
    apexes = [number for number in range(1, 21) if C21_BALL.apex_time(number) <= 24]
    assert run.responses["last apex"] == pytest.approx(float(C21_BALL.apex_height(apexes[-1])), rel=1e-12)


def test_responses_of_a_plain_run(bouncing_ball):
    run = bouncing_ball.run()

    assert run.account.end_time == 20.0
    assert list(run.responses) == ["bounces", "last bounce", "last apex", "height", "velocity"]
    assert run.responses["bounces"] == 13
    since = 20.0 - float(C21_BALL.bounce_time(13))
    speed = float(C21_BALL.rebound_speed(13))
    assert run.responses["height"] == pytest.approx(speed * since - 9.81 * since**2 / 2.0, rel=1e-9)
    assert run.responses["velocity"] == pytest.approx(speed - 9.81 * since, rel=1e-9)
    assert [getattr(value, "unit", "") for value in run.responses.values()] == ["", "s", "m", "m", "m/s"]


def test_ball_comes_to_rest_at_the_limit_of_the_series(bouncing_ball):
    run = bouncing_ball(restitution=0.5).run(until=6.0)

    ball = Ball(Fraction(10), Fraction("9.81"), Fraction("0.5"))
    assert run.responses["bounces"] == 24
    assert float(ball.rebound_speed(23)) > 1e-6 > float(ball.rebound_speed(24))
    assert run.responses["last bounce"] == pytest.approx(float(ball.zeno_time()), abs=1e-6)
    assert (run.responses["height"], run.responses["velocity"]) == (0.0, 0.0)


def test_parameters_reach_the_ball(bouncing_ball):
    run = bouncing_ball(height=1.0, restitution=0.7, gravity=1.62).run(until=5.0)

    ball = Ball(Fraction(1), Fraction("1.62"), Fraction("0.7"))
    expected = [float(ball.bounce_time(number)) for number in range(1, 20)]
    assert bounces(run) == pytest.approx([time for time in expected if time < 5.0], rel=1e-12)


def test_before_the_first_bounce_there_is_no_last_one(bouncing_ball):
    responses = bouncing_ball.run(until=1.0).responses

    assert responses["bounces"] == 0
    assert np.isnan(responses["last bounce"])
    assert np.isnan(responses["last apex"])


def test_picture_shows_the_height_and_marks_the_bounces(bouncing_ball):
    run, figure = bouncing_ball(restitution=0.5).run(until=4.0), new_figure()

    bouncing_ball.drawing(run, figure)

    [axes] = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time [s]", "height [m]")
    assert axes.get_title() == "A ball that keeps 50 % of its speed at each bounce"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["height of the ball", "4 bounces"]
    height, marks = axes.lines
    assert height.get_ydata().max() == 10.0
    assert marks.get_xdata().tolist() == bounces(run).tolist()
