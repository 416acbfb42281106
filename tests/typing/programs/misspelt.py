"""Misspelt rates, states, fields and arguments are found."""

from __future__ import annotations

import eventide as ev


class Ball(ev.Continuous):
    height: ev.State = ev.state(10.0, unit="m")
    velocity: ev.State = ev.state(0.0, unit="m/s")
    restitution: float = 0.8

    def equations(self) -> None:
        self.rate.height = self.velocity
        self.rate.velocty = -9.81  # E: "Ball" has no attribute "velocty"; maybe "velocity"?  [attr-defined]
        self.rate.velocity = -self.gravity  # E: "Ball" has no attribute "gravity"  [attr-defined]

        self.rate.heights[0] = 1.0  # E: "Ball" has no attribute "heights"; maybe "height"?  [attr-defined]

    def bounce(self) -> None:
        self.velocity *= -self.restitutoin  # E: "Ball" has no attribute "restitutoin"; maybe "restitution"?  [attr-defined]
        self.height = "floor"  # E: Incompatible types in assignment (expression has type "str", variable has type "float")  [assignment]




class Rod(ev.Continuous):
    u: ev.StateVector = ev.state_vector(size=5)
    flux: ev.ComputedVector = ev.computed_vector(size=5)

    def equations(self) -> None:
        self.rate.v[0] = 1.0  # E: "Rod" has no attribute "v"  [attr-defined]
        self.flux = "much"  # E: Incompatible types in assignment (expression has type "str", variable has type "ndarray[tuple[Any, ...], dtype[float64]]")  [assignment]


sim = ev.Simulation()
Rod(sim, flux=1.0)  # E: Unexpected keyword argument "flux" for "Rod"  [call-arg]
ball = Ball(sim, heigth=3.0)  # E: Unexpected keyword argument "heigth" for "Ball"; did you mean "height"?  [call-arg]
Ball(sim, 3.0)  # E: Too many positional arguments for "Ball"  [call-arg] # E: Argument 2 to "Ball" has incompatible type "float"; expected "str"  [arg-type]
Ball()  # E: Missing positional argument "sim" in call to "Ball"  [call-arg]
print(ball.last.hieght)  # E: "Ball" has no attribute "hieght"; maybe "height"?  [attr-defined]
ev.hold("long")  # E: No overload variant of "hold" matches argument type "str"  [call-overload]
sim.rum(until=1.0)  # E: "Simulation" has no attribute "rum"  [attr-defined]
