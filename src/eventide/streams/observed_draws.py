"""Random streams from which both the model and what looks at it draw: a run would not be the same without the latter.

In: how much was drawn from each stream before and after observers look. Out: an error that names the stream, at a look
at which both have drawn from it. A stream from which only observers draw is theirs.

Looks are many, and counts take 0.3 us a stream. Observers that draw mostly do so at each look: those that have not at
the first ones are asked at some of the others, until they do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from eventide.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eventide.streams.streams import Stream

Counts: TypeAlias = tuple[int, int]
"""How many numbers were drawn from a stream, and how many words from its `rng`, which are independent of each other."""

FIRST: Final = 256
"""At so many looks it is found out whether observers draw; then at each seventh, be it before an event or after one."""


class ObservedDraws:
    """Counts what observers draw from the streams of a simulation."""

    def __init__(self, streams: Mapping[str, Stream]) -> None:
        self._streams = streams
        self._observed: dict[tuple[str, int], tuple[int, str]] = {}
        """How far a stream has come, by its name and kind, if the model draws from it no more; which observer drew."""
        self._looks = 0

    def __bool__(self) -> bool:
        return bool(self._streams)

    def begin(self) -> list[Counts] | None:
        """Observers are about to look: how much was drawn from each stream, if that is to be known."""
        self._looks += 1
        if self._looks > FIRST and self._looks % 7 and not self._observed:
            return None
        if self._observed:
            self._compare()
        return [stream.drawn for stream in self._streams.values()]

    def end(self, before: Sequence[Counts], observers: Sequence[object]) -> None:
        """Observers have looked; raises ModelError where they have drawn from a stream of the model."""
        if before == [stream.drawn for stream in self._streams.values()]:
            return
        names = " or ".join(str(getattr(observer, "name", observer)) for observer in observers)
        new = [(0, 0)] * (len(self._streams) - len(before))
        for (name, stream), were in zip(self._streams.items(), [*before, *new], strict=True):
            for kind, (count, was) in enumerate(zip(stream.drawn, were, strict=True)):
                if count != was:
                    known, first = self._observed.get((name, kind), (was, names))
                    self._observed[name, kind] = known + count - was, first
        self._compare()

    def _compare(self) -> None:
        for (name, kind), (count, observer) in self._observed.items():
            if self._streams[name].drawn[kind] != count:
                raise ModelError(
                    f"{observer} draws from stream {name!r}, and so does the model, which would do something else "
                    "without being looked at: let what looks draw from a stream of its own, such as "
                    f"sim.stream({f'{name} as seen'!r})"
                )
