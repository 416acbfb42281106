"""Few points instead of many, which look the same."""

from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventide.observe import Heading
from eventide.observe.curves import KEPT, ROOM, Curve, Points, thinned

SOME = st.lists(
    st.tuples(st.floats(0.0, 3.0), st.one_of(st.floats(-1e6, 1e6), st.sampled_from([nan, float("inf")]))),
    min_size=30,
    max_size=300,
)


def pixels(points, parts, first, last):
    """For each column of a picture: the first and the last point, the least and the greatest value, and a gap."""
    found = {}
    for time, value in zip(*points, strict=True):
        place = min(int((time - first) * (parts / (last - first))), parts - 1)
        found.setdefault(place, []).append((time, value))
    return {
        place: (
            repr(column[0]),
            repr(column[-1]),
            min((v for _, v in column if not isnan(v)), default=None),
            max((v for _, v in column if not isnan(v)), default=None),
            any(isnan(v) for _, v in column),
        )
        for place, column in found.items()
    }


@pytest.mark.slow
@given(SOME, st.integers(1, 9))
def test_thinned_points_have_the_extremes_of_all_in_every_column(pairs, parts):
    pairs.sort(key=lambda pair: pair[0])
    times, values = (np.array(column) for column in zip(*pairs, strict=True))
    kept = thinned(Points(times, values), parts)
    if times[0] == times[-1] or len(times) <= 5 * parts:
        assert kept.values is values
        return

    assert pixels(kept, parts, times[0], times[-1]) == pixels((times, values), parts, times[0], times[-1])
    assert len(kept.times) <= 5 * parts
    assert (np.diff(kept.times) >= 0.0).all()


@pytest.mark.slow
@given(SOME)
def test_to_thin_again_changes_nothing(pairs):
    pairs.sort(key=lambda pair: pair[0])
    times, values = (np.array(column) for column in zip(*pairs, strict=True))
    once = thinned(Points(times, values), 5)
    twice = thinned(once, 5)
    assert (twice.times.tobytes(), twice.values.tobytes()) == (once.times.tobytes(), once.values.tobytes())


@pytest.mark.parametrize("at_once", [1, 1000, 10 * ROOM])
def test_a_curve_of_a_million_points_keeps_few_and_its_extremes(at_once):
    curve = Curve(Heading("x", "m"))
    times = np.arange(12 * ROOM) * 0.5
    values = np.sin(times)
    values[77_777], values[77_778] = 50.0, -50.0
    if at_once == 1:
        for time, value in zip(times.tolist(), values.tolist(), strict=True):
            curve.add(time, value)
    for start in range(0, len(times) if at_once > 1 else 0, at_once):
        curve.extend(times[start : start + at_once], values[start : start + at_once])

    found = curve.points()
    assert len(found.times) < ROOM + 5 * KEPT
    assert (found.times[0], found.times[-1]) == (0.0, times[-1])
    assert found.times[np.argmax(found.values)] == times[77_777]
    assert found.times[np.argmin(found.values)] == times[77_778]
    assert (found.values.max(), found.values.min()) == (50.0, -50.0)
