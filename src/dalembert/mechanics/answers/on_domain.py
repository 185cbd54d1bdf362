"""Compare answers on the set where the system is defined: there √x tells that |x| is x."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.errors import Undecided
from dalembert.expr import Expr, constant, postorder
from dalembert.expr.functions import rebuild
from dalembert.mechanics.answers.grade import Grade
from dalembert.mechanics.proofs.domain import Condition, conditions, implied, restricted
from dalembert.ring import refute
from dalembert.ring.balls import search

if TYPE_CHECKING:
    from dalembert.mechanics.equations.equations import Equations


def resolved(eq: Equations, exprs: Sequence[Expr]) -> list[Expr]:
    """Return expressions without the moduli and signs that the domain of a system decides.

    Where a potential has log x, |x| is x and sign x is 1.
    """
    if not restricted(eq.system):
        return list(exprs)
    given = conditions(eq.system.differentiated(), is_smooth=True)
    done: dict[Expr, Expr] = {}
    for node in postorder(exprs):
        args = tuple(done[arg] for arg in node.args)
        sign = _sign(args[0], given) if node.op in ("abs", "sign") else 0
        if sign:
            done[node] = args[0] * sign if node.op == "abs" else constant(sign)
        else:
            done[node] = rebuild(node, args) if args else node
    return [done[e] for e in exprs]


def _sign(e: Expr, given: Sequence[Condition]) -> int:
    """Return 1 or -1 where conditions decide the sign of an expression, else 0."""
    for sign in (1, -1):
        if implied(Condition(">", (e * sign,)), given):
            return sign
    return 0


def _differs(e: Expr, where: Sequence[Expr]) -> bool:
    return refute(e, where=where) is not None or search(e, where=where) is not None


def differing(eq: Equations, grade: Grade) -> Grade:
    """Return the grade of a wrong answer with the faults that show where the system is defined.

    Raises:
        Undecided: none does.
    """
    where = restricted(eq.system)
    if not where:
        return grade
    faults = tuple(x for x in grade.faults if x.difference is None or _differs(x.difference, where))
    if grade.faults and not faults:
        raise Undecided(
            "expected a point where the system is defined and the answer differs, got none among "
            "those tried: write the answer with the functions of the system"
        )
    return replace(grade, faults=faults)
