"""Steps end where an input of their laws is not smooth."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import exp, floor, inf, nextafter

import numpy as np
import pytest

import eventide as ev
from eventide.inputs import HeldTable, Input, LinearTable, Pulse, Sampled, Sine, Step
from eventide.inputs.base import reached_inputs

MODES = pytest.mark.parametrize(
    ("compile_", "stepping"),
    [(True, "apart"), (True, "together"), (False, "apart"), (False, "together")],
    ids=["native apart", "native together", "plain apart", "plain together"],
)
TRAIN = Pulse(0.5, width=0.2)


class Filter(ev.Continuous):
    """x' = 5 (u - x); `seen` is u as the law last saw it."""

    push: Input
    x: ev.State = ev.state(0.0)
    seen: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.seen = self.push(self.sim.time)
        self.rate.x = (self.seen - self.x) * 5.0


def exact(signal: Input, until: float) -> float:
    """What a filter reaches by a signal that is constant between its breakpoints."""
    x = 0.0
    for low, high in pairwise([0.0, *signal.breakpoints(0.0, nextafter(until, -inf)), until]):
        u = signal(low)
        x = u + (x - u) * exp(-5.0 * (high - low))
    return x


def run(compile_: bool, stepping: str, signal: Input, until: float, **options: object) -> tuple[ev.Simulation, Filter]:
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping, **options)
    plant = Filter(sim, push=signal).start()
    sim.run(until=until)
    return sim, plant


@MODES
def test_a_pulse_train_costs_what_its_pieces_cost(compile_: bool, stepping: str) -> None:
    sim, plant = run(compile_, stepping, TRAIN, 10.0)
    assert plant.x == pytest.approx(exact(TRAIN, 10.0), abs=3e-6)
    # 40 pieces. Where a piece ends the step has grown, so that the next begins with one or two that are refused; to
    # find a jump by refusing costs as many as halve a step to nothing.
    assert sim.monitor.refused < 40
    assert sim.monitor.steps < 7 * 40


@MODES
def test_every_way_of_running_takes_the_same_steps(compile_: bool, stepping: str) -> None:
    ways = (run(compile_, stepping, TRAIN, 3.5), run(True, "together", TRAIN, 3.5))
    # At 3.5 is a breakpoint, so that all land there.
    results = [(plant.x, sim.monitor.steps, sim._continuum.evaluations) for sim, plant in ways]
    assert results[0] == results[1]


@MODES
@pytest.mark.parametrize("signal", [Step(0.5), HeldTable([0.0, 0.25, 0.5], [0.0, 1.0, 3.0])], ids=["step", "held"])
def test_a_fixed_step_is_cut_and_keeps_its_order(compile_: bool, stepping: str, signal: Input) -> None:
    # 0.07 meets no breakpoint.
    _, plant = run(compile_, stepping, signal, 1.0, dt_max=0.07)
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping, dt_max=0.07)
    sim.method = ev.methods.RK4
    other = Filter(sim, push=signal).start()
    sim.run(until=1.0)
    assert other.x == pytest.approx(exact(signal, 1.0), abs=2e-4)
    assert plant.x == pytest.approx(exact(signal, 1.0), abs=1e-6)


@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_laws_see_the_jump_after_the_step_that_ends_there(stepping: str) -> None:
    times: list[float] = []

    class Witness(Input):
        """A step at 1 that notes when it is asked."""

        def __call__(self, t: float) -> float:
            times.append(t)
            return 1.0 if t >= 1.0 else 0.0

        def next_breakpoint(self, after: float) -> float:
            return 1.0 if after < 1.0 else inf

    run(False, stepping, Witness(), 2.0)
    first = times.index(1.0)
    assert max(times[:first]) == nextafter(1.0, -inf)
    assert min(times[first:]) == 1.0


@MODES
def test_an_event_at_the_jump_sees_the_value_after_it(compile_: bool, stepping: str) -> None:
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping)
    plant = Filter(sim, push=Step(1.0, height=2.0)).start()
    seen: list[tuple[float, float, float]] = []

    def story() -> ev.ProcessGenerator:
        for _ in range(2):
            yield ev.hold(1.0)
            seen.append((sim.time, plant.seen, plant.rate.x))

    sim.process(story())
    sim.run(until=3.0)
    assert seen[0] == (1.0, 2.0, 10.0)
    assert seen[1][:2] == (2.0, 2.0)


