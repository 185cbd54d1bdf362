"""What a description cannot mean: numbers that no body has, coordinates that nothing moves."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from dalembert.errors import InvalidSystem
from dalembert.expr import Matrix, Scalar, as_expr, symbol_text
from dalembert.mechanism.physics import is_rounded, what_is_wrong
from dalembert.ring import ball
from dalembert.spatial.inertia.consistency import is_consistent
from dalembert.spatial.inertia.inertia import Inertia

if TYPE_CHECKING:
    from dalembert.mechanics.equations.forms import Forms
    from dalembert.mechanics.system.system import System


def require_nonnegative(x: Scalar, what: str) -> None:
    """Refuse a number that is negative; symbols may have any value."""
    e = as_expr(x)
    if e.symbols:
        return
    value = ball(e, {})
    if value is not None and value < 0:
        raise InvalidSystem(
            f"expected {what} that is not negative, got {e}: give its magnitude, or pass "
            "accept_nonphysical=True for what is cut out of another body"
        )


def check_moments(I: Matrix) -> None:
    """Refuse a tensor of numbers that is no inertia: principal moments a ≤ b ≤ c, 0 ≤ a, c ≤ a + b.

    Of a tensor with symbols only the numbers on the diagonal count.
    """
    for k in range(3):
        require_nonnegative(I[k, k], "a moment of inertia")
    values = [as_expr(x) for x in I]
    if any(x.op != "const" for x in values):
        return
    xx, xy, xz, _, yy, yz, _, _, zz = (x.value for x in values)
    body = Inertia(1, (0, 0, 0), (xx, yy, zz, xy, xz, yz))
    if not (is_consistent(body) or is_rounded(body)):
        raise InvalidSystem(
            f"{what_is_wrong(body)}: no body has this inertia tensor; correct it (also a body that "
            "moves in a plane has all three moments), or pass accept_nonphysical=True"
        )


def check_inertia_of_coordinates(system: System, forms: Forms) -> None:
    """Refuse a coordinate whose equation is 0 = 0, and warn of one that has no inertia.

    A coordinate without inertia that a constraint holds is as it should be.
    """
    for k, q in enumerate(system.coordinates):
        held = any(not row[k].is_surely_zero for row in forms.A.rows)
        if held or any(not x.is_surely_zero for x in forms.M.rows[k]):
            continue
        name = symbol_text(q)
        rest = (forms.N[k], forms.forces[k], *forms.C.rows[k])
        if all(x.is_surely_zero for x in rest):
            raise InvalidSystem(
                f"expected every coordinate to move something, got {name}, whose equation is 0 = 0:"
                f" add its kinetic energy, or remove {name} from coordinates="
            )
        warnings.warn(
            f"expected inertia along every coordinate, got none along {name}: {name}.dot does not "
            "occur squared in the kinetic energy, so its equation says nothing about "
            f"{name}.ddot; add the term (a square of {name} itself is none), or fix {name} by a "
            "constraint",
            stacklevel=4,
        )
