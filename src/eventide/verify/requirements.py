"""Requirements: a component, a quality and specified conditions, with a phrase, its origin and nine properties.

Source: Pannek, Simulation of mechatronic systems, Definition 5.6, Assumption 5.7, Remark 5.1; ISO/IEC/IEEE 29148:2018,
5.2.4 (shall, should) and 5.2.7 (words that leave a requirement open).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from math import inf, isfinite
from reprlib import Repr
from typing import TYPE_CHECKING, Final, Literal

from eventide.errors import ModelError
from eventide.experiment import Model
from eventide.verify.components import Component
from eventide.verify.conditions import points_for, study_for
from eventide.verify.qualities import Band, Quality

if TYPE_CHECKING:
    from eventide.verify.conditions import Conditions

CHECKED: Final = ("verifiable", "consistent", "unambiguous", "traceable")
"""The properties that a program can check."""
RECORDED: Final = ("complete", "agreed", "necessary", "understandable", "feasible")
"""The properties that a person has to judge."""

OPEN_WORDS: Final = (
    "acceptable", "adequate", "and/or", "appropriate", "as appropriate", "as possible", "best", "easy", "etc", "fast",
    "flexible", "good", "if practical", "large", "many", "minimal", "not limited to", "quick", "reasonable",
    "robust", "significant", "small", "smooth", "sufficient", "tbc", "tbd", "user-friendly", "usually",
)  # fmt: skip
"""Words that everybody reads differently."""


@dataclass(frozen=True)
class Judgement:
    """A person's judgement, with its date, that a requirement has a property or lacks it."""

    by: str
    on: date
    holds: bool = True
    note: str = ""


@dataclass(frozen=True)
class Property:
    """What is known of one of the nine properties of a requirement.

    state       "holds" or "violated", as a program found; "recorded" as a person judged; "missing"
    detail      why, or who and when
    """

    name: str
    state: Literal["holds", "violated", "recorded", "missing"]
    detail: str = ""


@dataclass(frozen=True, eq=False)
class Requirement:
    """What a component has to satisfy under specified conditions.

    id          by which it is known elsewhere
    phrase      one sentence: "The body shall ..." is obligatory, which only a need may be; "... should ..." is expected
    conditions  a `Grid`; values by name, of which each is taken with each; a list of inputs by name; of a model also a
                design, or a `Study` of it with an entropy
    threshold   the least quality that is enough; None: that of the quality
    source      where it comes from: a document, a person, a law
    need        what would be missing if it were not met
    judgements  about the properties that no program can check, by name
    Raises      ModelError for what is no component or quality, for a phrase that has neither or both of shall and
                should, for an obligation without a need, for a property that nobody records, for a threshold that no
                quality reaches, and for conditions that are none
    """

    id: str
    phrase: str
    component: Component
    quality: Quality
    conditions: Conditions = None
    threshold: float | None = None
    source: str = field(default="", kw_only=True)
    need: str = field(default="", kw_only=True)
    judgements: Mapping[str, Judgement] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.component, Component):
            raise ModelError(f"requirement {self.id} is of a Component(name, map), and got {self.component!r}")
        if not isinstance(self.quality, Quality):
            raise ModelError(
                f"requirement {self.id} takes a quality, as stays_within(...) or holds(statement), and got "
                f"`{self.quality}`"
            )
        words = re.findall(r"\b(shall|should)\b", self.phrase)
        if not self.id or len(set(words)) != 1:
            raise ModelError(
                f"requirement {self.id!r} says {self.phrase!r}: it has an id, and either `shall` (obligatory) or "
                "`should` (expected)"
            )
        if self.is_obligatory and not self.need:
            raise ModelError(
                f"requirement {self.id} says `shall`: only a need is obligatory; give need=, or write `should`"
            )
        unknown = [name for name in self.judgements if name not in RECORDED]
        if unknown:
            raise ModelError(f"{unknown[0]!r} is not recorded of a requirement; these are: {', '.join(RECORDED)}")
        if not self.least <= self.quality.most:
            raise ModelError(
                f"requirement {self.id} asks for a quality of {self.least!r}, and the quality {self.quality.name!r} is "
                f"at most {self.quality.most!r}: give a threshold that can be reached"
            )
        parts = self.conditions.values() if isinstance(self.conditions, Mapping) else [self.conditions]
        if any(isinstance(part, Iterator) for part in parts):
            raise ModelError(
                f"the conditions of requirement {self.id} are a generator, and are gone over several times: make a "
                "list of them"
            )
        if not self.count:
            raise ModelError(f"requirement {self.id} has no conditions under which it could be tested")

    @property
    def is_obligatory(self) -> bool:
        """Whether it is a need that has to be met, and no mere expectation."""
        return re.search(r"\bshall\b", self.phrase) is not None

    @property
    def least(self) -> float:
        """The least quality that is enough."""
        return self.quality.threshold if self.threshold is None else self.threshold

    @property
    def count(self) -> int:
        """How many inputs there are."""
        if isinstance(self.component.map, Model):
            return len(study_for(self.component.map, self.conditions))
        return len(points_for(self.conditions))

    def __repr__(self) -> str:
        return f"<Requirement {self.id}: {self.phrase}>"


