"""Random numbers that both the model and what looks at it draw: a run would not be the same without the latter.

In: how much was drawn from each stream, and the states of other generators, before and after observers look. Out: an
error that names the stream or generator, at a look at which both have drawn from it. One from which only observers draw
is theirs.

Looks are many; counts take 0.3 us a stream, the state of a generator 10. Observers that draw mostly do so at each look:
those that have not at the first ones are asked at some of the others, until they do.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from numpy.random import Generator, RandomState

    from eventide.streams.streams import Stream

    Other: TypeAlias = Random | Generator | RandomState

Drawn: TypeAlias = "dict[tuple[str, int], object]"
"""What has been drawn: from a stream, by its name and what was drawn, numbers or words from its `rng`, which are
independent of each other: how much; from another generator, by its type and id: its state."""

FIRST: Final = 256
"""At so many looks it is found out whether observers draw; then at each seventh, be it before an event or after one."""


class ObservedDraws:
    """Knows what observers draw from the streams of a simulation and from other generators.

    others      the generators that are no streams from which they may draw
    """

    def __init__(self, streams: Mapping[str, Stream]) -> None:
        self.others: Sequence[Other] = ()
        self._streams = streams
        self._observed: dict[tuple[str, int], tuple[object, str]] = {}
        """What has been drawn when observers had drawn last, if the model draws no more; which observer drew first."""
        self._looks = 0

    def __bool__(self) -> bool:
        return bool(self._streams) or bool(self.others)

    def begin(self) -> Drawn | None:
        """Observers are about to look: what has been drawn, if that is to be known.

        Raises ModelError where both they and the model have drawn from a stream or a generator.
        """
        self._looks += 1
        if self._looks > FIRST and self._looks % 7 and not self._observed:
            return None
        now = self._drawn()
        for (name, kind), (known, observer) in self._observed.items():
            if now.get((name, kind), known) != known:
                is_stream = name in self._streams
                own = f"sim.stream({f'{name} as seen'!r})" if is_stream else 'sim.stream("noise")'
                raise ModelError(
                    f"{observer} draws from {f'stream {name!r}' if is_stream else f'a {name}'}, and so does the model, "
                    "which would do something else without being looked at: let what looks draw from a stream of its "
                    f"own, such as {own}"
                )
        return now

    def end(self, before: Drawn, observers: Sequence[object]) -> None:
        """Observers have looked: what they have drawn."""
        now = self._drawn()
        if now != before:
            names = " or ".join(str(getattr(observer, "name", observer)) for observer in observers)
            for key, drawn in now.items():
                if drawn != before.get(key, 0):
                    _, first = self._observed.get(key, (0, names))
                    self._observed[key] = drawn, first

    def _drawn(self) -> Drawn:
        drawn: Drawn = {
            (name, kind): count for name, stream in self._streams.items() for kind, count in enumerate(stream.drawn)
        }
        for other in self.others:
            kind = type(other)
            drawn[f"{kind.__module__}.{kind.__qualname__}", id(other)] = _state_of(other)
        return drawn


def _state_of(generator: Other) -> object:
    """What compares equal as long as nothing is drawn."""
    words = getattr(generator, "_bit_generator", None)
    return generator.getstate() if words is None else pickle.dumps(words.state)  # type: ignore[union-attr]
