"""Factors: their product is the polynomial, and their order is that of no library."""

from __future__ import annotations

import random
from math import prod
from typing import Any

import flint
import pytest

import dalembert as da
from dalembert.ring.factors import factors

context = flint.fmpq_mpoly_ctx.get(["x", "y", "z"], flint.Ordering.lex)
x, y, z = context.gens()
CASES: list[tuple[Any, list[str]]] = [
    (5 * (x + y) * (x - y) * (2 * z + flint.fmpq(1, 3)) * x**2, ["6*z + 1", "x - y", "x + y", "x"]),
    ((1 - x) * (1 + x) * (y - 3), ["y - 3", "x - 1", "x + 1"]),
    ((3 * x + 2) * (2 * y - z) ** 2 * (x * y + z**2 + 1) / 7,
     ["3*x + 2", "x*y + z^2 + 1", "2*y - z"]),
    (-(x - 1) * (1 - 2 * x) * (x + 5), ["x - 1", "x + 5", "2*x - 1"]),
    ((z - 1) * (y - 2 * z) * (x**2 - y) * y, ["z - 1", "y", "y - 2*z", "x^2 - y"]),
    (context.constant(flint.fmpq(-3, 2)), []),
]  # fmt: skip


class Shuffled:
    """A polynomial of a library that gives factors in any order."""

    def __init__(self, p: Any, rng: random.Random) -> None:
        self.p, self.rng = p, rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self.p, name)

    def factor(self) -> tuple[Any, list[tuple[Any, int]]]:
        number, found = self.p.factor()
        return number, self.rng.sample(found, len(found))


@pytest.mark.parametrize(("p", "expected"), CASES, ids=str)
def test_the_product_is_the_polynomial_and_the_order_ours(p: Any, expected: list[str]) -> None:
    number, found = factors(p)
    assert prod((f**n for f, n in found), start=context.constant(number)) == p
    assert [str(f) for f, _ in found] == expected
    for f, _ in found:
        assert f.leading_coefficient() > 0
        assert all(k.q == 1 for k in f.to_dict().values())
    rng = random.Random(0)
    assert all(factors(Shuffled(p, rng)) == (number, found) for _ in range(5))  # type: ignore[arg-type]


def test_equilibria_come_in_the_order_of_their_factors() -> None:
    """Versions of python-flint began with the pendulum upright, or hanging."""
    cart_pole = da.textbook.cart_pole().equations()
    (theta,) = [q for q in cart_pole.coordinates if str(q) == "θ"]
    assert [str(e.point[theta]) for e in cart_pole.equilibria()] == ["0", "π"]
