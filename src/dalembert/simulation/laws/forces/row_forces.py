"""The force of every contact and dry friction while no mode changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.simulation.laws.base import Row, RowValues
from dalembert.simulation.laws.forces.discs import BEGINS, slip_directions, unit_vectors
from dalembert.simulation.laws.forces.followers import Follower, Paradox, normal_forces
from dalembert.simulation.laws.next_modes import HELD, PRESSED
from dalembert.simulation.laws.sizes import ROUNDING, RowSizes


class RowForces:
    """Forces z of rows: held ones have u̇ = 0, sliding ones oppose u, pressed ones give way.

    Args:
        rows: Contacts and dry frictions.
        followers: Frictions that follow a normal force.
        discs: Pairs of rows that are friction on a plane.
        sizes: How large gaps and velocities have been so far.

    Attributes:
        along: The direction of each disc where it began to slide, or where a step began: at zero
            velocity it still has this one.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        followers: Sequence[Follower],
        discs: Sequence[tuple[int, int]],
        sizes: RowSizes,
    ) -> None:
        self.rows, self.followers, self.discs, self.sizes = rows, followers, discs, sizes
        self.is_contact = np.array([row.is_contact for row in rows])
        self.is_soft = np.array([row.is_soft for row in rows])
        self.along = np.zeros(len(rows))

    def at(
        self,
        r: RowValues,
        qdd: np.ndarray,
        modes: np.ndarray,
        lam: np.ndarray | None = None,
        *,
        is_checked: bool = True,
        begins: bool = False,
    ) -> np.ndarray:
        """Return the force z of every row.

        Args:
            r: The rows at a state.
            qdd: The acceleration without them.
            modes: Those of the rows.
            lam: The multipliers of the model without them, where friction follows these.
            is_checked: Whether to refuse forces that are not the only ones.
            begins: Whether these modes are to begin here: discs at rest find their direction.

        Raises:
            Paradox: friction that follows a normal force has no force, or several.
        """
        slip = self.slips(r, qdd, modes, lam, begins=begins)
        return self._forces(r, qdd, modes, slip, lam, is_checked)

    def slips(
        self,
        r: RowValues,
        qdd: np.ndarray,
        modes: np.ndarray,
        lam: np.ndarray | None = None,
        *,
        begins: bool,
    ) -> np.ndarray:
        """Return the signs of sliding rows, and the directions of discs.

        Raises:
            Paradox: a disc is to begin to slide, and has no direction for that.
        """
        slip = modes.astype(float)
        beginning = []
        for pair in self.discs:
            rows = list(pair)
            size, terms = np.hypot(*r.u[rows]), np.hypot(*r.u_terms[rows])
            if modes[rows[0]] == HELD:
                continue
            noise = BEGINS * np.hypot(*self.sizes.speed[rows]) + ROUNDING * terms
            if size > noise:
                slip[rows] = r.u[rows] / size
            elif begins or not self.along[rows].any():
                beginning.append(rows)
            else:
                slip[rows] = self.along[rows]
        if not beginning:
            return slip
        places = np.array(beginning)

        def motion(e: np.ndarray) -> np.ndarray:
            slip[places] = e
            z = self._forces(r, qdd, modes, slip, lam, is_checked=False)
            return (r.A @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias)[places]

        # against what would hold it
        still = modes.copy()
        still[places] = HELD
        z = self._forces(r, qdd, still, slip, lam, is_checked=False)
        guess = unit_vectors(-z[places])
        found = slip_directions(motion, guess)
        if found is None and not begins:
            # where it comes to rest none is right
            found = guess
        if found is None:
            names = " and ".join(self.rows[i].disc for i in places[:, 0])
            raise Paradox(
                f"expected a direction in which {names} begins to slide, got none: friction "
                "presses the surfaces together by more than it is given; lower its coefficient, "
                "or give the contact a compliance="
            )
        slip[places] = found
        return slip

    def _forces(
        self,
        r: RowValues,
        qdd: np.ndarray,
        modes: np.ndarray,
        slip: np.ndarray,
        lam: np.ndarray | None,
        is_checked: bool,
    ) -> np.ndarray:
        """Return the force z of every row, where those that slide do so along ``slip``."""
        held = modes == HELD
        z = np.where(self.is_contact | held, 0.0, -slip * r.kinetic)
        z = np.where(self.is_soft, np.where(modes == PRESSED, r.push, 0.0), z)
        sliding = [f for f in self.followers if modes[f.rows[0]] != HELD]
        cones = [z[list(f.rows)] for f in sliding]
        for f in sliding:
            z[list(f.rows)] = 0.0
        if held.any():
            # u̇ = A q̈ + bias = 0
            rate = r.A[held] @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias[held]
            z[held] = -r.impulses(held, rate)
        if sliding:
            Z = self._responses(r, held, sliding, cones)
            sides = [self._normal(f, r, z, lam) for f in sliding]
            slopes = [self._normal_slopes(f, r, Z) for f in sliding]
            signed = [f.contact is not None for f in sliding]
            names = [self.rows[f.rows[0]].name for f in sliding]
            z = z + Z @ normal_forces(sides, slopes, signed, names, is_checked=is_checked)
        return z

    def bounds(self, r: RowValues, z: np.ndarray, lam: np.ndarray | None) -> np.ndarray:
        """Return the largest force of every friction that sticks, while the forces are z."""
        bound = r.static.copy()
        for f in self.followers:
            normal = self._normal(f, r, z, lam)
            size = normal[0] if f.contact is not None else np.linalg.norm(normal)
            bound[list(f.rows)] *= max(float(size), 0.0)
        return bound

    def lengths(self, z: np.ndarray) -> np.ndarray:
        """Return |z| of every row; of discs the length of the vector."""
        found = np.abs(z)
        for pair in self.discs:
            found[list(pair)] = np.hypot(*z[list(pair)])
        return found

    def _responses(
        self,
        r: RowValues,
        held: np.ndarray,
        sliding: Sequence[Follower],
        cones: Sequence[np.ndarray],
    ) -> np.ndarray:
        """Return how z changes with the normal force of each sliding friction, as columns."""
        Z = np.zeros((len(self.rows), len(sliding)))
        for j, (f, force) in enumerate(zip(sliding, cones, strict=True)):
            rows = list(f.rows)
            Z[rows, j] = force
            if held.any():
                Z[held, j] = -r.impulses(held, r.A[held] @ (r.P @ (r.A[rows].T @ force)))
        return Z

    def _normal(
        self, f: Follower, r: RowValues, z: np.ndarray, lam: np.ndarray | None
    ) -> np.ndarray:
        """Return the normal force of a friction under the forces z, as a vector."""
        if f.contact is not None:
            return z[[f.contact]]
        assert lam is not None
        return (lam + r.share @ (r.A.T @ (z - r.own)))[list(f.constraints)]

    def _normal_slopes(self, f: Follower, r: RowValues, Z: np.ndarray) -> np.ndarray:
        if f.contact is not None:
            return Z[[f.contact]]
        return (r.share @ (r.A.T @ Z))[list(f.constraints)]
