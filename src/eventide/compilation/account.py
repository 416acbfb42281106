"""What a simulation says of its laws, conditions and flows: what is native code, what is not, and why."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from eventide.compilation.branches.located import smooth_in, unlocated_in
from eventide.compilation.planner import Compiler
from eventide.compilation.soundness import objects_of
from eventide.continuous import Variable
from eventide.continuous.components.component import STAGES
from eventide.continuous.components.member import branches_in
from eventide.continuous.components.switches import Switch
from eventide.continuous.flows.flow import moving_flow
from eventide.continuous.guards.equalities import moving_equalities
from eventide.continuous.plans import never_started
from eventide.declare.showing import grouped, listed, public_dir, shares
from eventide.discrete.conditions.when import AT_START, Trigger
from eventide.lowering.not_compilable import CannotLower
from eventide.reading.description import describe_function, location

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eventide.continuous import Derivatives, Flow, Integrator
    from eventide.continuous.components.component import Continuous
    from eventide.continuous.components.member import Member
    from eventide.continuous.guards.guards import Kind
    from eventide.continuous.plans import Plan
    from eventide.discrete.conditions.condition import Condition
    from eventide.discrete.processes.migration import RowNote
    from eventide.lowering.kernels.lowered import Row


@dataclass(frozen=True)
class LawNote:
    """One law, at its place in the order.

    name        as in "ball.equations"
    refusal     where and why it stays Python; None if it is native code
    flow        the number of its flow, counted from 1
    waits       for what it stands behind others of lower rank, as (quantity, law)
    overwrites  what it sets although an earlier law has written it, unread, as (quantity, that law)
    """

    name: str
    is_compiled: bool
    refusal: CannotLower | None
    flow: int
    waits: tuple[tuple[str, str], ...] = ()
    overwrites: tuple[tuple[str, str], ...] = ()


MONITORING: Final[dict[Kind, str]] = {
    "certified": "proved over whole steps",
    "sampled": "tested at samples of steps",
    "opaque": "tested at the middle and the end of steps",
}


@dataclass(frozen=True)
class BranchNote:
    """What branches in a law.

    law         as in "ball.equations"; place: file and line; text: what stands there
    kind        how closely it is located; None if it is not, and why
    is_smooth   whether it is not located, and smooth all the same, as the class says
    """

    law: str
    place: str
    text: str
    kind: Kind | None
    why: str = ""
    is_smooth: bool = False

    @property
    def looks(self) -> str:
        """How it is located, in words."""
        return MONITORING[self.kind] if self.kind else "not located"


@dataclass(frozen=True)
class ConditionNote:
    """One condition that is waited for or that releases a handler.

    name        whose it is; code: its function, or where it stands
    flow        the number of its flow, counted from 1
    kind        how closely it is monitored inside steps: "certified", "sampled" or "opaque"
    equalities  its comparisons by == or != of what moves between events, with what to write instead
    resting     objects that it reads and that have never been started, though they have laws or states
    began_true  whether it is a handler's and has been true from the start on, so that the handler has never run
    """

    name: str
    code: str
    is_compiled: bool
    refusal: CannotLower | None
    flow: int
    kind: Kind
    equalities: tuple[str, ...] = ()
    resting: tuple[str, ...] = ()
    began_true: bool = False

    @property
    def _looks(self) -> str:
        return MONITORING[self.kind]


IS_SEEN: Final = (
    "stands behind whose values it is seen to read where steps begin; what it reads only later is not known"
)
ADVICE: Final = (
    "what is true for a moment between two tests, or after an event false, may be missed: compare sums, products, "
    "quotients, powers, sin, exp, sqrt and their like, abs, min, max, floor, %, which is proved, by < and > rather "
    "than by == of what moves smoothly; or set sim.dt_max to a time for which it stays true"
)
"""What to do about conditions that are tested only."""


@dataclass(frozen=True)
class HandlerNote:
    """One handler of a state event, or a generator function of processes.

    name        as in "ball.bounce", or the function's
    refusal     where and why it stays Python; None if it is native code
    asks        where and why native code leaves its event to Python
    """

    name: str
    is_compiled: bool
    refusal: CannotLower | None
    asks: tuple[CannotLower, ...] = ()

    def _lines(self, compiles: bool) -> list[str]:
        state = _state(self.is_compiled, self.refusal, compiles)
        return [f"  {self.name}: {state}", *[f"    but for {ask}" for ask in self.asks]]


class RowsNote(NamedTuple):
    """What is known of processes that may be rows: of each function, and how many of all events were those of rows.

    observers   the names of those that look at each event as Python, so that all processes are Python, too
    waiting     the names of processes whose conditions Python tests after each event, likewise
    """

    notes: Sequence[RowNote]
    taken: int
    events: int
    observers: Sequence[str] = ()
    waiting: Sequence[str] = ()

    def hindrance(self) -> list[str]:
        """What keeps all processes in Python."""
        lines: list[str] = []
        if self.observers:
            verb = "looks" if len(self.observers) == 1 else "look"
            lines.append(f"processes are Python as {', '.join(self.observers)} {verb} at events{LOOKING}")
        if self.waiting:
            verb = "waits" if len(self.waiting) == 1 else "wait"
            lines.append(
                f"processes are Python while {listed(self.waiting)} {verb} for what only events change{TESTED}"
            )
        return lines

    def lines(self) -> list[str]:
        """How much of a run native code has had, if it could; where that is nothing, what it needs."""
        if not any(note.refusal is None for note in self.notes):
            return []
        why = "" if self.taken else f": {NEEDS}"
        return [f"  {self.taken} of {self.events} events up to now were native ones of these functions{why}"]


LOOKING: Final = (
    "; native code can do so for recordings of variables of objects, whole classes, levels, resources, containers and "
    "stores, and of functions that it can compute, which are not dense and do not stream"
)
TESTED: Final = (
    "; native code goes on beside conditions that compare numbers, words and modes of plain objects, and itself waits "
    "for resources, stores, signals and ends of processes"
)
NEEDS: Final = (
    "those begin after some events, where nothing needs Python between two of them, such as an observer, or a wait or "
    "a law that is Python, and where what is left to Python is rare enough to pay"
)
"""Why processes whose functions are native code may all be in Python."""


@dataclass(frozen=True)
class Bond:
    """A law or condition that holds a flow together.

    name        whose it is
    members     which members of the flow it touches, two or more
    """

    name: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class FlowNote:
    """What steps together.

    bonds       what holds it together
    derivatives of its laws, as an implicit method has them; None before its first step, and for other methods
    """

    number: int
    members: tuple[str, ...]
    bonds: tuple[Bond, ...]
    derivatives: Derivatives | None = None

    @property
    def joined_by(self) -> tuple[str, ...]:
        """What holds it together: laws and conditions that touch several, or all, of its members."""
        return tuple(bond.name for bond in self.bonds)


@dataclass(frozen=True, repr=False)
class Explanation:
    """What `sim.explain()` answers; `str` of it is for reading.

    compiles    whether the simulation compiles at all
    together    whether all is one flow, as stepping="together" says
    refusal     why laws that have been started are refused, so that they are not here and no run begins; else empty
    rows        how many events of processes were native, and of which functions; None where none were looked at
    unkept      why native code is not kept on disk, so that each program compiles again; empty if it is
    constant    the active states whose rates no law writes: only events change them
    """

    compiles: bool
    together: bool
    laws: tuple[LawNote, ...]
    conditions: tuple[ConditionNote, ...]
    handlers: tuple[HandlerNote, ...]
    processes: tuple[HandlerNote, ...]
    flows: tuple[FlowNote, ...]
    refusal: str = ""
    unkept: str = ""
    branches: tuple[BranchNote, ...] = ()
    rows: RowsNote | None = None
    constant: tuple[str, ...] = ()

    __dir__ = public_dir

    def _may_miss(self, item: ConditionNote) -> bool:
        """Whether a condition is only tested, and reads what moves."""
        moves = any(flow.members for flow in self.flows if flow.number == item.flow)
        return item.kind == "sampled" or (item.kind == "opaque" and moves)

    def __str__(self) -> str:
        """The whole as lines of text; objects of a class about which the same is told stand together."""
        lines = [f"refused: {self.refusal}"] if self.refusal else []
        lines += shares(laws=self.laws, conditions=self.conditions, handlers=self.handlers, processes=self.processes)
        if self.laws:
            lines += ["laws, in the order in which they run", *grouped(self._of_law(law) for law in self.laws)]
        lines += self._of_branches()
        if self.conditions:
            lines += ["conditions", *grouped(self._of_condition(item) for item in self.conditions)]
            lines += [f"  {ADVICE}"] if any(self._may_miss(item) for item in self.conditions) else []
        if self.handlers:
            told = grouped(handler._lines(self.compiles) for handler in self.handlers)
            lines += ["handlers, unless each event is observed", *told]
        if self.processes:
            told = grouped(process._lines(self.compiles) for process in self.processes)
            lines += ["processes, unless each event is observed", *told, *(self.rows.lines() if self.rows else [])]
        lines += self.rows.hindrance() if self.rows else []
        if self.flows:
            one = 'all is one, as stepping="together" says'
            lines.append(f"flows: {one if self.together else 'what steps together'}")
            lines += grouped(_of_flow(flow) for flow in self.flows)
        lines += [f"no law sets the rate of {listed(self.constant)}: only events change it"] if self.constant else []
        lines += [f"native code is not kept on disk: {self.unkept}"] if self.unkept else []
        return "\n".join(lines) or "no equations, conditions or handlers, and no native processes"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _of_law(self, law: LawNote) -> list[str]:
        lines = [f"  {law.name}: {_state(law.is_compiled, law.refusal, self.compiles)}, flow {law.flow}"]
        lines += [f"    stands behind {setter}, which sets {what}" for what, setter in law.waits]
        lines += [f"    {IS_SEEN}"] if law.refusal else []
        return lines + [f"    overwrites {what}, which {setter} has written" for what, setter in law.overwrites]

    def _of_branches(self) -> list[str]:
        located = [item for item in self.branches if item.kind is not None]
        others = [item for item in self.branches if item.kind is None and not item.is_smooth]
        smooth = [item for item in self.branches if item.is_smooth]
        lines = ["branches in laws: steps end where they change"] if located else []
        lines += grouped([f"  {item.law}, `{item.text}` ({item.place}): {item.looks}"] for item in located)
        lines += ["branches in laws that are not located: error control alone sees them"] if others else []
        lines += grouped([f"  {item.law}, `{item.text}` ({item.place}): {item.why}"] for item in others)
        lines += ["smooth, as `smooth_laws` says: no step is checked for jumps there"] if smooth else []
        return lines + grouped([f"  {item.law}, `{item.text}` ({item.place}): {item.why}"] for item in smooth)

    def _of_condition(self, item: ConditionNote) -> list[str]:
        state = _state(item.is_compiled, item.refusal, self.compiles)
        lines = [f"  {item.name}, {item.code}: {state}, flow {item.flow}, {item._looks}"]
        lines += [f"    {equality}" for equality in item.equalities]
        lines += [f"    reads {name}, which was never started: {name} stands still" for name in item.resting]
        if item.began_true:
            lines.append(f"    true from the start, so that its handler has never run: {AT_START}")
        return lines


def _of_flow(flow: FlowNote) -> list[str]:
    lines = [f"  flow {flow.number}: {listed(flow.members) or 'the clock'}"]
    for bond in flow.bonds:
        touched = "all" if len(bond.members) == len(flow.members) else " and ".join(bond.members)
        lines.append(f"    joined by {bond.name}, which touches {touched}")
    return lines + ([f"    {flow.derivatives}"] if flow.derivatives else [])


def _state(is_compiled: bool, refusal: CannotLower | None, compiles: bool) -> str:
    if is_compiled:
        return "native code"
    reasons = ["as compile=False says"] if not compiles else []
    reasons += [f"because of {refusal}"] if refusal else []
    return f"Python, {' and '.join(reasons)}"


def explain(integrator: Integrator, rows: RowsNote | None = None) -> Explanation:
    """What is known of the laws, conditions and flows of a simulation as it stands now.

    What has been started or waited for in the present event is placed first, so a model can be asked before it runs.
    """
    refusal = integrator.place_what_can()
    return _Reader(integrator).read(refusal, rows)


SET_BY_LAWS: Final[tuple[Row, ...]] = ("computed", "sum", "rate")
"""The kinds of quantities that have no value of this evaluation before a law has set them."""
Quantity: TypeAlias = tuple["Member", "Row", str]
"""Whose, of which kind, its name."""


@dataclass(frozen=True)
class _Uses:
    """What one law does with quantities.

    seen        what it reads, but for what it has surely written itself before
    written     what it writes; of a vector, which runs of items
    """

    seen: dict[Quantity, None]
    written: dict[Quantity, tuple[tuple[int, int], ...] | None]
    refusal: CannotLower | None

    def overwritten(self, earlier: _Uses) -> list[Quantity]:
        """What it sets without having looked, although an earlier law has written it."""
        return [
            what
            for what, spans in self.written.items()
            if what in earlier.written and what not in self.seen and _meet(spans, earlier.written[what])
        ]


def _meet(some: tuple[tuple[int, int], ...] | None, others: tuple[tuple[int, int], ...] | None) -> bool:
    if some is None or others is None:
        return True
    return any(low < end and start < high for low, high in some for start, end in others)


def quantity_name(quantity: Quantity) -> str:
    """A quantity as its user writes it: "tank.level", "tank.rate.level"."""
    owner, row, name = quantity
    view = "rate." if row == "rate" else ""
    return owner.name if isinstance(owner, Variable) and not view else f"{owner.name}.{view}{name}"


class _Reader:
    """Goes through the plans of one simulation; flows are numbered in the order in which they began."""

    def __init__(self, integrator: Integrator) -> None:
        self.integrator = integrator
        assert isinstance(integrator.analyst, Compiler)
        self.analyst = integrator.analyst
        self._compiles = integrator.analyst.compiles
        self.numbers = {flow: k for k, flow in enumerate(integrator.flows.values(), start=1)}

    def read(self, refusal: str, rows: RowsNote | None) -> Explanation:
        """All of it, with why laws are refused that would be there, and what is known of rows."""
        laws = [item for flow in self.numbers for item in flow.look_up().laws]
        groups = self.integrator.groups
        laws.sort(key=lambda item: (item[0], groups.ordering.place(item[1], item[0])))
        watched = [c for flow in self.numbers for c in flow.conditions if not c.is_over]
        conditions = [c for c in watched if not c.is_switch]
        conditions.sort(key=lambda c: (-c.priority, c.rank))
        return Explanation(
            compiles=self._compiles,
            together=self.integrator.together,
            laws=self._laws([(law, "equations" if stage else "contributions") for stage, law in laws]),
            conditions=tuple(self._condition(c) for c in conditions),
            handlers=self._handlers(conditions),
            processes=() if rows is None else tuple(map(self._process, rows.notes)),
            flows=tuple(self._flow(flow) for flow in self.numbers),
            refusal=refusal,
            unkept=self.analyst.registry.store.objection,
            branches=tuple(dict.fromkeys(self._branches(laws, [c for c in watched if isinstance(c, Switch)]))),
            rows=rows,
            constant=() if groups.opaque or refusal else tuple(groups.writers.unmoved()),
        )

    # --- laws -----------------------------------------------------------------------------------------------------

    def _laws(self, order: list[tuple[Continuous, str]]) -> tuple[LawNote, ...]:
        uses = [self._uses(law, name) for law, name in order]
        notes, order_of = [], self.integrator.groups.ordering
        for place, ((law, name), use) in enumerate(zip(order, uses, strict=True)):
            is_compiled = use.refusal is None and self._compiles
            overwrites = []
            for other, (writer, stage) in zip(uses[:place], order[:place], strict=True):
                overwrites += [(what, _name(writer, stage)) for what in use.overwritten(other)]
            notes.append(
                LawNote(
                    _name(law, name),
                    is_compiled,
                    use.refusal,
                    self.numbers[moving_flow(law)],
                    order_of.waits(law, STAGES.index(name)),
                    tuple((quantity_name(what), setter) for what, setter in overwrites),
                )
            )
        return tuple(notes)

    def _uses(self, law: object, name: str) -> _Uses:
        """What a law reads and writes of that which laws set, and why it cannot be compiled."""
        try:
            bound = self.analyst.registry.law(law, getattr(type(law), name))
        except CannotLower as error:
            return _Uses({}, {}, error)
        objects, lowered = objects_of(bound), bound.kernel.lowered
        ranges = dict(lowered.ranges)
        written = {(o, a.row, a.name): ranges.get(a) for a in lowered.writes for o in objects.get(a.path, ())}
        read = {
            (o, a.row, a.name): None for a in lowered.reads for o in objects.get(a.path, ()) if a.row in SET_BY_LAWS
        }
        return _Uses(read, written, None)

    def _branches(self, laws: list[tuple[int, Continuous]], switches: list[Switch]) -> Iterator[BranchNote]:
        """What branches in laws: what is located of it, then what is not."""
        for switch in switches:
            branch, kind = switch.branch, self.integrator.guards.kind_of(switch)
            if branch.name in branches_in(type(switch.component)).void:
                continue
            place = location(branch.file, branch.line)
            yield BranchNote(_name(switch.component, branch.law), place, branch.text, kind)
        for owner in dict.fromkeys(owner for _, owner in laws):
            cls = type(owner)
            if not cls.locate_branches:
                why = f"as `{cls.__name__}.locate_branches` says"
                for one in branches_in(cls).located:
                    yield BranchNote(_name(owner, one.law), location(one.file, one.line), one.text, None, why)
            smoothness = self.analyst.registry.smoothness
            for is_smooth, some in ((False, unlocated_in(owner, smoothness)), (True, smooth_in(owner, smoothness))):
                for other in some:
                    place = location(other.file, other.line)
                    yield BranchNote(_name(owner, other.law), place, other.text, None, other.why, is_smooth)

    # --- conditions and flows -------------------------------------------------------------------------------------

    def _condition(self, condition: Condition) -> ConditionNote:
        refusal = None
        try:
            self.analyst.registry.condition(condition.function, *condition.arguments)
        except CannotLower as error:
            refusal = error
        is_compiled = refusal is None and self._compiles
        flow, kind = self.numbers[condition.flow], self.integrator.guards.kind_of(condition)
        equalities = tuple(str(equality) for equality in moving_equalities(condition, self.integrator.groups))
        code = describe_function(condition.function)
        resting = never_started(condition)
        began_true = self.integrator.guards.began_true(condition)
        return ConditionNote(condition.name, code, is_compiled, refusal, flow, kind, equalities, resting, began_true)

    def _handlers(self, conditions: list[Condition]) -> tuple[HandlerNote, ...]:
        """What is known of handlers; one of a crossing in both directions is told once."""
        notes: dict[str, HandlerNote] = {}
        for trigger in conditions:
            if isinstance(trigger, Trigger) and trigger.name not in notes:
                notes[trigger.name] = self._handler(trigger)
        return tuple(notes.values())

    def _handler(self, trigger: Trigger) -> HandlerNote:
        try:
            code = trigger.code
            if trigger.partner is not None and code is not None:
                why = "its state may slide between this handler's condition and another's, which Python decides"
                raise CannotLower(code.co_filename, code.co_firstlineno, code.co_name, why)
            lowered = self.analyst.handler(trigger).kernel.lowered
        except CannotLower as error:
            return HandlerNote(trigger.name, is_compiled=False, refusal=error)
        asks = tuple(CannotLower(*ask) for ask in lowered.asks)
        return HandlerNote(trigger.name, self._compiles, None, asks)

    def _process(self, row: RowNote) -> HandlerNote:
        return HandlerNote(row.code.co_qualname, self._compiles and row.refusal is None, row.refusal, row.asks)

    def _flow(self, flow: Flow) -> FlowNote:
        linear = self.integrator.linearizations.of.get(flow.number)
        return FlowNote(
            self.numbers[flow],
            tuple(owner.name for owner in flow.owners()),
            self._bonds(flow),
            linear.kind if linear else None,
        )

    def _bonds(self, flow: Flow) -> tuple[Bond, ...]:
        owners = flow.owners()
        joins: list[tuple[str, Plan]] = [
            (owner.name, self.integrator.groups.plan_of(owner)) for owner in owners if not isinstance(owner, Variable)
        ]
        joins += [(condition.name, condition.plan) for condition in flow.conditions if not condition.is_switch]
        met = [(name, owners if p.is_opaque else [o for o in p.touches if o._flow is flow]) for name, p in joins]
        return tuple(Bond(name, tuple(o.name for o in touched)) for name, touched in met if len(touched) > 1)


def _name(law: Continuous, stage: str) -> str:
    return f"{law.name}.{stage}"
