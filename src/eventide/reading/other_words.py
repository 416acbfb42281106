"""Words of other simulation libraries, and what each is here: messages for users of those.

Source of the words: the documentation of SimPy 4 and of salabim 24.
"""

from __future__ import annotations

import linecache
from typing import Final

OF_SIMULATION: Final[dict[str, str]] = {
    "active_process": "sim.current",
    "activate": "process.activate()",
    "all_of": "`yield ev.all_of(a=..., b=...)`",
    "any_of": "`yield ev.first_of(a=..., b=...)`",
    "at": "process.activate(at=time), with a process that tells what is to happen then",
    "event": "ev.Signal(sim), with `yield signal` to wait for it and signal.send()",
    "every": "`yield ev.tick(period)` in a process, or `@ev.every(period)` above a method of a component",
    "exit": "`return value` in the process",
    "hold": "`yield ev.hold(duration)`",
    "now": "sim.time",
    "passivate": "`yield ev.passivate()`",
    "standby": "`yield ev.until(lambda: ...)`",
    "timeout": "`yield ev.hold(duration)`",
    "when": "`@ev.when(lambda self: ...)` above a method of a component, `yield ev.until(lambda: ...)` in a process",
    "until": "`yield ev.until(lambda: ...)` in a process, sim.run(until=...) outside",
    "wait": "`yield signal`, with signal = ev.Signal(sim)",
}
"""What SimPy's and salabim's environments are asked, and what to write here."""
SETTINGS: Final[dict[str, str]] = {
    **dict.fromkeys(("atol", "abs_err", "abs_tol", "abserror", "abstol"), "sim.set_tolerances(abs_error=...)"),
    **dict.fromkeys(("rtol", "rel_err", "rel_tol", "relerror", "reltol"), "sim.set_tolerances(rel_error=...)"),
    **dict.fromkeys(("dtmax", "max_dt", "max_step", "dt_maximum"), "sim.dt_max"),
    **dict.fromkeys(("dtmin", "min_dt", "min_step", "dt_minimum"), "sim.dt_min"),
    **{name: f"Simulation({name}=...), from the start," for name in ("rng", "seed")},
}
"""What is set elsewhere, as in the manual of COMBINEDSIMULATION and in `solve_ivp`: it would be set in silence."""
WORDS: Final = {*OF_SIMULATION, *SETTINGS}
"""All that a simulation has not."""
OF_PACKAGE: Final[dict[str, str]] = {
    "AllOf": "`yield ev.all_of(a=..., b=...)`",
    "AnyOf": "`yield ev.first_of(a=..., b=...)`",
    "any_of": "`yield ev.first_of(a=..., b=...)`",
    "delay": "ev.hold",
    "Environment": "ev.Simulation",
    "Event": "ev.Signal",
    "FilterStore": "ev.Store, whose get takes a condition",
    "Monitor": "sim.level or sim.tally",
    "now": "sim.time",
    "PriorityResource": "ev.Resource, whose request takes a priority",
    "PriorityStore": "ev.Store",
    "request": "`with resource.request() as place: yield place`",
    "sleep": "ev.hold",
    "standby": "`yield ev.until(lambda: ...)`",
    "Timeout": "ev.hold",
    "timeout": "ev.hold",
    "vector": "ev.state_vector, or ev.computed_vector",
}
"""What their packages are asked."""
UNIT: Final = "`with desk.request() as place: yield place`, and the end of the block gives it back"
OF_PARTS: Final[dict[str, dict[str, str]]] = {
    "Process": {
        "enter": "queue.into(self)",
        "env": "process.sim",
        "hold": "`yield ev.hold(duration)`",
        "is_alive": "process.terminated, the other way round",
        "leave": "queue.out(self)",
        "passivate": "`yield ev.passivate()`",
        "release": UNIT,
        "request": UNIT,
        "standby": "`yield ev.until(lambda: ...)`",
        "wait": "`yield signal`, with signal = ev.Signal(sim)",
    },
    "Resource": {"acquire": UNIT, "count": "resource.in_use.value", "get": UNIT, "put": UNIT, "release": UNIT},
    "Signal": {"callbacks": "`yield signal` in a process", "succeed": "signal.send(value)", "trigger": "signal.send()"},
    "Stream": {"expovariate": "stream.negexp(rate)", "gauss": "stream.normal(mean, stdev)"},
    "Tally": {"append": "tally.add(value)", "observe": "tally.add(value)", "record": "tally.add(value)"},
    "Level": {
        "add": "level.change(difference)",
        "observe": "level.set(value)",
        "record": "level.set(value)",
        "tally": "level.set(value)",
    },
}
"""What their objects are asked, by the class that is ours."""
OPERATORS: Final = ("unsupported operand type(s) for |", "unsupported operand type(s) for &")
FOR_OPERATORS: Final = (
    "commands are not joined by | and &: write `yield ev.first_of(served=a, gave_up=b)` for the first that comes, "
    "`yield ev.all_of(first=a, second=b)` for all"
)


