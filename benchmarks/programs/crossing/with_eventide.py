"""The third line of the loop is Python's: there is no native code for a digest of bytes."""

from hashlib import blake2b
from random import Random

import eventide as ev


def clerk(sim, rng, notes, book, ended):
    for number in range(notes):
        yield ev.hold(rng.expovariate(1.0))
        book.update(b"%d" % number)
    ended.append(sim.time)


def run(*, processes: int, notes: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    book = blake2b(digest_size=6)
    ended = []
    sim = ev.Simulation()
    for _ in range(processes):
        sim.process(clerk(sim, rng, notes, book, ended))
    sim.run()
    return {
        "events": sim.events,
        "ended": len(ended),
        "end": ended[-1],
        "next_draw": rng.random(),
        "book": int(book.hexdigest(), 16),
    }
