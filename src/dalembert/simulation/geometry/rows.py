"""One point that touches a surface: its gap, its velocity, and the rows of its contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import as_expr
from dalembert.model.border import number_in
from dalembert.simulation.laws.base import Row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dalembert.expr import Expr


class ContactPoint(NamedTuple):
    """One point near a surface.

    Attributes:
        name: What touches.
        gap: Distance from the surface in m, negative inside it.
        velocity: Of the material point that touches, against the surface, along two tangents and
            the normal, in m/s.
    """

    name: str
    gap: Expr
    velocity: tuple[Expr, Expr, Expr]


def rows_of(points: Iterable[ContactPoint], friction: float, restitution: float) -> list[Row]:
    """Return the rows of contacts with one coefficient of friction and one restitution."""
    rows: list[Row] = []
    mu = as_expr(friction)
    for name, gap, (first, second, normal) in points:
        rows.append(Row(name, normal, gap, restitution))
        slides = [u for u in (first, second) if friction and u != 0]
        # what moves in a plane has friction along a line
        disc = f"{name} friction" if len(slides) == 2 else ""
        for number, u in enumerate(slides, 1):
            along = f"{disc} {number}" if disc else f"{name} friction"
            rows.append(Row(along, u, kinetic=mu, static=mu, normal=(name,), disc=disc))
    return rows


def check_coefficients(friction: float, restitution: float, where: str) -> None:
    """Raise unless μ ≥ 0 and 0 ≤ e ≤ 1."""
    number_in(friction, f"the friction of {where}", least=0)
    number_in(restitution, f"the restitution of {where}", least=0, most=1)
