"""Motion against closed forms, other engines, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.model import Model
from dalembert.simulation import (
    DOP853,
    RK4,
    Baumgarte,
    Crossing,
    Heun,
    Integrator,
    Midpoint,
    Radau,
    SemiImplicitEuler,
    Unstabilised,
    simulate,
)

METHODS: list[tuple[Integrator, float]] = [
    (DOP853(), 1e-13),
    (Radau(), 1e-8),
    (RK4(1e-2), 1e-7),
    (Midpoint(1e-3), 1e-5),
    (Heun(1e-3), 1e-5),
    (SemiImplicitEuler(1e-4), 1e-3),
]


def oscillator(**options) -> Model:
    """ẍ = -4 x + F."""
    (x,), (F,) = da.coordinates("x"), da.inputs("F")
    return da.compile(
        da.System(kinetic=x.dot**2 / 2, potential=2 * x**2, coordinates=[x], forces=[F], **options)
    )


def pendulum(**options) -> Model:
    """A point of 1 kg on a rod of 1 m that hangs along -y at q = 0."""
    built = (
        da.Builder("pendulum", gravity=(0, -9.81, 0))
        .link("rod", mass=1, com=(0, -1, 0))
        .revolute("hinge", "rod", **options)
        .build()
    )
    return da.compile(built)


def four_bar() -> Model:
    names, values = "l0 l1 l2 l3 m1 m2 m3 g", (1.0, 0.3, 0.9, 0.7, 1.0, 1.2, 1.1, 9.81)
    numbers = dict(zip(da.parameters(names), values, strict=True))
    return da.compile(da.textbook.robots.four_bar(), parameters=numbers)


CLOSED_STATE = [0.5, 0.4, 1.5], [1.0, 0.0, 0.0]


# ---- closed forms


@pytest.mark.parametrize(("method", "tolerance"), METHODS, ids=lambda x: type(x).__name__)
def test_an_oscillator_follows_its_cosine(method: Integrator, tolerance: float):
    times = np.linspace(0, 3, 31)
    motion = simulate(oscillator(), [1.0], [0.5], times, method=method)
    expected = np.cos(2 * times) + 0.25 * np.sin(2 * times)
    assert motion.ok
    assert motion.t.tolist() == times.tolist()
    assert np.abs(motion.q[:, 0] - expected).max() <= tolerance
    assert np.abs(motion.qdd[:, 0] + 4 * motion.q[:, 0]).max() <= 1e-13


@pytest.mark.parametrize("amplitude", [0.3, 1.5, 3.0])
def test_a_pendulum_has_the_period_of_the_elliptic_integral(amplitude: float):
    period = 4 * ellipk(np.sin(amplitude / 2) ** 2) / np.sqrt(9.81)
    motion = simulate(pendulum(), [amplitude], None, [0, period / 4, period / 2, period])
    assert np.abs(motion.q[:, 0] - [amplitude, 0, -amplitude, amplitude]).max() <= 1e-12


def test_a_projectile_flies_a_parabola_and_turns_evenly():
    stone = da.Builder("stone").link("ball", mass=2, inertia=(0.1, 0.1, 0.1)).floating("f", "ball")
    model = da.compile(stone.build())
    q = [1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]
    motion = simulate(model, q, [3.0, 0.0, 4.0, 0.0, 0.0, 2.0], [0.0, 0.4, 0.8])
    t = motion.t
    place = np.stack([1 + 3 * t, 2 + 0 * t, 3 + 4 * t - 9.81 * t**2 / 2], axis=1)
    assert np.abs(motion.q[:, :3] - place).max() <= 1e-13
    turn = np.stack([np.cos(t), 0 * t, 0 * t, np.sin(t)], axis=1)
    assert np.abs(motion.q[:, 3:] - turn).max() <= 1e-14


@pytest.mark.parametrize("step", [0.02, 0.01])
def test_rk4_is_of_order_four_and_euler_of_order_one(step: float):
    exact = np.cos(2.0)

    def error(method: Integrator) -> float:
        return abs(simulate(oscillator(), [1.0], None, 1.0, method=method).q[-1, 0] - exact)

    assert error(RK4(step)) / error(RK4(step / 2)) == pytest.approx(16, rel=0.1)
    ratio = error(SemiImplicitEuler(step)) / error(SemiImplicitEuler(step / 2))
    assert ratio == pytest.approx(2, rel=0.1)


def test_radau_takes_long_steps_through_stiff_motion():
    """ẍ + 10⁴ ẋ + 4 x = 0 creeps: the slow root is 4/10⁴ to first order."""
    motion = simulate(
        oscillator(dissipation=5000 * da.coordinates("x")[0].dot ** 2),
        [1.0],
        None,
        100.0,
        method=Radau(),
    )
    slow, fast = np.roots([1, 1e4, 4])[::-1]
    expected = (fast * np.exp(slow * 100) - slow * np.exp(fast * 100)) / (fast - slow)
    assert motion.ok
    assert len(motion) < 500
    assert abs(motion.q[-1, 0] - expected) <= 1e-8
    assert motion.energy_error <= 1e-8


def test_mujoco_agrees_on_a_free_body_with_an_arm(rng: np.random.Generator):
    mujoco = pytest.importorskip("mujoco")
    xml = """<mujoco><option timestep="2e-4" integrator="RK4"/>
    <worldbody><body name="a"><freejoint/><inertial pos="0.1 0 0" mass="2" diaginertia=".1 .2 .25"/>
    <body name="b" pos=".3 0 0"><joint name="h" axis="0 1 0"/>
    <inertial pos=".2 0 0" mass="1" diaginertia=".01 .03 .03"/></body></body></worldbody>
    </mujoco>"""
    theirs = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(theirs)
    ours = da.compile(
        da.Builder("body", gravity=theirs.opt.gravity.tolist())
        .link("a", mass=2, com=(0.1, 0, 0), inertia=(0.1, 0.2, 0.25))
        .floating("free", "a")
        .link("b", mass=1, com=(0.2, 0, 0), inertia=(0.01, 0.03, 0.03))
        .revolute("h", "b", axis="y", origin=(0.3, 0, 0))
        .build()
    )
    v = rng.normal(size=7)
    # MuJoCo's linear velocity is that of the world, which is ours at the unit quaternion
    data.qvel[:] = v
    for _ in range(2500):
        mujoco.mj_step(theirs, data)
    motion = simulate(ours, ours.configuration.neutral, v, [0.0, data.time])
    assert np.abs(motion.q[-1] - data.qpos).max() <= 1e-9


# ---- forces


def test_forces_in_every_form_give_the_same_motion():
    model, times = oscillator(), np.linspace(0, 2, 9)
    (x,), (v,) = model.symbols.q, model.symbols.qd

    class Damper:
        law = (-0.3 * v - x,)

        def __call__(self, t, q, qd):
            raise AssertionError("the law should be compiled")

    forms = [[-0.3 * v - x], lambda t, q, qd: -0.3 * qd - q, Damper()]
    first, *others = [simulate(model, [1.0], None, times, f) for f in forms]
    # ẍ + 0.3 ẋ + 5 x = 0
    w, d = np.sqrt(5 - 0.15**2), 0.15
    expected = np.exp(-d * times) * (np.cos(w * times) + d / w * np.sin(w * times))
    for motion in (first, *others):
        assert np.abs(motion.q[:, 0] - expected).max() <= 1e-13
        assert np.abs(motion.tau[:, 0] + 0.3 * motion.qd[:, 0] + motion.q[:, 0]).max() <= 1e-13
        assert motion.energy_error <= 1e-13


def test_constant_forces_move_the_equilibrium():
    times = np.linspace(0, 2, 9)
    for forces in ([2.0], np.array([2.0]), lambda t, q, qd: [2.0]):
        motion = simulate(oscillator(), [0.0], None, times, forces)
        assert np.abs(motion.q[:, 0] - (1 - np.cos(2 * times)) / 2).max() <= 1e-13
        assert np.abs(motion.energy.work - 2 * motion.q[:, 0]).max() <= 1e-13


@pytest.mark.parametrize("values", [np.array([0.0, 1.0, 0.0]), np.array([[0.0], [1.0], [0.0]])])
def test_a_table_of_forces_has_straight_lines_between(values: np.ndarray):
    model = oscillator()
    table = simulate(model, [0.0], None, [0, 1, 2], (np.array([0.0, 1.0, 2.0]), values))
    # ẍ + 4 x = t: x = t/4 - sin(2t)/8
    assert abs(table.q[1, 0] - (1 / 4 - np.sin(2) / 8)) <= 1e-13
    assert table.tau[:, 0].tolist() == [0.0, 1.0, 0.0]
    assert table.energy_error <= 1e-13


def test_time_in_a_law_is_compiled():
    motion = simulate(oscillator(), [0.0], None, [0.0, 1.0], [da.time])
    assert abs(motion.q[-1, 0] - (1 / 4 - np.sin(2) / 8)) <= 1e-13


def test_a_controller_that_learns_has_a_state():
    """An integrator against an unknown load: the state ends at the load, the error at zero."""

    class Integral:
        state = np.array([0.5])

        def __call__(self, t, q, qd, z):
            return -8 * q - 4 * qd - z + 1

        def rate(self, t, q, qd, z):
            return 12 * q

    motion = simulate(oscillator(), [0.3], None, 20.0, Integral())
    assert motion.controller_state[0].tolist() == [0.5]
    assert abs(motion.controller_state[-1, 0] - 1) <= 1e-6
    assert abs(motion.q[-1, 0]) <= 1e-6
    with pytest.raises(EvaluationError, match="state of a controller"):
        simulate(oscillator(), [0.3], None, 1.0, Integral(), method=SemiImplicitEuler())


# ---- energy


def test_what_a_damper_takes_is_in_the_account():
    motion = simulate(pendulum(damping=0.3, stiffness=2), [1.0], None, 5.0)
    # ∫ 0.3 ω² dt by Simpson on a fine grid, apart from the code
    from scipy.integrate import simpson

    fine = simulate(pendulum(damping=0.3, stiffness=2), [1.0], None, np.linspace(0, 5, 2001))
    assert motion.energy.dissipated[-1] == pytest.approx(
        simpson(0.3 * fine.qd[:, 0] ** 2, x=fine.t), rel=1e-9
    )
    assert motion.energy_error <= 1e-12
    rough = simulate(pendulum(damping=0.3), [1.0], None, 2.0, method=SemiImplicitEuler(1e-4))
    assert rough.energy_error <= 2e-3


def test_a_driven_pivot_does_work():
    numbers = zip(da.parameters("m l g a omega"), (1, 1, 9.81, 0.1, 5), strict=True)
    model = da.compile(da.textbook.driven_pendulum(), parameters=dict(numbers))
    motion = simulate(model, [1.0], None, 3.0)
    assert motion.energy_error <= 1e-12
    assert np.ptp(motion.energy.total) > 0.1


# ---- constraints


def test_reactions_carry_the_weight():
    """Two particles on a wire, one held by nothing: λ from Newton's law of the relative motion."""
    numbers = dict(zip(da.parameters("m1 m2 l"), (1.0, 2.0, 0.5), strict=True))
    model = da.compile(da.textbook.wire_particles(), parameters=numbers)
    motion = simulate(model, [0, 0, 0.5, 0], [0, 1, 0, -0.5], 2.0)
    # tension = μ l ω², and the wire pulls with 2 λ (r₁ - r₂)
    omega, reduced = 1.5 / 0.5, 2 / 3
    tension = reduced * 0.5 * omega**2
    assert motion.constraint_names == ("constraint 1",)
    assert np.abs(-2 * motion.lam[:, 0] * 0.5 - tension).max() <= 1e-11


