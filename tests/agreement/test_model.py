"""Compiled models against Pinocchio, MuJoCo, the zoo's stored references, and complex steps.

Every function runs on a batch that is no multiple of the vector width, and on single states; both
backends run the very same program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import symbol_text
from dalembert.kernel.backends.llvm.host import this_host
from dalembert.kernel.backends.numpy.kernel import NumpyKernel
from dalembert.mechanism import JointKind, Mechanism
from dalembert.mechanism.io.mjcf.write import save_mjcf
from dalembert.mechanism.io.state_layouts import to_mujoco, to_pinocchio
from dalembert.recursions.tree import Tree
from dalembert.textbook import robots
from tests.agreement import test_random_trees as trees
from tests.agreement import test_zoo as zoo
from tests.agreement.test_random_trees import (
    FORCE_TOLERANCE,
    FORWARD_TOLERANCE,
    JACOBIANS,
    MATRIX_TOLERANCE,
    close,
    draw_state,
)
from tests.cases import num_cases
from tests.random_mechanisms import random_mechanism

pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed: no oracle")
mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed: no oracle")

STATES = this_host().width + 1
ROBOTS = 20
BATCHES = 5
STEP = 1e-30
DERIVATIVE_TOLERANCE = 1e-12


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code of this run only."""
    monkeypatch.setenv("DALEMBERT_CACHE", "")


class Both:
    """Call functions of a model on both backends and in both ways, and compare what they give."""

    def __init__(self, mechanism: Mechanism, **options: Any) -> None:
        self.model = da.compile(mechanism, **options)

    def __call__(self, name: str, *arrays: np.ndarray, **options: Any) -> Any:
        """Return the results for a batch."""
        kernel = self.model.kernel(name, **options)
        result = self.as_tuple(kernel(*arrays))
        reference = self.as_tuple(NumpyKernel(kernel.program)(*arrays))
        single = self.as_tuple(kernel(*(x[-1] for x in arrays)))
        for port, a, b, c in zip(kernel.outputs, result, reference, single, strict=True):
            assert np.array_equal(a[-1], c), f"{name}: a single state and a batch differ"
            # products that fuse with sums round once less
            size = np.abs(b).max(initial=1.0)
            limit = 1e-11 if "forward" in name else 1e-12
            limit *= self.condition(arrays[0]) if "forward" in name else 1
            assert np.abs(a - b).max(initial=0) <= limit * size, f"{name}: {port.name}"
        return result[0] if len(result) == 1 else result

    @staticmethod
    def as_tuple(result: Any) -> tuple[np.ndarray, ...]:
        return result if isinstance(result, tuple) else (result,)

    def condition(self, q: np.ndarray) -> float:
        return float(np.linalg.cond(self.model.mass_matrix(q)).max())


