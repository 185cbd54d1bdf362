"""CMU 24-760, homework 6: the RP arm in generalized and in maximal coordinates."""

from __future__ import annotations

from dalembert.expr import Expr, coordinates, cos, inputs, parameters, sin
from dalembert.mechanics import Body, Load, System


def rp_arm() -> System:
    """Return the arm of one revolute and one prismatic joint, two rods of mass m and length l.

    Generalized coordinates q₁ (angle) and q₂ (extension), problem 1.
    """
    q1, q2 = coordinates("q1 q2")
    m, l, g = parameters("m l g")
    tau1, F2 = inputs("tau1 F2")
    rod = m * l**2 / 12
    reach = l / 2 + q2
    return System.from_bodies(
        [
            Body(m, (l / 2 * cos(q1), l / 2 * sin(q1)), rod, q1),
            Body(m, (reach * cos(q1), reach * sin(q1)), rod, q1),
        ],
        coordinates=[q1, q2],
        gravity=(0, -g),
        forces=[tau1, F2],
    )


def rp_arm_maximal() -> System:
    """Return the same arm in maximal coordinates (x, y, φ of each rod) with four constraints.

    Problem 2. The joint force F acts on both rods along link 1, the torque τ on rod 1.
    """
    x1, y1, phi1, x2, y2, phi2 = coordinates("x1 y1 phi1 x2 y2 phi2")
    m, l, g = parameters("m l g")
    tau1, F2 = inputs("tau1 F2")
    rod = m * l**2 / 12
    along = (F2 * cos(phi1), F2 * sin(phi1))
    return System.from_bodies(
        [Body(m, (x1, y1), rod, phi1), Body(m, (x2, y2), rod, phi2)],
        coordinates=[x1, y1, phi1, x2, y2, phi2],
        gravity=(0, -g),
        forces=[
            Load(torque=tau1, orientation=phi1),
            Load(force=(-along[0], -along[1]), point=(x1, y1)),
            Load(force=along, point=(x2, y2)),
        ],
        constraints=[
            x1 - l * cos(phi1) / 2,
            y1 - l * sin(phi1) / 2,
            y2 * cos(phi2) - x2 * sin(phi2),
            phi2 - phi1,
        ],
    )


def rp_arm_positions() -> dict[Expr, Expr]:
    """Return h of problem 2.7: the maximal coordinates as functions of q₁ and q₂."""
    x1, y1, phi1, x2, y2, phi2 = coordinates("x1 y1 phi1 x2 y2 phi2")
    q1, q2 = coordinates("q1 q2")
    (l,) = parameters("l")
    return {
        x1: l / 2 * cos(q1),
        y1: l / 2 * sin(q1),
        phi1: q1,
        x2: (l / 2 + q2) * cos(q1),
        y2: (l / 2 + q2) * sin(q1),
        phi2: q1,
    }
