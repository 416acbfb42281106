"""A soaking pit: ingots queue for a furnace, heat by differential equations and leave by a state event.

Covers:   processes that are also continuous, a counting resource, a state event over a changing set of objects, a jump
          in a state that others share, random streams, statistics, recordings of objects that come and go.
Scenario: steel ingots arrive at a furnace that holds ten. One that finds no place cools in a bank. Loading cold steel
          lowers the furnace temperature. When the hottest ingot reaches 2200 degF, all above 2000 degF are drawn and
          the bank refills the places.
Source:   Ashour and Bindingnavle 1973; Pritsker's SLAM textbooks; Helsgaun's DISCO.

Correctness:   with regular arrivals it agrees with an exact table, its parts with exact solutions.
Relevance:     for places and waiting in a steel works; the temperature within an ingot is left out.
Economy:       a state for each ingot and one for the furnace; a field in each ingot would cost a hundred times as
               much.
Clarity:       temperatures in degF and times in h, as in the source.
Comparability: with the published studies of the pit, whose arrivals and rates it has.
Structure:     a plant with a furnace, its places and its bank; ingots are processes that refer to the plant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

import eventide as ev

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAW_AT = 2200.0
DRAW_FROM = 2000.0
BANK_TEMPERATURE = 400.0


class Furnace(ev.Continuous):
    """Heats towards 2600 degF; every ingot put in takes its share of the heat at once."""

    temperature: ev.State = ev.state(1650.0, unit="degF")
    load: list[Ingot] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.temperature = 0.2 * (2600.0 - self.temperature)

    def take_in(self, ingot: Ingot) -> None:
        """Put an ingot in: the furnace loses its share of the difference."""
        self.load.append(ingot)
        self.temperature -= (self.temperature - ingot.temperature) / len(self.load)

    def is_ready(self) -> bool:
        """Whether an ingot is hot enough for a draw."""
        return any(ingot.temperature >= DRAW_AT for ingot in self.load)

    def draw(self) -> int:
        """Take out every ingot that is hot enough; answers how many."""
        hot = [ingot for ingot in self.load if ingot.temperature >= DRAW_FROM]
        self.load = [ingot for ingot in self.load if ingot.temperature < DRAW_FROM]
        for ingot in hot:
            ingot.activate()
        return len(hot)


class Ingot(ev.Process, ev.Continuous):
    """Waits for a place, heats up in the furnace, leaves when it is drawn."""

    plant: Plant
    temperature: ev.State = ev.state(unit="degF")
    coefficient: float = ev.field(default=0.15, unit="1/h")
    was_there: bool = False

    def equations(self) -> None:
        self.rate.temperature = self.coefficient * (self.plant.furnace.temperature - self.temperature)

    def run(self) -> ev.ProcessGenerator:
        plant, sim = self.plant, self.sim
        arrived = sim.time
        with plant.pits.request() as place:
            yield place
            if sim.time > arrived:
                self.temperature = BANK_TEMPERATURE
            if self.was_there:
                plant.furnace.load.append(self)
            else:
                plant.furnace.take_in(self)
                plant.waiting.add(sim.time - arrived)
            loaded = sim.time
            self.start()
            yield ev.passivate()
            plant.heating.add(sim.time - loaded)
            plant.final.add(self.temperature)
            self.stop()


class Plant:
    """What the parts of the model share."""

    def __init__(self, sim: ev.Simulation, pits: int) -> None:
        self.sim = sim
        self.pits = ev.Resource(sim, pits, name="pits")
        self.furnace = Furnace(sim, name="furnace").start()
        self.heating = ev.Tally(name="heating time", unit="h")
        self.waiting = ev.Tally(name="waiting time", unit="h")
        self.final = ev.Tally(name="temperature when drawn", unit="degF")
        self.arrived = 0
        self.draws = 0

    def foreman(self) -> ev.ProcessGenerator:
        """Draws the hot ingots whenever one is ready."""
        while True:
            yield ev.until(self.furnace.is_ready)
            self.furnace.draw()
            self.draws += 1

    def deliver(self, gap: float, arrivals: str) -> ev.ProcessGenerator:
        """Ingots arrive from outside, at random or in a regular row."""
        gaps, temperatures, coefficients = (self.sim.stream(n) for n in ("gaps", "temperatures", "coefficients"))
        while True:
            self.arrived += 1
            if arrivals == "random":
                ingot = Ingot(
                    self.sim,
                    plant=self,
                    temperature=temperatures.uniform(400.0, 500.0),
                    coefficient=0.1 + coefficients.normal(0.05, 0.01),
                )
                ingot.activate()
                yield ev.hold(gaps.exponential(gap))
            else:
                Ingot(self.sim, plant=self, temperature=450.0).activate()
                yield ev.tick(gap)


def average(recording: ev.Recording, column: str) -> float:
    """The time average of a recorded curve, straight between its rows."""
    return float(np.trapezoid(recording[column], recording.times) / (recording.times[-1] - recording.times[0]))


@ev.model(rel_error=1e-10, abs_error=1e-10, time_unit="h")
def soaking_pit(
    sim: ev.Simulation,
    *,
    pits: int = 10,
    gap: float = 2.25,
    arrivals: Literal["random", "regular"] = "random",
    hours: float = 500.0,
) -> ev.ProcessGenerator[dict[str, object]]:
    """Ingots in a soaking pit: `gap` hours between arrivals on average, `pits` places, for `hours` hours."""
    plant = Plant(sim, pits)
    for temperature in (550.0, 600.0, 650.0, 700.0, 750.0, 800.0):
        Ingot(sim, plant=plant, temperature=temperature, was_there=True).activate()
    sim.process(plant.foreman())
    sim.process(plant.deliver(gap, arrivals))
    history = sim.record(plant.furnace, every=0.25, name="furnace")
    sim.record(plant.pits, every="event", name="places")
    sim.record(Ingot, every=0.25, name="ingots")
    yield ev.hold(hours)
    return {
        "heating time": plant.heating,
        "waiting time": plant.waiting,
        "temperature when drawn": plant.final,
        "furnace temperature": ev.Quantity(average(history, "furnace.temperature"), unit="degF"),
        "throughput": ev.Quantity(plant.heating.count / hours, unit="1/h"),
        "utilisation": ev.Quantity(100.0 * plant.pits.utilisation, unit="%"),
        "places in use": plant.pits.in_use,
        "ingots in the bank": plant.pits.queue,
        "arrived": plant.arrived,
        "drawn": plant.heating.count,
        "draws": plant.draws,
    }


@soaking_pit.picture
def draw(run: ev.Run[dict[str, object]], figure: Figure) -> None:
    furnace, places, ingots = run.recordings
    heat, bank = figure.subplots(2, sharex=True, height_ratios=[3, 1])
    for number, series in enumerate(ingots.series().values()):
        label = "each ingot, from loading to drawing" if number == 0 else None
        heat.plot(series.times, series.values["temperature"], color="tab:orange", linewidth=0.7, alpha=0.6, label=label)
    heat.plot(furnace.times, furnace["furnace.temperature"], color="tab:blue", linewidth=1.2, label="furnace")
    heat.axhline(DRAW_AT, color="0.4", linestyle="--", linewidth=0.8, label=f"a draw begins at {DRAW_AT:.0f} degF")
    heat.set(ylabel="temperature [degF]", title=f"A soaking pit of {run.parameters['pits']} places")
    bank.step(places.times, places["pits.queue"], where="post", color="tab:green")
    bank.fill_between(places.times, places["pits.queue"], step="post", color="tab:green", alpha=0.25)
    bank.set(xlabel="time [h]", ylabel="ingots waiting\nin the bank", ylim=(0, None))
    bank.set_xlim(0.0, run.account.end_time)
    figure.legend(*heat.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
