"""One step of any tableau, and many in a row, for a law that is a plain function of time and state.

For the study of methods, in the plainest form; simulations run by the stepper.

Source: Pannek, Simulation of mechatronic systems, Algorithms 1, 2 and 3, corrected.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, Unpack

import numpy as np

from eventide.declare.units import in_time_units
from eventide.errors import ModelError
from eventide.methods.method import Method
from eventide.methods.tableau import Tableau

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


State: TypeAlias = "NDArray[np.float64]"
Law: TypeAlias = "Callable[[float, Any], ArrayLike]"
"""f(t, y): the rates (n,) at a time and a state (n,)."""
Solver: TypeAlias = Literal["fixed point", "newton"]

ITERATIONS: Final = 100
ROUNDING: Final = 1e-14
"""Stages of an implicit method that move less than this, relative to the largest rate, have converged."""
_GRID: Final = 1e-9
"""An interval that holds a whole number of steps up to this is not given a tiny step more."""


class StageOptions(TypedDict, total=False):
    """How the stages of an implicit method are solved for, as `one_step` tells."""

    solver: Solver
    tolerance: float
    iterations: int


def one_step(
    method: Method | Tableau,
    law: Law,
    time: float,
    state: ArrayLike,
    step: float,
    *,
    solver: Solver = "fixed point",
    tolerance: float = 0.0,
    iterations: int = ITERATIONS,
) -> State:
    """The state after one step of a method.

    state       (n,) or a number, which is taken for (1,)
    solver      of the stages of an implicit method: "fixed point" converges while the contraction constant is below 1,
                "newton" beyond that too
    tolerance   times step**p for a method of order p, it is how much the stages may still move, relative to the largest
                rate: so the order is kept; 0: they are iterated until they no longer move
    Raises      ModelError if the stages do not converge
    """
    in_time_units((time, step), None, "one_step(...)")
    tableau = tableau_of(method)
    start = as_state(state)
    rates = stage_rates(tableau, law, time, start, step, solver=solver, tolerance=tolerance, iterations=iterations)
    result: State = start + step * (tableau.arrays[2] @ rates)
    return result


def stage_rates(
    tableau: Tableau,
    law: Law,
    time: float,
    start: State,
    step: float,
    *,
    solver: Solver = "fixed point",
    tolerance: float = 0.0,
    iterations: int = ITERATIONS,
) -> State:
    """The rates (stages, n) of the stages of one step; arguments and errors as those of `one_step`."""
    if tableau.is_explicit:
        return _explicit_stages(tableau, law, time, start, step)
    still = max(ROUNDING, tolerance * abs(step) ** tableau.order)
    return _implicit_stages(tableau, law, time, start, step, solver, still, iterations)


def tableau_of(method: Method | Tableau) -> Tableau:
    """The tableau itself, or that of a method. Raises ModelError for what is neither."""
    found: object = method.tableau if isinstance(method, Method) else method
    if not isinstance(found, Tableau):
        raise ModelError(f"a method is one of ev.methods, as ev.methods.DORMAND_PRINCE, and got {method!r}")
    return found


def as_state(state: ArrayLike) -> State:
    """A state as an array (n,); a number is taken for (1,)."""
    return np.atleast_1d(np.asarray(state, dtype=np.float64))


def solve(
    method: Method | Tableau,
    law: Law,
    start: float,
    state: ArrayLike,
    end: float,
    step: float,
    **options: Unpack[StageOptions],
) -> tuple[State, State]:
    """Times (m,) and states (m, n) on the grid start + j * step; the last step is shortened to end on time.

    options     of the stages, see `one_step`
    Raises      ModelError if the step is not above 0 or the end lies before the start
    """
    in_time_units((start, end, step), None, "solve(...)")
    if not (step > 0.0 and end >= start):
        raise ModelError(
            f"steps of {step!r} from {start!r} to {end!r}: a step is above 0 and the end not before the start"
        )
    count = ceil((end - start) / step - _GRID)
    times = [start + j * step for j in range(count)] + [end]
    states = [as_state(state)]
    for here, there in itertools.pairwise(times):
        states.append(one_step(method, law, here, states[-1], there - here, **options))
    return np.array(times), np.array(states)


def _explicit_stages(tableau: Tableau, law: Law, time: float, start: State, step: float) -> State:
    nodes, matrix, _ = tableau.arrays
    rates = np.zeros((tableau.stages, len(start)))
    for i in range(tableau.stages):
        rates[i] = law(time + nodes[i] * step, start + step * (matrix[i, :i] @ rates[:i]))
    return rates


def _implicit_stages(
    tableau: Tableau,
    law: Law,
    time: float,
    start: State,
    step: float,
    solver: Solver,
    tolerance: float,
    iterations: int,
) -> State:
    """Iterate all stages at once, from the rate at the start, until they converge."""
    nodes, matrix, _ = tableau.arrays
    rates = np.tile(np.atleast_1d(np.asarray(law(time, start), dtype=np.float64)), (tableau.stages, 1))
    correct = _newton(tableau, law, time, start, step) if solver == "newton" else _fixed_point
    moved = [float("inf")]
    for _ in range(iterations):
        arguments = start + step * (matrix @ rates)
        pulled = np.array([law(time + c * step, y) for c, y in zip(nodes, arguments, strict=True)])
        change = correct(pulled.reshape(rates.shape) - rates)
        rates = rates + change
        moved.append(float(np.max(np.abs(change))))
        if moved[-1] <= tolerance * max(1.0, float(np.max(np.abs(rates)))):
            return rates
    raise ModelError(
        f"{tableau.name}: the stages of the step of {step!r} at time {time!r} still move by {moved[-1]:.3g} after "
        f"{iterations} iterations by {solver}, each {moved[-1] / moved[-2]:.3g} of the one before; take shorter steps"
        + ("" if solver == "newton" else ' or solver="newton"')
    )


def _fixed_point(defect: State) -> State:
    return defect


def _newton(tableau: Tableau, law: Law, time: float, start: State, step: float) -> Callable[[State], State]:
    """What turns the defect of the stages into their correction, by the Jacobian at the start of the step."""
    _, matrix, _ = tableau.arrays
    size = tableau.stages * len(start)
    system = np.eye(size) - step * np.kron(matrix, jacobian(law, time, start))

    def correct(defect: State) -> State:
        correction: object = np.linalg.solve(system, defect.reshape(size))
        return np.asarray(correction, dtype=np.float64).reshape(defect.shape)

    return correct


def jacobian(law: Law, time: float, state: State) -> State:
    """The derivatives (n, n) of the rates by the states, by central differences: row i is of rate i."""
    columns = []
    for j in range(len(state)):
        width = 6e-6 * max(1.0, abs(float(state[j])))
        offset = np.zeros(len(state))
        offset[j] = width
        up, down = law(time, state + offset), law(time, state - offset)
        columns.append((np.asarray(up) - np.asarray(down)) / (2.0 * width))
    return np.array(columns, dtype=np.float64).T.reshape(len(state), len(state))
