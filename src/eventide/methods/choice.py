"""The value of `Simulation(method=...)`: a method itself, or its name."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from eventide.errors import ModelError
from eventide.methods.method import Method
from eventide.methods.multistep import Multistep
from eventide.methods.newton import Newton
from eventide.methods.tableau import Tableau


def method_of(given: object) -> Method | Multistep | Newton:
    """The method that is meant by itself or by its name in `ev.methods`, as "dop853" or "Dormand-Prince".

    Raises ModelError if the stepper has no such method.
    """
    method = _named(given) if isinstance(given, str) else given
    if isinstance(method, Method | Multistep | Newton):
        return method
    if isinstance(method, Tableau):
        call = "explicit" if method.is_explicit else "Newton"
        what = f"ev.methods.{_key(given)}" if isinstance(given, str) else "tableau"
        raise ModelError(f"sim.method = {given!r}: this is a tableau by itself: give `ev.methods.{call}({what})`")
    raise ModelError(
        f"sim.method takes a method, as `ev.methods.RADAU`, or what `ev.methods.explicit(...)` makes, or "
        f'its name, as "radau", and got {given!r}, of type {type(given).__name__}'
    )


def _key(name: str) -> str:
    return name.strip().upper().replace("-", "_").replace(" ", "_")


def _named(name: str) -> object:
    methods = import_module("eventide.methods")
    key = _key(name)
    found = getattr(methods, key, None) if key in methods.__all__ else None
    if isinstance(found, Method | Multistep | Newton | Tableau):
        return found
    known = [one for one in methods.__all__ if isinstance(getattr(methods, one), Method | Multistep | Newton)]
    near = get_close_matches(key, known, n=1)
    hint = f": perhaps {near[0]!r}" if near else ""
    raise ModelError(f"no method is called {name!r}{hint}. There are {', '.join(known)}")
