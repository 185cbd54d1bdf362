"""Forces with states of their own: motors with currents, filters, hydraulics, integral action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, Kind, as_expr, coordinates, free_symbols, is_kind, time
from dalembert.model.border import finite_array, of_kind
from dalembert.simulation.problem.kernels import compiled, state_symbols

if TYPE_CHECKING:
    from collections.abc import Callable

    from dalembert.model import Model
    from dalembert.types import ArrayLike


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """Forces that depend on states z with ż = rates(t, q, q̇, z), one equation for each.

    The states are integrated with the motion, with the same error control, and stored in
    `Trajectory.controller_state`. All of it is compiled.

    Args:
        rates: ż by the symbol of z, which `da.coordinates` makes: expressions of
            `Model.symbols` q and qd, of all z and of ``da.time``.
        forces: What the inputs are, one expression for each of ``model.symbols.inputs``.
        start: z at the start by symbol; 0 for those that are not given.
        commands: Symbols of `da.inputs` in the expressions that a `Sampled` law sets, as the
            voltages of motors; it returns one number for each.

    >>> import dalembert as da
    >>> (x,), (f,), (z,) = da.coordinates("x"), da.inputs("f"), da.coordinates("z")
    >>> cart = da.System(kinetic=x.dot**2 / 2, coordinates=[x], forces=[f])
    >>> lag = da.simulation.FirstOrder({z: (1 - z) / 2}, [z])
    >>> motion = da.simulate(da.compile(cart), [0], [0], 4.0, lag)
    >>> bool(abs(motion.qd[-1, 0] - (4 - 2 * (1 - 2.718281828459045**-2))) < 1e-9)
    True
    """

    rates: Mapping[Expr, Expr | float]
    forces: Sequence[Expr | float]
    start: Mapping[Expr, float] = field(default_factory=dict)
    commands: Sequence[Expr] = ()

    def __post_init__(self) -> None:
        of_kind(self.rates, Mapping, "the rates of FirstOrder", "ż by the symbol of z")
        of_kind(self.start, Mapping, "the start of FirstOrder", "z by its symbol")
        of_kind(self.forces, Sequence, "the forces of FirstOrder", "a list of expressions")
        of_kind(self.commands, Sequence, "the commands of FirstOrder", "a list of symbols")
        for z in (*self.rates, *self.start):
            if not isinstance(z, Expr) or not is_kind(z, Kind.COORDINATE, 0):
                raise EvaluationError(
                    f"expected states made by da.coordinates as keys of FirstOrder, got {z!r:.60}"
                )
        for z in self.start:
            if z not in self.rates:
                raise EvaluationError(
                    f"expected a rate for every state of FirstOrder that has a start, got none "
                    f"for {z}: add it to rates="
                )

    def compiled(
        self, model: Model, commanded: Callable[[float], np.ndarray] | None = None
    ) -> tuple[np.ndarray, Callable[..., np.ndarray], Callable[..., np.ndarray]]:
        """Return z at the start, the forces and ż as functions of (t, q, q̇, z).

        ``commanded`` gives the commands at a time.

        Raises:
            EvaluationError: symbols or sizes do not fit the model, or nothing sets the commands.
        """
        if self.commands and commanded is None:
            raise EvaluationError(
                f"expected a law that sets {self.commands[0]} of FirstOrder, got none: write "
                "Sampled(law, period, into=…)"
            )
        z = tuple(self.rates)
        rates = [as_expr(x) for x in self.rates.values()]
        forces = [as_expr(x) for x in self.forces]
        n = len(model.symbols.inputs)
        if len(forces) != n:
            raise EvaluationError(f"expected {n} expressions in forces=, got {len(forces)}")
        known = {*model.symbols.q, *model.symbols.qd, time, *z, *self.commands}
        own = [x for x in z if x in model.symbols.q]
        strange = own or [x for x in free_symbols([*rates, *forces]) if x not in known]
        if strange:
            raise EvaluationError(
                f"expected states beside model.symbols.q and expressions of these, of qd and of "
                f"da.time in FirstOrder, got {strange[0]}: "
                f"{'give the state another name' if own else 'add its rate, or bind it'}"
            )
        inputs = {**state_symbols(model), "z": z, "u": tuple(self.commands)}
        key = ("first order", z, tuple(self.commands), tuple(rates), tuple(forces))
        both = [*rates, *forces]
        run = compiled(model, key, lambda: {"rate": rates, "tau": forces}, inputs, both)

        none = np.empty(0)

        def at(t: float) -> np.ndarray:
            return none if commanded is None else commanded(t)

        def force(t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray) -> np.ndarray:
            return run(t, q, v, state, at(t))[1]

        def rate(t: float, q: np.ndarray, v: np.ndarray, state: np.ndarray) -> np.ndarray:
            return run(t, q, v, state, at(t))[0]

        start = [self.start.get(x, 0.0) for x in z]
        return finite_array(start, "the start of FirstOrder"), force, rate


def dc_motors(
    model: Model,
    voltages: Sequence[Expr | float],
    *,
    resistance: ArrayLike,
    inductance: ArrayLike,
    constant: ArrayLike,
) -> FirstOrder:
    """Return the motors of a mechanism with their currents: L i̇ = u - R i - k ω.

    Each of ``model.actuation`` has the torque k i at its shaft, and turns with ω = Bᵀ q̇, gears
    included: what the voltages put in beyond the heat R i² and ½ L i² comes out as work.

    Args:
        model: That of a mechanism.
        voltages: u of each actuator in volts: numbers, or expressions of ``model.symbols`` and
            ``da.time``. Other symbols of `da.inputs` are commands that a `Sampled` law sets.
        resistance: R in ohms, one number or one for each actuator.
        inductance: L in henries.
        constant: k in N m/A = V s/rad.

    >>> import dalembert as da
    >>> wheel = da.Builder("wheel").link("rim", mass=1, inertia=(1, 1, 1)).revolute("hub", "rim")
    >>> model = da.compile(wheel.actuator("motor", "hub", gear_ratio=5).build())
    >>> motors = da.simulation.dc_motors(
    ...     model, [12.0], resistance=2.0, inductance=1e-3, constant=0.1
    ... )
    >>> motion = da.simulate(model, [0], [0], 400.0, motors)
    >>> bool(abs(motion.qd[-1, 0] - 12 / (5 * 0.1)) < 1e-9)
    True
    """
    B, names = model.actuation.matrix, model.actuation.names
    n = len(names)
    if len(voltages) != n:
        raise EvaluationError(
            f"expected {n} voltages, one for each of {', '.join(names)}, got {len(voltages)}"
        )
    R, L, k = (
        np.broadcast_to(finite_array(x, name), (n,))
        for x, name in (
            (resistance, "resistance"),
            (inductance, "inductance"),
            (constant, "constant"),
        )
    )
    if not (L > 0).all() or not (R >= 0).all():
        raise EvaluationError(
            f"expected a positive inductance and a resistance from 0, got {L} and {R}: leave the "
            "current out where it has no inductance"
        )
    currents = coordinates(" ".join(f"current{i + 1}" for i in range(n)))
    v, shafts = model.symbols.qd, range(n)
    speeds = [
        sum((float(B[j, i]) * v[j] for j in range(model.nv) if B[j, i]), as_expr(0)) for i in shafts
    ]
    rates = {
        currents[i]: (as_expr(voltages[i]) - float(R[i]) * currents[i] - float(k[i]) * speeds[i])
        / float(L[i])
        for i in shafts
    }
    torques = [float(k[i]) * currents[i] for i in shafts]
    forces = [
        sum((float(B[j, i]) * torques[i] for i in shafts if B[j, i]), as_expr(0))
        for j in range(model.nv)
    ]
    given = free_symbols([as_expr(u) for u in voltages])
    own = (*model.symbols.inputs, *model.symbols.q, *model.symbols.qd)
    commands = [x for x in given if is_kind(x, Kind.INPUT) and x not in own]
    return FirstOrder(rates, forces, commands=commands)
