"""Recordings of classes whose objects come and go: the stepper takes down regular rows, Python those of events."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import eventide as ev


class Oven(ev.Continuous):
    """Makes a further piece whenever it is hot again."""

    heat: ev.State = ev.state(0.0)
    drawn: ev.Summed = ev.summed()
    pieces: list = ev.field(default_factory=list)

    def equations(self):
        self.rate.heat = 10.0 - 0.1 * self.drawn

    @ev.when(lambda self: self.heat >= 8.0)
    def load(self):
        self.heat -= 6.0
        kind = Plate if len(self.pieces) % 2 else Piece
        self.pieces.append(kind(self.sim, oven=self, name=f"late {len(self.pieces)}").start())


class Piece(ev.Continuous):
    warmth: ev.State = ev.state(1.0)
    lack: ev.Computed = ev.computed()
    oven: Oven | None = None

    def contributions(self):
        self.oven.drawn += self.warmth

    def equations(self):
        self.lack = self.oven.heat - self.warmth
        self.rate.warmth = 0.3 * self.lack


class Plate(Piece):
    """Its slots are in another order than those of its base."""

    rim: ev.State = ev.state(2.0)

    def equations(self):
        self.lack = 2.0 * self.oven.heat - self.warmth
        self.rate.warmth = 0.1 * self.lack
        self.rate.rim = -self.rim


class Rod(ev.Continuous):
    profile: ev.StateVector = ev.state_vector(size=3)
    length: ev.State = ev.state(0.5)

    def equations(self):
        self.rate.profile = -self.profile
        self.rate.length = self.profile[0]


class Alone(ev.Continuous):
    """Moves in a flow of its own."""

    level: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.level = 1.0


def begin(sim):
    """Objects that are started, stopped, started again, ranked anew, written, and made by a handler."""
    oven = Oven(sim, name="oven").start()
    pieces = [Piece(sim, oven=oven, name=f"piece {k}", warmth=float(k)) for k in range(3)]
    rods = [Rod(sim, name=f"rod {k}", profile=[1.0 + k, 2.0, 3.0]) for k in range(2)]
    others = [Alone(sim, name=f"alone {k}") for k in range(3)]

    def story():
        for one in (*pieces[:2], rods[0], *others[:2]):
            one.start()
        yield ev.hold(0.35)
        pieces[0].stop()
        pieces[2].start()
        yield ev.hold(0.25)
        pieces[0].start()
        others[1].stop()
        rods[1].start()
        rods[0].profile = [5.0, 6.0, 7.0]
        yield ev.hold(0.4)  # at a regular time of most recordings
        pieces[1].set_priority(2.0)
        others[2].start()
        yield ev.pause()
        others[2].stop()
        others[1].start()
        yield ev.hold(1.05)
        pieces[1].warmth += 4.0
        yield ev.hold(0.05)
        rods[0].stop()

    sim.process(story())


def recorded(sim):
    subjects = [(Piece, 0.05, True), (Plate, 0.25, True), (Piece, 0.1, False), (Rod, 0.04, True), (Alone, 0.1, True)]
    subjects += [(Piece, "step", True), (Piece, "event", True), (Alone, "step", False), (Oven, 0.5, True)]
    return [sim.record(kind, every=every, events=events) for kind, every, events in subjects]


def rows(recording):
    block = recording._block()
    numbers = [block.times.tolist(), block.sides.tolist(), *(column.tolist() for column in block.data)]
    return list(zip(recording.components, *numbers, strict=True))


def run(*, compiles, stepping="apart", is_taped=True):
    sim = ev.Simulation(compile=compiles, stepping=stepping)
    begin(sim)
    recordings = recorded(sim)
    if not is_taped:
        for recording in recordings:
            recording._begin_tape = lambda **_: None
    sim.run(until=1.6)
    late = sim.record(Piece, every=0.3)
    sim.run(until=3.3)
    recordings[0].stop()
    sim.run(until=4.0)
    return [rows(recording) for recording in [*recordings, late]], sim.events, sim.monitor.steps


@pytest.mark.slow
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_rows_are_those_of_a_recorder_that_is_called_compiled_and_plain(stepping):
    first = run(compiles=False, stepping=stepping, is_taped=False)

    assert [len(some) > 8 for some in first[0]] == [True] * 10
    for compiles, is_taped in [(False, True), (True, False), (True, True)]:
        assert run(compiles=compiles, stepping=stepping, is_taped=is_taped) == first


@pytest.mark.slow
def test_simulations_in_threads_have_the_same_rows():
    alone = run(compiles=True)

    with ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(lambda _: run(compiles=True), range(3)))

    assert runs == [alone] * 3


@pytest.mark.parametrize("compiles", [False, True], ids=["plain", "native"])
def test_between_two_events_python_is_not_called(compiles):
    sim = ev.Simulation(compile=compiles)
    tanks = [Alone(sim, name=f"tank {k}", level=float(k)) for k in range(5)]

    def story():
        tanks[0].start()
        yield ev.hold(1.5)
        for tank in tanks[1:]:  # more than the tape has room for
            tank.start()
        yield ev.hold(1.5)
        tanks[1].stop()

    sim.process(story())
    trace, looks = sim.record(Alone, every=1.0), []
    trace._observe = lambda phase, observe=trace._observe: (looks.append((sim.time, phase.value)), observe(phase))

    sim.run(until=5.0)

    heads = trace.times.tolist(), trace.sides.tolist(), trace.components
    levels = list(zip(*heads, trace["level"].round(12).tolist(), strict=True))
    assert levels == [
        (0.0, 1, "tank 0", 0.0),
        (1.0, 0, "tank 0", 1.0),
        *[(1.5, 1, f"tank {k}", float(k)) for k in range(1, 5)],
        *[(2.0, 0, f"tank {k}", k + (0.5 if k else 2.0)) for k in range(5)],
        (3.0, 0, "tank 0", 3.0),
        (3.0, -1, "tank 1", 2.5),
        *[(3.0, 0, f"tank {k}", k + 1.5) for k in range(2, 5)],
        *[(4.0, 0, f"tank {k}", k + (2.5 if k else 4.0)) for k in (0, 2, 3, 4)],
        *[(5.0, -1, f"tank {k}", k + (3.5 if k else 5.0)) for k in (0, 2, 3, 4)],
    ]
    sides = [(0.0, "after"), (0.0, "after"), (1.5, "before"), (1.5, "after"), (3.0, "before"), (3.0, "after")]
    assert looks == [*sides, (5.0, "before")]


def test_sources_of_an_instant_stand_in_the_order_in_which_they_were_met():
    sim = ev.Simulation()
    tanks = {name: Alone(sim, name=name) for name in "abc"}
    tanks["a"].start()

    def story():
        yield ev.hold(1.0)
        tanks["b"].start()
        yield ev.pause()
        tanks["c"].set_priority(1.0).start()
        yield ev.pause()
        tanks["b"].stop()
        yield ev.pause()
        tanks["b"].set_priority(2.0).start()

    sim.process(story())
    trace = sim.record(Alone, every=1.0)

    sim.run(until=1.5)

    assert list(zip(trace.times.tolist(), trace.sides.tolist(), trace.components, strict=True)) == [
        (0.0, 1, "a"),
        (1.0, 0, "a"),
        (1.0, 1, "b"),
        (1.0, 1, "c"),
        *[(1.5, -1, name) for name in "bca"],
    ]


def test_objects_of_another_size_are_refused_where_the_class_is_recorded():
    class Row(ev.Continuous):
        size: int = 2
        values: ev.StateVector = ev.state_vector(size="size")

    sim = ev.Simulation()
    short, long = Row(sim, name="short").start(), Row(sim, name="long", size=3)
    trace = sim.record(Row, every=0.5)

    def story():
        yield ev.hold(1.0)
        long.start()

    sim.process(story())
    with pytest.raises(ev.ModelError, match="has columns for 2 items of values, and long has 3"):
        sim.run(until=2.0)
    assert (sim.time, trace.times.tolist(), short.values.tolist()) == (1.0, [0.0, 0.5, 1.0], [0.0, 0.0])
