"""Distances of shapes: against MuJoCo's, a search, and as expressions beside floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.spatial import so3
from dalembert.spatial.distance import (
    Closest,
    Plane,
    box_corners,
    box_to_box,
    capsule_to_box,
    capsule_to_capsule,
    capsule_to_cylinder,
    capsule_to_plane,
    lowest_of_ellipsoid,
    lowest_on_circle,
    nearest_on_segments,
    rim_corners,
    sphere_to_box,
    sphere_to_capsule,
    sphere_to_cylinder,
    sphere_to_plane,
    sphere_to_sphere,
)
from dalembert.spatial.distance.lowest import UPRIGHT
from dalembert.spatial.pose import Pose
from tests.cases import num_cases

LENGTHS = 1e-14
"""Rounding of lengths of about one that are sums of some ten terms."""

ENGINE = 1e-6
"""MuJoCo finds boxes' distances by iterations that end at this tolerance."""

SEARCH = 1e-9
"""Squares of distances that a search of its own has minimised to rounding."""


def pose(rng: np.random.Generator) -> Pose:
    """Return a random pose within a metre."""
    return Pose(so3.exp(tuple(rng.normal(size=3))), tuple(rng.uniform(-1, 1, 3)))


def half_axis(X: Pose, length: float) -> tuple[float, float, float]:
    """Return the vector from the middle of a capsule along z to the end of its axis."""
    return tuple(row[2] * length / 2 for row in X.R)  # type: ignore[return-value]


def check(found: Closest) -> None:
    """The nearest points are at the distance along the normal, a unit vector."""
    first, second, normal = (np.array(x, float) for x in found[1:])
    assert np.abs(first + found.distance * normal - second).max() < LENGTHS
    assert abs(np.linalg.norm(normal) - 1) < LENGTHS


def engine_distance(geoms: list[tuple[str, Pose, list[float]]]) -> float:
    """Return MuJoCo's distance of two shapes."""
    mujoco = pytest.importorskip("mujoco")
    text = ""
    for kind, X, size in geoms:
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.array(X.R, float).ravel())
        place, turn, sizes = (" ".join(repr(float(k)) for k in x) for x in (X.p, quaternion, size))
        text += f"<geom type='{kind}' pos='{place}' quat='{turn}' size='{sizes}'/>"
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return float(mujoco.mj_geomDistance(model, data, 0, 1, 100.0, np.zeros(6)))


def test_spheres_and_capsules_as_mujoco(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(20, scale)):
        A, B = pose(rng), pose(rng)
        a, b, la, lb = rng.uniform(0.05, 0.6, 4)
        balls = [("sphere", A, [a]), ("sphere", B, [b])]
        pills = [("capsule", A, [a, la / 2]), ("capsule", B, [b, lb / 2])]
        ha, hb = half_axis(A, la), half_axis(B, lb)
        pairs = [
            (sphere_to_sphere(A.p, a, B.p, b), balls),
            (sphere_to_capsule(A.p, a, B.p, hb, b), [balls[0], pills[1]]),
            (capsule_to_capsule(A.p, ha, a, B.p, hb, b), pills),
        ]
        for found, geoms in pairs:
            check(found)
            assert found.distance == pytest.approx(engine_distance(geoms), abs=ENGINE)


def test_spheres_and_boxes_as_mujoco(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(20, scale)):
        X, ball, size = pose(rng), pose(rng), tuple(rng.uniform(0.1, 2, 3))
        found = sphere_to_box(ball.p, 0.1, X, size)
        check(found)
        geoms = [("sphere", ball, [0.1]), ("box", X, [k / 2 for k in size])]
        # what is deep inside is left to the closed form below
        if found.distance > -0.1:
            assert found.distance == pytest.approx(engine_distance(geoms), abs=ENGINE)


def test_a_sphere_inside_a_box_leaves_by_the_nearest_face(rng: np.random.Generator) -> None:
    X, size = pose(rng), (2.0, 4.0, 6.0)
    for axis in range(3):
        for side in (-1, 1):
            inside = [0.1, -0.2, 0.15]
            inside[axis] = side * (size[axis] / 2 - 0.25)
            found = sphere_to_box(X.point((inside[0], inside[1], inside[2])), 0.5, X, size)
            check(found)
            assert found.distance == pytest.approx(-0.75, abs=LENGTHS)
            outward = -np.array(X.R, float).T @ np.array(found.normal)
            assert outward == pytest.approx(side * np.eye(3)[axis], abs=LENGTHS)


def searched(a: Any, u: Any, b: Any, v: Any) -> float:
    """Return the distance of two segments: the best of both ends and of the lines' interior."""
    a, u, b, v = (np.array(x, float) for x in (a, u, b, v))

    def to_point(p: Any, c: Any, w: Any) -> float:
        t = np.clip((p - c) @ w / max(w @ w, 1e-300), -1, 1)
        return float(np.linalg.norm(p - c - t * w))

    ends = [to_point(a + s * u, b, v) for s in (-1, 1)] + [
        to_point(b + s * v, a, u) for s in (-1, 1)
    ]
    system = np.array([u, -v]).T
    (s, t), *_ = np.linalg.lstsq(system, b - a, rcond=None)
    inside = abs(s) <= 1 and abs(t) <= 1
    return min(*ends, float(np.linalg.norm(system @ [s, t] + a - b)) if inside else math.inf)


