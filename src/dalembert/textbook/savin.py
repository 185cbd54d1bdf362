"""Savin, contact-aware control, lecture 4: the three-link mechanism with a pinned end."""

from __future__ import annotations

from dalembert.expr import coordinates, cos, inputs, parameters, sin
from dalembert.mechanics import Body, System


def pinned_three_link() -> System:
    """Return three uniform rods in a chain whose end is pinned at (x_e, y_e) (homework).

    Three coordinates, the relative angles q₁ q₂ q₃, and two constraints.
    """
    q1, q2, q3 = coordinates("q1 q2 q3")
    m1, m2, m3, l1, l2, l3, g, x_e, y_e = parameters("m1 m2 m3 l1 l2 l3 g x_e y_e")
    tau1, tau2, tau3 = inputs("tau1 tau2 tau3")
    bodies = []
    x = y = angle = q1 - q1
    for q, m, l in zip((q1, q2, q3), (m1, m2, m3), (l1, l2, l3), strict=True):
        angle = angle + q
        middle = (x + l / 2 * cos(angle), y + l / 2 * sin(angle))
        bodies.append(Body(m, middle, m * l**2 / 12, angle))
        x, y = x + l * cos(angle), y + l * sin(angle)
    return System.from_bodies(
        bodies,
        coordinates=[q1, q2, q3],
        gravity=(0, -g),
        forces=[tau1, tau2, tau3],
        constraints=[x - x_e, y - y_e],
    )
