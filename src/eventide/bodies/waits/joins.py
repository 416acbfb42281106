"""Waits of bodies for the end of processes that they have made, and what these have returned: `x = yield child`.

A variable of such a process, as in `child = sim.process(f())`, is the number of its row, which stays as it is until
nothing needs it. What it has returned is native where it is a number or None, as its text tells of which type.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from eventide.bodies.arithmetic import kind_for
from eventide.bodies.operands import EXACT, OPTIONAL, Operand, Thing, Unknown, sure
from eventide.bodies.spawning import function_of_spawn, is_spawn
from eventide.reading.nodes import ends_by_itself, processes_named, steps_of
from eventide.rows.codes import NOTHING, REAL, TRUTH, WHOLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventide.bodies.expressions import BodyExpressions
    from eventide.bodies.frames import Frame
    from eventide.bodies.operands import Kind

_EXIT: Final = "if {0}:\n    code = EXIT\n    break"
_CODES: Final[dict[Kind, int]] = {"int": WHOLE, "float": REAL, "bool": TRUTH}
_ANYBODY: Final = " + ".join(f"a.process.{word}[i]" for word in ("watched", "named", "held", "wanted"))
"""More than 0 where Python has a process, or may ask for it, or a row needs what it returns; else nobody does."""
NEEDED: Final = _EXIT.format(f"{_ANYBODY} != 0")


def children_of(expressions: BodyExpressions, frame: Frame) -> dict[str, list[ast.Call]]:
    """The variables of a function that refer to processes which it makes, and are read where it waits for these alone.

    With each the calls that make the processes.
    """
    naming, found = expressions.naming, dict[str, list[ast.Call]]()
    noted = naming.noted()
    for name, calls in processes_named(frame.tree).items():
        try:
            if name in naming.own and name not in naming.bound and all(is_spawn(one, expressions) for one in calls):
                found[name] = calls
        except Unknown:
            pass
    naming.take_back(noted)
    return found


def joined(expressions: BodyExpressions, row: str, resume: int, *, is_made_here: bool) -> None:
    """Write a wait for the end of the process in a row, which ends in a state."""
    wait = f"code = join(a, i, {row})\nbreak"
    if not is_made_here:
        expressions.emission.emit(_EXIT.format(f"{row} < 0 or not can_join(a, i, {row})"))
        wait = f"if is_over(a, i, {row}):\n    continue\n{wait}"
    expressions.emission.emit(f"at = {resume}\n{wait}")


def kept_row(expressions: BodyExpressions, variable: str, row: str) -> None:
    """Write that a variable refers to the process in a new row from now on."""
    expressions.emission.emit(f"release_row(a, {variable})\n{variable} = {row}\na.process.held[{row}] = 1")


# --- what a process returns -------------------------------------------------------------------------------------------


def returned(expressions: BodyExpressions, value: ast.expr) -> None:
    """Write what the process of the body returns as it ends. Raises Unknown."""
    emission = expressions.emission
    found = Thing("", (), ()) if isinstance(value, ast.Tuple | ast.List) else expressions.kept(value)
    if (isinstance(found, Thing) and found.value is None and not found.root) or getattr(found, "none", "") == "True":
        return
    if isinstance(found, Operand) and sure(found.kind) in (*_CODES, "mixed"):
        kind, text = sure(found.kind), found.text
        whole = f"return_whole(a, i, int({text}))"
        line = {"bool": f"return_truth(a, i, {text})", "float": f"return_real(a, i, {text})"}.get(kind, whole)
        if kind == "mixed":
            line = f"if {found.whole}:\n    {whole}\nelse:\n    return_real(a, i, {text})"
        if found.none:
            line = f"if not {found.none}:\n    {line.replace(chr(10), chr(10) + '    ')}"
        emission.emit(line)
        return
    emission.emit_early(NEEDED)
    for part in value.elts if isinstance(value, ast.Tuple | ast.List) else []:
        expressions.kept(part)
    emission.emit("a.process.answered[i] = OTHER")


def answer(expressions: BodyExpressions, kind: Kind, node: ast.AST) -> tuple[str, Operand]:
    """What a process gets that has waited for another: lines that leave other types to Python, and the number.

    kind    as which it is known
    """
    got, plain = expressions.emission.name(), sure(kind)
    if plain not in (*_CODES, "mixed", "none"):
        raise Unknown("of what a process returns numbers and None are native", node)
    none = f"({got} == {NOTHING})"
    if plain == "none":
        return f"{got} = answered(a, i)\n{_EXIT.format(f'not {none}')}", expressions.naming.variable("", "none")
    codes = [WHOLE, REAL] if plain == "mixed" else [_CODES[plain]]
    tests = [f"{got} != {code}" for code in (*codes, *([NOTHING] if kind != plain else []))]
    number = expressions.emission.name()
    text = f"{'real' if plain in ('float', 'mixed') else 'whole'}_answer(a, i)"
    lines = [f"{got} = answered(a, i)", _EXIT.format(" and ".join(tests)), f"{number} = {text}"]
    found = Operand(f"({number} != 0)" if plain == "bool" else number, kind, none=none if kind != plain else "")
    if plain == "mixed":
        lines.append(_EXIT.format(f"{got} == {WHOLE} and not (-{EXACT}.0 < {number} < {EXACT}.0)"))
        found = found._replace(whole=f"({got} == {WHOLE})")
    return "\n".join(lines), found


def kind_awaited(expressions: BodyExpressions, calls: Sequence[ast.Call], known: Kind | None) -> Kind:
    """Of which type is what a variable gets that processes return which calls make.

    known   the type that it has elsewhere
    """
    found = _kind_returned(expressions, calls)
    if known is None or found is None:
        return found or known or "float"
    return kind_for(known, Operand("", found, none="True" if found == "none" else "")) or found


def _kind_returned(expressions: BodyExpressions, calls: Sequence[ast.Call]) -> Kind | None:
    """Of which type is what processes return that calls make; None where the text of their functions does not tell."""
    naming, kept = expressions.naming, expressions.emission
    noted = naming.noted()
    kinds: set[Kind] = set()
    expressions.emission = kept.elsewhere()
    try:
        for call in calls:
            kinds |= _kinds_returned(expressions, call)
    except Unknown:
        pass
    naming.take_back(noted)
    expressions.emission = kept
    numbers: list[Kind] = [kind for kind in ("float", "int", "mixed", "bool") if kind in kinds]
    if not numbers:
        return next(iter(kinds)) if len(kinds) == 1 else None
    found: Kind = "mixed" if len(numbers) > 1 and numbers != ["int", "bool"] else numbers[0]
    return OPTIONAL[found] if "none" in kinds else found


def _kinds_returned(expressions: BodyExpressions, call: ast.Call) -> set[Kind]:
    """The types that one function returns."""
    function, tree, scope = function_of_spawn(expressions, call)
    found: set[Kind] = set() if ends_by_itself(tree.body) else {"none"}
    expressions.scopes.append((scope, function))
    try:
        for target, value in steps_of(tree):
            try:
                known = expressions.kept(value)
            except Unknown:
                known = None
            if isinstance(known, Operand):
                known = known._replace(text="0", low=-EXACT, high=EXACT)
            if target is None and known is not None:
                found.add(known.kind if isinstance(known, Operand) else "none" if known.value is None else "object")
            elif target is not None and known is None:
                scope.pop(target, None)
            elif target is not None and known is not None:
                scope[target] = known
    finally:
        expressions.scopes.pop()
    return found
