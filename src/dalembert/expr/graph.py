"""The expression graph: hash-consed nodes, and walks over them without recursion.

Equal structure is the same object, so ``is`` is structural equality, common subexpressions are
shared by construction, and every pass over an expression is a pass over distinct nodes.
"""

from __future__ import annotations

import hashlib
import re
import threading
import weakref
from collections.abc import Iterable, Sequence
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from typing import Self

    from dalembert.expr.node import Expr

_DOTS = ("", ".dot", ".ddot")


class Kind(Enum):
    """What a symbol stands for; it decides the symbol's time derivative."""

    COORDINATE = "coordinate"
    PARAMETER = "parameter"
    INPUT = "input"
    MULTIPLIER = "multiplier"
    TIME = "time"

    # members are single objects; the identity hash avoids a Python call per table look-up
    __hash__ = object.__hash__


class Symbol(NamedTuple):
    """A name with its kind; ``order`` counts the time derivatives of a coordinate."""

    kind: Kind
    name: str
    order: int = 0

    @property
    def text(self) -> str:
        """The name as typed in Python: ``q1``, ``q1.dot``, ``q1.ddot``."""
        return self.name + (_DOTS[self.order] if self.order < len(_DOTS) else f".d{self.order}")


class Notation(NamedTuple):
    """How the objects of one system are printed.

    ``trig`` is "short" (s₁ for sin q₁), "long", or "auto": each object by itself. ``order`` lists
    the coordinates in the order in which accelerations and velocities are read; ``letter`` is
    that of a matrix, whose long entries are called M₁₂; ``digits`` are the most that a number is
    printed with, a longer one is rounded to six. ``is_graph`` says that a matrix is printed as its
    graph was built, every shared part named once: it is not multiplied out.
    """

    trig: str = "auto"
    order: tuple[Symbol, ...] = ()
    letter: str = ""
    digits: int = 12
    is_graph: bool = False


class ExactScalar:
    """Base of the scalars that a `Matrix` keeps as they are: expressions, elements of rings."""

    __slots__ = ()


class GraphNode(ExactScalar):
    """A node of the graph: an operation on other nodes, or a leaf.

    ``op`` is one of ``const pi symbol add sub mul div neg pow apply`` or the name of a function;
    ``args`` are the operands; ``value`` is the rational of a ``const``, the exponent of a ``pow``,
    the `Symbol` of a ``symbol``, and which undefined function an ``apply`` is of; ``serial`` counts
    the nodes in the order of their making. `Expr` is the class of every node; this base is what the
    walks need of it.
    """

    __slots__ = ("__weakref__", "args", "op", "serial", "value")

    op: str
    args: tuple[Self, ...]
    value: Any
    serial: int


N = TypeVar("N", bound=GraphNode)

# one table of weak references, keyed by operation, value and identity of operands
_table: dict[tuple, _Entry] = {}
# reentrant: a collection inside `interned` may run `_forget` on the same thread
_lock = threading.RLock()
_serial = count()


def interned(cls: type[N], op: str, args: tuple[N, ...] = (), value: object = None) -> N:
    """Return the one node of the class with this operation, operands and value; no folding."""
    key = (op, value, *map(id, args))
    with _lock:
        found = _table.get(key)
        node: Any = None if found is None else found()
        if node is None:
            node = object.__new__(cls)
            node.op, node.args, node.value, node.serial = op, args, value, next(_serial)
            # ids in the key stay valid: the node keeps its operands alive, and its entry goes first
            entry = _Entry(node, _forget)
            entry.key = key
            _table[key] = entry
    return node


class _Entry(weakref.ref):
    """A weak reference to a node, with the node's key in the table."""

    __slots__ = ("key",)
    key: tuple


# lock and table are bound here: when Python exits, the names of the module go before the last nodes
def _forget(entry: _Entry, lock: Any = _lock, table: dict[tuple, _Entry] = _table) -> None:
    # the lock keeps another thread from putting a live entry there between look and removal
    with lock:
        if table.get(entry.key) is entry:
            del table[entry.key]


# the first thousand constants stay alive: they are met again and again
_small: dict[tuple[int, int], Any] = {}


def number(cls: type[N], value: Fraction | int) -> N:
    """Return the node of the class for an exact rational."""
    # the pair of integers hashes faster than the fraction
    key = (value.numerator, value.denominator)
    node = _small.get(key)
    if node is None:
        node = interned(cls, "const", (), Fraction(value))
        if len(_small) < 1000:
            _small[key] = node
    return node


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
    return sorted(symbols, key=lambda x: (x.value.kind.value, _parts(x.value.name), x.value.order))


@lru_cache(maxsize=10_000)
def _parts(name: str) -> tuple[tuple[int, str], ...]:
    """Return numbers by their size, words by their letters."""
    return tuple((len(p) if p.isdigit() else 0, p) for p in re.findall(r"\d+|\D+", name))


def free_symbols(roots: Iterable[Expr]) -> list[Expr]:
    """Return the symbols below the roots, by kind and name."""
    return by_name(node for node in postorder(list(roots)) if node.op == "symbol")


def structure(e: Expr) -> tuple[str, bytes]:
    """Return a key that orders expressions by their symbols and structure, not by their age.

    Operands that commute count in any order; equal keys mean equal structure (128-bit digests).
    """
    digest: dict[Expr, bytes] = {}
    nodes = postorder([e])
    for node in nodes:
        parts = [digest[arg] for arg in node.args]
        if node.op in ("add", "mul"):
            parts.sort()
        label = f"{node.op} {node.value}".encode()
        digest[node] = hashlib.blake2b(b"".join([label, *parts]), digest_size=16).digest()
    names = by_name(node for node in nodes if node.op == "symbol")
    return " ".join(x.value.text for x in names), digest[e]


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
    if not isinstance(x, GraphNode):
        return repr(x)[:60]
    if x.op == "const":
        bits = max(x.value.numerator.bit_length(), x.value.denominator.bit_length())
        return str(x.value) if bits <= 200 else f"a {bits}-bit number"
    if x.op == "symbol":
        return x.value.text
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
    name = x.value if x.op == "apply" else x.op
    return f"{name}({', '.join(args)})" if args else x.op