def test_baumgarte_pulls_back_and_drift_does_not():
    model = four_bar()
    kept = simulate(model, *CLOSED_STATE, 2.0, initial="project")
    start = kept.q[0], kept.qd[0]
    coarse = RK4(5e-3)
    drift = simulate(model, *start, 5.0, method=coarse, constraints=Unstabilised())
    pulled = simulate(model, *start, 5.0, method=coarse, constraints=Baumgarte(30.0))
    named = simulate(model, *start, 0.1, constraints=Baumgarte())
    held = simulate(model, *start, 5.0, method=coarse)
    assert held.position_error.max() <= 1e-12
    assert pulled.position_error[-100:].max() < drift.position_error[-100:].max() / 5
    assert named.ok
    assert np.abs(pulled.q[-1] - held.q[-1]).max() < 1e-3


def test_welded_frames_are_closed_in_angle_too():
    """A planar four-bar whose last bar is cut in half and welded again."""
    half = 0.35
    model = da.compile(
        da.Builder("welded", gravity=(0, -9.81, 0))
        .link("crank", mass=1, com=(0.15, 0, 0), inertia=(0, 0.01, 0.01))
        .link("coupler", mass=1.2, com=(0.45, 0, 0), inertia=(0, 0.08, 0.08))
        .link("upper", mass=0.5, com=(-half / 2, 0, 0), inertia=(0, 0.005, 0.005))
        .link("lower", mass=0.5, com=(half / 2, 0, 0), inertia=(0, 0.005, 0.005))
        .revolute("pivot1", "crank")
        .revolute("pin1", "coupler", origin=(0.3, 0, 0))
        .revolute("pin2", "upper", origin=(0.9, 0, 0))
        .revolute("pivot2", "lower", parent="world", origin=(1, 0, 0))
        .loop("weld", ("lower", (half, 0, 0)), ("upper", (-half, 0, 0)), kind="frame")
        .build()
    )
    motion = simulate(model, [0.5, 0.4, 0.6, 1.5], [1, 0, 0, 0], 2.0, initial="project")
    assert motion.ok, motion.status
    # rows that a planar linkage fulfils by itself are left out
    assert motion.constraint_names == ("loop weld x", "loop weld y", "loop weld turn z")
    q = motion.q
    assert np.abs(np.sin(q[:, 0] + q[:, 1] + q[:, 2] - q[:, 3])).max() <= 1e-12
    assert motion.energy_error <= 1e-11


