"""A motion to compute: a model, what drives it, and how its constraints are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.expr import count_nodes
from dalembert.model.dry_friction import without_dry_friction
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.simulation.constraints.correction import constrained_acceleration, free_acceleration
from dalembert.simulation.methods.base import CALL_OPERATIONS, Flow
from dalembert.simulation.methods.rate_jacobian import rate_jacobian
from dalembert.simulation.problem.details import details, full_details
from dalembert.simulation.problem.forcing import Forcing
from dalembert.simulation.problem.kernels import compiled, state_symbols
from dalembert.simulation.problem.long_chain import LongChain, rolled_tree
from dalembert.simulation.problem.scales import Scales
from dalembert.simulation.problem.state_rate import state_rate
from dalembert.simulation.sensors import Moments

if TYPE_CHECKING:
    from dalembert.expr import Expr
    from dalembert.model import Model
    from dalembert.simulation.constraints.stabilisation import Stabilisation
    from dalembert.simulation.events.base import Turn
    from dalembert.simulation.laws.modes import Modes
    from dalembert.simulation.methods.base import Step
    from dalembert.types import Scalar


LINK_OPERATIONS = 800
"""Arithmetic operations of a pass along a long chain, for each link."""


class Problem:
    """What an integrator sees of a simulation.

    A state is x = (q, q̇), ``size = nq + nv`` numbers. Extra entries may follow: the state of an
    adaptive controller, and with ``is_audited`` the work that came in and the energy that was
    dissipated, in joules.

    Attributes:
        model: What moves.
        nq: How many of the entries of x are q.
        forcing: What drives it.
        constraints: Its constraints, None without any.
        stabilisation: How they are kept.
        pulls: Whether forces pull the motion towards them.
        modes: The modes of contacts and dry friction, None without any.
        has_dry_friction: Whether the dry friction of the model acts by itself, not by a law.
        by_known_rank: Whether accelerations are solved by the known rank of the constraints, as
            where these are redundant or nearly singular.
    """

    def __init__(
        self,
        model: Model,
        forcing: Forcing,
        stabilisation: Stabilisation,
        *,
        is_audited: bool,
        has_dry_friction: bool = True,
    ) -> None:
        self.model, self.forcing = model, forcing
        self.nq, self.size = model.nq, model.nq + model.nv
        self.constraints = Constraints(model) if model.description.has_constraints else None
        self.stabilisation = stabilisation
        self.pulls = self.constraints is not None and stabilisation.pulls
        self.modes: Modes | None = None
        self.by_known_rank = False
        # the states of the forces at times where only (q, q̇) is at hand
        self.forcing_state: Callable[[float], np.ndarray] = lambda t: forcing.state
        self._may_audit = is_audited
        self.has_dry_friction = has_dry_friction

    def flow(self, size: int) -> Flow:
        """Return the motion as steppers see it, with ``size`` entries of x."""
        return Flow(
            self.rate,
            self.rate_work,
            lambda: Scales(self, size),
            lambda duration, is_exact: rate_jacobian(self, size, duration, is_exact=is_exact),
        )

    def begin(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return the state from which a motion starts at (q, q̇), with its extra entries."""
        state = np.concatenate([x, self.extra_state()])
        self.resumed(t, state)
        return state

    def resumed(self, t: float, x: np.ndarray) -> np.ndarray | None:
        """Return the state from which the motion goes on anew at a time where a step has to end.

        There forces that are held may change. None if nothing does.
        """
        held, n, m = self.forcing.held, self.nq, self.size
        if held is None:
            return None
        learned = x[m : m + self.forcing.state.size]
        look = partial(self.moments, t, x[:n], x[n:m], learned)
        return x if held.reach(t, x[:n], x[n:m], look) else None

    def through(self, turn: Turn) -> np.ndarray:
        """Return the extra entries of x after an event; they stay as they are."""
        return turn.x[self.size :]

    def rate(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return ẋ with forces and constraints, and the rates of the extra entries of x.

        Where x is (q, q̇) alone, the forces have the states of the step that is looked at.
        """
        n, m, k = self.nq, self.size, self.size + self.forcing.state.size
        q, v, learned = x[:n], x[n:m], x[m:k]
        if len(learned) < k - m:
            learned = self.forcing_state(t)
        if self.modes is not None:
            rate = self.modes.rate(t, q, v, learned)
        else:
            rate = self.free_rate(t, q, v, learned)
        if self.forcing.state_rate is not None:
            state_rate = self.forcing.state_rate(t, q, v, learned)
            return np.concatenate([rate[:m], state_rate, rate[m:]])
        return rate

    def acceleration(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return q̈, forces and constraints included."""
        return self.rate(t, np.concatenate([q, v]))[self.nq : self.size]

    def free_acceleration(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return q̈ without contacts and dry friction."""
        return self.free_rate(t, q, v, self.forcing_state(t))[self.nq : self.size]

    def free_multipliers(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray | None = None
    ) -> np.ndarray:
        """Return λ without contacts and dry friction."""
        state = self.forcing_state(t) if learned is None else learned
        at = (np.array([t]), q[None], v[None], state[None])
        return details(self, *at).lam[0]

    def moments(self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray) -> Moments:
        """Return one state with accelerations and all multipliers, as sensors see it."""
        at = (np.array([t]), q[None], v[None])
        modes = None if self.modes is None else [self.modes.mode]
        qdd, _, lam, names = full_details(self, *at, learned[None], modes)
        return Moments(self.model, np.array(t), q, v, qdd[0], lam[0], names)

    def free_accelerations(
        self, t: np.ndarray, q: np.ndarray, v: np.ndarray, tau: np.ndarray
    ) -> np.ndarray:
        """Return q̈ at many states under inputs, without constraints, contacts and dry friction."""
        inputs = None if self.forcing.numbers is None else tau
        return self._rate(t, q, v, inputs)[:, self.nq : self.size]

    def driving_acceleration(self, t: float, x: np.ndarray) -> np.ndarray:
        """Return q̈ without the reactions of constraints, contacts and dry friction."""
        n, m = self.nq, self.size
        q, v, learned = x[:n], x[n:m], x[m : m + self.forcing.state.size]
        if self.constraints is None:
            return self.free_rate(t, q, v, learned)[n:m]
        if self.chain is not None:
            tau = self.input_values(t, q, v, learned)
            return self.chain.free_acceleration(t, q, v, tau)
        force, _ = self._unconstrained(t, q, v, self.force(t, q, v, learned))
        at = self.constraints.read(t, q, v)
        return free_acceleration(at.A, at.M, force)

    def moved(self, q: np.ndarray, v: np.ndarray, h: float) -> np.ndarray:
        """Return q after moving with the velocity v for the time h."""
        return self.model.configuration.integrate(q, v, h)

    def look_at(self, step: Step) -> None:
        """Take the states of the forces from a step from now on."""
        m, k = self.size, self.size + self.forcing.state.size
        if k > m:
            end = step.x[m:k]
            self.forcing_state = lambda t: end if t == step.t else step.dense(t)[m:k]

    def power(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the power that comes in and the one that is dissipated, in watts."""
        powers = self._power(t, q, v, self.input_values(t, q, v))
        return powers if self.modes is None else powers + self.modes.power(t, q, v)

    def extra_state(self) -> np.ndarray:
        """Return the extra entries of x at the start."""
        return np.concatenate([self.forcing.state, np.zeros(2 if self.is_audited else 0)])

    def find_rank(self, t: float, q: np.ndarray) -> None:
        """Find the rank of the constraints, and whether accelerations must be solved by it."""
        if self.constraints is not None:
            self.constraints.find_rank(t, q)
            self.by_known_rank = self.constraints.is_redundant

    @property
    def num_stored(self) -> int:
        """How many of the extra entries are stored as such: those of the forces."""
        return self.forcing.state.size

    @property
    def is_audited(self) -> bool:
        """Whether the integrals of the powers are entries of x."""
        return self._may_audit and self.has_power

    @property
    def has_power(self) -> bool:
        """Whether anything puts energy in or takes it out."""
        return self.modes is not None or self._has_power

    @cached_property
    def has_dissipation(self) -> bool:
        """Whether the model itself takes energy out."""
        return self._powers[1] != 0

    @cached_property
    def rate_operations(self) -> int:
        """Arithmetic operations of ẋ, of contacts and dry friction apart."""
        return LINK_OPERATIONS * self.model.nv if self.chain else count_nodes(self.rates)

    @property
    def rate_work(self) -> float:
        """What ẋ takes, in calls of compiled code."""
        return 1 + self.rate_operations / CALL_OPERATIONS

    @property
    def inputs(self) -> Sequence[Scalar]:
        """What stands for the inputs in compiled expressions: the law, or their symbols."""
        return self.model.symbols.inputs if self.forcing.law is None else self.forcing.law

    def input_values(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray | None = None
    ) -> np.ndarray | None:
        """Return the numbers of the inputs that kernels of `compiled` take; None under a law."""
        return None if self.forcing.numbers is None else self.forcing.numbers(t, q, v, learned)

    def force(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the torques or inputs at one state, and one state of an adaptive controller."""
        found = self.input_values(t, q, v, learned)
        if found is not None:
            return found
        return self.law_values(t, q, v) if self.model.symbols.inputs else np.empty(0)

    def compiled(
        self, name: str, outputs: Callable[[], Mapping[str, Any]], inputs: Mapping[str, Any]
    ) -> Callable[..., Any]:
        """Return expressions of `inputs` as a compiled function of (t, *inputs, input_values)."""
        law = self.forcing.law
        if law is None:
            inputs = {**inputs, "tau": self.model.symbols.inputs}
            return compiled(self.model, (name, None, self.has_dry_friction), outputs, inputs)
        run = compiled(self.model, (name, law, self.has_dry_friction), outputs, inputs, law)
        return lambda t, *arrays: run(t, *arrays[:-1])

    @cached_property
    def law_values(self) -> Callable[..., np.ndarray]:
        """The law of the forces as a function of (t, q, q̇), of one state or many."""
        model, law = self.model, self.forcing.law
        assert law is not None
        inputs = state_symbols(model)
        return compiled(model, ("law", law), lambda: {"tau": list(law)}, inputs, law)

    def free_rate(self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray) -> np.ndarray:
        """Return ẋ without contacts and dry friction."""
        n, m = self.nq, self.size
        rate = self._rate(t, q, v, self.input_values(t, q, v, learned))
        if self.by_known_rank:
            rate[n:m] = self._acceleration_by_rank(t, q, v, learned)
        if self.pulls:
            assert self.constraints is not None
            rate[n:m] += self.stabilisation.correction(self.constraints, t, q, v).change
        return rate

    def _acceleration_by_rank(
        self, t: float, q: np.ndarray, v: np.ndarray, learned: np.ndarray
    ) -> np.ndarray:
        """Return q̈ by singular values: q̈ = M⁻¹ f + δ with A δ = -(A M⁻¹ f + b).

        Compiled code factors A M⁻¹ Aᵀ, whose rounding grows with the inverse square of the smallest
        singular value, and decides by numbers which rows depend on others. A step looks at states
        beside the constraints, where redundant rows do not; here their rank is known.
        """
        assert self.constraints is not None
        if self.chain is not None:
            return self.chain.acceleration_by_rank(t, q, v, self.input_values(t, q, v, learned))
        force, bias = self._unconstrained(t, q, v, self.force(t, q, v, learned))
        at = self.constraints.read(t, q, v)
        rank, groups = self.constraints.rank, self.constraints.groups
        return constrained_acceleration(at.A, at.M, force, bias, rank, groups)

    @cached_property
    def chain(self) -> LongChain | None:
        """Passes along the links where these are many, in the place of straight-line code."""
        tree = rolled_tree(self.model)
        return None if tree is None else LongChain(self, tree)

    @cached_property
    def _rate(self) -> Callable[..., np.ndarray]:
        if self.chain is not None:
            return self.chain.rate
        name = "audited rate" if self.is_audited else "rate"
        end = None if self.is_audited else self.size
        return self.compiled(name, lambda: {"rate": self.rates[:end]}, state_symbols(self.model))

    @cached_property
    def _power(self) -> Callable[..., np.ndarray]:
        inputs = state_symbols(self.model)
        return self.compiled("power", lambda: {"power": self._powers}, inputs)

    @cached_property
    def _has_power(self) -> bool:
        return any(power != 0 for power in self._powers)

    @property
    def _powers(self) -> list[Expr]:
        """The power that comes in and the one that is dissipated, as expressions."""
        return self.rates[self.size :] if self.chain is None else self.chain.powers

    @cached_property
    def rates(self) -> list[Expr]:
        """ẋ and the two powers behind it, as expressions."""
        model, own = self.model, self.has_dry_friction

        def make() -> list[Expr]:
            return state_rate(model, self.inputs, is_audited=True, has_dry_friction=own)

        return model.once(("rates", self.forcing.law, own), make)

    @cached_property
    def _unconstrained(self) -> Callable[..., Any]:
        """Υ - h and b of A q̈ + b = 0."""
        model = self.model
        q, v, u = model.symbols.q, model.symbols.qd, model.symbols.inputs

        def outputs() -> dict[str, Any]:
            forces = model.expressions("applied_forces", q, v, u)
            h = model.expressions("bias", q, v)
            if not self.has_dry_friction:
                h = without_dry_friction(h, v)
            force = [f - x for f, x in zip(forces, h, strict=True)]
            return {"force": force, "bias": model.expressions("constraint_bias", q, v)}

        key = ("unconstrained", self.has_dry_friction)
        return compiled(model, key, outputs, {"q": q, "qd": v, "tau": u})
