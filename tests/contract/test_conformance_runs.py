"""A run is its inputs: the same bits whatever the hash seed, the collector of garbage, the optimiser, who looks on."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import eventide

PLACES = [str(Path(eventide.__file__).parents[1]), str(Path(__file__).parent)]


def printed(*words: str, seed: str = "1", flags: tuple[str, ...] = ()) -> str:
    """What `python -m conformance` prints in a process of its own."""
    run = subprocess.run(
        [sys.executable, *flags, "-W", "error", "-m", "conformance", *words],
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(PLACES)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


@pytest.fixture(scope="module")
def plainly() -> str:
    """All cases in an ordinary process."""
    text = printed()
    assert text.count("\n") > 1000
    return text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "seed", "flags"),
    [
        pytest.param((), "4711", (), id="another hash seed"),
        pytest.param(("gc=off",), "1", (), id="no collector of garbage"),
        pytest.param(("gc=always",), "1", (), id="collector of garbage at every chance"),
        pytest.param((), "1", ("-O",), id="python -O"),
        pytest.param(("recorded",), "1", (), id="with recordings and reporters"),
    ],
)
def test_bits_are_the_same(words: tuple[str, ...], seed: str, flags: tuple[str, ...], plainly: str) -> None:
    assert printed(*words, seed=seed, flags=flags).splitlines() == plainly.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("words", [("plain",), ("together",)])
def test_bits_are_the_same_also_for(words: tuple[str, ...]) -> None:
    one = printed("some", *words)
    assert one.count("\n") > 100
    assert printed("some", "gc=always", "recorded", *words, seed="4711").splitlines() == one.splitlines()
