"""Inertia tensors by integration over solids of constant density."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from dalembert.expr import Expr, Matrix, Scalar, as_expr, constant

Moment = Callable[[int, int, int], Expr]


def inertia_from_moments(moment: Moment) -> Matrix:
    """Return the inertia tensor I from the volume moments ∫ xᵃ yᵇ zᶜ ρ dV.

    I_xx = ∫ (y² + z²) ρ dV, I_xy = -∫ xy ρ dV and so on (Penn, video 3.4).
    """
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    m = [[moment(*(a + b for a, b in zip(u, v, strict=True))) for v in axes] for u in axes]
    trace = m[0][0] + m[1][1] + m[2][2]
    return Matrix([[(trace if i == j else 0) - m[i][j] for j in range(3)] for i in range(3)])


def block_inertia(
    mass: Scalar, sides: Sequence[Scalar], corner: Sequence[Scalar] | None = None
) -> Matrix:
    """Return the inertia tensor of a block with sides along the axes.

    The block extends from ``corner`` to ``corner + sides``; by default it is centred, so the
    tensor is about the centre of mass. With ``corner=(0, 0, 0)`` it is about a corner.

    >>> from dalembert import parameters
    >>> m, a, b, c = parameters("m a b c")
    >>> block_inertia(m, (a, b, c))[0, 0]
    m (b² + c²)/12
    """
    lengths = [as_expr(x) for x in sides]
    start = [-x / 2 for x in lengths] if corner is None else [as_expr(x) for x in corner]
    density = as_expr(mass) / (lengths[0] * lengths[1] * lengths[2])

    def moment(*exponents: int) -> Expr:
        # the triple integral of a monomial over a box is a product of three integrals
        product = density
        for n, x0, length in zip(exponents, start, lengths, strict=True):
            product = product * _integral(n, x0, x0 + length)
        return product

    return inertia_from_moments(moment)


def _integral(n: int, lower: Expr, upper: Expr) -> Expr:
    """Return ∫ xⁿ dx from lower to upper."""
    return constant(Fraction(1, n + 1)) * (upper ** (n + 1) - lower ** (n + 1))
