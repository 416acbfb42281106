"""Curves as HTML: what stands where in the picture, and that it needs nothing else."""

import re
from math import inf, nan
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventide.observe import Heading
from eventide.observe.curves import Points
from eventide.observe.watching import Snapshot
from eventide.view import curves_as_html
from eventide.view.palette import DARK, LIGHT
from eventide.view.panels import Scale


def snapshot(*curves, **changes):
    told = [
        (heading, Points(np.array(times, float), np.array(values, float)), *crowd)
        for heading, times, values, *crowd in curves
    ]
    return Snapshot("", "s", "runs", [], None, told, 0)._replace(**changes)


def parsed(html):
    """The HTML as a tree: it is well-formed, so no name of a quantity has become a part of it."""
    return ET.fromstring(html)


def ways(tree):
    """The points of each curve, as pairs of a letter and its numbers."""
    found = []
    for svg in tree.findall("./svg"):
        for path in svg.findall("path[@class='line']"):
            steps = re.findall(r"([MLHV])([-\d. ]+)", path.get("d"))
            found.append([(letter, *map(float, numbers.split())) for letter, numbers in steps])
    return found


def test_points_stand_where_the_axes_say():
    tree = parsed(curves_as_html(snapshot((Heading("x", "m"), [0, 5, 10], [0, 0.4, 0.2])), 400))
    [svg] = tree.findall("./svg")
    texts = {t.text: (float(t.get("x")), float(t.get("y"))) for t in svg.findall("text")}
    [way] = ways(tree)

    assert list(texts) == ["0", "0.2", "0.4", "5", "10", "time [s]"]
    points = {"5": "0.4", "10": "0.2"}
    assert [letter for letter, *_ in way] == ["M", "L", "L"]
    for (_, x, y), (time, value) in zip(way[1:], points.items(), strict=True):
        assert x == pytest.approx(texts[time][0], abs=0.06)
        assert y == pytest.approx(texts[value][1] - 4.0, abs=0.11)  # a label stands 4 pixels lower than its line
    assert (way[2][1], svg.get("width")) == (388.0, "400")


def test_units_have_panels_of_their_own_and_counts_stand_below_as_steps():
    tree = parsed(
        curves_as_html(
            snapshot(
                (Heading("queue", "", is_discrete=True), [0, 1, 2], [0, 3, 1]),
                (Heading("x", "m"), [0, 2], [1, 2]),
                (Heading("v", "m/s"), [0, 2], [1, 2]),
                (Heading("y", "m"), [0, 2], [3, 4]),
            )
        )
    )
    legends = ["".join(part.itertext()).strip() for part in tree.findall("./div[@class='legend']")]
    assert legends == ["x [m] 2y [m] 4", "v [m/s] 2", "queue 1"]
    assert [svg.get("aria-label") for svg in tree.findall("./svg")] == [
        "x, y over time",
        "v over time",
        "queue over time",
    ]
    assert [letter for letter, *_ in ways(tree)[-1]] == ["M", "H", "V", "H", "V"]
    styles = [path.get("style") for path in tree.find("./svg").findall("path[@class='line']")]
    assert styles == [f"stroke:var(--c{k});stroke-dasharray:none" for k in (0, 1)]


def test_an_eighth_line_is_broken():
    many = [(Heading(f"x{k}", "m"), [0, 1], [k, k]) for k in range(15)]
    tree = parsed(curves_as_html(snapshot(*many)))
    styles = [path.get("style") for path in tree.find("./svg").findall("path[@class='line']")]
    assert styles[7] == "stroke:var(--c0);stroke-dasharray:6 3"
    assert styles[14] == "stroke:var(--c0);stroke-dasharray:2 3"
    assert "and 3 more" in "".join(tree.itertext())


def test_a_crowd_has_one_colour_and_one_name_and_a_few_have_their_own():
    many = [(Heading(f"ingot {k}.heat", "K"), [0, 1], [k, k + 1], "Ingot.heat") for k in range(6)]
    tree = parsed(curves_as_html(snapshot((Heading("furnace.heat", "K"), [0, 1], [9, 9], ""), *many)))
    paths = [path for path in tree.find("./svg") if path.get("class", "").startswith("line")]
    assert [path.get("class") for path in paths] == ["line"] + ["line crowd"] * 6
    assert len({path.get("style") for path in paths}) == 2
    assert "".join(tree.find("./div[@class='legend']").itertext()).strip() == "furnace.heat [K] 9Ingot.heat (6) [K]"
    few = parsed(curves_as_html(snapshot(*many[:5])))
    assert [path.get("class") for path in few.find("./svg") if path.get("style")] == ["line"] * 5


