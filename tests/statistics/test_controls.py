"""Control variates: the estimate of regression, its interval, and what it saves."""

import numpy as np
import pytest
from scipy import stats

from eventide.statistics import controlled


def test_the_controlled_mean_is_the_regression_at_the_known_means():
    rng = np.random.default_rng(1)
    gaps, services = rng.normal(2.0, 0.3, 25), rng.normal(1.0, 0.2, 25)
    waits = 5.0 * services - 2.0 * gaps + rng.normal(0.0, 0.1, 25)
    found = controlled(waits, {"gap": (gaps, 2.0), "service": (services, 1.0)}, 0.9)
    # Independently: the ordinary least-squares line through (gap - 2, service - 1), whose intercept is the mean.
    design = np.column_stack([np.ones(25), gaps - 2.0, services - 1.0])
    beta, residuals = np.linalg.lstsq(design, waits, rcond=None)[:2]
    error = (residuals[0] / 22 * np.linalg.inv(design.T @ design)[0, 0]) ** 0.5
    assert found.mean == pytest.approx(beta[0], rel=1e-12)
    assert found.coefficients == pytest.approx({"gap": beta[1], "service": beta[2]}, rel=1e-9)
    assert found.high - found.mean == pytest.approx(stats.t(22).ppf(0.95) * error, rel=1e-9)
    assert found.low + found.high == pytest.approx(2.0 * found.mean, rel=1e-12)
    assert found.reduction == pytest.approx(1.0 - error**2 / (waits.var(ddof=1) / 25), rel=1e-9)
    assert found.reduction > 0.95
    assert (found.plain, found.count) == (waits.mean(), 25)
    assert str(found) == (
        f"mean {found.mean:.6g}, between {found.low:.6g} and {found.high:.6g} after 25 replications; "
        f"{found.plain:.6g} without controls, {found.reduction:.0%} of the variance removed"
    )
    idle = controlled(waits[:4], {"none": ([1.0, -1.0, -1.0, 1.0], 0.0)})
    assert idle.reduction < 0.0
    assert str(idle).endswith(" without controls, the controls do not help")


@pytest.mark.slow
def test_its_interval_holds_the_mean_as_often_as_it_says():
    rng, held = np.random.default_rng(2), 0
    for _ in range(2000):
        control = rng.normal(size=12)
        found = controlled(1.0 + 0.8 * control + 0.6 * rng.normal(size=12), {"x": (control, 0.0)})
        held += found.low <= 1.0 <= found.high
    assert held / 2000 == pytest.approx(0.95, abs=0.01)


def test_controls_that_say_nothing_are_refused():
    values, other = np.arange(6.0), np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])
    with pytest.raises(ValueError, match="a, b are constant or follow from each other"):
        controlled(values, {"a": (other, 1.0), "b": (2.0 * other + 1.0, 3.0)})
    with pytest.raises(ValueError, match="a are constant"):
        controlled(values, {"a": (np.ones(6), 1.0)})
    for wrong in (["a"], {"a": other}):
        with pytest.raises(ValueError, match="takes for each control its values and its mean"):
            controlled(values, wrong)
    with pytest.raises(ValueError, match="got 0 controls and 6 values"):
        controlled(values, {})
    with pytest.raises(ValueError, match="two values more than controls: got 1 controls and 2 values"):
        controlled([1.0, 2.0], {"a": ([1.0, 2.0], 0.0)})
    with pytest.raises(ValueError, match=r"control a has 5 values and the mean 1\.0"):
        controlled(values, {"a": (other[:5], 1.0)})
    with pytest.raises(ValueError, match="control a has 6 values and the mean nan"):
        controlled(values, {"a": (other, float("nan"))})
