"""Inertia of solids against quadrature, MuJoCo and each other; meshes against solids."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from dalembert.errors import InvalidExpression
from dalembert.expr import PI, parameters
from dalembert.ring import equal
from dalembert.spatial import mesh_inertia
from dalembert.spatial.exact import rotation_from_quaternion
from dalembert.spatial.inertia import solids
from dalembert.spatial.inertia.consistency import is_consistent
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.inertia.solids import block_inertia
from dalembert.spatial.pose import Pose
from tests.cases import num_cases

# sums of some thousand products of weights
QUADRATURE = 1e-13
# a handful of operations
ROUNDING = 1e-14
# MuJoCo turns inertias into principal axes and back
MUJOCO = 1e-12

Map = Callable[[Any, Any, Any], tuple[Any, Any, Any, Any]]

R, r, L = 0.7, 0.3, 1.9
TURN = (0.0, 2 * math.pi)


def polar(t: Any, phi: Any, z: Any) -> tuple[Any, Any, Any, Any]:
    return t * np.cos(phi), t * np.sin(phi), z, t


def spherical(t: Any, phi: Any, u: Any) -> tuple[Any, Any, Any, Any]:
    side = t * np.sqrt(1 - u * u)
    return side * np.cos(phi), side * np.sin(phi), t * u, t * t


def conical(t: Any, phi: Any, z: Any) -> tuple[Any, Any, Any, Any]:
    wide = 1 - z / L
    x, y, z, k = polar(t * wide, phi, z)
    return x, y, z, k * wide


def bulging(t: Any, phi: Any, u: Any) -> tuple[Any, Any, Any, Any]:
    x, y, z, k = spherical(t, phi, u)
    return x * 0.5, y * 1.1, z * 0.8, k * 0.5 * 1.1 * 0.8


def top_cap(t: Any, phi: Any, u: Any) -> tuple[Any, Any, Any, Any]:
    x, y, z, k = spherical(t, phi, u)
    return x, y, z + L / 2, k


def bottom_cap(t: Any, phi: Any, u: Any) -> tuple[Any, Any, Any, Any]:
    x, y, z, k = top_cap(t, phi, u)
    return x, y, -z, k


def on_shell(_: Any, phi: Any, u: Any) -> tuple[Any, Any, Any, Any]:
    return spherical(R, phi, u)


def on_disc(t: Any, phi: Any, _: Any) -> tuple[Any, Any, Any, Any]:
    return polar(t, phi, 0 * t)


def on_ring(_: Any, phi: Any, __: Any) -> tuple[Any, Any, Any, Any]:
    return polar(R, phi, 0 * phi)


def on_line(t: Any, _: Any, __: Any) -> tuple[Any, Any, Any, Any]:
    return 0 * t, 0 * t, t, 1 + 0 * t


UNIT = (0.0, 1.0)
ALONG = (-L / 2, L / 2)
UP_DOWN = (-1.0, 1.0)

# the solid, and the coordinates (x, y, z, volume element) with their ranges that sweep it
SWEPT: dict[str, tuple[Callable[..., Inertia], list[tuple[Map, tuple[Any, Any, Any]]]]] = {
    "block": (
        lambda **k: solids.block((0.4, 1.2, 0.9), **k),
        [(lambda x, y, z: (x, y, z, 1 + 0 * x), ((-0.2, 0.2), (-0.6, 0.6), (-0.45, 0.45)))],
    ),
    "rod": (lambda **k: solids.rod(L, **k), [(on_line, (ALONG, UNIT, UNIT))]),
    "cylinder": (lambda **k: solids.cylinder(R, L, **k), [(polar, ((0, R), TURN, ALONG))]),
    "tube": (lambda **k: solids.tube(R, r, L, **k), [(polar, ((r, R), TURN, ALONG))]),
    "sphere": (lambda **k: solids.sphere(R, **k), [(spherical, ((0, R), TURN, UP_DOWN))]),
    "hollow sphere": (
        lambda **k: solids.hollow_sphere(R, r, **k),
        [(spherical, ((r, R), TURN, UP_DOWN))],
    ),
    "shell": (lambda **k: solids.spherical_shell(R, **k), [(on_shell, (UNIT, TURN, UP_DOWN))]),
    "ellipsoid": (
        lambda **k: solids.ellipsoid((0.5, 1.1, 0.8), **k),
        [(bulging, (UNIT, TURN, UP_DOWN))],
    ),
    "capsule": (
        lambda **k: solids.capsule(R, L, **k),
        [
            (polar, ((0, R), TURN, ALONG)),
            (top_cap, ((0, R), TURN, UNIT)),
            (bottom_cap, ((0, R), TURN, UNIT)),
        ],
    ),
    "cone": (lambda **k: solids.cone(R, L, **k), [(conical, ((0, R), TURN, (0, L)))]),
    "ring": (lambda **k: solids.ring(R, **k), [(on_ring, (UNIT, TURN, UNIT))]),
    "disc": (lambda **k: solids.disc(R, **k), [(on_disc, ((0, R), TURN, UNIT))]),
}


def quadrature(parts: list[tuple[Map, tuple[Any, Any, Any]]], density: float) -> Inertia:
    """Return the inertia by Gauss's rule, exact for these polynomials in r, z, cos φ and sin φ."""
    nodes, weights = np.polynomial.legendre.leggauss(28)
    total = np.zeros(10)
    for place, ranges in parts:
        axes = [(a + b) / 2 + (b - a) / 2 * nodes for a, b in ranges]
        factors = [(b - a) / 2 * weights for a, b in ranges]
        x, y, z, k = place(*np.meshgrid(*axes, indexing="ij"))
        dm = density * k * np.einsum("i,j,k->ijk", *factors)
        one = np.ones_like(dm)
        integrands = [one, x, y, z, y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z]
        total += [float(np.sum(dm * f)) for f in [*integrands, -y * z]]
    m, hx, hy, hz, *I = total.tolist()
    return Inertia(m, (hx, hy, hz), tuple(I))  # type: ignore[arg-type]


