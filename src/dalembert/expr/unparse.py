"""Write an expression as text that `parse` reads back."""

from __future__ import annotations

from dalembert.errors import InvalidExpression, TooLarge
from dalembert.expr.graph import postorder
from dalembert.expr.node import Expr
from dalembert.expr.symbols import symbol_text
from dalembert.expr.undefined import no_value

MAX_LENGTH = 50_000

_INFIX = {"add": " + ", "sub": " - ", "mul": "*", "div": "/"}


def unparse(e: Expr) -> str:
    """Return plain text, fully bracketed, with the structure of the graph.

    >>> from dalembert.expr import parameters, sin
    >>> m, l = parameters("m l")
    >>> unparse(m * sin(l) ** 2 / 3)
    '(1/3)*(m*(sin(l))^2)'
    """
    text: dict[Expr, str] = {}
    for node in postorder([e]):
        text[node] = _write(node, [text[arg] for arg in node.args])
        if len(text[node]) > MAX_LENGTH:
            raise TooLarge(
                f"expected an expression of at most {MAX_LENGTH:,} characters, got more: "
                "write shared parts as parameters"
            )
    return text[e]


def _write(node: Expr, args: list[str]) -> str:
    match node.op:
        case "const":
            return _number(node)
        case "symbol":
            return symbol_text(node)
        case "pi":
            return "pi"
        case "neg":
            return f"-({args[0]})"
        case "apply":
            raise InvalidExpression(no_value(node))
        case "pow":
            exponent = str(node.value) if node.value.denominator == 1 else f"({node.value})"
            return f"({args[0]})^{exponent}"
        case op if op in _INFIX:
            return _INFIX[op].join(_bracketed(a, x) for a, x in zip(args, node.args, strict=True))
        case name:
            return f"{name}({', '.join(args)})"


def _number(node: Expr) -> str:
    value = node.value
    text = str(value)
    return f"({text})" if value < 0 or value.denominator != 1 else text


def _bracketed(text: str, node: Expr) -> str:
    return f"({text})" if node.op in (*_INFIX, "neg") else text
