"""Many simulations at once: closed forms, orders of the methods, spreads, failures."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.model.border import to_numpy
from dalembert.simulation import (
    DOP853,
    RK4,
    Heun,
    Midpoint,
    SemiImplicitEuler,
    rollout,
)
from dalembert.simulation.methods.explicit import ExplicitMethod

ORDERS: dict[type[ExplicitMethod], int] = {RK4: 4, SemiImplicitEuler: 1, Midpoint: 2, Heun: 2}
METHODS = tuple(ORDERS)


@pytest.fixture(scope="module")
def mass() -> da.Model:
    """A mass m on a line, pushed by u."""
    (x,), (m,), (u,) = da.coordinates("x"), da.parameters("m"), da.inputs("u")
    system = da.System(kinetic=m * x.dot**2 / 2, potential=0, coordinates=[x], forces=[u])
    return da.compile(system)


@pytest.fixture(scope="module")
def panda() -> da.Model:
    return da.compile(da.textbook.robots.panda(), threads=1)


@pytest.fixture(scope="module")
def tethered() -> da.Model:
    """A unit mass in a vertical plane, held at distance 1 from the origin."""
    x, y = da.coordinates("x y")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=10 * y,
        coordinates=[x, y],
        constraints=[x**2 + y**2 - 1],
    )
    return da.compile(system)


def m_of(model: da.Model) -> da.Expr:
    return model.symbols.parameters[0]


# ---- methods


@pytest.mark.parametrize("method", METHODS)
def test_order_of_a_method(mass: da.Model, method: type[ExplicitMethod]) -> None:
    """An oscillator driven at another frequency: halving the step divides the error by 2ᵖ.

    ẍ + x = cos 2t from rest has x = (cos t - cos 2t) / 3.
    """
    law = [-mass.symbols.q[0] + da.cos(2 * da.time)]
    errors = []
    for steps in (100, 200):
        run = rollout(
            mass, [0.0], None, steps, law, method=method(2 / steps), parameters={m_of(mass): 1}
        )
        t = run.t
        off = run.q[:, 0] - (np.cos(t) - np.cos(2 * t)) / 3
        speed = run.qd[:, 0] - (2 * np.sin(2 * t) - np.sin(t)) / 3
        errors.append(max(abs(off).max(), abs(speed).max()))
        assert run.t[-1] == pytest.approx(2, abs=1e-14)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(ORDERS[method], abs=0.15)


@pytest.mark.parametrize("method", METHODS)
def test_fused_law_of_an_arm(
    panda: da.Model, method: type[ExplicitMethod], rng: np.random.Generator
) -> None:
    """The same steps written out in NumPy around forward dynamics."""
    n, N, steps, h = 7, 11, 20, 2e-3
    r = da.parameters(" ".join(f"r{i}" for i in range(n)))
    (kp,) = da.parameters("kp")
    law = [
        kp * (b - a) - v / 50 for a, b, v in zip(panda.symbols.q, r, panda.symbols.qd, strict=True)
    ]
    q, target = rng.uniform(-1, 1, (2, N, n))
    v = rng.uniform(-1, 1, (N, n))
    gain = rng.uniform(1, 2, N)
    runs = rollout(
        panda, q, v, steps, law, method=method(h), parameters={r: target, kp: gain}, record=5
    )

    def f(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return panda.forward_dynamics(q, v, gain[:, None] * (target - q) - v / 50)

    for k in range(steps):
        np.testing.assert_allclose(runs.q[:, k // 5], q, atol=1e-12) if k % 5 == 0 else None
        a = f(q, v)
        if method is SemiImplicitEuler:
            v = v + h * a
            q = q + h * v
        elif method is Midpoint:
            q, v = q + h * (v + h / 2 * a), v + h * f(q + h / 2 * v, v + h / 2 * a)
        elif method is Heun:
            b = f(q + h * v, v + h * a)
            q, v = q + h / 2 * (v + v + h * a), v + h / 2 * (a + b)
        else:
            v2 = v + h / 2 * a
            a2 = f(q + h / 2 * v, v2)
            v3 = v + h / 2 * a2
            a3 = f(q + h / 2 * v2, v3)
            v4 = v + h * a3
            a4 = f(q + h * v3, v4)
            q = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4)
            v = v + h / 6 * (a + 2 * a2 + 2 * a3 + a4)
    np.testing.assert_allclose(runs.q[:, -1], q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(runs.qd[:, -1], v, rtol=0, atol=1e-11)


# ---- what drives them


def test_controls_are_held(mass: da.Model, rng: np.random.Generator) -> None:
    """Under constant forces in each step x and ẋ are sums: RK4 is exact."""
    steps, h = 30, 0.1
    u = rng.normal(size=(5, steps, 1))
    m = rng.uniform(1, 2, 5)
    run = rollout(mass, [0.0], [0.0], steps, method=RK4(h), controls=u, parameters={m_of(mass): m})
    a = u[..., 0] / m[:, None]
    v = h * np.cumsum(a, axis=1)
    x = np.cumsum(h * (v - h * a) + h**2 / 2 * a, axis=1)
    np.testing.assert_allclose(run.qd[:, 1:, 0], v, atol=1e-13)
    np.testing.assert_allclose(run.q[:, 1:, 0], x, atol=1e-13)


def test_controls_inside_a_law(mass: da.Model) -> None:
    """The symbols of the inputs stand for the controls: u - 3 with u = 3 does nothing."""
    law = [mass.symbols.inputs[0] - 3]
    u = np.full((10, 1), 3.0)
    run = rollout(mass, [1.0], [0.0], 10, law, controls=u, parameters={m_of(mass): 1.0})
    np.testing.assert_array_equal(run.q, np.ones((11, 1)))


def test_time_goes_on_through_chunks(mass: da.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps in chunks, with a bar, give the same bits."""
    import dalembert.simulation.rollouts.rollout as module

    law = [mass.symbols.inputs[0] * da.sin(3 * da.time) - mass.symbols.q[0]]
    u = np.linspace(0, 1, 60)[:, None]
    given = (mass, [[0.3], [0.7]], None, 60, law)
    options = {"method": RK4(0.05), "controls": u, "parameters": {m_of(mass): 2.0}}
    whole = {k: rollout(*given, **options, record=k) for k in (1, 4, None)}
    for seconds in (0.0, 2e-5, 1.0):
        monkeypatch.setattr(module, "SECONDS_BETWEEN_LOOKS", seconds)
        for k, expected in whole.items():
            run = rollout(*given, **options, record=k, progress=True)
            np.testing.assert_array_equal(run.q, expected.q)
            np.testing.assert_array_equal(run.qd, expected.qd)
            np.testing.assert_array_equal(run.t, expected.t)


