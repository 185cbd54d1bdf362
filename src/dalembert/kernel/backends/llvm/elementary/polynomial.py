"""Polynomials with constant coefficients."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.kernel.backends.llvm.lanes import Lanes


def horner(lanes: Lanes, z: str, coefficients: Sequence[float]) -> str:
    """Return c₀ + c₁z + c₂z² + …, one fma for each coefficient but the last."""
    p = lanes.const(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        p = lanes.fma(p, z, lanes.const(c))
    return p
