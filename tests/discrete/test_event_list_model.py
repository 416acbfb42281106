"""Random schedules against a slow and obvious event list, kept in order as a plain list.

The model says in words what the order of events is. Times come from a small set, so that most events are simultaneous.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

import eventide as ev

NAMES = ["A", "B", "C", "D", "E"]
MOMENTS = [0.0, 1.0, 1.5, 2.0, 3.0]
DURATIONS = [-1.0, 0.0, 0.5, 1.0, 2.0]


class Refused(Exception):
    """The model's answer where eventide raises ModelError."""


# --- the model -------------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Entry:
    """A place in the list: a process goes on, or an interrupt reaches it."""

    time: float
    who: Actor
    cause: int | None = None
    stretch: int | None = None
    """Which stretch of code put it in front of its instant, if one did."""
    rank: float = 0.0
    """Its priority; infinite for what was put before all others."""


@dataclass(eq=False)
class Actor:
    name: str
    script: list
    position: int = 0
    """How much of the script has been played."""
    has_begun: bool = False
    terminated: bool = False


@dataclass
class Model:
    """SIMULA's event list in words."""

    actors: dict[str, Actor]
    time: float = 0.0
    events: list[Entry] = field(default_factory=list)
    stretch: int = 0
    happened: int = 0
    current: Actor | None = None
    log: list = field(default_factory=list)

    # Where an entry goes.

    def last_at(self, entry):
        """After all that stand at that time already, with its priority or a higher one."""
        ours = (entry.time, -entry.rank)
        places = [place for place, other in enumerate(self.events) if (other.time, -other.rank) <= ours]
        self.events.insert(len(places), entry)

    def prior_at(self, entry):
        """Before all that stand at that time already."""
        entry.rank = float("inf")
        if entry.time == self.time:
            entry.stretch = self.stretch
        places = [place for place, other in enumerate(self.events) if other.time < entry.time]
        self.events.insert(len(places), entry)

    def in_front(self, entry):
        """At the head of the list, but after what the same stretch of code put there."""
        entry.stretch, entry.rank = self.stretch, float("inf")
        places = [place for place, other in enumerate(self.events) if other.stretch == self.stretch]
        self.events.insert(places[-1] + 1 if places else 0, entry)

    def beside(self, entry, neighbour, shift):
        """Immediately before or after another one, to which it then belongs."""
        entry.time, entry.stretch, entry.rank = neighbour.time, neighbour.stretch, neighbour.rank
        self.events.insert(self.events.index(neighbour) + shift, entry)

    # What the words do.

    def entry_of(self, actor):
        return next((entry for entry in self.events if entry.who is actor and entry.cause is None), None)

    def activate(self, name, how):
        actor = self.actors[name]
        if not actor.terminated and actor is not self.current and self.entry_of(actor) is None:
            self.place(actor, **how)

    def reactivate(self, name, how):
        actor = self.actors[name]
        if actor is self.current:
            raise Refused
        if actor.terminated:
            return
        before = list(self.events)
        entry = self.entry_of(actor)
        if entry is not None:
            self.events.remove(entry)
        try:
            self.place(actor, **how)
        except Refused:
            self.events = before
            raise

    def place(self, actor, at=None, delay=None, before=None, after=None, prior=False, priority=0.0):
        neighbour = before or after
        if neighbour is not None:
            other = self.actors[neighbour]
            if other is self.current:
                if before:
                    raise Refused
                self.prior_at(Entry(self.time, actor))
            else:
                found = self.entry_of(other)
                if found is None:
                    raise Refused
                self.beside(Entry(0.0, actor), found, 0 if before else 1)
        elif at is None and delay is None and not prior and not priority:
            self.in_front(Entry(self.time, actor))
        else:
            time = at if at is not None else self.time + (delay or 0.0)
            entry = Entry(max(time, self.time), actor, rank=priority)
            (self.prior_at if prior else self.last_at)(entry)

    def cancel(self, name):
        actor = self.actors[name]
        if actor is self.current:
            raise Refused
        entry = self.entry_of(actor)
        if entry is not None:
            self.events.remove(entry)

    def interrupt(self, name, cause):
        actor = self.actors[name]
        if actor.terminated or not actor.has_begun or actor is self.current:
            raise Refused
        self.in_front(Entry(self.time, actor, cause))

    # How events take place.

    def run(self, until=float("inf")):
        while self.events and self.events[0].time < until:
            entry = self.events.pop(0)
            self.time = entry.time
            self.happened += 1
            self.stretch += 1
            if entry.cause is None:
                self.go_on(entry.who, "woke")
            elif not entry.who.terminated:
                planned = self.entry_of(entry.who)
                left = None
                if planned is not None:
                    left = planned.time - self.time
                    self.events.remove(planned)
                self.go_on(entry.who, "interrupted", entry.cause, left)
            self.current = None
        self.stretch += 1
        if until < float("inf"):
            self.time = until

    def go_on(self, actor, *how):
        self.current = actor
        actor.has_begun = True
        self.log.append((self.time, actor.name, *how, self.look()))
        while actor.position < len(actor.script):
            actions, command = actor.script[actor.position]
            actor.position += 1
            for action in actions:
                self.do(action)
            word, argument = command
            if word == "hold":
                duration, priority = argument
                self.last_at(Entry(self.time + max(duration, 0.0), actor, rank=priority))
            elif word == "activate":
                other = self.actors[argument]
                if other.terminated or other is actor or self.entry_of(other) is not None:
                    self.log.append((self.time, actor.name, "woke", self.look()))
                    continue
                self.prior_at(Entry(self.time, actor))
                self.stretch += 1
                self.go_on(other, "woke")
            return
        actor.terminated = True

    def do(self, action):
        word, *arguments = action
        try:
            getattr(self, word)(*arguments)
        except Refused:
            self.log.append((self.time, self.current.name, "refused", word))

    def look(self):
        """What can be asked of the list."""
        order = [entry.who.name for entry in self.events]
        return (
            self.happened,
            self.events[0].time if self.events else float("inf"),
            [self.ask(actor, order) for actor in self.actors.values()],
        )

    def ask(self, actor, order):
        if actor is self.current:
            return actor.name, False, False, self.time, order[0] if order else None
        entry = self.entry_of(actor)
        if entry is None:
            return actor.name, True, actor.terminated, None, None
        place = self.events.index(entry) + 1
        return actor.name, False, False, entry.time, order[place] if place < len(order) else None


