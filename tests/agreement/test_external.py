"""Wrenches on frames: against Pinocchio's fext, MuJoCo's xfrc_applied, and difference quotients."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import EvaluationError, UnknownName
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco, to_pinocchio
from dalembert.model import Model
from tests.agreement.test_edits import SINGLE_KINDS
from tests.agreement.test_random_trees import (
    draw_state,
    mujoco,
    pin,
    pinocchio_model,
    turned,
)
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism

TREES = 6
ROUNDING = 1e-10
STEP = 1e-6
# of a central difference with that step
DIFFERENCE = 1e-6


def random_robot(rng: np.random.Generator, **options: Any) -> Mechanism:
    """Return a tree with quaternions and mimic joints, and a frame somewhere on it."""
    while True:
        mechanism = random_mechanism(rng, int(rng.integers(2, 5)), mimic=0.2, **options)
        if mechanism.nv:
            break
    link = str(rng.choice([joint.child for joint in mechanism.joints]))
    X = random_mechanism(rng, 1).joints[0].placement
    return mechanism.add_frame("tool", link, placement=X)


def numpy_model(mechanism: Mechanism) -> Model:
    """Return a model that is used too little to be compiled."""
    return da.compile(mechanism, passive=False, backend="numpy")


def size_of(x: Any) -> float:
    return max(1.0, float(np.abs(x).max()))


def test_wrenches_agree_with_pinocchio(rng: np.random.Generator, scale: float) -> None:
    """Pinocchio's are in the frame of the joint: moved there by the pose of the tool."""
    for _ in range(num_cases(TREES, scale)):
        mechanism = turned(rng, random_robot(rng))
        theirs, ours = pinocchio_model(mechanism), numpy_model(mechanism)
        q, v, a = draw_state(rng, mechanism)
        F = rng.normal(size=6)
        frame = mechanism.frame("tool")
        body = theirs.frames[theirs.getFrameId(frame.link)]
        X = pin.SE3(np.array(frame.placement.R, float), np.array(frame.placement.p, float))
        fext = [pin.Force.Zero() for _ in range(theirs.njoints)]
        fext[body.parentJoint] = (body.placement * X).act(pin.Force(F))
        pq, _ = to_pinocchio(mechanism, q, v, model=theirs)
        G = to_pinocchio(mechanism, q, np.eye(mechanism.nv), model=theirs)[1].T
        tau = G.T @ pin.rnea(theirs, theirs.createData(), pq, G @ v, G @ a, fext)
        found = ours.inverse_dynamics(q, v, a, external={"tool": F}, reference="body")
        assert np.abs(found - tau).max() < ROUNDING * size_of(tau)
        # the same wrench in world axes, and about the world's origin
        X_W = ours.forward_kinematics(q, "tool")
        f, n = X_W[:3, :3] @ F[:3], X_W[:3, :3] @ F[3:]
        world = {"tool": np.concatenate([f, n])}
        spatial = {"tool": np.concatenate([f, n + np.cross(X_W[:3, 3], f)])}
        for wrench, reference in ((world, "world"), (spatial, "spatial")):
            again = ours.inverse_dynamics(q, v, a, external=wrench, reference=reference)
            assert np.abs(again - tau).max() < ROUNDING * size_of(tau)
        # forward dynamics goes the way back, unless a joint moves nothing
        if np.linalg.cond(ours.mass_matrix(q)) < 1e6:
            back = ours.forward_dynamics(q, v, tau, external=world)
            assert np.abs(back - a).max() < 1e-6 * size_of(a)


def test_wrenches_agree_with_mujoco(rng: np.random.Generator, scale: float) -> None:
    """MuJoCo's act at the centre of mass of a body, in world axes."""
    for _ in range(num_cases(TREES, scale)):
        mechanism = random_robot(rng, kinds=SINGLE_KINDS)
        link = mechanism.joints[-1].child
        model, ours = mujoco.MjModel.from_xml_string(save_mjcf(mechanism)), numpy_model(mechanism)
        data = mujoco.MjData(model)
        q, v, _ = draw_state(rng, mechanism)
        data.qpos[:], data.qvel[:] = to_mujoco(mechanism, q, v, model=model)
        mujoco.mj_forward(model, data)
        F = rng.normal(size=6)
        body = model.body(link).id
        force = np.zeros(model.nv)
        mujoco.mj_applyFT(model, data, F[:3], F[3:], data.xpos[body], body, force)
        G = to_mujoco(mechanism, q, np.eye(mechanism.nv), model=model)[1].T
        found = ours.external_forces(q, {link: F})
        assert np.abs(found - G.T @ force).max() < ROUNDING * size_of(force)


