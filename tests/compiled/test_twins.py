"""Twins: generators that begin where another one of their function stands, and that nobody can tell from it."""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Generator
from typing import Any

import pytest
from compiled.random_generators import check, finish, transcript

from eventide.reading.generators import cells_of, function_of, is_held_elsewhere, locals_of, successor_of
from eventide.reading.source import SourceBook
from eventide.reading.twins import Entry, GoingOn, Twin

Story = Generator[Any, Any, Any]
BOOK = SourceBook()


def twin_of(function: Any) -> Twin:
    return Twin(BOOK.definition(function, yields=True), function)


def yields_of(twin: Twin) -> list[int]:
    """The places of the yields, in the order of the text."""
    nodes = [node for node in twin.places if isinstance(node, ast.Yield | ast.YieldFrom)]
    return [twin.places[node] for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset))]


def begun(generator: Any, place: int, **given: Any) -> Any:
    """A twin of a suspended generator."""
    function = function_of(generator)
    assert function is not None
    twin, values = twin_of(function), locals_of(generator)
    cells = cells_of(generator, twin, values)
    assert cells is not None
    return twin.begin(function, cells, Entry(place, values, **given))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_random_generators_go_on_in_their_twins(seed: int) -> None:
    check(seed)


@pytest.mark.slow
def test_many_random_generators_go_on_in_their_twins() -> None:
    results = [check(seed) for seed in range(1000, 1080)]
    assert results.count("there") > 48
    assert results.count("behind") > 3


def chosen(first: bool, second: bool) -> Story:
    found = (yield 1) if first else ((yield 2) if second else (yield 3))
    yield found


@pytest.mark.parametrize(("first", "second", "place"), [(True, True, 0), (False, True, 1), (False, False, 2)])
def test_a_twin_begins_at_a_yield_that_a_test_chooses(first: bool, second: bool, place: int) -> None:
    original = chosen(first, second)
    next(original)
    for other in range(3):  # it stands where it is asked to, whatever the tests say by now
        assert begun(original, yields_of(twin_of(chosen))[other]).send("sent") == "sent"
    assert original.send(place) == place


def told(turns: int) -> Story:
    phase = "begin"

    def tell() -> str:
        return phase

    for turn in range(turns):
        yield tell
        phase = f"turn {turn}"
        yield tell(), phase


def test_functions_made_before_see_what_the_twin_changes() -> None:
    original = told(3)
    tell = next(original)
    other = begun(original, yields_of(twin_of(told))[0], iterators={3: iter([7, 8])})
    assert next(other) == ("turn 0", "turn 0")
    assert tell() == "turn 0"
    next(other)
    assert next(other) == ("turn 7", "turn 7")
    assert tell() == "turn 7"


class Base:
    def named(self) -> str:
        return "base"


class Derived(Base):
    __secret = "secret"

    def named(self) -> str:
        return "derived"

    def plain(self) -> Story:
        yield 1
        yield super().named(), self.__secret, __class__.__name__  # type: ignore[name-defined]  # the class that is made

    def shared(self) -> Story:
        yield lambda: self
        yield super().named(), self.__secret, self.named()


@pytest.mark.parametrize(("name", "third"), [("plain", "Derived"), ("shared", "derived")])
def test_methods_keep_their_class(name: str, third: str) -> None:
    original = getattr(Derived(), name)()
    next(original)
    other = begun(original, yields_of(twin_of(getattr(Derived, name)))[0])
    assert other.__qualname__ == f"Derived.{name}"
    assert next(other) == ("base", "secret", third)


def delegates(inner: Any) -> Story:
    found = yield from inner
    yield "found", found
    return found


def adds() -> Story:
    total = 0
    while (got := (yield total)) is not None:
        total += got
    return f"sum {total}"


def test_an_inner_generator_goes_on_itself_and_its_tracebacks_show_nothing_else() -> None:
    inner = adds()
    original = delegates(inner)
    next(original)
    original.send(5)
    place = yields_of(twin_of(delegates))[0]
    other = begun(original, place, inner=GoingOn(inner))
    assert other.gi_yieldfrom.inner is inner
    assert other.send(7) == 12
    assert next(other) == ("found", "sum 12")
    inner = adds()
    original = delegates(inner)
    next(original)
    other = begun(original, place, inner=GoingOn(inner))
    with pytest.raises(KeyError) as met:
        other.throw(KeyError("thrown"))
    assert [frame.name for frame in traceback.extract_tb(met.value.__traceback__)][1:] == ["delegates", "adds"]


def handles(log: list[Any]) -> Story:
    try:
        raise ValueError("first")
    except (ValueError, KeyError) as error:
        log.append(error)
        yield sys.exc_info()[1]
        raise
    finally:
        yield sys.exc_info()[1]


def lines(error: BaseException) -> list[int]:
    first = handles.__code__.co_firstlineno
    frames = traceback.extract_tb(error.__traceback__)
    return [frame.lineno - first for frame in frames if frame.name == "handles" and frame.lineno]