def test_spreads_broadcast(mass: da.Model) -> None:
    """Starts (3, 1), masses (4,) and one stiffness: ẍ = -k x / m."""
    (k,) = da.parameters("k")
    x0, m = np.array([[[0.5]], [[1.0]], [[2.0]]]), np.array([1.0, 2.0, 3.0, 4.0])
    law = [-k * mass.symbols.q[0]]
    run = rollout(mass, x0, None, 1000, law, parameters={m_of(mass): m, k: 2.0}, record=500)
    assert run.batch == (3, 4)
    expected = x0[..., 0] * np.cos(np.sqrt(2 / m))
    np.testing.assert_allclose(run.q[..., -1, 0], expected, atol=1e-12)
    assert run.q_names == ("x",)
    np.testing.assert_allclose(run.t, [0, 0.5, 1], atol=1e-15)


def test_a_tuple_of_one_symbol(mass: da.Model) -> None:
    """Values of a tuple have an axis for it, even of length one."""
    k = da.parameters("k")
    law = [-k[0] * mass.symbols.q[0]]
    values = {m_of(mass): 1.0, k: np.array([[1.0], [4.0], [9.0]])}
    run = rollout(mass, [1.0], None, 1000, law, parameters=values, record=None)
    assert run.batch == (3,)
    np.testing.assert_allclose(run.q[:, -1, 0], np.cos([1, 2, 3]), atol=1e-12)


