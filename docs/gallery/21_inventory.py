"""
Inventory
=========

A shop orders when its stock falls below a level, and gets what it ordered some days later. Both the level and the
amount decide how often customers are turned away and what the stock costs.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Shop:
    def __init__(self, sim, level, amount):
        self.sim, self.level, self.amount = sim, level, amount
        self.stock, self.on_order = float(amount), 0.0
        self.on_hand = sim.level("on hand", initial=float(amount))
        self.asked = self.lost = self.orders = 0

    def sell(self, wanted):
        self.asked += wanted
        sold = min(wanted, self.stock)
        self.lost += wanted - sold
        self.stock -= sold
        self.on_hand.set(self.stock)
        if self.stock + self.on_order <= self.level:
            self.sim.process(self.order())

    def order(self):
        self.on_order += self.amount
        self.orders += 1
        yield ev.hold(self.sim.stream("delivery").uniform(2.0, 6.0))
        self.on_order -= self.amount
        self.stock += self.amount
        self.on_hand.set(self.stock)


def customers(sim, shop):
    while True:
        yield ev.hold(sim.stream("gaps").exponential(0.1))
        shop.sell(sim.stream("wanted").randint(1, 4))


@ev.model(until=365.0, time_unit="d")
def inventory(sim, *, level: float = 120.0, amount: float = 200.0):
    shop = Shop(sim, level, amount)
    sim.process(customers(sim, shop))
    sim.record(every=0.25, stock=lambda: shop.stock, name="stock")
    return {
        "lost": lambda: shop.lost / shop.asked,
        "cost a day": lambda: (0.1 * shop.on_hand.mean * sim.time + 60.0 * shop.orders + 4.0 * shop.lost) / sim.time,
    }


# %%
# The stock during sixty days.

run = inventory.run(entropy=5, until=60.0)
_, axes = plt.subplots(figsize=(8, 3))
run.recordings[0].plot(ax=axes)

# %%
# Nine rules, one year each, ten times.

over = {"level": [80.0, 120.0, 160.0], "amount": [150.0, 250.0, 350.0]}
result = ev.Study(inventory, over=over, replications=10, entropy=5).run(workers=1)
print(result)
