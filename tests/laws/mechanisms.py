"""Random chains of rigid bodies, built three times: with dalembert, with SymPy, with NumPy.

A recipe is plain data. The three builders share nothing but it: dalembert differentiates positions,
SymPy does so with its own calculus, and NumPy uses geometric Jacobians (z × (r - o)).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import dalembert as da

AXES = "xyz"


class Joint(NamedTuple):
    """A joint and the body behind it; lengths are rationals, angles multiples of π or a symbol."""

    kind: str  # "revolute" or "prismatic"
    axis: int
    offset: tuple[Fraction, ...]
    twist_axis: int
    twist: Fraction | str  # of π, or the name of a parameter
    centre: tuple[Fraction, ...]


class Recipe(NamedTuple):
    """A chain with springs and dampers; ``loop`` names the coordinates of its tip held fixed."""

    joints: tuple[Joint, ...]
    springs: tuple[tuple[int, int], ...]
    dampers: tuple[int, ...]
    loop: tuple[int, ...]
    is_planar: bool

    @property
    def num_joints(self) -> int:
        return len(self.joints)


def random_recipe(rng: np.random.Generator, num_joints: int, *, planar: bool, loop: int) -> Recipe:
    """Return a chain; in the plane all revolute axes are z and all else lies in x, y."""

    def length() -> Fraction:
        return Fraction(int(rng.integers(-4, 5)), int(rng.integers(1, 5)))

    def vector() -> tuple[Fraction, ...]:
        return (length() + Fraction(1, 3), length(), Fraction(0) if planar else length())

    joints = []
    symbolic = int(rng.integers(0, num_joints + 1))  # at most one twist is a parameter
    for k in range(num_joints):
        kind = "prismatic" if rng.random() < 0.3 else "revolute"
        axis = int(rng.integers(0, 2 if planar else 3))
        if planar and kind == "revolute":
            axis = 2
        twist: Fraction | str = [Fraction(0), Fraction(1, 2), Fraction(-1, 3)][
            int(rng.integers(0, 3))
        ]
        if k == symbolic:
            twist = f"beta{k + 1}"
        twist_axis = 2 if planar else int(rng.integers(0, 3))
        joints.append(Joint(kind, axis, vector(), twist_axis, twist, vector()))
    pairs = [(i, j) for i in range(num_joints) for j in range(i + 1)]
    springs = tuple(p for p in pairs if rng.random() < 0.3)
    dampers = tuple(i for i in range(num_joints) if rng.random() < 0.4)
    tip = tuple(sorted(rng.choice(2 if planar else 3, size=loop, replace=False).tolist()))
    return Recipe(tuple(joints), springs, dampers, tip, planar)


def has_moving_tip(recipe: Recipe) -> bool:
    """Tell whether every held coordinate of the tip moves independently of the others."""
    q = np.linspace(0.3, 1.1, recipe.num_joints)
    values = dict.fromkeys(parameter_names(recipe), 0.7)
    J = tip_jacobian(recipe, q, values)
    return not recipe.loop or np.linalg.matrix_rank(J, tol=1e-6) == len(recipe.loop)


def parameter_names(recipe: Recipe) -> list[str]:
    """Return the names of all parameters that a recipe can use."""
    n = range(1, recipe.num_joints + 1)
    names = [f"{x}{i}" for i in n for x in ("m", "Ix", "Iy", "Iz", "c", "beta")]
    return [*names, *(f"k{i}_{j}" for i in n for j in n), "g", "h1", "h2", "h3"]


# ---- with dalembert


def build(recipe: Recipe) -> da.System:
    """Return the chain as a `System` of bodies, gravity along -y."""
    n = recipe.num_joints
    q = da.coordinates(" ".join(f"q{i + 1}" for i in range(n)))
    tau = da.inputs(" ".join(f"tau{i + 1}" for i in range(n)))
    turn = (da.rotation_x, da.rotation_y, da.rotation_z)
    R, p = da.Matrix.identity(3), da.Matrix.zeros(3, 1)
    bodies = []
    for k, joint in enumerate(recipe.joints):
        twist = joint.twist
        angle = da.parameters(twist)[0] if isinstance(twist, str) else twist * da.pi
        p = p + R @ da.Matrix.column(joint.offset)
        R = R @ turn[joint.twist_axis](angle)
        if joint.kind == "revolute":
            R = R @ turn[joint.axis](q[k])
        else:
            p = p + R.col(joint.axis) * q[k]
        m, Ix, Iy, Iz = da.parameters(f"m{k + 1} Ix{k + 1} Iy{k + 1} Iz{k + 1}")
        centre = p + R @ da.Matrix.column(joint.centre)
        bodies.append(da.Body(m, centre, da.Matrix.diagonal([Ix, Iy, Iz]), R))
    (g,) = da.parameters("g")
    potential, dissipation = as_sum(_springs(recipe, q)), as_sum(_dampers(recipe, q))
    tip = bodies[-1].r
    heights = da.parameters("h1 h2 h3")
    return da.System.from_bodies(
        bodies,
        coordinates=q,
        gravity=(0, -g, 0),
        potential=potential,
        dissipation=dissipation,
        forces=tau,
        constraints=[tip[i] - heights[i] for i in recipe.loop],
    )


def as_sum(terms: list[da.Expr]) -> da.Expr | int:
    return sum(terms[1:], terms[0]) if terms else 0


def _springs(recipe: Recipe, q: tuple[da.Expr, ...]) -> list[da.Expr]:
    terms = []
    for i, j in recipe.springs:
        (k,) = da.parameters(f"k{i + 1}_{j + 1}")
        stretch = q[i] if i == j else q[i] - q[j]
        terms.append(k * stretch**2 / 2)
    return terms


def _dampers(recipe: Recipe, q: tuple[da.Expr, ...]) -> list[da.Expr]:
    return [da.parameters(f"c{i + 1}")[0] * q[i].dot ** 2 / 2 for i in recipe.dampers]


# ---- with SymPy


def sympy_lagrangian(recipe: Recipe) -> tuple[sp.Expr, list[Any]]:
    """Return L = T - V and the coordinates, with SymPy's own matrices and derivatives."""
    t = sp.Symbol("t")
    n = recipe.num_joints
    q: list[Any] = [dynamicsymbols(f"q{i + 1}") for i in range(n)]
    R, p = sp.eye(3), sp.zeros(3, 1)
    L = sp.Integer(0)
    for k, joint in enumerate(recipe.joints):
        twist = joint.twist
        angle = sp.Symbol(twist) if isinstance(twist, str) else _rational(twist) * sp.pi
        p = p + R * sp.Matrix([_rational(x) for x in joint.offset])
        R = R * _sympy_turn(joint.twist_axis, angle)
        if joint.kind == "revolute":
            R = R * _sympy_turn(joint.axis, q[k])
        else:
            p = p + R[:, joint.axis] * q[k]
        m, *inertia = sp.symbols(f"m{k + 1} Ix{k + 1} Iy{k + 1} Iz{k + 1}")
        centre = p + R * sp.Matrix([_rational(x) for x in joint.centre])
        v = centre.diff(t)
        W = R.T * R.diff(t)  # body axes
        w = [W[2, 1], W[0, 2], W[1, 0]]
        L += m * (v.T * v)[0] / 2 + sum(I * x**2 for I, x in zip(inertia, w, strict=True)) / 2
        L -= m * sp.Symbol("g") * centre[1]
    for i, j in recipe.springs:
        stretch = q[i] if i == j else q[i] - q[j]
        L -= sp.Symbol(f"k{i + 1}_{j + 1}") * stretch**2 / 2
    return L, q


