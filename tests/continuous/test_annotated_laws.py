"""Laws whose annotations are evaluated: CPython 3.14 keeps code of them beside that of the law."""

import pytest

import eventide as ev


class Tank(ev.Continuous):
    level: ev.State = ev.state(10.0)
    pump: "ev.Continuous | None" = None

    def loss(self, level: float, factor: "Tank | float" = 2.0) -> float:
        return factor * level / level

    def equations(self: "Tank") -> None:
        self.rate.level = -self.loss(self.level) if self.level > 5.0 else -1.0

    @ev.when(lambda self: self.level <= 0.0)
    def refill(self: ev.Continuous) -> None:
        self.level = 10.0


@pytest.mark.parametrize("compiled", [True, False])
def test_a_law_with_annotations_is_read_and_its_branch_located(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled)
    tank = Tank(sim, name="tank").start()
    sim.run(until=8.5)

    assert tank.level == pytest.approx(8.0, abs=1e-12)
    assert (sim.events, sim.report().switches) == (1, 1)
    assert Tank.equations.__annotations__ == {"self": "Tank", "return": None}
