"""The stepper as native code: the functions of `stepper.py` and `march.py`, compiled once for an installation."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from eventide.compiled.store import default_folder
from eventide.continuous import march, stepper, tables
from eventide.continuous.engine import ENTRIES, Engine
from eventide.continuous.tables import Arrays

_HEAD = '''"""Made by eventide from its stepper; do not edit."""
from math import inf, nan

import numpy as np
from numba import njit

from eventide.compiled.calls import call_condition, call_law, clear_run, slot, word
from eventide.compiled.calls import load_float, load_int, store_float, store_int
'''

_NATIVE = """
def evaluate(a, f, time, dt):
    for s in range(a.flow_ints[f, SEGMENTS_LO], a.flow_ints[f, SEGMENTS_HI]):
        clear_run(a.rows + 8 * R * rows_width, a.segments[s, 0], a.segments[s, 1])
    for s in range(a.flow_ints[f, SUMS_LO], a.flow_ints[f, SUMS_HI]):
        clear_run(a.rows + 8 * Y * rows_width, a.sums[s, 0], a.sums[s, 1])
    for e in range(a.flow_ints[f, CHAIN_LO], a.flow_ints[f, CHAIN_HI]):
        call_law(
            a.chain[e, 0], time, dt, a.flow_floats[f, START],
            a.rows + 8 * Y * rows_width, a.rows + 8 * R * rows_width, a.rows + 8 * Y0 * rows_width,
            a.index + 8 * a.chain[e, 1], a.chain[e, 2], a.lists,
        )


def is_true(a, c, f, time, dt):
    return call_condition(
        a.conditions[c, ADDRESS], time, dt, a.flow_floats[f, START],
        a.rows + 8 * Y * rows_width, a.rows + 8 * R * rows_width, a.rows + 8 * Y0 * rows_width,
        a.index + 8 * a.conditions[c, INDEX], a.constants + 8 * a.conditions[c, CONSTANTS],
        a.condition_floats + 8 * (c * CONDITION_FLOATS + GUARD), a.lists,
    ) != 0
