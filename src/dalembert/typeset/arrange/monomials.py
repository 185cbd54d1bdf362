"""Arithmetic of monomials over letters."""

from __future__ import annotations

from dalembert.typeset.arrange.letters import Mono, Poly


def multiply(a: Mono, b: Mono) -> Mono:
    """Return the product of monomials."""
    exponents = dict(a)
    for i, n in b:
        exponents[i] = exponents.get(i, 0) + n
    return tuple(sorted((i, n) for i, n in exponents.items() if n))


def inverse(m: Mono) -> Mono:
    """Return 1/m."""
    return tuple((i, -n) for i, n in m)


def divide(p: Poly, m: Mono) -> Poly:
    """Return p/m."""
    if not m:
        return p
    over = inverse(m)
    return {multiply(x, over): k for x, k in p.items()}


def common_monomial(p: Poly) -> Mono:
    """Return the letters that every term has, with the exponent nearest to zero."""
    terms = iter(p)
    common = dict(next(terms))
    for m in terms:
        exponents = dict(m)
        for i in list(common):
            n = exponents.get(i, 0)
            if n * common[i] <= 0:
                del common[i]
            elif abs(n) < abs(common[i]):
                common[i] = n
        if not common:
            break
    return tuple(sorted(common.items()))
