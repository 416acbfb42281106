"""What processes compete for: units of a resource, amounts in a container, things in a store; opening hours.

May import: the rest of `discrete`, statistics, declare, errors. Start reading at `resource.py`, then `line.py`.
"""

from eventide.discrete.resources.container import Container
from eventide.discrete.resources.preemption import Preemption
from eventide.discrete.resources.request import Request
from eventide.discrete.resources.resource import PreemptiveResource, Resource
from eventide.discrete.resources.shifts import Shifts
from eventide.discrete.resources.store import Store

__all__ = ["Container", "Preemption", "PreemptiveResource", "Request", "Resource", "Shifts", "Store"]
