"""Means of a long run and how sure they are, for the models of this folder.

What follows each other in a queue is alike: a customer who waited long is followed by others who did. The standard
error of single waits is therefore far too small. Here the run is cut into batches so long that their means are nearly
independent, and the error is that of the batch means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import eventide as ev

Reading = ev.Tally | ev.Level | Callable[[], float]


def batch_means(
    sim: ev.Simulation,
    readings: Mapping[str, Reading],
    exact: Mapping[str, float],
    *,
    warm_up: float,
    batches: int,
    length: float,
) -> ev.ProcessGenerator[dict[str, object]]:
    """Tell the rest of a run: each reading as a tally of its batch means, half widths of 95 %, exact values.

    readings    by name: a statistic, of which the mean counts, or a function that reads several
    exact       what theory says of some of them
    warm_up     time that is not counted at the start, when the queue is still emptier than it will be
    length      time of each of the `batches`
    """
    means = {name: ev.Tally(name=name) for name in readings}
    own = [reading for reading in readings.values() if isinstance(reading, ev.Tally | ev.Level)]
    yield ev.hold(warm_up)
    for _ in range(batches):
        # The simulation knows the statistics of its resources; those that a model made itself are begun anew here.
        sim.reset_statistics()
        for statistic in own:
            statistic.reset()
        yield ev.hold(length)
        for name, reading in readings.items():
            means[name].add(reading.mean if isinstance(reading, ev.Tally | ev.Level) else reading())
    answers: dict[str, object] = dict(means)
    for name, tally in means.items():
        low, high = tally.confidence_interval(0.95)
        answers[f"{name}, half width"] = ev.Quantity((high - low) / 2.0, description="of the 95 % confidence interval")
        if name in exact:
            answers[f"{name}, exact"] = ev.Quantity(exact[name], description="from theory")
    return answers
