"""Runs of a program by eventide."""

from __future__ import annotations

import linecache
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import count
from math import inf
from typing import Any

import pandas as pd
from bodies.early import hurried
from fuzzing import model as m

import eventide as ev
from eventide.continuous.guards import native_handlers
from eventide.migration.bodies import Bodies

METHODS = ("ENGLAND", "DORMAND_PRINCE", "DOP853", "RADAU")
TOLERANCE = 1e-9
NUMBERS = count()
QUEUED = ev.Resource, ev.Container, ev.Store


@dataclass(frozen=True)
class Setting:
    """How a program is run.

    observed    "": nobody looks; else one of OBSERVED or FAILING
    eager       whether handlers and processes become native code at their first event
    threads     how many run it at the same time
    pieces      in how many runs, one after the other, each by the next method and with another dt_max, and looked at in
                between, some with a reporter
    rows        "": processes become rows only where that pays; "rows": soon, without machine code; "native rows"
    """

    method: str = "ENGLAND"
    compiled: bool = True
    stepping: str = "apart"
    observed: str = ""
    eager: bool = False
    threads: int = 1
    pieces: int = 1
    rows: str = ""

    def __str__(self) -> str:
        words = [self.method, "compiled" if self.compiled else "plain", self.stepping]
        words += [self.observed] if self.observed else []
        words += ["eager"] if self.eager else []
        words += [f"{self.threads} threads"] if self.threads > 1 else []
        words += [f"{self.pieces} pieces"] if self.pieces > 1 else []
        words += [self.rows] if self.rows else []
        return " ".join(words)


@dataclass
class Result:
    """What a run left.

    error   the sort and text of what it raised, or ""
    rows    by time, what a recording has there once; area: what has been integrated
    seen    all rows of recordings of which rows may have read something
    taken   so many events were of rows
    """

    log: list[tuple[Any, ...]] = field(default_factory=list)
    values: list[tuple[float, ...]] = field(default_factory=list)
    error: str = ""
    steps: int = 0
    rows: dict[float, dict[str, float]] = field(default_factory=dict)
    area: float | None = None
    seen: list[list[list[float]]] = field(default_factory=list)
    taken: int = 0


def module_of(text: str) -> dict[str, Any]:
    """The names of a module that exists in memory only, with a source all the same."""
    name = f"<random program {next(NUMBERS)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": name}
    exec(compile(text, name, "exec", dont_inherit=True), names)  # noqa: S102  # it was printed here
    return names


def method_of(name: str) -> Any:
    """A method by its name."""
    return getattr(ev.methods, name)


def observe(sim: Any, objects: list[Any], observed: str, result: Result) -> Callable[[], None]:
    """Look at a run in one of the ways that must not change it; returns what fetches what was seen."""
    if observed == "recorded":
        recording, other = (sim.record(*objects, every=float(m.GRID)) for _ in range(2))
        frames: list[Any] = []
        outlet = other.drain(
            lambda frame: frames.append(frame.copy()), rows=7 if len(objects) % 2 else 70
        )  # few are not left to the stepper

        def fetch() -> None:
            result.rows.update(rows_of(recording))
            outlet.close()
            kept = recording.to_pandas(sides=True)
            streamed = pd.concat(frames)
            if not streamed.astype(str).equals(kept.astype(str)):  # each float by its shortest decimals
                raise AssertionError("what is streamed differs from what is kept")

        return fetch
    if observed == "recorded in rows":
        held = [thing for o in objects for thing in vars(o).values() if isinstance(thing, QUEUED)]
        recordings = [sim.record(*objects, every=every) for every in ("event", float(m.GRID))]
        for thing in {id(one): one for one in held}.values():
            recordings += [sim.record(thing, every=every) for every in ("event", float(m.GRID))]
        if len(objects) % 2:  # of more than what moves
            first, last = objects[0], objects[-1]
            recordings += [sim.record(type(first), every=every) for every in ("event", float(m.GRID))]
            recordings.append(sim.record(every=0.5, product=lambda: first.x * last.x, square=lambda: last.x**2))

        def read() -> None:
            for one in recordings:
                result.seen.append([one.times.tolist(), one.sides.tolist()])
                result.seen[-1] += [one[column.name].tolist() for column in one.columns]

        return read
    if observed == "recorded events":
        sim.record(*objects, every="event")
    elif observed == "logged":
        sim.log()
    elif observed == "integrated":
        first, last = objects[0], objects[-1]
        product = sim.integral(lambda: first.x * last.x)
        scaled = sim.integral(lambda: last.k * first.x)
        driven = sim.integral(lambda: last.drive(sim.time) ** 2) if hasattr(last, "drive") else None
        integrals = [one for one in (product, scaled, driven) if one is not None]
        return lambda: setattr(result, "area", sum(float(one.value) for one in integrals))
    elif observed == "dense":
        solution = sim.record(*objects, every=7.0 * float(m.GRID), dense=True)

        def ask() -> None:
            steps = range(1, int(sim.time / float(m.GRID)))
            result.rows.update((time, dict(solution.at(time))) for k in steps if (time := float(k * Fraction(m.GRID))))

        return ask
    elif observed == "reported":

        class Looks(ev.Reporter):
            def report(self) -> None:
                result.rows[sim.time] = {f"{o.name}.x": o.x for o in objects}

        Looks(sim, every=float(m.GRID)).start()
    elif observed == "a reporter fails":

        class Fails(ev.Reporter):
            calls: int = 0

            def report(self) -> None:
                self.calls += 1
                if self.calls % 5 == 0:
                    raise Failed

        Fails(sim, every="event" if len(objects) % 2 else float(m.GRID)).start()
    elif observed == "processes fail":

        class Ends(ev.Process):
            time: float

            def run(self) -> ev.ProcessGenerator:
                yield ev.hold(self.time)
                raise Failed

        for k in range(1, 40):
            Ends(sim, time=float(k * Fraction(m.GRID))).activate()
    return lambda: None


