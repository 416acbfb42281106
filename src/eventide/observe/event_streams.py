"""The log of a run as an event stream in XML, for programs that mine processes.

Source: IEEE 1849-2016, eXtensible Event Stream, with its extensions concept, lifecycle and time.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from eventide.errors import InputError
from eventide.observe.files import whole_file

if TYPE_CHECKING:
    from eventide.observe.log import Entry, Wait

EXTENSIONS: Final = (("Concept", "concept"), ("Lifecycle", "lifecycle"), ("Time", "time"))
_SINCE: Final = re.compile(r" since .*| until .*")
"""What differs from one wait to the next of the same kind."""


def write_xes(
    entries: Sequence[Entry],
    waits: Sequence[Wait],
    cases: tuple[Sequence[str], Sequence[str]],
    path: str | PathLike[str],
    start: str,
    seconds: float,
) -> None:
    """Write events and waits as traces, one for each process or handler, each in the order of time.

    cases       of each entry and of each wait whose it is

    Raises InputError if `start` is no date and time of ISO 8601, or a time lies beyond the calendar.
    """
    try:
        origin = dt.datetime.fromisoformat(start)
    except (TypeError, ValueError):
        raise InputError(f"start= takes a date and time as 2026-01-31T08:00:00, and got {start!r}") from None
    found = [(entry.time, who, entry.why, "complete") for entry, who in zip(entries, cases[0], strict=True)]
    for wait, who in zip(waits, cases[1], strict=True):
        what = _SINCE.sub("", wait.what)
        found += [(wait.start, who, what, "start"), (wait.end, who, what, "complete")]
    log = ET.Element("log", {"xes.version": "1849-2016", "xmlns": "http://www.xes-standard.org/"})
    for name, prefix in EXTENSIONS:
        uri = f"http://www.xes-standard.org/{prefix}.xesext"
        ET.SubElement(log, "extension", {"name": name, "prefix": prefix, "uri": uri})
    traces: dict[str, ET.Element] = {}
    for time, who, what, transition in sorted(found, key=lambda event: event[0]):
        if who not in traces:
            traces[who] = ET.SubElement(log, "trace")
            ET.SubElement(traces[who], "string", {"key": "concept:name", "value": who})
        event = ET.SubElement(traces[who], "event")
        ET.SubElement(event, "string", {"key": "concept:name", "value": what})
        ET.SubElement(event, "string", {"key": "lifecycle:transition", "value": transition})
        ET.SubElement(event, "date", {"key": "time:timestamp", "value": _date(origin, time * seconds)})
    ET.indent(log, " ")
    with whole_file(path) as unfinished:
        ET.ElementTree(log).write(unfinished, encoding="utf-8", xml_declaration=True)


def _date(origin: dt.datetime, seconds: float) -> str:
    try:
        return (origin + dt.timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
    except OverflowError:
        raise InputError(
            f"{seconds!r} s after {origin.isoformat()} is beyond the calendar: give seconds= less"
        ) from None
