"""What stands inside functions: linear forms of angles and exponents, canonical arguments, roots.

A function is a generator of a ring only once its argument is canonical, and the canonical form of
an argument needs a ring of its own: `_form` is where this recursion closes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import flint
from flint.utils.flint_exceptions import DomainError

from dalembert.expr import ONE, Expr
from dalembert.expr.rational import exact_root
from dalembert.ring.choose.angles import LinearForm
from dalembert.ring.rebuild import linked_angles, monomial_expr, rebuild
from dalembert.ring.ring import Element

MAX_TERMS_OF_POWER = 2000
MAX_SWEEPS = 4

_SIMPLE = ("symbol", "pi", "asin", "acos", "atan2")


def linear_form(e: Expr) -> LinearForm:
    """Return {term: coefficient} with Σ coefficient · term = e; a constant has the term 1.

    >>> from dalembert import coordinates
    >>> a, b = coordinates("a b")
    >>> linear_form(2 * (a - b) + b) == {a: 2, b: -1}
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
            case op if op in _SIMPLE:
                form[node] = form.get(node, Fraction(0)) + k
            case _:
                return dict(_expanded_form(e))
    return {term: k for term, k in form.items() if k}


# nested functions ask for the same argument at every level: without memory, 4ⁿ times
@lru_cache(maxsize=4096)
def _expanded_form(e: Expr) -> LinearForm:
    """Return the linear form over the monomials of the canonical form."""
    element = _form(e)
    if element.is_polynomial:
        return {
            monomial_expr(element.ring, exponents): Fraction(int(k.p), int(k.q))
            for exponents, k in element.num.to_dict().items()
        }
    lead = element.num.leading_coefficient()
    k = Fraction(int(lead.p), int(lead.q))
    return {rebuild(element * (1 / k)): k}


@lru_cache(maxsize=4096)
def perfect_root(e: Expr, degree: int) -> Expr | None:
    """Return x with e = x ** degree when the canonical form is such a power, else None."""
    if e.op in ("symbol", "const", "pi"):
        return None
    element = _form(e)
    num, den = _poly_root(element.num, degree), _poly_root(element.den, degree)
    if num is None or den is None:
        return None
    return rebuild(element.ring.quotient(num, den))


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


@lru_cache(maxsize=4096)
def canonical_argument(e: Expr) -> tuple[Fraction, Expr]:
    """Return (k, x) with e = k·x; x is canonical, coprime, with a positive first coefficient.

    Of a number x is 1, so a hidden zero or number is seen here.
    """
    if e.op == "symbol" or e.op == "pi":
        return Fraction(1), e
    if e.op == "const":
        return e.value, ONE
    k, x = Fraction(1), e
    # rebuilt with single angles, a form may have another first coefficient: until it stays
    for _ in range(MAX_SWEEPS):
        # ordered: an equal argument written otherwise must get the same leading coefficient
        element = _form(x, ordered=True)
        if element.is_zero:
            return Fraction(0), ONE
        content = element.content()
        if element.num.leading_coefficient() < 0:
            content = -content
        before, x = x, rebuild(element * (1 / content))
        k *= content
        if x is before or not linked_angles(element.ring):
            break
    return k, x


def _form(e: Expr, *, ordered: bool = False) -> Element:
    """Return the canonical form of an argument in a ring of its own."""
    from dalembert.ring.canonical import canonical
    from dalembert.ring.choose.build import ring_of

    return canonical(ring_of([e], ordered=ordered), e)
