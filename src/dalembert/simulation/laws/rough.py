"""Contacts with friction that follows them: all modes are tried, none is left out.

At rest a contact opens or is held, a friction sticks or slides either way. The forces of each
combination follow from linear equations; those count whose forces and accelerations fit the modes.
Of what fits sticking comes first. No fit, or fits with different contacts, is Painlevé's paradox.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.laws.base import Row, RowValues
from dalembert.simulation.laws.followers import Follower, Paradox
from dalembert.simulation.laws.next_modes import EVEN, HELD, OPEN

MOST = 4096
"""Combinations of modes that are tried."""


def choices_at_rest(
    rows: Sequence[Row], resting: np.ndarray, moving: np.ndarray, fixed: dict[int, int]
) -> list[tuple[int, ...]]:
    """Return the modes that each row may have; ``moving`` are those of rows that do not rest."""
    found: list[tuple[int, ...]] = []
    for i, row in enumerate(rows):
        if i in fixed:
            found.append((fixed[i],))
        elif not resting[i]:
            found.append((int(moving[i]),))
        else:
            found.append((HELD, OPEN) if row.is_contact else (HELD, 1, -1))
    if prod(map(len, found)) > MOST:
        raise EvaluationError(
            f"expected at most {MOST} combinations of modes of contacts with friction at rest, got "
            f"{prod(map(len, found))}: leave out contacts that share a load"
        )
    return found


def rough_modes(
    rows: Sequence[Row],
    r: RowValues,
    qdd: np.ndarray,
    choices: Sequence[tuple[int, ...]],
    forces: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    stopped: int | None,
) -> np.ndarray:
    """Return the modes of a state with rough contacts.

    Args:
        rows: Contacts and dry frictions.
        r: Their values.
        qdd: The acceleration without them.
        choices: The modes that each row may have.
        forces: Gives z, and the bound of every friction that sticks, in some modes.
        stopped: The row whose motion has just ended: where either mode fits it is held.

    Raises:
        Paradox: no combination fits, or several that differ in what touches.
    """
    is_contact = np.array([row.is_contact for row in rows])
    free = np.array([len(c) > 1 for c in choices])
    fits: list[tuple[tuple[int, int], np.ndarray, np.ndarray]] = []
    for combination in product(*choices):
        modes = np.array(combination)
        try:
            z, bound = forces(modes)
        except Paradox:
            continue
        parts = np.stack([r.A @ qdd, r.A @ (r.P @ (r.A.T @ (z - r.own))), r.bias])
        w, size = parts.sum(axis=0), EVEN * np.abs(parts).max(initial=0.0)
        small = EVEN * np.abs(z).max(initial=0.0)
        held, slides = modes == HELD, ~is_contact & (modes != HELD)
        good = np.where(
            is_contact,
            np.where(held, (z >= -small) & (np.abs(w) <= size), w >= -size),
            np.where(slides, modes * w >= -size, np.abs(z) <= bound + small),
        )
        if not good[free].all():
            continue
        # sticking counts, contacts without force do not, but for one that has just closed
        idle = held & is_contact & (z <= small)
        if stopped is not None:
            idle[stopped] = False
        rank = int((held & ~is_contact).sum()), -int(idle.sum())
        fits.append((rank, modes, qdd + r.P @ (r.A.T @ (z - r.own))))
    if not fits:
        raise Paradox(
            "expected forces for contacts with friction, got no modes that fit: Painlevé's "
            "paradox, friction presses the surfaces together by more than it is given; lower its "
            "coefficient, or give the contact a compliance="
        )
    _check_one(fits, is_contact)
    return max(fits, key=lambda fit: fit[0])[1]


def _check_one(fits: Sequence[tuple], is_contact: np.ndarray) -> None:
    """Refuse motions that differ in what touches."""
    _, first, one = fits[0]
    for _, modes, other in fits[1:]:
        is_same = np.abs(one - other).max() <= 1e-8 * np.abs([one, other]).max()
        if not is_same and (first != modes)[is_contact].any():
            raise Paradox(
                "expected one motion of contacts with friction, got two that fit, which differ in "
                "what touches: Painlevé's paradox; lower the coefficient of friction, or give the "
                "contact a compliance="
            )


def rough_impact(
    r: RowValues,
    closed: np.ndarray,
    restitution: np.ndarray,
    sliders: Sequence[Follower],
) -> np.ndarray:
    """Return the impulses z of all rows in an impact of closed contacts with friction.

    0 ≤ Λ ⊥ u⁺ + e u⁻ ≥ 0 of contacts; of friction |Λ| ≤ static · normal where u⁺ = 0, else
    -kinetic · normal · sign(u⁺) (Moreau's rule with Coulomb's law for impulses).

    Raises:
        EvaluationError: no impulses fit, or they would add energy.
    """
    rough = [s for s in sliders if s.contact is not None and closed[s.contact]]
    contacts = np.flatnonzero(closed)
    rows = np.array([*contacts, *(s.row for s in rough)], dtype=int)
    place = {int(row): i for i, row in enumerate(rows)}
    W, u, n = r.A[rows] @ r.P @ r.A[rows].T, r.u[rows], len(contacts)
    b = np.concatenate([(1 + restitution[contacts]) * u[:n], u[n:]])
    normal = [place[s.contact] for s in rough if s.contact is not None]
    options = [(HELD, OPEN)] * n + [(HELD, 1, -1)] * len(rough)
    best: tuple[int, np.ndarray] | None = None
    for modes in product(*options):
        z = _impulses(W, b, modes, n, normal, r.kinetic[rows])
        w, small = W @ z + b, EVEN * max(np.abs(z).max(initial=0.0), 1e-300)
        slow = EVEN * np.abs(b).max(initial=0.0)
        good = all(
            (z[i] >= -small if m == HELD else w[i] >= -slow)
            if i < n
            else (
                abs(z[i]) <= r.static[rows[i]] * z[normal[i - n]] + small
                if m == HELD
                else m * w[i] >= -slow
            )
            for i, m in enumerate(modes)
        )
        if good and (best is None or modes.count(HELD) > best[0]):
            best = modes.count(HELD), z
    gain = 0.0 if best is None else float(best[1] @ (u + W @ best[1] / 2))
    if best is None or gain > 1e-9 * float(np.abs(u) @ np.linalg.pinv(W) @ np.abs(u)):
        raise EvaluationError(
            "expected impulses of contacts with friction, got "
            f"{'none that fit' if best is None else 'some that add energy'}: lower the "
            "restitution or the coefficient of friction, or give the contact a compliance="
        )
    found = np.zeros(len(r.u))
    found[rows] = best[1]
    return found


def _impulses(
    W: np.ndarray,
    b: np.ndarray,
    modes: Sequence[int],
    n: int,
    normal: Sequence[int],
    coefficient: np.ndarray,
) -> np.ndarray:
    """Return z with w = 0 of held rows, 0 of open contacts, and friction along its cone."""
    size = len(b)
    E, right = np.eye(size), np.zeros(size)
    for i, mode in enumerate(modes):
        if mode == HELD:
            E[i], right[i] = W[i], -b[i]
        elif i >= n:
            # z = -σ μ N
            E[i, normal[i - n]] += mode * coefficient[i]
    return np.linalg.lstsq(E, right, rcond=1e-12)[0]
