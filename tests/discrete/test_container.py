"""Containers: portions in and out, in their order, within the capacity."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev


def puts(tank, log, name, time, amount, priority=0.0):
    yield ev.hold(time)
    yield tank.put(amount, priority)
    log(name, "put", amount, "of", tank.amount)


def gets(tank, log, name, time, amount, priority=0.0):
    yield ev.hold(time)
    got = yield tank.get(amount, priority)
    log(name, "got", got, "of", tank.amount)


def run(sim, *stories):
    for story in stories:
        sim.process(story)
    sim.run()


def test_puts_and_gets_wait_for_each_other(sim, log):
    tank = ev.Container(sim, 10, 4, name="tank")
    run(
        sim,
        gets(tank, log, "A", 1, 3),
        gets(tank, log, "B", 2, 5),
        puts(tank, log, "C", 3, 9),
        puts(tank, log, "D", 4, 6),
        gets(tank, log, "E", 5, 1),
    )

    # what C puts in is given to B in the same event, and B goes on at the end of the instant
    assert log == [
        (1.0, "A got 3 of 1"),
        (3.0, "C put 9 of 5"),
        (3.0, "B got 5 of 5"),
        (5.0, "E got 1 of 4"),
        (5.0, "D put 6 of 10"),
    ]
    assert list(tank.gets.waits.values) == [0.0, 1.0, 0.0]
    assert list(tank.puts.waits.values) == [0.0, 1.0]
    assert (tank.gets.queue.integral, tank.puts.queue.integral) == (1.0, 1.0)
    assert tank.level.integral == 1 * 4 + 2 * 1 + 2 * 5
    assert (tank.level.value, tank.level.maximum) == (10, 10)


def test_nobody_overtakes(sim, log):
    """A large portion at the head of the line is not starved by small ones behind it."""
    tank = ev.Container(sim, 10, 2)
    run(
        sim,
        gets(tank, log, "large", 0, 6),
        gets(tank, log, "small", 1, 1),
        puts(tank, log, "C", 2, 3),
        puts(tank, log, "D", 3, 3),
        puts(tank, log, "E", 4, 9),
        puts(tank, log, "F", 5, 1),
        gets(tank, log, "G", 6, 1),
        gets(tank, log, "H", 7, 3),
    )

    assert log == [
        (2.0, "C put 3 of 5"),
        (3.0, "D put 3 of 1"),
        (3.0, "large got 6 of 1"),
        (3.0, "small got 1 of 1"),
        (4.0, "E put 9 of 10"),
        (6.0, "G got 1 of 9"),
        (6.0, "F put 1 of 10"),
        (7.0, "H got 3 of 7"),
    ]


def test_priority(sim, log):
    tank = ev.Container(sim, 5)

    def urgent():
        yield ev.hold(0.5)
        next(get for get in tank.gets.waiting if get.process.name == "d").priority = 3

    for name, priority in [("a", 0), ("b", 2), ("c", 1), ("d", 0)]:
        sim.process(gets(tank, log, name, 0, 1, priority), name=name)
    run(sim, urgent(), puts(tank, log, "P", 1, 4))

    assert [what for _, what in log] == ["P put 4 of 0", "d got 1 of 0", "b got 1 of 0", "c got 1 of 0", "a got 1 of 0"]


def test_space_is_free_when_the_get_has_been_carried_out(sim, log):
    """Not before: until then it may be withdrawn, and what it was to get comes back."""
    tank = ev.Container(sim, 4)

    def patient(name, amount, patience):
        got = yield ev.first_of(fuel=tank.get(amount), gave_up=ev.hold(patience))
        log(name, got.name, "amount", tank.amount)

    def supplier():
        yield ev.hold(1.0)
        yield tank.put(4)
        log("put 4", "amount", tank.amount)
        yield tank.put(4)
        log("put 4 more", "amount", tank.amount)

    run(sim, patient("A", 4, 1.0), supplier())

    assert log == [(1.0, "A gave_up amount 0"), (1.0, "put 4 amount 4")]
    assert (tank.amount, tank.puts.queue.value, tank.gets.queue.value) == (4, 1, 0)


def test_put_that_was_granted_can_be_withdrawn(sim, log):
    tank = ev.Container(sim, 4, 4)

    def patient(name, amount, patience):
        got = yield ev.first_of(put=tank.put(amount), gave_up=ev.hold(patience))
        log(name, got.name, "amount", tank.amount)

    def consumer():
        yield ev.hold(1.0)
        yield tank.get(3)
        log("got 3", "amount", tank.amount, "putting", tank.puts.queue.value)

    run(sim, consumer(), patient("A", 2, 1.0), patient("B", 3, 2.0), patient("C", 1, 3.0))

    # A is granted first, but gives up before it is carried out: its space goes to B
    assert log == [
        (1.0, "got 3 amount 1 putting 2"),
        (1.0, "A gave_up amount 1"),
        (1.0, "B put amount 4"),
        (3.0, "C gave_up amount 4"),
    ]


def test_interrupted_between_grant_and_delivery(sim, log):
    tank = ev.Container(sim, 10)

    def taker(name):
        try:
            got = yield tank.get(3)
            log(name, got)
        except ev.Interrupt as interrupt:
            log(name, interrupt.cause, interrupt.left)

    takers = [sim.process(taker(name)) for name in "AB"]

    def giver():
        yield ev.hold(1.0)
        yield tank.put(3)
        takers[0].interrupt("stop")
        log("amount", tank.amount)

    run(sim, giver())

    assert log == [(1.0, "amount 0"), (1.0, "A stop None"), (1.0, "B 3")]
    assert tank.amount == 0


def test_what_was_got_is_given_back_by_all_of(sim, log):
    """Who is interrupted before all has come has not got any of it; then the tank may be too full for a while."""
    tank, other = ev.Container(sim, 5, 5, name="tank"), ev.Container(sim, 5, name="other")

    def taker():
        try:
            yield ev.all_of(fuel=tank.get(4), oil=other.get(1))
        except ev.Interrupt:
            log("interrupted", tank.amount)

    first = sim.process(taker())

    def others():
        yield ev.hold(1.0)
        yield tank.put(3)
        first.interrupt()
        yield ev.hold(1.0)
        got = yield ev.first_of(put=tank.put(1), gave_up=ev.hold(1.0))
        log(got.name, tank.amount)
        yield tank.get(4)
        yield tank.put(1)
        log(tank.amount)

    run(sim, others())

    assert log == [(1.0, "interrupted 8"), (3.0, "gave_up 8"), (3.0, "5")]


def test_get_that_was_carried_out_can_be_withdrawn(sim, log):
    tank = ev.Container(sim, 5, 2)

    def taker():
        put, get = tank.put(1), tank.get(2)
        yield put
        yield get
        for transfer in (put, get, get):
            transfer.withdraw()
            log(put.state, get.state, tank.amount)

    run(sim, taker())

    assert log == [(0.0, "withdrawn done 1"), (0.0, "withdrawn withdrawn 3"), (0.0, "withdrawn withdrawn 3")]


class Tank(ev.Container):
    colour: str = "red"


def test_subclass(sim):
    tank = Tank(sim, 5, 2, colour="blue")

    assert (tank.capacity, tank.amount, tank.colour, tank.name) == (5, 2, "blue", "Tank 1")


def test_ended_in_the_line(sim, log):
    tank = ev.Container(sim, 10, 2)
    first = sim.process(gets(tank, log, "A", 0, 5))

    def killer():
        yield ev.hold(1.0)
        first.end()

    run(sim, killer(), gets(tank, log, "B", 0.5, 2))

    assert log == [(1.0, "B got 2 of 0")]


def test_exact_amounts_of_fractions(sim, log):
    tank = ev.Container(sim, Fraction(1))
    run(sim, *[puts(tank, log, "", k, Fraction(1, 10)) for k in range(10)], gets(tank, log, "all", 0, 1))

    assert log[-1] == (9.0, "all got 1 of 0")
    assert (tank.amount, tank.level.maximum) == (0, 1.0)


def test_everything_can_be_taken_and_refilled_in_floats(sim, log):
    tank = ev.Container(sim, 1.0)

    def story():
        for _ in range(3):
            yield tank.put(0.1)
        yield tank.put(tank.capacity - tank.amount)
        log(tank.amount)
        yield tank.get(tank.amount)
        log(tank.amount)

    run(sim, story())

    assert log == [(0.0, "1.0"), (0.0, "0.0")]


def test_amounts_and_conditions(sim, log):
    tank = ev.Container(sim, 10)

    def watcher():
        yield ev.until(lambda: tank.amount >= 5)
        log("half full")

    run(sim, watcher(), puts(tank, log, "A", 1, 4), puts(tank, log, "B", 2, 2))

    assert log == [(1.0, "A put 4 of 4"), (2.0, "B put 2 of 6"), (2.0, "half full")]


def test_representations(sim, log):
    tank = ev.Container(sim, 10, 2.5, name="tank")
    sim.process(gets(tank, log, "A", 0, 5), name="A")
    sim.run()
    [waiting] = tank.gets.waiting

    assert repr(tank) == "<tank: 2.5 of 10, 0 putting, 1 getting>"
    assert repr(waiting) == "<get from tank of A: waiting since 0.0>"
    assert waiting.describe() == "the get from tank of 5 since 0.0, which holds 2.5 of 10"
    assert repr(tank.put(1)) == "<put into tank: new>"
    assert repr(ev.Container(sim)) == "<Container 2: 0 of inf, 0 putting, 0 getting>"


def test_statistics_can_be_begun_anew(sim, log):
    tank = ev.Container(sim, 10, 2)
    sim.process(gets(tank, log, "A", 0, 5))
    sim.process(puts(tank, log, "B", 4, 4))
    sim.run(until=3.0)
    sim.reset_statistics()
    sim.run(until=5.0)

    assert tank.level.integral == 1 * 2 + 1 * 1
    assert tank.gets.queue.integral == 1.0
    assert list(tank.gets.waits.values) == [4.0]


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [0, -1, math.nan, "big", None])
def test_capacity(sim, capacity):
    with pytest.raises(
        ev.ModelError, match=f"capacity of tank is a number greater than 0, or infinite, and got {capacity!r}"
    ):
        ev.Container(sim, capacity, name="tank")


@pytest.mark.parametrize("initial", [-1, 11, math.nan, math.inf, "much"])
def test_initial_amount(sim, initial):
    with pytest.raises(ev.ModelError, match=f"initial amount of tank is a number from 0 to .* 10, and got {initial!r}"):
        ev.Container(sim, 10, initial, name="tank")


@pytest.mark.parametrize("amount", [-1, math.nan, math.inf, "much", None])
def test_amounts(sim, amount):
    tank = ev.Container(sim, name="tank")
    with pytest.raises(ev.ModelError, match=f"a put into tank takes a finite number, 0 or more, and got {amount!r}"):
        tank.put(amount)
    with pytest.raises(ev.ModelError, match=f"a get from tank takes a finite number, 0 or more, and got {amount!r}"):
        tank.get(amount)


def test_what_would_wait_for_ever(sim):
    tank = ev.Container(sim, 10, name="tank")
    with pytest.raises(ev.ModelError, match="a get from tank of 11 would wait for ever, its capacity is 10: split it"):
        tank.get(11)
    with pytest.raises(ev.ModelError, match=r"a put into tank of 10\.5 would wait for ever"):
        tank.put(10.5)


def test_commands_are_used_once_and_at_home(sim):
    tank = ev.Container(sim, 10, name="tank")
    put = tank.put(1)

    def twice():
        yield put
        yield put

    with pytest.raises(
        ev.ModelError, match="the put into tank of twice 1 was yielded that is done already: make a new"
    ):
        run(sim, twice())

    def abroad():
        yield tank.put(1)

    with pytest.raises(ev.ModelError, match="tank belongs to another simulation"):
        run(ev.Simulation(rng=1), abroad())


def test_forgotten_yields(sim):
    tank = ev.Container(sim, 10, name="tank")

    def careless():
        yield tank.get(0)
        tank.put(1)

    with pytest.raises(ev.ModelError, match=r"tank\.put\(1\) at .*test_container.py:\d+ makes a command and drops it"):
        run(sim, careless())


def test_withdrawal(sim, log):
    tank = ev.Container(sim, 10, name="tank")
    sim.process(gets(tank, log, "A", 0, 5), name="A")
    sim.run()
    with pytest.raises(ev.ModelError, match=r"withdraw\(\) of the get from tank of A, which waits for it: interrupt"):
        tank.gets.waiting[0].withdraw()
    tank.get(1).withdraw()
    assert tank.gets.queue.value == 1


# --- laws -------------------------------------------------------------------------------------------------------------

moves = st.lists(
    st.tuples(
        st.sampled_from(["put", "get"]),
        st.integers(0, 8),  # when
        st.integers(0, 5),  # how much
        st.integers(-1, 1),  # priority
        st.one_of(st.none(), st.integers(0, 5)),  # patience
    ),
    max_size=30,
)


@pytest.mark.slow
@given(moves, st.integers(5, 9), st.integers(0, 5))
def test_conservation(moves, capacity, initial):
    """Nothing is lost or made, the amount stays within its limits, nobody waits who need not."""
    sim = ev.Simulation(rng=1)
    tank = ev.Container(sim, capacity, initial)
    moved = []

    def mover(kind, time, amount, priority, patience):
        yield ev.hold(time)
        command = tank.put(amount, priority) if kind == "put" else tank.get(amount, priority)
        if patience is None:
            yield command
        elif (yield ev.first_of(done=command, gave_up=ev.hold(patience))).name == "gave_up":
            assert command.state == "withdrawn"
            return
        assert command.state == "done"
        moved.append(amount if kind == "put" else -amount)

    for move in moves:
        sim.process(mover(*move))
    amounts = []
    while sim.step():
        amounts.append(tank.amount)

    assert all(0 <= amount <= capacity for amount in amounts)
    assert tank.amount == initial + sum(moved)
    assert tank.puts.waits.count + tank.gets.waits.count >= len(moved)
    first_get, first_put = tank.gets.line.first(), tank.puts.line.first()
    assert first_get is None or tank.amount < first_get.amount
    assert first_put is None or tank.amount + first_put.amount > capacity


@pytest.mark.parametrize("kind", [ev.Container, ev.Store])
def test_who_waits_for_space_has_it_when_the_capacity_is_raised(sim, kind):
    place = kind(sim, 1)
    log = []

    def bring(what):
        yield place.put(what)
        log.append((sim.time, what))

    def build():
        for capacity in (2, 1, 3):
            yield ev.hold(1.0)
            place.capacity = capacity
            log.append((sim.time, capacity, place.level.value))

    for _ in range(3):
        sim.process(bring(1))
    sim.process(build())
    sim.run()
    assert log == [(0.0, 1), (1.0, 2, 1.0), (1.0, 1), (2.0, 1, 2.0), (3.0, 3, 2.0), (3.0, 1)]
    with pytest.raises(ev.ModelError, match=r"^the capacity of (Container|Store) 1 is a .*, and got 0$"):
        place.capacity = 0


def test_amounts_with_a_unit_are_converted_to_that_of_the_container():
    pytest.importorskip("pint")
    sim, got = ev.Simulation(), []
    tank = ev.Container(sim, ev.Quantity(0.5, unit="m**3"), ev.Quantity(250, unit="ml"), unit="l")

    def pump():
        got.append((yield tank.put(ev.Quantity(1500, unit="ml"))))
        got.append((yield tank.get(1.25)))

    sim.process(pump())
    sim.run()
    assert (tank.capacity, got, tank.amount) == (pytest.approx(500.0, rel=1e-12), [1.5, 1.25], 0.5)
    assert (tank.level.value, tank.level.unit, type(tank.amount)) == (0.5, "l", float)


def test_amounts_with_a_unit_are_refused_where_the_container_has_none():
    sim = ev.Simulation()
    tank = ev.Container(sim, 10)
    for make in (
        lambda: tank.put(ev.Quantity(1.0, unit="l")),
        lambda: tank.get(ev.Quantity(1.0, unit="l")),
        lambda: setattr(tank, "capacity", ev.Quantity(1.0, unit="l")),
        lambda: ev.Container(sim, 10, ev.Quantity(1.0, unit="l"), name="Container 1"),
        lambda: ev.Container(sim, ev.Quantity(1.0, unit="l"), name="Container 1"),
    ):
        with pytest.raises(ev.ModelError) as error:
            make()
        assert str(error.value) == (
            "Container 1 has no unit, and got 1.0 l: make it with unit='l', or give a plain number"
        )
    with pytest.raises(TypeError, match=r"^unit= takes a text, and got 3$"):
        ev.Container(sim, 10, unit=3)
    assert tank.put(ev.Quantity(1.0)).amount == 1.0
