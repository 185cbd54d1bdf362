"""A program as an expression of JAX's own functions, for devices without kernels of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.kernel.program.cut import LEAVES, Piece, cut_evenly, reads
from dalembert.kernel.program.interpret import Algebra, complete, evaluate
from dalembert.kernel.program.program import PI, Program
from dalembert.optional import require

if TYPE_CHECKING:
    from dalembert.types import Array

CPU_PIECE, GPU_PIECE = 16, 256
"""Instructions that XLA may fuse.

XLA copies what it fuses into every place that uses it: on a CPU a whole program becomes a tree of
exponential size, on a GPU it recomputes and compiles longer. So a program is cut into pieces. On a
CPU they are functions that must not be inlined; on a GPU, where such functions would not be fused
at all, there are barriers between them.
"""


class PureFunction:
    """A program as an expression of JAX's own functions; leading axes are a batch and broadcast."""

    def __init__(self, program: Program) -> None:
        jax = require_jax()
        self.program = program
        self._on_cpu = jax.default_backend() == "cpu"
        size = CPU_PIECE if self._on_cpu else GPU_PIECE
        self._algebra = jax_arrays(jax)
        pieces = [_fused(program, piece) for piece in cut_evenly(program, size)]
        self._pieces = [(self._compiled(jax, piece), piece) for piece in pieces]

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """Return the outputs; between the pieces a value is one array over the batch."""
        import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

        dtype = arrays[0].dtype if arrays else "float64"
        pairs = list(zip(arrays, self.program.inputs, strict=True))
        leading = [x.shape[: x.ndim - len(port.shape)] for x, port in pairs]
        batch = jnp.broadcast_shapes(*leading)
        # the batch last, so that neighbours in memory do the same
        columns = [
            jnp.moveaxis(x.reshape(*axes, port.size), -1, 0)
            for (x, port), axes in zip(pairs, leading, strict=True)
        ]
        values: dict[int, Any] = {}
        for number, (op, _, value) in enumerate(self.program.code):
            if op == "input":
                values[number] = columns[value[0]][value[1]]
            elif op == "const":
                values[number] = constant(value)
        for function, piece in self._pieces:
            values |= zip(piece.gives, self._run(function, values, piece), strict=True)
        outputs = []
        for port, numbers in self.program.output_results():
            full = [jnp.broadcast_to(jnp.asarray(values[k], dtype), batch) for k in numbers]
            stacked = jnp.stack(full, -1) if full else jnp.zeros((*batch, 0), dtype)
            outputs.append(stacked.reshape(*batch, *port.shape))
        return tuple(outputs)

    def _run(self, function: Callable[..., Any], values: Mapping[int, Any], piece: _Fused) -> Any:
        """Return the results of a piece, kept apart from the other pieces."""
        import jax  # pyright: ignore[reportMissingImports]
        from jax.experimental import xla_metadata  # pyright: ignore[reportMissingImports]

        taken = [values[k] for k in piece.takes]
        if not self._on_cpu:
            return jax.lax.optimization_barrier(function(*taken))
        with xla_metadata.set_xla_metadata(inlineable="false"):
            return function(*taken)

    def _compiled(self, jax: ModuleType, piece: _Fused) -> Callable[..., tuple[Any, ...]]:
        """Return a piece as a function that XLA compiles by itself."""

        def run(*taken: Any) -> tuple[Any, ...]:
            values = dict(zip(piece.takes, taken, strict=True))
            evaluate(self.program, piece.numbers, values, self._algebra)
            return tuple(values[k] for k in piece.gives)

        return jax.jit(run)


class _Fused(NamedTuple):
    """What XLA may fuse: instructions, the arrays they take, and those that others want."""

    numbers: tuple[int, ...]
    takes: tuple[int, ...]
    gives: tuple[int, ...]


def _fused(program: Program, piece: Piece) -> _Fused:
    """Return a piece with the leaves that it reads: constants, inputs, angles of sines."""
    code, work = program.code, piece.work(program)
    shown = set(program.results).intersection(work)
    leaves = {a for i in work for a in code[i].args if code[a].op in LEAVES - {"input"}}
    inputs = {a for i in work for a in reads(program, i) if code[a].op == "input"}
    return _Fused(
        tuple(sorted({*work, *leaves})),
        tuple(sorted({*piece.live_in, *inputs})),
        tuple(sorted(shown.union(piece.live_out))),
    )


def require_jax() -> ModuleType:
    """Return the module jax.

    Raises:
        MissingDependency: it is not installed.
    """
    return require("jax", "functions of JAX")


def constant(value: Fraction | str) -> float:
    """Return a constant as a Python number, which takes the type of what it meets."""
    return math.pi if value == PI else float(value)


def power(x: Array, exponent: Fraction) -> Array:
    """Return x to a rational power; integers stay integers, so that negative x are allowed."""
    return x ** (int(exponent) if exponent.denominator == 1 else float(exponent))


def jax_arrays(jax: ModuleType) -> Algebra[Any]:
    """Return the algebra of JAX's arrays; XLA fuses products with sums where the machine can."""
    jnp = jax.numpy
    same = ("sqrt", "sin", "cos", "tan", "exp", "log", "tanh", "abs", "sign")
    other = {"asin": jnp.arcsin, "acos": jnp.arccos, "atan2": jnp.arctan2}
    functions = {**{name: getattr(jnp, name) for name in same}, **other}
    return complete({"const": constant, "pow": power, **functions})
