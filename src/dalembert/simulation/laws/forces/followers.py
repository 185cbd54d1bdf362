"""Friction that follows a normal force: that of a contact, or of constraints of the model."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dalembert.errors import EvaluationError, UnknownName, nearest
from dalembert.simulation.laws.base import Row
from dalembert.simulation.laws.forces.discs import discs

ROUNDS = 50
"""Steps of Newton's method for normal forces that are lengths of vectors."""

FEW = 6
"""Normal forces whose principal minors are all looked at; of more only the determinant is."""


class Follower(NamedTuple):
    """A friction that is a coefficient times a normal force.

    ``rows`` are one, or two on a plane. ``contact`` is the row of a contact; ``constraints`` are
    places in λ, whose length is the normal force.
    """

    rows: tuple[int, ...]
    contact: int | None
    constraints: tuple[int, ...]


def followers(rows: Sequence[Row], constraint_names: Sequence[str]) -> list[Follower]:
    """Return the friction rows that follow others.

    Raises:
        UnknownName: there is no such contact or constraint.
    """
    contacts = {row.name: i for i, row in enumerate(rows) if row.gap is not None}
    found = []
    seconds = {second: first for first, second in discs(rows)}
    firsts = {first: second for second, first in seconds.items()}
    for i, row in enumerate(rows):
        if not row.normal or i in seconds:
            continue
        places = (i, firsts[i]) if i in firsts else (i,)
        if len(row.normal) == 1 and row.normal[0] in contacts:
            found.append(Follower(places, contacts[row.normal[0]], ()))
            continue
        for name in row.normal:
            if name not in constraint_names:
                known = [*contacts, *constraint_names]
                raise UnknownName(
                    f"expected a contact, or constraints of the model, as the normal force of "
                    f"{row.name}, got {name!r} ({nearest(name, known)})"
                )
        found.append(Follower(places, None, tuple(constraint_names.index(n) for n in row.normal)))
    return found


class Paradox(EvaluationError):
    """Rigid bodies with dry friction that have no acceleration, or several (Painlevé)."""


def normal_forces(
    offsets: Sequence[np.ndarray],
    slopes: Sequence[np.ndarray],
    is_signed: Sequence[bool],
    names: Sequence[str],
    *,
    is_checked: bool,
) -> np.ndarray:
    """Return N ``(k,)`` with Nᵢ = aᵢ + Bᵢ N, or its length where it has no sign.

    Args:
        offsets: aᵢ, the normal forces without these frictions, as vectors.
        slopes: Bᵢ, how they change with N, a column for each.
        is_signed: Whether the force is the one entry of a vector, as of a contact.
        names: Of the frictions.
        is_checked: Whether to refuse forces that are not the only ones.

    Raises:
        Paradox: more than one N satisfies this, or none.
    """
    k = len(offsets)
    N = np.array(
        [a[0] if s else np.linalg.norm(a) for a, s in zip(offsets, is_signed, strict=True)]
    )
    for _ in range(ROUNDS):
        forces = [a + B @ N for a, B in zip(offsets, slopes, strict=True)]
        sizes = [float(np.linalg.norm(f)) for f in forces]
        along = [
            np.ones(1) if s else f / size if size else f
            for f, size, s in zip(forces, sizes, is_signed, strict=True)
        ]
        J = np.eye(k) - np.array([e @ B for e, B in zip(along, slopes, strict=True)])
        left = N - np.array(
            [f[0] if s else size for f, size, s in zip(forces, sizes, is_signed, strict=True)]
        )
        step = np.linalg.lstsq(J, -left, rcond=None)[0]
        N = N + step
        if np.abs(step).max() <= 1e-14 * np.abs(N).max(initial=0.0) or all(is_signed):
            break
    else:
        raise Paradox(
            f"expected a normal force for the friction {' and '.join(names)}, got none after "
            f"{ROUNDS} steps: it locks itself; a smaller coefficient does not"
        )
    if is_checked:
        _check_unique(J, offsets, names)
    return N


def _check_unique(J: np.ndarray, offsets: Sequence[np.ndarray], names: Sequence[str]) -> None:
    """Refuse forces that more pressing does not increase: J must have positive principal minors."""
    k = len(J)
    sets = [s for n in range(1, k + 1) for s in combinations(range(k), n)] if k <= FEW else []
    for some in [*sets, tuple(range(k))]:
        if np.linalg.det(J[np.ix_(some, some)]) > 0:
            continue
        if len(some) == 1 and offsets[some[0]].size == 1:
            count = "none" if offsets[some[0]][0] > 0 else "two, one of them zero"
        else:
            count = "none or several"
        who = " and ".join(names[i] for i in some)
        raise Paradox(
            f"expected one normal force for the friction {who}, got {count}: Painlevé's paradox, "
            "friction presses the surfaces together by more than it is given; lower its "
            "coefficient, or give the contact a compliance="
        )
