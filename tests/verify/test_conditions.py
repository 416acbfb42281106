"""Grids, finite sets and studies as conditions."""

import pytest

import eventide as ev
from eventide.verify import Component, Grid, Quality, Requirement, Test, stays_within


@pytest.mark.row("R-307")
def test_a_grid_is_the_product_of_samples_with_the_counts_asked_for():
    grid = Grid(
        T=(0.0, 1.0), n_T=3, X=([0.0, 10.0], [1.0, 20.0]), n_X=(2, 2), U=lambda share: ("ramp", share), n_U=2,
        P={"k": (1.0, 2.0), "d": (5.0, 5.0)}, n_P=(2, 1),
    )  # fmt: skip
    expected = [
        {"t": t, "x": x, "u": ("ramp", u), "p": {"k": k, "d": 5.0}}
        for t in (0.0, 0.5, 1.0)
        for x in ([0.0, 10.0], [0.0, 20.0], [1.0, 10.0], [1.0, 20.0])
        for u in (0.0, 1.0)
        for k in (1.0, 2.0)
    ]

    assert grid.points() == expected
    assert len(grid) == 3 * 4 * 2 * 2


@pytest.mark.row("R-307")
def test_finite_sets_are_taken_in_full_and_one_count_fills_a_box():
    assert Grid(T=[0.0, 7.0], P=[{"k": 1}, {"k": 2}]).points() == [
        {"t": t, "p": {"k": k}} for t in (0.0, 7.0) for k in (1, 2)
    ]
    # Halton's sequence in bases 2 and 3.
    assert Grid(X=([0.0, 0.0], [2.0, 3.0]), n_X=4).points() == [
        {"x": pytest.approx(x)} for x in ([0.0, 0.0], [1.0, 1.0], [0.5, 2.0], [1.5, 1 / 3])
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "at least one of T, X, U and P"),
        ({"T": (0.0, 1.0)}, "takes n_T, a count of points from 1 on"),
        ({"T": (0.0, 1.0), "n_T": 0}, "takes n_T, a count of points from 1 on"),
        ({"T": [0.0], "n_T": 2}, "a list is taken in full"),
        ({"n_T": 2}, "a list is taken in full"),
        ({"T": (1.0, 0.0), "n_T": 2}, "the lower end comes first"),
        ({"X": ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]), "n_X": (2, 2)}, "a range of 3 dimensions"),
        ({"T": []}, "at least one of T, X, U and P"),
    ],
)
def test_a_grid_that_is_none_is_refused(given, told):
    with pytest.raises(ev.ModelError, match=told):
        Grid(**given)


@ev.model(until=1.0)
def shifted(sim, *, scale: float = 1.0, shift: int = 0):
    return {"value": shift + 0.5 * scale}


def demand(conditions, model=shifted):
    return Requirement("N-1", "It should stay.", Component("noise", model), stays_within(0.0, 9.0, "value"), conditions)


@pytest.mark.slow
@pytest.mark.row("R-302")
def test_conditions_of_a_model_are_what_a_study_goes_over():
    product = {"shift": [1, 2], "scale": [0.5, 0.25]}
    points = [{"shift": shift, "scale": scale} for shift in (1, 2) for scale in (0.5, 0.25)]
    words = [f"shift={point['shift']}, scale={point['scale']}" for point in points]
    grid = Grid(P=[{"shift": 1, "scale": 0.5}])

    for conditions in (product, points):
        assert [one.input for one in Test(demand(conditions)).run().outcomes] == words
    assert [one.input for one in Test(demand(grid)).run().outcomes] == words[:1]
    design = ev.designs.latin_hypercube(5, {"scale": (1.0, 2.0)})
    inputs = [one.input for one in Test(demand(design)).run().outcomes]
    assert len(set(inputs)) == 5
    assert [one.input for one in Test(demand(design)).run().outcomes] == inputs  # the same each time


@pytest.mark.row("R-302")
def test_a_study_brings_replications_and_has_to_have_an_entropy():
    study = ev.Study(shifted, {"shift": [1, 2]}, replications=2, entropy=7)
    result = Test(demand(study)).run()

    assert [one.input for one in result.outcomes] == [
        "shift=1", "shift=2", "shift=1, replication 1", "shift=2, replication 1",
    ]  # fmt: skip
    assert result.outcomes[3].replay == "shifted(scale=1.0, shift=2).run(entropy=7, replication=1)"
    with pytest.raises(ev.ModelError, match="give the study an entropy"):
        demand(ev.Study(shifted))

    @ev.model(until=1.0)
    def other(sim):
        return {}

    with pytest.raises(ev.ModelError, match=r"a study of other\(\), and the component is shifted\("):
        demand(ev.Study(other, entropy=1))
    with pytest.raises(ev.ModelError, match=r"a study of shifted\(scale=2.0, shift=0\), and the component is shifted"):
        demand(ev.Study(shifted(scale=2.0), entropy=1))
    with pytest.raises(ev.ModelError, match="are of models"):
        demand(study, abs)


@ev.model(until=1.0)
def drawn(sim):
    return {"value": sim.stream("one").uniform(0.0, 1.0)}


def test_antithetic_pairs_are_judged_as_the_study_makes_them():
    study = ev.Study(drawn, replications=4, antithetic=True, entropy=7)
    quality = Quality("draw", lambda result, _: result.responses["value"], threshold=2.0)
    component = Component("draw", drawn)
    result = Test(Requirement("D-1", "It should be 2.", component, quality, study)).run()

    assert [one.quality for one in result.outcomes] == study.run(workers=1).table["value"].tolist()
    assert [one.replay for one in result.outcomes] == [
        "drawn().run(entropy=7)", "drawn().run(entropy=7, antithetic=True)",
        "drawn().run(entropy=7, replication=2)", "drawn().run(entropy=7, replication=2, antithetic=True)",
    ]  # fmt: skip
    first = result.outcomes[0]
    assert first.told == f"quality {first.quality:.6g}, and 2 is asked"


def test_values_without_an_order_are_refused():
    for values in ({1.0, 2.0}, {1.0: "a"}):
        with pytest.raises(ev.ModelError, match="the values of an input are a list in their order"):
            Requirement(
                "G-2", "It should.", Component("half", lambda x: x / 2.0), stays_within(0.0, 1.0), {"x": values}
            )
