"""eventide: combined simulation, discrete processes and continuous state on one clock.

The public names stand in `__init__.pyi`, once: a name is loaded from its room when it is first used, so that a
discrete model loads no continuous room (SPEC 1 of Scientific Python, lazy loading by a stub).
"""

import sys
from importlib import import_module

from eventide.stubs import homes_in

_ROOM_OF = homes_in(__loader__, __file__)
__all__ = [*_ROOM_OF]  # noqa: PLE0604, PLE0605, RUF100  # read from the stub, so that they cannot disagree


def __getattr__(name: str) -> object:
    """Load a public name. Raises AttributeError if there is none of that name."""
    if name == "__version__":  # looked up when it is asked for, which takes longer than to load this module
        return import_module("importlib.metadata").version("eventide-sim")
    room = _ROOM_OF.get(name)
    if room is None:
        message = f"module 'eventide' has no attribute {name!r}"
        if name[0] != "_":  # what Python itself asks for is no slip
            other_words = import_module("eventide.reading.other_words")
            instead = other_words.OF_PACKAGE.get(name)
            if instead is None and name in homes_in(__loader__, f"{__path__[0]}/methods/__init__.py"):
                instead = f"ev.methods.{name}"
            message += f": it is {instead} here" if instead else ""
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    value = import_module(f"eventide.{name}") if room == __name__ else getattr(import_module(room), name)
    globals()[name] = value
    if "Interrupt" not in globals():  # generators that are closed as Python ends look for errors, and cannot import any
        errors = import_module("eventide.errors")
        globals().update({error: getattr(errors, error) for error, home in _ROOM_OF.items() if home == errors.__name__})
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__file__", "__name__", "__path__", "__spec__", "__version__"])
