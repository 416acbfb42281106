"""Optional libraries: loaded when they are needed; an error names the extra that installs a missing one."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from eventide.errors import MissingLibraryError


def load(library: str, extra: str, purpose: str) -> ModuleType:
    """A library by its name.

    Raises MissingLibraryError, which names the extra of eventide to install, if it is not there.
    """
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != library.partition(".")[0]:
            raise
        raise MissingLibraryError(
            f"{purpose} needs {library}, which is not installed: run pip install 'eventide[{extra}]'", name=error.name
        ) from None
