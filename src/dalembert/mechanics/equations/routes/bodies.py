"""The bodies behind equations, whether a system was made of them or a mechanism has links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from dalembert.expr import Expr, Matrix, as_expr
from dalembert.mechanics.equations.over_ring import over_ring
from dalembert.mechanics.proofs.identity import ring_for
from dalembert.mechanics.proofs.links import link_twists
from dalembert.recursions.kinematics import forward_kinematics
from dalembert.ring import (
    Element,
    Ring,
    canonical,
    canonical_matrix,
    partials,
    rebuild,
    time_derivative,
)
from dalembert.spatial.inertia.inertia import NO_INERTIA
from dalembert.spatial.vectors import ZERO, Vec, add, scale

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations
    from dalembert.mechanics.system.body import Body
    from dalembert.recursions.tree import Tree


class MovingBody(NamedTuple):
    """A body over the ring: mass, centre of mass r, and, unless it is a particle, ω and I.

    ``spin`` is the angular velocity ω and ``inertia`` the tensor about the centre of mass, both in
    the axes of the body; in the plane they have one entry.
    """

    name: str
    mass: Element
    r: Matrix
    spin: Matrix | None
    inertia: Matrix | None


class Bodies:
    """The bodies of equations, with derivatives in a ring that holds all that they contain."""

    def __init__(self, eq: Equations) -> None:
        self.eq, self.ring = eq, eq.ring
        self.gravity: Matrix | None = None
        if eq.system.bodies:
            self.ring = ring_for(eq, _expressions(eq.system.bodies))
            self.items = [_of_body(self.ring, body) for body in eq.system.bodies]
            if eq.system.gravity is not None:
                self.gravity = canonical_matrix(self.ring, eq.system.gravity)
        elif eq.tree is not None:
            tree = over_ring(eq.tree, self.ring)
            self.items = _of_tree(eq, tree)
            self.gravity = Matrix.column([self.ring.element(x) for x in tree.gravity])
        else:
            self.items = []
        self.d_dt = time_derivative(self.ring, max_order=1)
        self.dq = partials(self.ring, eq.coordinates)
        self.dv = partials(self.ring, eq.velocities)

    def __bool__(self) -> bool:
        return bool(self.items)

    def size(self) -> int:
        """Return how many terms the positions and angular velocities have."""
        columns = [part for body in self.items for part in (body.r, body.spin) if part is not None]
        return sum(len(x) for column in columns for x in column)

    def here(self, x: Element) -> Element:
        """Return an element of the equations in the ring of the bodies."""
        return x if self.ring is self.eq.ring else canonical(self.ring, rebuild(x))

    def velocity(self, body: MovingBody) -> Matrix:
        """Return ṙ."""
        return self.d_dt.of_matrix(body.r)

    def acceleration(self, body: MovingBody) -> Matrix:
        """Return r̈."""
        return self.d_dt.of_matrix(self.velocity(body))

    def inertia_torque(self, body: MovingBody) -> Matrix | None:
        """Return I ω̇ + ω × I ω, Euler's law in the axes of the body."""
        if body.spin is None or body.inertia is None:
            return None
        momentum = body.inertia @ body.spin
        rate = body.inertia @ self.d_dt.of_matrix(body.spin)
        return rate if len(body.spin) == 1 else rate + _cross(body.spin, momentum)

    def kinetic(self, body: MovingBody) -> Element:
        """Return ½ m ṙᵀṙ + ½ ωᵀ I ω."""
        v = self.velocity(body)
        total = body.mass * v.dot(v) / 2
        if body.spin is not None and body.inertia is not None:
            total = total + (body.inertia @ body.spin).dot(body.spin) / 2
        return total

    def weight(self, body: MovingBody) -> Matrix:
        """Return m g, zero without gravity."""
        if self.gravity is None:
            return Matrix.column([self.ring.zero] * len(body.r))
        return self.gravity * body.mass

    def displacement(self, body: MovingBody) -> Matrix:
        """Return ∂r/∂q, a column for each coordinate: δr = ∂r/∂q δq."""
        columns = [d.of_matrix(body.r) for d in self.dq]
        return Matrix([[column[i] for column in columns] for i in range(len(body.r))])

    def turning(self, body: MovingBody) -> Matrix | None:
        """Return ∂ω/∂q̇: the small rotation is ∂ω/∂q̇ δq."""
        if body.spin is None:
            return None
        columns = [d.of_matrix(body.spin) for d in self.dv]
        return Matrix([[column[i] for column in columns] for i in range(len(body.spin))])


def _expressions(bodies: Sequence[Body]) -> list[Expr]:
    found: list[Expr] = []
    for body in bodies:
        found += [as_expr(body.mass), *body.r]
        for part in (body.inertia, body.orientation):
            if part is not None:
                found += part.entries if isinstance(part, Matrix) else [as_expr(part)]
        w = body.rotation_rate()
        found += w.entries if w is not None else []
    return found


def _of_body(ring: Ring, body: Body) -> MovingBody:
    mass, r = canonical(ring, as_expr(body.mass)), canonical_matrix(ring, body.r)
    w = body.rotation_rate()
    if w is None or body.inertia is None:
        return MovingBody("", mass, r, None, None)
    spin = canonical_matrix(ring, w)
    if isinstance(body.inertia, Matrix) and isinstance(body.orientation, Matrix):
        # ω̂ = Ṙ Rᵀ is in world axes
        spin = canonical_matrix(ring, body.orientation).T @ spin
        return MovingBody("", mass, r, spin, canonical_matrix(ring, body.inertia))
    return MovingBody("", mass, r, spin, Matrix([[canonical(ring, as_expr(body.inertia))]]))


def _of_tree(eq: Equations, tree: Tree) -> list[MovingBody]:
    """Return the links that have inertia, of a tree over the ring."""
    ring = eq.ring
    q = [ring.element_of(x) for x in eq.coordinates]
    poses, twists = forward_kinematics(tree, q), link_twists(tree, q)
    found = []
    for node, X, J in zip(tree.nodes, poses[1:], twists[1:], strict=True):
        if node.inertia == NO_INERTIA:
            continue
        has_mass = node.inertia.m != 0
        w: Vec = ZERO
        for i, (_, axis) in J.items():
            w = add(w, scale(eq.rates[i], axis))
        r = X.point(node.inertia.com() if has_mass else ZERO)
        tensor = node.inertia.about_com() if has_mass else node.inertia.tensor
        found.append(
            MovingBody(
                node.name,
                ring.element(node.inertia.m),
                Matrix.column([ring.element(x) for x in r]),
                Matrix.column([ring.element(x) for x in w]),
                Matrix([[ring.element(x) for x in row] for row in tensor]),
            )
        )
    return found


def _cross(a: Matrix, b: Matrix) -> Matrix:
    x, y, z = a.entries
    u, v, w = b.entries
    return Matrix.column([y * w - z * v, z * u - x * w, x * v - y * u])
