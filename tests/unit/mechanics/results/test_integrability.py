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


INTEGRALS = {
    "product": [x * y],
    "product of three": [x * y * z],
    "quotient": [y / x],
    "straight rolling": [x - R * psi],
    "support function": [x * c(phi) + y * s(phi)],
    "integrating factor": [x * c(phi) + y * s(phi)],
    "exponential factor": [x**2 + y**2 + z],
    "two mixed rows": [x - y**2 / 2, z - x * y],
    "with time": [x - s(t)],
    "moving product": [x * y * t],
}


@pytest.mark.parametrize("case", INTEGRALS)
def test_integrals_are_functions_of_those_by_hand(case):
    coordinates, rows = HOLONOMIC[case]
    coordinates = [*coordinates, z] if case == "integrating factor" else coordinates
    found = constrained(coordinates, *rows).integrability().integrals
    assert len(found) == len(rows)
    # functions of each other: their gradients span the same
    places = [*coordinates, t]
    expected = [list(da.jacobian([F], places).entries) for F in INTEGRALS[case]]
    together = [*expected, *(list(da.jacobian([F], places).entries) for F in found)]
    at = {q: 0.3 + 0.17 * k for k, q in enumerate([*places, R])}
    table = da.Matrix(together).evaluate(at)
    assert np.linalg.matrix_rank(table, tol=1e-9) == len(expected)
    assert np.linalg.matrix_rank(table[len(expected) :], tol=1e-9) == len(expected)


@pytest.mark.parametrize("case", HOLONOMIC)
def test_the_rate_of_an_integral_is_a_combination_of_the_constraints(case, rng):
    coordinates, rows = HOLONOMIC[case]
    coordinates = [*coordinates, z] if case == "integrating factor" else coordinates
    eq = constrained(coordinates, *rows)
    verdict = eq.integrability()
    assert len(verdict.integrals) == verdict.num_holonomic
    values = random_state(eq, rng)
    table = eq.A.beside(eq.drift).evaluate(values)
    for F in verdict.integrals:
        slopes = da.jacobian([F], [*coordinates, t]).evaluate(values)
        assert np.linalg.matrix_rank(np.vstack([table, slopes]), tol=1e-9) == len(rows)
        assert np.linalg.norm(slopes) > 1e-6


def test_integral_of_the_two_wheel_robot():
    coordinates, rows, _ = NONHOLONOMIC["two-wheel robot"]
    (F,) = constrained(coordinates, *rows).integrability().integrals
    assert da.equal(F, 2 * b * phi - R * (right - left))


def test_a_row_that_needs_another_ones_integral():
    # dz = (x + y²) dy is no differential; with x - y²/2 = C it is that of z - x y
    eq = constrained([x, y, z], x.dot - y * y.dot, z.dot - (x + y**2) * y.dot)
    first, second = eq.integrability().integrals
    assert da.equal(first, x - y**2 / 2)
    assert da.equal(second, z - x * y)


def test_an_exponential_integrating_factor():
    # dy + (x + y) dx = 0: times eˣ it is d((x + y - 1) eˣ)
    (F,) = constrained([x, y], y.dot + (x + y) * x.dot).integrability().integrals
    assert da.equal(F, (x + y - 1) * da.exp(x))


def test_an_integral_that_nobody_finds_leaves_the_verdict():
    # dy = exp(-x²) dx: holonomic, but its integral is no elementary function
    verdict = constrained([x, y], y.dot - da.exp(-(x**2)) * x.dot).integrability()
    assert verdict.is_holonomic
    assert verdict.integrals == ()
    assert str(verdict) == "the constraint is integrable (holonomic)"


def test_texts_of_integrals():
    verdict = constrained([x, y, z], x * y.dot + y * x.dot).integrability()
    assert str(verdict).splitlines()[1] == "    x y = const"
    assert "const" in verdict._repr_latex_()


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
