"""The stepper's language: what is translated does what Python does, to the bit; the rest is refused by name."""

from __future__ import annotations

import itertools
import math
import random
import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from arrays import blank
from hypothesis import assume, given
from hypothesis import strategies as st

import eventide as ev
from eventide.engine import flow_queue, guard_signs, root_search, stepper
from eventide.engine.codes import (
    ABS,
    AND,
    CHOICE_OF,
    CONSTANT,
    MIDDLE,
    OR,
    RAISED_BY,
    REL,
    ROWS,
    STATE,
    TIME,
    WEAK,
    WHOLE_NEAR,
    Y0,
    P,
)
from eventide.engine.guard_signs import NEVER
from eventide.engine.interface import PLAIN
from eventide.engine.records import Arrays, GuardRecord
from eventide.native import engine as native
from eventide.native.calls import PLACES
from eventide.native.memory import AS_IT_STANDS
from eventide.native.outside import NEEDED
from eventide.native.packing import functions_at, placed
from eventide.native.statements import Translation
from eventide.native.store import Store
from eventide.native.values import Untranslatable

STORE = Store(None)
ENGINE = native.NativeEngine(Store.default())  # the whole stepper takes seconds to compile
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-300, 5e-324, 1e300, math.inf, -math.inf, math.nan]
numbers = st.one_of(st.sampled_from(SPECIAL), st.floats())


