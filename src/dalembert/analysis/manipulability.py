"""Measures of a Jacobian by its singular values σ₁ ≥ … ≥ σ_m.

Lengths and angles have different units: take rows of one kind, or scale them, before comparing
directions by these numbers. All functions take arrays ``(..., m, n)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np

from dalembert.analysis.symbolic import (
    symbolic_condition_number,
    symbolic_dexterity,
    symbolic_singular_values,
)
from dalembert.errors import EvaluationError
from dalembert.expr import Expr, Matrix
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike


class VelocityErrorBounds(NamedTuple):
    """Bounds of ‖Δq̇‖/‖Δξ‖ for an error Δξ of the tool's velocity."""

    lower: Array
    upper: Array


def checked_jacobian(J: ArrayLike) -> Array:
    """Return J as an array of floats ``(..., m, n)``."""
    array = finite_array(J, "the Jacobian")
    if array.ndim < 2 or 0 in array.shape[-2:]:
        raise EvaluationError(
            f"expected Jacobians of shape (..., m, n), got an array of shape {array.shape}"
        )
    return array


@overload
def singular_values(J: Matrix, *, positive: Sequence[Expr] = ()) -> Matrix: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def singular_values(J: ArrayLike, *, positive: Sequence[Expr] = ()) -> Array: ...
def singular_values(J: Matrix | ArrayLike, *, positive: Sequence[Expr] = ()) -> Matrix | Array:
    """Return σ, largest first, ``(..., min(m, n))``; of expressions a column in closed form.

    A `da.Matrix` has at most two rows or two columns: then σ² solves a quadratic equation.

    Raises:
        TooLarge: a matrix of expressions with more; call it with ``J.evaluate(values)``.

    >>> import dalembert as da
    >>> a, b = da.parameters("a b")
    >>> print(singular_values(da.Matrix([[a, b]])))
    [√(a² + b²)]
    """
    if isinstance(J, Matrix):
        return symbolic_singular_values(J, positive)
    return np.linalg.svd(checked_jacobian(J), compute_uv=False)


@overload
def manipulability(J: Matrix, *, positive: Sequence[Expr] = ()) -> Expr: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def manipulability(J: ArrayLike, *, positive: Sequence[Expr] = ()) -> Array: ...
def manipulability(J: Matrix | ArrayLike, *, positive: Sequence[Expr] = ()) -> Expr | Array:
    """Return Yoshikawa's measure μ = √det(J Jᵀ) = Π σ; |det J| of a square J.

    A tall J (fewer joints than rows) has μ = √det(Jᵀ J), the product of its singular values too.

    Args:
        J: Numbers ``(..., m, n)``; or a `da.Matrix` of expressions, which gives the exact
            expression, |det J| in factors when it is square.
        positive: Symbols known to be positive: they need no absolute value.

    Reference: T. Yoshikawa, Manipulability of robotic mechanisms, IJRR 4(2), 1985.

    >>> float(manipulability([[2.0, 0.0], [1.0, -3.0]]))
    6.0
    """
    if isinstance(J, Matrix):
        return J.volume(positive)
    J = checked_jacobian(J)
    if J.shape[-1] == J.shape[-2]:
        return np.abs(np.linalg.det(J))
    return np.prod(singular_values(J), axis=-1)


@overload
def condition_number(J: Matrix, *, positive: Sequence[Expr] = ()) -> Expr: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def condition_number(J: ArrayLike, *, positive: Sequence[Expr] = ()) -> Array: ...
def condition_number(J: Matrix | ArrayLike, *, positive: Sequence[Expr] = ()) -> Expr | Array:
    """Return κ = σ_max/σ_min, at least one; infinite where J is singular.

    A matrix of expressions with one or two rows or columns gives the formula.
    """
    if isinstance(J, Matrix):
        return symbolic_condition_number(J, positive)
    sigma = singular_values(J)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = sigma[..., 0] / sigma[..., -1]
    return np.where(sigma[..., -1] > 0, kappa, np.inf)


@overload
def dexterity(J: Matrix, *, positive: Sequence[Expr] = ()) -> Expr: ...  # pyright: ignore[reportOverlappingOverload]
@overload
def dexterity(J: ArrayLike, *, positive: Sequence[Expr] = ()) -> Array: ...
def dexterity(J: Matrix | ArrayLike, *, positive: Sequence[Expr] = ()) -> Expr | Array:
    """Return σ_min/σ_max = 1/κ, between zero and one.

    A matrix of expressions with one or two rows or columns gives the formula.
    """
    if isinstance(J, Matrix):
        return symbolic_dexterity(J, positive)
    return 1 / condition_number(J)


def isotropy(J: ArrayLike) -> Array:
    """Return the geometric over the arithmetic mean of the σ², between zero and one.

    Δ = (det J Jᵀ)^{1/m} / (tr(J Jᵀ)/m): one where the tool moves alike in all directions. It sees
    all singular values, κ only two of them.

    Reference: J.-O. Kim, P. Khosla, Dexterity measures for design and control of manipulators,
    IROS 1991.
    """
    squares = singular_values(J) ** 2
    mean = squares.mean(axis=-1)
    # by the largest, so that products of small numbers do not vanish
    scaled = squares / np.where(squares[..., :1] > 0, squares[..., :1], 1.0)
    geometric = np.prod(scaled ** (1 / squares.shape[-1]), axis=-1) * squares[..., 0]
    return np.where(mean > 0, geometric / np.where(mean > 0, mean, 1.0), 0.0)


def velocity_error_bounds(J: ArrayLike) -> VelocityErrorBounds:
    """Return 1/σ₁ and 1/σ_m: 1/σ₁ ≤ ‖Δq̇‖/‖Δξ‖ ≤ 1/σ_m.

    An error Δξ of the tool's velocity becomes an error Δq̇ = J⁺ Δξ of the computed joint
    velocities (SUSTech, section 11).
    """
    sigma = singular_values(J)
    with np.errstate(divide="ignore"):
        return VelocityErrorBounds(1 / sigma[..., 0], 1 / sigma[..., -1])


def dynamic_jacobian(J: ArrayLike, M: ArrayLike, effort: ArrayLike | None = None) -> Array:
    """Return J M⁻¹ diag(effort): what torques within their limits give to ẍ at rest.

    Its ellipsoid is that of the accelerations for ‖τ/effort‖ ≤ 1, besides the bias of gravity.
    """
    J, M = checked_jacobian(J), np.asarray(M, float)
    if M.shape[-2:] != (J.shape[-1], J.shape[-1]):
        raise EvaluationError(
            f"expected mass matrices (..., {J.shape[-1]}, {J.shape[-1]}) beside J of shape "
            f"{J.shape}, got {M.shape}"
        )
    # M is symmetric: J M⁻¹ = (M⁻¹ Jᵀ)ᵀ
    result = np.swapaxes(np.linalg.solve(M, np.swapaxes(J, -1, -2)), -1, -2)
    return result if effort is None else result * np.asarray(effort, float)[..., None, :]


def dynamic_manipulability(J: ArrayLike, M: ArrayLike, effort: ArrayLike | None = None) -> Array:
    """Return w = √det(J M⁻¹ L² M⁻ᵀ Jᵀ), L = diag(effort); |det J|/det M of a square J, L = 1.

    Reference: T. Yoshikawa, Dynamic manipulability of robot manipulators, ICRA 1985.
    """
    return manipulability(dynamic_jacobian(J, M, effort))
