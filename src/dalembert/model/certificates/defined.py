"""Where a program has values: the conditions that what it is compared with does not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from dalembert.errors import DalembertError
from dalembert.expr import Expr, cos, count_nodes
from dalembert.kernel.program.interpret import interpret
from dalembert.kernel.program.program import Program
from dalembert.kernel.program.trace import EXPRESSIONS
from dalembert.mechanics.proofs.domain import Condition, implied, texts
from dalembert.mechanics.proofs.hypotheses import are_known_to_meet

MAX_NODES = 80
"""Nodes of a condition's arguments up to which it is compared with others."""
MAX_NAMED_NODES, MAX_NAMED = 25, 4
"""Nodes of a condition's arguments, and number of conditions, up to which each is named."""
MAX_CODE = 3_000
"""Instructions up to which each operand is examined: they are large expressions beyond."""
NO_POLE = "no denominator is zero"
ALL_VALUES = "all roots, logarithms and inverse functions have values"


class DefinedNowhere(Exception):
    """No state is known where a program has values."""


def lost_by(
    program: Program, reference: Program, inputs: Mapping[str, Sequence[Expr]]
) -> tuple[str, ...]:
    """Return the conditions under which a program has values, beside those of its reference.

    Conditions that are too large or too many are summed up.

    Args:
        program: What is compiled.
        reference: What it is compared with.
        inputs: The symbols that stand for each input, by its name.

    Raises:
        DefinedNowhere: The conditions were found to hold together at no point.
    """
    used = {op for op, _, _ in program.code if op in DEMANDS}
    if len(program.code) > MAX_CODE:
        return _summed_up(any(op in POLES for op in used), bool(used - POLES))
    mine = _conditions(program, inputs) if used else {}
    if not mine:
        return ()
    given = _conditions(reference, inputs)
    known = [c for c in given if _is_small(c)]
    found = [c for c in mine if c not in given and not (_is_small(c) and implied(c, known))]
    small = [c for c in found if _is_small(c)]
    if small and not are_known_to_meet([*known, *small]):
        raise DefinedNowhere
    if len(found) <= MAX_NAMED and all(count_nodes(c.args) <= MAX_NAMED_NODES for c in found):
        return texts(found)
    has_poles = any(c.relation == "≠" for c in found)
    return _summed_up(has_poles, any(c.relation != "≠" for c in found))


def _summed_up(has_poles: bool, has_others: bool) -> tuple[str, ...]:
    return (NO_POLE,) * has_poles + (ALL_VALUES,) * has_others


def _conditions(program: Program, inputs: Mapping[str, Sequence[Expr]]) -> dict[Condition, None]:
    """Return what the instructions of a program demand of their operands, also of what cancels.

    Raises:
        DefinedNowhere: An instruction has no value for any input.
    """
    found: dict[Condition, None] = {}

    def noting(op: str) -> Callable[..., Expr]:
        run, demanded = EXPRESSIONS[op], DEMANDS[op]

        def noted(*args: Expr) -> Expr:
            found.update(dict.fromkeys(demanded(*args)))
            return run(*args)

        return noted

    algebra = {**EXPRESSIONS, **{op: noting(op) for op in DEMANDS}}
    symbols = [inputs[port.name] for port in program.inputs]
    try:
        interpret(program, symbols, algebra)
    except DalembertError:
        raise DefinedNowhere from None
    return {c: None for c in found if not (_is_small(c) and implied(c, ()))}


def _is_small(c: Condition) -> bool:
    return count_nodes(c.args) <= MAX_NODES


def _of_power(x: Expr, exponent: Fraction) -> list[Condition]:
    if exponent.denominator != 1:
        return [Condition(">" if exponent < 0 else "≥", (x,))]
    return [Condition("≠", (x,))] if exponent < 0 else []


DEMANDS: Mapping[str, Callable[..., list[Condition]]] = {
    "div": lambda a, b: [Condition("≠", (b,))],
    "pow": _of_power,
    "sqrt": lambda x: [Condition("≥", (x,))],
    "log": lambda x: [Condition(">", (x,))],
    "tan": lambda x: [Condition("≠", (cos(x),))],
    "asin": lambda x: [Condition("≤1", (x,))],
    "acos": lambda x: [Condition("≤1", (x,))],
    "atan2": lambda y, x: [Condition("origin", (y, x))],
}
"""Operations that have no value at some real numbers, and what they demand of operands."""
POLES = {"div", "tan"}
"""Those that demand something other than zero, beside powers."""