"""


def native_engine() -> Engine:
    """The stepper as native code, from the cache on disk or compiled now."""
    module = _load(_source())
    return Engine(pack, *(getattr(module, name) for name in ENTRIES))


def pack(arrays: Arrays) -> tuple[int, Any]:
    """The address of a table of the addresses and sizes of all arrays, and what must live as long as it is used."""
    flat: list[int] = []
    for array in (*arrays[:-2], *arrays.method):
        shape = array.shape if array.ndim == 2 else (len(array), 1)
        flat += [array.ctypes.data, *shape]
    table = np.array(flat, np.int64)
    return int(table.ctypes.data), (table, arrays)


def _source() -> str:
    """The text of the native module."""
    constants = {
        name: value
        for module in (tables, stepper, march)
        for name, value in vars(module).items()
        if isinstance(value, int | float) and not name.startswith("_") and name not in {"inf", "nan"}
    }
    parts = [_HEAD, *(f"{name} = {value!r}" for name, value in sorted(constants.items()))]
    parts += [_native_text(part) for part in _NATIVE.strip().split("\n\n\n")]
    skipped = {"evaluate", "is_true", "slot"}
    for module in (stepper, march):
        for name, function in vars(module).items():
            if inspect.isfunction(function) and function.__module__ == module.__name__ and name not in skipped:
                parts.append(_native_text(inspect.getsource(function)))
    return "\n\n".join(parts) + "\n"


_FLOATS: Final = frozenset(["rows", "flow_floats", "condition_floats", "constants", "settings", "nodes", "table"])
_PLACES: Final = {name: k for k, name in enumerate((*Arrays._fields[:-2], *tables.Coefficients._fields))}


_INLINED: Final = frozenset(
    [
        "evaluate",
        "run_laws",
        "is_true",
        "copy",
        "combine",
        "run_stage",
        "time_at",
        "is_between",
        "comes_before",
        "two_sum",
    ]
)
"""Small functions on the path of every evaluation; LLVM would leave some of them as calls."""


class _Addressed(ast.NodeTransformer):
    """Turns `a.rows[i, j]` into a load or a store at an address, found through the table whose address is `a`.

    Arrays of numba would be copied, and references to them counted, at every call.
    """

    def __init__(self) -> None:
        self.used: dict[str, None] = {}

    def _place(self, node: ast.expr) -> tuple[str, ast.expr, ast.expr] | None:
        """Kind, address and flat index of `a.name[...]`; None for any other expression."""
        if not isinstance(node, ast.Subscript):
            return None
        if isinstance(node.value, ast.Attribute):
            name = node.value.attr
        elif isinstance(node.value, ast.Name) and node.value.id == "rows":
            name = "rows"
        else:
            return None
        self.used[name] = None
        index = self.visit(node.slice)
        if isinstance(index, ast.Tuple):
            row, column = index.elts
            index = ast.BinOp(ast.BinOp(row, ast.Mult(), ast.Name(f"{name}_width", ast.Load())), ast.Add(), column)
        return ("float" if name in _FLOATS else "int"), ast.Name(f"{name}_at", ast.Load()), index

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        place = self._place(node)
        if place is None:
            return self.generic_visit(node)
        kind, address, index = place
        return ast.Call(ast.Name(f"load_{kind}", ast.Load()), [address, index], [])

    def _store(self, target: ast.expr, value: ast.expr) -> ast.stmt | None:
        place = self._place(target)
        if place is None:
            return None
        kind, address, index = place
        return ast.Expr(ast.Call(ast.Name(f"store_{kind}", ast.Load()), [address, index, value], []))

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id == "rows":
            return None
        value = self.visit(node.value)
        return self._store(node.targets[0], value) or ast.Assign(node.targets, value, lineno=node.lineno)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        value = self.visit(node.value)
        place = self._place(node.target)
        if place is None:
            return ast.AugAssign(node.target, node.op, value)
        old = ast.Call(ast.Name(f"load_{place[0]}", ast.Load()), [place[1], place[2]], [])
        return ast.Expr(
            ast.Call(ast.Name(f"store_{place[0]}", ast.Load()), [*place[1:], ast.BinOp(old, node.op, value)], [])
        )

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`a.rows` by itself: its address."""
        if isinstance(node.value, ast.Name) and node.value.id == "a":
            self.used[node.attr] = None
            return ast.Name(f"{node.attr}_at", ast.Load())
        return self.generic_visit(node)


def _native_text(text: str) -> str:
    """A function's source with loads and stores at addresses, without annotations and docstring, to be compiled."""
    tree = ast.parse(text)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.returns = None
    for argument in definition.args.args:
        argument.annotation = None
    if isinstance(definition.body[0], ast.Expr):
        del definition.body[0]
    addressed = _Addressed()
    addressed.visit(definition)
    definition.body[:0] = [line for name in addressed.used for line in ast.parse(_address_of(name)).body]
    inline = ", forceinline=True" if definition.name in _INLINED else ""
    return f'@njit(error_model="numpy", cache=True{inline})\n' + ast.unparse(ast.fix_missing_locations(tree))


def _address_of(name: str) -> str:
    k = 3 * _PLACES[name]
    return f"{name}_at = word(a, {k})\n{name}_width = word(a, {k + 2})"


def _load(source: str) -> ModuleType:
    """The module of a text, from a file that is named by its hash; numba keeps its machine code beside it."""
    name = f"eventide_stepper_{hashlib.sha256(source.encode()).hexdigest()[:24]}"
    if name in sys.modules:
        return sys.modules[name]
    path = _write(source, name)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _write(source: str, name: str) -> Path:
    """The file of a text; it is written under another name and renamed, so that many may write at once."""
    folder = default_folder() or Path(tempfile.mkdtemp(prefix="eventide-"))
    path = folder / f"{name}.py"
    if not path.exists():
        print("eventide: compiling its stepper, once for this installation (some 20 s)", file=sys.stderr)  # noqa: T201
        folder.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=folder, prefix="new-")
        with os.fdopen(handle, "w") as file:
            file.write(source)
        # Numba trusts the time of the file: with a fixed one its index stays valid when the folder is copied.
        os.utime(draft, (1, 1))
        Path(draft).replace(path)
    return path
