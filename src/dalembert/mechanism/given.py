"""What a person gives: lists of the right length and poses, or an error that says what is wrong."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.spatial.exact import exact_vector, rotation_from_quaternion
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.quaternion import from_matrix

if TYPE_CHECKING:
    from dalembert.types import ArrayLike


def items(value: object, counts: Collection[int] | None, expected: str, where: str) -> list[Any]:
    """Return the entries of a list, a tuple or an array whose number is one of ``counts``.

    >>> items((1, 2), [2], "two numbers", "joint 'j'")
    [1, 2]
    """
    try:
        found = None if isinstance(value, str | bytes) else list(value)  # type: ignore[call-overload]
    except TypeError:
        found = None
    if found is None or (counts is not None and len(found) not in counts):
        count = "" if found is None else f"{len(found)}: "
        raise InvalidMechanism(f"expected {expected} for {where}, got {count}{value!r:.60}")
    return found


def pose(value: Pose | ArrayLike, where: str) -> Pose:
    """Return a pose that was given as one, or as a homogeneous matrix of numbers, 4 × 4.

    The rotation of a matrix becomes the exactly orthogonal one beside it.

    >>> pose([[0, -1, 0, 2], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "placement=").p
    (2, 0, 0)

    Raises:
        InvalidMechanism: it is neither, or the matrix is no pose.
    """
    if isinstance(value, Pose):
        return value
    import numpy as np

    from dalembert.spatial.arrays import check_poses

    try:
        X = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        X = np.zeros(0)
    if X.shape != (4, 4) or not np.isfinite(X).all():
        raise InvalidMechanism(
            f"expected a Pose or a 4 × 4 matrix of numbers for {where}, got {value!r:.60}"
        )
    try:
        check_poses(X, where)
    except EvaluationError as error:
        raise InvalidMechanism(str(error)) from None
    R = rotation_from_quaternion(*from_matrix(X[:3, :3].tolist()))
    return Pose(R, exact_vector(X[:3, 3].tolist()))
