"""`eventide minimise` and `eventide calibrate`: the best parameters, from the command line."""

from __future__ import annotations

import re
from math import exp

import pytest

import eventide as ev

DECAY = """
import eventide as ev

class Decay(ev.Continuous):
    x: ev.State = 1.0
    loss: float = 1.0

    def equations(self):
        self.rate.x = -self.loss * self.x

@ev.model(until=1.0, rel_error=1e-9, abs_error=1e-9)
def decay(sim, *, loss: float = 2.0, start: float = 3.0, parts: int = 1):
    one = Decay(sim, x=start, loss=loss, name="tank").start()
    sim.record(one, every=1.0)
    return {"cost": lambda: (one.x - 1.0) ** 2 + parts}
"""


@pytest.mark.slow
def test_what_was_found_is_printed_written_and_drawn(command, model_file, tmp_path):
    path, out, picture = model_file(DECAY), tmp_path / "tried.csv", tmp_path / "found.png"
    asked = ("--over", "loss=0.5:2", "--entropy", 1, "--out", out, "--plot", picture)
    outcome = command("minimise", path, "cost", *asked)
    assert outcome.status == 0
    assert outcome.out.startswith("least cost of decay: 1")
    table = ev.load(out)
    assert table["loss"][table["value"].idxmin()] == pytest.approx(1.0986, abs=0.01)
    assert picture.stat().st_size > 5_000
    whole = command("minimise", path, "cost", "--over", "parts=1,2,3", "--set", "loss=1.5", "--entropy", 1)
    assert "  parts = 1" in whole.out
    assert "enumeration: 3 evaluations" in whole.out


@pytest.mark.slow
def test_a_model_is_calibrated_against_a_file(command, model_file, tmp_path):
    path, data, picture = model_file(DECAY), tmp_path / "measured.csv", tmp_path / "fit.png"
    rows = [f"{t},{3.0 * exp(-0.7 * t)}" for t in (0.0, 0.5, 1.0, 2.0)]
    data.write_text("\n".join(["time,x", *rows]))
    outcome = command("calibrate", path, data, "--over", "loss=0.1:3", "--entropy", 1, "--plot", picture)
    assert outcome.status == 0
    assert outcome.out.startswith("decay against 4 values:")
    assert re.search(r"^loss +0\.7 ", outcome.out, re.MULTILINE)
    assert picture.stat().st_size > 5_000


@pytest.mark.slow
def test_a_model_is_calibrated_against_what_eventide_has_recorded(command, model_file):
    path = model_file(DECAY)
    assert command("run", path, "--set", "loss=0.7", "--until", "2", "--out", "measured.csv").status == 0
    outcome = command("calibrate", path, "measured.csv", "--over", "loss=0.1:3", "--entropy", 1)
    assert outcome.status == 0
    assert re.search(r"^loss +0\.7 ", outcome.out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("minimise", "FILE", "cost"), "give --over NAME=LOW:HIGH"),
        (("minimise", "FILE", "cost", "--over", "loss"), "--over takes NAME=LOW:HIGH"),
        (("minimise", "FILE", "cost", "--over", "loss=1:2", "--over", "loss=1:3"), "--over gives loss twice"),
        (("minimise", "FILE", "cost", "--over", "loss=a:2"), "takes a number, and got 'a'"),
        (("minimise", "FILE", "price", "--over", "loss=1:2"), "decay has no response 'price'"),
        (("minimise", "FILE", "cost", "--over", "loss=1:2", "--method", "guess"), "method= takes"),
        (("calibrate", "FILE", "none.csv", "--over", "loss=1:2"), "none.csv cannot be read"),
        (
            ("calibrate", "FILE", "data.csv", "--over", "loss=1:2", "--out", "./data.csv"),
            "--out data.csv is the file of the data, which would be lost: choose another name",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_searched_is_refused(command, model_file, arguments, message):
    path = model_file(DECAY)
    outcome = command(*(path if one == "FILE" else one for one in arguments))
    assert outcome.status == 2
    assert message in outcome.err
