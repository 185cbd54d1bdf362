"""Draw an arm as a stick figure, with ellipsoids at its tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.ellipsoid import Ellipsoid, Kind, ellipsoid
from dalembert.analysis.pictures.axes import AxesDrawing
from dalembert.errors import EvaluationError
from dalembert.model.pictures.place import PictureFunction
from dalembert.picture import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.model import Model
    from dalembert.picture import Placed
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
    J = model.jacobian(q, frame)[:3]
    tool = model.forward_kinematics(q, frame)[:3, 3]
    placed = PictureFunction(model, model.description.picture()).placed(np.zeros(1), q[None])
    points = np.concatenate([tool[None], placed.shown[0]])
    if planar is None:
        planar = bool(np.abs(J[2]).max() == 0 and np.ptp(points[:, 2]) < 1e-9)
    dimensions = 2 if planar else 3
    if ax is None:
        ax = _new_axes(planar)
    size = max(float(np.ptp(points, axis=0).max()), 1e-9)
    half = (0.5 + SIZE) * size * 1.05
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    if not planar:
        _draw_shadow(ax, placed, float(middle[2] - half))
    AxesDrawing(ax, placed, is_planar=planar)
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


def _draw_shadow(ax: Any, placed: Placed, floor: float) -> None:
    """Draw the shadow of the rods on the floor, which shows where they are in depth."""
    for part in placed.parts:
        if isinstance(part, Line):
            at = placed.positions[0][placed.ends(part)]
            level = np.full(len(at), floor)
            ax.plot(at[:, 0], at[:, 1], level, color="#bbbbbb", lw=2, zorder=1)


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
