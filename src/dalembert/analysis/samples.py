"""Configurations within the limits of the joints: at random, or on a grid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from dalembert.errors import EvaluationError, InvalidMechanism, TooLarge

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

MAX_GRID = 20_000_000
CHUNK = 20_000
HINGES = ("revolute", "continuous", "helical")


Bounds: TypeAlias = "tuple[ArrayLike, ArrayLike]"
"""Lower and upper q, each a number or ``(nq,)``."""


def box(model: Model, bounds: Bounds | None = None) -> tuple[Array, Array]:
    """Return bounds of q: those given, or the limits, with a full turn for hinges without them.

    A free base stays where it is, and a ball joint has its quaternion in [-1, 1].

    Raises:
        InvalidMechanism: If a slider has no limits.
    """
    if bounds is not None:
        return _checked(model, bounds)
    lower, upper = model.configuration.lower.copy(), model.configuration.upper.copy()
    at = 0
    for joint in model.mechanism.moving_joints:
        kind, place = joint.kind.value, slice(at, at + joint.nq)
        at += joint.nq
        if kind in HINGES:
            lower[place] = np.where(np.isfinite(lower[place]), lower[place], -math.pi)
            upper[place] = np.where(np.isfinite(upper[place]), upper[place], math.pi)
        elif kind == "spherical":
            lower[place], upper[place] = -1, 1
        elif kind == "floating":
            lower[place] = upper[place] = model.configuration.neutral[place]
        elif not np.isfinite([lower[place], upper[place]]).all():
            raise InvalidMechanism(
                f"expected limits of the slider {joint.name!r} of {model.name} to "
                "sample it, got none: give bounds="
            )
    return lower, upper


def _checked(model: Model, bounds: Bounds) -> tuple[Array, Array]:
    try:
        lower, upper = (np.broadcast_to(np.asarray(b, float), (model.nq,)) for b in bounds)
    except ValueError:
        raise EvaluationError(
            f"expected bounds (lower, upper) of {model.nq} numbers each, got {bounds}"
        ) from None
    if not (np.isfinite(lower) & np.isfinite(upper) & (lower <= upper)).all():
        raise EvaluationError(f"expected finite bounds, lower ≤ upper, got {bounds}")
    return lower.copy(), upper.copy()


def random_configurations(
    model: Model, count: int, seed: int = 0, bounds: Bounds | None = None
) -> Array:
    """Return configurations uniform within the bounds, ``(count, nq)``."""
    if count < 1:
        raise EvaluationError(f"expected at least one sample, got {count}")
    rng = np.random.default_rng(seed)
    lower, upper = box(model, bounds)
    q = rng.uniform(lower, upper, (count, model.nq))
    at = 0
    for joint in model.mechanism.moving_joints:
        if joint.kind.value == "spherical":
            # normal numbers have no preferred direction
            q[:, at : at + 4] = rng.normal(size=(count, 4))
        at += joint.nq
    return model.configuration.normalized(q)


def grid_configurations(model: Model, points: ArrayLike, bounds: Bounds | None = None) -> Array:
    """Return the grid with so many points for every joint, or one number for each joint."""
    if not model.configuration.is_flat:
        raise InvalidMechanism(
            f"expected scalar joints for a grid, got others in {model.name}: use samples="
        )
    counts = np.broadcast_to(np.asarray(points, int), (model.nq,))
    if (counts < 1).any() or math.prod(int(k) for k in counts) > MAX_GRID:
        raise TooLarge(
            f"expected a grid of 1 to {MAX_GRID:,} points, got {tuple(map(int, counts))} for the "
            f"{model.nq} joints: use fewer, or samples="
        )
    lower, upper = box(model, bounds)
    # one point stands in the middle
    axes = [
        np.linspace(a, b, k) if k > 1 else np.array([(a + b) / 2])
        for a, b, k in zip(lower, upper, counts, strict=True)
    ]
    return np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], axis=-1)


def chunks(q: Array, text: str, *, progress: bool) -> Iterator[Array]:
    """Yield the rows in parts, with a progress bar on the error stream while it takes long."""
    parts = [q[i : i + CHUNK] for i in range(0, len(q), CHUNK)]
    if not progress or len(parts) == 1:
        yield from parts
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(parts, text, console=Console(stderr=True), transient=True)
