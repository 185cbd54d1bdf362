"""Linear equations of small deviations: by hand, by SymPy, and from the compiled dynamics."""

from typing import Any

import numpy as np
import pytest
import sympy

import dalembert as da
from dalembert.errors import InvalidSystem, UnknownName
from dalembert.expr import Matrix

m, l, g = da.parameters("m l g")
x, y = da.coordinates("x y")


def test_upright_cart_pole_by_hand() -> None:
    eq = da.textbook.cart_pole().equations()
    m_c, m_p = da.parameters("m_c m_p")
    A, B, states, _ = eq.linearise({"theta": da.pi}).state_space()
    # Åström and Murray, Feedback Systems, example 3.2, for a point mass without friction
    wanted = [[0, m_p * g / m_c], [0, (m_c + m_p) * g / (m_c * l)]]
    assert da.equal(Matrix([row[:2] for row in A.rows[2:]]), Matrix(wanted))
    assert da.equal(Matrix(B.rows[2:]), Matrix([[1 / m_c], [1 / (m_c * l)]]))
    assert [str(s) for s in states] == ["δx", "δθ", "δẋ", "δθ̇"]


def test_upright_furuta_pendulum_by_hand() -> None:
    eq = da.textbook.furuta_pendulum().equations()
    J, r, I = da.parameters("J r I")
    lin = eq.linearise()
    assert da.equal(lin.M, Matrix([[J + m * r**2, -m * l * r], [-m * l * r, I + m * l**2]]))
    assert da.equal(lin.K, Matrix([[0, 0], [0, -m * g * l]]))
    assert da.equal(lin.B, Matrix([[1], [0]]))


def test_steady_circle_of_the_spherical_pendulum() -> None:
    eq = da.textbook.spherical_pendulum().equations()
    theta, phi = eq.coordinates
    alpha, Omega = da.parameters("alpha Omega")
    steady = {theta: alpha, phi: Omega * da.time, g: l * Omega**2 * da.cos(alpha)}
    A = eq.linearise(steady).state_space().A
    # small nutation of a conical pendulum: ω² = Ω² (1 + 3 cos² α) (Landau and Lifshitz, §14)
    s = sympy.Symbol("s")
    p = da.to_sympy(da.cos(alpha))
    W = da.to_sympy(Omega)
    matrix: Any = sympy.Matrix(4, 4, [da.to_sympy(e) for e in A])
    got = matrix.charpoly(s).as_expr()
    wanted = s**2 * (s**2 + W**2 * (1 + 3 * p**2))
    assert sympy.simplify(got - wanted) == 0


def test_motion_that_is_none_is_refused_with_its_residual() -> None:
    eq = da.textbook.spherical_pendulum().equations()
    theta, phi = eq.coordinates
    (Omega,) = da.parameters("Omega")
    with pytest.raises(InvalidSystem, match=r"along theta.*affine=True"):
        eq.linearise({theta: 1, phi: Omega * da.time})
    lin = eq.linearise({theta: 1, phi: Omega * da.time}, affine=True)
    wanted = m * g * l * da.sin(1) - m * l**2 * Omega**2 * da.sin(1) * da.cos(1)
    assert da.equal(lin.offset[0], wanted)


def test_pendulum_in_cartesian_coordinates() -> None:
    system = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        potential=m * g * y,
        coordinates=[x, y],
        constraints=[x**2 + y**2 - l**2],
    )
    eq = system.equations()
    lin = eq.linearise({y: -l})
    assert [str(v) for v in lin.variables] == ["δx"]
    # m δẍ + (m g / l) δx = 0: the second derivative of the constraint enters by λ = -m g/2l
    assert da.equal(lin.K, Matrix([[m * g / l]]))
    assert da.equal(lin.multipliers[0], -m * g / (2 * l))
    with pytest.raises(InvalidSystem, match="constraint 1"):
        eq.linearise({y: l + 1})


def test_constrained_and_free_pendulum_have_the_same_linear_motion_on_a_moving_base() -> None:
    """A pendulum driven round a circle: time-varying directions Z(t) against its own angle."""
    w = da.parameters("w")[0]
    free = da.System.from_particles([m], [(l * da.cos(x), l * da.sin(x))], coordinates=[x])
    bound = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2,
        coordinates=[x, y],
        constraints=[x**2 + y**2 - l**2],
    )
    about = {x: l * da.cos(w * da.time), y: l * da.sin(w * da.time)}
    lin = bound.equations().linearise(about)
    # δx = -l sin(wt) δφ: of δφ̈ = 0 follows the equation of δx
    assert da.equal(free.equations().linearise({x: w * da.time}).K[0], 0)
    t = da.time
    phi = 3 + 2 * t
    dx = -l * da.sin(w * t) * phi
    left = lin.M[0] * dx.dot.dot + lin.D[0] * dx.dot + lin.K[0] * dx
    assert da.equal(left, 0)


def test_unknown_names_and_moving_points_are_refused() -> None:
    eq = da.textbook.cart_pole().equations()
    with pytest.raises(UnknownName, match="thet"):
        eq.linearise({"thet": 0})
    with pytest.raises(InvalidSystem, match=r"parameters and da\.time"):
        eq.linearise({"theta": eq.coordinates[0]})
    with pytest.raises(InvalidSystem, match="velocity constraints"):
        da.textbook.knife_edge().equations().linearise()


@pytest.mark.parametrize("name", ["cart_pole", "furuta_pendulum", "double_pendulum"])
def test_linear_equations_are_the_derivatives_of_the_compiled_dynamics(
    name: str, rng: np.random.Generator
) -> None:
    system = getattr(da.textbook, name)()
    eq = system.equations()
    values = {p: float(rng.uniform(0.5, 2)) for p in eq.parameters}
    model = da.compile(system, parameters=values)
    q = rng.uniform(-3, 3, model.nq)
    about = dict(zip(eq.coordinates, q.tolist(), strict=True))
    lin = eq.linearise(about, affine=True)
    M, D, K = (a.evaluate(values) for a in (lin.M, lin.D, lin.K))
    still = np.zeros(model.nv)
    dq, dv, M_model = model.inverse_dynamics_derivatives(q, still, still)
    np.testing.assert_allclose(M, M_model, atol=1e-12)
    np.testing.assert_allclose(K, dq, atol=1e-12)
    np.testing.assert_allclose(D, dv, atol=1e-12)


def test_small_angles_of_the_double_pendulum_to_third_order_against_sympy() -> None:
    system = da.textbook.double_pendulum()
    eq = system.small_motion(order=3).equations()
    exact = system.equations()
    (eps,) = da.parameters("eps")
    small = {s: eps * s for q in exact.coordinates for s in (q, q.dot, q.ddot)}
    e = sympy.Symbol("eps", positive=True)
    for i in range(2):
        full = da.to_sympy(exact.residual[i].subs(small))
        left = da.to_sympy(eq.residual[i].subs(small))
        e = next(s for s in full.free_symbols if s.name == "eps")
        difference = sympy.diff(full - left, e, 3).subs(e, 0)
        assert sympy.simplify(difference) == 0
        assert sympy.simplify((full - left).subs(e, 0)) == 0
        # nothing of higher degree is left
        assert sympy.expand(sympy.diff(left, e, 4)) == 0


def test_latex_has_deltas() -> None:
    (theta,) = da.coordinates("theta")
    system = da.System(
        kinetic=m * theta.dot**2 / 2, potential=-g * da.cos(theta), coordinates=[theta]
    )
    text = system.equations().linearise().latex()
    assert r"m \delta \ddot{\theta} + g \delta \theta &= 0" in text
