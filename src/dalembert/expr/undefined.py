"""Functions without a definition: f(x, y) in a Lagrangian, and their partial derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from dalembert.errors import InvalidExpression
from dalembert.expr.graph import Kind
from dalembert.expr.node import Expr, Scalar, as_expr, make
from dalembert.expr.symbols import symbol

# the kind of the symbols that stand for the arguments of a definition
PLACE = Kind.PARAMETER


class Applied(NamedTuple):
    """The value of an ``apply`` node: a name, and how often each argument differentiates it."""

    name: str
    orders: tuple[int, ...]

    def __str__(self) -> str:
        if not any(self.orders):
            return self.name
        places = ",".join(str(i + 1) for i, n in enumerate(self.orders) for _ in range(n))
        return f"∂[{places}]{self.name}"


@dataclass(frozen=True)
class UndefinedFunction:
    """A function that only has a name; called with expressions it gives an expression.

    Its derivatives are known by name too: ∂f/∂x. Give it a definition with ``subs``.

    >>> from dalembert import coordinates, function
    >>> x, y = coordinates("x y")
    >>> f = function("f")
    >>> f(x, y).diff(x)
    ∂f/∂x(x, y)
    >>> f(x, y).diff(x).subs({f: lambda a, b: a**2 * b})
    2 x y
    """

    name: str

    def __call__(self, *args: Scalar) -> Expr:
        """Return the value f(args…)."""
        if not args:
            raise InvalidExpression(
                f"expected at least one argument of {self.name}, got none: use a parameter for a "
                "constant without a value"
            )
        return make("apply", tuple(map(as_expr, args)), Applied(self.name, (0,) * len(args)))


def function(name: str) -> UndefinedFunction:
    """Return a function without a definition; the same name gives the same function.

    >>> from dalembert import coordinates
    >>> (q,) = coordinates("q")
    >>> h = function("h")
    >>> h(q).dot
    ∂h/∂q q̇
    """
    from dalembert.expr.functions import COMPOSED, FUNCTIONS

    if name in FUNCTIONS or name == "sqrt":
        raise InvalidExpression(
            f"expected a name without a meaning, got {name}, which is a function: use da.{name}"
        )
    if name in COMPOSED:
        raise InvalidExpression(
            f"expected a name without a meaning, got {name}, which is a function: write "
            f'da.parse("{name}(x)", [x])'
        )
    # checks the name
    symbol(PLACE, name)
    return UndefinedFunction(name)


def derivatives(node: Expr) -> tuple[Expr, ...]:
    """Return the partial derivative of an ``apply`` node by each argument."""
    name, orders = node.value
    raised = [tuple(n + (i == k) for i, n in enumerate(orders)) for k in range(len(orders))]
    return tuple(make("apply", node.args, Applied(name, new)) for new in raised)


Definition = Callable[..., Scalar]
"""Expressions in, the value of the function out."""


def definitions(
    values: Mapping[Any, Any],
) -> tuple[dict[str, Definition], dict[Expr | str, Scalar]]:
    """Split replacements into definitions of functions, by name, and the rest.

    ``{f: lambda x, y: …}`` defines f by a function of expressions, ``{f(x, y): …}`` by an
    expression in the symbols x and y.
    """
    found: dict[str, Definition] = {}
    rest: dict[Expr | str, Scalar] = {}
    for key, value in values.items():
        if isinstance(key, UndefinedFunction):
            definition: Definition = value
            if not callable(value):
                raise InvalidExpression(
                    f"expected a function of expressions in place of {key.name}, as in "
                    f"{{{key.name}: lambda x: x**2}}, got {value}: or define {key.name}(x)"
                )
            found[key.name] = definition
        elif isinstance(key, Expr) and key.op == "apply":
            found[key.value.name] = _by_expression(key, as_expr(value))
        else:
            rest[key] = value
    return found, rest


def _by_expression(node: Expr, body: Expr) -> Definition:
    """Return the definition f(x, y) = body."""
    from dalembert.expr.substitute import substitute

    xs = node.args
    if any(x.op != "symbol" for x in xs) or len(set(xs)) < len(xs) or any(node.value.orders):
        raise InvalidExpression(
            f"expected different symbols as arguments of {node.value.name} where it is defined, "
            f"got {node}: define the function itself"
        )
    return lambda *args: substitute([body], dict(zip(xs, args, strict=True)))[0]


def defined(node: Expr, args: tuple[Expr, ...], definition: Definition) -> Expr:
    """Return the value that the definition gives an ``apply`` node with these arguments."""
    from dalembert.expr.calculus import diff
    from dalembert.expr.substitute import substitute

    places = [symbol(PLACE, f"place_{i + 1}_of_{node.value.name}") for i in range(len(args))]
    try:
        body = as_expr(definition(*places))
    except TypeError as error:
        raise InvalidExpression(
            f"expected a definition of {node.value.name} for {len(args)} arguments, got an error: "
            f"{error}"
        ) from None
    for x, n in zip(places, node.value.orders, strict=True):
        for _ in range(n):
            body = diff(body, x)
    return substitute([body], dict(zip(places, args, strict=True)))[0]


def undefined_names(nodes: Iterable[Expr]) -> list[str]:
    """Return the names of the functions without a definition among nodes."""
    return sorted({node.value.name for node in nodes if node.op == "apply"})


def no_value(node: Expr) -> str:
    """Return the words for a function that has no value, with the remedy."""
    name = node.value.name
    return (
        f"expected functions with a definition, got {name}: give it one first, as in "
        f"e.subs({{{name}: lambda x: x**2}}) or system.bind({{{name}: lambda x: x**2}})"
    )
