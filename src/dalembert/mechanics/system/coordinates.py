"""Change of coordinates: from maximal to generalized, or between any two sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidSystem
from dalembert.expr import (
    BySymbol,
    Expr,
    Kind,
    Matrix,
    Scalar,
    as_expr,
    free_symbols,
    is_kind,
    jacobian,
    substitute,
    symbol_text,
    time,
)
from dalembert.mechanics.system.body import Body
from dalembert.mechanics.system.system import System, as_coordinate
from dalembert.ring import equal

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def change_coordinates(
    eq: Equations, positions: BySymbol[Scalar], coordinates: Sequence[Expr | str] | None = None
) -> Equations:
    """Return the equations in coordinates y, where q = h(y, t) is given as ``{q: h}``.

    With H = ∂h/∂y the new parts are HᵀMH, HᵀCH + HᵀMḢ, HᵀN and HᵀΥ (CMU 2.7). Constraints that h
    satisfies identically disappear, and with them their multipliers; the others stay.
    Coordinates that are not in ``positions`` stay as they are.
    """
    h = _complete(eq, positions)
    new = _new_coordinates(h) if coordinates is None else tuple(map(as_coordinate, coordinates))
    changed = _substituted_system(eq, h, new).equations()
    if any(time in e.symbols for e in h.values()):
        # a moving frame mixes the parts of C and N: keep those of the direct derivation
        return changed
    parts = transformed_parts(eq, positions, new)
    del parts["H"]
    return changed.replaced(**parts)


def transformed_parts(
    eq: Equations, positions: BySymbol[Scalar], coordinates: Sequence[Expr | str] | None = None
) -> dict[str, Matrix]:
    """Return M, C, N, forces and H by the formulas of the change of basis (CMU 2.7).

    For a time-dependent h, with b = ∂h/∂t: q̇ = H ẏ + b, q̈ = H ÿ + Ḣ ẏ + ḃ.
    """
    h = _complete(eq, positions)
    new = _new_coordinates(h) if coordinates is None else tuple(map(as_coordinate, coordinates))
    column = Matrix.column([h[q] for q in eq.coordinates])
    H = jacobian(column, new)
    Hd = H.map(lambda e: e.dot)
    b = jacobian(column, [time])
    change = _with_rates(h)
    M, C, N, Y = (part.subs(change) for part in (eq.M, eq.C, eq.N, eq.forces))
    return {
        "H": H,
        "M": H.T @ M @ H,
        "C": H.T @ C @ H + H.T @ M @ Hd,
        "N": H.T @ (N + C @ b + M @ b.map(lambda e: e.dot)),
        "forces": H.T @ Y,
    }


def _complete(eq: Equations, positions: BySymbol[Scalar]) -> dict[Expr, Expr]:
    h = {}
    names = {symbol_text(x): x for x in eq.coordinates}
    for key, value in positions.items():
        q = names.get(key) if isinstance(key, str) else key
        if q is None or q not in eq.coordinates:
            raise InvalidSystem(
                f"expected old coordinates ({', '.join(names)}) as keys of the change, got {key}: "
                "write each old coordinate as a function of the new ones"
            )
        h[q] = as_expr(value)
    return {q: h.get(q, q) for q in eq.coordinates}


def _with_rates(h: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return the change with its velocities: a coordinate held fixed has none."""
    return {**h, **{q.dot: value.dot for q, value in h.items() if value is not q}}


def _new_coordinates(h: Mapping[Expr, Expr]) -> tuple[Expr, ...]:
    found = [x for x in free_symbols(h.values()) if is_kind(x, Kind.COORDINATE)]
    rate = next((x for x in found if not is_kind(x, Kind.COORDINATE, 0)), None)
    if rate is not None:
        raise InvalidSystem(
            f"expected positions as functions of coordinates, got {symbol_text(rate)} in one: "
            "only coordinates, parameters and time may occur"
        )
    return tuple(found)


def _substituted_system(eq: Equations, h: Mapping[Expr, Expr], new: tuple[Expr, ...]) -> System:
    old = eq.system
    change = _with_rates(h)
    H = jacobian([h[q] for q in old.coordinates], new)
    T, V, L, R = substitute([old.kinetic, old.potential, old.lagrangian, old.dissipation], change)
    forces = H.T @ Matrix.column(substitute(old.forces, change))
    held = [a for a in substitute(old.constraints, change) if not equal(a, 0)]
    rolling = [a for a in substitute(old.velocity_constraints, change) if not equal(a, 0)]
    energies: dict[str, Any] = {"lagrangian": L}
    if old.kinetic.op != "const":
        energies = {"kinetic": T, "potential": V}
    return System(
        coordinates=new,
        forces=list(forces),
        constraints=held,
        velocity_constraints=rolling,
        dissipation=R,
        keep_redundant=old.keep_redundant,
        bodies=[_moved(body, h) for body in old.bodies],
        gravity=old.gravity,
        drawing=None if old.drawing is None else old.drawing.subs(h),
        **energies,
    )


def _moved(body: Body, h: Mapping[Expr, Expr]) -> Body:
    orientation = body.orientation
    if isinstance(orientation, Expr | Matrix):
        orientation = orientation.subs(h)
    return replace(body, position=body.r.subs(h), orientation=orientation)
