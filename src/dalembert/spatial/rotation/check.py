"""Whether a matrix is a rotation: orthonormal, right-handed axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.errors import EvaluationError
from dalembert.spatial.vectors import Mat, Scalar, cross, dot, transpose

if TYPE_CHECKING:
    from dalembert.types import Array, ArrayLike

ROTATION_TOLERANCE = 1e-5
"""Largest defect of a rotation: six decimals, each rounded by up to 5e-7, leave up to 2e-6."""


def rotation_defects(R: Mat) -> tuple[Scalar, ...]:
    """Return nine numbers that vanish for rotations only, over any scalar.

    Of the columns x, y, z: xᵀx - 1, yᵀy - 1, zᵀz - 1, xᵀy, yᵀz, zᵀx and x × y - z.

    >>> rotation_defects(((0, -1, 0), (1, 0, 0), (0, 0, 1)))
    (0, 0, 0, 0, 0, 0, 0, 0, 0)
    """
    x, y, z = transpose(R)
    n = cross(x, y)
    return (
        *(dot(a, a) - 1 for a in (x, y, z)),
        *(dot(a, b) for a, b in ((x, y), (y, z), (z, x))),
        *(n[k] - z[k] for k in range(3)),
    )


def rotation_error(R: ArrayLike) -> float:
    """Return the largest defect of matrices ``(..., 3, 3)``; nan where an entry is."""
    import numpy as np

    A = np.asarray(R, dtype=float)
    rows = tuple(tuple(A[..., i, j] for j in range(3)) for i in range(3))
    defects = rotation_defects(rows)  # type: ignore[arg-type]
    return float(np.max(np.abs(defects), initial=0.0))


def is_rotation(R: ArrayLike) -> bool:
    """Tell whether all matrices ``(..., 3, 3)`` are rotations, to `ROTATION_TOLERANCE`.

    >>> is_rotation([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    True
    >>> is_rotation([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    False
    """
    return rotation_error(R) <= ROTATION_TOLERANCE


def checked_rotation(R: ArrayLike, name: str) -> Array:
    """Return matrices ``(..., 3, 3)`` as an array, after a check that each is a rotation.

    Raises:
        EvaluationError: another shape, or axes that are not orthonormal and right-handed.
    """
    import numpy as np

    A = np.asarray(R, dtype=float)
    if A.shape[-2:] != (3, 3):
        raise EvaluationError(f"expected a 3 × 3 rotation matrix for {name}, got shape {A.shape}")
    error = rotation_error(A)
    # the negation also refuses nan
    if not error <= ROTATION_TOLERANCE:
        raise EvaluationError(
            f"expected a rotation matrix for {name}, got one that is off by {error:.2g}: give "
            "orthonormal right-handed axes"
        )
    return A
