"""A Taylor method with two terminal events, whose callbacks set the parameter of the equation."""

import answers
import heyoka


class Trial:
    def __init__(self, *, switches, tolerance, seed):
        self.switches = switches
        self.times = []
        temperature = heyoka.make_vars("temperature")
        self.integrator = heyoka.taylor_adaptive(
            [(temperature, 0.1 * (heyoka.par[0] - temperature))],
            [20.0],
            pars=[0.0],
            tol=tolerance,
            t_events=[
                heyoka.t_event(temperature - 18.0, callback=self.heat, direction=heyoka.event_direction.negative),
                heyoka.t_event(temperature - 20.0, callback=self.rest, direction=heyoka.event_direction.positive),
            ],
        )

    def heat(self, integrator, sign):
        return self.switch(integrator, 30.0)

    def rest(self, integrator, sign):
        return self.switch(integrator, 0.0)

    def switch(self, integrator, source):
        integrator.pars[0] = source
        self.times.append(integrator.time)
        return True

    def __deepcopy__(self, memo):
        return self  # heyoka copies callbacks, and with them what they belong to

    def run(self):
        self.integrator.propagate_until(answers.switches(self.switches)[-1] + 0.5)

    def result(self):
        return answers.judged_switches(self.times, self.switches)
