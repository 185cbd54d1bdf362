"""Penn, dynamics of robot arms: the Cartesian 2P arm, the planar 2R arm, the block."""

from __future__ import annotations

from dalembert.expr import Matrix, coordinates, cos, inputs, parameters, sin
from dalembert.mechanics import Body, System
from dalembert.spatial import block_inertia


def cartesian_arm() -> System:
    """Return the arm of two prismatic joints: q₁ lifts both links, q₂ moves the second sideways."""
    q1, q2 = coordinates("q1 q2")
    m1, m2, g = parameters("m1 m2 g")
    tau1, tau2 = inputs("tau1 tau2")
    return System.from_particles(
        [m1, m2],
        [(0, q1), (q2, q1)],
        coordinates=[q1, q2],
        gravity=(0, -g),
        forces=[tau1, tau2],
    )


def planar_arm() -> System:
    """Return the planar 2R arm: lengths a₁ a₂, centres a_c₁ a_c₂, masses m₁ m₂, inertias I₁ I₂."""
    q1, q2 = coordinates("q1 q2")
    m1, m2, a1, a_c1, a_c2, I1, I2, g = parameters("m1 m2 a1 a_c1 a_c2 I1 I2 g")
    tau1, tau2 = inputs("tau1 tau2")
    elbow = (a1 * cos(q1), a1 * sin(q1))
    return System.from_bodies(
        [
            Body(m1, (a_c1 * cos(q1), a_c1 * sin(q1)), I1, q1),
            Body(m2, (elbow[0] + a_c2 * cos(q1 + q2), elbow[1] + a_c2 * sin(q1 + q2)), I2, q1 + q2),
        ],
        coordinates=[q1, q2],
        gravity=(0, -g),
        forces=[tau1, tau2],
    )


def block() -> Matrix:
    """Return the inertia tensor of a block with sides a, b, c about its centre of mass."""
    m, a, b, c = parameters("m a b c")
    return block_inertia(m, (a, b, c))
