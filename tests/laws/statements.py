"""Statements left = right whose truth is known by how they were made, for the audit of `da.equal`.

A true one is an expression beside the same expression in disguise: with hidden zeros added and
hidden ones multiplied. A false one has a fault besides, which is nonzero by construction.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath

import dalembert as da
from dalembert.expr import postorder

X = da.coordinates("x y z")
A = da.parameters("a b")
s, c, pi = da.sin, da.cos, da.pi
F, G = da.function("f"), da.function("g")
Pair = tuple[da.Expr, da.Expr]


class Statement(NamedTuple):
    """left = right, whether that holds wherever both are defined, and how it was made."""

    left: da.Expr
    right: da.Expr
    is_true: bool
    made_by: str


def angle(rng: random.Random) -> da.Expr:
    """Return a sum of multiples of symbols and parts of π."""
    u = sum((Fraction(rng.randint(-3, 3), rng.choice((1, 1, 2, 3))) * v for v in X), 0 * pi)
    if rng.random() < 0.4:
        u = u + Fraction(rng.randint(-5, 5), rng.choice((2, 3, 4, 5, 6, 7, 12))) * pi
    return u if u.symbols else u + rng.choice(X)


def wild_angle(rng: random.Random) -> da.Expr:
    """Return an angle whose parts have no small common one, or with a function inside."""
    u = sum((Fraction(rng.randint(1, 2000), rng.choice((7, 100, 1000))) * v for v in X[:2]), 0 * pi)
    if rng.random() < 0.3:
        u = u + rng.choice((1, 2, Fraction(1, 2))) * rng.choice((s, c))(angle(rng))
    return u


def quotient(rng: random.Random) -> da.Expr:
    """Return a quotient of angles, itself an angle."""
    return angle(rng) / (2 + angle(rng) ** 2)


def polynomial(rng: random.Random) -> da.Expr:
    """Return a sum of some monomials."""
    terms = [
        Fraction(rng.randint(-6, 6) or 1, rng.randint(1, 7))
        * rng.choice([*X, *A]) ** rng.randint(0, 2)
        * rng.choice([*X, *A, c(angle(rng)), 1 + 0 * pi])
        for _ in range(rng.randint(1, 3))
    ]
    u = sum(terms, 0 * pi) + rng.choice([*X, *A])
    # 0 has no logarithm
    return u if u.symbols else u + X[0]


def function(rng: random.Random) -> da.Expr:
    """Return a function of a polynomial, defined on an open set at least."""
    u = polynomial(rng)
    return rng.choice(
        [
            lambda: s(angle(rng)),
            lambda: s(wild_angle(rng)) * c(wild_angle(rng)),
            lambda: c(quotient(rng)),
            lambda: F(u),
            lambda: F(s(angle(rng)) * c(angle(rng))),
            lambda: G(u, c(wild_angle(rng))).diff(rng.choice(X)),
            lambda: c(angle(rng)) ** 2,
            lambda: da.tan(angle(rng)),
            lambda: da.exp(u / 5),
            lambda: da.tanh(u),
            lambda: da.abs(u),
            lambda: da.sign(u),
            lambda: da.sqrt(1 + u**2),
            lambda: da.sqrt(rng.choice(A)),
            lambda: da.log(1 + u**2),
            lambda: da.atan2(u, polynomial(rng)),
            lambda: da.asin(s(angle(rng)) / 2),
            lambda: da.sqrt(rng.randint(2, 30)),
            lambda: u / (1 + polynomial(rng) ** 2),
        ]
    )()


def expression(rng: random.Random) -> da.Expr:
    """Return a sum of products of functions."""
    e = polynomial(rng)
    for _ in range(rng.randint(1, 2)):
        e = e + function(rng) * rng.choice([polynomial, function, angle])(rng)
    return e


def roots_of_unity(rng: random.Random) -> Pair:
    """Σ cos(u + 2πk/n) = 0."""
    n, u = rng.randint(2, 7), angle(rng)
    return sum((c(u + 2 * pi * k / n) for k in range(n)), 0 * u), 0 * u


def nested_root(rng: random.Random) -> Pair:
    """√(a + b + 2 √(a b)) = √a + √b."""
    p, q = rng.sample((2, 3, 5, 6, 7, 10, 11), 2)
    return da.sqrt(p + q + 2 * da.sqrt(p * q)), da.sqrt(p) + da.sqrt(q)


WILD = Fraction(872665, 1000000)

# identities in two expressions u, v: both sides agree wherever both are defined
IDENTITIES: dict[str, Callable[[da.Expr, da.Expr], Pair]] = {
    "square of a sum": lambda u, v: ((u + v) ** 2, u**2 + 2 * u * v + v**2),
    "pythagoras": lambda u, v: (s(u) ** 2, 1 - c(u) ** 2),
    "sine of a sum": lambda u, v: (s(u + v), s(u) * c(v) + c(u) * s(v)),
    "cosine of a difference": lambda u, v: (c(u - v), c(u) * c(v) + s(u) * s(v)),
    "triple angle": lambda u, v: (c(u), 4 * c(u / 3) ** 3 - 3 * c(u / 3)),
    "half angle": lambda u, v: (s(u), 2 * s(u / 2) * c(u / 2)),
    "tangent": lambda u, v: (da.tan(u) * c(u), s(u)),
    "root of a square": lambda u, v: (da.sqrt(u**2), da.abs(u)),
    "root of a half angle": lambda u, v: (da.sqrt((1 + c(u)) / 2), da.abs(c(u / 2))),
    "root squared": lambda u, v: (da.sqrt(u) ** 2, u),
    "root of a root": lambda u, v: (da.sqrt(da.sqrt(1 + u**2)), (1 + u**2) ** Fraction(1, 4)),
    "cube": lambda u, v: ((u**3) ** Fraction(1, 3), u),
    "modulus by sign": lambda u, v: (da.abs(u), u * da.sign(u)),
    "modulus of a product": lambda u, v: (da.abs(u * v), da.abs(u) * da.abs(v)),
    "exponential of a sum": lambda u, v: (da.exp(u / 7 + v / 9), da.exp(u / 7) * da.exp(v / 9)),
    "exponential of a logarithm": lambda u, v: (da.exp(da.log(u)), u),
    "hyperbolic tangent": lambda u, v: (
        da.tanh(u / 3),
        (da.exp(2 * u / 3) - 1) / (da.exp(2 * u / 3) + 1),
    ),
    "sine of an arc": lambda u, v: (s(da.asin(u)), u),
    "arcs": lambda u, v: (da.asin(u) + da.acos(u), pi / 2),
    "sine of atan2": lambda u, v: (s(da.atan2(u, v)), u / da.sqrt(u**2 + v**2)),
    "undefined function": lambda u, v: (F(s(u) * c(v)), F((s(u + v) + s(u - v)) / 2)),
    "undefined function of a square": lambda u, v: (F((u + v) ** 2), F(u**2 + 2 * u * v + v**2)),
    "derivative": lambda u, v: (
        F(s(2 * u)).diff(X[0]),
        F(2 * s(u) * c(u)).diff(X[0]),
    ),
    "two arguments": lambda u, v: (G(c(u) ** 2, v), G(1 - s(u) ** 2, v)),
    "wild angles": lambda u, v: (
        c(u * WILD) * c(v),
        (c(WILD * u + v) + c(WILD * u - v)) / 2,
    ),
    "nested angles": lambda u, v: (s(u + s(2 * v)), s(u) * c(2 * s(v) * c(v)) + c(u) * s(s(2 * v))),
    "quotient of angles": lambda u, v: (
        s(u / (1 + v**2)) ** 2,
        (1 - c(2 * u / (v**2 + 1))) / 2,
    ),
    "difference of squares": lambda u, v: ((u**2 - v**2) / (u - v), u + v),
}
CONSTANTS = {"roots of unity": roots_of_unity, "nested root": nested_root}

# differences that are nonzero on an open set, though they look like identities
FAULTS: dict[str, Callable[[da.Expr, da.Expr], Pair]] = {
    "branch of a root": lambda u, v: (da.sqrt(u**2), u),
    "branch of an arc": lambda u, v: (da.asin(s(7 * u)), 7 * u),
    "branch of half an angle": lambda u, v: (da.sqrt((1 + c(3 * u)) / 2), c(3 * u / 2)),
    "modulus of a sum": lambda u, v: (da.abs(u) + da.abs(v) + 1, da.abs(u + v)),
    "sign of one side": lambda u, v: (u * da.sign(u), u),
    "undefined function": lambda u, v: (F(s(u) * c(v)), F(s(u + v) + s(u - v))),
    "even function": lambda u, v: (F(u), F(-u)),
    "wild angles": lambda u, v: (c(WILD * u), c(Fraction(872664, 1000000) * u)),
    "nested angles": lambda u, v: (s(u + s(v)), s(u) * c(s(v)) - c(u) * s(s(v))),
    "power of a sum": lambda u, v: (da.sqrt(1 + u**2), 1 + da.abs(u)),
}


def sizes(rng: random.Random) -> da.Expr:
    """Return a small function that is zero nowhere."""
    tiny = Fraction(rng.choice((1, -3, 7)), 10 ** rng.choice((1, 6, 15, 40, 100, 200)))
    u = polynomial(rng)
    return tiny * rng.choice([1 + u**2, 2 + s(angle(rng)), da.exp(u / 9), 1 + da.abs(u)])


def vanishing(rng: random.Random) -> da.Expr:
    """Return a function that is zero at many small rationals."""
    x = rng.choice(X)
    lattice = rng.choice([s(pi * 27720 * x), s(pi * 360360 * x) ** 2])
    roots = (7 * x - rng.randint(-40, 40)) * (13 * x - rng.randint(-40, 40)) * x
    return rng.choice([lattice, roots]) * (2 + c(angle(rng)))


def near_constant(rng: random.Random) -> da.Expr:
    """Return the difference of an irrational number and a rational close to it."""
    e = rng.choice([da.sqrt(rng.choice((2, 3, 5, 7))), c(pi / rng.choice((5, 7, 9))), pi])
    digits = rng.choice((4, 12, 30, 60))
    with mpmath.workdps(digits + 20):
        near = Fraction(int(mpmath.nint(value(e, {}) * 10**digits)), 10**digits)
    return e - near


def disguised(e: da.Expr, rng: random.Random) -> tuple[da.Expr, str]:
    """Return the same function, written otherwise."""
    if rng.random() < 0.15:
        name = rng.choice(list(CONSTANTS))
        left, right = CONSTANTS[name](rng)
    else:
        name = rng.choice(list(IDENTITIES))
        u, v = rng.choice([polynomial, angle])(rng), rng.choice([polynomial, angle])(rng)
        left, right = IDENTITIES[name](u, v)
    if rng.random() < 0.5:
        left, right = right, left
    factor = rng.choice([polynomial, function])(rng)
    return e + factor * (left - right), name


def fault(rng: random.Random) -> tuple[da.Expr, str]:
    """Return a function that is not zero."""
    kind = rng.choice(["tiny", "vanishing", "constant", "branch"])
    if kind == "tiny":
        return sizes(rng), kind
    if kind == "vanishing":
        return vanishing(rng), kind
    if kind == "constant":
        return near_constant(rng) * (1 + polynomial(rng) ** 2), kind
    name = rng.choice(list(FAULTS))
    left, right = FAULTS[name](rng.choice(X), rng.choice(X))
    return left - right, name


def statement(rng: random.Random) -> Statement:
    """Return a random statement; half of them are true."""
    e = expression(rng)
    other, name = disguised(e, rng)
    if rng.random() < 0.5:
        return Statement(e, other, True, name)
    wrong, kind = fault(rng)
    return Statement(e, other + wrong, False, f"{name}, {kind}")


Values = Mapping[da.Expr, Fraction]
Real = Any  # mpmath has no types
_MPMATH = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "abs": abs,
    "sign": mpmath.sign,
    **{f: getattr(mpmath, f) for f in ("sin", "cos", "tan", "asin", "acos", "atan2")},
    **{f: getattr(mpmath, f) for f in ("exp", "log", "tanh")},
}


def any_function(f: Any, args: list[Real]) -> Real:
    """Return the value of f, or of a derivative: a wave in each argument, with no symmetry."""
    result = mpmath.mpf(1)
    for place, (u, order) in enumerate(zip(args, f.orders, strict=True)):
        # 2 + sin(u/3 + place) + e^(u/40) and its derivatives
        phase = u / 3 + place + 1 + order * mpmath.pi / 2
        wave = mpmath.sin(phase) / mpmath.mpf(3) ** order
        result = result * (2 * (order == 0) + wave + mpmath.exp(u / 40) / mpmath.mpf(40) ** order)
    return result


def value(e: da.Expr, point: Values) -> Real:
    """Return the value with mpmath at its working precision; ValueError where there is none."""
    done: dict[da.Expr, Real] = {}
    for node in postorder([e]):
        args = [done[arg] for arg in node.args]
        if node.op in ("const", "symbol"):
            k = node.value if node.op == "const" else point[node]
            result = mpmath.mpf(k.numerator) / k.denominator
        elif node.op == "pi":
            result = +mpmath.pi
        elif node.op == "apply":
            result = any_function(node.value, args)
        elif node.op == "pow":
            r = node.value
            if r.denominator == 1:
                result = args[0] ** int(r)
            else:
                result = args[0] ** (mpmath.mpf(r.numerator) / r.denominator)
        else:
            result = _MPMATH[node.op](*args)
        if isinstance(result, mpmath.mpc) or not mpmath.isfinite(result):
            raise ValueError(f"{node.op} is not defined there")
        done[node] = result
    return done[e]


def gap(statement: Statement, point: Values, digits: int) -> Real | None:
    """Return |left - right| at a point relative to the sides, None where one is not defined."""
    with mpmath.workdps(digits):
        try:
            left, right = value(statement.left, point), value(statement.right, point)
        except (ValueError, ZeroDivisionError):
            return None
        return abs(left - right) / (1 + abs(left) + abs(right))
