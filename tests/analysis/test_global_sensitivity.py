"""Global sensitivity beside exact indices and published functions."""

from __future__ import annotations

from math import inf, nan, pi, sin

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eventide as ev


@ev.model
def ishigami(sim, *, x1: float = 0.0, x2: float = 0.0, x3: float = 0.0):
    """Source: Ishigami & Homma 1990."""
    yield ev.hold(1.0)
    return {"y": sin(x1) + 7.0 * sin(x2) ** 2 + 0.1 * x3**4 * sin(x1), "one": 1.0}


ANGLES = dict.fromkeys(("x1", "x2", "x3"), (-pi, pi))


@pytest.mark.slow
@pytest.mark.row("R-318")
def test_sobol_indices_of_the_ishigami_function_are_the_exact_ones():
    a, b = 7.0, 0.1
    # Exact: Saltelli et al. 2008, Global Sensitivity Analysis, section 4.
    parts = [0.5 * (1.0 + b * pi**4 / 5.0) ** 2, a**2 / 8.0, 0.0]
    both = b**2 * pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    whole = sum(parts) + both
    first = [part / whole for part in parts]
    total = [(parts[0] + both) / whole, parts[1] / whole, both / whole]
    found = ev.global_sensitivity(ishigami, ANGLES, samples=1024, entropy=2, workers=1)
    table = found["y"]
    assert table.index.to_list() == ["x1", "x2", "x3"]
    assert len(found.runs) == 1024 * 5
    assert table["first"].to_list() == pytest.approx(first, abs=0.05)
    assert table["total"].to_list() == pytest.approx(total, abs=0.05)
    assert ((table["first"] - first).abs() <= 1.5 * table["+- first"]).all()
    assert ((table["total"] - total).abs() <= 1.5 * table["+- total"]).all()
    assert found["one"].eq(0.0).all().all()
    assert found.responses == ["y", "one"]
    assert str(found).startswith("Sobol' indices of ishigami, from 5120 runs, entropy 2\n")
    assert len(found.plot("y").patches) == 6


NAMES = [f"x{k}" for k in range(1, 21)]


@ev.model
def morris_function(
    sim, *, x1: float = 0.5, x2: float = 0.5, x3: float = 0.5, x4: float = 0.5, x5: float = 0.5, x6: float = 0.5,
    x7: float = 0.5, x8: float = 0.5, x9: float = 0.5, x10: float = 0.5, x11: float = 0.5, x12: float = 0.5,
    x13: float = 0.5, x14: float = 0.5, x15: float = 0.5, x16: float = 0.5, x17: float = 0.5, x18: float = 0.5,
    x19: float = 0.5, x20: float = 0.5,
):  # fmt: skip
    yield ev.hold(1.0)
    x = x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18, x19, x20
    return {"y": morris(np.array(x))}


def morris(x):
    """Source: Morris 1991, with the small coefficients of Campolongo et al. 2007."""
    w = 2.0 * (x - 0.5)
    for k in (2, 4, 6):
        w[k] = 2.0 * (1.1 * x[k] / (x[k] + 0.1) - 0.5)
    y = 20.0 * w[:10].sum() + sum((-1.0) ** k * w[k - 1] for k in range(11, 21))
    for i in range(1, 21):
        for j in range(i + 1, 21):
            y += (-15.0 if j <= 6 else (-1.0) ** (i + j)) * w[i - 1] * w[j - 1]
    for i in range(5):
        for j in range(i + 1, 5):
            for k in range(j + 1, 5):
                y -= 10.0 * w[i] * w[j] * w[k]
    return float(y + 5.0 * w[:4].prod())


@pytest.mark.slow
def test_elementary_effects_of_the_function_of_morris_tell_its_three_kinds_of_inputs():
    ranges = dict.fromkeys(NAMES, (0.0, 1.0))
    found = ev.global_sensitivity(morris_function, ranges, by="morris", samples=20, entropy=1, workers=1)
    table, runs = found["y"], found.runs
    # The same from the runs themselves: in each trajectory one input changes from each run to the next.
    points, values = runs.inputs[NAMES].to_numpy(), runs.responses["y"].to_numpy()
    effects: dict[str, list[float]] = {name: [] for name in NAMES}
    for row in range(len(points) - 1):
        if (row + 1) % 21:
            (k,) = np.flatnonzero(points[row + 1] != points[row])
            effects[NAMES[k]].append((values[row + 1] - values[row]) / (points[row + 1, k] - points[row, k]))
    assert {len(one) for one in effects.values()} == {20}
    assert values.tolist() == pytest.approx([morris(point) for point in points])
    assert table["mu*"].to_list() == pytest.approx([float(np.abs(effects[name]).mean()) for name in NAMES])
    assert table["mu"].to_list() == pytest.approx([float(np.mean(effects[name])) for name in NAMES])
    assert table["sigma"].to_list() == pytest.approx([float(np.std(effects[name], ddof=1)) for name in NAMES])
    # Of 1 to 7 the effects depend on the others; those of 8 to 10 are strong and alike; of the others weak.
    bent, straight, weak = table.iloc[:7], table.iloc[7:10], table.iloc[10:]
    assert bent["sigma"].min() > 2.0 * straight["sigma"].max()
    assert straight["mu*"].to_list() == pytest.approx([40.0] * 3, abs=8.0)
    assert weak["mu*"].max() < 0.35 * min(bent["mu*"].min(), straight["mu*"].min())
    assert found.plot().get_xlabel() == "mu*: mean strength of the effects on y"


