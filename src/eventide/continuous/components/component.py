"""Continuous components: objects whose equations hold between events."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar, Final, Self

from eventide.continuous.checks import WatchedRates
from eventide.continuous.components.layout import Layout
from eventide.continuous.components.switches import Branches, Switch
from eventide.continuous.components.variable import StateVariable, Variable
from eventide.continuous.components.vectors import VectorVariable
from eventide.declare import MISSING, Component, Role, fields_of
from eventide.declare.showing import short
from eventide.discrete.conditions.condition import check_priority
from eventide.discrete.conditions.when import handler_specs, refuse_late_handlers
from eventide.discrete.inside import refuse_between_events
from eventide.errors import ModelError
from eventide.native.locking import LOCK

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from eventide.continuous.components.member import Member
    from eventide.continuous.flows.flow import Flow, Still
    from eventide.continuous.flows.sliding import Slide
    from eventide.continuous.plans import Analyst, ClassPlan
    from eventide.continuous.storage.slot_storage import Slab
    from eventide.continuous.system import System
    from eventide.discrete.conditions.when import Trigger, WhenSpec
    from eventide.discrete.periodic import EverySpec, Timer
    from eventide.simulation import Simulation


MOST_SHOWN: Final = 6
STAGES: Final = ("contributions", "equations")
"""The laws of a component, in the order in which they run."""


class _Continuum:
    """The run's own data about a continuous component; a plain base, so that none of it counts as a declared field."""

    # Without values in the class: Python finds an object's own attribute faster if its class has none of that name.
    _system: System
    _slab: Slab
    _base: int
    _side: int
    _flow: Flow | Still
    _row: memoryview[float]
    _rests: object
    _started: int = 0
    _class_plan: ClassPlan
    """What is known of its laws, once it has been placed; see `ClassPlan`."""
    _going: tuple[tuple[int, int], ...] = ()
    """The runs of its slots that are integrated."""
    _laws_are_of_class: ClassVar[bool] = True
    _vectors: tuple[object, ...] = ()
    _priority: float = 0.0
    _is_active: bool = False
    _variables: dict[str, Variable] | None = None
    _handlers: tuple[tuple[Trigger | None, Timer | None], ...] = ()
    _branches: ClassVar[Branches] = Branches()
    _switches: tuple[Switch, ...] = ()
    _layout: Layout = Layout({})
    _law_names: ClassVar[tuple[str, ...]] = ()
    _when_specs: ClassVar[dict[str, WhenSpec]] = {}
    _every_specs: ClassVar[dict[str, EverySpec]] = {}
    _slide: Slide | None = None