def properties(requirement: Requirement, among: Iterable[Requirement] = ()) -> tuple[Property, ...]:
    """The nine properties of a requirement: four checked here, five as they were recorded.

    among       the other requirements, which it must not contradict
    Source      Assumption 5.7
    """
    others = [other for other in among if other is not requirement]
    faults = {
        "verifiable": _not_verifiable(requirement),
        "consistent": _not_consistent(requirement, others),
        "unambiguous": _ambiguous(requirement),
        "traceable": _not_traceable(requirement, others),
    }
    checked = [Property(name, "violated" if faults[name] else "holds", faults[name]) for name in CHECKED]
    return (*checked, *(_recorded(name, requirement.judgements.get(name)) for name in RECORDED))


def _recorded(name: str, judgement: Judgement | None) -> Property:
    if judgement is None:
        return Property(name, "missing", "nobody has judged it")
    detail = f"{judgement.by}, {judgement.on.isoformat()}{': ' if judgement.note else ''}{judgement.note}"
    return Property(name, "recorded" if judgement.holds else "violated", detail)


def _not_verifiable(requirement: Requirement) -> str:
    if not (isfinite(requirement.least) and requirement.least > 0.0):
        return f"a quality of {requirement.least!r} cannot be missed: each is at least 0"
    return ""


def _not_consistent(requirement: Requirement, others: list[Requirement]) -> str:
    for other in others:
        if _are_at_odds(requirement, other):
            return f"{other.id} asks for {other.quality.name}, and this for {requirement.quality.name}"
    band = _band(requirement)
    return "" if band is None or band.low <= band.high else "no value is between its bounds"


def contradictions(requirements: Iterable[Requirement]) -> list[str]:
    """Which requirements cannot be met together, in words."""
    banded = [one for one in requirements if one.quality.band is not None]
    return [
        f"{one.id} and {other.id} contradict each other: {one.quality.name}, and {other.quality.name}"
        for place, one in enumerate(banded)
        for other in banded[place + 1 :]
        if _are_at_odds(one, other)
    ]


def _are_at_odds(one: Requirement, other: Requirement) -> bool:
    """Whether two ask for different values of one quantity under the same conditions."""
    return (
        one.component is other.component
        and _contradict(_band(one), _band(other))
        and _are_same(one.conditions, other.conditions)
    )


def _are_same(one: object, other: object) -> bool:
    try:
        return one is other or bool(one == other)
    except ValueError:  # arrays do not compare to one Boolean
        return False


def _band(requirement: Requirement) -> Band | None:
    """The values that are allowed: a threshold below 1 lets them miss the bounds by 1/threshold - 1."""
    band, least = requirement.quality.band, requirement.least
    if band is None:
        return None
    room = inf if least <= 0.0 else max(0.0, 1.0 / least - 1.0)
    return Band(band.of, band.low - room, band.high + room, band.when)


def _contradict(one: Band | None, other: Band | None) -> bool:
    if one is None or other is None or one.of != other.of:
        return False
    is_apart = one.low > other.high or other.low > one.high
    return is_apart and ("always" in {one.when, other.when} or one.when == other.when == "finally")


def _ambiguous(requirement: Requirement) -> str:
    phrase = requirement.phrase.lower()
    if len(re.findall(r"\b(?:shall|should)\b", phrase)) > 1:
        return "it asks for several things: write a requirement for each"
    found = [word for word in OPEN_WORDS if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", phrase)]
    return f"everybody reads {found[0]!r} differently: give a number" if found else ""


def _not_traceable(requirement: Requirement, others: list[Requirement]) -> str:
    if any(other.id == requirement.id for other in others):
        return f"another requirement has the id {requirement.id}"
    return "" if requirement.source else "it does not say where it comes from: give source="


def inputs_in_words(inputs: Mapping[str, object], replication: int = 0) -> str:
    """An input in a table: `speed=10.0, replication 3`."""
    parts = [f"{name}={_word(value)}" for name, value in inputs.items()]
    return ", ".join([*parts, f"replication {replication}"] if replication else parts)


def _word(value: object) -> str:
    return getattr(value, "__name__", _SHORT.repr(value)) if callable(value) else _SHORT.repr(value)


_SHORT: Final = Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 6
_SHORT.maxstring = _SHORT.maxother = 60
