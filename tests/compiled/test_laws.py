"""Every construct a law may use: as Python and as a kernel, to the last bit."""

from __future__ import annotations

import math
from math import cos, exp, hypot, log, sqrt
from typing import ClassVar

import numpy as np
import pytest
from compiled import formulas
from compiled.harness import Moment, compare_law, new_registry, run_law, same_bits, set_clock, shake, table_of

import eventide as ev

GRAVITY = 9.81
WHOLE = 7
FLAG = True
DEBUG = False
SHAKES = 60


class House(ev.Continuous):
    warmth: ev.State = ev.state(20.0)
    loss: float = 0.25
    rooms: int = 4
    is_open: bool = True
    draught: ev.Computed = ev.computed()

    def leak(self, pressure: float, factor: float = 2.0) -> float:
        if pressure < 0.0:
            return -self.loss * factor
        return self.loss * factor * self.warmth

    @property
    def comfort(self) -> float:
        return self.warmth - self.draught


class Base(ev.Continuous):
    def swing(self) -> float:
        return 2.0 * self.x

    @staticmethod
    def half(value: float) -> float:
        return value / 2.0


class Probe(Base):
    """Everything that a component can have."""

    house: House
    twin: Probe | None = None
    guests: list[Probe] = ev.field(default_factory=list)
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(2.0)
    z: ev.State = ev.state(3.0)
    gain: float = 1.5
    count: int = 3
    flag: bool = False
    q: ev.Computed = ev.computed()
    total: ev.Sum = ev.sum_()
    LIMIT: ClassVar[float] = 2.5

    def swing(self) -> float:
        return super().swing() + 1.0

    def spread(self, low: float, *, high: float = 4.0) -> tuple[float, float]:
        middle = (low + high) / 2.0
        return low - middle, high - middle

    def push(self, by: float) -> None:
        self.rate.x += by

    @property
    def home(self) -> House:
        return self.house


LAWS = []


def law(function):
    LAWS.append(function)
    return function


@law
def assignments(self):
    """A docstring, several targets, tuples, augmented and annotated assignments."""
    a = b = self.x
    c, d = b, a + 1.0
    c, d = d, c
    e: float = c
    f: float
    (g, h), i = (e, d), 2
    e += 1.0
    e -= self.y
    e *= 2.0
    e /= 3.0
    pass
    self.rate.x = e
    self.rate.y, self.rate.z = g - h, i


@law
def arithmetic(self):
    self.rate.x = (self.x + 2) * 3 - -self.y / 4.0 + (+self.z)
    self.rate.y = self.x // self.y + self.x % self.y
    self.rate.z = self.z // 2 + self.z % 2 - self.z % -0.75 + self.z // -0.75


