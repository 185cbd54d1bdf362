"""Momenta of a mechanism and its inertia in the space of a task, over any scalar."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.recursions.constraints.factorization import factorise
from dalembert.recursions.dynamics.composite import composite_inertias, mass_matrix
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.kinematics import (
    center_of_mass,
    forward_kinematics,
    jacobian,
    jacobian_rate,
)
from dalembert.recursions.motions import link_velocities
from dalembert.recursions.tree import Column, Tree, Values
from dalembert.spatial.vectors import ZERO, Scalar, Vec, add, cross, ratio, rotate, sub


def momentum(tree: Tree, q: Values, v: Values) -> tuple[Vec, Vec]:
    """Return linear and angular momentum (about the world's origin) of the moving links."""
    linear: Vec = ZERO
    angular: Vec = ZERO
    X_W = forward_kinematics(tree, q)
    for i, (node, twist) in enumerate(
        zip(tree.nodes, link_velocities(tree, tree.poses(q), v), strict=True)
    ):
        R, p = X_W[i + 1]
        P, L = (rotate(R, x) for x in node.inertia.momentum(*twist))
        linear = add(linear, P)
        angular = add(angular, add(L, cross(p, P)))
    return linear, angular


def centroidal_momentum(tree: Tree, q: Values, v: Values) -> tuple[Vec, Vec]:
    """Return linear momentum, and angular momentum about the centre of mass."""
    linear, angular = momentum(tree, q, v)
    m, h = center_of_mass(tree, q)
    c = (ratio(h[0], m), ratio(h[1], m), ratio(h[2], m))
    return linear, sub(angular, cross(c, linear))


def centroidal_map(tree: Tree, q: Values) -> list[Column]:
    """Return the columns (linear, angular) of A with A v the `centroidal_momentum`.

    D. E. Orin, A. Goswami and S.-H. Lee, Autonomous Robots 35 (2013): each column is the momentum
    of what is behind a joint, moved to the centre of mass. Armature counts, as there, in none.
    """
    poses, X_W = tree.poses(q), forward_kinematics(tree, q)
    m, h = center_of_mass(tree, q)
    c = (ratio(h[0], m), ratio(h[1], m), ratio(h[2], m))
    composite = composite_inertias(tree, poses)
    columns: list[Column] = [(ZERO, ZERO)] * tree.nv
    for node, body, (R, p) in zip(tree.nodes, composite, X_W[1:], strict=True):
        for place, twist in zip(node.velocities, node.columns, strict=True):
            # P and L + (p - c) × P
            P, L = (rotate(R, x) for x in body.momentum(*twist))
            L = add(L, cross(sub(p, c), P))
            old = columns[place]
            columns[place] = add(old[0], P), add(old[1], L)
    return columns


def operational_inertia(
    tree: Tree, q: Values, frame: str, rows: Sequence[int] = range(6)
) -> list[list[Scalar]]:
    """Return Λ = (J M⁻¹ Jᵀ)⁻¹ of a frame, for some rows of its world-aligned J.

    Rows 0 to 2 are linear, 3 to 5 angular. J must have full rank in these rows.
    """
    Lambda, _, _ = _task_inertia(tree, q, frame, rows)
    return Lambda


def operational_space(
    tree: Tree,
    q: Values,
    v: Values,
    frame: str,
    rows: Sequence[int] = range(6),
    *,
    bias: Sequence[Scalar] | None = None,
) -> tuple[list[list[Scalar]], list[Scalar], list[list[Scalar]]]:
    """Return Λ, μ and J̄ of a frame: F = Λ ẍ + μ moves it, with τ = Jᵀ F.

    J̄ = M⁻¹ Jᵀ Λ is the inverse of J that spends the least kinetic energy, and
    μ = J̄ᵀ h - Λ J̇ v with the bias h (that of the rigid bodies unless given). Khatib (1987).
    """
    h = inverse_dynamics(tree, q, v, [0] * tree.nv) if bias is None else bias
    Lambda, J, solved = _task_inertia(tree, q, frame, rows)
    rates = jacobian_rate(tree, q, v, frame)
    drift = [_dot([(*u, *w)[k] for u, w in rates], list(v)) for k in rows]
    n = len(J)
    inverse = [
        [_dot([solved[k][i] for k in range(n)], [Lambda[k][j] for k in range(n)]) for j in range(n)]
        for i in range(tree.nv)
    ]
    mu = [
        _dot([inverse[i][k] for i in range(tree.nv)], h) - _dot(Lambda[k], drift) for k in range(n)
    ]
    return Lambda, mu, inverse


def _task_inertia(
    tree: Tree, q: Values, frame: str, rows: Sequence[int]
) -> tuple[list[list[Scalar]], list[list[Scalar]], list[list[Scalar]]]:
    """Return Λ, the rows of J and those of (M⁻¹ Jᵀ)ᵀ."""
    columns = jacobian(tree, q, frame)
    J = [[(*u, *w)[k] for u, w in columns] for k in rows]
    factor = factorise(mass_matrix(tree, q))
    # M⁻¹ Jᵀ, column by column, then the small inverse
    solved = [factor.solve(row) for row in J]
    inverse = [[_dot(row, column) for column in solved] for row in J]
    return factorise(inverse).matrix_inverse(), J, solved


def _dot(a: Values, b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
