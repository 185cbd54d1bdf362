"""Equations read as in the textbooks: collected, factored, in a stable order."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import dalembert as da
from dalembert.ring import canonical, ring_of
from dalembert.typeset.arrange.fractions import element_tree
from dalembert.typeset.render.text import TextRenderer

q1, q2 = da.coordinates("q1 q2")
x, theta, phi, x1, x2 = da.coordinates("x theta phi x1 x2")
m, l, g, k, b = da.parameters("m l g k b")
tau1, tau2, F = da.inputs("tau1 tau2 F")
sin, cos = da.sin, da.cos


def euler_lagrange(T: da.Expr, V: da.Expr, qs: list[da.Expr], forces: list) -> list[da.Expr]:
    L = T - V
    pairs = zip(qs, forces, strict=True)
    return [da.ddt(L.diff(q.dot)) - L.diff(q) - f for q, f in pairs]


def mass_matrix(T: da.Expr, qs: list[da.Expr]) -> da.Matrix:
    return da.Matrix([[T.diff(a.dot).diff(c.dot) for c in qs] for a in qs])


def rp_arm() -> tuple[da.Expr, da.Expr]:
    inertia = m * l**2 / 12
    T = m * (l / 2 * q1.dot) ** 2 / 2 + inertia * q1.dot**2
    T = T + m * (((l / 2 + q2) * q1.dot) ** 2 + q2.dot**2) / 2
    return T, m * g * l / 2 * sin(q1) + m * g * (l / 2 + q2) * sin(q1)


def two_link_arm() -> tuple[da.Expr, da.Expr]:
    m1, m2, a1, ac1, ac2, I1, I2 = da.parameters("m1 m2 a1 a_c1 a_c2 I1 I2")
    y1, y2 = ac1 * sin(q1), a1 * sin(q1) + ac2 * sin(q1 + q2)
    z1, z2 = ac1 * cos(q1), a1 * cos(q1) + ac2 * cos(q1 + q2)
    T = m1 * (y1.dot**2 + z1.dot**2) / 2 + m2 * (y2.dot**2 + z2.dot**2) / 2
    T = T + I1 * q1.dot**2 / 2 + I2 * (q1.dot + q2.dot) ** 2 / 2
    return T, m1 * g * y1 + m2 * g * y2


def test_rp_arm_reads_as_cmu_prints_it() -> None:
    T, V = rp_arm()
    assert str(T) == "m (((l/2 + q₂)² + 5 l²/12) q̇₁² + q̇₂²)/2"
    assert str(V) == "m g (l + q₂) s₁"
    assert str(mass_matrix(T, [q1, q2])[0, 0]) == "m ((l/2 + q₂)² + 5 l²/12)"
    assert [str(V.diff(q)) for q in (q1, q2)] == ["m g (l + q₂) c₁", "m g s₁"]
    first, second = euler_lagrange(T, V, [q1, q2], [tau1, tau2])
    assert str(first) == (
        "m ((l/2 + q₂)² + 5 l²/12) q̈₁ + 2 m (l/2 + q₂) q̇₁ q̇₂ + m g (l + q₂) c₁ - τ₁"
    )
    assert str(second) == "m q̈₂ - m (l/2 + q₂) q̇₁² + m g s₁ - τ₂"


def test_rp_arm_coriolis_matrix() -> None:
    h = m * (l + 2 * q2) / 2
    C = da.Matrix([[h * q2.dot, h * q1.dot], [-h * q1.dot, 0]])
    assert str(C).splitlines() == [
        "⎡ m (l/2 + q₂) q̇₂  m (l/2 + q₂) q̇₁⎤",
        "⎣-m (l/2 + q₂) q̇₁                0⎦",
    ]


def test_two_link_arm_reads_as_penn_prints_it() -> None:
    T, V = two_link_arm()
    M = mass_matrix(T, [q1, q2])
    assert str(M[0, 0]) == "m₁ a_c₁² + m₂ (a₁² + a_c₂² + 2 a₁ a_c₂ c₂) + I₁ + I₂"
    assert str(M[0, 1]) == "m₂ (a_c₂² + a₁ a_c₂ c₂) + I₂"
    assert str(M[1, 1]) == "m₂ a_c₂² + I₂"
    assert str(V.diff(q1)) == "(m₁ a_c₁ + m₂ a₁) g c₁ + m₂ a_c₂ g c₁₂"
    m2, a1, ac2 = da.parameters("m2 a1 a_c2")
    coriolis = -m2 * a1 * ac2 * sin(q2) * (q1.dot + q2.dot)
    assert str(coriolis) == "-m₂ a₁ a_c₂ s₂ (q̇₁ + q̇₂)"
    second = euler_lagrange(T, V, [q1, q2], [tau1, tau2])[1]
    assert str(second) == (
        "(m₂ (a_c₂² + a₁ a_c₂ c₂) + I₂) q̈₁ + (m₂ a_c₂² + I₂) q̈₂ + m₂ a₁ a_c₂ s₂ q̇₁²"
        " + m₂ a_c₂ g c₁₂ - τ₂"
    )


def test_cart_pole() -> None:
    M = da.parameters("M")[0]
    T = M * x.dot**2 / 2 + m * ((x.dot + l * cos(theta) * theta.dot) ** 2) / 2
    T = T + m * (l * sin(theta) * theta.dot) ** 2 / 2
    first, second = euler_lagrange(T, m * g * l * cos(theta), [x, theta], [F, 0])
    assert str(first) == "(M + m) ẍ + m l cos(θ) θ̈ - m l sin(θ) θ̇² - F"
    assert str(second) == "m l cos(θ) ẍ + m l² θ̈ - m g l sin(θ)"
    A = mass_matrix(T, [x, theta])
    det = A[0, 0] * A[1, 1] - A[0, 1] ** 2
    assert str(det) == "m l² (M + m sin²(θ))"
    force = F + m * l * sin(theta) * theta.dot**2
    acceleration = (A[1, 1] * force - A[0, 1] * m * g * l * sin(theta)) / det
    assert str(acceleration) == ("(m l sin(θ) θ̇² - m g sin(θ) cos(θ) + F)/(M + m sin²(θ))")


def test_spherical_pendulum() -> None:
    T = m * l**2 * (theta.dot**2 + sin(theta) ** 2 * phi.dot**2) / 2
    first, second = euler_lagrange(T, -m * g * l * cos(theta), [theta, phi], [0, 0])
    assert str(T) == "m l² (θ̇² + sin²(θ) φ̇²)/2"
    assert str(first) == "m l² θ̈ - m l² sin(θ) cos(θ) φ̇² + m g l sin(θ)"
    assert str(second) == "m l² sin²(θ) φ̈ + 2 m l² sin(θ) cos(θ) θ̇ φ̇"


def test_double_pendulum_with_absolute_angles() -> None:
    t1, t2 = da.coordinates("theta1 theta2")
    m1, m2, l1, l2 = da.parameters("m1 m2 l1 l2")
    X1, Y1 = l1 * sin(t1), -l1 * cos(t1)
    X2, Y2 = X1 + l2 * sin(t2), Y1 - l2 * cos(t2)
    T = m1 * (X1.dot**2 + Y1.dot**2) / 2 + m2 * (X2.dot**2 + Y2.dot**2) / 2
    first = euler_lagrange(T, m1 * g * Y1 + m2 * g * Y2, [t1, t2], [0, 0])[0]
    assert str(first) == (
        "(m₁ + m₂) l₁² θ̈₁ + m₂ l₁ l₂ cos(θ₁ - θ₂) θ̈₂ + m₂ l₁ l₂ sin(θ₁ - θ₂) θ̇₂²"
        " + (m₁ + m₂) g l₁ sin(θ₁)"
    )


CASES = [
    (k * (x - l) ** 2 / 2, "k (x - l)²/2"),
    (k * (x1 - x2), "k (x₁ - x₂)"),
    (m * g * l * (1 - cos(theta)), "m g l (1 - cos(θ))"),
    (F / m - g * sin(theta), "F/m - g sin(θ)"),
    (g / l + k / m, "g/l + k/m"),
    (1 / (x + l / 2), "1/(l/2 + x)"),
    (l / 2 + x, "l/2 + x"),
    (x + 1, "x + 1"),
    (x**2 - l**2, "x² - l²"),
    ((x + 2 * l) ** 2 * (q1.dot + q2.dot) ** 2, "(2 l + x)² (q̇₁ + q̇₂)²"),
    (x - x, "0"),
    # kept as typed: a square, a product, a constraint
    (m * (x.dot + l * theta.dot) ** 2 / 2, "m (l θ̇ + ẋ)²/2"),
    (b * (k + b), "b (b + k)"),
    (b * (k + b) * sin(x), "b (b + k) sin(x)"),
    (x1**2 + x2**2 - l**2, "x₁² + x₂² - l²"),
    (k * (da.sqrt(x1**2 + x2**2) - l) ** 2 / 2, "k (√(x₁² + x₂²) - l)²/2"),
    (sin(da.log(x) / (3 * k) + 9 * da.log(k)), "sin(log(x)/(3 k) + 9 log(k))"),
    # not kept: what multiplies out to less
    ((x + 1) ** 2 - 1, "x² + 2 x"),
    ((k + b) * (k - b), "k² - b²"),
    (x / (x + l) + l / (x + l), "1"),
    (m * x.dot**2 / 2 + m * theta.dot**2 / 2, "m (ẋ² + θ̇²)/2"),
]


@pytest.mark.parametrize(("e", "text"), CASES, ids=[text for _, text in CASES])
def test_small_expressions(e: da.Expr, text: str) -> None:
    assert str(e) == text


def test_multipliers_come_last() -> None:
    lam1, lam2 = da.multipliers("lambda1 lambda2")
    e = l / 2 * cos(phi) * lam2 - sin(phi) * lam1 - F * cos(phi) + m * x1.ddot + m * g
    assert str(e) == "m ẍ₁ + m g - F cos(φ) - sin(φ) λ₁ + l cos(φ) λ₂/2"


def test_spatial_arm_finds_squares_of_lever_arms() -> None:
    r, s, d, z = da.parameters("r s d z")
    e = m * ((d + z) ** 2 + (r * cos(q2) - s * sin(q2)) ** 2)
    assert str(e) == "m ((d + z)² + (r cos(q₂) - s sin(q₂))²)"


def test_ring_elements_print_without_expressions() -> None:
    e = m * (cos(q1) * cos(q2) - sin(q1) * sin(q2)) / l
    tree = element_tree(canonical(ring_of([e]), e))
    assert TextRenderer(short=True).render(tree) == "m c₁₂/l"


PROGRAM = """
import dalembert as da
names = {names!r}
for name in names:
    da.coordinates(name)
    da.parameters("p_" + name)