def test_symbols_by_name(mass: da.Model) -> None:
    """Names stand for symbols of the model and of the forces, as in da.compile."""
    k, c = da.parameters("k c")
    law = [-k * mass.symbols.q[0] - c * mass.symbols.qd[0]]
    values = {m_of(mass): 2.0, (k, c): np.array([[1.0, 0.0], [4.0, 0.1]])}
    named = {"m": 2.0, ("k", "c"): values[k, c]}
    runs = [rollout(mass, [1.0], None, 50, law, parameters=given) for given in (values, named)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)


def test_controller_with_a_law(mass: da.Model) -> None:
    class Spring:
        law = (-mass.symbols.q[0],)

    run = rollout(mass, [1.0], None, 100, Spring(), parameters={m_of(mass): 1.0}, record=None)
    assert run.q[-1, 0] == pytest.approx(np.cos(0.1), abs=1e-13)
    assert run.q.shape == (2, 1)


# ---- configurations and constraints


@pytest.mark.parametrize("method", METHODS)
def test_free_body(method: type[ExplicitMethod]) -> None:
    """A symmetric top without weight: ω₃ constant, (ω₁, ω₂) turns with (1 - I₃/I₁) ω₃."""
    top = da.Builder("top", gravity=(0, 0, 0))
    top.link("body", mass=1, inertia=(2, 2, 1))
    top.floating("free", "body")
    model = da.compile(top.build())
    w1, w3, steps, h = 0.4, 3.0, 400, 1e-3
    q0 = np.tile(model.configuration.neutral, (3, 1))
    run = rollout(model, q0, [0, 0, 0, w1, 0, w3], steps, method=method(h))
    norm = np.linalg.norm(run.q[..., 3:], axis=-1)
    np.testing.assert_allclose(norm, 1, rtol=0, atol=4e-16)
    angle = w3 * (1 - 1 / 2) * run.t
    tolerance = {1: 3e-3, 2: 1e-6, 4: 1e-12}[ORDERS[method]]
    for k in range(3):
        np.testing.assert_allclose(run.qd[k, :, 3], w1 * np.cos(angle), atol=tolerance)
        np.testing.assert_allclose(run.qd[k, :, 4], -w1 * np.sin(angle), atol=tolerance)
    np.testing.assert_allclose(run.qd[..., 5], w3, rtol=1e-13)


def test_constraints_do_not_drift(tethered: da.Model) -> None:
    """A pendulum in Cartesian coordinates against its angle, ten swings long."""
    (a,) = da.coordinates("a")
    swing = da.System(kinetic=a.dot**2 / 2, potential=-10 * da.cos(a), coordinates=[a])
    angles = np.array([[0.3], [1.0], [2.5]])
    steps, h = 2000, 5e-3
    expected = rollout(da.compile(swing), angles, None, steps, method=RK4(h), record=100)
    start = np.concatenate([np.sin(angles), -np.cos(angles)], axis=-1)
    run = rollout(tethered, start, None, steps, method=RK4(h), record=100)
    x, y = run.q[..., 0], run.q[..., 1]
    np.testing.assert_allclose(x**2 + y**2, 1, rtol=0, atol=1e-13)
    drift = x * run.qd[..., 0] + y * run.qd[..., 1]
    np.testing.assert_allclose(drift, 0, atol=1e-13)
    np.testing.assert_allclose(x, np.sin(expected.q[..., 0]), atol=2e-5)


