"""Atoms: generators for the functions that are not polynomial, each with its relation.

A root r of x has rⁿ = x, a sign has σ³ = σ, a modulus a² = x²; exponentials of independent terms
are free; logarithms, inverse functions and tanh have no algebraic relation. So a difference that
reduces to zero is truly zero, while one that does not may still be.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

import flint

from dalembert.expr import Expr, constant, sign, sqrt
from dalembert.expr.node import make
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.choose.arguments import canonical_argument, linear_form, perfect_root

OPAQUE = ("log", "tanh", "asin", "acos", "atan2")


class AtomicFactor(NamedTuple):
    """One factor ``atom ** exponent`` of a normalised function."""

    atom: Expr
    exponent: int


class Normalised(NamedTuple):
    """A function written as coefficient · Π atom ** exponent."""

    coefficient: Fraction
    factors: list[AtomicFactor]


def derivative_atoms(node: Expr) -> list[Expr]:
    """Return the functions that the derivative of the node needs beside the node's own."""
    match node.op:
        case "asin" | "acos":
            return [sqrt(1 - node.args[0] ** 2)]
        case "abs":
            return [sign(node.args[0])]
        case "pow" if node.value == Fraction(1, 2):
            # √(x²) = |x| has the derivative of a modulus
            root = perfect_root(node.args[0])
            return [] if root is None else [sign(root)]
        case _:
            return []


def normalise(node: Expr, exp_units: dict[Expr, Fraction]) -> Normalised:
    """Write a non-polynomial node over atoms with canonical arguments."""
    match node.op:
        case "pow":
            return _normalise_root(node)
        case "exp":
            form = linear_form(node.args[0])
            return Normalised(Fraction(1), [_exponential(t, k, exp_units) for t, k in form.items()])
        case "abs":
            k, x = canonical_argument(node.args[0])
            return Normalised(abs(k), [AtomicFactor(make("abs", (x,)), 1)])
        case "sign":
            k, x = canonical_argument(node.args[0])
            return Normalised(Fraction(-1 if k < 0 else 1), [AtomicFactor(make("sign", (x,)), 1)])
        case "tanh" | "asin":
            # odd functions: the sign comes out, the modulus stays
            k, x = canonical_argument(node.args[0])
            atom = make(node.op, (constant(abs(k)) * x,))
            return Normalised(Fraction(-1 if k < 0 else 1), [AtomicFactor(atom, 1)])
        case _:
            args = []
            for arg in node.args:
                k, x = canonical_argument(arg)
                args.append(constant(k) * x)
            return Normalised(Fraction(1), [AtomicFactor(make(node.op, tuple(args)), 1)])


def _exponential(term: Expr, k: Fraction, units: dict[Expr, Fraction]) -> AtomicFactor:
    unit = units.get(term, abs(k))
    power = k / unit
    assert power.denominator == 1, "exponential outside the ring"
    return AtomicFactor(make("exp", (constant(unit) * term,)), int(power))


def exponential_units(forms: list[LinearForm]) -> dict[Expr, Fraction]:
    """Return for each term the largest unit of which all its coefficients are whole multiples."""
    units: dict[Expr, Fraction] = {}
    for form in forms:
        for term, k in form.items():
            old = units.get(term)
            units[term] = abs(k) if old is None else _rational_gcd(old, abs(k))
    return units


def _rational_gcd(a: Fraction, b: Fraction) -> Fraction:
    bottom = lcm(a.denominator, b.denominator)
    return Fraction(gcd(int(a * bottom), int(b * bottom)), bottom)


def _normalise_root(node: Expr) -> Normalised:
    n, p = node.value.denominator, node.value.numerator
    k, x = canonical_argument(node.args[0])
    if k < 0:
        k, x = -k, -x
    root = perfect_root(x) if n == 2 else None
    if root is not None:
        inside = canonical_argument(root)[1]
        scale, factors = _normalise_root(make("pow", (constant(k),), node.value))
        return Normalised(scale, [*factors, AtomicFactor(make("abs", (inside,)), p)])
    factors = [] if x.op == "const" else [AtomicFactor(make("pow", (x,), Fraction(1, n)), p)]
    if k == 1:
        return Normalised(Fraction(1), factors)
    if n != 2:
        atom = make("pow", (constant(k),), Fraction(1, n))
        return Normalised(Fraction(1), [*factors, AtomicFactor(atom, p)])
    # √(a/b) = √(ab)/b, and √(ab) splits into the square part and a root of each other prime
    coefficient, whole = Fraction(1, k.denominator), k.numerator * k.denominator
    for prime, times in flint.fmpz(whole).factor():
        coefficient *= Fraction(int(prime)) ** (times // 2)
        if times % 2:
            factors.append(AtomicFactor(make("pow", (constant(int(prime)),), Fraction(1, 2)), p))
    return Normalised(coefficient**p, factors)
