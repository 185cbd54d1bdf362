"""Steps of fixed length as expressions: what a compiled rollout does again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dalembert.errors import UnknownName

Vector = list[Any]


class Flow(NamedTuple):
    """A motion as expressions: dq/dt of (q, q̇), and q̈ of (t, q, q̇); t is None if nothing asks."""

    position_rate: Callable[[Vector, Vector], Vector]
    acceleration: Callable[[Any, Vector, Vector], Vector]

    def rate(self, t: Any, q: Vector, v: Vector) -> tuple[Vector, Vector]:
        """Return dq/dt and q̈."""
        return self.position_rate(q, v), self.acceleration(t, q, v)


Step = Callable[[Flow, Any, Vector, Vector, Any], tuple[Vector, Vector]]
"""(flow, t, q, q̇, h) to q and q̇ at t + h."""


def semi_implicit(flow: Flow, t: Any, q: Vector, v: Vector, h: Any) -> tuple[Vector, Vector]:
    """Euler's method, velocities first; of order 1."""
    v = _ahead(v, h, flow.acceleration(t, q, v))
    return _ahead(q, h, flow.position_rate(q, v)), v


def midpoint(flow: Flow, t: Any, q: Vector, v: Vector, h: Any) -> tuple[Vector, Vector]:
    """The rate in the middle of the step, found by Euler's method; of order 2."""
    kq, kv = flow.rate(t, q, v)
    kq, kv = flow.rate(_later(t, h / 2), _ahead(q, h / 2, kq), _ahead(v, h / 2, kv))
    return _ahead(q, h, kq), _ahead(v, h, kv)


def heun(flow: Flow, t: Any, q: Vector, v: Vector, h: Any) -> tuple[Vector, Vector]:
    """The mean of the rates at both ends; of order 2."""
    kq1, kv1 = flow.rate(t, q, v)
    kq2, kv2 = flow.rate(_later(t, h), _ahead(q, h, kq1), _ahead(v, h, kv1))
    return _ahead(q, h / 2, _sum(kq1, kq2)), _ahead(v, h / 2, _sum(kv1, kv2))


def rk4(flow: Flow, t: Any, q: Vector, v: Vector, h: Any) -> tuple[Vector, Vector]:
    """The classical method of Runge and Kutta; of order 4."""
    middle, end = _later(t, h / 2), _later(t, h)
    kq1, kv1 = flow.rate(t, q, v)
    kq2, kv2 = flow.rate(middle, _ahead(q, h / 2, kq1), _ahead(v, h / 2, kv1))
    kq3, kv3 = flow.rate(middle, _ahead(q, h / 2, kq2), _ahead(v, h / 2, kv2))
    kq4, kv4 = flow.rate(end, _ahead(q, h, kq3), _ahead(v, h, kv3))
    # x + h/6 (k₁ + 2 (k₂ + k₃) + k₄)
    q = _ahead(q, h / 6, _mean(kq1, kq2, kq3, kq4))
    return q, _ahead(v, h / 6, _mean(kv1, kv2, kv3, kv4))


STEPS: dict[str, Step] = {
    "rk4": rk4,
    "semi_implicit": semi_implicit,
    "midpoint": midpoint,
    "heun": heun,
}


def step_of(method: str) -> Step:
    """Return the step of that name.

    Raises:
        UnknownName: there is none.
    """
    if method not in STEPS:
        raise UnknownName(f"expected a method of {', '.join(STEPS)} for rollouts, got {method!r}")
    return STEPS[method]


def _later(t: Any, h: Any) -> Any:
    return None if t is None else t + h


def _ahead(x: Sequence[Any], h: Any, rate: Sequence[Any]) -> Vector:
    return [a + h * k for a, k in zip(x, rate, strict=True)]


def _sum(a: Sequence[Any], b: Sequence[Any]) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def _mean(k1: Vector, k2: Vector, k3: Vector, k4: Vector) -> Vector:
    return [a + 2 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
