"""Twists (linear, angular) and wrenches (force, moment): cross products and changes of frame."""

from __future__ import annotations

from typing import Any

from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec, add, cross, dot, rotate, scale, unrotate

Six = tuple[Vec, Vec]


def plus(a: Six, b: Six) -> Six:
    """Return a + b."""
    return add(a[0], b[0]), add(a[1], b[1])


def times(k: Any, a: Six) -> Six:
    """Return k a."""
    return scale(k, a[0]), scale(k, a[1])


def power(a: Six, f: Six) -> Any:
    """Return the pairing of a twist and a wrench."""
    return dot(a[0], f[0]) + dot(a[1], f[1])


def twist_cross(a: Six, b: Six) -> Six:
    """Return a × b, the rate of the twist b carried by the motion a."""
    (u, w), (x, y) = a, b
    return add(cross(w, x), cross(u, y)), cross(w, y)


def wrench_cross(a: Six, f: Six) -> Six:
    """Return a ×* f, the rate of the wrench f carried by the motion a."""
    (u, w), (x, n) = a, f
    return cross(w, x), add(cross(w, n), cross(u, x))


def twist_to_child(X_PC: Pose, a: Six) -> Six:
    """Return a twist of the parent's frame, at the child's origin and in its axes."""
    R, p = X_PC
    u, w = a
    return unrotate(R, add(u, cross(w, p))), unrotate(R, w)


def wrench_to_parent(X_PC: Pose, f: Six) -> Six:
    """Return a wrench of the child's frame, at the parent's origin and in its axes."""
    R, p = X_PC
    force = rotate(R, f[0])
    return force, add(rotate(R, f[1]), cross(p, force))