def test_start_off_the_constraints(tethered: da.Model) -> None:
    with pytest.raises(EvaluationError, match=r"constraint 1 off by 0.21 of start \(1,\)"):
        rollout(tethered, [[1.0, 0.0], [1.1, 0.0]], None, 5)
    with pytest.raises(EvaluationError, match="the velocity of constraint 1 off by"):
        rollout(tethered, [1.0, 0.0], [0.5, 0.0], 5)


def test_knife_edge() -> None:
    """A blade on ice, never sideways: on level ice it runs along a circle of radius v / ω."""
    x, y, a = da.coordinates("x y a")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2 + a.dot**2) / 2,
        potential=0,
        coordinates=[x, y, a],
        velocity_constraints=[x.dot * da.sin(a) - y.dot * da.cos(a)],
    )
    w = np.array([0.5, 2.0])
    start = np.zeros((2, 3))
    start[:, 0], start[:, 2] = 1, w
    run = rollout(da.compile(system), np.zeros(3), start, 2000, record=500)
    t, w = run.t, w[:, None]
    np.testing.assert_allclose(run.q[..., 0], np.sin(w * t) / w, atol=1e-11)
    np.testing.assert_allclose(run.q[..., 1], (1 - np.cos(w * t)) / w, atol=1e-11)
    sideways = run.qd[..., 0] * np.sin(run.q[..., 2]) - run.qd[..., 1] * np.cos(run.q[..., 2])
    np.testing.assert_allclose(sideways, 0, atol=1e-15)


def test_mechanism_with_a_loop() -> None:
    """A crank-rocker keeps its energy and stays closed."""
    values = dict(
        zip(
            da.parameters("l0 l1 l2 l3 m1 m2 m3 g"),
            (1.0, 0.3, 0.9, 0.7, 1.0, 1.2, 1.1, 9.81),
            strict=True,
        )
    )
    model = da.compile(da.textbook.robots.four_bar(), parameters=values)
    start = np.array([0.5, 0.4, 1.5])
    with pytest.raises(EvaluationError, match="expected starts on the constraints"):
        rollout(model, start, None, 10)
    # Newton's method onto the loop
    for _ in range(20):
        A, error = model.constraint_jacobian(start), model.constraint_error(start)
        start = start - np.linalg.pinv(A) @ error
    speeds = np.linspace(-2, 2, 9)[:, None]
    qd0 = speeds * np.linalg.svd(model.constraint_jacobian(start))[2][-1]
    run = rollout(model, start, qd0, 2000, method=RK4(5e-4), record=1000)
    assert np.abs(model.constraint_error(run.q)).max() < 1e-14
    energy = model.energy(run.q, run.qd)
    np.testing.assert_allclose(energy, energy[:, :1] + np.zeros(3), rtol=1e-9)


def test_redundant_constraints_move_as_simulated() -> None:
    """Bennett's linkage, six rows of rank 2, through more than a turn of its crank."""
    model = da.compile(da.textbook.robots.bennett_linkage())
    start = np.array(model.configuration.neutral)
    motion = da.simulate(model, start, [15.0, 0.0, 0.0], [0.0, 1.0], initial="project")
    runs = rollout(model, motion.q[0], motion.qd[0], 2000, method=RK4(5e-4), record=2000)
    assert np.abs(motion.q[-1] - motion.q[0]).max() > 2 * np.pi
    assert np.abs(runs.q[-1] - motion.q[-1]).max() < 1e-6
    assert np.abs(model.constraint_error(runs.q[-1])).max() < 1e-10


# ---- failures


