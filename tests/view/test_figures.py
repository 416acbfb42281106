"""Every kind of figure: what is drawn, where, in which order, and what the axes say."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from observe.example_dump import example

import eventide as ev
from eventide.view import (
    mark_events,
    new_figure,
    plot_boxes,
    plot_cloud,
    plot_gantt,
    plot_histogram,
    plot_phase,
    plot_series,
    plot_trajectory,
    save,
)
from eventide.view.canvas import THEMES
from eventide.view.palette import COLOURS, DARK_COLOURS


def words(axes):
    """The labels of the axes, and the legend's texts or None."""
    legend = axes.get_legend()
    return axes.get_xlabel(), axes.get_ylabel(), legend and [text.get_text() for text in legend.get_texts()]


def points(axes):
    """The places of the points of the latest cloud."""
    return np.asarray(axes.collections[-1].get_offsets()).tolist()


# --- time series and trajectories -------------------------------------------------------------------------------------


@pytest.mark.row("R-282")
def test_time_series_are_points_and_trajectories_are_linked_in_the_order_of_time():
    single, linked = plot_series(example(), linked=False), plot_series(example())

    for axes in (single, linked):
        assert words(axes) == ("t [s]", "x1, x2, x3 [m]", ["x1", "x2", "x3"])
        assert [line.get_xdata().tolist() for line in axes.lines] == 3 * [list(map(float, range(26)))]
        assert axes.lines[1].get_ydata()[:4].tolist() == [5.0, 3.0, 2.0, 0.0]
    assert [line.get_linestyle() for line in single.lines] == 3 * ["None"]
    assert [line.get_linestyle() for line in linked.lines] == 3 * ["-"]
    assert all(line.get_marker() not in {"None", ""} for line in (*single.lines, *linked.lines))


def test_both_sides_of_an_event_keep_their_order():
    frame = pd.DataFrame({"x": [0.0, 1.0, 9.0, 2.0]}, index=pd.Index([0.0, 1.0, 1.0, 2.0], name="time"))

    assert plot_series(frame).lines[0].get_ydata().tolist() == [0.0, 1.0, 9.0, 2.0]


def test_quantities_of_several_units_have_them_in_the_legend():
    frame = example()
    frame.attrs["units"]["x3"] = "kg"

    assert words(plot_series(frame, ["x1", "x3"])) == ("t [s]", "", ["x1 [m]", "x3 [kg]"])
    assert words(plot_series(frame, ["x3"])) == ("t [s]", "x3 [kg]", None)


@pytest.mark.row("R-282")
def test_a_trajectory_goes_through_the_plane_in_the_order_of_time_with_its_ends_marked():
    axes = plot_trajectory(example(), "x1", "x2")

    path, start, end = axes.lines
    ordered = example().sort_index()
    assert (path.get_xdata().tolist(), path.get_ydata().tolist()) == (ordered["x1"].tolist(), ordered["x2"].tolist())
    assert (start.get_xydata().tolist(), end.get_xydata().tolist()) == ([[5.0, 5.0]], [[-2.0, -4.0]])
    assert to_hex(start.get_markerfacecolor()) != to_hex(end.get_markerfacecolor())
    assert words(axes) == ("x1 [m]", "x2 [m]", None)


# --- clouds -----------------------------------------------------------------------------------------------------------


@pytest.mark.row("R-281")
def test_a_point_cloud_has_a_point_for_each_row_and_a_scale_of_its_colours():
    axes = plot_cloud(example(), "x1", "x3", colour_by="t")

    assert points(axes) == example()[["x1", "x3"]].to_numpy().tolist()
    assert axes.collections[0].get_array().tolist() == example().index.tolist()
    assert words(axes) == ("x1 [m]", "x3 [m]", None)
    assert [other.get_ylabel() for other in axes.figure.axes] == ["x3 [m]", "t [s]"]


@pytest.mark.row("R-281")
def test_a_point_cloud_and_a_trajectory_in_space():
    axes = plot_cloud(example(), "x1", "x2", "x3")
    plot_trajectory(example(), "x1", "x2", "x3", ax=axes)

    assert np.array(axes.collections[0]._offsets3d).T.tolist() == example()[["x1", "x2", "x3"]].to_numpy().tolist()
    assert [len(line.get_data_3d()[0]) for line in axes.lines] == [26, 1, 1]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_zlabel()) == ("x1 [m]", "x2 [m]", "x3 [m]")


