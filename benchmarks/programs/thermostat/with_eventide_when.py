"""Handlers for both limits in the class of the room."""

import answers

import eventide as ev


class Room(ev.Continuous):
    temperature: ev.State = ev.state(20.0)
    source: float = 0.0
    times: list[float] = ev.field(default_factory=list)

    def equations(self):
        self.rate.temperature = 0.1 * (self.source - self.temperature)

    @ev.when(lambda self: self.temperature <= 18.0)
    def heat(self):
        self.source = 30.0
        self.times.append(self.sim.time)

    @ev.when(lambda self: self.temperature >= 20.0)
    def rest(self):
        self.source = 0.0
        self.times.append(self.sim.time)


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches = switches
        self.sim = ev.Simulation(rel_error=tolerance, abs_error=tolerance)
        self.room = Room(self.sim).start()

    def run(self):
        # A moment after the last switch: nothing follows it for more than a unit of time.
        self.sim.run(until=answers.switches(self.switches)[-1] + 0.5)

    def result(self):
        return answers.judged_switches(self.room.times, self.switches)
