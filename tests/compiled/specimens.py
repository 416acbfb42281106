"""Models of every kind, small: each builds itself in a simulation and writes what happens, with states, to a log."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import eventide as ev

Log = list[tuple[Any, ...]]


class Specimen(NamedTuple):
    """A model, and how long it runs; `opaque` if parts of it cannot be compiled."""

    build: Callable[[ev.Simulation, Log], None]
    until: float
    opaque: bool


SPECIMENS: dict[str, Specimen] = {}


def specimen(until: float, *, opaque: bool = False) -> Callable[[Any], Any]:
    def keep(build: Any) -> Any:
        SPECIMENS[build.__name__] = Specimen(build, until, opaque)
        return build

    return keep


class Ball(ev.Continuous):
    log: Log
    height: ev.State = ev.state(10.0)
    velocity: ev.State = ev.state(0.0)
    restitution: float = 0.8

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocity = -9.81

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self) -> None:
        self.log.append((self.sim.time, self.name, self.height, self.velocity))
        self.velocity *= -self.restitution


@specimen(5.0)
def ball(sim: ev.Simulation, log: Log) -> None:
    Ball(sim, name="ball", log=log).start()


@specimen(6.0)
def twins_and_a_stranger(sim: ev.Simulation, log: Log) -> None:
    Ball(sim, name="a", log=log).start()
    Ball(sim, name="b", log=log).start()
    Ball(sim, name="c", log=log, height=7.0, restitution=0.75).start()


class Room(ev.Continuous):
    temperature: ev.State = ev.state(15.0)
    heating: float = 0.0
    loss: float = 0.2

    def equations(self) -> None:
        self.rate.temperature = self.heating - self.loss * (self.temperature - 5.0)


@specimen(50.0)
def thermostat(sim: ev.Simulation, log: Log) -> None:
    room = Room(sim, name="room").start()

    def control() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: room.temperature <= 18.0)
            log.append((sim.time, "on", room.temperature))
            room.heating = 5.0
            yield ev.until(lambda: room.temperature >= 22.0)
            log.append((sim.time, "off", room.temperature, room.rate.temperature))
            room.heating = 0.0

    sim.process(control())


@specimen(30.0)
def closure_that_changes(sim: ev.Simulation, log: Log) -> None:
    room = Room(sim, name="room", heating=5.0).start()
    goal = 16.0

    def control() -> ev.ProcessGenerator:
        nonlocal goal
        while True:
            yield ev.until(lambda: room.temperature >= goal)  # noqa: B023  # it is to see the changes
            log.append((sim.time, "reached", goal, room.temperature))
            goal += 1.5
            yield ev.hold(0.25)

    def shift() -> ev.ProcessGenerator:
        nonlocal goal
        while True:
            yield ev.hold(1.7)
            goal -= 0.5

    sim.process(control())
    sim.process(shift())


class Tank(ev.Continuous):
    level: ev.State = ev.state(0.0)
    inflow: ev.Summed = ev.summed()
    outflow: ev.Computed = ev.computed()
    valve: float = 0.3

    def equations(self) -> None:
        self.outflow = self.valve * math.sqrt(abs(self.level))
        self.rate.level = self.inflow - self.outflow


class Pump(ev.Continuous):
    tank: Tank
    power: float = 1.0
    used: ev.State = ev.state(0.0)

    def contributions(self) -> None:
        self.tank.inflow += self.power

    def equations(self) -> None:
        self.rate.used = self.power / (1.0 + self.tank.level)


@specimen(15.0)  # later, when the spare tank has run empty, where its level goes on from is in no equation
def pumps_come_and_go(sim: ev.Simulation, log: Log) -> None:
    tank, spare = Tank(sim, name="tank"), Tank(sim, name="spare", level=4.0)
    pumps = [Pump(sim, name=f"pump {k}", tank=tank, power=0.4 + 0.1 * k) for k in range(4)]

    def shifts() -> ev.ProcessGenerator:
        tank.start()
        spare.start()
        for pump in pumps:
            pump.start()
            yield ev.hold(1.3)
            log.append((sim.time, pump.name, tank.level, tank.outflow, tank.inflow, pump.used))
        pumps[1].stop()
        yield ev.until(lambda: tank.outflow >= 0.75)
        log.append((sim.time, "much", tank.level, tank.outflow, tank.rate.level))
        pumps[2].tank = spare
        yield ev.hold(1.0)
        log.append((sim.time, "moved", tank.level, spare.level, spare.inflow))
        tank.stop()
        yield ev.hold(0.5)
        log.append((sim.time, "stopped", tank.level, spare.level))
        tank.start()
        for pump in pumps:
            pump.stop()
        yield ev.until(lambda: tank.level < 0.5)
        log.append((sim.time, "empty", tank.level, spare.level))

    sim.process(shifts())


@specimen(12.0)
def conditions_of_all_kinds(sim: ev.Simulation, log: Log) -> None:
    one = Room(sim, name="one", heating=4.0).start()
    two = Room(sim, name="two", heating=2.0, temperature=20.0).start()

    def wait(name: str, condition: Any) -> ev.ProcessGenerator:
        woken = yield ev.until(condition)
        log.append((sim.time, name, woken, one.temperature, two.temperature))

    sim.process(wait("time", lambda: sim.time >= 2.5))
    sim.process(wait("both", lambda: one.temperature >= two.temperature))
    sim.process(wait("either", lambda: one.temperature > 23.0 or two.temperature < 16.0))
    sim.process(wait("rate", lambda: one.rate.temperature < 0.5))
    sim.process(wait("time and state", lambda: sim.time > 1.0 and one.temperature > 16.0))
    sim.process(wait("not", lambda: not two.temperature > 17.0))


@specimen(6.0)
def priorities_at_one_instant(sim: ev.Simulation, log: Log) -> None:
    rooms = [Room(sim, name=f"room {k}", heating=3.0).start() for k in range(4)]

    def wait(room: Room, priority: float, prior: bool) -> ev.ProcessGenerator:
        yield ev.until(lambda: room.temperature >= 17.0, priority=priority, prior=prior)
        log.append((sim.time, room.name, priority, prior, room.temperature))

    for room, priority, prior in zip(rooms, (0.0, 2.0, 0.0, 2.0), (False, False, True, True), strict=True):
        sim.process(wait(room, priority, prior))


class Filter(ev.Continuous):
    """A difference equation beside a state."""

    room: Room
    smooth: ev.State = ev.state(15.0, assigned=True)
    last_error: ev.State = ev.state(0.0)
    area: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.smooth = self.last.smooth + self.sim.dt * (self.room.temperature - self.last.smooth)
        self.rate.area = self.smooth


@specimen(8.0)
def difference_equation(sim: ev.Simulation, log: Log) -> None:
    sim.dt_max = 0.125
    room = Room(sim, name="room", heating=3.0).start()
    kept = Filter(sim, name="filter", room=room).start()

    def look() -> ev.ProcessGenerator:
        while True:
            yield ev.until(lambda: kept.area > 40.0 + 10.0 * sim.time or room.temperature > 18.5)
            log.append((sim.time, "area", kept.smooth, kept.area))
            room.heating *= 0.5
            yield ev.hold(1.0)
            log.append((sim.time, "held", kept.smooth, kept.area, kept.last.smooth))
            kept.area = 0.0

    sim.process(look())


class Bed(ev.Continuous):
    """Heats a list of parts that changes."""

    heat: ev.State = ev.state(100.0)
    parts: list[Part] = ev.field(default_factory=list)
    log: Log

    def equations(self) -> None:
        self.rate.heat = 20.0 - 0.1 * self.heat
        for part in self.parts:
            self.rate.heat -= 0.05 * (self.heat - part.heat)

    def is_ready(self) -> bool:
        return any(part.heat >= 60.0 for part in self.parts)


class Part(ev.Process, ev.Continuous):
    bed: Bed
    heat: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.heat = 0.3 * (self.bed.heat - self.heat)

    def run(self) -> ev.ProcessGenerator:
        self.bed.parts.append(self)
        self.start()
        yield ev.passivate()
        self.bed.log.append((self.sim.time, self.name, self.heat, self.bed.heat))
        self.stop()


@specimen(30.0)
def parts_in_a_bed(sim: ev.Simulation, log: Log) -> None:
    bed = Bed(sim, name="bed", log=log).start()

    def draw() -> ev.ProcessGenerator:
        while True:
            yield ev.until(bed.is_ready)
            hot = [part for part in bed.parts if part.heat >= 50.0]
            bed.parts = [part for part in bed.parts if part.heat < 50.0]
            for part in hot:
                part.activate()

    def deliver() -> ev.ProcessGenerator:
        for number in range(12):
            Part(sim, name=f"part {number}", bed=bed).activate()
            yield ev.hold(1.1 if number % 3 else 2.9)

    sim.process(draw())
    sim.process(deliver())


class Bath(ev.Continuous):
    """Heats whoever stands in a queue."""

    heat: ev.State = ev.state(100.0)
    pieces: ev.Queue[Piece]
    log: Log

    def equations(self) -> None:
        self.rate.heat = 20.0 - 0.1 * self.heat
        for piece in self.pieces:
            self.rate.heat -= 0.05 * (self.heat - piece.heat)

    def is_hot(self) -> bool:
        return sum(piece.heat for piece in self.pieces) > 150.0


class Piece(ev.Process, ev.Continuous):
    bath: Bath
    heat: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.heat = 0.3 * (self.bath.heat - self.heat)

    def run(self) -> ev.ProcessGenerator:
        pieces = self.bath.pieces
        self.start()
        pieces.into(self, priority=float(pieces.entered % 3))
        yield ev.until(lambda: self.heat >= 60.0)
        pieces.out(self)
        self.bath.log.append((self.sim.time, self.name, self.heat, self.bath.heat))
        self.stop()


@specimen(30.0)
def pieces_in_a_queue(sim: ev.Simulation, log: Log) -> None:
    bath = Bath(sim, name="bath", log=log, pieces=ev.Queue(sim, name="pieces")).start()

    def deliver() -> ev.ProcessGenerator:
        for number in range(12):
            Piece(sim, name=f"piece {number}", bath=bath).activate()
            yield ev.hold(1.1 if number % 3 else 2.9)

    def watch() -> ev.ProcessGenerator:
        while True:
            yield ev.until(bath.is_hot)
            log.append((sim.time, "hot", len(bath.pieces), bath.heat))
            yield ev.hold(2.0)

    sim.process(deliver())
    sim.process(watch())


class Odd(ev.Continuous):
    """A law that cannot be followed: it looks into a dictionary."""

    x: ev.State = ev.state(1.0)
    other: Any = None
    table: dict[str, float] = ev.field(default_factory=lambda: {"k": 0.5})

    def equations(self) -> None:
        self.rate.x = -self.table["k"] * self.x
        if self.other is not None:
            self.other.rate.temperature += self.x


@specimen(10.0, opaque=True)
def an_opaque_law_among_others(sim: ev.Simulation, log: Log) -> None:
    room = Room(sim, name="room", heating=3.0).start()
    odd = Odd(sim, name="odd", other=room)
    Ball(sim, name="ball", log=log, height=20.0).start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.5)
        odd.start()
        yield ev.until(lambda: odd.x < 0.5)
        log.append((sim.time, "half", odd.x, room.temperature))
        odd.table["k"] = -0.1
        yield ev.hold(1.0)
        odd.stop()
        log.append((sim.time, "stop", odd.x, room.temperature))

    sim.process(story())


class Fading(ev.Continuous):
    x: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.x = -self.x


class Census(ev.Continuous):
    """A law that cannot be followed, and reads states of whoever is in a dictionary."""

    total: ev.State = ev.state(0.0)
    members: dict[str, Any] = ev.field(default_factory=dict)

    def equations(self) -> None:
        self.rate.total = sum(member.x for member in self.members.values())


@specimen(4.0, opaque=True)
def an_opaque_law_that_reads_others(sim: ev.Simulation, log: Log) -> None:
    """What it touches steps with it from the first time on, whatever ran just before."""
    one, two = Fading(sim, name="one").start(), Fading(sim, name="two").start()
    census = Census(sim, name="census", members={"one": one}).start()

    def story() -> ev.ProcessGenerator:
        yield ev.until(lambda: census.total > 0.5)
        log.append((sim.time, "half", census.total, one.x))
        census.members["two"] = two
        yield ev.hold(1.0)
        log.append((sim.time, "both", census.total, two.x))

    sim.process(story())


@specimen(20.0, opaque=True)
def an_opaque_condition_among_others(sim: ev.Simulation, log: Log) -> None:
    one, two = Room(sim, name="one", heating=4.0).start(), Room(sim, name="two", heating=3.0).start()
    limits = {"one": 20.0}

    def wait(name: str, condition: Any) -> ev.ProcessGenerator:
        yield ev.until(condition)
        log.append((sim.time, name, one.temperature, two.temperature))

    sim.process(wait("opaque", lambda: one.temperature > limits["one"]))
    sim.process(wait("plain", lambda: two.temperature > 17.0))


class Sampled(ev.Continuous):
    """A controller at its own rate, another one at another."""

    room: Room
    log: Log

    @ev.every(0.25)
    def control(self) -> None:
        self.room.heating = 1.5 * (20.0 - self.room.temperature)

    @ev.every(hz=3)
    def look(self) -> None:
        self.log.append((self.sim.time, "look", self.room.temperature, self.room.rate.temperature))


@specimen(4.0)
def sampled_control(sim: ev.Simulation, log: Log) -> None:
    Sampled(sim, room=Room(sim, name="room").start(), log=log).start()
    Room(sim, name="neighbour", heating=1.0).start()


class Follower(ev.Continuous):
    leader: Any = None
    x: ev.State = ev.state(0.0)
    gain: float = 1.0
    log: Log

    def equations(self) -> None:
        self.rate.x = self.gain * (self.leader.temperature - self.x)

    @ev.when(lambda self: self.x > self.leader.temperature - 1.0)
    def close(self) -> None:
        self.log.append((self.sim.time, self.name, self.x, self.leader.temperature, self.leader.name))


@specimen(12.0)
def references_reassigned(sim: ev.Simulation, log: Log) -> None:
    cold = Room(sim, name="cold", heating=1.0).start()
    warm = Room(sim, name="warm", heating=6.0, temperature=25.0).start()
    follower = Follower(sim, name="follower", log=log)
    follower.start()
    follower.leader = cold

    def swap() -> ev.ProcessGenerator:
        for leader in (warm, cold, warm):
            yield ev.hold(2.3)
            log.append((sim.time, "swap", follower.x, cold.temperature, warm.temperature))
            follower.leader = leader

    sim.process(swap())


@specimen(9.0)
def variables_start_and_stop(sim: ev.Simulation, log: Log) -> None:
    ball = Ball(sim, name="ball", log=log, height=30.0).start()
    loose = ev.Variable(sim, 2.0, name="loose").start()
    slope = ev.law(sim, lambda: loose.set_rate(-0.5 * loose.state), name="slope").start()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        ball["velocity"].stop()
        log.append((sim.time, "stop", ball.height, ball.velocity, loose.state))
        yield ev.hold(0.5)
        ball["velocity"].start()
        loose.stop()
        log.append((sim.time, "start", ball.height, ball.velocity, loose.state))
        yield ev.until(lambda: ball.height < 5.0)
        log.append((sim.time, "low", ball.height, loose.rate, loose.state))
        loose.state = 3.0
        loose.start()
        yield ev.until(lambda: loose.state < 2.9)
        slope.stop()
        log.append((sim.time, "2.9", ball.height, loose.state))

    sim.process(story())


@specimen(10.0)
def a_condition_on_what_starts_later(sim: ev.Simulation, log: Log) -> None:
    one, two = Room(sim, name="one", heating=4.0), Room(sim, name="two", heating=3.0).start()

    def wait(name: str, condition: Any) -> ev.ProcessGenerator:
        yield ev.until(condition)
        log.append((sim.time, name, one.temperature, two.temperature))

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.25)
        one.start()
        yield ev.hold(2.0)
        one.stop()
        two.stop()
        yield ev.hold(0.5)
        one.temperature = 30.0
        yield ev.hold(0.5)
        two.temperature = 31.0
        two.start()

    sim.process(wait("one", lambda: one.temperature > 17.0))
    sim.process(wait("sum", lambda: one.temperature + two.temperature > 36.0))
    sim.process(wait("written", lambda: one.temperature > 29.0))
    sim.process(wait("more", lambda: two.temperature > 30.0))
    sim.process(story())


@specimen(6.0)
def pauses_and_steps(sim: ev.Simulation, log: Log) -> None:
    room = Room(sim, name="room", heating=3.0).start()
    tank = Tank(sim, name="tank", level=4.0).start()

    def story() -> ev.ProcessGenerator:
        while True:
            yield ev.hold(0.7)
            before = room.rate.temperature, tank.outflow
            room.temperature += 1.0
            tank.level += 0.5
            kept = room.rate.temperature, tank.outflow
            yield ev.pause()
            after = room.rate.temperature, tank.outflow
            log.append((sim.time, "pause", *before, *kept, *after, sim.dt, sim.last_time))
            tank.valve += 0.05

    sim.process(story())


class Sawtooth(ev.Continuous):
    """Falls and is lifted, with a condition on a number that its own handler changes."""

    x: ev.State = ev.state(0.0)
    limit: float = 1.0
    log: Log

    def equations(self) -> None:
        self.rate.x = 1.0 + 0.1 * self.x

    @ev.when(lambda self: self.x >= self.limit, priority=1.0)
    def fall(self) -> None:
        self.log.append((self.sim.time, self.name, self.x))
        self.x = 0.0
        self.limit *= 1.1

    @ev.when(lambda self: self.x >= self.limit)
    def too_late(self) -> None:
        self.log.append((self.sim.time, self.name, "too late"))


@specimen(10.0)
def a_handler_with_precedence(sim: ev.Simulation, log: Log) -> None:
    Sawtooth(sim, name="saw", log=log).start()
    Sawtooth(sim, name="jig", log=log, limit=0.7).start()
