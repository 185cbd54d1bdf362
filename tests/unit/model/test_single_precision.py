"""Models in single precision beside those in double precision, on the same states."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.control import PDGravity
from dalembert.errors import DalembertError, EvaluationError
from dalembert.mechanism import JointKind, Mechanism
from dalembert.simulation.constraints.constraints import Constraints
from dalembert.spatial.inertia.inertia import Inertia
from dalembert.spatial.pose import Pose
from tests.cases import num_cases
from tests.closed_mechanisms import (
    Closed,
    bennett_linkage,
    four_bar,
    knife_edge,
    rolling_disc,
    rp_arm_maximal,
)
from tests.random_mechanisms import random_mechanism, random_state

EPS = float(np.finfo(np.float32).eps)
DIRECT = 32 * EPS
"""Of the largest entry: sums of some hundred terms without divisions."""
RESIDUAL = 16 * EPS
"""Of the sizes of the terms of M q̈ + h - τ: what solving adds, whatever the condition of M."""

ZOO = os.environ.get("DALEMBERT_ZOO")


def in_single(model: da.Model) -> da.Model:
    """Return the model of the same description in single precision."""
    return da.compile(**{**model.packed_fields(), "dtype": "float32"})


def scaled(mechanism: Mechanism, length: Fraction, mass: Fraction) -> Mechanism:
    """Return a mechanism with all lengths and all masses multiplied."""

    def moved(X: Pose) -> Pose:
        x, y, z = (length * a for a in X.p)
        return Pose(X.R, (x, y, z))

    links = [
        replace(
            link, inertia=Inertia(m * mass, _times(h, mass * length), _times(i, mass * length**2))
        )
        for link, (m, h, i) in ((link, link.inertia) for link in mechanism.links)
    ]
    joints = [
        replace(
            joint,
            placement=moved(joint.placement),
            after=moved(joint.after),
            pitch=joint.pitch * length,
        )
        for joint in mechanism.joints
    ]
    return replace(mechanism, links=tuple(links), joints=tuple(joints))


def _times(values, factor):
    return tuple(x * factor for x in values)


def lengths_in(mechanism: Mechanism, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit of each number of q and of v: a length where it is one, else 1."""
    q, v = [], []
    for joint in mechanism.moving_joints:
        slides = joint.kind is JointKind.PRISMATIC
        free = joint.kind is JointKind.FLOATING
        count = joint.nv if slides else 3 if free else 0
        q += [length] * count + [1.0] * (joint.nq - count)
        v += [length] * count + [1.0] * (joint.nv - count)
    return np.array(q), np.array(v)


def check_dynamics(mechanism: Mechanism, q, v, a, units) -> None:
    """Compare both precisions; ``units`` of velocities make entries comparable."""
    double, single = (da.compile(mechanism, dtype=x) for x in ("float64", "float32"))
    q, v, a = (np.asarray(x, np.float32) for x in (q, v, a))
    tau = double.inverse_dynamics(q, v, a)
    got = single.inverse_dynamics(q, v, a)
    assert got.dtype == np.float32
    M, h = double.mass_matrix(q), double.bias(q, v)
    # of the terms, which may cancel each other
    size = ((np.abs(M) @ np.abs(a) + np.abs(h) + np.abs(tau)) * units).max()
    assert (np.abs(got - tau) * units).max() <= DIRECT * size
    square = np.outer(units, units)
    assert (np.abs(single.mass_matrix(q) - M) * square).max() <= DIRECT * (np.abs(M) * square).max()
    given = tau.astype(np.float32)
    qdd = single.forward_dynamics(q, v, given)
    assert qdd.dtype == np.float32
    residual = double.inverse_dynamics(q, v, qdd) - given
    size = ((np.abs(M) @ np.abs(qdd) + np.abs(h) + np.abs(given)) * units).max()
    assert (np.abs(residual) * units).max() <= RESIDUAL * size


SCALES = [(1, 1), (10**6, 1), (Fraction(1, 10**6), 1), (1, 10**6), (1, Fraction(1, 10**6))]


