"""Random programs of words leave the same in rows as in Python: objects, their identity, errors with their lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from random_bodies import hurry, load, simulation, taken
from random_words import ACTS, outcome, program


@pytest.mark.filterwarnings('ignore:"is.*" with .*literal:SyntaxWarning')  # which is what is compared here
@pytest.mark.parametrize("native", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seeds", [range(1, 2), pytest.param(range(2, 14), marks=pytest.mark.slow)])
def test_random_words(seeds: range, native: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)
    went = 0
    for seed in seeds if not native else seeds[:2]:
        acts = list(ACTS.values())[seed % 3]
        module = load(program(seed, acts), tmp_path, f"words{seed}")
        expected = outcome(simulation(False), module, seed, acts)
        sim = simulation("auto", native=native)
        assert repr(outcome(sim, module, seed, acts)) == repr(expected), seed
        went += taken(sim)
    assert went > 100
