"""Springs, dampers and couplings given as functions: forces by hand and by other engines."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidExpression, InvalidMechanism, UnknownName
from dalembert.mechanism.io.json import load_json, save_json

ROUNDING = 1e-12

K = np.diag([4e3, 5e3, 6e3, 70.0, 80.0, 90.0])
K[0, 4] = K[4, 0] = 120.0
K[2, 5] = K[5, 2] = -50.0
D = np.diag([30.0, 20.0, 10.0, 0.7, 0.8, 0.9])
D[1, 3] = D[3, 1] = 0.2
BODY = {"mass": 2, "com": (0.02, -0.03, 0.01), "inertia": (0.02, 0.03, 0.04)}


def mounted(stiffness=K, damping=D):
    """Return a free body on a bushing."""
    return (
        da.Builder("mount", gravity=(0, 0, 0))
        .link("engine", **BODY)
        .floating("free", "engine")
        .bushing(
            "rubber",
            ("world", (0.1, 0.2, 0.3)),
            ("engine", (0.05, 0, -0.02)),
            stiffness=stiffness.tolist(),
            damping=None if damping is None else damping.tolist(),
        )
        .build()
    )


def slider(**options):
    """Return a unit mass on a rail along x, one metre from a wall, with a spring to the wall."""
    return (
        da.Builder("slider", gravity=(0, 0, 0))
        .link("block", mass=1)
        .prismatic("slide", "block", axis="x", origin=(1, 0, 0))
        .spring("s", ("world", (0, 0, 0)), ("block", (0, 0, 0)), rest_length=1, **options)
        .build()
    )


def random_state(model, rng):
    q = model.random_configuration(seed=int(rng.integers(1 << 30)))
    q[:3] = rng.normal(size=3) / 10
    return q, rng.normal(size=6)


def rotation(w, x, y, z):
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_a_bushing_pulls_by_the_gradient_of_its_energy(rng):
    """V = ½ xᵀ K x written here with quaternions, differentiated by central differences."""
    model = da.compile(mounted(damping=None))  # type: ignore[arg-type]
    q, _ = random_state(model, rng)

    def energy(q):
        # the end of the body in world axes, from the end on the root; 2 sin(θ/2) n = 2 (x, y, z)
        R = rotation(*q[3:])
        d = q[:3] + R @ [0.05, 0, -0.02] - [0.1, 0.2, 0.3]
        s = 2 * np.sign(q[3]) * q[4:]
        x = np.concatenate([d, s])
        return x @ K @ x / 2

    assert model.potential_energy(q) == pytest.approx(energy(q), rel=ROUNDING)
    h = 1e-5
    steps = [
        (
            energy(model.configuration.integrate(q, h * e))
            - energy(model.configuration.integrate(q, -h * e))
        )
        / (2 * h)
        for e in np.eye(6)
    ]
    force = model.call("passive_force", q, np.zeros(6))
    # rounding of an energy of 1e3 J over a step of 1e-5
    assert force == pytest.approx(-np.array(steps), abs=1e-7 * np.abs(force).max())


def test_a_bushing_damps_by_the_rates_of_its_extensions(rng):
    """ẋ by central differences along the motion; the power that is lost is ẋᵀ D ẋ."""
    model = da.compile(mounted(stiffness=0 * K))
    q, v = random_state(model, rng)
    h = 1e-6

    def x(q):
        R = rotation(*q[3:])
        d = q[:3] + R @ [0.05, 0, -0.02] - [0.1, 0.2, 0.3]
        return np.concatenate([d, 2 * np.sign(q[3]) * q[4:]])

    rate = (
        x(model.configuration.integrate(q, v, h)) - x(model.configuration.integrate(q, v, -h))
    ) / (2 * h)
    lost = -model.call("passive_force", q, v) @ v
    assert lost == pytest.approx(rate @ D @ rate, rel=1e-7)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_a_bushing_swings_with_its_own_frequencies(scale):
    """A body at its mass centre on six springs: ω² = k/m and k/I, at every scale of stiffness."""
    k = scale * np.array([100.0, 200, 300, 4, 5, 6])
    body = (
        da.Builder("block", gravity=(0, 0, 0))
        .link("block", mass=2, inertia=(0.1, 0.2, 0.25))
        .floating("free", "block")
        .bushing("mount", ("world", (0, 0, 0)), ("block", (0, 0, 0)), stiffness=k.tolist())
        .build()
    )
    model = da.compile(body)
    found = da.analysis.modes(model, model.neutral)
    expected = np.sqrt(np.sort(k / [2, 2, 2, 0.1, 0.2, 0.25]))
    assert found.frequencies == pytest.approx(expected, rel=1e-9)


def test_a_mounted_engine_keeps_its_account(rng):
    model = da.compile(mounted())
    q, v = random_state(model, rng)
    motion = da.simulate(model, q, v, 0.3)
    assert motion.ok
    assert motion.energy.dissipated[-1] > 0
    assert motion.energy_error < 1e-10 * motion.energy.total[0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_exudyn_swings_a_bushing_alike():
    """EXUDYN's rigid body spring damper: 6 × 6 in the axes of the first marker, Tait-Bryan angles.

    Displacements along three axes and one small turn, where the two measures of turning agree.
    """
    exu = pytest.importorskip("exudyn", exc_type=ImportError)
    import exudyn.itemInterface as items  # pyright: ignore[reportMissingImports]

    stiffness = np.diag([400.0, 500, 600, 7, 8, 9])
    damping = np.diag([3.0, 2, 1, 0.07, 0.08, 0.09])
    container = exu.SystemContainer()
    system = container.AddSystem()
    node = system.AddNode(
        items.NodeRigidBodyRxyz(
            referenceCoordinates=[0] * 6, initialVelocities=[0.1, -0.2, 0.3, 0, 0, 1e-4]
        )
    )
    body = system.AddObject(
        items.ObjectRigidBody(mass=2, inertia=[0.1, 0.2, 0.25, 0, 0, 0], nodeNumber=node)
    )
    ground = system.AddObject(items.ObjectGround())
    ends = [system.AddMarker(items.MarkerBodyRigid(bodyNumber=x)) for x in (ground, body)]
    system.AddObject(
        items.ObjectConnectorRigidBodySpringDamper(
            markerNumbers=ends, stiffness=stiffness, damping=damping
        )
    )
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = 0.5
    settings.timeIntegration.numberOfSteps = 5000
    settings.solutionSettings.writeSolutionToFile = False
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.RK67)
    theirs = np.array(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates))

    ours = (
        da.Builder("block", gravity=(0, 0, 0))
        .link("block", mass=2, inertia=(0.1, 0.2, 0.25))
        .floating("free", "block")
        .bushing(
            "mount",
            ("world", (0, 0, 0)),
            ("block", (0, 0, 0)),
            stiffness=stiffness.tolist(),
            damping=damping.tolist(),
        )
        .build()
    )
    model = da.compile(ours)
    motion = da.simulate(model, model.neutral, [0.1, -0.2, 0.3, 0, 0, 1e-4], 0.5)
    x, y, z, _, _, _, turn = motion.q[-1]
    assert [x, y, z, 2 * turn] == pytest.approx([*theirs[:3], theirs[5]], rel=1e-8)


def test_a_mirrored_bushing_moves_as_the_mirror_image(rng):
    one = da.compile(mounted())
    other = da.compile(mounted().mirror("y"))
    q, v = random_state(one, rng)
    image = q * [1, -1, 1, 1, -1, 1, -1]
    signs = np.array([1, -1, 1, -1, 1, -1])
    a = one.forward_dynamics(q, v, np.zeros(6))
    b = other.forward_dynamics(image, signs * v, np.zeros(6))
    assert b == pytest.approx(signs * a, rel=1e-9)


def test_a_cubic_spring_swings_with_the_closed_period():
    """ẍ = -x³ from x = 1 has the period 4 K(1/√2) = Γ(1/4)²/√π (Landau & Lifshitz, §11)."""
    model = da.compile(slider(potential=lambda x: x**4 / 4))
    period = 7.416298709205487
    motion = da.simulate(model, [0.9], [0.0], [0.0, period / 0.9])
    assert motion.q[-1] == pytest.approx(0.9, abs=1e-10)
    assert motion.qd[-1] == pytest.approx(0.0, abs=1e-10)


def test_quadratic_drag_follows_the_closed_form():
    """v̇ = -c v², R = c v³/3 for v > 0: v = v₀/(1 + c v₀ t), x = ln(1 + c v₀ t)/c."""
    model = da.compile(slider(dissipation=lambda x, v: 3 * v**3 / 3))
    motion = da.simulate(model, [0.0], [2.0], 5.0)
    assert motion.qd[-1] == pytest.approx(2 / 31, rel=1e-11)
    assert motion.q[-1] == pytest.approx(np.log(31) / 3, rel=1e-11)
    assert motion.energy_error < 1e-11


def test_stiffness_that_varies_in_time_pumps_as_mathieu_says():
    """ẍ + (a - 2 b cos 2t) x = 0; SciPy's Mathieu function ce is the even solution."""
    special = pytest.importorskip("scipy.special")
    order, b = 2, 1.5
    a = special.mathieu_a(order, b)
    model = da.compile(slider(potential=lambda x: (float(a) - 3 * da.cos(2 * da.time)) * x**2 / 2))
    start = special.mathieu_cem(order, b, 0.0)[0] / 10
    motion = da.simulate(model, [start], [0.0], [0.0, 1.0, 2.0])
    for t, x in zip(motion.t, motion.q[:, 0], strict=True):
        expected = special.mathieu_cem(order, b, np.degrees(t))[0] / 10
        assert x == pytest.approx(expected, abs=1e-10)


