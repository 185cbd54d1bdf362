"""Functions of equal arguments are one function, however the arguments are written."""

from __future__ import annotations

from fractions import Fraction

import pytest

import dalembert as da
from dalembert.ring import canonical, ring_of
from tests.laws.statements import value

x, y, z = da.coordinates("x y z")
a, b, k, l, m = da.parameters("a b k l m")
f, g = da.function("f"), da.function("g")
s, c = da.sin, da.cos

# one argument in two spellings
SPELLINGS = {
    "sum of angles": (s(x + y), s(x) * c(y) + c(x) * s(y)),
    "product of sines": (s(x) * c(y), (s(x + y) + s(x - y)) / 2),
    "law of cosines": (2 - 2 * c(x - y), (c(x) - c(y)) ** 2 + (s(x) - s(y)) ** 2),
    "quotients": (1 / (x * y + 1), (x + y) / (x**2 * y + x * y**2 + x + y)),
    "roots": (1 / (2 + da.sqrt(a)), (2 - da.sqrt(a)) / (4 - a)),
    "functions": (g(s(2 * x)), g(2 * s(x) * c(x))),
    "multiples": (c(x) * c(7.3 * x), (c(8.3 * x) + c(6.3 * x)) / 2),
}
FUNCTIONS = {
    "root": lambda u: da.sqrt(3 + u),
    "cube root": lambda u: (3 + u) ** Fraction(1, 3),
    "modulus": lambda u: da.abs(u - b),
    "sign": lambda u: da.sign(u - b),
    "logarithm": lambda u: da.log(5 + u),
    "exponential": da.exp,
    "tanh": da.tanh,
    "asin": lambda u: da.asin(u / 9),
    "atan2": lambda u: da.atan2(u, 2 + u),
    "undefined": f,
    "derivative": lambda u: f(u, x).diff(x),
    "sine": lambda u: s(x + u),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_equal_arguments_are_one_generator(function: str, spelling: str) -> None:
    u, v = (FUNCTIONS[function](e) for e in SPELLINGS[spelling])
    assert da.equal(u, v)
    ring = ring_of([u, v])
    assert canonical(ring, u) == canonical(ring, v)


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_arguments_are_others(function: str, spelling: str) -> None:
    left, right = SPELLINGS[spelling]
    make = FUNCTIONS[function]
    other = right - 10 if function == "sign" else right * (1 + a / 9)
    assert not da.equal(make(left), make(other))


@pytest.mark.parametrize(
    "phases", [(Fraction(2, 5), Fraction(3, 5)), (Fraction(2, 5), Fraction(1, 10))]
)
def test_unknown_phases_with_a_known_sum(phases: tuple[Fraction, Fraction]) -> None:
    """A product inside a function is a sum of sines, one with a known phase: OutsideRing came."""
    first, second = (da.pi * k for k in phases)
    u = 2 * s(x + first) * c(y + second)
    v = s(x + y + first + second) + s(x - y + first - second)
    assert da.equal(u, v)
    assert da.equal(f(u) * z + f(u) * x, f(u) * (x + z))
    assert not da.equal(f(u), f(u + Fraction(1, 10**9)))


def test_two_spellings_are_printed_as_one() -> None:
    A = da.sqrt(2 + s(x + y))
    B = da.sqrt(2 + s(x) * c(y) + c(x) * s(y))
    assert str(A + B) == "2 √(2 + sin(x + y))"
    assert str(A * B) == "2 + sin(x + y)"
    assert str(A - B) == "0"


def test_the_force_of_two_springs_of_one_length() -> None:
    """Each pulls with k (d - l) ∂d/∂x, d = √(3 - 2 cos(x - y)): 2 k (d - l) sin(x - y)/d."""
    lengths = (
        da.sqrt(3 - 2 * c(x - y)),
        da.sqrt((c(x) - c(y)) ** 2 + (s(x) - s(y)) ** 2 + 1),
    )
    V = sum((k * (d - l) ** 2 / 2 for d in lengths), 0 * k)
    eq = da.System(
        kinetic=m * (x.dot**2 + y.dot**2) / 2, potential=V, coordinates=[x, y]
    ).equations()
    first, _, distance = str(eq).splitlines()
    assert first == "m ẍ + 2 k sin(x - y) (1 - l/r) = 0"
    assert distance == "where r = √(3 - 2 cos(x - y))"
    at = {x: Fraction(3, 10), y: Fraction(-4, 5), k: Fraction(7), l: Fraction(1, 2), m: Fraction(1)}
    d = lengths[0]
    expected = value(2 * k * (d - l) * s(x - y) / d, at)
    assert abs(value(eq.N[0], at) - expected) < 1e-12 * abs(expected)


def test_undefined_functions_of_other_arguments_are_independent() -> None:
    assert ring_of([f(x), f(y), f(f(x)), f(x + y)]).is_complete
    assert not da.equal(f(f(x)), f(f(y)))
    # whether their arguments differ is not known
    u, v = da.log((x**2 + 1) ** 2), 2 * da.log(x**2 + 1)
    with pytest.raises(da.Undecided):
        da.equal(f(u), f(v))


def test_one_constraint_in_two_spellings_counts_once() -> None:
    u, v = SPELLINGS["product of sines"]
    T = (x.dot**2 + y.dot**2 + z.dot**2) / 2
    q = [x, y, z]
    twice = da.System(
        kinetic=T, coordinates=q, constraints=[z - f(u), z - f(v)], keep_redundant=True
    ).equations()
    assert twice.degrees_of_freedom() == 2
    # ż = 0 with nothing added
    form = z.dot + (f(u) - f(v)) * x.dot
    flat = da.System(kinetic=T, coordinates=q, velocity_constraints=[form]).equations()
    assert flat.integrability().is_holonomic


def test_exponentials_and_sines_of_independent_terms_are_independent() -> None:
    assert ring_of([da.exp(x), c(x * y), da.exp(x * y), s(x + s(y))]).is_complete
    assert not ring_of([da.exp(0 * x + 1), da.log(x)]).is_complete
