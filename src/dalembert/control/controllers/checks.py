"""What a controller requires of its model and of its gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.reach.drives import drives
from dalembert.errors import EvaluationError, InvalidMechanism
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

# of the largest entry: asymmetries and eigenvalues that rounding leaves of zero
ROUNDING = 1e-12


def check_vector_coordinates(model: Model, controller: str) -> None:
    """Refuse a model with quaternions in q, or with equations that depend on time.

    Raises:
        InvalidMechanism: it has ball joints or a free base, or depends on time.
    """
    check_untimed(model, controller)
    if not model.configuration.is_flat:
        first = model.configuration.q_names[model.configuration.quaternions[0]]
        raise InvalidMechanism(
            f"expected joints with one coordinate each for {controller}, got quaternions at joint "
            f"{first.rpartition('.')[0]}: use ComputedTorque, PDGravity or LQR, which know "
            "orientations, or lock the joint"
        )


def check_untimed(model: Model, controller: str) -> None:
    """Refuse a model with equations that depend on time.

    Raises:
        InvalidMechanism: it depends on time.
    """
    if model.description.is_timed:
        raise InvalidMechanism(
            f"expected a model that does not depend on time for {controller}, got one that does"
        )


def check_unconstrained(model: Model, controller: str) -> None:
    """Refuse a model with loops, couplings or other constraints.

    Raises:
        InvalidMechanism: it has some.
    """
    if model.description.has_constraints:
        raise InvalidMechanism(
            f"expected an open chain for {controller}, got the constraint "
            f"{model.description.constraint_names[0]}: its torques would work against the "
            "reaction, so use ComputedTorque, PDGravity or LQR, which know constraints"
        )


def check_fully_actuated(model: Model, controller: str) -> None:
    """Refuse a model unless it is an open chain whose generalized forces are its inputs.

    Raises:
        InvalidMechanism: quaternions, time, constraints, fewer inputs than coordinates, or other
            applied forces.
    """
    check_vector_coordinates(model, controller)
    check_unconstrained(model, controller)
    found = drives(model, controller)
    if passive := found.passive(model):
        raise InvalidMechanism(
            f"expected an actuator on every joint for {controller}, got none on {passive}: use "
            "ComputedTorque, PDGravity or LQR, which do with fewer, or give the joint an actuator"
        )


def gain_matrix(value: ArrayLike, n: int, name: str, *, may_vanish: bool = False) -> Array:
    """Return a symmetric positive definite matrix ``(n, n)`` from a number, n numbers or a matrix.

    Args:
        value: One number for all, one for each, or the matrix itself.
        n: The size.
        name: How errors call it.
        may_vanish: Whether positive semidefinite is enough.

    Raises:
        EvaluationError: the shape does not fit, or it is not symmetric or not definite.
    """
    K = finite_array(value, name)
    if K.ndim == 0:
        K = K * np.eye(n)
    elif K.shape == (n,):
        K = np.diag(K)
    if K.shape != (n, n):
        raise EvaluationError(
            f"expected {name} as a number, as {n} numbers or as a {n} × {n} matrix, got an array "
            f"of shape {K.shape}"
        )
    size = np.abs(K).max(initial=0.0)
    if np.abs(K - K.T).max(initial=0.0) > ROUNDING * size:
        raise EvaluationError(
            f"expected a symmetric matrix for {name}, got one that differs from its transpose by "
            f"{np.abs(K - K.T).max():.3g}"
        )
    least = float(np.linalg.eigvalsh(K)[0])
    # rounding may push a zero eigenvalue of a semidefinite matrix below zero
    if least < -ROUNDING * size or (not may_vanish and least <= ROUNDING * size):
        kind = "semidefinite" if may_vanish else "definite"
        raise EvaluationError(
            f"expected a positive {kind} {name}, got one with the eigenvalue {least:.6g}"
        )
    return K


def positive(value: ArrayLike, name: str) -> float:
    """Return a finite number above zero."""
    x = finite_array(value, name)
    if x.ndim or not x > 0:
        raise EvaluationError(f"expected one number above zero for {name}, got {value}")
    return float(x)
