"""The text of a function is found again by where its code came from, and only if it is the text that runs."""

from __future__ import annotations
import __future__

import ast
import importlib.util
import linecache
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest
from compiled.harness import new_registry, run_condition, table_of
from compiled.test_laws import Probe, new_probe

import eventide as ev
from eventide.lowering import Anchor, CannotLower, lower_condition, lower_law
from eventide.reading import source
from eventide.reading.source import SourceBook, SourceFile


@pytest.fixture(scope="module")
def registry():
    return new_registry()


@pytest.fixture
def probe() -> Probe:
    probe = new_probe()
    probe.x, probe.y, probe.z = 5.0, -3.0, 0.25
    return probe


def guide(registry, test) -> float:
    bound = registry.condition(test)
    return run_condition(bound, table_of(bound.binding.objects[0].sim)).guide


def factory(probe, limit):
    return lambda: probe.x > limit


def test_lambdas_are_told_apart(registry, probe) -> None:
    k = 2.0
    one, two = (lambda: probe.x > 1.0), (lambda: probe.x > 2.0)
    same, again = (lambda: probe.y > k), (lambda: probe.y > k)
    long = lambda: (  # noqa: E731
        probe.x > probe.y
    )
    nested = [make(k) for make in (lambda limit: lambda: probe.z > limit, lambda limit: lambda: probe.z > 2 * limit)]
    default = lambda probe=probe, limit=4: probe.x > limit  # noqa: E731
    keyword = lambda *, limit=0.5: probe.x > limit  # noqa: E731
    assert [guide(registry, test) for test in (one, two, same, again)] == [4.0, 3.0, -5.0, -5.0]
    assert [guide(registry, test) for test in (long, *nested)] == [8.0, -1.75, -3.75]
    assert [guide(registry, test) for test in (default, keyword, factory(probe, 1), factory(probe, 7))] == [
        1.0, 4.5, 4.0, -2.0,
    ]  # fmt: skip


def test_lambdas_of_one_line_without_columns_are_refused(probe) -> None:
    text = "one, two = (lambda p: p.x > 1.0), (lambda p: p.x > 2.0)\n"
    code = compile(text, "<no columns>", "exec", dont_inherit=True)
    linecache.cache["<no columns>"] = (len(text), None, [text], "<no columns>")
    names: dict = {}
    exec(code, names)  # noqa: S102  # made here
    assert SourceBook().definition(names["two"]).tree.col_offset > 20

    class Bare(SourceBook):
        """Code that was compiled with -X no_debug_ranges has no columns."""

    function = names["two"]
    book = Bare()
    file = book.file("<no columns>", names)
    bare = function.__code__.replace(co_linetable=b"")
    assert file is not None
    assert file.tree_of(bare) is None
    assert file.tree_of(function.__code__) is not None


def test_code_without_a_text_is_refused(probe) -> None:
    names: dict = {}
    text = "def law(self):\n    self.rate.x = 1.0\n"
    exec(compile(text, "<nowhere>", "exec"), names)  # noqa: S102  # this is what is refused
    with pytest.raises(CannotLower, match="its source text cannot be found: write it in a file") as caught:
        lower_law(probe, names["law"])
    assert (caught.value.file, caught.value.line, caught.value.construct) == ("<nowhere>", 1, "law")


def module_of(path, text: str):
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    spec.loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


def test_a_file_that_was_edited_after_its_import_is_refused(probe, tmp_path) -> None:
    path = tmp_path / "edited.py"
    module = module_of(path, "def law(self):\n    self.rate.x = 1.0\n")
    path.write_text("def law(self):\n    self.rate.x = 2.0\n")
    with pytest.raises(CannotLower, match="the text in the file is not that of the code that runs"):
        lower_law(probe, module.law)


def test_a_file_that_was_edited_and_imported_again_is_read_again(registry, probe, tmp_path) -> None:
    path = tmp_path / "again.py"
    first = module_of(path, "LIMIT = 1.0\ndef test(probe):\n    return probe.x > 1.0\n").test
    assert run_condition(registry.condition(first, probe), table_of(probe.sim)).guide == 4.0
    second = module_of(path, "LIMIT = 12.0\ndef test(probe):\n    return probe.x > 2.0\n").test
    assert run_condition(registry.condition(second, probe), table_of(probe.sim)).guide == 3.0
    assert run_condition(registry.condition(first, probe), table_of(probe.sim)).guide == 4.0


def test_equal_texts_in_two_files_keep_their_own_globals(registry, probe, tmp_path) -> None:
    tests = [
        module_of(tmp_path / f"{name}.py", f"LIMIT = {limit}\ndef test(probe):\n    return probe.x > LIMIT\n").test
        for name, limit in (("low", 1.0), ("high", 9.0))
    ]
    assert tests[0].__code__ == tests[1].__code__
    assert [run_condition(registry.condition(test, probe), table_of(probe.sim)).guide for test in tests] == [4.0, -4.0]


@pytest.mark.parametrize("inherits", [True, False])
def test_code_that_inherits_future_statements_is_read(registry, probe, inherits) -> None:
    """As `exec` hands on those of the code that calls it, and one stands in this file."""
    name, text = f"<inherits {inherits}>", "LIMIT = 4.0\n\ndef test(probe: Any):\n    return probe.x > LIMIT\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict = {"Any": Any}
    exec(compile(text, name, "exec", dont_inherit=not inherits), names)  # noqa: S102  # made here
    test = names["test"]
    assert bool(test.__code__.co_flags & __future__.annotations.compiler_flag) is inherits
    assert run_condition(registry.condition(test, probe), table_of(probe.sim)).guide == 1.0


