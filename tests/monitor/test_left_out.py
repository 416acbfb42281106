"""What a run leaves out is told when it ends: what was never started or activated, and waits without end."""

from __future__ import annotations

import dis
import math
import re
import warnings

import pytest

import eventide as ev
from eventide.discrete.conditions.when import handler_specs


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0, unit="m")
    k: float = 0.5

    def equations(self):
        self.rate.level = -self.k * self.level


class Visitor(ev.Process):
    def run(self):
        yield ev.hold(1.0)


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


def told(sim: ev.Simulation, until: float | None = None) -> list[str]:
    """The warnings of a run."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.run(until=until)
    assert [(one.category, one.filename) for one in caught] == [(ev.IdleWarning, __file__)] * len(caught)
    return [str(one.message) for one in caught]


def test_a_component_that_was_never_started_is_named_once(sim):
    tank, _ = Tank(sim), Tank(sim).start()
    trace = sim.record(tank, every=1.0)
    assert told(sim, 1.0) == [
        "the run has ended at time 1.0: Tank 1 was never started (call start(), as in Tank(sim).start())"
    ]
    assert told(sim, 2.0) == []
    assert repr(trace) == "<recording 1: 4 rows of Tank 1.level; never started: Tank 1>"
    tank.start()
    assert repr(trace) == "<recording 1: 4 rows of Tank 1.level>"


@pytest.mark.parametrize("is_started", [False, True])
def test_a_loose_variable_has_no_laws_that_could_be_left_out(sim, is_started):
    x = ev.Variable(sim, 1.0, name="x")
    if is_started:
        x.start()

    def wait():
        yield ev.until(lambda: x.state > 2.0)

    sim.process(wait(), name="waiter")
    trace = sim.record(x, every=1.0)
    idle = [message.partition("until(")[0] for message in told(sim, 1.0)]
    assert idle == ["the run has ended at time 1.0: nothing can happen any more, and waiter waits for "] * (
        not is_started
    )
    assert "waiter, lambda at" in str(sim.explain())
    assert repr(trace) == "<recording 1: 2 rows of x>"


def test_many_are_counted(sim):
    tanks = [Tank(sim) for _ in range(8)]
    named = ", ".join(tank.name for tank in tanks[:5])
    assert told(sim, 1.0) == [
        f"the run has ended at time 1.0: {named} and 3 more were never started (call start(), as in Tank(sim).start())"
    ]


def test_a_process_that_was_never_activated_is_named_once(sim):
    visitor = Visitor(sim)
    assert told(sim) == ["the run has ended at time 0.0: Visitor 1 was made and never activated (call activate())"]
    visitor.activate()
    assert told(sim) == []


def test_who_rests_by_intention_is_not_named(sim):
    class Holder(ev.Continuous):
        level: ev.State = ev.state(1.0)

    class Ingot(ev.Process, ev.Continuous):
        heat: ev.State = ev.state(0.0)

        def equations(self):
            self.rate.heat = 1.0

        def run(self):
            yield ev.hold(5.0)
            self.start()

    def story():
        Tank(sim)  # it may be started in a later run
        yield ev.hold(1.0)

    Holder(sim)
    stopped = Tank(sim).start()
    stopped.stop()
    Ingot(sim).activate()
    sim.process(story())
    assert told(sim, 2.0) == []


def test_a_wait_that_nothing_can_end_is_named_with_its_line(sim):
    tank = Tank(sim)

    def story():
        yield ev.until(lambda: tank.level < 0.5)

    sim.process(story(), name="A")
    first, second = told(sim, 1.0)[0].split("; ", 1)
    assert first == "the run has ended at time 1.0: Tank 1 was never started (call start(), as in Tank(sim).start())"
    assert second.startswith("nothing can happen any more, and A waits for until(lambda at ")
    assert second.endswith("(0.5 short of it, which does not change; Tank 1 was never started)")


@pytest.mark.parametrize("until", [None, 5.0])
def test_who_waits_again_or_for_a_time_is_not_named(sim, until):
    queue: list[int] = []

    def server():
        while True:
            yield ev.until(lambda: len(queue) > 0)
            queue.pop()

    def source():
        yield ev.hold(1.0)
        queue.append(1)

    def late():
        yield ev.until(lambda: sim.time >= 9.0)

    sim.process(server())
    sim.process(source())
    if until is not None:
        sim.process(late())
    assert told(sim, until) == []


@pytest.mark.parametrize(
    ("name", "near"), [("K", "k"), ("levl", "level"), ("LEVEL", "level"), ("levels", "level")], ids=str
)
def test_an_attribute_that_is_nearly_a_field_is_refused(sim, name, near):
    tank = Tank(sim).start()
    sim.run(until=1.0)
    setattr(tank, name, 5.0)
    with pytest.raises(ev.ModelError) as info:
        sim.run(until=2.0)
    assert str(info.value) == (
        f"Tank 1.{name} was set, and Tank declares no {name!r}: write {near!r}; or declare it, as `{name}: float = 0.0`"
    )


def test_an_attribute_of_the_newest_of_many_is_looked_at(sim):
    tanks = [Tank(sim).start() for _ in range(20)]
    tanks[0].note = "like no field, and known of the class from then on"
    sim.run(until=1.0)
    tanks += [Tank(sim).start() for _ in range(20)]
    tanks[30].levels = 1.0
    with pytest.raises(ev.ModelError, match=re.escape("Tank 31.levels was set, and Tank declares no 'levels'")):
        sim.run(until=2.0)


def test_what_methods_set_and_what_is_like_no_field_is_not_refused(sim):
    class Noted(Tank):
        def prelude(self):
            self.levels = []

    tank = Noted(sim).start()
    tank.customers = 3
    tank._level = 2.0
    sim.run(until=1.0)
    assert tank.levels == []


@pytest.mark.parametrize("name", ["equation", "rates", "derivatives", "dynamics", "ode"])
def test_a_method_that_is_meant_as_equations_is_refused(name):
    with pytest.raises(TypeError, match=rf"^T.{name} would never be called: write `def equations\(self\)`$"):
        type("T", (ev.Continuous,), {"__annotations__": {"x": ev.State}, "x": ev.state(0.0), name: lambda self: None})


def test_what_nobody_keeps_and_starts_is_gone(sim):
    class Lost(Tank):
        pass

    kept = Tank(sim).start()
    Lost(sim)
    with pytest.warns(ev.IdleWarning) as told:
        sim.run(until=1.0)
    assert str(told[0].message) == (
        "the run has ended at time 1.0: Lost 1 was never started and is gone (keep it: one = Lost(sim).start())"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(until=2.0)  # once
    assert kept.active


def test_what_came_and_went_in_a_run_is_not_told(sim):
    def visit():
        yield ev.hold(0.5)
        guest = Tank(sim).start()
        yield ev.hold(0.2)
        guest.stop()

    sim.process(visit())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(until=1.0)
        sim.run(until=2.0)


def test_a_misspelt_rate_names_the_states(sim):
    class Slip(Tank):
        def equations(self):
            self.rate.levl = 1.0

    Slip(sim).start()
    with pytest.raises(AttributeError) as info:
        sim.run(until=1.0)
    assert info.value.__notes__[1] == "states have rates: level; did you mean self.rate.level?"


def test_a_state_that_grows_beyond_all_bounds_is_named_with_its_value():
    class Explosion(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self):
            self.rate.x = self.x**2

    sim = ev.Simulation()
    Explosion(sim, name="mass").start()
    with pytest.raises(ev.SimulationError) as info:
        sim.run(until=2.0)
    assert info.value.time == pytest.approx(1.0, abs=1e-5)
    number = r"[\d.e+]+"
    assert re.fullmatch(
        rf"mass.x needs steps shorter than dt_min = 0.0, and is {number} with rate {number}: it grows beyond all "
        r"bounds in finite time. Look for a sign in its equation, or end it by an event.",
        info.value.detail,
    )


def test_a_class_may_change_while_another_thread_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Meddler:
        """In the class that is read: each look at it adds a name there, as another thread may at any time."""

        def __getattr__(self, name: str) -> object:
            monkeypatch.setattr(Tank, f"seen_{len(vars(Tank))}", 0, raising=False)
            raise AttributeError(name)

    monkeypatch.setattr(Tank, "meddler", Meddler(), raising=False)
    monkeypatch.delattr(Tank, "_known_names", raising=False)
    sim = ev.Simulation()
    tank = Tank(sim).start()
    sim.run(until=2.0)
    assert tank.level == pytest.approx(math.exp(-1.0))
    assert handler_specs(Tank, "_when") == {}


@pytest.mark.slow
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("compiled", [True, False])
def test_a_state_that_grows_to_the_end_of_the_floats_is_named_with_its_value(compiled, sign):
    class Growth(ev.Continuous):
        calm: ev.State = ev.state(-2.0)
        x: ev.State = ev.state(1.0)

        def equations(self):
            self.rate.calm = -self.calm
            self.rate.x = 10.0 * self.x

    sim = ev.Simulation(compile=compiled)
    Growth(sim, name="mass", x=sign).start()
    with pytest.raises(ev.SimulationError) as info:
        sim.run(until=100.0)
    assert info.value.time == pytest.approx(70.0, rel=0.05)  # e**709 is about the largest float
    number = r"-?\d\.\d+e\+\d+"
    assert re.fullmatch(
        rf"However short the step, a rate at its end is not finite. The largest state is mass.x, which is {number} "
        rf"with rate {number}: check the signs in its equation, or end its growth by an event.",
        info.value.detail,
    )


def test_what_a_process_misspells_is_told_as_the_run_ends(sim):
    tank = Tank(sim).start()

    def story():
        yield ev.hold(1.0)
        tank.K = 2.0
        yield ev.hold(1.0)

    sim.process(story())
    with pytest.raises(ev.ModelError) as info:
        sim.run(until=3.0)
    assert str(info.value) == (
        "Tank 1.K was set, and Tank declares no 'K': write 'k'; or declare it, as `K: float = 0.0`"
    )
    assert sim.time == 3.0


def set_by(name: str, method: str) -> type:
    """A class with a method that sets an attribute, and others that read or make some."""

    class Basin(Tank):
        inflow: float = 1.0

        def prelude(self):
            self.levels = [self.level]

        def equations(self):
            self.rate.level = self.inflow

        def half(self):
            return self.in_flow / 2.0

    text = f"def {method}(self):\n    self.rate.level = 1.0\n    self.{name} = 3.0\n"
    known: dict = {}
    exec(compile(text, "basin.py", "exec"), known)  # noqa: S102  # the text above
    setattr(Basin, method, known[method])
    return Basin


@pytest.mark.parametrize(
    ("method", "name", "meant", "declared"),
    [
        ("equations", "lvel", "rate.level", "ev.Computed = ev.computed()"),
        ("equations", "level_rate", "rate.level", "ev.Computed = ev.computed()"),
        ("equations", "dlevel_dt", "rate.level", "ev.Computed = ev.computed()"),
        ("equations", "inflw", "inflow", "ev.Computed = ev.computed()"),
        ("fill", "Inflow", "inflow", "float = 0.0"),
    ],
)
def test_what_a_method_misspells_is_refused_before_the_run(sim, method, name, meant, declared):
    kind = set_by(name, method)
    kind(sim).start()
    with pytest.raises(ev.ModelError) as info:
        sim.run(until=1.0)
    assert str(info.value) == (
        f"Basin.{method} sets self.{name} (basin.py:3), and Basin declares no {name!r}: write self.{meant}; or declare "
        f"it, as `{name}: {declared}`"
    )


@pytest.mark.parametrize("name", ["levels", "in_flow", "_inflow", "note", "inflow"])
def test_what_a_method_sets_on_purpose_is_not_refused(sim, name):
    # Made by `prelude`, read by another method, private, like no field, and the field itself.
    set_by(name, "fill")(sim).start()
    sim.run(until=1.0)


def test_a_process_that_misspells_a_field_of_its_own_is_refused(sim):
    class Ship(ev.Process):
        load: float = 3.0

        def run(self):
            yield ev.hold(1.0)
            self.laod = 0.0

    Ship(sim).activate()
    told = r"^Ship\.run sets self\.laod \(.*\), and Ship declares no 'laod': write self\.load; or declare it"
    with pytest.raises(ev.ModelError, match=told):
        sim.run()


def test_what_reads_and_sets_quantities_is_no_code_of_the_user_s_to_be_looked_through(monkeypatch):
    looked_at = []
    read = dis.get_instructions
    monkeypatch.setattr(dis, "get_instructions", lambda code: looked_at.append(code) or read(code))

    class Wide(ev.Continuous):
        a: ev.State = ev.state(1.0)
        b: ev.State = ev.state(1.0)
        c: ev.Computed = ev.computed()

        def equations(self):
            self.c = self.a
            self.rate.a, self.rate.b = -self.c, -self.b

    sim = ev.Simulation()
    wide = Wide(sim).start()
    wide.extra = 1.0
    sim.run(until=1.0)

    assert __file__ in {code.co_filename for code in looked_at}
    assert not [code for code in looked_at if code.co_filename.startswith("<")]
