"""Uniform numbers of a named stream: where they come from and what makes them one."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain
from operator import index
from struct import unpack
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import SFC64, BitGenerator, Generator, SeedSequence

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK = 1024
"""Uniforms made at a time; the numbers do not depend on it."""


@dataclass(frozen=True, slots=True)
class Origin:
    """All that decides the numbers of a stream.

    entropy      of the run: an int >= 0 or a sequence of them
    name         of the stream, any text that is not empty
    replication  number of the run among its repetitions, 0 to 2**64 - 1
    antithetic   True mirrors every uniform: u becomes 1 - u
    """

    entropy: int | tuple[int, ...]
    name: str
    replication: int
    antithetic: bool

    def seed(self, *child: int) -> SeedSequence:
        """The seed of this origin, or of one of its children.

        The name enters by a digest, not by Python's hash, which differs from process
        to process; every part has a fixed number of 32-bit words, so that no two
        names and replications can be written with the same words.

        Source  numpy's SeedSequence, after O'Neill 2015, "Developing a seed_seq
                alternative"
        """
        name = unpack("<4I", blake2b(self.name.encode(), digest_size=16).digest())
        replication = (self.replication & 0xFFFFFFFF, self.replication >> 32)
        return SeedSequence(self.entropy, spawn_key=(*name, *replication, *child))


def origin_of(entropy: int | Sequence[int], name: object, replication: int, antithetic: bool) -> Origin:
    """An Origin of checked parts.

    Raises  TypeError, ValueError: says which part is not allowed
    """
    if not (isinstance(name, str) and name):
        raise ValueError(
            f"the name of a stream is {name!r}: give it a text of its own, such as"
            " 'arrivals'; the name decides its numbers"
        )
    try:
        words = tuple(map(index, entropy)) if isinstance(entropy, Sequence) else (index(entropy),)
    except TypeError:
        raise TypeError(
            f"stream {name!r}: entropy={entropy!r}: give an int or a sequence of ints;"
            " entropy_from() makes one of any rng argument"
        ) from None
    if not words or min(words) < 0 or not 0 <= replication < 2**64:
        raise ValueError(
            f"stream {name!r}: entropy={entropy!r}, replication={replication!r}:"
            " entropy takes ints from 0 on, a replication is a number from 0 on"
        )
    return Origin(words if isinstance(entropy, Sequence) else words[0], name, index(replication), antithetic)


class Place:
    """How far a stream of uniforms has come. base: before the present block; rest: what gives the numbers of that."""

    __slots__ = ("base", "rest")

    def __init__(self) -> None:
        self.base = 0
        self.rest: Iterator[float] | None = None

    @property
    def drawn(self) -> int:
        """How many numbers were drawn."""
        return 0 if self.rest is None else self.base + int(self.rest.__reduce__()[2])


class Uniforms(chain[float]):
    """An iterator over uniform numbers, which native code knows by its class."""

    __slots__ = ()


def uniforms(origin: Origin, place: Place | None = None) -> Iterator[float]:
    """Endless uniform numbers in the open interval (0, 1).

    place   is kept up with them

    They are the odd multiples of 2**-53: numpy's `random()` with its last bit set, so
    0 and 1 never come and 1 - u is exact and one of them.

    SFC64 (Doty-Humphrey, PractRand) for three reasons: a counter is part of its state,
    so two streams that begin apart never come to the same state; one number is four
    64-bit additions, shifts and xors, which a compiled twin repeats on any machine;
    and nothing in numpy is faster. A raw word is taken, not Generator.random, as numpy
    promises to keep the words of a bit generator from version to version.
    """
    words = SFC64(origin.seed()).random_raw
    mirrored = origin.antithetic

    where = Place() if place is None else place

    def block() -> Iterator[float]:
        raw: NDArray[np.uint64] = words(BLOCK)
        u = ((raw >> np.uint64(11)) | np.uint64(1)) * 2.0**-53
        where.base += 0 if where.rest is None else BLOCK
        where.rest = numbers = iter(array("d", (1.0 - u if mirrored else u).tobytes()))
        return numbers

    # No Python frame runs between two blocks: a draw costs one call of a C iterator.
    return Uniforms.from_iterable(iter(block, None))


Rng = int | SeedSequence | BitGenerator | Generator | None
"""What may be given as `rng=`, by SPEC 7 of the Scientific Python project."""


def entropy_from(rng: Rng) -> int:
    """The entropy of a run, an int >= 0, from an `rng=` argument.

    rng     None: fresh entropy of the machine
            int >= 0: itself
            SeedSequence: its entropy; one that was spawned, or made of several
            numbers, gives 128 bits of its state
            BitGenerator, Generator: 128 bits drawn from it, so that the same object
            gives other runs when it is given again
    Raises  TypeError for anything else, ValueError for a negative int
    Source  SPEC 7, Scientific Python
    """
    match rng:
        case None:
            return _of_seed(SeedSequence())
        case SeedSequence():
            return _of_seed(rng)
        case BitGenerator():
            return int.from_bytes(Generator(rng).bytes(16), "little")
        case Generator():
            return int.from_bytes(rng.bytes(16), "little")
    return _of_number(rng)


def _of_seed(seed: SeedSequence) -> int:
    entropy = seed.entropy
    if isinstance(entropy, int) and not seed.spawn_key and seed.pool_size == SeedSequence(0).pool_size:
        return int(entropy)
    return int.from_bytes(seed.generate_state(4).astype("<u4").tobytes(), "little")


def _of_number(rng: object) -> int:
    try:
        if isinstance(rng, bool):
            raise TypeError
        number = index(rng)  # type: ignore[arg-type]  # whether it is one is asked so
    except TypeError:
        raise TypeError(
            f"rng={rng!r} ({type(rng).__name__}): give None, an int, or a SeedSequence,"
            " BitGenerator or Generator of numpy.random, such as"
            " numpy.random.default_rng(1)"
        ) from None
    if number < 0:
        raise ValueError(f"rng={number}: an int given as rng must be 0 or greater")
    return number
