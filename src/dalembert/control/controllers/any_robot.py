"""The base of controllers that take any robot: open or closed, fixed or free, with few motors."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dalembert.control.controllers.base import Controller
from dalembert.control.controllers.checks import check_untimed
from dalembert.control.reach.allowed_motions import AllowedMotions, allowed_motions
from dalembert.control.reach.drives import SHOWN, Drives, drives
from dalembert.errors import EvaluationError

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.types import Array, ArrayLike

UNHELD = 1e-9
"""Accelerations at rest below this part of those without motors are rounding."""


class UnheldWarning(UserWarning):
    """A controller whose inputs cannot hold the configuration that it is asked to hold."""


class AnyRobot(Controller):
    """A controller with a formula for open chains with a torque on each joint, and one for others.

    The others have quaternions, loops or other constraints, or fewer inputs than velocities; there
    `efforts` works on the motions that the constraints allow, at one state at a time.
    """

    actuated: Sequence[int] | None

    @cached_property
    def _drives(self) -> Drives:
        """The inputs that act, and the velocities that they drive."""
        check_untimed(self.model, type(self).__name__)
        return drives(self.model, type(self).__name__, self.actuated)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the model is an open chain with a torque on each of its joints, in order."""
        model, all_of = self.model, tuple(range(self.model.nv))
        return (
            model.configuration.is_flat
            and not model.description.has_constraints
            and self._drives[:2] == (all_of, all_of)
            and self._drives.num_inputs == model.nv
        )

    def __call__(self, t: ArrayLike, q: ArrayLike, qd: ArrayLike) -> Array:
        """Return τ, ``(..., inputs)`` for states ``(..., nq)`` and ``(..., nv)``."""
        if self.is_plain:
            return super().__call__(t, q, qd)  # type: ignore[safe-super]
        return self._drives.spread(self._each(t, np.asarray(q, float), np.asarray(qd, float)))

    @property
    def law(self) -> tuple[Expr, ...] | None:
        """The feedback as expressions; None unless the model is a plain open chain."""
        return super().law if self.is_plain else None

    @abstractmethod
    def efforts(self, t: float, q: Array, v: Array) -> Array:
        """Return the inputs that act, at one state."""

    def _motions(self, q: Array, v: Array) -> AllowedMotions:
        """Return the accelerations that constraints allow and inputs reach, at one state."""
        return allowed_motions(self.model, self._drives, q, v)

    def _carried(self, q: Array) -> Array:
        """Return the inputs that carry weight and springs at rest, as far as inputs can.

        What they cannot carry accelerates least, measured by the kinetic energy: of a free base
        that falls the joints stay still.
        """
        at = self._motions(q, np.zeros(self.model.nv))
        return at.efforts(at.load)

    def unheld(self, q: ArrayLike) -> dict[str, float]:
        """Return the accelerations at rest that no inputs prevent, by name of velocity.

        It is empty where the inputs carry weight and springs, with loops and all.
        """
        q = self.model.configuration.normalized(q)
        at = self._motions(q, np.zeros(self.model.nv))
        left = -at.basis @ (at.load - at.within_reach(at.load))
        size = float(np.abs(at.basis @ at.load).max(initial=0.0))
        names = self.model.configuration.v_names
        return {n: float(a) for n, a in zip(names, left, strict=True) if abs(a) > UNHELD * size}

    def _warn_unheld(self, q: Array) -> None:
        """Warn if inputs cannot hold the mechanism at rest in a configuration."""
        if self.is_plain or not (left := self.unheld(q)):
            return
        most = sorted(left.items(), key=lambda item: -abs(item[1]))[:SHOWN]
        listed = ", ".join(f"{name} ({a:.3g})" for name, a in most)
        warnings.warn(
            f"{type(self).__name__} cannot hold its reference: {listed} accelerate at rest, as no "
            f"input drives {self._drives.passive(self.model)}; give them actuators, weld what "
            "carries the robot with a loop, or choose an equilibrium and LQR",
            UnheldWarning,
            stacklevel=4,
        )

    def _each(self, t: ArrayLike, q: Array, v: Array) -> Array:
        """Return the efforts of states one by one, over leading axes."""
        batch = np.broadcast_shapes(np.shape(t), q.shape[:-1], v.shape[:-1])
        if not batch:
            return self.efforts(float(np.asarray(t)), q, v)
        states = (
            np.broadcast_to(np.asarray(t, float), batch).ravel(),
            np.broadcast_to(q, (*batch, q.shape[-1])).reshape(-1, q.shape[-1]),
            np.broadcast_to(v, (*batch, v.shape[-1])).reshape(-1, v.shape[-1]),
        )
        found = [self.efforts(float(s), *x) for s, *x in zip(*states, strict=True)]
        return np.array(found).reshape(*batch, len(self._drives.inputs))

    def _need_reach(self, missed: Array, what: str, t: float, q: Array) -> None:
        """Raise unless a wanted acceleration is within reach."""
        if not missed.any():
            return
        passive = self._drives.passive(self.model)
        reason = f"no input drives {passive}" if passive else "the joints are singular there"
        raise EvaluationError(
            f"expected {what} that the inputs can give, got one that they miss by "
            f"{missed.max():.3g} at t = {t:.6g}, q = {np.array2string(q, precision=4)}: {reason}; "
            "give it an actuator, control fewer rows, or keep away from the singular place"
        )
