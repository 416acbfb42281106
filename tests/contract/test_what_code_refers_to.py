"""Whatever code refers to may change at an event or between runs: the code goes on with what is there then."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import random_bodies

import eventide as ev
from eventide.continuous.guards import native_handlers


class Kind(NamedTuple):
    """A way to refer to a number, which is 1 and then 2.

    read    the expression, of the object `self`
    change  the statements that change it, of the object `self`
    module  what stands in the module; fields: in the class, base: in the class above
    """

    read: str
    change: str
    module: str = ""
    fields: str = ""
    base: str = ""


ONE_AND_TWO = "def one(self=None): return 1.0\ndef two(self=None): return 2.0\n"
PLAIN = "class Plain:\n    def __init__(self, k): self.k = k\n    def number(self): return self.k\nplain = Plain(1.0)\n"
KINDS = {
    "a global number": Kind("K", "globals()['K'] = 2.0", "K = 1.0\n"),
    "a global number of another kind": Kind("K", "globals()['K'] = 2", "K = 1.0\n"),
    "a global number that a function sets": Kind("K", "set_k()", "K = 1.0\ndef set_k():\n    global K\n    K = 2.0\n"),
    "a global function": Kind(
        "number()", "globals()['number'] = two", "def number(): return 1.0\ndef two(): return 2.0\n"
    ),
    "a function that refers to a global number": Kind(
        "outer()", "globals()['K'] = 2.0", "K = 1.0\ndef inner(): return K\ndef outer(): return inner()\n"
    ),
    "the code of a function": Kind(
        "number()", "number.__code__ = two.__code__", "def number(): return 1.0\ndef two(): return 2.0\n"
    ),
    "the default of a function": Kind("number()", "number.__defaults__ = (2.0,)", "def number(k=1.0): return k\n"),
    "the default by name of a function": Kind(
        "number()", "number.__kwdefaults__ = {'k': 2.0}", "def number(*, k=1.0): return k\n"
    ),
    "the default by name of a function, in its place": Kind(
        "number()", "number.__kwdefaults__['k'] = 2.0", "def number(*, k=1.0): return k\n"
    ),
    "the default of a function in a field": Kind(
        "self.number()", "number.__defaults__ = (2.0,)", "def number(k=1.0): return k\n", "number: Callable = number"
    ),
    "the code of a function in a field": Kind(
        "self.number()", "one.__code__ = two.__code__", ONE_AND_TWO, "number: Callable = one"
    ),
    "a number of a module": Kind("other.K", "other.K = 2.0"),
    "a function of a module": Kind("other.number()", "other.number = other.two"),
    "a module": Kind("home.K", "globals()['home'] = types.SimpleNamespace(K=2.0)", "import types\nhome = other\n"),
    "a builtin function": Kind("abs(-1.0)", "globals()['abs'] = lambda x: 2.0"),
    "a function of math": Kind("turn(1.5)", "globals()['turn'] = math.ceil", "import math\nturn = math.floor\n"),
    "a function closed over": Kind(
        "get()",
        "put(2.0)",
        "def make():\n    k = 1.0\n    def get(): return k\n    def put(value):\n        nonlocal k\n"
        "        k = value\n    return get, put\nget, put = make()\n",
    ),
    "an object": Kind("plain.k", "globals()['plain'] = Plain(2.0)", PLAIN),
    "a number of an object": Kind("plain.k", "plain.k = 2.0", PLAIN),
    "a component": Kind("tank.k", "globals()['tank'] = Tank(self.sim, k=2.0)", "tank = None\n"),
    "a number of a component": Kind("tank.k", "tank.k = 2.0", "tank = None\n"),
    "a method of an object": Kind("plain.number()", "Plain.number = lambda self: 2.0", PLAIN),
    "what an object has in a method's place": Kind("plain.number()", "plain.number = lambda: 2.0", PLAIN),
    "an item of a list": Kind("numbers[0]", "numbers[0] = 2.0", "numbers = [1.0, 5.0]\n"),
    "a list": Kind("numbers[0]", "globals()['numbers'] = [2.0]", "numbers = [1.0, 5.0]\n"),
    "an item of a dict": Kind("numbers['k']", "numbers['k'] = 2.0", "numbers = {'k': 1.0}\n"),
    "an item of an array": Kind(
        "numbers[0]", "numbers[0] = 2.0", "import numpy as np\nnumbers = np.array([1.0, 5.0])\n"
    ),
    "a number of the class": Kind("self.K", "type(self).K = 2.0", fields="K: ClassVar[float] = 1.0"),
    "a number of the class above": Kind("self.K", "Base.K = 2.0", base="K: ClassVar[float] = 1.0"),
    "a number of a class that comes to be below": Kind("self.K", "type(self).K = 2.0", base="K: ClassVar[float] = 1.0"),
    "a number of a class by its name": Kind("Base.K", "Base.K = 2.0", base="K: ClassVar[float] = 1.0"),
    "a class": Kind(
        "Home.K",
        "globals()['Home'] = Other",
        "class Home:\n    K: ClassVar[float] = 1.0\nclass Other:\n    K: ClassVar[float] = 2.0\n",
    ),
    "a method of the class": Kind(
        "self.one()", "type(self).one = two", ONE_AND_TWO, fields="def one(self): return 1.0"
    ),
    "a method of the class above": Kind(
        "self.one()", "Base.one = two", ONE_AND_TWO, "def one(self): return super().one()", "def one(self): return 1.0"
    ),
    "a function in the class": Kind(
        "self.one()", "type(self).one = staticmethod(two)", ONE_AND_TWO, "@staticmethod\n    def one(): return 1.0"
    ),
    "a property": Kind(
        "self.k", "type(self).k = property(two)", ONE_AND_TWO, fields="@property\n    def k(self): return 1.0"
    ),
    "a method that an object has for itself": Kind(
        "self.one()", "self.one = two", ONE_AND_TWO, fields="def one(self): return 1.0"
    ),
    "a function in a field": Kind("self.number()", "self.number = two", ONE_AND_TWO, "number: Callable = one"),
    "a function made anew in a field": Kind(
        "self.number()", "self.number = make(2.0)", "def make(k): return lambda: k\n", "number: Callable = make(1.0)"
    ),
    "a bound method in a field": Kind(
        "self.number()",
        "self.number = self.two",
        fields="number: Any = None\n    def prelude(self): self.number = self.one\n"
        "    def one(self): return 1.0\n    def two(self): return 2.0",
    ),
    "a bound method in an attribute": Kind(
        "self.number()",
        "self.number = self.two",
        fields="def prelude(self): self.number = self.one\n"
        "    def one(self): return 1.0\n    def two(self): return 2.0",
    ),
    "a function of math in a field": Kind(
        "self.turn(1.5)", "self.turn = math.ceil", "import math\n", "turn: Any = math.floor"
    ),
    "a function of numpy in a field": Kind(
        "self.turn(1.5)", "self.turn = np.ceil", "import numpy as np\n", "turn: Any = np.floor"
    ),
    "a module in a field": Kind(
        "self.home.K", "self.home = Number()", fields="home: Any = other", module="class Number:\n    K = 2.0\n"
    ),
}

HEAD = """
from __future__ import annotations
from collections.abc import Callable
from typing import Any, ClassVar
import eventide as ev
import {other} as other