def test_one_that_is_not_finite(mass: da.Model) -> None:
    """ẍ = x³ explodes from 30, not from 0.1; the others do not notice."""
    law = [mass.symbols.q[0] ** 3]
    x0 = np.full((20, 1), 0.1)
    options = {"method": RK4(0.01), "parameters": {m_of(mass): 1.0}, "record": 10}
    alone = rollout(mass, x0, None, 200, law, **options)
    assert alone.ok.all()
    assert alone.status == "finished at t = 2"
    x0[13] = 30.0
    run = rollout(mass, x0, None, 200, law, **options)
    assert np.argwhere(~run.ok).tolist() == [[13]]
    assert "1 of 20 rollouts are not finite, the first (13,) after t = " in run.status
    assert 0 <= run.end_times[13] < 2
    assert (np.delete(run.end_times, 13) == 2).all()
    np.testing.assert_array_equal(np.delete(run.q, 13, axis=0), np.delete(alone.q, 13, axis=0))
    assert "20 rollouts" in str(run)
    assert "(20,)" in repr(run)


def test_refusals(mass: da.Model, panda: da.Model) -> None:
    m = m_of(mass)
    (k,) = da.parameters("k")
    one = {m: 1.0}
    cases = [
        (EvaluationError, r"shape \(..., 1\) for q0, got \(2,\)", ([0.0, 1.0], None, 5), one),
        (EvaluationError, "finite numbers for qd0, got nan", ([0.0], [np.nan], 5), one),
        (EvaluationError, "numbers for q0, got 'a'", ("a", None, 5), one),
        (EvaluationError, "whole number of steps from 1, got 0", ([0.0], None, 0), one),
        (EvaluationError, "whole number of steps from 1, got 1.5", ([0.0], None, 1.5), one),
        (EvaluationError, "a value for m in the rollouts", ([0.0], None, 5, [1]), {}),
        (EvaluationError, "a value for k in", ([0.0], None, 5, [k]), one),
        (
            EvaluationError,
            "controls= for the inputs",
            ([0.0], None, 5, [mass.symbols.inputs[0]]),
            one,
        ),
        (EvaluationError, "1 forces for u, got an array of shape", ([0.0], None, 5, [1, 2]), one),
        (EvaluationError, "1 expressions in the law", ([0.0], None, 5, [k, 2]), one),
        (EvaluationError, "da.simulate takes functions", ([0.0], None, 5, lambda t, q, v: 0), one),
        (UnknownName, "did you mean m", ([0.0], None, 5), {"mm": 1.0}),
        (EvaluationError, "symbols or names as keys", ([0.0], None, 5), {m + 1: 1.0}),
        (EvaluationError, "once, got them twice", ([0.0], None, 5), {m: 1.0, (m,): [1.0]}),
        (UnknownName, "got k, which neither has", ([0.0], None, 5), {m: 1.0, k: 2.0}),
        (EvaluationError, r"broadcast, got q0 \(3,\)", (np.zeros((3, 1)), None, 5), {m: [1, 2]}),
    ]
    for error, message, given, values in cases:
        with pytest.raises(error, match=message):
            rollout(mass, *given, parameters=values)
    with pytest.raises(EvaluationError, match=r"shape \(..., 5, 1\) for controls, got \(4, 1\)"):
        rollout(mass, [0.0], None, 5, controls=np.zeros((4, 1)), parameters=one)
    with pytest.raises(EvaluationError, match="record= to divide the 5 steps"):
        rollout(mass, [0.0], None, 5, record=2, parameters=one)
    for method in ("rk4", DOP853()):
        with pytest.raises(EvaluationError, match=r"method=RK4\(step\), SemiImplicitEuler"):
            rollout(mass, [0.0], None, 5, method=method, parameters=one)  # type: ignore[arg-type]
    with pytest.raises(EvaluationError, match=r"the step of .* above 0"):
        rollout(mass, [0.0], None, 5, method=RK4(-1.0), parameters=one)


def test_numpy_backend_agrees(panda: da.Model, rng: np.random.Generator) -> None:
    slow = da.compile(da.textbook.robots.panda(), backend="numpy")
    q, u = rng.uniform(-1, 1, (3, 7)), rng.normal(size=(4, 7))
    runs = [rollout(model, q, None, 4, controls=u) for model in (panda, slow)]
    np.testing.assert_allclose(runs[0].q, runs[1].q, rtol=0, atol=1e-13)
    assert runs[0].steps_per_second > 0


