"""What keeps a tree closed: the residual of loops and couplings, row by row.

A loop has three rows, the offset p₁ - p₂ of its two points in world axes; a welded loop has three
more, the turn that is left. A coupling has one row. Rows that vanish whatever q is, such as the
offset across the plane of a planar linkage, are left out: they constrain nothing. So each row has
one multiplier λ, and its meaning is the same in the exact equations and in compiled models.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dalembert.errors import TooLarge, Undecided
from dalembert.expr import as_expr
from dalembert.expr.data import packable
from dalembert.mechanism import Loop
from dalembert.ring import equal, refute
from dalembert.spatial.pose import Pose
from dalembert.spatial.rotation.so3 import turn_between
from dalembert.spatial.vectors import Scalar, sub


@packable
class ConstraintRow(NamedTuple):
    """One equation that closes a tree.

    ``place`` counts all rows, also those left out; ``unit`` is that of the residual, m or rad, or
    empty where it is not known. ``weld`` is the place in ``tree.loops`` of a welded loop whose turn
    the row is, else None. Components of one vector, as the offset of a loop, share their ``group``.
    """

    place: int
    name: str
    unit: str = ""
    weld: int | None = None
    group: str = ""


def loop_rows(loop: Loop, number: int, start: int) -> list[ConstraintRow]:
    """Return the rows of a loop, the place of the first being ``start``."""
    offset, turn = f"loop {loop.name}", f"loop {loop.name} turn"
    rows = [
        ConstraintRow(start + i, f"{offset} {x}", "m", group=offset) for i, x in enumerate("xyz")
    ]
    if loop.kind == "frame":
        turns = enumerate("xyz", start + 3)
        rows += [ConstraintRow(i, f"{turn} {x}", "rad", number, turn) for i, x in turns]
    return rows


def groups_of(rows: Sequence[ConstraintRow]) -> list[str]:
    """Return for each row the name of its group: its own name if it is for itself."""
    return [row.group or row.name for row in rows]


def loop_residual(loop: Loop, X_W1: Pose, X_W2: Pose) -> list[Scalar]:
    """Return p₁ - p₂ and, of a welded loop, the turn of its first frame against the second.

    The turn is sin θ times its axis, in world axes. Where the frames are parallel, its rate is
    ω₁ - ω₂, and its second derivative is ω̇₁ - ω̇₂ if ω₁ = ω₂.
    """
    offset = sub(X_W1.p, X_W2.p)
    return [*offset, *turn_between(X_W2.R, X_W1.R)] if loop.kind == "frame" else [*offset]


def vanishes(residual: Scalar) -> bool:
    """Tell whether a residual over symbols is zero for all values of the symbols, by proof.

    What is too large to decide counts as not zero: a row too many is no fault.
    """
    e = as_expr(residual)
    if refute(e) is not None:
        return False
    try:
        return equal(e, 0)
    except (TooLarge, Undecided):
        return False