@law
def whole_numbers(self):
    n = self.count
    k = n * 7 - 3
    self.rate.x = k // 2 + k % 5 + -k // 3 + -k % 3 + k // -4 + k % -4 + k // -1 + k % -1
    self.rate.y = k / 2 + n // WHOLE + (n - 5) // self.count + (n - 5) % self.house.rooms
    self.rate.z = abs(n - 9) + (-n) ** 3 + n**0 + 2**n + n**-2 + self.x * (0 * -n) + self.y * (0 // -n)


@law
def truths_as_numbers(self):
    self.rate.x = self.flag + (self.x > 0.0) * 2.5 + True
    self.rate.y = -(self.y > 0.0) + abs(self.y < 1.0) + float(self.z > 0)
    self.rate.z = int(self.flag) + bool(self.x) + (not self.y) + (self.x > 0) ** 2


@law
def powers(self):
    self.rate.x = self.x**2 + self.y**3 + self.x**-1 + self.z**0 + self.z**7
    self.rate.y = abs(self.x) ** 0.5 + abs(self.y) ** 1.7 + 2.0**self.z + self.gain**self.count
    self.rate.z = abs(self.x) ** self.y + self.count**self.z + pow_of(self.x, 2.0)


def pow_of(base, exponent):
    return math.pow(base, exponent)


@law
def functions(self):
    u = self.x / (1.0 + abs(self.x))
    self.rate.x = exp(u) + math.log(abs(self.y) + 1) + sqrt(abs(self.z)) + math.sin(self.x) + cos(self.y)
    self.rate.x += math.tan(self.z) + math.asin(u) + math.acos(u) + math.atan(self.x) + math.atan2(self.x, self.y)
    self.rate.y = math.sinh(u) + math.cosh(u) + math.tanh(self.x) + math.asinh(self.y) + math.acosh(1 + abs(self.z))
    self.rate.y += math.atanh(u) + math.expm1(u) + math.log1p(abs(u)) + math.log2(2 + u) + math.log10(2 + u)
    self.rate.z = math.exp2(u) + math.cbrt(self.x) + math.erf(self.y) + math.erfc(self.z) + math.fmod(self.x, self.y)
    self.rate.z += math.copysign(self.x, self.y) + math.degrees(u) + math.radians(self.z) + math.fabs(self.x)
    self.q = math.log(2.0 + u, 3) + math.pow(2.0, u) + math.pi + math.e - math.tau


@law
def rounding(self):
    self.rate.x = int(self.x) + round(self.y) + math.floor(self.z) + math.ceil(self.x) + math.trunc(self.y)
    self.rate.y = int(self.x) // 2 + round(self.y * 4) % 3 + int(self.flag) - math.floor(self.count) + round(0.5)
    self.rate.z = self.x * int(self.y / 10.0) + self.z * -round(self.x / 10.0)


@law
def questions_to_math(self):
    infinite = 1e308 * (10.0 + self.x * self.x)
    self.rate.x = math.isinf(infinite) + 2 * math.isnan(infinite - infinite) + 4 * math.isfinite(self.x)


@law
def least_and_greatest(self):
    self.rate.x = min(self.x, self.y) + max(self.x, self.y, self.z) + min(self.x, 1) + max(2, 3, self.count)
    self.rate.y = min(0.0, -0.0) * self.x + max(-0.0, 0.0) * self.y + min(-0.0, 0.0) * self.z
    self.rate.z = max(self.flag, self.x) + min(True, self.count)


@law
def branches(self):
    if self.x > 1.0:
        a = self.y
    elif self.x > 0.0:
        a = 2
        if self.flag:
            a = 3
    else:
        a = -self.y
    b = self.z if self.y < 0.0 else 1
    if self.y == self.z or self.x != self.x:
        return
    if not self.x:
        b = 4.0
    self.rate.x = a + b
    self.rate.y = (1 if self.x < self.y else 2.5) if self.z > 0 else self.flag


@law
def ways_that_are_never_gone(self):
    """What is known beforehand decides: the other way may hold anything."""
    if DEBUG:
        print(self.name, {"x": self.x})
    if self.house is None:
        raise ValueError("no house")
    self.rate.x = log_of(self.x) if DEBUG and self.x > 0 else 1.0
    self.rate.y = 3.0 if not DEBUG or print() else 4.0
    while DEBUG:
        print("endless")


def log_of(value):
    return math.log(value) if not DEBUG else print(value)


@law
def comparisons(self):
    self.rate.x = (0.0 < self.x <= 1.0 < self.y) + 2 * (self.x >= self.y != self.z) + 4 * (self.x == self.x)
    self.rate.y = (self.count > 2) + 2 * (self.count == 3.0) + 4 * (self.flag == False) + 8 * (1 < self.count < 9)  # noqa: E712
    self.rate.z = (self.x > 0 and self.y > 0 or self.z > 0) + 2 * (not (self.x > 0 and not self.y > 0))
    self.rate.z += 4 * ((self.x > 0) & (self.y > 0)) + 8 * ((self.x > 0) | (self.y > 0))


@law
def numbers_as_truths(self):
    a = 1.0
    if self.x and self.count:
        a += 2.0
    if not self.y or self.flag or a:
        a += 4.0
    while self.z and a < 20:
        a *= 2
    self.rate.x = a if self.x else 0.5


@law
def loops(self):
    total = 0
    for k in range(self.count):
        total += k * self.x
    for k in range(1, 10, 3):
        if k == 4:
            continue
        total += k
    for k in range(5, -3, -2):
        total -= k
        if k < 0:
            break
    k = 0
    steps = 0
    while True:
        k += 1
        steps = steps + 1.5
        if k > self.count:
            break
        for inner in range(k):
            if inner > 1:
                break
            total += inner / 7
    self.rate.x = total
    self.rate.y = steps + k
    self.rate.z = k


@law
def widening(self):
    """Numbers that begin whole and become floats, and the other way, in loops in loops."""
    a, b, c = 0, 1, True
    for i in range(3):
        for j in range(i + 1):
            a, b = b, a + self.x
            if j == 1:
                c = i
        b += c
    for k in range(int(self.count / 2) + 1):
        c = c + k
    for i in range(round(2.2)):
        c += i
    self.rate.x = a
    self.rate.y = b
    self.rate.z = c


@law
def early_return(self):
    self.rate.x = 1.0
    for k in range(5):
        for j in range(3):
            if self.x * k > j + 2:
                self.rate.y = k
                return
    while self.y > 1.0:
        return
    self.rate.z = 5.0


@law
def the_clock(self):
    sim = self.sim
    self.rate.x = self.sim.time + 2 * sim.dt
    self.rate.y = sim.last_time * self.house.sim.time


@law
def rates_and_last_states(self):
    self.rate.x = self.y
    self.rate.x /= 2.0
    self.rate.x += self.rate.y - self.last.x
    self.house.rate.warmth += self.rate.x * self.house.last.warmth
    rate = self.rate
    rate.z = rate.x + self["y"].rate + self["y"].state + self["z"].last_state
    self["y"].rate = rate.z
    self["z"].set_rate(rate.y)


@law
def difference_equations(self):
    self.x = self.last.x + self.sim.dt * self.y
    self.y += self.x
    self.q = self.x * 2
    self.total += self.q
    self.house.draught = self.total


@law
def parameters_of_others(self):
    house = self.house
    self.rate.x = house.loss * house.rooms + (house.is_open and self.flag) + house.warmth
    self.rate.y = house.rooms // 3 + (2 if house.is_open else self.gain)


@law
def helper_methods(self):
    low, high = self.spread(self.x)
    self.rate.x = low + self.half(high) + Base.half(self.y)
    self.push(self.house.leak(self.y))
    self.push(self.house.leak(pressure=self.z, factor=self.gain))
    self.rate.y = self.swing() + self.house.comfort + self.home.warmth
    first, second = self.spread(high=2.0, low=self.z)
    self.rate.z = first * Base.swing(self) + second * Probe.LIMIT


@law
def helper_functions(self):
    self.rate.x = formulas.drag(self.x, self.y) + formulas.twice(self.z) + formulas.DENSITY
    self.rate.y = formulas.of_house(self.house) + clip(self.x) + clip(self.y, high=self.gain)
    self.rate.z = GRAVITY * WHOLE + self.LIMIT - (3 if FLAG else 4)


def clip(value, low=-1.0, high=1.0):
    """A helper that calls another one of its module."""
    if value < low:
        return low
    return smaller(value, high)


def smaller(a, b):
    return a if a < b else b


@law
def references(self):
    if self.twin is None:
        self.rate.x = 1.0
    else:
        self.rate.x = self.twin.x
        self.twin.rate.y += self.x
    if self.twin is not None and self.twin.flag:
        self.rate.y = self.twin.gain
    other = self.twin.house if self.twin else self.house
    self.rate.z = other.warmth


@law
def lists(self):
    total = 0.0
    for guest in self.guests:
        if guest.flag:
            continue
        total += guest.x * guest.house.loss
        guest.rate.y += self.x / (1 + guest.count)
        if total > 5.0:
            break
    self.rate.x = total + len(self.guests)
    self.rate.y = 1 if self.guests else 2
    for guest in self.guests:
        for k in range(guest.count):
            guest.rate.z += k * guest.house.leak(guest.x)


@law
def reductions(self):
    self.rate.x = sum(guest.x for guest in self.guests) + sum(k * self.x for k in range(4)) + sum(k for k in range(3))
    self.rate.x += sum([guest.y for guest in self.guests], self.z) + sum((self.x for k in range(2)), 5)
    self.rate.y = min(guest.y for guest in self.guests) - max([guest.y * 2 for guest in self.guests])
    self.rate.z = any(guest.x > 1.0 for guest in self.guests) + 2 * all(guest.x > -2.0 for guest in self.guests)
    self.rate.z += 4 * any(guest.count for guest in self.guests if guest.flag if guest.x > 0)
    self.q = max((k for k in range(self.count - 3)), default=self.z)
    self.q += sum(max(guest.x + k for k in range(3)) for guest in self.guests)


@pytest.fixture(scope="module")
def registry():
    return new_registry()


def new_probe() -> Probe:
    sim = ev.Simulation(rng=1)
    house, other = House(sim), House(sim, loss=0.5, rooms=7, is_open=False)
    guests = [Probe(sim, house=(house, other)[k % 2], count=k, flag=k == 2, gain=0.5 + k) for k in range(4)]
    return Probe(sim, house=house, twin=guests[1], guests=guests)


@pytest.mark.parametrize("function", LAWS, ids=lambda f: f.__name__)
def test_a_kernel_gives_the_bits_of_python(registry, function) -> None:
    counts = compare_law(registry, new_probe(), function, shakes=SHAKES)
    assert counts.equal + counts.raised == SHAKES
    assert counts.equal >= SHAKES // 4
