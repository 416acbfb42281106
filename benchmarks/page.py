"""The page of results: `results.md`, and its rows where other pages quote them.

In: what `report.record` gave, and the tables as they were printed. Out: a page of Markdown with a summary, one row for
each workload. README quotes rows of it between `QUOTE` and `END`; they are replaced there, and never typed.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

PAGE = Path(__file__).resolve().parent / "results.md"
QUOTING = [PAGE.parent.parent / "README.md"]
QUOTE, END = "<!-- rows of benchmarks/results.md -->", "<!-- end of rows -->"

SUMMARY = """\
<!-- summary -->

{measured}

| workload | what is done | eventide | its speed, as a multiple of that of |
| --- | --- | ---: | --- |
{rows}

<!-- end of summary -->
"""


def page(found: Mapping[str, Any], tables: Sequence[str]) -> str:
    """The text of `results.md`."""
    rows = [row(workload) for workload in found["workloads"]]
    summary = SUMMARY.format(measured=measured(found), rows="\n".join(one for one in rows if one))
    printed = "\n\n".join(f"```text\n{table}\n```" for table in tables)
    return (
        "# Results of the benchmarks\n\n"
        "Written by `make bench`, not by hand. `benchmarks/README.md` explains how to read it.\n\n"
        f"{summary}\n## As printed\n\n{printed}\n"
    )


def measured(found: Mapping[str, Any]) -> str:
    """When, where and how: one line."""
    machine, rounds = found["machine"], found["rounds"]
    place = f"{machine['processor']}, {machine['cores']} cores, load {machine['load']:.1f} at the end"
    versions = f"CPython {machine['python']}, numpy {machine['numpy']}"
    times = "one round" if rounds == 1 else f"medians of {rounds} rounds"
    return f"Measured on {found['date'][:10]}: {place}; {versions}; {times}."


def row(workload: Mapping[str, Any]) -> str:
    """What eventide did, in one line of the summary; nothing if it took no part."""
    ours = next((one for one in workload["contestants"] if one["name"] == "eventide" and "rate" in one), None)
    if ours is None:
        return ""
    if workload["price"]:
        milliseconds = 1e3 * median(ours["seconds"])
        done = f"{milliseconds:,.0f} ms" if milliseconds >= 100.0 else f"{milliseconds:.3g} ms"
    else:
        done = f"{ours['rate']['median']:,.0f} {workload['unit']}/s"
    ratios = [f"{name} {ratio['median']:.2f}" for name, ratio in ours["ratios"].items()]
    return f"| {workload['name']} | {workload['story']} | {done} | {', '.join(ratios) or 'not measured'} |"


def quoted(text: str, results: str) -> str:
    """A text with the rows between `QUOTE` and `END` as the page of results has them now.

    Raises KeyError if it quotes a row that is no longer there.
    """
    lines = {_subject(line): line for line in results.splitlines() if _subject(line)}

    def replaced(match: re.Match[str]) -> str:
        return "\n".join(lines[_subject(line)] if _subject(line) else line for line in match[0].splitlines())

    return re.sub(f"{QUOTE}.*?{END}", replaced, text, flags=re.DOTALL)


def _subject(line: str) -> str:
    """What a line of the summary is about; nothing for other lines."""
    if line.startswith("Measured on "):
        return "Measured"
    return line.split("|")[1] if line.startswith("| ") and not line.startswith("| ---") else ""


def write(found: Mapping[str, Any], tables: Sequence[str]) -> None:
    """Write the page, and what other pages quote of it."""
    text = page(found, tables)
    PAGE.write_text(text, encoding="utf-8")
    for path in QUOTING:
        path.write_text(quoted(path.read_text(encoding="utf-8"), text), encoding="utf-8")
