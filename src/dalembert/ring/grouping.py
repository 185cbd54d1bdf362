"""Write a polynomial over letters as a short product of sums: factors out, squares completed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import gcd

from dalembert.ring.factoring import factor_poly
from dalembert.ring.letters import (
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
    leaf_class,
    product_rank,
)
from dalembert.ring.tree import (
    Power,
    Product,
    Sum,
    TrigLeaf,
    cost,
    negative,
    number,
    open_sum,
    sum_tree,
)

MAX_DEPTH = 12
MAX_GROUPED = 3000


def group(alphabet: Alphabet, p: Poly, depth: int = 0) -> Product:
    """Return the polynomial with common factors out and what is left grouped."""
    if not p:
        return number(0)
    k, m, rest = pull_out(alphabet, p)
    if len(rest) == 1:
        (m2, k2), = rest.items()
        return product(alphabet, k * k2, multiply(m, m2))
    square = _complete_square(alphabet, rest, depth)
    if square is not None:
        return product(alphabet, k, m, square)
    grouped = ordered_sum(_grouped(alphabet, rest, depth))
    best = product(alphabet, k, m, grouped)
    factored = factor_poly(rest) if depth < MAX_DEPTH else None
    if factored is not None:
        k2, factors = factored
        other = product(alphabet, k * k2, m)
        for f, n in factors:
            other = join(other, _raised(ordered_sum(_grouped(alphabet, f, depth + 1)), n))
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


def _raised(p: Product, n: int) -> Product:
    return Product(p.coefficient**n, tuple(Power(x.base, x.exponent * n) for x in p.factors))


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


def pull_out(alphabet: Alphabet, p: Poly) -> tuple[Fraction, Mono, Poly]:
    """Return (number, monomial, rest) with p = number · monomial · rest.

    A pure power stays whole: a² + a b is not pulled apart into a (a + b), as an inertia reads
    better with its squares.
    """
    common = common_monomial(p)
    while common and len(p) > 1:
        rest = divide(p, common)
        pulled = dict(common)
        spoiled = {
            x[0][0]
            for x in rest
            if len(x) == 1 and x[0][0] in pulled and alphabet.kind[x[0][0]] != MASS
        }
        if not spoiled:
            break
        common = tuple((i, n) for i, n in common if i not in spoiled)
    rest = divide(p, common)
    k = _monic(alphabet, rest) or content(rest.values())
    return k, common, {m: x / k for m, x in rest.items()}


def _monic(alphabet: Alphabet, p: Poly) -> Fraction | None:
    """Return the coefficient of the one coordinate among lengths: l + 2 q is 2 (l/2 + q)."""
    found = [k for m, k in p.items() if m and alphabet.kind[m[0][0]] == COORDINATE]
    lengths = [m for m in p if m and alphabet.kind[m[0][0]] == PARAMETER]
    is_linear = all(len(m) == 1 and m[0][1] == 1 for m in p)
    if not is_linear or len(found) != 1 or len(lengths) != len(p) - 1:
        return None
    return abs(found[0]) if any(k > 0 for k in p.values()) else -abs(found[0])


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


def content(values: Iterable[Fraction]) -> Fraction:
    """Return the number to pull out: whole factors, a denominator only if all share it."""
    numbers = list(values)
    top = gcd(*(k.numerator for k in numbers))
    bottoms = {k.denominator for k in numbers}
    k = Fraction(top, bottoms.pop() if len(bottoms) == 1 else 1)
    return -k if all(x < 0 for x in numbers) else k


def _grouped(alphabet: Alphabet, p: Poly, depth: int) -> list[Product]:
    """Pull out, again and again, the letter that the most terms share."""
    rest = dict(p)
    products = []
    while depth < MAX_DEPTH and 2 < len(rest) <= MAX_GROUPED:
        chosen = _most_shared(alphabet, rest)
        if chosen is None:
            break
        part = {m: rest.pop(m) for m in chosen}
        products.append(group(alphabet, part, depth + 1))
    return products + [product(alphabet, k, m) for m, k in rest.items()]


def _most_shared(alphabet: Alphabet, p: Poly) -> list[Mono] | None:
    """Return the terms of the letter worth pulling out, or None."""
    sharing: dict[tuple[int, bool], list[Mono]] = {}
    for m in p:
        is_pure = len(m) == 1 and m[0][1] > 1 and alphabet.kind[m[0][0]] != MASS
        if not is_pure:
            for i, n in m:
                sharing.setdefault((i, n > 0), []).append(m)
    candidates = [
        (-len(terms), alphabet.kind[i] != MASS, i, terms)
        for (i, _), terms in sharing.items()
        if 2 <= len(terms) < len(p) and alphabet.kind[i] != CONSTANT
    ]
    for count, is_other, _, terms in sorted(candidates, key=lambda c: c[:3]):
        if not is_other or -count > 2 or _is_worth_it({m: p[m] for m in terms}):
            return terms
    return None


def _is_worth_it(pair: Poly) -> bool:
    """Tell whether a factor of two terms earns its brackets: it is long, or they are short."""
    common = common_monomial(pair)
    rest = divide(pair, common)
    return len(common) >= 2 or all(len(m) <= 1 for m in rest)


def _complete_square(alphabet: Alphabet, p: Poly, depth: int) -> Product | None:
    """Return a (x + h)² + rest for a coordinate x outside sines, when that has fewer terms."""
    if len(p) > 200:
        return None
    for i, kind in enumerate(alphabet.kind):
        a = p.get(((i, 2),)) if kind == COORDINATE else None
        if a is None or any(n not in (1, 2) for m in p for j, n in m if j == i):
            continue
        linear = {m: k for m, k in p.items() if (i, 1) in m}
        if not linear or any((i, 2) in m and len(m) > 1 for m in p):
            continue
        # a x² + b x + c = a (x + h)² + c - a h²  with  h = b / 2a
        h = {m: k / (2 * a) for m, k in divide(linear, ((i, 1),)).items()}
        rest = {m: k for m, k in p.items() if m != ((i, 2),) and m not in linear}
        for m1, k1 in h.items():
            for m2, k2 in h.items():
                m = multiply(m1, m2)
                rest[m] = rest.get(m, Fraction(0)) - a * k1 * k2
        rest = {m: k for m, k in rest.items() if k}
        if 1 + len(rest) >= len(p):
            continue
        terms = [product(alphabet, k, m) for m, k in {**h, ((i, 1),): Fraction(1)}.items()]
        inside = ordered_sum(terms).factors[0].base
        square = Product(a, (Power(inside, 2),))
        if not rest:
            return square
        others = group(alphabet, rest, depth + 1)
        if a < 0 < others.coefficient:
            return sum_tree([others, square])
        return sum_tree([square, others])
    return None


def ordered_sum(terms: list[Product]) -> Product:
    """Return the sum in reading order: high degree first, plain before trigonometric.

    It starts with a positive term if there is one.
    """
    opened = [inner for term in terms for inner in open_sum(term)]
    opened.sort(key=sum_key)
    first = next((i for i, p in enumerate(opened) if p.coefficient > 0), None)
    if first is None and len(opened) > 1:
        return negative(sum_tree(list(map(negative, opened))))
    if first:
        opened.insert(0, opened.pop(first))
    return sum_tree(opened)


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