@pytest.mark.slow
@MODES
def test_a_condition_that_a_jump_makes_true_fires_at_the_jump(compile_: bool, stepping: str) -> None:
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping)
    plant = Filter(sim, push=TRAIN).start()
    times: list[float] = []

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: plant.seen < 0.5)
            times.append(sim.time)
            yield ev.until(lambda: plant.seen > 0.5)
            times.append(sim.time)

    sim.process(story())
    sim.run(until=1.9)
    assert times == list(TRAIN.breakpoints(0.0, 1.9))


@MODES
def test_an_input_that_is_exchanged_brings_its_breakpoints(compile_: bool, stepping: str) -> None:
    signals = [Step(0.7), HeldTable([0.0, 1.3], [2.0, 0.5])]
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping)
    plant = Filter(sim, push=signals[0]).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        plant.push = signals[1]

    sim.process(story())
    sim.run(until=2.0)
    x = (1.0 - exp(-1.5)) * exp(-1.5) + 2.0 * (1.0 - exp(-1.5))
    assert plant.x == pytest.approx(0.5 + (x - 0.5) * exp(-3.5), abs=3e-6)
    assert sim.monitor.refused < 10


@MODES
def test_inputs_of_laws_that_are_not_compiled_are_found_among_the_attributes(compile_: bool, stepping: str) -> None:
    class Odd(Filter):
        def equations(self) -> None:
            super().equations()
            [lambda: self for _ in ()]

    def cost(signal: Input) -> tuple[float, int]:
        sim = ev.Simulation(rng=1, compile="auto" if compile_ else False, stepping=stepping)
        plant = Odd(sim, push=signal).start()
        sim.run(until=2.3)
        return plant.x, sim.monitor.refused

    x, refused = cost(TRAIN)
    assert refused < 10
    assert x == pytest.approx(exact(TRAIN, 2.3), abs=3e-6)


def test_only_the_flows_that_call_an_input_stop_for_it() -> None:
    sim = ev.Simulation(rng=1, compile=True)
    Filter(sim, push=TRAIN).start()
    quiet = Filter(sim, push=Sine(1.0, 1.0)).start()
    sim.run(until=2.0)
    alone, _ = run(True, "apart", Sine(1.0, 1.0), 2.0)
    steps = sim._continuum.integrator.memory.flow.steps[quiet._flow.number]
    assert steps == alone.monitor.steps


def test_two_flows_stop_at_the_same_instant() -> None:
    sim = ev.Simulation(rng=1, compile=True)
    plants = [Filter(sim, push=TRAIN).start() for _ in range(3)]
    sim.run(until=2.0)
    _, alone = run(True, "apart", TRAIN, 2.0)
    assert [plant.x for plant in plants] == [alone.x] * 3


class Through(Input):
    """Another input."""

    def __init__(self, source: Input) -> None:
        self.source = source

    def __call__(self, t: float) -> float:
        return self.source(t)

    def next_breakpoint(self, after: float) -> float:
        return self.source.next_breakpoint(after)


def test_what_is_sampled_has_the_breakpoints_of_the_samples_only() -> None:
    table = LinearTable([0.0, 0.1, 0.2, 0.3, 3.0], [0.0, 1.0, 0.0, 1.0, 1.0])
    held = Through(Sampled(0.5, source=table))
    sim, plant = run(True, "apart", held, 2.0)
    assert plant.x == pytest.approx(exact(held, 2.0), abs=3e-6)
    assert sim._continuum.integrator.flows[plant._flow.number].inputs[plant] == (held,)


def test_who_looks_at_steps_is_told_of_those_that_end_at_a_breakpoint() -> None:
    sim = ev.Simulation(rng=1, compile=True)
    plant = Filter(sim, push=TRAIN).start()
    trace = sim.record(plant, every="step")
    sim.run(until=1.9)
    assert set(TRAIN.breakpoints(0.0, 1.9)) <= set(trace.times)
    assert len(set(trace.times)) == sim.monitor.steps + 1


