"""Pictures of recordings: what is drawn, and what the axes say."""

import subprocess
import sys

import numpy as np
import pytest

import eventide as ev
from eventide.view import new_figure, plot_recording, plot_recordings, save


class Ball(ev.Continuous):
    height: ev.State = ev.state(1.0, unit="m")
    velocity: ev.State = ev.state(0.0, unit="m/s")

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -10.0

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self):
        self.velocity *= -0.5


@pytest.fixture
def sim():
    return ev.Simulation()


def bounce(sim, names=("ball",), **options):
    """The recording of some balls together."""
    balls = [Ball(sim, name=name, height=1.0 + 0.1 * number).start() for number, name in enumerate(names)]
    trace = sim.record(*balls, every=0.1, **options)
    sim.run(until=0.8)
    return trace


def words(axes):
    """The labels of the axes, and the legend with its title or None."""
    legend = axes.get_legend()
    shown = None if legend is None else [legend.get_title().get_text(), *(t.get_text() for t in legend.get_texts())]
    return axes.get_xlabel(), axes.get_ylabel(), shown


def test_one_column_is_drawn_with_both_sides_of_events_and_no_legend(sim):
    trace = bounce(sim)

    axes = plot_recording(trace, columns=["ball.velocity"])

    [line] = axes.lines
    assert np.count_nonzero(np.diff(trace.times) == 0.0) == 1
    assert line.get_xdata().tolist() == trace.times.tolist()
    assert line.get_ydata().tolist() == trace["ball.velocity"].tolist()
    assert line.get_drawstyle() == "default"
    assert words(axes) == ("time", "ball.velocity [m/s]", None)


def test_the_unit_of_time_is_shown_if_it_is_told(sim):
    axes = plot_recording(bounce(sim), time_unit="s")

    assert axes.figure.axes[-1].get_xlabel() == "time [s]"


def test_the_unit_of_time_is_that_of_the_simulation_if_it_is_not_told():
    assert bounce(ev.Simulation(time_unit="h")).plot().figure.axes[-1].get_xlabel() == "time [h]"


def test_several_columns_of_one_object_have_a_legend_under_its_name(sim):
    axes = plot_recording(bounce(sim), new_figure().add_subplot())

    assert words(axes) == ("time", "height [m], velocity [m/s]", ["ball", "height", "velocity"])
    assert [line.get_label() for line in axes.lines] == ["height", "velocity"]


def test_one_quantity_of_several_objects_has_a_legend_of_their_names(sim):
    trace = bounce(sim, ("red", "blue"))

    axes = plot_recording(trace, columns=["blue.height", "red.height"])

    assert words(axes) == ("time", "height [m]", ["", "blue", "red"])
    assert axes.lines[0].get_ydata()[0] == 1.1


def test_columns_of_several_objects_go_by_their_full_names(sim):
    axes = plot_recording(bounce(sim, ("red", "blue")), new_figure().add_subplot(), ["red.height", "blue.velocity"])

    assert words(axes) == ("time", "height [m], velocity [m/s]", ["", "red.height", "blue.velocity"])


@pytest.mark.slow
def test_the_legend_stands_outside_the_data(sim):
    axes = plot_recording(bounce(sim), new_figure().add_subplot())
    figure = axes.figure

    figure.draw_without_rendering()

    legend, data = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert legend.x0 >= data.x1
    assert legend.x1 <= figure.bbox.x1


def test_a_second_recording_is_added_to_the_same_axes_under_full_names(sim):
    red, blue = Ball(sim, name="red").start(), Ball(sim, name="blue").start()
    first, second = (sim.record(ball, every=0.1) for ball in (red, blue))
    sim.run(until=0.2)
    axes = new_figure().subplots()

    assert first.plot(axes, columns=["red.height"]) is axes
    assert second.plot(axes, columns=["blue.height"]) is axes
    second.plot(axes, columns=["blue.height"])

    assert words(axes) == ("time", "red.height [m], blue.height [m]", ["", "red", "blue.height", "blue.height"])
    assert len({line.get_color() for line in axes.lines}) == 3


def test_counts_are_drawn_as_steps_from_zero(sim):
    pit = ev.Resource(sim, 1, name="pit")

    def customer():
        yield from pit.use(1.0)

    for _ in range(3):
        sim.process(customer())
    trace = sim.record(pit, every="event")
    sim.run(until=2.5)

    axes = trace.plot()

    assert [line.get_drawstyle() for line in axes.lines] == ["steps-post", "steps-post"]
    assert axes.lines[1].get_ydata().tolist() == [2.0, 2.0, 1.0, 1.0, 0.0, 0.0]
    assert axes.get_ylim()[0] == 0.0
    assert words(axes) == ("time", "in_use, queue", ["pit", "in_use", "queue"])


