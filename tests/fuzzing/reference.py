"""What a program does, found without eventide: scipy's DOP853 to 1e-12, and an event loop of its own.

Each comparison in a law or condition is followed by itself. What a law compares is constant over a stretch, which ends
where its difference has a root, so that rates are smooth in each. Roots are looked for at close samples of scipy's own
interpolant, and by `brentq`. What comes too close to call raises `Skip`: such a program is no test of anything.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count, pairwise
from typing import Any

import numpy as np
from fuzzing import model as m
from fuzzing.comparisons import CLOSE, Comparisons
from fuzzing.exceptions import Refused, Skip
from fuzzing.formulas import Formulas, attribute
from fuzzing.roots import first_root
from scipy.integrate import DOP853

NODES, WEIGHTS = (part.tolist() for part in np.polynomial.legendre.leggauss(8))
"""Exact for the product of two polynomials of degree seven, which DOP853's interpolants are."""
APART = 1e-6
"""Two roots that are closer in time are too close to call."""
SAME = 1e-11
"""Two roots that are this close are one."""
SAMPLES = 12
"""In a step of DOP853."""
MOST_EVENTS = 400
MOST_STRETCHES = 1500
LARGEST = 1e4


def _flat(key: Any) -> list[Any]:
    """The parts of a nested tuple."""
    return [part for one in key for part in _flat(one)] if isinstance(key, tuple) else [key]


def of_time(test: m.Cmp) -> bool:
    """Whether a comparison is of the time and a number."""
    return {type(test.left), type(test.right)} == {m.Num, m.Time}


class Thing:
    """An object: its numbers and references are attributes, its rates `d_x`."""

    def __init__(self, kind: m.Class, index: int) -> None:
        self.kind = kind
        self.index = index
        self.active = False
        self.slides = False
        self.frozen: set[str] = set()
        self.left = -1.0
        """When it has left its surface."""


@dataclass(eq=False)
class Watch:
    """A condition that is waited for, or that of a handler.

    made    when the wait for a passage in either direction began; turned: when this side of it was armed after that
    fired   when it was true last
    """

    test: Any
    subject: Any
    rank: tuple[float, int]
    fire: Any
    armed: bool
    is_wait: bool
    handler: Any = None
    made: float = math.inf
    turned: float = -1.0
    fired: float = -1.0


@dataclass(order=True)
class Notice:
    """Something due.

    way     which root of a comparison its time was counted from, 0 for the start, and by which times since
    live    taken from one that is withdrawn
    """

    time: float
    number: int
    run: Any = field(compare=False)
    way: tuple[float, ...] = field(compare=False)
    live: bool = field(default=True, compare=False)


