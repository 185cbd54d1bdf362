"""Dry friction of joints without constraints, compiled: one call gives a rate with its modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr import ZERO, Expr, as_expr, parameters, substitute
from dalembert.model.dry_friction import without_dry_friction
from dalembert.simulation.contact.reading import Raw
from dalembert.simulation.contact.rows import STICK, Mode
from dalembert.simulation.laws.elimination import held_accelerations
from dalembert.simulation.laws.modes import Modes
from dalembert.simulation.problem.kernels import state_symbols

if TYPE_CHECKING:
    from dalembert.simulation.laws.base import Row
    from dalembert.simulation.problem.problem import Problem


class JointModes(Modes):
    """Modes of rows that are velocities of an open chain: held joints are rows of M left out.

    Modes are inputs of the kernels: s is the sign of a joint that slides, m is 1 of one that is
    held. With k = 1 - m, and f the forces without those of held joints,

        (k M k + m) q̈ = k f,   z = M q̈ - f of the held ones.
    """

    @staticmethod
    def covers(problem: Problem, rows: Sequence[Row]) -> bool:
        """Tell whether all rows are friction of single velocities, without constraints.

        Forces with states of their own are left to `Modes`.
        """
        v = problem.model.symbols.qd
        if problem.constraints is not None or problem.forcing.state.size:
            return False
        return all(
            row.gap is None and not (row.normal or row.disc) and row.velocity in v and row.own == 0
            for row in rows
        )

    @property
    def has_series(self) -> bool:
        return True

    @property
    def symbols(self) -> Mapping[str, Sequence[Expr]]:
        count = range(len(self.names))
        return {name: [parameters(f"{name}_{i}")[0] for i in count] for name in ("slip", "held")}

    @property
    def values(self) -> tuple[np.ndarray, ...]:
        return self._inputs(self.current)

    def series_rates(self) -> list[Expr]:
        return self._equations[0]

    def rate(self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray) -> np.ndarray:
        return self._rate(t, q, v, *self.values, self.problem.input_values(t, q, v))

    def power(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        z = self._row_forces(np.asarray(t), q, v, self.current)
        return np.array([0.0, -(z @ v[self._places])])

    def margins(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        free, held = self.current * v[..., self._places], self.current == STICK
        if not held.any():
            return free
        z = self._row_forces(t, q, v, self.current)
        return np.where(held, self._static - np.abs(z), free)

    def held_at_rest(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        places = self._places[self.current == STICK]
        if not v[places].any():
            return q, v
        v = v.copy()
        v[places] = 0.0
        return q, v

    def forces_at(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, learned: np.ndarray, mode: Mode
    ) -> tuple[Raw, np.ndarray, None]:
        z = self._row_forces(t, q, v, self.contacts.row_modes(mode))
        return self.contacts.reading.raw(t, q, v), z, None

    def details(
        self,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        qdd: np.ndarray,
        lam: np.ndarray,
        modes: Sequence[Mode],
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n, m = self.problem.nq, self.problem.size
        tau = self._input_values(t, q, v)
        # one object for all states of a mode
        distinct = {id(mode): mode for mode in modes}
        rows = {key: self.contacts.row_modes(mode) for key, mode in distinct.items()}
        current = np.array([rows[id(mode)] for mode in modes])
        rates = self._rate(t, q, v, *self._inputs(current), tau)
        return rates[:, n:m], np.empty((len(t), 0)), self._row_forces(t, q, v, current)

    # ---- kernels

    @cached_property
    def _places(self) -> np.ndarray:
        """Where the velocities of the rows are in q̇."""
        v = list(self.problem.model.symbols.qd)
        return np.array([v.index(row.velocity) for row in self.contacts.rows])

    @cached_property
    def _static(self) -> np.ndarray:
        model = self.problem.model
        return self.contacts.read(0.0, model.neutral, np.zeros(model.nv)).static

    def _inputs(self, modes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return s and m."""
        return modes.astype(float), (modes == 0).astype(float)

    def _input_values(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray | None:
        if self.problem.forcing.numbers is None:
            return None
        return np.array(
            [self.problem.input_values(float(a), b, c) for a, b, c in zip(t, q, v, strict=True)]
        )

    def _row_forces(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, modes: np.ndarray
    ) -> np.ndarray:
        """Return z of every row, of one state or many."""
        many = np.ndim(t) > 0
        tau = self._input_values(t, q, v) if many else self.problem.input_values(float(t), q, v)
        return self._forces(t if many else float(t), q, v, *self._inputs(modes), tau)

    @cached_property
    def _rate(self) -> Callable[..., np.ndarray]:
        end = None if self.problem.is_audited else self.problem.size
        name = "audited rate of joint modes" if end is None else "rate of joint modes"
        return self._compiled(name, lambda: {"rate": self._equations[0][:end]})

    @cached_property
    def _forces(self) -> Callable[..., np.ndarray]:
        return self._compiled("forces of joint modes", lambda: {"z": self._equations[1]})

    def _compiled(self, name: str, outputs: Callable[[], Any]) -> Callable[..., np.ndarray]:
        inputs = {**state_symbols(self.problem.model), **self.symbols}
        return self.problem.compiled(name, outputs, inputs)

    @cached_property
    def _equations(self) -> tuple[list[Expr], list[Expr]]:
        """ẋ with the two powers behind it, and z of every row, as expressions."""
        key = ("joint modes", self.contacts.rows, self.problem.forcing.law)
        return self.problem.model.once(key, self._derived)

    def _derived(self) -> tuple[list[Expr], list[Expr]]:
        problem, model = self.problem, self.problem.model
        q, v, a, u, _ = model.symbols
        slip, held = self.symbols["slip"], self.symbols["held"]
        M = model.expressions("mass_matrix", q)
        forces, h = model.expressions("applied_forces", q, v, u), model.expressions("bias", q, v)
        f = [as_expr(x) - y for x, y in zip(forces, without_dry_friction(h, v), strict=True)]
        masks: list[Expr] = [ZERO] * model.nv
        lost: Expr = ZERO
        for place, row, s, m in zip(self._places, self.contacts.rows, slip, held, strict=True):
            friction = s * row.kinetic
            f[place] = f[place] - friction
            lost = lost + friction * v[place]
            masks[place] = m
        powers = without_dry_friction(model.expressions("powers", q, v, a, u), v)
        given = {x: as_expr(e) for x, e in zip(u, problem.inputs, strict=True)}
        f = substitute(f, given)
        qdd = held_accelerations(M, f, masks)
        z = []
        for place, row, s, m in zip(self._places, self.contacts.rows, slip, held, strict=True):
            reaction = sum((x * y for x, y in zip(M[place], qdd, strict=True)), ZERO) - f[place]
            z.append(m * reaction - s * row.kinetic)
        given |= dict(zip(a, qdd, strict=True))
        powers = substitute([powers[0], powers[1] + lost], given)
        return [*model.expressions("configuration_rate", q, v), *qdd, *powers], z
