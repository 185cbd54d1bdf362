"""Atoms: generators for the functions that are not polynomial, each with its relation.

A root r of x has rⁿ = x, a sign has σ³ = σ, a modulus a² = x²; exponentials of independent terms
are free; logarithms, inverse functions and tanh have no algebraic relation. So a difference that
reduces to zero is truly zero, while one that does not may still be. A function without a
definition, and each of its derivatives, is free.

Every rule here holds at each point where the function is defined. Arguments are canonical first:
what hides a zero or a number is decided before it becomes an atom.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from dalembert.errors import InvalidExpression
from dalembert.expr import FUNCTIONS, ONE, PI, Expr, constant, sign, sqrt
from dalembert.expr.fold import is_nonnegative
from dalembert.expr.node import make
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.choose.arguments import canonical_argument, linear_form, perfect_root
from dalembert.ring.choose.primes import powers_of_primes
from dalembert.ring.ring import Units

ATOMS = ("exp", "log", "tanh", "asin", "acos", "atan2", "abs", "sign", "apply")


class Power(NamedTuple):
    """One factor ``base ** exponent``; a fractional power asks for a root of the base as atom."""

    base: Expr
    exponent: Fraction


class Normalised(NamedTuple):
    """A function written as coefficient · Π base ** exponent."""

    coefficient: Fraction
    powers: list[Power]


def derivative_atoms(node: Expr) -> list[Expr]:
    """Return the functions that the derivative of the node needs beside the node's own."""
    match node.op:
        case "asin" | "acos":
            return [sqrt(1 - node.args[0] ** 2)]
        case "abs":
            return [sign(node.args[0])]
        case "pow" if node.value == Fraction(1, 2):
            # √(x²) = |x| has the derivative of a modulus
            root = perfect_root(node.args[0], 2)
            return [] if root is None else [sign(root)]
        case _:
            return []


def normalise(node: Expr) -> Normalised:
    """Write a non-polynomial node as powers of functions with canonical arguments."""
    match node.op:
        case "pow":
            return _power(node.args[0], node.value)
        case "exp":
            return _exponential(linear_form(node.args[0]))
        case "abs":
            k, x = canonical_argument(node.args[0])
            return Normalised(abs(k), [] if x is ONE else [Power(_modulus(x), Fraction(1))])
        case "sign":
            k, x = canonical_argument(node.args[0])
            atoms = [] if x is ONE else [Power(make("sign", (x,)), Fraction(1))]
            return Normalised(Fraction((k > 0) - (k < 0)), atoms)
        case "apply":
            inside = [constant(k) * x for k, x in map(canonical_argument, node.args)]
            atom = make("apply", tuple(inside), node.value)
            return Normalised(Fraction(1), [Power(atom, Fraction(1))])
        case op:
            args = [canonical_argument(arg) for arg in node.args]
            if all(x is ONE for _, x in args):
                return _of_numbers(op, [k for k, _ in args])
            # odd functions: the sign comes out, the modulus stays
            flip = op in ("tanh", "asin") and args[0][0] < 0
            inside = [constant(-k if flip else k) * x for k, x in args]
            atom = make(op, tuple(inside))
            return Normalised(Fraction(-1 if flip else 1), [Power(atom, Fraction(1))])


def _of_numbers(op: str, values: list[Fraction]) -> Normalised:
    """Fold log 1, atan2(0, -1) = π and the like; what has no real value is refused there."""
    e = FUNCTIONS[op].build(*map(constant, values))
    k = Fraction(1)
    if e.op == "neg":
        k, e = -k, e.args[0]
    if e.op == "mul" and e.args[0].op == "const":
        k, e = k * e.args[0].value, e.args[1]
    if e.op == "const":
        return Normalised(k * e.value, [])
    return Normalised(k, [Power(e, Fraction(1))])


def _modulus(x: Expr) -> Expr:
    """Return |x| for a canonical x."""
    return x if is_nonnegative(x) else make("abs", (x,))


def _exponential(form: LinearForm) -> Normalised:
    """Return Π exp(term)ᵏ, with exp(k log x) = xᵏ where the logarithm is defined, for x > 0."""
    coefficient, powers = Fraction(1), []
    for term, k in form.items():
        if term.op == "log":
            part = _power(term.args[0], k)
            coefficient *= part.coefficient
            powers += part.powers
        else:
            powers.append(Power(make("exp", (term,)), k))
    return Normalised(coefficient, powers)