# ---- refused, stopped


def test_a_start_off_the_constraints_is_refused_with_names_and_sizes():
    named = r"violates loop pin2 [xy] by -?0\.\d+.*initial='project'"
    with pytest.raises(EvaluationError, match=named):
        simulate(four_bar(), *CLOSED_STATE, 1.0)
    good = simulate(four_bar(), *CLOSED_STATE, 0.01, initial="project")
    with pytest.raises(EvaluationError, match="by the velocity"):
        simulate(four_bar(), good.q[0], [1.0, 0.0, 0.0], 1.0)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.0, 0.0], None, 1.0), {}, r"expected shape \(1,\) for q0 \(x\)"),
        (([0.0], [1.0, 2.0], 1.0), {}, r"expected shape \(1,\) for qd0"),
        (([np.nan], None, 1.0), {}, "got nan for x"),
        ((["a"], None, 1.0), {}, "expected real numbers for q0"),
        (([0.0], None, np.inf), {}, "finite numbers for t"),
        (([0.0], None, [0.0, 2.0, 1.0]), {}, "only increase"),
        (([0.0], None, [[0.0, 2.0]]), {}, "list of times"),
        (([0.0], None, "soon"), {}, "end time"),
        (([0.0], None, 1.0, [1.0, 2.0]), {}, "expected 1 forces"),
        (([0.0], None, 1.0, [np.nan]), {}, "finite numbers for the forces"),
        (([0.0], None, 1.0, ([0.0, 1.0], [[0.0, 1.0], [1.0, 1.0]])), {}, r"shape \(2, 1\)"),
        (([0.0], None, 1.0, ([1.0, 0.0], [[0.0], [1.0]])), {}, "increasing times"),
        (([0.0], None, 1.0), {"initial": "guess"}, "initial='check' or 'project'"),
        (([0.0], None, 1.0), {"constraints": "project"}, r"Projection\(\), Baumgarte"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(arguments: tuple, options: dict, message: str):
    with pytest.raises((EvaluationError, UnknownName), match=message):
        simulate(oscillator(), *arguments, **options)


def test_free_parameters_and_bad_options_are_refused():
    with pytest.raises(EvaluationError, match="without free parameters"):
        simulate(da.compile(da.textbook.double_pendulum()), [0, 0], None, 1.0)
    with pytest.raises(EvaluationError, match=r"the step of .* above 0"):
        RK4(-1.0)
    with pytest.raises(EvaluationError, match="positive rtol"):
        DOP853(rtol=0)
    with pytest.raises(EvaluationError, match="positive rate"):
        Baumgarte(0)
    ball = da.Builder("b").link("ball", mass=1, inertia=(1, 1, 1)).spherical("j", "ball").build()
    with pytest.raises(EvaluationError, match="unit quaternion"):
        simulate(da.compile(ball), [2.0, 0, 0, 0], None, 1.0)


@pytest.mark.parametrize("method", [DOP853(), RK4(1e-2), Radau(), SemiImplicitEuler(1e-2)])
def test_a_force_that_breaks_stops_the_motion_and_keeps_it(method: Integrator):
    def force(t: float, q: np.ndarray, qd: np.ndarray) -> list[float]:
        return [np.nan if t > 0.5 else 0.0]

    motion = simulate(oscillator(), [1.0], None, 1.0, force, method=method)
    assert not motion.ok
    assert motion.status.startswith("stopped at t = 0.4") or motion.status.startswith(
        "stopped at t = 0.5"
    )
    assert "got nan at [0]" in motion.status
    assert motion.t[-1] >= 0.45
    assert abs(motion.q[-1, 0] - np.cos(2 * motion.t[-1])) <= 0.02


def test_a_force_of_the_wrong_size_stops_at_once():
    with pytest.raises(
        EvaluationError,
        match=r"expected shape \(1,\) for the result of the function of forces at t = 0",
    ):
        simulate(oscillator(), [1.0], None, 1.0, lambda t, q, qd: [0.0, 0.0])


def test_a_table_that_ends_early_stops_there():
    table = (np.array([0.0, 0.5]), np.array([[0.0], [0.0]]))
    motion = simulate(oscillator(), [1.0], None, 1.0, table)
    assert motion.t[-1] == pytest.approx(0.5, abs=1e-9)
    assert "let it cover the whole simulation" in motion.status


def test_a_singular_mass_matrix_stops_the_motion():
    (x,) = da.coordinates("x")
    vanishing = da.System(kinetic=(1 - x) * x.dot**2 / 2, potential=-x, coordinates=[x])
    model = da.compile(vanishing)
    motion = simulate(model, [0.0], [1.0], 5.0)
    assert not motion.ok
    assert 0.5 < motion.q[-1, 0] < 1.0 + 1e-6
    assert len(motion) > 10
    with pytest.raises(EvaluationError, match="singular"):
        simulate(model, [1.0], [1.0], 5.0)


def test_a_step_that_time_cannot_resolve_stops_the_motion():
    """ẍ = 2 x³ blows up after a finite time: x = 1/(1 - t)."""
    (x,) = da.coordinates("x")
    model = da.compile(da.System(kinetic=x.dot**2 / 2, potential=-(x**4) / 2, coordinates=[x]))
    motion = simulate(model, [1.0], [1.0], 2.0)
    assert not motion.ok
    assert motion.t[-1] == pytest.approx(1, abs=1e-3)
    early = motion.t < 0.9
    assert np.abs(motion.q[early, 0] * (1 - motion.t[early]) - 1).max() <= 1e-9


# ---- the same again


def test_the_same_input_gives_the_same_bits():
    first, second = (simulate(four_bar(), *CLOSED_STATE, 1.0, initial="project") for _ in range(2))
    for name in ("t", "q", "qd", "qdd", "lam"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()


def test_no_time_is_a_motion_too():
    for t in (0.0, [3.0]):
        motion = simulate(oscillator(), [1.0], None, t)
        assert len(motion) == 1
        assert motion.ok


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]):
    simulate(oscillator(), [1.0], None, 1.0, progress=True)
    assert "simulate" in capsys.readouterr().out


