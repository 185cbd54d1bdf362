"""A program with its derivatives, as one operation of a framework that differentiates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from dalembert.kernel.differentiate import pullback_program, tangent_program
from dalembert.kernel.program.program import Port, Program

Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Operation:
    """y = f(x), and the operations that derivatives of it are; equal programs are equal operations.

    Attributes:
        program: f.
        origin: The operation that f is the tangent or the pullback of.
    """

    program: Program
    origin: Operation | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Operation) and self.program.digest == other.program.digest

    def __hash__(self) -> int:
        return hash(self.program.digest)

    @cached_property
    def tangent(self) -> Operation:
        """(x, ẋ) ↦ ẏ, linear in ẋ."""
        return Operation(tangent_program(self.program), self)

    @cached_property
    def pullback(self) -> Operation:
        """(x, ȳ) ↦ x̄, linear in ȳ."""
        return Operation(pullback_program(self.program), self)

    @property
    def transpose(self) -> Operation:
        """Of (x, u) ↦ L(x) u the operation (x, w) ↦ L(x)ᵀ w: tangent and pullback are each other's.

        Only of a tangent or pullback; its u are the inputs behind those of the origin.
        """
        assert self.origin is not None
        is_tangent = self.origin.__dict__.get("tangent") is self
        return self.origin.pullback if is_tangent else self.origin.tangent


def leading(shape: Shape, port: Port) -> Shape:
    """Return the batch axes of an array."""
    return tuple(shape[: len(shape) - len(port.shape)])


def batch_of(operation: Operation, arrays: Sequence[Any]) -> Shape:
    """Return the batch axes that all arrays have, but those without any."""
    found = {
        leading(x.shape, port) for x, port in zip(arrays, operation.program.inputs, strict=True)
    }
    return max(found, key=len, default=())


class Spread(NamedTuple):
    """How an array gets one more batch axis, the first of all: reshape, then broadcast."""

    reshaped: Shape
    full: Shape


def spreads(
    operation: Operation, shapes: Sequence[Shape], is_mapped: Sequence[bool], count: int
) -> list[Spread | None]:
    """Return for each input how it is spread over ``count`` samples, None for one they share.

    ``shapes`` are those of the arrays, of the mapped ones with the axis of the samples in front.
    """
    ports = operation.program.inputs
    inner = [
        leading(shape[1:] if mapped else shape, port)
        for shape, mapped, port in zip(shapes, is_mapped, ports, strict=True)
    ]
    batch = max(inner, key=len, default=())
    found: list[Spread | None] = []
    for mapped, own, port in zip(is_mapped, inner, ports, strict=True):
        if not mapped and not own:
            found.append(None)
            continue
        first = (count,) if mapped else (1,)
        ones = (1,) * (len(batch) - len(own))
        found.append(Spread((*first, *ones, *own, *port.shape), (count, *batch, *port.shape)))
    return found