FOR_YIELD_FROM: Final = (
    "a command, a request and a process are yielded: write `yield` for `yield from`, which goes through generators"
)
FOR_BLOCKS: Final = f"a unit of a resource is had by a request: write {UNIT}"
FOR_TYPES: Final = {
    "Outcome": 'an Outcome tells who came first: write `if outcome.name == "served"`; outcome.value is its answer',
    "Level": "a Level keeps statistics over time: its present value is level.value; of a Container, container.amount",
}
"""The note for an error of type that names one of our classes."""


class OtherWord:
    """What a class has in place of an attribute that it has not: reading it raises AttributeError with what to write.

    A descriptor and no `__getattr__`, which would make every other attribute slower to find.
    """

    def __init__(self, name: str, instead: str) -> None:
        self.name = name
        self.instead = instead

    def __get__(self, instance: object, owner: type | None = None) -> object:
        raise AttributeError(f"a simulation has no {self.name!r}: it is {self.instead} here")


class OtherSetting(OtherWord):
    """The same of what is set; a class of the user's own may keep something else by that name."""

    def __get__(self, instance: object, owner: type | None = None) -> object:
        if self.name in getattr(instance, "__dict__", ()):
            return instance.__dict__[self.name]
        return super().__get__(instance)

    def __set__(self, instance: object, value: object) -> None:
        if type(instance).__module__.startswith("eventide."):
            self.__get__(instance)
        instance.__dict__[self.name] = value


def put_other_words(cls: type) -> None:
    """Give a class of simulations what tells of the words that it has not."""
    for name, instead in OF_SIMULATION.items():
        setattr(cls, name, OtherWord(name, instead))
    for name, instead in SETTINGS.items():
        setattr(cls, name, OtherSetting(name, instead))


def advise(error: BaseException) -> None:
    """Add to an error of a process what to write here, if it comes of a word of another library."""
    if isinstance(error, TypeError) and str(error).startswith(OPERATORS):
        error.add_note(FOR_OPERATORS)
    elif isinstance(error, TypeError) and str(error).endswith("object is not iterable"):
        if "yield from" in _line(error):
            error.add_note(FOR_YIELD_FROM)
    elif isinstance(error, TypeError) and "context manager" in str(error):
        if "'Resource'" in str(error) or ".request" in _line(error):
            error.add_note(FOR_BLOCKS)
    elif isinstance(error, TypeError):
        for name, advice in FOR_TYPES.items():
            if f"'{name}'" in str(error):
                error.add_note(advice)
    elif isinstance(error, AttributeError):
        for base in type(error.obj).__mro__:
            instead = OF_PARTS.get(base.__name__, {}).get(error.name or "")
            if instead is not None and base.__module__.startswith("eventide."):
                error.add_note(f"a {base.__name__} has no {error.name!r}: it is {instead} here")
                return


def _line(error: BaseException) -> str:
    """The line of the program that raised an error; empty if it is not at hand."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return "" if traceback is None else linecache.getline(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
