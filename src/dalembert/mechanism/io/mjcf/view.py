"""A compiled MuJoCo model by names and exact numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, SupportsFloat

from dalembert.errors import InvalidMechanism
from dalembert.mechanism.io.xml.write import distinct
from dalembert.spatial.exact import exact, rotation_from_quaternion
from dalembert.spatial.pose import Pose
from dalembert.spatial.vectors import Vec

if TYPE_CHECKING:
    from dalembert.types import Array

FREE, BALL, SLIDE, HINGE = range(4)
WRAP_JOINT = 1


class View:
    """An `mujoco.MjModel` with a name for everything and numbers by their decimal meaning."""

    def __init__(self, mujoco: ModuleType, model: Any) -> None:
        self.mujoco, self.model = mujoco, model

    def names(self, kind: str, count: int, prefix: str) -> list[str]:
        """Return the names of all objects of a kind; nameless ones get ``prefix`` and a number."""
        code = getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}")
        given = [self.mujoco.mj_id2name(self.model, code, i) for i in range(count)]
        taken = {name for name in given if name}
        return [name or distinct(f"{prefix}{i}", taken) for i, name in enumerate(given)]

    @cached_property
    def bodies(self) -> list[str]:
        return self.names("BODY", self.model.nbody, "body")

    @cached_property
    def joints(self) -> list[str]:
        return self.names("JOINT", self.model.njnt, "joint")

    @cached_property
    def sites(self) -> list[str]:
        return self.names("SITE", self.model.nsite, "site")

    @cached_property
    def meshes(self) -> list[str]:
        return self.names("MESH", self.model.nmesh, "mesh")

    @cached_property
    def keys(self) -> list[str]:
        return self.names("KEY", self.model.nkey, "key")

    @cached_property
    def tendons(self) -> list[str]:
        return self.names("TENDON", self.model.ntendon, "tendon")

    @cached_property
    def actuators(self) -> list[str]:
        return self.names("ACTUATOR", self.num_actuators, "actuator")

    @property
    def num_actuators(self) -> int:
        """How many actuators there are: one may have several controls, or push in several ways."""
        return int(getattr(self.model, "nactuator", self.model.nu))

    @cached_property
    def equalities(self) -> list[str]:
        return self.names("EQUALITY", self.model.neq, "equality")

    def disables(self, *flags: str) -> bool:
        """Tell whether the model's options switch one of these off."""
        bits = self.mujoco.mjtDisableBit
        # PASSIVE was split into SPRING and DAMPER
        known = [
            int(getattr(bits, f"mjDSBL_{flag}"))
            for flag in flags
            if hasattr(bits, f"mjDSBL_{flag}")
        ]
        return any(self.model.opt.disableflags & bit for bit in known)

    def field(self, name: str) -> Array | None:
        """Return an array of the model, or None where this version of MuJoCo has none."""
        return getattr(self.model, name, None)

    def joints_of(self, body: int) -> range:
        """Return the numbers of a body's joints."""
        first = int(self.model.body_jntadr[body])
        return range(first, first + int(self.model.body_jntnum[body]))

    def is_scalar(self, joint: int) -> bool:
        return int(self.model.jnt_type[joint]) in (SLIDE, HINGE)

    def is_on_joint(self, actuator: int) -> bool:
        """Tell whether an actuator drives one scalar joint."""
        m, kinds = self.model, self.mujoco.mjtTrn
        on_joint = (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))
        return int(m.actuator_trntype[actuator]) in on_joint and self.is_scalar(
            int(m.actuator_trnid[actuator][0])
        )

    def is_motor(self, actuator: int) -> bool:
        """Tell whether the force of an actuator is its control times a number, at once."""
        m, kinds = self.model, self.mujoco
        return (
            int(m.actuator_gaintype[actuator]) == int(kinds.mjtGain.mjGAIN_FIXED)
            and int(m.actuator_biastype[actuator]) == int(kinds.mjtBias.mjBIAS_NONE)
            and int(m.actuator_dyntype[actuator]) == int(kinds.mjtDyn.mjDYN_NONE)
        )

    @property
    def carries_actuators(self) -> bool:
        """Tell whether every actuator drives scalar joints, so that a mechanism has them all."""
        return all(self.driven_joints(i) for i in range(self.num_actuators))

    def gear(self, actuator: int) -> int | Fraction:
        """Return the k of an actuator along k · q, or along k · L of its tendon."""
        first = self.field("actuator_outadr")
        return number(self.model.actuator_gear[actuator if first is None else first[actuator]][0])

    def control(self, actuator: int) -> int:
        """Return the number of the first control of an actuator."""
        first = self.field("actuator_ctrladr")
        return actuator if first is None else int(first[actuator])

    def driven_joints(self, actuator: int) -> dict[int, int | Fraction] | None:
        """Return the k by joint of an actuator along Σ k · q; None where it drives other things."""
        m, target = self.model, int(self.model.actuator_trnid[actuator][0])
        if self.is_on_joint(actuator):
            return {target: 1}
        if int(m.actuator_trntype[actuator]) == int(self.mujoco.mjtTrn.mjTRN_TENDON):
            return self.fixed_tendon(target)
        return None

    def reference(self, joint: int) -> int | Fraction:
        """Return the reference position of a scalar joint, MJCF's ref."""
        return number(self.model.qpos0[self.model.jnt_qposadr[joint]])

    def fixed_tendon(self, tendon: int) -> dict[int, int | Fraction] | None:
        """Return the k by joint of a tendon L = Σ k · q; None for a spatial one."""
        m, terms = self.model, {}
        first = int(m.tendon_adr[tendon])
        for i in range(first, first + int(m.tendon_num[tendon])):
            joint = int(m.wrap_objid[i])
            if int(m.wrap_type[i]) != WRAP_JOINT or not self.is_scalar(joint):
                return None
            terms[joint] = terms.get(joint, 0) + number(m.wrap_prm[i])
        return {joint: k for joint, k in terms.items() if k}


def number(x: SupportsFloat) -> int | Fraction:
    """Return an array's entry as an exact number."""
    value = float(x)
    if not math.isfinite(value):
        raise InvalidMechanism(
            f"expected finite numbers in the model, got {value}, which MuJoCo lets pass: look for "
            "nan, inf, and numbers above 1e308"
        )
    return exact(value)


def vector(v: Sequence[SupportsFloat]) -> Vec:
    """Return three exact numbers."""
    return number(v[0]), number(v[1]), number(v[2])


def pose(position: Sequence[SupportsFloat], quaternion: Iterable[SupportsFloat]) -> Pose:
    """Return an exact pose, exactly orthogonal."""
    return Pose(rotation_from_quaternion(*(float(x) for x in quaternion)), vector(position))


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "tendon"), counted(2, "tendon")
    ('1 tendon', '2 tendons')
    """
    return f"{count} {noun}{'s' * (count != 1)}"
