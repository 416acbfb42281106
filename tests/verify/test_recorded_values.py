"""At an event the recorded row counts, and not the polynomial of the step before it, which differs by its error."""

import pytest

import eventide as ev
from eventide.verify import Component, Requirement, Test, always, eventually, holds, quantity, settles

METHODS = {one.name: one for one in (ev.methods.RK43, ev.methods.ENGLAND, ev.methods.DOP853, ev.methods.RADAU)}
HEIGHTS = (0.3, 1.0, 1.7, 3.3, 7.1)
h = quantity("ball.h")


class Ball(ev.Continuous):
    h: ev.State = ev.state(1.0)
    v: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.h = self.v
        self.rate.v = -9.81

    @ev.when(lambda self: self.h <= 0.0 and self.v < 0.0)
    def bounce(self):
        self.v *= -0.8


def fall(sim, *, height: float):
    sim.record(Ball(sim, h=height, name="ball").start())


def margin(statement, height, method):
    model = ev.model(until=2.0)(fall)
    model.options = {"method": method}
    requirement = Requirement(
        "B-1", "It should be as the rows say.", Component("ball", model(height=height)), holds(statement)
    )
    return Test(requirement).run().worst.score.margin


@pytest.mark.slow
@pytest.mark.row("R-301")
@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_whether_a_level_is_met_at_an_event_is_as_its_row_says(method):
    for height in HEIGHTS:
        sim = ev.Simulation(method=method)
        rows = sim.record(Ball(sim, h=height, name="ball").start())
        sim.run(until=2.0)
        lowest = float(rows.to_pandas()["ball.h"].min())
        assert lowest <= 0.0, "the ball has touched the ground"
        assert margin(eventually(h <= 0.0), height, method) == 0.0 - lowest
        assert margin(always(h >= 0.0), height, method) == lowest + 0.0


@pytest.mark.row("R-301")
def test_points_that_lines_join_are_met_as_they_are_written():
    for low in (0.1, 0.7, -0.3):  # half the sum and half the difference of two numbers give neither back
        output = [0.0, 1.0, 2.0], [1.1, low, 2.3]
        assert holds(eventually(quantity() <= low))(output).margin == 0.0
        assert holds(always(quantity() >= low))(output).margin == 0.0


class Still(ev.Continuous):
    x: ev.State = ev.state(5.0)

    def equations(self):
        self.rate.x = 0.0


@ev.model(until=3.0)
def reset(sim):
    one = Still(sim, name="one").start()
    sim.record(one, every=1.0)

    def put():
        yield ev.hold(1.0)
        one.x = 0.5

    sim.process(put())


def test_what_settles_at_an_event_is_judged_by_its_value_after_it():
    whole = Component("reset", reset)
    found = []
    for quality in (
        settles(0.0, 1.0, 1.0, "one.x"),
        settles(0.0, 1.0, 0.5, "one.x"),
        settles(0.0, 1.0, 2.0, "one.x"),
        holds(always(quantity("one.x") <= 1.0, 1.0)),
    ):
        worst = Test(Requirement("S-1", "It should settle.", whole, quality)).run().worst.score
        found.append((worst.margin, worst.time))
    assert found == [(0.5, 1.0), (-4.0, 0.5), (0.5, 2.0), (0.5, 1.0)]


def test_a_short_jump_of_an_input_that_no_law_calls_is_judged():
    prices = ev.inputs.HeldTable([0.0, 1.33, 1.34], [1.0, 500.0, 1.0])

    @ev.model(until=2.0)
    def paid(sim, *, height: float = 1.0):
        ball = Ball(sim, h=height, name="ball").start()
        sim.record(every=2.0, price=lambda: prices(sim.time) + 0.0 * ball.h)

    statement = holds(always(quantity("price") <= 100.0))
    worst = Test(Requirement("B-2", "It should be cheap.", Component("ball", paid()), statement)).run().worst.score
    assert (worst.margin, worst.time) == pytest.approx((-400.0, 1.33))