class Continuous(_Continuum, Component):
    """An object that is described by equations between events.

    Declare `State` fields and write `equations`, which sets `self.rate.x` for each state `x`. The equations hold from
    `start()` to `stop()`. When an event sets a state, the equations continue from there.
    """

    locate_branches: ClassVar[bool] = True
    """Whether steps end where comparisons in the equations change; else error control alone sees what that does."""
    _is_of_model: ClassVar[bool] = True
    """Whether its laws are of the model, and do not go through those of others to derive them."""
    smooth_laws: ClassVar[bool] = False
    """Whether what is not located in the laws of this class and of those above is smooth, as its author knows.

    Of code that cannot be read it is not known: steps are checked for jumps then, and `ev.methods.RK43` is refused. A
    derived class with laws of its own has to declare it again.
    """

    _declarable: ClassVar[tuple[Role, ...]] = ("state", "computed", "sum", "vector", "computed vector", "field")

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        _refuse_slips(cls)
        cls._law_names = tuple(name for name in STAGES if getattr(cls, name) is not getattr(Continuous, name))
        cls._when_specs = handler_specs(cls, "_when")
        cls._every_specs = handler_specs(cls, "_every")

    @classmethod
    def _refuse_late(cls) -> None:
        super()._refuse_late()
        refuse_late_handlers(cls, when=cls._when_specs, every=cls._every_specs)

    def __delattr__(self, name: str) -> None:
        self._system.integrator.own_methods.take_back(name)
        super().__delattr__(name)

    def equations(self) -> None:
        """Set the rates of the states (and computed values) from the present states; nothing by default."""

    def contributions(self) -> None:
        """Add to the sums of any components; runs for all active components before any `equations`."""

    def start(self) -> Self:
        """Let the states, the equations and the handlers take part from now on; no effect on an active component.

        Raises SimulationError 12 between events.
        """
        if self.sim.active:
            self._forbid_between_events(12, "start")
        if not self._is_active:
            self._system.start(self)
        return self

    def stop(self) -> None:
        """Take no part any longer; the states keep their values. No effect on an inactive component.

        Raises SimulationError 13 between events.
        """
        if self.sim.active:
            self._forbid_between_events(13, "stop")
        if self._is_active:
            self._system.stop(self)

    def set_priority(self, priority: float) -> Self:
        """Set the rank among the active components: high first, equals in order of their start.

        Raises SimulationError 11 between events.
        """
        self._forbid_between_events(11, "set_priority")
        check_priority(self.name, priority)
        self._priority = float(priority)
        self._system.rerank(self)
        return self

    @property
    def priority(self) -> float:
        """The rank among the active components, 0 at first."""
        return self._priority

    @property
    def active(self) -> bool:
        """Whether the equations take part."""
        return self._is_active

    @property
    def predecessor(self) -> Continuous | None:
        """The active component just before by priority and start; None for the first and for an inactive one."""
        return self._system.neighbour(self, -1)

    @property
    def successor(self) -> Continuous | None:
        """The active component just after by priority and start; None for the last and for an inactive one."""
        return self._system.neighbour(self, 1)

    @property
    def rate(self) -> Self:
        """The rates of the states, by their names: written in equations, only read elsewhere."""
        flow = self._flow
        if flow.at != self.sim.time:
            flow.show()
        slab = self._slab
        if self.sim.active:
            if flow.number < 0:
                flow.integrator.still.receive(self)
            rates = slab.rates or self._layout.rates(self)
            return rates if flow.recorder is None else WatchedRates(self, rates, flow.recorder)  # type: ignore[return-value]  # by the same names
        return slab.rates_read or self._layout.rates_read(self)  # type: ignore[return-value]  # by the same names

    @property
    def last(self) -> Self:
        """The states at the start of the present step, by their names."""
        return self._slab.lasts or self._layout.lasts(self)  # type: ignore[return-value]  # by the same names

    def __getitem__(self, name: str) -> Variable:
        """The `Variable` behind a state, computed value or sum; that of a vector stands for all its items."""
        if self._variables is None:
            self._variables = {}
        if name not in self._variables:
            if name not in self._layout.variables:
                known = ", ".join(self._layout.variables) or "none"
                raise KeyError(f"{self.name} has no variable {name!r}; it has: {known}")
            spec = self._layout.fields[name]
            if name in self._layout.starts:
                self._variables[name] = VectorVariable._behind(self, name, spec)
            else:
                slot = self._layout.slot(self, name)
                self._variables[name] = StateVariable._of(self, slot, f"{self.name}.{name}", spec)
        return self._variables[name]

    def __repr__(self) -> str:
        if vars(self).get("_slab") is None or self.sim.active:
            return super().__repr__()
        fields = [fields_of(self)[name] for name in self._layout.names[:MOST_SHOWN]]
        told = [f"{spec.name} = {short(getattr(self, spec.name))} {spec.unit}".rstrip() for spec in fields]
        told += [f"{name} of {length} items" for name, length in self._layout.lengths.items()]
        told += [] if self._is_active else ["stopped" if self._started else "not started"]
        return f"<{self.name}: {', '.join(told)}>" if told else super().__repr__()

    # --- kernel ---------------------------------------------------------------------------------------------------

    @classmethod
    def _lay_out(cls) -> None:
        cls._layout = Layout(fields_of(cls), title=cls.__name__)
        cls._layout.install(cls)

    @classmethod
    def _settings(cls, names: list[str]) -> list[str]:
        lines = super()._settings(names)
        return cls._layout.settings(names, lines) if cls.__setattr__ is object.__setattr__ else lines

    @classmethod
    def _read_branches(cls, analyst: Analyst) -> None:
        """Find what branches in the laws, and let there be slots for it: once, before the first object has its own."""
        if "_branches" not in cls.__dict__:
            with LOCK:
                if "_branches" not in cls.__dict__:  # another thread may have found it meanwhile
                    branches = analyst.branches(cls)
                    cls._layout.add_outcomes(branches.slots)
                    cls._branches = branches  # last, as whoever finds it takes the slots for granted

    def _measure(self, **sizes: object) -> None:
        self._layout = type(self)._layout.sized(sizes)

    def _laws(self) -> tuple[object, ...]:
        """The functions that hold between events."""
        return type(self).contributions, type(self).equations

    def _attach(self, sim: Simulation, name: str) -> None:
        super()._attach(sim, name)
        layout = self._layout
        if not layout.is_sized:
            self._measure(**self._default_sizes())
        # As fields that refer to other objects are set in its dict, there is one; in one that shares no keys with those
        # of others Python 3.11 finds an attribute eight times as fast.
        own = self.__dict__ = {**layout.blank, **self.__dict__}
        own["_system"] = system = sim._continuum
        system.adopt(self, own)

    def _default_sizes(self) -> dict[str, object]:
        """The sizes of vectors where the class has a constructor of its own, which does not tell them beforehand."""
        sizes = {name: fields_of(self)[name].default for name in self._layout.size_fields}
        for name, size in sizes.items():
            if size is MISSING:
                raise ModelError(
                    f"{type(self).__name__} has an __init__ of its own, and the vectors' size {name} has no default: "
                    f"call self._measure"
                )
        return sizes

    def _attach_views(self, table: NDArray[np.float64]) -> None:
        self._layout.attach(self, table)

    def _forbid_between_events(self, number: int, call: str) -> None:
        refuse_between_events(self.sim, f"{call}() of {self.name}", number, continuous=self)


