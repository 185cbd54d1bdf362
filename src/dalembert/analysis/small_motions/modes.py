"""Vibration modes of any model at rest: frequencies, damping ratios, shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.small_motions.linearise import linearise
from dalembert.analysis.table import table
from dalembert.display import Printed
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.calling import Values
    from dalembert.types import Array, ArrayLike

# accelerations at rest, against those that its own weight would cause
REST = 1e-8
# ω² against the largest: below it a mode counts as a motion without stiffness
SOFT = 1e-10
RANK = 1e-9
# singular values of M against the largest: below it there is no mass
MASSLESS = 1e-12


@dataclass(frozen=True, eq=False)
class VibrationModes(Printed):
    """Modes at a point of rest, slow ones first; a column of ``shapes`` for each.

    Attributes:
        model: Of what.
        q: The point, ``(nq,)``.
        eigenvalues: s of e^{st}, one of each pair s and its conjugate, ``(k,)`` in 1/s.
        shapes: Columns in velocity coordinates, ``(nv, k)``, largest entry 1; complex where
            damping or gyroscopic forces shift phases.
        num_rigid: How many modes have no stiffness, frequency zero.
    """

    model: Model
    q: Array
    eigenvalues: Array
    shapes: Array
    num_rigid: int

    @property
    def frequencies(self) -> Array:
        """Natural frequencies |s| in rad/s."""
        return np.abs(self.eigenvalues)

    @property
    def hertz(self) -> Array:
        """Natural frequencies in Hz."""
        return self.frequencies / (2 * np.pi)

    @property
    def damping_ratios(self) -> Array:
        """ζ = -Re s/|s|: 1 and more for what does not vibrate, negative for what grows."""
        size = np.where(self.frequencies > 0, self.frequencies, 1.0)
        return -self.eigenvalues.real / size

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def motion(self, mode: int, amplitude: float = 0.3, steps: int = 60) -> tuple[Array, Array]:
        """Return times ``(steps,)`` and configurations ``(steps, nq)`` of one period of a mode.

        ``amplitude`` is that of the largest coordinate, in m or rad. Damping is left out, so that
        the picture closes; a mode without frequency is shown over one second, forth and back.
        """
        if not 0 <= mode < len(self):
            raise EvaluationError(
                f"expected a mode from 0 to {len(self) - 1}, got {mode}: they are counted from 0"
            )
        w = float(abs(self.eigenvalues[mode].imag))
        phase = np.linspace(0.0, 2 * np.pi, steps)
        t = phase / (w if w > 0 else 2 * np.pi)
        away = amplitude * np.real(np.exp(1j * phase)[:, None] * self.shapes[:, mode])
        return t, self.model.configuration.integrate(np.tile(self.q, (steps, 1)), away)

    def __str__(self) -> str:
        names = self.model.configuration.v_names
        rows = []
        for i, (w, zeta) in enumerate(zip(self.frequencies, self.damping_ratios, strict=True)):
            shape = self.shapes[:, i]
            order = np.argsort(-np.abs(shape), kind="stable")[:3]
            parts = [
                f"{names[k]} {_amount(complex(shape[k]))}" for k in order if abs(shape[k]) > 1e-3
            ]
            # rounding is no damping
            ratio = "rigid" if i < self.num_rigid else f"{zeta:.4f}" if abs(zeta) > 1e-9 else "0"
            rows.append((str(i), f"{w:.5g}", f"{w / (2 * np.pi):.5g}", ratio, ", ".join(parts)))
        return table(("mode", "rad/s", "Hz", "damping ratio", "largest parts"), rows)

    __repr__ = __str__


def _amount(x: complex) -> str:
    if abs(np.imag(x)) < 1e-6 * abs(x):
        return f"{np.real(x):+.3f}"
    return f"{abs(x):.3f}∠{np.degrees(np.angle(x)):.0f}°"


def modes(
    model: Model,
    q: ArrayLike,
    inputs: ArrayLike | None = None,
    *,
    parameters: Values = None,
) -> VibrationModes:
    """Return the vibration modes at a point of rest.

    M η̈ + D η̇ + K η = 0 on the directions that constraints admit, from exact derivatives. Where D
    vanishes and K is symmetric the shapes are real.

    Args:
        q: Where it rests, ``(nq,)``.
        inputs: What holds it there; zero unless given.
        parameters: Values of open parameters.

    Raises:
        EvaluationError: it accelerates there, or a constraint is violated.

    >>> import dalembert as da
    >>> system = da.textbook.double_pendulum()
    >>> values = {"m1": 1, "m2": 1, "l1": 1, "l2": 1, "g": 1}
    >>> da.analysis.modes(da.compile(system, parameters=values), [0, 0]).frequencies.round(4)
    array([0.7654, 1.8478])
    """
    q0 = model.configuration.normalized(finite_array(q, "q", (model.nq,)))
    n = model.nv
    found = linearise(model, q0, None, inputs, parameters=parameters)
    options = {"parameters": parameters}
    M = model.mass_matrix(q0, **options)  # type: ignore[arg-type]
    _check_rest(model, q0, found.acceleration, M, options)
    Z = admissible(model, q0, options)
    a, b = Z.T @ found.A[n:, :n] @ Z, Z.T @ found.A[n:, n:] @ Z
    M = Z.T @ M @ Z
    K, D = -M @ a, -M @ b
    scale = max(float(np.abs(K).max(initial=0)), 1e-300)
    is_plain = not D.any() and np.abs(K - K.T).max(initial=0) <= 1e-9 * scale
    s, shapes = _real_modes(M, K) if is_plain else _complex_modes(a, b)
    num_rigid = int((np.abs(s) == 0).sum())
    shapes = Z @ shapes
    peaks = shapes[np.abs(shapes).argmax(axis=0), np.arange(shapes.shape[1])]
    return VibrationModes(model, q0, s, shapes / peaks, num_rigid)


def _real_modes(M: Array, K: Array) -> tuple[Array, Array]:
    """Return s and shapes of M η̈ + K η = 0; of an unstable mode s is the growing one."""
    L = np.linalg.cholesky(M)
    inverse = np.linalg.inv(L)
    w2, vectors = np.linalg.eigh(inverse @ (K + K.T) / 2 @ inverse.T)
    w2 = np.where(np.abs(w2) <= SOFT * np.abs(w2).max(initial=0), 0.0, w2)
    s = np.where(w2 >= 0, 1j * np.sqrt(np.abs(w2)), np.sqrt(np.abs(w2)))
    order = np.argsort(np.abs(s), kind="stable")
    return s[order], (inverse.T @ vectors)[:, order]


def _complex_modes(a: Array, b: Array) -> tuple[Array, Array]:
    """Return s and shapes of η̈ = a η + b η̇, one of each conjugate pair; first those with s = 0."""
    n = len(a)
    state = np.block([[np.zeros((n, n)), np.eye(n)], [a, b]])
    s, vectors = np.linalg.eig(state)
    # a rest stays a rest along the null space of a; as eigenvalues these are inexact
    _, sizes, vt = np.linalg.svd(a)
    rest = vt[sizes <= RANK * max(float(sizes.max(initial=0)), 1e-300)].T
    soft = np.sqrt(SOFT) * np.abs(s).max(initial=0)
    keep = (np.imag(s) >= 0) & (np.abs(s) > soft)
    s, shapes = s[keep], vectors[:n, keep]
    order = np.argsort(np.abs(s), kind="stable")
    zeros = np.zeros(rest.shape[1], complex)
    return np.concatenate([zeros, s[order]]), np.hstack([rest, shapes[:, order]])


def admissible(model: Model, q: Array, options: dict) -> Array:
    """Return an orthonormal basis of the velocities that constraints admit, ``(nv, k)``."""
    if not model.description.has_constraints:
        return np.eye(model.nv)
    A = model.constraint_jacobian(q, **options)
    _, s, vt = np.linalg.svd(A)
    rank = int((s > RANK * max(float(s.max(initial=0)), 1e-300)).sum())
    return vt[rank:].T


def _check_rest(model: Model, q: Array, acceleration: Array, M: Array, options: dict) -> None:
    # what weight and springs would do to what has a mass, without constraints
    load = model.bias(q, np.zeros(model.nv), **options)
    pull = np.abs(np.linalg.lstsq(M, load, rcond=MASSLESS)[0])
    size = max(1.0, float(pull.max(initial=0)))
    if np.abs(acceleration).max(initial=0) > REST * size:
        names: Sequence[str] = model.configuration.v_names
        worst = int(np.abs(acceleration).argmax())
        raise EvaluationError(
            f"expected a point of rest, got q = {q} where {names[worst]} accelerates by "
            f"{acceleration[worst]:.6g}: find one with da.analysis.equilibria, or give the inputs "
            "that hold it"
        )
    if model.description.num_position_constraints:
        error = float(np.abs(model.constraint_error(q, **options)).max())
        if error > REST * max(1.0, float(np.abs(q).max())):
            raise EvaluationError(f"expected closed constraints, got an error of {error:.3g}")
