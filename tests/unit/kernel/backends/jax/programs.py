"""A small program with all kinds of ports, and the same in JAX's own functions."""

from __future__ import annotations

from typing import Any

from dalembert.expr import parameters, sin
from dalembert.kernel.compiler import compile_program
from dalembert.kernel.program.program import Program


def two_ports() -> Program:
    """Return y = [a sin(x₁) x₂, x₁ a²], z = x₁ x₂² of x = (x₁, x₂) and a scalar a."""
    x1, x2, a = parameters("x1 x2 a")
    outputs = {"y": [a * sin(x1) * x2, x1 * a**2], "z": x1 * x2**2}
    return compile_program(outputs, {"x": [x1, x2], "a": a}, name="two_ports")


def in_jax(x: Any, a: Any) -> tuple[Any, Any]:
    """Return the same in JAX's own functions."""
    import jax.numpy as jnp

    y = jnp.stack([a * jnp.sin(x[0]) * x[1], x[0] * a**2])
    return y, x[0] * x[1] ** 2
