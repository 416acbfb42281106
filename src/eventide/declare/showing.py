"""How objects show themselves: tables as text and as HTML, lists of like things told once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

FEW: Final = 3
"""Up to this many things of a kind are listed one by one; more together."""
_NUMBER: Final = re.compile(r"(?<=\w )\d+(?![\d.]*\d\b)")
"""What the names of objects of a class, and flows, differ in."""


def as_text(rows: Sequence[tuple[str, object]]) -> str:
    """A table of two columns: what, and its value, on the left and on the right."""
    left = max((len(what) for what, _ in rows), default=0)
    right = max((len(str(value)) for _, value in rows), default=0)
    return "\n".join(f"{what:<{left}}  {value!s:>{right}}" for what, value in rows)


def as_html(
    rows: Iterable[Sequence[object]], heads: Sequence[str] = (), *, title: str = "", notes: Iterable[str] = ()
) -> str:
    """A table for a notebook, with a title above and notes below."""
    from html import escape  # a model that runs in a terminal does not need it

    parts = [f"<p><b>{escape(title)}</b></p>"] if title else []
    cells = "".join(f"<th>{escape(head)}</th>" for head in heads)
    lines = ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows]
    if lines:
        head = f"<thead><tr>{cells}</tr></thead>" if heads else ""
        parts.append(f"<table>{head}<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>")
    return "".join(parts) + "".join(f"<p>{escape(note)}</p>" for note in notes)


def short(number: float) -> str:
    """A number with six significant digits."""
    return f"{number:.6g}"


def public_dir(thing: object) -> list[str]:
    """What `dir` shows of an object: the names for its user, and Python's own. A class has it as its `__dir__`."""
    return [name for name in object.__dir__(thing) if name[0] != "_" or name[:2] == "__"]


def grouped(blocks: Iterable[list[str]]) -> list[str]:
    """The lines of some blocks, each a head and what belongs to it; those that differ in numbers alone are told once.

    A head is a name, a colon and what is told of it.
    """
    kinds: dict[tuple[str, ...], list[list[str]]] = {}
    for block in blocks:
        kinds.setdefault(tuple(_NUMBER.sub("#", line) for line in block), []).append(block)
    lines: list[str] = []
    for alike in kinds.values():
        if len(alike) <= FEW:
            lines += [line for block in alike for line in block]
        else:
            lines += [_joined(alike), *alike[0][1:]]
    return lines


def _joined(alike: list[list[str]]) -> str:
    """One head for many: the first and the last name, then what is told of all."""
    first, colon, told = alike[0][0].partition(": ")
    last, _, told_last = alike[-1][0].partition(": ")
    name, comma, detail = first.partition(", ")
    flows = [found for text in (told, told_last) if (found := re.search(r"\bflow (\d+)", text))]
    if len(flows) == 2 and flows[0][1] != flows[1][1]:
        told = told.replace(flows[0][0], f"flows {flows[0][1]} ... {flows[1][1]}", 1)
    elif told != told_last:
        told = f"{told} ... {told_last}"
    return f"{name} ... {last.partition(', ')[0].strip()} ({len(alike)}){comma}{detail}{colon}{told}"


def listed(names: Sequence[str]) -> str:
    """Names with commas; many of one class, numbered as they were made, by the first and the last."""
    kinds: dict[str, list[str]] = {}
    for name in names:
        kind, _, number = name.rpartition(" ")
        kinds.setdefault(kind if kind and number.isdigit() else name, []).append(name)
    parts = [[f"{some[0]} ... {some[-1]} ({len(some)})"] if len(some) > FEW else some for some in kinds.values()]
    return ", ".join(name for part in parts for name in part)


def what_has_a_rate(message: str, states: Sequence[str]) -> str:
    """What an error of a missing attribute of rates is told besides: the states, and which may be meant."""
    from difflib import get_close_matches

    name = message.rpartition("attribute '")[2].partition("'")[0]  # Python 3.13 goes on behind it
    near = get_close_matches(name.casefold(), states, n=1, cutoff=0.5)
    meant = f"; did you mean self.rate.{near[0]}?" if near else ""
    return f"states have rates: {', '.join(states) or 'there are none here'}{meant}"


class _HasKind(Protocol):
    """A note on how something runs."""

    @property
    def is_compiled(self) -> bool: ...


def shares(**kinds: Sequence[_HasKind]) -> list[str]:
    """A line on how many things of each kind are native code, which runs fast; none without any."""
    told = [
        f"{sum(item.is_compiled for item in items)} of {len(items)} {kind}" for kind, items in kinds.items() if items
    ]
    is_all = all(item.is_compiled for items in kinds.values() for item in items)
    return [f"native code: {', '.join(told)}{'' if is_all else '; the rest is Python'}"] if told else []