q = [da.coordinates(n)[0] for n in ("q1", "q2", "q3")]
p = [da.parameters("p_" + n)[0] for n in ("q1", "q2", "q3")]
s = da.sin(q[2] + q[0]) * p[1] + p[0] * da.cos(q[0] + q[1]) * q[2].dot
print((s * s + p[2] * q[0].ddot * q[1]) / (p[2] + q[1] ** 2))
"""


def test_order_depends_on_neither_creation_nor_hash_seed() -> None:
    outputs = set()
    for seed, names in enumerate((["q1", "q2", "q3"], ["q3", "q1", "q2"], ["q2", "q3", "q1"])):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONIOENCODING": "utf-8"}
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(names=names)],
            env=environment,
            capture_output=True,
            check=True,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_squares_with_a_minus_sign() -> None:
    y1, y2 = da.coordinates("y1 y2")
    e = -m * ((x1.dot - x2.dot) ** 2 + (y1.dot - y2.dot) ** 2) - k * x1
    assert str(e) == "-m ((ẋ₁ - ẋ₂)² + (ẏ₁ - ẏ₂)²) - k x₁"


def test_terms_that_share_different_coordinates_with_a_fraction() -> None:
    """sin θ stands in one term, cos θ in another, and both above θ̇²: no factor is in all three."""
    (q,) = da.coordinates("theta")
    a, b, c = da.parameters("a b c")
    e = da.sin(q) * a + da.cos(q) * b + da.sin(q) * da.cos(q) * c / q.dot**2
    assert str(e) == "c sin(θ) cos(θ)/θ̇² + a sin(θ) + b cos(θ)"
