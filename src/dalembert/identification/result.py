"""What was identified: base parameters with deviations, bodies, residuals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.display import Printed
from dalembert.errors import InvalidMechanism
from dalembert.identification.bodies import INERTIAL, inertia_of
from dalembert.spatial.inertia.consistency import consistency_margin, nearest_consistent

if TYPE_CHECKING:
    from dalembert.identification.structure import Structure
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

AS_WELL = 1.1
"""Bodies explain the torques as well where their residual is below this many times the noise."""

EXACTLY = 1e-6
"""Below this part of the largest torques nothing is left."""

PROPER = 1e-9
"""How far from a body a link may be by rounding; see `consistency_margin`."""

OF_JOINTS = ("damping", "friction", "stribeck", "armature", "stiffness")


@dataclass(frozen=True, eq=False)
class BaseEstimate:
    """Base parameters: ``values`` ± ``deviations`` ``(base,)``, infinite where the data are silent.

    ``condition`` is that of the data, columns of length one: by so much noise may grow at worst.
    """

    structure: Structure
    values: Array
    deviations: Array
    condition: float

    def __len__(self) -> int:
        return len(self.values)

    @property
    def names(self) -> tuple[str, ...]:
        """Each base parameter as a combination of the parameters of links and joints."""
        return self.structure.names

    @property
    def hidden(self) -> tuple[str, ...]:
        """The base parameters that this motion does not reveal."""
        return tuple(
            name for name, d in zip(self.names, self.deviations, strict=True) if not np.isfinite(d)
        )


@dataclass(frozen=True, eq=False)
class Identification(Printed):
    """The parameters of a robot that explain measured torques.

    ``labels`` name all parameters θ, ``given`` are those of the description, ``theta`` those found,
    a set that some robot can have; ``unknown`` are the places of what was looked for. ``noise`` and
    ``residual`` have a number for each of ``rows`` (joints), root mean squares in N m or N: what
    base parameters leave, and what bodies leave; ``size`` is that of the torques.
    """

    model: Model
    labels: tuple[str, ...]
    given: Array
    theta: Array
    unknown: tuple[int, ...]
    base: BaseEstimate
    rows: tuple[str, ...]
    noise: Array
    residual: Array
    size: Array
    num_samples: int

    @property
    def ok(self) -> bool:
        """Whether the motion reveals all that torques can reveal, and bodies explain it."""
        return not self.base.hidden and self._fits

    @property
    def status(self) -> str:
        """One sentence."""
        hidden = len(self.base.hidden)
        found = f"{len(self.base) - hidden} base parameters found"
        if hidden:
            total = len(self.base)
            found = (
                f"{total - hidden} of {total} base parameters found, the motion hides the others"
            )
        if self._fits:
            return f"{found}; bodies explain the torques as well"
        worst = int(np.argmax(self.residual / self.noise))
        return (
            f"{found}; no bodies near the description explain {self.rows[worst]!r}: "
            f"{self.residual[worst]:.3g} are left, {self.noise[worst]:.3g} without bodies"
        )

    @property
    def _fits(self) -> bool:
        # of torques without noise
        floor = EXACTLY * float(self.size.max())
        return bool((self.residual <= AS_WELL * self.noise + floor).all())

    def __getitem__(self, label: str) -> float:
        """Return one parameter that was found, as ``found["link2.m"]``."""
        return float(self.theta[self.labels.index(label)])

    def predict(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the torques ``(..., nv)`` of another motion, with the parameters found."""
        return self.model.regressor(q, qd, qdd) @ self.theta

    @property
    def mechanism(self) -> Any:
        """The mechanism of the model with the numbers found.

        Raises:
            InvalidMechanism: it has no place for a number, or a link fixed to another took too
                much of its inertia.
        """
        mechanism = self.model.mechanism
        change = dict(zip(self.labels, self.theta - self.given, strict=True))
        carried = {f"{x.name}.{kind}" for x in mechanism.links for kind in INERTIAL}
        for joint in mechanism.joints:
            # a spring with a rest has a preload of its own
            kinds = OF_JOINTS if joint.resistance.rest == 0 else OF_JOINTS[:-1]
            carried |= {f"{joint.name}.{kind}" for kind in kinds}
        for label, d in change.items():
            if d and label not in carried:
                raise InvalidMechanism(
                    f"expected numbers of links and joints in {mechanism.name}, got {label}: use "
                    "predict() and theta, or leave it out of unknown="
                )
        links = tuple(_changed_link(link, change) for link in mechanism.links)
        joints = tuple(_changed_joint(joint, change) for joint in mechanism.joints)
        return replace(mechanism, links=links, joints=joints)

    def __str__(self) -> str:
        rows = [
            (name, f"{x:.5g}", f"{d:.2g}")
            for name, x, d in zip(
                self.base.names, self.base.values, self.base.deviations, strict=True
            )
        ]
        widths = [max(len(row[k]) for row in rows) for k in range(3)]
        lines = [self.status, f"{self.num_samples} samples, condition {self.base.condition:.3g}"]
        for name, x, d in rows:
            lines.append(f"{name.ljust(widths[0])}  {x.rjust(widths[1])} ± {d.rjust(widths[2])}")
        return "\n".join(lines)


def _changed_link(link: Any, change: dict[str, float]) -> Any:
    d = [change.get(f"{link.name}.{name}", 0.0) for name in INERTIAL]
    if not any(d):
        return link
    inertia = link.inertia + inertia_of(d)
    if consistency_margin(inertia) < -PROPER:
        raise InvalidMechanism(
            f"expected link {link.name!r} to be a body of its own, got what is left beside links "
            "that are fixed to it: identify the model of mechanism.reduce()"
        )
    return replace(link, inertia=nearest_consistent(inertia))


def _changed_joint(joint: Any, change: dict[str, float]) -> Any:
    d = {kind: change.get(f"{joint.name}.{kind}", 0.0) for kind in OF_JOINTS}
    if not any(d.values()):
        return joint
    armature = joint.armature + d.pop("armature")
    own = joint.resistance
    numbers = {kind: getattr(own, kind) + x for kind, x in d.items()}
    return replace(joint, resistance=replace(own, **numbers), armature=armature)
