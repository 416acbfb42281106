"""A single continuous variable: one of a component's states, or a loose one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, NoReturn, Self

from eventide.continuous.components.step_quantities import quantities_of
from eventide.continuous.storage.slot_storage import LONE, Slab
from eventide.declare import count_new
from eventide.declare.showing import public_dir
from eventide.declare.units import has_unit, in_unit
from eventide.engine.codes import ABS, E0, REL, Y0, R, Y
from eventide.errors import ModelError, check_text, refuse_too_large

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from eventide.continuous.components.member import Member
    from eventide.continuous.components.step_quantities import StepQuantities
    from eventide.continuous.flows.flow import Flow, Still
    from eventide.continuous.plans import ClassPlan
    from eventide.declare import Field
    from eventide.simulation import Simulation


class Variable:
    """A variable with its rate, its value at the start of the step and its tolerances.

    A loose one is made with its first value and is inactive until `start()`; the one behind a component's state is
    had by `component["x"]`. An active variable keeps its value if no law sets its rate.

    assigned    it is a difference equation: laws assign it
    """

    _slab: Slab
    _class_plan: ClassPlan
    _slide = None
    _is_active = False
    _going: tuple[tuple[int, int], ...] = ()
    _priority: float = 0.0
    _started: int = 0
    __dir__ = public_dir

    def __init__(
        self,
        sim: Simulation,
        state: float,
        *,
        name: str = "",
        unit: str = "",
        rel_error: float | None = None,
        abs_error: float | None = None,
        assigned: bool = False,
    ) -> None:
        self.sim = sim
        self.unit = check_text(unit, "unit=")
        self.assigned = assigned
        self._owner: Member = self
        self._system = sim._continuum
        if self._system.integrator.is_marching:
            self._system.integrator.pauses.check_thread()
        self._flow: Flow | Still = self._system.integrator.still
        self.name = check_text(name, "name=") or f"Variable {count_new(sim, Variable)}"
        if assigned:
            self._system.integrator.groups.expect_assignments()
        self._slab = self._system.storage.give_slab(self, LONE)
        self._slot = slot = self._slab.base
        self._system.storage.table[:, slot] = 0.0
        self._system.set_tolerances(self._slot, rel_error, abs_error)
        self.state = state

    def _attach_views(self, table: object) -> None:
        """Nothing to do: a variable reaches its slot through the table."""

    def _every_slot(self) -> list[int]:
        return [self._slot]

    def _numbers(self, row: int) -> list[float]:
        """What stands in a row, as of a vector; without a call of `_row`, as recordings read it at each event."""
        flow = self._owner._flow
        if flow.at != self.sim.time:
            flow.show()
        return [float(self._system.storage.rows[row][self._slot])]

    def _row(self, row: int) -> float:
        flow = self._owner._flow
        if flow.at != self.sim.time:
            flow.show()
        return float(self._system.storage.rows[row][self._slot])

    @property
    def state(self) -> float:
        """The present value."""
        return self._row(Y)

    @state.setter
    def state(self, value: float) -> None:
        rows, slot, flow = self._system.storage.rows, self._slot, self._owner._flow
        if flow.is_open is not True:
            flow.open(slot)
        if value.__class__ is not float and has_unit(value):
            value = in_unit(value, self.unit, self.name)
        try:
            rows[Y][slot] = value
        except ValueError:
            refuse_too_large(value, f"{self.name}.state")
        except TypeError:
            raise TypeError(f"{self.name} is a variable and takes a number, and got {value!r}") from None
        rows[E0][slot] = 0.0

    @property
    def rate(self) -> float:
        """The time derivative, as the laws set it; set to zero before every evaluation."""
        recorder = self._owner._flow.recorder
        if recorder is not None:
            recorder.note_read(self._slot)
        return self._row(R)

    @rate.setter
    def rate(self, value: float) -> None:
        if not self.sim.active:
            raise ModelError(f"the rate of {self.name} is written by laws, not in an event: set its state")
        flow = self._owner._flow
        if flow.at != self.sim.time:
            flow.show()
        if flow.number < 0:
            flow.integrator.still.receive(self._owner)
        if flow.recorder is not None:
            flow.recorder.note_written(self._slot)
        self._system.storage.rows[R][self._slot] = value

    def set_rate(self, value: float) -> None:
        """Set the rate, as `rate = value` does; for laws that are lambdas."""
        self.rate = value

    @property
    def last_state(self) -> float:
        """The value at the start of the present step; frozen while inactive."""
        return self._row(Y0)

    @property
    def step_quantities(self) -> StepQuantities | None:
        """What the method has computed for it in the present step: increments, error estimate, tolerance.

        To be read by reporters and by `integration_error`. None at an event, where no step has been made since, and
        while it is inactive. Raises ModelError for a vector.
        """
        integrator, number = self._system.integrator, self._owner._flow.number
        if number < 0 or not self.active:
            return None
        length, proposed = integrator.memory.flow.step[number], integrator.memory.flow.next_step[number]
        return quantities_of(integrator.method, length, proposed, self._system.storage.table[:, self._slot])

    @property
    def rel_error(self) -> float:
        """The relative tolerance, a copy of the run's at creation."""
        return self._row(REL)

    @rel_error.setter
    def rel_error(self, value: float) -> None:
        self._set_tolerances(value, self.abs_error)

    @property
    def abs_error(self) -> float:
        """The absolute tolerance, a copy of the run's at creation."""
        return self._row(ABS)

    @abs_error.setter
    def abs_error(self, value: float) -> None:
        self._set_tolerances(self.rel_error, value)

    def _set_tolerances(self, relative: float, absolute: float) -> None:
        """Set both, and end the step that was made with others."""
        flow = self._owner._flow
        if not flow.is_open:
            flow.open(self._slot)
        self._system.set_tolerances(self._slot, relative, absolute)

    def write(self) -> AbstractContextManager[NDArray[np.float64]]:
        """The items of a vector, to be changed in a `with` block.

        Raises ModelError for a single quantity.
        """
        raise ModelError(f"{self.name} is one number: set its state; write() changes the items of vectors")

    def start(self) -> Self:
        """Let it be integrated from now on; no effect if active.

        For events and `integration_error`; raises ModelError in laws, conditions and reporters.
        """
        self._system.start_slots([self._slot], self._owner)
        return self

    def stop(self) -> None:
        """Keep the value from now on, with rate zero; no effect if inactive. Raises ModelError as `start`."""
        self._system.stop_slots([self._slot], self._owner)

    @property
    def active(self) -> bool:
        """Whether it is integrated."""
        return self._system.is_active(self._slot)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # A copy would have the slot of the original.
        raise TypeError(
            f"{self.name} is a part of its simulation and is neither copied nor pickled: make another by "
            "Variable(sim, value), or take its value"
        )

    def __repr__(self) -> str:
        return f"<{self.name} = {self.state!r}{' ' + self.unit if self.unit else ''}>"


def reader_of(variable: Variable, row: int) -> Callable[[], list[float]]:
    """What reads the present value (row Y) or rate (row R) of a variable, or those of all items of a vector."""
    return partial(variable._numbers, row)


class StateVariable(Variable):
    """The variable behind a state of a component, as `component["x"]` gives it: a view without a flow of its own."""

    @classmethod
    def _of(cls, owner: Member, slot: int, name: str, spec: Field) -> Self:
        """The variable behind one name of a component."""
        self = cls.__new__(cls)
        self.sim, self.unit, self.name, self.assigned = owner.sim, spec.unit, name, spec.assigned
        self._owner, self._slot, self._system = owner, slot, owner._system
        return self