def test_laws_are_exact_in_the_equations_and_proved():
    k, c = da.parameters("k c")
    chain = (
        da.Builder("pair", gravity=(0, 0, 0))
        .link("a", mass=1)
        .prismatic("first", "a", axis="x")
        .link("b", mass=1)
        .prismatic("second", "b", axis="x")
        .joint_spring("soft", "second", potential=lambda x: k * x**4 / 4)
        .joint_spring("oil", "first", "second", dissipation=lambda x, v: c * x**2 * v**2 / 2)
        .build()
    )
    eq = chain.equations()
    q1, q2 = eq.coordinates
    drag = c * (q1 - q2) ** 2 * (q1.dot - q2.dot)
    assert da.equal(eq.N[0, 0], drag)
    assert da.equal(eq.N[1, 0], k * q2**3 - drag)
    assert all(proof.is_proved for proof in eq.prove())
    assert all(proof.is_proved for proof in da.compile(chain).prove())


def test_files_variants_and_binding_keep_laws():
    (k,) = da.parameters("k")
    robot = slider(
        potential=lambda x: k * x**4 + da.sin(da.time) * x, dissipation=lambda x, v: v**4 / 4
    )
    assert load_json(save_json(robot)) == robot
    assert load_json(save_json(mounted())) == mounted()
    assert robot.parameters == (k,)
    assert robot.is_timed
    potential = robot.springs[0].potential
    assert potential is not None
    assert robot.bind({k: 2}).springs[0].potential == potential.map(lambda x: 2 if x is k else x)
    assert robot.rename(prefix="a_").springs[0].potential == robot.springs[0].potential
    with pytest.raises(InvalidMechanism, match="springs that push or have laws"):
        da.save(slider(potential=lambda x: x**4), "x.xml")