def test_flat_axes_take_two_quantities_and_those_in_space_three():
    flat, deep = new_figure().add_subplot(), new_figure().add_subplot(projection="3d")

    for names, axes in ((("x1", "x2", "x3"), flat), (("x1", "x2"), deep)):
        with pytest.raises(ev.ModelError, match=r"three quantities need axes in space, and two flat ones"):
            plot_cloud(example(), *names, ax=axes)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: plot_series(example(), ["y"]),
        lambda: plot_cloud(example(), "x1", "y"),
        lambda: plot_cloud(example(), "x1", "x2", colour_by="y"),
        lambda: plot_boxes(example(), ["x1", "y"]),
        lambda: plot_trajectory(example(), "y", "x1"),
    ],
    ids=["series", "cloud", "colour", "boxes", "trajectory"],
)
def test_a_quantity_that_is_not_there_is_refused_with_the_list(draw):
    with pytest.raises(KeyError, match=r"there is no quantity 'y' to draw; there are: t, x1, x2, x3"):
        draw()


def test_data_without_numbers_cannot_be_drawn():
    for draw in (plot_series, plot_boxes):
        with pytest.raises(ev.ModelError, match="nothing to draw: the data have no column of numbers"):
            draw(pd.DataFrame({"name": ["a"]}))


# --- flows ------------------------------------------------------------------------------------------------------------


@pytest.mark.row("R-284")
def test_a_phase_portrait_shows_direction_and_magnitude_of_the_flow_and_trajectories():
    axes = plot_phase(
        lambda x, v: (v, -x),
        (-2.0, 2.0),
        (-1.0, 1.0),
        trajectories=[([0.0, 1.0], [1.0, 0.0])],
        labels=("x [m]", "v [m/s]"),
    )

    [arrows] = [c for c in axes.collections if hasattr(c, "U")]
    x, v = arrows.X, arrows.Y
    assert (len(x), x.min(), x.max(), v.min(), v.max()) == (441, -2.0, 2.0, -1.0, 1.0)
    np.testing.assert_allclose(arrows.get_array(), np.hypot(v, -x))
    # A circle looks twice as high as wide here: so does each direction, and all arrows are of one length.
    seen = np.hypot(v / 4.0, -x / 2.0)
    moving = seen > 0.0
    np.testing.assert_allclose(arrows.U[moving], (v / 4.0)[moving] / seen[moving], atol=1e-12)
    np.testing.assert_allclose(arrows.V[moving], (-x / 2.0)[moving] / seen[moving], atol=1e-12)
    assert np.count_nonzero(~moving) == 1
    assert axes.lines[0].get_xydata().tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert words(axes) == ("x [m]", "v [m/s]", None)
    assert axes.figure.axes[1].get_ylabel() == "magnitude of the flow"


def test_a_flow_may_be_given_for_single_points_and_may_be_constant():
    import math

    axes = plot_phase(lambda x, y: (math.sin(x), 1.0 if y > 0.0 else 0.0), (0.0, 1.0), (-1.0, 1.0))
    same = plot_phase(lambda x, y: (1.0, 0.0), (0.0, 1.0), (0.0, 1.0))

    np.testing.assert_allclose(
        axes.collections[0].get_array(), np.hypot(np.sin(axes.collections[0].X), axes.collections[0].Y > 0.0)
    )
    assert set(same.collections[0].U.tolist()) == {1.0}
    with pytest.raises(ev.ModelError, match=r"takes x and y from less to more, and got \(1.0, 0.0\)"):
        plot_phase(lambda x, y: (x, y), (1.0, 0.0), (0.0, 1.0))


# --- spreads ----------------------------------------------------------------------------------------------------------


def box_of(axes, place):
    """Quartiles, ends of the whiskers and median of a box, read off the picture."""
    box = axes.patches[place].get_path().vertices[:, 1]
    lines = axes.lines[6 * place : 6 * place + 6]
    whiskers = [float(line.get_ydata()[1]) for line in lines[:2]]
    median = next(float(line.get_ydata()[0]) for line in lines[4:] if line.get_linewidth() == 2.0)
    return float(box.min()), float(box.max()), *whiskers, median


@pytest.mark.row("R-283", "R-289")
def test_box_plots_show_quartiles_whiskers_and_outliers():
    axes = plot_boxes(example())

    found = {}
    for place, name in enumerate(["x1", "x2", "x3"]):
        found[name] = box_of(axes, place)
    assert found == {
        "x1": (-5.0, 1.75, -6.0, 5.0, -2.0),
        "x2": (-3.0, -1.0, -4.0, 2.0, -2.0),
        "x3": (7.0, 12.0, 5.0, 13.0, 10.0),
    }
    outside = [line.get_ydata().tolist() for line in axes.lines if line.get_marker() == "o"]
    assert list(map(sorted, outside)) == [[], [3.0, 5.0], []]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["x1", "x2", "x3"]
    assert axes.get_ylabel() == "value [m]"


