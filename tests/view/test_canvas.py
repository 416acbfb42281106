"""Figures and their files."""

from concurrent.futures import ThreadPoolExecutor

import matplotlib as mpl
import pytest
from matplotlib.colors import to_hex

import eventide as ev
from eventide.view import new_figure, save
from eventide.view.palette import COLOURS


def zigzag(width=2.0, height=1.5):
    figure = new_figure(width, height)
    axes = figure.subplots()
    axes.plot([0.0, 1.0, 2.0], [0.0, 1.0, 0.5], label="zigzag")
    axes.legend()
    return figure


def test_a_new_figure_has_its_size_and_room_for_its_labels():
    figure = new_figure()

    assert figure.get_size_inches().tolist() == [7.0, 4.5]
    assert new_figure(3.0, 2.0).get_size_inches().tolist() == [3.0, 2.0]
    assert (figure.axes, type(figure.get_layout_engine()).__name__) == ([], "ConstrainedLayoutEngine")


@pytest.mark.parametrize(("add", "arguments"), [("subplots", ()), ("add_axes", [(0.1, 0.1, 0.8, 0.8)])])
def test_axes_have_the_style_however_they_are_added(add, arguments):
    axes = getattr(new_figure(), add)(*arguments)

    lines = [axes.plot([0.0, 1.0])[0] for _ in COLOURS]

    assert [to_hex(line.get_color()).upper() for line in lines] == list(COLOURS)
    assert [side for side, spine in axes.spines.items() if spine.get_visible()] == ["left", "bottom"]
    assert axes.xaxis.get_gridlines()[0].get_visible()


def test_drawing_changes_no_setting_of_the_library(tmp_path):
    before = dict(mpl.rcParams)

    save(zigzag(), tmp_path / "zigzag.svg")

    assert dict(mpl.rcParams) == before


@pytest.mark.parametrize(
    ("kind", "begin", "unwanted"),
    [
        ("png", b"\x89PNG", [b"Software", b"atplotlib"]),
        pytest.param("pdf", b"%PDF", [b"CreationDate", b"atplotlib"], marks=pytest.mark.slow),
        ("svg", b"<?xml", [b"dc:date", b"dc:creator"]),
    ],
)
def test_equal_figures_give_equal_files_without_date_or_version(tmp_path, kind, begin, unwanted):
    for name in ("one", "two"):
        save(zigzag(), tmp_path / f"{name}.{kind}")

    one, two = ((tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert one.startswith(begin)
    assert [word for word in unwanted if word in one] == []


@pytest.mark.slow
def test_figures_can_be_drawn_in_several_threads(tmp_path):
    def draw(number):
        path = tmp_path / f"{number}.png"
        save(zigzag(), path)
        return path.read_bytes()

    with ThreadPoolExecutor(4) as pool:
        pictures = list(pool.map(draw, range(4)))

    assert pictures == 4 * [draw("alone")]


@pytest.mark.parametrize("name", ["ball.gif", "ball", "ball.png.txt"])
def test_a_file_of_another_kind_is_refused_with_those_allowed(tmp_path, name):
    with pytest.raises(ev.ModelError, match=rf"saved as .*{name}': its name must end in .pdf, .png, .svg"):
        save(zigzag(), tmp_path / name)

    assert list(tmp_path.iterdir()) == []


def test_the_ending_may_be_written_in_capitals(tmp_path):
    save(zigzag(), str(tmp_path / "BALL.PNG"))

    assert (tmp_path / "BALL.PNG").read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_fails_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "ball.png"
    path.write_text("old")
    figure = zigzag()

    def write_half(target, **_):
        target.write_text("ha")
        raise OSError("no space left")

    figure.savefig = write_half

    with pytest.raises(OSError, match="no space left"):
        save(figure, path)

    assert (list(tmp_path.iterdir()), path.read_text()) == ([path], "old")


@pytest.mark.slow
def test_what_a_plot_returns_is_saved(tmp_path):
    sim = ev.Simulation()
    trace = sim.record(x=lambda: sim.time, every=0.5)
    sim.run(until=1.0)
    save(trace.plot(), tmp_path / "axes.png")
    save(trace.plot().figure, tmp_path / "figure.png")

    assert (tmp_path / "axes.png").read_bytes() == (tmp_path / "figure.png").read_bytes()
    with pytest.raises(ev.ModelError, match=r"^view.save takes a figure, or axes as `recording.plot\(\)` returns them"):
        save(trace, tmp_path / "trace.png")
