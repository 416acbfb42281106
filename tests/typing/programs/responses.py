"""A model's parameters and responses are known to the checker."""

from __future__ import annotations

from typing import TypedDict

import eventide as ev


class Report(TypedDict):
    heating_time: float
    drawn: int


@ev.model
def pit(sim: ev.Simulation, *, places: int = 10, gap: float = 2.25) -> ev.ProcessGenerator[Report]:
    yield ev.hold(gap * places)
    return {"heating_time": 12.5, "drawn": places}


run = pit(places=8).run(entropy=1)
good: float = run.responses["heating_time"] + run.responses["drawn"]
print(run.responses["heatin_time"])  # E: "heatin_time" is not a valid TypedDict key; expected one of ("heating_time", "drawn")  [misc]
pit(place=8)  # E: Unexpected keyword argument "place" for "__call__" of "Model"; did you mean "places"?  [call-arg]
pit(places="eight")  # E: Argument "places" to "__call__" of "Model" has incompatible type "str"; expected "int"  [arg-type]
