"""The lines of one statement of a body, and their branches: nothing may fail unless Python can go on from there."""

from __future__ import annotations

import ast
import re
from textwrap import indent
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar, Unpack

from eventide.bodies.arithmetic import alike, bounds_of_either
from eventide.bodies.operands import WIDE, Kind, Operand, Thing, Unknown, constant
from eventide.reading.twin_source import is_told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from eventide.bodies.expressions import BodyExpressions, Value
    from eventide.bodies.operands import Known

EXIT: Final = "if {0}:\n    code = EXIT\n    break"
"""Leave a statement to Python if a test holds."""
Found = TypeVar("Found")
Way: TypeAlias = "tuple[Emission, Found]"
"""Lines, and what they give."""
SEVERAL_WAYS: Final = "it takes more than one way to its result"
_DEEPEST: Final = 6
"""The depth to which branches are nested."""


class Result(NamedTuple):
    """The number that an expression gave by an effect, and that Python is told instead of evaluating this again."""

    node: ast.expr
    number: Operand


class Present(NamedTuple):
    """What has been done up to a place of a statement.

    results     what effects have given
    hidden      how many effects these do not tell, and changes: those of them that change what expressions read
    """

    results: tuple[Result, ...] = ()
    hidden: int = 0
    changes: int = 0


class Emission:
    """Lines of the kernel for one statement, or for a part of it that is executed if a test holds.

    A kernel that cannot continue stops before the statement, for Python to execute all of it. So whatever could stop it
    is tested before the first effect, as a draw or an entry in a list, if that can be tested there. If not, Python
    executes the statement with the numbers that were drawn; where these do not tell all, the statement is not native.

    around      the lines of which these are a part
    """

    def __init__(self, first: int, around: Emission | None = None) -> None:
        self.lines: list[str] = []
        self.prototypes: list[str] = [] if around is None else around.prototypes
        """The variables of the prototypes of the processes that it makes."""
        self.stops: list[tuple[Result, ...]] = [] if around is None else around.stops
        """What Python is told where it goes on amid the statement: the number in the list is in the line."""
        self.present: Present = Present() if around is None else around.present
        self.depth: int = 0 if around is None else around.depth + 1
        self._names: list[int] = [first] if around is None else around._names
        self._first = first
        self._effect: int | None = None
        self._around = around

    @property
    def used(self) -> int:
        """How many temporary names there are in the kernel."""
        return self._names[0]

    @property
    def has_read(self) -> bool:
        """Whether something was read that an effect might change: what variables have, it does not."""
        return self.depth > 0 or self.used > self._first

    @property
    def is_pure(self) -> bool:
        """Whether there has been no effect yet."""
        return self._effect is None and (self._around is None or self._around.is_pure)

    @property
    def is_plain(self) -> bool:
        """Whether these lines may be executed where they are not needed."""
        return self._effect is None and not any("break" in line for line in self.lines)

    def emit(self, line: str) -> None:
        """Add a line, or several."""
        self.lines.append(line)

    def begin_effect(self, *, changes: bool = False) -> None:
        """What comes next is done and stays done, and may change what expressions read if it says so."""
        now = self.present
        self.present = now._replace(hidden=now.hidden + 1, changes=now.changes + changes)
        if self._effect is None:
            self._effect = len(self.lines)

    def tell(self, node: ast.expr, number: Operand, before: Present, *, is_first: bool) -> None:
        """An expression has given a number, which tells what it did.

        before      what had been done
        is_first    whether the statement has read nothing before it, which it might have changed
        """
        changes = self.present.changes
        if self.present != before and (is_first or changes == before.changes):
            self.present = Present((*before.results, Result(node, number)), before.hidden, changes)

    def stop_if(self, bad: str, *operands: Operand, node: ast.AST | None = None) -> None:
        """Leave the statement to Python if a test of these operands holds. Raises Unknown if that is too late."""
        if bad in ("False", "not True"):  # what the operands can be tells it
            return
        line, is_early = EXIT.format(bad), all(operand.is_early for operand in operands)
        if self.is_pure:
            self.lines.append(line)
        elif self._around is None and is_early:
            self._insert(line)
        elif not self.present.hidden:
            results = self.present.results
            if results not in self.stops:
                self.stops.append(results)
            self.lines.append(f"if {bad}:\n    {_TOLD.format(self.stops.index(results))}\n    code = EXIT\n    break")
        elif is_early:
            self._insert(line)
        else:
            raise Unknown("it may fail after it has had an effect", node)

    def emit_early(self, line: str) -> None:
        """Add a line before the first effect. Raises Unknown if one before it may have changed what it reads."""
        if self.present.changes:
            raise Unknown("what it reads may have changed in its statement")
        self._insert(line)

    def _insert(self, line: str) -> None:
        around = self._around
        if self.is_pure:
            self.lines.append(line)
        elif self._effect is None or not (around is None or around.is_pure):
            assert around is not None
            around._insert(line)
        else:
            self.lines.insert(self._effect, line)
            self._effect += 1

    def name(self) -> str:
        """A name for a value."""
        self._names[0] += 1
        return f"t{self.used}"

    def keep_early(self, text: str, kind: Kind) -> Operand:
        """Give a value a name before the first effect."""
        name = self.name()
        self.emit_early(f"{name} = {text}")
        return Operand(name, kind)

    def keep(self, text: str, kind: Kind, **known: Unpack[Known]) -> Operand:
        """Give a value a name."""
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return Operand(name, kind, self.is_pure, **known)

    # --- parts that are executed if a test holds ------------------------------------------------------------------

    def part(self) -> Emission:
        """Lines that are executed only sometimes."""
        return Emission(0, self)

    def elsewhere(self) -> Emission:
        """Lines of another place of the kernel, at which Python can go on as well: nothing has been done there."""
        made = Emission(0)
        made._names = self._names
        return made

    def take(self, part: Emission) -> None:
        """Add the lines of a part that has no effects as they are."""
        self.lines += part.lines

    def take_if(self, test: str, part: Emission, other: Emission | None = None) -> None:
        """Add the lines of a part where a test holds, and those of another where not."""
        parts = [part] if other is None else [part, other]
        done = [one.present for one in parts if one.present != self.present]
        if done:  # which of them depends on the test
            changes = max(one.changes for one in done)
            self.present = self.present._replace(hidden=self.present.hidden + 1, changes=changes)
            self._effect = len(self.lines) if self._effect is None else self._effect
        texts = [indent("\n".join(one.lines) or "pass", "    ") for one in parts]
        self.lines.append("\nelse:\n".join([f"if {test}:\n{texts[0]}", *texts[1:]]))

    # --- where Python goes on amid the statement --------------------------------------------------------------------

    def settled(self, lines_of: Callable[[tuple[Result, ...]], str]) -> list[str]:
        """The lines, with those by which Python is told what there is of results."""
        if not self.stops:
            return self.lines
        known = {_TOLD.format(k): lines_of(results) for k, results in enumerate(self.stops)}
        return [_PLACE.sub(lambda found: indent(known[found[2]], found[1]), line) for line in self.lines]


