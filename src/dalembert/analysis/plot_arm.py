"""Draw an arm as a stick figure, with ellipsoids at its tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.ellipsoid import Ellipsoid, Kind, ellipsoid
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

COLORS = {"velocity": "#1f77b4", "force": "#d62728"}
# the longest half axis, as a part of the size of the arm
SIZE = 0.22


def plot_arm(
    model: Model,
    q: ArrayLike,
    frame: str,
    *,
    ellipsoids: Sequence[Kind] = ("velocity", "force"),
    planar: bool | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the arm at q with the ellipsoids of the frame's position; return matplotlib's axes.

    Ellipsoids are scaled to the arm, each kind by itself: their shape tells, and the legend has
    the half axes.

    Args:
        q: One configuration ``(nq,)``.
        planar: Draw in the x-y plane; found out from the joints unless given.
        ax: Axes to draw on, with three dimensions for a spatial arm; a new figure unless given.
    """
    q = np.asarray(q, float)
    if q.ndim != 1:
        raise EvaluationError(f"expected one configuration (nq,) to draw, got shape {q.shape}")
    sticks = _sticks(model, q, frame)
    J = model.jacobian(q, frame)[:3]
    tool = model.forward_kinematics(q, frame)[:3, 3]
    points = np.concatenate([tool[None], *sticks])
    if planar is None:
        planar = bool(np.abs(J[2]).max() == 0 and np.ptp(points[:, 2]) < 1e-9)
    dimensions = 2 if planar else 3
    if ax is None:
        ax = _new_axes(planar)
    size = max(float(np.ptp(points, axis=0).max()), 1e-9)
    half = (0.5 + SIZE) * size * 1.05
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    for stick in sticks:
        if not planar:
            # its shadow on the floor shows where it is in depth
            floor = np.full(len(stick), middle[2] - half)
            ax.plot(stick[:, 0], stick[:, 1], floor, color="#bbbbbb", lw=2, zorder=1)
        ax.plot(*stick[:, :dimensions].T, "-o", color="#444444", lw=3, ms=6, mfc="white", zorder=3)
        ax.plot(*stick[:1, :dimensions].T, "s", color="#444444", ms=9, zorder=4)
    ax.plot(*tool[None, :dimensions].T, "o", color="black", ms=5, zorder=5)
    for kind in ellipsoids:
        _draw(ax, ellipsoid(J[:dimensions], kind), tool[:dimensions], size)
    _finish(ax, planar, middle, half)
    ax.set_title(f"{model.name}: {frame}")
    return ax


def _new_axes(planar: bool) -> Axes:
    import matplotlib.pyplot as plt

    options = {} if planar else {"projection": "3d"}
    return plt.subplots(figsize=(6.4, 5.6), layout="constrained", subplot_kw=options)[1]


def _sticks(model: Model, q: Array, frame: str) -> list[Array]:
    """Return lines from the root to every tip, and to the frame, each ``(k, 3)``."""
    description = model.mechanism
    X = dict(
        zip(
            (link.name for link in description.links),
            model.forward_kinematics(q)[:, :3, 3],
            strict=True,
        )
    )
    above = {joint.child: joint.parent for joint in description.joints}
    parents = set(above.values())
    lines = []
    for tip in [link for link in X if link not in parents]:
        names = [tip]
        while names[-1] in above:
            names.append(above[names[-1]])
        line = [X[name] for name in reversed(names)]
        if description.frame(frame).link == tip:
            line.append(model.forward_kinematics(q, frame)[:3, 3])
        lines.append(np.array(line))
    return lines


def _draw(ax: Any, shape: Ellipsoid, center: Array, size: float) -> None:
    finite = shape.lengths[np.isfinite(shape.lengths)]
    # a singular arm resists without bound along an axis: drawn long, the legend says it
    largest = finite.max() if len(finite) and finite.max() > 0 else 1.0
    lengths = np.where(np.isfinite(shape.lengths), shape.lengths, 3 * largest)
    scaled = Ellipsoid(shape.kind, shape.axes, lengths * (SIZE * size / lengths.max()))
    color = COLORS[shape.kind]
    words = ", ".join(_length(shape, x) for x in shape.lengths)
    label = f"{shape.kind} ellipsoid: {words}"
    points = center + scaled.points()
    if len(center) == 2:
        ax.fill(*points.T, color=color, alpha=0.18, lw=0)
        ax.plot(*points.T, color=color, lw=1.6, label=label)
    else:
        x, y, z = np.moveaxis(points, -1, 0)
        ax.plot_surface(x, y, z, color=color, alpha=0.25, lw=0, rstride=2, cstride=2)
        ax.plot([], [], [], color=color, lw=4, label=label)
    for axis, length in zip(scaled.axes.T, scaled.lengths, strict=True):
        ends = np.stack([center - length * axis, center + length * axis])
        ax.plot(*ends.T, color=color, lw=1.0, ls="--")


def _length(shape: Ellipsoid, x: float) -> str:
    """Return a half axis as text; at a singularity rounding leaves neither 0 nor ∞."""
    if shape.kind == "force" and x > 1e9 * shape.lengths[-1]:
        return "∞"
    return "0" if shape.kind == "velocity" and x < 1e-9 * shape.lengths[0] else f"{x:.3g}"


def _finish(ax: Any, planar: bool, middle: Array, half: float) -> None:
    names = "xy" if planar else "xyz"
    for k, name in enumerate(names):
        getattr(ax, f"set_{name}label")(f"{name} in m")
        getattr(ax, f"set_{name}lim")(middle[k] - half, middle[k] + half)
    if planar:
        ax.set_aspect("equal")
        ax.grid(alpha=0.3)
    else:
        ax.set_box_aspect((1, 1, 1))
    if ax.get_legend_handles_labels()[1]:
        ax.legend(loc="upper left", fontsize="small")
