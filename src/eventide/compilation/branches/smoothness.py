"""Whether what laws call may branch, bend or jump: seen through the functions of the user's that it calls in turn.

What cannot be read, or is not known to be smooth, counts as what may.
"""

from __future__ import annotations

import ast
import builtins
import math
from functools import partial
from inspect import getattr_static
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Final

import numpy as np

from eventide.compilation.branches.law_names import LAWS, OUTCOME, Facts, LawNames, Verdict, note
from eventide.declare import Component, fields_of
from eventide.inputs import Input
from eventide.inputs.base import may_jump
from eventide.lowering.not_compilable import CannotLower
from eventide.native.locking import LOCK

if TYPE_CHECKING:
    from eventide.compilation.branches.fields import StandIns
    from eventide.compilation.branches.located import Variant
    from eventide.reading.source import SourceBook

ORDERS: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OF_MATH: Final = (
    "acos acosh asin asinh atan atan2 atanh cbrt comb cos cosh degrees dist e erf erfc exp exp2 expm1 fsum gamma hypot "
    "isfinite isinf isnan lgamma log log10 log1p log2 pow prod radians sin sinh sqrt sumprod tan tanh"
)
_OF_NUMPY: Final = (
    "add append arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh array asarray cbrt concatenate convolve "
    "cos cosh cross cumprod cumsum deg2rad degrees diff divide dot einsum empty empty_like exp exp2 expm1 flip "
    "float64 float_power full full_like gradient hstack hypot inner kron linspace log log10 log1p log2 logaddexp "
    "logaddexp2 matmul mean multiply negative ones ones_like outer polyval positive power prod rad2deg radians ravel "
    "reciprocal reshape roll sin sinc sinh size sqrt square squeeze stack subtract sum tan tanh tensordot trapezoid "
    "trapz true_divide vdot vstack zeros zeros_like"
)
_OF_ALGEBRA: Final = "det inv solve"
_OF_PYTHON: Final = (
    "bool complex dict enumerate float getattr hasattr isinstance len list pow print range reversed setattr slice str "
    "sum super tuple type zip"
)
_OF_SCIPY: Final = (
    "beta ellipe ellipk erf erfc erfcx erfinv exp1 expi expit gamma gammaln i0 i1 iv j0 j1 jv k0 k1 kv logit ndtr "
    "ndtri psi xlogy y0 y1 yv"
)
"""Of `scipy.special`, which need not be there: ufuncs by their names."""
_OF_ARRAYS: Final = ("copy", "cumprod", "cumsum", "dot", "fill", "mean", "prod", "ravel", "reshape", "sum", "transpose")
"""Methods of arrays that are smooth."""
SMOOTH: Final[dict[int, object]] = {
    id(found): found
    for space, names in ((math, _OF_MATH), (np, _OF_NUMPY), (np.linalg, _OF_ALGEBRA), (builtins, _OF_PYTHON))
    for name in names.split()
    if (found := getattr(space, name, None)) is not None
}
"""The functions that are, by identity, as some of what a name stands for has no hash."""


def smooth(function: object) -> object | None:
    """A function that is smooth, as it is known to be; else None."""
    if isinstance(function, Input):
        return None if may_jump(function) else Input.__call__
    is_scipys = isinstance(function, np.ufunc) and function.__name__ in _OF_SCIPY.split()
    return function if is_scipys else SMOOTH.get(id(function))


