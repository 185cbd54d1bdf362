"""Is a velocity constraint holonomic in disguise? Decided, with a escape checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.oracles import Values, random_state

x, y, z, u = da.coordinates("x y z u")
phi, psi, right, left = da.coordinates("phi psi right left")
R, b, l = da.parameters("R b l")
t = da.time
s, c = da.sin, da.cos


def constrained(coordinates, *rows: da.Expr, **options) -> da.Equations:
    T = sum(q.dot**2 for q in coordinates)
    return da.System(
        kinetic=T, coordinates=coordinates, velocity_constraints=rows, **options
    ).equations()


# ---- constraints that are differentials, plain or multiplied by a factor

HOLONOMIC = {
    "two coordinates": ([x, y], [x.dot * s(y) + x**2 * y.dot]),
    "product": ([x, y, z], [x * y.dot + y * x.dot]),
    "product of three": ([x, y, z], [y * z * x.dot + x * z * y.dot + x * y * z.dot]),
    "quotient": ([x, y, z], [x * y.dot - y * x.dot]),
    "straight rolling": ([x, psi], [x.dot - R * psi.dot]),
    # d(x cos φ + y sin φ), and the same times a factor that never vanishes
    "support function": (
        [x, y, phi],
        [c(phi) * x.dot + s(phi) * y.dot + (y * c(phi) - x * s(phi)) * phi.dot],
    ),
    "integrating factor": (
        [x, y, phi],
        [(2 + s(z)) * (c(phi) * x.dot + s(phi) * y.dot + (y * c(phi) - x * s(phi)) * phi.dot)],
    ),
    # eᶻ d(x² + y²) + …: the factor e⁻ᶻ makes it d(x² + y² + z)
    "exponential factor": (
        [x, y, z],
        [da.exp(z) * (2 * x * x.dot + 2 * y * y.dot + z.dot)],
    ),
    # neither row is exact, but together they are d(x - y²/2) and d(z - x y)
    "two mixed rows": (
        [x, y, z],
        [x.dot - y * y.dot + z.dot - (x * y).dot, x.dot - y * y.dot - z.dot + (x * y).dot],
    ),
    "with time": ([x, y], [x.dot - c(t)]),
    "moving product": ([x, y, z], [y * x.dot * t + x * y.dot * t + x * y]),
}


@pytest.mark.parametrize("case", HOLONOMIC)
def test_holonomic_in_disguise(case):
    coordinates, rows = HOLONOMIC[case]
    if case == "integrating factor":
        coordinates = [*coordinates, z]
    verdict = constrained(coordinates, *rows).integrability()
    assert verdict.is_holonomic
    assert verdict.escape is None
    assert verdict.num_holonomic == verdict.num_constraints == len(rows)
    assert "integrable (holonomic)" in str(verdict)


# ---- constraints that are not

FORWARD = x.dot * c(phi) + y.dot * s(phi)
NONHOLONOMIC = {
    # ω ∧ dω = dy ∧ dx ∧ dz ≠ 0
    "contact form": ([x, y, z], [y.dot - z * x.dot], 0),
    "knife edge": ([x, y, phi], [x.dot * s(phi) - y.dot * c(phi)], 0),
    "rolling disc": (
        [x, y, phi, psi],
        [x.dot - R * c(phi) * psi.dot, y.dot - R * s(phi) * psi.dot],
        0,
    ),
    # a cart with a trailer needs brackets of brackets to reach every direction
    "trailer": (
        [x, y, phi, psi],
        [x.dot * s(phi) - y.dot * c(phi), l * psi.dot - FORWARD * s(phi - psi)],
        0,
    ),
    # 2b φ̇ = R (θ̇_r - θ̇_l) integrates, the other two do not
    "two-wheel robot": (
        [x, y, phi, right, left],
        [
            x.dot * s(phi) - y.dot * c(phi),
            FORWARD + b * phi.dot - R * right.dot,
            FORWARD - b * phi.dot - R * left.dot,
        ],
        1,
    ),
    "one of two": ([x, y, z, u], [y.dot - z * x.dot, u.dot - 2 * x * x.dot], 1),
    # with time as a coordinate: dx - t dy and dx - y dt
    "time as factor": ([x, y], [x.dot - t * y.dot], 0),
    "drift": ([x, y], [x.dot - y], 0),
}


@pytest.mark.parametrize("case", NONHOLONOMIC)
def test_truly_nonholonomic(case):
    coordinates, rows, num_holonomic = NONHOLONOMIC[case]
    verdict = constrained(coordinates, *rows).integrability()
    assert not verdict.is_holonomic
    assert verdict.num_constraints == len(rows)
    assert verdict.num_holonomic == num_holonomic
    assert "nonholonomic" in str(verdict)


def numerical_bracket(X: da.Matrix, Y: da.Matrix, places: list[da.Expr], values: Values):
    """Return [X, Y] = DY·X - DX·Y by central differences."""
    step = 1e-6

    def along(field: da.Matrix, direction: np.ndarray) -> np.ndarray:
        ends = []
        for sign in (1, -1):
            moved = dict(values)
            for q, d in zip(places, direction, strict=True):
                moved[q] = values[q] + sign * step * d
            ends.append(field.evaluate(moved)[:, 0])
        return (ends[0] - ends[1]) / (2 * step)

    x0, y0 = X.evaluate(values)[:, 0], Y.evaluate(values)[:, 0]
    return along(Y, x0) - along(X, y0)


@pytest.mark.parametrize("case", NONHOLONOMIC)
def test_escape_leaves_the_constraint(case, rng):
    coordinates, rows, _ = NONHOLONOMIC[case]
    eq = constrained(coordinates, *rows)
    escape = eq.integrability().escape
    assert escape is not None
    values = random_state(eq, rng)
    places, A = list(coordinates), eq.A
    if len(escape.X) > len(places):
        places, A = [*places, t], eq.A.beside(eq.drift)
    rows_of_A = A.evaluate(values)
    # both motions are admissible …
    for field in (escape.X, escape.Y):
        assert rows_of_A @ field.evaluate(values)[:, 0] == pytest.approx(0, abs=1e-9)
    # … but going round a small loop of them is not
    bracket = numerical_bracket(escape.X, escape.Y, places, values)
    left = rows_of_A[escape.constraint] @ bracket
    assert left == pytest.approx(escape.value.evaluate(values), rel=1e-5, abs=1e-5)
    # and it names a point at which it certainly escapes
    assert escape.point is not None
    at = values | {q: float(value) for q, value in escape.point.items()}
    bracket = numerical_bracket(escape.X, escape.Y, places, at)
    assert abs(A.evaluate(at)[escape.constraint] @ bracket) > 1e-4


def test_textbook_systems():
    assert not da.textbook.knife_edge().equations().integrability().is_holonomic
    assert not da.textbook.rolling_disc().equations().integrability().is_holonomic
    # given as positions, so holonomic of course
    maximal = da.textbook.rp_arm_maximal().equations().integrability()
    assert maximal.is_holonomic
    assert maximal.num_holonomic == 4


def test_holonomic_rows_beside_pfaffian_ones():
    verdict = constrained([x, y, z, u], y.dot - z * x.dot, constraints=[u**2 - x]).integrability()
    assert (verdict.num_constraints, verdict.num_holonomic) == (2, 1)
    assert verdict.escape is not None
    assert verdict.escape.constraint == 1


def test_moving_holonomic_constraint():
    verdict = constrained([x, y], constraints=[x * y - t]).integrability()
    assert verdict.is_holonomic
