"""Make symbols of the five kinds: coordinate, parameter, input, multiplier, time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias, TypeVar

from dalembert.errors import InvalidExpression, UnknownName, nearest
from dalembert.expr.graph import Kind, Symbol, free_symbols
from dalembert.expr.greek import spelled_out
from dalembert.expr.mixing.strangers import unpacked, what
from dalembert.expr.node import Expr, make

Value = TypeVar("Value")
BySymbol: TypeAlias = Mapping[Expr, Value] | Mapping[str, Value] | Mapping[Expr | str, Value]
"""Values by symbol or by the name of one."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def symbol(kind: Kind, name: str, order: int = 0) -> Expr:
    """Return the one node of this symbol; the same name and kind give the same node."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InvalidExpression(
            f"expected a symbol name of letters, digits and _ that starts with a letter "
            f"(at most 100), got {str(name)[:40]!r}"
        )
    return make("symbol", (), Symbol(kind, name, order))


@unpacked
class Symbols(tuple[Expr, ...]):
    """Symbols made together; a tuple, of one symbol too, that says so where one was wanted."""

    __slots__ = ()

    @property
    def maker(self) -> str:
        """The function that makes such symbols: ``coordinates``."""
        return f"{self[0].value.kind.value}s" if self else "coordinates"

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"expected a symbol that has {name}, got {what(self)}")

    def __add__(self, other: Any) -> Any:
        # more symbols are put behind these, as tuples are
        return super().__add__(other) if isinstance(other, tuple) else self._refuse(other)

    def __radd__(self, other: Any) -> Any:
        # asked before the tuple or list in front: a tuple is put before these, a list extended
        if isinstance(other, list):
            return NotImplemented
        return other + tuple(self) if isinstance(other, tuple) else self._refuse(other)

    def _refuse(self, *_: object) -> NoReturn:
        raise InvalidExpression(f"expected a symbol in arithmetic, got {what(self)}")

    __neg__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = _refuse  # type: ignore[assignment]
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __abs__ = _refuse  # type: ignore[assignment]


def _symbols(kind: Kind, names: str) -> Symbols:
    words = spelled_out(names).replace(",", " ").split() if isinstance(names, str) else []
    if not words:
        raise InvalidExpression(f'expected names such as "a b c" for {kind.value}s, got {names!r}')
    if len(set(words)) < len(words):
        twice = next(w for w in words if words.count(w) > 1)
        raise InvalidExpression(f"expected distinct names, got {twice!r} twice in {names!r}")
    return Symbols(symbol(kind, word) for word in words)


def coordinates(names: str) -> tuple[Expr, ...]:
    """Return generalized coordinates; ``q.dot`` and ``q.ddot`` are their rates.

    The result is a tuple, of one name too: ``(q,) = coordinates("q")``. A Greek letter is its word:
    θ₁ is the name ``theta1``.

    >>> q1, q2 = coordinates("q1 q2")
    >>> q1.dot
    q̇₁
    """
    return _symbols(Kind.COORDINATE, names)


def parameters(names: str) -> tuple[Expr, ...]:
    """Return constant parameters: masses, lengths, stiffnesses, gravity.

    >>> m, g = parameters("m g")
    >>> (m * g).dot
    0
    """
    return _symbols(Kind.PARAMETER, names)


def inputs(names: str) -> tuple[Expr, ...]:
    """Return inputs: forces and torques that others choose."""
    return _symbols(Kind.INPUT, names)


def multipliers(names: str) -> tuple[Expr, ...]:
    """Return Lagrange multipliers, one for each constraint."""
    return _symbols(Kind.MULTIPLIER, names)


time = symbol(Kind.TIME, "t")


def is_kind(e: Expr, kind: Kind, order: int | None = None) -> bool:
    """Tell whether ``e`` is a symbol of this kind (and, for coordinates, this order)."""
    s = e.symbol
    return s is not None and s.kind is kind and (order is None or s.order == order)


def symbol_text(e: Expr) -> str:
    """Return the name as typed in Python: ``q1``, ``q1.dot``, ``q1.ddot``.

    >>> symbol_text(coordinates("q1")[0].dot)
    'q1.dot'
    """
    s = e.symbol
    assert s is not None
    return s.text


def symbol_named(key: Expr | str, known: Iterable[Expr]) -> Expr:
    """Return the one symbol with this name among the known ones; a symbol is returned as it is.

    Raises:
        UnknownName: no symbol, or two of different kinds, are called so.

    >>> m, l = parameters("m l")
    >>> symbol_named("l", [m, l])
    l
    """
    if not isinstance(key, str):
        return key
    names: dict[str, list[Expr]] = {}
    for x in known:
        names.setdefault(symbol_text(x), []).append(x)
    found = names.get(key, [])
    if len(found) == 1:
        return found[0]
    if found:
        kinds = " and as ".join(x.value.kind.value for x in found)
        raise UnknownName(f"expected one symbol called {key}, got it as {kinds}: give the symbol")
    raise UnknownName(
        f"expected the name of a symbol that occurs, got {key!r} ({nearest(key, names)}): "
        "give the symbol itself for one that does not occur"
    )


def occurring(roots: Iterable[Expr]) -> list[Expr]:
    """Return the symbols below the roots, and what their rates are rates of."""
    found = free_symbols(roots)
    below = [
        make("symbol", (), x.value._replace(order=order))
        for x in found
        for order in range(x.value.order)
    ]
    return list(dict.fromkeys([*found, *below]))


def by_symbol(symbols: Sequence[Expr], values: BySymbol[Value]) -> dict[Expr, Value]:
    """Return values by symbol, given by symbol or by the name of one.

    Raises:
        UnknownName: a key is none of the symbols.

    >>> a, b = parameters("a b")
    >>> by_symbol([a, b], {"a": 1, b: 2})
    {a: 1, b: 2}
    """
    if not isinstance(values, Mapping):
        raise InvalidExpression(
            f"expected values by symbol or name in a dict, got {type(values).__name__}"
        )
    names = {symbol_text(x): x for x in symbols}
    found: dict[Expr, Value] = {}
    for key, value in values.items():
        symbol = names.get(key) if isinstance(key, str) else key
        if symbol is None or symbol not in names.values():
            raise UnknownName(
                f"expected one of the symbols {', '.join(names) or '(there are none)'}, got {key} "
                f"({nearest(str(key), list(names))})"
            )
        found[symbol] = value
    return found
