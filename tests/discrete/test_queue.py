"""Queues: ordered sets of anything, and waiting in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev


@pytest.fixture
def log():
    return []


def members(queue):
    return list(queue)


# --- order -----------------------------------------------------------------------------------------------------------


def test_a_queue_is_a_set_in_order(sim):
    line = ev.Queue(sim)
    assert (line.empty, line.cardinal, len(line), line.first, line.last) == (True, 0, 0, None, None)
    for member in "abc":
        line.into(member)

    assert members(line) == ["a", "b", "c"]
    assert (line.empty, line.cardinal, len(line), line.first, line.last) == (False, 3, 3, "a", "c")
    assert (line.successor("a"), line.successor("c")) == ("b", None)
    assert (line.predecessor("c"), line.predecessor("a")) == ("b", None)
    assert ("a" in line, "x" in line) == (True, False)


def test_places_are_changed(sim):
    line = ev.Queue(sim)
    for member in "abc":
        line.into(member)
    line.follow("x", "a")
    line.precede("y", "a")
    line.precede("c", "x")
    line.follow("b", "c")
    assert members(line) == ["y", "a", "c", "b", "x"]

    line.into("a")
    line.follow("b", "b")
    line.precede("y", "y")
    assert members(line) == ["y", "c", "b", "x", "a"]
    assert (line.entered, line.departed, line.waits.count) == (5, 0, 0)


def test_priorities(sim):
    line = ev.Queue(sim)
    line.into("a")
    line.into("b", priority=2.0)
    line.into("c", priority=1.0)
    line.into("d", priority=2.0)
    line.into("e")
    line.into("f", priority=-1)
    assert members(line) == ["b", "d", "c", "a", "e", "f"]

    line.precede("g", "c")
    line.into("h", priority=1.0)
    line.into("b")
    assert members(line) == ["d", "g", "c", "h", "a", "e", "b", "f"]


def test_members_are_told_apart_by_identity(sim):
    @dataclass
    class Part:
        size: int

    first, second = Part(1), Part(1)
    line, other = ev.Queue(sim), ev.Queue(sim)
    line.into(first)
    line.into(second)
    other.into(second)
    line.into([])

    assert len(line) == 3
    assert (line.first is first, line.successor(first) is second, other.first is second) == (True, True, True)
    assert (Part(1) in line, [] in line) == (False, False)


def test_numbers_and_texts_are_told_apart_by_value(sim):
    line = ev.Queue(sim)
    line.into(10**9)
    line.into("ab" * 3)
    line.into(10**9)

    assert (members(line), int("1000000000") in line, "".join(["aba", *"bab"]) in line) == (
        ["ababab", 10**9],
        True,
        True,
    )


def test_the_queue_may_change_while_it_is_gone_through(sim):
    line = ev.Queue(sim)
    for member in "abcd":
        line.into(member)
    seen = []
    for member in line:
        seen.append(member)
        line.out(member)
        line.into(member + "!")

    assert (seen, members(line)) == (["a", "b", "c", "d"], ["a!", "b!", "c!", "d!"])


@pytest.mark.parametrize(
    "ask",
    [
        lambda line: line.out("x"),
        lambda line: line.follow("a", "x"),
        lambda line: line.precede("a", "x"),
        lambda line: line.successor("x"),
        lambda line: line.predecessor("x"),
        lambda line: line.since("x"),
    ],
    ids=["out", "follow", "precede", "successor", "predecessor", "since"],
)
def test_who_is_no_member(sim, ask):
    line = ev.Queue(sim, name="line")
    line.into("a")
    with pytest.raises(ev.ModelError, match=r"^'x' is not a member of line: ask `member in queue` before$"):
        ask(line)
    assert members(line) == ["a"]


def test_a_priority_is_a_number(sim):
    with pytest.raises(ev.ModelError, match=r"^into\(\) of line got NaN: a priority must be a number$"):
        ev.Queue(sim, name="line").into("a", priority=math.nan)


def test_repr(sim):
    line = ev.Queue(sim, name="line")
    assert repr(line) == "<line: empty>"
    line.into(ev.Signal(sim, name="door"))
    line.into(3)
    assert repr(line) == "<line: door, 3>"
    for number in range(10, 15):
        line.into(number)
    assert repr(line) == "<line: door, 3, 10, 11, 12, and 2 more>"


words = st.one_of(
    st.tuples(st.just("into"), st.integers(0, 5), st.integers(-1, 1)),
    st.tuples(st.just("out"), st.integers(0, 5)),
    st.tuples(st.sampled_from(["follow", "precede"]), st.integers(0, 5), st.integers(0, 5)),
    st.tuples(st.just("clear")),
)


@pytest.mark.slow
@given(st.lists(words, min_size=1, max_size=30))
def test_a_queue_is_a_list_that_is_kept_by_hand(changes):
    line, model = ev.Queue(ev.Simulation(rng=1)), []  # the model: [member, priority]
    objects = [object() for _ in range(6)]
    for word, *arguments in changes:
        present = [member for member, _ in model]
        if word == "clear":
            line.clear()
            model.clear()
        elif word == "into":
            member, priority = arguments
            line.into(objects[member], priority=priority)
            model = [entry for entry in model if entry[0] != member]
            place = len(model)
            while place and model[place - 1][1] < priority:
                place -= 1
            model.insert(place, [member, priority])
        elif word == "out":
            (member,) = arguments
            if member in present:
                line.out(objects[member])
                model = [entry for entry in model if entry[0] != member]
        else:
            member, other = arguments
            if other in present:
                getattr(line, word)(objects[member], objects[other])
                if member != other:
                    model = [entry for entry in model if entry[0] != member]
                    place = [entry[0] for entry in model].index(other)
                    model.insert(place + (word == "follow"), [member, model[place][1]])
        assert [objects.index(member) for member in line] == [member for member, _ in model]
        assert len(line) == len(model) == line.entered - line.departed


# --- statistics ------------------------------------------------------------------------------------------------------


def test_statistics(sim):
    line = ev.Queue(sim, name="line")

    def story():
        line.into("a")
        yield ev.hold(1.0)
        line.into("b")
        yield ev.hold(2.0)
        line.out("a")
        line.precede("c", "b")
        line.into("b")
        yield ev.hold(1.0)
        line.clear()
        yield ev.hold(1.0)

    sim.process(story())
    sim.run()

    assert line.length.mean == (1 * 1 + 2 * 2 + 2 * 1 + 0 * 1) / 5
    assert list(line.waits.values) == [3.0, 1.0, 3.0]
    assert (line.entered, line.departed) == (3, 3)


def test_since_when_a_member_is_one(sim):
    line = ev.Queue(sim)
    line.into("a")
    sim.run(until=2.0)
    line.into("b")
    line.into("a")

    assert (members(line), line.since("a"), line.since("b")) == (["b", "a"], 0.0, 2.0)


# --- waiting in a queue ----------------------------------------------------------------------------------------------


class Customer(ev.Process):
    line: ev.Queue
    log: list
    priority: float = 0.0

    def run(self):
        yield ev.wait(self.line, priority=self.priority)
        self.log.append((self.sim.time, self.name, self in self.line))


def test_to_wait_is_to_come_into_the_queue_and_be_passive(sim, log):
    line = ev.Queue(sim)
    for name, priority in (("a", 0.0), ("b", 1.0), ("c", 0.0)):
        Customer(sim, name=name, line=line, log=log, priority=priority).activate()

    def clerk():
        yield ev.hold(1.0)
        while not line.empty:
            customer = line.first
            log.append((customer.idle, customer.why_waiting().partition(", at ")[0]))
            line.out(customer)
            customer.activate()
            yield ev.hold(1.0)

    sim.process(clerk())
    sim.run()

    assert log == [
        (True, "b waits for its turn in Queue 1 since 0.0"),
        (1.0, "b", False),
        (True, "a waits for its turn in Queue 1 since 0.0"),
        (2.0, "a", False),
        (True, "c waits for its turn in Queue 1 since 0.0"),
        (3.0, "c", False),
    ]
    assert (list(line.waits.values), line.length.mean) == ([1.0, 2.0, 3.0], (3 + 2 + 1 + 0) / 4)


def test_who_is_activated_in_the_queue_stays_a_member(sim, log):
    """WAIT is INTO and PASSIVATE, no more: to leave is a step of its own."""
    line = ev.Queue(sim)
    customer = Customer(sim, name="a", line=line, log=log).activate()
    sim.run(until=1.0)
    line.first.activate(delay=1.0)
    customer.cancel()
    customer.activate(delay=2.0)
    sim.run()

    assert log == [(3.0, "a", True)]
    assert line.first is customer


def test_who_was_taken_out_still_waits_to_be_activated(sim, log):
    line = ev.Queue(sim, name="line")
    customer = Customer(sim, name="a", line=line, log=log).activate()
    sim.run(until=1.0)
    line.out(customer)
    sim.run(until=2.0)

    assert customer.why_waiting().startswith("a waits for its activation by another process, taken out of line, at ")
    customer.cancel()
    customer.activate()
    sim.run()
    assert log == [(2.0, "a", False)]


def test_who_gives_up_leaves_the_queue(sim, log):
    line = ev.Queue(sim)

    def impatient():
        outcome = yield ev.first_of(called=ev.wait(line), gave_up=ev.hold(2.0))
        log.append((sim.time, outcome.name, len(line)))

    def interrupted():
        try:
            yield ev.wait(line)
        except ev.Interrupt as interrupt:
            log.append((sim.time, interrupt.left, len(line)))

    first = sim.process(impatient())
    second = sim.process(interrupted())
    third = sim.process(impatient())
    sim.run(until=1.0)
    assert members(line) == [first, second, third]
    second.interrupt()
    line.out(third)
    third.activate()
    sim.run()

    assert log == [(1.0, None, 1), (1.0, "called", 1), (2.0, "gave_up", 0)]


def test_wait_takes_a_queue(sim):
    desk = ev.Resource(sim, name="desk")
    with pytest.raises(TypeError, match=r"^wait takes a Queue, and got <desk: .*>: write `yield r\.request\(\)` for a"):
        ev.wait(desk)


def test_a_queue_of_another_simulation(sim):
    line = ev.Queue(ev.Simulation(rng=1), name="line")

    def story():
        yield ev.wait(line)

    sim.process(story())
    with pytest.raises(ev.ModelError, match=r"^line belongs to another simulation"):
        sim.run()


@pytest.mark.row("R-013")
def test_what_the_library_keeps_in_lists_of_its_own_may_stand_in_queues(sim, log):
    class Tank(ev.Continuous):
        level: ev.State = 0.0

        def equations(self):
            self.rate.level = 1.0

    class Witness(ev.Reporter):
        def report(self):
            log.append(self.sim.time)

    def worker():
        yield ev.hold(2.0)
        log.append("worked")

    tank, witness = Tank(sim).start(), Witness(sim, every=1.0).start()
    loose = ev.Variable(sim, 1.0).start()
    process = sim.process(worker())
    line, other = ev.Queue(sim), ev.Queue(sim)
    for member in (tank, witness, loose, process):
        line.into(member)
        other.into(member)
    laws, variables, processes = sim.laws, sim.variables, sim.processes
    line.precede(process, tank)
    line.out(witness)
    other.clear()

    assert members(line) == [process, tank, loose]
    assert (sim.laws, sim.variables, sim.processes) == (laws, variables, processes)
    sim.run(until=2.5)
    assert tank.level == pytest.approx(2.5)
    assert log == [0.0, 0.0, 1.0, 2.0, "worked", 2.0, 2.5]
    assert members(line) == [process, tank, loose]
    tank.stop()
    assert members(line) == [process, tank, loose]


def test_nobody_comes_or_goes_between_events(sim):
    line = ev.Queue(sim, name="line")
    line.into("a")

    class Tank(ev.Continuous):
        level: ev.State = 0.0
        word: str = "into"

        def equations(self):
            self.rate.level = 1.0
            getattr(line, self.word)("a")

    for word in ("into", "out"):
        tank = Tank(sim, word=word).start()
        with pytest.raises(ev.SimulationError, match=r"a change of line was called between events") as caught:
            sim.run(until=1.0)
        assert caught.value.number == 17
        tank.stop()
    assert members(line) == ["a"]
