"""What a certificate says of a mechanism or system: bodies, energies, forces, constraints.

The parts are expressions, in lists and dicts by the names that the checker reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.certificates.steps import Whole
from dalembert.expr import ZERO, Expr, Kind, Matrix, as_expr, free_symbols, is_kind, total
from dalembert.mechanics.equations.equations import Equations
from dalembert.mechanics.system.body import Body
from dalembert.mechanics.system.system import System
from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.node import Node, joint_motion
from dalembert.recursions.resistance.spring_inertia import spring_kinetic_energy
from dalembert.recursions.resistance.springs import spring_energy
from dalembert.recursions.tree import Tree
from dalembert.ring import canonical, rebuild, ring_of
from dalembert.spatial.pose import Pose

Parts = dict[str, Any]


def described(eq: Equations) -> Parts:
    """Return the parts of the description of some equations."""
    s = eq.system
    forces: Parts = {
        "dissipation": s.dissipation,
        "forces": list(s.forces),
        "constraints": list(s.constraints),
        "velocity_constraints": list(s.velocity_constraints),
    }
    if eq.tree is not None:
        return forces | _of_tree(eq.tree, eq)
    if s.is_bare:
        return forces | {"lagrangian": s.lagrangian}
    if s.bodies and all(map(_is_constant, s.bodies)):
        return forces | _of_bodies(s)
    return forces | _energies(s.kinetic, s.potential)


def _energies(kinetic: Expr, potential: Expr, **more: Any) -> Parts:
    """Return energies beside those of bodies, of which there are none unless given."""
    return {
        "kinetic": kinetic,
        "potential": potential,
        "bodies": [],
        "rotors": [],
        "gravity": [],
        **more,
    }


# ---- systems


def _is_constant(body: Body) -> bool:
    inertia = list(body.inertia) if isinstance(body.inertia, Matrix) else [body.inertia]
    numbers = [as_expr(x) for x in (body.mass, *inertia) if x is not None]
    return all(is_kind(x, Kind.PARAMETER) for x in free_symbols(numbers))


def _of_bodies(s: System) -> Parts:
    masses = [as_expr(body.mass) for body in s.bodies]
    weights = (
        []
        if s.gravity is None
        else [m * s.gravity.dot(b.r) for m, b in zip(masses, s.bodies, strict=True)]
    )
    kinetic = total([body.kinetic() for body in s.bodies])
    return _energies(
        ZERO if kinetic is s.kinetic else simplest(s.kinetic - kinetic),
        simplest(s.potential + total(weights)),
        bodies=[_body(body) for body in s.bodies],
        gravity=[] if s.gravity is None else list(s.gravity),
    )


def _body(body: Body) -> Parts:
    mass, r = as_expr(body.mass), list(body.r)
    if isinstance(body.orientation, Matrix):
        assert isinstance(body.inertia, Matrix)
        return {
            "parent": Whole(-1),
            "mass": mass,
            "origin": r,
            "rotation": [list(row) for row in body.orientation.rows],
            "center": [ZERO] * 3,
            "inertia": [list(row) for row in body.inertia.rows],
        }
    if body.orientation is None:
        return {"mass": mass, "position": r}
    return {
        "mass": mass,
        "position": r,
        "inertia": as_expr(body.inertia),
        "angle": as_expr(body.orientation),
    }


# ---- mechanisms


def _of_tree(tree: Tree, eq: Equations) -> Parts:
    q, v = eq.coordinates, eq.velocities
    rotors = [ZERO] * len(q)
    for node in tree.nodes:
        if has_armature(node):
            for i in node.velocities:
                rotors[i] = rotors[i] + as_expr(armature(node))
    return _energies(
        as_expr(spring_kinetic_energy(tree, q, v)),
        as_expr(spring_energy(tree, q)),
        bodies=[_link(node, q) for node in tree.nodes],
        rotors=rotors,
        gravity=[as_expr(x) for x in tree.gravity],
    )


def _link(node: Node, q: Sequence[Expr]) -> Parts:
    """Return a link on its parent: links count from 0 here, and the root is -1."""
    X, inertia = pose(node, q), node.inertia
    link: Parts = {
        "parent": Whole(node.parent - 1),
        "mass": as_expr(inertia.m),
        "origin": [as_expr(x) for x in X.p],
        "rotation": _exprs(X.R),
    }
    if as_expr(inertia.m) is not ZERO:
        center = [simplest(as_expr(x)) for x in inertia.com()]
        if not any(x.symbols for x in center) or all(x.op != "div" for x in center):
            tensor = [[simplest(as_expr(x)) for x in row] for row in inertia.about_com()]
            return link | {"center": center, "inertia": tensor}
    moment = [as_expr(x) for x in inertia.h]
    return link | {"moment": moment, "inertia": _exprs(inertia.tensor)}


def pose(node: Node, q: Sequence[Expr]) -> Pose:
    """Return X_PC; what spins is turned too, though for a rotor about its axis nothing changes."""
    joint = node.joint
    if not joint.spins:
        return node.pose(q)
    values = [q[i] for i in node.velocities]
    motion = joint_motion(joint, values, node.multiplier, node.offset)
    assert motion is not None
    return joint.placement @ motion @ joint.after


def _exprs(rows: Sequence[Sequence[Any]]) -> list[list[Expr]]:
    return [[as_expr(x) for x in row] for row in rows]


def simplest(e: Expr) -> Expr:
    """Return an expression in canonical form, where quotients such as m c/m cancel."""
    if e.op in ("const", "symbol"):
        return e
    return rebuild(canonical(ring_of([e]), e))
