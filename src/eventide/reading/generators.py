"""Suspended generators: their function, the values of their variables, and the cells that other functions share.

They are found among what the collector is told that a generator refers to, and compared with what its frame says.
"""

from __future__ import annotations

import gc
import sys
from itertools import chain, repeat
from types import CellType, FunctionType, GeneratorType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from eventide.reading.twins import GoingOn, inner_of, original_function

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from eventide.reading.twins import Entry, Twin

Suspended: TypeAlias = "GeneratorType[object, object, object]"


def function_of(generator: GeneratorType[object, object, object]) -> FunctionType | None:
    """The function that a suspended generator executes, of a twin that of the user's; None if it is not to be had."""
    function = _executed(generator)
    return None if function is None else original_function(function)


def locals_of(generator: Any, function: FunctionType | None = None) -> dict[str, object]:
    """The local variables of a suspended generator that have values, without what it closes over.

    function    that it executes, if that is known already
    """
    function = function or function_of(generator)
    code = generator.gi_code if function is None else function.__code__
    seen = generator.gi_frame.f_locals
    values = {name: value for name, value in seen.items() if name not in code.co_freevars and name[0] != "."}
    if type(seen) is dict:
        seen.clear()  # it would keep alive what it refers to
    return values


def cells_of(
    generator: Suspended, twin: Twin, values: Mapping[str, object], executed: FunctionType | None = None
) -> dict[str, CellType] | None:
    """The cells of the variables that a suspended generator shares with other functions, by name.

    values      of its local variables
    executed    the function that it executes, or the twin of that, if it is known already
    Returns     None if they are not to be had
    """
    function = executed or _executed(generator)
    if function is None:
        return None
    closed_over = function.__code__.co_freevars
    cells = dict(zip(closed_over, function.__closure__ or (), strict=True))
    if not twin.kept or original_function(function) is not function:  # those of a twin are all outside
        return cells
    found = [item for item in gc.get_referents(generator) if type(item) is CellType]
    for names in (twin.kept, twin.shared):  # a comprehension's may be there, or not
        own = dict(zip(names, found, strict=False))
        is_whole = len(found) == len(names) + len(closed_over)
        if is_whole and all(_holds(cell, name, values) for name, cell in own.items()):
            return {**cells, **own}
    return None


def cells_at(generator: Suspended) -> dict[str, CellType]:
    """The cells of the innermost of the generators where a twin is suspended, by name."""
    function = _executed(chain_of(generator)[-1])
    assert function is not None
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def chain_of(generator: Suspended) -> list[Suspended]:
    """A suspended generator, and those that it is in the middle of by `yield from`, the innermost last."""
    found = [generator]
    while found[-1].gi_yieldfrom is not None and type(inner := inner_of(found[-1])) is GeneratorType:
        found.append(inner)
    return found


def successor_of(generator: Suspended, twin: Twin, entry: Entry, absent: Iterable[str] = ()) -> Suspended:
    """A generator that goes on for a suspended one at a place of the twin, with its variables.

    entry   the place, and what it finds there; of variables only those that have other values by now
    absent  those that have none
    Raises ValueError if the function and the cells of the generator are not to be had.
    """
    executed = _executed(generator)
    function = executed and original_function(executed)
    before = locals_of(generator, function)
    cells = cells_of(generator, twin, before, executed)
    if function is None or cells is None:
        raise ValueError(f"what {generator!r} shares with other functions cannot be found")
    entry.values = values = {**before, **entry.values}
    for name in absent:
        values.pop(name, None)
    for name in twin.shared:
        if not _holds(cells[name], name, values):
            _fill(cells[name], name, values)
    made = twin.begin(function, cells, entry)
    made.__name__ = generator.__name__
    return made


class _Sample:
    """Holds a generator as a process does."""

    def __init__(self) -> None:
        self._generator: Any = (item for item in "")
        self._receiver = self._generator


class Holder(Protocol):
    """What has a suspended generator, as a process does."""

    _generator: Any


def is_held_elsewhere(process: Holder) -> bool:
    """Whether anything but a process, and the run loop, refers to its suspended generator or the frame of that.

    What one count of references is depends on the version of Python; so that of a new generator is the measure.
    """
    references, frames = _counts(process)
    if references > _FEWEST[0] + 1 or (frames > _FEWEST[1] and frames > _FEWEST[1] + _traced(process._generator)):
        return True
    return _is_inner_held(process._generator)


def _counts(holder: Holder) -> tuple[int, int]:
    """How many references there are to a generator that is held, and to its frame."""
    return sys.getrefcount(holder._generator), sys.getrefcount(holder._generator.gi_frame)


_FEWEST: Final = _counts(_Sample())