def translated(*functions: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The functions as native code."""
    text = native.program({function.__name__: function for function in functions})  # type: ignore[misc]  # they are
    return functions_at(STORE.load(text, NEEDED), [function.__name__ for function in functions])


def bits(value: Any) -> Any:
    """What two equal answers have in common: a number's bits, but one NaN is as good as another."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("d", value)
    return value


# --- the words of the language ---------------------------------------------------------------------------------------


def smallest(x: float, y: float, z: float) -> float:
    return min(x, y, z)


def largest(x: float, y: float, z: float) -> float:
    return max(x, y, z)


def clamp(x: float, y: float, z: float) -> float:
    return min(max(x, y), z)


def is_between(x: float, y: float, z: float) -> bool:
    return x < y <= z


def has_any(x: float, y: float, z: float) -> bool:
    return (x > 0.0 and y > 0.0) or not (x != z or y >= x)


def chosen(x: float, y: float, z: float) -> float:
    return x if y == z else -y if y < z else abs(z)


def reckoned(x: float, y: float, z: float) -> float:
    total = x * y - z
    total += (x + y) * 2
    total -= 3
    return total * 0.1


def divided(x: float, y: float, z: float) -> float:
    return (x + z) / y


def test_a_native_function_takes_its_own_kinds_of_arguments_and_no_others() -> None:
    (native_divided,) = translated(divided)
    assert native_divided(1, 2.0, Fraction(1, 2)) == 0.75
    with pytest.raises(TypeError, match="must be real number, not str"):
        native_divided("1", 2.0, 3.0)
    for arguments in [(), (1.0, 2.0), (1.0, 2.0, 3.0, 4.0)]:
        with pytest.raises(TypeError, match="bad argument"):
            native_divided(*arguments)


def test_native_code_gets_addresses_and_widths_of_arrays_whose_rows_stand_one_after_the_other() -> None:
    _, places = functions_at(STORE.load(native.program({"divided": divided}), NEEDED), ("divided", PLACES))  # type: ignore[dict-item]
    arrays = [np.zeros((3, 5)), np.zeros(4, np.int64), np.zeros((0, 7)), np.zeros((2, 3, 4))]
    found = placed([*arrays[:3], memoryview(arrays[3])], places).tolist()
    assert found[1::2] == [5, 4, 7, 4]
    assert [found[k] for k in (0, 2, 6)] == [arrays[k].ctypes.data for k in (0, 1, 3)]
    with pytest.raises(ValueError, match="not C-contiguous"):
        placed([np.zeros((4, 4))[:, ::2]], places)
    with pytest.raises(TypeError, match="bytes-like"):
        placed([1.0], places)


def error_of_sum(x: float, y: float, z: float) -> float:
    total, error = both(x, y)
    return error if total == z else total


def both(x: float, y: float) -> tuple[float, float]:
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def counted(x: float, y: float, z: float) -> int:
    kept = 0
    for k in range(3):
        if x > y + k:
            continue
        kept += k + 1
    for k in range(5, 0, -2):
        kept = 10 * kept + k
        if kept > 500:
            break
    while kept > 7 and z > 0.0:
        kept = kept // 2
    return kept


def given_one_by_one(x: float, y: float, z: float) -> float:
    best = z
    for one in (x, y):
        best = min(best, one)
    return best


OF_THREE = [
    smallest,
    largest,
    clamp,
    is_between,
    has_any,
    chosen,
    reckoned,
    divided,
    error_of_sum,
    counted,
    given_one_by_one,
]
NATIVE = dict(zip(OF_THREE, translated(*OF_THREE), strict=True))


@pytest.mark.parametrize("function", OF_THREE)
def test_functions_of_three_numbers(function: Callable[..., Any]) -> None:
    """On every threesome of special numbers: order of arguments, signs of zeros and NaN count."""
    wrong = []
    for given_numbers in itertools.product(SPECIAL, repeat=3):
        if function is divided and given_numbers[1] == 0.0:  # Python refuses what the machine answers
            continue
        expected, got = function(*given_numbers), NATIVE[function](*given_numbers)
        if bits(expected) != bits(got) or type(expected) is not type(got):
            wrong.append((given_numbers, expected, got))
    assert wrong == []


@pytest.mark.slow
@given(st.sampled_from(OF_THREE), numbers, numbers, numbers)
def test_functions_of_any_three_numbers(function: Callable[..., Any], x: float, y: float, z: float) -> None:
    assume(function is not divided or y != 0.0)
    assert bits(NATIVE[function](x, y, z)) == bits(function(x, y, z))


def half(n: int) -> int:
    return n // 2


def parent(n: int) -> int:
    return (n - 1) // 4


def is_less(n: int) -> bool:
    return -n < 3 * n - 5


def to_real(n: int) -> float:
    return n / 4 + n


def cut(x: float) -> int:
    return int(x)


def power(x: float) -> float:
    return abs(x) ** 0.2


OF_ONE = [half, parent, is_less, to_real, cut, power]
NATIVE.update(zip(OF_ONE, translated(*OF_ONE), strict=True))


@given(st.sampled_from([half, parent, is_less, to_real]), st.integers(-(2**40), 2**40))
def test_functions_of_whole_numbers(function: Callable[..., Any], n: int) -> None:
    assert bits(NATIVE[function](n)) == bits(function(n))


@given(st.sampled_from([cut, power]), st.floats(-1e15, 1e15))
def test_numbers_cut_and_raised(function: Callable[..., Any], x: float) -> None:
    assert bits(NATIVE[function](x)) == bits(function(x))


# --- functions of the stepper itself ---------------------------------------------------------------------------------

SHARES = [root_search.share_of_root, root_search.root_of_cubic, root_search.pushed]


def test_the_guesses_of_the_search() -> None:
    source = random.Random(1)
    owns = translated(*SHARES)
    special = [0.0, 1e-300, math.inf, -math.inf, math.nan]
    for _ in range(3000):
        low, high = -(10.0 ** source.uniform(-12, 3)), 10.0 ** source.uniform(-12, 3)
        slopes = [source.choice([*special, source.gauss(0, 2), source.gauss(0, 2)]) for _ in range(2)]
        third = source.gauss(0.0, 3.0)
        # `pushed` takes five numbers, and all of them make sense.
        for function, own, arguments in zip(
            SHARES,
            owns,
            ((low, high, *slopes), (low, *slopes, third), (low, high - low, 0.3 * low, abs(third), third)),
            strict=True,
        ):
            assert bits(own(*arguments)) == bits(function(*arguments)), (function.__name__, arguments)


@pytest.mark.slow
def test_the_heap_of_flows() -> None:
    """Thousands of insertions, removals and changes: after each, both heaps are the same, and the least is first."""
    count, source = 40, random.Random(2)
    plain, packed = blank(flows=count), blank(flows=count)
    (views, _), (address, _kept) = PLAIN.pack(plain), ENGINE._pack(packed)
    functions = [flow_queue.insert, flow_queue.remove, flow_queue.sift_up, flow_queue.sift_down]
    owns = dict(zip(functions, translated(*functions), strict=True))
    for _ in range(3000):
        flow = source.randrange(count)
        place = int(plain.places[flow])
        key = source.choice([source.random(), 0.25, 0.5, math.inf])
        function, argument = (
            (flow_queue.remove, flow) if place >= 0 and source.random() < 0.4 else (flow_queue.insert, flow)
        )
        if place >= 0 and function is flow_queue.insert:
            function = flow_queue.sift_up if key < plain.flow.key[flow] else flow_queue.sift_down
            argument = place
        if function is not flow_queue.remove:
            plain.flow.key[flow] = packed.flow.key[flow] = key
        function(views, argument)
        owns[function](address, argument)
        held = plain.run.flows
        assert held == packed.run.flows == (plain.places >= 0).sum()
        assert plain.heap[:held].tolist() == packed.heap[:held].tolist()
        assert plain.places.tolist() == packed.places.tolist()
        standing = [(float(plain.flow.key[f]), int(f)) for f in plain.heap[:held]]
        assert [key for key, _ in standing] == plain.keys[:held].tolist() == packed.keys[:held].tolist()
        assert [f for _, f in standing] == sorted(plain.heap[:held], key=plain.places.__getitem__)
        assert all(standing[(place - 1) // 4] < standing[place] for place in range(1, held))


@pytest.mark.slow
def test_the_signs_of_comparisons() -> None:
    """Random expressions of random polynomials on random parts of a step, numbers that are none among them."""
    source = random.Random(3)
    (own,), engine = translated(guard_signs.sign_within), ENGINE
    codes = [STATE, STATE, TIME, *range(RAISED_BY, WHOLE_NEAR + 1)]
    seen: dict[int, int] = {}
    for _ in range(3000):
        plain, packed = blank(), blank()
        lines = [(CONSTANT, 0, 0, 0), (STATE, 0, 0, 0)]
        for k in range(2, source.randint(3, 9)):
            code = source.choice(codes)
            parts = [0, 0] if code == STATE else [source.randrange(k) for _ in range(2)]
            third = source.randrange(k) if code == CHOICE_OF else source.randrange(3)
            lines.append((code, *parts, third))
        leaves = [source.randrange(len(lines)) for _ in range(source.randint(1, 3))]
        leaves = [leaf + source.choice([0, WEAK]) for leaf in leaves]
        words = [leaves[0]]
        for leaf in leaves[1:]:
            words += [leaf, source.choice([AND, OR])]
        certificate = [len(lines), len(words), *(number for line in lines for number in line), *words]
        stills = [source.choice([source.gauss(0.0, 2.0), 0.5, 2.0, -1.0]) for _ in range(3)]
        if source.random() < 0.1:
            stills[source.randrange(3)] = source.choice([math.inf, math.nan, 0.0])
        path = [source.gauss(source.choice([-2.0, 0.0, 2.0]), 1.0), *(source.gauss(0.0, 0.5) for _ in range(5))]
        for each in (plain, packed):
            each.lists[: len(certificate)] = certificate
            for k, still in enumerate(stills):
                each.guard.still[0, k] = still
            each.rows[Y0, 0], each.rows[P : P + 5, 0] = path[0], path[1:]
            each.flow.start[0], each.flow.step[0], each.flow.end[0] = 3.0, 0.5, 3.5
            each.segments[0] = 0, 1
            each.flow.segments_hi[0] = 1
        (views, _), (address, _kept) = PLAIN.pack(plain), engine._pack(packed)
        low = source.choice([0.0, source.random()])
        high = source.choice([1.0, low + (1.0 - low) * source.random()])
        answer = guard_signs.sign_within(views, 0, 0, low, high)
        assert own(address, 0, 0, low, high) == answer
        assert [bits(x) for x in packed.models.tolist()] == [bits(x) for x in plain.models.tolist()]
        seen[answer] = seen.get(answer, 0) + 1
    assert min(seen.get(answer, 0) for answer in (-1, 0, 1, 2)) > 20


@pytest.mark.slow
def test_the_worst_error_among_slots() -> None:
    """Stretches of any length at any place, with errors that are none, infinite, zero, and just within."""
    source = random.Random(5)
    (own,), engine = translated(stepper.least_ratio), ENGINE
    met: dict[str, int] = {}
    for _ in range(2000):
        slots = source.randrange(1, 24)
        low = source.randrange(slots)
        high = source.randrange(low, slots + 1)
        plain, packed = (blank(np.zeros((ROWS, slots))) for _ in range(2))
        errors = [source.choice([1.0, 0.25, -0.5]) * source.random() for _ in range(slots)]
        for _ in range(source.choice([0, 0, 0, 1, 2])):
            errors[source.randrange(slots)] = source.choice([math.nan, math.inf, 1e301, 0.0, -0.0, 0.0625, -0.0625])
        tolerances = [source.choice([1.0, 1.0, 4.0, 0.0]) for _ in range(slots)]
        states = [source.choice([0.0, 0.0, 1.0, -3.0]) for _ in range(slots)]
        for each in (plain, packed):
            each.rows[P], each.rows[ABS], each.rows[REL], each.rows[MIDDLE] = errors, tolerances, -0.5, states
            each.flow.worst[0] = -1
        (views, _), (address, _kept) = PLAIN.pack(plain), engine._pack(packed)
        ratio = source.choice([16.0, 2.0, 64.0])
        answer = stepper.least_ratio(views, 0, low, high, ratio)
        assert bits(own(address, 0, low, high, ratio)) == bits(answer)
        worst = int(plain.flow.worst[0])
        assert packed.flow.worst[0] == worst
        kind = "none" if worst < 0 else "nothing" if answer == 0.0 else "one"
        met[kind] = met.get(kind, 0) + 1
    assert min(met.get(kind, 0) for kind in ("none", "nothing", "one")) > 100


# --- what is refused -------------------------------------------------------------------------------------------------


def makes_a_list(x: float) -> float:
    return sum([x, x])


def says(x: float) -> float:
    return "x"  # type: ignore[return-value]


def takes_the_rest(n: int) -> int:
    return n % 3


def divides_by_three(n: int) -> int:
    return n // 3


def divides_reals(x: float) -> float:
    return x // 2


def looks_into(x: float) -> bool:
    return x in (1.0, 2.0)


def looks_into_an_array(a: Arrays, f: int) -> bool:
    return f in a.heap


def is_nothing(x: float) -> bool:
    return x is None


def loops_with_else(x: float) -> float:
    while x > 1.0:
        if x == 7.0:
            break
        x = x / 2.0
    else:
        x = 3.0
    return x + 1.0


def counts_with_else(x: float) -> float:
    for _ in range(3):
        if x == 7.0:
            break
        x = x / 2.0
    else:
        x = 3.0
    return x + 1.0


def leaves_a_tuple(x: float) -> float:
    for one in (x, 2.0):
        if one > 1.0:
            break
    return one


def goes_over(x: float) -> float:
    for one in [x, 2.0]:
        x = x + one
    return x


def raises(x: float) -> float:
    if x < 0.0:
        raise ValueError
    return x


def calls_with_names(x: float) -> float:
    return smallest(x=x, y=x, z=x)


def calls_a_stranger(x: float) -> float:
    return math.sin(x)


def calls_nobody(x: float) -> float:
    return unheard_of(x)  # type: ignore[name-defined,no-any-return]  # noqa: F821


def reads_nobody(x: float) -> float:
    return x + unheard_of  # type: ignore[name-defined,no-any-return]  # noqa: F821


def reads_no_array(a: Arrays) -> float:
    return a.columns[0]  # type: ignore[attr-defined,no-any-return]


def sets_no_item(a: Arrays) -> None:
    a.rows = 1.0  # type: ignore[misc]


def reads_no_column(a: Arrays, f: int) -> float:
    return a.flow.kye[f]  # type: ignore[attr-defined,no-any-return]


def reads_a_column_by_two(a: Arrays, f: int) -> float:
    return a.flow.key[f, 1]


def reads_a_block_by_one(a: Arrays, f: int) -> float:
    return a.guard.still[f]


def reads_beyond_a_block(a: Arrays, f: int) -> int:
    return a.slot.user[f, 3]


def counts_nothing(a: Arrays) -> None:
    a.run.flwos = 1  # type: ignore[attr-defined]


def keeps_the_arrays(a: Arrays) -> None:
    b = a.rows  # noqa: F841
    c = sets_no_item(a)  # type: ignore[func-returns-value]  # noqa: F841


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (makes_a_list, "sum is no function of the stepper"),
        (says, "'x' is no number"),
        (takes_the_rest, "Mod of i64 and i64"),
        (divides_by_three, "FloorDiv of i64 and i64"),
        (divides_reals, "FloorDiv of double and i64"),
        (looks_into, "1.0 among others: `in` looks for whole numbers only"),
        (looks_into_an_array, "In of i64 and ptr"),
        (is_nothing, "None is no number"),
        (loops_with_else, "the else of a loop: x = 3.0"),
        (counts_with_else, "the else of a loop: x = 3.0"),
        (leaves_a_tuple, "break and continue in a loop over (x, 2.0)"),
        (goes_over, "a loop over [x, 2.0]"),
        (raises, "raise ValueError is no statement of the stepper's language"),
        (calls_with_names, "smallest(x=x, y=x, z=x) is no call of the stepper's language"),
        (calls_a_stranger, "math.sin(x) is no call of the stepper's language"),
        (calls_nobody, "unheard_of is no function of the stepper"),
        (reads_nobody, "unheard_of is neither a variable nor a number"),
        (reads_no_array, "no array is called columns"),
        (sets_no_item, "a.rows cannot be assigned"),
        (reads_no_column, "a.flow.kye is no column"),
        (reads_a_column_by_two, "a.flow.key[f, 1] has 2 indices"),
        (reads_a_block_by_one, "a.guard.still[f] has 1 indices"),
        (reads_beyond_a_block, "a.slot.user[f, 3] is beyond the 2 columns of that name"),
        (counts_nothing, "a.run has no field flwos"),
        (keeps_the_arrays, "c cannot be a variable: it is a void"),
    ],
    ids=lambda value: getattr(value, "__name__", "words"),
)
def test_what_has_no_translation_is_refused_by_name(function: Any, words: str) -> None:
    with pytest.raises(Untranslatable) as caught:
        Translation(function, {})
    assert str(caught.value) == words


def turns_in_three_ways(a: Arrays, n: int) -> int:
    total = 0
    for i in range(n):
        if i == 2:
            continue
        total += i
    while total > 3:
        if total == 7:
            total -= 2
            continue
        total -= 1
    return total


def uses_records(a: Arrays, f: int) -> float:
    a.flow.steps[f] += 2
    a.guard.still[0, f + 1] = a.flow.key[f] / 4.0
    a.run.flows, a.run.work = a.flow.steps[f], a.run.work + 1.5
    return a.guard.still[0, f + 1] + a.run.flows


def test_records_are_the_same_in_python_and_natively() -> None:
    (own,), seen = translated(uses_records), []
    for compiled in (False, True):
        arrays = blank(flows=3)
        arrays.flow.key[1], arrays.flow.steps[1] = 3.0, 40
        (views, _), (address, _kept) = PLAIN.pack(arrays), ENGINE._pack(arrays)
        answer = own(address, 1) if compiled else uses_records(views, 1)
        run, floats, ints = arrays.run, arrays.flow.floats.tolist(), arrays.flow.ints.tolist()
        seen.append((answer, run.flows, run.work, floats, ints, arrays.guard.floats.tolist()))
    assert seen[0] == seen[1]
    assert seen[0][:3] == (42.75, 42, 1.5)
    assert seen[0][-1][0][GuardRecord.place_of("still") :][:3] == [0.0, 0.0, 0.75]


FOUR = 4


def is_one_of(a: Arrays, n: int, other: int) -> int:
    if n in (NEVER, other):
        return 1
    return 2 if n not in (3, other + 4, FOUR) else 3


def test_a_whole_number_is_looked_for_among_others() -> None:
    (native_one,) = translated(is_one_of)
    numbers = range(-3, 8)
    found = [native_one(0, n, other) for n in numbers for other in numbers]
    assert found == [is_one_of(None, n, other) for n in numbers for other in numbers]
    assert set(found) == {1, 2, 3}


@pytest.mark.slow
def test_loops_of_the_stepper_are_not_unrolled() -> None:
    # That takes longer to compile, and makes nothing faster.
    text = Translation(turns_in_three_ways, {}).text
    turns = [line for line in text.splitlines() if AS_IT_STANDS in line]
    assert len(turns) == 4
    assert turns[0].strip().startswith("br label")
    (turn,) = translated(turns_in_three_ways)
    assert [turn(0, n) for n in range(8)] == [turns_in_three_ways(None, n) for n in range(8)]


def test_two_functions_of_one_name_are_refused() -> None:
    # One would be called for the other without a word.
    def first_due(a: Arrays, f: int, best: int) -> int:
        return best

    assert native.program({"choose": PLAIN.choose}).count("define internal i64 @first_due(") == 1
    with pytest.raises(Untranslatable, match="two functions of the stepper are called first_due"):
        native.program({"choose": PLAIN.choose, "first_due": first_due})


class Opening(ev.Continuous):
    """Its rate has no value where the run begins, and one from there on."""

    x: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.x = math.sin(self.sim.time) / self.sim.time if self.sim.time else math.nan


@pytest.mark.slow
@pytest.mark.parametrize("compiled", ["auto", False])
@pytest.mark.parametrize("method", [None, "dop853", "radau", "rk43"])
def test_no_step_is_so_short_that_a_rate_without_a_value_does_not_count(compiled: Any, method: Any) -> None:
    sim = ev.Simulation(compile=compiled, method=method)
    Opening(sim, name="opening").start()
    with pytest.raises(ev.SimulationError, match=r"The rate of opening\.x is nan where the step begins"):
        sim.run(until=1.0)
    assert sim.time == 0.0
