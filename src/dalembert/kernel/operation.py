"""A program with its derivatives, as one operation of a framework that differentiates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from dalembert.kernel.differentiate import pullback_program, tangent_program
from dalembert.kernel.program.program import Port, Program

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Operation:
    """y = f(x), and the operations that derivatives of it are.

    Attributes:
        identity: Digest of the first program, then which derivatives were taken, one of the other:
            operations that have it in common compute the same.
        inputs: Ports of x; a rate or an adjoint has the port of what it belongs to.
        outputs: Ports of y.
        make: Gives the program of f. It is asked once, when f shall run: a gradient goes by way of
            a tangent that never does.
        origin: The operation that f is the tangent or the pullback of.
    """

    identity: tuple[str, ...]
    inputs: tuple[Port, ...] = field(compare=False)
    outputs: tuple[Port, ...] = field(compare=False)
    make: Callable[[], Program] = field(compare=False, repr=False)
    origin: Operation | None = field(default=None, compare=False, repr=False)

    @staticmethod
    def of(program: Program) -> Operation:
        """Return a program as an operation."""
        return Operation((program.digest,), program.inputs, program.outputs, lambda: program)

    @cached_property
    def program(self) -> Program:
        """f."""
        return self.make()

    @cached_property
    def tangent(self) -> Operation:
        """(x, ẋ) ↦ ẏ, linear in ẋ."""
        return Operation(
            (*self.identity, "tangent"),
            (*self.inputs, *self.inputs),
            self.outputs,
            lambda: tangent_program(self.program),
            self,
        )

    @cached_property
    def pullback(self) -> Operation:
        """(x, ȳ) ↦ x̄, linear in ȳ."""
        return Operation(
            (*self.identity, "pullback"),
            (*self.inputs, *self.outputs),
            self.inputs,
            lambda: pullback_program(self.program),
            self,
        )

    @property
    def transpose(self) -> Operation:
        """Of (x, u) ↦ L(x) u the operation (x, w) ↦ L(x)ᵀ w: tangent and pullback are each other's.

        Only of a tangent or pullback; its u are the inputs behind those of the origin.
        """
        assert self.origin is not None
        is_tangent = self.identity[-1] == "tangent"
        return self.origin.pullback if is_tangent else self.origin.tangent


def leading(shape: Shape, port: Port) -> Shape:
    """Return the batch axes of an array."""
    return tuple(shape[: len(shape) - len(port.shape)])


def batch_of(operation: Operation, arrays: Sequence[Any]) -> Shape:
    """Return the batch axes that all arrays have, but those without any."""
    found = {leading(x.shape, port) for x, port in zip(arrays, operation.inputs, strict=True)}
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
    ports = operation.inputs
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
