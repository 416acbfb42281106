"""The page of a study: what it says, that it loads nothing, and that a store gives the same page without the model."""

from __future__ import annotations

import re
from base64 import b64decode
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import stats

import eventide as ev
from eventide.analysis import stored
from eventide.cli import main


class Tank(ev.Continuous):
    level: ev.State = ev.state(unit="m")
    loss: float = 1.0

    def equations(self):
        self.rate.level = 1.0 - self.loss * self.level


@ev.model(until=4.0, time_unit="h")
def tank(sim, *, loss: float = 1.0, places: int = 2, kind: str = "round"):
    """A tank that leaks & fills.

    Not told.
    """
    start = sim.stream("start").uniform(0.5, 3.0)
    if places == 4 and sim.replication == 1:
        raise ValueError("it <overflows>")
    one = Tank(sim, loss=loss, level=start, name="tank").start()
    sim.record(one, every=0.5)
    return {"end": lambda: one.level * places, "heat": ev.Quantity(loss * 1000.0, unit="J")}


class Reader(HTMLParser):
    """What a page says, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.said, self.loaded, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.loaded += [value for name, value in attrs if name in {"src", "href", "srcset"}]
        if tag not in {"meta", "img", "source", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if data.strip() and "style" not in self.open:
            self.said.append(data.strip())


def study():
    return ev.Study(
        tank,
        {"loss": [0.5, 1.0], "places": [3, 4]},
        replications=3,
        entropy=1,
        record=True,
        at=np.linspace(0.0, 4.0, 9),
    )


@pytest.mark.slow
@pytest.mark.row("R-278")
def test_a_page_tells_all_of_a_study_and_loads_nothing(tmp_path):
    runs = study().run(workers=1)
    runs.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    page = Reader(text)
    assert page.open == []
    assert all(one.startswith("data:image/svg+xml;base64,") for one in page.loaded)
    assert len(page.loaded) == 2 * 3  # end, heat and the level over time, each for light and for dark
    assert len(set(page.loaded)) == 6
    assert "http" not in re.sub(r'"data:[^"]*"', "", text)
    pictures = [b64decode(one.partition(",")[2]).decode() for one in page.loaded]
    assert all(picture.startswith("<?xml") for picture in pictures)
    assert page.said[1:5] == [
        "Study of tank",
        "A tank that leaks & fills.",
        "12 runs at 4 points, 3 replications each;",
        "2 runs failed",
    ]
    facts = dict(zip(page.said[6:20:2], page.said[7:20:2], strict=False))
    assert facts["parameters, the same in all runs"] == "kind='round'"
    assert facts["parameters that differ"] == "loss: 0.5, 1; places: 3, 4"
    assert facts["entropy"] == "1"
    place = page.said.index("loss")
    heads = ["loss", "places", "end", "heat [J]", "count", "failed"]
    assert page.said[place : place + 6] == heads
    mean, half = runs.summary().iloc[0][["end", "+- end"]]
    row = page.said[place + 6 : place + 12]
    assert row[:2] + row[3:] == ["0.5", "3", "500", "3", "0"]
    said = [float(number) for number in row[2].split(" \u00b1 ")]
    assert said == pytest.approx([mean, half], rel=0.05)
    failed = page.said.index("What failed, and the line that repeats it")
    assert page.said[failed + 1 : failed + 4] == [
        "run 5",
        "ValueError: it <overflows>",
        "tank(loss=0.5, places=4, kind='round').run(entropy=1, replication=1)",
    ]
    assert 'raise ValueError("it <overflows>")' in page.said[failed + 5]


@pytest.mark.slow
def test_a_store_gives_the_same_page_without_its_model(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = study().run(workers=1, store=tmp_path / "results")
    read = stored(tmp_path / "results")
    assert read.table.equals(runs.table)
    assert read.failures.equals(runs.failures)
    assert read.states().equals(runs.states())
    assert main(["report", "results"]) == 0
    assert capsys.readouterr().out == f"{runs}\n"
    runs.to_html(tmp_path / "own.html")
    own, other = (Reader((tmp_path / name).read_text(encoding="utf-8")) for name in ("own.html", "results.html"))
    assert all("runs until" in page.said for page in (own, other))
    told = [one for one in other.said if one not in own.said]
    assert told[0].startswith("eventide ")
    assert own.loaded == other.loaded


@pytest.mark.slow
def test_predictions_and_searches_have_pages(tmp_path):
    ev.predict(tank, {"loss": stats.norm(1.0, 0.1)}, runs=6, entropy=1, workers=1, store=tmp_path / "bands")
    bands = stored(tmp_path / "bands")
    bands.to_html(tmp_path / "bands.html")
    page = Reader((tmp_path / "bands.html").read_text(encoding="utf-8"))
    assert "loss: " in " ".join(page.said)
    assert len(page.loaded) == 2 * 3
    found = ev.minimise(
        tank, "end", {"places": (1, 3)}, replications=2, entropy=1, workers=1, store=tmp_path / "search"
    )
    searched = stored(tmp_path / "search")
    assert len(searched) == found.runs == 3 * 2 + 2
    assert searched.summary()["end"].to_list()[:3] == pytest.approx(found.history["value"].to_list())
    assert searched.summary()["end"].to_list()[3] == pytest.approx(found.value)
    searched.to_html(tmp_path / "search.html")
    assert "8 runs at 4 points, 2 replications each;" in (tmp_path / "search.html").read_text(encoding="utf-8")


def test_what_is_no_store_is_refused(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "holds no runs: it is no folder that a study had as store=" in capsys.readouterr().err
