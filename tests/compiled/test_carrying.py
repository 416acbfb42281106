"""Sums to which one object after another adds: carried in a register, and to the last bit what Python makes of them."""

from __future__ import annotations

from typing import Any

import pytest

import eventide as ev
from eventide.lowering.kernels.lowering import lower_law


class Pot(ev.Continuous):
    level: ev.State = ev.state(1.0)
    gain: ev.Summed = ev.summed()
    loss: ev.Summed = ev.summed()

    def equations(self) -> None:
        self.rate.level = self.gain - self.loss * self.level


class Tap(ev.Continuous):
    """Adds to the sum of whatever pot it has, again and again the same or by turns."""

    pot: Pot
    share: float
    x: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.pot.gain += self.share * (1.0 - self.x)

    def equations(self) -> None:
        self.rate.x = self.share


class Sometimes(Tap):
    """Adds where its share is large, and reads the sum anyway."""

    def contributions(self) -> None:
        before = self.pot.gain
        if self.share > 0.3:
            self.pot.gain = before + 3.0 * before * self.share + self.x


class Both(Tap):
    """Two sums, of which one may be the other by another way."""

    other: Pot

    def contributions(self) -> None:
        self.pot.gain += self.share
        self.other.gain += 0.5 * self.pot.gain


class Twice(Tap):
    """Reads what it has written itself."""

    def contributions(self) -> None:
        self.pot.gain += self.share
        self.pot.gain += 0.1 * self.pot.gain


class Pull(Tap):
    """Adds to a rate."""

    def contributions(self) -> None:
        pass

    def equations(self) -> None:
        self.rate.x = self.share
        self.pot.rate.level += self.share * self.x


def built(sim: ev.Simulation, kind: type[Tap]) -> list[Any]:
    pots = [Pot(sim, level=1.0 + k).start() for k in range(3)]
    places = [0, 0, 0, 1, 1, 0, 2, 2, 2, 2, 1, 0, 1, 0, 0]
    for k, place in enumerate(places):
        more = {"other": pots[place if k % 2 else 0]} if kind is Both else {}
        kind(sim, pot=pots[place], share=0.1 + 0.07 * k, **more).start()
    return pots


@pytest.mark.parametrize("kind", [Tap, Sometimes, Both, Twice, Pull])
def test_sums_are_what_python_makes_of_them(kind: type[Tap]) -> None:
    """To the last bit: who adds to one pot stands before and behind those who add to others."""
    found = []
    for compiles in (True, False):
        sim = ev.Simulation(compile=compiles, stepping="together", rel_error=1e-7, abs_error=1e-7)
        built(sim, kind)
        sim.run(until=1.5)
        found.append([v.state for v in sim.variables])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("kind", "law", "is_carried"),
    [
        (Tap, "contributions", True),
        (Sometimes, "contributions", True),
        (Both, "contributions", False),
        (Twice, "contributions", False),
        (Pull, "equations", False),
        (Tap, "equations", False),
    ],
)
def test_what_is_read_once_and_written_once_later_is_carried(kind: type[Tap], law: str, is_carried: bool) -> None:
    """Not where it may be another's by another way, nor where the law writes more of its kind, as rates of its own."""
    sim = ev.Simulation()
    pot = Pot(sim)
    more = {"other": pot} if kind is Both else {}
    tap = kind(sim, pot=pot, share=0.5, **more)
    assert ("%carried" in lower_law(tap, getattr(kind, law)).source) is is_carried