# --- the same with eventide ------------------------------------------------------------------------------------------


class Player(ev.Process):
    script: list
    stage: Stage

    def run(self):
        log, look = self.stage.log, self.stage.look
        log.append((self.sim.time, self.name, "woke", look()))
        for actions, command in self.script:
            for action in actions:
                self.stage.do(self, action)
            try:
                yield self.stage.command(*command)
                log.append((self.sim.time, self.name, "woke", look()))
            except ev.Interrupt as interrupt:
                log.append((self.sim.time, self.name, "interrupted", interrupt.cause, interrupt.left, look()))


class Stage:
    def __init__(self, scripts):
        self.sim = ev.Simulation(rng=0, negative_hold="zero")
        self.log = []
        self.players = {
            name: Player(self.sim, script=script, stage=self, name=name) for name, script in scripts.items()
        }

    def command(self, word, argument):
        if word == "hold":
            duration, priority = argument
            return ev.hold(duration, priority) if priority else ev.hold(duration)
        if word == "passivate":
            return ev.passivate()
        return ev.activate(self.players[argument])

    def do(self, player, action):
        word, name, *arguments = action
        try:
            if word in ("activate", "reactivate"):
                getattr(self.players[name], word)(**self.words(*arguments))
            else:
                getattr(self.players[name], word)(*arguments)
        except ev.ModelError:
            self.log.append((self.sim.time, player.name, "refused", word))

    def words(self, how):
        return {word: self.players[value] if word in ("before", "after") else value for word, value in how.items()}

    def look(self):
        return self.sim.events, self.sim.peek(), [self.ask(player) for player in self.players.values()]

    def ask(self, player):
        following = self.sim.next_time_event(player)
        return (
            player.name,
            player.idle,
            player.terminated,
            None if player.idle else player.event_time,
            following.name if following else None,
        )


# --- schedules -------------------------------------------------------------------------------------------------------

names = st.sampled_from(NAMES)
priorities = st.sampled_from([-2.0, 0.0, 0.0, 1.0, 2.0])
how = st.one_of(
    st.just({}),
    st.just({"prior": True}),
    st.builds(lambda at, prior: {"at": at, "prior": prior}, st.sampled_from(MOMENTS), st.booleans()),
    st.builds(lambda delay, prior: {"delay": delay, "prior": prior}, st.sampled_from(DURATIONS), st.booleans()),
    st.builds(lambda name: {"before": name}, names),
    st.builds(lambda name: {"after": name}, names),
    st.builds(lambda at, priority: {"at": at, "priority": priority}, st.sampled_from(MOMENTS), priorities),
    st.builds(lambda priority: {"priority": priority}, priorities),
)
action = st.one_of(
    st.tuples(st.sampled_from(["activate", "reactivate"]), names, how),
    st.tuples(st.just("cancel"), names),
    st.tuples(st.just("interrupt"), names, st.integers(0, 9)),
)
command = st.one_of(
    st.tuples(st.just("hold"), st.tuples(st.sampled_from(DURATIONS), priorities)),
    st.tuples(st.just("passivate"), st.none()),
    st.tuples(st.just("activate"), names),
)
script = st.lists(st.tuples(st.lists(action, max_size=3), command), min_size=2, max_size=8)
begin = st.lists(st.tuples(names, how), min_size=2, max_size=6)


def play(scripts, beginning, stops):
    stage = Stage(scripts)
    for name, words in beginning:
        try:
            stage.players[name].activate(**stage.words(words))
        except ev.ModelError:
            stage.log.append((name, "refused"))
    for stop in stops:
        stage.sim.run(until=stop)
        stage.log.append(("stopped", stage.sim.time))
    stage.sim.run()
    return stage.log


def foresee(scripts, beginning, stops):
    model = Model({name: Actor(name, script) for name, script in scripts.items()})
    for name, words in beginning:
        try:
            model.activate(name, words)
        except Refused:
            model.log.append((name, "refused"))
    for stop in stops:
        model.run(stop)
        model.log.append(("stopped", model.time))
    model.run()
    return model.log


@pytest.mark.slow
@pytest.mark.row("R-003", "R-004", "R-005", "R-006", "R-008", "R-009", "R-010", "R-052")
@given(
    scripts=st.fixed_dictionaries(dict.fromkeys(NAMES, script)),
    beginning=begin,
    stops=st.lists(st.sampled_from(MOMENTS), max_size=2).map(sorted),
)
def test_the_order_of_events_is_that_of_a_list_kept_in_order(scripts, beginning, stops):
    expected = foresee(scripts, beginning, stops)
    event(f"{min(len(expected) // 10, 5)}0 lines or more")

    assert play(scripts, beginning, stops) == expected
