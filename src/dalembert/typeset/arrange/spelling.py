"""Spell polynomials of a ring over print leaves.

A leaf may hold an expression, as the sine holds its angle; its print tree is that of
`printer.expr_tree`, where the recursion from leaf to expression closes.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import flint

from dalembert.expr import PI, Expr, Symbol
from dalembert.ring.ring import Ring
from dalembert.typeset.arrange.letters import Alphabet, Poly, product_rank
from dalembert.typeset.fold.fold import fold
from dalembert.typeset.fold.trig_poly import COS
from dalembert.typeset.tree import (
    CallLeaf,
    Leaf,
    PiLeaf,
    Product,
    RootLeaf,
    SymbolLeaf,
    TrigLeaf,
    applied_leaf,
    negative,
    open_sum,
    sum_tree,
    times,
)

MAX_COMMON_DENOMINATOR = 12
"""Of the terms of an angle that are written over it; what is larger may be a decimal."""


def spell(
    ring: Ring, polys: Sequence[flint.fmpq_mpoly], order: Sequence[Symbol] = ()
) -> tuple[Alphabet, list[Poly]]:
    """Fold the polynomials and write them over one alphabet; ``order`` as in `Alphabet`."""
    spelled: list[dict[tuple[tuple[Leaf, int], ...], Fraction]] = []
    for p in polys:
        folded = fold(ring, p, _expr_key)
        leaf_of = {}
        terms = {}
        for k, rest, trig in folded.terms:
            for factor, _ in trig:
                if factor not in leaf_of:
                    leaf_of[factor] = _trig_leaf(factor[1], folded.angle(factor))
            word = [(generator_leaf(ring.generators[i]), n) for i, n in rest]
            word += [(leaf_of[factor], n) for factor, n in trig]
            terms[tuple(word)] = k
        spelled.append(terms)
    found = {leaf for terms in spelled for word in terms for leaf, _ in word}
    alphabet = Alphabet(list(found), order)
    return alphabet, [
        {
            tuple(sorted((alphabet.number[leaf], n) for leaf, n in word)): k
            for word, k in terms.items()
        }
        for terms in spelled
    ]


def _trig_leaf(function: int, angle: list[tuple[Expr, Fraction]]) -> TrigLeaf:
    terms = tuple(times(expression_tree(x), k) for x, k in angle)
    bottoms = {term.coefficient.denominator for term in terms}
    if len(terms) > 1 and len(bottoms) == 1 and 1 < max(bottoms) <= MAX_COMMON_DENOMINATOR:
        # (x - y)/2, not x/2 - y/2
        (n,) = bottoms
        whole = sum_tree([times(term, Fraction(n)) for term in terms])
        terms = (times(whole, Fraction(1, n)),)
    return TrigLeaf("cos" if function == COS else "sin", terms)


def generator_leaf(g: Expr) -> Leaf:
    """Return the leaf of a generator that is neither sine nor cosine."""
    if g.symbol is not None:
        return SymbolLeaf(g.symbol)
    if g is PI:
        return PiLeaf()
    if g.op == "pow":
        return RootLeaf(expression_tree(g.args[0]), g.value.denominator)
    args = tuple(expression_tree(arg) for arg in g.args)
    if g.op == "abs":
        # |ẋ - v|, not |-ẋ + v|
        terms = open_sum(args[0])
        if terms[0].coefficient < 0:
            args = (sum_tree([negative(term) for term in terms]),)
    return applied_leaf(g.value, args) if g.op == "apply" else CallLeaf(g.op, args)


def _expr_key(e: Expr) -> tuple:
    # numbers stand last in an angle
    return (e.op == "const", product_rank(expression_tree(e)))


def expression_tree(e: Expr) -> Product:
    """Return the print tree of an expression inside of a function."""
    from dalembert.typeset.printer import expr_tree

    return expr_tree(e)