class Smoothness:
    """What is known of the functions of the user's.

    book    where their texts are found
    known   what was found; it may stand no longer
    stand_ins, variants     what was found of functions to which fields refer
    paths   where the laws of a class get such
    told    of what in them has been warned
    """

    def __init__(self, book: SourceBook) -> None:
        self.book = book
        self.known: dict[tuple[FunctionType, type | None], Verdict] = {}
        self.stand_ins: StandIns = {}
        self.paths: dict[type, dict[str, ast.expr]] = {}
        self.variants: dict[tuple[object, ...], Variant] = {}
        self.told: dict[object, None] = {}
        self._pending: dict[tuple[FunctionType, type | None], None] = {}

    def number_of(self, function: FunctionType) -> int:
        """The number of a function to which a field refers."""
        return next(k for k, one in enumerate(self.stand_ins.values()) if one is function)

    def may_branch(self, function: object, facts: Facts, cls: type | None = None) -> bool:
        """Whether a function may branch, bend or jump.

        facts   takes up what that follows from, besides the function itself
        cls     whose method it is
        """
        if smooth(function) is not None or isinstance(function, Input):
            return False
        if isinstance(function, partial):
            return self.may_branch(function.func, facts)
        if isinstance(function, MethodType):
            return self.may_branch(function.__func__, facts, type(function.__self__))
        if not isinstance(function, FunctionType):
            return True
        if (function.__module__ or "").startswith("eventide."):
            return False
        key = function, cls  # what a method calls in turn is its class's
        known = self.known.get(key)
        if known is not None and known.is_current:
            facts.update(known.by)
            return known.may_branch
        with LOCK:  # or what another thread looks through would be taken for what calls itself
            return self._find_out(function, facts, cls)

    def _find_out(self, function: FunctionType, facts: Facts, cls: type | None) -> bool:
        key, found = (function, cls), Facts()
        if key in self._pending:
            return False  # what calls itself is as the rest of it
        self._pending[key] = None
        try:
            note(found, function.__qualname__, "__code__", function.__code__, function)
            answer = self._look_through(function, found, cls)
        finally:
            del self._pending[key]
        if answer or not self._pending:  # else it may have been taken for smooth what is still looked through
            self.known[key] = Verdict(answer, found)
        facts.update(found)
        return answer

    def _look_through(self, function: FunctionType, facts: Facts, cls: type | None) -> bool:
        try:
            tree = self.book.definition(function).tree
        except CannotLower:
            return True
        nodes = list(ast.walk(tree))
        if any(map(_is_branch, nodes)):
            return True
        names = LawNames(cls, function, facts)
        return any(
            self.call_may_branch(node, names)
            if isinstance(node, ast.Call)
            else isinstance(node, ast.Attribute) and self.property_may_branch(node, names)
            for node in nodes
        )

    def call_may_branch(self, node: ast.Call, names: LawNames) -> bool:
        """Whether what a call runs may branch, but for what it is given."""
        function = node.func
        if issubclass(names.class_of(function) or object, Input):
            return not names.may_be_given_time(node) and smooth(names.object_of(function)) is None
        if not isinstance(function, ast.Attribute):
            called = names.object_of(function)
            if called is map and node.args:
                called = names.object_of(node.args[0])
            return self.may_branch(called, names.facts)
        if is_super(function.value):  # of laws what branches is located where it stands
            return function.attr not in LAWS and self.may_branch(names.above(function.attr), names.facts, names.cls)
        owner = names.class_of(function.value)
        if owner is None or issubclass(owner, ModuleType | type | np.ndarray):
            is_smooth = function.attr in _OF_ARRAYS and _is_vector(function.value, names)
            return not is_smooth and self.may_branch(names.object_of(function), names.facts)
        if issubclass(owner, Component) and function.attr in fields_of(owner):
            return True
        method = getattr(owner, function.attr, None)
        note(names.facts, owner.__qualname__, function.attr, method, owner)
        return self.may_branch(method, names.facts, owner)

    def callee(self, node: ast.Call, names: LawNames) -> tuple[object, type | None]:
        """What a call calls, and whose method that is; None of each if that is not known."""
        function = node.func
        if not isinstance(function, ast.Attribute):
            return names.object_of(function), None
        if is_super(function.value):
            return (None if function.attr in LAWS else names.above(function.attr)), names.cls
        owner = names.class_of(function.value)
        if owner is None or issubclass(owner, ModuleType | type | np.ndarray):
            return names.object_of(function), None
        if issubclass(owner, Component) and function.attr in fields_of(owner):
            return None, None
        is_static = isinstance(getattr_static(owner, function.attr, None), staticmethod)
        return getattr(owner, function.attr, None), None if is_static else owner

    def property_may_branch(self, node: ast.Attribute, names: LawNames) -> bool:
        """Whether an attribute is a property of the user's that may branch."""
        owner = names.class_of(node.value)
        if owner is None or node.attr in fields_of(owner) or node.attr.startswith(OUTCOME):
            return False
        found = getattr(owner, node.attr, None)
        if not isinstance(found, property):
            return False
        note(names.facts, owner.__qualname__, node.attr, found, owner)
        return self.may_branch(found.fget, names.facts, owner)


def _is_branch(node: ast.AST) -> bool:
    """Whether a piece of code branches, bends or jumps by itself."""
    if isinstance(node, ast.Compare):
        return any(isinstance(op, ORDERS) for op in node.ops)
    if makes_text(node):
        return True  # it may be compared
    return isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Mod | ast.FloorDiv)


def makes_text(node: ast.AST) -> bool:
    """Whether a piece of code makes a text of a value."""
    is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str"
    return is_named or isinstance(node, ast.JoinedStr)


def is_super(node: ast.expr | None) -> bool:
    """Whether an expression is `super()`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_vector(node: ast.expr, names: LawNames) -> bool:
    """Whether an expression is a vector of an object, an array of a module, or what NumPy makes."""
    if isinstance(node, ast.BinOp):
        return _is_vector(node.left, names) or _is_vector(node.right, names)
    if isinstance(node, ast.Call):
        function = names.object_of(node.func)
        return id(function) in SMOOTH and vars(np).get(getattr(function, "__name__", "")) is function
    return isinstance(names.object_of(node), np.ndarray) or names.is_vector(node)
