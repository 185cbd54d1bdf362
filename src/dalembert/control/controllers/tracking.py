"""The base of controllers that follow a reference motion."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.control.controllers.base import (
    Controller,
    Evaluate,
    symbols_of_state,
    with_numbers,
    with_symbols,
)
from dalembert.control.controllers.checks import check_fully_actuated
from dalembert.control.references.base import Motion, Reference
from dalembert.errors import EvaluationError
from dalembert.expr import Expr, as_expr, parameters, time
from dalembert.model.border import finite_array

if TYPE_CHECKING:
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


@dataclass(frozen=True, eq=False)
class TrackingController(Controller):
    """A controller with a reference for all joints.

    Args:
        model: What it drives.
        reference: A configuration to hold, ``(nq,)``; or expressions of ``da.time``, unless q has
            quaternions; or a function of t that returns q_d, q̇_d and q̈_d, as the references of
            this package do.
    """

    model: Model
    reference: Any

    def __post_init__(self) -> None:
        self._need_model()
        self.desired(0.0)

    def _need_model(self) -> None:
        """Raise unless the model is one that this controller can drive."""
        check_fully_actuated(self.model, type(self).__name__)

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        q, qd = np.asarray(q, float), np.asarray(qd, float)
        return self._feedback(q, qd, *self.desired(t))

    @cached_property
    def _feedback(self) -> Callable[..., Array]:
        """The torques as a function of q, q̇ and the three parts of the reference, compiled."""
        host = self.model.on_host()
        if host.symbols.parameters or host.description.is_timed:
            evaluate = with_numbers(host)
            return lambda q, v, *desired: self.torques(evaluate, q, v, Motion(*desired))
        q, v = symbols_of_state(host)
        parts = {
            name: parameters(" ".join(f"desired_{name}_{k}" for k in range(len(q))))
            for name in Motion._fields
        }
        desired = Motion(*(np.array(x, dtype=object) for x in parts.values()))
        torques = list(self.torques(with_symbols(host), q, v, desired))
        inputs = {"q": list(q), "qd": list(v), **parts}
        return host.compile({"tau": torques}, inputs, name="feedback")

    @property
    def law(self) -> tuple[Expr, ...] | None:
        if self._in_symbols is None:
            return None
        q, v = symbols_of_state(self.model)
        return tuple(self.torques(with_symbols(self.model), q, v, self._in_symbols))

    @abstractmethod
    def torques(self, evaluate: Evaluate, q: Array, v: Array, desired: Motion) -> Array:
        """Return τ, of arrays of numbers or of expressions alike."""

    def desired(self, t: ArrayLike) -> Motion:
        """Return the reference at a time.

        Raises:
            EvaluationError: it does not have nq and nv finite numbers there.
        """
        found = tuple(self._at(t))
        # what a reference of this package gives once it always gives
        if self._in_symbols is not None or (self._is_own and isinstance(t, float)):
            return Motion(*found)
        if len(found) != 3:
            raise EvaluationError(
                f"expected (q, qd, qdd) from the reference at t = {t}, got {len(found)} values"
            )
        sizes = self.model.nq, self.model.nv, self.model.nv
        return Motion(
            *(
                finite_array(x, f"{name} of the reference at t = {t}", (..., n))
                for name, x, n in zip(Motion._fields, found, sizes, strict=True)
            )
        )

    @cached_property
    def _is_own(self) -> bool:
        """Whether the reference is one of this package, with arrays of the right shapes."""
        if not isinstance(self.reference, Reference):
            return False
        sizes = (self.model.nq,), (self.model.nv,), (self.model.nv,)
        return tuple(x.shape for x in self.reference(0.0)) == sizes

    @cached_property
    def _at(self) -> Callable[[ArrayLike], Iterable[Array]]:
        """The reference as a function of time."""
        motion = self._in_symbols
        if motion is None:
            return self.reference
        if not _depends_on_time(motion.position):
            still = Motion(*(part.astype(float) for part in motion))
            return lambda t: still
        outputs = {name: list(x) for name, x in zip(Motion._fields, motion, strict=True)}
        return self.model.compile(outputs, {"t": time}, name="reference")

    @cached_property
    def _in_symbols(self) -> Motion | None:
        """The reference as expressions, or as constants; None if it is a function."""
        given, n, c = self.reference, self.model.nv, self.model.configuration
        if callable(given):
            return None
        if not _depends_on_time(given):
            q = c.normalized(finite_array(given, "a reference", (self.model.nq,)))
            return Motion(*(x.astype(object) for x in (q, np.zeros(n), np.zeros(n))))
        if not c.is_flat:
            raise EvaluationError(
                "expected a configuration or a function of t as the reference of joints with "
                "quaternions, got expressions of time: return q, qd and qdd from a function, as "
                "configuration_line does"
            )
        if len(given) != n:
            raise EvaluationError(f"expected {n} expressions in the reference, got {len(given)}")
        x = [as_expr(e) for e in given]
        xd = [e.diff(time) for e in x]
        xdd = [e.diff(time) for e in xd]
        return Motion(*(np.array(part, dtype=object) for part in (x, xd, xdd)))


def _depends_on_time(expressions: object) -> bool:
    """Tell whether some of these are expressions of time.

    Raises:
        EvaluationError: they depend on something else.
    """
    entries = np.ravel(np.asarray(expressions, dtype=object))
    symbols = {x for e in entries if isinstance(e, Expr) for x in e.symbols}
    if symbols - {time}:
        raise EvaluationError(
            "expected a reference that depends on da.time only, got "
            f"{', '.join(sorted(map(str, symbols - {time})))} in it"
        )
    return bool(symbols)
