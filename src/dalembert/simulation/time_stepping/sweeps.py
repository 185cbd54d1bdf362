"""Sweeps over blocks of rows, one after the other, until no impulse changes any more.

Each block is solved exactly while the others stay (Gauss and Seidel). Where all feet are about to
slide, errors decay slowly and along one direction. So sweeps are extrapolated: of two sweeps g from
impulses p with the changes r = g - p, those are mixed that make the change least, unless the last
sweep changed more than the one before.

Reference: D. G. Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12, 1965.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dalembert.expr import ZERO, Expr, as_expr, parameters, total
from dalembert.model import Iteration
from dalembert.simulation.time_stepping.blocks import TINY, Block, Column, add_to
from dalembert.spatial.scalar import absolute, larger, step

if TYPE_CHECKING:
    from dalembert.simulation.time_stepping.method import TimeStepping
    from dalembert.types import Scalar

MAX_EXTRAPOLATION = 100.0
"""Times the difference of two sweeps: what would go farther is rounding."""


SHARE = Fraction(1, 2)
"""Of the tolerance, below which the sweeps end: a residual is seen before the other blocks move."""


class Sweeps(NamedTuple):
    """The sweeps of a step.

    Attributes:
        turns: What is compiled as turns inside the step.
        impulses: Symbols of the impulses of all blocks after the last sweep.
        remembered: What is remembered beside them for the next step.
        number: How many sweeps there were, a symbol.
    """

    turns: Iteration
    impulses: list[list[Expr]]
    remembered: list[Expr]
    number: Expr


def sweeps_of(
    blocks: Sequence[Block], held: Sequence[Expr], method: TimeStepping, size: int
) -> Sweeps:
    """Return the sweeps over blocks.

    Args:
        blocks: What is solved.
        held: The impulses to start from, in the order of the blocks, then what is remembered.
        method: How many sweeps there are at most, and when they end.
        size: Velocities of the model.
    """
    tolerance = as_expr(method.tolerance)
    held, remembered = _split(blocks, held)
    n = len(held)
    p, swept, change = (_symbols(name, n) for name in ("impulse", "swept", "change"))
    z, z_swept = _symbols("z", size), _symbols("z_swept", size)
    slides = _symbols("slide", len(remembered))
    last, count = _symbols("last", 1), _symbols("count", 1)
    new, new_z, new_slides, residual = _swept(blocks, p, dict(enumerate(z)), slides)
    mobility = [m for block in blocks for m in block.mobilities]
    r = [m * (a - b) for m, a, b in zip(mobility, new, p, strict=True)]
    square = total([x * x for x in r])
    difference = [a - b for a, b in zip(r, change, strict=True)]
    part = total([a * b for a, b in zip(r, difference, strict=True)])
    part = part / (total([x * x for x in difference]) + TINY)
    # nothing is extrapolated after the first sweep, nor where the last one went wrong
    is_good = step(last[0] - square) * step(MAX_EXTRAPOLATION - absolute(part))
    part = part * is_good
    start_z: Column = {}
    for block, own in zip(blocks, _in_blocks(blocks, held), strict=True):
        for one, x in zip(block.sides, own, strict=True):
            add_to(start_z, one.column, x)
    first_z = [start_z.get(k, ZERO) for k in range(size)]
    parts: list[tuple[str, list[Expr], Sequence[Scalar], Sequence[Scalar]]] = [
        ("impulse", p, held, [a - part * (a - b) for a, b in zip(new, swept, strict=True)]),
        ("z", z, first_z, [a - part * (a - b) for a, b in zip(new_z, z_swept, strict=True)]),
        ("slide", slides, remembered, new_slides),
        ("swept", swept, held, new),
        ("z_swept", z_swept, first_z, new_z),
        ("change", change, [ZERO] * n, r),
        ("last", last, [ZERO], [square]),
        ("count", count, [ZERO], [count[0] + 1]),
    ]
    used = [part for part in parts if part[1]]
    turns = Iteration(
        state={name: symbols for name, symbols, _, _ in used},
        start={name: start for name, _, start, _ in used},
        turn={name: after for name, _, _, after in used},
        # what a sweep changes counts too: laws may have two solutions
        stop=as_expr(larger(residual - SHARE * tolerance, square / tolerance - tolerance)),
        most=method.sweeps,
    )
    return Sweeps(turns, _in_blocks(blocks, swept), slides, count[0])


def _swept(
    blocks: Sequence[Block], p: Sequence[Expr], z: Column, slides: Sequence[Expr]
) -> tuple[list[Any], list[Any], list[Any], Scalar]:
    """Return impulses, z and what is remembered after one sweep, and the residual on the way."""
    size, places = len(z), iter(slides)
    impulses: list[Any] = []
    remembered: list[Any] = []
    residual: Scalar = ZERO
    for block, own in zip(blocks, _in_blocks(blocks, p), strict=True):
        before = [next(places) for _ in range(block.memory)]
        u = block.velocities(z)
        residual = larger(residual, block.residual(own, u))
        new, after = block.solved(own, u, before)
        for one, a, b in zip(block.sides, new, own, strict=True):
            add_to(z, one.column, a - b)
        impulses += new
        remembered += after
    return impulses, [z[k] for k in range(size)], remembered, residual


def _split(blocks: Sequence[Block], held: Sequence[Expr]) -> tuple[list[Expr], list[Expr]]:
    """Return the impulses of blocks, and what is remembered beside them."""
    n = sum(len(block.sides) for block in blocks)
    return list(held[:n]), list(held[n:])


def _in_blocks(blocks: Sequence[Block], flat: Sequence[Expr]) -> list[list[Expr]]:
    places = iter(flat)
    return [[next(places) for _ in block.sides] for block in blocks]


def _symbols(name: str, count: int) -> list[Expr]:
    return [parameters(f"sweep_{name}{k}")[0] for k in range(count)]
