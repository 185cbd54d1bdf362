"""Changes ahead that leave no trace in the coefficients: tanh far from where it changes."""

from __future__ import annotations

import math

import pytest

import dalembert as da
from dalembert.simulation import Taylor, simulate
from tests.effort import at_once

MOTION = 1e-9
x = da.coordinates("x")[0]
v = x.dot


def block(force: da.Expr) -> da.Model:
    """Return the model of a particle of mass 1 under a force."""
    return da.compile(da.System(coordinates=[x], kinetic=v**2 / 2, potential=0, forces=[force]))


@pytest.mark.parametrize("s", [0.1, 1e-2, 1e-4])
@pytest.mark.parametrize("tolerance", [2.3e-16, 1e-9])
def test_friction_that_turns_over_far_ahead(s: float, tolerance: float) -> None:
    """v̇ = -3 - 2 tanh(v / s): from v = 3 it takes about 3/5 s to zero, then v̇ is about -1."""
    motion = simulate(block(-3 - 2 * da.tanh(v / s)), [0.0], [3.0], 1.0, method=Taylor(tolerance))
    # ∫ dv / (3 + 2 tanh(v/s)) = (3 v - 2 s log(3 cosh(v/s) + 2 sinh(v/s))) / 5 is -t + constant
    start, end = (_time_to(motion.qd[k, 0], s) for k in (0, -1))
    assert start - end == pytest.approx(1.0, abs=max(MOTION, 100 * tolerance))


def _time_to(w: float, s: float) -> float:
    u = w / s
    size = abs(u)
    # log(3 cosh u + 2 sinh u) without overflow
    log = size + math.log((5 * math.exp(u - size) + math.exp(-u - size)) / 2)
    return (3 * w - 2 * s * log) / 5


def test_rounding_at_rest_is_no_change() -> None:
    """Forces that cancel but for rounding differ from step to step: this halves no steps."""
    third = 0.337
    force = da.exp(da.sin(x)) - math.exp(math.sin(third)) - 5 * (x - third) - v
    motion = at_once(lambda: simulate(block(force), [third], [0.0], 10.0, method=Taylor()))
    assert motion.ok
    assert len(motion) < 2000
    assert motion.q[-1, 0] == pytest.approx(third, abs=1e-15)