def test_agrees_with_mujoco() -> None:
    """MuJoCo's own RK4, with actuators for the law: the same steps to rounding."""
    pytest.importorskip("mujoco", reason="needs MuJoCo: pip install mujoco")
    from benchmarks.simulation import MuJoCo, Ours, disagreement, starts

    arm = da.textbook.robots.panda()
    assert disagreement(Ours(arm, threads=1), MuJoCo(arm), starts(7)) < 1e-12


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-12)])
def test_gpu_agrees(
    dtype: str, tolerance: float, panda: da.Model, rng: np.random.Generator
) -> None:
    cupy = pytest.importorskip("cupy", reason="needs CuPy and a GPU")
    if not cupy.cuda.is_available():
        pytest.skip("no CUDA device")
    model = da.compile(da.textbook.robots.panda(), backend="cuda", dtype=dtype)
    q, u = rng.uniform(-1, 1, (3, 50, 7)), rng.normal(size=(20, 7)) / 100
    runs = [rollout(m, q, None, 20, controls=u, record=5) for m in (panda, model)]
    np.testing.assert_allclose(runs[1].q, runs[0].q, rtol=0, atol=tolerance)
    assert isinstance(runs[1].q, np.ndarray)
    assert runs[1].q.dtype == dtype
    assert runs[1].ok.all()


@pytest.mark.parametrize("package", ["cupy", "torch", "jax"])
def test_arrays_of_a_gpu_stay_there(package: str, rng: np.random.Generator) -> None:
    cupy = pytest.importorskip("cupy", reason="needs CuPy and a GPU")
    if not cupy.cuda.is_available():
        pytest.skip("no CUDA device")
    model = da.compile(da.textbook.robots.panda(), backend="cuda", dtype="float32")
    q, v = rng.uniform(-1, 1, (2, 50, 7)).astype("float32")
    expected = rollout(model, q, v, 20, record=10)
    there = {"cupy": cupy.asarray}
    if package == "torch":
        torch = pytest.importorskip("torch", reason="needs PyTorch")
        there["torch"] = lambda x: torch.tensor(x, device="cuda")
    elif package == "jax":
        jax = pytest.importorskip("jax", reason="needs JAX")
        if jax.default_backend() != "gpu":
            pytest.skip("JAX without a GPU")
        there["jax"] = jax.numpy.asarray
    place = there[package]
    runs = rollout(model, place(q), v, 20, record=10)
    assert type(runs.q) is type(place(q))
    assert tuple(runs.q.shape) == (50, 3, 7)
    np.testing.assert_array_equal(to_numpy(runs.q), expected.q)
    np.testing.assert_array_equal(to_numpy(runs.qd), expected.qd)
    assert runs.ok.all()
    assert "finished" in runs.status
    with pytest.raises(da.EvaluationError, match="finite numbers for q0"):
        rollout(model, place(np.full((50, 7), np.nan, "float32")), v, 20)
    with pytest.raises(da.EvaluationError, match=r"expected shape \(..., 7\) for q0"):
        rollout(model, place(np.zeros((50, 6), "float32")), v, 20)
    with pytest.raises(da.EvaluationError, match="float16"):
        rollout(model, place(np.zeros((50, 7), "float16")), v, 20)


def test_same_input_same_bits(panda: da.Model, rng: np.random.Generator) -> None:
    """Also for a sample alone: lanes do what one does."""
    q, u = rng.uniform(-1, 1, (21, 7)), rng.normal(size=(50, 7))
    runs = [rollout(panda, q, None, 50, controls=u) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].q, runs[1].q)
    alone = rollout(panda, q[8], None, 50, controls=u)
    np.testing.assert_allclose(alone.q, runs[0].q[8], rtol=0, atol=1e-14)
