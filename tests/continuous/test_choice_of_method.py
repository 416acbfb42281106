"""A simulation is given its integration method, or the method's name."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev


class Decay(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -self.x


@pytest.mark.parametrize(
    ("given", "method"),
    [
        (None, ev.methods.ENGLAND),
        (ev.methods.DOP853, ev.methods.DOP853),
        ("DOP853", ev.methods.DOP853),
        ("Dormand-Prince", ev.methods.DORMAND_PRINCE),
        (" adams simpson", ev.methods.ADAMS_SIMPSON),
        ("radau", ev.methods.RADAU),
    ],
)
def test_a_method_is_given_by_itself_or_by_its_name(given: Any, method: Any) -> None:
    sim = ev.Simulation(method=given)
    assert sim.method is method
    other = ev.Simulation()
    if given is not None:
        other.method = given
    assert other.method is method


def test_the_method_makes_the_steps() -> None:
    ends = []
    for given in ("euler", ev.methods.EULER):
        sim = ev.Simulation(method=given, dt_max=0.25)
        decay = Decay(sim).start()
        sim.run(until=1.0)
        ends.append((decay.x, sim.monitor.steps))
    assert ends == [(0.75**4, 4)] * 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("dopr853", "no method is called 'dopr853': perhaps 'DOP853'. There are ADAMS, ADAMS_SIMPSON, "),
        ("solve", "no method is called 'solve'. There are ADAMS, "),
        (
            "gauss_2",
            "sim.method = 'gauss_2': this is a tableau by itself: give `ev.methods.Newton(ev.methods.GAUSS_2)`",
        ),
        (
            5,
            "sim.method takes a method, as `ev.methods.RADAU`, or what `ev.methods.explicit(...)` makes, ",
        ),
    ],
)
def test_what_is_no_method_is_refused_with_those_that_there_are(given: Any, words: str) -> None:
    for use in (lambda: ev.Simulation(method=given), lambda: setattr(ev.Simulation(), "method", given)):
        with pytest.raises(ev.ModelError) as caught:
            use()
        assert str(caught.value).startswith(words)
