"""Integration methods as exact data: tableaux with order and source, and what can be proved and measured of them.

In: published coefficients, as fractions or numbers a + b * sqrt(d). Out: `Method`s and `Newton`s, which `sim.method`
takes, and `Tableau`s. Invariant: the order of each is proved by the conditions of all rooted trees, not measured.

May import: inputs, discrete, native, engine, statistics, declare, errors. Start reading at `tableau.py`.
"""

from __future__ import annotations

from importlib import import_module

from eventide.stubs import homes_in

_HOME_OF = homes_in(__loader__, __file__)
__all__ = sorted(_HOME_OF)  # noqa: PLE0605, RUF100  # read from the stub, so that they cannot disagree


def __getattr__(name: str) -> object:
    """Load a name when it is first used: the exact numbers of implicit tableaux take 40 ms."""
    module = _HOME_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__() -> list[str]:
    """The public names alone."""
    return __all__
