"""Name the parts of expressions that the graph shares, and those that would make a line long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from dalembert.expr import Expr, Kind, postorder, symbol
from dalembert.expr.functions import rebuild
from dalembert.typeset.parts.letters import free_letter, names_in
from dalembert.typeset.render.names import symbol_glyphs

MAX_LENGTH = 140
MIN_SHARED_SUM = 10
MIN_SHARED_PRODUCT = 18
NUMBER_LENGTH = 8
"""Characters of a number that is rounded."""

NAME_LENGTH = 3

_COMPOSITE = ("add", "sub", "mul", "div", "pow", "neg")


class Named(NamedTuple):
    """Expressions in terms of named parts, and the parts, each in terms of earlier ones."""

    roots: list[Expr]
    parts: list[tuple[Expr, Expr]]


def name_shared(roots: Sequence[Expr], taken: Iterable[str] = ()) -> Named:
    """Replace what the expressions share, and what is long, by letters.

    Every part is an exact piece of the graph: putting the parts in gives back the expressions.
    ``taken`` are names that must not be used.
    """
    nodes = postorder(list(roots))
    uses = Counter(arg for node in nodes for arg in node.args)
    # an angle stays in its sine
    angles = set(postorder([node.args[0] for node in nodes if node.op in ("sin", "cos", "tan")]))
    letter = free_letter(names_in(roots), taken)
    done: dict[Expr, Expr] = {}
    length: dict[Expr, int] = {}
    parts: list[tuple[Expr, Expr]] = []

    def name(node: Expr) -> None:
        part = symbol(Kind.PARAMETER, f"{letter}{len(parts) + 1}")
        parts.append((part, done[node]))
        done[node], length[node] = part, NAME_LENGTH

    for node in nodes:
        _shorten(node, length, name)
        args = tuple(done[arg] for arg in node.args)
        same = all(a is b for a, b in zip(args, node.args, strict=True))
        done[node] = node if same else rebuild(node, args)
        length[node] = _length(node, length)
        is_shared = uses[node] > 1 and node not in angles
        if is_shared and _is_worth_a_name(node, length[node]):
            name(node)
    return Named([done[root] for root in roots], parts)


def _shorten(node: Expr, length: dict[Expr, int], name: Callable[[Expr], None]) -> None:
    """Name the longest operands of a node that would be longer than a line."""
    while sum(length[arg] for arg in node.args) > MAX_LENGTH:
        longest = max(node.args, key=lambda arg: length[arg])
        if length[longest] <= NAME_LENGTH or longest.op not in _COMPOSITE:
            return
        name(longest)


def _is_worth_a_name(node: Expr, length: int) -> bool:
    if node.op in ("add", "sub"):
        return length >= MIN_SHARED_SUM
    return node.op in ("mul", "div", "pow") and length >= MIN_SHARED_PRODUCT


def _length(node: Expr, length: dict[Expr, int]) -> int:
    """Return about how many characters a node takes on the line."""
    inside = sum(length[arg] for arg in node.args)
    match node.op:
        case "const":
            return min(len(str(node.value)), NUMBER_LENGTH)
        case "symbol":
            return len(symbol_glyphs(node.value))
        case "add" | "sub":
            return inside + 3
        case "sin" | "cos":
            return 3 + inside // 4
        case "mul" | "div":
            return inside + 1 + 2 * sum(arg.op in ("add", "sub") for arg in node.args)
        case _:
            return inside + 3
