"""The generator of `random.Random`, MT19937, on the words that such an object has itself.

In: the address of the words of a generator. Out: the numbers that its methods draw, to the last bit. Native code and
Python draw from one state, so either may go on where the other has stopped.

Sources  Matsumoto & Nishimura 1998, "Mersenne Twister", ACM TOMACS 8(1); Python's manual, random
"""

from __future__ import annotations

import sys
from ctypes import c_uint32, string_at
from functools import cache
from math import cos, exp, log, pi, sin, sqrt
from random import Random
from typing import Final

WORDS: Final = 624
_FAR: Final = 397
"""How far away the word is that enters a new one."""
_WORD: Final = 4  # bytes
RATIO: Final = 4 * exp(-0.5) / sqrt(2.0)
TURN: Final = 2.0 * pi
MOST_BELOW: Final = 2**32 - 1
"""The largest count of which a number is drawn from one word."""


@cache
def place_of_words() -> int | None:
    """How many bytes after its address an object of `Random` has its place in the words, which follow it.

    None if this Python has them elsewhere: then its methods are called.
    """
    generator = Random(1)
    generator.random()
    _, (*words, place), _ = generator.getstate()
    image = b"".join(word.to_bytes(_WORD, sys.byteorder) for word in (place, *words))
    found = string_at(id(generator), Random.__basicsize__).find(image)
    return None if found < 0 else found


# --- native code has instructions in place of these calls -------------------------------------------------------------


def word_at(address: int, index: int) -> int:
    """One of the words of 32 bits that begin at an address."""
    return c_uint32.from_address(address + _WORD * index).value


def set_word(address: int, index: int, word: int) -> None:
    """Set one of them."""
    c_uint32.from_address(address + _WORD * index).value = word


# --- draws ------------------------------------------------------------------------------------------------------------


def refill(state: int) -> None:
    """Make all words anew."""
    for k in range(WORDS):
        after = k + 1 if k < WORDS - 1 else 0
        far = k + _FAR if k < WORDS - _FAR else k + _FAR - WORDS
        joined = (word_at(state, k + 1) & 0x80000000) ^ (word_at(state, after + 1) & 0x7FFFFFFF)
        set_word(state, k + 1, word_at(state, far + 1) ^ (joined >> 1) ^ (joined & 1) * 0x9908B0DF)


def next_word(state: int) -> int:
    """The next 32 bits."""
    if word_at(state, 0) >= WORDS:
        refill(state)
        set_word(state, 0, 0)
    place = word_at(state, 0)
    set_word(state, 0, place + 1)
    word = word_at(state, place + 1)
    word = word ^ (word >> 11)
    word = word ^ ((word << 7) & 0x9D2C5680)
    word = word ^ ((word << 15) & 0xEFC60000)
    return word ^ (word >> 18)


def next_uniform(state: int) -> float:
    """What `random()` draws: one of 2**53 numbers of [0, 1)."""
    upper = next_word(state) >> 5
    return (upper * 67108864.0 + (next_word(state) >> 6)) * (1.0 / 9007199254740992.0)


def next_normal(state: int) -> float:
    """What `normalvariate()` draws from the standard normal distribution.

    Source  Kinderman & Monahan 1977, ACM TOMS 3(3): ratios of uniforms
    """
    number, bound = 2.0, 0.0
    while number * number / 4.0 > bound:
        uniform = next_uniform(state)
        other = 1.0 - next_uniform(state)
        number = RATIO * (uniform - 0.5) / other
        bound = -log(other)
    return number


@cache
def is_normal_as_here() -> bool:
    """Whether this Python draws normal numbers in the same way."""
    known, other, place = Random(1), Random(1), place_of_words()
    if place is None:
        return False
    drawn = [next_normal(id(other) + place) for _ in range(40)]
    return drawn == [known.normalvariate(0.0, 1.0) for _ in range(40)] and known.getstate() == other.getstate()


@cache
def is_gauss_as_here() -> bool:
    """Whether this Python draws pairs of normal numbers as native code does (`bodies/calls.py`)."""
    known, other = Random(1), Random(1)
    angle, radius = other.random() * TURN, sqrt(-2.0 * log(1.0 - other.random()))
    pair = [cos(angle) * radius, sin(angle) * radius]
    return known.gauss(0.0, 1.0) == pair[0] and known.gauss_next == pair[1] and known.gauss(0.0, 1.0) == pair[1]  # type: ignore[attr-defined]  # it is Python's own


def next_below(state: int, count: int) -> int:
    """A whole number from 0 to below a count of 1 to `MOST_BELOW`: of words as many bits as it has."""
    spare = 0
    while count << (spare + 1) <= MOST_BELOW:
        spare += 1
    found = next_word(state) >> spare
    while found >= count:
        found = next_word(state) >> spare
    return found
