"""A motion to compute: a model, what drives it, and how its constraints are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from dalembert.simulation.constraints.constraints import Constraints, correction
from dalembert.simulation.constraints.stabilisation import Baumgarte, Stabilisation
from dalembert.simulation.problem.energy import powers
from dalembert.simulation.problem.forcing import Forcing
from dalembert.simulation.problem.kernels import compiled

if TYPE_CHECKING:
    from dalembert.model import Model


class Laws(Protocol):
    """Contacts and dry friction: forces that follow from the motion."""

    def act(self, t: float, q: np.ndarray, v: np.ndarray, flow: np.ndarray) -> None:
        """Add them to ẋ, and to the powers behind it if they are there."""
        ...

    def power(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the power that they bring in and the one that they dissipate."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """What the forces are called."""
        ...

    def details(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, qdd: np.ndarray, modes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q̈ with them, changes of the model's multipliers, and the forces."""
        ...


class SimulationProblem:
    """The problem that integrators see, with the powers and reactions of the same motion.

    A state is x = (q, q̇). Behind it ride the state of a controller that learns, and with
    ``is_audited`` two more numbers: the work that came in and the energy that was dissipated.
    """

    def __init__(
        self, model: Model, forcing: Forcing, stabilisation: Stabilisation, *, is_audited: bool
    ) -> None:
        self.model, self.forcing = model, forcing
        self.constraints = Constraints(model) if Constraints.exist(model) else None
        self.stabilisation = stabilisation if self.constraints is not None else None
        self.laws: Laws | None = None
        self._may_audit = is_audited
        # set by the run where constraints are redundant or nearly singular
        self.is_careful = False
        self._size = model.nq + model.nv

    # ---- what integrators ask for

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return ẋ, and the powers behind it if they are audited."""
        n, m, k = self.model.nq, self._size, self._size + self.forcing.state.size
        q, v = x[:n], x[n:m]
        flow = self._free_rate(t, q, v, x[m:k])
        if self.laws is not None:
            self.laws.act(t, q, v, flow)
        if self.forcing.state_rate is not None:
            learned = self.forcing.state_rate(t, q, v, x[m:k])
            return np.concatenate([flow[:m], learned, flow[m:]])
        return flow

    def _free_rate(self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray) -> np.ndarray:
        n, m = self.model.nq, self._size
        flow = self._flow(t, q, v, self._numbers(t, q, v, learned))
        if self.is_careful:
            flow[n:m] = self._by_known_rank(t, q, v, learned)
        if isinstance(self.stabilisation, Baumgarte):
            flow[n:m] += self._pull(t, q, v).change
        return flow

    def riders(self) -> np.ndarray:
        """Return what rides behind (q, q̇) at the start."""
        return np.concatenate([self.forcing.state, np.zeros(2 if self.is_audited else 0)])

    def acceleration(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return q̈."""
        return self.rate(t, np.concatenate([q, v]))[self.model.nq : self._size]

    def free_acceleration(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return q̈ without contacts and the friction of `laws`."""
        return self._free_rate(t, q, v, self.forcing.state)[self.model.nq : self._size]

    def force(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the torques or inputs at one state, and one state of a controller that learns."""
        if self.forcing.numbers is not None:
            if self.forcing.state_rate is not None:
                return self.forcing.numbers(t, q, v, learned)
            return self.forcing.numbers(t, q, v)
        if not self.model.inputs:
            return np.empty(0)
        return self._law(t, q, v)

    # ---- the same motion, looked at afterwards

    def power(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the power that comes in and the one that is dissipated."""
        powers = self._kernel("power")(t, q, v, self._numbers(t, q, v))
        return powers if self.laws is None else powers + self.laws.power(t, q, v)

    def details(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, learned: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q̈, inputs and multipliers at many states."""
        tau = self._forces(t, q, v, learned)
        if self.constraints is None:
            return self._forward(t, q, v, tau), tau, np.empty((len(t), 0))
        qdd, lam = self._forward(t, q, v, tau)
        if isinstance(self.stabilisation, Baumgarte):
            for i in range(len(t)):
                pull = self._pull(float(t[i]), q[i], v[i])
                qdd[i] += pull.change
                lam[i] += pull.multipliers
        return qdd, tau, lam

    def _forces(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, learned: np.ndarray
    ) -> np.ndarray:
        if not self.model.inputs:
            return np.empty((len(t), 0))
        if self.forcing.numbers is None:
            return self._law(t, q, v)
        rows = zip(t.tolist(), q, v, learned, strict=True)
        return np.array([self.force(*row) for row in rows])

    @property
    def num_multipliers(self) -> int:
        """Rows of A."""
        return 0 if self.constraints is None else len(self.constraints.names)

    @property
    def is_audited(self) -> bool:
        """Whether the integrals of the powers ride along in x."""
        return self._may_audit and self.has_power

    @property
    def has_power(self) -> bool:
        """Whether anything puts energy in or takes it out."""
        return self.laws is not None or self._has_power

    @cached_property
    def _has_power(self) -> bool:
        come, lost = self._powers(self._input_symbols)
        return not (come == 0 and lost == 0)

    # ---- kernels

    @property
    def _input_symbols(self) -> Any:
        law = self.forcing.law
        return self.model.inputs if law is None else law

    def _numbers(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray | None = None
    ) -> np.ndarray | None:
        return None if self.forcing.numbers is None else self.force(t, q, v, learned)

    def _powers(self, inputs: Any) -> tuple[Any, Any]:
        model = self.model
        return powers(model, inputs, model.apply("forward_dynamics", model.q, model.qd, inputs))

    def _kernel(self, what: str) -> Callable[..., Any]:
        """Return the rate, or the powers, as a function of (t, q, q̇, inputs)."""
        model, law = self.model, self.forcing.law
        u = self._input_symbols

        def outputs() -> Any:
            if what == "power":
                return {"power": list(self._powers(u))}
            rate = [
                *model.apply("configuration_rate", model.q, model.qd),
                *model.apply("forward_dynamics", model.q, model.qd, u),
            ]
            return {"rate": [*rate, *self._powers(u)] if self.is_audited else rate}

        inputs = {"q": model.q, "qd": model.qd}
        if law is None:
            inputs["tau"] = model.inputs
            run = compiled(model, (what, self.is_audited), outputs, inputs)
            return run
        run = compiled(model, (what, self.is_audited, law), outputs, inputs, law)
        return lambda t, q, v, tau: run(t, q, v)

    @cached_property
    def _flow(self) -> Callable[..., np.ndarray]:
        return self._kernel("rate")

    def _by_known_rank(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray
    ) -> np.ndarray:
        """Return q̈ by singular values: q̈ = M⁻¹ f + δ with A δ = -(A M⁻¹ f + b).

        Compiled code factors A M⁻¹ Aᵀ, whose rounding grows with the inverse square of the smallest
        singular value, and decides by numbers which rows depend on others. A step looks at states
        beside the constraints, where redundant rows do not; here their rank is known.
        """
        assert self.constraints is not None
        force, bias = self._unconstrained(t, q, v, self.force(t, q, v, learned))
        reading = self.constraints.read(t, q, v)
        free = np.linalg.solve(reading.M, force)
        right = -(reading.A @ free + bias)
        return free + correction(reading.A, reading.M, right, self.constraints.rank).change

    @cached_property
    def _unconstrained(self) -> Callable[..., Any]:
        """Υ - h and b of A q̈ + b = 0."""
        model = self.model
        q, v, u = model.q, model.qd, model.inputs

        def outputs() -> dict[str, Any]:
            is_system = hasattr(model.formulas, "system")
            forces = model.apply("applied_forces", q, v, u) if is_system else u
            h = model.apply("bias", q, v)
            force = [f - x for f, x in zip(forces, h, strict=True)]
            return {"force": force, "bias": model.apply("constraint_bias", q, v)}

        return compiled(model, "unconstrained", outputs, {"q": q, "qd": v, "tau": u})

    @cached_property
    def _law(self) -> Callable[..., np.ndarray]:
        model, law = self.model, self.forcing.law
        assert law is not None
        inputs = {"q": model.q, "qd": model.qd}
        return compiled(model, ("law", law), lambda: {"tau": list(law)}, inputs, law)

    @cached_property
    def _forward(self) -> Callable[..., Any]:
        """q̈, and λ where there are constraints, of many states."""
        model = self.model
        inputs = {"q": model.q, "qd": model.qd, "tau": model.inputs}

        def outputs() -> dict[str, Any]:
            if self.constraints is None:
                qdd = model.apply("forward_dynamics", model.q, model.qd, model.inputs)
                return {"qdd": qdd}
            qdd, lam = model.apply("constraint_dynamics", model.q, model.qd, model.inputs)
            return {"qdd": qdd, "lam": lam}

        return compiled(model, "details", outputs, inputs)

    def _pull(self, t: float, q: np.ndarray, v: np.ndarray) -> Any:
        """Return Baumgarte's change of q̈ towards the constraints, and its multipliers."""
        assert self.constraints is not None
        assert isinstance(self.stabilisation, Baumgarte)
        k, rate = self.constraints.num_positions, self.stabilisation.rate
        reading = self.constraints.read(t, q, v)
        # A q̈ + b = -2 rate (A q̇) - rate² a(q)
        right = -2 * rate * reading.velocity
        right[:k] -= rate**2 * reading.position
        return correction(reading.A, reading.M, right, self.constraints.rank)
