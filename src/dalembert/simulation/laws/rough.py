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
from dalembert.simulation.laws.forces.followers import Paradox
from dalembert.simulation.laws.next_modes import EVEN, HELD, OPEN, SLIDES, rate_terms

MOST = 4096
"""Combinations of modes that are tried."""


def choices_at_rest(
    rows: Sequence[Row],
    resting: np.ndarray,
    moving: np.ndarray,
    fixed: dict[int, int],
    discs: Sequence[tuple[int, int]],
) -> list[tuple[int, ...]]:
    """Return the modes that each row may have; ``moving`` are those of rows that do not rest.

    The second row of a disc has the mode of the first.
    """
    found: list[tuple[int, ...]] = []
    seconds = {second for _, second in discs}
    for i, row in enumerate(rows):
        if i in seconds:
            found.append((SLIDES,))
        elif i in fixed:
            found.append((fixed[i],))
        elif not resting[i]:
            found.append((int(moving[i]),))
        else:
            two_ways = (HELD, OPEN) if row.is_contact else (HELD, SLIDES)
            found.append(two_ways if row.is_contact or row.disc else (HELD, 1, -1))
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
    discs: Sequence[tuple[int, int]],
) -> np.ndarray:
    """Return the modes of a state with rough contacts.

    Args:
        rows: Contacts and dry frictions.
        r: Their values.
        qdd: The acceleration without them.
        choices: The modes that each row may have.
        forces: Gives z in some modes, and how far each friction that sticks is below its bound.
        stopped: The row whose motion has just ended: where either mode fits it is held.
        discs: Pairs of rows that are friction on a plane.

    Raises:
        Paradox: no combination fits, or several that differ in what touches.
    """
    is_contact = np.array([row.is_contact for row in rows])
    free = np.array([len(c) > 1 for c in choices])
    firsts, seconds = (list(part) for part in zip(*discs, strict=True)) if discs else ([], [])
    # rank, modes, which contacts stay closed, and accelerations of those that fit
    fits: list[tuple[tuple[int, int], np.ndarray, np.ndarray, np.ndarray]] = []
    for combination in product(*choices):
        modes = np.array(combination)
        modes[seconds] = modes[firsts]
        try:
            z, left = forces(modes)
        except Paradox:
            continue
        w = r.A @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias
        size, small = EVEN * rate_terms(r, qdd, z), negligible(z, r.alone)
        held, slides = modes == HELD, ~is_contact & (modes != HELD)
        good = np.where(
            is_contact,
            np.where(held, (z >= -small) & (np.abs(w) <= size), w >= -size),
            np.where(slides, modes * w >= -size, left >= -small),
        )
        # of a disc that begins to slide the direction was found
        good[firsts + seconds] |= slides[firsts + seconds]
        if not good[free].all():
            continue
        # sticking counts, contacts without force do not, but for one that has just closed
        idle = held & is_contact & (z <= small)
        if stopped is not None:
            idle[stopped] = False
        rank = int((held & ~is_contact).sum()), -int(idle.sum())
        # without force a contact may as well be open: what counts is whether it moves apart
        closed = is_contact & (held | (np.abs(w) <= size))
        fits.append((rank, modes, closed, qdd + r.P @ (r.A.T @ (z - r.own))))
    if not fits:
        raise Paradox(
            "expected forces for contacts with friction, got no modes that fit: Painlevé's "
            "paradox, friction presses the surfaces together by more than it is given; lower its "
            "coefficient, or give the contact a compliance="
        )
    _check_one(fits)
    return max(fits, key=lambda fit: fit[0])[1]


def _check_one(fits: Sequence[tuple]) -> None:
    """Refuse motions that differ in what touches."""
    _, _, first, one = fits[0]
    for _, _, closed, other in fits[1:]:
        is_same = np.abs(one - other).max() <= 1e-8 * np.abs([one, other]).max()
        if not is_same and (first != closed).any():
            raise Paradox(
                "expected one motion of contacts with friction, got two that fit, which differ in "
                "what touches: Painlevé's paradox; lower the coefficient of friction, or give the "
                "contact a compliance="
            )


def negligible(z: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the force of each row that is nothing beside the largest of z √(A M⁻¹ Aᵀ)."""
    root = np.sqrt(sizes)
    largest = float((np.abs(z) * root).max(initial=0.0))
    return EVEN * np.divide(largest, root, out=np.zeros_like(root), where=root > 0)
