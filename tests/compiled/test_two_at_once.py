"""What two threads find out at the same time about code that they share: each has it whole, and as if it was alone."""

from __future__ import annotations

import ast
import linecache
import sys
import sysconfig
from collections.abc import Callable
from multiprocessing.spawn import get_preparation_data
from pathlib import Path
from threading import Event, Thread, current_thread, main_thread
from types import FunctionType, ModuleType
from typing import Any

import pytest
from compiled.harness import new_registry

import eventide as ev
from eventide.compilation import code_facts
from eventide.compilation.branches import located
from eventide.compilation.branches.smoothness import Smoothness
from eventide.continuous.components.layout import Layout
from eventide.declare import fields_of
from eventide.experiment import files, processes, travel
from eventide.migration.learned import Learned
from eventide.native import store as stores
from eventide.native.locking import cached_property, parsed
from eventide.native.store import Store
from eventide.reading import reach, source, twins
from eventide.reading.reach import Reach


class Other:
    """A thread that does something amid what this one does, the first time; it is waited for a second."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act
        self._thread: Thread | None = None
        self.answers: list[Any] = []

    def come(self) -> None:
        """Let it begin, unless it has."""
        if self._thread is None:
            self._thread = Thread(target=self._run)
            self._thread.start()
            self._thread.join(1.0)

    def _run(self) -> None:
        try:
            self.answers.append(self._act())
        except Exception as error:  # noqa: BLE001  # whatever it is, it is told
            self.answers.append(error)

    def answer(self) -> Any:
        """What has come of it."""
        assert self._thread is not None, "nothing was found out"
        self._thread.join(60.0)
        (answer,) = self.answers
        return answer


def amid(patch: pytest.MonkeyPatch, owner: Any, name: str, act: Callable[[], object], *, before: bool = True) -> Other:
    """Let another thread act where a function is called, before or after it does what it does."""
    other, original = Other(act), getattr(owner, name)

    def patched(*args: Any, **options: Any) -> Any:
        if before:
            other.come()
        found = original(*args, **options)
        if not before:
            other.come()
        return found

    patch.setattr(owner, name, patched)
    return other


class Room(ev.Continuous):
    t: ev.State = ev.state(19.0)
    heat: float = 1.0

    def equations(self) -> None:
        self.rate.t = (self.heat if self.t < 20.5 else 0.5) - 0.1 * (self.t - 5.0)


class Rod(ev.Continuous):
    cells: int
    t: ev.StateVector = ev.state_vector(size="cells")
    clock: ev.State = ev.state(0.0)

    def equations(self) -> None:
        self.rate.t = -self.t
        self.rate.clock = 1.0 if self.clock < 0.5 else 2.0


def simulation() -> ev.Simulation:
    """One to which nothing is new but classes."""
    made = ev.Simulation()
    Still(made).start()
    return made


class Still(ev.Continuous):
    y: ev.State = ev.state(1.0)

    def equations(self) -> None:
        self.rate.y = 0.0


def value_of(kind: type[ev.Continuous], sim: ev.Simulation | None = None, **fields: Any) -> tuple[float, ...]:
    sim = sim or simulation()
    one = kind(sim, **fields).start()
    sim.run(until=1.0)
    return tuple(
        float(getattr(one, name)) for name in ("t", "clock", "heat") if type(getattr(one, name, None)) is float
    )


def made_again(kind: type[ev.Continuous]) -> type[ev.Continuous]:
    """The same class, of which nothing is known."""
    laws = vars(kind)["equations"]
    copy = FunctionType(source.original_of(laws).__code__, laws.__globals__, "equations")
    fields = {"t": ev.state(19.0), "heat": 1.0}
    if kind is Rod:
        fields = {"t": ev.state_vector(size="cells"), "clock": ev.state(0.0)}
    space = {"__annotations__": dict(kind.__annotations__), "__module__": __name__, **fields}
    return type(kind.__name__, (ev.Continuous,), {**space, "equations": copy})


@pytest.mark.slow
def test_what_branches_in_the_laws_of_a_class_gets_its_slots_once(monkeypatch) -> None:
    assert not Room._layout.outcomes, "objects of it are made elsewhere"
    alone, kind = value_of(made_again(Room)), made_again(Room)
    sim = simulation()
    other = amid(monkeypatch, Layout, "add_outcomes", lambda: value_of(kind, sim))
    assert (value_of(kind), other.answer()) == (alone, alone)
    assert kind._layout.standing == Room._layout.standing + len(kind._layout.outcomes) == Room._layout.standing + 1


@pytest.mark.slow
def test_objects_of_one_size_have_one_layout_with_all_slots(monkeypatch) -> None:
    alone, kind = value_of(made_again(Rod), cells=3), made_again(Rod)
    value_of(kind, cells=2)
    other = amid(monkeypatch, Layout, "add_outcomes", lambda: value_of(kind, cells=3))
    assert (value_of(kind, cells=3), other.answer()) == (alone, alone)
    layout = kind._layout.sized({"cells": 4})
    assert (kind._layout.sized({"cells": 4}), len(layout.outcomes)) == (layout, 1)


@pytest.mark.slow
def test_one_layout_is_made_of_a_size(monkeypatch) -> None:
    kind = made_again(Rod)
    other = amid(monkeypatch, Layout, "add_outcomes", lambda: kind._layout.sized({"cells": 3}))
    assert kind._layout.sized({"cells": 3}) is other.answer()


@pytest.mark.slow
def test_kernels_are_looked_through_while_others_ask_what_they_use() -> None:
    sim, registry = ev.Simulation(), new_registry()
    room: Any = made_again(Room)(sim)
    one, two = (registry.condition(test).kernel for test in (lambda: room.t > 20.0, lambda: room.heat > 2.0))
    registry.usage(one)
    other = Other(lambda: registry.usage(two))

    class Watched(dict[Any, Any]):
        def items(self) -> Any:
            for pair in super().items():
                other.come()
                yield pair

    registry._usages = Watched(registry._usages)
    registry.renew()
    assert other.answer() == registry.usage(two)


def bends_above(x: float) -> float:
    return abs(x) if x > 3.0 else 2.0 * x


@pytest.mark.slow
def test_a_function_that_another_thread_looks_through_is_not_taken_for_smooth(monkeypatch) -> None:
    smoothness = Smoothness(source.SourceBook())
    other = amid(monkeypatch, Smoothness, "_look_through", lambda: smoothness.may_branch(bends_above, {}))
    assert smoothness.may_branch(bends_above, {})
    assert other.answer() is True


def test_what_was_looked_through_in_vain_is_looked_through_again(monkeypatch) -> None:
    smoothness = Smoothness(source.SourceBook())

    def stop(*_: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Smoothness, "_look_through", stop)
        with pytest.raises(KeyboardInterrupt):
            smoothness.may_branch(bends_above, {})
    assert smoothness.may_branch(bends_above, {})


class Driven(ev.Continuous):
    t: ev.State = ev.state(1.0)
    drive: Any = None

    def equations(self) -> None:
        self.rate.t = self.drive(self.t)


def noted(original: Callable[..., Any], order: list[str], other: Other) -> Callable[..., Any]:
    """The same function, which notes when it begins and ends, and lets another thread come in between."""

    def call(*args: Any) -> Any:
        order.append("begins")
        other.come()
        found = original(*args)
        order.append("ends")
        return found

    return call


@pytest.mark.slow
def test_what_fields_refer_to_is_looked_up_by_one_thread_at_a_time(monkeypatch) -> None:
    order: list[str] = []
    one, two = (Driven(simulation(), drive=bends_above) for _ in range(2))
    smoothness = Smoothness(source.SourceBook())
    other = Other(lambda: located.variant_of(two, smoothness))
    monkeypatch.setattr(located, "targets_at", noted(located.targets_at, order, other))
    assert located.variant_of(one, smoothness) is other.answer()
    assert order == ["begins", "ends"] * (len(order) // 2)


def test_the_same_text_has_one_tree(monkeypatch) -> None:
    book = source.SourceBook()
    other = amid(monkeypatch, source, "SourceFile", lambda: book.file(__file__, {}))
    assert book.file(__file__, {}) is other.answer()


def test_a_function_is_found_once(monkeypatch) -> None:
    book = source.SourceBook()
    other = amid(monkeypatch, source.SourceFile, "has", lambda: book.definition(bends_above))
    assert book.definition(bends_above) is other.answer()


def waits() -> Any:
    yield ev.hold(1.0)


def test_a_function_has_one_twin(monkeypatch) -> None:
    learned = Learned()
    other = amid(monkeypatch, twins.Twin, "__init__", lambda: learned.twin_of(waits))
    assert learned.twin_of(waits) is other.answer()


ALONE: dict[str, tuple[Any, str, Callable[[], object]]] = {
    "lines are looked up": (linecache, "getlines", lambda: source.lines_of(__file__)),
    "files are checked": (linecache, "checkcache", lambda: source.check_lines(__file__)),
    # CPython 3.11 has one count of the depth for all threads: SystemError.
    "texts are parsed": (ast, "parse", lambda: parsed("1")),
    # `sysconfig` fills in what it knows when it is first asked: RuntimeError.
    "folders are asked for": (sysconfig, "get_path", reach._installed.__wrapped__),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ALONE)
def test_what_python_does_for_one_thread_at_a_time_is_done_so(name: str, monkeypatch) -> None:
    owner, called, act = ALONE[name]
    order, other = list[str](), Other(act)
    with monkeypatch.context() as patch:
        patch.setattr(owner, called, noted(getattr(owner, called), order, other))
        act()
        other.answer()
    assert order == ["begins", "ends"] * (len(order) // 2)


def test_a_folder_of_kernels_is_looked_into_when_it_is_there(tmp_path: Path, monkeypatch) -> None:
    store = Store(tmp_path / "kernels")
    other = amid(monkeypatch, stores, "_make", lambda: store.seems_to_have("something"))
    assert store.seems_to_have("something") is False
    assert other.answer() is False


def test_a_folder_that_others_may_write_is_used_by_no_thread(tmp_path: Path, monkeypatch) -> None:
    (folder := tmp_path / "kernels").mkdir()
    folder.chmod(0o777)
    store = Store(folder)
    other = amid(monkeypatch, stores, "_objection", store._usable_folder)
    assert store._usable_folder() is None
    assert other.answer() is None


def test_what_is_kept_is_known_to_who_asks_while_it_is_listed(tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "kernels"
    Store(folder).load("define i64 @kernel() { ret i64 1 }", key="known")
    store = Store(folder)
    other = amid(monkeypatch, stores.os, "scandir", lambda: store.seems_to_have("known"))
    assert store.seems_to_have("known")
    assert other.answer() is True


class Owner:
    """Has something that is found out."""

    def __init__(self, other: Other | None = None) -> None:
        self.other = other

    @cached_property
    def found(self) -> object:
        """An object."""
        if self.other is not None:
            self.other.come()
        return object()


def test_what_is_found_twice_is_one() -> None:
    owner = Owner()
    owner.other = other = Other(lambda: owner.found)
    assert owner.found is other.answer() is owner.found
    assert isinstance(Owner.found, cached_property)


def test_what_one_object_finds_another_need_not_wait_for() -> None:
    """A thread that waited for the lock of all knowledge held that of all engines."""
    asked = Owner()
    other = Other(lambda: asked.found)
    assert Owner(other).found
    assert other.answers == [asked.found]


@pytest.mark.slow
def test_comparisons_are_dropped_by_one_thread_at_a_time(monkeypatch) -> None:
    def run(k: int) -> float:
        return value_of(made_again(Room), heat=float(k))[0]

    class Watched(dict[Any, Any]):
        def __iter__(self) -> Any:
            found = super().__iter__()
            other.come()
            return found

    monkeypatch.setattr(code_facts, "MOST_WRITTEN", 0)
    registry = ev.Simulation()._continuum.integrator.analyst.registry
    other = Other(lambda: run(2))
    monkeypatch.setattr(registry, "written", Watched())
    found = run(1)
    monkeypatch.undo()
    assert (found, other.answer()) == (run(1), run(2))


TABLE = {"one": 1.0}


def test_what_a_module_has_may_grow_while_it_is_searched(monkeypatch) -> None:
    original = Reach.sort_of

    def sort_of(self: Reach[Any], cls: type) -> Any:
        TABLE[f"{len(TABLE)}"] = 2.0
        return original(self, cls)

    monkeypatch.setattr(Reach, "sort_of", sort_of)
    assert Reach(float, [lambda: TABLE]).found()[0] == 1.0


@pytest.mark.slow
def test_models_of_one_file_have_modules_of_their_own(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "alike.py").write_text("import eventide as ev\n")
    (path := tmp_path / "other" / "alike.py").parent.mkdir()
    path.write_text("import eventide as ev\n")

    def name(where: Path) -> str:
        with files.imported(where) as module:
            assert sys.modules[module.__name__] is module
            return module.__name__

    other = amid(monkeypatch, files, "spec_from_file_location", lambda: name(path))
    with files.imported(tmp_path / "alike.py") as module:
        assert {module.__name__, other.answer()} == {"alike", "alike (model)"}


def test_classes_find_what_the_main_program_has_while_a_process_starts(monkeypatch) -> None:
    """A class of another thread that named something of it in an annotation took that for an object."""
    main, told = sys.modules["__main__"], []

    def start(process: Any) -> None:
        space: dict[str, Any] = {"__name__": "__main__", "ev": ev}
        exec("from __future__ import annotations\nclass Some(ev.Component):\n    n: Whole = 3\n", space)  # noqa: S102  # as written
        told.append((fields_of(space["Some"])["n"].annotation, get_preparation_data("")))

    before = main.__dict__.get("__file__"), main.__spec__
    monkeypatch.setattr(processes.SpawnProcess, "start", start)
    monkeypatch.setitem(vars(main), "Whole", int)
    processes._Process().start()
    ((annotation, data),) = told
    assert annotation is int
    assert not {"init_main_from_name", "init_main_from_path"} & {*data}
    assert (main.__dict__.get("__file__"), main.__spec__) == before


def test_a_module_that_two_threads_send_travels_whole_twice(monkeypatch) -> None:
    module = ModuleType("nowhere_to_be_imported")
    text = (
        "import eventide as ev\ndef half():\n    return 0.5\n"
        "@ev.model(until=1.0)\ndef halves(sim):\n    return {'y': half}\n"
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(text, "<nowhere>", "exec"), vars(module))  # noqa: S102  # as it stands above
    original, is_packed = travel._Pickler.dump, Event()

    def dump(self: Any, content: object) -> None:
        if current_thread() is main_thread():
            other.come()
        else:
            is_packed.wait(5.0)  # by then what the other thread had registered is taken back
        original(self, content)

    other = Other(lambda: travel.pack(module.halves))
    monkeypatch.setattr(travel._Pickler, "dump", dump)
    first = travel.pack(module.halves)
    is_packed.set()
    sent = first, other.answer()
    monkeypatch.delitem(sys.modules, module.__name__)
    travel.unpack.cache_clear()
    assert [travel.unpack(one).function(None)["y"]() for one in sent] == [0.5, 0.5]
