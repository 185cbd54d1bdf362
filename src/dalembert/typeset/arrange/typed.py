"""The print tree of an expression as it was typed: nothing multiplied out, nothing collected."""

from __future__ import annotations

from fractions import Fraction

from dalembert.expr import PI, Expr, Kind, postorder
from dalembert.typeset.arrange.grouping import join, ordered_sum
from dalembert.typeset.arrange.quotient import finish, over
from dalembert.typeset.tree import (
    CallLeaf,
    PiLeaf,
    Power,
    Product,
    RootLeaf,
    Sum,
    SymbolLeaf,
    TrigLeaf,
    applied_leaf,
    leaf_tree,
    negative,
    number,
    open_sum,
)

MAX_NODES = 200
MAX_LEAVES = 200


def typed_tree(e: Expr) -> Product | None:
    """Return the tree of the expression as written, or None if it is large or an equation.

    An equation of motion is read by its accelerations, whatever way it was written.
    """
    nodes = postorder([e])
    if len(nodes) > MAX_NODES:
        return None
    sizes: dict[Expr, int] = {}
    trees: dict[Expr, Product] = {}
    for node in nodes:
        sizes[node] = sum(sizes[arg] for arg in node.args) or 1
        symbol = node.symbol
        if sizes[node] > MAX_LEAVES:
            return None
        if symbol is not None and symbol.kind is Kind.COORDINATE and symbol.order > 1:
            return None
        trees[node] = _node_tree(node, [trees[arg] for arg in node.args])
    return finish(trees[e])


def _node_tree(node: Expr, args: list[Product]) -> Product:
    match node.op:
        case "const":
            return number(node.value)
        case "symbol":
            assert node.symbol is not None
            return leaf_tree(SymbolLeaf(node.symbol))
        case "add":
            return _sum(args)
        case "sub":
            return _sum([args[0], negative(args[1])])
        case "neg":
            return negative(args[0])
        case "mul":
            return join(*args)
        case "div":
            return over(*args)
        case "pow":
            return _raised(args[0], node.value)
        case "sin" | "cos" | "tan":
            return _trig_tree(node.op, args[0])
        case "apply":
            return leaf_tree(applied_leaf(node.value, tuple(args)))
        case _:
            return leaf_tree(PiLeaf() if node is PI else CallLeaf(node.op, tuple(args)))


def _sum(terms: list[Product]) -> Product:
    """Return the sum, like terms added."""
    total: dict[tuple, Fraction] = {}
    for term in (inner for p in terms for inner in open_sum(p)):
        key = (term.factors, term.under)
        total[key] = total.get(key, Fraction(0)) + term.coefficient
    return ordered_sum([Product(k, *key) for key, k in total.items() if k])


def _raised(p: Product, exponent: Fraction) -> Product:
    n, degree = exponent.numerator, exponent.denominator
    if degree > 1:
        return Product(Fraction(1), (Power(RootLeaf(p, degree), n),))
    factors = tuple(Power(x.base, x.exponent * n) for x in p.factors)
    under = tuple(Power(x.base, x.exponent * n) for x in p.under)
    return Product(p.coefficient**n, factors, under)


def _trig_tree(function: str, arg: Product) -> Product:
    """Return sin, cos or tan of an angle that starts with a positive term."""
    terms = open_sum(arg)
    if terms[0].coefficient >= 0:
        return leaf_tree(TrigLeaf(function, terms))
    turned = leaf_tree(TrigLeaf(function, tuple(map(negative, terms))))
    return turned if function == "cos" else negative(turned)


def keeps_a_form(p: Product) -> bool:
    """Tell whether a tree is one product, or holds a power of a sum: b (a + b), k (x - l)²/2.

    A quotient is not: its terms may read better one by one.
    """
    terms = open_sum(p)
    return (len(terms) == 1 and not p.under) or any(
        isinstance(x.base, Sum) and x.exponent > 1 for term in terms for x in term.factors
    )
