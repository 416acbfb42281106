"""The soaking pit with equal ingots, solved without any time step.

Ten pits share a furnace that tends to 2600 degrees.  Let u be how far an ingot and
U how far the furnace lies below 2600; between two events

    U(s) = U0 exp(-a s)
    u(s) = u0 exp(-c s) + c U0 / (c - a) * (exp(-a s) - exp(-c s))

with a = 0.2 per hour and c = 0.15 per hour.  All ingots obey the same law, so the
hottest stays the hottest and it alone decides when the next removal happens.
Everything is computed in decimal arithmetic and rounded to float at the very end.

Source: the soaking pit of Ashour and Bindingnavle, with every random quantity
replaced by a constant.
"""

from collections import deque
from dataclasses import dataclass, field
from decimal import Decimal, localcontext

DIGITS = 40
HALVINGS = 125  # 2**-125 of a few hours is below the last of the 40 digits kept

HORIZON = Decimal(500)
PITS = 10
LIMIT = Decimal(2600)
FURNACE_RATE = Decimal("0.2")
INGOT_RATE = Decimal("0.15")
FURNACE_AT_START = Decimal(1650)
INGOTS_AT_START = tuple(Decimal(550 + 50 * i) for i in range(6))
FRESH_INGOT = Decimal(450)
BANK_INGOT = Decimal(400)
READY = Decimal(2200)
GOOD_ENOUGH = Decimal(2000)


@dataclass(frozen=True)
class Removal:
    """One opening of the pits: when [h], how many ingots, how hot the furnace was."""

    time: float
    count: int
    furnace_temperature: float


@dataclass(frozen=True)
class SoakingPitTable:
    """All that a run of 500 h is asked for; times in hours, temperatures in degrees.

    The six ingots of the start count as removed and as left, but not as arrived.
    Waits are those of the arrived ingots that were inserted, zero waits included.
    """

    arrived: int
    removed: int
    removals: tuple[Removal, ...]
    left_in_pits: int
    bank: int
    mean_heating_time: float
    mean_final_temperature: float
    mean_number_in_pits: float
    mean_wait: float
    longest_wait: float
    last_furnace_temperature: float
    lowest_furnace_temperature: float


@dataclass
class Ingot:
    """How far below LIMIT an ingot is [degrees], and when it was inserted [h]."""

    deficit: Decimal
    inserted: Decimal


@dataclass
class Pits:
    """The furnace and its ingots at one moment, with the sums over the past."""

    now: Decimal = Decimal(0)
    deficit: Decimal = LIMIT - FURNACE_AT_START
    largest_deficit: Decimal = LIMIT - FURNACE_AT_START
    ingots: list[Ingot] = field(default_factory=list)
    bank: deque[Decimal] = field(default_factory=deque)
    ingot_hours: Decimal = Decimal(0)
    waits: list[Decimal] = field(default_factory=list)
    heating_times: list[Decimal] = field(default_factory=list)
    final_temperatures: list[Decimal] = field(default_factory=list)
    removals: list[Removal] = field(default_factory=list)

    def deficit_after(self, ingot: Ingot, span: Decimal) -> Decimal:
        own = (-INGOT_RATE * span).exp()
        furnace = (-FURNACE_RATE * span).exp()
        share = INGOT_RATE * self.deficit / (INGOT_RATE - FURNACE_RATE)
        return ingot.deficit * own + share * (furnace - own)

    def span_until_ready(self, longest: Decimal) -> Decimal | None:
        """Hours until the hottest ingot is ready, None if that exceeds `longest`.

        A temperature below READY passes it upwards once at most: it may fall while the
        furnace is the colder of the two, but once it rises it never turns again.
        """
        if not self.ingots:
            return None
        hottest = min(self.ingots, key=lambda ingot: ingot.deficit)
        goal = LIMIT - READY
        if self.deficit_after(hottest, longest) > goal:
            return None
        before, after = Decimal(0), longest
        for _ in range(HALVINGS):
            middle = (before + after) / 2
            if self.deficit_after(hottest, middle) > goal:
                before = middle
            else:
                after = middle
        return after

    def advance(self, span: Decimal) -> None:
        for ingot in self.ingots:
            ingot.deficit = self.deficit_after(ingot, span)
        self.deficit *= (-FURNACE_RATE * span).exp()
        self.ingot_hours += len(self.ingots) * span
        self.now += span

    def insert(self, temperature: Decimal) -> None:
        """Put one ingot in; it cools the furnace the more, the fewer share the pits."""
        ingot = Ingot(LIMIT - temperature, self.now)
        self.ingots.append(ingot)
        self.deficit += (ingot.deficit - self.deficit) / len(self.ingots)
        self.largest_deficit = max(self.largest_deficit, self.deficit)

    def arrive(self) -> None:
        if len(self.ingots) < PITS:
            self.waits.append(Decimal(0))
            self.insert(FRESH_INGOT)
        else:
            self.bank.append(self.now)

    def open(self) -> None:
        """Remove what is hot enough, then fill the empty pits from the bank."""
        hot = [i for i in self.ingots if LIMIT - i.deficit >= GOOD_ENOUGH]
        self.removals.append(Removal(float(self.now), len(hot), float(LIMIT - self.deficit)))
        self.heating_times += [self.now - ingot.inserted for ingot in hot]
        self.final_temperatures += [LIMIT - ingot.deficit for ingot in hot]
        self.ingots = [i for i in self.ingots if LIMIT - i.deficit < GOOD_ENOUGH]
        while self.bank and len(self.ingots) < PITS:
            self.waits.append(self.now - self.bank.popleft())
            self.insert(BANK_INGOT)


def solve(interval: float) -> SoakingPitTable:
    """The table of a run of 500 h with arrivals at 0, interval, 2 interval, ...

    interval    float [h] > 0, taken at its exact binary value
    Returns     SoakingPitTable; an arrival due exactly at 500 h is not counted
    """
    with localcontext(prec=DIGITS):
        pits = Pits()
        pits.ingots = [Ingot(LIMIT - h, Decimal(0)) for h in INGOTS_AT_START]
        arrived = 0
        while True:
            arrival = arrived * Decimal(interval)
            goal = min(arrival, HORIZON)
            ready = pits.span_until_ready(goal - pits.now)
            if ready is not None:
                pits.advance(ready)
                pits.open()
            elif arrival < HORIZON:
                pits.advance(arrival - pits.now)
                pits.arrive()
                arrived += 1
            else:
                pits.advance(HORIZON - pits.now)
                return _table(pits, arrived)


def _table(pits: Pits, arrived: int) -> SoakingPitTable:
    return SoakingPitTable(
        arrived=arrived,
        removed=len(pits.heating_times),
        removals=tuple(pits.removals),
        left_in_pits=len(pits.ingots),
        bank=len(pits.bank),
        mean_heating_time=_mean(pits.heating_times),
        mean_final_temperature=_mean(pits.final_temperatures),
        mean_number_in_pits=float(pits.ingot_hours / HORIZON),
        mean_wait=_mean(pits.waits),
        longest_wait=float(max(pits.waits)),
        last_furnace_temperature=float(LIMIT - pits.deficit),
        lowest_furnace_temperature=float(LIMIT - pits.largest_deficit),
    )


def _mean(values: list[Decimal]) -> float:
    return float(sum(values) / len(values))
