"""Which velocities the inputs of a model drive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.errors import EvaluationError, InvalidMechanism

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model import Model
    from dalembert.types import Array

SHOWN = 4


class Drives(NamedTuple):
    """Input ``inputs[k]`` is the force on velocity ``velocities[k]``; the others stay zero."""

    inputs: tuple[int, ...]
    velocities: tuple[int, ...]
    num_inputs: int

    def spread(self, efforts: Array) -> Array:
        """Return all inputs, ``(..., inputs)``, with zeros for those that do not act."""
        found = np.zeros((*efforts.shape[:-1], self.num_inputs))
        found[..., list(self.inputs)] = efforts
        return found

    def passive(self, model: Model) -> str:
        """Return the names of the velocities without a drive, as errors list them."""
        names = [x for k, x in enumerate(model.configuration.v_names) if k not in self.velocities]
        return ", ".join([*names[:SHOWN], "…"] if len(names) > SHOWN else names)


def drives(model: Model, controller: str, actuated: Sequence[int] | None = None) -> Drives:
    """Return which inputs act, and on which velocities.

    Args:
        model: Any mechanism, or a system whose forces are inputs or zero.
        controller: How errors call the one that asks.
        actuated: Places of the inputs that act; those of actuators unless given, and of a mechanism
            without actuators those of all joints but floating ones.

    Raises:
        InvalidMechanism: a force of the system is neither an input nor zero.
        EvaluationError: ``actuated`` are no places of inputs.
    """
    inputs = model.symbols.inputs
    acting = model.description.driven_inputs if actuated is None else tuple(actuated)
    if (
        not acting
        or len(set(acting)) < len(acting)
        or any(k not in range(len(inputs)) for k in acting)
    ):
        raise EvaluationError(
            f"expected different places of inputs that act among 0 to {len(inputs) - 1} for "
            f"{controller}, got {acting}"
        )
    if actuated is None and (B := shared_motors(model)) is not None:
        raise InvalidMechanism(
            f"expected a motor for each of the {len(acting)} driven joints for {controller}, got "
            f"{B.shape[1]} that share them: use LQR, or a law of efforts u with the torques "
            "model.actuation.torques(u)"
        )
    forces = applied_forces(model)
    velocities = []
    for k in acting:
        on = [i for i, force in enumerate(forces) if inputs[k] in force.symbols]
        if len(on) != 1 or not forces[on[0]] == inputs[k]:
            raise InvalidMechanism(_other_forces(model, forces, controller))
        velocities.append(on[0])
    if any(not f == 0 and not any(f == u for u in inputs) for f in forces):
        raise InvalidMechanism(_other_forces(model, forces, controller))
    return Drives(tuple(acting), tuple(velocities), len(inputs))


def shared_motors(model: Model) -> Array | None:
    """Return B with τ = B u of motors that cannot give every torque on the joints they drive.

    None where each driven joint can have any torque.
    """
    if not model.description.has_shared_motors:
        return None
    B, driven = model.actuation.matrix, list(model.description.driven_inputs)
    return B if np.linalg.matrix_rank(B[driven]) < len(driven) else None


def applied_forces(model: Model) -> list[Expr]:
    """Return the generalized forces as expressions of the inputs."""
    q, qd, _, inputs, _ = model.symbols
    return model.expressions("applied_forces", q, qd, inputs)


def _other_forces(model: Model, forces: Sequence[Expr], controller: str) -> str:
    names = ", ".join(map(str, forces))
    return (
        f"expected each input as the force on one of the {model.nv} coordinates for {controller}, "
        f"got the forces {names}: use LQR, and dissipation= for friction"
    )
