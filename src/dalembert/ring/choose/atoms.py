"""Atoms: generators for the functions that are not polynomial, each with its relation.

A root r of x has rⁿ = x, a sign has σ³ = σ, a modulus a² = x²; exponentials of independent terms
are free; logarithms, inverse functions and tanh have no algebraic relation. So a difference that
reduces to zero is truly zero, while one that does not may still be. A function without a
definition, and each of its derivatives, is free.

Every rule here holds at each point where the function is defined. Arguments are elements of the
ring made so far: what hides a zero or a number is decided before it becomes an atom, and equal
arguments are one, however they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from dalembert.errors import InvalidExpression, OutsideRing
from dalembert.expr import FUNCTIONS, PI, Expr, constant, sign, sqrt
from dalembert.expr.fold import is_nonnegative
from dalembert.expr.graph import outline
from dalembert.expr.node import make
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.choose.arguments import perfect_root, primitive
from dalembert.ring.choose.known import Known
from dalembert.ring.choose.nesting import ARITHMETIC
from dalembert.ring.choose.primes import powers_of_primes
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element, Units
from dalembert.ring.sparse import sparse_terms

ATOMS = ("exp", "log", "tanh", "asin", "acos", "atan2", "abs", "sign", "apply")
ODD = ("tanh", "asin")
TRIGONOMETRIC = ("sin", "cos", "tan")


class Power(NamedTuple):
    """One factor ``base ** exponent``; a fractional power asks for a root of the base as atom."""

    base: Expr
    exponent: Fraction


class Normalised(NamedTuple):
    """A function written as coefficient · Π base ** exponent."""

    coefficient: Fraction
    powers: list[Power]


def is_function(node: Expr) -> bool:
    """Tell whether the node is more than arithmetic."""
    return node.op in TRIGONOMETRIC or is_atomic(node)


def is_atomic(node: Expr) -> bool:
    """Tell whether the node needs an atom."""
    if node.op == "pow":
        return node.value.denominator != 1
    return node.op not in ARITHMETIC and node.op not in TRIGONOMETRIC


def derivative_atoms(node: Expr) -> list[Expr]:
    """Return the functions that the derivative of the node needs beside the node's own."""
    match node.op:
        case "asin" | "acos":
            return [sqrt(1 - node.args[0] ** 2)]
        case "abs":
            return [sign(node.args[0])]
        case _:
            return []


def normalise(node: Expr, args: Sequence[Element], known: Known) -> Normalised:
    """Write a non-polynomial node, given its arguments, as powers of atoms and polynomials."""
    match node.op:
        case "pow":
            return _power(args[0], node.value, known, node.args[0])
        case "exp":
            return _exponential(known.form(args[0]), known)
        case "abs":
            return _modulus(args[0], Fraction(1), known, node.args[0])
        case "sign":
            k, x = primitive(args[0])
            if _is_one(x):
                return Normalised(Fraction((k > 0) - (k < 0)), [])
            ratio, atom = known.scaled("sign", x, _divided(node.args[0], k))
            positive = (k > 0) == (ratio > 0)
            return Normalised(Fraction(1 if positive else -1), [Power(atom, Fraction(1))])
        case "apply":
            return Normalised(Fraction(1), [Power(known.exact(node, args), Fraction(1))])
        case op:
            numbers = [_number(x) for x in args]
            if None not in numbers:
                return _of_numbers(op, [k for k in numbers if k is not None])
            # odd functions: the sign comes out, the modulus stays
            flip = op in ODD and args[0].leading_sign() < 0
            inside = [-x if flip else x for x in args]
            atom = known.exact(node, inside, is_typed=not flip)
            return Normalised(Fraction(-1 if flip else 1), [Power(atom, Fraction(1))])


def _divided(typed: Expr | None, k: Fraction) -> Expr | None:
    """Return what was typed without a number in front."""
    return typed if typed is None or k == 1 else constant(1 / k) * typed


def _number(x: Element) -> Fraction | None:
    """Return the value of a constant, else None."""
    k, rest = primitive(x)
    return k if _is_one(rest) else None


def _is_one(x: Element) -> bool:
    return x.is_polynomial and x.whole.is_one()


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


