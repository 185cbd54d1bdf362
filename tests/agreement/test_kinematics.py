"""Velocities, accelerations, momenta and their derivatives of random trees against Pinocchio.

Derivatives along velocities are also complex steps through the functions themselves, which have
no truncation error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Mechanism
from dalembert.mechanism.io.state_layouts import from_pinocchio, to_pinocchio
from tests.agreement.test_random_trees import draw_state, pinocchio_model, turned
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism

pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")

TREES = 10
TOLERANCE = 1e-11
STEP = 1e-30
REFERENCES = {"world": "LOCAL_WORLD_ALIGNED", "body": "LOCAL", "spatial": "WORLD"}
# the joints that both engines give the same manifold; theirs of continuous ones are circles
MANIFOLD = ("revolute", "prismatic", "spherical", "floating")


class Case(NamedTuple):
    """Our model and state; theirs, with G that turns velocities of ours into theirs."""

    ours: Any
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    model: Any
    data: Any
    G: np.ndarray
    pq: np.ndarray
    frame: str
    other: str


def cases(rng: np.random.Generator, scale: float) -> Iterator[Case]:
    for _ in range(num_cases(TREES, scale)):
        mechanism = turned(rng, random_mechanism(rng, int(rng.integers(2, 6))))
        if not mechanism.nv:
            continue
        model = pinocchio_model(mechanism)
        q, v, a = draw_state(rng, mechanism)
        G = to_pinocchio(mechanism, q, np.eye(mechanism.nv), model=model)[1].T
        pq, _ = to_pinocchio(mechanism, q, v, model=model)
        names = [link.name for link in mechanism.links[1:]]
        frame, other = str(rng.choice(names)), str(rng.choice(names))
        ours = da.compile(mechanism, "numpy")
        yield Case(ours, q, v, a, model, model.createData(), G, pq, frame, other)


def close(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    assert np.shape(ours) == np.shape(theirs), what
    size = max(1.0, np.abs(theirs).max(initial=0.0))
    error = np.abs(ours - theirs).max(initial=0.0)
    assert error <= TOLERANCE * size, f"{what}: {error / size:.1e}"


def reference(name: str) -> Any:
    return getattr(pin.ReferenceFrame, REFERENCES[name])


def test_frames_move_as_in_pinocchio(rng: np.random.Generator, scale: float) -> None:
    for case in cases(rng, scale):
        ours, model, data, G = case.ours, case.model, case.data, case.G
        pv, pa = G @ case.v, G @ case.a
        pin.forwardKinematics(model, data, case.pq, pv, pa)
        pin.computeJointJacobiansTimeVariation(model, data, case.pq, pv)
        pin.updateFramePlacements(model, data)
        number = model.getFrameId(case.frame)
        for name in REFERENCES:
            at = reference(name)
            velocity = ours.frame_velocity(case.q, case.v, case.frame, name)
            close(velocity, pin.getFrameVelocity(model, data, number, at).vector, "velocity")
            classical = pin.getFrameClassicalAcceleration if name == "world" else None
            theirs = (classical or pin.getFrameAcceleration)(model, data, number, at).vector
            acceleration = ours.frame_acceleration(case.q, case.v, case.a, case.frame, name)
            close(acceleration, theirs, f"acceleration {name}")
            Jd = ours.jacobian_rate(case.q, case.v, case.frame, name)
            theirs = pin.getFrameJacobianTimeVariation(model, data, number, at).reshape(6, -1)
            close(Jd, theirs @ G, f"J̇ {name}")


def test_derivatives_of_motion_as_in_pinocchio(rng: np.random.Generator, scale: float) -> None:
    for case in cases(rng, scale):
        ours, model, data, G = case.ours, case.model, case.data, case.G
        pv, pa = G @ case.v, G @ case.a
        pin.computeForwardKinematicsDerivatives(model, data, case.pq, pv, pa)
        pin.updateFramePlacements(model, data)
        number = model.getFrameId(case.frame)
        # in its other references Pinocchio moves the local derivatives, which is another thing
        at = reference("body")
        v_dq, a_dq, a_dv, a_da = (
            x.reshape(6, -1) @ G
            for x in pin.getFrameAccelerationDerivatives(model, data, number, at)
        )
        first = ours.frame_velocity_derivatives(case.q, case.v, case.frame, "body")
        second = ours.frame_acceleration_derivatives(case.q, case.v, case.a, case.frame, "body")
        for mine, theirs in zip((*first, *second), (v_dq, a_da, a_dq, a_dv, a_da), strict=True):
            close(mine, theirs, "derivatives")


def test_derivatives_of_motion_by_complex_steps(rng: np.random.Generator, scale: float) -> None:
    for case in cases(rng, scale):
        ours, n = case.ours, case.ours.nv
        rates = ours.call("configuration_rate", np.tile(case.q, (n, 1)), np.eye(n))
        moved = case.q + 1j * STEP * rates
        for name in rng.choice(list(REFERENCES), 1):
            J = ours.jacobian(moved, case.frame, name).imag / STEP
            H = ours.jacobian_derivatives(case.q, case.frame, name)
            close(H, np.moveaxis(J, 0, -1), f"∂J/∂q {name}")
            velocity = ours.frame_velocity(moved, case.v, case.frame, name).imag / STEP
            dq, J = ours.frame_velocity_derivatives(case.q, case.v, case.frame, name)
            close(dq, velocity.T, f"∂v/∂q {name}")
            close(J, ours.jacobian(case.q, case.frame, name), "∂v/∂q̇")
            there = ours.frame_acceleration(moved, case.v, case.a, case.frame, name).imag / STEP
            da_dq, da_dv, da_da = ours.frame_acceleration_derivatives(
                case.q, case.v, case.a, case.frame, name
            )
            close(da_dq, there.T, f"∂a/∂q {name}")
            step = case.v + 1j * STEP * np.eye(n)
            there = ours.frame_acceleration(case.q, step, case.a, case.frame, name).imag / STEP
            close(da_dv, there.T, f"∂a/∂q̇ {name}")
            close(da_da, J, "∂a/∂q̈")


def test_momenta_as_in_pinocchio(rng: np.random.Generator, scale: float) -> None:
    for case in cases(rng, scale):
        ours, model, data, G = case.ours, case.model, case.data, case.G
        if _has_welded_links(ours.mechanism):
            # Pinocchio has no place for what is welded to the root
            continue
        pv = G @ case.v
        pin.dccrba(model, data, case.pq, pv)
        close(ours.centroidal_map(case.q), data.Ag.reshape(6, -1) @ G, "A")
        close(ours.centroidal_map_rate(case.q, case.v), data.dAg.reshape(6, -1) @ G, "Ȧ")
        J = ours.center_of_mass_jacobian(case.q)
        theirs = pin.jacobianCenterOfMass(model, data, case.pq).reshape(3, -1)
        close(J, theirs @ G, "J of the centre of mass")
        Jd = ours.center_of_mass_jacobian_rate(case.q, case.v)
        pin.centerOfMass(model, data, case.pq, pv, G @ case.a)
        close(J @ case.a + Jd @ case.v, data.acom[0], "acceleration of the centre of mass")
        mass = data.mass[0]
        close(Jd, data.dAg.reshape(6, -1)[:3] @ G / mass, "J̇ of the centre of mass")


def test_relative_motion_as_in_pinocchio(rng: np.random.Generator, scale: float) -> None:
    for case in cases(rng, scale):
        ours, model, data = case.ours, case.model, case.data
        pin.computeJointJacobians(model, data, case.pq)
        pin.updateFramePlacements(model, data)
        F, B = (model.getFrameId(name) for name in (case.frame, case.other))
        X_BF = data.oMf[B].actInv(data.oMf[F])
        close(ours.relative_pose(case.q, case.frame, case.other), X_BF.homogeneous, "X_BF")
        # the twist of F against B at the world's origin, then in B's axes, then of F's origin
        at = pin.ReferenceFrame.WORLD
        J_F, J_B = (pin.getFrameJacobian(model, data, k, at).reshape(6, -1) for k in (F, B))
        twists = data.oMf[B].inverse().action @ (J_F - J_B) @ case.G
        linear = twists[:3] + np.cross(twists[3:], X_BF.translation, axis=0)
        J = ours.relative_jacobian(case.q, case.frame, case.other)
        close(J, np.vstack([linear, twists[3:]]), "relative J")


def test_the_manifold_as_in_pinocchio(rng: np.random.Generator, scale: float) -> None:
    for _ in range(num_cases(TREES, scale)):
        mechanism = random_mechanism(rng, int(rng.integers(1, 5)), kinds=MANIFOLD)
        model, ours = pinocchio_model(mechanism), da.compile(mechanism, "numpy")
        start, end = ours.random_configuration(rng, 2)
        zero = np.zeros(ours.nv)
        p0, p1 = (to_pinocchio(mechanism, q, zero, model=model)[0] for q in (start, end))
        # their tangent space has the order of their joints
        G = to_pinocchio(mechanism, start, np.eye(ours.nv), model=model)[1].T
        if G.shape[0] != G.shape[1]:
            continue
        close(ours.distance(start, end), np.array(pin.distance(model, p0, p1)), "distance")
        close(G @ ours.difference(start, end), pin.difference(model, p0, p1), "difference")
        for part in (0.0, 0.3, 1.0):
            theirs, _ = from_pinocchio(
                mechanism, pin.interpolate(model, p0, p1, part), G @ zero, model=model
            )
            between = ours.interpolate(start, end, part)
            assert ours.distance(between, theirs) <= TOLERANCE


def _has_welded_links(mechanism: Mechanism) -> bool:
    fixed = {mechanism.root}
    for joint in mechanism.joints:
        if joint.parent in fixed and joint.kind.value == "fixed":
            fixed.add(joint.child)
    return len(fixed) > 1
