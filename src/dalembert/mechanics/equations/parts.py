"""The parts of equations of motion as data: their shapes, as expressions, in another ring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.errors import InvalidSystem, nearest
from dalembert.expr import Expr, Matrix, Scalar, as_expr
from dalembert.mechanics.equations.forms import Forms
from dalembert.ring import Element, Ring, canonical, canonical_matrix, rebuild, rebuild_matrix

if TYPE_CHECKING:
    from dalembert.mechanics.system.system import System


def shapes(system: System, num_multipliers: int) -> dict[str, tuple[int, ...]]:
    """Return the shape of every part; that of a scalar is empty."""
    n, k = len(system.coordinates), num_multipliers
    square, column, row = ("M", "C"), ("N", "forces"), ("A", "Ad")
    return {
        **dict.fromkeys(Forms._fields, ()),
        **dict.fromkeys(square, (n, n)),
        **dict.fromkeys(column, (n, 1)),
        **dict.fromkeys(row, (k, n)),
        **dict.fromkeys(("drift", "drift_rate"), (k, 1)),
        "a": (len(system.constraints), 1),
    }


def written(part: Matrix | Element) -> Matrix | Expr:
    """Return an element, or a matrix of them, as expressions."""
    return rebuild_matrix(part) if isinstance(part, Matrix) else rebuild(part)


def is_matrix(forms: Forms, name: str) -> bool:
    """Tell whether a part is a matrix; the energies are scalars."""
    return isinstance(getattr(forms, name), Matrix)


def claimed(forms: Forms, name: str, part: Matrix | Scalar) -> Matrix:
    """Return a part that is to replace one of the forms, as a matrix of the right shape."""
    if name not in Forms._fields:
        raise InvalidSystem(
            f"expected a part of the equations, got {name}=: {nearest(name, Forms._fields)}"
        )
    wanted = getattr(forms, name).shape if is_matrix(forms, name) else ()
    got = part.shape if isinstance(part, Matrix) else ()
    if wanted != got:
        shape = f"of shape {wanted}" if wanted else "as one expression"
        raise InvalidSystem(f"expected {name} {shape}, got {got or 'one expression'}")
    return part if isinstance(part, Matrix) else Matrix([[as_expr(part)]])


def carried_over(forms: Forms, ring: Ring) -> Forms:
    """Return the same forms in a larger ring."""
    exprs = {name: written(part) for name, part in forms._asdict().items()}
    return Forms(**in_ring(ring, exprs))


def in_ring(ring: Ring, parts: Mapping[str, Matrix | Expr]) -> dict[str, Any]:
    """Return parts given as expressions as elements and matrices of them."""
    return {
        name: canonical_matrix(ring, part) if isinstance(part, Matrix) else canonical(ring, part)
        for name, part in parts.items()
    }
