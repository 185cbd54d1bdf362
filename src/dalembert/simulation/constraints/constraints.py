"""Constraints of a model as numbers: the errors of a state, and the nearest state without any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.constraints.correction import (
    Correction,
    correction,
    scaled_rows,
    weighted_rows,
)
from dalembert.simulation.constraints.kernels import ChainKernels, ConstraintValues, FlatKernels
from dalembert.simulation.constraints.metric import Metric
from dalembert.simulation.problem.kernels import compiled, state_symbols
from dalembert.simulation.problem.long_chain import rolled_tree
from dalembert.simulation.problem.scales import velocity_of_position

if TYPE_CHECKING:
    from dalembert.model import Model

CLOSED = 64 * float(np.finfo(float).eps)
"""Errors below this part of their own rounding bound (`rounding_bounds`) are rounding."""

INDEPENDENT = 1e-7
"""Singular values above this part of the largest count, where constraints are closed."""

AWAY = 1e-2
"""How far away the rank is found a second time, as a part of the size of the constraints."""

NEGLIGIBLE = 1e-12
"""A row of A that is this part of its scale is rounding."""

NUM_BESIDE = 30
"""Powers of two that are tried as lengths of a way beside a singular configuration, up and down."""

CLEARLY = 0.9
"""An error below this part of another one is less."""

MAX_ITERATIONS = 50
MAX_HALVINGS = 12


class Constraints:
    """Loops, couplings and constraints of one model.

    Rows of A: those of positions first (``num_positions``), then those of velocities only
    (Pfaffian); ``names`` has one for each.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.names = model.description.constraint_names
        self.groups = [row.group or row.name for row in model.description.constraint_rows]
        self.num_positions = model.description.num_position_constraints
        # the rows of each vector with several components
        places = [
            [i for i, g in enumerate(self.groups) if g == group] for group in set(self.groups)
        ]
        self._vectors = [rows for rows in places if len(rows) > 1]
        # the rank that A has almost everywhere, of all rows and of those of positions (`find_rank`)
        self.rank, self.position_rank = len(self.names), self.num_positions
        self.is_redundant = False
        # rows that are independent of each other almost everywhere, as many as the rank
        self.independent = tuple(range(len(self.names)))
        tree = rolled_tree(model)
        self._kernels = FlatKernels(model) if tree is None else ChainKernels(model, tree)
        self._rate = compiled(
            model,
            "configuration_rate",
            lambda: {
                "rate": model.expressions("configuration_rate", *state_symbols(model).values())
            },
            state_symbols(model),
        )

    def read(self, t: float | np.ndarray, q: np.ndarray, v: np.ndarray) -> ConstraintValues:
        """Return errors and matrices at a state, or at many."""
        return self._kernels.read(t, q, v, self.num_positions)

    def sizes(self, t: float | np.ndarray, q: np.ndarray) -> np.ndarray:
        """Return the size of the terms of each position constraint, in its unit.

        Components of one vector have one size: where one of them is a constant, it is rounding
        beside the others.
        """
        sizes = self._kernels.sizes(t, q)[..., : self.num_positions]
        for rows in self._vectors:
            sizes[..., rows] = sizes[..., rows].max(axis=-1, keepdims=True)
        return sizes

    def speeds(self, at: ConstraintValues, v: np.ndarray) -> np.ndarray:
        """Return for each row the largest A q̇ of any q̇ with this kinetic energy, of many states."""
        return self._lengths(at) * speed(at.M, v)[..., None]

    @staticmethod
    def _lengths(at: ConstraintValues) -> np.ndarray:
        """Return the lengths of the rows of A in the metric of M⁻¹, of many states."""
        return np.linalg.norm(at.M.weighted(at.A), axis=-1)

    def moved(self, t: float, q: np.ndarray, change: np.ndarray) -> np.ndarray:
        """Return q after a small change along velocities."""
        return self.model.configuration.normalized(q + self._rate(t, q, change))

    def correction(self, at: ConstraintValues, right: np.ndarray) -> Correction:
        """Return the smallest change of velocities with A δ = right."""
        return correction(at.A, at.M, right, self.rank, self.groups)

    def close(self, t: float, q: np.ndarray) -> np.ndarray:
        """Return the configuration near q where the position errors vanish.

        Newton's method; far away its steps are halved until the errors fall.

        Raises:
            EvaluationError: there is none near.
        """
        k, still = self.num_positions, np.zeros(self.model.nv)
        if not k:
            return q
        sizes = self.sizes(t, q)
        at, groups = self.read(t, q, still), self.groups[:k]
        error, best = self._relative(at.position, sizes), np.inf
        for _ in range(MAX_ITERATIONS):
            # rounding: done, or no longer better
            if error <= CLOSED or (error <= 10 * CLOSED and error >= best):
                return q
            best = min(best, error)
            step = correction(at.A[:k], at.M, -at.position, self.position_rank, groups)
            # a row may pass through zero, where its terms have no size: A δ is rounded too
            reach = step.lengths * speed(at.M, step.change)
            for halving in range(MAX_HALVINGS):
                trial = self.moved(t, q, step.change * 0.5**halving)
                there = self.read(t, trial, still)
                found = self._relative(there.position, self.sizes(t, trial) + reach)
                if found < error or error <= 10 * CLOSED:
                    break
            else:
                # what is left may be rounding of the other coordinates, as where all terms vanish
                if self._relative(at.position, sizes + self.extents(at, q)[:k]) <= CLOSED:
                    return q
                trial = self._beside(t, q, at, error)
                if trial is None:
                    break
                there = self.read(t, trial, still)
                found = self._relative(there.position, self.sizes(t, trial))
            q, at, error = trial, there, found
        raise self._not_closed(t, at.position)

    def _beside(
        self, t: float, q: np.ndarray, at: ConstraintValues, error: float
    ) -> np.ndarray | None:
        """Return a configuration with a smaller error in a direction that the rows allow, or None.

        Where A is singular, as for a chain that is straight, Newton's method has no way to go on:
        errors fall with the square of that way.
        """
        way, still, best = self._allowed_way(at), np.zeros(self.model.nv), CLEARLY * error
        found: np.ndarray | None = None
        # the nearest of them: lengths grow as long as errors fall
        for power in range(-NUM_BESIDE, NUM_BESIDE):
            trial = self.moved(t, q, 2.0**power * way)
            there = self._relative(self.read(t, trial, still).position, self.sizes(t, trial))
            if there < best:
                best, found = there, trial
            elif found is not None:
                break
        return found

    def extents(self, at: ConstraintValues, q: np.ndarray) -> np.ndarray:
        """Return how much each row may change with q as far as it is from zero, of many states.

        That is measured in the metric of M, and angles of joints count one radian.
        """
        places = velocity_of_position(self.model)
        sizes = np.ones((*q.shape[:-1], self.model.nv))
        sizes[..., places[places >= 0]] = np.abs(q[..., places >= 0])
        sizes[..., self.model.configuration.turns] = 1.0
        squares = (at.M.diagonal * sizes**2).sum(axis=-1)
        return self._lengths(at) * np.sqrt(squares)[..., None]

    @staticmethod
    def _relative(position: np.ndarray, sizes: np.ndarray) -> float:
        """Return the largest error beside the size of its terms; a zero beside zero is none."""
        wrong = position != 0
        return float(np.abs(position[wrong] / sizes[wrong]).max(initial=0.0))

    def _not_closed(self, t: float, position: np.ndarray) -> EvaluationError:
        worst = int(np.abs(position).argmax())
        return EvaluationError(
            f"expected a configuration with closed constraints near the state, got an error of "
            f"{abs(position[worst]):.3g} in {self.names[worst]} that no small change makes less "
            f"at t = {t:.9g}: the constraints contradict each other, or the state is too far away"
        )

    def project(
        self, t: float, q: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the nearest state on the constraints, and the singular values of A there.

        The change of velocity is the smallest in the kinetic energy: an impulse along Aᵀ. What is
        on the constraints to rounding comes back as the same array.
        """
        q = self.close(t, q)
        at = self.read(t, q, v)
        step = self.correction(at, -at.velocity)
        # A q̇ beside what it may be at this kinetic energy
        if (np.abs(at.velocity) > CLOSED * step.lengths * speed(at.M, v)).any():
            v = v + step.change
        return q, v, step.values

    def look_at(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the singular values of A at many states, and whether `project` leaves them alone.

        One state after the other decides as `project` does.
        """
        at, sizes = self.read(t, q, v), self.sizes(t, q)
        weighted = weighted_rows(at.A, at.M, self.groups)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.where(at.position == 0, 0.0, np.abs(at.position) / sizes)
        allowed = CLOSED * weighted.lengths * speed(at.M, v)[:, None]
        position = (error <= CLOSED).all(axis=1)
        velocity = (np.abs(at.velocity) <= allowed).all(axis=1)
        return weighted.values, np.logical_and(position, velocity)

    def find_rank(self, t: float, q: np.ndarray) -> None:
        """Find the rank of A almost everywhere: here, and at a configuration a little away.

        Constraints are redundant if rows other than zeros depend on each other. Off the constraints
        such rows may be independent, so that the rank must be known: a step looks there.
        """
        k, still = self.num_positions, np.zeros(self.model.nv)
        here = self.read(t, q, still)
        try:
            there = self.read(t, self.close(t, self._away(t, q, here)), still)
        except EvaluationError:
            there = here
        both = (here, there)
        self.rank = max(self._rank(r.A, r.M) for r in both)
        self.position_rank = max(self._rank(r.A[:k], r.M) for r in both) if k else 0
        counted = [self._counted(r) for r in both]
        self.is_redundant = self.rank < int((counted[0] | counted[1]).sum())
        self.independent = self._independent(there)

    def _away(self, t: float, q: np.ndarray, here: ConstraintValues) -> np.ndarray:
        """Return a configuration near q in a direction that all position rows allow.

        The direction is the same every time. It is followed so far that the errors, which grow with
        the square of the way, are a small part of the sizes of the constraints.
        """
        way = self._allowed_way(here)
        if not self.num_positions:
            return self.moved(t, q, AWAY * way)
        length, still, there = 1.0, np.zeros(self.model.nv), q
        for _ in range(MAX_ITERATIONS):
            there = self.moved(t, q, length * way)
            error = self._relative(self.read(t, there, still).position, self.sizes(t, there))
            ratio = np.sqrt(AWAY**2 / error) if error > 0 else 1e3
            if 0.5 < ratio < 2 or not 1e-150 < length < 1e150:
                break
            length *= min(max(ratio, 1e-3), 1e3)
        return there

    def _allowed_way(self, at: ConstraintValues) -> np.ndarray:
        """Return a velocity that all position rows allow, the same every time."""
        k = self.num_positions
        way = np.cos(np.arange(1.0, self.model.nv + 1)) / np.sqrt(np.maximum(at.M.diagonal, 1e-300))
        if not k:
            return way
        return way + correction(at.A[:k], at.M, -at.A[:k] @ way, k, self.groups[:k]).change

    def _rank(self, A: np.ndarray, M: Metric) -> int:
        values = correction(A, M, np.zeros(len(A)), len(A), self.groups[: len(A)]).values
        return int((values > INDEPENDENT * values[0]).sum()) if values.size else 0

    def _counted(self, at: ConstraintValues) -> np.ndarray:
        """Return which rows are more than rounding beside their group."""
        return np.linalg.norm(scaled_rows(at.A, at.M, self.groups), axis=1) > NEGLIGIBLE

    def _independent(self, at: ConstraintValues) -> tuple[int, ...]:
        """Return rows that are independent of each other, those of positions first."""
        from scipy.linalg import qr

        B = scaled_rows(at.A, at.M, self.groups)
        k = self.num_positions
        *_, order = qr(B[:k].T, pivoting=True) if k else (np.empty(0, int),)
        chosen = [int(i) for i in order[: self.position_rank]]
        for i in range(k, len(B)):
            trial = [*chosen, i]
            values = np.linalg.svd(B[trial], compute_uv=False)
            if values[-1] > INDEPENDENT * values[0]:
                chosen = trial
        return tuple(sorted(chosen))


def speed(M: Metric, v: np.ndarray) -> np.ndarray:
    """Return √(q̇ᵀ M q̇), the speed in the metric of the masses, at one state or many."""
    return np.sqrt(np.maximum(M.square(v), 0.0))
