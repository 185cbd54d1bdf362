"""The quadratic program of a tick of the whole body, as one compiled function.

The unknowns are x = (q̈, f, λ): accelerations, forces at contact points along their tangents and
normals, multipliers of loops. Efforts u follow from them by the equations of motion:

    B u = M q̈ + h - Σ J_pᵀ f - Aᵀ λ.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.control.controllers.base import symbols_of_state, with_symbols
from dalembert.control.whole_body.contact import SurfaceContact
from dalembert.expr import Expr, as_expr, constant, tangent
from dalembert.model.formulas.rows import dot
from dalembert.spatial.scalar import is_zero
from dalembert.tasks.base import RateTask
from dalembert.tasks.conditions import Conditions, normal_equations, sparse
from dalembert.tasks.speeds import SpeedLimits
from dalembert.tasks.stack import Stack, symbol_list, weighted

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.tasks.limits import Clearance
    from dalembert.types import Array

Rows = list[list[Expr]]

NEGLIGIBLE = 1e-14
"""Entry of a pseudo-inverse, beside its largest, that is rounding."""


class Setting(NamedTuple):
    """What a program is made of, checked; see `WholeBody`."""

    model: Model
    stack: Stack
    contacts: tuple[SurfaceContact, ...]
    speeds: SpeedLimits
    stiffness: Array
    damping: Array
    effort: Array
    settling: float
    clearances: tuple[Clearance, ...]
    approach: float
    acceleration_cost: float
    force_cost: float

    @property
    def num_points(self) -> int:
        """The contact points of all contacts."""
        return sum(len(contact.places) for contact in self.contacts)


class Terms(NamedTuple):
    """The program of a tick as a function, and where its parts are.

    Attributes:
        kernel: A function of q, q̇, targets, their rates and their accelerations. It returns H, f,
            A, lower, upper, the weighted errors and the efforts without unknowns. Of several
            priorities H and f hold the costs of unknowns alone, and the rows and right side of
            each priority follow.
        names: One for each condition.
        efforts: The rows of A that are the efforts.
        held: For each contact the places of its forces in x, and of the conditions that hold its
            frame still among all of them.
    """

    kernel: Any
    names: tuple[str, ...]
    efforts: slice
    held: list[tuple[list[int], list[int]]]


def terms_of(setting: Setting) -> Terms:
    """Return the compiled program of a tick."""
    model, n = setting.model, setting.model.nv
    q, v = model.symbols.q, model.symbols.qd
    conditions = Conditions(_names(setting))
    dt = setting.speeds.dt
    for i, (low, high) in enumerate(
        zip(*setting.speeds.bounds(model, q, v, is_held=True), strict=True)
    ):
        # v + q̈ dt within its bounds
        conditions.bound(i, (low - v[i]) / dt, (high - v[i]) / dt)
    motions, load = _equations_of_motion(setting)
    efforts, coasting = _drive(conditions, setting, motions, load)
    held = _hold(conditions, setting)
    _close_loops(conditions, setting)
    for clearance in setting.clearances:
        _keep_apart(conditions, setting, clearance)
    levels, errors, feed = _costs(setting)
    others = conditions.num_unknowns - n
    cost = [setting.acceleration_cost] * n + [setting.force_cost] * others
    padded = [([[*row, *[as_expr(0)] * others] for row in A], b) for A, b in levels]
    H, f = normal_equations(*(padded[0] if len(padded) == 1 else ([], [])), cost)
    outputs: dict[str, Any] = {
        "H": H,
        "f": f,
        **conditions.outputs,
        "e": errors,
        "coasting": coasting,
    }
    if len(padded) > 1:
        for k, (A, b) in enumerate(padded):
            outputs |= {f"A_{k}": A, f"b_{k}": b}
    inputs = {"q": list(q), "qd": list(v), **setting.stack.inputs, **feed}
    kernel = model.compile(outputs, inputs, name="whole_body_tick")
    return Terms(kernel, conditions.names, efforts, held)


def _names(setting: Setting) -> list[str]:
    """Return a name for each unknown."""
    names = [f"limits of {name}" for name in setting.model.configuration.v_names]
    for contact in setting.contacts:
        names += [f"load of {contact.frame}"] * (3 * len(contact.places))
    return [*names, *(f"loop {name}" for name in setting.model.description.constraint_names)]


def _equations_of_motion(setting: Setting) -> tuple[list[dict[int, Expr]], list[Expr]]:
    """Return the rows of B u - h over the unknowns, and h without dry friction."""
    model = setting.model
    q, v = symbols_of_state(model)
    evaluate = with_symbols(model)
    rows = [sparse(list(map(as_expr, row))) for row in evaluate("mass_matrix", q)]
    place = model.nv
    for contact in setting.contacts:
        for force in _forces(model, contact):
            for i, x in enumerate(force):
                rows[i] |= sparse([-x], place)
            place += 1
    if model.description.has_constraints:
        A = model.expressions("constraint_jacobian", model.symbols.q)
        for reaction in A:
            for i, x in enumerate(reaction):
                rows[i] |= sparse([-x], place)
            place += 1
    return rows, [as_expr(x) for x in evaluate("bias", q, v)]


def _forces(model: Model, contact: SurfaceContact) -> Rows:
    """Return J_pᵀ of each axis of each point: what a unit force there does to the joints."""
    q = model.symbols.q
    X = model.expressions("forward_kinematics", q, frame=contact.frame)
    J = model.expressions("jacobian", q, frame=contact.frame)
    found: Rows = []
    for point in contact.places.tolist():
        x, y, z = (dot(row[:3], point) for row in X[:3])
        # ṗ = u + ω × r
        columns = [
            (u[0] + w[1] * z - w[2] * y, u[1] + w[2] * x - w[0] * z, u[2] + w[0] * y - w[1] * x)
            for u, w in ((c[:3], c[3:]) for c in zip(*J, strict=True))
        ]
        found += [[dot(axis, column) for column in columns] for axis in map(_exact, contact.axes.T)]
    return found


def _drive(
    conditions: Conditions, setting: Setting, rows: list[dict[int, Expr]], load: list[Expr]
) -> tuple[slice, list[Expr]]:
    """Add what actuators can give; return the rows of the efforts, and u without unknowns."""
    model = setting.model
    B = model.actuation.matrix
    driven = np.flatnonzero(np.abs(B).max(axis=1, initial=0.0))
    for i in sorted(set(range(model.nv)) - set(driven.tolist())):
        name = f"balance of {model.configuration.v_names[i]}"
        conditions.add(rows[i], name, -load[i], -load[i])
    U, s, _ = np.linalg.svd(B[driven])
    rank = int((s > NEGLIGIBLE * s.max(initial=1.0)).sum())
    # torques that no efforts give
    for k, combination in enumerate(U[:, rank:].T):
        row, right = _combined(combination, driven, rows, load)
        conditions.add(row, f"shared motors {k + 1}", -right, -right)
    inverse = np.linalg.pinv(B[driven])
    inverse[np.abs(inverse) <= NEGLIGIBLE * np.abs(inverse).max(initial=0.0)] = 0.0
    places, coasting = [], []
    for k, name in enumerate(model.actuation.names):
        row, right = _combined(inverse[k], driven, rows, load)
        most = float(setting.effort[k])
        bounds = (-most - right, most - right) if np.isfinite(most) else (None, None)
        places.append(conditions.add(row, f"effort of {name}", *bounds))
        coasting.append(right)
    return slice(places[0], places[-1] + 1), coasting


def _combined(
    weights: Array, places: Array, rows: list[dict[int, Expr]], load: list[Expr]
) -> tuple[dict[int, Expr], Expr]:
    """Return a weighted sum of rows and of what stands on their right."""
    row: dict[int, Expr] = {}
    right = as_expr(0)
    for w, i in zip(_exact(weights), places.tolist(), strict=True):
        if not is_zero(w):
            right = right + w * load[i]
            for k, x in rows[i].items():
                row[k] = row.get(k, as_expr(0)) + w * x
    return row, right


def _hold(conditions: Conditions, setting: Setting) -> list[tuple[list[int], list[int]]]:
    """Add that contacts stay and that their forces lie in their pyramids."""
    model, place = setting.model, setting.model.nv
    q, v, still = model.symbols.q, model.symbols.qd, [0] * setting.model.nv
    found = []
    for contact in setting.contacts:
        frame = contact.frame
        J = model.expressions("jacobian", q, frame=frame, reference="body")
        drift = model.expressions("frame_acceleration", q, v, still, frame=frame, reference="body")
        stays = []
        for combination in map(_exact, contact.held):
            row = [dot(combination, column) for column in zip(*J, strict=True)]
            # c (J q̈ + J̇ q̇) = -k c J q̇
            right = -dot(combination, drift) - setting.settling * dot(row, v)
            at = conditions.add(sparse(row), f"{frame} stays", right, right)
            stays.append(conditions.num_unknowns + at)
        forces = []
        for _ in contact.places:
            own = list(range(place, place + 3))
            most = contact.max_force if np.isfinite(contact.max_force) else None
            if most is not None:
                conditions.add({own[2]: as_expr(1)}, f"load of {frame}", None, most)
            for face in map(_exact, contact.faces):
                row = dict(zip(own, face, strict=True))
                conditions.add(row, f"friction of {frame}", 0, None)
            forces += own
            place += 3
        found.append((forces, stays))
    return found


def _close_loops(conditions: Conditions, setting: Setting) -> None:
    """Add A q̈ + b = -2 k A q̇ - k² a for loops and couplings."""
    model, k = setting.model, setting.settling
    if not model.description.has_constraints:
        return
    q, v = model.symbols.q, model.symbols.qd
    A, a = (model.expressions(f"constraint_{x}", q) for x in ("jacobian", "error"))
    bias = model.expressions("constraint_bias", q, v)
    names = model.description.constraint_names
    for name, row, error, b in zip(names, A, a, bias, strict=True):
        right = -b - 2 * k * dot(row, v) - k * k * error
        conditions.add(sparse(row), f"loop {name}", right, right)


def _keep_apart(conditions: Conditions, setting: Setting, clearance: Clearance) -> None:
    """Add d̈ + 2 k ḋ + k² (d - margin) ≥ 0 for pairs of shapes."""
    model, k = setting.model, setting.approach
    shapes = clearance.shapes(model)
    q, v = model.symbols.q, model.symbols.qd
    d, *_, J = model.expressions("distances", q, pairs=shapes)
    speeds = [dot(row, v) for row in J]
    motion = dict(zip(q, model.expressions("configuration_rate", q, v), strict=True))
    drifts = tangent(speeds, motion)
    for pair, x, rate, drift, row in zip(shapes, d, speeds, drifts, J, strict=True):
        least = -drift - 2 * k * rate - k * k * (x - clearance.margin)
        conditions.add(sparse(row), pair.name, least, None)


def _costs(
    setting: Setting,
) -> tuple[list[tuple[Rows, list[Expr]]], list[Expr], dict[str, list[Expr]]]:
    """Return rows and right sides of each priority, weighted errors, and symbols of the feed."""
    stack, v = setting.stack, setting.model.symbols.qd
    size = sum(len(e) for e in stack.errors)
    rates, accelerations = symbol_list("rate{}", size), symbol_list("acceleration{}", size)
    costs, errors, at = [], [], 0
    for k, task in enumerate(stack.tasks):
        e, J, drift = stack.errors[k], stack.jacobians[k], stack.drifts[k]
        K, D = float(setting.stiffness[k]), float(setting.damping[k])
        own = range(at, at + len(e))
        at += len(e)
        speed = [dot(row, v) for row in J]
        if isinstance(task, RateTask):
            # a = ẍ_d + D (ẋ_d - J q̇)
            e = [x - s for x, s in zip(e, speed, strict=True)]
            wanted = [accelerations[i] + D * x for i, x in zip(own, e, strict=True)]
        else:
            # a = ẍ_d + D (ẋ_d - J q̇) + K e
            wanted = [
                accelerations[i] + D * (rates[i] - s) + K * x
                for i, x, s in zip(own, e, speed, strict=True)
            ]
        # W (J q̈ + J̇ q̇ - a)
        right = [a - b for a, b in zip(wanted, drift, strict=True)]
        costs.append((weighted(task.weights, J), _times(task.weights, right)))
        errors += _times(task.weights, e)
    return stack.levels(costs), errors, {"rates": rates, "accelerations": accelerations}


def _times(weights: Sequence[float], values: Sequence[Expr]) -> list[Expr]:
    return [w * x for w, x in zip(weights, values, strict=True)]


def _exact(values: Array) -> list[Expr]:
    """Return floats that were computed as the numbers that they are."""
    return [constant(Fraction(x)) for x in values.tolist()]