def test_an_input_whose_breakpoints_do_not_advance_is_an_error() -> None:
    class Stuck(Input):
        def __call__(self, t: float) -> float:
            return 0.0

        def next_breakpoint(self, after: float) -> float:
            return 1.0

    with pytest.raises(ev.ModelError, match=r"Stuck .* gives 1.0 as its first breakpoint after 1.0: a later time"):
        run(False, "apart", Stuck(), 2.0)


class Marked(Input):
    """A number, said to jump where it does not."""

    def __init__(self, mark: float) -> None:
        self.mark = mark

    def __call__(self, t: float) -> float:
        return 1.0

    def next_breakpoint(self, after: float) -> float:
        return self.mark if after < self.mark else inf


@MODES
def test_an_input_that_differs_in_its_breakpoints_only_is_another(compile_: bool, stepping: str) -> None:
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping)
    plant = Filter(sim, push=Marked(9.0)).start()
    trace = sim.record(plant, every="step")

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.3)
        plant.push = Marked(0.77)

    sim.process(story())
    sim.run(until=1.0)
    assert 0.77 in trace.times


class Free(ev.Continuous):
    """x' = x."""

    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = self.x


def test_the_breakpoints_of_what_has_stopped_count_no_longer() -> None:
    sim = ev.Simulation(rng=1, compile=True, stepping="together")
    marked, plant = Filter(sim, push=Marked(0.77)).start(), Free(sim).start()
    trace = sim.record(plant, every="step")

    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.3)
        marked.stop()

    sim.process(story())
    sim.run(until=1.0)
    assert 0.77 not in trace.times


# --- conditions ------------------------------------------------------------------------------------------------------

BLINK = Pulse(1.0, width=0.01, start=0.3)
"""So short that steps pass over it which do not end there."""


class Gate(ev.Continuous):
    """x' = 0.001: steps are long."""

    signal: Input
    x: ev.State = ev.state(0.0)
    log: list[tuple[str, float]] = ev.field(default_factory=list)

    def equations(self) -> None:
        self.rate.x = 1e-3

    @ev.when(lambda self: self.signal(self.sim.time) - self.x > 0.5)
    def opens(self) -> None:
        self.log.append(("opens", self.sim.time))

    @ev.when(lambda self: self.signal(self.sim.time) + self.x < 0.5)
    def closes(self) -> None:
        self.log.append(("closes", self.sim.time))


@pytest.mark.slow
@MODES
def test_a_handler_whose_condition_calls_an_input_fires_at_its_jumps(compile_: bool, stepping: str) -> None:
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping)
    gate = Gate(sim, signal=BLINK).start()
    sim.run(until=2.0)
    assert gate.log == [("opens", 0.3), ("closes", 0.31), ("opens", 1.3), ("closes", 1.31)]


def at_edges(sim: ev.Simulation, is_open: object) -> list[float]:
    """When a condition becomes true and false again."""
    times: list[float] = []

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.until(is_open)
            times.append(sim.time)
            yield ev.until(lambda: not is_open())
            times.append(sim.time)

    sim.process(story())
    return times


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@MODES
@pytest.mark.parametrize("reads", ["time", "state", "what cannot be compiled"])
def test_a_wait_for_an_input_is_over_at_its_jump(compile_: bool, stepping: str, reads: str) -> None:
    sim = ev.Simulation(rng=1, compile="auto" if compile_ else False, stepping=stepping)
    plant = Free(sim, x=1e-6).start()
    tests = {
        "time": lambda: BLINK(sim.time) > 0.5,
        "state": lambda: BLINK(sim.time) > plant.x,
        "what cannot be compiled": lambda: any(signal(sim.time) > 0.5 for signal in {BLINK: 1}),
    }
    times = at_edges(sim, tests[reads])
    sim.run(until=2.0)
    assert times == [0.3, 0.31, 1.3, 1.31]


def test_the_breakpoints_of_a_wait_that_is_over_count_no_longer() -> None:
    sim = ev.Simulation(rng=1, compile=True)
    plant = Free(sim).start()
    signal = Step(0.5, height=2.0)
    late = Marked(0.77)

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: late(sim.time) * signal(sim.time) > plant.x)

    sim.process(story())
    trace = sim.record(plant, every="step")
    sim.run(until=1.0)
    assert 0.5 in trace.times
    assert 0.77 not in trace.times
    assert sim._continuum.integrator.flows[plant._flow.number].inputs == {}


