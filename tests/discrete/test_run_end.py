"""How a run ends before its time: `sim.stop()`, a condition; and what is refused in the place of one."""

from __future__ import annotations

import numpy as np
import pytest

import eventide as ev


@pytest.fixture
def sim() -> ev.Simulation:
    return ev.Simulation(rng=1)


def test_stop_ends_the_run_behind_the_present_event_and_the_next_goes_on(sim):
    log = []

    def clock(name):
        while True:
            yield ev.hold(1.0)
            if sim.time == 2.0 and name == "A":
                sim.stop()
                sim.process(guest())
            log.append((sim.time, name))

    def guest():
        log.append((sim.time, "guest"))
        yield ev.hold(0.0)

    sim.process(clock("A"))
    sim.process(clock("B"))
    sim.run()
    assert (sim.time, sim.events, log) == (2.0, 5, [(1.0, "A"), (1.0, "B"), (2.0, "A")])

    log.clear()
    sim.run(until=2.5)
    assert (sim.time, log) == (2.5, [(2.0, "guest"), (2.0, "B")])


@pytest.mark.parametrize("kind", ["when", "every"])
def test_stop_ends_a_run_from_handlers(sim, kind):
    class Tank(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def equations(self):
            self.rate.level = -1.0

        @(ev.when(lambda self: self.level <= 0.5) if kind == "when" else ev.every(0.5))
        def ends(self):
            if self.level <= 0.51:
                self.sim.stop()

    tank = Tank(sim).start()
    sim.run(until=10.0)
    assert (sim.time, tank.level) == pytest.approx((0.5, 0.5))


def test_a_trace_and_a_log_see_who_stopped(sim):
    log = sim.log()

    def story():
        yield ev.hold(1.0)
        sim.stop()
        yield ev.hold(1.0)

    sim.process(story(), name="A")
    sim.run()
    assert [(entry.time, entry.who, entry.why) for entry in log] == [
        (0.0, "A", "activated by whoever runs the model"),
        (1.0, "A", "hold ended"),
        (1.0, "sim.stop()", "sim.stop()"),
    ]


def test_stop_is_refused_between_events_and_without_a_run(sim):
    class Tank(ev.Continuous):
        level: ev.State = ev.state(1.0)

        def equations(self):
            self.rate.level = -1.0
            if self.level < 0.5:
                self.sim.stop()

    with pytest.raises(ev.ModelError, match=r"^sim.stop\(\) ends a run, and no run is under way$"):
        sim.stop()
    Tank(sim).start()
    message = r"^sim.stop\(\) was called between events: let a process or an @ev.when handler call it\n"
    with pytest.raises(ev.ModelError, match=message):
        sim.run(until=1.0)


@pytest.mark.parametrize("until", [True, False, np.bool_(True)], ids=repr)
def test_a_comparison_is_no_end_of_a_run(sim, until):
    with pytest.raises(TypeError) as info:
        sim.run(until=until)
    assert str(info.value) == (
        f"run(until=...) takes a time, a process or a condition to call, and got {until!r}: "
        "write `run(until=lambda: ...)`"
    )


@pytest.mark.row("R-003")
def test_a_negative_hold_is_an_error_at_its_line(sim):
    def story():
        yield ev.hold(1.0)
        yield ev.hold(-1e-15)  # a rounding of the time
        try:
            yield ev.hold(-0.5)
        except ev.ModelError as error:
            message.append(str(error))
        yield ev.first_of(a=ev.hold(-1.0))

    message = []
    sim.process(story(), name="A")
    with pytest.raises(ev.ModelError, match=r"^A \(a\) cannot hold for -1.0: a duration is at least 0"):
        sim.run()
    advice = 'Take max(0.0, ...), or give Simulation(negative_hold="zero") to count it as 0'
    assert message == [f"A cannot hold for -0.5: a duration is at least 0. {advice}"]
    with pytest.raises(
        ev.ModelError, match=r'^negative_hold= takes "raise" or "zero", and got "clamp"$'.replace('"clamp"', "'clamp'")
    ):
        ev.Simulation(negative_hold="clamp")


@pytest.mark.parametrize("how", ["twice", "by an error", "in a step", "after steps"])
def test_a_stop_is_for_the_present_run_alone(sim, how):
    log = []

    def clock():
        while True:
            yield ev.hold(1.0)
            log.append(sim.time)
            if sim.time == 2.0:
                sim.stop()
                if how == "twice":
                    sim.stop()
                if how == "by an error":
                    raise ValueError("an error")

    def other():
        yield ev.hold(2.25)
        log.append(sim.time)

    sim.process(clock())
    sim.process(other())
    if how == "by an error":
        with pytest.raises(ValueError, match="an error"):
            sim.run(until=3.5)
    elif how == "twice":
        sim.run(until=3.5)
    else:
        while log[-1:] != [2.0]:
            assert sim.step()
    assert (sim.time, log) == (2.0, [1.0, 2.0])
    if how == "in a step":
        assert sim.step()
        assert log == [1.0, 2.0, 2.25]
    sim.run(until=3.5)
    assert (sim.time, log) == (3.5, [1.0, 2.0, 2.25] + [3.0] * (how != "by an error"))
