"""What is told of a run, as one text."""

from textwrap import dedent

import pytest

import eventide as ev
from eventide.experiment import report
from eventide.experiment.report import readable


@ev.model
def pit(sim, *, pits: int = 10, place: str = "[red] :car:"):
    """Ingots in a pit.

    More about them.
    """
    heating, empty = ev.Tally(unit="h"), ev.Tally(unit="degF")
    waiting = ev.Level(2.0, clock=sim)
    heating.add(18.0)
    heating.add(19.5)
    yield ev.hold(50.0)
    return {
        "heating": heating,
        "drawn": 217,
        "empty": empty,
        "throughput": ev.Quantity(1 / 3, unit="[1/h]", description="ingots drawn"),
        "waiting": waiting,
        "safe": True,
    }


WHOLE = """\
    pit(pits=10, place='[red] :car:')
    Ingots in a pit.

    statistic   unit    mean   st. dev.   min    max   count
    ────────────────────────────────────────────────────────
    heating     h      18.75    1.06066    18   19.5       2
    empty       degF       -          -     -      -       0
    waiting                2          0     2      2

    response     unit       value   meaning
    ────────────────────────────────────────────
    drawn                     217
    throughput   [1/h]   0.333333   ingots drawn
    safe                      yes

    the run
    ──────────────────
    events           2
    steps            0
    refused steps    0
    evaluations      0
    state events     0
    end time        50
    entropy          1"""

STOPPED = """\
    pit(pits=3, place='[red] :car:')
    Ingots in a pit.

    No responses: stopped at 2.5, before the main program had ended.

    the run
    ───────────────────
    events            1
    steps             0
    refused steps     0
    evaluations       0
    state events      0
    end time        2.5
    entropy           1"""


def test_a_run_in_full():
    assert report(pit.run(entropy=1)) == dedent(WHOLE)


def test_a_run_that_was_stopped():
    assert report(pit(pits=3).run(entropy=1, until=2.5)) == dedent(STOPPED)


def test_no_table_without_rows():
    @ev.model
    def bare(sim):
        yield ev.hold(1.0)

    assert report(bare.run(entropy=1)).splitlines()[:3] == ["bare()", "", "the run"]


def test_long_names_are_not_cut():
    name = "n" * 300

    @ev.model(until=1.0)
    def wide(sim):
        return {name: 1}

    assert f"{name}       1" in report(wide.run(entropy=1)).splitlines()


def test_a_terminal_gets_bold_heads_and_nothing_else(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.delenv("NO_COLOR", raising=False)
    lines = report(pit.run(entropy=1), for_terminal=True).splitlines()

    assert lines[:3] == ["pit(pits=10, place='[red] :car:')", "Ingots in a pit.", ""]
    assert [line[:5] for line in lines if "\x1b" in line] == ["\x1b[1ms", "\x1b[1mr", "\x1b[1mt"]


@pytest.mark.parametrize("name", ["FORCE_COLOR", "TTY_COMPATIBLE", "CLICOLOR_FORCE"])
def test_nobody_else_gets_codes(monkeypatch, name):
    monkeypatch.setenv(name, "1")
    monkeypatch.setenv("COLUMNS", "20")

    assert report(pit.run(entropy=1)) == dedent(WHOLE)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (2200.0, "2200"),
        (123456789, "123456789"),
        (123456789.0, "123456789"),
        (2**80, "1208925819614629174706176"),
        (1e80, "1e+80"),
        (8.52308163971204, "8.52308"),
        (2369.93998133751, "2369.94"),
        (12208802.68, "1.22088e+07"),
        (0.000123456789, "0.000123457"),
        (float("inf"), "inf"),
        (float("nan"), "-"),
        (True, "yes"),
        (False, "no"),
        (ev.Quantity(0.1234567, unit="m"), "0.123457"),
    ],
)
def test_numbers_are_readable(number, text):
    assert readable(number) == text
