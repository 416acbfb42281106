"""The random generators of the program's own from which observers may draw: `random.Random` and those of numpy."""

from __future__ import annotations

import sys
from random import Random, SystemRandom
from types import BuiltinFunctionType
from typing import TYPE_CHECKING, Any

from eventide.reading.reach import Reach

if TYPE_CHECKING:
    from collections.abc import Iterable


def generators_of(functions: Iterable[object]) -> list[Any]:
    """Those that functions may reach, or their methods; numpy's where numpy.random is loaded."""
    numbers = sys.modules.get("numpy.random")
    kinds = (Random, *(() if numbers is None else (numbers.Generator, numbers.RandomState)))
    found = Reach[object]((*kinds, BuiltinFunctionType), functions).found()
    owners = [one.__self__ if isinstance(one, BuiltinFunctionType) else one for one in found]
    known = {id(one): one for one in owners if isinstance(one, kinds) and not isinstance(one, SystemRandom)}
    return list(known.values())
