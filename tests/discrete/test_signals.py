"""Signals."""

from __future__ import annotations

import pytest

import eventide as ev


@pytest.fixture
def log():
    return []


def listener(sim, log, signal, name, times=1):
    for _ in range(times):
        value = yield signal
        log.append((sim.time, name, value))


def test_a_signal_wakes_all_who_wait_in_their_order_at_the_end_of_the_instant(sim, log):
    door = ev.Signal(sim)
    for name in "AB":
        sim.process(listener(sim, log, door, name, times=2))

    def sender():
        yield ev.hold(1.0)
        log.append(door.send("open"))
        log.append("sent")
        yield ev.hold(1.0)
        log.append(door.send())

    def other():
        yield ev.hold(1.0)
        log.append("other")

    sim.process(sender())
    sim.process(other())
    sim.run()

    assert log == [
        2,
        "sent",
        "other",
        (1.0, "A", "open"),
        (1.0, "B", "open"),
        2,
        (2.0, "A", None),
        (2.0, "B", None),
    ]
    assert (door.sent, door.value, door.waiting) == (True, None, 0)


def test_a_repeatable_signal_does_not_reach_who_comes_later(sim, log):
    door = ev.Signal(sim)
    assert door.send("early") == 0
    sim.process(listener(sim, log, door, "A"))
    sim.run()

    assert (log, door.waiting, door.value) == ([], 1, "early")


def test_who_waits_again_at_once_waits_for_the_next_one(sim, log):
    door = ev.Signal(sim)
    sim.process(listener(sim, log, door, "A", times=2))
    sim.run(until=1.0)
    door.send(1)
    sim.run(until=2.0)

    assert (log, door.waiting) == ([(1.0, "A", 1)], 1)


def test_a_signal_for_once_lets_later_ones_go_on_at_once(sim, log):
    done = ev.Signal(sim, once=True)
    sim.process(listener(sim, log, done, "A"))
    sim.run(until=1.0)
    done.send("x")
    sim.run(until=2.0)
    events = sim.events
    sim.process(listener(sim, log, done, "B", times=3))
    sim.run()

    assert log == [(1.0, "A", "x"), (2.0, "B", "x"), (2.0, "B", "x"), (2.0, "B", "x")]
    assert sim.events == events + 1


def test_a_signal_for_once_is_sent_once(sim):
    done = ev.Signal(sim, once=True, name="done")
    done.send("x")
    with pytest.raises(ev.ModelError, match=r"^done has been sent already, with 'x': it can be sent only once$"):
        done.send("y")
    assert done.value == "x"


def test_wait_is_the_signal_itself(sim):
    door = ev.Signal(sim)

    assert door.wait() is door


def test_who_was_interrupted_waits_no_longer(sim, log):
    door = ev.Signal(sim)
    sim.process(listener(sim, log, door, "A"))
    victim = sim.process(listener(sim, log, door, "B"))
    sim.run(until=1.0)
    victim.end()
    sim.run(until=2.0)

    assert (door.send("x"), repr(door)) == (1, "<Signal 1: 0 waiting, sent>")


def test_who_waits_is_not_activated(sim, log):
    process = sim.process(listener(sim, log, ev.Signal(sim, name="door"), "A"), name="A")
    sim.run(until=1.0)
    with pytest.raises(ev.ModelError, match=r"^A cannot be activated, it waits for door since 0\.0: use interrupt"):
        process.activate()


def test_nothing_is_sent_between_events(sim):
    class Tank(ev.Continuous):
        level: ev.State = 0.0

        def equations(self):
            self.rate.level = 1.0
            door.send()

    door = ev.Signal(sim)
    Tank(sim).start()
    with pytest.raises(ev.SimulationError) as caught:
        sim.run(until=1.0)
    assert caught.value.number == 17
