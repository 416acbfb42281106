"""A plant of furnaces and ingots, as several files of these tests use it."""

from __future__ import annotations

from typing import ClassVar

import eventide as ev


class Furnace(ev.Continuous):
    temperature: ev.State = ev.state(1650.0)
    load: list[Ingot] = ev.field(default_factory=list)

    def is_ready(self) -> bool:
        return any(ingot.temperature >= 2200.0 for ingot in self.load)


class Plant:
    """Not a component: a plain object on the way."""

    def __init__(self, furnace: Furnace) -> None:
        self.furnace = furnace


class Ingot(ev.Continuous):
    furnace: Furnace
    plant: Plant | None = None
    temperature: ev.State = ev.state(400.0)
    coefficient: float = 0.15
    SCALE: ClassVar[float] = 1.0

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * self.SCALE * (self.furnace.temperature - self.temperature)

    def contributions(self) -> None:
        self.plant.furnace.rate.temperature -= self.temperature
