"""Write a polynomial over letters as a short product of sums: factors out, squares completed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

from dalembert.typeset.arrange.factoring import factor_poly
from dalembert.typeset.arrange.letters import (
    CONSTANT,
    COORDINATE,
    FUNCTION,
    MASS,
    PARAMETER,
    TRIG,
    Alphabet,
    Mono,
    Poly,
    base_rank,
    common_monomial,
    divide,
    leaf_class,
    multiply,
    product_rank,
)
from dalembert.typeset.arrange.squares import (
    complete_square,
    is_square,
    perfect_squares,
    square_free_numbers,
)
from dalembert.typeset.tree import (
    Power,
    Product,
    Sum,
    TrigLeaf,
    cost,
    negative,
    number,
    open_sum,
    sum_tree,
    times,
)

MAX_DEPTH = 12
MAX_GROUPED = 3000


def group(alphabet: Alphabet, p: Poly, depth: int = 0) -> Product:
    """Return the polynomial with common factors out and what is left grouped."""
    if not p:
        return number(0)
    k, m, rest = pull_out(alphabet, p)
    if len(rest) == 1:
        ((m2, k2),) = rest.items()
        return product(alphabet, k * k2, multiply(m, m2))
    best = product(alphabet, k, m, _sum_of(alphabet, rest, depth))
    factored = factor_poly(rest) if depth < MAX_DEPTH else None
    if factored is not None:
        k2, factors = factored
        other = product(alphabet, k * k2, m)
        for f, n in factors:
            other = join(other, raised(_sum_of(alphabet, f, depth + 1), n))
        if cost(other) < cost(best):
            return other
    return best


def product(alphabet: Alphabet, k: Fraction, m: Mono, inner: Product | None = None) -> Product:
    """Return k · m · inner as one product."""
    above, below = alphabet.powers(m)
    result = Product(k, above, below)
    return result if inner is None else join(result, inner)


def join(a: Product, b: Product) -> Product:
    """Return the product of two trees, factors in order; equal ones are not gathered."""
    factors = sorted((*a.factors, *b.factors), key=lambda x: base_rank(x.base))
    under = sorted((*a.under, *b.under), key=lambda x: base_rank(x.base))
    return Product(a.coefficient * b.coefficient, tuple(factors), tuple(under))


def _sum_of(alphabet: Alphabet, p: Poly, depth: int) -> Product:
    """Return the sum of the squares found in a polynomial and of the groups of what is left."""
    completed = complete_square(alphabet, p)
    if completed is not None:
        k, inside, rest = completed
        square = Product(k, (Power(ordered_sum(_products(alphabet, inside)).factors[0].base, 2),))
        if not rest:
            return square
        others = group(alphabet, rest, depth + 1)
        terms = [others, square] if k < 0 < others.coefficient else [square, others]
        terms = [inner for term in terms for inner in open_sum(term)]
        # ½ a² + ½ b² = ½ (a² + b²)
        shared = content(term.coefficient for term in terms)
        return times(sum_tree([times(term, 1 / shared) for term in terms]), shared)
    rest, terms = p, []
    for multiple in square_free_numbers(p):
        squares, rest = perfect_squares(rest, multiple)
        for inside in squares:
            k = content(inside.values())
            products = _products(alphabet, {m: x / k for m, x in inside.items()})
            base = ordered_sum(products).factors[0].base
            terms.append(Product(multiple * k**2, (Power(base, 2),)))
    return ordered_sum(terms + _grouped(alphabet, rest, depth, has_others=bool(terms)))


def _products(alphabet: Alphabet, p: Poly) -> list[Product]:
    return [product(alphabet, k, m) for m, k in p.items()]


def raised(p: Product, n: int) -> Product:
    """Return a power of a product without a denominator."""
    return Product(p.coefficient**n, tuple(Power(x.base, x.exponent * n) for x in p.factors))


def pull_out(alphabet: Alphabet, p: Poly) -> tuple[Fraction, Mono, Poly]:
    """Return (number, monomial, rest) with p = number · monomial · rest.

    A square stays whole: a² + a b is not pulled apart into a (a + b), as an inertia reads
    better with its squares; unless the bracket is needed anyway, b (a + b) sin q.
    """
    common = common_monomial(p)
    while common and len(p) > 1:
        rest = divide(p, common)
        pulled = dict(common)
        # letters whose square would be pulled apart
        kept = {
            i
            for x in rest
            if x and all(i in pulled and alphabet.kind[i] != MASS for i, _ in x)
            for i, _ in x
        }
        outside = [i for i in pulled if i not in kept]
        if not kept or (outside and _are_parameters(alphabet, rest)):
            break
        common = tuple((i, n) for i, n in common if i not in kept)
    rest = divide(p, common)
    k = _monic(alphabet, rest) or content(rest.values())
    return k, common, {m: x / k for m, x in rest.items()}


def _are_parameters(alphabet: Alphabet, p: Poly) -> bool:
    return all(alphabet.kind[i] in (CONSTANT, PARAMETER) for m in p for i, _ in m)


def _monic(alphabet: Alphabet, p: Poly) -> Fraction | None:
    """Return the coefficient of the one coordinate among lengths: l + 2 q is 2 (l/2 + q)."""
    found = [k for m, k in p.items() if m and alphabet.kind[m[0][0]] == COORDINATE]
    lengths = [m for m in p if m and alphabet.kind[m[0][0]] == PARAMETER]
    is_linear = all(len(m) == 1 and m[0][1] == 1 for m in p)
    if not is_linear or len(found) != 1 or len(lengths) != len(p) - 1:
        return None
    return abs(found[0]) if any(k > 0 for k in p.values()) else -abs(found[0])


def content(values: Iterable[Fraction]) -> Fraction:
    """Return the number to pull out: whole factors, a denominator only if all share it."""
    numbers = list(values)
    top = gcd(*(k.numerator for k in numbers))
    bottoms = {k.denominator for k in numbers}
    k = Fraction(top, bottoms.pop() if len(bottoms) == 1 else 1)
    return -k if all(x < 0 for x in numbers) else k


def _grouped(alphabet: Alphabet, p: Poly, depth: int, has_others: bool) -> list[Product]:
    """Pull out, again and again, the letter that the most terms share."""
    rest = dict(p)
    products = []
    while depth < MAX_DEPTH and 1 < len(rest) <= MAX_GROUPED:
        # what all terms share is out already, or was left in for a reason
        most = len(rest) if products or has_others else len(rest) - 1
        chosen = _most_shared(alphabet, rest, most)
        if chosen is None:
            break
        part = {m: rest.pop(m) for m in chosen}
        products.append(group(alphabet, part, depth + 1))
    return products + _products(alphabet, rest)


def _most_shared(alphabet: Alphabet, p: Poly, most: int) -> list[Mono] | None:
    """Return the terms of the letter to pull out: a mass first, then the one in most terms."""
    sharing: dict[tuple[int, bool], list[Mono]] = {}
    for m in p:
        for i, n in m:
            if alphabet.kind[i] == MASS or not is_square(m):
                sharing.setdefault((i, n > 0), []).append(m)
    candidates = [
        (alphabet.kind[i] != MASS, -len(terms), i, terms)
        for (i, _), terms in sharing.items()
        if 2 <= len(terms) <= most and alphabet.kind[i] != CONSTANT
    ]
    for is_other, count, _, terms in sorted(candidates, key=lambda c: c[:3]):
        if not is_other or -count > 2 or _shortens({m: p[m] for m in terms}):
            return terms
    return None


def _shortens(pair: Poly) -> bool:
    """Tell whether it pays to factor two terms: it is long, or they are short."""
    common = common_monomial(pair)
    rest = divide(pair, common)
    return len(common) >= 2 or all(len(m) <= 1 for m in rest)


def ordered_sum(terms: list[Product]) -> Product:
    """Return the sum in reading order: high degree first, plain before trigonometric.

    It starts with a positive term if there is one: -a + b + c is b + c - a.
    """
    opened = [inner for term in terms for inner in open_sum(term)]
    opened.sort(key=sum_key)
    if len(opened) > 1 and all(p.coefficient < 0 for p in opened):
        return negative(sum_tree(list(map(negative, opened))))
    return sum_tree(positive_first(opened))


def positive_first(terms: list[Product]) -> list[Product]:
    """Return the terms with those before the first positive one moved to the end."""
    first = next((i for i, p in enumerate(terms) if p.coefficient > 0), 0)
    return [*terms[first:], *terms[:first]]


def sum_key(p: Product) -> tuple:
    """Return the key that orders the terms of a sum."""
    plain = tuple(
        (base_rank(x.base), -x.exponent) for x in p.factors if not isinstance(x.base, TrigLeaf)
    )
    angles = tuple(
        (product_rank(x.base.angle[0]), x.base.angle[1:] != (), x.base.function)
        for x in p.factors
        if isinstance(x.base, TrigLeaf)
    )
    return (-degree(p), _trig_count(p), plain, angles, product_rank(p))


def _trig_count(p: Product) -> int:
    total = 0
    for x in p.factors:
        if isinstance(x.base, Sum):
            inside = x.base.remember("trig", lambda s: max(map(_trig_count, s.terms)))
            total += x.exponent * inside
        elif leaf_class(x.base) in (TRIG, FUNCTION):
            total += x.exponent
    return total


def degree(p: Product) -> int:
    """Return the degree in symbols; sines and numbers have none."""
    above = sum(x.exponent * _base_degree(x) for x in p.factors)
    return above - sum(x.exponent * _base_degree(x) for x in p.under)


def _base_degree(x: Power) -> int:
    if isinstance(x.base, Sum):
        return x.base.remember("degree", lambda s: max(map(degree, s.terms)))
    return 0 if leaf_class(x.base) in (CONSTANT, TRIG, FUNCTION) else 1
