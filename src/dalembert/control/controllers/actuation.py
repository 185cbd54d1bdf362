"""Checks of what a controller may assume about a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidMechanism

if TYPE_CHECKING:
    from dalembert.model import Model


def need_flat(model: Model, controller: str) -> None:
    """Raise unless q is a vector and the model knows no time of its own.

    Raises:
        InvalidMechanism: it has quaternions, or moves by itself.
    """
    if not model.configuration.is_flat:
        raise InvalidMechanism(
            f"expected joints with one coordinate each for {controller}, got quaternions: its "
            "errors are differences q - q_d, so take the arm without its free base or ball joints"
        )
    if model.formulas.is_timed:
        raise InvalidMechanism(
            f"expected a model that does not depend on time for {controller}, got one that does"
        )


def need_full_actuation(model: Model, controller: str) -> None:
    """Raise unless there are no constraints, and a torque acts on each coordinate by itself.

    Raises:
        InvalidMechanism: it has loops, or fewer inputs than coordinates, or forces beside them.
    """
    need_flat(model, controller)
    if has_constraints(model):
        raise InvalidMechanism(
            f"expected an open chain for {controller}, got loops or constraints: its torques "
            "would work against the reactions"
        )
    forces = applied_forces(model)
    if len(forces) != len(model.inputs) or any(
        not f == u for f, u in zip(forces, model.inputs, strict=True)
    ):
        raise InvalidMechanism(
            f"expected one input for each of the {model.nv} coordinates as its force for "
            f"{controller}, got the forces {', '.join(map(str, forces))}: use LQR or SwingUp for "
            "an underactuated system, and dissipation= for friction"
        )


def has_constraints(model: Model) -> bool:
    """Tell whether loops, couplings or other constraints act."""
    about = _system(model)
    if about is not None:
        return bool(about.constraints or about.velocity_constraints)
    return bool(model.description.loops or model.description.couplings)


def applied_forces(model: Model) -> list[Any]:
    """Return the generalized forces as expressions of the inputs."""
    if _system(model) is None:
        return list(model.inputs)
    return model.apply("applied_forces", model.q, model.qd, model.inputs)


def _system(model: Model) -> Any:
    return getattr(model.formulas, "system", None)
