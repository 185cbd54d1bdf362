"""Ground that is not level: heights on a grid beside SciPy's splines, and motions known by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.mechanism.parts.shape import Box, Sphere
from dalembert.simulation import Ground, HeightField, TimeStepping, rollout, simulate

G = 9.81
STATE = 1e-9


def body(shape, inertia=(0.004, 0.004, 0.004)):
    b = da.Builder("body", gravity=(0, 0, -G)).link("body", mass=1, inertia=inertia)
    return da.compile(b.shape("body", shape).floating("free", "body").build())


def test_heights_are_a_bicubic_spline(rng: np.random.Generator) -> None:
    heights = rng.normal(size=(6, 9))
    field = HeightField(heights, size=(2.5, 4.0), center=(1.0, -2.0))
    x, y = da.parameters("x y")
    run = da.compile_function(field(x, y), {"x": x, "y": y})
    a, b = np.linspace(-0.25, 2.25, 6), np.linspace(-4, 0, 9)
    # SciPy's spline along one axis, then along the other
    along = CubicSpline(b, heights, axis=1, bc_type="natural")
    for px, py in rng.uniform((-0.25, -4), (2.25, 0), (40, 2)):
        expected = CubicSpline(a, along(py), bc_type="natural")(px)
        assert run(px, py) == pytest.approx(float(expected), abs=1e-12)
    assert run(a[3], b[7]) == pytest.approx(heights[3, 7], abs=1e-12)
    # beyond its edges it is level
    assert run(9.0, b[2]) == pytest.approx(heights[-1, 2], abs=1e-12)


def test_a_slope_is_an_inclined_plane() -> None:
    a, end, radius = 0.4, 0.5, 0.1
    i = 2 * radius**2 / 5
    ball = body(Sphere(radius), (i, i, i))
    slope = Ground(0.5, height=lambda x, y: -math.tan(a) * x)
    normal = np.array([math.sin(a), 0, math.cos(a)])
    start = [*(radius * normal), 1, 0, 0, 0]
    motion = simulate(ball, start, None, end, events=[slope])
    # it rolls with 5/7 g sin a
    way = 5 / 7 * G * math.sin(a) * end**2 / 2
    expected = radius * normal + way * np.array([math.cos(a), 0, -math.sin(a)])
    assert motion.ok
    assert motion.q[-1, :3] == pytest.approx(expected, abs=STATE)


def test_a_ball_swings_in_a_valley_without_loss() -> None:
    big, radius, angle = 1.0, 0.05, 0.5
    valley = Ground(0, height=lambda x, y: big - da.sqrt(big * big - x * x))
    s = big - radius
    start = [s * math.sin(angle), 0, big - s * math.cos(angle), 1, 0, 0, 0]
    start[2] += 1e-4
    motion = simulate(body(Sphere(radius)), start, None, 1.5, events=[valley])
    assert motion.ok
    # its centre stays on a circle, to the cube of radius times curvature
    x, z = motion.q[-1, [0, 2]]
    assert math.hypot(x, z - big) == pytest.approx(s, abs=radius**3)
    # it begins with a short fall; after that nothing is lost
    assert motion.energy_error < 1e-9


def test_a_box_slides_down_a_slope_of_a_grid() -> None:
    field = HeightField([[-0.4, -0.4], [0.4, 0.4]], size=(4, 2))
    a = math.atan(0.2)
    turn = [math.cos(a / 2), 0, -math.sin(a / 2), 0]
    start = [-0.05 * math.sin(a), 0, 0.05 * math.cos(a) + 1e-12, *turn]
    box = body(Box((0.3, 0.2, 0.1)))
    ground = Ground(0.1, height=field)
    runs = rollout(box, start, None, 100, method=TimeStepping(1e-3), events=[ground], record=None)
    # tan a = 0.2: half of the pull is left
    way = G * (math.sin(a) - 0.1 * math.cos(a)) * 1e-6 * 100 * 101 / 2
    assert runs.q[-1, 0] == pytest.approx(start[0] - way * math.cos(a), abs=1e-7)
    assert runs.residuals is not None
    assert runs.residuals.depth < 1e-9


def test_errors_say_what_to_do() -> None:
    with pytest.raises(EvaluationError, match="a coarser grid"):
        HeightField(np.zeros((100, 100)), (1, 1))
    with pytest.raises(EvaluationError, match="2 rows and columns"):
        HeightField([[1.0, 2.0]], (1, 1))
    with pytest.raises(EvaluationError, match="positive lengths"):
        HeightField(np.zeros((3, 3)), (1, 0))
    with pytest.raises(EvaluationError, match="finite"):
        HeightField([[0, math.nan], [0, 0]], (1, 1))
    ball = body(Sphere(0.1))
    with pytest.raises(EvaluationError, match="a function of two expressions"):
        Ground(height=lambda x: x).rows(ball)  # type: ignore[arg-type]
    (other,) = da.parameters("other")
    with pytest.raises(EvaluationError, match="depends on two coordinates, got other"):
        Ground(height=lambda x, y: x * other).rows(ball)
    with pytest.raises(EvaluationError, match="finite numbers for the height of Ground"):
        Ground(height=math.inf)
