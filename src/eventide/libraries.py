"""Optional libraries: loaded when they are needed; an error names the extra that installs a missing one.

In: the name of a library. Out: the library. `from eventide.libraries import pandas as pd` inside a function is
`import pandas as pd` with that error, for the libraries in `EXTRA_OF`. Invariant: no other module imports them where it
is loaded, but for `view`, which is loaded when a figure is drawn, and `cli`. May import: errors.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn

from eventide.errors import MissingLibraryError

if TYPE_CHECKING:
    from types import ModuleType

    import pandas as pandas  # noqa: ICN001, PLC0414  # whoever imports it from here has its types

EXTRA_OF: Final = MappingProxyType(
    {"pandas": "tables", "matplotlib": "figures", "PIL": "figures", "rich": "cli", "typer": "cli"}
)
"""The extra of each library that many places use."""


def load(library: str, extra: str, purpose: str) -> ModuleType:
    """A library by its name.

    Raises MissingLibraryError, which names the extra of eventide to install, if it is not there.
    """
    try:
        return import_module(library)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != library.partition(".")[0]:
            raise
        refuse(library, extra, purpose)


def refuse(library: str, extra: str, purpose: str) -> NoReturn:
    """Raise MissingLibraryError for a library that is not installed."""
    raise MissingLibraryError(
        f"{purpose} needs {library}, which is not installed: run pip install 'eventide-sim[{extra}]'", name=library
    ) from None


def __getattr__(name: str) -> ModuleType:
    """A library of `EXTRA_OF`. Raises MissingLibraryError, or AttributeError for other names."""
    if name not in EXTRA_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return load(name, EXTRA_OF[name], "this")