@ev.model
def queue(sim, *, desks: int = 1, gap: float = 1.0, kind: str = "a"):
    yield ev.hold(1.0)
    return {"y": desks * sim.stream("x").uniform(0.9, 1.1) + 0.0 * gap}


@pytest.mark.slow
def test_whole_numbers_choices_and_distributions_vary_and_a_store_has_the_same(tmp_path):
    over = {"desks": (1, 4), "gap": stats.norm(2.0, 0.1), "kind": ["a", "b"]}
    asked = {"samples": 32, "replications": 2, "entropy": 3, "workers": 1}
    found = ev.global_sensitivity(queue, over, **asked)
    inputs = found.runs.inputs
    assert sorted(inputs["desks"].unique()) == [1, 2, 3, 4]
    assert set(inputs["kind"]) == {"a", "b"}
    assert inputs["gap"].mean() == pytest.approx(2.0, abs=0.02)
    assert found["y"]["total"].to_list() == pytest.approx([1.0, 0.0, 0.0], abs=0.15)
    kept = ev.global_sensitivity(queue, over, store=tmp_path / "store", **asked)
    again = ev.global_sensitivity(queue, over, store=tmp_path / "store", **asked)
    pd.testing.assert_frame_equal(kept.table, found.table, check_exact=True)
    pd.testing.assert_frame_equal(again.table, found.table, check_exact=True)


@ev.model(until=1.0)
def straight(sim, *, real: float = 0.0, two: str = "a", three: int = 0, six: float = 0.0):
    grows = real + 2.0 * (two == "b") + 3.0 * three / 2.0 + 4.0 * six / 5.0
    return {"y": grows, "tiny": 1e-200 * grows, "huge": 1e200 * grows, "gone": nan if sim.replication else grows}


STRAIGHT = {"real": (0.0, 1.0), "two": ["a", "b"], "three": (0, 2), "six": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}


@ev.model(until=1.0)
def counted(sim, *, count: int = 1, rest: float = 0.0):
    return {"y": 3.0 * count + rest}


@pytest.mark.slow
def test_distributions_of_whole_numbers_stay_among_these():
    over = {"count": stats.randint(1, 6), "rest": (0.0, 1.0)}
    for by in ("morris", "sobol"):
        found = ev.global_sensitivity(counted, over, by=by, samples=16, entropy=1, workers=1)
        assert set(found.runs.inputs["count"]) <= {1, 2, 3, 4, 5}
    effects = ev.global_sensitivity(counted, over, by="morris", samples=16, entropy=1, workers=1)["y"]
    assert effects["mu"].to_list() == pytest.approx([12.0, 1.0])


@pytest.mark.slow
def test_the_effect_of_a_choice_or_a_whole_number_is_that_of_its_whole_range():
    found = ev.global_sensitivity(straight, STRAIGHT, by="morris", samples=6, entropy=1, workers=1)["y"]
    assert found["mu"].to_list() == found["mu*"].to_list() == pytest.approx([1.0, 2.0, 3.0, 4.0])
    assert found["sigma"].to_list() == pytest.approx([0.0] * 4, abs=1e-14)


@pytest.mark.slow
def test_shares_of_a_variance_have_no_unit():
    found = ev.global_sensitivity(straight, STRAIGHT, samples=8, entropy=1, workers=1)
    assert found["y"]["total"].gt(0.0).all()
    for other in ("tiny", "huge"):
        assert found[other].to_numpy().ravel() == pytest.approx(found["y"].to_numpy().ravel(), rel=1e-9)


def test_a_response_that_is_no_number_in_one_replication_is_refused():
    with pytest.raises(ev.ModelError, match="gone is not finite in all runs, and an index needs all of them"):
        ev.global_sensitivity(straight, STRAIGHT, samples=2, replications=2, entropy=1, workers=1)


@ev.model
def fragile(sim, *, x: float = 0.5, y: float = 0.5):
    yield ev.hold(1.0)
    if x > 0.9:
        raise ValueError("too much")
    return {"z": inf if y > 0.95 else x}


TWO = {"x": (0.0, 1.0), "y": (0.0, 0.9)}
WRONG = {
    "by": (ishigami, ANGLES, {"by": "fast"}, "by= takes 'sobol' or 'morris', and got 'fast'"),
    "one": (ishigami, {"x1": (0.0, 1.0)}, {}, "over= takes ranges by name"),
    "samples": (ishigami, ANGLES, {"samples": 100}, "by='sobol' takes samples= as a power of 2, as 256, and got 100"),
    "few": (ishigami, ANGLES, {"by": "morris", "samples": 1}, "a whole number of trajectories from 2 on, and got 1"),
    "ends": (ishigami, {**ANGLES, "x1": stats.norm()}, {"by": "morris"}, "x1 has no ends"),
    "range": (ishigami, {**ANGLES, "x1": 2.0}, {}, "x1 has a range (low, high), a list of values or a distribution"),
    "name": (ishigami, {**ANGLES, "x9": (0.0, 1.0)}, {}, "ishigami has no parameter x9"),
    "failure": (fragile, TWO, {}, "runs failed, and an index needs all of them: narrow the ranges. One failed with Va"),
    "infinite": (fragile, {"x": (0.0, 0.5), "y": (0.0, 1.0)}, {}, "z is not finite in all runs"),
    "store": (
        ishigami,
        ANGLES,
        {"store": "here", "entropy": None},
        "store= goes on only where the entropy is the same",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_has_no_indices_is_refused_in_words(case):
    model, over, options, message = WRONG[case]
    with pytest.raises((ev.ModelError, ev.ParameterError)) as refused:
        ev.global_sensitivity(model, over, **{"samples": 32, "entropy": 1, "workers": 1, **options})
    assert message in str(refused.value)