@pytest.mark.parametrize("angle", [1.0, 1e-3, 1e-6, 0.0])
def test_segments_at_any_angle(angle: float, rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(100, scale)):
        a, u, b = rng.normal(size=(3, 3))
        v = rng.uniform(0.2, 2) * u + angle * rng.normal(size=3)
        s, t = nearest_on_segments(tuple(a), tuple(u), tuple(b), tuple(v))
        assert max(abs(s), abs(t)) <= 1 + LENGTHS
        assert np.linalg.norm(a + s * u - b - t * v) == pytest.approx(
            searched(a, u, b, v), abs=SEARCH
        )


def test_segments_without_length_are_points() -> None:
    zero = (0.0, 0.0, 0.0)
    found = capsule_to_capsule((0.0, 0.0, 0.0), zero, 0.5, (0.0, 3.0, 4.0), zero, 0.5)
    assert found.distance == pytest.approx(4, abs=LENGTHS)


def test_shapes_on_an_inclined_plane() -> None:
    plane = Plane((0.0, 0.6, 0.8), 0.5)
    ball = sphere_to_plane((1.0, 2.0, 3.0), 0.25, plane)
    check(ball)
    # 0.6 · 2 + 0.8 · 3 - 0.5 - 0.25
    assert ball.distance == pytest.approx(2.85, abs=LENGTHS)
    ends = capsule_to_plane((1.0, 2.0, 3.0), (0.0, 0.0, 1.0), 0.25, plane)
    assert [end.distance for end in ends] == pytest.approx([3.65, 2.05], abs=LENGTHS)


def test_corners_and_rims() -> None:
    X = Pose(so3.exp((0.0, math.pi / 2, 0.0)), (0.0, 0.0, 1.0))
    corners = np.array(box_corners(X, (2.0, 4.0, 6.0)))
    assert np.sort(corners[:, 2]) == pytest.approx([0.0] * 4 + [2.0] * 4, abs=LENGTHS)
    # a circle about the x axis: its lowest point is below its centre
    end = lowest_on_circle((1.5, 0.0, 1.0), (1.0, 0.0, 0.0), 0.25, (0.0, 0.0, -1.0))
    assert end == pytest.approx((1.5, 0, 0.75), abs=LENGTHS + 0.25 * UPRIGHT**2)
    # one about the vertical has no lowest point
    assert lowest_on_circle((0.0, 0, 1), (0.0, 0, 1), 0.25, (0.0, 0, -1)) == (0, 0, 1)
    rim = np.array(rim_corners(X, 0.25, 3.0, 8))
    assert len(rim) == 16
    assert rim[:, 2].min() == pytest.approx(0.75, abs=LENGTHS)


def test_no_point_of_a_circle_or_an_ellipsoid_is_lower(rng: np.random.Generator) -> None:
    angles, (u, v) = np.linspace(0, 2 * math.pi, 20_001), rng.normal(size=(2, 20_000))
    X, down = pose(rng), np.array(so3.exp(tuple(rng.normal(size=3))))[2]
    axis, R, p = tuple(row[2] for row in X.R), np.array(X.R), np.array(X.p)
    circle = p + 0.3 * (np.outer(np.cos(angles), R[:, 0]) + np.outer(np.sin(angles), R[:, 1]))
    found = np.array(lowest_on_circle(X.p, axis, 0.3, tuple(down)))  # type: ignore[arg-type]
    # a grid of the circle misses its lowest point by the square of its step
    assert down @ found == pytest.approx((circle @ down).max(), abs=1e-7)
    unit = np.array([u, v, rng.normal(size=u.size)])
    points = p + (R @ (np.array([[0.1], [0.2], [0.5]]) * unit / np.linalg.norm(unit, axis=0))).T
    egg = np.array(lowest_of_ellipsoid(X, (0.1, 0.2, 0.5), tuple(down)))
    # on the surface, and no lower one among 20,000 random points
    local = R.T @ (egg - p) / [0.1, 0.2, 0.5]
    assert local @ local == pytest.approx(1, abs=LENGTHS)
    assert 0 <= down @ egg - (points @ down).max() < 1e-3


def test_expressions_and_arrays_are_the_same_numbers(rng: np.random.Generator) -> None:
    symbols = da.parameters("a b c d e f u v w x y z")
    values = rng.normal(size=(12, 50))
    formulas = [
        lambda s: capsule_to_capsule(s[:3], s[3:6], 0.25, s[6:9], s[9:12], 0.5),
        lambda s: sphere_to_capsule(s[:3], 0.25, s[3:6], s[6:9], 0.5),
        lambda s: sphere_to_box(s[:3], 0.25, Pose(p=s[3:6]), (0.5, 1.5, 1.0)),
    ]
    for formula in formulas:
        arrays = formula(tuple(values))
        expressions = formula(symbols)
        for k in range(values.shape[1]):
            numbers = dict(zip(symbols, values[:, k].tolist(), strict=True))
            one = formula(tuple(values[:, k].tolist()))
            check(one)
            assert arrays.distance[k] == pytest.approx(one.distance, abs=LENGTHS)
            assert float(expressions.distance.evaluate(numbers)) == pytest.approx(
                one.distance, abs=LENGTHS
            )
            seen = [float(da.expr.as_expr(x).evaluate(numbers)) for x in expressions.second]
            assert seen == pytest.approx(list(one.second), abs=LENGTHS)