def _rational(x: Fraction) -> Any:
    return sp.Rational(x.numerator, x.denominator)


def _sympy_turn(axis: int, angle: Any) -> sp.Matrix:
    s, c = sp.sin(angle), sp.cos(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = sp.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


# ---- with NumPy: geometric Jacobians, analytic so that a complex step may enter


def _numpy_turn(axis: int, angle: Any) -> np.ndarray:
    s, c = np.sin(angle), np.cos(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3, dtype=complex)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


class Frame(NamedTuple):
    """Where body k is: centre r, rotation R, Jacobians of both."""

    r: np.ndarray
    R: np.ndarray
    Jv: np.ndarray
    Jw: np.ndarray


def frames(recipe: Recipe, q: np.ndarray, values: dict[str, float]) -> list[Frame]:
    """Return the pose and the geometric Jacobians of every body."""
    n = recipe.num_joints
    R, p = np.eye(3, dtype=complex), np.zeros(3, dtype=complex)
    axes: list[tuple[str, np.ndarray, np.ndarray]] = []
    result = []
    for k, joint in enumerate(recipe.joints):
        twist = joint.twist
        angle = values[twist] if isinstance(twist, str) else float(twist) * np.pi
        p = p + R @ np.array(joint.offset, float)
        R = R @ _numpy_turn(joint.twist_axis, angle)
        z = R[:, joint.axis]
        if joint.kind == "revolute":
            axes.append(("revolute", z, p))
            R = R @ _numpy_turn(joint.axis, q[k])
        else:
            p = p + z * q[k]
            axes.append(("prismatic", z, p))
        r = p + R @ np.array(joint.centre, float)
        Jv, Jw = np.zeros((3, n), complex), np.zeros((3, n), complex)
        for j, (kind, z_j, o_j) in enumerate(axes):
            if kind == "revolute":
                Jv[:, j], Jw[:, j] = np.cross(z_j, r - o_j), z_j
            else:
                Jv[:, j] = z_j
        result.append(Frame(r, R, Jv, Jw))
    return result


def mass_matrix(recipe: Recipe, q: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """Return Σ m JvᵀJv + Jwᵀ R I Rᵀ Jw."""
    M = np.zeros((recipe.num_joints,) * 2, complex)
    for k, f in enumerate(frames(recipe, q, values)):
        I = np.diag([values[f"I{x}{k + 1}"] for x in AXES])
        M += values[f"m{k + 1}"] * f.Jv.T @ f.Jv + f.Jw.T @ f.R @ I @ f.R.T @ f.Jw
    return M


def gravity_and_springs(recipe: Recipe, q: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """Return ∂V/∂q from Jacobians and stretches."""
    N = np.zeros(recipe.num_joints)
    for k, f in enumerate(frames(recipe, q, values)):
        N += values[f"m{k + 1}"] * values["g"] * np.real(f.Jv[1])
    for i, j in recipe.springs:
        force = values[f"k{i + 1}_{j + 1}"] * (q[i] if i == j else q[i] - q[j])
        N[i] += force
        if i != j:
            N[j] -= force
    return N


def damping(recipe: Recipe, v: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """Return ∂R/∂q̇."""
    drag = np.zeros(recipe.num_joints)
    for i in recipe.dampers:
        drag[i] = values[f"c{i + 1}"] * v[i]
    return drag


def tip_jacobian(recipe: Recipe, q: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """Return the rows of the tip's Jacobian that the loop holds."""
    return np.real(frames(recipe, q, values)[-1].Jv[list(recipe.loop)])


def tip_bias(recipe: Recipe, q: np.ndarray, v: np.ndarray, values: dict[str, float]) -> np.ndarray:
    """Return J̇ q̇ of the held tip coordinates, by a complex step along q̇."""
    step = 1e-30
    moved = frames(recipe, q + 1j * step * v, values)[-1].Jv[list(recipe.loop)]
    return np.imag(moved) / step @ v