_TOLD: Final = "told({0})"
"""The line of the kernel where it stops amid the statement, until it is known how Python is told what there is."""
_PLACE: Final = re.compile(r"(?m)^( *)(told\(\d+\))$")


# --- what Python evaluates only sometimes -----------------------------------------------------------------------------
# Branches of the kernel; what may be executed where it is not needed is so, as that takes none.


def told(expressions: BodyExpressions, node: ast.expr, visit: Callable[[ast.expr], Found]) -> Found:
    """What an expression gives; if that was by an effect, Python can be told it where it goes on."""
    emission = expressions.emission
    if expressions.is_inside or not is_told(node):
        return visit(node)
    before, is_first = emission.present, not emission.has_read
    found = visit(node)
    if isinstance(found, Operand) and found.kind in ("int", "float", "bool", "mixed"):
        emission.tell(node, found, before, is_first=is_first)
    return found


def apart(expressions: BodyExpressions, visit: Callable[[], Found]) -> Way[Found]:
    """Something that is executed only sometimes: its lines, and what it gives. Raises Unknown."""
    around = expressions.emission
    if around.depth >= _DEEPEST:
        raise Unknown("its branches are nested too deep")
    expressions.emission = around.part()
    try:
        found = visit()
        return expressions.emission, found
    finally:
        expressions.emission = around


def without_effects(expressions: BodyExpressions, visit: Callable[[], Found], node: ast.AST) -> Found:
    """Something that may be evaluated before what stands before it. Raises Unknown for anything else."""
    part, found = apart(expressions, visit)
    if not part.is_plain:
        raise Unknown("whether it is done depends on what stands before it", node)
    expressions.emission.take(part)
    return found


