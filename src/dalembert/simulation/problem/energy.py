"""Where energy goes: the account of a whole motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.display import Printed
from dalembert.simulation.problem.kernels import compiled, state_symbols
from dalembert.simulation.problem.long_chain import chain_energies, rolled_tree

if TYPE_CHECKING:
    from dalembert.model import Model


@dataclass(frozen=True)
class Energy(Printed):
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
        # a motion that ran away, or one in a file, may have energies that no double holds
        with np.errstate(over="ignore", invalid="ignore"):
            return self.total - self.total[0] - self.work + self.dissipated

    def __str__(self) -> str:
        named = {"T + V": self.total, "T": self.kinetic, "V": self.potential}
        lines = [
            f"{name}: {x[0]:.6g} J at the start, {x[-1]:.6g} J at the end"
            for name, x in named.items()
            if x is not None
        ]
        lines.append(f"put in {self.work[-1]:.6g} J, taken out {self.dissipated[-1]:.6g} J")
        return "\n".join([*lines, f"the account is out by {np.abs(self.error).max():.2g} J"])


def energies(
    model: Model, t: np.ndarray, q: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Return total, kinetic and potential energy of many states."""
    tree = rolled_tree(model)
    if tree is not None:
        return chain_energies(model, tree, t, q, v)
    has_parts = model.description.has_energies

    def outputs() -> dict[str, Any]:
        parts = {"E": model.expressions("energy", model.symbols.q, model.symbols.qd)}
        if has_parts:
            parts["T"] = model.expressions("kinetic_energy", model.symbols.q, model.symbols.qd)
            parts["V"] = model.expressions("potential_energy", model.symbols.q)
        return parts

    found = compiled(model, "energies", outputs, state_symbols(model))(t, q, v)
    return found if has_parts else (found, None, None)
