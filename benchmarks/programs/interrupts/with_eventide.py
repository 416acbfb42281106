from random import Random

import eventide as ev


def victim(sim, interrupts, caught):
    met = 0
    for _ in range(interrupts):
        try:
            yield ev.hold(2.0)
        except ev.Interrupt:
            met += 1
    caught.append((sim.time, met))


def interrupter(rng, other, interrupts):
    for _ in range(interrupts):
        yield ev.hold(rng.uniform(0.5, 1.5))
        other.interrupt()


def run(*, pairs: int, interrupts: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    caught = []
    sim = ev.Simulation()
    for _ in range(pairs):
        other = sim.process(victim(sim, interrupts, caught))
        sim.process(interrupter(rng, other, interrupts))
    sim.run()
    return {
        "events": sim.events,
        "interrupts": sum(met for _, met in caught),
        "end": caught[-1][0],
        "next_draw": rng.random(),
    }