# ---- controllers that misbehave


@pytest.mark.parametrize("which", [0, 1])
def test_a_controller_cannot_write_into_the_state(which):
    def force(t, *state):
        state[which][:] = 0.0
        return [0.0]

    with pytest.raises(EvaluationError, match="read-only"):
        simulate(oscillator(), [1.0], [0.0], 1.0, force)


def test_a_controller_that_raises_keeps_the_motion_so_far():
    def force(t, q, qd):
        if t > 0.5:
            raise RuntimeError("the sensor is gone")
        return [0.0]

    motion = simulate(oscillator(), [1.0], [0.0], 1.0, force)
    assert not motion.ok
    assert "RuntimeError" in motion.status
    assert "the sensor is gone" in motion.status
    assert motion.t[-1] == pytest.approx(0.5, abs=1e-9)
    assert motion.q[-1, 0] == pytest.approx(np.cos(2 * motion.t[-1]), abs=1e-12)


def test_an_event_that_raises_keeps_the_motion_so_far():
    def quantity(t, q, qd):
        return 1 / (0.5 - t) if t < 0.5 else {}["missing"]

    motion = simulate(oscillator(), [1.0], [0.0], 1.0, events=[Crossing(quantity)])
    assert not motion.ok
    assert "KeyError" in motion.status


def test_a_model_for_jax_moves_on_the_host():
    pytest.importorskip("jax")
    robot, start = da.textbook.robots.ur5e(), [0.1] * 6
    truth = simulate(da.compile(robot), start, None, 0.1)
    motion = simulate(da.compile(robot, backend="jax"), start, None, 0.1)
    np.testing.assert_array_equal(motion.q, truth.q)
