"""Factor a polynomial over letters with FLINT."""

from __future__ import annotations

from fractions import Fraction

import flint

from dalembert.ring.factors import factors
from dalembert.typeset.arrange.letters import Poly

MAX_TERMS = 200
MAX_LETTERS = 14
MAX_DEGREE = 16


def factor_poly(p: Poly) -> tuple[Fraction, list[tuple[Poly, int]]] | None:
    """Return (number, [(factor, exponent), …]), or None when it is large or irreducible."""
    letters = sorted({i for m in p for i, _ in m})
    # two terms have only factors such as (a - b)(a + b), which are no shorter
    if not 2 < len(p) <= MAX_TERMS or len(letters) > MAX_LETTERS:
        return None
    if any(n < 0 or n > MAX_DEGREE for m in p for _, n in m):
        return None
    context = flint.fmpq_mpoly_ctx.get([f"x{i}" for i in range(len(letters))], flint.Ordering.lex)
    column = {letter: j for j, letter in enumerate(letters)}
    terms = {}
    for m, k in p.items():
        exponents = [0] * len(letters)
        for i, n in m:
            exponents[column[i]] = n
        terms[tuple(exponents)] = flint.fmpq(k.numerator, k.denominator)
    lead, split = factors(context.from_dict(terms))
    if sum(n for f, n in split if len(f) > 1) < 2:
        return None
    found = []
    for f, n in split:
        q = {
            tuple((letters[j], int(e)) for j, e in enumerate(exponents) if e): _fraction(k)
            for exponents, k in f.to_dict().items()
        }
        found.append((q, n))
    return _fraction(lead), found


def _fraction(k: flint.fmpq) -> Fraction:
    return Fraction(int(k.p), int(k.q))
