"""What a constructor of a component was given: what is missing, and what it does not take.

In: a component whose constructor was called otherwise than its fields say. Out: TypeError with what it takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from eventide.declare.fields import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventide.declare.component import Component


def refuse_missing(component: Component, given: dict[str, object]) -> NoReturn:
    """Raise TypeError: fields without a default have no value."""
    missing = [n for n, spec in component._specs.items() if spec.is_required and given[n] is MISSING]
    raise TypeError(f"{type(component).__name__}(...) is missing {', '.join(f'{n}=' for n in missing)}")


def refuse_unknown(called: str, taken: Iterable[str], unknown: Iterable[str]) -> NoReturn:
    """Raise TypeError: values come by names that nothing has."""
    from difflib import get_close_matches  # which few programs need

    names, known = list(unknown), ", ".join(f"{name}=" for name in taken)
    for name in names:
        near = get_close_matches(name, list(taken), n=1)
        if near:
            raise TypeError(f"{called} takes no {name}=: did you mean {near[0]}=? It takes {known}")
    raise TypeError(f"{called} takes no {', '.join(f'{name}=' for name in names)}; it takes {known}")


def refuse_more(component: Component, unnamed: tuple[object, ...], unknown: dict[str, object]) -> NoReturn:
    """Raise TypeError: values come without a name after the simulation, or by a name that no field has."""
    called = f"{type(component).__name__}(sim, ...)"
    taken = [*(name for name, spec in component._specs.items() if spec.is_argument), "name"]
    known = ", ".join(f"{name}=" for name in taken)
    if unnamed:
        raise TypeError(f"{called} takes {known} by name, and got {', '.join(map(repr, unnamed))} without one")
    for name in unknown:
        if name in component._specs:
            raise TypeError(f"{called} takes no {name}=, which its laws set; it takes {known}")
    refuse_unknown(called, taken, unknown)
