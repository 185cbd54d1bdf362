"""Prescribed motion: drives of joints, points on paths, and the forces and power that they take."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import InvalidMechanism
from dalembert.mechanism import Coupling
from dalembert.simulation import JointStops, simulate

T = da.time
G = 9.81


def pendulum(name="pendulum", mass=2, length=3):
    """A point mass on a massless rod that hangs down at q = 0 and turns about y."""
    return (
        da.Builder(name)
        .link("rod", mass=mass, com=(0, 0, -length))
        .revolute("hinge", "rod", axis="y")
    )


def test_the_torque_of_a_driven_pendulum_is_that_of_newtons_law():
    """τ = m l² q̈ + m g l sin q with q = ½ sin 2t prescribed."""
    driven = pendulum().drive("motor", "hinge", da.sin(2 * T) / 2).build()
    motion = da.simulate(da.compile(driven), [0.0], [1.0], 3.0)
    q, a = np.sin(2 * motion.t) / 2, -2 * np.sin(2 * motion.t)
    assert motion.ok
    assert motion.constraint_names == ("drive motor",)
    np.testing.assert_allclose(motion.q[:, 0], q, atol=1e-14)
    np.testing.assert_allclose(
        motion.lam[:, 0], 2 * 9 * a + 2 * G * 3 * np.sin(q), rtol=1e-11, atol=1e-11
    )


def test_the_power_of_a_drive_is_in_the_energy_account():
    driven = pendulum().drive("motor", "hinge", da.sin(2 * T) / 2).build()
    motion = da.simulate(da.compile(driven), [0.0], [1.0], 3.0)
    # E = ½ m l² q̇² - m g l cos q, and nothing is dissipated
    q, v = np.sin(2 * motion.t) / 2, np.cos(2 * motion.t)
    E = 9 * v**2 - 6 * G * np.cos(q)
    np.testing.assert_allclose(motion.energy.work, E - E[0], atol=1e-11)
    assert motion.energy_error < 1e-12
    assert not motion.energy.dissipated.any()


def test_equations_of_a_drive_are_proved_of_the_model():
    driven = (
        pendulum()
        .link("bob", mass=1, com=(0, 0, -1))
        .revolute("knee", "bob", axis="y", origin=(0, 0, -3))
        .drive("motor", "hinge", da.sin(T))
        .build()
    )
    proofs = da.compile(driven).prove()
    assert any("constraint" in str(proof) for proof in proofs)
    assert all(proof.is_proved for proof in proofs), [str(p) for p in proofs if not p.is_proved]


def test_a_point_on_a_prescribed_path_needs_the_force_of_newtons_law():
    """A free body whose point moves on a helix: F = m (p̈ - g), whatever its orientation."""
    path = (da.cos(T), da.sin(T), T / 2)
    body = (
        da.Builder("body")
        .link("ball", mass=3, inertia=(1, 2, 2.5))
        .floating("free", "ball")
        .loop("hand", ("ball", (0, 0, 0)), ("world", path))
        .build()
    )
    model = da.compile(body)
    q0, v0 = [1, 0, 0, 1, 0, 0, 0], [0, 1, 0.5, 0.3, -0.2, 0.5]
    motion = da.simulate(model, q0, v0, 2.0)
    assert motion.ok
    t = motion.t
    np.testing.assert_allclose(
        motion.q[:, :3], np.stack([np.cos(t), np.sin(t), t / 2], -1), atol=1e-13
    )
    force = 3 * np.stack([-np.cos(t), -np.sin(t), np.full_like(t, G)], -1)
    np.testing.assert_allclose(motion.lam, force, atol=1e-10)
    assert motion.energy_error < 1e-11


def test_a_point_that_moves_on_a_link_that_turns_has_coriolis_acceleration():
    """The residual of the closures, differentiated by central differences, is A v and A a + b."""
    arm = (
        da.Builder("arm")
        .link("a", mass=1, inertia=(1, 1, 1))
        .revolute("j1", "a", axis="z")
        .link("b", mass=1, inertia=(1, 1, 1))
        .revolute("j2", "b", axis="y", origin=(1, 0, 0))
        .link("c", mass=1)
        .floating("free", "c", parent="world")
        .loop("slot", ("b", (T**2, da.sin(T), 1)), ("c", (0, T, 0)))
        .couple("gear", "j1", "j2", ratio=da.cos(T), offset=T**3)
        .build()
    )
    model = da.compile(arm)
    q = np.array([0.3, 0.4, 0.1, -0.2, 0.3, 0.9, 0.1, -0.3, 0.3])
    q[5:] /= np.linalg.norm(q[5:])
    v, t, h = np.arange(1.0, 9.0) / 5, 0.6, 1e-4

    def error(s):
        return model.constraint_error(model.configuration.integrate(q, v, s), t=t + s)

    rate = model.constraint_jacobian(q, t=t) @ v
    drift = (model.constraint_error(q, t=t + h) - model.constraint_error(q, t=t - h)) / (2 * h)
    np.testing.assert_allclose((error(h) - error(-h)) / (2 * h), rate + drift, atol=1e-7)
    # with the body-fixed velocities held, the second derivative is the bias
    second = (error(h) - 2 * error(0.0) + error(-h)) / h**2
    np.testing.assert_allclose(second, model.constraint_bias(q, v, t=t), atol=1e-6)


def test_a_shaken_pivot_lifts_kapitzas_pendulum():
    """Fast vertical shaking holds a pendulum upright where a² ω² > 2 g l, and not below that."""

    def largest(amplitude):
        shaken = (
            da.Builder("kapitza")
            .link("cart", mass=1)
            .prismatic("shaker", "cart", axis="z")
            .link("rod", mass=1, com=(0, 0, 1))
            .revolute("hinge", "rod", axis="y")
            .drive("shake", "shaker", amplitude * da.sin(100 * T))
            .build()
        )
        motion = da.simulate(da.compile(shaken), [0, 0.1], [100 * amplitude, 0], 2.0)
        assert motion.ok
        assert motion.energy_error < 1e-9
        return np.abs(motion["hinge"]).max()

    assert largest(0.09) < 0.5 < 3 < largest(0.02)


def test_four_bar_with_a_driven_crank_has_no_freedom_left():
    """At q = t = 0 the terms of the drive have no size, but the steps that close the loop do."""
    names, values = "l0 l1 l2 l3 m1 m2 m3 g", (1.0, 0.3, 0.9, 0.7, 1.0, 1.2, 1.1, 9.81)
    linkage = da.textbook.robots.four_bar()
    crank = linkage.moving_joints[0].name
    drive = Coupling.of("crank", crank, None, (2 * T,))
    driven = replace(linkage, couplings=(drive,)).bind(
        dict(zip(names.split(), values, strict=True))
    )
    assert driven.degrees_of_freedom == 0
    motion = da.simulate(da.compile(driven), [0.0, 0.9, 1.9], [2, 0, 0], np.pi, initial="project")
    assert motion.ok
    assert motion.position_error.max() < 1e-12
    # one turn of the crank: all is where it began, and the drive did no work in sum
    np.testing.assert_allclose(motion.q[-1] - motion.q[0], [2 * np.pi, -2 * np.pi, 0], atol=1e-9)
    assert abs(motion.energy.work[-1]) < 1e-9
    assert motion.energy_error < 1e-10


def test_springs_and_gravity_may_depend_on_time():
    """A slider on a spring whose stiffness, rest and weight move: ẍ = -k(t) (x - r(t)) + g(t)."""
    slider = (
        da.Builder("slider", gravity=(da.sin(T), 0, 0))
        .link("mass", mass=1)
        .prismatic(
            "slide", "mass", axis="x", stiffness=4 + da.cos(3 * T), rest=da.sin(T) / 2, damping=0.1
        )
        .build()
    )
    (x,) = da.coordinates("x")
    system = da.System(
        kinetic=x.dot**2 / 2,
        potential=(4 + da.cos(3 * T)) * (x - da.sin(T) / 2) ** 2 / 2 - x * da.sin(T),
        dissipation=x.dot**2 / 20,
        coordinates=[x],
    )
    one = da.simulate(da.compile(slider), [0.4], [0.1], [0.0, 5.0])
    other = da.simulate(da.compile(system), [0.4], [0.1], [0.0, 5.0])
    np.testing.assert_allclose(one.q, other.q, rtol=1e-11)
    np.testing.assert_allclose(one.energy.work, other.energy.work, atol=1e-11)
    assert one.energy_error < 1e-12
    assert slider.parameters == ()


@pytest.mark.parametrize(
    "build",
    [
        lambda b: b.link("a", mass=T).revolute("j", "a"),
        lambda b: b.link("a", mass=1).revolute("j", "a", origin=(T, 0, 0)),
        lambda b: (
            b.link("a", mass=1)
            .revolute("j", "a")
            .link("b", mass=1)
            .revolute("k", "b", mimic=("j", 1, T))
        ),
        lambda b: b.link("a", mass=1).revolute("j", "a").frame("tip", "a", origin=(0, T, 0)),
        lambda b: (
            b.link("a", mass=1)
            .revolute("j", "a")
            .spring("s", ("world", (T, 0, 0)), ("a", (1, 0, 0)), damping=1)
        ),
    ],
    ids=["mass", "placement", "mimic", "frame", "damper"],
)
def test_time_where_bodies_would_move_without_velocity_is_refused(build):
    with pytest.raises(InvalidMechanism, match="depends on the time: prescribe motion"):
        build(da.Builder("moving")).build()


def test_drives_survive_json(tmp_path):
    driven = pendulum().drive("motor", "hinge", da.sin(2 * T)).build()
    da.save(driven, tmp_path / "driven.json")
    assert da.load(tmp_path / "driven.json") == driven


def test_poses_of_a_driven_motion():
    driven = pendulum().drive("motor", "hinge", T).build()
    motion = da.simulate(da.compile(driven), [0.0], [1.0], [0.0, np.pi / 2])
    np.testing.assert_allclose(motion.frames()["rod"][-1][:3, 2], [1, 0, 0], atol=1e-13)


def test_a_driven_joint_cannot_be_locked():
    driven = pendulum().drive("motor", "hinge", da.sin(T)).build()
    with pytest.raises(InvalidMechanism, match="got 'hinge' with the drive 'motor'"):
        driven.lock("hinge")


def test_a_start_off_by_rounding_is_on_the_drive():
    """At t = 0 the drive is at zero: its own terms have no size that an error could be beside."""
    driven = pendulum().drive("motor", "hinge", da.sin(T)).build()
    assert da.simulate(da.compile(driven), [1e-16], [1.0], 0.1).ok


def test_a_drive_does_the_work_on_what_rests_at_a_stop():
    """A slider of m = 2 kg is held by the stop at r = 1 m of an arm that a drive turns faster."""
    builder = da.Builder("arm", gravity=(0, 0, 0))
    builder.link("arm", mass=1, inertia=(2, 2, 3)).revolute("turn", "arm", axis="z")
    builder.link("slider", mass=2, inertia=(0, 0, 0))
    # beside the axis, so that the force of the stop has a moment about it
    builder.prismatic("guide", "slider", axis="x", origin=(0, 1, 0), limits=(0, 1))
    builder.drive("drive", "turn", da.time + da.time**2 / 2)
    model = da.compile(builder.build())
    motion = simulate(
        *(model, [0.0, 1.0], [1.0, 0.0], np.linspace(0, 2, 9)), events=[JointStops(restitution=0.5)]
    )
    assert motion.ok
    assert np.abs(motion.q[:, 1] - 1).max() < 1e-12
    # ω = 1 + t turns the inertia 3 + 2 (1² + 1²) kg m²
    expected = 7 / 2 * ((1 + motion.t) ** 2 - 1)
    assert np.abs(motion.energy.work - expected).max() < 1e-11
    assert motion.energy_error < 1e-11


def test_a_drive_does_the_work_of_an_elastic_impact():
    """A slider of m = 2 kg at d = 1 m beside the axis bounces off the stop of an arm with ω = 1/s.

    It moves with (ṙ - ω d, ω r). The drive keeps ω, and ṙ changes its sign: work 2 m ṙ ω d.
    """
    builder = da.Builder("arm", gravity=(0, 0, 0))
    builder.link("arm", mass=1, inertia=(2, 2, 3)).revolute("turn", "arm", axis="z")
    builder.link("slider", mass=2, inertia=(0, 0, 0))
    builder.prismatic("guide", "slider", axis="x", origin=(0, 1, 0), limits=(0, 1))
    builder.drive("drive", "turn", da.time)
    model = da.compile(builder.build())
    motion = simulate(
        *(model, [0.0, 0.5], [1.0, 0.5], np.linspace(0, 1, 9)), events=[JointStops(restitution=1)]
    )
    (k,) = np.flatnonzero(np.diff(motion.t) == 0)
    before, after = motion.qd[k : k + 2, 1]
    assert before > 0
    assert abs(after + before) < 1e-12
    assert abs(np.diff(motion.energy.work)[k] - 4 * before) < 1e-11
    assert np.abs(motion.energy.dissipated).max() < 1e-11
    assert motion.energy_error < 1e-11
