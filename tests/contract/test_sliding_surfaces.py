"""Sliding along several surfaces."""

from __future__ import annotations

from math import sqrt

import pytest
from relays import TIGHT, Make, Relay, close, story

import eventide as ev


class Pair(ev.Continuous):
    """Two relays that act on each other's state; `product` makes more of both than their sum."""

    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(0.5)
    u: float = -1.0
    w: float = -1.0
    coupling: float = 0.0
    product: float = 0.0

    def equations(self) -> None:
        self.rate.x = self.u + 0.2 + self.coupling * self.w + self.product * self.u * self.w
        self.rate.y = self.w - 0.3 + self.coupling * self.u

    @ev.when(lambda self: self.x < 0.0)
    def x_below(self) -> None:
        self.u = 1.0

    @ev.when(lambda self: self.x > 0.0)
    def x_above(self) -> None:
        self.u = -1.0

    @ev.when(lambda self: self.y < 0.0)
    def y_below(self) -> None:
        self.w = 1.0

    @ev.when(lambda self: self.y > 0.0)
    def y_above(self) -> None:
        self.w = -1.0

    along_x = x_above.slides(x_below)
    along_y = y_above.slides(y_below)


@pytest.mark.parametrize("coupling", [0.0, 0.3])
def test_two_surfaces_at_once_have_the_shares_that_keep_both(simulate: Make, coupling: float) -> None:
    sim = simulate(**TIGHT)
    pair = Pair(sim, name="pair", coupling=coupling).start()
    log = sim.log()
    sim.run(until=5.0)
    assert [who for _, who in story(log)] == [
        *("pair.y_below", "pair.y_above", "pair.along_y.begins"),
        *("pair.x_below", "pair.x_above", "pair.along_x.begins"),
    ]
    # u + 0.2 + c w = 0 and w - 0.3 + c u = 0.
    w = (0.3 + 0.2 * coupling) / (1.0 - coupling**2)
    u = -0.2 - coupling * w
    assert (pair.along_x, pair.along_y) == (pytest.approx((1.0 - u) / 2.0), pytest.approx((1.0 - w) / 2.0))
    assert abs(pair.x) + abs(pair.y) < 1e-15


def test_two_surfaces_whose_modes_are_no_sum_are_refused(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    Pair(sim, name="pair", product=0.3).start()
    with pytest.raises(
        ev.ModelError, match=r"pair\.along_y, pair\.along_x slide at the same time.* rate of pair\.x is not the sum"
    ):
        sim.run(until=5.0)


def test_many_slide_each_by_itself(simulate: Make) -> None:
    sim = simulate(**TIGHT)
    relays = [Relay(sim, name=f"r{k}", drift=0.25, x=1.0 + k / 4.0).start() for k in range(4)]
    log = sim.log()
    sim.run(until=6.0)
    assert len(log) == 5 * 4
    for k, relay in enumerate(relays):
        meets = 4.0 - sqrt(16.0 - 8.0 * (1.0 + k / 4.0))
        assert story(e for e in log if e.who.startswith(relay.name)) == close(
            (meets, f"r{k}.below"),
            (meets, f"r{k}.above"),
            (meets, f"r{k}.sliding.begins"),
            (4.0, f"r{k}.sliding.ends_above"),
            (4.0, f"r{k}.above"),
        )
        assert relay.x == pytest.approx(0.5, abs=1e-9)