def test_a_wider_fence_has_fewer_outliers_and_what_is_missing_is_left_out():
    frame = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 9.0, np.nan, np.inf], "none": 7 * [np.nan]})

    near, far = plot_boxes(frame, ["x"]), plot_boxes(frame, k=5.0)

    assert [line.get_ydata().tolist() for line in near.lines if line.get_marker() == "o"] == [[9.0]]
    assert [line.get_ydata().tolist() for line in far.lines if line.get_marker() == "o"] == [[], []]
    assert max(line.get_ydata().max() for line in far.lines[:4]) == 9.0


def test_a_histogram_counts_all_values_with_the_name_and_unit_of_the_tally():
    tally = ev.Tally("service", unit="min")
    for value in (0.0, 0.5, 1.0, 1.5, 1.75, 2.0):
        tally.add(value)

    axes = plot_histogram(tally, bins=2)

    [stairs] = axes.patches
    assert (stairs.get_data().values.tolist(), stairs.get_data().edges.tolist()) == ([2, 4], [0.0, 1.0, 2.0])
    assert words(axes) == ("service [min]", "count", None)
    assert axes.get_ylim()[0] == 0.0


def test_a_histogram_with_bins_of_its_own_tells_what_lies_outside():
    histogram = ev.Histogram(0.0, 2.0, 2, name="waits", unit="s")
    for value in (-1.0, 0.5, 1.5, 1.6, 7.0, 8.0):
        histogram.add(value)

    axes = plot_histogram(histogram, density=True)

    assert axes.patches[0].get_data().values.tolist() == histogram.density.tolist()
    assert words(axes) == ("waits [s]", "density [1/s]", ["1 below, 2 above"])


def test_a_histogram_of_values_leaves_out_what_is_missing_and_refuses_nothing():
    axes = plot_histogram([1.0, 2.0, np.nan], bins=[0.0, 1.5, 3.0], name="x")

    assert axes.patches[0].get_data().values.tolist() == [1, 1]
    with pytest.raises(ev.ModelError, match="nothing to draw: the histogram got no finite value"):
        plot_histogram([np.nan])


# --- charts -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def shop():
    """Two customers, one desk; a parcel stands in a row from 1 on."""
    sim = ev.Simulation(time_unit="h")
    desk, row = ev.Resource(sim, 1, name="desk"), ev.Queue(sim, name="row")
    log = ev.Occupancy(sim, desk, row)

    def customer(duration):
        yield from desk.use(duration)

    def parcel():
        yield ev.hold(1.0)
        row.into("parcel")
        yield ev.hold(9.0)

    for name, duration in (("Ann", 2.0), ("Bob", 3.0)):
        sim.process(customer(duration), name=name)
    sim.process(parcel())
    sim.run(until=4.0)
    return log


def test_a_gantt_chart_has_a_line_for_each_and_a_bar_for_each_stay(shop):
    axes = plot_gantt(shop)

    bars = [(bar.get_x(), bar.get_width(), bar.get_y() + 0.32, bool(bar.get_hatch())) for bar in axes.patches]
    assert bars == [
        (0.0, 2.0, pytest.approx(0.0), False),
        (0.0, 2.0, pytest.approx(1.0), True),
        (1.0, 3.0, pytest.approx(2.0), True),
        (2.0, 2.0, pytest.approx(1.0), False),
    ]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Ann", "Bob", "parcel"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert words(axes) == ("time [h]", "", ["holds: desk", "waits: desk", "waits: row"])
    # Whoever is still there has an arrow at the present time.
    assert [line.get_xydata().tolist() for line in axes.lines] == [[[4.0, 2.0]], [[4.0, 1.0]]]


def test_many_names_are_left_out_and_nobody_is_nothing_to_draw():
    sim = ev.Simulation()
    row = ev.Queue(sim, name="row")
    log = ev.Occupancy(sim, row)

    def story():
        yield ev.hold(1.0)
        for number in range(50):
            row.into(number)
        yield ev.hold(1.0)

    with pytest.raises(ev.ModelError, match="nothing to draw: nobody has waited or held anything yet"):
        log.plot()
    sim.process(story())
    sim.run(until=2.0)
    axes = log.plot()

    assert len(axes.patches) == 50
    assert axes.get_ylabel() == "50 in the order of their coming"


def test_events_are_marked_where_a_recording_has_two_rows():
    sim = ev.Simulation()
    stock = sim.level("stock")

    def story():
        for level in (1.0, 2.0):
            yield ev.hold(1.0)
            stock.set(level)

    sim.process(story())
    trace = sim.record(stock, every=0.4)
    sim.run(until=3.0)
    axes = mark_events(trace.plot(), trace, "refill")

    assert [line.get_xdata() for line in axes.lines[1:]] == [[1.0, 1.0], [2.0, 2.0]]
    assert "refill" in words(axes)[2]