@pytest.mark.parametrize(("length", "mass"), SCALES, ids=str)
def test_dynamics_of_random_mechanisms_of_all_sizes(
    length: Fraction, mass: Fraction, rng: np.random.Generator, scale: float
) -> None:
    kinds = ("revolute", "prismatic", "spherical", "floating", "helical")
    for _ in range(num_cases(2, scale)):
        tree = random_mechanism(rng, 4, kinds=kinds, armature=0, damping=0)
        q, v = random_state(rng, tree)
        a = rng.normal(size=len(v))
        of_q, of_v = lengths_in(tree, float(length))
        robot = scaled(tree, Fraction(length), Fraction(mass))
        check_dynamics(robot, q * of_q, v * of_v, a * of_v, of_v)


@pytest.mark.skipif(not ZOO, reason="DALEMBERT_ZOO is not set: no zoo to take robots from")
@pytest.mark.parametrize(
    ("file", "is_free"),
    [
        ("ur5e/ur5e.urdf", False),
        ("go2/go2_description.urdf", True),
        ("simple_humanoid/simple_humanoid.urdf", True),
        ("allegro/allegro_hand_description_right.urdf", False),
    ],
)
def test_dynamics_of_robots(file: str, is_free: bool, rng: np.random.Generator) -> None:
    robot = da.load(Path(str(ZOO)) / file, repair={"limits", "names", "elements"})
    if is_free:
        robot = robot.with_floating_base()
    robot = replace(robot, loops=(), couplings=())
    model = da.compile(robot)
    q = model.random_configuration(rng)
    v, a = rng.normal(size=(2, model.nv))
    check_dynamics(robot, q, v, a, np.ones(model.nv))


def on_constraints(case: Closed) -> tuple[np.ndarray, np.ndarray]:
    """Return the state of a case on its constraints."""
    v = np.zeros(case.model.nv) if case.qd0 is None else np.array(case.qd0)
    q, v, _ = Constraints(case.model).project(0.0, case.start, v)
    return q, v


@pytest.mark.parametrize("make", [four_bar, bennett_linkage, rolling_disc, rp_arm_maximal])
def test_constraint_dynamics(make: Callable[[], Closed]) -> None:
    case = make()
    double, single = case.model, in_single(case.model)
    q, v = (x.astype(np.float32) for x in on_constraints(case))
    tau = np.linspace(-1, 1, len(double.symbols.inputs)).astype(np.float32)
    qdd, lam = double.constraint_dynamics(q, v, tau)
    found, forces = single.constraint_dynamics(q, v, tau)
    assert found.dtype == forces.dtype == np.float32
    # the condition of the equations, rows and columns scaled
    M, A = double.mass_matrix(q), double.constraint_jacobian(q)
    unit = 1 / np.sqrt(np.diag(M) + (A * A).sum(0))
    inner = np.linalg.cond((M + A.T @ A) * np.outer(unit, unit))
    sizes = np.linalg.svd(A * unit, compute_uv=False)
    kept = sizes[sizes > 1e-4 * sizes[0]]
    condition = inner * (kept[0] / kept[-1]) ** 2
    scale = np.abs(qdd).max() + np.abs(double.constraint_bias(q, v)).max() + 1
    assert np.abs(found - qdd).max() <= 8 * EPS * condition * scale
    assert ((forces == 0) == (lam == 0)).all()


def test_rows_that_depend_on_others_carry_no_force_in_single_precision() -> None:
    """Four of six rows of Bennett's linkage are redundant, up to rounding of 1e-7."""
    case = bennett_linkage()
    single, constraints = in_single(case.model), Constraints(case.model)
    for turn in np.linspace(0, 6, 30):
        start = case.start + np.array([turn, 0.0, 0.0])
        try:
            q, v, _ = constraints.project(0.0, start, np.ones(3))
        except DalembertError:
            # the crank is where no closure is near
            continue
        _, lam = single.constraint_dynamics(q.astype(np.float32), v.astype(np.float32), [0.0] * 3)
        assert np.abs(lam).max() < 1e3
        assert (lam == 0).sum() == 4


