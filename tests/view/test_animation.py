"""Moving pictures: the frames, their times, and what a scene is given."""

import json
import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import eventide as ev
from eventide.view import animate, zigzag


class Ball(ev.Continuous):
    height: ev.State = ev.state(1.0, unit="m")

    def equations(self):
        self.rate.height = -1.0

    @ev.when(lambda self: self.height <= 0.0)
    def bounce(self):
        self.height = 1.0


@pytest.fixture
def sim():
    return ev.Simulation()


@pytest.fixture
def trace(sim):
    recording = sim.record(Ball(sim, name="ball").start(), every=0.3, name="flight")
    sim.run(until=2.5)
    return recording


def scene_of(seen):
    """A scene with a bar as high as the ball; it notes every moment."""

    def scene(figure):
        axes = figure.subplots()
        axes.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
        bar = axes.bar([0.5], [0.0], color="#d55e00")[0]

        def move(moment):
            seen.append((moment.frame, round(moment.time, 9), round(moment["ball.height"], 9)))
            bar.set_height(moment["ball.height"])

        return move

    return scene


def orange(picture):
    """How many points of a picture are orange."""
    points = np.asarray(picture.convert("RGB")).astype(int)
    return int(np.count_nonzero((points[..., 0] > 180) & (points[..., 2] < 60)))


def frames_of(path):
    if path.suffix == ".gif":
        with Image.open(path) as file:
            return [file.copy().convert("RGB") for frame in range(file.n_frames) if file.seek(frame) is None]
    packed = re.findall(r'^"([A-Za-z0-9+/=]+)",$', path.read_text(), re.MULTILINE)
    return [Image.open(BytesIO(b64decode(picture))).convert("RGB") for picture in packed]


@pytest.mark.slow
@pytest.mark.row("R-285")
@pytest.mark.parametrize("name", ["ball.gif", "ball.html"])
def test_the_system_is_moved_by_its_recording(trace, tmp_path, name):
    seen, path = [], tmp_path / name

    count = animate(trace, scene_of(seen), path, speed=2.0, frames_per_second=4, width=2.0, height=1.5)

    # At the bounces, after each whole second, the ball is up again.
    assert seen == [(0, 0.0, 1.0), (1, 0.5, 0.5), (2, 1.0, 1.0), (3, 1.5, 0.5), (4, 2.0, 1.0), (5, 2.5, 0.5)]
    frames = frames_of(path)
    assert count == len(frames) == 6
    assert {frame.size for frame in frames} == {(200, 150)}
    areas = list(map(orange, frames))
    assert areas[1] / areas[0] == pytest.approx(0.5, rel=0.05)
    assert (areas[2:4], areas[4:]) == (areas[:2], areas[:2])
    assert {frame.getpixel((0, 0)) for frame in frames} == {(255, 255, 255)}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ball.gif", "ball.html"])
def test_equal_recordings_give_equal_files(trace, tmp_path, name):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        animate(trace, scene_of([]), tmp_path / folder / name, frames_per_second=2, width=1.5, height=1.0, theme="dark")

    one, two = ((tmp_path / folder / name).read_bytes() for folder in ("one", "two"))
    assert one == two
    assert frames_of(tmp_path / "one" / name)[0].getpixel((0, 0)) == (0x14, 0x18, 0x1D)


@pytest.mark.slow
def test_a_page_needs_nothing_else_and_knows_the_times(trace, tmp_path):
    animate(trace, scene_of([]), tmp_path / "ball.html", frames_per_second=2, end=1.0, width=1.5, height=1.0)

    text = (tmp_path / "ball.html").read_text()
    assert json.loads(re.search(r"const times = (\[.*\]);", text).group(1)) == [0.0, 0.5, 1.0]
    assert "}, 500.0);" in text
    assert re.findall(r'(?:src|href)="', text) == []


@pytest.mark.slow
def test_a_gif_goes_on_for_ever_at_its_rate(trace, tmp_path):
    animate(trace, scene_of([]), tmp_path / "ball.gif", frames_per_second=5, end=0.5, width=1.5, height=1.0)

    with Image.open(tmp_path / "ball.gif") as file:
        assert (file.info["duration"], file.info["loop"]) == (200, 0)