def rows_of(recording: Any) -> dict[float, dict[str, float]]:
    """The rows of a recording by their times, but for those of events."""
    times = recording.times.tolist()
    columns = {column.name: recording[column.name].tolist() for column in recording.columns}
    return {
        time: {name: values[k] for name, values in columns.items()}
        for k, time in enumerate(times)
        if times.count(time) < 2
    }


OBSERVED = ("recorded", "recorded in rows", "recorded events", "logged", "integrated", "reported", "dense")
FAILING = ("a reporter fails", "processes fail")
"""Their errors end the run again and again, and each time it goes on. Steps end there, so the bits are others."""


class Failed(Exception):
    """What ends a run that goes on."""


Pauses = list[tuple[float, Callable[[], None]]]
"""What is done between two runs, and when."""


def run_in_pieces(sim: Any, objects: list[Any], setting: Setting, end: float, pauses: Pauses) -> None:
    """Run to the end, in one run or in several."""
    first, most = METHODS.index(setting.method), sim.dt_max

    class Looks(ev.Reporter):
        every: ev.observe.Every = "event"

    looker = Looks(sim)

    def look(k: int) -> None:
        sim.explain(), [o.x for o in objects]
        sim.method = method_of(METHODS[(first + k) % len(METHODS)])
        sim.dt_max = min((inf, 1e9, 0.1)[k % 3], most)  # difference equations are as fine as the program says
        _ = looker.start() if k % 3 == 2 else looker.stop()

    looks: Pauses = [(end * k / setting.pieces, partial(look, k)) for k in range(1, setting.pieces)]
    for time, act in [*sorted(looks + pauses, key=lambda pause: pause[0]), (end, lambda: None)]:
        run_on(sim, time)
        while sim.time < time:  # the model has stopped it
            before = sim.time, sim.events
            run_on(sim, time)
            if (sim.time, sim.events) == before:
                raise AssertionError("a run that was stopped does not go on")
        act()


def run_on(sim: Any, end: float) -> None:
    """Run, and go on wherever a reporter or a process has failed."""
    while True:
        try:
            return sim.run(until=end)
        except Failed:
            pass


def run_once(build: Any, setting: Setting, end: float) -> Result:
    """One run of a module's model."""
    result = Result()
    sim = ev.Simulation(
        abs_error=TOLERANCE, rel_error=TOLERANCE, compile="auto" if setting.compiled else False,
        stepping=setting.stepping,
    )  # fmt: skip
    sim.method = method_of(setting.method)
    if setting.rows == "rows":
        vars(sim)["_make_bodies"] = lambda: Bodies(sim, None)
    try:
        result.log, pool, objects = build(sim)
        fetch = observe(sim, objects, setting.observed, result)
        run_in_pieces(sim, objects, setting, end, build.__globals__["pauses_of"][sim])
        fetch()
        for o in (*objects, *pool):
            names = [n for n in ("x", "v", "w") if hasattr(type(o), n)]
            result.values.append(tuple(float(getattr(o, n)) for n in (*names, "k", "c", "level")))
        result.steps = sim.report().steps
    except Exception as error:  # noqa: BLE001  # whatever it is, it is told
        result.error = f"{type(error).__name__}: {error}"
    result.taken = 0 if sim._migration is None else sim._migration.taken
    return result


def run(build: Any, setting: Setting, end: float) -> list[Result]:
    """Runs of a module's model in one setting, one for each thread."""
    native_handlers.ENOUGH = 1 if setting.eager else 16
    with warnings.catch_warnings(), hurried() if setting.rows else nullcontext():
        warnings.simplefilter("ignore")
        if setting.threads == 1:
            return [run_once(build, setting, end)]
        results: list[Result] = []
        threads = [
            threading.Thread(target=lambda: results.append(run_once(build, setting, end)))
            for _ in range(setting.threads)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results


def warm_up() -> None:
    """Let each method have its machine code, which takes seconds where there is none yet."""

    class Grows(ev.Continuous):
        x: ev.State = ev.state(1.0)

        def equations(self) -> None:
            self.rate.x = self.x

    for method in METHODS:
        sim = ev.Simulation()
        sim.method = method_of(method)
        Grows(sim).start()
        sim.run(until=0.1)


def unload(build: Any) -> None:
    """Forget the source of a module."""
    linecache.cache.pop(build.__code__.co_filename, None)
    sys.modules.pop(build.__module__, None)
