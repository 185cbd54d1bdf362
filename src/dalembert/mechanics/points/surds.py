"""Numbers of a prime field with roots: polynomials in formal roots r with rⁿ = x.

A root has no sign here: what is equal for a formal root is equal for each of the true ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from dalembert.ring.prime_point import Pole

MAX_TERMS_OF_SURD = 64


class TooManyRoots(ArithmeticError):
    """Products of more roots than are worth the effort."""


class Root(NamedTuple):
    """The formal root of a value; equal values have one root of a degree."""

    value: Value
    degree: int


Roots = tuple[tuple[Root, int], ...]
"""A product of powers of roots, in the order in which they were made."""


class Surd:
    """Σ k · Π rⁿ modulo p; the terms are kept reduced, so that equal numbers have equal terms."""

    __slots__ = ("p", "terms")

    def __init__(self, p: int, terms: Mapping[Roots, int]) -> None:
        self.p, self.terms = p, terms

    def _made(self, terms: Iterable[tuple[Roots, int]]) -> Value:
        total: dict[Roots, int] = {}
        for roots, k in terms:
            total[roots] = (total.get(roots, 0) + k) % self.p
        total = {roots: k for roots, k in total.items() if k}
        if len(total) > MAX_TERMS_OF_SURD:
            raise TooManyRoots
        if not total or list(total) == [()]:
            return total.get((), 0)
        return Surd(self.p, total)

    def __add__(self, other: Value) -> Value:
        return self._made([*self.terms.items(), *_terms(other)])

    __radd__ = __add__

    def __neg__(self) -> Value:
        return self._made((roots, -k) for roots, k in self.terms.items())

    def __sub__(self, other: Value) -> Value:
        return self + -other

    def __rsub__(self, other: Value) -> Value:
        return -self + other

    def __mul__(self, other: Value) -> Value:
        if isinstance(other, int):
            return self._made((roots, k * other) for roots, k in self.terms.items())
        total: Value = 0
        for a, j in self.terms.items():
            for b, k in other.terms.items():
                total = total + self._product(a, b) * (j * k % self.p)
        return total % self.p

    __rmul__ = __mul__

    def _product(self, a: Roots, b: Roots) -> Value:
        """Return the product of two products of roots, with rⁿ = x."""
        exponents = dict(a)
        for root, n in b:
            exponents[root] = exponents.get(root, 0) + n
        factor: Value = 1
        for root, n in list(exponents.items()):
            if n >= root.degree:
                exponents[root] = n - root.degree
                factor = factor * root.value
        rest = tuple(sorted(((r, n) for r, n in exponents.items() if n), key=_rank))
        return factor * self._made([(rest, 1)])

    def __mod__(self, p: int) -> Surd:
        return self

    def __pow__(self, n: int, p: int | None = None) -> Value:
        result: Value = 1
        base: Value = self
        while n:
            if n & 1:
                result = base * result
            n >>= 1
            base = base * base if n else base
        return result

    def inverse(self) -> Value:
        """Return 1/x: the other terms are divided by one root after the other.

        Raises:
            Pole: x is zero, or divides zero.
        """
        last = max((root for roots in self.terms for root, _ in roots), key=lambda r: _rank((r, 1)))
        if last.degree != 2:
            raise TooManyRoots
        # 1/(a + b r) = (a - b r)/(a² - b² x)
        a = self._made((roots, k) for roots, k in self.terms.items() if last not in dict(roots))
        rest = self - a
        other = a - rest
        norm = (a * a - rest * rest) % self.p
        return other * inverse(norm, self.p)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Surd) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))


Value = int | Surd


def _terms(x: Value) -> Iterable[tuple[Roots, int]]:
    return x.terms.items() if isinstance(x, Surd) else [((), x)]


def _rank(item: tuple[Root, int]) -> tuple[int, int]:
    # nested roots come after those inside them
    root, _ = item
    return (_depth(root), hash(root))


def _depth(root: Root) -> int:
    if isinstance(root.value, int):
        return 0
    return 1 + max((_depth(r) for roots in root.value.terms for r, _ in roots), default=0)


def inverse(x: Value, p: int) -> Value:
    """Return 1/x.

    Raises:
        Pole: x is zero, or divides zero.
    """
    if isinstance(x, Surd):
        return x.inverse()
    if not x % p:
        raise Pole
    return pow(x, -1, p)


def root_of(x: Value, degree: int, p: int) -> Value:
    """Return the formal root of a value, 0 of zero and 1 of one."""
    if isinstance(x, int) and x % p in (0, 1):
        return x % p
    return Surd(p, {((Root(x, degree), 1),): 1})
