"""Builtin methods of Python that native code calls at their addresses, as they run no code of the user's.

What is appended to a list may be made of numbers, words and known objects, as in `log.append((sim.time, "left"))`.
The numbers are given to Python one after the other, and a function that was written for the statement makes it of them.
"""

from __future__ import annotations

import ast
import math
from array import array
from functools import partial
from types import BuiltinMethodType, CodeType, MethodType, MethodWrapperType, NoneType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from eventide.bodies.arithmetic import (
    CHECKED,
    best_among,
    best_of,
    mathematical,
    one_of,
    ordered,
    real,
    total,
    without_sign,
)
from eventide.bodies.operands import (
    EXACT,
    ITSELF,
    LARGEST,
    MOST_TURNS,
    Kind,
    Known,
    Operand,
    Thing,
    Unknown,
    constant,
    sure,
)
from eventide.native.objects import LISTS, object_at
from eventide.reading.nodes import is_written
from eventide.rows.codes import UNMADE
from eventide.rows.mersenne_twister import MOST_BELOW, TURN, is_gauss_as_here, is_normal_as_here, place_of_words
from eventide.statistics.quantiles import inverse_of_normal
from eventide.streams.drawing import WIDEST
from eventide.streams.number_draws import (
    GENERATORS,
    UNIT,
    Below,
    ByFunction,
    Draw,
    InTurns,
    OfPair,
    OfTables,
    OfWords,
    Range,
    Way,
    callable_of,
    draw_of,
    generator_of,
    uniforms_of,
)
from eventide.streams.numpy_functions import BETWEEN, UNIFORM, address_of, entry_of, place_of_bytes
from eventide.streams.streams import Stream
from eventide.streams.uniforms import Uniforms

if TYPE_CHECKING:
    from eventide.bodies.emission import Emission
    from eventide.bodies.expressions import BodyExpressions, Value
    from eventide.bodies.naming import Naming
    from eventide.bodies.operands import Path

_REAL: Final = """acos acosh asin asinh atan2 atanh cbrt copysign cosh degrees erf erfc exp2 expm1 fabs fmod gamma hypot
    lgamma log10 log2 pow radians sinh tan tanh"""
COMPUTED: Final[dict[object, bool]] = {
    **dict.fromkeys((math.floor, math.ceil, math.trunc, round), True),
    **{getattr(math, name): False for name in _REAL.split()},
    inverse_of_normal: False,
}
"""Functions that native code calls at their addresses, and whether they give whole numbers."""
BUILTINS: Final = (abs, min, max, int, float, bool, sum)
"""What native code does itself with numbers: see `builtin`."""
PLAIN: Final = (Stream, list, *GENERATORS)
"""Classes of which exact instances have methods that are known."""
Call: TypeAlias = Literal["draws", "takes"] | Draw | None


def addressed_call(function: object, path: Path) -> Call:
    """What a call does: draw from (0, 1), or as a generator does, or take a float; None if it is not known.

    path    the attributes by which the function was reached
    """
    if path[-1:] == (ITSELF,):
        return None
    if (draw := draw_of(function)) is not None:
        return draw
    if isinstance(function, BuiltinMethodType) and function.__name__ == "append":
        return "takes" if type(function.__self__) is list or is_array_of_floats(function.__self__) else None
    is_next = isinstance(function, MethodWrapperType) and function.__name__ == "__next__"
    return "draws" if is_next and type(generator_of(function)) is Uniforms else None


def way_of(draw: Draw) -> Way:
    """How native code draws it here: by a call where this Python, or this numpy, is of another build."""
    way, place = draw.way, place_of_words()
    if isinstance(way, ByFunction):
        is_known = address_of(way.name) is not None and place_of_bytes() is not None
    elif isinstance(way, OfWords):
        is_known = place is not None and ("next_normal" not in way.text or is_normal_as_here())
    elif isinstance(way, OfPair):
        is_known = place is not None and is_gauss_as_here()
    else:
        is_known = not isinstance(way, Below) or way.of_uniform or place is not None
    return way if is_known else None


def is_array_of_floats(value: object) -> bool:
    """Whether it is an array that takes floats as they are."""
    return type(value) is array and value.typecode == "d"


