"""Verdicts in letters where forces are gyroscopic, circulatory or feed energy: known by hand."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanics import Stability
from dalembert.mechanics.equilibria.hurwitz import both_ways, contradict
from dalembert.mechanics.proofs.signs import Sign
from tests.cases import num_cases

x, y = da.coordinates("x y")
m, k, c, b, h, w, p = da.parameters("m k c b h omega p")
AXIS = 1e-6
"""Real parts of eigenvalues of about 1 below which rounding decides the sign."""

T = m * (x.dot**2 + y.dot**2) / 2
GYRO = m * w * (x * y.dot - y * x.dot)
HILL = k * (x**2 + y**2) / 2
DAMPED = b * (x.dot**2 + y.dot**2) / 2
ROTATING = m * ((x.dot - w * y) ** 2 + (y.dot + w * x) ** 2) / 2


def at_rest(coordinates=(x, y), **parts) -> Stability:
    (only,) = da.System(coordinates=coordinates, **parts).equations().equilibria()
    return only.stability


def test_a_gyroscope_holds_what_stands_on_a_hill():
    """m² s⁴ + (4 m² ω² - 2 m k) s² + k²: both s² are negative where k < m ω²."""
    found = at_rest(lagrangian=T + GYRO + HILL)
    assert found.verdict == "depends on the parameters"
    assert found.reason == (
        "unstable where k > m ω²; where k < m ω², all eigenvalues lie on the imaginary axis, and "
        "the linear equations do not tell"
    )


def test_damping_takes_it_down():
    """The theorem of Kelvin, Tait and Chetaev."""
    found = at_rest(lagrangian=T + GYRO + HILL, dissipation=DAMPED)
    assert found.verdict == "unstable"
    assert "Kelvin, Tait, Chetaev" in found.reason


def test_an_odd_number_of_hills_cannot_be_held():
    found = at_rest(lagrangian=T + GYRO + k * x**2 / 2 - c * y**2 / 2)
    assert found.reason == "det K < 0: a real eigenvalue is positive"


def test_damping_that_turns_with_a_rotor():
    """Above its critical speed √(k/m) a rotor is unstable by its own damping."""
    found = at_rest(lagrangian=ROTATING - HILL, dissipation=DAMPED)
    assert found.reason == "asymptotically stable where k > m ω², unstable where k < m ω²"


def test_circulatory_forces():
    """z = x + i y: m z̈ + b ż + (k + i c) z = 0 is stable where b² k > m c²."""
    push = [c * y, -c * x]
    found = at_rest(kinetic=T, potential=HILL, forces=push, dissipation=DAMPED)
    assert found.reason == (
        "asymptotically stable where b² k > m c², unstable where b² k < m c² (Routh, Hurwitz)"
    )
    assert at_rest(kinetic=T, potential=HILL, forces=push).verdict == "unstable"


def test_feedback():
    motor = [-h * x - b * x.dot]
    found = at_rest([x], kinetic=m * x.dot**2 / 2, potential=-k * x**2 / 2, forces=motor)
    assert found.reason == "asymptotically stable where h > k, unstable where h < k"
    fed = at_rest([x], kinetic=m * x.dot**2 / 2, potential=k * x**2 / 2, forces=[(b - c) * x.dot])
    assert fed.reason == (
        "asymptotically stable where b < c, unstable where b > c (Routh, Hurwitz)"
    )


def test_conditions_are_never_empty():
    less, more, double = Sign(1, (c - k,)), Sign(-1, (c - k,)), Sign(1, (2 * c - k,))
    assert contradict([less, more])
    assert not contradict([less, double])
    # c > k asks for more than 2 c > k
    assert both_ways([less, double]) == ("c > k", "c < k")


def test_no_verdict_in_letters_is_wrong_in_numbers(rng, scale):
    """Symbols with random values: eigenvalues of the companion matrix judge."""
    decided = 0
    for _ in range(num_cases(20, scale)):
        stiff, drag = rng.integers(-2, 3, 3), rng.integers(0, 3, 2)
        skew, swirl = rng.integers(-1, 2, 2)
        K = [[int(stiff[0]) * k, int(stiff[1]) * c], [int(stiff[1]) * c, int(stiff[2]) * k]]
        turn, push = int(skew) * w, int(swirl) * p
        forces = [
            -K[0][0] * x - K[0][1] * y - int(drag[0]) * b * x.dot + turn * y.dot + push * y,
            -K[1][0] * x - K[1][1] * y - int(drag[1]) * b * y.dot - turn * x.dot - push * x,
        ]
        eq = da.System(kinetic=T, coordinates=[x, y], forces=forces).equations()
        at = [e.stability for e in eq.equilibria() if e.where == "x = 0, y = 0"]
        if not at or at[0].verdict in ("undecided", "depends on the parameters"):
            continue
        decided += 1
        values = dict(zip((m, k, c, b, w, p), rng.uniform(0.3, 3, 6), strict=True))
        J = da.jacobian(forces, [x, y, x.dot, y.dot]).evaluate(values) / values[m]
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [J]])
        real = np.linalg.eigvals(A).real.max()
        case = (str(at[0]), [str(f) for f in forces], real)
        assert real > -AXIS if at[0].verdict == "unstable" else real < AXIS, case
    assert decided > 0


def test_a_derivative_by_time_says_which_one():
    e = x * da.time
    with pytest.raises(da.InvalidExpression, match=r"write da\.ddt\(e\)"):
        e.diff(da.time)
    assert da.jacobian([e], [da.time])[0, 0] is x
    assert da.equal((k * da.time**2).diff(da.time), 2 * k * da.time)
    with pytest.raises(da.InvalidExpression):
        da.Matrix([[e]]).diff(da.time)
