"""What of a traceback a user sees: the lines of the model, from `sim.run()` to where the error was raised."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from operator import truediv
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from wording import wording, wording_of

import eventide as ev
from eventide.reading.description import location

Simulate = Callable[..., ev.Simulation]


class Tank(ev.Continuous):
    level: ev.State = ev.state(1.0)
    size: float = 0.0

    def equations(self) -> None:
        self.rate.level = self.share()

    def share(self) -> float:
        return 1.0 / self.size


def lines_of(error: BaseException) -> list[str]:
    """The functions and lines that are shown, those of eventide by their file."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{f.name}: {f.line}" if f.filename == __file__ else f"{Path(f.filename).name}: {f.name}" for f in frames]


MET = (ArithmeticError, LookupError, AttributeError, TypeError, ev.ModelError)


def run(sim: ev.Simulation, **options: Any) -> BaseException:
    with pytest.raises(MET) as info:
        sim.run(**options)
    return info.value


RUN = ["run: sim.run(**options)", "world.py: run"]


def test_an_error_in_equations_shows_the_lines_of_the_model(simulate: Simulate) -> None:
    sim = simulate()
    Tank(sim, name="tank").start()
    error = run(sim, until=1.0)

    assert lines_of(error) == [*RUN, "equations: self.rate.level = self.share()", "share: return 1.0 / self.size"]
    assert wording(error) == wording_of(truediv, 1.0, 0.0)
    assert error.__notes__ == ["in the equations of tank at time 0.0"]


class Slips(ev.Continuous):
    x: ev.State = ev.state(0.0)
    u: ev.StateVector = ev.state_vector(0.0, size=3)
    given: object = None

    def equations(self) -> None:
        if self.given == "name":
            self.rate.y = 1.0
        elif self.given == "item":
            self.rate.u[7] = 1.0
        else:
            self.rate.x = self.given


@pytest.mark.parametrize(
    ("given", "line", "words"),
    [
        ("name", "equations: self.rate.y = 1.0", "'Rates' object has no attribute 'y'"),
        ("item", "equations: self.rate.u[7] = 1.0", "index 7 is out of bounds for axis 0 with size 3"),
        (None, "equations: self.rate.x = self.given", "the rate of slips.x is a number, and got None"),
        ([1.0], "equations: self.rate.x = self.given", "the rate of slips.x is a number, and got [1.0]"),
    ],
)
def test_what_a_rate_cannot_be_shows_the_line_that_sets_it(
    simulate: Simulate, given: object, line: str, words: str
) -> None:
    sim = simulate()
    Slips(sim, given=given, name="slips").start()
    error = run(sim, until=1.0)

    assert lines_of(error) == [*RUN, line]
    assert str(error).removesuffix(" and no __dict__ for setting new attributes") == words  # as later Pythons add
    assert error.__notes__[0] == "in the equations of slips at time 0.0"


def test_an_error_in_a_process_shows_the_lines_of_the_model() -> None:
    sim = ev.Simulation()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(1.0)
        yield from part()

    def part() -> ev.ProcessGenerator:
        raise LookupError("nothing there")
        yield ev.hold(1.0)

    sim.process(story())
    assert lines_of(run(sim)) == [*RUN, "story: yield from part()", 'part: raise LookupError("nothing there")']


def test_a_refused_command_shows_the_line_that_gave_it() -> None:
    sim = ev.Simulation()

    def story() -> ev.ProcessGenerator:
        yield ev.hold(-1.0)

    sim.process(story())
    assert lines_of(run(sim)) == [*RUN, "story: yield ev.hold(-1.0)"]


def test_what_eventide_refuses_ends_at_the_call() -> None:
    assert lines_of(run(ev.Simulation(), until=True)) == RUN
    assert lines_of(run(ev.Simulation(), until=-1.0)) == RUN


def test_a_mistake_of_eventide_itself_keeps_all_its_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    sim = ev.Simulation()
    monkeypatch.setattr(sim, "_forgotten", None)
    error = run(sim)

    assert type(error) is AttributeError
    assert lines_of(error) == [*RUN, "world.py: _attend", "world.py: _run"]


def test_what_an_error_came_of_is_shortened_too() -> None:
    sim = ev.Simulation()

    def story() -> ev.ProcessGenerator:
        try:
            yield ev.hold(-1.0)
        except ev.ModelError as error:
            raise LookupError("no") from error

    sim.process(story())
    error = run(sim)
    assert lines_of(error) == [*RUN, 'story: raise LookupError("no") from error']
    assert error.__cause__ is not None
    assert lines_of(error.__cause__) == ["story: yield ev.hold(-1.0)"]


def test_in_a_notebook_code_stands_in_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """As IPython's own tracebacks call it; `view/test_notebook.py` has it in a kernel."""

    def called(file: str) -> tuple[str, str] | None:
        return ("Cell", "In[3]") if file == "/tmp/ipykernel_1/2.py" else None

    shell = SimpleNamespace(compile=SimpleNamespace(format_code_name=called))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))

    assert location("/tmp/ipykernel_1/2.py", 7) == "cell In[3], line 7"
    assert location("/home/model.py", 7) == "/home/model.py:7"
