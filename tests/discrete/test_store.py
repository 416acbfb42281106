"""Stores: which thing goes to whom, and when."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eventide as ev


def puts(shelf, log, time, item, priority=0.0):
    yield ev.hold(time)
    yield shelf.put(item, priority)
    log("put", item)


def gets(shelf, log, name, time, accepts=None, priority=0.0):
    yield ev.hold(time)
    item = yield shelf.get(accepts, priority)
    log(name, "got", item)


def run(sim, *stories):
    for story in stories:
        sim.process(story)
    sim.run()


def test_first_in_first_out(sim, log):
    shelf = ev.Store(sim, items=["a", "b"])
    run(
        sim,
        gets(shelf, log, "A", 0),
        puts(shelf, log, 1, "c"),
        gets(shelf, log, "B", 2),
        gets(shelf, log, "C", 3),
        gets(shelf, log, "D", 4),
        gets(shelf, log, "E", 5),
        puts(shelf, log, 6, "d"),
        puts(shelf, log, 7, "e"),
    )

    assert log == [
        (0.0, "A got a"),
        (1.0, "put c"),
        (2.0, "B got b"),
        (3.0, "C got c"),
        (6.0, "put d"),
        (6.0, "D got d"),
        (7.0, "put e"),
        (7.0, "E got e"),
    ]
    assert list(shelf.gets.waits.values) == [0.0, 0.0, 0.0, 2.0, 2.0]
    assert list(shelf.stays.values) == [0.0, 2.0, 2.0, 0.0, 0.0]
    assert (shelf.level.value, shelf.level.integral) == (0, 1 * 1 + 1 * 2 + 1 * 1)


def test_capacity(sim, log):
    shelf = ev.Store(sim, 2, name="shelf")
    run(
        sim,
        *[puts(shelf, log, 0, item) for item in "abcd"],
        gets(shelf, log, "A", 1),
        gets(shelf, log, "B", 2),
    )

    assert log == [
        (0.0, "put a"),
        (0.0, "put b"),
        (1.0, "A got a"),
        (1.0, "put c"),
        (2.0, "B got b"),
        (2.0, "put d"),
    ]
    assert shelf.items == ("c", "d")
    assert list(shelf.puts.waits.values) == [0.0, 0.0, 1.0, 2.0]
    assert shelf.puts.queue.integral == 3.0


def test_filters(sim, log):
    """A get with a filter takes the first that will do, and holds nobody up."""
    shelf = ev.Store(sim, items=[1, 2, 3, 4])
    run(
        sim,
        gets(shelf, log, "even", 0, lambda item: item % 2 == 0),
        gets(shelf, log, "large", 0, lambda item: item > 8),
        gets(shelf, log, "odd", 0, lambda item: item % 2 == 1),
        gets(shelf, log, "any", 0),
        gets(shelf, log, "even again", 0, lambda item: item % 2 == 0),
        gets(shelf, log, "six", 0, lambda item: item == 6),
        puts(shelf, log, 1, 6),
        puts(shelf, log, 2, 9),
        puts(shelf, log, 3, 9),
    )

    assert log == [
        (0.0, "even got 2"),
        (0.0, "odd got 1"),
        (0.0, "any got 3"),
        (0.0, "even again got 4"),
        (1.0, "put 6"),
        (1.0, "six got 6"),
        (2.0, "put 9"),
        (2.0, "large got 9"),
        (3.0, "put 9"),
    ]
    assert shelf.items == (9,)


def test_thing_goes_to_the_first_that_accepts_it_by_priority(sim, log):
    shelf = ev.Store(sim)
    run(
        sim,
        gets(shelf, log, "a", 0),
        gets(shelf, log, "b", 0, lambda item: item == "x", priority=-1),
        gets(shelf, log, "c", 0, lambda item: item == "x", priority=2),
        gets(shelf, log, "d", 0, priority=1),
        *[puts(shelf, log, 1, item) for item in "xyxxz"],
    )

    assert [what for _, what in log if "got" in what] == ["c got x", "d got y", "a got x", "b got x"]
    assert shelf.items == ("z",)


def test_key(sim, log):
    """The least key first, equal ones in the order of coming."""
    jobs = ev.Store(sim, items=[("b", 3), ("a", 1)], key=lambda job: job[1])

    def clerk():
        for job in [("c", 1), ("d", 2), ("e", 2)]:
            yield jobs.put(job)
        log(*[name for name, _ in jobs.items])
        for accepts in (None, lambda job: job[1] > 1, None, None, None):
            name, _ = yield jobs.get(accepts)
            log(name)

    run(sim, clerk())

    assert [what for _, what in log] == ["a c d e b", "a", "d", "c", "e", "b"]


def test_none_is_a_thing(sim, log):
    shelf = ev.Store(sim, 1)
    run(sim, gets(shelf, log, "A", 0), puts(shelf, log, 1, None), puts(shelf, log, 2, None), puts(shelf, log, 3, None),
        gets(shelf, log, "B", 4))  # fmt: skip

    assert log == [(1.0, "put None"), (1.0, "A got None"), (2.0, "put None"), (4.0, "B got None"), (4.0, "put None")]


def patient(shelf, log, name, patience, accepts=None):
    got = yield ev.first_of(item=shelf.get(accepts), gave_up=ev.hold(patience))
    log(name, got.name, got.value, shelf.items)


@pytest.mark.parametrize("key", [None, ord], ids=["row", "key"])
def test_get_that_was_granted_can_be_withdrawn(sim, log, key):
    """The thing goes back where it was, or to the next who wants it."""
    shelf = ev.Store(sim, 2, key=key)

    def clerk():
        yield ev.hold(1.0)
        yield shelf.put("a")
        yield shelf.put("b")
        log(*shelf.items, "puts waiting", shelf.puts.queue.value)
        yield shelf.put("c")
        log("put c")

    run(
        sim,
        clerk(),
        patient(shelf, log, "A", 1.0, lambda item: item == "a"),
        patient(shelf, log, "B", 1.0, lambda item: item == "a"),
    )

    # a is granted to A, which gives up; then to B, which gives up, too; then it is the first on the shelf again
    assert log == [
        (1.0, "b puts waiting 0"),
        (1.0, "A gave_up None ('b',)"),
        (1.0, "B gave_up None ('a', 'b')"),
    ]
    assert (shelf.items, shelf.puts.queue.value) == (("a", "b"), 1)


def test_interrupted_between_grant_and_delivery(sim, log):
    shelf = ev.Store(sim)

    def taker(name):
        try:
            log(name, (yield shelf.get()))
        except ev.Interrupt as interrupt:
            log(name, interrupt.cause, interrupt.left)

    takers = [sim.process(taker(name)) for name in "AB"]

    def giver():
        yield ev.hold(1.0)
        yield shelf.put("x")
        takers[0].interrupt("stop")

    run(sim, giver())

    assert log == [(1.0, "A stop None"), (1.0, "B x")]


def test_what_was_got_is_given_back_by_all_of(sim, log):
    shelf, other = ev.Store(sim, 2, "abc"[:2], name="shelf"), ev.Store(sim, name="other")

    def taker():
        try:
            yield ev.all_of(one=shelf.get(), two=shelf.get(), three=other.get())
        except ev.Interrupt:
            log("interrupted", *shelf.items)

    first = sim.process(taker())

    def others():
        yield ev.hold(1.0)
        yield shelf.put("c")
        yield shelf.put("d")
        first.interrupt()
        yield ev.hold(1.0)
        for _ in range(3):
            log((yield shelf.get()))
        yield shelf.put("e")
        log(*shelf.items)

    run(sim, others())

    assert log == [(1.0, "interrupted a b c d"), (2.0, "a"), (2.0, "b"), (2.0, "c"), (2.0, "d e")]


class Rack(ev.Store):
    place: str


def test_subclass(sim):
    rack = Rack(sim, items="ab", key=lambda item: -ord(item), place="hall", name="rack")

    assert (rack.items, rack.place, rack.name) == (("b", "a"), "hall", "rack")


def test_first_of_several_stores(sim, log):
    """The loser gives its thing back at once, where it was."""
    left, right = ev.Store(sim, name="left"), ev.Store(sim, name="right")

    def taker():
        got = yield ev.first_of(left=left.get(), right=right.get())
        log(got.name, got.value, left.items, right.items)

    def giver():
        yield ev.hold(1.0)
        yield right.put("r1")
        yield left.put("l1")
        yield right.put("r2")

    run(sim, taker(), giver())

    assert log == [(1.0, "right r1 ('l1',) ('r2',)")]
    assert left.level.value == 1


def test_representations(sim, log):
    shelf = ev.Store(sim, 3, "ab", name="shelf")
    sim.process(gets(shelf, log, "A", 0, lambda item: item == "z"), name="A")
    sim.run()
    [waiting] = shelf.gets.waiting

    assert repr(shelf) == "<shelf: 2 of 3 things, 0 putting, 1 getting>"
    assert repr(waiting) == "<get from shelf of A: waiting since 0.0>"
    assert waiting.describe() == "a thing from shelf that its filter accepts since 0.0"
    assert shelf.get().describe() == "a thing from shelf since 0.0"
    assert shelf.put("c").describe() == "a place for 'c' in shelf since 0.0"


def test_statistics_can_be_begun_anew(sim, log):
    shelf = ev.Store(sim)
    sim.process(puts(shelf, log, 0, "a"))
    sim.process(puts(shelf, log, 0, "b"))
    sim.process(gets(shelf, log, "A", 2))
    sim.process(gets(shelf, log, "B", 4))
    sim.run(until=3.0)
    sim.reset_statistics()
    sim.run(until=5.0)

    assert list(shelf.stays.values) == [4.0]
    assert shelf.level.integral == 1.0
    assert shelf.puts.waits.count == 0


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capacity", [0, -1, 2.0, True, math.nan, None])
def test_capacity_is_a_whole_number(sim, capacity):
    with pytest.raises(ev.ModelError, match=f"capacity of shelf is a whole number of things, .*, and got {capacity!r}"):
        ev.Store(sim, capacity, name="shelf")


def test_too_many_things_at_the_start(sim):
    with pytest.raises(ev.ModelError, match="shelf holds 2 things, and got 3 at the start"):
        ev.Store(sim, 2, "abc", name="shelf")


def test_filter_is_a_function(sim):
    shelf = ev.Store(sim, name="shelf")
    with pytest.raises(TypeError, match=r"a get from shelf takes a function of a thing .*, and got 3: write"):
        shelf.get(3)


def test_forgotten_yields(sim):
    shelf = ev.Store(sim, name="shelf")

    def careless():
        yield shelf.put("a")
        shelf.get()

    with pytest.raises(ev.ModelError, match=r"shelf\.get\(\) at .*test_store.py:\d+ makes a command and drops it"):
        run(sim, careless())


def test_error_in_a_filter_names_its_owner(sim, log):
    """It is met by the process that puts something in."""
    shelf = ev.Store(sim, name="shelf")
    sim.process(gets(shelf, log, "A", 0, lambda item: item.size > 3), name="A")
    sim.process(puts(shelf, log, 1, "x"), name="P")
    with pytest.raises(AttributeError) as caught:
        sim.run()

    first, second = caught.value.__notes__
    assert first == "raised by the filter of the get from shelf of A for 'x'"
    assert second.startswith("P was active at time 1.0, at ")


# --- laws -------------------------------------------------------------------------------------------------------------

moves = st.lists(
    st.tuples(
        st.sampled_from(["put", "get"]),
        st.integers(0, 6),  # when
        st.one_of(st.none(), st.integers(0, 2)),  # what a get will accept
        st.integers(-1, 1),  # priority
        st.one_of(st.none(), st.integers(0, 4)),  # patience
    ),
    max_size=30,
)


@pytest.mark.slow
@given(moves, st.integers(1, 4), st.booleans())
def test_conservation(moves, capacity, has_key):
    """Every thing is put once and got at most once, in order; nobody waits who need not."""
    sim = ev.Simulation(rng=1)
    shelf = ev.Store(sim, capacity, key=(lambda item: item[0]) if has_key else None)
    put, got = [], []

    def mover(number, kind, time, wanted, priority, patience):
        yield ev.hold(time)
        if kind == "put":
            item = ((wanted or 0) % 3, number)
            command = shelf.put(item, priority)
        else:
            command = shelf.get(None if wanted is None else lambda item: item[0] == wanted, priority)
        if patience is None:
            value = yield command
        else:
            outcome = yield ev.first_of(done=command, gave_up=ev.hold(patience))
            if outcome.name == "gave_up":
                return
            value = outcome.value
        if kind == "put":
            put.append(value)
        else:
            assert wanted is None or value[0] == wanted
            got.append(value)

    for number, move in enumerate(moves):
        sim.process(mover(number, *move))
    while sim.step():
        assert shelf.level.value == len(shelf.items) <= capacity

    assert sorted(put) == sorted([*got, *shelf.items])
    assert not any(get.accepts(item) for get in shelf.gets.waiting for item in shelf.items)
    assert not shelf.puts.waiting or len(shelf.items) == capacity
    if has_key:
        assert list(shelf.items) == sorted(shelf.items, key=lambda item: item[0])


def test_things_that_come_and_go_leave_the_names_of_stores_alone(sim, log):
    first, second = ev.Store(sim, items=["a", "b"]), ev.Store(sim)

    run(sim, gets(first, log, "A", 0), puts(first, log, 1, "c"), puts(second, log, 2, "d"))

    assert first.items == ("b", "c")
    assert [first.name, second.name, ev.Store(sim).name] == ["Store 1", "Store 2", "Store 3"]
    assert [first.puts.queue.name, second.stays.name] == ["Store 1 puts queue", "Store 2 stays"]
