"""Write exponentials as a person does: one in each term, hyperbolic functions where they pair.

The ring has an exponential for each term of an exponent, so that e^(-a (x - x₀)) is a quotient of
two. Here each product of them is one letter again, the whole powers of one share it, and
eᵘ + e⁻ᵘ is 2 cosh u where all exponentials of an element pair so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import flint

from dalembert.expr import Expr, Kind, Symbol, constant, is_kind, total
from dalembert.ring.elements.denominators import Denominator
from dalembert.ring.elements.element import Element
from dalembert.ring.ring import Ring
from dalembert.ring.sparse import sparse_terms
from dalembert.typeset.arrange.letters import Alphabet, Mono, Poly, multiply
from dalembert.typeset.arrange.spelling import expression_tree, generator_leaf, spell
from dalembert.typeset.tree import (
    CallLeaf,
    Leaf,
    Product,
    TrigLeaf,
    negative,
    open_sum,
)

Exponents = tuple[int, ...]
"""How often each exponential of the ring stands in a term, those below the line negative."""
Terms = dict[Exponents, dict[Mono, Fraction]]
"""Polynomials in all other letters, by the exponentials beside them."""
Word = tuple[tuple[Leaf, int], ...]

MAX_JOINED_TERMS = 60
"""Terms of fractions that are put over one denominator, to see a tanh in them."""


class _Below(NamedTuple):
    """A denominator without sums: 1 + e²ᵘ is 2 eᵘ cosh u."""

    number: int
    exponents: Exponents
    letters: tuple[tuple[Leaf, int], ...]


def spell_with_exponentials(
    element: Element, order: Sequence[Symbol] = ()
) -> tuple[Alphabet, Poly] | None:
    """Return an element over letters, each product of exponentials one of them.

    None of an element without exponentials, or with sums below the line that are no hyperbolic
    functions.
    """
    ring = element.ring
    places = [i for i, g in enumerate(ring.generators) if g.op == "exp"]
    if not places or element.used().isdisjoint(places):
        return None
    if any(map(_has_sum, _factors(element))):
        if len(element) > MAX_JOINED_TERMS:
            return None
        element = element.as_one()
    units = [ring.generators[i].args[0] for i in places]
    parts = _parts(element, places, units)
    if parts is None:
        return None
    alphabet, polys = spell(ring, list(parts.values()), order)
    bottom = {leaf for _, letters in parts for leaf, _ in letters}
    inner = Alphabet([*{*alphabet.leaves, *bottom}], order)
    terms: Terms = {}
    for (vector, letters), p in zip(parts, polys, strict=True):
        under = tuple(sorted((inner.number[leaf], -n) for leaf, n in letters))
        into = terms.setdefault(vector, {})
        for m, k in p.items():
            above = tuple(sorted((inner.number[alphabet.leaves[i]], n) for i, n in m))
            word = multiply(above, under)
            into[word] = into.get(word, Fraction(0)) + k
    words = _hyperbolic(terms, units)
    if words is None:
        if any(isinstance(leaf, TrigLeaf) for leaf in bottom):
            return None
        words = _single(terms, units)
    outer = Alphabet([*{*inner.leaves, *(leaf for word, _, _ in words for leaf, _ in word)}], order)
    found: Poly = {}
    for word, m, k in words:
        letters = tuple(sorted((outer.number[leaf], n) for leaf, n in word))
        rest = tuple(sorted((outer.number[inner.leaves[i]], n) for i, n in m))
        key = multiply(letters, rest)
        found[key] = found.get(key, Fraction(0)) + k
    return outer, {m: k for m, k in found.items() if k}


def _factors(element: Element) -> list[flint.fmpq_mpoly]:
    """Return the polynomials below the line."""
    known = element.ring.denominators.factors
    return [known[number].poly for key in element.fractions or () for number, _ in key]


def _has_sum(p: flint.fmpq_mpoly) -> bool:
    return len(p) > 1


def _parts(
    element: Element, places: Sequence[int], units: Sequence[Expr]
) -> dict[tuple[Exponents, tuple[tuple[Leaf, int], ...]], flint.fmpq_mpoly] | None:
    """Return numerators without exponentials by these and by the letters below the line."""
    found: dict[tuple, dict[tuple[int, ...], flint.fmpq]] = {}
    ring = element.ring
    size = len(ring.generators)
    for key, p in element.parts():
        below = _below(ring, key, places, units)
        if below is None:
            return None
        for word, k in sparse_terms(p):
            powers = dict(word)
            above = (powers.pop(i, 0) for i in places)
            vector = tuple(m - n for m, n in zip(above, below.exponents, strict=True))
            exponents = tuple(powers.get(i, 0) for i in range(size))
            found.setdefault((vector, below.letters), {})[exponents] = k / below.number
    return {key: ring.context.from_dict(terms) for key, terms in found.items()}


def _below(
    ring: Ring, key: Denominator, places: Sequence[int], units: Sequence[Expr]
) -> _Below | None:
    """Return a denominator as letters, None if it has other sums or a root."""
    number, exponents = 1, [0] * len(places)
    letters: dict[Leaf, int] = {}
    for index, e in key:
        terms = [(dict(word), k) for word, k in sparse_terms(ring.denominators.factors[index].poly)]
        first, k = terms[0]
        if len(terms) == 1:
            for i, n in first.items():
                if i in places:
                    exponents[places.index(i)] += n * e
                elif ring.generators[i].op == "pow":
                    return None
                else:
                    leaf = generator_leaf(ring.generators[i])
                    letters[leaf] = letters.get(leaf, 0) + n * e
            continue
        is_pair = len(terms) == 2 and not terms[1][0] and abs(k) == abs(terms[1][1]) == 1
        if not is_pair or k < 0 or any(i not in places or n % 2 for i, n in first.items()):
            return None
        # e²ᵘ ± 1 is 2 eᵘ cosh u or 2 eᵘ sinh u
        half = tuple(first.get(i, 0) // 2 for i in places)
        leaf = _call("cosh" if terms[1][1] > 0 else "sinh", half, units)
        letters[leaf] = letters.get(leaf, 0) + e
        number *= 2**e
        exponents = [n + e * h for n, h in zip(exponents, half, strict=True)]
    return _Below(number, tuple(exponents), tuple(letters.items()))


def _single(terms: Terms, units: Sequence[Expr]) -> list[tuple[Word, Mono, Fraction]]:
    """Return the terms with one exponential each; whole powers of one share it."""
    steps: dict[Exponents, int] = {}
    for vector in filter(any, terms):
        n = gcd(*vector)
        way = tuple(x // n for x in vector)
        steps[way] = gcd(steps.get(way, 0), n)
    found: list[tuple[Word, Mono, Fraction]] = []
    for vector, p in terms.items():
        word: Word = ()
        if any(vector):
            n = gcd(*vector)
            way = tuple(x // n for x in vector)
            tree = _exponent(tuple(x * steps[way] for x in way), units)
            word = ((CallLeaf("exp", (tree,)), n // steps[way]),)
        found += [(word, m, k) for m, k in p.items()]
    return found


def _hyperbolic(terms: Terms, units: Sequence[Expr]) -> list[tuple[Word, Mono, Fraction]] | None:
    """Return the terms with hyperbolic functions, None unless all exponentials are paired."""
    waves: dict[Exponents, dict[Mono, Fraction]] = {}
    for vector, p in terms.items():
        other = terms.get(tuple(-x for x in vector), {})
        if p.keys() != other.keys() or any(abs(k) != abs(other[m]) for m, k in p.items()):
            return None
        # of u and -u the one that starts with a positive term
        if any(vector) and open_sum(_tree(vector, units))[0].coefficient < 0:
            continue
        if any(vector) and tuple(-x for x in vector) in waves:
            continue
        waves[vector] = p
    found: list[tuple[Word, Mono, Fraction]] = []
    rest = dict(waves.pop((0,) * len(units), {}))
    for vector, p in waves.items():
        other = terms[tuple(-x for x in vector)]
        half = tuple(x // 2 for x in vector) if all(x % 2 == 0 for x in vector) else None
        for m, k in p.items():
            is_even = other[m] == k
            name = "cosh" if is_even else "sinh"
            if half is None or (is_even and abs(rest.get(m, 0)) != abs(2 * k)):
                found.append((((_call(name, vector, units), 1),), m, 2 * k))
            elif is_even:
                # 2 cosh 2u + 2 is 4 cosh² u, 2 cosh 2u - 2 is 4 sinh² u
                name = "cosh" if rest.pop(m) == 2 * k else "sinh"
                found.append((((_call(name, half, units), 2),), m, 4 * k))
            else:
                pair = tuple((_call(f, half, units), 1) for f in ("sinh", "cosh"))
                found.append((pair, m, 4 * k))
    return [*found, *(((), m, k) for m, k in rest.items())]


def _call(name: str, vector: Exponents, units: Sequence[Expr]) -> TrigLeaf:
    return TrigLeaf(name, open_sum(_tree(vector, units)))


def _sum(vector: Exponents, units: Sequence[Expr]) -> Expr:
    return total([constant(n) * u for n, u in zip(vector, units, strict=True) if n])


def _tree(vector: Exponents, units: Sequence[Expr]) -> Product:
    return expression_tree(_sum(vector, units))


def _exponent(vector: Exponents, units: Sequence[Expr]) -> Product:
    """Return the tree of an exponent: -a (x - x₀), the sign of the coordinates in front."""
    moving = [n for n, u in zip(vector, units, strict=True) if n and _moves(u.symbols)]
    if moving and all(n < 0 for n in moving):
        tree = _tree(tuple(-n for n in vector), units)
        if len(open_sum(tree)) == 1:
            return negative(tree)
    return _tree(vector, units)


def _moves(symbols: Iterable[Expr]) -> bool:
    return any(is_kind(x, Kind.COORDINATE) for x in symbols)
