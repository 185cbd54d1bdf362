"""The functions of the rolled source, with the parts of C text that each needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dalembert.model.source.rolled_c import articulated, dynamics, frames, kinematics, tables

FORWARD_DYNAMICS = """
{
    $real R[$NB][9], p[$NB][3], M[$NV*$NV];
    int i;
    ${p}_poses(q, R, p);
    ${p}_newton_euler(R, p, v, 0, a);
    for (i = 0; i < $NV; ++i)
        a[i] = tau[i] - a[i];
    ${p}_composite(R, p, M);
    ${p}_solve(M, a);
}
"""


def _at_poses(call: str) -> str:
    return f"\n{{\n    $real R[$NB][9], p[$NB][3];\n    ${{p}}_poses(q, R, p);\n    {call}\n}}\n"


class Function(NamedTuple):
    """A function of the rolled source.

    Parameters have a name and a shape, in which "nq", "nv" and "links" stand for sizes; ``stack``
    is how many numbers it keeps at once, of (bodies, velocities).
    """

    does: str
    inputs: tuple[tuple[str, tuple[str | int, ...]], ...]
    outputs: tuple[tuple[str, tuple[str | int, ...]], ...]
    body: str
    stack: Callable[[int, int], int]


Q, V, A, TAU = ("q", ("nq",)), ("v", ("nv",)), ("a", ("nv",)), ("tau", ("nv",))

FUNCTIONS = {
    "inverse_dynamics": Function(
        "tau = M(q) a + h(q, v): what moves the robot so, without springs and friction",
        (Q, V, A),
        (TAU,),
        _at_poses("${p}_newton_euler(R, p, v, a, tau);"),
        lambda bodies, nv: 27 * bodies,
    ),
    "bias": Function(
        "h(q, v): Coriolis, centrifugal and gravity terms",
        (Q, V),
        (("h", ("nv",)),),
        _at_poses("${p}_newton_euler(R, p, v, 0, h);"),
        lambda bodies, nv: 27 * bodies,
    ),
    "gravity": Function(
        "h(q, 0): what holds the robot against gravity",
        (Q,),
        (("h", ("nv",)),),
        _at_poses("${p}_newton_euler(R, p, 0, 0, h);"),
        lambda bodies, nv: 27 * bodies,
    ),
    "mass_matrix": Function(
        "M(q)",
        (Q,),
        (("M", ("nv", "nv")),),
        _at_poses("${p}_composite(R, p, M);"),
        lambda bodies, nv: 22 * bodies,
    ),
    "forward_dynamics": Function(
        "a = M(q)^-1 (tau - h(q, v)); add passive_forces to tau for springs and friction",
        (Q, V, TAU),
        (A,),
        FORWARD_DYNAMICS,
        lambda bodies, nv: 27 * bodies + nv * nv,
    ),
    "passive_forces": Function(
        "generalized forces of springs and friction of the joints on the robot",
        (Q, V),
        (("f", ("nv",)),),
        "$passive",
        lambda bodies, nv: 0,
    ),
    "forward_kinematics": Function(
        "rotation and position of every link in the world, in the order of the numbers above",
        (Q,),
        (("R", ("links", 3, 3)), ("p", ("links", 3))),
        kinematics.FORWARD_KINEMATICS,
        lambda bodies, nv: 12 * bodies,
    ),
    "jacobian": Function(
        "velocity of the origin of a link (three rows) and angular velocity, in world axes: J v",
        (Q,),
        (("J", (6, "nv")),),
        kinematics.JACOBIAN,
        lambda bodies, nv: 12 * bodies,
    ),
}
# names of the parts, in an order in which each uses only what stands before it
PARTS = {
    "bod(?:y|ies)": tables.BODIES,
    "links?": tables.LINKS,
    "lift": tables.LIFT,
    "above": tables.ABOVE,
    "rotate": frames.ROTATE,
    "unrotate": frames.UNROTATE,
    "add_cross": frames.ADD_CROSS,
    "multiply": frames.MULTIPLY,
    "place": frames.PLACE,
    "poses": frames.POSES,
    "rates": frames.RATES,
    "project": frames.PROJECT,
    "momentum": frames.MOMENTUM,
    "carry": frames.CARRY,
    "newton_euler": dynamics.NEWTON_EULER,
    "merge": dynamics.MERGE,
    "composite": dynamics.COMPOSITE,
    "solve": dynamics.SOLVE,
    "transfer": articulated.TRANSFER,
    "articulated": articulated.ARTICULATED,
    "world": kinematics.WORLD,
}


def parts_of(bodies: Sequence[str]) -> list[str]:
    """Return the parts that bodies of functions use, directly or through others, in order."""
    parts = list(bodies)
    for name, part in reversed(PARTS.items()):
        use = re.compile(rf"\$\{{p\}}_{name}\b")
        if any(use.search(user) for user in parts):
            parts.insert(0, part)
    return parts[: len(parts) - len(bodies)]
