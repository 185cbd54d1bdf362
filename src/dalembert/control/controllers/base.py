"""The base of all controllers: a feedback of time and state that gives torques."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dalembert.control.controllers.checks import gain_matrix
from dalembert.model.dry_friction import has_dry_friction, without_dry_friction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.expr import Expr
    from dalembert.model import Model
    from dalembert.types import Array, ArrayLike


class Evaluate(Protocol):
    """The functions of a model by name, of arrays of numbers or of arrays of expressions."""

    def __call__(self, name: str, /, *arrays: Array, **options: str | Sequence[int]) -> Any:
        """Return the output as an array; several outputs as a tuple of arrays."""


class Controller(ABC):
    """A feedback τ = f(t, q, q̇), one number for each of ``model.symbols.inputs``.

    Members are frozen: the same arguments give the same torques, and the estimate of an adaptive
    one is an argument too. Each states in its docstring why the closed loop is stable.
    """

    model: Model

    @abstractmethod
    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return τ, ``(..., inputs)`` for states ``(..., nq)`` and ``(..., nv)``."""

    @property
    def law(self) -> tuple[Expr, ...] | None:
        """The same feedback as expressions of ``model.symbols.q``, ``model.symbols.qd`` and time.

        ``model.expressions("forward_dynamics", q, qd, law)`` and `da.simulate` fuse it with the
        dynamics. None where the feedback switches, or follows a reference that is known as numbers
        only.
        """
        return None

    def _store(self, **values: object) -> None:
        """Replace fields by their checked values, while the controller is built."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _store_gains(self, n: int, *names: str) -> None:
        """Replace fields by positive definite matrices ``(n, n)``."""
        self._store(**{name: gain_matrix(getattr(self, name), n, name) for name in names})


class StateFeedback(Controller):
    """A feedback of the state alone, written once for numbers and for expressions."""

    @abstractmethod
    def torques(self, evaluate: Evaluate, q: Array, v: Array) -> Array:
        """Return τ, of arrays of numbers or of expressions alike."""

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return τ, ``(..., inputs)``; the time does not matter."""
        return self.torques(with_numbers(self.model), np.asarray(q, float), np.asarray(qd, float))

    @property
    def law(self) -> tuple[Expr, ...] | None:
        """The same feedback as expressions of ``model.symbols.q`` and ``model.symbols.qd``."""
        return tuple(self.torques(with_symbols(self.model), *symbols_of_state(self.model)))


def with_numbers(model: Model) -> Evaluate:
    """Return the functions of a model, of arrays ``(..., n)`` of doubles, without dry friction."""
    model = model.on_host()
    if not has_dry_friction(model):
        return model.call

    def evaluate(name: str, /, *arrays: Array, **options: Any) -> Any:
        found = model.call(name, *arrays, **options)
        if name not in ("inverse_dynamics", "bias", "operational_space"):
            return found
        friction, _ = model.call("dry_friction", *arrays[:2])
        if name != "operational_space":
            return found + friction
        # μ = Λ (J M⁻¹ h - J̇ q̇), J̄ᵀ = Λ J M⁻¹
        L, mu, J_bar = found
        return L, mu + transposed_times(J_bar, friction), J_bar

    return evaluate


def with_symbols(model: Model) -> Evaluate:
    """Return the functions of a model, of arrays of expressions, without dry friction.

    So a law is written once, in NumPy, for numbers and for expressions.
    """
    is_dry = has_dry_friction(model)

    def array(found: Any) -> Array:
        x = np.array(found, dtype=object)
        if is_dry:
            x = np.array(without_dry_friction(x.ravel().tolist(), model.symbols.qd)).reshape(
                x.shape
            )
        return x

    def evaluate(name: str, /, *arrays: Array, **options: object) -> Any:
        found = model.expressions(name, *(list(x) for x in arrays), **options)
        return tuple(map(array, found)) if isinstance(found, tuple) else array(found)

    return evaluate


def symbols_of_state(model: Model) -> tuple[Array, Array]:
    """Return the symbols of q and q̇ as arrays."""
    return np.array(model.symbols.q, dtype=object), np.array(model.symbols.qd, dtype=object)


def load_at_rest(evaluate: Evaluate, q: Array) -> Array:
    """Return N(q, 0): what holds the mechanism against weight and springs."""
    return evaluate("bias", q, np.zeros_like(q))


def times(A: Array, x: Array) -> Array:
    """Return A x over leading axes."""
    return (A @ x[..., None])[..., 0]


def transposed_times(A: Array, x: Array) -> Array:
    """Return Aᵀ x over leading axes."""
    return (x[..., None, :] @ A)[..., 0, :]