def test_the_name_of_a_column_in_the_place_of_axes_or_of_a_list_is_refused(sim):
    trace = bounce(sim, name="trace")
    with pytest.raises(TypeError, match=r"ax takes axes to draw in, and got 'ball.height': columns are named as"):
        trace.plot("ball.height")
    with pytest.raises(TypeError, match=r"and got 'ball.height': write `columns=\['ball.height'\]`"):
        trace.plot(columns="ball.height")


def test_a_column_that_is_not_there_is_refused_before_anything_is_drawn(sim):
    trace = bounce(sim, name="trace")
    axes = new_figure().subplots()

    with pytest.raises(KeyError, match=r"trace has no column 'ball.hight'; it has: ball.height, ball.velocity"):
        plot_recording(trace, axes, ["ball.height", "ball.hight"])

    assert len(axes.lines) == 0


def test_a_few_components_of_a_class_have_a_line_each(sim):
    for name in ("red", "blue"):
        Ball(sim, name=name).start()
    trace = sim.record(Ball, every=0.1)
    sim.run(until=0.8)

    axes = trace.plot(columns=["height"])

    assert words(axes) == ("time", "height [m]", ["", "red", "blue"])
    assert axes.lines[1].get_ydata().tolist() == trace.series()["blue"].values["height"].tolist()


def test_many_components_of_a_class_are_one_crowd_of_separate_curves(sim):
    for height in range(1, 9):
        Ball(sim, height=float(height)).start()
    trace = sim.record(Ball, every=0.1)
    sim.run(until=0.3)

    axes = plot_recording(trace, columns=["velocity"])

    [line] = axes.lines
    assert words(axes) == ("time", "Ball (8): velocity [m/s]", None)
    curves = np.split(line.get_ydata(), np.flatnonzero(np.isnan(line.get_ydata())) + 1)
    assert [len(curve) for curve in curves] == 8 * [5] + [0]
    for curve in curves[:8]:
        assert curve[:-1] == pytest.approx([0.0, -1.0, -2.0, -3.0])


def test_a_class_without_components_leaves_the_axes_empty(sim):
    trace = sim.record(Ball, every=0.1)
    sim.run(until=1.0)

    axes = trace.plot()

    assert len(axes.lines) == 0


def test_a_long_legend_is_cut(sim):
    axes = plot_recording(
        bounce(sim, [f"ball {i}" for i in range(14)]), columns=[f"ball {i}.height" for i in range(14)]
    )

    assert words(axes)[2] == ["", *(f"ball {i}" for i in range(9)), "and 5 more"]
    assert len(axes.lines) == 14
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == 14


def test_the_default_picture_has_a_panel_for_each_unit_and_counts_below(sim):
    pit = ev.Resource(sim, 1, name="pit")
    red, blue = Ball(sim, name="red").start(), Ball(sim, name="blue").start()
    counts = sim.record(pit, every="event")
    balls = sim.record(red, blue, every=0.1)
    energy = sim.record(energy=lambda: red.height * 10.0, every=0.1)
    sim.run(until=0.2)
    figure = new_figure(height=2.0)

    plot_recordings([counts, balls, energy], figure, time_unit="s")

    assert [words(axes) for axes in figure.axes] == [
        ("", "height [m]", ["", "red", "blue"]),
        ("", "velocity [m/s]", ["", "red", "blue"]),
        ("", "energy", None),
        ("time [s]", "in_use, queue", ["pit", "in_use", "queue"]),
    ]
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    assert [axes.xaxis.get_tick_params()["labelbottom"] for axes in figure.axes] == [False, False, False, True]
    assert figure.get_figheight() > 6.0


def test_a_run_that_recorded_nothing_has_no_default_picture():
    with pytest.raises(ev.ModelError, match=r"nothing to draw: let the model call sim.record\(...\)"):
        plot_recordings([], new_figure())


@pytest.mark.slow
def test_a_picture_is_made_without_a_screen_and_a_run_without_a_picture_loads_no_library(tmp_path):
    program = f"""
import sys
import eventide as ev
sim = ev.Simulation()
trace = sim.record(clock=lambda: sim.time, every=1.0)
sim.run(until=3.0)
assert not any(name.startswith("matplotlib") for name in sys.modules)
axes = trace.plot()
from eventide.view import save
save(axes.figure, {str(tmp_path / "time.png")!r})
ev.view.plot_boxes(trace)
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, env={"PYTHONPATH": ":".join(sys.path)})

    assert (tmp_path / "time.png").stat().st_size > 1000


@pytest.mark.slow
def test_the_default_picture_can_be_saved_without_a_warning(sim, tmp_path):
    bounce(sim, [f"a ball with a long name, number {i}" for i in range(12)])
    figure = new_figure()

    plot_recordings(sim.recordings, figure)
    save(figure, tmp_path / "balls.png")

    assert len(figure.axes) == 2


def test_a_recording_without_rows_says_so_in_its_picture(sim):
    sim.run(until=3.0)
    axes = sim.record(clock=lambda: sim.time, every=1.0).plot()

    assert [text.get_text() for text in axes.texts] == ["no rows: no run since this began"]
