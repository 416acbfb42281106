"""Models that live in a file: importing it by its path, and finding the model in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from types import ModuleType

from eventide.errors import InputError
from eventide.experiment.models import Model
from eventide.native.locking import LOCK


@contextmanager
def imported(path: Path) -> Iterator[ModuleType]:
    """The module in a file; within the block its folder is on the path and the module is known by its name.

    Raises InputError if there is no such Python file; whatever the file itself raises goes up
    """
    check_file(path)
    folder = str(path.resolve().parent)
    with LOCK:  # no other thread takes the same name
        taken = {*sys.modules, *sys.stdlib_module_names}
        name = next(one for one in _names_for(path.stem) if one not in taken)
        spec = spec_from_file_location(name, path.resolve())
        assert spec is not None, "the name ends in .py"
        assert spec.loader is not None
        # Classes look up their module by name when they are made: dataclasses, annotations that are texts.
        sys.modules[name] = module = module_from_spec(spec)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(folder)
        del sys.modules[name]


def _names_for(stem: str) -> Iterator[str]:
    """What a module may be called: as its file; with a number where several of that name are imported."""
    yield stem
    yield f"{stem} (model)"
    for number in count(2):
        yield f"{stem} (model {number})"


def check_file(path: Path) -> None:
    """Raise InputError unless `path` is a Python file that can be read."""
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a Python file in it")
    if path.suffix != ".py":
        raise InputError(f"{path} is not a Python file: the name of a model's file ends in .py")
    try:
        path.open("rb").close()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: name a Python file with a model in it") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None


def only_model(module: ModuleType, path: Path, name: str = "") -> Model[..., object]:
    """The one model that a module defines, or that of a name; models that it imports do not count.

    path        of its file, for messages
    Raises      InputError if it has none, or more than one and no name is given
    """
    # By function: a name for the same model with other values is no second one.
    found: dict[object, Model[..., object]] = {}
    for value in vars(module).values():
        if isinstance(value, Model) and value.function.__module__ == module.__name__:
            found.setdefault(value.function, value)
    if not found:
        raise InputError(f"{path} has no model: put @ev.model above the function that makes it")
    names = ", ".join(model.name for model in found.values())
    named = vars(module).get(name)
    if isinstance(named, Model):
        return named
    if name:
        raise InputError(f"{path} has no model {name}; it has: {names}")
    if len(found) > 1:
        raise InputError(f"{path} has {len(found)} models, {names}: name one of them, as {path}:{names.split(',')[0]}")
    return next(iter(found.values()))
