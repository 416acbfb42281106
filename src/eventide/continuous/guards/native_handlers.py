"""Native handlers: which handlers are native code, and when they may run without Python.

A handler is lowered once its class has had 16 events of it, for all objects present and to come: lowering takes as
long as 500 events in Python (2 ms), which a short run never regains. Handlers run in Python while observers watch
events, with a trace or log, in `step()`, where a surface may be slid along, where inputs limit steps, where unreadable
code or a changing condition on time alone is checked after each event, where Zeno behaviour is being judged, and where
several flows depend on what is written. With `compile=False` they always do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eventide.declare.changes import Pending

if TYPE_CHECKING:
    from eventide.continuous.integrator import Integrator
    from eventide.continuous.plans import ReactionPlan
    from eventide.discrete.conditions.when import Trigger


ENOUGH: Final = 16
"""A handler is lowered when objects of its class have had this many of its events, unless it was lowered for another
simulation: that takes as long as hundreds of them in Python.
"""


class NativeHandlers:
    """The handlers of one simulation that are native code.

    plans       what is known of each
    exposed     those by whose names their files set attributes, so that an object may have its own: see `poll`
    arriving    those of whose code there have been enough events, of which it is to be found out whether they are
    filling     how many of them append to lists, and so make objects of Python's
    handled     how many events were theirs; fresh: of these, how many since that was asked for
    """

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator
        self.plans: dict[Trigger, ReactionPlan] = {}
        self.exposed: dict[Trigger, None] = {}
        self.arriving: Pending[Trigger] = Pending(integrator.changes)
        self.filling = self.handled = self.fresh = 0
        self._counts: dict[int, int] = {}
        self._refused: dict[int, object] = {}
        self._native: dict[int, object] = {}

    def note_start(self, trigger: Trigger) -> None:
        """A handler has started: it is native code at once if others of its code are."""
        if trigger.is_counted and id(trigger.code) in self._native and trigger.partner is None:
            trigger.is_counted = False
        if not trigger.is_counted and trigger not in self.plans:
            self.arriving.add(trigger)

    def count_event(self, trigger: Trigger) -> None:
        """A handler runs in Python."""
        code = trigger.code
        count = self._counts[id(code)] = self._counts.get(id(code), 0) + 1
        if id(code) in self._refused:
            trigger.is_counted = False
        elif count >= ENOUGH or (count == 1 and self.integrator.analyst.knows_handler(code)):
            self._counts[id(code)] = ENOUGH
            trigger.is_counted = False
            self.arriving.add(trigger)

    def place(self) -> None:
        """Find out which of the new handlers are native code; those that have left since are passed over."""
        while self.arriving:
            for trigger in self.arriving.take():
                if trigger.row >= 0 and trigger.partner is None:
                    self._find_out(trigger)

    def _find_out(self, trigger: Trigger) -> None:
        """Make a handler native code if possible, and with the first of its code all others."""
        code = trigger.code
        if not self._admit(trigger):
            self._refused[id(code)] = code
        elif id(code) not in self._native:
            self._native[id(code)] = code
            for condition in self.integrator.guards.at.values():
                if condition.is_handler:
                    self.note_start(condition)  # type: ignore[arg-type]  # it is a Trigger

    def _admit(self, trigger: Trigger) -> bool:
        """Whether a handler is native code from now on."""
        plan = self.integrator.analyst.reaction(trigger)
        if plan is None:
            return False
        self.plans[trigger] = plan
        if plan.is_polled:
            self.exposed[trigger] = None
        self.filling += plan.appends
        guard = self.integrator.guards.guard
        guard.handler[trigger.row], guard.effects[trigger.row] = plan.address, plan.effects
        return True

    def leave(self, trigger: Trigger) -> None:
        """A handler has come to its end, or is planned again."""
        self.arriving.pop(trigger, None)
        self.exposed.pop(trigger, None)
        plan = self.plans.pop(trigger, None)
        if plan is not None:
            self.filling -= plan.appends
            self.integrator.guards.guard.handler[trigger.row] = 0
            self.integrator.analyst.release(plan)

    def are_current(self) -> bool:
        """Whether all native handlers still call the code that they were compiled from."""
        return all(map(self.integrator.analyst.is_reaction_current, self.plans.values()))

    def renew(self) -> None:
        """Plan again those that may refer to other objects than before."""
        self._again([trigger for trigger, plan in self.plans.items() if plan.signature is not None])

    def renew_all(self) -> None:
        """Plan all of them again."""
        self._again(list(self.plans))

    def _again(self, triggers: list[Trigger]) -> None:
        for trigger in triggers:
            self.leave(trigger)
            self._admit(trigger)

    def poll(self) -> None:
        """After an event: leave to Python the handlers that an object now has of its own; others are native again."""
        for trigger in [one for one in self.exposed if (one.method in one.component.__dict__) is (one in self.plans)]:
            self._again([trigger])
            self.exposed[trigger] = None

    def level(self) -> int:
        """Which of them may run now, as far as the model is concerned: a value of REACTS.

        Not where every event makes Python look at what cannot be read. Not what fills lists or sets modes where lists
        are read, or where kernels fit one answer to a comparison of a mode.
        """
        if self.integrator.groups.opaque:
            return 0
        references = self.integrator.references
        return 1 if references.looks_at_lists or references.judges_modes else 2

    def allow(self, level: int) -> None:
        """Let them run, or not, until the stepper comes back."""
        self.integrator.run.reacts = level

    def count(self) -> bool:
        """Take up how many have run; whether any has."""
        run = self.integrator.run
        handled = run.handled
        if not handled:
            return False
        run.handled = 0
        self.integrator.sim.last_time = run.handled_at
        self.handled += handled
        self.fresh += handled
        return True
