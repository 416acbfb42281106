"""The path integrator: p' = v, v' = a(t, p, v) from one checked state to the next.

In: a state, and a check that returns how far the next step may go and may change the state. Out: states along a path.
The protocol is that of a published program; it has a loop of its own and knows no processes. Models with discrete
events are run by `Simulation`.

Source: the Modula-3 module of a Runge-Kutta-Fehlberg integrator (StartStep, FinishStep, AdjustStepSize,
HermiteInterpolate, CheckStateProc), corrected; Fehlberg, NASA TR R-315 (1969).
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, nan
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from eventide.declare.units import in_time_units
from eventide.errors import ModelError
from eventide.methods import FEHLBERG

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Vector: TypeAlias = "NDArray[np.float64]"
Acceleration: TypeAlias = "Callable[[float, Vector, Vector], ArrayLike]"
"""a(t, p, v): the accelerations (n,) at a time, positions (n,) and velocities (n,)."""
CheckState: TypeAlias = Callable[[float, Vector, Vector, Vector], float]
"""check(t, p, v, a) uses a state, may change p and v in place, sets a, and returns the latest end of the next step."""
ErrorKind: TypeAlias = Literal["per unit time", "per step"]

SHRINK: Final = 0.1
GROW: Final = 4.0


class _Limits(NamedTuple):
    position_tolerance: float
    velocity_tolerance: float
    dt_min: float
    dt_max: float


class PathState(NamedTuple):
    """Where a path ends."""

    time: float
    position: Vector
    velocity: Vector


class PathIntegrator:
    """Integrates p' = v, v' = a(t, p, v) for n coordinates by Fehlberg's pair of order 4(5); order 4 is propagated.

    size        n, the number of coordinates
    error       what `start_step` estimates and tolerances mean: "per unit time", as in the document, is of order 4 in
                the step; "per step" has the step as a factor and is of order 5

    One step is `start_step`, which estimates the error, again with another end as often as wanted, and `finish_step`.
    `integrate` makes as many as a check of the states asks for.
    """

    def __init__(self, size: int, error: ErrorKind = "per unit time") -> None:
        if size < 1:
            raise ModelError(f"a path of {size!r} coordinates: it has at least one")
        if error not in {"per unit time", "per step"}:
            raise ModelError(f"error={error!r}: it is estimated 'per unit time' or 'per step'")
        self.size = size
        self.error: ErrorKind = error
        tableau = FEHLBERG.tableau
        self._nodes, self._matrix, self._weights = tableau.arrays
        self._error_weights = np.array([float(entry) for entry in tableau.error])
        self._velocities = np.zeros((tableau.stages, size))
        self._accelerations = np.zeros((tableau.stages, size))
        self._started = (nan, nan)
        self.position_error = nan
        self.velocity_error = nan

    # --- one step -------------------------------------------------------------------------------------------------

    def start_step(
        self, t0: float, p0: ArrayLike, v0: ArrayLike, a0: ArrayLike, t6: float, acceleration: Acceleration
    ) -> float:
        """The estimated error of a step from t0 to t6: the largest over all positions and velocities.

        a0          accelerations at the start; they are not evaluated again
        Cost        five evaluations, at 1/4, 3/8, 12/13, 1 and 1/2 of the step
        Afterwards  `position_error` and `velocity_error` are the largest of each kind
        """
        step = t6 - t0
        start_position, start_velocity = self._vector(p0, "p0"), self._vector(v0, "v0")
        velocities, accelerations = self._velocities, self._accelerations
        velocities[0], accelerations[0] = start_velocity, self._vector(a0, "a0")
        for k in range(1, len(self._nodes)):
            weights = self._matrix[k, :k]
            position = start_position + step * (weights @ velocities[:k])
            velocities[k] = start_velocity + step * (weights @ accelerations[:k])
            accelerations[k] = acceleration(t0 + float(self._nodes[k]) * step, position, velocities[k].copy())
        factor = abs(step) if self.error == "per step" else 1.0
        self.position_error = factor * float(np.max(np.abs(self._error_weights @ velocities)))
        self.velocity_error = factor * float(np.max(np.abs(self._error_weights @ accelerations)))
        self._started = (t0, t6)
        return float(np.maximum(self.position_error, self.velocity_error))

    def finish_step(self, t0: float, p0: ArrayLike, v0: ArrayLike, a0: ArrayLike, t6: float) -> tuple[Vector, Vector]:
        """Positions and velocities at t6, of order 4, from the stages of the last `start_step`; nothing is evaluated.

        Raises      ModelError if that step was another one
        """
        if self._started != (t0, t6):
            raise ModelError(
                f"a step from {t0!r} to {t6!r} is to be finished, and the one started last went from "
                f"{self._started[0]!r} to {self._started[1]!r}: call start_step with these times first"
            )
        step = t6 - t0
        position: Vector = self._vector(p0, "p0") + step * (self._weights @ self._velocities)
        velocity: Vector = self._vector(v0, "v0") + step * (self._weights @ self._accelerations)
        return position, velocity

    def adjust_step_size(
        self, step: float, error: float, tolerance: float, dt_min: float = 0.0, dt_max: float = inf
    ) -> float:
        """The length of the next step, so that its error is half the tolerance: 0.1 to 4 times this one.

        An error of 0 gives 4 times this step, one that is no number 0.1 times; limits are kept in any case.
        """
        if error == 0.0:
            factor = GROW
        else:
            exponent = 1.0 / 5.0 if self.error == "per step" else 1.0 / 4.0
            ratio = tolerance / (2.0 * error)
            factor = min(GROW, max(SHRINK, ratio**exponent)) if ratio > 0.0 else SHRINK
        return min(dt_max, max(dt_min, factor * step))

    # --- a path ---------------------------------------------------------------------------------------------------

    def integrate(
        self,
        time: float,
        position: ArrayLike,
        velocity: ArrayLike,
        check_state: CheckState,
        acceleration: Acceleration,
        *,
        tolerance: float | tuple[float, float],
        dt_min: float = 1e-9,
        dt_max: float = inf,
        first_step: float | None = None,
    ) -> PathState:
        """Follow the path from a state to where `check_state` ends it; the arrays given are left alone.

        check_state     called with the first, every accepted and the last state, never with one of a trial. It may
                        change p and v in place, must set a, the accelerations just after any jump, and returns the
                        time to which the next step may go at most; one that is not later than now ends the path.
        acceleration    a(t, p, v), called for trial states only
        tolerance       of the error, or one of positions and one of velocities
        dt_min          a step of this length, or shorter up to the end given, is accepted whatever its error
        first_step      length to be tried first; dt_min if None
        Raises          ModelError if a limit is no limit, the accelerations are not set, or a rate is not finite
        """
        tolerances = tolerance if isinstance(tolerance, tuple) else (tolerance, tolerance)
        limits = _Limits(*tolerances, dt_min, dt_max)
        in_time_units((time, dt_min, dt_max, first_step), None, "integrate(...)")
        if not (0.0 < dt_min <= dt_max and min(tolerances) > 0.0):
            raise ModelError(
                f"dt_min = {dt_min!r}, dt_max = {dt_max!r}, tolerance = {tolerance!r}: 0 < dt_min <= dt_max and a "
                "tolerance above 0 are needed"
            )
        p, v, a = self._vector(position, "position"), self._vector(velocity, "velocity"), np.zeros(self.size)
        proposal = dt_min if first_step is None else min(dt_max, max(dt_min, first_step))
        while True:
            end = self._check(check_state, time, p, v, a)
            if end <= time:
                return PathState(time, p, v)
            time, p, v, proposal = self._step(time, p, v, a, end, acceleration, limits, proposal)

    def _check(self, check_state: CheckState, time: float, p: Vector, v: Vector, a: Vector) -> float:
        a.fill(nan)
        end = float(check_state(time, p, v, a))
        if np.isnan(a).any():
            raise ModelError(
                f"check_state has not set the acceleration at time {time!r}: assign a[:] before it returns"
            )
        if end != end:
            raise ModelError(
                f"check_state returned {end!r} at time {time!r}: it returns the latest end of the next step"
            )
        return end

    def _step(
        self,
        time: float,
        p: Vector,
        v: Vector,
        a: Vector,
        end: float,
        acceleration: Acceleration,
        limits: _Limits,
        proposal: float,
    ) -> tuple[float, Vector, Vector, float]:
        """The next accepted state, at `end` or earlier, and the length to be tried after it."""
        step = min(proposal, end - time)
        while True:
            there = end if step == end - time else time + step
            if not time < there < inf:
                raise ModelError(f"a step of {step!r} does not advance time {time!r}: raise dt_min, or end the path")
            self.start_step(time, p, v, a, there, acceleration)
            shares = (
                self.position_error / limits.position_tolerance,
                self.velocity_error / limits.velocity_tolerance,
            )
            error = float(np.max(shares))
            proposal = self.adjust_step_size(step, error, 1.0, limits.dt_min, limits.dt_max)
            if error <= 1.0 or step <= limits.dt_min:
                if not isfinite(error):
                    raise ModelError(f"at time {time!r} the accelerations of a step of {step!r} are not finite")
                return there, *self.finish_step(time, p, v, a, there), proposal
            step = proposal

    def _vector(self, values: ArrayLike, name: str) -> Vector:
        """A copy as an array of n floats."""
        vector = np.array(values, dtype=np.float64, ndmin=1)
        if vector.shape != (self.size,):
            raise ModelError(f"{name} has shape {vector.shape}, and the path has {self.size} coordinates")
        return vector


def hermite_interpolate(
    te: float,
    t0: float,
    p0: Vector,
    v0: Vector,
    t1: float,
    p1: Vector,
    v1: Vector,
    *,
    extrapolate: bool = False,
) -> float:
    """Put the state at te, by Hermite's cubic through two states, in place of the first one; returns te, the new t0.

    p0, v0      arrays (n,) that are overwritten; at te = t0 they stay, at te = t1 they become p1, v1 bit for bit
    Raises      ModelError if te lies outside, unless `extrapolate`, or if t0 = t1 and te is another time
    """
    if te == t0:
        return te
    if te == t1:
        p0[:], v0[:] = p1, v1
        return te
    if t0 == t1 or te != te:
        raise ModelError(f"te = {te!r} on a step from {t0!r} to {t1!r}: there is no other time on a step of length 0")
    if not extrapolate and not min(t0, t1) < te < max(t0, t1):
        raise ModelError(f"te = {te!r} lies outside of [{t0!r}, {t1!r}]; extrapolate=True allows it")
    dt = t1 - t0
    r, s = (te - t0) / dt, (t1 - te) / dt
    px, py = p0 + dt / 3.0 * v0, p1 - dt / 3.0 * v1
    pax, pxy, pyb = s * p0 + r * px, s * px + r * py, s * py + r * p1
    paxy, pxyb = s * pax + r * pxy, s * pxy + r * pyb
    vm = 3.0 * (p1 - p0) / dt - (v0 + v1)
    vam, vmb = s * v0 + r * vm, s * vm + r * v1
    p0[:], v0[:] = s * paxy + r * pxyb, s * vam + r * vmb
    return te
