"""Which contacts are closed and which frictions stick, and the motion that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.simulation.events.base import Occurrence, Watcher
from dalembert.simulation.events.crossing import CROWD, PAUSE
from dalembert.simulation.events.search import NOISE, first_fall, landing, nodes
from dalembert.simulation.laws.base import Law, Reading, Rows
from dalembert.simulation.laws.contact import impact
from dalembert.simulation.laws.next_modes import HELD, OPEN, SLOW, TOUCH, decide
from dalembert.simulation.methods.dop853 import DOP853
from dalembert.simulation.methods.radau import Radau
from dalembert.simulation.methods.rk4 import RK4
from dalembert.simulation.methods.semi_implicit_euler import SemiImplicitEuler

if TYPE_CHECKING:
    from dalembert.simulation.methods.base import Step
    from dalembert.simulation.problem.problem import SimulationProblem


DEEP = 1e-9
"""A state with a gap below minus this, in m or rad, is refused; one above it is moved out."""


def with_laws(
    problem: SimulationProblem, method: Any, times: np.ndarray, laws: Sequence[Law]
) -> Modes:
    """Return the modes of laws, which from now on act in the problem.

    Raises:
        EvaluationError: the method or the run cannot have them.
    """
    if not isinstance(method, DOP853 | Radau | RK4 | SemiImplicitEuler):
        raise EvaluationError(
            f"expected a method that sees contacts and dry friction, got {method}: take DOP853, "
            "Radau, RK4 or SemiImplicitEuler"
        )
    if times[-1] < times[0]:
        raise EvaluationError(
            "expected times that increase with contacts and dry friction, got others: impacts "
            "and friction have no way back"
        )
    if problem.forcing.state.size:
        raise EvaluationError(
            "expected forces without a state of their own with contacts and dry friction, got a "
            "controller that learns"
        )
    problem.laws = modes = Modes(problem, laws)
    return modes


class Modes(Watcher):
    """All contacts and dry frictions of a simulation, and the mode in which each one is.

    Between events the modes stand still, and the motion is smooth: held rows have u̇ = 0, which
    gives their force; sliding ones have -sign · kinetic. Every mode has a margin that is positive
    while it is right: the gap of an open contact, the force of a closed one, the speed of a sliding
    friction, static - |z| of one that sticks. Where one falls through zero, impulses act if it is a
    gap, and then the forces decide on the modes of all rows at rest (`decide`).
    """

    def __init__(self, problem: SimulationProblem, laws: Sequence[Law]) -> None:
        self.problem, self.nq = problem, problem.model.nq
        rows = [row for law in laws for row in law.rows(problem.model)]
        self.rows = Rows(problem.model, rows, is_constrained=problem.constraints is not None)
        self.names = tuple(row.name for row in rows)
        self.is_contact = np.array([row.is_contact for row in rows])
        self.modes = np.full(len(rows), OPEN)
        self.notes: list[str] = []
        # largest margins seen, of rows in motion and of held ones; what is far below is rounding
        self.scale = np.zeros((2, len(rows)))
        self.scale[0] = 1.0
        self.told, self.work_done = "", 0.0
        self.is_hit = False
        self.trigger = -1
        self.last, self.num_close = -np.inf, 0

    @property
    def warnings(self) -> Sequence[str]:
        return self.notes

    # ---- the motion in the present modes

    def act(self, t: float, q: np.ndarray, v: np.ndarray, flow: np.ndarray) -> None:
        """Add to q̈, and to the work and losses behind it if they are there."""
        if not self._is_acting:
            return
        n, m = self.nq, self.nq + len(v)
        r = self.rows.read(t, q, v)
        # friction of the model itself gives way to ours
        f = self._forces(r, flow[n:m], self.modes) - r.own
        flow[n:m] += r.P @ (r.A.T @ f)
        if len(flow) > m:
            flow[m] -= f @ r.drift
            flow[m + 1] -= f @ r.u

    def power(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the power that comes in and the one that is dissipated."""
        qdd = self.problem.free_acceleration(t, q, v)
        flow = np.concatenate([np.zeros(self.nq), qdd, np.zeros(2)])
        self.act(t, q, v, flow)
        return flow[-2:]

    @property
    def _is_acting(self) -> bool:
        return not (self.is_contact.all() and (self.modes == OPEN).all())

    def _forces(self, r: Reading, qdd: np.ndarray, modes: np.ndarray) -> np.ndarray:
        """Return z of every row for the acceleration without them."""
        z = np.where(self.is_contact | (modes == HELD), 0.0, -modes * r.kinetic)
        held = modes == HELD
        if held.any():
            A = r.A[held]
            # u̇ = A q̈ + bias = 0
            rate = A @ (qdd + r.P @ (r.A.T @ (z - r.own))) + r.bias[held]
            z[held] = -np.linalg.lstsq(A @ r.P @ A.T, rate, rcond=1e-12)[0]
        return z

    def kept(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the state with the held rows at rest, and their gaps closed."""
        held = self.modes == HELD
        if not held.any():
            return q, v
        r = self.rows.read(t, q, v)
        q = self._moved(q, r, held & self.is_contact)
        r = self.rows.read(t, q, v)
        if (r.u[held] != 0).any():
            v = v + _towards(r, held, -r.u[held])
        return q, v

    def _moved(self, q: np.ndarray, r: Reading, closed: np.ndarray) -> np.ndarray:
        """Return the configuration with some gaps closed."""
        if not (r.gap[closed] != 0).any():
            return q
        return self.problem.model.configuration.integrate(q, _towards(r, closed, -r.gap[closed]))

    def details(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, qdd: np.ndarray, modes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q̈, changes of the model's multipliers, and z at many states with their modes."""
        accelerations, multipliers, forces = [], [], []
        for i in range(len(t)):
            r = self.rows.read(float(t[i]), q[i], v[i])
            z = self._forces(r, qdd[i], modes[i])
            accelerations.append(qdd[i] + r.P @ (r.A.T @ (z - r.own)))
            multipliers.append(r.share @ (r.A.T @ (z - r.own)))
            forces.append(z)
        return np.array(accelerations), np.array(multipliers), np.array(forces)

    # ---- where a mode ends

    def begin(self, t: float, x: np.ndarray) -> np.ndarray:
        """Find the modes of a state; return it with the held rows at rest.

        Raises:
            EvaluationError: a gap is negative.
        """
        q, v = self._split(x)
        r = self.rows.read(t, q, v)
        for name, gap in zip(self.names, r.gap, strict=True):
            if gap < -DEEP:
                raise EvaluationError(
                    f"expected a state without penetration, got a gap of {gap:.3g} at {name} at "
                    f"t = {t:.9g}"
                )
        self.is_hit = bool((self._closed(r) & (r.u < -SLOW)).any())
        return self._settled(t, q, v, {})

    def look(self, t: float, x: np.ndarray, step: Step) -> Occurrence | None:
        if self.is_hit:
            # the step begins with an impact
            return Occurrence(t, x, "impact")
        times = nodes(t, step.t)
        states = [x, *(step.dense(s) for s in times[1:-1]), step.x]
        values = np.array([self._margins(s, y) for s, y in zip(times, states, strict=True)])
        held = (self.modes == HELD).astype(int)
        every = np.arange(len(held))
        largest = np.abs(values).max(axis=0)
        self.scale[held, every] = np.maximum(self.scale[held, every], largest)
        first: tuple[float, int] | None = None
        for k in every:
            when = first_fall(
                lambda s, k=k: float(self._margins(s, step.dense(s))[k]),
                times,
                values[:, k],
                NOISE * self.scale[held[k], k],
            )
            if when is not None and (first is None or when < first[0]):
                first = when, int(k)
        if first is None:
            return None
        when, self.trigger = first
        return Occurrence(when, step.dense(when), self.names[self.trigger])

    def _margins(self, t: float, x: np.ndarray) -> np.ndarray:
        q, v = self._split(x)
        r = self.rows.read(t, q, v)
        held = self.modes == HELD
        free = np.where(self.is_contact, r.gap, self.modes * r.u)
        if not held.any():
            return free
        z = self._forces(r, self.problem.free_acceleration(t, q, v), self.modes)
        return np.where(held, np.where(self.is_contact, z, r.static - np.abs(z)), free)

    def landing(self, t: float, x: np.ndarray) -> float:
        k = self.trigger
        if self.is_hit or t == self.last:
            return t
        floor = NOISE * self.scale[int(self.modes[k] == HELD), k]
        value = float(self._margins(t, x)[k])
        if not (self.is_contact[k] and self.modes[k] == OPEN):
            return landing(
                lambda s, y: float(self._margins(s, y)[k]), self.problem.rate, t, x, floor
            )
        u = float(self.rows.read(t, *self._split(x)).u[k])
        return t if abs(value) <= floor or u >= 0 else t - value / u

    def changed(self, t: float, x: np.ndarray, occurrence: Occurrence) -> np.ndarray:
        """Return the state after impulses, in new modes."""
        q, v = self._split(x)
        before, k = self.modes.copy(), self.trigger
        is_impact = self.is_hit or (self.is_contact[k] and before[k] == OPEN)
        is_crowded = self._count(t)
        fixed: dict[int, int] = {}
        hit: list[str] = []
        self.work_done = 0.0
        if is_impact:
            r = self.rows.read(t, q, v)
            closed = self._closed(r)
            closed[k] |= not self.is_hit
            # steps of low order land beside the surface
            q = self._moved(q, r, closed)
            r = self.rows.read(t, q, v)
            change, impulses = impact(self.rows.rows, r, closed, is_plastic=is_crowded)
            v = v + change
            # a surface that moves towards the contact works: u = A q̇ + drift
            self.work_done = -float(impulses @ r.drift)
            hit = [n for n, c, u in zip(self.names, closed, r.u, strict=True) if c and u < -SLOW]
        elif before[k] == HELD and not is_crowded:
            fixed[k] = OPEN if self.is_contact[k] else self._breakaway(t, q, v, k)
        after = self._settled(
            t, q, v, fixed, stopped=None if self.is_hit or before[k] == HELD else k
        )
        self.told = f"impact at {' and '.join(hit)}" if hit else ""
        self._tell(before)
        self.is_hit = False
        return after

    def work(self, occurrence: Occurrence) -> float:
        return self.work_done

    def description(self, occurrence: Occurrence) -> str:
        return self.told

    def _split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[: self.nq], x[self.nq :]

    def _closed(self, r: Reading) -> np.ndarray:
        return self.is_contact & (r.gap <= TOUCH)

    def _breakaway(self, t: float, q: np.ndarray, v: np.ndarray, k: int) -> int:
        """Return the direction in which a friction begins to slide: against its force."""
        z = self._forces(
            self.rows.read(t, q, v), self.problem.free_acceleration(t, q, v), self.modes
        )
        return -1 if z[k] > 0 else 1

    # ---- the next modes

    def _settled(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        fixed: Mapping[int, int],
        stopped: int | None = None,
    ) -> np.ndarray:
        """Decide on the modes; return the state with the held rows at rest.

        Contacts that come to rest from a small velocity push: what slides may change its direction
        by that, and is asked again.
        """
        for _ in range(len(self.names) + 1):
            self.modes = decide(
                self.rows.rows,
                self.rows.read(t, q, v),
                self.problem.free_acceleration(t, q, v),
                self.modes,
                fixed=fixed,
                stopped=stopped,
            )
            q, rest = self.kept(t, q, v)
            is_same = np.abs(rest - v).max() <= SLOW
            v, fixed, stopped = rest, {}, None
            if is_same:
                break
        return np.concatenate([q, v])

    def _tell(self, before: np.ndarray) -> None:
        """Put what has changed into words."""
        told = [self.told] if self.told else []
        for name, is_contact, old, new in zip(
            self.names, self.is_contact, before, self.modes, strict=True
        ):
            if old == new:
                continue
            if is_contact:
                told.append(f"{name} {'rests' if new == HELD else 'opens'}")
            else:
                told.append(
                    f"{name} {'sticks' if new == HELD else 'slides' if old == HELD else 'turns'}"
                )
        self.told = ", ".join(told) or f"{self.names[self.trigger]} touches"

    def _count(self, t: float) -> bool:
        """Tell whether events pile up: then contacts do not rebound, and forces alone decide.

        Raises:
            EvaluationError: that did not help.
        """
        self.num_close = self.num_close + 1 if t - self.last < PAUSE else 0
        self.last = t
        if self.num_close == CROWD:
            self.notes.append(
                f"at t = {t:.9g}: {CROWD} events of contacts and friction without a pause of "
                f"{PAUSE:.0e} s; impacts there are without rebound"
            )
        if self.num_close > 3 * CROWD:
            raise EvaluationError(
                f"expected contacts and friction to settle at t = {t:.9g}, got "
                f"{3 * CROWD} events without a pause of {PAUSE:.0e} s"
            )
        return self.num_close >= CROWD


def _towards(r: Reading, which: np.ndarray, change: np.ndarray) -> np.ndarray:
    """Return the smallest change of velocity with A δ = change, measured by the kinetic energy."""
    A: Any = r.A[which]
    return r.P @ A.T @ np.linalg.lstsq(A @ r.P @ A.T, change, rcond=1e-12)[0]