def numbers(inertia: Inertia) -> np.ndarray:
    return np.array([inertia.m, *inertia.h, *inertia.I], dtype=float)


@pytest.mark.parametrize("name", SWEPT)
def test_solids_against_quadrature(name: str) -> None:
    build, parts = SWEPT[name]
    by_density = build(density=2.5)
    assert np.allclose(numbers(by_density), numbers(quadrature(parts, 2.5)), atol=QUADRATURE)
    by_mass = build(mass=by_density.m)
    assert np.allclose(numbers(by_mass), numbers(by_density), rtol=ROUNDING, atol=0)


@pytest.mark.parametrize(
    ("geom", "body"),
    [
        ('type="box" size="0.2 0.6 0.45"', solids.block((0.4, 1.2, 0.9), density=700)),
        ('type="sphere" size="0.3"', solids.sphere(0.3, density=700)),
        ('type="capsule" size="0.3 0.55"', solids.capsule(0.3, 1.1, density=700)),
        ('type="cylinder" size="0.3 0.55"', solids.cylinder(0.3, 1.1, density=700)),
        ('type="ellipsoid" size="0.3 0.5 0.4"', solids.ellipsoid((0.3, 0.5, 0.4), density=700)),
    ],
    ids=["box", "sphere", "capsule", "cylinder", "ellipsoid"],
)
def test_solids_against_mujoco(geom: str, body: Inertia) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><compiler inertiafromgeom="true"/><worldbody><body>'
        f'<freejoint/><geom density="700" {geom}/></body></worldbody></mujoco>'
    )
    assert np.allclose(model.body_mass[1], body.m, rtol=MUJOCO)
    I = _mujoco_tensor(mujoco, model)
    assert np.allclose(I, np.array(body.tensor, dtype=float), rtol=0, atol=MUJOCO * I.max())