def law_names(part: Member | type[Continuous]) -> tuple[str, ...]:
    """The laws that a component or class has, of "contributions" and "equations", in this order."""
    return () if isinstance(part, Variable) else part._law_names  # a loose variable has none


LAWS_ELSEWHERE: Final = "derivative derivatives derivs dxdt dynamics laws ode odes rates rhs".split()  # noqa: SIM905  # short
"""What equations are called in other libraries, and in books."""


def _refuse_slips(cls: type[Continuous]) -> None:
    """Raise TypeError for laws that take more than the component, and where a method is called nearly `equations`."""
    for name in ("equations", "contributions"):
        code = getattr(vars(cls).get(name), "__code__", None)
        if code is not None and code.co_argcount - len(vars(cls)[name].__defaults__ or ()) > 1:
            raise TypeError(
                f"{cls.__name__}.{name} takes nothing but self: the time is self.sim.time, states are attributes, "
                f"inputs are fields; write `def {name}(self)`"
            )
    if cls.equations is not Continuous.equations or all(spec.role == "field" for spec in fields_of(cls).values()):
        return
    nearly = [*get_close_matches("equations", vars(cls), cutoff=0.9), *(n for n in LAWS_ELSEWHERE if n in vars(cls))]
    for name in nearly:
        if callable(vars(cls)[name]):
            raise TypeError(f"{cls.__name__}.{name} would never be called: write `def equations(self)`")


class Law(Continuous):
    """A plain function as a continuous component, made by `law`."""

    _laws_are_of_class = False

    def __init__(self, sim: Simulation, function: Callable[[], None], *, name: str = "", smooth: bool = False) -> None:
        if not callable(function):
            raise ModelError(f"law takes a function to call, and got {function!r}")
        self._attach(sim, name or getattr(function, "__name__", ""))
        self._function = function
        self.is_smooth = smooth

    def equations(self) -> None:
        """Call the function."""
        return self._function()

    def _laws(self) -> tuple[object, ...]:
        return (self._function,)


def law(sim: Simulation, function: Callable[[], None], *, name: str = "", smooth: bool = False) -> Law:
    """A function that sets the rates of loose variables, as a component; `start()` it.

    smooth  whether it neither jumps nor bends, as `Continuous.smooth_laws` says of a class

    Example: `x = ev.Variable(sim, 1.0).start(); ev.law(sim, lambda: x.set_rate(-x.state)).start()`
    """
    return Law(sim, function, name=name, smooth=smooth)
