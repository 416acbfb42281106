"""What several files of these tests share: jobs that queue, and places in the text of a test."""

from __future__ import annotations

from pathlib import Path

import eventide as ev


def job(resource, log, name, duration, **wish):
    """Come now, wait for a unit, work for a while."""
    with resource.request(**wish) as place:
        yield place
        log(name, "begins")
        yield ev.hold(duration)
    log(name, "ends")


def line_with(file, text):
    """Where the only line with that text stands in a file, as file:line."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if text in line and "line_with" not in line]
    return f"{file}:{found}"


class Speaker(ev.Process):
    """Says its name whenever it goes on, and is passive in between."""

    log: list

    def run(self):
        while True:
            self.log.append((self.sim.time, self.name))
            yield ev.passivate()


def speakers(sim, log, names):
    return [Speaker(sim, log=log, name=name) for name in names]


def does(sim, *steps):
    """A process that calls one function after the other, and yields what they answer if it is no process."""

    def story():
        for step in steps:
            answer = step()
            if answer is not None and not isinstance(answer, ev.Process):
                yield answer
        yield ev.passivate()

    return sim.process(story(), name="main")