def _modulus(x: Element, exponent: Fraction, known: Known, typed: Expr | None = None) -> Normalised:
    """Return |x| ** exponent for an exponent that is not negative."""
    k, x = primitive(x)
    coefficient, powers = _power_of_number(abs(k), exponent)
    if _is_one(x):
        return Normalised(coefficient, powers)
    e = rebuild(x)
    if is_nonnegative(e):
        inner = [Power(e, exponent)] if exponent.denominator == 1 else None
        found = Normalised(Fraction(1), inner) if inner else _power(x, exponent, known)
    else:
        ratio, atom = known.scaled("abs", x, _divided(typed, k))
        number = _power_of_number(abs(ratio), exponent)
        found = Normalised(number.coefficient, [*number.powers, Power(atom, exponent)])
    return Normalised(coefficient * found.coefficient, [*powers, *found.powers])


def _exponential(form: LinearForm, known: Known) -> Normalised:
    """Return Π exp(term)ᵏ, with exp(k log x) = xᵏ where the logarithm is defined, for x > 0."""
    coefficient, powers = Fraction(1), []
    for term, k in form.items():
        if term.op == "log":
            part = _power(known.argument(term), k, known)
            coefficient *= part.coefficient
            powers += part.powers
        else:
            powers.append(Power(make("exp", (term,)), k))
    return Normalised(coefficient, powers)


def _power(x: Element, exponent: Fraction, known: Known, typed: Expr | None = None) -> Normalised:
    """Return x ** exponent, which is real where x is positive (or zero)."""
    k, x = primitive(x)
    if _is_one(x):
        return _power_of_number(k, exponent)
    if exponent.denominator == 1:
        coefficient, powers = _power_of_number(k, exponent)
        return Normalised(coefficient, [*powers, Power(rebuild(x), exponent)])
    # (k x)^r = |k|^r (± x)^r: the first factor is positive, so both sides have one domain
    coefficient, powers = _power_of_number(abs(k), exponent)
    if k < 0:
        x = -x
    inner = _power_of_atom(x, exponent, known)
    for d in _prime_divisors(exponent.denominator) if inner is None else ():
        # x = yᵈ ≥ 0: xʳ = |y|^(d r) for even d; y ≥ 0 itself for odd d
        y = perfect_root(x, d)
        if y is not None:
            raised = _modulus if d == 2 else _power
            inner = raised(y, d * exponent, known)
            break
    if inner is None:
        ratio, base = known.scaled("pow", x, _divided(typed, abs(k)))
        inner = _power_of_number(ratio, exponent)
        inner = Normalised(inner.coefficient, [*inner.powers, Power(base, exponent)])
    return Normalised(coefficient * inner.coefficient, [*powers, *inner.powers])


def _power_of_atom(x: Element, exponent: Fraction, known: Known) -> Normalised | None:
    """Return a power of a product of exponentials, or of a root, without nesting them."""
    if not x.is_polynomial or len(x) != 1 or x.whole.leading_coefficient() != 1:
        return None
    ((word, _),) = sparse_terms(x.whole)
    atoms = [(x.ring.generators[i], n) for i, n in word]
    if all(g.op == "exp" for g, _ in atoms):
        # (eᵘ)ʳ = e^(r u)
        form: LinearForm = {}
        for g, n in atoms:
            for term, k in known.form(known.argument(g)).items():
                form[term] = form.get(term, Fraction(0)) + k * n * exponent
        return _exponential(form, known)
    if len(atoms) == 1 and atoms[0][0].op == "pow":
        # (yᵃ)ʳ = yᵃʳ: a fractional power is defined for y ≥ 0 only, and not negative
        ((g, n),) = atoms
        return Normalised(Fraction(1), [Power(g.args[0], g.value * n * exponent)])
    return None


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
    """Return (g, n) with gⁿ = base ** exponent, where g is the shared atom of the base.

    Raises:
        OutsideRing: The ring has no such atom, or base ** exponent is no whole power of it.
    """
    base, exponent = p
    if base.op == "exp":
        unit = units.exponents.get(base.args[0])
    elif exponent.denominator != 1:
        unit = Fraction(1, units.roots[base]) if base in units.roots else None
    else:
        unit = Fraction(1)
    if unit is None or (exponent / unit).denominator != 1:
        raise OutsideRing(
            f"expected a power of the ring's atoms, got ({outline(base)}) to the {exponent}"
        )
    if base.op == "exp":
        g = make("exp", (constant(unit) * base.args[0],))
    else:
        g = base if unit == 1 else make("pow", (base,), unit)
    return g, int(exponent / unit)


def is_atom(g: Expr) -> bool:
    """Tell whether a base stands for itself in a ring: a function, no polynomial."""
    if g.op == "pow":
        return g.value.denominator != 1
    return g is PI or g.op in ATOMS
