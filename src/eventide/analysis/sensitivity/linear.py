"""Models near a point: their linear form, its eigenvalues, equilibria, and what kind of effect a change has.

Source: Pannek, Simulation of mechatronic systems, section 4.3, Task 4.22.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, Unpack

import numpy as np

from eventide.analysis.sensitivity.dual import Dual, Space, UndifferentiableError
from eventide.analysis.sensitivity.functions import Functions
from eventide.analysis.sensitivity.models import states_at
from eventide.declare.units import in_time_unit
from eventide.errors import ModelError
from eventide.experiment.models import Model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from eventide.experiment.systems import Dynamics, Signal, Simulator

Change: TypeAlias = Literal["decreasing", "unchanged", "increasing", "structural", "bifurcation"]
MOST: Final = 50
"""The most iterations of Newton's method."""
SETTLED: Final = 1e-10
"""An equilibrium is found where a further iteration would move it by less than this, relative to the size of it or of
the guess."""
PARTS: Final = 64
"""The number of parts in which parameters are changed, to follow an equilibrium."""
APART: Final = 1e-3
"""Two equilibria are different ones if they are further apart than this, relative to their size above 1."""


@dataclass(frozen=True)
class LinearModel:
    """A model near a point: the rates change by A dx + B du, the outputs by C dx + D du.

    names       of the states, in the order of rows and columns
    point       the state (n,)
    rates       there (n,); 0 in an equilibrium
    A, B, C, D  (n, n), (n, m), (k, n), (k, m), exact derivatives; without an input m is 0, without an output C is the
                identity
    """

    names: tuple[str, ...]
    point: NDArray[np.float64]
    rates: NDArray[np.float64]
    A: NDArray[np.float64]
    B: NDArray[np.float64]
    C: NDArray[np.float64]
    D: NDArray[np.float64]

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Those of A, by growing real, then imaginary part."""
        found = np.asarray(np.linalg.eigvals(self.A), dtype=np.complex128)
        return found[np.lexsort((found.imag, found.real))]

    @property
    def is_stable(self) -> bool:
        """Whether all eigenvalues have negative real parts."""
        return bool((self.eigenvalues.real < 0.0).all())


def linearize(
    subject: Dynamics | Model[..., object],
    *,
    state: ArrayLike | None = None,
    time: float = 0.0,
    signal: Signal | None = None,
    parameters: Mapping[str, object] | None = None,
    entropy: int | None = None,
) -> LinearModel:
    """The linear form of x' = f(t, x, u, p), y = h(t, x, u, p) at a point; of a model marked `@ev.model`, where it is.

    state       x (n,), of Dynamics
    time        t; a model runs to it first
    signal, parameters      u(.) and p, of Dynamics
    entropy     of the run of a model
    Raises      ModelError without a state, UndifferentiableError where a law has no derivatives that are known
    """
    if isinstance(subject, Model):
        if state is not None or signal is not None or parameters is not None:
            raise ModelError(f"{subject.name} has its state and its input at time= and its parameters by a call of it")
        return _linear_run(subject, time, entropy)
    if state is None:
        raise ModelError("linearize takes the point as state=, the state x (n,)")
    return _linear(subject, _point(subject, state, "linearize"), time, signal, parameters or {})


def _point(dynamics: object, state: ArrayLike, asked: str) -> NDArray[np.float64]:
    """A state (n,). Raises ModelError for what is none, and for what are no Dynamics."""
    if not callable(getattr(dynamics, "rate", None)):
        raise ModelError(f"{asked} takes Dynamics of eventide.experiment.systems, and got {dynamics!r}")
    try:
        x = np.atleast_1d(np.asarray(state, dtype=np.float64))
    except (TypeError, ValueError):
        x = np.empty((0, 0))
    if x.ndim != 1 or not x.size:
        raise ModelError(f"{asked} takes a state x (n,), as [1.0, 0.0], and got {state!r}")
    return x


class Where(TypedDict, total=False):
    """The point at which something is linear, as `linearize` takes it."""

    state: ArrayLike | None
    time: float
    signal: Signal | None
    parameters: Mapping[str, object] | None
    entropy: int | None


def eigenvalues(subject: Dynamics | Model[..., object], **where: Unpack[Where]) -> NDArray[np.complex128]:
    """The eigenvalues of a model near a point, by growing real, then imaginary part; arguments as of `linearize`."""
    return linearize(subject, **where).eigenvalues


def _linear(
    dynamics: Dynamics,
    x: NDArray[np.float64],
    time: float,
    signal: Signal | None,
    parameters: Mapping[str, object],
    *,
    at_kinks: bool = False,
) -> LinearModel:
    """The linear form; at_kinks: that of one side where laws switch at this very point, as is enough for Newton."""
    in_time_unit(time, None, "time=")
    u = None if signal is None else np.asarray(signal(time), dtype=np.float64)
    count, inputs = len(x), 0 if u is None else u.size
    space, units = Space(), np.eye(count + inputs)
    state = _seeded(space, x, units[:count])
    given = None if u is None else _seeded(space, u.ravel(), units[count:]).reshape(u.shape)[()]
    functions = Functions()
    functions.take_in(dynamics.rate)
    if dynamics.output is not None:
        functions.take_in(dynamics.output)

    def evaluated() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        rates, slopes = _taken_apart(dynamics.rate(time, state, given, parameters), count + inputs)
        seen = state if dynamics.output is None else dynamics.output(time, state, given, parameters)
        return rates, slopes, _taken_apart(seen, count + inputs)[1]

    functions.exchange(is_dual=True)
    try:
        comparisons = space.comparisons = list[tuple[Dual, bool]]()
        rates, slopes, outputs = evaluated()
        if not at_kinks:
            check_ties(space, tuple(comparisons), evaluated, (rates, slopes, outputs), f"the state {x.tolist()!r}")
    except IndexError as error:
        error.add_note(f"the state given was {x.tolist()!r}, of {count} components: the laws may read more")
        raise
    finally:
        functions.exchange(is_dual=False)
    if len(rates) != count:
        raise ModelError(
            f"the state given was {x.tolist()!r}, of {count} components, and the laws answered {len(rates)} rates: "
            "give as many"
        )
    names = tuple(f"x[{k}]" for k in range(count))
    a, b = slopes[:, :count], slopes[:, count:]
    return LinearModel(names, x, rates, a, b, outputs[:, :count], outputs[:, count:])


def check_ties(
    space: Space,
    comparisons: Sequence[tuple[Dual, bool]],
    evaluated: Callable[[], Sequence[NDArray[np.float64]]],
    found: Sequence[NDArray[np.float64]],
    where: str,
) -> None:
    """Raise UndifferentiableError if laws switch at this very point, and go on with other rates or derivatives."""
    is_tied = [difference.value == 0.0 and bool(difference.tangent.any()) for difference, _ in comparisons]
    if not any(is_tied):
        return
    space.forced = [outcome is not tied for (_, outcome), tied in zip(comparisons, is_tied, strict=True)]
    try:
        other = evaluated()
    except Exception:  # noqa: BLE001  # a guard, as against what is negative: there is one side alone
        return
    finally:
        space.forced = []
    if not all(np.allclose(one, two, rtol=1e-12, atol=0.0) for one, two in zip(found, other, strict=True)):
        raise UndifferentiableError(
            f"there is no linear form at {where}: a comparison switches there between laws with other derivatives; "
            "take a point on one side"
        )


def _seeded(space: Space, values: NDArray[np.float64], tangents: NDArray[np.float64]) -> NDArray[Any]:
    found = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        found[k] = Dual(space, float(value), tangents[k])
    return found


def _taken_apart(found: object, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Values (k,) and derivatives (k, count)."""
    numbers = list(np.atleast_1d(np.asarray(found)))
    values = np.array([float(one.value if isinstance(one, Dual) else one) for one in numbers])
    slopes = [one.tangent if isinstance(one, Dual) else np.zeros(count) for one in numbers]
    return values, np.array(slopes).reshape(len(numbers), count)


