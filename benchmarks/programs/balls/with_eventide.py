"""A ball is a process: it waits for the floor, bounces, and ends when it is slow."""

import answers

import eventide as ev


class Ball(ev.Process, ev.Continuous):
    height: ev.State
    velocity: ev.State = ev.state(0.0)
    times: list[float] = ev.field(default_factory=list)

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -answers.GRAVITY

    def run(self):
        self.start()
        while True:
            yield ev.until(lambda: self.height <= 0.0 and self.velocity < 0.0)
            self.times.append(self.sim.time)
            self.velocity *= -answers.SHARE
            if self.velocity < answers.SLOWEST:
                self.stop()
                return


class Trial:
    def __init__(self, *, balls, seed):
        self.sim = ev.Simulation()
        heights = [answers.height_of(number, balls) for number in range(balls)]
        self.balls = [Ball(self.sim, height=height).activate() for height in heights]

    def run(self):
        self.sim.run(until=20.0)

    def result(self):
        return answers.judged_bounces([ball.times for ball in self.balls])
