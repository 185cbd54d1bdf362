"""A tree of links over the ring of its equations."""

from __future__ import annotations

from dalembert.expr import Expr
from dalembert.recursions.tree import Tree
from dalembert.ring import Ring, canonical_all


def over_ring(tree: Tree, ring: Ring) -> Tree:
    """Return the tree with ring elements for expressions; whole numbers stay structural."""
    elements = dict(zip(tree.scalars, canonical_all(ring, tree.scalars), strict=True))
    return tree.map(lambda x: elements[x] if isinstance(x, Expr) else x)
