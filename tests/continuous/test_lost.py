"""A variable where `self.` was forgotten: what a law or a handler sets that nothing reads."""

from __future__ import annotations

import pytest

import eventide as ev


class Motor(ev.Continuous):
    speed: ev.State = ev.state(0.0)
    power: ev.Computed = ev.computed()
    count: int = 0


class NoRate(Motor):
    def equations(self) -> None:
        rate = 1.0  # noqa: F841  # what is tried


class NoPower(Motor):
    def equations(self) -> None:
        self.rate.speed = 1.0
        power = self.speed**2  # noqa: F841  # what is tried


class NoCount(Motor):
    def equations(self) -> None:
        power = self.speed**2
        self.power = power
        self.rate.speed = 1.0

    @ev.when(lambda self: self.speed >= 1.0)
    def step(self) -> None:
        count: int = self.count + 1  # noqa: F841  # what is tried


class Right(NoCount):
    @ev.when(lambda self: self.speed >= 1.0)
    def step(self) -> None:
        count = self.count + 1
        self.count = count
        speed_before = self.speed  # noqa: F841  # its name is of its own


@pytest.mark.parametrize(
    ("kind", "place"),
    [(NoRate, "NoRate.equations sets a variable 'rate'"), (NoPower, "NoPower.equations sets a variable 'power'"),
     (NoCount, "NoCount.step sets a variable 'count'")],
)  # fmt: skip
def test_a_variable_that_is_called_as_a_field_and_nothing_reads_is_refused(kind: type[Motor], place: str) -> None:
    word = place.split("'")[1]
    with pytest.raises(ev.ModelError, match=rf"{place} at .*test_lost.py:\d+ that nothing reads: write `self.{word} ="):
        kind(ev.Simulation()).start()


def test_one_that_is_read_or_has_another_name_is_not() -> None:
    motor = Right(ev.Simulation()).start()
    motor.sim.run(until=2.0)
    assert (motor.count, motor.power) == (1, pytest.approx(4.0))