def test_all_ways_of_a_call_agree(rng: np.random.Generator) -> None:
    model = da.compile(da.textbook.robots.panda(), dtype="float32")
    q, v, a = rng.uniform(-1, 1, (3, 100, 7)).astype(np.float32)
    batch = model.inverse_dynamics(q, v, a)
    out = np.empty_like(batch)
    kernel: Any = model.kernel("inverse_dynamics")
    assert kernel(q, v, a, out=out) is out
    np.testing.assert_array_equal(out, batch)
    few = model.inverse_dynamics(q[:5], v[:5], a[:5])
    one = [model.inverse_dynamics(*row) for row in zip(q, v, a, strict=True)]
    np.testing.assert_array_equal(batch, one)
    np.testing.assert_array_equal(few, one[:5])
    # every other sample, a shared acceleration, two axes of a batch
    shared = model.inverse_dynamics(q[::2].reshape(5, 10, 7), v[::2].reshape(5, 10, 7), a[0])
    assert shared.shape == (5, 10, 7)
    assert batch.dtype == few.dtype == one[0].dtype == shared.dtype == np.float32
    np.testing.assert_array_equal(shared[0, 0], batch[0])


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_backends_agree(backend: str, rng: np.random.Generator) -> None:
    robot = da.textbook.robots.ur5e()
    double = da.compile(robot)
    other = da.compile(robot, backend=backend, dtype="float32")
    q, v, a = rng.uniform(-1, 1, (3, 20, 6)).astype(np.float32)
    tau = double.inverse_dynamics(q, v, a)
    got = other.inverse_dynamics(q, v, a)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, tau, rtol=0, atol=DIRECT * np.abs(tau).max())


FUNCTIONS = {
    "jacobian": {"frame": "tool"},
    "forward_kinematics": {},
    "inverse_dynamics_derivatives": {},
    "forward_dynamics_derivatives": {},
    "centroidal_map": {},
    "kinetic_energy": {},
    "regressor": {},
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_return_floats(function: str, rng: np.random.Generator) -> None:
    arm = da.textbook.robots.ur5e()
    frame = {"frame": arm.links[-1].name} if FUNCTIONS[function] else {}
    double, single = (da.compile(arm, dtype=x) for x in ("float64", "float32"))
    kernel = single.kernel(function, **frame)
    states = [rng.uniform(-1, 1, (3, *p.shape)).astype(np.float32) for p in kernel.inputs]
    expected, got = (m.call(function, *states, **frame) for m in (double, single))
    expected, got = (x if isinstance(x, tuple) else (x,) for x in (expected, got))
    for x, y in zip(expected, got, strict=True):
        assert y.dtype == np.float32
        np.testing.assert_allclose(y, x, rtol=0, atol=1e3 * EPS * np.abs(x).max())


def test_arrays_of_doubles_are_refused_and_numbers_are_rounded() -> None:
    (m,) = da.parameters("m")
    robot = da.Builder("one").link("a", mass=m, com=(1, 0, 0)).revolute("j", "a", axis=(0, 1, 0))
    single = da.compile(robot.build(), dtype="float32")
    for q in ([0.1], (0.1,), np.array([0.1], np.float32), np.array([0], np.int8), [np.float64(1)]):
        assert single.gravity(q, parameters={m: 2.0}).dtype == np.float32
        assert single.gravity(q, parameters=[2.0]).dtype == np.float32
    with pytest.raises(
        EvaluationError, match=r"expected float32 for q of gravity, got float64: .*"
    ):
        single.gravity(np.array([0.1]), parameters=[2.0])
    with pytest.raises(EvaluationError, match=r"expected float32 for parameters of gravity"):
        single.gravity([0.1], parameters={m: np.array(2.0)})
    kernel: Any = single.kernel("gravity")
    with pytest.raises(EvaluationError, match=r"contiguous array of float32 with shape \(1,\)"):
        kernel([0.1], [2.0], out=np.empty(1))
    with pytest.raises(EvaluationError, match="expected finite numbers for gravity, got inf"):
        single.gravity([1e39], parameters=[2.0])
    double = da.compile(robot.build())
    assert double.gravity(np.array([0.1], np.float32), parameters=[2.0]).dtype == np.float64


def test_configurations_are_floats() -> None:
    free = da.textbook.robots.ur5e().with_floating_base()
    model = da.compile(free, dtype="float32")
    q = model.random_configuration(0, 3)
    v = np.ones((3, model.nv), np.float32)
    assert model.neutral.dtype == q.dtype == np.float32
    assert model.integrate(q, v, 0.1).dtype == np.float32
    assert model.difference(q, q[::-1]).dtype == np.float32
    assert model.forward_kinematics(model.integrate(q, v, 0.1)).dtype == np.float32


def test_angles_beyond_the_range_of_the_kernel_are_right() -> None:
    (x,) = da.parameters("x")
    f = da.compile_function(da.sin(x), x, dtype="float32")
    far = np.array([0.5, 1e13, 3e38], np.float32)
    got = f(far)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, np.sin(far.astype(float)), rtol=0, atol=2 * EPS)


