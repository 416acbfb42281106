"""Figures, moving pictures and pages; the only room that knows the plotting library.

May import: verify, analysis, experiment, observe, monitor, continuous, discrete, statistics, declare, errors. Start
reading at `pictures.py`; what is shown while a run goes on begins at `screens.py`.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from eventide.libraries import EXTRA_OF, refuse
from eventide.stubs import homes_in

_HOME_OF = homes_in(__loader__, __file__)
__all__ = [*_HOME_OF]  # noqa: PLE0604, PLE0605, RUF100  # read from the stub, so that they cannot disagree


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: watching a run needs no plotting library."""
    module = _HOME_OF.get(name)
    if module is None:
        near = get_close_matches(name, _HOME_OF, n=1)
        meant = f": perhaps {near[0]}" if near and name[0] != "_" else ""
        raise AttributeError(f"module 'eventide.view' has no attribute {name!r}{meant}")
    try:
        value = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in EXTRA_OF:
            raise
        refuse(library, "figures", f"{name}()")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names alone."""
    return sorted(__all__)
