"""Machines of other programs' galleries, as a person would build them, against closed forms."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco


def test_half_a_car():
    """Heave, pitch and two wheels: the modes of M and K by hand."""
    car = da.Builder("car", gravity=(0, 0, 0)).link("carrier").prismatic("heave", "carrier")
    car.link("body", mass=600, inertia=(800, 900, 100)).revolute("pitch", "body", axis="y")
    for name, x in (("front", 1.2), ("rear", -1.4)):
        car.link(name, mass=40)
        car.prismatic(name, name, parent="world", origin=(x, 0, -0.5), stiffness=2e5)
        ends = (name, (0, 0, 0)), ("body", (x, 0, 0))
        car.spring(f"{name}_spring", *ends, stiffness=2e4, rest_length=0.5)
    found = 2 * np.pi * da.analysis.modes(da.compile(car.build()), np.zeros(4)).hertz
    rows = np.array([[1, -1.2, -1, 0], [1, 1.4, 0, -1]])
    K = 2e4 * rows.T @ rows + np.diag([0, 0, 2e5, 2e5])
    squares = np.linalg.eigvals(np.linalg.solve(np.diag([600, 900, 40, 40]), K)).real
    np.testing.assert_allclose(found, np.sqrt(np.sort(squares)), rtol=1e-12)


def test_a_wind_turbine_with_a_soft_shaft():
    """Rotor and generator against each other: ω² = k (1/J + 1/(r² j))."""
    rotor, generator, k, r = 4e6, 120.0, 8e7, 97.0
    turbine = da.Builder("turbine", gravity=(0, 0, 0))
    turbine.link("rotor", mass=1, inertia=(rotor,) * 3).revolute("rotor", "rotor")
    turbine.link("generator", mass=1, inertia=(generator,) * 3)
    turbine.revolute("generator", "generator", parent="world")
    turbine.joint_spring("shaft", "rotor", "generator", ratio=1 / r, stiffness=k)
    found = 2 * np.pi * da.analysis.modes(da.compile(turbine.build()), np.zeros(2)).hertz
    assert found[-1] == pytest.approx(np.sqrt(k * (1 / rotor + 1 / (generator * r**2))), rel=1e-12)


def test_a_gantry_whose_rope_is_wound():
    """The length is prescribed: the motion of Lagrange's equations written by hand."""
    t = da.time
    crane = da.Builder("gantry").link("trolley", mass=5).prismatic("rail", "trolley", axis="x")
    crane.link("rope").revolute("sway", "rope", axis="y")
    crane.link("hook", mass=2).prismatic("hoist", "hook", axis="-z")
    model = da.compile(crane.drive("winch", "hoist", 2 - da.sin(t) / 2).build())
    times = np.linspace(0, 3, 7)
    motion = da.simulate(model, [0, 0.2, 2], [0, 0, -0.5], times)

    def rates(t, s):
        _, a, v, w = s
        l, dl, ddl = 2 - np.sin(t) / 2, -np.cos(t) / 2, np.sin(t) / 2
        # the hook is at (x - l sin a, -l cos a); what its acceleration has beside ẍ and ä
        along = [np.sin(a), np.cos(a)], [np.cos(a), -np.sin(a)]
        rest = -(ddl - l * w * w) * np.array(along[0]) - 2 * dl * w * np.array(along[1])
        J = -l * np.array(along[1])
        M = [[7, 2 * J[0]], [2 * J[0], 2 * l * l]]
        right = [-2 * rest[0], -2 * J @ (rest + np.array([0, 9.81]))]
        return [v, w, *np.linalg.solve(M, right)]

    expected = solve_ivp(rates, (0, 3), [0, 0.2, 0, 0], t_eval=times, rtol=1e-11, atol=1e-12).y
    assert motion.ok
    np.testing.assert_allclose(motion.q[:, :2], expected[:2].T, atol=1e-9)


def test_a_quadrotor_with_a_slung_load():
    """A free body, a universal joint and a rope that stretches: MuJoCo's accelerations."""
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco")
    craft = da.Builder("craft").link("body", mass=1.2, inertia=(0.01, 0.01, 0.02))
    craft.floating("free", "body").link("cable").universal("hang", "cable")
    craft.link("load", mass=0.3, inertia=(1e-4,) * 3)
    rope = {"axis": "-z", "origin": (0, 0, -1), "stiffness": 500, "damping": 2}
    robot = craft.prismatic("rope", "load", **rope).build()
    model, theirs = da.compile(robot), mujoco.MjModel.from_xml_string(save_mjcf(robot))
    data, q = mujoco.MjData(theirs), model.neutral.copy()
    v = np.random.default_rng(1).normal(size=model.nv) / 3
    q[7:] = [0.1, -0.2, 0.01]
    data.qpos[:], data.qvel[:] = to_mujoco(robot, q, v)
    mujoco.mj_forward(theirs, data)
    found = model.forward_dynamics(q, v, np.zeros(model.nv))
    # our velocity is in axes of the body, which is not turned: MuJoCo's has ω × v more
    found[:3] += np.cross(v[3:6], v[:3])
    np.testing.assert_allclose(found, data.qacc, atol=1e-11)


def test_camber_of_a_double_wishbone():
    """At rest on its spring the upright leans as two circles that meet say."""
    wheel = da.Builder("wishbone").link("lower", mass=3, com=(0, 0.18, 0), inertia=(0.05,) * 3)
    wheel.revolute("inner_low", "lower", axis="x")
    wheel.link("upright", mass=12, com=(0, 0, 0.1), inertia=(0.3,) * 3)
    wheel.revolute("outer_low", "upright", axis="x", origin=(0, 0.36, 0))
    wheel.link("upper", mass=2, com=(0, 0.14, 0), inertia=(0.03,) * 3)
    wheel.revolute("inner_up", "upper", axis="x", parent="world", origin=(0, 0.05, 0.24))
    joint = ("upper", (0, 0.28, 0)), ("upright", (0, 0.02, 0.26))
    wheel.close("revolute", "outer_up", *joint, axis="x")
    strut = ("lower", (0, 0.2, 0)), ("world", (0, 0.12, 0.4))
    wheel.spring("coil", *strut, stiffness=4e4, rest_length=0.47, damping=2e3)
    model = da.compile(wheel.build())
    assert model.mechanism.degrees_of_freedom == 1
    start = da.simulate(model, model.neutral, None, [0, 1e-3], initial="project").q[0]
    (rest,) = da.analysis.equilibria(model, starts=[start])
    assert rest.verdict == "asymptotically stable"
    low = 0.36 * np.array([np.cos(rest.q[0]), np.sin(rest.q[0])])
    across = np.array([0.05, 0.24]) - low
    d, upright = np.linalg.norm(across), np.hypot(0.02, 0.26)
    e, x = across / d, (upright**2 - 0.28**2 + d**2) / (2 * d)
    top = x * e + np.sqrt(upright**2 - x**2) * np.array([e[1], -e[0]])
    camber = np.arctan2(top[1], top[0]) - np.arctan2(0.26, 0.02)
    assert rest.q[0] + rest.q[1] == pytest.approx(camber, abs=1e-12)
