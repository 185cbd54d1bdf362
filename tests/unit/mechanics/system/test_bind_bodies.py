"""Bodies stay when parameters get values: where they are, and what they weigh."""

import dalembert as da


def test_bodies_are_bound_with_the_energies() -> None:
    system = da.textbook.double_pendulum()
    bound = system.bind({"l1": 2, "m1": 3})
    first, second = bound.bodies
    theta1, theta2 = bound.coordinates
    (l2,) = da.parameters("l2")
    assert first.mass == 3
    assert da.equal(first.r[0], 2 * da.sin(theta1))
    assert da.equal(second.r[0], 2 * da.sin(theta1) + l2 * da.sin(theta2))
    # the route by bodies gives the same equations as that by energies
    eq = bound.equations()
    assert all(da.equal(e, 0) for e in eq.dalembert_residual() - eq.residual)
