"""Evaluate the structure of an arm: workspace, torques at rest, inertia and payload at the tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.payload import Payload, payload
from dalembert.analysis.reflected_inertia import ReflectedInertia, reflected_inertia
from dalembert.analysis.rest_torque import RestTorque, rest_torque
from dalembert.analysis.samples import Bounds
from dalembert.analysis.workspace import Workspace, workspace
from dalembert.display import Printed

if TYPE_CHECKING:
    from dalembert.model import Model


@dataclass(frozen=True)
class Structure(Printed):
    """The evaluation of an arm over samples of its workspace; no payload without effort limits."""

    name: str
    workspace: Workspace
    rest_torque: RestTorque
    reflected_inertia: ReflectedInertia
    payload: Payload | None

    def __str__(self) -> str:
        parts = [self.workspace, self.rest_torque, self.reflected_inertia, self.payload]
        return "\n\n".join([self.name, *(str(p) for p in parts if p is not None)])


def evaluate_structure(
    model: Model,
    frame: str,
    *,
    samples: int = 5_000,
    bounds: Bounds | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Structure:
    """Return workspace, torques at rest, reflected inertia and payload of an arm, at a frame."""
    options: dict[str, Any] = {
        "samples": samples,
        "bounds": bounds,
        "seed": seed,
        "progress": progress,
    }
    space = workspace(model, frame, **options)
    q = space.configurations
    has_limits = bool(np.isfinite(model.configuration.effort).any())
    return Structure(
        model.name,
        space,
        rest_torque(model, **options),
        reflected_inertia(model, q, frame),
        payload(model, q, frame) if has_limits else None,
    )
