"""The table of workloads. What a contestant does with one stands in `programs/<folder>/with_<contestant>.py`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Size = Mapping[str, float]


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

    def size_for(self, contestant: str, *, is_quick: bool) -> Size:
        return self.quick if is_quick else self.smaller.get(contestant, self.size)


EXACT = 0.0
ROUNDING = 1e-12  # sums of the same numbers in another order

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
        references=("simpy", "bare"),
        smaller={"salabim": {"processes": 1_000, "holds": 50}},
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
        references=("simpy", "bare"),
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
        references=("simpy", "bare"),
        smaller={"salabim": {"customers": 2_000, "load": 0.9}},
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
        references=("simpy", "bare"),
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
        references=("simpy", "bare"),
        smaller={"salabim": {"arrivals": 5_000}},
    ),
]