def target_of(function: object, call: Call) -> object:
    """The object whose address native code gets: the iterator of a stream, a generator with words, else the callable.

    call    what it does
    """
    if not isinstance(call, Draw):
        return generator_of(function) if call == "draws" else function
    way = way_of(call)
    if isinstance(way, ByFunction) and callable(function):
        return entry_of(function, way.name, counts=call.counts)
    if isinstance(way, Below) and way.of_uniform:
        return uniforms_of(function)
    return generator_of(function) if isinstance(way, OfWords | OfPair | Below) else callable_of(function, call)


def drawn_number(expressions: BodyExpressions, called: Thing, draw: Draw, node: ast.Call) -> Operand:
    """What a generator draws. Raises Unknown for other arguments than numbers."""
    if draw.of_one is not None and len(node.args) == 1 and not node.keywords:
        draw = draw.of_one
    way = way_of(draw)
    if isinstance(way, InTurns) and are_few_turns(draw, way, node):
        return expressions.as_operand(
            expressions.followed(called.value.__func__, expressions.naming.owner_of(called), node), node
        )
    if isinstance(way, OfTables):
        return _drawn_from_tables(expressions, called, draw, way, node)
    names, emission = [argument.name for argument in draw.arguments], expressions.emission
    pairs = [*zip(names, node.args, strict=False), *((word.arg, word.value) for word in node.keywords)]
    given = {name: expressions.number(value, *draw.kinds) for name, value in pairs if name in names}
    values = {one.name: constant(one.default) for one in draw.arguments if one.default is not None} | given
    if len(given) < len(node.args) + len(node.keywords) or len(values) < len(names):
        raise Unknown("a generator draws one number at a time, by its first arguments", node)
    texts, ranges, ordered = [], [], [values[name] for name in names]
    for value, (_, low, high, _) in zip(ordered, draw.arguments, strict=True):
        if not (value.is_number and low <= value.low and value.high <= high):
            emission.stop_if(f"not ({low!r} <= {real(value)} <= {high!r})", value, node=node)
        texts.append(real(value))
        ranges.append((max(low, value.low), min(high, value.high)))
    known = Known(low=(bounds := draw.range_of(*ranges))[0], high=bounds[1], is_number=True)
    match way:
        case ByFunction():
            return _drawn_by_function(expressions, called, draw, way, ordered, known, node)
        case Below():
            return _drawn_below(expressions, called, way, ordered, known, node)
        case OfWords() | OfPair():
            return _drawn_from_words(expressions, called, way, texts, known)
    address = expressions.naming.address(called)
    emission.begin_effect()
    call = f"call_builtin({', '.join([address, *texts])})"
    return called_at(emission, call, bounds, counts=draw.counts)._replace(is_numpy=draw.is_numpy)


def are_few_turns(draw: Draw, way: InTurns, node: ast.Call) -> bool:
    """Whether the loop by which a number is drawn has as few turns as may be written out."""
    names = [argument.name for argument in draw.arguments]
    given: dict[str | None, ast.expr] = {word.arg: word.value for word in node.keywords}
    given.update(zip(names, node.args, strict=False))
    turns = given.get(way.turns)
    return isinstance(turns, ast.Constant) and type(turns.value) is int and turns.value <= MOST_TURNS


def _drawn_from_words(
    expressions: BodyExpressions, called: Thing, way: OfWords | OfPair, texts: list[str], known: Known
) -> Operand:
    """What a generator of `random` draws, by native code itself."""
    emission, address = expressions.emission, expressions.naming.address(called)
    emission.begin_effect()
    state = f"{address} + {place_of_words()}"
    if isinstance(way, OfWords):
        return emission.keep(way.text.format(state, *texts), "float", **known)
    return emission.keep(f"{texts[0]} + {_number_of_pair(expressions, address, state)} * {texts[1]}", "float", **known)


