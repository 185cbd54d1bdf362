"""Why M is positive, as data: q̇ᵀM q̇ = Σ w f², and which q̇ vanish where all f do.

A form f is linear in q̇, and a weight w shows its sign. Of a link in its own axes they are its mass
with the velocity of its centre, and its moments of inertia with its angular velocity. `standing`
says what follows where they all vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from dalembert.certificates.description import simplest
from dalembert.expr import ZERO, Expr, Matrix, as_expr, ddt, gradient, total
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.proofs.links import link_twists
from dalembert.mechanics.proofs.positivity import gram_terms
from dalembert.mechanics.system.body import Body
from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.resistance.spring_inertia import spring_inertias
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import add, cross


@dataclass(frozen=True)
class Square:
    """A weight with the slopes of its form: f = Σ slopes[j] q̇ⱼ."""

    weight: Expr
    slopes: tuple[Expr, ...]


Group = list[Square]
"""The squares of one body, or of bodies that are fixed to each other."""


def squares_of(eq: Equations) -> list[Group]:
    """Return groups of squares whose sum is q̇ᵀM q̇, or should be: the checker compares."""
    if eq.tree is not None:
        groups = list(_of_tree(eq.tree, eq))
    elif eq.system.bodies:
        groups = [_of_body(body, eq) for body in eq.system.bodies]
    else:
        groups = _of_kinetic_energy(eq)
    return [[s for s in group if s.weight is not ZERO] for group in groups]


def _of_kinetic_energy(eq: Equations) -> list[Group]:
    """Return the squares that T shows, those of one weight together, else the diagonal of M."""
    terms, n = gram_terms(eq.system), len(eq.coordinates)
    if terms is None:
        units = [[as_expr(int(i == j)) for j in range(n)] for i in range(n)]
        return [[Square(eq.M[k, k], tuple(row))] for k, row in enumerate(units)]
    groups: dict[Expr, Group] = {}
    for term in terms:
        groups.setdefault(term.weight[0], []).append(Square(term.weight[0], tuple(term.J)))
    return list(groups.values())


def _of_body(body: Body, eq: Equations) -> Group:
    def square(weight: Expr, form: Expr) -> Square:
        return Square(weight, tuple(gradient(form, eq.velocities)))

    found = [square(as_expr(body.mass), ddt(x)) for x in body.r]
    w = body.rotation_rate()
    if isinstance(body.inertia, Matrix):
        assert isinstance(body.orientation, Matrix) and w is not None
        # ω in the axes of the body
        return found + _of_tensor(body.inertia.rows, list(body.orientation.T @ w), eq)
    if w is not None:
        found.append(square(as_expr(body.inertia), w[0]))
    return found


def _of_tree(tree: Tree, eq: Equations) -> Iterator[Group]:
    """Yield a group for each link with the links that are fixed to it, rotors and springs."""
    n = tree.nv
    groups: dict[int, Group] = {}
    home = [0]
    for number, (node, J) in enumerate(
        zip(tree.nodes, link_twists(tree, eq.coordinates)[1:], strict=True), 1
    ):
        home.append(number if node.velocities else home[node.parent])
        m, has_center = as_expr(node.inertia.m), not is_zero(node.inertia.m)
        c = [simplest(as_expr(x)) for x in node.inertia.com()] if has_center else [0, 0, 0]
        tensor = node.inertia.about_com() if has_center else node.inertia.tensor
        columns: list[Any] = [(0, 0, 0)] * n
        turns: list[Any] = [(0, 0, 0)] * n
        for i, (u, w) in J.items():
            columns[i], turns[i] = add(u, cross(w, (c[0], c[1], c[2]))), w
        group = groups.setdefault(home[-1], [])
        group += [Square(m, _row(columns, k)) for k in range(3)]
        group += _squares(tensor, [_row(turns, k) for k in range(3)])
        if has_armature(node):
            for i in node.velocities:
                row = [as_expr(int(i == j)) for j in range(n)]
                group.append(Square(as_expr(armature(node)), tuple(row)))
    yield from groups.values()
    for weight, row in spring_inertias(tree, eq.coordinates):
        yield [Square(as_expr(weight), tuple(map(as_expr, row)))]


def _row(columns: Sequence[Sequence[Any]], k: int) -> tuple[Expr, ...]:
    return tuple(as_expr(column[k]) for column in columns)


def _of_tensor(I: Sequence[Sequence[Any]], w: Sequence[Expr], eq: Equations) -> Group:
    return _squares(I, [tuple(gradient(x, eq.velocities)) for x in w])


def _squares(I: Sequence[Sequence[Any]], rows: Sequence[tuple[Expr, ...]]) -> Group:
    """Return ωᵀI ω as squares: of a diagonal tensor its entries, of numbers L D Lᵀ."""
    tensor = [[simplest(as_expr(x)) for x in row] for row in I]
    if all(tensor[i][j] is ZERO for i, j in combinations(range(3), 2)):
        return [Square(tensor[k][k], rows[k]) for k in range(3)]
    if any(x.op != "const" for row in tensor for x in row):
        # symbolic products of inertia show no sign
        raise NotShown("symbolic products of inertia: their tensor is not a sum of squares")
    A = [[Fraction(x.value) for x in row] for row in tensor]
    found = []
    for k in range(3):
        pivot = A[k][k]
        if pivot:
            ratios = [x / pivot for x in A[k]]
            slopes = tuple(
                total([as_expr(c) * row[j] for c, row in zip(ratios, rows, strict=True) if c])
                for j in range(len(rows[0]))
            )
            found.append(Square(as_expr(pivot), slopes))
            A = [[A[i][j] - ratios[i] * pivot * ratios[j] for j in range(3)] for i in range(3)]
        elif any(A[k]):
            raise NotShown("a tensor of inertia that is not nonnegative")
    return found


class NotShown(Exception):
    """A claim that a certificate cannot make; the message says why."""