def test_a_handled_error_is_what_it_was() -> None:
    log: list[Any] = []
    original = handles(log)
    error = next(original)
    before = error.__traceback__
    (number,) = [n for node, n in twin_of(handles).places.items() if isinstance(node, ast.Try)]
    other = begun(original, yields_of(twin_of(handles))[0], errors={number: error})
    finish(original)
    assert (error.__traceback__, error.__context__) == (before, None)
    assert next(other) is error
    with pytest.raises(ValueError, match="first") as met:
        next(other)
    assert met.value is error
    assert lines(error) == [2]


def waits(items: Any) -> Story:
    for item in items:
        if item > 1:
            yield item
        x = (
            item
            + 1
        )  # fmt: skip
        yield x
    while True:
        yield 5


def test_a_debugger_sees_the_lines_of_the_original() -> None:
    def traced(make: Any) -> list[tuple[int, str]]:
        seen: list[tuple[int, str]] = []

        def trace(frame: Any, event: str, argument: Any) -> Any:
            if frame.f_code.co_name == "waits":
                seen.append((frame.f_lineno - waits.__code__.co_firstlineno, event))
            return trace

        generator, before = make(), sys.gettrace()
        sys.settrace(trace)
        try:
            for _ in range(4):
                next(generator)
        finally:
            sys.settrace(before)
        return seen

    def original() -> Any:
        generator = waits(items)
        next(generator)
        return generator

    items = iter([2, 3])
    (number,) = [n for node, n in twin_of(waits).places.items() if isinstance(node, ast.For)]
    expected = traced(original)
    items = iter([2, 3])
    assert traced(lambda: begun(original(), yields_of(twin_of(waits))[0], iterators={number: items})) == expected


def closes(log: list[Any], rooms: dict[str, Any]) -> Story:
    for rooms["item"] in [1]:
        yield 1
    log.append((yield 2))
    log.append(3)


def test_where_no_twin_can_begin_is_told() -> None:
    twin = twin_of(closes)
    assert sorted((node.lineno - closes.__code__.co_firstlineno, why) for node, why in twin.closed.items()) == [
        (2, "what is given a value before it is no plain name"),
        (2, "what is given a value before it is no plain name"),
        (3, "its statement evaluates something else before it"),
    ]


def test_something_that_is_missing_is_an_error() -> None:
    original = told(3)
    next(original)
    with pytest.raises(KeyError):
        begun(original, yields_of(twin_of(told))[0])
    with pytest.raises(RuntimeError, match="told has no place 999"):
        begun(original, 999)


def test_variables_that_have_no_value_have_none_in_the_twin() -> None:
    original = waits([])
    next(original)
    other = begun(original, yields_of(twin_of(waits))[2])
    assert locals_of(other) == locals_of(original) == {"items": []}
    assert transcript(other, [None], [])[0][0][1] == 5


class Holder:
    def __init__(self, generator: Any) -> None:
        self._generator = self._receiver = generator


def test_who_else_has_a_generator_is_noticed() -> None:
    holder = Holder(waits([2]))
    next(holder._generator)
    assert not is_held_elsewhere(holder)
    kept = [holder._generator] * 2
    assert is_held_elsewhere(holder)
    del kept
    frame = holder._generator.gi_frame
    assert is_held_elsewhere(holder)
    del frame
    assert not is_held_elsewhere(holder)


def test_a_successor_of_a_successor_has_the_same_variables() -> None:
    original = told(3)
    tell = next(original)
    twin = twin_of(told)
    (statement,) = [node for node in twin.places if isinstance(node, ast.FunctionDef)]
    other = successor_of(original, twin, Entry(twin.places[statement], {}))
    again = successor_of(other, twin, Entry(twin.places[statement], {}))
    assert locals_of(again) == {"turns": 3, "phase": "begin", "tell": tell, "turn": 0}
    assert function_of(again) is told
    assert next(again)() == "begin"


def test_functions_made_in_a_twin_have_the_code_of_the_original() -> None:
    original = told(2)
    tell = next(original)
    (statement,) = [node for node in twin_of(told).places if isinstance(node, ast.FunctionDef)]
    other = successor_of(original, twin_of(told), Entry(twin_of(told).places[statement], {}))
    made = next(other)
    assert made is not tell
    assert made.__code__ is tell.__code__


def again(turns: int, made: list[str]) -> Story:
    yield turns
    made.append(again.__name__ if turns else Countdown.__name__)
    if turns:
        yield from again(turns - 1, made)


class Countdown:
    """Refers to itself, and has a private name."""

    def __init__(self, turns: int) -> None:
        self.__turns = turns

    def run(self) -> Story:
        yield self.__turns
        if self.__turns:
            yield from Countdown(self.__turns - 1).run()


def test_what_refers_to_itself_by_its_name_has_twins() -> None:
    made: list[str] = []
    functions: dict[Any, Any] = {again: again(2, made), Countdown.run: Countdown(2).run()}
    for function, original in functions.items():
        assert next(original) == 2
        told = begun(original, yields_of(twin_of(function))[0])
        assert list(told) == [1, 0]
        assert told.gi_code.co_name == original.gi_code.co_name
    assert made == ["again", "again", "Countdown"]
