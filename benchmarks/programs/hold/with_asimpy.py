from random import Random

import asimpy


class Holder(asimpy.Process):
    def init(self, rng, holds, ended):
        self.rng = rng
        self.holds = holds
        self.ended = ended

    async def run(self):
        for _ in range(self.holds):
            await self.timeout(self.rng.expovariate(1.0))
        self.ended.append(self.now)


def run(*, processes: int, holds: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    ended = []
    env = asimpy.Environment()
    for _ in range(processes):
        Holder(env, rng, holds, ended)
    env.run()
    return {"ended": len(ended), "end": ended[-1], "next_draw": rng.random()}