def test_decorated_methods_are_found(probe) -> None:
    class Watched(Probe):
        @ev.when(lambda self: self.x > 1.0)
        def handler(self) -> None:
            self.x = 0.0

        @staticmethod
        def double(value):
            return 2 * value

        @property
        def height(self) -> float:
            return self.double(self.x)

        def equations(self) -> None:
            self.rate.x = self.height

    watched = Watched(probe.sim, house=probe.house)
    (spec,) = Watched._when_specs.values()
    assert lower_condition(spec.conditions[0], watched).blocks == (Anchor(("self",)),)
    assert [str(access) for access in lower_law(watched, Watched.equations).reads] == ["self.x"]


def test_one_code_in_other_globals_is_not_mixed_up(probe) -> None:
    def test(self):
        return self.x > 1.0

    twin = FunctionType(test.__code__, {}, "test")
    assert lower_condition(twin, probe).source == lower_condition(test, probe).source


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("k = 1", False, id="once"),
        pytest.param("pass", True, id="nowhere to be seen"),
        pytest.param("k = 1; k = 2", True, id="twice"),
        pytest.param("k = 1; k += 1", True, id="augmented"),
        pytest.param("for k in (1, 2): pass", True, id="by a loop"),
        pytest.param("while True: k = 1; break", True, id="in a loop"),
        pytest.param("if True: k = 1", False, id="in a branch"),
        pytest.param("k: float = 1", False, id="annotated"),
        pytest.param("(k := 1)", False, id="inside an expression"),
        pytest.param("[k := 1 for _ in (1, 2)]", True, id="inside a comprehension"),
        pytest.param("k = [k for k in (1, 2)]", False, id="a comprehension's own"),
        pytest.param("import math as k", False, id="by an import"),
        pytest.param("def k(): pass", False, id="by a definition"),
        pytest.param("k = 1; (lambda k: k)(2)", False, id="another function's"),
        pytest.param("k = 1\n    def other():\n        k = 2", False, id="another function's local"),
        pytest.param("k = 1\n    def other():\n        nonlocal k\n        k = 2", True, id="nonlocal"),
        pytest.param("k = 1\n    try: pass\n    except ValueError as k: pass", True, id="by an except"),
        pytest.param("k = 1\n    match {}:\n        case {**k}: pass", True, id="by the rest of a pattern"),
    ],
)
def test_whether_a_closed_over_name_is_given_another_value(tmp_path, body, expected) -> None:
    function = module_of(tmp_path / "rebound.py", f"def make():\n    {body}\n    return lambda: k\n").make()
    assert SourceBook().is_rebound(function, "k") is expected


def test_arguments_that_are_closed_over_are_given_one_value(tmp_path) -> None:
    text = (
        "def make(a, b, *, c=1):\n    b = 2\n    def inner():\n        return lambda: (a, b, c)\n    return inner()\n"
    )
    function = module_of(tmp_path / "arguments.py", text).make(1, 2)
    assert [SourceBook().is_rebound(function, name) for name in "abc"] == [False, True, False]


def test_who_sets_a_name_of_a_function_further_out_gives_it_another_value(tmp_path) -> None:
    """A process that waits for `k` and then sets it: to its condition the one value that it sets was the only one."""
    text = (
        "def make():\n    k = 1\n    def inner():\n        nonlocal k\n        test = lambda: k\n        k = 2\n"
        "        return test\n    return inner()\n"
    )
    assert SourceBook().is_rebound(module_of(tmp_path / "further_out.py", text).make(), "k")


def test_a_cell_whose_statements_are_compiled_one_by_one_is_read(tmp_path: Path) -> None:
    """As notebooks do: `ev.hold` is a call of other code where the import was compiled with it."""
    file = tmp_path / "cell.py"
    file.write_text(
        "import eventide as ev\n\ndef waits(seen):\n    yield ev.hold(1.0)\n    seen.append(2)\n", encoding="utf-8"
    )
    namespace: dict[str, Any] = {}
    for statement in ast.parse(file.read_text(encoding="utf-8")).body:
        exec(compile(ast.Module([statement], []), str(file), "exec", dont_inherit=True), namespace)  # noqa: S102  # the test
    definition = SourceBook().definition(namespace["waits"], yields=True)
    assert definition.tree.lineno == 3
    file.write_text(file.read_text(encoding="utf-8").replace("1.0", "2.0"), encoding="utf-8")
    linecache.clearcache()
    with pytest.raises(CannotLower, match="the text in the file is not that of the code that runs"):
        SourceBook().definition(namespace["waits"], yields=True)


def test_what_another_thread_reads_as_well_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    book, code, seen = SourceBook(), written.__code__, list[bool]()
    file = book.file(code.co_filename, globals())
    assert file is not None
    made = source._codes_in

    def amid(code_of_file: CodeType) -> Iterator[CodeType]:
        monkeypatch.setattr(source, "_codes_in", made)
        seen.append(file.has(code))  # as another thread would ask just now
        yield from made(code_of_file)

    monkeypatch.setattr(source, "_codes_in", amid)
    assert file.has(code)
    assert seen == [True]


def test_a_file_that_another_thread_has_let_go_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    book, asked = SourceBook(), count()

    def has(self: SourceFile, code: CodeType) -> bool:
        if next(asked) == 0:  # as another thread, which has found the same
            book._files.clear()
            return False
        return True

    monkeypatch.setattr(SourceFile, "has", has)
    assert book.definition(written).file.name == __file__


def written() -> object:
    return ev.hold(1.0)  # other code where a statement is compiled by itself
