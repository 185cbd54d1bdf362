"""The polynomials of the checker: their relations, derivatives, signs and texts, by hand."""

from __future__ import annotations

import ast
import math
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from dalembert.certificates import check
from dalembert.certificates.check import ONE, Derivative, Poly, Refused, Ring, State, total

SOURCE = Path(check.__file__).read_text(encoding="utf-8")


@pytest.fixture
def ring() -> Ring:
    check.Meter.work = check.MAX_WORK
    return Ring(["x", "y", "p"], ["p"])


def number(x: float | Fraction) -> Poly:
    return ONE.times(x)


def is_zero(ring: Ring, p: Poly) -> bool:
    return ring.is_zero(p)


def test_sums_and_products(ring: Ring) -> None:
    x, y = ring.symbol("x"), ring.symbol("y")
    third = number(Fraction(1, 3))
    assert is_zero(ring, (x + y) * (x - y) - x * x + y * y)
    assert is_zero(ring, x * third + x * third + x * third - x)
    assert not is_zero(ring, (x + y) ** 2 - x * x - y * y)
    assert ring.text((x - y) * (x + y) * third) == "1/3 x^2 - 1/3 y^2"


def test_addition_theorems(ring: Ring) -> None:
    x, y = ring.symbol("x"), ring.symbol("y")
    c1, s1 = ring.once("angle", x)
    c2, s2 = ring.once("angle", y)
    assert is_zero(ring, c1 * c1 + s1 * s1 - ONE)
    # cos(x + 2y) in steps, beside the theorem
    together = check.sine(ring, "cos", x + y.times(2), [(x, 1), (y, 2)])
    double = c2 * c2 - s2 * s2, (s2 * c2).times(2)
    assert is_zero(ring, together - c1 * double[0] + s1 * double[1])
    with pytest.raises(Refused, match="not the sum"):
        check.sine(ring, "sin", x, [(x, 2)])


def test_angles_of_sixths_and_quarters_of_pi(ring: Ring) -> None:
    pi = ring.symbol("pi")
    for n in range(-24, 25):
        for unit in (6, 4):
            part = pi.times(Fraction(1, unit))
            for op, f in (("cos", math.cos), ("sin", math.sin)):
                value = check.sine(ring, op, part.times(n), [(part, n)] if n else [])
                low, high = State(ring, {}).of(value)
                assert low <= high
                assert abs(float(low) - f(n * math.pi / unit)) < 1e-14


def test_roots_and_quotients(ring: Ring) -> None:
    x, y = ring.symbol("x"), ring.symbol("y")
    p = x * x + y * y
    r = ring.once("root", p)
    i = ring.once("inverse", x - y)
    assert is_zero(ring, r * r * r * r - p * p)
    assert is_zero(ring, i * (x * x - y * y) - x - y)
    # 1/(x - y)² - 1/(x² - 2xy + y²), of two inverses
    other = ring.once("inverse", x * x - (x * y).times(2) + y * y)
    assert is_zero(ring, i * i - other)
    assert not is_zero(ring, i - other)
    assert check.conditions(ring, 0, 99).split(", ")[:2] == ["x^2 + y^2 ≠ 0", "x^2 + y^2 > 0"]
    with pytest.raises(Refused, match="division by zero"):
        ring.once("inverse", r * r - p)


def test_derivatives(ring: Ring) -> None:
    x, y = ring.symbol("x"), ring.symbol("y")
    d = Derivative(ring, {"x": ONE})
    c, s = ring.once("angle", x * y)
    r, i = ring.once("root", x + y), ring.once("inverse", x)
    h = ring.once("tanh", x)
    assert is_zero(ring, d(s) - y * c)
    assert is_zero(ring, d(c * c) + (y * s * c).times(2))
    # √' = 1/(2√), (1/x)' = -1/x²
    assert is_zero(ring, (d(r) * r).times(2) - ONE)
    assert is_zero(ring, d(i) * x * x + ONE)
    assert is_zero(ring, d(h) - ONE + h * h)
    assert is_zero(ring, d(ring.once("sign", y)))
    with pytest.raises(Refused, match="kink"):
        d(ring.once("abs", x))
    with pytest.raises(Refused, match="not known"):
        Derivative(ring, {"x": ONE}, ["y"])(c)


