"""Where energy goes: powers as expressions, and the account of a whole motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.simulation.problem.kernels import compiled, time_symbol

if TYPE_CHECKING:
    from dalembert.model import Model


@dataclass(frozen=True)
class Energy:
    """The energy of a motion at its stored times, in joules.

    ``total`` is T + V; ``work`` what the forces (and whatever moves with time) have put in since
    the start, ``dissipated`` what dampers, friction and impacts have taken out. ``kinetic`` and
    ``potential`` are None for a system that was given by its Lagrangian alone.
    """

    total: np.ndarray
    work: np.ndarray
    dissipated: np.ndarray
    kinetic: np.ndarray | None = None
    potential: np.ndarray | None = None

    @property
    def error(self) -> np.ndarray:
        """What the account is out by: total - total(start) - work + dissipated."""
        return self.total - self.total[0] - self.work + self.dissipated


def powers(model: Model, inputs: Sequence[Any], qdd: Sequence[Any]) -> tuple[Any, Any]:
    """Return the power that comes in and the one that is dissipated, as expressions.

    Ideal constraints do no work unless they move with time; where anything does, the power that
    comes in is taken from the energy itself, dE/dt + dissipated.
    """
    q, v = model.q, model.qd
    system = getattr(model.formulas, "system", None)
    if system is None:
        # the dissipative part of the passive forces: what vanishes at rest
        moving = model.apply("passive_force", q, v)
        resting = model.apply("passive_force", q, [0] * model.nv)
        lost = -_dot([a - b for a, b in zip(moving, resting, strict=True)], v)
        return _dot(inputs, v), lost
    lost = _dot([system.dissipation.diff(x) for x in v], v)
    if not _is_driven(model, system):
        return _dot(model.apply("applied_forces", q, v, inputs), v), lost
    E = model.apply("energy", q, v)
    rate = _dot([E.diff(x) for x in q], v) + _dot([E.diff(x) for x in v], qdd)
    time = time_symbol(model)
    return rate + lost + (0 if time is None else E.diff(time)), lost


def energies(
    model: Model, t: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Return total, kinetic and potential energy of many states."""
    system = getattr(model.formulas, "system", None)
    has_parts = system is None or system.lagrangian is system.kinetic - system.potential

    def outputs() -> dict[str, Any]:
        parts = {"E": model.apply("energy", model.q, model.qd)}
        if has_parts:
            parts["T"] = model.apply("kinetic_energy", model.q, model.qd)
            parts["V"] = model.apply("potential_energy", model.q)
        return parts

    found = compiled(model, "energies", outputs, {"q": model.q, "qd": model.qd})(t, q, v)
    return found if has_parts else (found, None, None)


def _is_driven(model: Model, system: Any) -> bool:
    """Tell whether constraints or energies move by themselves, and so do work."""
    if model.formulas.is_timed:
        return True
    rest = dict.fromkeys(model.qd, 0)
    return any(c.subs(rest) != 0 for c in system.velocity_constraints)


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    total: Any = 0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total