def _linear_run(model: Model[..., object], time: float, entropy: int | None) -> LinearModel:
    """The linear form of the active components of a model at a time."""
    names, values, rates, slopes = states_at(model, time, entropy)
    count = len(names)
    empty = np.zeros((count, 0))
    return LinearModel(tuple(names), values, rates, slopes, empty, np.eye(count), empty)


# --- equilibria -------------------------------------------------------------------------------------------------------


def equilibrium(
    dynamics: Dynamics,
    guess: ArrayLike,
    *,
    time: float = 0.0,
    signal: Signal | None = None,
    parameters: Mapping[str, object] | None = None,
) -> NDArray[np.float64]:
    """A state (n,) at which all rates are 0, found from a guess by Newton's method with exact derivatives.

    time, signal, parameters    t, u(.), p, as of `linearize`
    Raises      ModelError if none is found from this guess, and for what is no Dynamics
    """
    x = _point(dynamics, guess, "equilibrium")
    found = _newton(dynamics, x, time, signal, parameters or {})
    if found is None:
        raise ModelError(
            f"no equilibrium was found from {x.tolist()!r} by {MOST} iterations of Newton's method: there may be none "
            "near, or the derivatives are singular there; give another guess"
        )
    return found


def _newton(
    dynamics: Dynamics, x: NDArray[np.float64], time: float, signal: Signal | None, parameters: Mapping[str, object]
) -> NDArray[np.float64] | None:
    scale, moved = float(np.linalg.norm(x)) or 1.0, inf
    for _ in range(MOST):
        here = _linear(dynamics, x, time, signal, parameters, at_kinks=True)
        if not np.isfinite(here.A).all() or not np.isfinite(here.rates).all():
            return None
        try:
            step = np.linalg.solve(here.A, -here.rates)
        except np.linalg.LinAlgError:
            return x if not here.rates.any() else None
        x, moved = x + step, float(np.linalg.norm(step))
        if moved <= SETTLED * max(scale, float(np.linalg.norm(x))):
            return x
    # Rounding of terms that are greater than the state may not let it settle further.
    return x if moved <= SETTLED * max(1.0, float(np.linalg.norm(x))) else None


