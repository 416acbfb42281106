"""Reference problems for work-precision curves. One more is one more entry of PROBLEMS."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, sin, sqrt
from typing import Any

MASS = 0.012277471  # of the Moon, in masses of Earth and Moon


@dataclass(frozen=True)
class Problem:
    """Equations y' = rates(t, y) from t = 0.

    rates       made for a module that has sqrt, cos and the like: math for Python and numba, heyoka for its symbols
    known       of the first states at the end: closed forms, published digits, or a tight run, as said beside it
    stiff       whether methods for stiff problems are to be taken
    """

    rates: Callable[[Any], Callable[[Any, Any], tuple[Any, ...]]]
    start: tuple[float, ...]
    until: float
    known: tuple[float, ...]
    is_stiff: bool = False

    def error(self, state: Sequence[float]) -> float:
        """The largest one of a state, relative to what is known where that is above 1."""
        pairs = zip(state, self.known, strict=False)
        return max(abs(float(found) - value) / max(1.0, abs(value)) for found, value in pairs)


def arenstorf(m):
    def rates(t, y):
        x, z, u, v = y[0], y[1], y[2], y[3]
        near, far = (x + MASS) * (x + MASS) + z * z, (x - (1.0 - MASS)) * (x - (1.0 - MASS)) + z * z
        pull, other = (1.0 - MASS) / (near * m.sqrt(near)), MASS / (far * m.sqrt(far))
        return (
            u,
            v,
            x + 2.0 * v - pull * (x + MASS) - other * (x - (1.0 - MASS)),
            z - 2.0 * u - pull * z - other * z,
        )

    return rates


def kepler(m):
    def rates(t, y):
        square = y[0] * y[0] + y[1] * y[1]
        cube = square * m.sqrt(square)
        return y[2], y[3], -y[0] / cube, -y[1] / cube

    return rates


def orbit(e: float, end: tuple[float, float]) -> Problem:
    return Problem(kepler, (1.0 - e, 0.0, 0.0, sqrt((1.0 + e) / (1.0 - e))), 20.0, end)


def lorenz(m):
    def rates(t, y):
        return 10.0 * (y[1] - y[0]), y[0] * (28.0 - y[2]) - y[1], y[0] * y[1] - 8.0 / 3.0 * y[2]

    return rates


def brusselator(m):
    def rates(t, y):
        made = y[0] * y[0] * y[1]
        return 1.0 + made - 4.0 * y[0], 3.0 * y[0] - made

    return rates


def rigid(m):
    def rates(t, y):
        return y[1] * y[2], -y[0] * y[2], -0.51 * y[0] * y[1]

    return rates


def cubic(m):
    def rates(t, y):
        return (-0.5 * y[0] * y[0] * y[0],)

    return rates


def wave(m):
    def rates(t, y):
        return (y[0] * m.cos(t),)

    return rates


def logistic(m):
    def rates(t, y):
        return (y[0] / 4.0 * (1.0 - y[0] / 20.0),)

    return rates


def spiral(m):
    def rates(t, y):
        return ((y[0] - t) / (y[0] + t),)

    return rates


def predators(m):
    def rates(t, y):
        return 2.0 * (y[0] - y[0] * y[1]), y[0] * y[1] - y[1]

    return rates


def van_der_pol(mu):
    def of(m):
        def rates(t, y):
            return y[1], mu * (1.0 - y[0] * y[0]) * y[1] - y[0]

        return rates

    return of


def hires(m):
    def rates(t, y):
        made = 280.0 * y[5] * y[7]
        lost = made - 1.81 * y[6]
        return (
            -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007,
            1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4],
            8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * (y[5] + y[6]),
            -made + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
            lost,
            -lost,
        )

    return rates


def robertson(m):
    def rates(t, y):
        slow, fast, faster = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
        return fast - slow, slow - fast - faster, faster

    return rates


TURN = (0.994, 0.0, 0.0, -2.00158510637908252240537862224)
PROBLEMS = {
    # Source: Hairer, Norsett & Wanner, Solving ODEs I, II.0.
    "arenstorf": Problem(arenstorf, TURN, 17.0652165601579625588917206249, TURN),
    # Closed forms; D1 and D5 of DETEST: Hull et al., SIAM J. Numer. Anal. 9 (1972).
    "kepler-0.1": orbit(0.1, (0.219883535200839661, 0.942707684634181309)),
    "kepler-0.9": orbit(0.9, (-1.29526625098757437, 0.400393896379232153)),
    # By extrapolation in 26 digits or more.
    "lorenz": Problem(lorenz, (1.0, 1.0, 1.0), 5.0, (-6.512113699419599, -6.974042788417076, 23.92412957210337)),
    "brusselator": Problem(brusselator, (1.5, 3.0), 20.0, (0.498637071268347849, 4.59678034945201118)),
    # sn, cn, dn of 12 for m = 0.51; the others are of DETEST as well, B5, A2 to A5, B1, E2.
    "rigid-body": Problem(
        rigid, (0.0, 1.0, 1.0), 12.0, (-0.705397809522571743, -0.708811632467158085, 0.863846690370222101)
    ),
    "detest-a2": Problem(cubic, (1.0,), 20.0, (1.0 / sqrt(21.0),)),
    "detest-a3": Problem(wave, (1.0,), 20.0, (exp(sin(20.0)),)),
    "detest-a4": Problem(logistic, (1.0,), 20.0, (20.0 / (1.0 + 19.0 * exp(-5.0)),)),
    "detest-a5": Problem(spiral, (4.0,), 20.0, (-0.788782668896401424,)),
    "detest-b1": Problem(predators, (1.0, 3.0), 20.0, (0.676187600857660661, 0.18608160996400298)),
    "detest-e2": Problem(van_der_pol(1.0), (2.0, 0.0), 20.0, (2.00814976217494879, -0.042508875273202147)),
    # Published: Mazzia & Magherini, Test Set for Initial Value Problem Solvers.
    "hires": Problem(
        hires,
        (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057),
        321.8122,
        (
            0.7371312573325668e-3,
            0.1442485726316185e-3,
            0.5888729740967575e-4,
            0.1175651343283149e-2,
            0.2386356198831331e-2,
            0.6238968252742796e-2,
            0.2849998395185769e-2,
            0.2850001604814231e-2,
        ),
        is_stiff=True,
    ),
    "van-der-pol": Problem(
        van_der_pol(1000.0), (2.0, 0.0), 2000.0, (1.706167732170469, -0.8928097010248125e-3), is_stiff=True
    ),
    # By three methods at 1e-11 and tighter, which agree in the digits given.
    "robertson": Problem(
        robertson, (1.0, 0.0, 0.0), 40.0, (0.7158270687194, 9.1855347646e-6, 0.2841637457458), is_stiff=True
    ),
}
