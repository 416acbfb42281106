import answers
import eventide as ev


class Lorenz(ev.Continuous):
    x: ev.State = ev.state(1.0)
    y: ev.State = ev.state(1.0)
    z: ev.State = ev.state(1.0)

    def equations(self):
        self.rate.x = 10.0 * (self.y - self.x)
        self.rate.y = self.x * (28.0 - self.z) - self.y
        self.rate.z = self.x * self.y - 8.0 / 3.0 * self.z


class Trial:
    def __init__(self, *, until, tolerance, seed=0):
        self.until, self.tolerance = until, tolerance
        self.sim = ev.Simulation(rel_error=tolerance, abs_error=tolerance)
        self.model = Lorenz(self.sim).start()

    def run(self):
        self.sim.run(until=self.until)

    def result(self):
        monitor, model = self.sim.monitor, self.model
        return {
            "steps": monitor.steps,
            "refused": monitor.refused,
            "evaluations": monitor.system.evaluations,
            "x": model.x,
            "error_5": answers.lorenz_error(self.again),
        }

    def again(self, until):
        other = Trial(until=until, tolerance=self.tolerance)
        other.run()
        return other.model.x, other.model.y, other.model.z
