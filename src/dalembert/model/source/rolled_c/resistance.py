"""C text and tables of the rolled source: springs and friction of the joints."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.errors import InvalidMechanism
from dalembert.recursions.resistance.friction import shaft_frictions
from dalembert.recursions.tree import Tree
from dalembert.spatial.scalar import is_zero

SPRINGS = """
/* springs of joints: stiffness on x = scale q + offset */
static const struct {
    int q, v;
    $real scale, offset, stiffness;
} ${p}_springs[$NS] = {
$springs
};
"""

FRICTION = """
/* friction of shafts that move ratio times as fast as v: viscous, coulomb, stribeck */
static const struct {
    int v;
    $real ratio, viscous, coulomb, stribeck, per_stribeck_velocity;
} ${p}_friction[$NF] = {
$friction
};
"""

SPRING_LOOP = """    for (i = 0; i < $NS; ++i) {
        const $real k = ${p}_springs[i].scale;
        const $real x = k*q[${p}_springs[i].q] + ${p}_springs[i].offset;
        f[${p}_springs[i].v] -= k*${p}_springs[i].stiffness*x;
    }
"""

FRICTION_LOOP = """    for (i = 0; i < $NF; ++i) {
        const $real k = ${p}_friction[i].ratio, w = k*v[${p}_friction[i].v];
        const $real x = w*${p}_friction[i].per_stribeck_velocity;
        const $real dry = ${p}_friction[i].coulomb + ${p}_friction[i].stribeck*$exp(-x*x);
        const $real drag = w > 0 ? dry : w < 0 ? -dry : w;
        f[${p}_friction[i].v] -= k*(${p}_friction[i].viscous*w + drag);
    }
"""


def passive_tables(tree: Tree, number: Callable[[float], str]) -> tuple[str, dict[str, str | int]]:
    """Return the template of tables and function body, and what to fill in.

    Raises:
        InvalidMechanism: springs between points or joints, and stiffness of other than scalar
            joints, which the tables do not carry.
    """
    if tree.springs:
        names = ", ".join(repr(s.name) for s in tree.springs[:3])
        raise InvalidMechanism(
            f"expected springs and friction of joints alone in passive_forces, got springs between "
            f"parts of {tree.name}: {names}; use the flat source, which carries them"
        )
    springs, friction = [], []
    for node in tree.nodes:
        joint = node.joint
        if not node.velocities or is_zero(joint.resistance.stiffness):
            continue
        if not joint.is_scalar:
            raise InvalidMechanism(
                f"expected springs at joints with one position, got stiffness of the "
                f"{joint.kind.value} joint {joint.name!r}: put springs between points"
            )
        k, c = float(node.multiplier), float(node.offset) - float(joint.resistance.rest)
        places = f"{node.positions[0]}, {node.velocities[0]}"
        springs.append(f"    {{{places}, {_row(number, k, c, joint.resistance.stiffness)}}}")
    for _, place, k, law in shaft_frictions(tree):
        numbers = (k, law.damping, law.friction, law.stribeck, 1 / float(law.stribeck_velocity))
        friction.append(f"    {{{place}, {_row(number, *numbers)}}}")
    tables = (SPRINGS if springs else "") + (FRICTION if friction else "")
    loops = (SPRING_LOOP if springs else "") + (FRICTION_LOOP if friction else "")
    unused = ("" if springs else "    (void)q;\n") + ("" if friction else "    (void)v;\n")
    body = (
        f"\n{{\n    int i;\n{unused}    for (i = 0; i < $NV; ++i)\n        f[i] = 0;\n{loops}}}\n"
    )
    fill: dict[str, str | int] = {
        "NS": len(springs),
        "NF": len(friction),
        "springs": ",\n".join(springs),
        "friction": ",\n".join(friction),
        "passive": body,
    }
    return tables, fill


def _row(number: Callable[[float], str], *values: float) -> str:
    return ", ".join(number(float(x)) for x in values)
