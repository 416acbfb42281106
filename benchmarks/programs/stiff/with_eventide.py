from stiff import StiffTrial

import eventide as ev


class Robertson(ev.Continuous):
    a: ev.State = ev.state(1.0)
    b: ev.State = ev.state(0.0)
    c: ev.State = ev.state(0.0)

    def equations(self):
        first, last = -0.04 * self.a + 1e4 * self.b * self.c, 3e7 * self.b * self.b
        self.rate.a = first
        self.rate.b = -first - last
        self.rate.c = last

    def values(self):
        return self.a, self.b, self.c


class Hires(ev.Continuous):
    y1: ev.State = ev.state(1.0)
    y2: ev.State = ev.state(0.0)
    y3: ev.State = ev.state(0.0)
    y4: ev.State = ev.state(0.0)
    y5: ev.State = ev.state(0.0)
    y6: ev.State = ev.state(0.0)
    y7: ev.State = ev.state(0.0)
    y8: ev.State = ev.state(0.0057)

    def equations(self):
        bound = 280.0 * self.y6 * self.y8 - 1.81 * self.y7
        self.rate.y1 = -1.71 * self.y1 + 0.43 * self.y2 + 8.32 * self.y3 + 0.0007
        self.rate.y2 = 1.71 * self.y1 - 8.75 * self.y2
        self.rate.y3 = -10.03 * self.y3 + 0.43 * self.y4 + 0.035 * self.y5
        self.rate.y4 = 8.32 * self.y2 + 1.71 * self.y3 - 1.12 * self.y4
        self.rate.y5 = -1.745 * self.y5 + 0.43 * (self.y6 + self.y7)
        self.rate.y6 = -280.0 * self.y6 * self.y8 + 0.69 * self.y4 + 1.71 * self.y5 - 0.43 * self.y6 + 0.69 * self.y7
        self.rate.y7 = bound
        self.rate.y8 = -bound

    def values(self):
        return self.y1, self.y2, self.y3, self.y4, self.y5, self.y6, self.y7, self.y8


MODELS = {"robertson": Robertson, "hires": Hires}


class Trial(StiffTrial):
    def prepare(self):
        tolerance = self.tolerance
        self.sim = ev.Simulation(rel_error=tolerance, abs_error=tolerance * self.problem.scale)
        self.sim.method = ev.methods.RADAU
        self.model = MODELS[self.name](self.sim).start()

    def solve(self, until):
        self.sim.run(until=until)
        report = self.sim.report()
        return self.model.values(), {
            "steps": report.steps,
            "refused": report.refused,
            "evaluations": report.evaluations,
            "factorizations": report.factorizations,
        }