class States(NamedTuple):
    """A batch of states in our layout."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    @classmethod
    def draw(cls, rng: np.random.Generator, mechanism: Mechanism, count: int = STATES) -> States:
        drawn = [draw_state(rng, mechanism) for _ in range(count)]
        return cls(*(np.array(x) for x in zip(*drawn, strict=True)))


def random_robots(rng: np.random.Generator, scale: float, kinds: Any = None) -> Iterator[Mechanism]:
    for _ in range(num_cases(ROBOTS / BATCHES, scale)):
        options = {} if kinds is None else {"kinds": kinds}
        mechanism = random_mechanism(rng, int(rng.integers(1, 6)), **options)
        if mechanism.nv:
            yield mechanism


# ---- Pinocchio


def check_dynamics(mechanism: Mechanism, both: Both, states: States) -> None:
    """Compare with Pinocchio, state by state."""
    tree = Tree.of(mechanism).map(float)
    model = trees.pinocchio_model(mechanism)
    data = model.createData()
    q, v, a = states
    M, h, g = both("mass_matrix", q), both("bias", q, v), both("gravity", q)
    tau = both("inverse_dynamics", q, v, a)
    qdd = both("forward_dynamics", q, v, tau)
    for s in range(len(q)):
        pq, _ = to_pinocchio(mechanism, q[s], v[s], model=model)
        G = to_pinocchio(mechanism, q[s], np.eye(mechanism.nv), model=model)[1].T
        upper = np.triu(pin.crba(model, data, pq))
        full = upper + upper.T - np.diag(np.diag(upper))
        close(M[s], G.T @ full @ G, MATRIX_TOLERANCE, "M", tree)
        unit = np.abs(M[s]).max()
        right = G.T @ pin.nonLinearEffects(model, data, pq, G @ v[s])
        close(h[s], right, FORCE_TOLERANCE, "bias", tree, unit=unit)
        right = G.T @ pin.computeGeneralizedGravity(model, data, pq)
        close(g[s], right, FORCE_TOLERANCE, "gravity", tree, unit=unit)
        right = G.T @ pin.rnea(model, data, pq, G @ v[s], G @ a[s])
        close(tau[s], right, FORCE_TOLERANCE, "τ", tree, unit=unit)
        # what is solved for has the rounding of τ and h
        unit = (np.abs(tau[s]).max() + np.abs(h[s]).max()) / np.linalg.norm(M[s], 2)
        limit = FORWARD_TOLERANCE * np.linalg.cond(M[s])
        close(qdd[s], a[s], limit, "q̈ of τ(q̈)", tree, unit=unit)
        if G.shape[0] == G.shape[1]:
            force = np.linalg.solve(G.T, tau[s])
            right = np.linalg.solve(G, pin.aba(model, data, pq, G @ v[s], force))
            close(qdd[s], right, limit, "forward dynamics", tree, unit=unit)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_dynamics_agree_with_pinocchio(batch: int, rng: np.random.Generator, scale: float) -> None:
    for mechanism in random_robots(rng, scale):
        mechanism = trees.turned(rng, mechanism)
        check_dynamics(mechanism, Both(mechanism, passive=False), States.draw(rng, mechanism))


NUMERIC_ROBOTS = ("biped", "iiwa14", "panda", "puma560", "quadrotor", "stanford_arm", "ur5e")


def with_masses(mechanism: Mechanism) -> Mechanism:
    """Give links that have moments but no mass some: Pinocchio needs a centre of mass."""
    links = [
        replace(link, inertia=link.inertia._replace(m=1))
        if link.has_inertia and link.inertia.m == 0 and not link.is_massless
        else link
        for link in mechanism.links
    ]
    return replace(mechanism, links=tuple(links))


@pytest.mark.parametrize("name", NUMERIC_ROBOTS)
def test_textbook_robots_agree_with_pinocchio(name: str, rng: np.random.Generator) -> None:
    mechanism = with_masses(getattr(robots, name)())
    check_dynamics(mechanism, Both(mechanism, passive=False), States.draw(rng, mechanism))


SYMBOLIC_ROBOTS = ("cart_pole_mechanism", "planar_3r", "rp_mechanism", "scara", "puma560_symbolic")


def parameter_value(name: str, rng: np.random.Generator) -> float:
    """Return a number with which every inertia is that of a body."""
    low, high = 0.5, 2.0
    if re.fullmatch(r"I(xy|xz|yz)\d|h[xyz]\d", name):
        low, high = -0.1, 0.1
    elif re.fullmatch(r"I(xx|yy|zz)\d", name):
        low, high = 1.5, 2.0
    return round(float(rng.uniform(low, high)), 6)


@pytest.mark.parametrize("name", SYMBOLIC_ROBOTS)
def test_symbolic_robots_agree_with_pinocchio(name: str, rng: np.random.Generator) -> None:
    """Parameters as inputs, against the engine with the same numbers."""
    symbolic = getattr(robots, name)()
    values = {x: parameter_value(symbol_text(x), rng) for x in symbolic.parameters}
    bound = symbolic.bind(values)
    states = States.draw(rng, bound, 4)
    model = da.compile(symbolic, passive=False)
    array = [values[x] for x in model.symbols.parameters]
    engine = trees.pinocchio_model(bound)
    data = engine.createData()
    tau = model.inverse_dynamics(*states, parameters=array)
    again = model.inverse_dynamics(
        *states, parameters={symbol_text(x): y for x, y in values.items()}
    )
    assert np.array_equal(tau, again)
    for s, (q, v, a) in enumerate(zip(*states, strict=True)):
        right = pin.rnea(engine, data, q, v, a)
        np.testing.assert_allclose(tau[s], right, rtol=0, atol=1e-11 * np.abs(right).max())
    qdd = model.forward_dynamics(states.q, states.v, tau, parameters=array)
    np.testing.assert_allclose(qdd, states.a, atol=1e-9)
    fixed = da.compile(bound, passive=False).inverse_dynamics(*states)
    np.testing.assert_allclose(tau, fixed, rtol=1e-12, atol=1e-12 * np.abs(tau).max())


@pytest.mark.parametrize("batch", range(2))
def test_kinematics_agree_with_pinocchio(
    batch: int, rng: np.random.Generator, scale: float
) -> None:
    for mechanism in random_robots(rng, scale / 2):
        mechanism = trees.turned(rng, mechanism)
        tree, both = Tree.of(mechanism).map(float), Both(mechanism)
        model = trees.pinocchio_model(mechanism)
        data = model.createData()
        q, v, _ = States.draw(rng, mechanism)
        name = str(rng.choice([joint.child for joint in mechanism.joints]))
        X, X_W = both("forward_kinematics", q, frame=name), both("forward_kinematics", q)
        J = {k: both("jacobian", q, frame=name, reference=k) for k in JACOBIANS}
        Jd = both("jacobian_rate", q, v, frame=name)
        frame = model.getFrameId(name)
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for s in range(STATES):
            pq, _ = to_pinocchio(mechanism, q[s], v[s], model=model)
            G = to_pinocchio(mechanism, q[s], np.eye(mechanism.nv), model=model)[1].T
            pin.forwardKinematics(model, data, pq, G @ v[s], 0 * (G @ v[s]))
            pin.computeJointJacobians(model, data, pq)
            pin.computeJointJacobiansTimeVariation(model, data, pq, G @ v[s])
            pin.updateFramePlacements(model, data)
            right = data.oMf[frame].homogeneous
            close(X[s], right, MATRIX_TOLERANCE, "pose", tree, unit=1.0)
            for link, pose in zip(mechanism.links, X_W[s], strict=True):
                if link.name != mechanism.root:
                    right = data.oMf[model.getFrameId(link.name)].homogeneous
                    close(pose, right, MATRIX_TOLERANCE, f"pose of {link.name}", tree, unit=1.0)
            for reference, label in JACOBIANS.items():
                there = getattr(pin.ReferenceFrame, label)
                right = pin.getFrameJacobian(model, data, frame, there).reshape(6, -1) @ G
                close(J[reference][s], right, MATRIX_TOLERANCE, reference, tree, unit=1.0)
            right = pin.getFrameJacobianTimeVariation(model, data, frame, aligned).reshape(6, -1)
            close(Jd[s], right @ G, FORCE_TOLERANCE, "J̇", tree, unit=1.0)


# ---- MuJoCo


@pytest.mark.parametrize("batch", range(BATCHES))
def test_agrees_with_mujoco(batch: int, rng: np.random.Generator, scale: float) -> None:
    """Dynamics with passive forces, energies, momentum and the centre of mass."""
    for _ in range(num_cases(ROBOTS / BATCHES, scale)):
        mechanism = trees.mujoco_mechanism(rng)
        if not mechanism.nv:
            continue
        tree, both = Tree.of(mechanism).map(float), Both(mechanism)
        engine = mujoco.MjModel.from_xml_string(save_mjcf(mechanism))
        off = mujoco.mjtDisableBit
        engine.opt.disableflags |= int(off.mjDSBL_CONSTRAINT) | int(off.mjDSBL_CONTACT)
        q, v, a = States.draw(rng, mechanism)
        M, h, force = both("mass_matrix", q), both("bias", q, v), both("passive_force", q, v)
        tau = both("inverse_dynamics", q, v, a)
        E, T = both("energy", q, v), both("kinetic_energy", q, v)
        c, momentum = both("center_of_mass", q), both("centroidal_momentum", q, v)
        for s in range(STATES):
            data = mujoco.MjData(engine)
            data.qpos[:], data.qvel[:] = to_mujoco(mechanism, q[s], v[s], model=engine)
            mujoco.mj_forward(engine, data)
            G = to_mujoco(mechanism, q[s], np.eye(mechanism.nv), model=engine)[1].T
            drift = trees.frame_drift(tree, engine, q[s].tolist(), v[s])
            full = np.zeros((engine.nv, engine.nv))
            mujoco.mj_fullM(engine, data, full)
            close(M[s], G.T @ full @ G, MATRIX_TOLERANCE, "M", tree)
            unit = np.abs(M[s]).max()
            passive = G.T @ data.qfrc_passive
            close(force[s], passive, FORCE_TOLERANCE, "passive forces", tree, unit=unit)
            bias = G.T @ (data.qfrc_bias + full @ drift) - passive
            close(h[s], bias, FORCE_TOLERANCE, "bias", tree, unit=unit)
            data.qacc[:] = G @ a[s] + drift
            mujoco.mj_inverse(engine, data)
            right = G.T @ data.qfrc_inverse
            close(tau[s], right, FORCE_TOLERANCE, "τ", tree, unit=unit)
            mujoco.mj_energyPos(engine, data)
            mujoco.mj_energyVel(engine, data)
            close(T[s], data.energy[1], MATRIX_TOLERANCE, "T", tree)
            close(E[s], sum(data.energy), MATRIX_TOLERANCE, "E", tree, unit=1.0)
            mujoco.mj_subtreeVel(engine, data)
            close(c[s], data.subtree_com[0], MATRIX_TOLERANCE, "centre of mass", tree, unit=1.0)
            mass = engine.body_subtreemass[0]
            right = [*(mass * data.subtree_linvel[0]), *data.subtree_angmom[0]]
            if not any(joint.armature for joint in mechanism.joints):
                close(momentum[s], right, FORCE_TOLERANCE, "momentum", tree, unit=1.0)


# ---- derivatives


def moved(mechanism: Mechanism, q: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Return the configuration after a small motion along a velocity, to first order."""
    rates = []
    at = dof = 0
    for joint in mechanism.moving_joints:
        nq, nv = joint.nq, joint.nv
        x, d = q[at : at + nq], step[dof : dof + nv]
        if joint.is_scalar:
            rates.append(d)
        else:
            w, r = x[-4], x[-3:]
            turn = d[-3:]
            quaternion = [-(r @ turn) / 2, *((w * turn + np.cross(r, turn)) / 2)]
            linear = zoo.rotation(x[-4:]) @ d[:3] if joint.kind is JointKind.FLOATING else []
            rates.append(np.array([*linear, *quaternion]))
        at, dof = at + nq, dof + nv
    return q + np.concatenate(rates)


