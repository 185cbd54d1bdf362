"""Singular configurations, exactly: where the Jacobian of a frame loses rank, in factors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from html import escape
from itertools import combinations
from operator import mul
from typing import NamedTuple

from dalembert.errors import InvalidExpression, InvalidMechanism, SingularSystem
from dalembert.expr import Expr, Kind, Matrix, as_expr, is_kind
from dalembert.mechanics.equations.over_ring import over_ring
from dalembert.mechanics.robots.equations import sines_and_cosines, symbolic_state
from dalembert.mechanics.robots.right_angles import naming_rounded_angles
from dalembert.mechanism import Link, Mechanism, Resistance
from dalembert.recursions.kinematics import point_columns
from dalembert.recursions.tree import Tree
from dalembert.ring import (
    Element,
    Minors,
    Ring,
    rebuild,
    ring_of,
)
from dalembert.ring.algebra.minors import without_denominators
from dalembert.ring.algebra.trig_factors import common_factors
from dalembert.ring.algebra.volume import readable_factor
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec

LINEAR, ANGULAR, ALL = (0, 1, 2), (3, 4, 5), (0, 1, 2, 3, 4, 5)


class SingularFactor(NamedTuple):
    """An expression and how often it occurs in a product."""

    expression: Expr
    exponent: int

    def __str__(self) -> str:
        text = str(self.expression)
        if self.exponent != 1:
            return f"({text})^{self.exponent}"
        return f"({text})" if " + " in text or " - " in text else text


@dataclass(frozen=True)
class Singularities:
    """Where some rows of a frame's Jacobian lose rank.

    J is singular where one of the ``factors`` vanishes, and where all of ``rest`` vanish at once
    (a square J has no rest). ``constant`` is the product of what all minors share that does not
    depend on the configuration. For a square J, det J = constant · Π factor ** exponent.
    """

    title: str
    is_square: bool
    constant: Expr
    factors: tuple[SingularFactor, ...]
    rest: tuple[Expr, ...] = ()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    @property
    def determinant(self) -> Expr:
        """det J of a square Jacobian, as the product of its factors."""
        if not self.is_square:
            raise InvalidExpression(
                f"expected a square Jacobian for its determinant, got {self.title}: "
                "see factors and rest"
            )
        result = self.constant
        for e, n in self.factors:
            result = result * e**n
        return result

    def __str__(self) -> str:
        lines = [self.title]
        if self.is_square:
            words = [*map(str, self.factors)]
            if self.constant == -1 and words:
                words[0] = f"-{words[0]}"
            elif self.constant != 1 or not words:
                words.insert(0, str(SingularFactor(self.constant, 1)))
            lines.append(f"det J = {' '.join(words)}")
        lines += [f"singular where {f.expression} = 0" for f in self.factors]
        if self.rest:
            lines.append(f"singular where all of these {len(self.rest)} vanish:")
            lines += [f"    {e}" for e in self.rest]
        if not self.factors and not self.rest:
            lines.append("never singular while its parameters are not zero")
        return "\n".join(lines)


def singularities(
    mechanism: Mechanism, frame: str, rows: Sequence[int] | None = None
) -> Singularities:
    """Return where the Jacobian of a frame loses rank, with exact factors.

    Args:
        frame: A frame or link.
        rows: Of (linear, angular) in world axes; all six unless given. (0, 1, 2) asks for the
            position alone.

    A rotation of the axes changes no determinant of three rows, nor does moving the point change
    that of all six: these are written in the axes of the link that gives the shortest entries.

    Raises:
        SingularSystem: If J has no full rank at any configuration.
        TooLarge: If the minors are; search numerically then.
    """
    if mechanism.loops or mechanism.couplings:
        raise InvalidMechanism(
            f"expected an open mechanism for exact singularities, got {mechanism.name} with loops "
            "or couplings: its joints do not move freely; use da.analysis.singular_search"
        )
    chosen = _checked(tuple(rows) if rows is not None else ALL)
    with naming_rounded_angles(mechanism):
        return _singularities(mechanism, frame, chosen)


def _singularities(mechanism: Mechanism, frame: str, chosen: tuple[int, ...]) -> Singularities:
    arm = _geometry(mechanism)
    q, _ = symbolic_state(arm)
    tree = Tree.of(arm)
    atoms = [*sines_and_cosines(tree, q), *tree.scalars]
    ring = ring_of(atoms, [*arm.parameters, *q], ordered=True)
    J = _short_jacobian(over_ring(tree, ring), ring, q, frame, chosen)
    names = ", ".join(("vx", "vy", "vz", "wx", "wy", "wz")[i] for i in chosen)
    title = f"J of {frame!r} in {mechanism.name}, rows {names}"
    return _decided(ring, J, title)


def _decided(ring: Ring, J: Matrix, title: str) -> Singularities:
    """Return the factors that all maximal minors share, and what is left of them."""
    m, n = J.shape
    rows, scale = [], ring.one
    for row in (J if m <= n else J.T).rows:
        whole, factor = without_denominators(ring, row)
        rows.append(whole)
        scale = scale * factor
    minors = Minors(Matrix(rows, max(m, n)), ring)
    k = min(m, n)
    found = [minors(columns) * minors.sign for columns in combinations(range(max(m, n)), k)]
    nonzero = [x for x in found if not x.is_surely_zero]
    if not nonzero:
        raise SingularSystem(
            f"expected a Jacobian of rank {k} somewhere, got a smaller one everywhere for "
            f"{title}: choose the directions that the frame can move in with rows="
        )
    constant, factors, rest = _split(ring, nonzero)
    if m == n:
        constant = constant * rest[0] / scale
        return Singularities(title, True, rebuild(constant), factors)
    remaining: dict[str, Expr] = {}
    for x in rest:
        # J is singular where a product vanishes: its numbers and lengths do not matter
        _, parts, _ = _split(ring, [x])
        product = reduce(mul, (e for e, _ in parts), as_expr(1))
        remaining[str(product)] = product
    # a minor that never vanishes leaves no further singularity
    if not all(map(_moves, remaining.values())):
        remaining = {}
    return Singularities(title, False, rebuild(constant), factors, tuple(remaining.values()))


def _split(
    ring: Ring, elements: Sequence[Element]
) -> tuple[Element, tuple[SingularFactor, ...], list[Element]]:
    """Return the common factors, constant ones apart, and the rests; all signs are readable."""
    factors, rest = common_factors(ring, elements)
    constant = ring.one
    moving: list[SingularFactor] = []
    for f, n in factors:
        k, e = readable_factor(f)
        if _moves(e):
            moving.append(SingularFactor(e, n))
            constant = constant * k**n
        else:
            constant = constant * f**n
    return constant, tuple(moving), rest


def _moves(e: Expr) -> bool:
    return any(is_kind(x, Kind.COORDINATE) for x in e.symbols)


def _checked(rows: tuple[int, ...]) -> tuple[int, ...]:
    if not rows or len(set(rows)) != len(rows) or any(i not in ALL for i in rows):
        raise InvalidExpression(
            f"expected different rows out of 0 … 5 (linear, angular), got {rows}"
        )
    return rows


def _geometry(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism without what does not move a frame: fewer symbols, smaller rings."""
    return replace(
        mechanism,
        links=tuple(Link(link.name) for link in mechanism.links),
        joints=tuple(replace(j, armature=0, resistance=Resistance()) for j in mechanism.joints),
        gravity=(0, 0, 0),
        actuators=(),
        springs=(),
    )


