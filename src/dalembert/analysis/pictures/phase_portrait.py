"""Phase portraits: lines of motion, points of rest, separatrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.pictures.plane import Plane, Rest
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.model import Model
    from dalembert.model.calling import Values
    from dalembert.types import Array, ArrayLike

GRID = 241
LEVELS = 14
LINES, SEPARATRIX, REST = "#4878a8", "#c0392b", "#222222"
MARKS = {
    "centre": {"marker": "o", "mfc": REST},
    "attracting": {"marker": "o", "mfc": REST},
    "repelling": {"marker": "o", "mfc": "white"},
    "saddle": {"marker": "X", "mfc": "white"},
}


def phase_portrait(
    model: Model,
    q_range: tuple[float, float] | None = None,
    v_range: tuple[float, float] | None = None,
    *,
    coordinate: int | str = 0,
    at: ArrayLike | None = None,
    inputs: ArrayLike | None = None,
    parameters: Values = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the phase portrait of one coordinate; return matplotlib's axes.

    Where the energy is kept, lines of motion are its contours, and separatrices the contours
    through the saddles; elsewhere they are streamlines, and separatrices the motions into and out
    of saddles. Filled circles are centres and points that attract, empty ones points that repel,
    crosses saddles.

    Args:
        q_range: Of the coordinate; -3π/2 to 3π/2 unless given.
        v_range: Of its velocity; as far as the largest potential in the range carries.
        coordinate: Its place or name, of a model with several; the others are held where ``at``
            says: a cut, not a motion, unless they are zero along it.
        at: Configuration ``(nq,)`` of the other coordinates; the neutral one unless given.
        inputs: Constant torques, or inputs of a system; zero unless given.
        parameters: Values of open parameters.
        ax: Axes to draw on; a new figure unless given.

    >>> import dalembert as da
    >>> (a,) = da.coordinates("a")
    >>> pendulum = da.System(kinetic=a.dot**2 / 2, potential=-da.cos(a), coordinates=[a])
    >>> ax = phase_portrait(da.compile(pendulum))
    >>> ax.get_xlabel()
    '$a$'
    """
    plane = _plane(model, coordinate, at, inputs, parameters)
    low, high = q_range or (-1.5 * np.pi, 1.5 * np.pi)
    rests = plane.rests(low, high)
    slow, fast = v_range or _speeds(plane, rests, low, high)
    x, v = np.meshgrid(np.linspace(low, high, GRID), np.linspace(slow, fast, GRID))
    plane.check_autonomous(x[::20, ::20], v[::20, ::20])
    ax = ax or _axes()
    if plane.keeps_energy(x[::20, ::20], v[::20, ::20]):
        _contours(ax, plane, rests, (x, v, plane.energy(x, v)))
    else:
        _streams(ax, plane, x, v)
        for rest in rests:
            if rest.kind == "saddle":
                for curve in plane.separatrices(rest, (low, high, slow, fast)):
                    ax.plot(*curve.T, color=SEPARATRIX, lw=1.6, zorder=3)
    for rest in rests:
        ax.plot(rest.q, 0.0, color=REST, ms=8, ls="", zorder=5, **MARKS[rest.kind])  # type: ignore[arg-type]
    _finish(ax, model, plane.place, (low, high, slow, fast))
    return ax


def _plane(
    model: Model,
    coordinate: int | str,
    at: ArrayLike | None,
    inputs: ArrayLike | None,
    parameters: Values,
) -> Plane:
    names = model.configuration.q_names
    if not model.configuration.is_flat:
        raise EvaluationError("expected coordinates that are numbers, got orientations")
    if model.description.has_constraints:
        raise EvaluationError(
            "expected a model without constraints for a phase portrait, got some: describe it by "
            "independent coordinates"
        )
    known = {name: k for k, name in enumerate(names)}
    place = known.get(coordinate, -1) if isinstance(coordinate, str) else coordinate
    if place not in range(model.nq):
        raise EvaluationError(f"expected a coordinate among {', '.join(names)}, got {coordinate}")
    q = model.neutral if at is None else finite_array(at, "at", (model.nq,))
    m = len(model.symbols.inputs)
    u = np.zeros(m) if inputs is None else finite_array(inputs, "inputs", (m,))
    return Plane(model, place, q, u, parameters)


def _axes() -> Axes:
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(7.0, 4.8), layout="constrained")[1]


def _speeds(plane: Plane, rests: list[Rest], low: float, high: float) -> tuple[float, float]:
    """Return velocities as large as the fall through the largest potential gives, and a third."""
    x = np.linspace(low, high, GRID)
    a = plane.acceleration(x, np.zeros_like(x))
    # work of the field along the axis, per inertia
    work = np.concatenate([[0.0], np.cumsum((a[1:] + a[:-1]) / 2 * np.diff(x))])
    fall = float(np.ptp(work))
    fastest = 1.35 * np.sqrt(2 * fall) if fall > 0 else (high - low) / 2
    return -fastest, fastest


def _contours(ax: Axes, plane: Plane, rests: list[Rest], grid: tuple[Array, Array, Array]) -> None:
    """Draw contours of the energy, those through saddles apart, and arrows along them."""
    x, v, h = grid
    zero = np.array(0.0)
    at_rest = [(r, float(plane.energy(np.array(r.q), zero))) for r in rests]
    saddles = sorted({round(e, 12) for r, e in at_rest if r.kind == "saddle"})
    # evenly in the square root of the energy above its least value: even steps of amplitude
    least = float(h.min())
    steps = np.linspace(0, np.sqrt(float(h.max()) - least), LEVELS + 2)[1:-1] ** 2 + least
    ax.contour(x, v, h, levels=steps, colors=LINES, linewidths=0.9, linestyles="solid")
    if saddles:
        ax.contour(x, v, h, levels=saddles, colors=SEPARATRIX, linewidths=1.8, linestyles="solid")
    _arrows(ax, plane, x, v)


def _arrows(ax: Axes, plane: Plane, x: Array, v: Array) -> None:
    """Draw the direction of motion on a coarse grid, all arrows of one length."""
    some = (slice(12, None, 27), slice(8, None, 22))
    px, pv = x[some], v[some]
    # lengths on paper, not in units
    dx = pv / np.ptp(x)
    dv = plane.acceleration(px, pv) / np.ptp(v)
    size = np.hypot(dx, dv)
    size[size == 0] = 1.0
    style = {"color": LINES, "alpha": 0.55, "angles": "uv", "pivot": "mid", "scale": 45.0}
    ax.quiver(px, pv, dx / size, dv / size, width=0.0025, headwidth=5, **style)


def _streams(ax: Axes, plane: Plane, x: Array, v: Array) -> None:
    some = (slice(None, None, 6), slice(None, None, 6))
    px, pv = x[some], v[some]
    a = plane.acceleration(px, pv)
    ax.streamplot(px, pv, pv, a, color=LINES, linewidth=0.8, density=1.3, arrowsize=0.9)


def _finish(ax: Axes, model: Model, place: int, box: tuple[float, float, float, float]) -> None:
    ax.set_xlim(*box[:2])
    ax.set_ylim(*box[2:])
    ax.set_xlabel(f"${model.symbols.q[place].latex()}$")
    ax.set_ylabel(f"${model.symbols.qd[place].latex()}$")
    ax.grid(alpha=0.25)
    ax.axhline(0, color="#999999", lw=0.6, zorder=0)
