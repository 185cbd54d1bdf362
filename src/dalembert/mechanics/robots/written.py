"""The equations of a mechanism as graphs, evaluated at random points of prime fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr import Expr, as_expr, ddt_all, gradient
from dalembert.mechanics.points.field import FieldPoint, Graph, Size, size_of
from dalembert.mechanics.proofs.links import gram_matrix
from dalembert.mechanics.system.system import System
from dalembert.recursions.drive_regressor import drive_regressor
from dalembert.recursions.dynamics.composite import mass_matrix
from dalembert.recursions.dynamics.coriolis import coriolis_matrix
from dalembert.recursions.dynamics.newton_euler import armature, inverse_dynamics
from dalembert.recursions.link_regressor import inertial_parameters, link_regressor
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.resistance.spring_inertia import spring_torques
from dalembert.recursions.tree import Tree
from dalembert.spatial.vectors import Scalar


class Written:
    """The parts of the equations by name, as lists of expressions in one graph."""

    def __init__(self, system: System, tree: Tree, applied: Sequence[Expr]) -> None:
        q, v, a = system.coordinates, system.velocities, system.accelerations
        self.system, self.n, self.num_links = system, len(q), len(tree.nodes)
        links = _products(link_regressor(tree, q, v, a), inertial_parameters(tree))
        for node in tree.nodes:
            for i in node.velocities:
                links[i] = links[i] + as_expr(armature(node)) * a[i]
        links = [x + t for x, t in zip(links, spring_torques(tree, q, v, a), strict=True)]
        drive = drive_regressor(tree, q, v, a, zeros=False)
        self.num_drive_parameters = len(drive.theta)
        parts: dict[str, list[Expr]] = {
            "M": _flat(mass_matrix(tree, q)),
            "Gram": _flat(gram_matrix(tree, q)),
            "recursive C": _flat(coriolis_matrix(tree, q, v)),
            "torque": _exprs(inverse_dynamics(tree, q, v, a)),
            "torque of links": links,
            "torque of drives": _products(drive.Y, drive.theta),
            "passive": _exprs(passive_forces(tree, q, v)),
            "applied": list(applied),
            "forces": list(system.forces),
            "E": [system.kinetic + system.potential],
            "T": [system.kinetic],
            "momentum": gradient(system.kinetic, v),
            "dT/dq": gradient(system.kinetic, q),
            "dV/dq": gradient(system.potential, q),
            "dR/dv": gradient(system.dissipation, v),
            "A": [x for a in system.constraints for x in gradient(a, q)],
            "second rates": ddt_all(ddt_all(list(system.constraints))),
        }
        self.graph = Graph([x for part in parts.values() for x in part])
        self.places = {name: [self.graph.place[x] for x in part] for name, part in parts.items()}

    def size(self) -> Size:
        """Return bounds for all that `robots.at_random_points` makes of the parts.

        That is linear in them and in their first derivatives, with up to three rates as factors. A
        derivative brings down an exponent or the multiple of an angle, a number of the graph
        again: twice the bits hold it, and 64 more the numbers of terms.
        """
        degree, bits = size_of(self.graph)
        return Size(degree + 3, 2 * bits + 64)


class AtPoint:
    """The parts at one point: numbers of the field."""

    def __init__(self, written: Written, point: FieldPoint) -> None:
        self.written, self.point = written, point
        self._values = point.values(written.graph)
        system = written.system
        self.v = [point.value(x) for x in system.velocities]
        self.a = [point.value(x) for x in system.accelerations]

    def part(self, name: str) -> list[int]:
        """Return the values of a part."""
        return [self._values[i] for i in self.written.places[name]]

    def rates(self, seeds: Mapping[Expr, int]) -> dict[str, list[int]]:
        """Return the derivatives of all parts in a direction."""
        rates = self.point.rates(self.written.graph, self._values, seeds)
        return {name: [rates[i] for i in places] for name, places in self.written.places.items()}

    def along_motion(self) -> dict[str, list[int]]:
        """Return d/dt of all parts: q moves with v, v with a."""
        system = self.written.system
        moving = dict(zip(system.coordinates, self.v, strict=True))
        return self.rates(moving | dict(zip(system.velocities, self.a, strict=True)))


def rows_of(entries: Sequence[int], n: int) -> list[list[int]]:
    """Return the rows, of n entries each, of a matrix."""
    return [list(entries[i : i + n]) for i in range(0, len(entries), n)]


def _products(Y: Sequence[Sequence[Scalar]], theta: Sequence[Scalar]) -> list[Expr]:
    """Return Y θ as expressions."""
    zero = as_expr(0)
    return [
        sum((as_expr(y) * as_expr(p) for y, p in zip(row, theta, strict=True)), zero) for row in Y
    ]


def _flat(rows: Sequence[Sequence[Scalar]]) -> list[Expr]:
    return [as_expr(x) for row in rows for x in row]


def _exprs(values: Sequence[Scalar]) -> list[Expr]:
    return [as_expr(x) for x in values]
