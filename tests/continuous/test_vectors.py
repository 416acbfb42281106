"""Vectors of states: declaring, reading, writing, integrating, recording, waiting; compiled and as plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import eventide as ev

MODES = [pytest.param(True, id="compiled"), pytest.param(False, id="plain")]


class Rod(ev.Continuous):
    cells: int = 5
    k: float = 1.0
    lost: ev.State = ev.state(0.0, unit="J")
    flux: ev.ComputedVector = ev.computed_vector(size="cells", unit="W")
    u: ev.StateVector = ev.state_vector(size="cells", unit="degC", abs_error=1e-7)
    mean: ev.Computed = ev.computed()

    def equations(self) -> None:
        u = self.u
        self.flux = -self.k * u
        self.mean = u.mean()
        self.rate.lost = u.sum()
        self.rate.u = self.flux


class Heat(ev.Continuous):
    """A wall between two ends that are kept at zero; the first sine decays as exp(-a t)."""

    cells: int = 21
    u: ev.StateVector = ev.state_vector(size="cells")

    def equations(self) -> None:
        square = (self.cells - 1) ** 2
        self.rate.u[1:-1] = square * (self.u[2:] - 2.0 * self.u[1:-1] + self.u[:-2])


def sine(cells: int) -> np.ndarray:
    return np.sin(np.pi * np.arange(cells) / (cells - 1))


# --- declaring --------------------------------------------------------------------------------------------------------


def test_initial_values_are_a_number_an_array_or_set_before_the_start() -> None:
    sim = ev.Simulation(rng=1)
    assert Rod(sim).u.tolist() == [0.0] * 5
    assert Rod(sim, u=3).u.tolist() == [3.0] * 5
    assert Rod(sim, cells=2, u=[1.0, 2.0]).u.tolist() == [1.0, 2.0]
    rod = Rod(sim, cells=3)
    rod.u = np.array([1, 2, 3])
    assert rod.start().u.tolist() == [1.0, 2.0, 3.0]


def test_a_size_is_a_number_or_a_field_and_fields_have_defaults() -> None:
    class Pair(ev.Continuous):
        n: int
        a: ev.StateVector = ev.state_vector([1.0, 2.0], size=2)
        b: ev.StateVector = ev.state_vector(4.0, size="n")

    pair = Pair(ev.Simulation(), n=3)
    assert (pair.a.tolist(), pair.b.tolist(), pair.n) == ([1.0, 2.0], [4.0, 4.0, 4.0], 3)
    with pytest.raises(TypeError, match=r"Pair\(\.\.\.\) is missing n="):
        Pair(ev.Simulation())


def test_a_size_may_be_a_whole_number_of_numpy() -> None:
    class Rod(ev.Continuous):
        cells: int = 2
        heat: ev.StateVector = ev.state_vector(1.0, size="cells")
        ends: ev.StateVector = ev.state_vector(0.0, size=np.int64(2))

        def equations(self) -> None:
            self.rate.heat[:] = 1.0

    sim = ev.Simulation()
    rods = [Rod(sim, cells=cells).start() for cells in (np.int64(3), 3)]
    sim.run(until=1.0)
    assert [(len(rod.heat), len(rod.ends), rod.heat.sum()) for rod in rods] == [(3, 2, 6.0)] * 2


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "absent", "k"])
def test_a_size_that_is_none_is_refused_where_it_is_declared(size: Any) -> None:
    annotations = {"k": float, "u": ev.StateVector}
    members = {"__annotations__": annotations, "k": 1.0, "u": ev.state_vector(size=size), "__module__": __name__}
    with pytest.raises(TypeError, match=rf"Bad\.u has the size {size!r}"):
        type("Bad", (ev.Continuous,), members)


def test_a_vector_needs_a_size_and_its_own_annotation() -> None:
    with pytest.raises(TypeError, match=r"write `u: ev.StateVector = ev.state_vector\(size=\.\.\.\)`"):

        class Bare(ev.Continuous):
            u: ev.StateVector

    with pytest.raises(TypeError, match=r"write `u: ev.StateVector = ...`"):

        class Wrong(ev.Continuous):
            u: ev.State = ev.state_vector(size=3)

    with pytest.raises(TypeError, match="declares the vector u, and is not a Continuous"):

        class Still(ev.Component):
            u: ev.StateVector = ev.state_vector(size=3)


@pytest.mark.parametrize("starts", [[1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0])], ids=["list", "tuple", "array"])
def test_a_sequence_of_starts_tells_the_size(starts: Any) -> None:
    class Pair(ev.Continuous):
        u: ev.StateVector = ev.state_vector(starts)

        def equations(self) -> None:
            self.rate.u = self.u

    sim = ev.Simulation()
    pair = Pair(sim).start()
    sim.run(until=1.0)
    assert pair.u == pytest.approx(np.exp(1.0) * np.array([1.0, 2.0]), rel=1e-5)


@pytest.mark.parametrize(("cells", "error"), [(0, ValueError), (-3, ValueError), (2.0, TypeError), ("4", TypeError)])
def test_an_object_with_a_size_that_is_none_is_not_made(cells: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=rf"Rod\(\.\.\.\) takes .* and got {cells!r}"):
        Rod(ev.Simulation(), cells=cells)


def test_the_size_is_fixed_when_an_object_is_made() -> None:
    rod = Rod(ev.Simulation(), cells=4, name="rod")
    rod.cells = 4
    with pytest.raises(ev.ModelError, match=r"rod\.cells is 4, the size of flux, u, and was fixed .* cannot become 5"):
        rod.cells = 5
    assert (rod.cells, len(rod.u)) == (4, 4)


def test_a_class_with_a_constructor_of_its_own_takes_the_default_size() -> None:
    class Own(Rod):
        def __init__(self, sim: ev.Simulation) -> None:
            super().__init__(sim, name="own")

    class Plain(ev.Continuous):
        n: int = 3
        u: ev.StateVector = ev.state_vector(1.5, size="n")

        def __init__(self, sim: ev.Simulation) -> None:
            ev.Continuous.__init__(self, sim)

    assert len(Own(ev.Simulation()).u) == 5
    assert Plain(ev.Simulation()).u.tolist() == [1.5] * 3


def test_objects_of_one_class_may_differ_in_size() -> None:
    sim = ev.Simulation()
    small, large = Rod(sim, cells=2, u=1.0).start(), Rod(sim, cells=300, u=2.0).start()
    sim.run(until=1.0)
    assert small.u == pytest.approx([math.exp(-1.0)] * 2, rel=1e-5)
    assert large.u == pytest.approx([2.0 * math.exp(-1.0)] * 300, rel=1e-5)


# --- reading and writing ----------------------------------------------------------------------------------------------


def test_what_is_read_is_a_copy_that_tells_how_to_write() -> None:
    sim = ev.Simulation()
    rod = Rod(sim, u=1.0, name="rod").start()
    before = rod.u
    sim.run(until=1.0)
    assert before.tolist() == [1.0] * 5
    assert isinstance(rod.u * 2.0, np.ndarray)
    assert type(rod.u * 2.0) is np.ndarray
    for values in (rod.u, rod.rate.u, rod.last.u, rod.u[1:], rod["u"].state):
        with pytest.raises(
            ev.ModelError, match=r'rod\.u is read as a copy, .* `with component\["u"\]\.write\(\) as u:`'
        ):
            values[0] = 9.0
    value = float(rod.u[0])
    assert repr(rod["u"]) == f"<rod.u: 5 values from {value!r} to {value!r} degC>"


def test_assignments_write_as_a_whole_or_not_at_all() -> None:
    rod = Rod(ev.Simulation(), cells=3, u=[1.0, 2.0, 3.0], name="rod")
    rod.u += 1.0
    rod.u *= [1.0, 2.0, 3.0]
    assert rod.u.tolist() == [2.0, 6.0, 12.0]
    rod.u /= 2.0
    rod.u -= rod.u[0]
    rod.u **= 2
    assert rod.u.tolist() == [0.0, 4.0, 25.0]
    for value, error, what in (
        ([1.0, 2.0], ValueError, r"rod\.u takes one number for all or 3 \(the field cells\), and got .*shape \(2,\)"),
        (np.zeros((3, 1)), ValueError, r"the shape \(3, 1\)"),
        ([1.0, math.nan, 3.0], ValueError, r"that are finite, and got nan for u\[1\]"),
        (math.inf, ValueError, r"got inf for u\[0\]"),
        ("text", TypeError, "and got 'text'"),
        ([1.0, None, 2.0], TypeError, "and got"),
    ):
        with pytest.raises(error, match=what):
            rod.u = value
    assert rod.u.tolist() == [0.0, 4.0, 25.0]


def test_items_are_written_in_a_block_that_counts_only_if_it_ends_well() -> None:
    rod = Rod(ev.Simulation(), cells=3, u=1.0)
    with rod["u"].write() as u:
        u[1] = 5.0
        assert rod.u.tolist() == [1.0, 1.0, 1.0]
    assert rod.u.tolist() == [1.0, 5.0, 1.0]
    with pytest.raises(ZeroDivisionError), rod["u"].write() as u:
        u[0] = 1 / 0
    with pytest.raises(ValueError, match="finite"), rod["u"].write() as u:
        u[:] = math.nan
    assert rod.u.tolist() == [1.0, 5.0, 1.0]


@pytest.mark.parametrize("compiled", MODES)
def test_writing_in_an_event_ends_the_step_there(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled, rel_error=1e-9)
    rod = Rod(sim, u=1.0).start()

    def change() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        rod.u += 1.0
        yield ev.hold(0.5)
        with rod["u"].write() as u:
            u[2] = 0.0

    sim.process(change())
    sim.run(until=1.5)
    expected = ((math.exp(-0.5) + 1.0) * math.exp(-0.5)) * math.exp(-0.5)
    assert rod.u == pytest.approx([expected, expected, 0.0, expected, expected], rel=1e-7)
    assert rod["u"][2].state == 0.0


def test_items_have_variables_of_their_own() -> None:
    sim = ev.Simulation(abs_error=1e-5)
    rod = Rod(sim, cells=3, u=[1.0, 2.0, 3.0], name="rod")
    u = rod["u"]
    assert [item.name for item in u] == ["rod.u[0]", "rod.u[1]", "rod.u[2]"]
    assert (u[-1], len(u), u[1].state) == (u[2], 3, 2.0)
    with pytest.raises(IndexError):
        u[3]
    assert u.abs_error.tolist() == [1e-7] * 3
    assert rod["lost"].abs_error == 1e-5
    u[1].abs_error = 1e-3
    u.rel_error = 0.5
    assert (u.abs_error.tolist(), u.rel_error.tolist()) == ([1e-7, 1e-3, 1e-7], [0.5] * 3)
    with pytest.raises(KeyError, match="it has: lost, mean, flux, u"):
        rod["w"]
    u[0].state = 7.0
    assert rod.u.tolist() == [7.0, 2.0, 3.0]
    assert "u" in dir(rod.rate)


@pytest.mark.parametrize("compiled", MODES)
def test_a_vector_stops_and_starts_as_one(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled)
    rod = Rod(sim, u=1.0).start()

    def switch() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        rod["u"].stop()
        assert not rod["u"].active
        yield ev.hold(1.0)
        assert rod.rate.u.tolist() == [0.0] * 5 or rod["u"][0].rate == rod.rate.u[0]
        rod["u"].start()
        assert rod["u"].active
        assert rod["u"].start().active

    sim.process(switch())
    sim.run(until=3.0)
    assert rod.u == pytest.approx([math.exp(-2.0)] * 5, rel=1e-5)
    assert rod.lost == pytest.approx(5.0 * (1.0 - math.exp(-2.0) + math.exp(-1.0)), rel=1e-5)
    assert len(sim.variables) == 6


@pytest.mark.slow
def test_views_follow_when_the_memory_grows() -> None:
    sim = ev.Simulation(compile=False)
    first = Rod(sim, u=1.0).start()
    others = [Rod(sim, cells=50, u=2.0).start() for _ in range(20)]
    sim.run(until=1.0)
    assert first.u == pytest.approx([math.exp(-1.0)] * 5, rel=1e-5)
    assert others[-1].rate.u == pytest.approx([-2.0 * math.exp(-1.0)] * 50, rel=1e-5)


# --- the laws ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", MODES)
def test_heat_decays_as_the_first_sine_does(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled, rel_error=1e-9, abs_error=1e-12)
    wall = Heat(sim, u=sine(21)).start()
    sim.run(until=0.1)
    decay = math.exp(-0.1 * 4.0 * 20.0**2 * math.sin(math.pi / 40.0) ** 2)
    assert wall.u == pytest.approx(sine(21) * decay, rel=1e-7, abs=1e-15)


def test_a_brusselator_of_two_hundred_states_compiles_and_keeps_its_bits() -> None:
    class Brusselator(ev.Continuous):
        """Source: Hairer, Norsett and Wanner, Solving ODEs I, II.10."""

        n: int = 100
        u: ev.StateVector = ev.state_vector(size="n")
        v: ev.StateVector = ev.state_vector(3.0, size="n")

        def equations(self) -> None:
            u, v, c = self.u, self.v, 0.02 * (self.n + 1) ** 2
            reaction = u**2 * v
            self.rate.u = 1.0 + reaction - 4.0 * u
            self.rate.v = 3.0 * u - reaction
            for rate, y, end in ((self.rate.u, u, 1.0), (self.rate.v, v, 3.0)):
                rate[1:-1] += c * (y[:-2] - 2.0 * y[1:-1] + y[2:])
                rate[0] += c * (end - 2.0 * y[0] + y[1])
                rate[-1] += c * (y[-2] - 2.0 * y[-1] + end)

    def run(compiled: Any) -> tuple[Any, ...]:
        sim = ev.Simulation(compile=compiled, stepping="together", rel_error=1e-4, abs_error=1e-4)
        x = np.arange(1, 101) / 101.0
        model = Brusselator(sim, u=1.0 + np.sin(2.0 * np.pi * x)).start()
        sim.run(until=0.02)
        return model.u.tolist(), model.v.tolist(), sim.monitor.steps, sim.monitor.refused

    assert run(True) == run(False)


@pytest.mark.parametrize("compiled", MODES)
def test_a_difference_equation_of_a_vector(compiled: bool) -> None:
    class Delay(ev.Continuous):
        taps: ev.StateVector = ev.state_vector(size=3, assigned=True)

        def equations(self) -> None:
            self.taps[0] = self.sim.time
            self.taps[1:] = self.last.taps[:-1]

    sim = ev.Simulation(compile=compiled, dt_max=0.25)
    line = Delay(sim).start()
    sim.run(until=2.0)
    assert line.taps.tolist() == [2.0, 1.75, 1.5]


@pytest.mark.parametrize("compiled", MODES)
def test_two_laws_may_set_different_items_of_one_vector(compiled: bool) -> None:
    class End(ev.Continuous):
        rod: Heat

        def equations(self) -> None:
            self.rod.rate.u[0] = 1.0
            self.rod.rate.u[3:5] += 1.0

    sim = ev.Simulation(compile=compiled)
    wall = Heat(sim, cells=7).start()
    End(sim, rod=wall).start()
    sim.run(until=0.5)
    assert wall.u[0] == pytest.approx(0.5)
    assert wall.u[4] > 0.0


@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize("how", ["item", "slice", "whole"])
def test_two_laws_that_set_one_item_are_an_error_that_names_it(compiled: bool, how: str) -> None:
    class Item(ev.Continuous):
        rod: Heat

        def equations(self) -> None:
            self.rod.rate.u[2] = 1.0

    class Slice(ev.Continuous):
        rod: Heat

        def equations(self) -> None:
            self.rod.rate.u[2:4] = 1.0

    class Whole(ev.Continuous):
        rod: Heat

        def equations(self) -> None:
            self.rod.rate.u = self.rod.u

    sim = ev.Simulation(compile=compiled)
    wall = Heat(sim, cells=7, name="wall").start()
    cls, place = {"item": (Item, 2), "slice": (Slice, 2), "whole": (Whole, 1)}[how]
    cls(sim, rod=wall, name="end").start()
    with pytest.raises(ev.ModelError, match=rf"end sets the rate of wall\.u\[{place}\], which wall has set already"):
        sim.run(until=1.0)


@pytest.mark.parametrize("compiled", MODES)
def test_adding_to_the_rates_of_others_is_no_error(compiled: bool) -> None:
    class Source(ev.Continuous):
        rod: Heat

        def equations(self) -> None:
            self.rod.rate.u += 1.0
            self.rod.rate.u[1:3] -= 0.5

    class Item(ev.Continuous):
        rod: Heat

        def equations(self) -> None:
            self.rod.rate.u[2] += 1.0

    sim = ev.Simulation(compile=compiled)
    wall = Heat(sim, cells=5).start()
    Source(sim, rod=wall).start()
    Item(sim, rod=wall).start()
    sim.run(until=0.25)
    assert wall.u[0] == pytest.approx(0.25)


@pytest.mark.parametrize("compiled", MODES)
def test_the_item_that_cannot_be_integrated_is_named(compiled: bool) -> None:
    class Pole(ev.Continuous):
        u: ev.StateVector = ev.state_vector([1.0, 0.5, 1.0], size=3)

        def equations(self) -> None:
            self.rate.u = -1.0 / self.u

    sim = ev.Simulation(compile=compiled, dt_min=1e-9)
    Pole(sim, name="pole").start()
    with pytest.raises(ev.SimulationError, match=r"pole\.u\[1\] needs steps shorter") as caught:
        sim.run(until=10.0)
    assert caught.value.time == pytest.approx(0.125, abs=1e-3)


def test_an_item_that_is_not_there_is_met_at_the_users_line() -> None:
    class Past(ev.Continuous):
        place: int = 0
        u: ev.StateVector = ev.state_vector(1.0, size=3)

        def equations(self) -> None:
            self.rate.u[self.place] = 1.0

    sim = ev.Simulation(compile=True)
    past = Past(sim).start()

    def step() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        past.place = 3

    sim.process(step())
    with pytest.raises(IndexError):
        sim.run(until=2.0)
    assert sim.time == 1.0


# --- waiting and recording --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", MODES)
@pytest.mark.parametrize(
    "condition",
    [
        lambda rod: rod.u[3] <= 0.5,
        lambda rod: rod.u.max() <= 0.5,
        lambda rod: (rod.u <= 0.5).all(),
        lambda rod: rod.flux[1] >= -0.5,
        lambda rod: rod.u[1:4].sum() <= 1.5,
        lambda rod: np.exp(-rod.u)[0] >= math.exp(-0.5),
        lambda rod: rod["u"][2].state <= 0.5,
        lambda rod: rod.rate.u[2] >= -0.5,
    ],
    ids=["item", "max", "all", "computed", "sum", "exp", "variable", "rate"],
)
def test_conditions_on_vectors(compiled: bool, condition: Any) -> None:
    sim = ev.Simulation(compile="auto" if compiled else False, rel_error=1e-9)
    rod = Rod(sim, u=1.0).start()
    woken: list[float] = []

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: condition(rod))
        woken.append(sim.time)

    sim.process(wait())
    sim.run(until=2.0)
    assert woken == [pytest.approx(math.log(2.0), rel=1e-7)]


@pytest.mark.parametrize("compiled", MODES)
def test_writing_a_vector_that_stands_still_wakes_who_reads_it(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled)
    rod, other = Rod(sim), Rod(sim, u=1.0).start()
    woken: list[float] = []

    def wait() -> ev.ProcessGenerator:
        yield ev.until(lambda: rod.u[1] > 2.0)
        woken.append(sim.time)

    def change() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        rod.u = 3.0

    sim.process(wait())
    sim.process(change())
    sim.run(until=2.0)
    assert woken == [1.0]
    assert other.u[0] < 1.0


@pytest.mark.parametrize("compiled", MODES)
def test_a_recording_has_a_column_for_each_item(compiled: bool) -> None:
    sim = ev.Simulation(compile=compiled, rel_error=1e-9)
    rod = Rod(sim, cells=2, u=[1.0, 2.0], name="rod").start()
    trace = sim.record(rod, every=0.5)
    part = sim.record(rod["u"], every="event")
    sim.run(until=1.0)
    assert [column.name for column in trace.columns] == [
        "rod.lost", "rod.u[0]", "rod.u[1]", "rod.mean", "rod.flux[0]", "rod.flux[1]"
    ]  # fmt: skip
    assert [column.unit for column in part.columns] == ["degC", "degC"]
    assert repr(trace).endswith("3 rows of rod.lost, rod.u[0] ... [1], rod.mean, rod.flux[0] ... [1]>")
    with pytest.raises(KeyError, match=r"it has: rod\.lost, rod\.u\[0\] \.\.\. \[1\], rod\.mean"):
        trace["rod.u[2]"]
    assert trace.times.tolist() == [0.0, 0.5, 1.0]
    assert trace["rod.u[1]"] == pytest.approx([2.0, 2.0 * math.exp(-0.5), 2.0 * math.exp(-1.0)])
    assert trace["rod.flux[0]"] == pytest.approx(-trace["rod.u[0]"])


def test_both_sides_of_an_event_are_kept_for_a_vector() -> None:
    sim = ev.Simulation()
    rod = Rod(sim, cells=2, u=1.0, name="rod").start()
    trace = sim.record(rod["u"], every=1.0)

    def jump() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        with rod["u"].write() as u:
            u[1] = 5.0

    sim.process(jump())
    sim.run(until=2.0)
    assert trace.times.tolist() == [0.0, 1.0, 1.0, 2.0]
    assert trace["rod.u[0]"][1] == trace["rod.u[0]"][2]
    assert trace["rod.u[1]"][2] == 5.0


def test_a_kink_of_a_vector_without_a_jump_is_kept_on_both_sides() -> None:
    class Slow(ev.Continuous):
        k: float = 1.0
        u: ev.StateVector = ev.state_vector(1.0, size=2)

        def equations(self) -> None:
            self.rate.u = -self.k * self.u

    sim = ev.Simulation()
    rod = Slow(sim, name="rod").start()
    traces = [sim.record(rod["u"], every=1.0), sim.record(Slow, every=1.0)]

    def bend() -> ev.ProcessGenerator:
        yield ev.hold(0.5)
        rod.k = 3.0

    sim.process(bend())
    sim.run(until=1.0)
    assert [trace.times.tolist() for trace in traces] == [[0.0, 0.5, 0.5, 1.0]] * 2


def test_all_objects_of_a_class_are_recorded_if_they_are_of_one_size() -> None:
    sim = ev.Simulation()
    for name in ("a", "b"):
        Rod(sim, u=1.0, name=name).start()
    rods = sim.record(Rod, every=1.0)
    sim.run(until=1.0)
    assert [column.name for column in rods.columns] == [
        "lost", "mean", *(f"flux[{k}]" for k in range(5)), *(f"u[{k}]" for k in range(5))
    ]  # fmt: skip
    assert rods.components == ["a", "b", "a", "b"]
    Rod(sim, cells=3, name="short").start()
    with pytest.raises(ev.ModelError, match=r"columns for 5 items of flux, and short has 3: record .* one by one"):
        sim.run(until=2.0)

    class Unknown(ev.Continuous):
        n: int
        u: ev.StateVector = ev.state_vector(size="n")

    with pytest.raises(ev.ModelError, match="objects of Unknown may differ in n, the size of a vector"):
        sim.record(Unknown)


def test_a_slice_of_the_variables_of_a_vector_is_refused_with_what_to_write() -> None:
    sim = ev.Simulation()
    rod = Rod(sim).start()
    with pytest.raises(
        ev.ModelError, match=r"by its number, not by a slice: .*sim.record\(\*\(vector\[k\] for k in range"
    ):
        sim.record(rod["u"][1:3])
    rows = sim.record(*(rod["u"][k] for k in range(1, 3)))
    assert len(rows.columns) == 2
