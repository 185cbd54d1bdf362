"""Why M is definite, as data: where the forms f of its squares vanish, one q̇ after the other does.

Of the forms f = J q̇ of one body, let U be velocities that are not known to vanish and that no
entry of JᵀJ ties to others. With G = JᵀJ over U, det G · q̇ₖ = Σ adj(G)ₖⱼ Jᵣⱼ f_r, up to velocities
that are known to vanish. Where det G > 0, so q̇ₖ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.certificates.squares import Group
from dalembert.expr import Expr, Matrix
from dalembert.mechanics.proofs.nonnegative import is_manifestly_positive
from dalembert.ring import Element, Ring, canonical_all, determinant, rebuild, ring_of

MAX_TOGETHER = 4
"""Velocities that are shown to vanish together: a base that slides and turns has three."""


class Standing(NamedTuple):
    """factor · q̇ₖ = Σ coefficient · form: the number k, the factor, and forms by their number."""

    velocity: int
    factor: Expr
    combination: list[tuple[int, Expr]]


def standing(groups: Sequence[Group], n: int) -> list[Standing]:
    """Return why velocities vanish where all forms do, in an order in which each follows."""
    ring = ring_of([x for group in groups for s in group for x in (s.weight, *s.slopes)])
    bodies: list[Rows] = []
    first = 0
    for group in groups:
        found: Rows = []
        for number, square in enumerate(group, first):
            weight, *slopes = canonical_all(ring, [square.weight, *square.slopes])
            if is_manifestly_positive(weight):
                found.append((number, slopes))
        bodies.append(found)
        first += len(group)
    # one form alone may say more than all of a body together: its determinant is shorter
    alone = [[row] for body in bodies for row in body]

    steps: list[Standing] = []
    left = set(range(n))
    again = True
    while again and left:
        again = False
        for rows in [*alone, *bodies]:
            for block in _blocks(ring, rows, left):
                more = _follow(ring, rows, block)
                steps += more
                left -= {step.velocity for step in more}
                again = again or bool(more)
    return steps


Rows = list[tuple[int, list[Element]]]
"""The number of each form of a body with its slopes."""


def _blocks(ring: Ring, rows: Rows, left: set[int]) -> list[list[int]]:
    """Return the velocities that move a body and may not vanish, those together that JᵀJ ties."""
    moving = sorted(j for j in left if any(not slopes[j].is_surely_zero for _, slopes in rows))
    blocks: list[list[int]] = []
    for j in moving:
        tied = [b for b in blocks if any(not _product(ring, rows, i, j).is_surely_zero for i in b)]
        blocks = [b for b in blocks if b not in tied]
        blocks.append(sorted([j, *(i for b in tied for i in b)]))
    return blocks


def _product(ring: Ring, rows: Rows, i: int, j: int) -> Element:
    """Return (JᵀJ)ᵢⱼ."""
    return sum((slopes[i] * slopes[j] for _, slopes in rows), ring.zero)


def _follow(ring: Ring, rows: Rows, block: list[int]) -> list[Standing]:
    """Return why the velocities of a block vanish, if det JᵀJ shows that it is positive."""
    if len(block) > MAX_TOGETHER:
        return []
    G = [[_product(ring, rows, i, j) for j in block] for i in block]
    det = determinant(ring, Matrix(G))
    if not is_manifestly_positive(det):
        return []
    factor, found = rebuild(det), []
    for a, k in enumerate(block):
        adjugate = [_cofactor(ring, G, a, b) for b in range(len(block))]
        combination = []
        for number, slopes in rows:
            terms = (x * slopes[j] for x, j in zip(adjugate, block, strict=True))
            c = sum(terms, ring.zero)
            if not c.is_surely_zero:
                combination.append((number, rebuild(c)))
        found.append(Standing(k, factor, combination))
    return found


def _cofactor(ring: Ring, G: list[list[Element]], a: int, b: int) -> Element:
    """Return the entry (a, b) of the adjugate of a symmetric matrix."""
    minor = [[x for j, x in enumerate(row) if j != b] for i, row in enumerate(G) if i != a]
    value = determinant(ring, Matrix(minor)) if minor else ring.one
    return value if (a + b) % 2 == 0 else -value
