"""Regions of stability: the border that is drawn, and the words."""

from __future__ import annotations

import numpy as np
import pytest

import eventide as ev
from eventide.view import new_figure, plot_stability


def border(axes, place: int) -> np.ndarray:
    return np.concatenate([path.vertices for path in axes.collections[place].get_paths()])


def test_the_border_is_where_the_stability_function_has_the_size_one() -> None:
    methods = [ev.methods.EULER, ev.methods.RK4, ev.methods.IMPLICIT_EULER]
    axes = plot_stability(methods)
    assert len(axes.collections) == 3
    circle = border(axes, 0)
    assert len(circle) > 100
    # Euler's region is the disk around -1 of radius 1, implicit Euler's lies outside of that around 1.
    assert np.abs(np.hypot(circle[:, 0] + 1.0, circle[:, 1]) - 1.0).max() < 1e-3
    outside = border(axes, 2)
    assert np.abs(np.hypot(outside[:, 0] - 1.0, outside[:, 1]) - 1.0).max() < 1e-3
    assert border(axes, 1)[:, 0].min() == pytest.approx(-2.7853, abs=1e-3)
    assert border(axes, 1)[:, 1].max() == pytest.approx(2.95, abs=0.05)
    texts = [text.get_text() for text in axes.get_legend().get_texts()]
    assert texts == ["Euler", "Classical Runge-Kutta", "Implicit Euler (A-stable)"]
    assert axes.get_aspect() == 1.0
    assert axes.get_xlabel() == "real part of step times eigenvalue"


def test_it_is_drawn_in_given_axes_and_a_given_part_of_the_plane() -> None:
    axes = new_figure().add_subplot()
    assert plot_stability([ev.methods.ENGLAND], real=(-5.0, 1.0), imaginary=(-1.0, 1.0), ax=axes) is axes
    assert border(axes, 0)[:, 0].min() == pytest.approx(-4.054, abs=1e-2)
    assert abs(border(axes, 0)[:, 1]).max() <= 1.0


def test_a_pole_on_the_grid_is_no_warning() -> None:
    axes = plot_stability([ev.methods.IMPLICIT_EULER], real=(-1.0, 3.0), imaginary=(-2.0, 2.0))
    assert len(border(axes, 0)) > 100


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(ev.ModelError, match="0 methods"):
        plot_stability([])
    with pytest.raises(ev.ModelError, match=r"real parts \(1.0, 1.0\)"):
        plot_stability([ev.methods.EULER], real=(1.0, 1.0))
