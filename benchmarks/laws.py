"""The equations of the smooth problems by hand, for numba: `law(y, rate, at, to)`, see `limits.py`."""

from math import sqrt

import limits
from smooth import CELLS, COUPLING, MASS


@limits.native
def lorenz(y, rate, at, to):
    rate[to] = 10.0 * (y[at + 1] - y[at])
    rate[to + 1] = y[at] * (28.0 - y[at + 2]) - y[at + 1]
    rate[to + 2] = y[at] * y[at + 1] - 8.0 / 3.0 * y[at + 2]


@limits.native
def arenstorf(y, rate, at, to):
    x, z, u, v = y[at], y[at + 1], y[at + 2], y[at + 3]
    near, far = (x + MASS) * (x + MASS) + z * z, (x - (1.0 - MASS)) * (x - (1.0 - MASS)) + z * z
    pull, other = (1.0 - MASS) / (near * sqrt(near)), MASS / (far * sqrt(far))
    rate[to] = u
    rate[to + 1] = v
    rate[to + 2] = x + 2.0 * v - pull * (x + MASS) - other * (x - (1.0 - MASS))
    rate[to + 3] = z - 2.0 * u - pull * z - other * z


@limits.native
def brusselator(y, rate, at, to):
    last = CELLS - 1
    u, v, du, dv = at, at + CELLS, to, to + CELLS
    for i in range(CELLS):
        reaction = y[u + i] * y[u + i] * y[v + i]
        rate[du + i] = 1.0 + reaction - 4.0 * y[u + i]
        rate[dv + i] = 3.0 * y[u + i] - reaction
    rate[du] += COUPLING * (1.0 - 2.0 * y[u] + y[u + 1])
    rate[dv] += COUPLING * (3.0 - 2.0 * y[v] + y[v + 1])
    for i in range(1, last):
        rate[du + i] += COUPLING * (y[u + i - 1] - 2.0 * y[u + i] + y[u + i + 1])
        rate[dv + i] += COUPLING * (y[v + i - 1] - 2.0 * y[v + i] + y[v + i + 1])
    rate[du + last] += COUPLING * (y[u + last - 1] - 2.0 * y[u + last] + 1.0)
    rate[dv + last] += COUPLING * (y[v + last - 1] - 2.0 * y[v + last] + 3.0)


LAWS = {"lorenz": lorenz, "arenstorf": arenstorf, "brusselator": brusselator}