def test_constants_beyond_floats_are_refused() -> None:
    (x,) = da.parameters("x")
    with pytest.raises(EvaluationError, match=r"constants below 2\^128, those of float32"):
        da.compile_function(x * 10**40, x, dtype="float32")(1.0)


def test_what_needs_doubles_says_so() -> None:
    single = da.compile(da.textbook.robots.ur5e(), dtype="float32")
    with pytest.raises(EvaluationError, match=r"double precision for da\.simulate, got float32"):
        da.simulate(single, [0.0] * 6, None, 0.1)
    with pytest.raises(EvaluationError, match="roundings are known, got float32"):
        single.rounding("gravity")
    pendulum = da.compile(da.textbook.cart_pole(), dtype="float32")
    proofs = pendulum.prove()
    assert all(proof.is_proved for proof in proofs)
    assert any("rounding: not known in float32" in str(proof) for proof in proofs)


def test_constrained_dynamics_of_floats_are_proved() -> None:
    """The certificate assumes what the thresholds of the precision ask for."""
    single = in_single(knife_edge().model)
    proofs = [proof for proof in single.prove() if "constraint_dynamics" in proof.statement]
    assert proofs
    assert all(proof.is_proved for proof in proofs)


def test_pickled_models_keep_their_precision() -> None:
    model = pickle.loads(pickle.dumps(da.compile(da.textbook.robots.ur5e(), dtype="float32")))
    assert model.dtype == "float32"
    assert model.gravity([0.1] * 6).dtype == np.float32


def test_rollouts_in_single_precision(rng: np.random.Generator) -> None:
    arm = da.textbook.robots.panda()
    double, single = (da.compile(arm, dtype=x) for x in ("float64", "float32"))
    law = PDGravity(single, [0.1] * 7, stiffness=50.0, damping=5.0)
    q = rng.uniform(-1, 1, (20, 7)).astype(np.float32)
    runs = [da.rollout(m, q, None, 50, law, record=10) for m in (double, single)]
    assert runs[1].q.dtype == runs[1].qd.dtype == np.float32
    assert runs[1].ok.all()
    # 50 steps of four stages each
    np.testing.assert_allclose(runs[1].q, runs[0].q, rtol=0, atol=200 * EPS)


def test_rollouts_with_a_loop_and_a_quaternion_in_single_precision() -> None:
    case = four_bar()
    robot = case.model.mechanism.with_floating_base()
    double, single = (da.compile(robot, dtype=x) for x in ("float64", "float32"))
    start = [*double.neutral[:7], *case.start]
    exact = on_constraints(Closed(double, start, [0.1] * 9))
    q, v = (x.astype(np.float32) for x in exact)
    runs = [da.rollout(m, *x, 20, record=None) for m, x in ((double, exact), (single, (q, v)))]
    assert runs[1].q.dtype == np.float32
    np.testing.assert_allclose(runs[1].q, runs[0].q, rtol=0, atol=100 * EPS)
    for place, message in ((3, "unit quaternions"), (8, "expected starts on the constraints")):
        wrong = q.copy()
        wrong[place] += 1e-3
        with pytest.raises(EvaluationError, match=message):
            da.rollout(single, wrong, v, 20)


def test_more_steps_than_floats_count_are_refused() -> None:
    single = da.compile(da.textbook.robots.ur5e(), dtype="float32")
    with pytest.raises(EvaluationError, match="at most 16777216 steps of rollout in float32"):
        da.rollout(single, [0.0] * 6, None, (1 << 24) + 1, record=None)
    law = [da.sin(da.time)] * 6
    with pytest.raises(EvaluationError, match="at most 16777216 steps of a law of time in float32"):
        da.rollout(single, [0.0] * 6, None, (1 << 24) + 1, law, record=None, progress=True)
