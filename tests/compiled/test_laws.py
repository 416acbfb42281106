"""Every construct a law may use: as Python and as a kernel, to the last bit."""
# ruff: noqa: F842, FURB136, PIE790, RUF021  # laws are written in every way that Python allows

from __future__ import annotations

import math
from bisect import bisect, bisect_left, bisect_right
from dataclasses import dataclass
from math import cos, exp, sqrt
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from compiled import formulas
from compiled.harness import compare_law, new_registry, run_law, same_bits, table_of

import eventide as ev
from eventide.engine.stepper import R
from eventide.lowering import compile_kernel, lower_law
from eventide.native.store import Store

GRAVITY = 9.81
WHOLE = 7
FLAG = True
DEBUG = False
THIRD = 3
TABLE = [0.5, 1.5, 2.5]
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


@dataclass(frozen=True, slots=True)
class Stage:
    """A plain object with numbers."""

    flow: float = 3.5
    engines: int = 4
    is_lit: bool = True


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
    total: ev.Summed = ev.summed()
    bound: float | None = 2.0
    stage: Stage = Stage()
    table: tuple[float, ...] = (-2.0, -0.5, 0.25, 2.0, 2.0, 5.0)
    steps: list[int] = ev.field(default_factory=lambda: [-3, 7, 4])
    array: Any = None
    plain = 3.0
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
def signs_of_zero(self):
    self.rate.x = math.copysign(1.0, self.x // self.y) + 2 * math.copysign(1.0, self.x % self.y)
    self.rate.y = math.copysign(1.0, self.x % -2.0) + 2 * math.copysign(1.0, 0.0 % self.y)
    self.rate.z = math.copysign(1.0, -self.x * 0.0) + 2 * math.copysign(1.0, abs(-0.0))


@law
def whole_numbers(self):
    n = self.count
    k = n * 7 - 3
    self.rate.x = k // 2 + k % 5 + -k // 3 + -k % 3 + k // -4 + k % -4 + k // -1 + k % -1
    self.rate.y = k / 2 + n // WHOLE + (n - 5) // self.count + (n - 5) % self.house.rooms
    self.rate.z = abs(n - 9) + (-n) ** 3 + n**0 + 2**n + n**-2 + (n * 2**40 + 1) % 7 + (n * 2**40 + 1) // 10**9
    for _ in range(n // self.house.rooms + abs(-n) + n**2 - n * n):
        self.q += 1.0
    for _ in range(min(self.count, int(abs(self.x)))):
        self.total += 1.0


@law
def whole_numbers_have_no_negative_zero(self):
    zero = round(self.x) - round(self.x)
    self.rate.x = self.x * (zero // -self.count)
    self.rate.y = self.x * (zero % -self.count)
    self.rate.z = self.x * -zero
    self.q = self.x * (zero * -self.count)
    self.total = self.x * round(-0.25)
    self.y = self.x * int(-0.25)
    self.z = self.x * (0 * -self.count)


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
def numbers_elsewhere(self):
    """In plain objects, undeclared, declared as something that may be None, in the class, in lists and arrays."""
    self.rate.x = self.stage.flow * self.stage.engines + self.stage.is_lit + self.extra + self.bound + self.plain
    self.rate.y = self.table[self.count] + self.table[-1] * self.steps[0] + self.array[-self.count] + len(self.steps)
    self.rate.y += self.steps[1] // self.count + TABLE[int(self.x) % 3] + sum(value for value in self.table)
    for value in self.steps:
        self.rate.z += value * self.x
    for guest in self.guests:
        self.rate.z += guest.bound * guest.extra
    if self.steps:
        self.q = max(value for value in self.array)


@law
def tables(self):
    k = bisect(self.table, self.x)
    share = self.table[k] - self.table[k - 1]
    self.rate.x = k + bisect_left(self.table, 2.0) + bisect_right(self.table, 2.0) + bisect_left(self.steps, self.y)
    self.rate.y = share / (self.table[1] - self.table[0])
    self.rate.z = self.array[bisect_right(self.array, self.z) - 1] if self.z >= self.array[0] else 0.0


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
    self.rate.y = (1 if self.guests else 2) + self.guests[0].x - self.guests[-1].gain * self.guests[THIRD - 1].y
    for guest in self.guests:
        for k in range(guest.count):
            guest.rate.z += k * guest.house.leak(guest.x)


@law
def reductions(self):
    self.rate.x = sum(guest.x for guest in self.guests) + sum(k * self.x for k in range(4)) + sum(k for k in range(3))
    self.rate.x += sum([guest.y for guest in self.guests], self.z) + sum((self.x for k in range(2)), 5.0)
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
    probe = Probe(sim, house=house, twin=guests[1], guests=guests)
    for k, one in enumerate((*guests, probe)):
        one.extra, one.array = 0.25 * k, np.array([-1.0, 0.0, 0.5 * k, 9.0])
    return probe


@pytest.mark.slow
@pytest.mark.parametrize("function", LAWS, ids=lambda f: f.__name__)
def test_a_kernel_gives_the_bits_of_python(registry, function) -> None:
    counts = compare_law(registry, new_probe(), function, shakes=SHAKES)
    assert counts.equal + counts.raised == SHAKES
    assert counts.equal >= SHAKES // 4


def compensated(values: list[float]) -> float:
    """The sum as CPython 3.12 and later form it. Source: CPython, Python/bltinmodule.c, builtin_sum."""
    total, rest = 0 + values[0], 0.0
    for value in values[1:]:
        after = total + value
        rest += (total - after) + value if abs(total) >= abs(value) else (value - after) + total
        total = after
    return total + rest if rest and math.isfinite(rest) else total


def total_of_guests(self):
    self.rate.x = sum(guest.x for guest in self.guests)
    self.rate.y = sum(guest.count for guest in self.guests)


@pytest.mark.parametrize("is_compensated", [False, True])
def test_sums_are_those_of_the_running_python(monkeypatch, is_compensated) -> None:
    version = SimpleNamespace(version_info=(3, 12) if is_compensated else (3, 11))
    monkeypatch.setattr("eventide.lowering.translation.reductions.sys", version)
    probe, rng = new_probe(), np.random.default_rng(3)
    kernel, binding = new_registry().law(probe, total_of_guests)
    samples = [[1e16, 1.0, -1e16, 3.0], [0.1, 0.2, 0.3, -0.6], [1e308, 1e308, -1e308, 1.0], [math.inf, 1.0, 2.0, 3.0]]
    samples += [list(rng.normal(0.0, 10.0 ** rng.integers(-8, 8), 4)) for _ in range(50)]
    found, expected = [], []
    for values in samples:
        for guest, value in zip(probe.guests, values, strict=True):
            guest.x = value
        run_law(kernel, [binding], table_of(probe.sim))
        found.append(table_of(probe.sim)[R, probe._base])
        expected.append(compensated(values) if is_compensated else values[0] + values[1] + values[2] + values[3])
        assert table_of(probe.sim)[R, probe._base + 1] == 0 + 1 + 2 + 3
    assert same_bits(np.array(found), np.array(expected))


def test_small_powers_are_products_unless_bits_are_asked_for() -> None:
    probe = new_probe()

    def law(self):
        self.rate.x = self.x**2 + self.x**-3 + abs(self.x) ** 0.5 + self.x**4.0
        self.rate.y = self.x**17

    fast, exact = lower_law(probe, law), lower_law(probe, law, exact_pow=True)
    assert fast.source.count("call double @pow(") == 1
    assert exact.source.count("call double @pow(") == 5
    kernel, binding = compile_kernel(fast, Store(None)), fast.bind(law, (probe,))
    for x in (0.7, -1.3, 2.5):
        probe.x = x
        run_law(kernel, [binding], table_of(probe.sim))
        assert table_of(probe.sim)[R, probe._base] == pytest.approx(x**2 + x**-3 + abs(x) ** 0.5 + x**4, rel=1e-15)


def test_only_hypot_may_differ_in_its_last_bit() -> None:
    probe, rng = new_probe(), np.random.default_rng(4)

    def law(self):
        self.rate.x = math.hypot(self.y, self.z)

    kernel, binding = new_registry().law(probe, law)
    for _ in range(100):
        probe.y, probe.z = rng.normal(0.0, 10.0, 2)
        run_law(kernel, [binding], table_of(probe.sim))
        found, expected = table_of(probe.sim)[R, probe._base], math.hypot(probe.y, probe.z)
        assert abs(found - expected) <= math.ulp(expected)


def test_the_least_whole_number_has_no_opposite() -> None:
    """The machine would stop the program at its quotient by -1."""
    probe = new_probe()

    def law(self):
        least = (self.count - 3) - 2**62 - 2**62
        self.rate.x = least // -1
        self.rate.y = least % -1

    kernel, binding = new_registry().law(probe, law)
    run_law(kernel, [binding], table_of(probe.sim))
    assert abs(table_of(probe.sim)[R, probe._base]) == 2.0**63
    assert table_of(probe.sim)[R, probe._base + 1] == 0.0
