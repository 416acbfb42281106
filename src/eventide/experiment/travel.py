"""Models that travel to other processes: by name where these can import them, else by value, with their source text.

What is defined in a script, a notebook, a function or a lambda cannot be imported elsewhere. It travels as code; its
text goes along, as laws and conditions are compiled from their text and would run as plain Python without it.
"""

from __future__ import annotations

import inspect
import linecache
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder
from io import BytesIO
from pathlib import Path
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType, new_class
from typing import TYPE_CHECKING, Any, Final

import cloudpickle  # type: ignore[import-untyped]  # it ships no types

from eventide.declare import Component
from eventide.errors import ModelError
from eventide.native.locking import LOCK
from eventide.reading.source import lines_of

if TYPE_CHECKING:
    from eventide.experiment.models import Model
    from eventide.experiment.results import Task

MODELS_KEPT: Final = 8
"""How many models a worker keeps unpacked: what was compiled for them is used again."""


@dataclass(frozen=True)
class _Packed:
    """What is sent.

    version     of eventide: what its classes keep differs from version to version
    texts       of the files in which the code stands that travels by value, by their names
    content     the pickled model, or runs of it
    """

    version: str
    texts: Mapping[str, str]
    content: bytes


def pack(model: Model[..., object]) -> bytes:
    """A model as bytes, from which `unpack` makes it in another process.

    Raises ModelError if it refers to something that cannot be sent, as an open file or a simulation.
    """
    return _packed(model, model, "make that inside of the model, or run with workers=1")


def pack_tasks(model: Model[..., object], tasks: Sequence[Task]) -> bytes:
    """Runs of a model as bytes, with the values of parameters, for `unpack_tasks`. Raises ModelError as `pack`."""
    return _packed(tuple(tasks), model, "give the parameter a value that can be, or run with workers=1")


def _packed(content: object, model: Model[..., object], advice: str) -> bytes:
    buffer = BytesIO()
    pickler = _Pickler(buffer)
    try:
        with LOCK, _sent_whole(model.function.__module__):  # another thread would take back what is registered
            pickler.dump(content)
    except Exception as error:  # every object has its own way to refuse
        raise ModelError(
            f"{model.name} cannot be sent to another process: it refers to something that is not to be pickled "
            f"({type(error).__name__}: {error}); {advice}"
        ) from error
    texts = {name: text for name in pickler.files if (text := "".join(lines_of(name)))}
    return pickle.dumps(_Packed(_version(), texts, buffer.getvalue()))


@lru_cache(MODELS_KEPT)
def unpack(packed: bytes) -> Model[..., object]:
    """The model that was packed; one and the same for equal bytes, so that it is compiled once.

    Raises ModelError if another version of eventide has packed it.
    """
    model: Model[..., object] = _unpacked(packed)
    return model


def unpack_tasks(packed: bytes) -> tuple[Task, ...]:
    """The runs that were packed; a class that came with the model is that one. Raises ModelError as `unpack`."""
    tasks: tuple[Task, ...] = _unpacked(packed)
    return tasks


def _unpacked(packed: bytes) -> Any:
    sent: _Packed = pickle.loads(packed)
    if sent.version != _version():
        raise ModelError(f"a model was sent by eventide {sent.version}, and this is {_version()}: install one of them")
    for name, text in sent.texts.items():
        # Without a time of change it is never looked for in a file.
        linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    return pickle.loads(sent.content)


def _version() -> str:
    from importlib.metadata import version

    return version("eventide-sim")


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]  # of a library without types
    """Pickles what cannot be imported by value, and notes where it is written.

    files   the names of the files, in the order in which they are met
    """

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file)
        self.files: dict[str, None] = {}

    def reducer_override(self, obj: object) -> object:
        """What cloudpickle does, but for code, for components and for laws that a run has rewritten."""
        if isinstance(obj, CodeType):
            return _made_of_file, (obj.co_filename, *self.dispatch_table[CodeType](obj))
        reduced = super().reducer_override(obj)
        if reduced is NotImplemented or isinstance(reduced, str):
            return reduced
        if isinstance(obj, type) and issubclass(obj, Component):
            return _make_class, _head_of(obj), members_of(obj), None, None, _fill_class
        if isinstance(obj, FunctionType):
            self.files[obj.__code__.co_filename] = None
        return reduced


def _made_of_file(name: str, make: Callable[..., CodeType], arguments: tuple[object, ...]) -> CodeType:
    """Code that knows the file of its text; cloudpickle 3.1.3 leaves that out, and all would run as plain Python."""
    return make(*arguments).replace(co_filename=name)


# --- classes of components --------------------------------------------------------------------------------------------


def _head_of(cls: type) -> tuple[object, ...]:
    return type(cls), cls.__name__, cls.__bases__, {"__module__": cls.__module__, "__qualname__": cls.__qualname__}


def members_of(cls: type) -> dict[str, object]:
    """The attributes of a class as they were before models were run with it."""
    members = dict(vars(cls))
    continuous: ModuleType | None = sys.modules.get("eventide.compilation.branches.located")
    if continuous is not None:
        members = continuous.as_written(members)
    if members.pop("__annotate_func__", None) is not None:
        # Of CPython 3.14: its cell has the functions of the class as runs have left them.
        members["__annotations__"] = inspect.get_annotations(cls)
    for name in ("__dict__", "__weakref__", "__module__", "__qualname__", "__annotations_cache__"):
        members.pop(name, None)
    return {
        name: value
        for name, value in members.items()
        if not isinstance(value, MemberDescriptorType | GetSetDescriptorType)
    }


def _make_class(kind: type, name: str, bases: tuple[type, ...], head: dict[str, str]) -> type:
    """An empty class; it is filled when all that refers to it is there."""
    return new_class(name, bases, {"metaclass": kind}, lambda members: members.update(head))


def _fill_class(cls: type, members: Mapping[str, object]) -> type:
    for name, value in members.items():
        setattr(cls, name, value)
    return cls


# --- models by name ---------------------------------------------------------------------------------------------------


def name_of(model: Model[..., object]) -> tuple[str, str] | None:
    """The module and the name by which another process can import a model; None if it cannot."""
    module, name = model.function.__module__, model.function.__qualname__
    if module == "__main__" or not _can_be_imported(module) or _travels_by_value(module):
        return None
    found: object = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part, None)
    return (module, name) if getattr(found, "function", None) is model.function else None


def _can_be_imported(name: str) -> bool:
    """Whether `import name` finds the file of that module, in a process that looks where this one does."""
    file = getattr(sys.modules.get(name), "__file__", None)
    spec = PathFinder.find_spec(name.partition(".")[0])
    if spec is None or file is None:
        return False
    folders = spec.submodule_search_locations
    return file == spec.origin if folders is None else any(Path(file).is_relative_to(folder) for folder in folders)


@contextmanager
def _sent_whole(name: str) -> Iterator[None]:
    """Let what a module defines travel by value in the block, if others cannot import it."""
    module = sys.modules.get(name)
    if module is None or name == "__main__" or _can_be_imported(name) or _travels_by_value(name):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def _travels_by_value(module: str) -> bool:
    """Whether cloudpickle has been asked to send what the module, or a package around it, defines."""
    registered = cloudpickle.list_registry_pickle_by_value()
    return any(module == name or module.startswith(f"{name}.") for name in registered)
