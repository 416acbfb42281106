"""What branches in functions, methods and properties that a law calls is located as if it were written in the law."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Any

import pytest
import random_laws
from random_bodies import load

import eventide as ev

METHODS = {
    "England": ev.methods.ENGLAND,
    "Dormand-Prince": ev.methods.DORMAND_PRINCE,
    "order 8": ev.methods.DOP853,
    "Radau": ev.methods.RADAU,
}
COMPILES = pytest.mark.parametrize("compiles", ["auto", False])


def simulation(compiles: Any = "auto", method: str = "England") -> ev.Simulation:
    return ev.Simulation(rel_error=1e-10, abs_error=1e-12, compile=compiles, method=METHODS[method])


def speed(x: float, level: float, low: float = 0.1) -> float:
    return 1.0 if x < level else low


def speed_by_return(x, level, /, *, low=0.1):
    if x < level:
        return 1.0
    return low


def speed_by_another(x: float, level: float) -> float:
    half = 0.5 * x
    found = speed(2.0 * half, level)
    return found + 0.0


speed_by_lambda = lambda x, level: 0.1 + 0.9 * (x < level)  # noqa: E731  # it is one


def closed_over(low: float) -> Any:
    def speed_closed(x: float, level: float) -> float:
        return max(low, 1.0) if level > x else low

    return speed_closed


speed_by_closure = closed_over(0.1)


class Rising(ev.Continuous):
    """It rises at speed 1 below a level, and at speed 0.1 above it: to level + (1 - level) / 10 at time 1."""

    x: ev.State = ev.state(0.0)
    level: float = 0.5


class ByFunction(Rising):
    def equations(self) -> None:
        self.rate.x = speed(self.x, self.level)


class ByKeyword(Rising):
    def equations(self) -> None:
        self.rate.x = 2.0 * speed(level=self.level, low=0.05, x=self.x) - speed(self.x, self.level, 0.0)


class ByReturn(Rising):
    def equations(self) -> None:
        self.rate.x = speed_by_return(self.x, self.level)


class ByAnother(Rising):
    def equations(self) -> None:
        x = self.x
        self.rate.x = speed_by_another(x, self.level)


class ByLambda(Rising):
    def equations(self) -> None:
        self.rate.x = speed_by_lambda(self.x, self.level)


class ByClosure(Rising):
    def equations(self) -> None:
        self.rate.x = speed_by_closure(self.x, self.level)


class ByObject(Rising):
    """A function is given the object itself, which has set what it reads."""

    gap: ev.Computed = ev.computed()

    def equations(self) -> None:
        self.gap = self.level - self.x
        self.rate.x = speed_of(self)


def speed_of(rising: ByObject) -> float:
    return 1.0 if rising.gap > 0.0 else 0.1


class ByRate(Rising):
    """It has set a rate that the function reads."""

    z: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.z = self.level - self.x
        self.rate.x = speed_by_rate(self)


def speed_by_rate(rising: ByRate) -> float:
    return 1.0 if rising.rate.z > 0.0 else 0.1


class ByMethod(Rising):
    def speed(self) -> float:
        return speed(self.x, self.level)

    def equations(self) -> None:
        self.rate.x = self.speed()


class ByProperty(Rising):
    @property
    def speed(self) -> float:
        return speed(self.x, self.level)

    def equations(self) -> None:
        self.rate.x = self.speed


class ByStatic(Rising):
    @staticmethod
    def speed(x: float, level: float) -> float:
        return speed(x, level)

    def equations(self) -> None:
        self.rate.x = self.speed(self.x, level=self.level)


class BySetting(Rising):
    """A method sets the rate itself."""

    def rise(self) -> None:
        if self.x < self.level:
            self.rate.x = 1.0
        else:
            self.rate.x = 0.1

    def equations(self) -> None:
        self.rise()


class ByClassAbove(Rising):
    """A law that calls what classes below it say."""

    def speed(self) -> float:
        raise NotImplementedError

    def equations(self) -> None:
        self.rate.x = self.speed()


class Steady(ByClassAbove):
    def speed(self) -> float:
        return 1.0


class BelowIt(ByClassAbove):
    def speed(self) -> float:
        return self.low() if self.level <= self.x else 1.0

    def low(self) -> float:
        return 0.1


class FurtherBelow(Steady):
    def speed(self) -> float:
        return min(1.0, super().speed()) if self.x < self.level else 0.1


class Pace(ev.Continuous):
    """An object that others ask."""

    level: float = 0.5
    z: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.z = 1.0

    def speed(self, x: float) -> float:
        return 1.0 if x < self.level else 0.1

    @property
    def now(self) -> float:
        return 1.0 if self.z < self.level else 0.1


class Slower(Pace):
    def speed(self, x: float) -> float:
        return 0.5


class ByField(Rising):
    pace: Pace

    def equations(self) -> None:
        pace = self.pace
        self.rate.x = 0.5 * pace.speed(self.x) + 0.5 * self.pace.now


OWN = [
    ByFunction, ByKeyword, ByReturn, ByAnother, ByLambda, ByClosure, ByObject, ByRate, ByMethod, ByProperty, ByStatic,
    BySetting, BelowIt, FurtherBelow,
]  # fmt: skip


def rise(kind: type[Any], level: float, sim: ev.Simulation) -> float:
    Steady(sim).start()
    given = {"pace": Pace(sim, level=level).start()} if kind is ByField else {}
    model = kind(sim, level=level, **given).start()
    sim.run(until=1.0)
    x: float = model.x
    return x


@pytest.mark.slow
@COMPILES
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [*OWN, ByField])
def test_a_jump_in_what_a_law_calls_is_exact(kind: type[Any], method: str, compiles: Any) -> None:
    for level in (0.2306, 0.4754, 0.626, 0.7967):
        sim = simulation(compiles, method)
        assert rise(kind, level, sim) == pytest.approx(level + 0.1 * (1.0 - level), rel=0.0, abs=1e-14)
        assert sim.report().switches == (2 if kind in (ByKeyword, ByField) else 1)
        assert [note.why for note in sim.explain().branches if note.kind is None] == []


@pytest.mark.parametrize("kind", OWN)
def test_plain_and_native_runs_have_the_same_bits(kind: type[Any]) -> None:
    ends = []
    for compiles in ("auto", False):
        sim = simulation(compiles)
        ends.append((rise(kind, 0.4754, sim), str(sim.report())))
    assert ends[0] == ends[1]


def run(kind: type[Any], tank: type[Any], compiles: Any, method: str) -> tuple[list[float], tuple[int, int], list[Any]]:
    sim = ev.Simulation(rel_error=1e-8, abs_error=1e-10, compile=compiles, method=METHODS[method])
    model = kind(sim, tank=tank(sim).start()).start()
    sim.run(until=3.0)
    report = sim.report()
    unlocated = [note.why for note in sim.explain().branches if note.kind is None]
    return [model.x, model.y], (report.steps, report.refused), unlocated


@pytest.mark.parametrize("seed", [1, 3, *(pytest.param(k, marks=pytest.mark.slow) for k in (0, 2, *range(4, 24)))])
def test_a_law_that_calls_functions_is_the_law_with_these_written_out(seed: int, tmp_path: Path) -> None:
    module = load(random_laws.Writer(seed).module(), tmp_path, f"random_laws_{seed}")
    method = list(METHODS)[seed % len(METHODS)]
    native, plain, flat = (
        run(kind, module.Tank, compiles, method)
        for kind, compiles in ((module.Calls, "auto"), (module.Calls, False), (module.Flat, "auto"))
    )
    assert native == plain
    if flat[2]:  # written out it is too long: it is located in functions only
        return
    # Its conditions are other functions: an event may be at the next float.
    assert (native[0], native[1:]) == (pytest.approx(flat[0], rel=1e-14, abs=1e-14), flat[1:])


# --- what is called is found where it is called -----------------------------------------------------------------------


@COMPILES
def test_a_method_of_another_class_or_of_the_object_itself_is_called_as_it_stands(compiles: Any) -> None:
    class Loose(ev.Component):
        """What has methods of these names, and no level."""

        def speed(self, x: float) -> float:
            return 0.5

        now = 0.25

    sim = simulation(compiles)
    pace, other = Slower(sim).start(), ByMethod(sim).start()
    rising, own = ByField(sim, pace=pace).start(), ByMethod(sim)
    loose: Any = Loose(sim)
    odd = ByField(sim, pace=loose).start()
    own.__dict__["speed"] = lambda: 0.25
    own.start()
    sim.run(until=1.0)
    assert rising.x == pytest.approx(0.5 * 0.5 + 0.5 * 0.55, abs=1e-13)
    assert odd.x == pytest.approx(0.375, abs=1e-13)
    assert (own.x, other.x) == (pytest.approx(0.25, abs=1e-13), pytest.approx(0.55, abs=1e-13))


def exchanged(x: float, level: float = 0.5) -> float:
    return 1.0 if x < level else 0.1


class Exchanged(Rising):
    @property
    def factor(self) -> float:
        return 1.0 if self.x < 0.25 else 2.0

    def flow(self) -> float:
        return 1.0 if self.x < 0.25 else 2.0

    def equations(self) -> None:
        self.rate.x = exchanged(self.x) + self.flow() + self.factor


def three(*given: Any, **named: Any) -> float:
    return 3.0


EXCHANGES: dict[str, tuple[Any, str, Any]] = {
    "a name": (sys.modules[__name__], "exchanged", three),
    "defaults": (exchanged, "__defaults__", (-1.0,)),
    "a method": (Exchanged, "flow", three),
    "a property": (Exchanged, "factor", property(three)),
    "code": (
        exchanged,
        "__code__",
        three.__code__.replace(co_argcount=2, co_varnames=("x", "level"), co_flags=3, co_nlocals=2),
    ),
}


@pytest.mark.slow
@COMPILES
@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("what", EXCHANGES)
def test_what_is_exchanged_while_a_model_runs_is_called_from_then_on(
    what: str, compiles: Any, monkeypatch: pytest.MonkeyPatch, *, within: bool
) -> None:
    def story() -> ev.ProcessGenerator:
        yield ev.hold(0.05)
        monkeypatch.setattr(*EXCHANGES[what])

    speed = {"a name": 5.0, "defaults": 2.1, "code": 5.0}.get(what, 5.0)
    for known in (True, False):  # objects of the class have been made the second time
        sim = simulation(compiles)
        one = Exchanged(sim).start()
        if within:
            sim.process(story())
        else:
            sim.run(until=0.05)
            monkeypatch.setattr(*EXCHANGES[what])
        sim.run(until=0.06)
        assert one.x == pytest.approx(0.15 + 0.01 * speed, abs=1e-12), known
        monkeypatch.undo()
        sim.run(until=0.3)
        left = 0.3 - 0.06 - (0.25 - 0.15 - 0.01 * speed) / 3.0 - 0.25 / 5.0
        assert one.x == pytest.approx(0.5 + 4.1 * left, abs=1e-12)
        assert sim.report().switches == 3


class Chooses(Rising):
    def equations(self) -> None:
        found = exchanged(self.x, level=9.0)
        self.rate.x = 1.0 if found < 2.0 else 5.0


@COMPILES
def test_what_a_function_gives_is_compared_as_it_is_now(compiles: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = simulation(compiles)
    one = Chooses(sim).start()
    sim.run(until=0.5)
    monkeypatch.setattr(*EXCHANGES["a name"])
    sim.run(until=1.0)
    assert one.x == pytest.approx(3.0, abs=1e-12)


@COMPILES
def test_what_a_function_becomes_after_objects_have_been_made_is_not_located(
    compiles: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sim = simulation(compiles)
    ByMethod(sim).start()
    sim.run(until=0.1)
    before = sim.explain().branches
    monkeypatch.setattr(ByMethod, "speed", lambda self: 1.0 if self.x < 0.3 else 0.5)
    sim.run(until=1.0)
    told = "it has become so after objects of the class had been made"
    assert [(b.text, b.kind, b.why) for b in sim.explain().branches] == [("self.x < 0.3", None, told)]
    monkeypatch.undo()
    sim.run(until=1.1)
    assert sim.explain().branches == before != ()


# --- what is told -----------------------------------------------------------------------------------------------------


def recursive(x: float) -> float:
    return recursive(x - 1.0) if x > 1.0 else x


def looped(x: float) -> float:
    for _ in range(1):
        if x < 0.5:
            return 1.0
    return 0.1


def all_of(*x: float) -> float:
    return max(x)


def pair(x: float) -> tuple[float, float]:
    return max(x, 0.0), min(x, 1.0)


class Told(ev.Continuous):
    x: ev.State = ev.state(0.0)
    mate: object = None

    @property
    def bend(self) -> float:
        return abs(self.x)

    def equations(self) -> None:
        one, other = pair(self.x)
        self.rate.x = one + other + recursive(self.x) + looped(self.x) + all_of(self.x, 0.0) + self.bend


def test_what_is_located_in_a_call_and_what_is_not_is_told() -> None:
    sim = simulation()
    Told(sim, name="told").start()
    assert [(b.law, b.text, b.kind, b.why) for b in sim.explain().branches] == [
        ("told.equations via pair", "max(x, 0.0)", "certified", ""),
        ("told.equations via pair", "min(x, 1.0)", "certified", ""),
        ("told.equations via recursive", "x > 1.0", "certified", ""),
        ("told.equations via bend", "abs(self.x)", "certified", ""),
        ("told.equations via recursive", "recursive(x - 1.0)", None, "it calls itself"),
        ("told.equations via looped", "x < 0.5", None, "it is in a loop"),
        ("told.equations", "all_of(self.x, 0.0)", None, "arguments are followed one by one, without * and **"),
    ]


class Fails(Rising):
    def equations(self) -> None:
        self.rate.x = fails(self.x)


def fails(x: float) -> float:
    if x < 0.5:
        return 1.0
    raise RuntimeError("beyond")


@COMPILES
def test_an_error_shows_its_line(compiles: Any) -> None:
    sim = simulation(compiles)
    Fails(sim).start()
    with pytest.raises(RuntimeError) as caught:
        sim.run(until=1.0)
    frames = [(frame.name, frame.line) for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert frames[-2:] == [("equations", "self.rate.x = fails(self.x)"), ("fails", 'raise RuntimeError("beyond")')]


class Unpacks(ev.Continuous):
    """Rises to a level and falls back to it: names are set several at once, each by what was before."""

    x: ev.State = ev.state(0.0)
    low: float = 0.3
    high: float = 0.7

    def equations(self) -> None:
        x, low, high = self.x, self.high, self.low
        low, high = high, low
        self.rate.x = 0.125 if low <= x < high else 1.0


@pytest.mark.parametrize("compiles", ["auto", False])
def test_names_that_are_set_at_once_are_followed(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles, abs_error=1e-9, rel_error=1e-9)
    one = Unpacks(sim).start()
    sim.run(until=5.0)
    assert one.x == pytest.approx(0.7 + (5.0 - 0.3 - 0.4 / 0.125), abs=1e-12)
    assert sim.report().switches == 2


class OfAList(ev.Continuous):
    """Its speed is an item of a list, by the hour, which is bounded as the list is."""

    x: ev.State = ev.state(0.0)
    speeds: list[float] = ev.field(default_factory=lambda: [1.0, 2.0, 4.0])
    names: list[str] = ev.field(default_factory=lambda: ["one"])

    def equations(self) -> None:
        hour = 0
        if self.names.index("one") == 0:
            hour = int(self.sim.time)
        self.rate.x = self.speeds[min(2, max(0, hour - 1))]


@pytest.mark.slow
@pytest.mark.parametrize("compiles", ["auto", False])
def test_the_least_and_the_greatest_of_whole_numbers_are_whole_numbers(compiles: Any) -> None:
    sim = ev.Simulation(compile=compiles, abs_error=1e-9, rel_error=1e-9)
    one = OfAList(sim).start()
    sim.run(until=5.5)
    assert one.x == pytest.approx(2.0 * 1.0 + 1.0 * 2.0 + 2.5 * 4.0, abs=1e-9)


class Rises(ev.Continuous):
    """Rises by 1, and by 0.125 above a level of 0.3."""

    x: ev.State = ev.state(0.0)


class SetsInAChain(Rises):
    def equations(self) -> None:
        level = 0.8
        level = twice = level - 0.5
        self.rate.x = 0.125 if self.x > twice else 1.0


class SetsInAnExpression(Rises):
    def equations(self) -> None:
        level = 0.9
        zero = 0.0 * (level := 0.3)
        self.rate.x = zero + (0.125 if self.x > level else 1.0)


class SetsInAPattern(Rises):
    def equations(self) -> None:
        level = 0.9
        match 0.3:
            case level:
                pass
        self.rate.x = 0.125 if self.x > level else 1.0


class SetsAnItem(Rises):
    def equations(self) -> None:
        levels = [0.9]
        same = levels
        same[0] = 0.3
        self.rate.x = 0.125 if self.x > levels[0] else 1.0


class ChangesAList(Rises):
    def equations(self) -> None:
        levels = [0.9, 0.3]
        levels.sort()
        self.rate.x = 0.125 if self.x > levels[0] else 1.0


class ExtendsAList(Rises):
    def equations(self) -> None:
        levels = [0.9]
        same = levels
        same += [0.3]
        self.rate.x = 0.125 if self.x > levels[-1] else 1.0


@COMPILES
@pytest.mark.parametrize(
    "kind", [SetsInAChain, SetsInAnExpression, SetsInAPattern, SetsAnItem, ChangesAList, ExtendsAList]
)
def test_names_stand_for_what_was_set_last(kind: type[Rises], compiles: Any) -> None:
    sim = simulation(compiles)
    one = kind(sim).start()
    sim.run(until=5.0)
    assert one.x == pytest.approx(0.3 + 0.125 * 4.7, abs=1e-7)
    assert sim.report().switches == (1 if kind is SetsInAChain else 0)