SIZE, OTHER = (0.2, 0.3, 0.1), (0.1, 0.1, 0.3)


@pytest.mark.parametrize("kind", ["boxes", "capsule", "thin"])
def test_depths_are_the_shortest_ways_out(
    kind: str, rng: np.random.Generator, scale: float
) -> None:
    def distance(X: Pose, Y: Pose) -> Closest:
        if kind == "capsule":
            return capsule_to_box(X, 0.05, 0.3, Y, OTHER)
        return box_to_box(X, (0.3, 0, 0) if kind == "thin" else SIZE, Y, OTHER)

    inside = 0
    for _ in range(num_cases(60, scale)):
        X, Y = pose(rng), pose(rng)
        Y = Pose(Y.R, tuple(a + 0.15 * b for a, b in zip(X.p, Y.p, strict=True)))  # type: ignore[arg-type]
        found = distance(X, Y)
        if found.distance >= 0:
            continue
        inside += 1
        check(found)

        def moved(way: np.ndarray, X: Pose = X, Y: Pose = Y) -> float:
            return float(distance(X, Pose(Y.R, tuple(np.array(Y.p, float) + way))).distance)

        # out along the normal they touch, and along no other way sooner
        out = -float(found.distance) * np.array(found.normal, float)
        assert abs(moved(out)) < 1e-12
        for way in rng.normal(size=(6, 3)):
            assert moved(0.999 * np.linalg.norm(out) * way / np.linalg.norm(way)) < 1e-12
    assert inside > 3 * scale


def test_boxes_apart_have_the_distance_of_a_quadratic_program(rng: np.random.Generator) -> None:
    from scipy.optimize import lsq_linear

    for k in range(40):
        X, Y = pose(rng), pose(rng)
        if k < 10:
            # parallel edges and faces
            Y = Pose(X.R, Y.p)
        found = box_to_box(X, SIZE, Y, OTHER)
        if found.distance <= 0:
            continue
        check(found)
        R, S = np.array(X.R, float), np.array(Y.R, float)
        A = np.hstack([S, -R])
        half = np.array([*OTHER, *SIZE]) / 2
        best = lsq_linear(
            A, np.array(X.p, float) - np.array(Y.p, float), (-half, half), tol=1e-14, max_iter=500
        )
        assert abs(np.sqrt(2 * best.cost) - found.distance) < 1e-7


def test_capsules_beside_cylinders(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(20, scale)):
        X, Y = pose(rng), pose(rng)
        half = half_axis(X, 0.3)
        found = capsule_to_cylinder(X.p, half, 0.05, Y, 0.08, 0.3)
        check(found)
        # the nearest of many spheres on its axis
        t = np.linspace(-1, 1, 501)
        spheres = [
            sphere_to_cylinder(
                tuple(a + k * b for a, b in zip(X.p, half, strict=True)),  # type: ignore[arg-type]
                0.05,
                Y,
                0.08,
                0.3,
            ).distance
            for k in t
        ]
        assert found.distance <= min(spheres) + LENGTHS
        assert found.distance > min(spheres) - 1e-4


def test_the_same_lines_are_expressions(rng: np.random.Generator) -> None:
    X, Y = pose(rng), pose(rng)
    numbers = [x for P in (X, Y) for x in (*(k for row in P.R for k in row), *P.p)]
    symbols = da.parameters(" ".join(f"x{k}" for k in range(len(numbers))))

    def of(values: tuple) -> Pose:
        rows = tuple(tuple(values[3 * i : 3 * i + 3]) for i in range(3))
        return Pose(rows, tuple(values[9:]))  # type: ignore[arg-type]

    P, Q = of(symbols[:12]), of(symbols[12:])
    for formula in (
        lambda a, b: box_to_box(a, SIZE, b, OTHER),
        lambda a, b: capsule_to_box(a, 0.05, 0.3, b, OTHER),
        lambda a, b: sphere_to_cylinder(a.p, 0.1, b, 0.08, 0.3),
        lambda a, b: capsule_to_cylinder(a.p, (a.R[0][2], a.R[1][2], a.R[2][2]), 0.1, b, 0.08, 0.3),
    ):
        d, first, second, normal = formula(P, Q)
        compiled = da.compile_function([d, *first, *second, *normal], list(symbols))
        d, first, second, normal = formula(X, Y)
        expected = np.array([d, *first, *second, *normal], float)
        assert np.abs(compiled(np.array(numbers, float)) - expected).max() < LENGTHS
