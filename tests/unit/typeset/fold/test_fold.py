"""The shorter of the product, square and multi-angle forms is chosen."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.typeset.printer import text as printed

q1, q2, q3 = da.coordinates("q1 q2 q3")
theta, phi, x = da.coordinates("theta phi x")
m, l, a, b = da.parameters("m l a b")
sin, cos = da.sin, da.cos

CASES = [
    (cos(q1) * cos(q2) - sin(q1) * sin(q2), "c₁₂"),
    (cos(q1) * cos(q1 + q2) + sin(q1) * sin(q1 + q2), "c₂"),
    (sin(q1) * sin(q2), "s₁ s₂"),
    (cos(q1) * cos(q2 + q3), "c₁ c₂₃"),
    (cos(q1) * (cos(q2) * cos(q3) - sin(q2) * sin(q3)), "c₁ c₂₃"),
    (sin(q1 + q2) ** 2, "s₁₂²"),
    ((cos(q1) * cos(q2) - sin(q1) * sin(q2)) ** 2, "c₁₂²"),
    (cos(theta - phi), "cos(θ - φ)"),
    (1 - cos(theta) ** 2, "sin²(θ)"),
    (l**2 * (1 - cos(theta) ** 2), "l² sin²(θ)"),
    ((1 - cos(theta) ** 2) ** 2, "sin⁴(θ)"),
    (a * sin(theta) ** 2 + b * cos(theta) ** 2, "a sin²(θ) + b cos²(θ)"),
    (sin(theta) * cos(theta), "sin(θ) cos(θ)"),
    (cos(theta) ** 2 - sin(theta) ** 2, "cos(2 θ)"),
    (cos(theta / 2) ** 2, "cos²(θ/2)"),
    (-a * sin(q1) - b * sin(q1 + q2), "-a s₁ - b s₁₂"),
    (sin(theta) ** 2 + cos(theta) ** 2, "1"),
    (da.tan(theta), "tan(θ)"),
    (m * da.tan(theta) ** 2, "m tan²(θ)"),
    (1 + da.tan(theta) ** 2, "1/cos²(θ)"),
    ((1 - cos(theta) ** 2) / sin(theta), "sin(θ)"),
    (sin(theta) / (1 - cos(theta) ** 2), "1/sin(θ)"),
    (sin(x**2), "sin(x²)"),
    (cos(q1 + da.pi / 2), "-sin(q₁)"),
]


@pytest.mark.parametrize(("e", "text"), CASES, ids=[text for _, text in CASES])
def test_shortest_form(e: da.Expr, text: str) -> None:
    trig = "long" if "(" in text else "auto"
    assert printed(e, trig=trig) == text


def test_product_of_many_angles_stays_a_product() -> None:
    qs = da.coordinates("q1 q2 q3 q4 q5 q6")
    e = da.parameters("k")[0]
    for q in qs:
        e = e * cos(q)
    assert str(e) == "k c₁ c₂ c₃ c₄ c₅ c₆"