class Tank(ev.Continuous):
    k: float = 1.0

{module}

class Base(ev.Continuous):
    x: ev.State = ev.state(0.0)
    seen: list = ev.field(default_factory=list)
    {base}

class Model(Base):
    {fields}
    {law}
    {handlers}

{process}

def change(self):
    {change}

class Clock(ev.Continuous):
    model: Any = None
    y: ev.State = ev.state(0.0)
    def equations(self): self.rate.y = 1.0
    @ev.when(lambda self: self.y >= 6.5)
    def strike(self): change(self.model)

def later(self):
    yield ev.hold(6.5)
    change(self)
"""
STEADY = "def equations(self): self.rate.x = 1.0"
USES = {
    "law": {"law": "def equations(self): self.rate.x = {read}"},
    "law on the way": {"law": "def equations(self): self.set()\n    def set(self): self.rate.x = {read}"},
    "when": {
        "law": STEADY,
        "handlers": "@ev.when(lambda self: self.x >= 7.0 * {read})\n    def hit(self): self.seen.append(self.sim.time)",
    },
    "until": {
        "law": STEADY,
        "process": "def story(self):\n    yield ev.until(lambda: self.x >= 7.0 * {read})\n"
        "    self.seen.append(self.sim.time)\n",
    },
    "handler": {
        "law": STEADY,
        "handlers": "@ev.when(lambda self: self.x >= 1.0)\n    def back(self):\n        self.x = 0.0\n"
        "        self.seen.append({read})",
    },
    "process": {
        "law": STEADY,
        "process": "def story(self):\n    while True:\n        yield ev.until(lambda: self.x >= 1.0)\n"
        "        self.x = 0.0\n        self.seen.append({read})\n",
    },
}
END = 20.25
CHANGES = ("between runs", "by a process", "by another's handler")
_numbers = count()


def expected(use: str) -> Any:
    """What is found in the end: x, or the instants, or the numbers that were read."""
    if use.startswith("law"):
        return pytest.approx(6.5 + 2.0 * (END - 6.5), rel=1e-9)
    if use in ("when", "until"):
        return [pytest.approx(14.0, rel=1e-9)]
    return [1.0] * 6 + [2.0] * 14


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], ModuleType]]:
    """Makes a module of a text, in a file, so that its code can be read."""
    made: list[str] = []

    def make(name: str, text: str) -> ModuleType:
        name = f"{name}_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        made.append(name)
        spec.loader.exec_module(module)
        return module

    monkeypatch.setattr(native_handlers, "ENOUGH", 1)
    random_bodies.hurry(monkeypatch)
    yield make
    for name in made:
        del sys.modules[name]


def outcome(module: ModuleType, use: str, how: str, options: dict[str, Any]) -> Any:
    """What a model comes to."""
    sim = ev.Simulation(abs_error=1e-12, rel_error=1e-12, **options)
    if hasattr(module, "tank"):
        module.tank = module.Tank(sim)
    model = module.Model(sim).start()
    if hasattr(module, "story"):
        sim.process(module.story(model))
    if how == "by a process":
        sim.process(module.later(model))
    elif how == "by another's handler":
        module.Clock(sim, model=model).start()
    else:
        sim.run(until=6.5)
        module.change(model)
    sim.run(until=END - 0.5)
    sim.run(until=END)
    return model.x if use.startswith("law") else model.seen


QUICK = ("a global number", "a method of the class")


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS]
)
@pytest.mark.parametrize("compiles", ["auto", False])
def test_what_code_refers_to_changes_where_python_changes_it(compiles: Any, kind: str, load: Any) -> None:
    found, wanted = {}, {}
    what = KINDS[kind]
    for use, parts in USES.items():
        for how in CHANGES:
            other = load("other", "K = 1.0\ndef number(): return 1.0\ndef two(): return 2.0\n")
            texts = {name: parts.get(name, "").format(read=what.read) for name in ("law", "handlers", "process")}
            text = HEAD.format(
                other=other.__name__,
                module=what.module,
                base=what.base,
                fields=what.fields,
                change=what.change,
                **texts,
            )
            found[use, how] = outcome(load("model", text), use, how, {"compile": compiles})
            wanted[use, how] = expected(use)
    assert found == wanted


LATER = ("a global number", "a global function", "a component", "a number of the class", "a method of the class above")


@pytest.mark.slow
@pytest.mark.parametrize("kind", LATER)
@pytest.mark.parametrize("compiles", ["auto", False])
def test_code_of_an_earlier_simulation_is_not_used_where_something_has_changed_since(
    compiles: Any, kind: str, load: Any
) -> None:
    what = KINDS[kind]
    parts = {"law": f"def equations(self): self.rate.x = {what.read}", "handlers": "", "process": ""}
    other = load("other", "")
    module = load(
        "model",
        HEAD.format(
            other=other.__name__,
            module=what.module,
            base=what.base,
            fields=what.fields,
            change=what.change,
            **parts,
        ),
    )

    def run(*, changes: bool) -> tuple[float, float]:
        sim = ev.Simulation(compile=compiles)
        if hasattr(module, "tank"):
            module.tank = module.Tank(sim)
        model = module.Model(sim)
        if changes:
            module.change(model)
        model.start()
        rates = sim.record(rate=lambda: model.rate.x, every=1.0, events=False)
        sim.run(until=2.0)
        return model.x, rates.to_pandas()["rate"].sum()

    assert run(changes=False) == (pytest.approx(2.0), 3.0)
    assert run(changes=True) == (pytest.approx(4.0), 6.0)


class Rising(ev.Continuous):
    """Its law is exchanged."""

    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        """Rise slowly."""
        self.rate.x = 1.0


def rise_fast(self: Rising) -> None:
    """Rise fast."""
    self.rate.x = 2.0


def rise_by_whole_numbers(self: Rising) -> None:
    """Cannot be native code."""
    self.rate.x = max([2.0])


def laws(rising: Rising) -> None:
    """An object gets a law for itself."""
    rising.equations = lambda: rise_fast(rising)  # type: ignore[method-assign]  # on purpose


EXCHANGES: dict[str, Callable[[Rising], None]] = {
    "of the class": lambda rising: setattr(type(rising), "equations", rise_fast),
    "of the class, left to Python": lambda rising: setattr(type(rising), "equations", rise_by_whole_numbers),
    "of the object": laws,
}


@pytest.mark.parametrize("exchange", EXCHANGES)
@pytest.mark.parametrize("compiles", ["auto", False])
@pytest.mark.parametrize("stepping", ["apart", "together"])
def test_laws_themselves_are_exchanged(stepping: Any, compiles: Any, exchange: str) -> None:
    cls = type("Local", (Rising,), {"equations": Rising.equations})
    sim = ev.Simulation(stepping=stepping, compile=compiles)
    first, second = cls(sim).start(), cls(sim).start()

    def change() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        EXCHANGES[exchange](first)
        yield ev.hold(1.0)
        del first.__dict__["equations"]

    def change_class() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        EXCHANGES[exchange](first)
        yield ev.hold(1.0)
        cls.equations = Rising.equations

    sim.process(change() if exchange == "of the object" else change_class())
    sim.run(until=3.0)
    both = exchange != "of the object"
    assert (first.x, second.x) == (pytest.approx(4.0), pytest.approx(4.0 if both else 3.0))


IN_PLACE = {
    "the default by name of a law": ("self, *, k=1.0", "k", "type(self).equations.__kwdefaults__ = {'k': 2.0}"),
    "the default by name of a law, in its place": (
        "self, *, k=1.0",
        "k",
        "type(self).equations.__kwdefaults__['k'] = 2.0",
    ),
    "the default by name of a function, in its place": (
        "self",
        "other.number()",
        "other.number.__kwdefaults__['k'] = 2.0",
    ),
    "the default of a function in a field": ("self", "self.number()", "other.field.__defaults__ = (2.0,)"),
    "the code of a function in a field": (
        "self",
        "self.number()",
        "other.field.__code__ = (lambda k=2.0: 2.0).__code__",
    ),
}


@pytest.mark.parametrize("what", IN_PLACE)
@pytest.mark.parametrize("compiles", ["auto", False])
def test_what_stands_in_a_function_changes_in_its_place(compiles: Any, what: str, load: Any) -> None:
    arguments, read, change = IN_PLACE[what]
    other = load("other", "def number(*, k=1.0): return k\ndef field(k=1.0): return k\n")
    law = f"def equations({arguments}): self.rate.x = {read}"
    text = HEAD.format(
        other=other.__name__, module="", base="", fields="number: Any = other.field", change=change, law=law,
        handlers="", process="",
    )  # fmt: skip
    assert outcome(load("model", text), "law", "by a process", {"compile": compiles}) == expected("law")


@pytest.mark.parametrize("name", ["equations", "contributions"])
@pytest.mark.parametrize("when", ["from the start", "later"])
@pytest.mark.parametrize("compiles", ["auto", False])
def test_a_class_that_comes_to_have_laws_after_it_was_made_is_refused(compiles: Any, when: str, name: str) -> None:
    class Bare(ev.Continuous):
        """Has no laws."""

        x: ev.State = ev.state(0.0)

    sim = ev.Simulation(compile=compiles)
    bare = Bare(sim).start() if when == "later" else None

    def change() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        setattr(Bare, name, rise_fast)
        if bare is None:
            Bare(sim).start()

    sim.process(change())
    with pytest.raises(ev.ModelError, match=f"Bare has come to have {name}, which it lacked when it was made"):
        sim.run(until=3.0)
    assert sim.time == 1.0


@pytest.mark.slow
def test_objects_by_the_thousand_share_one_comparison() -> None:
    sim = ev.Simulation()
    for _ in range(1000):
        Rising(sim).start()
    sim.run(until=1.0)
    analyst: Any = sim._continuum.integrator.analyst
    held = analyst.facts._held
    assert sorted((fact.where, fact.name) for fact in held.values()) == [
        ("Rising", "contributions"),
        ("Rising", "equations"),
        ("equations", "__code__"),
    ]
