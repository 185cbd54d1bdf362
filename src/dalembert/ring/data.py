"""Rings and their elements as data: for pickles of results that hold elements."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any

from dalembert.errors import ParseError
from dalembert.expr import Expr
from dalembert.expr.data import pack, unpack
from dalembert.ring.canonical import canonical
from dalembert.ring.choose.build import ring_of
from dalembert.ring.rebuild import rebuild
from dalembert.ring.ring import Element, Ring


def ring_again(text: str) -> Ring:
    """Return the ring with the generators that were packed."""
    generators = unpack(text)
    if not isinstance(generators, list) or not all(isinstance(g, Expr) for g in generators):
        raise ParseError("expected the generators of a ring, got something else")
    return ring_of(generators, [g for g in generators if g.op == "symbol"], more_derivatives=0)


def element_again(ring: Ring, text: str) -> Element:
    """Return the element of a ring that was packed as an expression."""
    e = unpack(text)
    if not isinstance(ring, Ring) or not isinstance(e, Expr):
        raise ParseError("expected a ring and an expression, got something else")
    return canonical(ring, e)


def _reduced_ring(ring: Ring) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Pickle a ring as its generators, from which the same ring is made."""
    return ring_again, (pack(list(ring.generators)),)


def _reduced_element(x: Element) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Pickle an element as an expression, which the ring makes canonical again."""
    return element_again, (x.ring, pack(rebuild(x)))


copyreg.pickle(Ring, _reduced_ring)
copyreg.pickle(Element, _reduced_element)
