"""The linear motion of a model near a state or along a trajectory, from exact derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dalembert.display import Printed
from dalembert.errors import EvaluationError
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.model.calling import Time, Values
    from dalembert.types import Array, ArrayLike


class Motion(Protocol):
    """What is used of a trajectory: times, states and inputs, a row for each time."""

    @property
    def t(self) -> Array:
        """Times, ``(k,)``."""
        ...

    @property
    def q(self) -> Array:
        """Configurations, ``(k, nq)``."""
        ...

    @property
    def qd(self) -> Array:
        """Velocities, ``(k, nv)``."""
        ...

    @property
    def tau(self) -> Array:
        """Torques or inputs."""
        ...

    @property
    def model(self) -> Model | None:
        """What moved."""
        ...

    def resample(self, times: ArrayLike) -> Motion:
        """Return the motion at other times."""
        ...


@dataclass(frozen=True, eq=False)
class LinearMotion(Printed):
    """δẋ = A δx + B δu with δx = (η, δq̇), 2 nv numbers, at one state or at many.

    η is q - q₀; of a ball joint or a free body the body-fixed rotation vector or twist that takes
    q₀ to q. ``A`` is ``(..., 2 nv, 2 nv)``, ``B`` ``(..., 2 nv, inputs)``; ``acceleration``
    ``(..., nv)`` is q̈ there, zero at an equilibrium. With constraints q̈ keeps them, and deviations
    that satisfy them go on doing so.
    """

    A: Array
    B: Array
    acceleration: Array

    @property
    def eigenvalues(self) -> Array:
        """Eigenvalues of A, ``(..., 2 nv)``, in 1/s."""
        return np.linalg.eigvals(self.A)

    def __str__(self) -> str:
        size, inputs = self.B.shape[-2:]
        where = " at each of many states" if self.A.ndim > 2 else ""
        head = f"δẋ = A δx + B δu{where}, {size} numbers in x, {inputs} in u"
        if self.A.ndim > 2:
            return head
        # the fastest to grow first
        found = sorted(self.eigenvalues, key=lambda x: (-x.real, -abs(x.imag)))
        lines = [
            f"  {x.real:.5g}" + (f" ± {x.imag:.5g} i" if x.imag else "")
            for x in found
            if x.imag >= 0
        ]
        return "\n".join([head, "eigenvalues of A, in 1/s:", *lines])


def linearise(
    model: Model,
    q: ArrayLike,
    qd: ArrayLike | None = None,
    inputs: ArrayLike | None = None,
    *,
    t: Time = None,
    parameters: Values = None,
) -> LinearMotion:
    """Return A and B at a state, or at a batch of states.

    Args:
        q: Configurations ``(..., nq)``.
        qd: Velocities ``(..., nv)``; zero unless given.
        inputs: Torques, or the inputs of a system; zero unless given.
        t: Time in seconds, for a system that depends on it.
        parameters: Values of open parameters; see `Model`.
    """
    q = model.configuration.positions_of(q)
    batch = q.shape[:-1]
    v = np.zeros((*batch, model.nv)) if qd is None else model.configuration.velocities_of(qd, "qd")
    m = len(model.symbols.inputs)
    u = np.zeros((*batch, m)) if inputs is None else finite_array(inputs, "inputs", (..., m))
    qdd = model.forward_dynamics(q, v, u, t=t, parameters=parameters)
    dq, dv, du = model.forward_dynamics_derivatives(q, v, u, t=t, parameters=parameters)
    n = model.nv
    A = np.zeros((*np.shape(dq)[:-2], 2 * n, 2 * n))
    A[..., :n, :n] = model.configuration.transport(v)
    A[..., :n, n:] = np.eye(n)
    A[..., n:, :n], A[..., n:, n:] = dq, dv
    B = np.zeros((*A.shape[:-1], m))
    B[..., n:, :] = du
    return LinearMotion(A, B, qdd)


def linearise_along(
    motion: Motion, model: Model | None = None, *, parameters: Values = None
) -> LinearMotion:
    """Return A(t) and B(t) along a trajectory, a matrix for each of its times.

    Args:
        motion: What `da.simulate` returned.
        model: What was simulated; the trajectory's own unless given.
        parameters: Values of open parameters.
    """
    model = model or motion.model
    if model is None:
        raise EvaluationError(
            "expected a trajectory that knows its model, got one without: pass model="
        )
    t = motion.t if model.description.is_timed else None
    return linearise(model, motion.q, motion.qd, motion.tau, t=t, parameters=parameters)
