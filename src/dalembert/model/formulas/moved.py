"""The configuration that a step of velocity leads to, as expressions that hold at zero too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dalembert.expr import Expr, as_expr, cos, sin, sqrt
from dalembert.mechanism import JointKind
from dalembert.recursions.tree import Tree
from dalembert.spatial.rotation import quaternion
from dalembert.spatial.vectors import add, cross, rotate, scale

if TYPE_CHECKING:
    from dalembert.model.model import Model

Three = tuple[Expr, Expr, Expr]

GUARD = 1e-30
"""Added to θ², in rad²: θ stays above zero, at 1e-15, where sin θ / θ is 1 to rounding."""


def moved(model: Model, q: Sequence[Expr], step: Sequence[Expr]) -> list[Expr]:
    """Return q ⊕ step as `Configuration.integrate` does, for code without branches.

    Args:
        model: What moves.
        q: Where it is, ``(nq,)``.
        step: Velocity times time, ``(nv,)``.
    """
    if model.configuration.is_flat:
        return [a + b for a, b in zip(q, step, strict=True)]
    result = list(q)
    for node in Tree.of(model.mechanism).nodes:
        here, way = [q[i] for i in node.positions], [step[i] for i in node.velocities]
        match node.joint.kind:
            case JointKind.SPHERICAL:
                new = _turned(here, (way[0], way[1], way[2]))
            case JointKind.FLOATING:
                new = _carried(here, way)
            case _:
                new = [a + b for a, b in zip(here, way, strict=True)]
        for place, value in zip(node.positions, new, strict=True):
            result[place] = value
    return result


def _carried(here: Sequence[Expr], way: Sequence[Expr]) -> list[Expr]:
    """Return p + R J(w) v and Q ∘ exp w."""
    v, w = (way[0], way[1], way[2]), (way[3], way[4], way[5])
    # J(w) v = v + (1 - cos θ)/θ² w × v + (θ - sin θ)/θ³ w × (w × v)
    angle = _angle(w)
    half = sin(angle / 2) / (angle / 2)
    across = cross(w, v)
    along = add(v, scale(half**2 / 2, across))
    # what cancels near zero is multiplied by θ²
    along = add(along, scale((angle - sin(angle)) / angle**3, cross(w, across)))
    R = quaternion.to_matrix((here[3], here[4], here[5], here[6]))
    p = add((here[0], here[1], here[2]), rotate(R, along))
    return [*map(as_expr, p), *_turned(here[3:], w)]


def _turned(Q: Sequence[Expr], w: Three) -> list[Expr]:
    """Return Q ∘ exp w."""
    half = _angle(w) / 2
    turn = (cos(half), *scale(sin(half) / half / 2, w))
    return [as_expr(x) for x in quaternion.product((Q[0], Q[1], Q[2], Q[3]), turn)]


def _angle(w: Three) -> Expr:
    return sqrt(w[0] ** 2 + w[1] ** 2 + w[2] ** 2 + GUARD)
