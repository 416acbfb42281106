"""Named random streams of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from numpy.random import SFC64, Generator

from eventide.streams.distributions import Distributions
from eventide.streams.uniforms import Origin, Place, Rng, entropy_from, origin_of, uniforms

__all__ = ["Rng", "Stream", "entropy_from"]


FRESH: Final = 13
"""The counter in the state of an SFC64 from which nothing was drawn."""


class Stream(Distributions):
    """Random numbers that depend on the run's entropy, a name and a replication only.

    Whatever else the model draws, and in whatever process it runs, a name gives the
    same numbers. Every method takes one uniform from the stream and inverts the
    distribution function in plain arithmetic; those that take more say how many.

    `random()` is the next uniform itself, in the open interval (0, 1).
    """

    __slots__ = ("_generator", "_origin", "_place", "name", "random")

    random: Callable[[], float]
    name: str

    def __init__(self, origin: Origin) -> None:
        self.name = origin.name
        self._place = Place()
        self.random = uniforms(origin, self._place).__next__
        self._origin = origin
        self._generator: Generator | None = None

    @classmethod
    def named(
        cls,
        entropy: int | Sequence[int],
        name: str,
        replication: int = 0,
        antithetic: bool = False,
    ) -> Stream:
        """The stream of that name, at its beginning.

        entropy      of the run, one or more ints >= 0
        name         any text that is not empty
        replication  number of the run among its repetitions, from 0 on
        antithetic   True gives 1 - u wherever the stream of the same name gives u
        Raises       TypeError, ValueError: names the argument that is not allowed
        """
        return cls(origin_of(entropy, name, replication, antithetic))

    @property
    def rng(self) -> Generator:
        """A numpy Generator of this stream for drawing arrays.

        It has numbers of its own: using it leaves the other draws as they are. An
        antithetic stream has others here, which are independent and not mirrored, as
        numpy does not draw by inversion.
        """
        if self._generator is None:
            self._generator = Generator(SFC64(self._origin.seed(2 if self._origin.antithetic else 1)))
        return self._generator

    @property
    def drawn(self) -> tuple[int, int]:
        """How many numbers were drawn from it, and how many words from its `rng`."""
        if self._generator is None:
            return self._place.drawn, 0
        return self._place.drawn, int(self._generator.bit_generator.state["state"]["state"][3]) - FRESH

    def __reduce__(self) -> NoReturn:
        # A copy would share the iterator behind `random`: two streams, one sequence.
        raise TypeError(
            f"stream {self.name!r} is neither copied nor pickled: make it again by its name where it is needed"
        )

    def __repr__(self) -> str:
        origin = self._origin
        mirrored = ", antithetic" if origin.antithetic else ""
        return f"<Stream {self.name!r} of entropy {origin.entropy}, replication {origin.replication}{mirrored}>"
