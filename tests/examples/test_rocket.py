import pytest
from oracles.rocket import REFERENCE

from eventide.view import new_figure


@pytest.fixture
def rocket(example):
    return example("rocket")


def test_burnouts_agree_with_the_reference(rocket):
    run = rocket.run()

    names = [f"{quantity} at burnout {n}" for n in (1, 2, 3) for quantity in ("mass", "velocity", "height")]
    assert list(run.responses) == names
    expected = [value for burnout in REFERENCE for value in (burnout.mass, burnout.velocity, burnout.height)]
    assert list(run.responses.values()) == pytest.approx(expected, rel=1e-8, abs=0.0)
    assert [quantity.unit for quantity in run.responses.values()] == 3 * ["slug", "ft/s", "ft"]
    assert run.account.end_time == REFERENCE[-1].time


def test_mass_jumps_and_height_goes_on_at_a_separation(rocket):
    ascent = rocket.run().recordings[0]

    separations = [row for row in range(len(ascent) - 1) if ascent.times[row] == ascent.times[row + 1]]

    assert ascent.times[separations].tolist() == [150.0, 509.0]
    masses = ascent["rocket.mass"]
    assert masses[separations] == pytest.approx([49662.0, 11087.09])
    assert [masses[row + 1] for row in separations] == [40342.0, 8137.0]
    for column in ("rocket.velocity", "rocket.height"):
        assert [ascent[column][row + 1] for row in separations] == [ascent[column][row] for row in separations]


def test_picture_marks_the_stages(rocket):
    figure = new_figure()

    rocket.drawing(rocket.run(), figure)

    upper, lower = figure.axes
    assert [axes.get_ylabel() for axes in figure.axes] == ["height [million ft]", "velocity [1000 ft/s]"]
    assert lower.get_xlabel() == "time [s]"
    assert [text.get_text() for text in upper.texts] == ["stage 1", "stage 2", "stage 3"]
    assert upper.lines[0].get_ydata()[-1] == pytest.approx(12.2, abs=0.05)
    for axes in figure.axes:
        assert [line.get_xdata()[0] for line in axes.lines[1:]] == [150.0, 509.0]
