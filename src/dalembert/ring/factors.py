"""Factors of a polynomial, in an order of our own."""

from __future__ import annotations

import flint


def factors(p: flint.fmpq_mpoly) -> tuple[flint.fmpq, list[tuple[flint.fmpq_mpoly, int]]]:
    """Return (number, [(factor, exponent), …]) with p = number · Π factor ** exponent.

    Versions of FLINT give the factors in different orders, and the order of results would follow.
    Here they come by exponent, then by their monomials from the highest, then by coefficients:
    x - y, x + y, 2 x + y, x², each with whole coefficients, the first one positive. A constant has
    no factors.

    >>> x, y = flint.fmpq_mpoly_ctx.get(["x", "y"], flint.Ordering.lex).gens()
    >>> factors(3 * y**2 * (1 - x) * (2 * x + 1))
    (-3, [(x - 1, 1), (2*x + 1, 1), (y, 2)])
    """
    if p.is_constant():
        return p.leading_coefficient(), []
    number, found = p.factor()
    return number, sorted(((f, int(n)) for f, n in found), key=_key)


def _key(item: tuple[flint.fmpq_mpoly, int]) -> tuple[int, list, list]:
    f, n = item
    terms = sorted(f.to_dict().items(), key=lambda term: tuple(map(int, term[0])), reverse=True)
    return n, [tuple(map(int, monomial)) for monomial, _ in terms], [k for _, k in terms]