def test_two_curves_of_one_name_are_both_drawn():
    one = (Heading("x", "m"), [0, 1], [0, 1])
    assert len(ways(parsed(curves_as_html(snapshot(one, one, one))))) == 3


def test_gaps_are_left_out_and_what_is_not_finite_stays_inside():
    [way, other] = ways(
        parsed(
            curves_as_html(
                snapshot(
                    (Heading("x", "m"), [0, 1, 2, 3, 4], [1, nan, 2, 3, nan]), (Heading("y", ""), [0, 1], [inf, 1e308])
                )
            )
        )
    )
    assert [letter for letter, *_ in way] == ["M", "M", "L"]
    numbers = [number for _, *found in other for number in found]
    assert len(numbers) == 4
    assert max(map(abs, numbers)) < 1000.0


@pytest.mark.parametrize("values", [[nan, nan], [inf, -inf], [1.7e308, -1.7e308], [5e-324, 0.0], [3.0, 3.0]])
def test_any_values_give_a_picture(values):
    tree = parsed(curves_as_html(snapshot((Heading("x", ""), [0, 1], values))))
    assert len(tree.findall("./svg")) == 1
    assert "nan" not in ET.tostring(tree.find("./svg"), encoding="unicode")


def test_hostile_names_stay_names():
    hostile = "<script>alert(1)</script>&\"'"
    heading = Heading(hostile, "<b>", description=hostile)
    html = curves_as_html(
        snapshot((heading, [0, 1], [0, 1]), title=hostile, time_unit=hostile, progress=[hostile], share=0.5)
    )
    tree = parsed(html)
    assert tree.find(".//script") is None
    assert tree.find("./div[@class='head']/b").text == hostile
    assert f"{hostile} [<b>]" in "".join(tree.find("./div[@class='legend']").itertext())
    assert tree.find(".//div[@class='bar']/i").get("style") == "width:50.0%"


def test_it_needs_nothing_else_and_has_colours_for_light_and_dark():
    html = curves_as_html(snapshot((Heading("x", ""), [0, 1], [0, 1])))
    assert not re.search(r"https?:|url\(|src=|@import", html)
    light, dark = html.split("@media(prefers-color-scheme:dark)")
    assert all(colour in light for colour in (LIGHT.ground, *LIGHT.colours))
    assert all(colour in dark for colour in (DARK.ground, *DARK.colours))


def test_before_there_is_anything_it_says_so():
    text = "".join(parsed(curves_as_html(snapshot(state="waits"))).itertext())
    assert "not begun" in text
    assert "There is nothing to be seen yet." in text


def test_a_long_run_gives_as_many_points_as_there_are_pixels():
    times = np.linspace(0.0, 1.0, 50_000)
    [way] = ways(parsed(curves_as_html(snapshot((Heading("x", ""), times, np.sin(1e5 * times))), 500)))
    assert 500 < len(way) < 5 * 500


@given(
    st.floats(-1e12, 1e12),
    st.one_of(st.just(0.0), st.floats(1e-9, 1e15)),
    st.booleans(),
)
@pytest.mark.slow
def test_ticks_are_few_in_the_axis_and_told_apart_by_their_labels(low, span, exact):
    scale = Scale.over(low, low + span * max(abs(low), 1.0), exact=exact)
    assert 1 <= len(scale.ticks) <= 11
    room = 1e-8 * (scale.high - scale.low)
    assert all(scale.low - room <= tick <= scale.high + room for tick in scale.ticks)
    assert len(set(scale.labels)) == len(scale.labels)
    for tick, label in zip(scale.ticks, scale.labels, strict=True):
        assert float(label) == pytest.approx(tick, abs=0.51 * (scale.high - scale.low) / 10)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, ["0", "0.5", "1.0"]),
        (-3.0, 12.0, ["0", "5", "10"]),
        (0.0, 250_000.0, ["0", "1e5", "2e5"]),
        (1e-6, 4e-6, ["1e-6", "2e-6", "3e-6", "4e-6"]),
        (100.0, 100.02, ["100.000", "100.005", "100.010", "100.015", "100.020"]),
    ],
)
def test_labels_are_short_and_alike(low, high, labels):
    assert Scale.over(low, high, exact=True).labels == labels