def test_derivatives_under_wrenches(rng: np.random.Generator, scale: float) -> None:
    """Against differences along velocities, quaternions included."""
    for _ in range(num_cases(2, scale)):
        mechanism = random_robot(rng, kinds=("revolute", "prismatic", "spherical", "floating"))
        mechanism = replace(
            mechanism, joints=tuple(replace(j, armature=1) for j in mechanism.joints)
        )
        model = numpy_model(mechanism)
        q, v, a = draw_state(rng, mechanism)
        external = {"tool": rng.normal(size=6)}

        def slope(f: Any, model: Any = model, q: np.ndarray = q) -> np.ndarray:
            moved = [
                [f(model.configuration.integrate(q, s * STEP * e)) for s in (1, -1)]
                for e in np.eye(model.nv)
            ]
            return np.array([(x - y) / (2 * STEP) for x, y in moved]).T

        dq, _, _ = model.inverse_dynamics_derivatives(q, v, a, external=external)
        expected = slope(lambda x: model.inverse_dynamics(x, v, a, external=external))  # noqa: B023
        assert np.abs(dq - expected).max() < DIFFERENCE * size_of(expected)
        dq, _, _ = model.forward_dynamics_derivatives(q, v, a, external=external)
        expected = slope(lambda x: model.forward_dynamics(x, v, a, external=external))  # noqa: B023
        assert np.abs(dq - expected).max() < DIFFERENCE * size_of(expected)


def test_wrenches_on_loops() -> None:
    """By hand: a force on the pin of a closed chain is the negative of its multiplier at rest."""
    bar = {"mass": 0, "inertia": (0, 0, 0)}
    ring = (
        da.Builder("ring", gravity=(0, 0, 0))
        .link("a", mass=1, inertia=(1, 1, 1))
        .revolute("j", "a")
        .link("b", **bar)
        .revolute("k", "b", origin=(1, 0, 0), armature=1)
        .frame("end", "b", origin=(1, 0, 0))
        .loop("pin", ("b", (1, 0, 0)), ("world", (1, 1, 0)))
        .build()
    )
    model = da.compile(ring)
    q, rest = [0.0, np.pi / 2], [0.0, 0.0]
    qdd, lam = model.constraint_dynamics(q, rest, rest, external={"end": [3, 4, 0, 0, 0, 0]})
    assert np.abs(qdd).max() < 1e-12
    assert np.abs(lam - [-3, -4]).max() < 1e-12
    assert (
        np.abs(model.forward_dynamics(q, rest, rest, external={"end": [3, 4, 0, 0, 0, 0]})).max()
        < 1e-12
    )


def test_without_wrenches_nothing_changes() -> None:
    """No wrench is the same kernel: the very program, and the same fast call."""
    model = da.compile(da.textbook.robots.ur5e())
    x = np.linspace(0, 1, 6)
    plain = model.inverse_dynamics(x, x, x)
    assert np.array_equal(model.inverse_dynamics(x, x, x, external={}), plain)
    assert np.array_equal(model.inverse_dynamics(x, x, x, external=None), plain)
    assert model.kernel("inverse_dynamics") is model.kernel("inverse_dynamics")
    empty = model.program("inverse_dynamics", external=(), reference="world")
    assert empty.code == model.program("inverse_dynamics").code
    # batches, and several frames at once
    F = np.ones((4, 6))
    batch = model.inverse_dynamics(x, x, x, external={"link3": F, "flange": [0.0] * 6})
    J = model.jacobian(x, "link3")
    assert np.abs(batch - (plain - J.T @ F[0])).max() < ROUNDING * 10


def test_refused_wrenches() -> None:
    model = da.compile(da.textbook.robots.ur5e())
    x = np.zeros(6)
    with pytest.raises(UnknownName, match="expected a frame of ur5e, got 'tol'"):
        model.inverse_dynamics(x, x, x, external={"tol": x})
    with pytest.raises(EvaluationError, match=r"expected shape \(..., 6\) for wrench_flange"):
        model.inverse_dynamics(x, x, x, external={"flange": [1.0, 2.0, 3.0]})
    with pytest.raises(EvaluationError, match="expected wrenches by the name of a frame"):
        model.inverse_dynamics(x, x, x, external=[x])  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="expected a reference of world, body, spatial"):
        model.inverse_dynamics(x, x, x, external={"flange": x}, reference="local")
    pendulum = da.compile(
        da.textbook.cart_pole(), parameters=dict.fromkeys(("m_c", "m_p", "l", "g"), 1.0)
    )
    with pytest.raises(UnknownName, match="got external="):
        pendulum.forward_dynamics([0, 0], [0, 0], [0], external={"tip": x})


def test_equations_under_wrenches() -> None:
    """Virtual work: the symbolic force is Jᵀ F, and the whole residual that of the model."""
    F, N = da.inputs("F N")
    arm = da.textbook.robots.planar_arm_nr(2)
    a1, a2 = da.parameters("a1 a2")
    q1, q2 = da.coordinates("q1 q2")
    bare = arm.equations()
    eq = arm.equations(external={"tip": (0, F, 0, 0, 0, N)})
    # y = a₁ s₁ + a₂ s₁₂, and both links turn about z
    y = a1 * da.sin(q1) + a2 * da.sin(q1 + q2)
    for i, q in enumerate((q1, q2)):
        work = F * y.diff(q) + N
        assert da.equal(bare.residual[i, 0] - eq.residual[i, 0], work)