@pytest.mark.parametrize("batch", range(3))
@pytest.mark.parametrize("passive", [True, False])
def test_derivatives_are_complex_steps(
    batch: int, passive: bool, rng: np.random.Generator, scale: float
) -> None:
    for _ in range(num_cases(1, scale)):
        mechanism = random_mechanism(rng, 2 + batch % 2, mimic=0.0)
        if not mechanism.nv:
            continue
        both = Both(mechanism, passive=passive)
        numpy_model = da.compile(mechanism, "numpy", passive=passive)
        q, v, a = States.draw(rng, mechanism, 3)
        tau = both("inverse_dynamics", q, v, a)
        n = mechanism.nv
        found = both("inverse_dynamics_derivatives", q, v, a)
        back = both("forward_dynamics_derivatives", q, v, tau)
        for s in range(len(q)):
            for function, third, ours in (
                (numpy_model.inverse_dynamics, a[s], found),
                (numpy_model.forward_dynamics, tau[s], back),
            ):
                columns = [np.empty((n, n)) for _ in range(3)]
                for k, e in enumerate(STEP * 1j * np.eye(n)):
                    shifted = moved(mechanism, q[s], e)
                    columns[0][:, k] = function(shifted, v[s], third).imag / STEP
                    columns[1][:, k] = function(q[s], v[s] + e, third).imag / STEP
                    columns[2][:, k] = function(q[s], v[s], third + e).imag / STEP
                for mine, right in zip(ours, columns, strict=True):
                    size = max(np.abs(right).max(), 1.0)
                    if ours is back:
                        # M⁻¹ of a light tip is large, and so is its rounding
                        size *= max(1.0, np.linalg.cond(found[2][s]) / 10)
                    error = np.abs(mine[s] - right).max()
                    assert error <= DERIVATIVE_TOLERANCE * size, f"{error:.1e} of {size:.1e}"


