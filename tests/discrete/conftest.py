"""A simulation, and a log of what happens in it."""

import pytest

import eventide as ev


@pytest.fixture
def sim():
    return ev.Simulation(rng=1)


@pytest.fixture
def log(sim):
    """A list of (time, what); called with words, it writes them down with the time."""

    class Log(list):
        def __call__(self, *what):
            self.append((sim.time, " ".join(map(str, what))))

    return Log()
