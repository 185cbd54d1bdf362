"""Linear motions of compiled models: against the flow itself, closed forms, and each other."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError
from dalembert.model import Model

FOUR_BAR = {"g": 9.81, "l0": 1, "l1": 0.4, "l2": 0.9, "l3": 0.7, "m1": 1, "m2": 1, "m3": 1}


def pendulums(**values: float) -> Model:
    numbers = {"m1": 1, "m2": 1, "l1": 1, "l2": 1, "g": 9.81} | values
    return da.compile(da.textbook.double_pendulum(), parameters=numbers)


def propagated(model: Model, motion: da.Trajectory) -> np.ndarray:
    """Return Φ of δẋ = A(t) δx over a trajectory with even times, by Simpson's Runge–Kutta."""
    A = da.analysis.linearise_along(motion).A
    h = motion.t[2] - motion.t[0]
    phi = np.eye(2 * model.nv)
    for k in range(0, len(motion) - 2, 2):
        k1 = A[k] @ phi
        k2 = A[k + 1] @ (phi + h / 2 * k1)
        k3 = A[k + 1] @ (phi + h / 2 * k2)
        k4 = A[k + 2] @ (phi + h * k3)
        phi = phi + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return phi


@pytest.mark.parametrize("name", ["double_pendulum", "quadrotor", "four_bar"])
def test_linear_motion_is_that_of_neighbouring_trajectories(
    name: str, rng: np.random.Generator
) -> None:
    if name == "double_pendulum":
        model = pendulums()
        q0, v0 = np.array([0.7, -0.4]), np.array([0.3, 0.8])
        change = rng.normal(size=4)
    elif name == "quadrotor":
        model = da.compile(da.textbook.robots.quadrotor())
        q0 = model.random_configuration(3)
        v0 = rng.normal(size=model.nv)
        change = rng.normal(size=2 * model.nv)
    else:
        model = da.compile(da.textbook.robots.four_bar(), parameters=FOUR_BAR)
        q0 = da.analysis.equilibria(model)[2].q
        v0 = np.zeros(3)
        # an admissible change of velocities keeps the loop closed to first order
        tangent = np.linalg.svd(model.constraint_jacobian(q0))[2][-1]
        change = np.concatenate([np.zeros(3), tangent])
    n = model.nv
    times = np.linspace(0, 0.2, 81)

    def flow(sign: int, step: float = 1e-5) -> da.Trajectory:
        q = model.configuration.integrate(q0, sign * step * change[:n])
        v = v0 + sign * step * change[n:]
        return simulated(model, q, v, times)

    base, up, down = flow(0), flow(1), flow(-1)
    moved = model.configuration.difference(down.q[-1], up.q[-1]) / 2e-5
    wanted = np.concatenate([moved, (up.qd[-1] - down.qd[-1]) / 2e-5])
    np.testing.assert_allclose(propagated(model, base) @ change, wanted, rtol=2e-5, atol=2e-5)


def simulated(model: Model, q: np.ndarray, v: np.ndarray, times: np.ndarray) -> da.Trajectory:
    return da.simulate(model, q, v, float(times[-1])).resample(times)


def test_double_pendulum_modes() -> None:
    modes = da.analysis.modes(pendulums(g=1.0), [0, 0])
    np.testing.assert_allclose(modes.frequencies**2, 2 + np.array([-1, 1]) * np.sqrt(2), rtol=1e-12)
    np.testing.assert_allclose(modes.hertz, modes.frequencies / (2 * np.pi))
    assert not modes.damping_ratios.any()
    ratio = modes.shapes[1] / modes.shapes[0]
    np.testing.assert_allclose(ratio, [np.sqrt(2), -np.sqrt(2)], rtol=1e-12)


def test_a_free_chain_has_a_rigid_mode_and_damping() -> None:
    x, y = da.coordinates("x y")
    k, c = 40.0, 0.3
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2,
        potential=k * (x - y) ** 2 / 2,
        dissipation=c * (x.dot - y.dot) ** 2 / 2,
        coordinates=[x, y],
    )
    modes = da.analysis.modes(da.compile(system), [0.4, 0.4])
    assert modes.num_rigid == 1
    # relative motion: r̈ + 2c ṙ + 2k r = 0
    assert modes.frequencies[-1] == pytest.approx(np.sqrt(2 * k), rel=1e-12)
    assert modes.damping_ratios[-1] == pytest.approx(2 * c / (2 * np.sqrt(2 * k)), rel=1e-12)
    assert "rigid" in str(modes)


