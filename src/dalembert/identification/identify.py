"""The public door: from samples to base parameters and bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import DalembertError, EvaluationError, InvalidMechanism, UnknownName, nearest
from dalembert.identification.bodies import INERTIAL, Priors, expected_factor, fit
from dalembert.identification.result import BaseEstimate, Identification
from dalembert.identification.stack import Stack, stacked
from dalembert.identification.structure import random_rows, structure_of
from dalembert.model.model import check_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

POSITIVE = ("damping", "friction", "armature", "stiffness", "stribeck", "J")
KINDS = ("inertia", *POSITIVE)

SMALL = 0.1
"""A friction that the description does not have is expected to take this part of the torque."""

EXCITED = 1e-8
"""Singular values of the data below this part of the largest, columns of length one, are none."""


def identify(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    tau: ArrayLike,
    *,
    unknown: Sequence[str] = ("inertia", "damping", "friction"),
    spread: float = 1.0,
) -> Identification:
    """Return the masses, inertias and friction of a robot that explain measured torques.

    Two answers from the same samples: the base parameters, the combinations that torques reveal, by
    weighted least squares with their standard deviations; and bodies, the most likely full set that
    some robot can have, near the description of the model where the data say nothing.

    Args:
        model: Of a mechanism with numbers; they are the description.
        q: Positions ``(n, nq)``, rad or m; `filtered` gives all four from measurements.
        qd: Velocities ``(n, nv)``.
        qdd: Accelerations ``(n, nv)``.
        tau: Forces of the joints ``(n, nv)``, N m or N; zero where nothing drives.
        unknown: What is not known: of "inertia", "damping", "friction", "armature", "stiffness",
            "stribeck", "J". The other numbers stay those of the description.
        spread: How far the description may be off, as a relative standard deviation.

    Raises:
        InvalidMechanism: the model is that of a system, or has prescribed motions.
        EvaluationError: wrong shapes, or numbers that are not finite.

    >>> import numpy as np
    >>> import dalembert as da
    >>> rng = np.random.default_rng(0)
    >>> model = da.compile(da.textbook.robots.ur5e())
    >>> q, qd, qdd = rng.normal(size=(3, 200, 6))
    >>> tau = model.inverse_dynamics(q, qd, qdd) + 0.01 * rng.normal(size=(200, 6))
    >>> found = identify(model, q, qd, qdd, tau, unknown=["inertia"])
    >>> print(found.status)
    36 base parameters found; bodies explain the torques as well
    """
    check_model(model, "identify")
    if not 0 < spread < np.inf:
        raise EvaluationError(f"expected a positive spread, got {spread}: 1.0 is 100 %")
    model = model.on_host()
    labels, numbers = _parameters(model)
    theta = np.array(numbers)
    samples = _checked(model, q, qd, qdd, tau)
    columns = _unknown(labels, theta, unknown)
    known = np.setdiff1d(np.arange(len(labels)), columns)
    names = tuple(labels[k] for k in columns)
    stack = stacked(model, samples, columns, known, theta)
    R, z = stack.weighted(stack.noise)
    base = _base(model, columns, names, R, z)
    full = theta.copy()
    full[columns] = fit(R, z, _priors(names, theta[columns], stack), 1 / spread**2)
    return Identification(
        model=model,
        labels=labels,
        given=theta,
        theta=full,
        unknown=tuple(int(k) for k in columns),
        base=base,
        rows=stack.names,
        noise=stack.noise,
        residual=stack.residual(full[columns]),
        size=stack.size,
        num_samples=len(samples[0]),
    )


def _parameters(model: Model) -> tuple[tuple[str, ...], list[float]]:
    """Return the names and numbers of θ."""
    labels, values = model.regressor_parameters
    if model.description.is_timed:
        raise InvalidMechanism("expected a model without prescribed motions, got some: drop them")
    numbers: list[float] = []
    for label, value in zip(labels, values, strict=True):
        try:
            numbers.append(float(value))
        except DalembertError:
            raise InvalidMechanism(
                f"expected a number for {label}, got {value}: bind it to what is expected of it"
            ) from None
    return labels, numbers


def _checked(model: Model, *given: ArrayLike) -> list[Array]:
    samples = [np.atleast_2d(np.asarray(x, float)) for x in given]
    count = len(samples[0])
    for name, x, width in zip(
        ("q", "qd", "qdd", "tau"), samples, (model.nq, *[model.nv] * 3), strict=True
    ):
        if x.shape != (count, width):
            raise EvaluationError(f"expected {name} of shape ({count}, {width}), got {x.shape}")
    return samples


def _unknown(labels: Sequence[str], theta: Array, kinds: Sequence[str]) -> Array:
    """Return the columns of these kinds; links that were described without mass stay without."""
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName(
                f"expected unknown kinds of {KINDS}, got {kind!r} ({nearest(kind, KINDS)})"
            )
    columns = []
    for k, label in enumerate(labels):
        owner, _, kind = label.rpartition(".")
        if kind in INERTIAL:
            mass = theta[labels.index(f"{owner}.m")]
            if "inertia" in kinds and mass > 0:
                columns.append(k)
        elif kind in kinds:
            columns.append(k)
    if not columns:
        raise EvaluationError(
            f"expected something unknown, got {kinds} of a model that has none of it"
        )
    return np.array(columns)


def _base(model: Model, columns: Array, names: Sequence[str], R: Array, z: Array) -> BaseEstimate:
    """Return weighted least squares of what torques can reveal, with deviations."""
    # the states of loops cannot be drawn: there the data say what is independent
    closed = bool(model.mechanism.loops)
    structure = structure_of(R if closed else random_rows(model, columns), names)
    lead = list(structure.leading)
    size = np.linalg.norm(R[:, lead], axis=0)
    size[size == 0] = 1.0
    U, s, Vt = np.linalg.svd(R[:, lead] / size, full_matrices=False)
    seen = s > EXCITED * s[0]
    beta = Vt[seen].T @ ((U.T @ z)[seen] / s[seen]) / size
    deviation = np.sqrt(np.sum((Vt[seen] / s[seen, None]) ** 2, axis=0)) / size
    # what leans on an unseen direction can have any value
    hidden = np.abs(Vt[~seen]).max(axis=0, initial=0) > 1e-6
    condition = float(s[0] / s[-1]) if s[-1] > 0 else np.inf
    return BaseEstimate(structure, beta, np.where(hidden, np.inf, deviation), condition)


def _priors(names: Sequence[str], theta: Array, stack: Stack) -> Priors:
    """Return what the description expects of the unknown columns."""
    last = [name.rpartition(".")[2] for name in names]
    masses = [k for k, kind in enumerate(last) if kind == INERTIAL[0]]
    numbers = np.array([k for k, kind in enumerate(last) if kind not in INERTIAL], int)
    bodies = np.array([range(k, k + len(INERTIAL)) for k in masses], int).reshape(-1, len(INERTIAL))
    factors = np.array([expected_factor(theta[columns]) for columns in bodies]).reshape(-1, 4, 4)
    # what is not described: a part of the torques
    force = float(np.linalg.norm(stack.size * np.sqrt(stack.counts)))
    torque = np.linalg.norm(stack.triangles[:, :, numbers], axis=(0, 1))
    guess = np.divide(SMALL * force, torque, out=np.ones(len(numbers)), where=torque > 0)
    sizes = np.where(theta[numbers] > 0, theta[numbers], guess)
    return Priors(bodies, factors, numbers, np.where(sizes > 0, sizes, 1.0))
