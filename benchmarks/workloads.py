"""The table of workloads. What a contestant does with one stands in `programs/<folder>/with_<contestant>.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import answers

Size = Mapping[str, Any]
Known = tuple[float, float]
"""The right value, and how far from it a result may be."""


@dataclass(frozen=True)
class Workload:
    """One task that all contestants carry out.

    name        as given to `make bench`
    story       what happens in it
    folder      where its programs are, in `programs`
    size        arguments of a program's `run`, beside the seed
    quick       the same for a run that only shows that everything works
    unit        what the rate counts
    work        how many of these units a size makes
    agree       which results are equal for all, with the relative difference allowed; the others are only shown
    references  contestants that the others are compared with, round by round
    smaller     sizes of those who would take minutes
    known       which results are known, for a size: the right value and how far from it one may be. Where answers are
                known, `agree` holds for eventide and the bare loops alone: peers have methods of their own
    price       times are shown in place of rates: of a run, and for one of what this result counts (or `unit` if it
                names no result)
    goals       how many times as long as the first reference a contestant should take at most
    goals_us    how many microseconds one unit should take at most
    goals_rate  how many units a second a contestant should do at least
    entrants    who may take part; everybody who has a program if empty
    most_rounds more rounds than that are not held
    no_dearer   another workload and how many times as much as there one unit should cost at most
    """

    name: str
    story: str
    folder: str
    size: Size
    quick: Size
    unit: str
    work: Callable[[Size], float]
    agree: Mapping[str, float]
    references: tuple[str, ...]
    smaller: Mapping[str, Size] = field(default_factory=dict)
    known: Callable[[Size], Mapping[str, Known]] | None = None
    price: str = ""
    goals: Mapping[str, float] = field(default_factory=dict)
    goals_us: Mapping[str, float] = field(default_factory=dict)
    goals_rate: Mapping[str, float] = field(default_factory=dict)
    entrants: tuple[str, ...] = ()
    most_rounds: int = 1_000
    no_dearer: tuple[str, float] | None = None

    def size_for(self, contestant: str, *, is_quick: bool) -> Size:
        return self.quick if is_quick else self.smaller.get(contestant, self.size)


EXACT = 0.0
ROUNDING = 1e-12  # sums of the same numbers in another order


def smooth(name: str, story: str, tolerance: float, allowed: float) -> Workload:
    """One of the problems of `smooth.py`, at a tolerance, with an error that none should exceed."""
    size = {"problem": name, "tolerance": tolerance}
    return Workload(
        name=name,
        story=story,
        folder="smooth",
        size=size,
        quick=size,
        unit="evaluation",
        work=lambda size: 1,
        agree={"steps": EXACT, "refused": EXACT, "evaluations": EXACT, "end": EXACT},
        references=("bare", "heyoka", "scipy"),
        known=lambda size: {"error": (0.0, allowed)},
        price="evaluations",
        goals={"eventide": 2.0},
    )


def stiff(name: str, story: str, tolerance: float, allowed: float) -> Workload:
    """One of the problems of `stiff.py`, at a tolerance, with an error that none should exceed."""
    size = {"problem": name, "tolerance": tolerance}
    return Workload(
        name=name,
        story=story,
        folder="stiff",
        size=size,
        quick=size,
        unit="run",
        work=lambda size: 1,
        agree={},
        references=("sundae-native", "scipy"),
        known=lambda size: {"error": (0.0, allowed)},
        price="unit",
        goals={"eventide": 3.0},
    )


def known_bounces(size: Size) -> Mapping[str, Known]:
    return {"events": (answers.count_bounces(size["balls"]), 0), "wrong_balls": (0, 0), "time_error": (0.0, 1e-9)}


def known_draws(size: Size) -> Mapping[str, Known]:
    end, furnace = answers.INGOTS_DRAWN[size["alive"], size["draws"]]
    return {"draws": (size["draws"], 0), "end": (end, 1e-4), "furnace": (furnace, 1e-4)}


WORKLOADS = [
    Workload(
        name="hold",
        story="1,000 processes, each holds 1,000 times for random.expovariate(1.0)",
        folder="hold",
        size={"processes": 1_000, "holds": 1_000},
        quick={"processes": 20, "holds": 5},
        unit="holds",
        work=lambda size: size["processes"] * size["holds"],
        agree={"ended": EXACT, "end": EXACT, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        smaller={"salabim": {"processes": 1_000, "holds": 50}},
    ),
    Workload(
        name="hold-10",
        story="10 processes, each holds 100,000 times",
        folder="hold",
        size={"processes": 10, "holds": 100_000},
        quick={"processes": 5, "holds": 20},
        unit="holds",
        work=lambda size: size["processes"] * size["holds"],
        agree={"ended": EXACT, "end": EXACT, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        smaller={
            "asimpy": {"processes": 10, "holds": 20_000},
            "salabim": {"processes": 10, "holds": 5_000},
            "simpy": {"processes": 10, "holds": 20_000},
        },
        goals_rate={"eventide": 15e6},
    ),
    Workload(
        name="hold-100k",
        story="100,000 processes alive at once, each holds 10 times; making them counts",
        folder="hold",
        size={"processes": 100_000, "holds": 10},
        quick={"processes": 100, "holds": 2},
        unit="holds",
        work=lambda size: size["processes"] * size["holds"],
        agree={"ended": EXACT, "end": EXACT, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        # cimba gives every process a stack of its own, and Linux has no room for 100,000 of them by default.
        smaller={"salabim": {"processes": 5_000, "holds": 10}, "cimba": {"processes": 20_000, "holds": 10}},
    ),
    Workload(
        name="mm1",
        story="M/M/1 queue of load 0.9: one process for each of 100,000 customers, waiting times kept",
        folder="mm1",
        size={"customers": 100_000, "load": 0.9},
        quick={"customers": 200, "load": 0.9},
        unit="customers",
        work=lambda size: size["customers"],
        agree={"customers": EXACT, "mean_wait": ROUNDING, "end": EXACT, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        smaller={"salabim": {"customers": 2_000, "load": 0.9}},
    ),
    Workload(
        name="tandem",
        story="five M/M/1 stations in a row, load 0.9: 20,000 customers, each goes through all five",
        folder="tandem",
        size={"stations": 5, "customers": 20_000, "load": 0.9},
        quick={"stations": 5, "customers": 40, "load": 0.9},
        unit="customers",
        work=lambda size: size["customers"],
        agree={"visits": EXACT, "mean_wait": ROUNDING, "end": EXACT, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        smaller={
            "salabim": {"stations": 5, "customers": 400, "load": 0.9},
            "simpy": {"stations": 5, "customers": 10_000, "load": 0.9},
        },
        goals_rate={"eventide": 1.5e6},
    ),
    Workload(
        name="reneging",
        story="an overloaded server: each of 50,000 customers waits for it until a patience of its own ends",
        folder="reneging",
        size={"customers": 50_000, "load": 1.2},
        quick={"customers": 100, "load": 1.2},
        unit="customers",
        work=lambda size: size["customers"],
        agree={"served": EXACT, "lost": EXACT, "end": EXACT, "last_lost": EXACT, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        smaller={"salabim": {"customers": 1_000, "load": 1.2}},
        goals_rate={"eventide": 3e6},
    ),
    Workload(
        name="interrupts",
        story="1,000 pairs: one cuts the other's hold 200 times, the exception is caught",
        folder="interrupts",
        size={"pairs": 1_000, "interrupts": 200},
        quick={"pairs": 10, "interrupts": 5},
        unit="interrupts",
        work=lambda size: size["pairs"] * size["interrupts"],
        agree={"interrupts": EXACT, "end": EXACT, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        smaller={"salabim": {"pairs": 1_000, "interrupts": 5}},
    ),
    Workload(
        name="preemption",
        story="a long job loses its machine to each of 50,000 urgent ones and resumes with what is left",
        folder="preemption",
        size={"arrivals": 50_000},
        quick={"arrivals": 50},
        unit="preemptions",
        work=lambda size: size["arrivals"],
        # What is left of a job may be counted from its start or from its end.
        agree={"preemptions": EXACT, "end": 1e-9, "next_draw": EXACT},
        references=("simpy", "cimba", "bare"),
        smaller={"salabim": {"arrivals": 5_000}},
    ),
    Workload(
        name="crossing",
        story="10 processes: each of their 5,000 holds ends with a statement that is Python's, whatever is compiled",
        folder="crossing",
        size={"processes": 10, "notes": 5_000},
        quick={"processes": 5, "notes": 4},
        unit="crossing",
        work=lambda size: size["processes"] * size["notes"],
        agree={"ended": EXACT, "end": EXACT, "next_draw": EXACT, "book": EXACT},
        references=("bare", "simpy"),
        price="unit",
        goals_us={"eventide": 0.6},
    ),
    Workload(
        name="moving",
        story="a process holds 100,000 times beside a spring that swings all the while, at 1e-8",
        folder="moving",
        size={"holds": 100_000, "tolerance": 1e-8},
        quick={"holds": 200, "tolerance": 1e-8},
        unit="hold",
        work=lambda size: size["holds"],
        agree={"end": EXACT, "position": 1e-4, "next_draw": EXACT},
        references=("bare", "simpy"),
        price="unit",
        goals_us={"eventide": 0.4},
    ),
    Workload(
        name="pushed",
        story="the same spring gets a push after each of the 100,000 holds: a state is written",
        folder="pushed",
        size={"pushes": 100_000, "tolerance": 1e-8},
        quick={"pushes": 200, "tolerance": 1e-8},
        unit="push",
        work=lambda size: size["pushes"],
        agree={"end": EXACT, "position": 1e-4, "next_draw": EXACT},
        references=("bare", "simpy"),
        price="unit",
        goals_us={"eventide": 0.6},
    ),
    Workload(
        name="port",
        story="ships take one of two berths, wait until a tank that drains has room, and pump; 10,000 hours, at 1e-8",
        folder="port",
        size={"hours": 10_000.0, "tolerance": 1e-8},
        quick={"hours": 200.0, "tolerance": 1e-8},
        unit="ship",
        work=lambda size: 1,
        agree={"ships": EXACT, "mean_stay": 1e-6, "level": 1e-6, "next_draw": EXACT},
        references=("bare", "simpy"),
        price="ships",
        goals_us={"eventide": 8.0},
    ),
    smooth("lorenz", "Lorenz's equations from (1, 1, 1) to t = 100 at 1e-8; error at t = 5", 1e-8, 1e-4),
    smooth("arenstorf", "one period of an Arenstorf orbit at 1e-10", 1e-10, 1e-3),
    smooth("brusselator", "Brusselator in one dimension, 100 cells, 200 states, to t = 10 at 1e-6", 1e-6, 1e-4),
    Workload(
        name="thermostat",
        story="1,000 switches of a heater at two limits, at 1e-8",
        folder="thermostat",
        size={"switches": 1_000, "tolerance": 1e-8},
        quick={"switches": 10, "tolerance": 1e-8},
        unit="switch",
        work=lambda size: size["switches"],
        agree={"events": EXACT},
        references=("bare", "heyoka", "scipy"),
        known=lambda size: {"events": (size["switches"], 0), "time_error": (0.0, 1e-4)},
        price="unit",
        goals={"eventide": 10.0, "eventide-when": 5.0},
    ),
    Workload(
        name="balls",
        story="100 balls in one model, dropped from 10 to 20 m, each bounces until it is slow; times to 1e-9",
        folder="balls",
        size={"balls": 100},
        quick={"balls": 3},
        unit="bounce",
        work=lambda size: answers.count_bounces(size["balls"]),
        agree={"events": EXACT},
        references=("bare", "heyoka"),
        known=known_bounces,
        price="unit",
        goals={"eventide": 10.0, "eventide-when": 5.0},
        smaller={"pathsim": {"balls": 2}},
    ),
    Workload(
        name="balls-4000",
        story="the same with 4,000 balls: a bounce should cost about what it costs among 100",
        folder="balls",
        size={"balls": 4_000},
        quick={"balls": 5},
        unit="bounce",
        work=lambda size: answers.count_bounces(size["balls"]),
        agree={"events": EXACT},
        references=("bare",),
        known=known_bounces,
        price="unit",
        entrants=("eventide", "eventide-when", "bare"),
        most_rounds=2,
        no_dearer=("balls", 1.3),
    ),
    Workload(
        name="ingots",
        story="1,000 ingots in one furnace, coupled both ways; whoever is hot makes room for a cold one; 20 draws",
        folder="ingots",
        size={"alive": 1_000, "draws": 20},
        quick={"alive": 1_000, "draws": 2},
        unit="draw",
        work=lambda size: size["draws"],
        agree={"draws": EXACT},
        references=("bare",),
        known=known_draws,
        price="unit",
        goals={"eventide": 3.0},
        most_rounds=2,
    ),
    Workload(
        name="ingot-life",
        story="the same with ten ingots: a whole life from the object's making to its stop, 2,000 of them",
        folder="ingots",
        size={"alive": 10, "draws": 2_000},
        quick={"alive": 10, "draws": 20},
        unit="life",
        work=lambda size: size["draws"],
        agree={"draws": EXACT},
        references=("bare",),
        known=known_draws,
        price="unit",
        goals_us={"eventide": 30.0},
    ),
    stiff("robertson", "Robertson's reaction to t = 1e11 by Radau IIA at 1e-6", 1e-6, 1e-6),
    stiff("hires", "HIRES, eight states, to t = 321.8122 by Radau IIA at 1e-6", 1e-6, 1e-5),
]
