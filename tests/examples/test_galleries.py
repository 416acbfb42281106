"""The gallery and the animations are drawn without a warning."""

import importlib.util
import sys
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

import eventide as ev
from eventide.view import animate, new_figure

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def example():
    """A function: an example by its name."""
    sys.path.insert(0, str(EXAMPLES))

    def load(name):
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    yield load
    sys.path.remove(str(EXAMPLES))


@pytest.mark.slow
@pytest.mark.parametrize(("width", "theme"), [(7.0, "light"), (3.5, "dark")])
def test_every_figure_of_the_gallery_is_drawn(example, width, theme):
    gallery = example("gallery")

    assert len(gallery.FIGURES) == 14
    for draw in gallery.FIGURES.values():
        figure = new_figure(width, 3.4, theme=theme)
        draw(figure)
        figure.draw_without_rendering()
        assert figure.axes
        assert draw.__doc__.endswith(".")


@pytest.mark.slow
@pytest.mark.parametrize("system", ["flight", "swing", "attractor"])
def test_systems_of_the_gallery_are_the_same_compiled_and_plain(example, monkeypatch, system):
    """To the last bit, as no power is in their laws."""
    gallery, simulation = example("gallery"), ev.Simulation
    arguments = {"angle": 3.0, "speed": 0.0, "end": 5.0} if system == "swing" else {}

    def rows(**settings):
        monkeypatch.setattr(ev, "Simulation", partial(simulation, **settings))
        return getattr(gallery, system)(**arguments).to_pandas()

    native = rows(compile=True)
    assert len(native) > 200
    assert native.equals(rows(compile=False))


@pytest.mark.slow
def test_the_three_systems_move(example, tmp_path):
    animations = example("animations")
    ball = animations.bouncing_ball(restitution=0.8).run(until=3.0)
    car = animations.quarter_car.run()
    plant = animations.soaking_pit(hours=30.0).run(entropy=2)
    scenes = {
        "ball": (ball, animations.ball_scene, 1.0),
        "car": (car, animations.car_scene(car.recordings[0], 10.0), 1.0),
        "plant": (plant, animations.plant_scene(plant), 10.0),
    }
    for name, (run, scene, speed) in scenes.items():
        path = tmp_path / f"{name}.gif"
        count = animate(run.recordings, scene, path, speed=speed, frames_per_second=1, end=3.0 * speed, width=3.0)
        with Image.open(path) as file:
            assert (count, file.n_frames) == (4, 4)