def test_marks_may_have_words_of_their_own():
    axes = mark_events(plot_series(example()), [3.0, 5.0], ["start", "stop"])

    assert [(text.get_text(), text.xy[0]) for text in axes.texts] == [("start", 3.0), ("stop", 5.0)]
    with pytest.raises(ev.ModelError, match="mark_events got 1 labels for 2 events: give one for each, or one"):
        mark_events(axes, [1.0, 2.0], ["one"])


# --- style ------------------------------------------------------------------------------------------------------------


def contrast(one, other):
    """How far two colours are from each other. Source: WCAG 2.2, contrast ratio."""

    def luminance(colour):
        parts = [int(to_hex(colour)[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize(("name", "colours"), [("light", COLOURS), ("dark", DARK_COLOURS)])
def test_words_and_lines_can_be_read_on_their_ground(name, colours):
    theme = THEMES[name]

    assert contrast(theme.ink, theme.ground) > 7.0
    assert min(contrast(colour, theme.ground) for colour in colours) > 2.0
    assert min(contrast(theme.map(share), theme.ground) for share in np.linspace(0.0, 1.0, 9)) > 1.8
    assert 1.1 < contrast(theme.grid, theme.ground) < 2.0


@pytest.mark.slow
def test_a_dark_figure_is_dark_with_all_its_words_in_light_ink(tmp_path):
    figure = new_figure(3.0, 2.0, theme="dark")
    axes = plot_series(example(), ax=figure.subplots())
    axes.text(0.0, 0.0, "left black")
    save(figure, tmp_path / "dark.png")

    assert to_hex(figure.get_facecolor()) == to_hex(axes.get_facecolor()) == THEMES["dark"].ground
    assert [line.get_color() for line in axes.lines] == list(DARK_COLOURS[:3])
    texts = [axes.xaxis.label, axes.yaxis.label, axes.texts[0], *axes.get_xticklabels(), *figure.legends[0].get_texts()]
    assert {to_hex(text.get_color()) for text in texts} == {THEMES["dark"].ink}
    with pytest.raises(ev.ModelError, match="a figure takes the theme 'light' or 'dark', and got 'blue'"):
        new_figure(theme="blue")


@pytest.mark.slow
@pytest.mark.parametrize("width", [3.3, 7.0])
def test_the_legend_stands_outside_the_data_and_inside_the_figure(width):
    figure = new_figure(width, 3.0)
    axes = plot_series(example(), ax=figure.subplots())
    plot_series(example(), ["x1"], ax=axes)

    figure.draw_without_rendering()

    legends = [*figure.legends, *filter(None, [axes.get_legend()])]
    assert len(legends) == 1
    place, data = legends[0].get_window_extent(), axes.get_window_extent()
    assert place.y0 >= data.y1 if width < 4.0 else place.x0 >= data.x1
    assert (place.x0 >= 0.0, place.x1 <= figure.bbox.x1, place.y1 <= figure.bbox.y1) == (True, True, True)


def test_in_a_figure_of_the_users_that_would_cut_it_the_legend_stands_inside():
    axes = Figure(figsize=(6.0, 3.0)).subplots()
    plot_series(example(), ax=axes)

    axes.figure.draw_without_rendering()

    place, data = axes.get_legend().get_window_extent(), axes.get_window_extent()
    assert (place.x0 >= data.x0, place.x1 <= data.x1, place.y1 <= data.y1) == (True, True, True)


def test_figures_of_others_are_drawn_in_as_they_are():
    axes = Figure().subplots()

    assert plot_boxes(example(), ax=axes) is axes
    assert plot_series(example(), ax=Figure().subplots()).lines[0].get_color() == COLOURS[0]


def test_whiskers_end_inside_the_fence_on_both_sides():
    axes = plot_boxes(pd.DataFrame({"x": [-20.0, 0.0, 1.0, 2.0, 3.0, 4.0, 30.0]}))

    assert box_of(axes, 0) == (0.5, 3.5, 0.0, 4.0, 2.0)
    assert [line.get_ydata().tolist() for line in axes.lines if line.get_marker() == "o"] == [[-20.0, 30.0]]


@pytest.mark.parametrize("draw", [plot_series, plot_boxes])
def test_one_name_in_place_of_a_list_and_what_is_no_table_are_refused(draw):
    with pytest.raises(TypeError, match=r"^columns takes a list of names, and got 'x1': write `columns=\['x1'\]`$"):
        draw(example(), "x1")
    with pytest.raises(ev.ModelError, match=r"^a table is a recording or a DataFrame, and got a list"):
        draw([1.0, 2.0])
