"""What stands inside functions: linear forms, contents, roots of canonical arguments.

A function is a generator of a ring only once its argument is an element of the ring made so far.
"""

from __future__ import annotations

from fractions import Fraction

import flint
from flint.utils.flint_exceptions import DomainError

from dalembert.errors import TooLarge
from dalembert.expr import ONE, Expr
from dalembert.expr.fold import mul
from dalembert.expr.rational import exact_root
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.rebuild import product_expr, rebuild
from dalembert.ring.ring import Element
from dalembert.ring.sparse import sparse_terms

MAX_TERMS_OF_POWER = 2000

_PLAIN = ("symbol", "pi")


def plain_form(e: Expr) -> LinearForm | None:
    """Return {term: coefficient} with Σ coefficient · term = e, or None if a term is no symbol.

    A constant has the term 1.

    >>> from dalembert import coordinates
    >>> a, b = coordinates("a b")
    >>> plain_form(2 * (a - b) + b) == {a: 2, b: -1}
    True
    """
    form: LinearForm = {}
    stack = [(e, Fraction(1))]
    while stack:
        node, k = stack.pop()
        match node.op:
            case "add":
                stack += [(arg, k) for arg in reversed(node.args)]
            case "sub":
                stack += [(node.args[1], -k), (node.args[0], k)]
            case "neg":
                stack.append((node.args[0], -k))
            case "const":
                form[ONE] = form.get(ONE, Fraction(0)) + k * node.value
            case "mul" if node.args[0].op == "const":
                stack.append((node.args[1], k * node.args[0].value))
            case op if op in _PLAIN:
                form[node] = form.get(node, Fraction(0)) + k
            case _:
                return None
    return {term: k for term, k in form.items() if k}


def linear_form(x: Element) -> LinearForm:
    """Return {term: coefficient} of an element: its monomials, or a quotient as a whole."""
    if not x.is_polynomial:
        k, rest = primitive(x)
        return {rebuild(rest): k}
    if x.ring.is_wild(x.whole):
        # products of sines of angles that depend on each other may be equal, waves are not
        waves = x.ring.waves
        return {
            mul(product_expr(x.ring, word), waves.expr(number)): Fraction(int(k.p), int(k.q))
            for (word, number), k in waves.totals(x.whole).items()
            if k
        }
    return {
        product_expr(x.ring, word): Fraction(int(k.p), int(k.q))
        for word, k in sparse_terms(x.whole)
    }


def primitive(x: Element) -> tuple[Fraction, Element]:
    """Return (k, y) with x = k·y; y is coprime, with a positive first coefficient.

    Of a number y is 1, of zero too: a hidden zero or number is seen here.
    """
    if x.is_surely_zero:
        return Fraction(0), x.ring.one
    k = x.content()
    if x.leading_sign() < 0:
        k = -k
    return k, x if k == 1 else x * (1 / k)


def perfect_root(x: Element, degree: int) -> Element | None:
    """Return y with x = y ** degree where the canonical form is such a power, else None."""
    try:
        num, den = (_poly_root(p, degree) for p in x.over_one())
    except TooLarge:
        return None
    return None if num is None or den is None else x.ring.quotient(num, den)


def _poly_root(p: flint.fmpq_mpoly, degree: int) -> flint.fmpq_mpoly | None:
    if any(n % degree for n in p.degrees()) or len(p) > MAX_TERMS_OF_POWER:
        return None
    if degree == 2:
        try:
            return p.sqrt()
        except DomainError:
            return None
    # p = k Π fᵢ^nᵢ: every nᵢ is a multiple of the degree, and k a power
    number, factors = p.factor_squarefree()
    k = exact_root(abs(Fraction(int(number.p), int(number.q))), degree)
    if k is None or any(int(n) % degree for _, n in factors):
        return None
    root = p.context().constant(flint.fmpq(k.numerator, k.denominator))
    for f, n in factors:
        root = root * f ** (int(n) // degree)
    return root if root**degree == p else -root