def test_locking_one_of_two_joints_keeps_the_law():
    """x = q1 - 2 q2 - 1/2 with q1 = 3: V as a function of q2 alone."""
    two = (
        da.Builder("two", gravity=(0, 0, 0))
        .link("a", mass=1)
        .prismatic("one", "a", axis="x")
        .link("b", mass=1)
        .prismatic("two", "b", axis="x", parent="world")
        .joint_spring("s", "one", "two", ratio=2, rest=0.5, potential=lambda x: x**3 + x**4)
        .build()
    )
    for held, at, x in (("one", 3, lambda q: 3 - 2 * q - 0.5), ("two", 3, lambda q: q - 6.5)):
        model = da.compile(two.lock([held], at={held: at}))
        for q in (-0.3, 0.7, 2.0):
            assert model.potential_energy([q]) == pytest.approx(x(q) ** 3 + x(q) ** 4, rel=1e-12)


def test_a_bushing_is_in_all_proofs_and_in_the_regressor():
    """Exact equations, compiled programs and τ = Y θ agree, with its law as a column of one."""
    arm = (
        da.Builder("arm")
        .link("a", mass=1, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
        .revolute("one", "a", axis="y")
        .link("b", mass=1, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
        .revolute("two", "b", axis="y", origin=(1, 0, 0))
        .bushing("mount", ("a", (0.2, 0, 0)), ("b", (0, 0, 0.3)), stiffness=[1, 2, 3, 4, 5, 6])
        .build()
    )
    model = da.compile(arm)
    assert all(proof.is_proved for proof in arm.equations().prove())
    assert all(proof.is_proved for proof in model.prove())
    state = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    names, theta = model.regressor_parameters[:2]
    assert names[-1] == "mount.law"
    tau = model.regressor(*state) @ np.array(theta, float)
    assert tau == pytest.approx(model.inverse_dynamics(*state), rel=1e-12)


def test_maximal_coordinates_have_the_same_energies(rng):
    """V and R of both forms at random joint positions."""
    arm = (
        da.Builder("arm", gravity=(0, 0, 0))
        .link("a", mass=1, inertia=(1, 1, 1))
        .revolute("one", "a", axis="y")
        .link("b", mass=1, inertia=(1, 1, 1))
        .revolute("two", "b", axis="x", origin=(1, 0, 0))
        .bushing("mount", ("world", (0, 0, 0)), ("b", (0, 0.3, 0)), stiffness=[3, 4, 5, 6, 7, 8])
        .spring("s", ("world", (3, 0, 0)), ("b", (0, 1, 0)), dissipation=lambda x, v: x * v**4)
        .build()
    )
    q = dict(zip(arm.equations().coordinates, rng.uniform(-1, 1, 2), strict=True))
    form = arm.maximal()
    there = {x: h.evaluate(q) for x, h in form.positions.items()}
    expected = arm.system().potential.evaluate(q)
    assert form.system.potential.evaluate(there) == pytest.approx(expected, rel=ROUNDING)
    state = q | {x.dot: rng.normal() for x in q}
    there |= {x.dot: da.ddt(h).evaluate(state) for x, h in form.positions.items()}
    expected = arm.system().dissipation.evaluate(state)
    assert form.system.dissipation.evaluate(there) == pytest.approx(expected, rel=1e-10)


def cam(profile):
    """Return a wheel of inertia 2 that lifts a follower of 3 kg against gravity."""
    return (
        da.Builder("cam", gravity=(0, 0, -9.81))
        .link("wheel", mass=1, inertia=(1, 2, 1))
        .revolute("shaft", "wheel", axis="y")
        .link("rod", mass=3)
        .prismatic("lift", "rod", parent="world", axis="z")
        .couple("lobe", "lift", "shaft", profile)
        .build()
    )


def test_a_cam_and_its_follower_move_as_one_coordinate(rng):
    """J θ̈ + m p'(p' θ̈ + p'' θ̇²) + m g p' = 0, the reduced equation, and λ of the follower."""
    model = da.compile(cam(lambda a: da.exp(da.sin(a)) / 50))
    a, w = rng.uniform(-3, 3), rng.normal()
    p = np.exp(np.sin(a)) / 50
    p1, p2 = p * np.cos(a), p * (np.cos(a) ** 2 - np.sin(a))
    qdd, lam = model.constraint_dynamics([a, p], [w, p1 * w], [0, 0])
    expected = -3 * p1 * (p2 * w**2 + 9.81) / (2 + 3 * p1**2)
    assert qdd[0] == pytest.approx(expected, rel=ROUNDING)
    assert qdd[1] == pytest.approx(p1 * expected + p2 * w**2, rel=ROUNDING)
    assert lam[0] == pytest.approx(3 * (qdd[1] + 9.81), rel=ROUNDING)


def test_a_cam_that_grows_in_time_keeps_its_account():
    robot = cam(lambda a: (1 + da.time / 10) * da.cos(a) / 20)
    assert load_json(save_json(robot)) == robot
    model = da.compile(robot)
    motion = da.simulate(model, [0.5, 0.0], [3.0, 0.0], 3.0, initial="project")
    assert motion.ok
    a, lift = motion.q.T
    assert np.abs(lift - (1 + motion.t / 10) * np.cos(a) / 20).max() < 1e-13
    assert motion.energy_error < 1e-10


def test_a_rack_on_a_pinion_falls_with_the_reflected_inertia():
    """m ẍ = m g - J ẍ / r²."""
    rack = (
        da.Builder("rack", gravity=(0, 0, -9.81))
        .link("pinion", mass=1, inertia=(1, 0.03, 1))
        .revolute("shaft", "pinion", axis="y")
        .link("rack", mass=2)
        .prismatic("slide", "rack", parent="world", axis="-z")
        .couple("teeth", "slide", "shaft", 0.1)
        .build()
    )
    qdd = da.compile(rack).forward_dynamics([0, 0], [0, 0], [0, 0])
    assert qdd[1] == pytest.approx(2 * 9.81 / (2 + 0.03 / 0.01), rel=ROUNDING)


def test_a_differential_gives_both_wheels_the_same_torque():
    """Side gears on the carrier turn against each other: ω₁ + ω₂ = 2 ω_c, and each gets τ/2.

    So a wheel of inertia J is accelerated by τ/(2 J), whatever the other one has.
    """
    gear = (
        da.Builder("differential", gravity=(0, 0, 0))
        .link("carrier", mass=1, inertia=(1e-9, 1e-9, 1e-9))
        .revolute("drive", "carrier", axis="y")
        .link("left", mass=1, inertia=(1, 0.2, 1))
        .revolute("one", "left", parent="carrier", axis="y")
        .link("right", mass=1, inertia=(1, 0.7, 1))
        .revolute("two", "right", parent="carrier", axis="y")
        .couple("pinions", "one", "two", -1)
        .build()
    )
    qdd = da.compile(gear).forward_dynamics([0, 0, 0], [0, 0, 0], [3.0, 0, 0])
    assert qdd[0] + qdd[1] == pytest.approx(1.5 / 0.2, rel=1e-7)
    assert qdd[0] + qdd[2] == pytest.approx(1.5 / 0.7, rel=1e-7)


def test_laws_that_are_none_are_refused():
    (x,) = da.coordinates("x")
    with pytest.raises(InvalidMechanism, match="lambda x"):
        slider(potential=3)
    with pytest.raises(InvalidMechanism, match="function of 1 expressions"):
        slider(potential=lambda a, b: a * b)
    with pytest.raises(InvalidMechanism, match="got x in it"):
        slider(potential=lambda a: a * x)
    with pytest.raises(UnknownName, match="potential"):
        slider(potentail=lambda a: a)
    with pytest.raises(InvalidMechanism, match="symmetric matrix"):
        mounted(stiffness=np.triu(np.ones((6, 6))))
    with pytest.raises(InvalidMechanism, match="6 numbers or rows"):
        mounted(stiffness=np.eye(5))
    with pytest.raises(InvalidExpression, match="a number or an expression, got 'cos'"):
        cam("cos")
