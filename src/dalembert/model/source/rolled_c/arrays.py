"""What the arrays of a mechanism mean, row by row, for the comments of a header."""

from __future__ import annotations

from dalembert.kernel.backends.c.header import ArrayDoc
from dalembert.mechanism import Joint, JointKind, Mechanism


def mechanism_arrays(mechanism: Mechanism) -> dict[str, ArrayDoc]:
    """Return what the arrays are that the functions of a mechanism take and give, by name.

    >>> from dalembert.mechanism import Builder
    >>> arm = Builder("arm").link("a", mass=1).revolute("hinge", "a").build()
    >>> mechanism_arrays(arm)["q"]
    ArrayDoc(meaning='positions', rows=('hinge [rad]',))
    """
    joints = mechanism.moving_joints
    whole = "" if all(j.is_scalar for j in joints) else "; quaternions have length one"
    q = ArrayDoc(f"positions{whole}", tuple(row for j in joints for row in _positions(j)))
    v = ArrayDoc("velocities", tuple(row for j in joints for row in _rates(j, "/s")))
    a = ArrayDoc("accelerations", tuple(row for j in joints for row in _rates(j, "/s^2")))
    tau = ArrayDoc("generalized forces", tuple(row for j in joints for row in _forces(j)))
    M = ArrayDoc("mass matrix, symmetric; rows and columns are those of the velocities")
    return {
        "q": q,
        "v": v,
        "qd": v,
        "a": a,
        "qdd": a,
        "tau": tau,
        "h": tau._replace(meaning="bias: what tau must be for zero acceleration"),
        "M": M,
    }


def _positions(joint: Joint) -> list[str]:
    name = joint.name
    match joint.kind:
        case JointKind.SPHERICAL:
            return [f"{name} quaternion {x}" for x in "wxyz"]
        case JointKind.FLOATING:
            place = [f"{name} position {x} [m]" for x in "xyz"]
            return [*place, *(f"{name} quaternion {x}" for x in "wxyz")]
        case _:
            return [f"{name} [{_unit(joint)}]"]


def _rates(joint: Joint, per: str) -> list[str]:
    name = joint.name
    angular = [f"{name} angular {x}, body axes [rad{per}]" for x in "xyz"]
    match joint.kind:
        case JointKind.SPHERICAL:
            return angular
        case JointKind.FLOATING:
            return [*(f"{name} linear {x}, body axes [m{per}]" for x in "xyz"), *angular]
        case _:
            return [f"{name} [{_unit(joint)}{per}]"]


def _forces(joint: Joint) -> list[str]:
    name = joint.name
    moments = [f"{name} moment {x}, body axes [N m]" for x in "xyz"]
    match joint.kind:
        case JointKind.SPHERICAL:
            return moments
        case JointKind.FLOATING:
            return [*(f"{name} force {x}, body axes [N]" for x in "xyz"), *moments]
        case JointKind.PRISMATIC:
            return [f"{name} [N]"]
        case _:
            return [f"{name} [N m]"]


def _unit(joint: Joint) -> str:
    return "m" if joint.kind is JointKind.PRISMATIC else "rad"
