"""What is asked of the soaking pit, of its parts and of what joins them, and the tests that show whether it is met.

Covers:   requirements of a plant with randomness, replications as conditions, units that are pieces of a model run by
          themselves, exact solutions of a small shift.
Scenario: furnace, ingot, charging, drawing, the bank and the deliveries are units; a furnace that heats an ingot, and a
          shift that empties and refills the furnace, are integrations; the soaking pit is the whole.
          `eventide verify examples/soaking_pit_requirements.py --structured` tests them in that order.
Source:   Ashour and Bindingnavle 1973; Pannek, Simulation of mechatronic systems, chapter 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq
from soaking_pit import BANK_TEMPERATURE, DRAW_AT, DRAW_FROM, Ingot, Plant, soaking_pit

import eventide as ev
from eventide.verify import Component, Requirement, Test

LIMIT, FURNACE_RATE, INGOT_RATE = 2600.0, 0.2, 0.15  # degF, 1/h, 1/h
COLD_FURNACE = 1650.0  # degF
AT_THE_START = 6
"""Ingots that are in the furnace when a run begins."""


# --- the parts, each run by itself


def plant_of(pits: int, entropy: int = 0) -> Plant:
    return Plant(ev.Simulation(rel_error=1e-10, abs_error=1e-10, rng=entropy), pits)


def warmed(start: float, hours: float) -> float:
    """The temperature of an empty furnace [degF]."""
    plant = plant_of(1)
    plant.furnace.temperature = start
    plant.sim.run(until=hours)
    return plant.furnace.temperature


def soaked(start: float, around: float, hours: float) -> float:
    """The temperature of an ingot [degF] in a furnace that keeps its own."""
    plant = plant_of(1)
    plant.furnace.stop()
    plant.furnace.temperature = around
    ingot = Ingot(plant.sim, plant=plant, temperature=start).start()
    plant.sim.run(until=hours)
    return ingot.temperature


def charged(furnace: float, ingots: Sequence[float]) -> float:
    """The temperature of a furnace [degF] into which ingots were put."""
    plant = plant_of(len(ingots))
    plant.furnace.temperature = furnace
    for temperature in ingots:
        plant.furnace.take_in(Ingot(plant.sim, plant=plant, temperature=temperature))
    return plant.furnace.temperature


def left_in(ingots: Sequence[float]) -> list[float]:
    """The temperatures [degF] of the ingots that a draw leaves in the furnace."""
    plant = plant_of(len(ingots))
    plant.furnace.load = [Ingot(plant.sim, plant=plant, temperature=temperature) for temperature in ingots]
    plant.furnace.draw()
    return [ingot.temperature for ingot in plant.furnace.load]


def admitted(pits: int, ingots: int) -> list[int]:
    """The numbers of ingots in the order in which the bank lets them go; each asks an hour after the one before it."""
    plant, order = plant_of(pits), []

    def visit(number: int) -> ev.ProcessGenerator:
        yield ev.hold(float(number))
        with plant.pits.request() as place:
            yield place
            order.append(number)
            yield ev.hold(2.5 * pits)

    for number in range(ingots):
        plant.sim.process(visit(number))
    plant.sim.run()
    return order


def delivered(gap: float, entropy: int) -> int:
    """How many ingots arrive in the time of a thousand gaps."""
    plant = plant_of(1, entropy)
    plant.sim.process(plant.deliver(gap, "random"))
    plant.sim.run(until=1000.0 * gap)
    return plant.arrived


# --- parts that work together


def heated(ingot: float, times: Sequence[float]) -> Any:
    """An ingot in a furnace that heats, too: the times, and the temperatures of the ingot [degF]."""
    plant = plant_of(1)
    ingot_in = Ingot(plant.sim, plant=plant, temperature=ingot).start()
    temperatures = []
    for time in times:
        plant.sim.run(until=time)
        temperatures.append(ingot_in.temperature)
    return times, temperatures


def shift(pits: int) -> list[float]:
    """A full furnace, and as many ingots in the bank: how many of these are let in by hour 18, and when [h]."""
    plant = plant_of(pits)
    for number in range(pits):
        Ingot(plant.sim, plant=plant, temperature=800.0 - 50.0 * number, was_there=True).activate()
    for _ in range(pits):
        Ingot(plant.sim, plant=plant, temperature=450.0).activate()
    plant.sim.process(plant.foreman())
    plant.sim.run(until=18.0)
    return [plant.waiting.count, plant.waiting.maximum]


def exact_heat(ingot: float, times: Any) -> Any:
    """The temperatures [degF] of an ingot in a furnace that begins cold, by the solution of both laws."""
    slow, fast = np.exp(-INGOT_RATE * np.asarray(times)), np.exp(-FURNACE_RATE * np.asarray(times))
    share = INGOT_RATE * (LIMIT - COLD_FURNACE) / (INGOT_RATE - FURNACE_RATE)
    return LIMIT - (LIMIT - ingot) * slow - share * (fast - slow)


def exact_shift(pits: int) -> list[float]:
    """All ingots of the bank are let in when the hottest in the furnace, which began at 800 degF, can be drawn."""
    return [pits, brentq(lambda time: exact_heat(800.0, time) - DRAW_AT, 0.0, 50.0, xtol=1e-12)]


# --- what is looked at in a run of the whole


def entries(result: ev.Result) -> Any:
    """Hours by which each ingot is put into the furnace later than the one that arrived before it."""
    table = result.tables["ingots"].reset_index()
    first = table.groupby("component")["time"].first()
    return np.diff(first[sorted(first.index, key=lambda name: int(name.split()[-1]))])


def drawn_temperatures(result: ev.Result) -> Any:
    """Of each ingot that was drawn [degF]."""
    table = result.tables["ingots"].reset_index()
    last = table.groupby("component").last()
    return last["temperature"][last["time"] < table["time"].max()]


def missing(result: ev.Result) -> float:
    """Ingots that came and are neither drawn, nor in the furnace, nor in the bank."""
    places = result.tables["places"].iloc[-1]
    responses = result.responses
    return responses["arrived"] + AT_THE_START - responses["drawn"] - places["pits.in_use"] - places["pits.queue"]


# --- what is asked


def demands() -> tuple[Component, list[Test]]:
    """The whole, and the tests of all that is asked of it and of its parts."""
    furnace, ingot = Component("furnace", warmed), Component("ingot", soaked)
    charge, draw, bank = Component("charge", charged), Component("draw", left_in), Component("bank", admitted)
    deliveries = Component("deliveries", delivered)
    heating = Component("heating", heated, (furnace, ingot))
    working = Component("shift", shift, (heating, charge, draw, bank))
    whole = soaking_pit(hours=200.0)
    pit = Component("soaking pit", whole, (working, deliveries))

    verify, paper = ev.verify, "Ashour and Bindingnavle 1973"
    runs = ev.Study(whole, replications=5, entropy=1)
    cold = {"furnace": COLD_FURNACE, "ingots": [[450.0], [450.0, 500.0], [400.0, 400.0, 400.0]]}

    def test(
        name: str, phrase: str, component: Component, quality: Any, conditions: Any, need: str = "", use: str = ""
    ) -> Test:
        return Test(Requirement(name, phrase, component, quality, conditions, source=paper, need=need), use)

    return pit, [
        test(
            "SP-01", "The empty furnace shall approach 2600 degF at 0.2 per hour, up to 1e-5 degF.", furnace,
            verify.error_below(1e-5, lambda start, hours: LIMIT - (LIMIT - start) * np.exp(-FURNACE_RATE * hours)),
            {"start": [400.0, COLD_FURNACE, 2600.0], "hours": [1.0, 20.0]}, "the furnace is modelled as measured",
        ),
        test(
            "SP-02", "An ingot shall approach its surroundings at 0.15 per hour, up to 1e-5 degF.", ingot,
            verify.error_below(
                1e-5, lambda start, around, hours: around - (around - start) * np.exp(-INGOT_RATE * hours)
            ),
            {"start": [400.0, 800.0], "around": [1650.0, 2600.0], "hours": [1.0, 20.0]},
            "the steel is modelled as measured",
        ),
        test(
            "SP-03", "An empty furnace shall take on the mean temperature of the ingots that are put into it.", charge,
            verify.error_below(1e-9, lambda furnace, ingots: np.mean(ingots)), cold, "each ingot takes its share",
        ),
        test(
            "SP-04", "A draw shall leave in the furnace what is below 2000 degF, and nothing else.", draw,
            verify.error_below(0.0, lambda ingots: [heat for heat in ingots if heat < DRAW_FROM]),
            {"ingots": [[2200.0, 1500.0], [1999.9, 2000.0, 2000.1], [1000.0, 2200.0, 1200.0]]},
            "cold steel breaks in the mill",
        ),
        test(
            "SP-05", "The bank shall let ingots go in the order in which they came.", bank,
            verify.error_below(0.0, lambda pits, ingots: list(range(ingots))), {"pits": [1, 2, 10], "ingots": 20},
            "no ingot grows cold in the bank for good",
        ),
        test(
            "SP-06", "A thousand ingots should come in the time of a thousand gaps, up to three deviations.",
            deliveries, verify.error_below(3.0 * 1000.0**0.5, 1000.0), {"gap": [1.0, 2.25], "entropy": [1, 2]},
        ),
        test(
            "SP-07", "An ingot in a furnace that heats shall follow the exact solution, up to 1e-5 degF.", heating,
            verify.error_below(1e-5, exact_heat), {"ingot": [450.0, 800.0], "times": [[1.0, 2.0, 5.0, 10.0, 30.0]]},
            "what is simulated can be relied on",
        ),
        test(
            "SP-08", "The bank shall refill the furnace at the moment of a draw, up to 1e-7 h.", working,
            verify.error_below(1e-7, exact_shift), {"pits": [2, 4]}, "no place stays empty",
        ),
        test(
            "SP-09", "The furnace shall stay between the temperature of the bank and 2600 degF, up to 1e-6 degF.", pit,
            verify.stays_within(BANK_TEMPERATURE - 1e-6, LIMIT + 1e-6, of="furnace.temperature"), runs,
            "the lining holds",
        ),
        test(
            "SP-10", "Every ingot that is drawn shall have 2000 to 2200 degF, up to 1e-6 degF.", pit,
            verify.stays_within(DRAW_FROM, DRAW_AT + 1e-6, of=drawn_temperatures), runs, "the mill can roll it",
            "the supply of the mill",
        ),
        test(
            "SP-11", "Not more than 10 ingots shall be in the furnace.", pit,
            verify.stays_within(0.0, 10.0, of="pits.in_use"), runs, "it has ten pits",
        ),
        test(
            "SP-12", "No ingot shall be lost.", pit, verify.error_below(0.0, 0.0, of=missing), runs, "each is paid for"
        ),
        test(
            "SP-13", "Ingots shall be put into the furnace in the order in which they arrived.", pit,
            verify.stays_within(low=0.0, of=entries), runs, "no ingot grows cold in the bank for good",
        ),
        test(
            "SP-14", "The pit should draw at least 0.3 ingots an hour.", pit,
            verify.throughput(0.3, of="throughput"), runs, use="the supply of the mill",
        ),
        test(
            "SP-15", "The bank should not hold more than 15 ingots.", pit,
            verify.stays_within(high=15.0, of="pits.queue"), runs, use="the yard in which the bank lies",
        ),
    ]  # fmt: skip


system, tests = demands()