class World(Comparisons):
    """The state of a program, and its loop."""

    def __init__(self, program: m.Program, push: float = 0.0) -> None:
        super().__init__()
        self.program = program
        self.push = push
        self.time = 0.0
        self.log: list[tuple[Any, ...]] = []
        self.pool: list[Thing] = []
        self.things: list[Thing] = []
        self.watches: list[Watch] = []
        self.heap: list[Notice] = []
        self.front: list[Notice] = []
        self.at_front = 0
        self.numbers = count()
        self.events = 0
        self.latest = 0.0
        self.roots = 0
        self.way = self.latest_way = (0.0,)
        self.before = 0
        self.stretches = 0
        self.current: Any = None
        self.names: dict[str, Any] = {"sim": self, "math": math, "log": self.log, "pool": self.pool}
        self.sites = count()
        self.words = Formulas(self.sites)
        self.made: dict[int, Any] = {}
        self.kept: list[Any] = []
        self.hidden: set[Any] = set()
        self.assigns = m.assigns(program)
        self.changed: dict[Any, float] = {}
        self.pairs: dict[Any, Any] = {}
        self.begun: dict[Any, float] = {}
        self.passages: dict[int, list[m.Test]] = {}
        self.passed: tuple[float, int, int] | None = None
        self.rows: dict[float, dict[str, float]] = {}
        self.ends = [0.0]
        self.area = 0.0
        self.names |= program.numbers
        self._prepare()

    # --- formulas -----------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        for f in self.program.functions:
            self.names[f.name] = self._lambda(f"lambda x: {self.words.expr(f.value)}")
        self.inputs = {self.names[f.name] for f in self.program.functions if f.text}
        tests = [
            one for one in m.parts_of([f.value for f in self.program.functions if f.text]) if isinstance(one, m.Cmp)
        ]
        kinds = self.program.classes
        laws = [part for kind in kinds for part in (kind.contributions, kind.values, kind.rates, kind.vector)]
        tests += [one for one in m.parts_of(laws) if isinstance(one, m.Cmp) and of_time(one)]
        sides = [side for one in tests for side in (one.left, one.right)]
        self.jumps = [side.value for side in sides if isinstance(side, m.Num)]
        self.moving = {kind.index: [attribute(name) for name in kind.moving()] for kind in kinds}
        self.unsound = {kind.index for kind in kinds if kind.is_unsound()}
        self.laws = {kind.index: self._compile(kind) for kind in kinds}

    def _lambda(self, text: str) -> Any:
        return eval(text, self.names)  # noqa: S307  # it was printed here

    def _compile(self, kind: m.Class) -> tuple[Any, Any, Any]:
        words, vector = self.words, kind.vector
        items = [m.Law(("self", f"u[{k}]"), vector.rate(k)) for k in range(len(vector.starts))] if vector else []

        def function(laws: list[m.Law], *, rate: bool) -> Any:
            lines = []
            for law in laws:
                *path, name = law.path
                target = f"{words.path(tuple(path))}.{'d_' if rate else ''}{attribute(name)}"
                lines.append(f"    {target} {'+=' if rate else law.op} {words.expr(law.value)}")
            spaces: dict[str, Any] = {}
            exec("\n".join(["def law(self):", *(lines or ["    pass"])]), self.names, spaces)  # noqa: S102  # ours
            return spaces["law"]

        return (
            function(kind.contributions, rate=False),
            function(kind.values, rate=False),
            function(kind.drifts + kind.rates + items, rate=True),
        )

    def function(self, e: Any) -> Any:
        """An expression or test of the program as a function of the object to which it belongs."""
        made = self.made.get(id(e))
        if made is None:
            text = self.words.test(e) if isinstance(e, m.Cmp | m.Both) else self.words.expr(e)
            made = self.made[id(e)] = self._lambda(f"lambda self: {text}")
            self.kept.append(e)
        return made

    def sides(self, test: m.Test) -> list[m.Test]:
        """The conditions of a handler or wait: two of a passage in either direction."""
        if not isinstance(test, m.Crosses):
            return [test]
        made = self.passages.get(id(test))
        if made is None:
            words = {"up": [">="], "down": ["<="], "either": [">=", "<="]}[test.direction]
            made = self.passages[id(test)] = [m.Cmp(word, test.value, test.level) for word in words]
            self.kept.append(test)
        return made

    # --- laws ---------------------------------------------------------------------------------------------------------

    def evaluate(self, mode: str) -> None:
        """All laws once, in an order in which nothing is read before it is set."""
        self.mode = mode
        active = [t for t in self.things if t.active]
        for t in active:
            if t.slides:
                t.side = 0.0
        for t in self.things:
            for name in t.kind.sums:
                setattr(t, name, 0.0)
            for name in self.moving[t.kind.index]:
                setattr(t, "d_" + name, 0.0)
        for place in range(3):
            # Computed values are read of objects of earlier classes only.
            for t in sorted(active, key=lambda t: t.kind.index) if place == 1 else active:
                self.owner = ("law", t.index, place)
                self.laws[t.kind.index][place](t)
        for t in active:
            if t.kind.surface is not None:
                self._hold(t, t.kind.surface)
        self.mode = "live"
        self.owner = None

    # --- surfaces -----------------------------------------------------------------------------------------------------

    def _hold(self, t: Any, surface: m.Surface) -> None:
        """Hold what slides on its surface, as long as its fields lead there from both sides."""
        if self.mode == "live" and t.slides and abs(t.d_x) >= surface.gain - CLOSE:
            if abs(t.d_x) <= surface.gain + CLOSE:
                raise Skip("a state begins to slide where it ends to")
            self._release(t, 1.0 if t.d_x > 0.0 else -1.0)
        names = [(("slide", t.index), 1.0), (("slide", t.index), -1.0), (("side", t.index), 0.0)]
        self.known |= dict.fromkeys(names, False)
        if self.mode == "scan" and t.slides:
            self.gaps |= {key: key[1] * t.d_x - surface.gain for key in names[:2]}
        elif self.mode == "scan":
            self.gaps[names[2]] = t.side * (t.x - surface.level)
        if t.slides:
            t.d_x = -self.push

    def _release(self, t: Any, direction: float) -> None:
        """Its state leaves the surface upwards or downwards."""
        t.slides, t.side, t.left = False, -direction, self.time
        t.d_x += t.kind.surface.gain * t.side

    def _set_sides(self) -> None:
        """Find who is on a surface, and on which side others are."""
        for t in self.things:
            surface = t.kind.surface
            if surface is None or t.left == self.time:
                continue
            t.slides = t.active and abs(t.x - surface.level) <= CLOSE
            t.x, t.side = (surface.level, 0.0) if t.slides else (t.x, surface.side(t.x))

    def _slots(self) -> list[tuple[Thing, str]]:
        active = [t for t in self.things if t.active]
        return [(t, name) for t in active for name in self.moving[t.kind.index] if name not in t.frozen]

    def _scatter(self, slots: list[tuple[Thing, str]], time: float, y: Any) -> None:
        self.time = time
        for (t, name), value in zip(slots, y.tolist(), strict=True):
            setattr(t, name, value)

    # --- the event list -----------------------------------------------------------------------------------------------

    def schedule(self, time: float, run: Any) -> Notice:
        """Something at a time, after all that stands there."""
        notice = Notice(time, next(self.numbers), run, self._way_to(time))
        heapq.heappush(self.heap, notice)
        return notice

    def _way_to(self, time: float) -> tuple[float, ...]:
        """How a time is counted; two ways lead to one time, but for rounding where the root is only nearly the same."""
        return self.way if self.way[0] == 0.0 or time == self.time else (*self.way, time)

    def schedule_front(self, run: Any) -> Notice:
        """Something in front of this instant, after what this event has put there."""
        notice = Notice(self.time, 0, run, self.way)
        self.front.insert(self.at_front, notice)
        self.at_front += 1
        return notice

    def _due(self) -> float:
        while self.heap and not self.heap[0].live:
            heapq.heappop(self.heap)
        self.front = [n for n in self.front if n.live]
        if self.front:
            return self.time
        return self.heap[0].time if self.heap else math.inf

    # --- the loop -----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """All of it, to the program's end."""
        end = self.program.end
        self.settle()
        while True:
            due = self._due()
            if due <= self.time < end:
                notice = self.front.pop(0) if self.front else heapq.heappop(self.heap)
                if notice.time == self.time:
                    self.way = notice.way
                    self._event(notice.run)
                    continue
                raise AssertionError("an event was passed")
            chosen = min((w for w in self.watches if w.armed and self._holds(w)), key=lambda w: w.rank, default=None)
            if chosen is not None and self.time < end:
                if self.begun[chosen.rank] == self.time and self.time in self.jumps:
                    raise Skip("a condition begins where an input jumps, beside those that the jump makes true")
                chosen.armed = False
                self._check_passage(chosen)
                if 0.0 < self.time - chosen.fired < APART:
                    raise Skip("events of a handler accumulate")
                chosen.fired = self.time
                self._event(chosen.fire)
                continue
            if self.time >= end:
                return
            self._advance(min(due, end))

    def _check_passage(self, chosen: Watch) -> None:
        """A passage that turns round on its level, as an event has changed the law, is too close to call."""
        if chosen.turned == self.time:
            raise Skip("an event takes back a passage at its instant")
        found = self.time, id(chosen.subject), id(chosen.handler)
        if chosen.handler is not None and self.passed == found:
            raise Skip("a passage turns round on its level")
        self.passed = found

    def _event(self, run: Any) -> None:
        self.events += 1
        if self.events > MOST_EVENTS:
            raise Skip("too many events")
        is_apart = self.time > self.latest or self.way != self.latest_way
        if is_apart and self.time - self.latest < SAME:
            raise Skip("two events are at one time but for rounding")
        if any(0.0 < abs(self.time - jump) < SAME for jump in self.jumps):
            raise Skip("an event and the jump of an input are at one time but for rounding")
        self.latest, self.latest_way = self.time, self.way
        self.at_front = 0
        run()
        self.current = None
        self.settle()

    def settle(self) -> None:
        """What follows an event: laws, and handlers are armed whose conditions are false. Raises Refused."""
        if self.unsound and any(t.active and t.kind.index in self.unsound for t in self.things):
            raise Refused
        self.before = len(self.log)
        self._set_sides()
        self.evaluate("live")
        for w in list(self.watches):
            if not self._holds(w):
                self._arm(w)

    def _arm(self, w: Watch) -> None:
        """It has been seen false, and fires when it becomes true."""
        if not w.armed and w.made < self.time:
            w.turned = self.time
        w.armed = True

    def _holds(self, w: Watch, mode: str = "live") -> bool:
        self.mode = mode
        self.owner = w.rank
        result = bool(w.test(w.subject))
        self.mode = "live"
        self.owner = None
        return result

    # --- time goes on -------------------------------------------------------------------------------------------------

    def _advance(self, end: float) -> None:
        """To the first root of a comparison, or to `end`."""
        self.stretches += 1
        if self.stretches > MOST_STRETCHES:
            raise Skip("a law or condition chatters")
        slots = self._slots()
        start = self.time
        y = np.array([getattr(t, name) for t, name in slots])
        if not slots:
            found = self._scan(slots, lambda time: y, start, end, samples=int(20 * (end - start)) + 2)
            self._observe(slots, lambda time: y, start, end if found is None else found[0])
            self._arrive(slots, found, end, y)
            return

        def rates(time: float, values: Any) -> Any:
            self._scatter(slots, time, values)
            self.evaluate("frozen")
            return [getattr(t, "d_" + name) + self.push for t, name in slots]

        solver = DOP853(rates, start, y, end, rtol=1e-12, atol=1e-13, max_step=0.25)
        while solver.status == "running":
            low = solver.t
            solver.step()
            if solver.status == "failed" or not np.all(np.abs(solver.y) < LARGEST):
                raise Skip("a state grows without bound")
            dense = solver.dense_output()
            found = self._scan(slots, dense, low, solver.t, SAMPLES)
            self._observe(slots, dense, low, solver.t if found is None else found[0])
            if found is not None:
                self._check_that_it_lasts(slots, rates, found, dense(found[0]))
                self._arrive(slots, found, end, dense(found[0]))
                return
        self._arrive(slots, None, end, solver.y)

    def _observe(self, slots: list[tuple[Thing, str]], dense: Any, low: float, high: float) -> None:
        """What recordings and integrals see of a part of a stretch."""
        step = Fraction(m.GRID)
        for k in range(math.ceil(Fraction(low) / step), math.floor(Fraction(high) / step) + 1):
            self._look(slots, dense, float(k * step))
            self.rows[float(k * step)] = self._row()
        for start, end in pairwise([low, *sorted({jump for jump in self.jumps if low < jump < high}), high]):
            for node, weight in zip(NODES, WEIGHTS, strict=True):
                time = start + 0.5 * (node + 1.0) * (end - start)
                self._scatter(slots, time, dense(time))
                self.mode = "observed"
                self.area += 0.5 * (end - start) * weight * self._integrand()
                self.mode = "live"

    def _row(self) -> dict[str, float]:
        """The numbers of all objects of the program that move now, as a recording names them."""
        row = {}
        for o in self.program.objects:
            t = self.names[o.name]
            names = [*t.kind.moving(), *((*t.kind.computed, *t.kind.sums) if t.active else ())]
            row |= {f"{o.name}.{name}": float(getattr(t, attribute(name))) for name in names}
        return row

    def _integrand(self) -> float:
        """The product of the first states of the first object and the last, and what else `running` integrates."""
        first, last = (self.names[o.name] for o in (self.program.objects[0], self.program.objects[-1]))
        x = getattr(first, "x", 0.0)
        driven = last.drive(self.time) ** 2 if hasattr(last, "drive") else 0.0
        return float(x * getattr(last, "x", 0.0) + last.k * x + driven)

    def _arrive(
        self, slots: list[tuple[Thing, str]], found: tuple[float, list[Any]] | None, end: float, y: Any
    ) -> None:
        self.last = self._look(slots, lambda time: y, end if found is None else found[0])
        self.ends.append(self.time)
        self.is_reached = True
        self.evaluate("frozen")
        self.is_reached = False
        if found is None:
            return
        self.roots += 1
        self.way = (float(self.roots),)
        for key in found[1]:
            if key[0] in self.hidden and self.time - self.changed.get(key[0], -math.inf) < m.SEEN:
                raise Skip("a condition in Python changes twice in short time")
            self.changed[key[0]] = self.time
            if key[0][0] == "slide":
                self._release(self.things[key[0][1]], key[1])
            elif len(key) == 3 and key[:2] in self.wholes:
                self.wholes[key[:2]] += key[2]
            else:
                self.known[key] = not self.known[key]
        self._set_sides()
        self.evaluate("live")
        for w in self.watches:
            if not self._holds(w):
                self._arm(w)

    def _check_that_it_lasts(
        self, slots: list[tuple[Thing, str]], rates: Any, found: tuple[float, list[Any]], y: Any
    ) -> None:
        """Raise Skip if a condition that only Python can test would not stay as it is now, were there no event."""
        hidden = [key[0] for key in found[1] if key[0] in self.hidden]
        if not hidden:
            return
        jumps = [key for key in found[1] if key[0] in hidden and len(key) == 3 and key[:2] in self.wholes]
        for key in jumps:
            self.wholes[key[:2]] += key[2]
        after = {key: known != (key in found[1]) for key, known in self.known.items() if key[0] in hidden}
        after |= dict.fromkeys(jumps, False)  # the next whole number is not reached
        now, ranks = self._look(slots, lambda _: y, found[0]), {key[0] for key in jumps}
        after |= {key: now[key] > 0.0 for key in after if key in now and key[0] in ranks and key not in found[1]}
        solver = DOP853(rates, found[0], y, found[0] + m.SEEN, rtol=1e-9, atol=1e-10, max_step=m.SEEN / 5)
        while solver.status == "running":
            solver.step()
            gaps = self._look(slots, lambda _: solver.y, solver.t)
            if any((gaps[key] > 0.0) != holds for key, holds in after.items() if key in gaps):
                raise Skip("a condition in Python changes twice in short time")
        for key in jumps:
            self.wholes[key[:2]] -= key[2]

    def _look(self, slots: list[tuple[Thing, str]], dense: Any, time: float) -> dict[Any, float]:
        self.gaps = {}
        self._scatter(slots, time, dense(time))
        self.evaluate("scan")
        for w in self.watches:
            self._holds(w, "scan")
        return self.gaps

    def _scan(
        self, slots: list[tuple[Thing, str]], dense: Any, low: float, high: float, samples: int
    ) -> tuple[float, list[Any]] | None:
        """The first root of a comparison in a step, and whose it is."""
        times = list(np.linspace(low, high, samples + 1))
        times.append(high + (high - low) / samples)  # beyond the end, for extrema that are near it
        gaps = [self._look(slots, dense, time) for time in times]
        roots = []
        for key in gaps[0]:
            values = [g[key] for g in gaps]

            def gap(time: float, key: Any = key) -> float:
                return self._look(slots, dense, time)[key]

            root = first_root(known=self.known[key], times=times, values=values, gap=gap)
            if root is None and high in self.jumps and values[-2] == 0.0 and (values[-1] > 0.0) != self.known[key]:
                root = high
            if root is not None:  # the time of a jump is exact
                root = next((jump for jump in self.jumps if abs(root - jump) <= SAME), root)
            if root is not None and root <= high:
                roots.append((root, key))
        if not roots:
            return None
        roots.sort(key=lambda r: r[0])
        first = roots[0][0]
        # What several laws compare alike changes for all of them at once, and so do both sides of a passage.
        group = self._group(roots[0][1])
        together = [
            key for root, key in roots if root - first <= SAME and group is not None and group == self._group(key)
        ]
        keys = together if len(together) > 1 else [roots[0][1]]
        if len(roots) > len(keys) and roots[len(keys)][0] - first < APART:
            raise Skip("two comparisons change too close to each other")
        return first, keys

    def note_watch(self, rank: Any, test: m.Test, pair: Any) -> None:
        """A condition has come; `pair` tells which others change with it."""
        self.pairs[rank], self.begun[rank] = pair, self.time
        parts = m.parts_of(test)
        if self.assigns or any(isinstance(part, m.Opaque) for part in parts) or m.may_change_fast(self.program, parts):
            self.hidden.add(rank)

    def _group(self, key: Any) -> Any:
        """What changes at one time: comparisons of laws, the two of a passage, and those of who waits for the same."""
        return "law" if "law" in _flat(key) else self.pairs.get(key[0])
