"""One time step of a mechanism with contacts and friction, as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.expr import ZERO, Expr, as_expr
from dalembert.model.dry_friction import has_dry_friction, without_dry_friction
from dalembert.model.mass_factor import mass_factor
from dalembert.simulation.laws.base import Row, SwitchingLaw
from dalembert.simulation.laws.friction import JointFriction
from dalembert.simulation.time_stepping.blocks import (
    Block,
    BoxBlock,
    Column,
    ConeBlock,
    Side,
    add_to,
)
from dalembert.simulation.time_stepping.floating import Bases
from dalembert.simulation.time_stepping.groups import Cone, Group, groups_of
from dalembert.simulation.time_stepping.sweeps import sweeps_of
from dalembert.spatial.scalar import is_zero, larger, square_root, step

if TYPE_CHECKING:
    from dalembert.model import Iteration, Model
    from dalembert.simulation.time_stepping.method import TimeStepping
    from dalembert.types import Scalar


class StepRecord(NamedTuple):
    """What is said of the steps so far, as expressions or numbers.

    Attributes:
        residual: The worst natural map, in m/s or rad/s.
        unsolved: How many steps were above the tolerance.
        depth: The deepest penetration before a step, in m or rad.
        sweeps: How many there were in all.
    """

    residual: Scalar
    unsolved: Scalar
    depth: Scalar
    sweeps: Scalar


class ContactStep(NamedTuple):
    """A step as expressions.

    Attributes:
        q, v: The state after it.
        impulses: Those of all rows in N s or N m s, and what frictions remember: from these the
            next step starts.
        record: Of the steps before it, and of it.
        turns: The sweeps of which all these are expressions; None without contacts and friction.
    """

    q: list[Any]
    v: list[Any]
    impulses: list[Any]
    record: StepRecord
    turns: Iteration | None


def groups_of_model(model: Model, laws: Sequence[SwitchingLaw]) -> list[Group]:
    """Return the rows of laws in groups, made once; dry friction of joints is among them.

    Raises:
        EvaluationError: a law has what steps cannot do.
    """
    key = ("groups", *laws)
    try:
        hash(key)
    except TypeError:
        # names in a list, for example
        return _groups(model, laws)
    return model.once(key, lambda: _groups(model, laws))


def _groups(model: Model, laws: Sequence[SwitchingLaw]) -> list[Group]:
    if not any(isinstance(law, JointFriction) for law in laws) and has_dry_friction(model):
        laws = [*laws, JointFriction()]
    rows: list[Row] = [row for law in laws for row in law.rows(model)]
    return groups_of(model, rows)


def contact_step(
    model: Model,
    law: Sequence[Scalar],
    groups: Sequence[Group],
    method: TimeStepping,
    h: Expr,
    held: Sequence[Expr],
    before: StepRecord,
) -> ContactStep:
    """Return the step of a mechanism as expressions of its symbols.

    Args:
        model: What moves, without constraints.
        law: An expression for each of ``model.symbols.inputs``.
        groups: What touches and rubs.
        method: Sweeps and tolerances.
        h: The length of the step.
        held: `ContactStep.impulses` of the step before.
        before: What is said of the steps before.
    """
    q, v = list(model.symbols.q), list(model.symbols.qd)
    bases = Bases.of(model)
    # forces with q̈ = 0; velocities of bases are stepped in axes that do not turn
    bias = model.expressions("inverse_dynamics", q, v, bases.turning(v))
    forces = [u - b for u, b in zip(law, bias, strict=True)]
    if any(row.own != 0 for group in groups for row in group.rows):
        forces = list(without_dry_friction(forces, v))
    F = mass_factor(model, {k: h * damping for k, damping in _damping(model).items()})
    half = [square_root(as_expr(d)) for d in F.inverse]
    free = [a + h * b for a, b in zip(v, F.solve(forces), strict=True)]

    def side(velocity: Expr) -> Side:
        """Return a row scaled by D^-½ L⁻ᵀ, and its velocity without impulses."""
        J = {k: velocity.diff(x) for k, x in enumerate(v)}
        J = {k: x for k, x in J.items() if not is_zero(x)}
        y = F.inward([J.get(k, 0) for k in range(len(v))])
        column = {k: x * half[k] for k, x in enumerate(y) if not is_zero(x)}
        drift = velocity.subs(dict.fromkeys(v, 0))
        return Side(column, drift + sum((x * free[k] for k, x in J.items()), start=ZERO))

    def allowed(row: Row) -> Scalar:
        """Return how fast a gap may close: all of it in a step, of a penetration less than none."""
        gap = as_expr(row.gap)  # type: ignore[arg-type]
        return (larger(gap, 0) - method.beta * larger(-gap, 0)) / h

    def made(group: Group) -> Block:
        if isinstance(group, Cone):
            sides = [side(row.velocity) for row in group.tangents]
            # in the plane nothing moves along the second tangent
            sides += [Side({}, ZERO)] * (2 - len(sides)) + [side(group.normal.velocity)]
            return ConeBlock(sides, allowed(group.normal), as_expr(group.tangents[0].kinetic))
        low = None if group.lower is None else -allowed(group.lower)
        high = None if group.upper is None else allowed(group.upper)
        bound = ZERO if group.friction is None else h * group.friction.kinetic
        return BoxBlock(side(group.velocity), bound, low, high)

    blocks = [made(group) for group in groups]
    sweeps = sweeps_of(blocks, held, method, len(v)) if blocks else None
    impulses = [] if sweeps is None else sweeps.impulses
    # what the impulses are in the end, free of what sums of changes have rounded
    z: Column = {}
    for block, own in zip(blocks, impulses, strict=True):
        for one, p in zip(block.sides, own, strict=True):
            add_to(z, one.column, p)
    # v* = v_free + L⁻¹ D^-½ z
    star = list(free)
    change: list[Scalar] = []
    for k in range(len(v)):
        total = z.get(k, ZERO) * half[k]
        for i, l in F.L[k].items():
            total = total - l * change[i]
        change.append(total)
        star[k] = free[k] + total
    rate = model.expressions("configuration_rate", q, star)
    moved = [a + h * b for a, b in zip(q, rate, strict=True)]
    q_next = list(model.expressions("normalized", moved))
    residual: Scalar = ZERO
    for block, own in zip(blocks, impulses, strict=True):
        residual = larger(residual, block.residual(own, block.velocities(z)))
    gaps = [row.gap for group in groups for row in group.rows if row.gap is not None]
    depth = before.depth
    for gap in gaps:
        depth = larger(depth, -gap)
    record = StepRecord(
        larger(before.residual, residual),
        before.unsolved + step(residual - as_expr(method.tolerance)),
        depth,
        before.sweeps + (ZERO if sweeps is None else sweeps.number),
    )
    flat = [x for own in impulses for x in own] + ([] if sweeps is None else sweeps.remembered)
    turns = None if sweeps is None else sweeps.turns
    return ContactStep(q_next, bases.turned(q, q_next, star), flat, record, turns)


def num_impulses(groups: Sequence[Group]) -> int:
    """Return how many numbers steps hand on for groups: impulses, and what frictions remember."""
    return sum(3 + ConeBlock.memory if isinstance(group, Cone) else 1 for group in groups)


def _damping(model: Model) -> dict[int, Scalar]:
    """Return the viscous friction of joints by its place in v; steps take it implicitly."""
    found, k = {}, 0
    for joint in model.mechanism.moving_joints:
        if joint.nv == 1 and joint.resistance.damping != 0:
            found[k] = joint.resistance.damping
        k += joint.nv
    return found
