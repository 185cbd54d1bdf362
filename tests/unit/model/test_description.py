"""What systems and mechanisms answer to the same questions."""

import numpy as np
import pytest

import dalembert as da
from dalembert.model import Model

# central differences with this step leave errors of its square, and rounding divided by it
STEP = 1e-5
DIFFERENCE = 1e-8


def damped_arm() -> Model:
    builder = da.Builder("arm", gravity=(0, -9.81, 0))
    builder.link("upper", mass=1.0, com=(0.4, 0, 0), inertia=(0.01, 0.02, 0.02))
    builder.revolute("shoulder", "upper", damping=0.3, stiffness=2.0)
    builder.link("lower", mass=0.5, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
    builder.revolute("elbow", "lower", parent="upper", origin=(0.8, 0, 0), damping=0.1)
    return da.compile(builder.build())


def driven_pendulum() -> Model:
    system = da.textbook.driven_pendulum()
    return da.compile(system, parameters=dict.fromkeys(system.parameters, 1.5))


def cart_pole() -> Model:
    system = da.textbook.cart_pole()
    return da.compile(system, parameters=dict.fromkeys(system.parameters, 1.2))


def four_bar() -> Model:
    mechanism = da.textbook.robots.four_bar()
    return da.compile(mechanism, parameters=dict.fromkeys(mechanism.parameters, 1.1))


def pinned() -> Model:
    system = da.textbook.pinned_three_link()
    return da.compile(system, parameters=dict.fromkeys(system.parameters, 1.1))


@pytest.mark.parametrize("make", [damped_arm, cart_pole, driven_pendulum])
def test_energy_changes_by_the_powers(make, rng: np.random.Generator) -> None:
    model = make()
    q, v, a = rng.normal(size=(3, model.nv))
    u, t = (
        rng.normal(size=len(model.symbols.inputs)),
        {"t": 0.3} if model.description.is_timed else {},
    )
    a = model.forward_dynamics(q, v, u, **t)
    supplied, dissipated = model.call("powers", q, v, a, u, **t)

    def energy(s: float) -> float:
        at = {name: value + s for name, value in t.items()}
        return float(model.energy(q + s * v + s**2 * a / 2, v + s * a, **at))

    rate = (energy(STEP) - energy(-STEP)) / (2 * STEP)
    assert rate == pytest.approx(float(supplied - dissipated), abs=DIFFERENCE)


@pytest.mark.parametrize("make", [damped_arm, cart_pole])
def test_momenta_change_by_their_rate(make, rng: np.random.Generator) -> None:
    model = make()
    q, v = rng.normal(size=(2, model.nv))
    u = rng.normal(size=len(model.symbols.inputs))
    a = model.forward_dynamics(q, v, u)

    def momentum(s: float) -> np.ndarray:
        return model.call("momenta", q + s * v + s**2 * a / 2, v + s * a, u)[0]

    rate = (momentum(STEP) - momentum(-STEP)) / (2 * STEP)
    np.testing.assert_allclose(model.call("momenta", q, v, u)[1], rate, rtol=0, atol=DIFFERENCE)


@pytest.mark.parametrize("make", [four_bar, pinned])
def test_corrections_are_the_smallest_in_kinetic_energy(make, rng: np.random.Generator) -> None:
    model = make()
    q = rng.normal(size=model.nv)
    A, M = model.constraint_jacobian(q), model.mass_matrix(q)
    error = A @ rng.normal(size=model.nv)
    change = model.call("constraint_correction", q, error, rows=tuple(range(len(A))))
    np.testing.assert_allclose(A @ change, error, atol=1e-10)
    # M δ lies in the range of Aᵀ
    free = np.linalg.svd(A)[2][np.linalg.matrix_rank(A) :]
    np.testing.assert_allclose(free @ M @ change, 0, atol=1e-10)


@pytest.mark.parametrize("make", [four_bar, pinned])
def test_constraints_change_with_their_velocity(make, rng: np.random.Generator) -> None:
    model = make()
    q, v = rng.normal(size=(2, model.nv))
    ends = [model.constraint_error(q + s * v) for s in (STEP, -STEP)]
    rate = (ends[0] - ends[1]) / (2 * STEP)
    found = model.call("constraint_velocity", q, v)
    np.testing.assert_allclose(found, rate, rtol=0, atol=DIFFERENCE)
    np.testing.assert_allclose(found, model.constraint_jacobian(q) @ v, atol=1e-12)
    assert len(model.description.constraint_names) == len(found)
    assert model.description.has_constraints


def test_questions_of_one_kind_have_an_answer_of_the_other() -> None:
    arm, cart = damped_arm(), cart_pole()
    q, qd, _, u, _ = arm.symbols
    assert arm.expressions("applied_forces", q, qd, u) == list(u)
    q, qd, _, u, _ = cart.symbols
    force, size = cart.expressions("dry_friction", q, qd)
    assert force == size == [0, 0]
    for ask in (lambda: cart.mechanism, lambda: cart.regressor_parameters):
        with pytest.raises(da.InvalidMechanism, match="mechanism"):
            ask()


def test_systems_bind_parameters_by_symbol_and_by_name() -> None:
    system = da.textbook.cart_pole()
    first, *others = system.parameters
    bound = system.bind({first: 2, **{x.symbol.name: 3 for x in others if x.symbol}})
    assert bound.parameters == ()
    assert bound.coordinates == system.coordinates
    assert system.bind({}) is system
    with pytest.raises(da.UnknownName, match="got masss"):
        system.bind({"masss": 1})


def test_a_bare_lagrangian_stays_one() -> None:
    (x,) = da.coordinates("x")
    m, k = da.parameters("m k")
    system = da.System(lagrangian=m * x.dot**2 / 2 - k * x**2, coordinates=[x])
    bound = system.bind({m: 2, "k": 1})
    assert bound.lagrangian == x.dot**2 - x**2
    assert not da.compile(bound).description.has_energies


def test_resistance_is_dissipated() -> None:
    arm = damped_arm()
    _, lost = arm.call("powers", [0.0, 0.0], [1.0, 2.0], [0.0, 0.0], [0.0, 0.0])
    assert float(lost) == pytest.approx(0.3 + 0.1 * 4)