def _drawn_below(
    expressions: BodyExpressions, called: Thing, way: Below, values: list[Operand], known: Known, node: ast.AST
) -> Operand:
    """One of some whole numbers that a generator of `random` or a stream draws, by native code itself."""
    emission, address = expressions.emission, expressions.naming.address(called)
    *starts, last = values
    start, most = starts[0] if starts else constant(0), WIDEST if way.of_uniform else MOST_BELOW
    count = f"({last.text} - {start.text} + {int(way.is_closed)})"
    if not (last.low - start.high >= 1.0 and last.high - start.low < most):
        emission.stop_if(f"not (0 < {count} <= {most})", start, last, node=node)
    emission.begin_effect()
    if not way.of_uniform:
        text = f"{start.text} + next_below({address} + {place_of_words()}, {count})"
        return emission.keep(text, "int", **known)
    uniform = called_at(emission, f"draw_next({address})", UNIT)
    return emission.keep(f"{start.text} + int({uniform.text} * float({count}))", "int", **known)


def _number_of_pair(expressions: BodyExpressions, generator: str, state: str) -> str:
    """The variable with the next standard normal number: the one that a generator has kept, or the first of two."""
    constants = [expressions.naming.address(Thing("", (), one)) for one in ("gauss_next", float, None)]
    names = [expressions.emission.name() for _ in range(4)]
    expressions.emission.emit(_PAIR.format(generator, state, *constants, *names, TURN))
    return names[0]


_PAIR: Final = """{5} = 0.0
{6} = attribute({0}, {2}, {3})
if {6} != 0:
    {5} = taken_real({6})
    set_object({0}, {2}, {4})
else:
    {7} = next_uniform({1}) * {9!r}
    {8} = sqrt(-2.0 * log(1.0 - next_uniform({1})))
    {5} = cos({7}) * {8}
    set_real({0}, {2}, sin({7}) * {8})"""


def _drawn_from_tables(
    expressions: BodyExpressions, called: Thing, draw: Draw, way: OfTables, node: ast.Call
) -> Operand:
    """What a stream draws by lists or tuples of numbers, which Python reads at each call. Raises Unknown."""
    entry, naming, emission = Entry(expressions), expressions.naming, expressions.emission
    tables = [_table(expressions, entry, argument) for argument in node.args]
    if node.keywords or len(tables) != way.count:
        raise Unknown("it is called in another way than others are", node)
    call = f"{entry.address(called)}({', '.join(tables)})"
    emission.begin_effect()
    return called_at(emission, called_with(naming, entry, f"    return {call}")[0], draw.range_of(), counts=draw.counts)


def _table(expressions: BodyExpressions, entry: Entry, node: ast.expr) -> str:
    """The text of a list or a tuple of numbers. Raises Unknown for others."""
    if isinstance(node, ast.List | ast.Tuple):
        if all(isinstance(one, ast.Constant) and type(one.value) in (int, float) for one in node.elts):
            return entry.text(node)
        raise Unknown("of lists that are written where one draws those of written numbers are native", node)
    found = expressions.value(node)
    items = found.value if isinstance(found, Thing) and type(found.value) in LISTS else [None]
    if isinstance(found, Thing) and all(type(one) in (int, float) for one in items):
        return entry.known(found, node)
    raise Unknown("what is drawn by other things than lists of numbers is left to Python", node)


def _drawn_by_function(
    expressions: BodyExpressions,
    called: Thing,
    draw: Draw,
    way: ByFunction,
    values: list[Operand],
    known: Known,
    node: ast.AST,
) -> Operand:
    """What a generator of numpy draws, by the function that its method calls."""
    emission, texts = expressions.emission, [*map(real, values)]
    if way.name == BETWEEN:
        low, high = values if len(values) == 2 else (constant(0), *values)
        if not high.low > low.high:
            emission.stop_if(f"not ({low.text} < {high.text})", *values, node=node)
        texts = [low.text, f"{high.text} - {low.text} - 1", "0", "0"]
    elif way.name == UNIFORM:
        emission.stop_if(f"not ({texts[0]} <= {texts[1]})", *values, node=node)
        texts[1] = f"{texts[1]} - {texts[0]}"
    given = ", ".join([expressions.naming.address(called), str(place_of_bytes()), *texts])
    emission.begin_effect()
    if draw.counts:
        return emission.keep(f"draw_whole_by({given})", "int", **known)._replace(is_numpy=draw.is_numpy)
    return emission.keep(f"draw_by({given})", "float", **known)


