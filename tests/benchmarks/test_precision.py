"""Work-precision curves: eventide reaches what is known, and the table and the pictures say what was measured."""

from pathlib import Path

import precision
import pytest
from precision import Point, cost_of, measure
from reference import PROBLEMS
from solvers import SOLVERS, simulation_of

OURS = [solver for solver in SOLVERS if solver.library == "eventide"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_eventide_reaches_what_is_known(name: str) -> None:
    able = [solver for solver in OURS if solver.for_stiff == PROBLEMS[name].is_stiff]
    assert len(able) == (1 if PROBLEMS[name].is_stiff else 3)
    for solver in able:
        loose, tight = measure(solver, name, (1e-5, 1e-10), 1)
        assert tight.error < 1e-5
        assert tight.error < loose.error
        assert loose.evaluations is not None
        assert tight.evaluations is not None
        assert 0 < loose.evaluations < tight.evaluations


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_problems_are_the_same_compiled_and_plain(name: str) -> None:
    """Steps, refused steps, evaluations and states, to the last bit: no power is in them."""
    problem = PROBLEMS[name]

    def run(*, compile: bool) -> tuple[object, ...]:  # noqa: A002  # as Simulation has it
        sim, model = simulation_of(name, "RADAU" if problem.is_stiff else "ENGLAND", 1e-5, compile=compile)
        sim.run(until=problem.until / 8)
        report = sim.report()
        counts = report.steps, report.refused, report.evaluations, report.jacobians, report.factorizations
        return *counts, *model.y.tolist()

    native = run(compile=True)
    assert native == run(compile=False)
    assert native[0] >= 3


def test_every_problem_has_a_solver_and_as_many_rates_as_states() -> None:
    import math

    for problem in PROBLEMS.values():
        assert any(solver.for_stiff == problem.is_stiff for solver in SOLVERS)
        assert len(problem.rates(math)(0.0, problem.start)) == len(problem.start)
        assert len(problem.known) <= len(problem.start)
    assert PROBLEMS["kepler-0.1"].error((0.219883535200839661, 0.0, 0.0, 0.0)) == 0.942707684634181309


def test_the_cost_of_an_error_lies_between_two_runs() -> None:
    curve = [Point(1e-3, 1e-2, 100, 0.5), Point(1e-4, 1e-4, 400, 1.0), Point(1e-5, 1e-6, 1600, 2.0)]
    assert cost_of(curve, 1e-3, "evaluations") == pytest.approx(200.0)
    assert cost_of(curve, 1e-4, "evaluations") == pytest.approx(400.0)
    assert cost_of(curve, 1e-5, "seconds") == pytest.approx(2.0**0.5)
    assert cost_of(curve, 1e-1, "seconds") is None
    assert cost_of(curve, 1e-7, "seconds") is None
    assert cost_of([Point(1e-3, 1e-2, None, 0.5), Point(1e-4, 1e-4, None, 1.0)], 1e-3, "evaluations") is None


@pytest.mark.slow
def test_a_quick_run_writes_a_table_and_two_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status = precision.main(["kepler-0.1", "--quick", "--only", "eventide", "--results", str(tmp_path)])
    out = capsys.readouterr().out.splitlines()
    assert status == 0
    assert out[0] == "kepler-0.1"
    assert [line.split()[:2] for line in out[3:6]] == [solver.name.split() for solver in OURS[:3]]
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "precision-evaluations.png",
        "precision-seconds.png",
        "precision.json",
    ]


def test_what_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        precision.main(["moon"])
    assert "there is no problem 'moon'; there are arenstorf" in capsys.readouterr().err
