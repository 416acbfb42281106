"""Every construct of vectors that a law may use: as numpy and as a kernel, to the last bit."""
# laws are written in every way that Python allows

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from compiled.harness import compare_law, new_registry

import eventide as ev
from eventide.lowering import CannotLower, lower_law

SHAKES = 60
ENDS = np.array([0.5, -1.5, 2.0])
WIDTH = 3


class Wall(ev.Continuous):
    """A neighbour, whose vector has another name and size."""

    w: ev.StateVector = ev.state_vector(size=4, assigned=True)
    heat: ev.State = ev.state(0.0)


class Rod(ev.Continuous):
    """Vectors of several kinds beside single quantities."""

    cells: int = 7
    wall: Wall
    k: float = 0.5
    power: float = 1.5
    x: ev.State = ev.state(1.0)
    u: ev.StateVector = ev.state_vector(size="cells", assigned=True)
    v: ev.StateVector = ev.state_vector(2.0, size="cells", assigned=True)
    few: ev.StateVector = ev.state_vector([1.0, 2.0, 3.0], size=WIDTH, assigned=True)
    only: ev.StateVector = ev.state_vector(size=1, assigned=True)
    flux: ev.ComputedVector = ev.computed_vector(size="cells")
    q: ev.Computed = ev.computed()
    weights: Any = None

    def second(self, values: Any) -> Any:
        return values[2:] - 2 * values[1:-1] + values[:-2]

    def delayed(self, values: Any) -> Any:
        self.v[0] = 9.0
        return values + self.v

    def push(self, values: Any, by: float) -> None:
        values[:] += by

    @property
    def middle(self) -> Any:
        return self.u[1:-1]


LAWS = []


def law(function):
    LAWS.append(function)
    return function


@law
def heat(self):
    self.rate.u[1:-1] = self.k * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])
    self.rate.u[0] = self.x - self.u[0]
    self.rate.u[-1] = -self.u[-1]


@law
def heat_by_loop(self):
    for i in range(1, self.cells - 1):
        self.rate.u[i] = self.k * (self.u[i + 1] - 2 * self.u[i] + self.u[i - 1])
    for i in range(len(self.u) - 1, 0, -1):
        self.rate.v[i] += self.u[-i]


@law
def ring(self):
    n = self.cells
    for i in range(n):
        self.rate.u[i] = self.u[(i + 1) % n] - self.u[i - 1]
        self.rate.v[i] = self.v[min(i + 1, n - 1)] - self.v[max(i - 1, 0)]
        right = i + 1 if i < n - 1 else 0
        self.flux[i] = self.u[right]


@law
def whole_vectors(self):
    self.rate.u = self.v
    self.rate.v = -self.u + self.x
    self.rate.few = 2.0
    self.rate.few += self.few
    self.flux = self.u * self.v / 3.0
    self.flux[::2] = self.flux[1::2].sum()
    self.u = self.u * 0.5


@law
def names_are_values_or_views(self):
    u = self.u
    doubled = 2.0 * u
    u[0] = 5.0
    u[1:3] *= -1.0
    same = doubled
    same[1] = self.x
    same[-2:] = 0.25
    doubled += 1.0
    self.rate.u = doubled + u
    self.rate.v[:] = same


@law
def overlapping(self):
    self.u[1:] = self.u[:-1] * 2.0
    self.u[:-1] = self.u[1:]
    self.u[::-1] = self.u
    self.v[1:] += self.v[:-1]
    self.flux[:] = self.u
    self.flux[2:] = self.flux[:-2] + self.flux[1:-1]


@law
def helpers(self):
    self.rate.u[1:-1] = self.second(self.u) + self.middle
    self.rate.v[1:-1] = self.second(self.u * self.v)
    self.push(self.rate.v, self.x)
    self.flux = self.delayed(self.v * 2.0)
    self.push(self.rate.u[2:4], 1.0)


@law
def powers(self):
    u = abs(self.u) + 0.5
    self.rate.u = u**2 + u**0.5 + u**-1 + u**1 + u**0
    self.rate.v = u**3 + u**-2.5 + 2.0**self.u + u**self.v
    self.flux = u**self.power + u ** int(self.x) + self.u**3


@law
def divisions(self):
    self.rate.u = self.u / self.v + self.u // 0.75 + self.u % 3.0
    self.rate.v = self.u // self.v - 2.0 % self.u
    self.flux = 1.0 / self.u**0.5 - 2.0 / np.sqrt(self.v)
    self.q = self.u[0] // self.v[0] + self.u[1] % self.v[1] + self.u[2] / self.v[2]