def _mujoco_tensor(mujoco: Any, model: Any) -> np.ndarray:
    Q = np.zeros(9)
    mujoco.mju_quat2Mat(Q, model.body_iquat[1])
    Q = Q.reshape(3, 3)
    return Q @ np.diag(model.body_inertia[1]) @ Q.T


def test_coefficients_are_exact_fractions() -> None:
    m, a, b, c, rho = parameters("m a b c rho")
    exact = [
        (solids.block((a, b, c), mass=m).I[0], m * (b * b + c * c) / 12),
        (solids.rod(a, mass=m).I[1], m * a * a / 12),
        (solids.cylinder(a, b, density=rho).I[2], PI * rho * a**4 * b / 2),
        (solids.tube(a, b, c, density=rho).I[2], PI * rho * c * (a**4 - b**4) / 2),
        (solids.sphere(a, density=rho).I[0], 8 * PI * rho * a**5 / 15),
        (solids.hollow_sphere(a, b, density=rho).I[0], 8 * PI * rho * (a**5 - b**5) / 15),
        (solids.spherical_shell(a, density=rho).I[0], 8 * PI * rho * a**4 / 3),
        (solids.ellipsoid((a, b, c), mass=m).I[1], m * (a * a + c * c) / 5),
        (solids.cone(a, b, mass=m).about_com()[0][0], 3 * m * (4 * a * a + b * b) / 80),
        (solids.cone(a, b, mass=m).com()[2], b / 4),
        (solids.ring(a, density=rho).I[2], 2 * PI * rho * a**3),
        (solids.disc(a, density=rho).I[0], PI * rho * a**4 / 4),
        # a cylinder with the caps of a sphere, the cylinder's mass and the sphere's
        (
            solids.capsule(a, b, density=rho).I[2],
            solids.cylinder(a, b, density=rho).I[2] + solids.sphere(a, density=rho).I[2],
        ),
    ]
    for value, expected in exact:
        assert equal(value, expected)
    assert solids.ellipsoid((1, 2, 3), mass=Fraction(1, 7)).I[0] == Fraction(13, 35)
    assert solids.hollow_sphere(1, 1, mass=3).I[0] == 2  # ⅔ m r², a thin shell


def test_block_agrees_with_the_tensor_by_integration() -> None:
    m, a, b, c = parameters("m a b c")
    tensor, body = block_inertia(m, (a, b, c)), solids.block((a, b, c), mass=m)
    for i, j in itertools.product(range(3), repeat=2):
        assert equal(tensor[i, j], body.tensor[i][j])


def test_batches_of_solids() -> None:
    radii = np.array([0.1, 0.2, 0.3])
    batch = solids.capsule(radii, 2 * radii, density=1000.0)
    for n, radius in enumerate(radii.tolist()):
        one = solids.capsule(radius, 2 * radius, density=1000.0)
        assert math.isclose(batch.m[n], one.m, rel_tol=ROUNDING)
        assert math.isclose(batch.I[0][n], one.I[0], rel_tol=ROUNDING)


def test_thin_walls_lose_no_digits() -> None:
    wall = 2.0**-40
    shell = solids.spherical_shell(1.0, density=wall)
    hollow = solids.hollow_sphere(1.0, 1.0 - wall, density=1.0)
    # they differ by terms of the order of the wall itself
    assert np.allclose(numbers(hollow), numbers(shell), rtol=4 * wall)


def test_solids_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidExpression, match="got neither: give mass= or density="):
        solids.sphere(1)
    with pytest.raises(InvalidExpression, match="got both"):
        solids.sphere(1, mass=1, density=1)
    for bad in (0, -1.0, math.nan, math.inf, np.array([1.0, -1.0])):
        with pytest.raises(InvalidExpression, match="positive radius"):
            solids.cylinder(bad, 1, mass=1)
    with pytest.raises(InvalidExpression, match="positive mass"):
        solids.rod(1, mass=0)
    with pytest.raises(InvalidExpression, match="less than the outer"):
        solids.tube(1, 2, 1, mass=1)
    with pytest.raises(InvalidExpression, match="less than the outer"):
        solids.hollow_sphere(1, 1, density=1)


CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
# two triangles a side, counter-clockwise from outside
CUBE = [
    *((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)),
    *((2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)),
]


def box(sides: Any, corner: Any = (0, 0, 0)) -> list[Any]:
    return [
        tuple(k + n * side for k, n, side in zip(corner, ends, sides, strict=True))
        for ends in CORNERS
    ]


def test_mesh_of_a_block_exactly() -> None:
    sides, corner = (2, Fraction(3, 2), 5), (1, -7, Fraction(1, 3))
    centre = tuple(k + Fraction(s) / 2 for k, s in zip(corner, sides, strict=True))
    expected = solids.block(sides, density=4).moved(Pose(p=centre))  # type: ignore[arg-type]
    assert mesh_inertia(box(sides, corner), CUBE, 4) == expected
    # floats, and numbers of NumPy, are the same to rounding
    for kind in (np.array(box(sides, corner), dtype=float), np.array(box((2, 3, 5)))):
        other = expected if kind.dtype == float else solids.block((2, 3, 5), density=4)
        if kind.dtype != float:
            other = other.moved(Pose(p=(1, Fraction(3, 2), Fraction(5, 2))))
        assert np.allclose(numbers(mesh_inertia(kind, np.array(CUBE), 4.0)), numbers(other))


def test_mesh_of_a_block_with_symbolic_sides() -> None:
    a, b, c, rho = parameters("a b c rho")
    body = mesh_inertia(box((a, b, c)), CUBE, rho)
    expected = solids.block((a, b, c), density=rho).moved(Pose(p=(a / 2, b / 2, c / 2)))
    for x, y in zip(
        [body.m, *body.h, *body.I], [expected.m, *expected.h, *expected.I], strict=True
    ):
        assert equal(x, y)


def test_mesh_that_is_not_convex_exactly() -> None:
    # an L of three unit cubes extruded by 2: six corners around, bottom and top
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    vertices = [(x, y, z) for z in (0, 2) for x, y in outline]
    top = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    faces = [(c, b, a) for a, b, c in top] + [(a + 6, b + 6, c + 6) for a, b, c in top]
    for a in range(6):
        b = (a + 1) % 6
        faces += [(a, b, b + 6), (a, b + 6, a + 6)]
    cube = solids.block((1, 1, 2), density=3)
    middles = [(Fraction(1, 2), Fraction(1, 2)), (Fraction(3, 2), Fraction(1, 2))]
    middles.append((Fraction(1, 2), Fraction(3, 2)))
    first, *rest = (cube.moved(Pose(p=(x, y, 1))) for x, y in middles)
    for part in rest:
        first = first + part
    assert mesh_inertia(vertices, faces, 3) == first


def random_hull(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    points = rng.normal(size=(30, 3)) * rng.uniform(0.1, 2, 3)
    hull = ConvexHull(points)
    points, inside = points[hull.vertices], points.mean(axis=0)
    number = {old: new for new, old in enumerate(hull.vertices)}
    faces = []
    for simplex in hull.simplices:
        a, b, c = (number[k] for k in simplex)
        outward = np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a] - inside)
        faces.append((a, b, c) if outward > 0 else (a, c, b))
    return points, np.array(faces)


def test_mesh_against_mujoco(rng: np.random.Generator, scale: float) -> None:
    mujoco = pytest.importorskip("mujoco")
    for _ in range(num_cases(5, scale)):
        points, faces = random_hull(rng)
        points = points.astype(np.float32).astype(float)  # MuJoCo keeps meshes in single precision
        spec = mujoco.MjSpec()
        spec.add_mesh(
            name="hull",
            uservert=points.ravel(),
            userface=faces.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT,
        )
        body = spec.worldbody.add_body()
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="hull", density=500.0)
        model = spec.compile()
        ours = mesh_inertia(points, faces, 500.0)
        assert np.allclose(ours.m, model.body_mass[1], rtol=1e-6)
        assert np.allclose(ours.com(), model.body_ipos[1], atol=1e-6)
        I = _mujoco_tensor(mujoco, model)
        assert np.allclose(np.array(ours.about_com()), I, atol=2e-6 * I.max())


