"""A handler in the class of the balls."""

import answers

import eventide as ev


class Ball(ev.Continuous):
    height: ev.State
    velocity: ev.State = ev.state(0.0)
    times: list[float] = ev.field(default_factory=list)

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -answers.GRAVITY

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self):
        self.times.append(self.sim.time)
        self.velocity *= -answers.SHARE
        if self.velocity < answers.SLOWEST:
            self.stop()


class Trial:
    def __init__(self, *, balls, seed):
        self.sim = ev.Simulation()
        heights = [answers.height_of(number, balls) for number in range(balls)]
        self.balls = [Ball(self.sim, height=height).start() for height in heights]

    def run(self):
        self.sim.run(until=20.0)

    def result(self):
        return answers.judged_bounces([ball.times for ball in self.balls])
