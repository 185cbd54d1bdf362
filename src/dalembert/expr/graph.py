"""Walks over the expression graph, without recursion so that depth has no limit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dalembert.expr.node import Expr


def postorder(roots: Sequence[Expr]) -> list[Expr]:
    """Return every distinct node below the roots, operands before their users."""
    order: list[Expr] = []
    seen: set[Expr] = set()
    for root in roots:
        if root in seen:
            continue
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            node, expanded = stack.pop()
            if expanded:
                order.append(node)
                continue
            if node in seen:
                continue
            seen.add(node)
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node.args) if arg not in seen)
    return order


def by_name(symbols: Iterable[Expr]) -> list[Expr]:
    """Return symbols by kind and name, q2 before q10: an order that no earlier work changes."""

    def key(x: Expr) -> tuple[str, list[tuple[int, str]], int]:
        parts = re.findall(r"\d+|\D+", x.value.name)
        # numbers by their size, words by their letters
        return x.value.kind.value, [(len(p) if p.isdigit() else 0, p) for p in parts], x.value.order

    return sorted(symbols, key=key)


def free_symbols(roots: Iterable[Expr]) -> list[Expr]:
    """Return the symbols below the roots, by kind and name."""
    return by_name(node for node in postorder(list(roots)) if node.op == "symbol")


def count_nodes(roots: Sequence[Expr]) -> int:
    """Return the number of distinct nodes below the roots."""
    return len(postorder(roots))


_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


def outline(x: object, depth: int = 3) -> str:
    """Return a short text for messages: the top of the structure, in bounded time.

    >>> from dalembert.expr import coordinates, sin
    >>> x, y = coordinates("x y")
    >>> outline(sin(x / y) - 1)
    '-1 + sin(x / y)'
    """
    from dalembert.expr.symbols import symbol_text

    if not isinstance(x, Expr):
        return repr(x)[:60]
    if x.op == "const":
        bits = max(x.value.numerator.bit_length(), x.value.denominator.bit_length())
        return str(x.value) if bits <= 200 else f"a {bits}-bit number"
    if x.op == "symbol":
        return symbol_text(x)
    if not depth:
        return "…"
    args = [outline(arg, depth - 1) for arg in x.args]
    if x.op in _INFIX:
        a, b = (f"({t})" if u.op in _INFIX else t for t, u in zip(args, x.args, strict=True))
        return f"{a} {_INFIX[x.op]} {b}"
    if x.op == "neg":
        return f"-({args[0]})" if x.args[0].op in _INFIX else f"-{args[0]}"
    if x.op == "pow":
        root = x.value.numerator == 1 and x.value.denominator == 2
        return f"sqrt({args[0]})" if root else f"({args[0]})^({x.value})"
    return f"{x.op}({', '.join(args)})" if args else x.op
