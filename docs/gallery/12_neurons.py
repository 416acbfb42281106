"""
Neurons that excite each other
==============================

A hundred leaky integrate-and-fire neurons. Each charges until its threshold, fires, is reset, and pushes its
neighbours a moment later. A firing is a state event of one neuron; the others are not disturbed until the pulse
arrives.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Neuron(ev.Continuous):
    v: ev.State = ev.state(0.0)
    drive: float = 1.0
    targets: list = ev.field(default_factory=list)
    spikes: list = ev.field(default_factory=list)
    number: int = 0

    def equations(self):
        self.rate.v = self.drive - self.v

    @ev.when(lambda self: self.v >= 1.0)
    def fires(self):
        self.v = 0.0
        self.spikes.append((self.sim.time, self.number))
        self.sim.process(pulse(self.targets))


def pulse(targets):
    yield ev.hold(0.05)
    for neuron in targets:
        neuron.v += 0.03


sim = ev.Simulation(rng=8)
chance = sim.stream("network")
spikes = []
neurons = [
    Neuron(sim, v=chance.uniform(0.0, 0.9), drive=chance.uniform(1.05, 1.3), spikes=spikes, number=number)
    for number in range(100)
]
for neuron in neurons:
    neuron.targets = [neurons[chance.randint(0, 99)] for _ in range(8)]
    neuron.start()
sim.run(until=30.0)
print(f"{len(spikes)} spikes")

# %%
# Each point is a spike. The network falls into step.

_, axes = plt.subplots(figsize=(8, 4))
axes.plot(*zip(*spikes, strict=True), ".", markersize=2)
axes.set(xlabel="time", ylabel="neuron")
