"""Blocks, ropes and springs against equations written out by hand."""

from __future__ import annotations

import dalembert as da
from dalembert import cos, sin
from tests.laws.gallery.exhibits import equations

m, M, m1, m2, m3, I, g, r0, l, k, b = da.parameters("m M m1 m2 m3 I g r l k b")
x, y, r, theta, phi = da.coordinates("x y r theta phi")


def of(title: str) -> da.Equations:
    return equations("ropes", title)


def test_atwood() -> None:
    eq = of("Atwood's machine with a heavy pulley")
    assert da.equal(eq.accelerations(), [(m1 - m2) * g / (m1 + m2 + I / r0**2)])


def test_double_atwood() -> None:
    # Newton: the lower thread pulls with S, the upper one with 2 S, as its pulley has no mass
    eq = of("Double Atwood machine")
    first, inner = eq.accelerations()
    tension = 4 * m1 * m2 * m3 * g / (m1 * (m2 + m3) + 4 * m2 * m3)
    assert da.equal(m1 * first, m1 * g - 2 * tension)
    assert da.equal(m2 * (inner - first), m2 * g - tension)
    assert da.equal(m3 * (-inner - first), m3 * g - tension)


def test_swinging_atwood() -> None:
    # Tufillaro, Abbott and Griffiths 1984
    eq = of("Swinging Atwood machine")
    radial = (M + m) * r.ddot - m * r * theta.dot**2 + M * g - m * g * cos(theta)
    angular = m * r * (r * theta.ddot + 2 * r.dot * theta.dot + g * sin(theta))
    assert da.equal(eq.residual, [radial, angular])


def test_wedge() -> None:
    # normal force n: M Ẍ = -n sin α, block along and across the slope
    X, s = da.coordinates("X s")
    (alpha,) = da.parameters("alpha")
    eq = of("Block on a wedge that slides")
    back, down = eq.accelerations()
    n = -M * back / sin(alpha)
    assert da.equal(down + back * cos(alpha), g * sin(alpha))
    assert da.equal(m * back * sin(alpha), n - m * g * cos(alpha))
    momentum = (M + m) * X.dot + m * cos(alpha) * s.dot
    assert da.equal(eq.residual[0], momentum.dot)


def test_yo_yo() -> None:
    eq = of("Yo-yo")
    (pull,) = eq.multipliers()
    fall, spin = eq.accelerations()
    assert da.equal(fall, g / (1 + I / (m * r0**2)))
    assert da.equal(m * fall, m * g + pull)
    assert da.equal(I * spin, -r0 * pull)


def test_train_of_carts() -> None:
    # tridiagonal stiffness of springs of one strength between fixed walls
    eq = of("Train of three carts on springs")
    q = da.Matrix.column(eq.coordinates)
    stiffness = da.Matrix([[2, -1, 0], [-1, 2, -1], [0, -1, 2]]) * k
    expected = q.map(lambda e: m * e.ddot + b * e.dot) + stiffness @ q
    assert da.equal(eq.residual, expected)


def test_puck() -> None:
    eq = of("Puck on a table with a hanging mass")
    expected = [(M + m) * r.ddot - m * r * phi.dot**2 + M * g, (m * r**2 * phi.dot).dot]
    assert da.equal(eq.residual, expected)


def test_ladder() -> None:
    # energy ⅙ m l² θ̇² + ½ m g l cos θ gives θ̈; forces by Newton at the middle of the ladder
    eq = of("Ladder that slides down a wall")
    turn = 3 * g / (2 * l) * sin(theta)
    assert da.equal(eq.accelerations()[2], turn)
    floor, wall = eq.multipliers()
    across = l / 2 * (cos(theta) * turn - sin(theta) * theta.dot**2)
    up = -l / 2 * (sin(theta) * turn + cos(theta) * theta.dot**2)
    assert da.equal([floor, wall], [m * (g + up), m * across])