def computed(expressions: BodyExpressions, function: object, node: ast.Call) -> Operand:
    """What a function of `math` makes of numbers, or `round`: Python's own, called at its address. Raises Unknown."""
    given = [*node.args]
    if function is round and len(given) == 2:
        digits = given.pop()
        if not isinstance(digits, ast.Constant) or type(digits.value) is not int:
            raise Unknown("the digits of a number that is rounded are written where that is native", digits)
        function = partial(round, ndigits=digits.value)
    if node.keywords or not 0 < len(given) < 4 or any(isinstance(item, ast.Starred) for item in given):
        raise Unknown("it is called in another way than others are", node)
    if function in CHECKED and len(given) == 1:
        return mathematical(expressions.emission, function, expressions.number(given[0], "int", "float"), node)
    kinds: tuple[Kind, ...] = ("float", "int") if COMPUTED.get(function) is False else ("float",)
    return made_of(expressions, function, [expressions.number(item, *kinds) for item in given], node)


def made_of(expressions: BodyExpressions, function: object, numbers: list[Operand], node: ast.AST) -> Operand:
    """What a builtin function makes of finite numbers."""
    counts = COMPUTED.get(function, False)
    most = float(EXACT) if counts else LARGEST
    for number in numbers:
        if not (number.is_number and number.low >= -most and number.high <= most):
            expressions.emission.stop_if(f"not (-{most!r} <= {real(number)} <= {most!r})", number, node=node)
    address = expressions.naming.address(Thing("", (), function))
    call = f"call_builtin({', '.join([address, *map(real, numbers)])})"
    return called_at(expressions.emission, call, (-most, most), counts=counts)


def called_at(emission: Emission, call: str, bounds: Range, *, counts: bool = False) -> Operand:
    """The number that a call of Python gives; an error that it raises is raised where it stands."""
    known: Known = {"low": bounds[0], "high": bounds[1], "is_number": True}
    found = emission.keep(call, "float", **known)
    emission.emit(f"if {found.text} != {found.text}:\n    code = FAILED\n    break")
    return emission.keep(f"int({found.text})", "int", **known) if counts else found


def builtin(expressions: BodyExpressions, function: Any, node: ast.Call) -> Operand:
    """What one of these makes of numbers, `min`, `max` and `sum` also of those of a list. Raises Unknown."""
    if function in (min, max, sum) and is_written(node):
        items: list[ast.expr] = node.args[0].elts  # type: ignore[attr-defined]  # as was tested
        node = ast.copy_location(ast.Call(node.func, items, []), node)
    elif function is sum:
        raise Unknown("of sums those of lists that are written there are native", node)
    if node.keywords or not node.args or any(isinstance(item, ast.Starred) for item in node.args):
        raise Unknown("it is called in another way than others are", node)
    more: dict[object, tuple[Kind, ...]] = {
        int: ("bool",),
        float: ("bool", "mixed"),
        min: ("mixed",),
        max: ("mixed",),
    }
    number_of = expressions.by_value if function in (int, float, bool) else expressions.number
    numbers = [number_of(item, "int", "float", *more.get(function, ())) for item in node.args]
    operands = [number if number.kind != "bool" else expressions.as_number(number) for number in numbers]
    first, emission = operands[0], expressions.emission
    if function is sum:
        return total(expressions, operands, node)
    if function in (min, max):
        word = "<" if function is min else ">"
        is_varying = len({operand.kind for operand in operands}) > 1 or first.kind == "mixed"
        if len(operands) == 2 and is_varying:
            best = one_of(emission, ordered(emission, word, operands[1], first, node), operands[1], first, node)
            return best._replace(**best_of(function, operands))
        if len(operands) < 2 or is_varying:
            raise Unknown("the smallest and largest of several types are left to Python", node)
        return best_among(emission, word, operands)._replace(**best_of(function, operands))
    if len(operands) > 1:
        raise Unknown("it is called in another way than others are", node)
    if function is abs:
        if first.kind == "float":
            return emission.keep(f"abs({first.text})", "float", **without_sign(first))
        return emission.keep(f"({first.text} if {first.text} >= 0 else -{first.text})", "int")
    if function is bool:
        return Operand(f"({first.text} != {'0' if first.kind == 'int' else '0.0'})", "bool", first.is_early)
    if function is int and first.kind == "float" and not (first.is_number and abs(first.low) < EXACT > abs(first.high)):
        emission.stop_if(f"not (-{EXACT}.0 < {first.text} < {EXACT}.0)", first, node=node)
    if first.kind in (function.__name__, "mixed"):
        return first._replace(kind="float", whole="") if first.kind == "mixed" else first
    known: Known = {}
    if first.is_number and abs(first.low) < EXACT > abs(first.high):
        known = {"low": float(int(first.low)), "high": float(int(first.high)), "is_number": True}
    return emission.keep(f"{function.__name__}({first.text})", function.__name__, **known)


