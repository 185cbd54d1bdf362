"""The terms of a polynomial with the generators that occur in them, and no others.

A ring has many generators and a term has few. `to_dict` makes an object for every exponent, zeros
too; FLINT's own text of a polynomial names only those that occur, and is read twenty times faster.
"""

from __future__ import annotations

import flint

Word = tuple[tuple[int, int], ...]
"""(number of the generator, exponent) pairs, in the order of the generators."""


def sparse_terms(p: flint.fmpq_mpoly) -> list[tuple[Word, flint.fmpq]]:
    """Return (word, coefficient) of each term of a polynomial in generators x0, x1, ….

    >>> x = flint.fmpq_mpoly_ctx.get(["x0", "x1"], flint.Ordering.lex).gens()
    >>> sparse_terms(x[0] ** 2 * x[1] - 3 * x[1] + 2)
    [(((0, 2), (1, 1)), 1), (((1, 1),), -3), ((), 2)]
    """
    if not p:
        return []
    # the sign and the number of a term are those of its coefficient
    texts = str(p).replace(" - ", " + ").split(" + ")
    words = [
        tuple([_POWERS[part] for part in text.lstrip("-").split("*") if part[0] == "x"])
        for text in texts
    ]
    return list(zip(words, p.coeffs(), strict=True))


class _Powers(dict[str, tuple[int, int]]):
    """x13^2 read as (13, 2), once."""

    def __missing__(self, text: str) -> tuple[int, int]:
        generator, _, exponent = text.partition("^")
        self[text] = found = int(generator[1:]), int(exponent or 1)
        return found


_POWERS = _Powers()
