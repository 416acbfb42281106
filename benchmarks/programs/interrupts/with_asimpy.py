from random import Random

import asimpy


class Victim(asimpy.Process):
    def init(self, interrupts, caught):
        self.interrupts = interrupts
        self.caught = caught

    async def run(self):
        met = 0
        for _ in range(self.interrupts):
            try:
                await self.timeout(2.0)
            except asimpy.Interrupt:
                met += 1
        self.caught.append((self.now, met))


class Interrupter(asimpy.Process):
    def init(self, rng, other, interrupts):
        self.rng = rng
        self.other = other
        self.interrupts = interrupts

    async def run(self):
        for _ in range(self.interrupts):
            await self.timeout(self.rng.uniform(0.5, 1.5))
            self.other.interrupt()


def run(*, pairs: int, interrupts: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    caught = []
    env = asimpy.Environment()
    for _ in range(pairs):
        other = Victim(env, interrupts, caught)
        Interrupter(env, rng, other, interrupts)
    env.run()
    return {"interrupts": sum(met for _, met in caught), "end": caught[-1][0], "next_draw": rng.random()}
