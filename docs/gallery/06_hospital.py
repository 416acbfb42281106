"""
Hospital with patients who deteriorate
======================================

A patient's condition gets worse while nobody treats it, at a rate of its own. The doctor takes the most urgent
first. Who falls below a limit is moved to intensive care.
"""

import matplotlib.pyplot as plt

import eventide as ev


class Patient(ev.Process, ev.Continuous):
    doctors: ev.Resource
    outcomes: dict
    health: ev.State = ev.state(unit="%")
    decline: float = ev.field(unit="%/h")

    def equations(self):
        self.rate.health = -self.decline * (1.0 + (100.0 - self.health) / 100.0)

    def run(self):
        self.start()
        outcome = yield ev.first_of(
            treatment=self.doctors.request(priority=self.decline), crisis=ev.until(lambda: self.health <= 30.0)
        )
        self.stop()
        self.outcomes[outcome.name] += 1
        if outcome.name == "treatment":
            with outcome.value:
                yield ev.hold(self.sim.stream("treatment").exponential(0.5))


def admission(sim, doctors, outcomes):
    while True:
        yield ev.hold(sim.stream("gaps").exponential(0.27))
        Patient(
            sim, doctors=doctors, outcomes=outcomes, health=sim.stream("health").uniform(60.0, 100.0),
            decline=sim.stream("decline").exponential(8.0),
        ).activate()  # fmt: skip


@ev.model(until=24.0 * 7, time_unit="h")
def ward(sim, *, doctors: int = 2):
    station = ev.Resource(sim, doctors, name="doctors")
    outcomes = {"treatment": 0, "crisis": 0}
    sim.process(admission(sim, station, outcomes))
    sim.record(Patient, every=0.1, name="patients")
    return {"share in crisis": lambda: outcomes["crisis"] / sum(outcomes.values()), "wait": station.waits}


# %%
# The health of those who wait, on the first day.

sim_of_a_day = ward.run(entropy=2, until=24.0)
_, axes = plt.subplots(figsize=(8, 4))
sim_of_a_day.recordings[0].plot(ax=axes)

# %%
# One more doctor: ten weeks each.

print(ev.Study(ward, over={"doctors": [2, 3]}, replications=10, entropy=2).run(workers=1))
