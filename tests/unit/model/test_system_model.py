"""Compiled systems against their exact equations, evaluated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import (
    EvaluationError,
    InvalidExpression,
    InvalidMechanism,
    InvalidSystem,
    UnknownName,
)
from dalembert.expr import as_expr, gradient, substitute, symbol_text
from dalembert.kernel.backends.llvm.host import this_host
from tests.oracles import column, constrained_accelerations, random_state

SYSTEMS: dict[str, Callable[[], da.System]] = {
    name: getattr(da.textbook, name)
    for name in da.textbook.__all__
    if name not in ("block", "planar_chain", "robots", "rp_arm_positions")
}
SYSTEMS["planar_chain"] = lambda: da.textbook.planar_chain(3)
CONSTRAINED = (
    "knife_edge",
    "pinned_three_link",
    "rolling_disc",
    "rp_arm_maximal",
    "wire_particles",
)
BACKENDS = ("llvm", "numpy")
# enough states that some run side by side
COUNT = this_host().width + 1


class Case(NamedTuple):
    """A compiled system, its equations, and states: values of symbols and the same as arrays."""

    model: da.Model
    eq: da.Equations
    values: list[dict[da.Expr, float]]

    def array(self, symbols: Any) -> np.ndarray:
        return np.array([[v[x] for x in symbols] for v in self.values])

    @property
    def q(self) -> np.ndarray:
        return self.array(self.model.symbols.q)

    @property
    def v(self) -> np.ndarray:
        return self.array(self.model.symbols.qd)

    @property
    def u(self) -> np.ndarray:
        return self.array(self.model.symbols.inputs)

    @property
    def extra(self) -> dict[str, Any]:
        """Time and parameters, where the model takes them."""
        found: dict[str, Any] = {}
        if self.model.symbols.parameters:
            found["parameters"] = self.array(self.model.symbols.parameters)
        if self.model.description.is_timed:
            found["t"] = self.array([da.time])[:, 0]
        return found


def build(name: str, backend: str, rng: np.random.Generator) -> Case:
    system = SYSTEMS[name]()
    eq = system.equations()
    return Case(da.compile(system, backend), eq, [random_state(eq, rng) for _ in range(COUNT)])


def close(ours: Any, right: Any, tolerance: float = 1e-12) -> None:
    right = np.asarray(right)
    assert ours.shape == right.shape
    size = max(1.0, np.abs(right).max(initial=0))
    assert np.abs(ours - right).max(initial=0) <= tolerance * size


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_functions_are_the_exact_equations(
    name: str, backend: str, rng: np.random.Generator
) -> None:
    case = build(name, backend, rng)
    model, eq, values = case.model, case.eq, case.values
    q, v, u, extra = case.q, case.v, case.u, case.extra
    a = rng.normal(size=v.shape)
    M = np.array([eq.M.evaluate(x) for x in values])
    C = np.array([eq.C.evaluate(x) for x in values])
    N = np.array([column(eq.N, x) for x in values])
    h = np.einsum("sij,sj->si", C, v) + N
    close(model.mass_matrix(q, **extra), M)
    close(model.coriolis(q, v, **extra), C)
    close(model.bias(q, v, **extra), h)
    tau = np.einsum("sij,sj->si", M, a) + h
    close(model.inverse_dynamics(q, v, a, **extra), tau)
    close(model.call("applied_forces", q, v, u, **extra), [column(eq.forces, x) for x in values])
    if not model.description.is_timed:
        slopes = [da.Matrix.column(gradient(eq.V, eq.coordinates))] * COUNT
        close(model.gravity(q, **extra), [column(*p) for p in zip(slopes, values, strict=True)])
    close(model.energy(q, v, **extra), [eq.T.evaluate(x) + eq.V.evaluate(x) for x in values])
    close(model.kinetic_energy(q, v, **extra), [eq.T.evaluate(x) for x in values])
    close(model.potential_energy(q, **extra), [eq.V.evaluate(x) for x in values])
    right = [eq.solve(x).accelerations for x in values]
    condition = max(np.linalg.cond(x) for x in M)
    close(model.forward_dynamics(q, v, u, **extra), right, 1e-13 * max(condition, 10))


@pytest.mark.parametrize("name", CONSTRAINED)
def test_constraints_are_the_exact_ones(name: str, rng: np.random.Generator) -> None:
    case = build(name, "llvm", rng)
    model, eq, extra = case.model, case.eq, case.extra
    q, v, u = case.q, case.v, case.u
    A = np.array([eq.A.evaluate(x) for x in case.values])
    close(model.constraint_jacobian(q, **extra), A)
    b = [eq.Ad.evaluate(x) @ row for x, row in zip(case.values, v, strict=True)]
    close(model.constraint_bias(q, v, **extra), b)
    if model.description.num_position_constraints:
        close(model.constraint_error(q, **extra), [column(eq.a, x) for x in case.values])
    qdd, lam = model.constraint_dynamics(q, v, u, **extra)
    for s, x in enumerate(case.values):
        exact = eq.solve(x)
        right = column(eq.forces, x) - eq.C.evaluate(x) @ v[s] - column(eq.N, x)
        theirs = constrained_accelerations(eq.M.evaluate(x), right, A[s], -np.asarray(b[s]))
        for accelerations, multipliers in (theirs, (exact.accelerations, exact.multipliers)):
            close(qdd[s], accelerations, 1e-10)
            close(lam[s], multipliers, 1e-10)
    # the law of the constraint itself
    close(np.einsum("sij,sj->si", A, qdd) + b, np.zeros_like(lam), 1e-10)


@pytest.mark.parametrize(
    "name", ["cart_pole", "driven_pendulum", "wire_particles", "elastic_joint"]
)
def test_derivatives_are_complex_steps(name: str, rng: np.random.Generator) -> None:
    case = build(name, "llvm", rng)
    reference = build(name, "numpy", rng).model
    q, v, u, extra = case.q, case.v, case.u, case.extra
    a = rng.normal(size=v.shape)
    h = 1e-30
    for function, third in (("inverse_dynamics", a), ("forward_dynamics", u)):
        found = getattr(case.model, f"{function}_derivatives")(q, v, third, **extra)
        plain = getattr(reference, function)
        arrays = [q, v, third]
        for k, ours in enumerate(found):
            for j in range(arrays[k].shape[1]):
                shifted = [x.astype(complex) for x in arrays]
                shifted[k][:, j] += 1j * h
                close(ours[:, :, j], plain(*shifted, **extra).imag / h, 1e-11)


# ---- parameters


def test_parameters_bound_or_as_inputs(rng: np.random.Generator) -> None:
    system = da.textbook.cart_pole()
    free = da.compile(system)
    names = [symbol_text(x) for x in free.symbols.parameters]
    values = {x: float(rng.uniform(0.5, 2)) for x in free.symbols.parameters}
    q, v, u = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 1))
    bound = da.compile(system, parameters=values)
    assert bound.symbols.parameters == ()
    right = bound.forward_dynamics(q, v, u)
    array = np.array([values[x] for x in free.symbols.parameters])
    for given in (
        array,
        array.tolist(),
        values,
        dict(zip(names, array, strict=True)),
        dict(reversed(list(values.items()))),
    ):
        close(free.forward_dynamics(q, v, u, parameters=given), right)
        close(free.forward_dynamics(q[0], v[0], u[0], parameters=given), right[0])
    # some bound, the others given
    first, *rest = free.symbols.parameters
    part = da.compile(system, parameters={first: values[first]})
    assert part.symbols.parameters == tuple(rest)
    close(part.forward_dynamics(q, v, u, parameters=[values[x] for x in rest]), right)


def test_a_batch_over_parameters(rng: np.random.Generator) -> None:
    model = da.compile(da.textbook.double_pendulum())
    many = rng.uniform(0.5, 2, (COUNT, len(model.symbols.parameters)))
    q, v = rng.normal(size=2), rng.normal(size=2)
    u = np.empty(0)
    batch = model.forward_dynamics(q, v, u, parameters=many)
    assert batch.shape == (COUNT, 2)
    mapping = {x: many[:, k] for k, x in enumerate(model.symbols.parameters)}
    assert np.array_equal(model.forward_dynamics(q, v, u, parameters=mapping), batch)
    for row, right in zip(many, batch, strict=True):
        assert np.array_equal(model.forward_dynamics(q, v, u, parameters=row), right)
    # states against parameters
    grid = model.mass_matrix(rng.normal(size=(4, 1, 2)), parameters=many)
    assert grid.shape == (4, COUNT, 2, 2)


def test_parameters_that_are_missing_or_unknown() -> None:
    model = da.compile(da.textbook.double_pendulum())
    q = np.zeros(2)
    with pytest.raises(EvaluationError, match=r"parameters= for g, .*in the call of mass_matrix"):
        model.mass_matrix(q)
    values = dict.fromkeys(model.symbols.parameters, 1.0)
    missing = dict(list(values.items())[1:])
    with pytest.raises(EvaluationError, match="got none for g"):
        model.mass_matrix(q, parameters=missing)
    with pytest.raises(UnknownName, match="got m3"):
        model.mass_matrix(q, parameters={**values, "m3": 1.0})
    with pytest.raises(EvaluationError, match=r"\(\.\.\., 5\) for parameters"):
        model.mass_matrix(q, parameters=np.ones(4))
    (other,) = da.parameters("other")
    with pytest.raises(UnknownName, match="other"):
        da.compile(da.textbook.double_pendulum(), parameters={other: 1})
    bound = da.compile(da.textbook.double_pendulum(), parameters=values)
    with pytest.raises(EvaluationError, match=r"no parameters= in the call of mass_matrix"):
        bound.mass_matrix(q, parameters=np.ones(5))
    with pytest.raises(EvaluationError, match=r"no t= in the call of mass_matrix"):
        bound.mass_matrix(q, t=0.0)


def test_time_is_an_input(rng: np.random.Generator) -> None:
    system = da.textbook.driven_pendulum()
    values = {x: float(rng.uniform(0.5, 2)) for x in system.parameters}
    model = da.compile(system, parameters=values)
    q, v, u = np.array([0.3]), np.array([0.2]), np.empty(0)
    with pytest.raises(EvaluationError, match="time t="):
        model.forward_dynamics(q, v, u)
    times = np.linspace(0, 3, COUNT)
    got = model.forward_dynamics(q, v, u, t=times)
    eq = system.equations()
    for t, right in zip(times, got, strict=True):
        at = {**values, eq.coordinates[0]: 0.3, eq.velocities[0]: 0.2, da.time: t}
        close(right, eq.solve(at).accelerations)
    assert np.ptp(got) > 1e-3


def test_bound_parts_of_every_kind(rng: np.random.Generator) -> None:
    """Binding keeps forces, dissipation, constraints and bare Lagrangians."""
    x, y = da.coordinates("x y")
    m, k, c, r = da.parameters("m k c r")
    (f,) = da.inputs("f")
    options: dict[str, Any] = {
        "coordinates": [x, y],
        "forces": [k * f, 0],
        "dissipation": c * (x.dot**2 + y.dot**2) / 2,
        "constraints": [x**2 + y**2 - r**2 * (1 + da.time)],
    }
    T, V = m * (x.dot**2 + y.dot**2) / 2, k * x**2 / 2
    values = {m: 1.5, k: 0.75, c: 0.25, r: 1.25}
    states = [rng.normal(size=2), rng.normal(size=2), rng.normal(size=1)]
    for energies in ({"kinetic": T, "potential": V}, {"lagrangian": T - V}):
        system = da.System(**energies, **options)
        free, bound = da.compile(system), da.compile(system, parameters=values)
        array = [values[p] for p in free.symbols.parameters]
        eq = system.equations()
        at = {**values, da.time: 0.4}
        for symbols, numbers in zip(
            (free.symbols.q, free.symbols.qd, free.symbols.inputs), states, strict=True
        ):
            at |= dict(zip(symbols, map(float, numbers), strict=True))
        exact = eq.solve(at)
        for model, extra in ((free, {"parameters": array}), (bound, {})):
            qdd, lam = model.constraint_dynamics(*states, t=0.4, **extra)
            close(qdd, exact.accelerations, 1e-11)
            close(lam, exact.multipliers, 1e-11)
            energy = model.energy(*states[:2], t=0.4, **extra)
            close(energy, (T + V).evaluate(at))
    bare = da.compile(da.System(lagrangian=T - V, coordinates=[x, y]), parameters={m: 1, k: 2})
    with pytest.raises(InvalidSystem, match="use energy"):
        bare.kinetic_energy(*states[:2])


# ---- redundant constraints


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_constraint_given_twice(backend: str, rng: np.random.Generator) -> None:
    x, y = da.coordinates("x y")
    rod = x**2 + y**2 - 1
    common: dict[str, Any] = {
        "kinetic": (x.dot**2 + y.dot**2) / 2,
        "potential": 10 * y,
        "coordinates": [x, y],
    }
    once = da.compile(da.System(constraints=[rod], **common), backend)
    twice = da.compile(
        da.System(constraints=[rod, 3 * rod, rod], keep_redundant=True, **common), backend
    )
    q, v = rng.uniform(0.2, 1, (COUNT, 2)), rng.normal(size=(COUNT, 2))
    u = np.empty((COUNT, 0))
    qdd, lam = once.constraint_dynamics(q, v, u)
    # Lagrange: λ of x² + y² = 1 by hand, q̈ = -g e_y + 2 λ q
    right = (10 * q[:, 1] - (v**2).sum(1)) / (2 * (q**2).sum(1))
    close(lam[:, 0], right, 1e-11)
    again, multipliers = twice.constraint_dynamics(q, v, u)
    close(again, qdd, 1e-11)
    close(multipliers[:, 0], right, 1e-11)
    assert (multipliers[:, 1:] == 0).all()
    close(twice.forward_dynamics(q, v, u), qdd, 1e-11)


def test_a_constraint_that_does_not_move(rng: np.random.Generator) -> None:
    """Where a row of A vanishes at rest, its force is zero and nothing is infinite."""
    x, y = da.coordinates("x y")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=10 * y,
        coordinates=[x, y],
        constraints=[x * x, y - x],
    )
    model = da.compile(system)
    at_rest = np.zeros(2), np.zeros(2), np.empty(0)
    qdd, lam = model.constraint_dynamics(*at_rest)
    close(qdd, [-5.0, -5.0])
    close(lam, [0.0, 5.0])


# ---- laws and functions


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_law_in_the_loop(backend: str, rng: np.random.Generator) -> None:
    system = da.textbook.planar_arm()
    values = {x: float(rng.uniform(0.5, 2)) for x in system.parameters}
    model = da.compile(system, backend, parameters=values)
    eq = system.equations()
    gravity = substitute(
        gradient(eq.V, eq.coordinates),
        {x: as_expr(y) for x, y in values.items()},
    )
    goal, (gain,) = da.parameters("goal1 goal2"), da.parameters("gain")
    law = [
        gain * (g - x) - 2 * x.dot + N
        for g, x, N in zip(goal, model.symbols.q, gravity, strict=True)
    ]
    state = {"q": model.symbols.q, "qd": model.symbols.qd}
    qdd = model.expressions("forward_dynamics", *state.values(), law)
    loop = model.compile(qdd, {**state, "goal": goal, "gain": gain}, name="pd")
    assert [port.name for port in loop.inputs] == ["q", "qd", "goal", "gain"]
    q, v, target = rng.normal(size=(3, COUNT, 2))
    torque = 5.0 * (target - q) - 2 * v + model.gravity(q)
    close(loop(q, v, target, 5.0), model.forward_dynamics(q, v, torque), 1e-11)
    close(loop(q[0], v[0], target[0], 5.0), loop(q, v, target, 5.0)[0], 0)
    with pytest.raises(InvalidExpression, match="2 values for u of forward_dynamics, got 1"):
        model.expressions("forward_dynamics", *state.values(), law[:1])
    with pytest.raises(UnknownName, match="every symbol among the inputs"):
        model.compile(qdd, state)


def test_functions_of_matrices(rng: np.random.Generator) -> None:
    eq = da.textbook.double_pendulum().equations()
    inputs = {"q": eq.coordinates, "v": eq.velocities, "p": eq.parameters}
    f = da.compile_function({"M": eq.M, "C": eq.C, "N": eq.N}, inputs)
    q, v, p = rng.normal(size=2), rng.normal(size=2), rng.uniform(0.5, 2, len(eq.parameters))
    values = dict(zip((*eq.coordinates, *eq.velocities, *eq.parameters), [*q, *v, *p], strict=True))
    for ours, right in zip(f(q, v, p), (eq.M, eq.C, eq.N), strict=True):
        close(ours, right.evaluate(values))
    with pytest.raises(UnknownName, match="every symbol among the inputs"):
        da.compile_function(eq.M, {"q": eq.coordinates})
    with pytest.raises(da.InvalidExpression, match="twice"):
        da.compile_function(eq.M, {"q": eq.coordinates, "r": eq.coordinates})
    with pytest.raises(da.InvalidExpression, match="even rows"):
        da.compile_function([[1, 2], [3]], {})


# ---- errors


def test_what_a_system_does_not_have() -> None:
    model = da.compile(da.textbook.cart_pole())
    ones = np.ones(4)
    with pytest.raises(InvalidSystem, match="expected constraints in the system"):
        model.constraint_dynamics(np.zeros(2), np.zeros(2), np.zeros(1), parameters=ones)
    with pytest.raises(UnknownName, match="function of system, got 'jacobian'"):
        model.jacobian(np.zeros(2), "tip", parameters=ones)
    with pytest.raises(UnknownName, match=r"'mass_matrx' \(did you mean mass_matrix"):
        model.kernel("mass_matrx")
    for hidden in ("_left", "M", "formula", "__init__"):
        with pytest.raises(UnknownName, match="expected a function of"):
            model.kernel(hidden)
    with pytest.raises(InvalidMechanism, match="got a system"):
        _ = model.regressor_parameters
    with pytest.raises(UnknownName, match="did you mean numpy"):
        da.compile(da.textbook.cart_pole(), "nunpy")
    with pytest.raises(InvalidMechanism, match="got Matrix"):
        da.compile(da.Matrix.identity(2))  # type: ignore[arg-type]
    with pytest.raises(InvalidMechanism, match="got a system"):
        da.compile(da.textbook.cart_pole(), passive=False)
    with pytest.raises(InvalidMechanism, match="got a system"):
        da.compile(da.textbook.cart_pole(), smoothing=0.1)


def test_what_a_mechanism_does_not_have() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    q = np.zeros(6)
    with pytest.raises(UnknownName, match="nowhere"):
        model.forward_kinematics(q, "nowhere")
    name = model.mechanism.links[-1].name
    with pytest.raises(UnknownName, match="sideways"):
        model.jacobian(q, name, "sideways")
    with pytest.raises(InvalidMechanism, match="expected loops or couplings"):
        model.constraint_dynamics(q, q, q)
    with pytest.raises(UnknownName, match="did you mean gravity"):
        model.kernel("gravty")


def test_a_model_prints_what_it_is_a_model_of() -> None:
    arm = da.textbook.robots.ur5e()
    assert str(da.compile(arm)).endswith(str(arm))
    system = da.textbook.double_pendulum()
    assert str(da.compile(system)).endswith(str(system))


def test_constraints_that_hold_identically_are_refused() -> None:
    """In floats such a row is rounding, and would stop the motion that it multiplies."""
    x, y = da.coordinates("x y")
    nothing = da.sin(x) ** 2 + da.cos(x) ** 2 - 1
    options: Any
    for options in ({"constraints": [nothing]}, {"velocity_constraints": [nothing * y.dot]}):
        system = da.System(
            kinetic=(x.dot**2 + y.dot**2) / 2, potential=9.81 * y, coordinates=[x, y], **options
        )
        with pytest.raises(InvalidSystem, match="holds identically: drop it"):
            da.compile(system)
