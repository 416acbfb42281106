"""What a simulation says of its laws, conditions and flows: what is native code, what is not, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eventide.compiled.analyst import objects_of
from eventide.compiled.refusal import CannotLower
from eventide.continuous import Variable
from eventide.discrete.conditions import describe_function

if TYPE_CHECKING:
    from eventide.compiled.lowered import Access
    from eventide.continuous import Flow, Motion
    from eventide.discrete.conditions import Condition


@dataclass(frozen=True)
class LawNote:
    """One law, at its place in the order.

    name        as in "ball.equations"
    refusal     where and why it stays Python; None if it is native code
    flow        the number of its flow, counted from 1
    early       what it reads before the law that sets it, as (quantity, that law)
    """

    name: str
    is_compiled: bool
    refusal: CannotLower | None
    flow: int
    early: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ConditionNote:
    """One condition that is waited for or that releases a handler.

    name        whose it is; code: its function, or where it stands
    flow        the number of its flow, counted from 1
    """

    name: str
    code: str
    is_compiled: bool
    refusal: CannotLower | None
    flow: int


@dataclass(frozen=True)
class FlowNote:
    """What steps together.

    joined_by   who holds it together: laws and conditions that touch several, or all, of its members
    """

    number: int
    members: tuple[str, ...]
    joined_by: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """What `sim.explain()` answers; `str` of it is for reading.

    compiles    whether the simulation compiles at all
    together    whether all is one flow, by the setting or because something may touch anything
    """

    compiles: bool
    together: bool
    laws: tuple[LawNote, ...]
    conditions: tuple[ConditionNote, ...]
    flows: tuple[FlowNote, ...]

    def __str__(self) -> str:
        """The whole as lines of text."""
        lines = ["laws, in the order in which they run"]
        for law in self.laws:
            lines.append(f"  {law.name}: {_state(law.is_compiled, law.refusal, self.compiles)}, flow {law.flow}")
            lines += [f"    reads {what} before {setter} sets it" for what, setter in law.early]
        lines += ["conditions"] if self.conditions else []
        for item in self.conditions:
            state = _state(item.is_compiled, item.refusal, self.compiles)
            lines.append(f"  {item.name}, {item.code}: {state}, flow {item.flow}")
        lines.append("flows: all is one" if self.together else "flows")
        for flow in self.flows:
            joined = f"; joined by {', '.join(flow.joined_by)}" if flow.joined_by else ""
            lines.append(f"  {flow.number}: {', '.join(flow.members) or 'the clock'}{joined}")
        return "\n".join(lines)


def _state(is_compiled: bool, refusal: CannotLower | None, compiles: bool) -> str:
    if is_compiled:
        return "native code"
    return f"Python, because of {refusal}" if refusal else "Python" if compiles else "Python, as compile=False says"


def explain(motion: Motion) -> Explanation:
    """What is known of the laws, conditions and flows of a simulation as it stands now.

    What has been started or waited for in the present event is placed first, so a model can be asked before it runs.
    """
    motion.place_what_waits()
    return _Reader(motion).read()


class _Reader:
    """Goes through the plans of one simulation; flows are numbered in the order in which they began."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.analyst = motion.analyst
        self.numbers = {flow: k for k, flow in enumerate(motion.flows.values(), start=1)}

    def read(self) -> Explanation:
        """All of it."""
        laws = [(stage, law) for flow in self.numbers for (stage, *_), law in zip(flow.order, flow.laws, strict=True)]
        laws.sort(key=lambda item: (item[0], -item[1]._priority, item[1]._started))
        conditions = [c for flow in self.numbers for c in flow.conditions]
        conditions.sort(key=lambda c: (-c.priority, c.rank))
        return Explanation(
            compiles=self.analyst.compiles,
            together=self.motion.together,
            laws=self._laws([(law, "equations" if stage else "contributions") for stage, law in laws]),
            conditions=tuple(self._condition(c) for c in conditions),
            flows=tuple(self._flow(flow) for flow in self.numbers),
        )

    # --- laws -----------------------------------------------------------------------------------------------------

    def _laws(self, order: list[tuple[Any, str]]) -> tuple[LawNote, ...]:
        uses = [self._uses(law, name) for law, name in order]
        setters: dict[Any, int] = {}
        for place, (_, written, _) in enumerate(uses):
            for quantity in written:
                setters.setdefault(quantity, place)
        notes = []
        for place, ((law, name), (read, written, refusal)) in enumerate(zip(order, uses, strict=True)):
            late = [q for q in read if setters.get(q, -1) > place and q not in written]
            early = tuple((f"{owner.name}.{what}", _name(*order[setters[owner, what]])) for owner, what in late)
            is_compiled = refusal is None and self.analyst.compiles
            notes.append(LawNote(_name(law, name), is_compiled, refusal, self.numbers[law._flow], early))
        return tuple(notes)

    def _uses(self, law: Any, name: str) -> tuple[dict[Any, None], dict[Any, None], CannotLower | None]:
        """The computed values that a law reads and writes, as (owner, name), and why it cannot be compiled."""
        if not self.analyst.compiles:
            return {}, {}, None
        function = getattr(type(law), name)
        try:
            bound = self.analyst.registry.law(law, function)
        except CannotLower as error:
            return {}, {}, error
        objects = objects_of(bound)

        def computed(accesses: tuple[Access, ...]) -> dict[Any, None]:
            return {(o, a.name): None for a in accesses if a.row == "computed" for o in objects.get(a.path, ())}

        return computed(bound.kernel.lowered.reads), computed(bound.kernel.lowered.writes), None

    # --- conditions and flows -------------------------------------------------------------------------------------

    def _condition(self, condition: Condition) -> ConditionNote:
        refusal = None
        if self.analyst.compiles:
            try:
                self.analyst.registry.condition(condition.function, *condition.arguments)
            except CannotLower as error:
                refusal = error
        is_compiled = refusal is None and self.analyst.compiles
        flow = self.numbers[self.motion.watches.flow_of(condition)]
        return ConditionNote(condition.name, describe_function(condition.function), is_compiled, refusal, flow)

    def _flow(self, flow: Flow) -> FlowNote:
        owners = flow.owners()
        if not self.analyst.compiles:
            return FlowNote(self.numbers[flow], tuple(owner.name for owner in owners), ())
        joins = [(owner.name, self.motion.groups.plans[owner]) for owner in owners if not isinstance(owner, Variable)]
        joins += [(condition.name, condition.plan) for condition in flow.conditions]
        met = [(name, owners if p.touches is None else [o for o in p.touches if o._flow is flow]) for name, p in joins]
        joined_by = tuple(name for name, touched in met if len(touched) > 1)
        return FlowNote(self.numbers[flow], tuple(owner.name for owner in owners), joined_by)


def _name(law: Any, stage: str) -> str:
    return f"{law.name}.{stage}"