def test_signs(ring: Ring) -> None:
    x, p = ring.symbol("x"), ring.symbol("p")
    assert ring.sign(p * p + x * x) == 2
    assert ring.sign(x * x) == 1
    assert ring.sign(p - x) == ring.sign(-p) == ring.sign(p * x) == 0
    assert ring.sign(ring.once("root", x)) == 2
    assert ring.sign(ring.once("inverse", p * p)) == 2
    assert ring.sign(ring.once("inverse", x)) == 0
    assert ring.sign(ring.symbol("pi")) == 2


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (Fraction(1, 8), "1/8"),
        (Fraction(2, 3), "2/3"),
        (Fraction(12, 125), "0.096"),
        (Fraction(5), "5"),
        (Fraction(1, 10**30), "0." + "0" * 29 + "1"),
        (Fraction(1, 10**31), f"1/{10**31}"),
        (Fraction(123456, 10**3), "123.456"),
    ],
)
def test_numbers_as_a_person_writes_them(x: Fraction, text: str) -> None:
    assert check.decimal(x) == text


@pytest.mark.parametrize("x", ["0", "1/3", "-5/7", "399/100", "-399/100", "1/1000000000"])
def test_intervals_of_hyperbolic_tangents_and_moduli(ring: Ring, x: str) -> None:
    state, exact = State(ring, {"x": x}), float(Fraction(x))
    for op, f in (("tanh", math.tanh), ("abs", abs)):
        low, high = state.of(ring.once(op, ring.symbol("x")))
        assert 0 <= high - low < Fraction(1, 10**20)
        assert math.isclose(float(low), f(exact), rel_tol=1e-14, abs_tol=1e-20)
    # a modulus of what may have either sign
    low, high = State(ring, {"x": x}).of(ring.once("abs", ring.once("tanh", ring.symbol("x"))))
    assert 0 <= low <= high


def test_a_hyperbolic_tangent_has_no_interval_far_out(ring: Ring) -> None:
    with pytest.raises(Refused, match="may have no value"):
        State(ring, {"x": "5"}).of(ring.once("tanh", ring.symbol("x")))


def test_intervals_contain_what_they_enclose(ring: Ring) -> None:
    x, y = ring.symbol("x"), ring.symbol("y")
    c, s = ring.once("angle", x)
    r, i = ring.once("root", y), ring.once("inverse", x + y)
    found = State(ring, {"x": "-7/3", "y": "19/7", "p": "1"})
    a, b = -7 / 3, 19 / 7
    for p, value in (
        (c, math.cos(a)), (s, math.sin(a)), (r, math.sqrt(b)), (i, 1 / (a + b)),
        (c * s * r * i, math.cos(a) * math.sin(a) * math.sqrt(b) / (a + b)),
    ):  # fmt: skip
        low, high = found.of(p)
        assert high - low < Fraction(1, 10**15)
        assert abs(float(low) - value) < 1e-13
    with pytest.raises(Refused, match="no value"):
        State(ring, {"x": "1", "y": "-1"}).of(r)


def test_long_names_are_digests_with_definitions(ring: Ring) -> None:
    x, y = ring.symbol("x"), ring.symbol("y")
    ring.once("inverse", (x + y) ** 9)
    (line,) = check.definitions(ring, 0, len(ring.names))
    assert line.startswith("1/(#")
    assert line.endswith("is inverse of " + ring.text((x + y) ** 9))


def test_polynomials_give_back_their_memory(ring: Ring) -> None:
    before = check.Meter.cells
    p = total([ring.symbol("x"), ring.symbol("y"), ONE]) ** 12
    assert check.Meter.cells < before - 50
    del p
    assert check.Meter.cells == before


# ---- the file


def test_it_imports_the_standard_library_alone() -> None:
    tree = ast.parse(SOURCE)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            found.add(str(node.module).split(".")[0])
    assert found <= sys.stdlib_module_names
    assert "dalembert" not in found


def test_it_has_no_floats_and_draws_nothing() -> None:
    tree = ast.parse(SOURCE)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            assert not isinstance(node.value, float), node.lineno
        if isinstance(node, ast.Name):
            assert node.id not in ("float", "random", "eval", "exec", "compile"), node.lineno
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            # quotients of fractions alone, where intervals are made
            names = {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}
            assert names <= {"low", "high", "term", "exp", "x", "n"}, node.lineno


def test_its_syntax_is_that_of_python_3_9() -> None:
    ast.parse(SOURCE, feature_version=(3, 9))
    assert "strict=" not in SOURCE
    assert "match " not in "\n".join(x.strip() for x in SOURCE.splitlines() if x.endswith(":"))


def test_every_claim_says_what_it_is() -> None:
    for name in check.CLAIMS:
        assert getattr(check.Certificate, name).__doc__
    for name in check.CODE:
        assert callable(getattr(check.Certificate, "_" + name))
