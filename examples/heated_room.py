"""A room with a thermostat: what its heating costs, and which of its numbers matters most for that.

Covers:   sensitivities by variational equations through state events and timed pauses, a picture of them, a check by
          differences.
Scenario: heat leaks through walls of `insulation` hours; below `low` the heater is switched on, above `high` off, after
          the delay of its relay. Energy and times of switching change with every number; by how much is asked for once.
Try:      python examples/heated_room.py, or eventide sensitivity examples/heated_room.py --plot room.png

Correctness:   sensitivities agree with differences, and the first switching with its closed form.
Relevance:     for the cost of heating over a day; sun, people and more rooms are left out.
Economy:       one state for all the air; a finer room would not change which number matters most.
Clarity:       temperatures in degC, times in h, energy in kWh.
Comparability: any thermostat with two levels and a delay, by its own parameters.
Structure:     a room with its law, and a thermostat as a process that switches the heater.
"""

from __future__ import annotations

from collections.abc import Callable

import eventide as ev
from eventide.view import save


class Room(ev.Continuous):
    """Loses heat to the outside, and is heated."""

    temperature: ev.State = ev.state(18.0, unit="°C")
    energy: ev.State = ev.state(0.0, unit="kWh")
    insulation: float = ev.field(default=10.0, unit="h", description="time constant of the walls")
    capacity: float = ev.field(default=0.5, unit="kWh/K")
    outside: float = ev.field(default=2.0, unit="°C")
    power: float = ev.field(default=0.0, unit="kW")

    def equations(self) -> None:
        self.rate.temperature = self.power / self.capacity - (self.temperature - self.outside) / self.insulation
        self.rate.energy = self.power


class Thermostat(ev.Process):
    """Switches the heater on and off, a little late."""

    room: Room
    low: float = ev.field(unit="°C")
    high: float = ev.field(unit="°C")
    heater: float = ev.field(unit="kW")
    delay: float = ev.field(unit="h")
    switched: list[float] = ev.field(default_factory=list, unit="h")

    def run(self) -> ev.ProcessGenerator[None]:
        while True:
            yield ev.until(lambda: self.room.temperature <= self.low)
            yield ev.hold(self.delay)
            self.room.power = self.heater
            self.switched.append(self.sim.time)
            yield ev.until(lambda: self.room.temperature >= self.high)
            yield ev.hold(self.delay)
            self.room.power = 0.0
            self.switched.append(self.sim.time)


@ev.model(until=24.0, rel_error=1e-9, abs_error=1e-9, time_unit="h")
def heated_room(
    sim: ev.Simulation,
    *,
    insulation: float = 10.0,
    outside: float = 2.0,
    heater: float = 3.0,
    low: float = 19.0,
    high: float = 21.0,
    delay: float = 0.1,
) -> dict[str, Callable[[], float]]:
    """A day of a room with walls of `insulation` h, at `outside` °C, kept between `low` and `high` by `heater` kW."""
    room = Room(sim, name="room", temperature=20.0, insulation=insulation, outside=outside).start()
    thermostat = Thermostat(sim, room=room, low=low, high=high, heater=heater, delay=delay)
    thermostat.activate()
    return {
        "energy": lambda: room.energy,
        "first on": lambda: thermostat.switched[0],
        "last switch": lambda: thermostat.switched[-1],
        "temperature": lambda: room.temperature,
    }


def main() -> None:
    found = ev.sensitivity(heated_room)
    print(found)
    print(f"\nIn % for 1 % more:\n{found.elasticities.round(3).to_string()}")
    near = ev.sensitivity(heated_room, "insulation", by="central", step=1e-4)
    exact, other = (one["energy", "insulation"] for one in (found, near))
    print(f"\nenergy by insulation: {exact:.6f}, by differences {other:.6f}")
    axes = found.plot()
    axes.set_title("What a day in a heated room depends on")
    save(axes.figure, "heated_room.png")


if __name__ == "__main__":
    main()
