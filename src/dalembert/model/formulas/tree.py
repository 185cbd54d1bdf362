"""What all formulas of a mechanism work with: its tree over expressions, symbols and forces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from dalembert.errors import InvalidMechanism
from dalembert.expr import Expr, as_expr, coordinates, inputs
from dalembert.mechanism import Mechanism
from dalembert.mechanism.moved_inertia import links_without_inertia, require_inertia
from dalembert.model.configuration import Configuration
from dalembert.model.description import Description, Symbols
from dalembert.model.formulas.external import External
from dalembert.model.rolled.segments import LONG, is_long
from dalembert.recursions.actuation import driven_places
from dalembert.recursions.dynamics.newton_euler import inverse_dynamics
from dalembert.recursions.lump import lumped
from dalembert.recursions.reduce import reduce
from dalembert.recursions.resistance.forces import passive_forces
from dalembert.recursions.resistance.friction import check_smoothing
from dalembert.recursions.tree import Tree

Rows = Sequence[Sequence[Any]]


class TreeFormulas(Description):
    """Symbols q, v, a, u (joint torques) of a mechanism, and the trees that recursions run on.

    Dynamics run on the reduced tree, whose links are not those of the mechanism; functions of a
    link or frame run on the tree as it was described. Springs, dampers and friction act unless
    ``passive`` is False; ``smoothing`` (m/s or rad/s) makes dry friction tanh(v / smoothing).
    """

    def __init__(
        self, mechanism: Mechanism, *, passive: bool = True, smoothing: float | None = None
    ) -> None:
        check_smoothing(smoothing)
        self._mechanism = mechanism
        self.name = mechanism.name
        self.passive = passive
        self.has_energies = not links_without_inertia(mechanism)
        self.smoothing = smoothing
        self._exact = Tree.of(mechanism)
        self.tree = self._exact.map(as_expr)
        self.nq, self.nv = self.tree.nq, self.tree.nv
        self.is_timed = mechanism.is_timed
        if not self.nv:
            raise InvalidMechanism(f"expected a joint that moves in {self.name}, got none")
        self.q = _numbered(coordinates, "q", self.nq)
        if self.nq == self.nv:
            # the symbols of the equations of motion, so that both can be compared
            self.v = tuple(x.dot for x in self.q)
        else:
            self.v = _numbered(coordinates, "v", self.nv)
        self.a = tuple(x.dot for x in self.v)
        self.u = _numbered(inputs, "tau", self.nv)
        self.symbols = Symbols(self.q, self.v, self.a, self.u, mechanism.parameters)
        self.configuration = Configuration.of_joints(mechanism)
        self.constraint_rows = self.tree.constraint_rows
        self.num_position_constraints = len(self.constraint_rows)

    def __str__(self) -> str:
        return str(self._mechanism)

    def packed_fields(self) -> dict[str, object]:
        return {
            "description": self._mechanism,
            "passive": self.passive,
            "smoothing": self.smoothing,
        }

    @property
    def driven_inputs(self) -> tuple[int, ...]:
        return tuple(sorted(driven_places(self._exact)))

    @property
    def has_shared_motors(self) -> bool:
        return any(actuator.others for actuator in self._mechanism.actuators)

    @property
    def mechanism(self) -> Mechanism:
        return self._mechanism

    @cached_property
    def tree_with_inertia(self) -> Tree:
        """The tree as it was described, for functions that depend on masses.

        Raises:
            MissingInertia: links that joints move were given no mass.
        """
        require_inertia(self._mechanism)
        return self.tree

    @cached_property
    def lean(self) -> Tree:
        """The tree with the fewest numbers; symbols would only move work into the kernel.

        Raises:
            MissingInertia: links that joints move were given no mass.
        """
        require_inertia(self._mechanism)
        has_symbols = self.is_timed or self.symbols.parameters
        return self.tree if has_symbols else reduce(self._exact).map(as_expr)

    @cached_property
    def long_tree(self) -> Tree | None:
        if self.nv < LONG or self.is_timed or self.symbols.parameters:
            return None
        tree = lumped(self._exact)
        return tree if is_long(tree) else None

    @cached_property
    def passive_torque(self) -> list[Any]:
        """Generalized forces of springs, dampers and friction; zeros if they are left out."""
        if not self.passive:
            return [0] * self.nv
        return passive_forces(self.tree, self.q, self.v, smoothing=self.smoothing)

    def _need_constraints(self) -> None:
        if not self.has_constraints:
            raise InvalidMechanism(f"expected loops or couplings in {self.name}, got none")

    def _q(self) -> dict[str, Any]:
        return {"q": self.q}

    def _qv(self) -> dict[str, Any]:
        return {"q": self.q, "qd": self.v}

    def _qvu(self) -> dict[str, Any]:
        return {**self._qv(), "tau": self.u}

    def _external(self, frames: Sequence[str], reference: str) -> External:
        """Return the wrenches on frames, as inputs and as generalized forces."""
        return External.of(self.tree, self.q, frames, reference)

    def _torque(self, a: Sequence[Any]) -> list[Any]:
        tau = inverse_dynamics(self.lean, self.q, self.v, a)
        return [t - f for t, f in zip(tau, self.passive_torque, strict=True)]


def _numbered(make: Callable[[str], tuple[Expr, ...]], letter: str, count: int) -> tuple[Expr, ...]:
    return make(" ".join(f"{letter}{i + 1}" for i in range(count)))
