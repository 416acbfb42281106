"""Joint draws of several parameters, as a calibration knows them."""

from __future__ import annotations

from dataclasses import dataclass

from eventide.experiment.designs import Drawn
from eventide.streams.uniforms import Origin, uniforms


@dataclass(frozen=True)
class JointlyDrawn(Drawn):
    """One of several parameters that are drawn together from a normal distribution.

    names       of all of them, in order; place: of this one
    mean        of all; factor: the lower triangular factor of their covariance, by rows
    ends        between which the value lies: what is drawn beyond them is moved there
    """

    names: tuple[str, ...] = ()
    place: int = 0
    mean: tuple[float, ...] = ()
    factor: tuple[tuple[float, ...], ...] = ()
    ends: tuple[float, float] = (0.0, 0.0)

    def value(self, name: str, entropy: int, replication: int, antithetic: bool = False) -> object:
        """The value of one replication; those of the others of the group are drawn from the same numbers."""
        normal = [
            self.distribution.ppf(next(uniforms(Origin(entropy, f"study: {other}", replication, antithetic))))
            for other in self.names
        ]
        away = sum(part * one for part, one in zip(self.factor[self.place], normal, strict=True))
        low, high = self.ends
        return min(max(self.mean[self.place] + float(away), low), high)
