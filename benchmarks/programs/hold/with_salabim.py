from random import Random

import salabim


class Holder(salabim.Component):
    def setup(self, rng, holds, ended):
        self.rng = rng
        self.holds = holds
        self.ended = ended

    def process(self):
        for _ in range(self.holds):
            yield self.hold(self.rng.expovariate(1.0))
        self.ended.append(self.env.now())


def run(*, processes: int, holds: int, seed: int) -> dict[str, float]:
    rng = Random(seed)
    ended = []
    env = salabim.Environment(yieldless=False)
    for _ in range(processes):
        Holder(rng=rng, holds=holds, ended=ended)
    env.run()
    return {"ended": len(ended), "end": ended[-1], "next_draw": rng.random()}
