from hashlib import blake2b
from random import Random

import simpy


def clerk(env, rng, notes, book, ended):
    for number in range(notes):
        yield env.timeout(rng.expovariate(1.0))
        book.update(b"%d" % number)
    ended.append(env.now)


def run(*, processes: int, notes: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    book = blake2b(digest_size=6)
    ended = []
    env = simpy.Environment()
    for _ in range(processes):
        env.process(clerk(env, rng, notes, book, ended))
    env.run()
    return {"ended": len(ended), "end": ended[-1], "next_draw": rng.random(), "book": int(book.hexdigest(), 16)}
