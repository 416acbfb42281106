"""A process that waits for each limit in turn."""

import answers

import eventide as ev


class Room(ev.Continuous):
    temperature: ev.State = ev.state(20.0)
    source: float = 0.0

    def equations(self):
        self.rate.temperature = 0.1 * (self.source - self.temperature)


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches = switches
        self.times = []
        self.sim = ev.Simulation(rel_error=tolerance, abs_error=tolerance)
        self.room = Room(self.sim).start()
        self.sim.process(self.control())

    def control(self):
        sim, room, note = self.sim, self.room, self.times.append
        while len(self.times) < self.switches:
            yield ev.until(lambda: room.temperature <= 18.0)
            room.source = 30.0
            note(sim.time)
            yield ev.until(lambda: room.temperature >= 20.0)
            room.source = 0.0
            note(sim.time)

    def run(self):
        self.sim.run()

    def result(self):
        return answers.judged_switches(self.times, self.switches)
