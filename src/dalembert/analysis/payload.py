"""The mass that the effort limits allow at the tool, at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.rest_torque import check_open
from dalembert.analysis.table import table
from dalembert.display import Printed
from dalembert.errors import InvalidMechanism

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True)
class Payload(Printed):
    """The largest point mass at a frame, ``(...)``, and the joint that limits it, ``(...)``.

    ``mass`` is infinite where it loads no joint, and zero where the arm cannot even hold itself
    (``holds_itself`` is False). ``joint`` is an index of q̇, -1 where none limits.
    """

    frame: str
    names: tuple[str, ...]
    mass: Array
    joint: Array
    holds_itself: Array

    @property
    def smallest(self) -> float:
        """What the arm carries in all of the configurations."""
        return float(self.mass.min())

    def __str__(self) -> str:
        mass, joint = self.mass.reshape(-1), self.joint.reshape(-1)
        rows = [
            (name, f"{(joint == k).sum()}", f"{mass[joint == k].min():.4g}")
            for k, name in enumerate(self.names)
            if (joint == k).any()
        ]
        least, middle = f"{self.smallest:.4g} kg", f"{np.median(mass):.4g} kg"
        lines = [
            f"payload at {self.frame!r}: {least} in all of {mass.size}, median {middle}",
            table(("limited by", "times", "least kg"), rows),
        ]
        weak = int((~self.holds_itself).sum())
        if weak:
            lines.append(f"the arm does not hold itself in {weak} of them")
        return "\n".join(lines)


def payload(model: Model, q: ArrayLike, frame: str, *, effort: ArrayLike | None = None) -> Payload:
    """Return the largest mass at a frame's origin that the arm holds at rest.

    τ(m) = τ₀ + m w with w = -J_vᵀ g: joint by joint |τ₀ + m w| ≤ effort bounds m.

    Args:
        q: Configurations ``(..., nq)``.
        effort: Limits of |τ|; those of the joints unless given.
    """
    check_open(model)
    e = model.configuration.effort if effort is None else np.asarray(effort, float)
    if not np.isfinite(e).any():
        raise InvalidMechanism(f"expected effort limits in {model.name}, got none: give effort=")
    q = np.asarray(q, float)
    g = np.array([float(x) for x in model.mechanism.gravity])
    tau = model.bias(q, np.zeros(model.nv))
    w = -np.einsum("...ij,i->...j", model.jacobian(q, frame)[..., :3, :], g)
    # a lever below this is rounding: the joint carries nothing of the load
    is_loaded = np.abs(w) > 1e-12 * np.linalg.norm(g)
    room = e - np.sign(w) * tau
    bound = np.divide(room, np.abs(w), out=np.full(w.shape, np.inf), where=is_loaded)
    holds = np.asarray((np.abs(tau) <= e).all(axis=-1))
    mass = np.where(holds, bound.min(axis=-1), 0.0)
    worst = np.where(holds, bound.argmin(axis=-1), (np.abs(tau) / e).argmax(axis=-1))
    return Payload(
        frame,
        model.configuration.v_names,
        mass,
        np.where(np.isinf(mass), -1, worst),
        holds,
    )