def test_a_hovering_body_rests_anywhere_and_with_any_heading() -> None:
    model = da.compile(da.textbook.robots.quadrotor())
    still = np.zeros(model.nv)
    held = model.inverse_dynamics(model.neutral, still, still)
    modes = da.analysis.modes(model, model.neutral, held)
    # three places and the heading; tilted, it accelerates away
    assert len(modes) == modes.num_rigid == 4
    assert not modes.shapes[3:5].any()


def test_modes_of_a_linkage_agree_with_its_exact_equations() -> None:
    model = da.compile(da.textbook.robots.four_bar(), parameters=FOUR_BAR)
    exact = da.textbook.robots.four_bar().equations().equilibria(FOUR_BAR)
    rests = da.analysis.equilibria(model)
    assert len(rests) == len(exact) == 4
    for rest, wanted in zip(rests, exact, strict=True):
        np.testing.assert_allclose(rest.q, [float(v) for v in wanted.point.values()], atol=1e-8)
        np.testing.assert_allclose(
            np.abs(rest.multipliers), [abs(float(v)) for v in wanted.multipliers], rtol=1e-6
        )
        largest = max(abs(s) for s in wanted.stability.eigenvalues)
        assert da.analysis.modes(model, rest.q).frequencies[-1] == pytest.approx(largest, rel=1e-6)


def test_one_period_of_a_mode_closes() -> None:
    modes = da.analysis.modes(pendulums(), [0, 0])
    t, q = modes.motion(0, amplitude=0.2)
    assert t[-1] == pytest.approx(2 * np.pi / modes.frequencies[0])
    np.testing.assert_allclose(q[0], q[-1], atol=1e-12)
    assert np.abs(q).max() == pytest.approx(0.2)
    with pytest.raises(EvaluationError, match="mode from 0 to 1"):
        modes.motion(2)


def test_a_point_that_is_no_rest_is_refused() -> None:
    with pytest.raises(EvaluationError, match=r"theta\d accelerates"):
        da.analysis.modes(pendulums(), [0.3, 0.0])


def test_upright_pendulums_are_unstable_and_damping_makes_the_hanging_one_attract() -> None:
    rests = da.analysis.equilibria(pendulums())
    assert [r.verdict for r in rests].count("unstable") == 3
    system = da.textbook.double_pendulum()
    a, b = system.coordinates
    damped = da.System(
        kinetic=system.kinetic,
        potential=system.potential,
        dissipation=a.dot**2 + b.dot**2,
        coordinates=[a, b],
    )
    model = da.compile(damped, parameters={"m1": 1, "m2": 2, "l1": 1, "l2": 0.5, "g": 9.81})
    verdicts = [r.verdict for r in da.analysis.equilibria(model)]
    assert verdicts.count("asymptotically stable") == 1


def test_a_continuum_is_refused() -> None:
    x, y = da.coordinates("x y")
    system = da.System(
        kinetic=(x.dot**2 + y.dot**2) / 2, potential=(x - y) ** 2, coordinates=[x, y]
    )
    with pytest.raises(EvaluationError, match="continuum"):
        da.analysis.equilibria(da.compile(system))


def test_where_forces_only_fade_there_is_no_point_of_rest() -> None:
    """exp(-x) pushes everywhere, however little far away."""
    (x,) = da.coordinates("x")
    fading = da.System(kinetic=x.dot**2 / 2, potential=da.exp(-x), coordinates=[x])
    assert da.analysis.equilibria(da.compile(fading)) == []
    well = da.System(kinetic=x.dot**2 / 2, potential=-da.exp(-(x**2)), coordinates=[x])
    (found,) = da.analysis.equilibria(da.compile(well))
    assert abs(found.q[0]) < 1e-6


def test_points_of_rest_are_found_to_rounding():
    """x + x³ = 7: Newton's last step is taken too."""
    (x,) = da.coordinates("x")
    well = da.System(kinetic=x.dot**2 / 2, potential=x**2 / 2 + x**4 / 4 - 7 * x, coordinates=[x])
    (rest,) = da.analysis.equilibria(da.compile(well), starts=[[0.3]])
    (root,) = [z.real for z in np.roots([1, 0, 1, -7]) if abs(z.imag) < 1e-9]
    assert rest.q[0] == pytest.approx(root, abs=1e-14)