def in_turn(expressions: BodyExpressions, word: str, visits: Sequence[Callable[[], Operand]]) -> Operand:
    """What `and` or `or` makes of tests, each of which is evaluated if those before it do not decide."""
    last, emission = "False" if word == "and" else "True", expressions.emission
    parts: list[Operand] = []
    for visit in visits:
        if not parts:
            parts.append(visit())
            continue
        if parts[-1].text == last:  # Python looks no further
            break
        part, found = apart(expressions, visit)
        if part.is_plain:
            emission.take(part)
            parts.append(found)
            continue
        decided = emission.keep(joined(word, parts).text, "bool")
        part.emit(f"{decided.text} = {found.text}")
        emission.take_if(decided.text if word == "and" else f"not {decided.text}", part)
        is_numpy = found.is_numpy or any(part.is_numpy for part in parts)
        parts = [decided._replace(is_early=emission.is_pure, is_numpy=is_numpy)]
    return joined(word, parts)


def joined(word: str, parts: list[Operand]) -> Operand:
    """Whether all of some tests hold, or any, by the word between them."""
    neutral, last = ("True", "False") if word == "and" else ("False", "True")
    parts = [part for part in parts if part.text != neutral]
    if not parts or parts[-1].text == last:
        return constant((not parts) == (word == "and"))
    if len(parts) == 1:
        return parts[0]
    early, is_numpy = all(part.is_early for part in parts), any(part.is_numpy for part in parts)
    return Operand(f"({f' {word} '.join(part.text for part in parts)})", "bool", early, is_numpy=is_numpy)


def merged(expressions: BodyExpressions, test: Operand, way: Way[Value], other: Way[Value], node: ast.AST) -> Value:
    """What one of two ways gives, as a test holds or not. Raises Unknown for results that have nothing in common."""
    emission, (one, two) = expressions.emission, (way[1], other[1])
    if isinstance(one, Thing) and isinstance(two, Thing):
        is_same = one.value is two.value if not one.root else one.path == two.path
        if one.root == two.root and is_same:
            emission.take_if(test.text, way[0], other[0])
            return one
    first, second = expressions.as_operand(one, node), expressions.as_operand(two, node)
    return _merged_operands(emission, test, way[0], first, other[0], second, node)


def _merged_operands(
    emission: Emission, test: Operand, part: Emission, one: Operand, other_part: Emission, two: Operand, node: ast.AST
) -> Operand:
    if one.kind != two.kind or one.kind == "mixed":
        one, two = alike((part, other_part), one, two, node)
    if one.kind == "object" and one.among != two.among:
        raise Unknown("its two values are of different types", node)
    one, two = (it._replace(none="") if it.kind == "object" else it for it in (one, two))
    name, *more = (emission.name() if text else "" for text in (one.text, one.whole, one.none))
    for lines, found in ((part, one), (other_part, two)):
        texts = zip((name, *more), (found.text, found.whole, found.none), strict=True)
        lines.emit("\n".join(f"{variable} = {text}" for variable, text in texts if variable))
    emission.take_if(test.text, part, other_part)
    is_borrowed = one.is_borrowed or two.is_borrowed
    sample = two.sample if one.sample is None else one.sample
    found = Operand(name, one.kind, emission.is_pure, among=one.among, is_borrowed=is_borrowed, sample=sample)
    return found._replace(whole=more[0], none=more[1], **bounds_of_either(one, two))


def taken(emission: Emission, text: str, kind: Kind, *, is_early: bool = True) -> Operand:
    """The number that is found, of a type: before the first effect of the statement, or where it stands."""
    keep = emission.keep_early if is_early else emission.keep
    found = keep(text, "int")
    _need(emission, found, f"{found.text} == 0")
    if kind == "object":
        return found._replace(kind="object")
    if kind == "float":
        return keep(f"taken_real({found.text})", "float")
    whole = keep(f"taken_whole({found.text})", "int")
    if kind == "bool":
        return whole._replace(text=f"({whole.text} != 0)", kind="bool")
    _need(emission, whole, f"{whole.text} > {WIDE} or {whole.text} < -{WIDE}")
    return whole


def _need(emission: Emission, operand: Operand, bad: str) -> None:
    """Leave the statement to Python if a test of what was taken holds."""
    if operand.is_early:
        emission.emit_early(EXIT.format(bad))
    else:
        emission.stop_if(bad, operand)