@law
def functions_of_numpy(self):
    u, v = self.u, self.v
    self.rate.u = np.exp(u) + np.sin(u) * np.cos(v) - np.tanh(u * v)
    self.rate.v = np.sqrt(u) + np.log(abs(v)) + np.log1p(u**2) + np.expm1(u) + np.arctan2(u, v) + np.hypot(u, v)
    self.flux = np.maximum(u, v) + np.minimum(u, 0.5) + np.abs(u) + np.square(v) + np.sign(u) + np.floor(v)
    self.flux += np.rint(u) + np.ceil(v) + np.cbrt(u) + np.reciprocal(v) + np.fmod(u, 2.0) + np.power(v, 2)
    self.flux -= np.add(u, v) * np.negative(v) - np.subtract(u, 1.0) / np.multiply(u, 2.0)
    self.q = np.sin(self.x) + np.exp(u[0]) + np.sqrt(self.x) + np.maximum(self.x, 0.25)


@law
def functions_of_slices(self):
    self.rate.u[::2] = np.exp(self.u[::2]) + np.tanh(self.v[::-2])
    self.rate.v[1:4] = np.log1p(self.few * self.few) * self.weights[:3]


@law
def choices(self):
    u, v = self.u, self.v
    self.rate.u = np.where(u > 0.0, u, -v)
    self.rate.v = np.where((u < v) & (u > -1.0), np.sqrt(u), 0.0) + (u >= 1.0) * v
    self.flux = np.clip(u, -1.0, v)
    positive = u > self.x
    self.flux += np.where(positive | (v < 0.0), 1.0, v) + np.where(np.less(u, v), self.x, 2)
    self.q = 1.0 if (u > 2.0).any() else 2.0 if (v > -2.0).all() else 3.0


@law
def gathered(self):
    u = self.u
    self.q = u.sum() + np.sum(u * self.v) - u[1:].min() + np.max(u) + self.v.mean() + np.mean(u[::3])
    self.rate.x = sum(u) + min(u) + max(self.v) + sum(value * value for value in u) + sum(self.few)
    self.rate.few = len(u) + u.size + u.shape[0]
    for value in u[1:3]:
        self.rate.x += value
    self.rate.only = sum(1.0 for value in u * self.v if value > 0.0)


@law
def made_here(self):
    flow = np.zeros(self.cells + 1)
    flow[1:-1] = -self.k * np.diff(self.u)
    flow[0] = self.x
    self.rate.u = flow[:-1] - flow[1:]
    turned = np.roll(self.u, 1) - np.roll(self.u, -2)
    self.rate.v = turned + np.ones(7) + np.full(7, self.x) + np.zeros_like(turned) + np.ones_like(self.u)
    kept = self.u.copy()
    self.u[0] = 9.0
    self.flux = kept


@law
def running_sums(self):
    self.rate.u = np.cumsum(self.u * self.v)
    self.rate.few = np.cumsum(self.u[::-1])[:3] + np.cumsum(self.few)
    self.rate.only = np.cumsum(self.u)[-1]


@law
def arrays_outside(self):
    self.rate.u = self.weights * self.u
    self.rate.few = ENDS + self.few * ENDS[::-1]
    self.rate.few[0] = ENDS[0] + ENDS.sum() + self.weights[-1]
    for i in range(3):
        self.rate.few[i] -= ENDS[i] * self.weights[i]


@law
def others(self):
    wall = self.wall
    wall.rate.w[0] += self.k * (self.u[-1] - wall.w[0])
    wall.rate.w[1:] -= wall.w[1:] * self.x
    self.rate.u[-1] -= self.k * (self.u[-1] - wall.w[0])
    self.rate.x = wall.last.w[2] + self.last.u[1] + self.last.few.sum()
    wall.rate.heat = wall.w.max()


@law
def broadcast(self):
    self.rate.u = self.only * self.u
    self.rate.few[:] = self.only
    self.rate.v = (self.only + 1.0) / self.v
    self.flux[1:] = self.only + self.x
    self.rate.only = self.u[2:3]


@law
def at_run_time(self):
    place = int(abs(self.x)) % 7
    self.rate.u[place] = self.u[place - 3]
    k = 0
    while k < 6 and self.u[k] > 0.0:
        self.rate.v[k] += self.u[k + 1]
        k += 1
    self.q = self.u[int(self.x)] if -7.0 <= self.x < 7.0 else 0.5


@law
def on_ways(self):
    u = self.u
    scaled = u * 0.0
    if self.x > 0.0:
        scaled[:] = u * 2.0
        self.rate.u[:3] = u[:3]
    else:
        scaled[1:] = u[:-1]
    self.rate.v = scaled
    total = 0.0
    for i in range(self.cells):
        if u[i] < 0.0:
            continue
        if total > 6.0:
            break
        total += u[i]
        self.flux[i] = total
    self.q = total


