"""How far a state is from a reference, also where q has quaternions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.control.references.base import Motion

if TYPE_CHECKING:
    from dalembert.model.configuration import Configuration
    from dalembert.types import Array


def tracking_error(configuration: Configuration, q: Array, v: Array, desired: Motion) -> Motion:
    """Return q_d - q, q̇_d - q̇ and q̈_d as the joints at q see them, each ``(..., nv)``.

    Of orientations and free bodies, X_d = X exp(η) with body-fixed twists: the error is η, and the
    velocity of the reference at X is w = Ad(exp η) v_d. With the error ξ = v - w of velocities
    ẇ = Ad(exp η) v̇_d - [ξ, w]: where v̇ = ẇ - D ξ + K η, ξ̇ = -D ξ + K η.
    """
    if configuration.is_flat:
        return Motion(desired.position - q, desired.velocity - v, desired.acceleration)
    way = configuration.difference(q, desired.position)
    if not (desired.velocity.any() or desired.acceleration.any()):
        return Motion(way, -v, desired.acceleration)
    from scipy.linalg import expm

    # G η = -[v, η] is `transport`, and Ad(exp η) = exp([η, ·])
    Ad = expm(-configuration.transport(way))
    w = _times(Ad, desired.velocity)
    turning = _times(configuration.transport(v - w), w)
    return Motion(way, w - v, _times(Ad, desired.acceleration) + turning)


def _times(A: Array, x: Array) -> Array:
    return (A @ x[..., None])[..., 0]
