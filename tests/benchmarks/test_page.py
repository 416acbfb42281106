"""The page of results is written from what was measured, and README quotes its rows as they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import bench
import page
import pytest
from workloads import WORKLOADS

ROOT = Path(__file__).parents[2]
MEASURED = re.compile(r"\d\s?(ms|us|µs)\b|\d\s?[kM]? \w+/s\b|\d times (as|the|faster|slower|less|more)\b")


def contestant(**facts: Any) -> dict[str, Any]:
    return {
        "name": "eventide",
        "seconds": [0.2, 0.1, 0.4],
        "rate": {"median": 12345.6, "min": 1.0},
        "ratios": {},
    } | facts


def workload(name: str, *contestants: dict[str, Any], price: str = "") -> dict[str, Any]:
    facts = {"name": name, "story": f"{name} is done", "unit": "holds", "price": price}
    return facts | {"contestants": list(contestants)}


FOUND = {
    "date": "2026-11-23T06:37:00+00:00",
    "machine": {"processor": "AMD", "cores": 2, "load": 0.04, "python": "3.11.7", "numpy": "2.4.6"},
    "rounds": 3,
    "workloads": [
        workload(
            "hold", contestant(ratios={"simpy": {"median": 5.126, "min": 5.0}, "bare": {"median": 0.3, "min": 0.1}})
        ),
        workload("ball", contestant(), price="unit"),
        workload("long", contestant(seconds=[1.5]), price="unit"),
        workload("lost", {"name": "eventide", "trouble": "it fell"}, {"name": "simpy"}),
    ],
}
ROWS = """\
Measured on 2026-11-23: AMD, 2 cores, load 0.0 at the end; CPython 3.11.7, numpy 2.4.6; medians of 3 rounds.

| workload | what is done | eventide | its speed, as a multiple of that of |
| --- | --- | ---: | --- |
| hold | hold is done | 12,346 holds/s | simpy 5.13, bare 0.30 |
| ball | ball is done | 200 ms | not measured |
| long | long is done | 1,500 ms | not measured |
"""


def test_the_page_has_a_row_for_each_workload_and_the_tables_as_printed() -> None:
    text = page.page(FOUND, ["hold: a story\n  contestant  x", "starts: b"])
    assert text.partition("<!-- summary -->\n\n")[2].partition("\n<!-- end")[0] == ROWS
    assert text.endswith("```text\nhold: a story\n  contestant  x\n```\n\n```text\nstarts: b\n```\n")


def test_rows_that_are_quoted_are_replaced_and_nothing_else() -> None:
    quote = f"{page.QUOTE}\nMeasured on no day.\n\n| workload |\n| --- | --- |\n| ball | old |\n{page.END}"
    new = page.quoted(f"| ball | kept |\n{quote}\nMeasured on kept.\n", page.page(FOUND, []))
    first, *rows = ROWS.splitlines()
    assert new.splitlines() == [
        *("| ball | kept |", page.QUOTE, first, "", rows[1], "| --- | --- |", rows[4], page.END, "Measured on kept.")
    ]


def test_a_row_that_is_no_longer_there_is_not_kept_in_silence() -> None:
    with pytest.raises(KeyError, match="gone"):
        page.quoted(f"{page.QUOTE}\n| gone | 1 ms |\n{page.END}", page.page(FOUND, []))


def test_what_readme_quotes_stands_in_the_results() -> None:
    results = page.PAGE.read_text(encoding="utf-8")
    assert len(page.QUOTING) > 0
    for path in page.QUOTING:
        text = path.read_text(encoding="utf-8")
        assert text.count(page.QUOTE) == text.count(page.END) == 1
        assert page.quoted(text, results) == text


def test_every_row_of_the_results_is_a_workload() -> None:
    results = page.PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| (.*?) \|", results, flags=re.MULTILINE)
    known = {one.name: one.story for one in WORKLOADS}
    assert rows[0] == ("workload", "what is done")
    assert {name: known.get(name) for name, _ in rows[2:]} == dict(rows[2:])
    assert re.search(r"^Measured on \d{4}-\d\d-\d\d: .+ cores, .+ CPython ", results, flags=re.MULTILINE)


def test_no_other_figure_of_speed_is_typed_into_readme_or_the_site() -> None:
    pages = [ROOT / "README.md", *(one for one in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in one.parts)]
    typed = []
    for path in pages:
        text = re.sub(f"{page.QUOTE}.*?{page.END}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        typed += [(path.name, line) for line in text.splitlines() if MEASURED.search(line)]
    assert typed == []


@pytest.mark.parametrize("arguments", [["hold"], ["--quick"], ["--only", "eventide"]])
def test_a_part_of_the_benchmarks_writes_no_page(arguments: list[str]) -> None:
    assert not bench.chosen(arguments).is_whole
    assert bench.chosen(["--rounds", "3"]).is_whole
