"""Random generator functions, and how one of them goes on in a twin from any of its yields."""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any

from eventide.reading.generators import cells_of, function_of, locals_of
from eventide.reading.source import SourceBook
from eventide.reading.twins import Entry, GoingOn, Twin

HEAD = """
import sys

LOG = []
note = LOG.append
KEPT = {}

def keep(tag, items):
    KEPT[tag] = iter(items)
    return KEPT[tag]

def held(tag):
    KEPT[tag] = sys.exc_info()[1]

class Room:
    def __init__(self, tag, result, hides=False):
        self.tag, self.result, self.hides = tag, result, hides
        KEPT[tag] = self
    def __enter__(self):
        note(("enter", self.tag))
        return self.result
    def __exit__(self, kind, error, trace):
        note(("exit", self.tag, kind, type(error)))
        return self.hides and kind is ValueError

def inner(n):
    total = 0
    for k in range(n):
        try:
            got = yield ("inner", k, total)
            total += got or 1
        except KeyError:
            note("inner caught")
            total -= 1
    return total

FLAGS = [True, False, True]

"""
PLAIN, SHARED = ["a", "b", "c"], ["p", "q"]


class Writer:
    """Writes one function."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.tags = count(1)
        self.keeps = self.keeps_loop = False
        """Whether no `return`, or `break`, may lead to a `finally` with yields: nobody there can tell how it came."""

    def pick(self, *choices: Any) -> Any:
        return self.random.choice(choices)

    def name(self) -> str:
        return self.pick(*PLAIN, *SHARED)

    def value(self) -> str:
        name, other = self.name(), self.name()
        return self.pick(
            name, "1", "2", f"{name} + {other}", f"{name} * 2 - 1", f"sum([{name} + k for k in range(3)])",
            f"sum((lambda j: {name} + j)(i) for i in range(2))", "tell()", f"(lambda d={name}: d)()",
            f"[f() for f in [lambda: k + {name} for k in (1, 2)]][0]", f"len(f'{{{name}}}')", "x", f"{name} // 0",
        )  # fmt: skip

    def truth(self) -> str:
        return self.pick(f"{self.name()} % 2 == 0", f"{self.name()} > 3", "len(LOG) % 3 == 0", "FLAGS[len(LOG) % 3]")

    def waiting(self) -> list[str]:
        seen = f'("y", {self.value()}, {self.name()}, sys.exc_info()[0])'
        last = f"yield {seen}" if self.keeps else f"return (yield {seen})"
        return [
            self.pick(
                f"yield {seen}", f"yield {seen}", f"{self.name()} = (yield {seen}) or 1", f"got = yield {seen}",
                "yield", f"{self.name()} = (yield from inner({self.pick(1, 2, 3)}))", "yield from inner(2)",
                f"note((yield {seen}))", f"{self.name()}: int = (yield {seen}) or 2", last,
                f"x, {self.name()} = ((yield {seen}) or 1), 2", f"assert (yield {seen}) != 1, {self.name()}",
                f"{self.name()} = ((yield {seen}) or 1) if {self.truth()} else {self.value()}",
                f"{self.name()} = {self.value()} if {self.truth()} else (yield from inner(2)) if FLAGS[2] else bump()",
            )
        ]  # fmt: skip

    def simple(self) -> list[str]:
        name = self.name()
        return self.pick(
            [f"{name} = {self.value()}"], [f"{name} += {self.value()}"], [f"note(({self.value()}, {name}))"],
            ["bump()"], ["del x", "x = 5"], [f"raise {self.pick('ValueError', 'KeyError')}({name})"], ["x = 7"],
            ["note(sys.exc_info()[0])"], ["def tell(): return x"], [f"{self.pick('a', 'p')}: int = {self.value()}"],
        )  # fmt: skip

    def block(self, depth: int, loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.randint(0, 13 if depth else 6)
            if kind <= 2:
                lines += self.simple()
            elif kind <= 5:
                lines += self.waiting()
            elif kind == 6:
                ways = [] if self.keeps else ["return a", "return"]
                ways += ["break", "continue"] * 2 if loop and not self.keeps_loop else []
                lines += [f"if {self.truth()}:", f"    {self.pick(*ways)}"] if ways else []
            else:
                lines += self.compound(depth - 1, loop)
        return lines or ["pass"]

    def inside(self, depth: int, loop: bool) -> list[str]:
        return ["    " + line for line in self.block(depth, loop)]

    def compound(self, depth: int, loop: bool) -> list[str]:
        kind = self.pick("if", "for", "for", "while", "with", "with", "try", "try", "match")
        if kind == "if":
            lines = [f"if {self.truth()}:", *self.inside(depth, loop)]
            if self.pick(True, False):
                lines += [f"elif (yield {self.value()}):", *self.inside(depth, loop)]
            return lines + (["else:", *self.inside(depth, loop)] if self.pick(True, False) else [])
        if kind == "for":
            target = self.pick(self.name(), "x", f"({self.name()}, [x, *rest])")
            items = "range(3)" if target.isidentifier() else "[(1, [2, 3]), (3, [4]), (5, [6, 7, 8])]"
            kept, self.keeps_loop = self.keeps_loop, False
            lines = [f"for {target} in keep({next(self.tags)}, {items}):", *self.inside(depth, True)]
            self.keeps_loop = kept
            return lines + (["else:", *self.inside(depth, loop)] if self.pick(True, False) else [])
        if kind == "while":
            turns = f"n{next(self.tags)}"
            kept, self.keeps_loop = self.keeps_loop, False
            lines = [f"{turns} = 0", f"while {turns} < 3 and {self.pick('True', 'not FLAGS[1]')}:", f"    {turns} += 1"]
            lines += self.inside(depth, True)
            self.keeps_loop = kept
            return lines + (["else:", *self.inside(depth, loop)] if self.pick(True, False) else [])
        if kind == "with":
            hides = self.pick("", ", True")
            items = [
                f"Room({next(self.tags)}, 3{hides}) as {self.name()}",
                f"Room({next(self.tags)}, (1, 2)) as (x, rest)",
            ]
            items = self.pick(items[:1], items[1:], items, [f"Room({next(self.tags)}, 0{hides})"])
            return [f"with {', '.join(items)}:", *self.inside(depth, loop)]
        if kind == "match":
            lines = [f"match ({self.name()} % 3, {self.value()}):"]
            lines += ["    case (0, x):", *["    " + line for line in self.inside(depth, loop)]]
            return [*lines, f"    case _ if {self.truth()}:", *["    " + line for line in self.inside(depth, loop)]]
        return self.trying(depth, loop)

    def trying(self, depth: int, loop: bool) -> list[str]:
        tag, has_final = next(self.tags), self.pick(True, False)
        kept = self.keeps, self.keeps_loop
        self.keeps, self.keeps_loop = self.keeps or has_final, self.keeps_loop or has_final
        lines = ["try:", *self.inside(depth, loop)]
        for kind in self.random.sample(["ValueError as err", "(KeyError, TypeError)", "ZeroDivisionError as x"], 2):
            lines += [f"except {kind}:", f"    held({tag})", *self.inside(depth, loop)]
            lines += ["    raise"] if self.pick(True, False, False) else []
        lines += ["except:", f"    held({tag})", *self.inside(depth, loop), "    raise"] if self.pick(1, 0, 0) else []
        lines += ["else:", *self.inside(depth, loop)] if self.pick(True, False) else []
        self.keeps = self.keeps_loop = True
        lines += ["finally:", f"    held({-tag})", *self.inside(depth, loop)] if has_final else []
        self.keeps, self.keeps_loop = kept
        return lines

    def program(self) -> str:
        body = [
            "a = b = c = x = 1", "p = q = 2", "def tell():", "    return p + q", "def bump():", "    nonlocal q, r",
            "    q += 1", "    r = q", *self.block(3, False), "yield 'last'", *self.block(3, False),
        ]  # fmt: skip
        return "\n".join(
            [HEAD, "def outer():", "    r = 0", "    def story(b, q, *rest, c=3):", *["        " + s for s in body],
             "    return story", "story = outer()", ""]
        )  # fmt: skip


def made(text: str, numbers: Any = count()) -> dict[str, Any]:  # noqa: B008  # one counter for all
    """The names of a module that exists in memory only, with a source all the same."""
    name = f"<random generator {next(numbers)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": name, "__file__": name}
    exec(compile(text, name, "exec", dont_inherit=True), names)  # noqa: S102  # it was made here
    return names


def simple(value: Any) -> Any:
    """A value that can be compared, or what it is like."""
    if isinstance(value, tuple | list):
        return type(value)(simple(item) for item in value)
    if isinstance(value, BaseException):
        return described(value)
    if value is UnboundLocalError:
        return NameError
    return value if value is None or type(value) in (int, str, float, bool, type) else type(value).__name__


def described(error: BaseException | None, depth: int = 4) -> Any:
    """An error with the lines of its traceback, and those from which it came."""
    if error is None or not depth:
        return None
    lines = [(f.name, f.lineno, f.line) for f in traceback.extract_tb(error.__traceback__) if f.filename[0] == "<"]
    # Where a variable that functions share has no value, Python names the error by whose variable it is.
    kind, text = (NameError, "") if isinstance(error, NameError) else (type(error), str(error))
    return kind, text, lines, described(error.__context__, depth - 1), error.__suppress_context__


def actions(random: Random) -> list[Any]:
    """What is sent or thrown."""
    kinds = [None, None, None, 1, 2, 5]
    return [random.choice([*kinds, ValueError, KeyError, GeneratorExit]) if k else None for k in range(25)]


def act(generator: Any, action: Any) -> Any:
    """One step; what it yields, returns or raises, and where it stands then."""
    try:
        is_error = isinstance(action, type)
        got = generator.throw(action("thrown")) if is_error else generator.send(action)
    except StopIteration as end:
        return "returned", simple(end.value)
    except BaseException as error:  # noqa: BLE001  # whatever it is
        error.__traceback__ = error.__traceback__.tb_next if error.__traceback__ else None
        return "raised", described(error)
    return "yielded", simple(got), state(generator)


def state(generator: Any) -> Any:
    """Where a generator stands, and its variables."""
    seen = {name: simple(value) for name, value in sorted(generator.gi_frame.f_locals.items()) if name[0] != "."}
    names = generator.__qualname__, generator.gi_code.co_qualname, generator.gi_code.co_firstlineno
    return generator.gi_frame.f_lineno, generator.gi_suspended, seen, names


def transcript(generator: Any, deeds: list[Any], log: list[Any]) -> list[Any]:
    """All that comes of a generator, one item a step."""
    found: list[Any] = []
    for deed in deeds:
        found.append((act(generator, deed), simple(log)))
        if found[-1][0][0] != "yielded":
            break
    return found


def finish(generator: Any) -> None:
    """Bring a generator to its end, whatever it yields on the way."""
    while generator.gi_frame is not None:
        with suppress(BaseException):
            generator.close()


def tag_of(node: Any) -> int | None:
    """The number by which the program has kept what a loop or item of `with` uses."""
    call = node.iter if isinstance(node, ast.For) else node.context_expr
    return call.args[0].value if isinstance(call, ast.Call) and call.args else None


def tag_in(block: list[ast.stmt]) -> int | None:
    value = getattr(block[0], "value", None) if block else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "held":
        return ast.literal_eval(value.args[0])
    return None


def is_within(node: ast.AST, block: list[ast.stmt]) -> bool:
    return any(node is inner for statement in block for inner in ast.walk(statement))


def around(twin: Twin, node: ast.AST, kept: dict[int, Any]) -> dict[str, dict[int, Any]]:
    """What a twin needs at a place: iterators, contexts and errors by their numbers."""
    iterators, contexts, errors = {}, {}, {}
    handled = None
    for one, number in sorted(twin.places.items(), key=lambda item: item[1]):
        if isinstance(one, ast.For) and is_within(node, one.body):
            iterators[number] = kept[tag_of(one)]
        elif isinstance(one, ast.With):
            for item in one.items:
                if is_within(node, one.body) and item in twin.places:
                    contexts[twin.places[item]] = kept[tag_of(item)].__exit__
        elif isinstance(one, ast.Try):
            blocks = [handler.body for handler in one.handlers if is_within(node, handler.body)]
            blocks += [one.finalbody] if is_within(node, one.finalbody) else []
            if blocks:
                error = kept.get(tag_in(blocks[0]))
                if error is not None and error is not handled:
                    errors[number] = handled = error
    return {"iterators": iterators, "contexts": contexts, "errors": errors}


def following(tree: ast.AST, node: ast.AST) -> list[Any]:
    """The statements behind a yield that is a statement, or the loop at whose head it goes on."""
    for parent in ast.walk(tree):
        for block in (getattr(parent, name, []) for name in ("body", "orelse", "finalbody")):
            for place, statement in enumerate(block if isinstance(block, list) else []):
                if isinstance(statement, ast.Expr) and statement.value is node:
                    if place + 1 < len(block):
                        return [block[place + 1]]
                    return [parent] if isinstance(parent, ast.For | ast.While) and block is parent.body else []
    return []


BOOK = SourceBook()


def twin_at(generator: Any, twin: Twin, names: dict[str, Any], *, behind: bool) -> tuple[Any, bool]:
    """A twin of a suspended generator, and whether it stands at the statement behind; None if it can have none."""
    tree, line = twin.definition.tree, generator.gi_frame.f_lineno
    nodes = [n for n in ast.walk(tree) if isinstance(n, ast.Yield | ast.YieldFrom) and n.lineno == line]
    nodes = [node for node in nodes if node in twin.places]
    if len(nodes) != 1:
        return None, False
    node, function, values = nodes[0], function_of(generator), locals_of(generator)
    cells = cells_of(generator, twin, values)
    assert cells is not None
    given: Any = around(twin, node, names["KEPT"])
    place, inner = twin.places[node], generator.gi_yieldfrom
    nexts = following(tree, node) if behind and inner is None else []
    if nexts and nexts[0] in twin.places:
        place = twin.places[nexts[0]]
        if isinstance(nexts[0], ast.For) and is_within(node, nexts[0].body):
            place = twin.heads[nexts[0]]
        given = around(twin, nexts[0], names["KEPT"]) if place == twin.places[nexts[0]] else given
    else:
        nexts = []
    if inner is not None:
        given["inner"] = GoingOn(inner)
    return twin.begin(function, cells, Entry(place, values, **given)), bool(nexts)


def check(seed: int) -> str:
    """Compare a random generator with its twin, made at one of its yields."""
    random = Random(seed)
    text, deeds = Writer(random).program(), actions(random)
    names = made(text)
    twin = Twin(BOOK.definition(names["story"], yields=True), names["story"])
    first = names["story"](1, 2, 5)
    whole = transcript(first, deeds, names["LOG"])
    finish(first)
    yields = [place for place, (what, _) in enumerate(whole) if what[0] == "yielded" and place + 1 < len(deeds)]
    if not yields:
        return "ended"
    cut = random.choice(yields)
    names = made(text)
    original = names["story"](1, 2, 5)
    before = transcript(original, deeds[: cut + 1], names["LOG"])
    assert before == whole[: cut + 1]
    behind = random.random() < 0.5 and not isinstance(deeds[cut + 1], type)
    other, is_behind = twin_at(original, twin, names, behind=behind)
    if other is None:
        finish(original)
        return "closed"
    if not is_behind:
        assert state(other) == state(original)
    after = transcript(other, deeds[cut + 1 :], names["LOG"])
    finish(other)
    finish(original)
    assert after == whole[cut + 1 :], f"seed {seed}, cut {cut}, behind {is_behind}\n{text}"
    return "behind" if is_behind else "there"


if __name__ == "__main__":
    results = [check(seed) for seed in range(int(sys.argv[1]), int(sys.argv[2]))]
    print({kind: results.count(kind) for kind in sorted(set(results))})
