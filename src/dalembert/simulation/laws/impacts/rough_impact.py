"""Impacts of contacts with friction: all modes are tried, as those at rest are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.laws.base import RowValues
from dalembert.simulation.laws.forces.discs import slip_directions, unit_vectors
from dalembert.simulation.laws.forces.followers import Follower
from dalembert.simulation.laws.next_modes import EVEN, HELD, OPEN, SLIDES
from dalembert.simulation.laws.rough import negligible


def rough_impact(
    r: RowValues,
    closed: np.ndarray,
    restitution: np.ndarray,
    sliders: Sequence[Follower],
) -> np.ndarray:
    """Return the impulses z of all rows in an impact of closed contacts with friction.

    0 ≤ Λ ⊥ u⁺ + e u⁻ ≥ 0 of contacts; of friction |Λ| ≤ static · normal where u⁺ = 0, else
    -kinetic · normal · u⁺/|u⁺| (Moreau's rule with Coulomb's law for impulses).

    Raises:
        EvaluationError: no impulses fit, or they would add energy.
    """
    blow = _Blow(r, closed, restitution, sliders)
    best: tuple[int, np.ndarray] | None = None
    for modes in product(*blow.options):
        z = blow.impulses(modes)
        if z is None or not blow.fits(modes, z):
            continue
        if best is None or modes.count(HELD) > best[0]:
            best = modes.count(HELD), z
    if best is None or blow.gain(best[1]) > 1e-9:
        raise EvaluationError(
            "expected impulses of contacts with friction, got "
            f"{'none that fit' if best is None else 'some that add energy'}: lower the "
            "restitution or the coefficient of friction, or give the contact a compliance="
        )
    found = np.zeros(len(r.u))
    found[blow.rows] = best[1]
    return found


class _Blow:
    """The rows that take part, those of contacts first: w = W z + b is u⁺ + e u⁻."""

    def __init__(
        self,
        r: RowValues,
        closed: np.ndarray,
        restitution: np.ndarray,
        sliders: Sequence[Follower],
    ) -> None:
        rough = [s for s in sliders if s.contact is not None and closed[s.contact]]
        contacts = np.flatnonzero(closed)
        self.rows = np.array([*contacts, *(row for s in rough for row in s.rows)], dtype=int)
        place = {int(row): i for i, row in enumerate(self.rows)}
        self.n, A = len(contacts), r.A[self.rows]
        self.W, self.u, self.sizes = A @ r.P @ A.T, r.u[self.rows], r.alone[self.rows]
        self.b = self.u.copy()
        self.b[: self.n] *= 1 + restitution[contacts]
        self.kinetic, self.static = r.kinetic[self.rows], r.static[self.rows]
        # rows of each friction, and the contact that it follows
        self.frictions = [
            ([place[row] for row in s.rows], place[s.contact])
            for s in rough
            if s.contact is not None
        ]
        ways = [(HELD, SLIDES) if len(rows) > 1 else (HELD, 1, -1) for rows, _ in self.frictions]
        self.options = [(HELD, OPEN)] * self.n + ways

    def impulses(self, modes: Sequence[int]) -> np.ndarray | None:
        """Return z in some modes, one for each contact and friction; None if there is none."""
        slip, unknown = np.zeros(len(self.b)), list[list[int]]()
        for (rows, _), mode in zip(self.frictions, modes[self.n :], strict=True):
            slip[rows] = mode
            if mode != HELD and len(rows) > 1:
                unknown.append(rows)
        if not unknown:
            return self._impulses(modes, slip)
        places = np.array(unknown)

        def motion(e: np.ndarray) -> np.ndarray:
            slip[places] = e
            return (self.W @ self._impulses(modes, slip) + self.b)[places]

        found = slip_directions(motion, unit_vectors(self.u[places]))
        if found is None:
            return None
        slip[places] = found
        return self._impulses(modes, slip)

    def _impulses(self, modes: Sequence[int], slip: np.ndarray) -> np.ndarray:
        """Return z with w = 0 of held rows, 0 of open contacts, and friction along its cone."""
        size, W = len(self.b), self.W
        # z = D y, so that every row has the same unit
        root = np.sqrt(self.sizes)
        D = np.divide(1.0, root, out=np.ones(size), where=root > 0)
        E, right = np.eye(size), np.zeros(size)
        held = [i for i in range(self.n) if modes[i] == HELD]
        for (rows, contact), mode in zip(self.frictions, modes[self.n :], strict=True):
            if mode == HELD:
                held += rows
                continue
            for i in rows:
                # z = -û μ N
                E[i, contact] += slip[i] * self.kinetic[i] * D[contact] / D[i]
        for i in held:
            E[i], right[i] = D[i] * W[i] * D, -D[i] * self.b[i]
        return D * np.linalg.lstsq(E, right, rcond=1e-12)[0]

    def fits(self, modes: Sequence[int], z: np.ndarray) -> bool:
        """Tell whether impulses push, stay in their cones, and what slides does so against them."""
        w, small = self.W @ z + self.b, negligible(z, self.sizes)
        slow = EVEN * (np.abs(self.W) @ np.abs(z) + np.abs(self.b))
        for i, mode in enumerate(modes[: self.n]):
            if not (z[i] >= -small[i] if mode == HELD else w[i] >= -slow[i]):
                return False
        for (rows, contact), mode in zip(self.frictions, modes[self.n :], strict=True):
            first = rows[0]
            if mode == HELD:
                length = float(np.linalg.norm(z[rows]))
                if length > self.static[first] * z[contact] + small[first]:
                    return False
            # the direction of a disc was found by this
            elif len(rows) == 1 and mode * w[first] < -slow[first]:
                return False
        return True

    def gain(self, z: np.ndarray) -> float:
        """Return the energy that impulses add, as a part of what they exchange."""
        exchanged = float(np.abs(z) @ np.abs(self.u))
        return float(z @ (self.u + self.W @ z / 2)) / exchanged if exchanged else 0.0