def _is_inner_held(outer: Suspended) -> bool:
    """The same of the generators that another one is in the middle of by `yield from`."""
    if outer.gi_yieldfrom is None:
        return False
    sample = _sample_of(is_going_on=type(outer.gi_yieldfrom) is GoingOn)
    if sys.getrefcount(outer.gi_yieldfrom) > sys.getrefcount(sample.gi_yieldfrom):
        return True
    inner, like = inner_of(outer), inner_of(sample)
    if type(inner) is not GeneratorType or type(like) is not GeneratorType:
        return False  # no process becomes a row there
    count, most = sys.getrefcount(inner), sys.getrefcount(like)
    return count > most or _has_frame_elsewhere(inner, like) or _is_inner_held(inner)


def _sample_of(*, is_going_on: bool) -> Suspended:
    """A generator in the middle of another to which nothing refers."""
    inner = _waiting()
    inner.send(None)
    made = _through([GoingOn(inner) if is_going_on else inner])
    made.send(None)
    assert isinstance(made, GeneratorType)
    return made


def _through(inner: list[Iterable[object]]) -> Generator[object, None, None]:
    yield from inner.pop()


def _waiting() -> Generator[None, None, None]:
    while True:
        yield


def _has_frame_elsewhere(generator: Suspended, sample: Suspended) -> bool:
    """Whether anything but the tracebacks of errors that it handles refers to the frame of a generator."""
    frames = sys.getrefcount(generator.gi_frame), sys.getrefcount(sample.gi_frame)
    more = _traced(generator) if frames[0] > frames[1] else 0
    return frames[0] > frames[1] + more


def _traced(generator: GeneratorType[object, object, object]) -> int:
    """How often tracebacks of errors name the frame of a suspended generator that handles them, and alone has them."""
    found, frame, count = gc.get_referents(generator), generator.gi_frame, 0
    errors = {id(item): item for item in found if isinstance(item, BaseException)}
    for error in errors.values():
        # The generator and the list refer to it each as often; and a variable, a table and an argument here.
        if sys.getrefcount(error) > 2 * sum(item is error for item in found) + 3:
            return 0
        traceback = error.__traceback__
        while traceback is not None:
            count += traceback.tb_frame is frame
            traceback = traceback.tb_next
    return count


def _fill(cell: CellType, name: str, values: Mapping[str, object]) -> None:
    """Let a cell have the value of a variable, or none if that has none."""
    if name in values:
        cell.cell_contents = values[name]
    else:
        del cell.cell_contents


def _executed(generator: GeneratorType[object, object, object]) -> FunctionType | None:
    for item in gc.get_referents(generator):
        if type(item) is FunctionType and item.__code__ is generator.gi_code:
            return item
    return None


def _holds(cell: CellType, name: str, values: Mapping[str, object]) -> bool:
    """Whether a cell has the value of a variable, or none if that has none."""
    try:
        value = cell.cell_contents
    except ValueError:
        return name not in values
    return name in values and value is values[name]


# --- iterators of loops -----------------------------------------------------------------------------------------------


_RANGE: Final = type(iter(range(1)))
_TUPLE: Final = type(iter(()))
_LIST: Final[type] = type(iter([]))


class Rest(NamedTuple):
    """What an iterator has left: of a range; or of a list or a tuple from a place on, with its address, and 0.

    start   what `enumerate` adds to the place; None where items are not counted
    zipped  the addresses of all lists and tuples, where `zip` goes through several
    """

    begin: int
    end: int
    step: int
    start: int | None = None
    zipped: tuple[int, ...] = ()


def iterators_in(referents: Iterable[object], *, also_of_items: bool) -> list[object]:
    """The iterators over ranges, and over lists and tuples, that loops go through, those of twins by way of chains."""
    kinds = (_RANGE, _LIST, _TUPLE, enumerate, zip) if also_of_items else (_RANGE,)
    found = []
    for item in referents:
        if type(item) is chain:
            found += [one for one in map(_in_chain, gc.get_referents(item)) if type(one) in kinds][:1]
        elif type(item) in kinds:
            found.append(item)
    return found


def _in_chain(source: object) -> object:
    """The iterator behind the empty item of `Entry.loop`, of the source of its chain; None of what else it has."""
    links: tuple[object, ...] = next(iter(gc.get_referents(source)), ()) if type(source) is _TUPLE else ()
    return links[1] if len(links) == 2 and type(links[0]) is repeat else None


def rest_of(iterator: Any) -> Rest | None:
    """What an iterator that loops go through has left; None if `enumerate` or `zip` goes through another one."""
    kind, parts, *more = iterator.__reduce__()
    if kind is zip:
        inner = [rest_of(one) if type(one) in (_LIST, _TUPLE) else None for one in parts]
        rests = [one for one in inner if one is not None]
        if len(rests) < len(parts) or len({one.begin for one in rests}) != 1:
            return None
        return rests[0]._replace(zipped=tuple(one.end for one in rests))
    if kind is enumerate:
        inside, count = parts
        rest = rest_of(inside) if type(inside) in (_LIST, _TUPLE) else None
        return rest and rest._replace(start=count - rest.begin)
    (whole,) = parts
    done = more[0] or 0 if more else 0
    if type(iterator) is not _RANGE:
        return Rest(done, id(whole), 0)
    return Rest(whole.start + done * whole.step, whole.stop, whole.step)
