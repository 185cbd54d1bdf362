"""Write an expression as Σ coefficient · term with rational coefficients and canonical terms."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dalembert.expr import ONE, Expr, constant

LinearForm = dict[Expr, Fraction]

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


@lru_cache(maxsize=4096)
def _expanded_form(e: Expr) -> LinearForm:
    """Return the linear form over the monomials of the canonical form."""
    from dalembert.ring.canonical import canonical
    from dalembert.ring.choose.build import ring_of
    from dalembert.ring.rebuild import monomial_expr, rebuild

    ring = ring_of([e])
    element = canonical(ring, e)
    if element.is_polynomial:
        return {
            monomial_expr(ring, exponents): Fraction(int(k.p), int(k.q))
            for exponents, k in element.num.to_dict().items()
        }
    lead = element.num.leading_coefficient()
    k = Fraction(int(lead.p), int(lead.q))
    return {rebuild(element * (1 / k)): k}


def form_expr(form: LinearForm) -> Expr:
    """Return Σ coefficient · term as an expression."""
    result = constant(0)
    for term, k in form.items():
        result = result + constant(k) * term
    return result