# --- the effect of a change -------------------------------------------------------------------------------------------


def effect_of_change(
    simulator: Simulator,
    before: Mapping[str, float],
    after: Mapping[str, float],
    *,
    end: float,
    state: ArrayLike,
    start: float = 0.0,
    signal: Signal | None = None,
    output: int = 0,
) -> Change:
    """What it does to a component of the state at the end that parameters change from `before` to `after`.

    "bifurcation": the solution comes to another equilibrium than the one into which the change carries the former
    "structural": eigenvalues at the equilibrium come to the other half-plane
    "decreasing", "unchanged", "increasing": the component itself, where neither is the case
    start, state, signal    t0, x0, u(.) of both runs; equilibria are those for the input at the end
    Raises      ModelError if the two have not the same names
    """
    if list(before) != list(after):
        raise ModelError(f"a change is one of the same parameters, and got {list(before)!r} and {list(after)!r}")
    dynamics = simulator.dynamics
    ends = [simulator(end, start, state, signal, one) for one in (before, after)]
    # Parameters on the way are between the two, so a continued equilibrium belongs to the former one.
    rest = _newton(dynamics, ends[0], end, signal, before)
    first, follow = rest, rest
    for k in range(1, PARTS + 1):
        if follow is None:
            break
        middle = {name: before[name] + (after[name] - before[name]) * k / PARTS for name in before}
        follow = _newton(dynamics, follow, end, signal, middle)
    if first is not None and follow is not None:
        reached = _newton(dynamics, ends[1], end, signal, after)
        if reached is not None and _is_near(reached, ends[1]) and not _is_near(reached, follow):
            return "bifurcation"
        was, now = (_unstable(dynamics, x, end, signal, p) for x, p in ((first, before), (follow, after)))
        if was != now:
            return "structural"
    difference = float(ends[1][output] - ends[0][output])
    if abs(difference) <= 1e-9 * max(abs(float(ends[0][output])), abs(float(ends[1][output]))):
        return "unchanged"
    return "increasing" if difference > 0.0 else "decreasing"


def _is_near(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    return bool(np.linalg.norm(one - other) <= APART * max(1.0, float(np.linalg.norm(other))))


def _unstable(
    dynamics: Dynamics, x: NDArray[np.float64], time: float, signal: Signal | None, parameters: Mapping[str, object]
) -> int:
    """How many eigenvalues have a positive real part."""
    return int((_linear(dynamics, x, time, signal, parameters).eigenvalues.real > 0.0).sum())