# --- entries of lists -------------------------------------------------------------------------------------------------

_NAMES: Final = (ArithmeticError, LookupError, bool, float, format, id, int, repr, str, type)
_BUILTINS: Final = {one.__name__: one for one in _NAMES}
_FORMATTED: Final = (str, NoneType)
METHODS: Final = (MethodType, BuiltinMethodType, MethodWrapperType)
_CONVERSIONS: Final = {-1: "{}", ord("s"): "str({})", ord("r"): "repr({})"}
_OTHER: Final = "of what is appended to a list numbers, words, and objects that are known are native"


class Entry:
    """What is appended to a list, and the like: the text of what makes it of numbers `n[0]`, `n[1]` ... and objects.

    numbers     their texts in the kernel, as floats; objects: by their names in that text
    """

    def __init__(self, expressions: BodyExpressions) -> None:
        self.numbers: list[str] = []
        self.objects: dict[str, object] = {}
        self._expressions = expressions

    def text(self, node: ast.expr) -> str:
        """The text of an expression. Raises Unknown."""
        if isinstance(node, ast.Tuple):
            return f"({''.join(f'{self.text(item)}, ' for item in node.elts)})"
        if isinstance(node, ast.List):
            return f"[{', '.join(map(self.text, node.elts))}]"
        if isinstance(node, ast.Dict):
            keys = [ast.unparse(key) for key in node.keys if isinstance(key, ast.Constant)]
            if len(keys) < len(node.keys):
                raise Unknown(_OTHER, node)
            return f"{{{', '.join(f'{key}: {self.text(item)}' for key, item in zip(keys, node.values, strict=True))}}}"
        if isinstance(node, ast.JoinedStr):
            return f"''.join([{', '.join(map(self._formatted, node.values))}])"
        naming = self._expressions.naming
        choice = naming.choice_named(node) if isinstance(node, ast.Attribute) else None
        if choice is not None and not self._expressions.is_inside:
            self.numbers.append(f"float(o_{choice.number})")
            return f"{choice.words!r}[int(n[{len(self.numbers) - 1}])]"
        noted, found = naming.noted(), self._expressions.kept(node)
        if isinstance(found, Thing) and found.root and not found.path and not self._expressions.is_inside:
            naming.take_back(noted)  # of whatever type it is
        return self.of(found, node)

    def of(self, found: Value, node: ast.expr) -> str:
        """The text of what an expression gives."""
        return self._number(found, node) if isinstance(found, Operand) else self.known(found, node)

    def known(self, thing: Thing, node: ast.expr) -> str:
        """The text of an object of Python."""
        naming = self._expressions.naming
        if not naming.is_lasting(thing):
            raise Unknown(_OTHER, node)
        return self.address(thing) if thing.root else self._known(thing.value)

    def address(self, thing: Thing) -> str:
        """The text of an object whose address the row has; it is passed like a number."""
        self.numbers.append(f"float({self._expressions.naming.address(thing)})")
        return f"object_at(int(n[{len(self.numbers) - 1}]))"

    def _known(self, value: object) -> str:
        name = f"o{len(self.objects)}"
        self.objects[name] = value
        return name

    def _number(self, operand: Operand, node: ast.expr) -> str:
        text = operand.text
        if operand.none and operand.kind != "object":
            known = self._number(operand._replace(kind=sure(operand.kind), none=""), node)
            self.numbers.append(f"float(int({operand.none}))")
            return f"(None if n[{len(self.numbers) - 1}] else {known})"
        if operand.kind == "object":
            if not (operand.is_borrowed or operand.is_made):
                self._expressions.emission.stop_if(f"{text} <= {UNMADE}", operand, node=node)
            self.numbers.append(f"float({text})")
            return f"object_at(int(n[{len(self.numbers) - 1}]))"
        if operand.is_constant or text in ("True", "False"):
            return f"({text})"
        is_exact = operand.is_number and max(abs(operand.low), abs(operand.high)) <= EXACT
        if operand.kind in ("int", "int64") and not is_exact:
            bad = f"{text} > {EXACT} or {text} < -{EXACT}"
            self._expressions.emission.stop_if(bad, operand, node=node)
        if operand.kind == "mixed":
            self.numbers += [text, f"float(int({operand.whole}))"]
            return "(int({0}) if {1} else {0})".format(*(f"n[{len(self.numbers) - k}]" for k in (2, 1)))
        whole = f"int({text})" if operand.kind == "bool" else text
        self.numbers.append(text if operand.kind == "float" else f"float({whole})")
        number = f"n[{len(self.numbers) - 1}]"
        if operand.kind == "int64":
            return f"{self._known(np.int64)}({number})"
        return {"float": number, "int": f"int({number})", "bool": f"({number} != 0.0)"}[operand.kind]

    def _formatted(self, node: ast.expr) -> str:
        """The text of a part of a text with values in it."""
        if not isinstance(node, ast.FormattedValue):
            return self.text(node)
        spec = ""
        if isinstance(node.format_spec, ast.JoinedStr):
            if not all(isinstance(part, ast.Constant) for part in node.format_spec.values):
                raise Unknown(_OTHER, node)
            spec = "".join(str(part.value) for part in node.format_spec.values if isinstance(part, ast.Constant))
        found = self._expressions.value(node.value)
        is_other = found.kind == "object" if isinstance(found, Operand) else type(found.value) not in _FORMATTED
        if is_other or node.conversion not in _CONVERSIONS:
            raise Unknown(_OTHER, node)
        return f"format({_CONVERSIONS[node.conversion].format(self.of(found, node.value))}, {spec!r})"


