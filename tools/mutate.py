"""Break the library on purpose, one line at a time, and see that a test notices.

tests/mutations.toml lists the breaks: a function, a piece of its text that stands there once, what it becomes, and the
test that must fail then. A function is found by its name, wherever it has moved to; `file` is given as well where
functions of several files have the name, or alone for what stands in no function. Each break is made in a copy of the
tree; the working tree is not touched. Run as a script:

    python tools/mutate.py [--part 1/4] [--only cascade]

It prints a line for each and ends with status 1 if a test did not notice, or could not be run at all.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from syntax import tree_of

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "mutations.toml"
COPIED = ("src", "tests", "tools", "examples", "benchmarks", "pyproject.toml", "DESIGN.md")
TIME = 60.0
"""Seconds that a test is given; a break that makes it run for longer has been noticed, which is told."""
TESTS_FAILED = 1
"""The exit status of pytest when tests have run and some have failed."""
TOO_LONG = -1
"""What stands for an exit status where there is none, as the tests were ended."""


@dataclass(frozen=True)
class Mutation:
    """One break of one piece of text, and the test that notices it.

    function    in which it stands once, as in `Motion.settle`; empty if it stands once in the file
    """

    file: str
    line: str
    becomes: str
    test: str
    function: str = ""

    def applied(self, text: str) -> str:
        """The text of the file with the break; ValueError if the line does not stand exactly once where it should."""
        spans = [(a, b) for name, a, b in functions_of(text) if name == self.function]
        spans = spans if self.function else [(0, len(text))]
        count = sum(text.count(self.line, start, end) for start, end in spans)
        if count != 1:
            where = f"{self.file}, {self.function}" if self.function else self.file
            raise ValueError(f"{where}: {self.line!r} stands there {count} times, and not once")
        place = next(at for start, end in spans if (at := text.find(self.line, start, end)) >= 0)
        return text[:place] + self.becomes + text[place + len(self.line) :]

    def __str__(self) -> str:
        return f"{self.file}: {self.line.strip()} -> {self.becomes.strip() or 'nothing'}"


@cache
def functions_of(text: str) -> tuple[tuple[str, int, int], ...]:
    """The functions and classes of a file: the name as Python qualifies it, and where the text begins and ends."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def within(node: ast.AST, prefix: str) -> Iterator[tuple[str, int, int]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                yield f"{prefix}{child.name}", starts[first - 1], starts[child.end_lineno or child.lineno]
                yield from within(child, f"{prefix}{child.name}.")
            elif not isinstance(child, ast.expr):  # in an expression stands no function that has a name
                yield from within(child, prefix)

    return tuple(within(tree_of(text), ""))


@cache
def homes() -> dict[str, list[str]]:
    """The files in which there is a function or class of each name."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "src" / "eventide").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        for name in dict.fromkeys(name for name, _, _ in functions_of(path.read_text(encoding="utf-8"))):
            found.setdefault(name, []).append(file)
    return found


def load_mutations(table: Path = TABLE) -> list[Mutation]:
    """The breaks of the table, in its order; ValueError if a function is in no file, or in several."""
    found = []
    for entry in tomllib.loads(table.read_text(encoding="utf-8"))["mutation"]:
        files = [entry["file"]] if "file" in entry else homes().get(entry["function"], [])
        if len(files) != 1:
            raise ValueError(f"{entry['function']} stands in {', '.join(files) or 'no file'}: give the `file`")
        found.append(Mutation(**{**entry, "file": files[0]}))
    return found


def copy_tree(target: Path) -> None:
    """What tests need of this tree, without caches."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=shutil.ignore_patterns("__pycache__", "results"))
        elif source.exists():
            shutil.copy2(source, target / name)


def run_tests(tree: Path, tests: Sequence[str]) -> int:
    """The exit status of pytest on some tests of a tree; TOO_LONG if they take longer than they are given."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return subprocess.run(
            command, cwd=tree, env=environment, capture_output=True, timeout=TIME * len(tests), check=False
        ).returncode
    except subprocess.TimeoutExpired:
        return TOO_LONG


def verdict(tree: Path, mutation: Mutation) -> str:
    """Whether one break was noticed, in a word; it is made in a copy of the tree, which is mended again."""
    path = tree / mutation.file
    text = path.read_text(encoding="utf-8")
    path.write_text(mutation.applied(text), encoding="utf-8")
    try:
        status = run_tests(tree, [mutation.test])
    finally:
        path.write_text(text, encoding="utf-8")
    if status == TESTS_FAILED:
        return "noticed"
    if status == TOO_LONG:
        return f"noticed, by running for longer than {TIME:g} s"
    if status < TOO_LONG:
        return f"noticed, by a crash (signal {-status})"  # what machine code does that is wrong
    return "NOT NOTICED" if status == 0 else f"COULD NOT BE RUN (pytest answers {status})"


def check(mutations: Sequence[Mutation]) -> bool:
    """Make the breaks one by one and tell of each; whether all were noticed. Unbroken, their tests must pass."""
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        tests = list(dict.fromkeys(mutation.test for mutation in mutations))
        if run_tests(tree, tests) != 0:
            print("the tests fail without any break: mend them first")
            return False
        all_noticed = True
        for mutation in mutations:
            outcome = verdict(tree, mutation)
            all_noticed = all_noticed and outcome.startswith("noticed")
            print(f"{outcome}: {mutation}\n    by {mutation.test}", flush=True)
    return all_noticed


def part_of(text: str) -> tuple[int, int]:
    """`2/4` as (2, 4)."""
    number, slash, parts = text.partition("/")
    if not (slash and number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise argparse.ArgumentTypeError(f"a part is written as 2/4, and got {text!r}")
    return int(number), int(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; answers the exit status."""
    parser = argparse.ArgumentParser(description="Break the library, one line at a time; a test must notice.")
    parser.add_argument("--part", type=part_of, default=(1, 1), metavar="N/M", help="only every M-th break, from N on")
    parser.add_argument("--only", default="", metavar="TEXT", help="only breaks of files or tests with this text")
    options = parser.parse_args(arguments)
    number, parts = options.part
    chosen = [m for m in load_mutations() if options.only in m.file or options.only in m.test][number - 1 :: parts]
    if not chosen:
        parser.error(f"no break is of a file or test with {options.only!r} in its name, in this part")
    all_noticed = check(chosen)
    print(f"{len(chosen)} breaks{'' if all_noticed else ', not all of them noticed'}")
    return 0 if all_noticed else 1


if __name__ == "__main__":
    sys.exit(main())
