"""A Lagrangian as a sum of pieces with denominators of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.ring import Element

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def lagrangian_pieces(eq: Equations) -> list[Element]:
    """Return elements whose sum is L, first the polynomial one, then one for each denominator."""
    ring, L = eq.ring, eq.forms.L
    fractions = [Element(ring, ring.zero_poly, {key: p}) for key, p in (L.fractions or {}).items()]
    return [Element(ring, L.whole), *fractions]