# ---- the zoo


def zoo_names() -> list[str]:
    """Return a dozen files spread over the zoo; all of them in long runs."""
    import os

    names = zoo.references()
    if float(os.environ.get("DALEMBERT_TEST_SCALE", "1")) >= 10:
        return names
    return names[2 :: max(1, len(names) // 12)]


@pytest.mark.skipif(not zoo.ZOO, reason="DALEMBERT_ZOO is not set: no zoo to compare with")
@pytest.mark.parametrize("name", zoo_names())
def test_real_robots_agree(name: str) -> None:
    case = zoo.Case(name)
    data = case.data
    model = da.compile(case.mechanism, passive=False)
    drawn = [case.state(s) for s in zoo.STATES]
    q = np.array([x for x, _ in drawn])
    v = np.array([np.linalg.solve(B, data["v"][s]) for s, (_, B) in enumerate(drawn)])
    a = np.array([np.linalg.solve(B, data["a"][s]) for s, (_, B) in enumerate(drawn)])
    M, h = model.mass_matrix(q), model.bias(q, v)
    tau = model.inverse_dynamics(q, v, a)
    X_W = model.forward_kinematics(q)
    places = {link.name: k for k, link in enumerate(case.mechanism.links)}
    for s, (_, B) in enumerate(drawn):
        drift = data["M"][s] @ zoo.frame_drift(case, s, v[s])
        zoo.close(M[s], B.T @ data["M"][s] @ B, MATRIX_TOLERANCE, f"M, state {s}")
        unit = np.abs(M[s]).max()
        zoo.close(h[s], B.T @ (data["h"][s] + drift), FORCE_TOLERANCE, f"bias {s}", unit)
        zoo.close(tau[s], B.T @ (data["tau_rnea"][s] + drift), FORCE_TOLERANCE, f"τ {s}", unit)
        for k, body in enumerate(case.bodies):
            X = X_W[s, places[body]]
            zoo.close(X[:3, 3], data["body_pos"][s, k], MATRIX_TOLERANCE, f"place of {body}", 1.0)
            zoo.close(X[:3, :3], data["body_rot"][s, k], MATRIX_TOLERANCE, f"axes of {body}")
    if np.linalg.matrix_rank(data["M"][0]) < len(data["M"][0]):
        with pytest.raises(da.SingularSystem, match=r"got .* that moves none"):
            model.forward_dynamics(q, v, tau)
    elif not case.mechanism.loops and not case.mechanism.couplings:
        back = model.forward_dynamics(q, v, tau)
        for s in range(len(q)):
            unit = (np.abs(tau[s]).max() + np.abs(h[s]).max()) / np.linalg.norm(M[s], 2)
            limit = FORWARD_TOLERANCE * np.linalg.cond(M[s])
            zoo.close(back[s], a[s], limit, f"q̈ {s}", unit)