class Saw(Input):
    """The part of the time behind the point."""

    def __call__(self, t: float) -> float:
        return t - floor(t)

    def next_breakpoint(self, after: float) -> float:
        return floor(after) + 1.0


@MODES
def test_a_condition_that_is_true_just_before_a_jump_is_found(compile_: bool, stepping: str) -> None:
    sim = ev.Simulation(rng=1, compile=compile_, stepping=stepping)
    plant, saw = Free(sim, x=1e-6).start(), Saw()
    times = at_edges(sim, lambda: saw(sim.time) > 0.97 + 0.0 * plant.x)
    sim.run(until=2.5)
    assert times == pytest.approx([0.97, 1.0, 1.97, 2.0], abs=1e-12)


@MODES
def test_a_condition_that_nobody_can_read_sees_an_input_at_the_end_of_a_step_before_its_jump(
    compile_: bool, stepping: str
) -> None:
    sim = ev.Simulation(rng=1, compile="auto" if compile_ else False, stepping=stepping)
    plant, saw = Free(sim, x=1e-6).start(), Saw()
    times = at_edges(sim, lambda: len([1 for limit in (0.97,) if saw(sim.time) > limit + 0.0 * plant.x]) == 1)
    sim.run(until=2.5)
    assert times == pytest.approx([0.97, 1.0, 1.97, 2.0], abs=1e-12)


# --- laws that are not compiled --------------------------------------------------------------------------------------


def by_global(t: float) -> float:
    return TRAIN(t)


def reaching(way: str) -> object:
    """A law's way to the input."""
    shelf, held = {"train": TRAIN}, Through(TRAIN)

    class Store:
        def __init__(self) -> None:
            self.kept = TRAIN

        @property
        def through_property(self) -> Input:
            return shelf["train"]

    store = Store()
    return {
        "global": lambda t: 1.0 * TRAIN(t),
        "function": by_global,
        "closure": lambda t: 1.0 * held(t),
        "dict": lambda t: 1.0 * shelf["train"](t),
        "default": lambda t, signal=TRAIN: signal(t),
        "attribute": lambda t: 1.0 * store.kept(t),
        "property": lambda t: 1.0 * store.through_property(t),
        "partial": partial(lambda signal, t: signal(t), TRAIN),
        "attribute of the owner": lambda t: 1.0 * TRAIN(t),
        "comprehension": lambda t: sum(TRAIN(t) for _ in range(1)),
    }[way]


@pytest.mark.filterwarnings("ignore::eventide.SwitchWarning")
@pytest.mark.parametrize(
    "way",
    [
        "global",
        "function",
        "closure",
        "dict",
        "default",
        "attribute",
        "attribute of the owner",
        "property",
        "partial",
        "comprehension",
    ],
)
def test_a_law_that_is_not_compiled_stops_for_the_inputs_that_its_names_lead_to(way: str) -> None:
    read = None if way == "attribute of the owner" else reaching(way)

    class Odd(ev.Continuous):
        reads: object = None
        x: ev.State = ev.state(0.0)

        def equations(self) -> None:
            [lambda: self for _ in ()]
            self.rate.x = ((read or self.reads)(self.sim.time) - self.x) * 5.0

    sim = ev.Simulation(rng=1)
    plant = Odd(sim, reads=None if read else reaching(way)).start()
    trace = sim.record(plant, every="step")
    sim.run(until=1.9)
    assert sim.explain().laws[0].refusal
    assert set(TRAIN.breakpoints(0.0, 1.9)) <= set(trace.times)
    assert plant.x == pytest.approx(exact(TRAIN, 1.9), abs=3e-6)


def test_what_a_law_does_not_name_is_not_looked_through() -> None:
    other = Marked(0.77)

    class Owner:
        def __init__(self) -> None:
            self.named, self.unnamed = TRAIN, other

    owner = Owner()
    reach = reached_inputs((lambda t: owner.named(t) + np.clip(t, 0.0, 1.0),))
    assert reach.found() == (TRAIN,)