class EntryCode(NamedTuple):
    """The code that appends an entry to a list, or the like, and the objects of which it makes this."""

    code: CodeType
    objects: dict[str, object]

    def made(self) -> tuple[object, object]:
        """What makes the entry of its numbers and appends it, and where that leaves what it finds."""
        found: list[object] = [None]
        names = {"found": found, "object_at": object_at, **self.objects, "__builtins__": _BUILTINS}
        exec(self.code, names)  # noqa: S102  # our own text
        return names["entry"], found


def appended(expressions: BodyExpressions, called: Thing, node: ast.expr) -> None:
    """Write an append to a list. Raises Unknown for items that only Python can make."""
    naming, emission = expressions.naming, expressions.emission
    entry = Entry(expressions)
    text = entry.text(node)
    if text == "n[0]":  # a float
        emission.begin_effect(changes=True)
        emission.emit(_TELL.format(naming.address(called), entry.numbers[0]))
        return
    add = entry.address(called) if called.root else entry._known(called.value)
    emission.begin_effect(changes=True)
    emission.emit(told(naming, entry, f"{add}({text})")[0])


def told(naming: Naming, entry: Entry, call: str, *, finds: bool = False) -> tuple[str, str]:
    """The lines by which a call takes place, and the variable with the list of the number that it finds, if it does.

    Where it fails, or finds no number, only Python can do it, which meets whatever it was in the process.
    """
    done, found = called_with(naming, entry, f"{_FIND.format(call) if finds else f'    {call}'}\n    return 0.0")
    return f"if {done} != 0.0:\n    code = FAILED\n    break", found


def called_with(naming: Naming, entry: Entry, body: str) -> tuple[str, str]:
    """The call of a function with some lines that is given its numbers, and the variable with the list that it has."""
    code = EntryCode(compile(f"def entry(*n):\n{body}\n", "<eventide entry>", "exec"), entry.objects)
    texts = tuple(naming.address(Thing("", (), one)) for one in code.made()[: 1 + ("found[" in body)])
    naming.entries[texts] = code
    return f"call_builtin({', '.join([texts[0], *entry.numbers])})", texts[-1]


_FIND: Final = """    try:
        v = {}
    except (LookupError, ArithmeticError):
        v = None
    found[0] = v if type(v) in (int, float, bool) else None"""
_TELL: Final = "if tell({}, {}) != 0:\n    code = FAILED\n    break"
