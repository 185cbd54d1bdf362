"""Why the mass matrix of a mechanism is positive: every link has a nonnegative kinetic energy.

M = Σ JᵀWJ over the links, with J the twists of a link for unit velocities, in its own frame, and W
its spatial inertia; rotors add their inertia to the diagonal, springs theirs along a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import Expr, Matrix, as_expr, coordinates
from dalembert.mechanics.proofs.hypotheses import Hypothesis, nonnegative, nonnegative_inertia
from dalembert.mechanics.proofs.nonnegative import is_manifestly_positive
from dalembert.recursions.dynamics.newton_euler import armature, has_armature
from dalembert.recursions.resistance.spring_inertia import add_spring_inertia
from dalembert.recursions.tree import Column, Node, Tree, Values
from dalembert.ring import (
    Element,
    ball,
    canonical,
    canonical_matrix,
    determinant,
    rebuild,
    ring_of,
)
from dalembert.spatial.inertia.inertia import NO_INERTIA, Inertia
from dalembert.spatial.scalar import is_zero
from dalembert.spatial.vectors import IDENTITY, ZERO, Scalar, add, cross, dot, unrotate

Twists = dict[int, Column]
"""The twist of a link for a unit of each velocity that moves it, by the place of the velocity."""

MAX_TOGETHER = 4
"""Velocities of one link that are looked at together: a base that slides and turns has three."""


def gram_matrix(tree: Tree, q: Values) -> list[list[Scalar]]:
    """Return Σ JᵀWJ, rotors and springs included, over any scalar."""
    M: list[list[Scalar]] = [[0] * tree.nv for _ in range(tree.nv)]
    for node, J in zip(tree.nodes, link_twists(tree, q)[1:], strict=True):
        if node.inertia != NO_INERTIA:
            _add_terms(M, J, node.inertia)
        if has_armature(node):
            for i in node.velocities:
                M[i][i] = M[i][i] + armature(node)
    add_spring_inertia(tree, q, M)
    return M


def link_twists(tree: Tree, q: Values) -> list[Twists]:
    """Return the twists of every link for unit velocities, in its own frame; the root first."""
    twists: list[Twists] = [{}]
    for node in tree.nodes:
        R, p = node.pose(q)
        # what moves the parent moves the link: u' = Rᵀ(u + w × p), w' = Rᵀw
        J = {
            i: (unrotate(R, add(u, cross(w, p))), unrotate(R, w))
            for i, (u, w) in twists[node.parent].items()
        }
        for i, (su, sw) in zip(node.velocities, node.columns, strict=True):
            u, w = J.get(i, (ZERO, ZERO))
            J[i] = (add(u, su), add(w, sw))
        twists.append(J)
    return twists


def _add_terms(M: list[list[Scalar]], J: Twists, inertia: Inertia) -> None:
    """Add JᵀWJ of one link, both triangles."""
    momenta = {j: inertia.momentum(u, w) for j, (u, w) in J.items()}
    for i, (u, w) in J.items():
        for j, (f, n) in momenta.items():
            M[i][j] = M[i][j] + dot(u, f) + dot(w, n)


def link_hypotheses(tree: Tree) -> list[Hypothesis]:
    """Return what makes every spatial inertia, every rotor and every spring's inertia nonnegative.

    A spatial inertia with a mass is nonnegative if the mass and the tensor about the centre of mass
    are; one without, if the whole 6 × 6 matrix is.
    """
    needs = []
    for node in tree.nodes:
        m = as_expr(node.inertia.m)
        if _is_positive(m):
            about_com = _matrix(node.inertia.about_com())
            needs += [nonnegative(m), nonnegative_inertia(about_com, f"inertia of {node.name}")]
        elif node.inertia != NO_INERTIA:
            W = _matrix(spatial_matrix(node.inertia))
            needs.append(Hypothesis(f"spatial inertia of {node.name} ⪰ 0", W))
        if has_armature(node):
            needs.append(nonnegative(as_expr(armature(node))))
    heavy = [as_expr(s.armature) for s in tree.springs if not is_zero(s.armature)]
    return [*needs, *map(nonnegative, heavy)]


def spatial_matrix(inertia: Inertia) -> list[list[Scalar]]:
    """Return the 6 × 6 matrix W: its columns are the momenta of unit twists (linear, angular)."""
    units = [(e, ZERO) for e in IDENTITY] + [(ZERO, e) for e in IDENTITY]
    columns = [(*p, *L) for p, L in (inertia.momentum(u, w) for u, w in units)]
    return [[column[i] for column in columns] for i in range(6)]


def unresisted(tree: Tree) -> list[int]:
    """Return the velocities that are not shown to vanish when T does: none if M ≻ 0 everywhere.

    Let T = 0. A rotor with inertia stands still. A link whose twist comes from few velocities that
    are not known to vanish, with the others at rest, has T ≥ ½ q̇ᵀ(JᵀWJ)q̇ in these: where
    det JᵀWJ > 0, they vanish. Mostly it is one velocity, that of the link's own joint, and JᵀWJ
    does not depend on q. Links that are fixed to a link count with it.
    """
    still = {i for node in tree.nodes if _rotor_resists(node) for i in node.velocities}
    q = coordinates(" ".join(f"q{i + 1}" for i in range(tree.nq)))
    links = list(zip(link_twists(tree, q), _with_fixed_links(tree), strict=True))
    # links come after their parents; only joints that share a velocity may need another pass
    for _ in links:
        before = len(still)
        for J, inertia in links:
            moving = {i: J[i] for i in J if i not in still}
            if 0 < len(moving) <= MAX_TOGETHER and _resists(moving, inertia):
                still.update(moving)
        if len(still) == before:
            break
    return [i for i in range(tree.nv) if i not in still]


def _resists(J: Twists, inertia: Inertia) -> bool:
    """Tell whether det JᵀWJ is positive for positive parameters, whatever q is."""
    momenta = [inertia.momentum(u, w) for u, w in J.values()]
    G = _matrix([[dot(u, f) + dot(w, n) for f, n in momenta] for u, w in J.values()])
    ring = ring_of(G.entries)
    return _has_positive_sign(determinant(ring, canonical_matrix(ring, G)))


def _rotor_resists(node: Node) -> bool:
    return has_armature(node) and _is_positive(as_expr(armature(node)))


def _with_fixed_links(tree: Tree) -> list[Inertia]:
    """Return the inertia of every link with all links that are fixed to it, the root first."""
    total = [NO_INERTIA, *(node.inertia for node in tree.nodes)]
    for i in reversed(range(len(tree.nodes))):
        node = tree.nodes[i]
        if not node.velocities:
            total[node.parent] = total[node.parent] + total[i + 1].moved(node.pose(()))
    return total


def _matrix(rows: Sequence[Sequence[Scalar]]) -> Matrix:
    return Matrix([[as_expr(x) for x in row] for row in rows])


def _is_positive(e: Expr) -> bool:
    """Tell whether a number is positive, or an expression for positive parameters."""
    return _has_positive_sign(canonical(ring_of([e]), e))


def _has_positive_sign(x: Element) -> bool:
    value = rebuild(x)
    if value.symbols:
        return is_manifestly_positive(x)
    number = ball(value, {})
    return number is not None and bool(number > 0)