def _short_jacobian(
    tree: Tree, ring: Ring, q: Sequence[Expr], frame: str, rows: tuple[int, ...]
) -> Matrix:
    """Return rows of J in the axes, from the link, that give the fewest terms."""
    place = [ring.element_of(x) for x in q]
    at = tree.frame(frame)
    path = [i + 1 for i in tree.path(tree.numbers[at.link])]
    turned = rows in (LINEAR, ANGULAR) or set(rows) == set(ALL)
    X_PC = tree.poses(place)
    found = []
    for k in [0, *path] if turned else [0]:
        X_K = _seen_from(tree, X_PC, path, k)
        p_F = X_K[path[0] if path else 0].point(at.placement.p)
        # the twist's point: the frame's own, or the origin of K where any point will do
        point: Vec = (0, 0, 0) if k and set(rows) == set(ALL) else p_F
        columns = [(*u, *w) for u, w in point_columns(tree, X_K, at.link, point)]
        entries = [[ring.element(column[r]) for column in columns] for r in rows]
        found.append(Matrix(entries, num_columns=tree.nv))
    return min(found, key=lambda J: sum(len(x) for x in J.entries))


def _seen_from(tree: Tree, X_PC: Sequence[Pose], path: Sequence[int], k: int) -> dict[int, Pose]:
    """Return X_KL of the links on the path, and of the root, seen from link k."""
    X_K = {k: Pose()}
    # up to the root: X_KP = X_KC X_CP
    for i in path[path.index(k) :] if k else []:
        X_K[tree.nodes[i - 1].parent] = X_K[i] @ X_PC[i - 1].inverse()
    # down to the frame: X_KC = X_KP X_PC
    for i in reversed(path[: path.index(k)] if k else path):
        X_K[i] = X_K[tree.nodes[i - 1].parent] @ X_PC[i - 1]
    return X_K