def _power(base: Expr, exponent: Fraction) -> Normalised:
    """Return base ** exponent, which is real where the base is positive (or zero)."""
    k, x = canonical_argument(base)
    if x is ONE:
        return _power_of_number(k, exponent)
    # (k x)^r = |k|^r (± x)^r: the first factor is positive, so both sides have one domain
    coefficient, powers = _power_of_number(abs(k), exponent)
    if k < 0:
        x = -x
    if x.op == "exp":
        # (eᵘ)ʳ = e^(r u)
        inner = _exponential({t: n * exponent for t, n in linear_form(x.args[0]).items()})
        return Normalised(coefficient * inner.coefficient, [*powers, *inner.powers])
    if x.op == "pow" and x.value.denominator != 1:
        # (yᵃ)ʳ = yᵃʳ: a fractional power is defined for y ≥ 0 only, and not negative
        x, exponent = x.args[0], x.value * exponent
    for d in _prime_divisors(exponent.denominator):
        # x = yᵈ ≥ 0: xʳ = |y|^(d r) for even d; y ≥ 0 itself for odd d
        y = perfect_root(x, d)
        if y is not None:
            inner = _power(_modulus(canonical_argument(y)[1]) if d == 2 else y, d * exponent)
            return Normalised(coefficient * inner.coefficient, [*powers, *inner.powers])
    return Normalised(coefficient, [*powers, Power(x, exponent)])


def _prime_divisors(n: int) -> list[int]:
    return [d for d in (2, 3, 5, 7) if n % d == 0]


def _power_of_number(k: Fraction, exponent: Fraction) -> Normalised:
    """Return kʳ as a rational and roots of primes: √(1/2) = ½ √2."""
    if exponent.denominator == 1 and (k or exponent > 0):
        return Normalised(k**exponent.numerator, [])
    if k < 0 or (not k and exponent < 0):
        raise InvalidExpression(
            f"expected a base with a real power, got one equal to {k} under the exponent "
            f"{exponent}: expressions are real; correct the base"
        )
    if k in (0, 1):
        return Normalised(k, [])
    coefficient, powers = Fraction(1), []
    for prime, times in powers_of_primes(k):
        whole, rest = divmod(times * exponent, 1)
        coefficient *= Fraction(prime) ** int(whole)
        if rest:
            powers.append(Power(constant(prime), rest))
    return Normalised(coefficient, powers)


def common_units(powers: Iterable[Power]) -> Units:
    """Return for each base the largest unit of which all its exponents are whole multiples.

    >>> from dalembert.expr import parameters
    >>> (a,) = parameters("a")
    >>> common_units([Power(a, Fraction(1, 4)), Power(a, Fraction(1, 2))]).roots
    {a: 4}
    """
    units = Units({}, {})
    for base, k in powers:
        if base.op == "exp":
            term = base.args[0]
            old = units.exponents.get(term)
            units.exponents[term] = abs(k) if old is None else _rational_gcd(old, abs(k))
        elif k.denominator != 1:
            units.roots[base] = lcm(units.roots.get(base, 1), k.denominator)
    return units


def _rational_gcd(a: Fraction, b: Fraction) -> Fraction:
    bottom = lcm(a.denominator, b.denominator)
    return Fraction(gcd(int(a * bottom), int(b * bottom)), bottom)


def generator_power(p: Power, units: Units) -> tuple[Expr, int]:
    """Return (g, n) with gⁿ = base ** exponent, where g is the shared atom of the base."""
    base, exponent = p
    if base.op == "exp":
        term = base.args[0]
        unit = units.exponents[term]
        g = make("exp", (constant(unit) * term,))
    elif exponent.denominator != 1:
        unit = Fraction(1, units.roots[base])
        g = make("pow", (base,), unit)
    else:
        g, unit = base, Fraction(1)
    n = exponent / unit
    assert n.denominator == 1, "function outside the ring"
    return g, int(n)


def is_atom(g: Expr) -> bool:
    """Tell whether a base stands for itself in a ring: a function, no polynomial."""
    if g.op == "pow":
        return g.value.denominator != 1
    return g is PI or g.op in ATOMS
