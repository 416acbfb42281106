"""The model that the command line names: in a file, or by its name among several there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from eventide.errors import InputError, ModelError, ParameterError

if TYPE_CHECKING:
    from eventide.experiment import Model


@contextmanager
def model_in(told: Path) -> Iterator[Model[..., object]]:
    """The model of FILE, or of FILE:NAME; within the block its module is known.

    Raises InputError if there is no such file, or not one model of that name
    """
    from eventide.experiment import imported, only_model

    path, name = _parts(told)
    with imported(path) as module:
        yield only_model(module, path, name)


def name_of(told: Path) -> str:
    """The name of what is in a file, for files beside it: of the model if it is named, else of the file."""
    path, name = _parts(told)
    return name or path.stem


def _parts(told: Path) -> tuple[Path, str]:
    text, colon, name = str(told).rpartition(":")
    return (Path(text), name) if colon and text.endswith(".py") else (told, "")


def set_up(model: Model[..., object], texts: Mapping[str, str], until: float | None) -> Model[..., object]:
    """The model with its parameters, able to run. Raises InputError if it is not."""
    try:
        model = model.set_texts(texts)
    except ParameterError as error:
        raise InputError(str(error)) from None
    if model.missing:
        raise InputError(f"{model.name} needs --set {model.missing[0].name}=...: {model.missing[0]} has no default")
    try:
        model.check_ready(until)
    except ModelError:
        raise InputError(f"{model.name} does not say when it ends: give it a time with --until") from None
    return model
