"""What was identified: base parameters with deviations, bodies, residuals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.display import Printed
from dalembert.spatial.inertia.consistency import nearest_consistent
from dalembert.spatial.inertia.inertia import Inertia

if TYPE_CHECKING:
    from dalembert.identification.structure import Structure
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike

AS_WELL = 1.1
"""Bodies explain the torques as well where their residual is below this many times the noise."""


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
    base parameters leave, and what bodies leave.
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
        floor = 1e-9 * float(np.max(np.abs(self.theta), initial=0.0))
        return bool((self.residual <= AS_WELL * self.noise + floor).all())

    def __getitem__(self, label: str) -> float:
        """Return one parameter that was found, as ``found["link2.m"]``."""
        return float(self.theta[self.labels.index(label)])

    def predict(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """Return the torques ``(..., nv)`` of another motion, with the parameters found."""
        return self.model.regressor(q, qd, qdd) @ self.theta

    @property
    def mechanism(self) -> Any:
        """The mechanism of the model with the numbers found."""
        change = dict(zip(self.labels, self.theta - self.given, strict=True))
        found = dict(zip(self.labels, self.theta, strict=True))
        mechanism = self.model.mechanism
        links = tuple(_changed_link(link, change) for link in mechanism.links)
        joints = tuple(_changed_joint(joint, found) for joint in mechanism.joints)
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
    names = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
    d = [change.get(f"{link.name}.{name}", 0.0) for name in names]
    if not any(d):
        return link
    m, h, I = link.inertia
    inertia = Inertia(
        m + d[0],
        (h[0] + d[1], h[1] + d[2], h[2] + d[3]),
        tuple(a + b for a, b in zip(I, d[4:], strict=True)),  # type: ignore[arg-type]
    )
    return replace(link, inertia=nearest_consistent(inertia))


def _changed_joint(joint: Any, found: dict[str, float]) -> Any:
    kinds = ("damping", "friction", "stribeck", "stiffness")
    numbers = {k: found[f"{joint.name}.{k}"] for k in kinds if f"{joint.name}.{k}" in found}
    if not numbers:
        return joint
    armature = found.get(f"{joint.name}.armature", joint.armature)
    return replace(joint, resistance=replace(joint.resistance, **numbers), armature=armature)