@law
def side_by_side(self):
    for i, value in enumerate(self.u):
        self.rate.u[i] = -value
        if value > 3.0:
            break
    for one, other in zip(self.few, self.v[1:] * self.x, strict=False):
        if one < 0.0:
            continue
        self.rate.x += one * other
    for value in self.only:
        if value > 0.0:
            break
        self.q = value
    self.rate.few[0] = sum(i * value for i, value in enumerate(self.few))


@law
def written_out(self):
    for rate, y, end in ((self.rate.u, self.u, 1.0), (self.rate.v, self.v, self.x)):
        rate[1:] = y[:-1]
        rate[0] = end
    total = 0.0
    for weight in (0.5, self.k, self.x, 2.0):
        if weight < 0.0:
            continue
        if total > 2.0:
            break
        total += weight
    self.q = total + sum(value * 2.0 for value in (self.x, self.u[1], 3.0))


@law
def scalars_from_items(self):
    a, b = self.u[0], self.v[1:3]
    self.rate.x = a * 2 + math.sin(a) + min(a, 1.0) + round(a) + int(a) + float(a) + abs(a) + a**2
    self.rate.u[1:3] = b
    self.q = 0.0
    self.q += b[0] if a > self.u[1] and not b[1] < 0.0 else b[1]


@pytest.fixture(scope="module")
def registry():
    return new_registry()


def new_rod(**options: Any) -> Rod:
    sim = ev.Simulation(rng=1)
    rod = Rod(sim, wall=Wall(sim), **options)
    rod.weights = np.linspace(-1.0, 2.0, rod.cells)
    return rod


@pytest.mark.slow
@pytest.mark.parametrize("function", LAWS, ids=lambda f: f.__name__)
def test_a_kernel_gives_the_bits_of_numpy(registry, function) -> None:
    counts = compare_law(registry, new_rod(), function, shakes=SHAKES)
    assert counts.equal + counts.raised == SHAKES
    assert counts.equal >= SHAKES // 4


@pytest.mark.slow
@pytest.mark.parametrize("cells", [3, 8, 9, 130, 1000])
@pytest.mark.parametrize("function", [heat, heat_by_loop, gathered], ids=lambda f: f.__name__)
def test_every_size_has_a_kernel_of_its_own(registry, function, cells) -> None:
    assert compare_law(registry, new_rod(cells=cells), function, shakes=20).equal >= 10


def test_objects_of_one_size_share_a_kernel() -> None:
    registry = new_registry()
    sim = ev.Simulation(rng=1)
    wall = Wall(sim)
    for cells in (5, 5, 8, 5):
        registry.law(Rod(sim, wall=wall, cells=cells), heat)
    assert registry.lowered == 2


def test_a_kernel_of_one_size_does_not_fit_another() -> None:
    registry = new_registry()
    sim = ev.Simulation(rng=1)
    short, long = (Rod(sim, wall=Wall(sim), cells=cells) for cells in (5, 8))
    bound = registry.law(short, heat)
    assert bound.kernel.lowered.bind(heat, (long,)) is None
    assert bound.kernel.lowered.bind(heat, (Rod(sim, wall=Wall(sim), cells=5),)) is not None


def test_a_longer_array_has_a_kernel_of_its_own() -> None:
    registry = new_registry()
    rod = new_rod()
    first = registry.law(rod, arrays_outside)
    rod.weights = rod.weights * 2.0
    assert registry.law(rod, arrays_outside).kernel is first.kernel
    rod.weights = np.ones(8)
    assert first.kernel.lowered.bind(arrays_outside, (rod,)) is None
    rod.weights = np.ones((7, 1))
    assert first.kernel.lowered.bind(arrays_outside, (rod,)) is None


@pytest.mark.slow
def test_loops_over_objects_with_vectors_want_one_size() -> None:
    class Pack(ev.Continuous):
        rods: list[Rod] = ev.field(default_factory=list)
        total: ev.Computed = ev.computed()

        def equations(self) -> None:
            self.total = sum(rod.u[0] + rod.u.sum() for rod in self.rods)
            for rod in self.rods:
                rod.rate.u[1:] += rod.u[:-1]
                rod.flux = rod.u * 2.0

    sim = ev.Simulation(rng=1)
    wall = Wall(sim)
    pack = Pack(sim, rods=[Rod(sim, wall=wall, cells=6) for _ in range(3)])
    assert compare_law(new_registry(), pack, Pack.equations).equal == SHAKES
    pack.rods.append(Rod(sim, wall=wall, cells=4, name="short"))
    with pytest.raises(CannotLower, match="the vectors of the items differ in size, as those of Rod 1 and short do"):
        lower_law(pack, Pack.equations)
