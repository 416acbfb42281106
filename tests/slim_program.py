"""What must work where numpy, scipy, llvmlite and cloudpickle are installed and nothing else.

`test_slim.py` runs it beside installed extras that it hides; `make dist` runs it in an empty environment.
"""

import eventide as ev


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0, unit="m")
    velocity: ev.State = ev.state(0.0)

    def equations(self):
        self.rate.height = self.velocity
        self.rate.velocity = -10.0

    @ev.when(lambda self: self.height <= 0.0 and self.velocity < 0.0)
    def bounce(self):
        self.velocity *= -0.5


@ev.model(until=1.5)
def falling(sim, *, height: float = 5.0):
    ball = Ball(sim, height=height).start()
    sim.record(ball, every=0.5)
    seen = [0.0]

    def watcher():
        yield ev.until(lambda: ball.velocity > 0.0)
        seen[0] = sim.time
        yield ev.hold(0.25)
        seen[0] += ball.velocity

    sim.process(watcher())
    return {"height": lambda: ball.height, "seen": lambda: seen[0]}


def told() -> list[str]:
    """What the program finds, in lines."""
    run = falling.run(entropy=1)
    lines = [f"{run.responses['height']:.6f} {run.responses['seen']:.6f} {len(run.recordings[0].times)}"]
    lines.append(f"{ev.sensitivity(falling)['height', 'height']:.6f}")
    from eventide.cli import main

    for wanted in (
        run.recordings[0].to_pandas,
        run.recordings[0].plot,
        lambda: main(["--help"]),
    ):
        try:
            wanted()
        except (ev.MissingLibraryError, SystemExit) as error:
            lines.append(str(error))
    return lines


EXPECTED = [
    "1.250000 3.500000 5",
    "0.250000",
    "this needs pandas, which is not installed: run pip install 'eventide-sim[tables]'",
    "plot_recording() needs matplotlib, which is not installed: run pip install 'eventide-sim[figures]'",
    "the command line needs typer, which is not installed: run pip install 'eventide-sim[cli]'",
]

if __name__ == "__main__":
    assert told() == EXPECTED, told()
    print(f"eventide {ev.__version__}")