def test_mesh_far_away_and_turned_loses_no_digits(rng: np.random.Generator) -> None:
    points, faces = random_hull(rng)
    near = mesh_inertia(points, faces, 7.0)
    X = Pose(rotation_from_quaternion(1, 2, -3, 4), (50, -80, 20))
    Q, p = np.array(X.R, dtype=float), np.array(X.p, dtype=float)
    far = mesh_inertia(points @ Q.T + p, faces, 7.0)
    # what the rounding of the coordinates themselves, 1e-14 of the body's size, allows
    assert np.allclose(numbers(far), numbers(near.moved(X)), rtol=1e-12)
    assert np.allclose(far.com(), near.moved(X).com(), rtol=1e-14)
    assert is_consistent(near)


def test_mesh_scales_with_the_fifth_power(rng: np.random.Generator) -> None:
    points, faces = random_hull(rng)
    one, small = mesh_inertia(points, faces, 1.0), mesh_inertia(points * 2.0**-20, faces, 1.0)
    assert np.allclose(np.array(small.I) * 2.0**100, one.I, rtol=ROUNDING)


@pytest.mark.parametrize("kind", [int, float])
def test_meshes_that_enclose_nothing_are_refused(kind: type) -> None:
    vertices = [tuple(kind(x) for x in v) for v in CORNERS]
    with pytest.raises(InvalidExpression, match=r"3 edges with one triangle only.*fill the holes"):
        mesh_inertia(vertices, CUBE[1:], 1)
    with pytest.raises(InvalidExpression, match=r"same direction.*reverse one"):
        mesh_inertia(vertices, [(0, 3, 1), *CUBE[1:]], 1)
    with pytest.raises(InvalidExpression, match=r"volume -1.*reverse the order of all"):
        mesh_inertia(vertices, [(a, c, b) for a, b, c in CUBE], 1)
    with pytest.raises(InvalidExpression, match="got 2 in one direction and 2 in the other"):
        mesh_inertia(vertices, [*CUBE, *CUBE], 1)
    with pytest.raises(InvalidExpression, match="flat"):
        mesh_inertia(box((kind(1), kind(1), kind(0))), CUBE, 1)
    with pytest.raises(InvalidExpression, match="no triangles"):
        mesh_inertia(vertices, [], 1)
    with pytest.raises(InvalidExpression, match="from 0 to 7, got 8 in triangle 12"):
        mesh_inertia(vertices, [*CUBE, (0, 1, 8)], 1)
    with pytest.raises(InvalidExpression, match="split it"):
        mesh_inertia(vertices, [(0, 1, 3, 2)], 1)
    with pytest.raises(InvalidExpression, match="different corners"):
        mesh_inertia(vertices, [*CUBE, (1, 1, 2)], 1)
    with pytest.raises(InvalidExpression, match="positive density"):
        mesh_inertia(vertices, CUBE, 0)


def test_meshes_of_bad_numbers_are_refused() -> None:
    with pytest.raises(InvalidExpression, match="finite"):
        mesh_inertia([(math.nan, 0.0, 0.0), *CORNERS[1:]], CUBE, 1)
    with pytest.raises(InvalidExpression, match="three coordinates of vertex 0"):
        mesh_inertia([(0, 0), *CORNERS[1:]], CUBE, 1)
    # a flat mesh in a slanted plane: rounding leaves a volume of nothing
    slanted = (
        np.array(box((1.0, 1.0, 0.0))) @ np.array(rotation_from_quaternion(1, 2, 3, 4), float).T
    )
    with pytest.raises(InvalidExpression, match="flat"):
        mesh_inertia(slanted + 0.1, CUBE, 1.0)