def test_components_are_there_while_they_are_recorded(sim, tmp_path):
    early, late = Ball(sim, name="early").start(), Ball(sim, name="late", height=9.0)

    def story():
        yield ev.hold(1.25)
        early.stop()
        late.start()

    sim.process(story())
    sim.record(Ball, every=0.5, name="balls")
    sim.run(until=2.0)
    seen = []

    def scene(figure):
        def move(moment):
            there = moment.components("balls")
            seen.append({name: round(values["height"], 9) for name, values in there.items()})

        return move

    animate(sim.recordings, scene, tmp_path / "balls.gif", frames_per_second=2, width=1.0, height=1.0)

    assert seen == [{"early": 1.0}, {"early": 0.5}, {"early": 1.0}, {"late": 8.75}, {"late": 8.25}]


def test_what_is_not_recorded_is_named(trace, tmp_path):
    def wrong_name(figure):
        return lambda moment: moment["ball.hight"]

    def wrong_class(figure):
        return lambda moment: moment.components("balls")

    with pytest.raises(KeyError, match=r"no recording of the animation has 'ball.hight'; there are: ball.height"):
        animate(trace, wrong_name, tmp_path / "ball.gif")
    with pytest.raises(KeyError, match="no recording 'balls' of a class; there are: none"):
        animate(trace, wrong_class, tmp_path / "ball.gif")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "options", "complaint"),
    [
        ("ball.mp4", {}, r"cannot be saved as .*ball.mp4': its name must end in .gif, .html"),
        ("ball.gif", {"speed": 0.0}, r"takes speed > 0 and 1 to 50 frames_per_second, and got 0.0 and 25"),
        ("ball.gif", {"frames_per_second": 60}, r"takes speed > 0 and 1 to 50 frames_per_second, and got 1.0 and 60"),
        ("ball.gif", {"speed": 1e-6}, r"from 0.0 to 2.5 at speed=1e-06 has \d+ frames, and 1 to 5000 are allowed"),
        ("ball.gif", {"start": 3.0}, r"from 3.0 to 2.5 at speed=1.0 has 0 frames, and 1 to 5000 are allowed"),
    ],
)
def test_an_animation_that_cannot_be_made_says_why(trace, tmp_path, name, options, complaint):
    with pytest.raises(ev.ModelError, match=complaint):
        animate(trace, scene_of([]), tmp_path / name, **options)


def test_nothing_recorded_is_nothing_to_move(sim, tmp_path):
    with pytest.raises(ev.ModelError, match="nothing to move: the recordings are empty, or none was given"):
        animate([sim.record(Ball, every=1.0)], scene_of([]), tmp_path / "ball.gif")


@pytest.mark.slow
def test_the_ground_keeps_its_colour_among_more_colours_than_a_palette_has(tmp_path):
    def scene(figure):
        axes = figure.subplots()
        shades = np.linspace(0.85, 1.0, 100)
        axes.imshow(np.stack(np.broadcast_arrays(shades[:, None], shades, 1.0), axis=-1), aspect="auto")
        axes.set_axis_off()
        return lambda moment: None

    sim = ev.Simulation()
    trace = sim.record(x=lambda: 0.0, every=1.0)
    sim.run(until=1.0)
    for name in ("shades.gif", "shades.html"):
        path = tmp_path / name
        animate(trace, scene, path, frames_per_second=1, width=2.0, height=2.0)
        assert {frame.getpixel((0, 0)) for frame in frames_of(path)} == {(255, 255, 255)}


def test_a_spring_goes_from_end_to_end_to_both_sides():
    x, y = zigzag((1.0, 2.0), (1.0, 6.0), coils=3, width=0.5)

    assert (x[0], y[0], x[-1], y[-1]) == (1.0, 2.0, 1.0, 6.0)
    assert (x.min(), x.max()) == (0.75, 1.25)
    assert np.all(np.diff(y) > 0.0)
    assert len(x) == 4 + 6
