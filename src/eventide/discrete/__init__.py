"""The discrete world: event list, processes and their commands, conditions, resources, the run loop.

May import: streams, statistics, declare, errors. Start reading at `world.py` (the loop), then `calendar.py` and
`process.py`.
"""

from eventide.discrete.calendar import Calendar
from eventide.discrete.commands import ProcessGenerator, activate, hold, passivate, pause
from eventide.discrete.conditions.crossing import crosses
from eventide.discrete.conditions.until import until
from eventide.discrete.conditions.when import when
from eventide.discrete.periodic import every, tick
from eventide.discrete.processes.composite import Outcome, all_of, first_of
from eventide.discrete.processes.process import Process
from eventide.discrete.queue import Queue, wait
from eventide.discrete.resources import Container, Preemption, PreemptiveResource, Request, Resource, Shifts, Store
from eventide.discrete.signals import Signal
from eventide.discrete.trace import Occurrence
from eventide.discrete.world import World
from eventide.streams.streams import Stream

__all__ = [
    "Calendar",
    "Container",
    "Occurrence",
    "Outcome",
    "Preemption",
    "PreemptiveResource",
    "Process",
    "ProcessGenerator",
    "Queue",
    "Request",
    "Resource",
    "Shifts",
    "Signal",
    "Store",
    "Stream",
    "World",
    "activate",
    "all_of",
    "crosses",
    "every",
    "first_of",
    "hold",
    "passivate",
    "pause",
    "tick",
    "until",
    "wait",
    "when",
]
