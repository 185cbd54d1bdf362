"""Long closed chains: the constraints are eliminated by articulated bodies, in linear effort."""

import numpy as np

import dalembert as da


def chain(n, *, is_massless=False):
    """n links in a plane, the last one pinned to the ground."""
    builder = da.Builder(f"chain {n}")
    for i in range(n):
        mass = None if is_massless and i == n - 1 else 1 + i / n
        builder.link(f"l{i}", mass=mass, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
        builder.revolute(f"j{i}", f"l{i}", axis="y", origin=(0, 0, -1 if i else 0))
    return builder.loop("end", (f"l{n - 1}", (0, 0, -1)), ("world", (0.6 * n, 0, 0))).build()


def test_accelerations_and_forces_solve_the_equations(rng):
    """M q̈ + h = τ + Aᵀλ and A q̈ + b = 0, M and h by other recursions."""
    n = 18
    model = da.compile(chain(n))
    q, v, tau = rng.normal(size=(3, n))
    qdd, lam = model.constraint_dynamics(q, v, tau)
    M, h = model.mass_matrix(q), model.bias(q, v)
    A, b = model.constraint_jacobian(q), model.constraint_bias(q, v)
    size = np.abs(M).max() * np.abs(qdd).max()
    np.testing.assert_allclose(M @ qdd + h, tau + A.T @ lam, atol=1e-12 * size)
    np.testing.assert_allclose(A @ qdd, -b, atol=1e-11 * np.abs(b).max())
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), qdd, rtol=1e-10)


def test_the_work_grows_with_the_number_of_links():
    flops = [da.compile(chain(n)).program("forward_dynamics").cost.flops for n in (18, 24, 30)]
    assert flops[2] - flops[1] == flops[1] - flops[0]
    assert flops[2] < 1.8 * flops[0]


def test_a_last_link_without_mass_is_held_by_the_loop(rng):
    """Articulated bodies would divide by its inertia: then the matrix is factorised."""
    n = 18
    model = da.compile(chain(n, is_massless=True))
    q, v, tau = rng.normal(size=(3, n))
    tau[-1] = 0
    qdd, lam = model.constraint_dynamics(q, v, tau)
    residual = model.mass_matrix(q) @ qdd + model.bias(q, v) - tau
    A = model.constraint_jacobian(q)
    np.testing.assert_allclose(residual, A.T @ lam, atol=1e-9 * np.abs(residual).max())
