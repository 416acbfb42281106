"""Contributions and equations of a class as one law: what both look at is found once, and loaded once.

Equations that look at nothing that a pass of the laws changes, and only set rates, may be executed just before the
contributions of the same object where nothing reads rates: it makes no difference. The flow ensures that
(`count_runs` in `native/overrides.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from eventide.lowering.kernels.index_rows import LaidRows, LayingRows
from eventide.lowering.kernels.lowered import Anchor
from eventide.lowering.kernels.lowering import LAWS, lower_law
from eventide.lowering.names.paths import GLOBALS
from eventide.lowering.not_compilable import CannotLower

if TYPE_CHECKING:
    from eventide.continuous import Continuous
    from eventide.continuous.components.member import Member
    from eventide.lowering.kernels.lowered import Lowered
    from eventide.lowering.names.paths import Step
    from eventide.lowering.translation.values import Path

UNCHANGED: Final = ("state", "parameter", "last")
"""What a pass does not change in a flow whose laws assign no states."""
_SELF: Final = "self"


class JoinedLaws(NamedTuple):
    """Two laws as one.

    laying      its text for index rows of the contributions with those of the equations behind them, each wherever it
                is; the entries that it needs are laid in rows one behind the other, at the address of the lists
    laid        its text for such rows
    width       of these, in whole numbers, of which each is two entries
    lowered     what else is known of it
    """

    laying: str
    laid: str
    width: int
    lowered: Lowered


def _both(self: Continuous) -> None:
    self.equations()
    self.contributions()


def joined(owner: Member, contributions: Lowered, equations: Lowered, *, exact_pow: bool) -> JoinedLaws | None:
    """The law that does what these two of an object do; None if they are to stay two."""
    parts = contributions, equations
    if not (_is_early(equations) and all(part.width == len(part.blocks) for part in parts)):
        return None
    try:
        both = lower_law(owner, _both, exact_pow=exact_pow)
    except CannotLower:
        return None
    names = [getattr(type(owner), law).__code__.co_varnames[0] for law in LAWS]
    known = [_renamed(block, name) for part, name in zip(parts, names, strict=True) for block in part.blocks]
    if (
        both.width > len(both.blocks)
        or not set(both.blocks) <= set(known)
        or not _is_known(type(owner), both, parts, names)
    ):
        return None
    places = [known.index(block) for block in both.blocks]
    width = (both.width + 1) // 2
    laying, laid = (
        lower_law(owner, _both, exact_pow=exact_pow, rows=rows).source
        for rows in (LayingRows(places, width), LaidRows(width))
    )
    return JoinedLaws(laying, laid, width, both)


def _is_early(equations: Lowered) -> bool:
    """Whether equations only set rates, and look at nothing that a pass changes."""
    is_setting = all(access.row == "rate" for access in equations.writes)
    return is_setting and all(access.row in UNCHANGED for access in equations.reads)


def _is_known(owner: type, both: Lowered, parts: tuple[Lowered, Lowered], names: list[str]) -> bool:
    """Whether all that a law was made for is so where its parts are bound."""
    laws = [law for name in LAWS for law in (getattr(owner, name), getattr(owner, name).__code__)]
    constants = [constant for part in parts for constant in part.constants]
    found = [constant for constant in both.constants if constant.value not in laws]
    steps = [_mark_of(step, name) for part, name in zip(parts, names, strict=True) for step in part.steps]
    own = [(_SELF, law, *rest) for law in LAWS for rest in ((), (GLOBALS,))]
    met = [_mark_of(step, _SELF) for step in both.steps if step.path not in own]
    return all(constant in constants for constant in found) and all(mark in steps for mark in met)


def _mark_of(step: Step, name: str) -> tuple[object, ...]:
    return _path(step.path, name), step.check, step.expected, step.layout


def _renamed(block: Anchor, name: str) -> Anchor:
    return Anchor(_path(block.path, name), block.is_aside)


def _path(path: Path, name: str) -> Path:
    """The path as it is where the law's first argument is called `self`; what it closes over is no argument."""
    if path[0] == name:
        return (_SELF, *path[1:])
    return ("", *path) if path[0] == _SELF else path
