"""All backends give the numbers of the reference, and generated code is what it says."""

import shutil
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel.backends.c.build import find_compiler, kernel_source

FUNCTIONS = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives")

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler"
)


def states(model: da.Model, rng: np.random.Generator, count: int) -> tuple[Any, ...]:
    q = model.configuration.normalized(rng.uniform(-1, 1, (count, model.nq)))
    return q, *rng.uniform(-1, 1, (2, count, model.nv))


def results(model: da.Model, name: str, state: tuple[Any, ...]) -> tuple[np.ndarray, ...]:
    arguments = state[:1] if name == "mass_matrix" else state
    found = getattr(model, name)(*arguments)
    return found if isinstance(found, tuple) else (found,)


def assert_equal_to_reference(arm: da.Mechanism, backend: str, rng: np.random.Generator) -> None:
    model = da.compile(arm, backend)
    reference = da.compile(arm, "numpy")
    state = states(model, rng, 11)
    for name in FUNCTIONS:
        for batch in (state, tuple(x[0] for x in state)):
            pairs = zip(results(model, name, batch), results(reference, name, batch), strict=True)
            for a, b in pairs:
                # forward dynamics divides by M
                scale = 1e-12 * max(1.0, np.abs(b).max())
                np.testing.assert_allclose(np.asarray(a), b, rtol=0, atol=scale)


@needs_compiler
@pytest.mark.parametrize("robot", ["panda", "quadrotor", "scara"])
def test_c_is_the_reference(robot: str, rng: np.random.Generator) -> None:
    arm = getattr(da.textbook.robots, robot)()
    if arm.parameters:
        arm = arm.bind(dict.fromkeys(arm.parameters, 0.7))
    assert_equal_to_reference(arm, "c", rng)


def test_jax_is_the_reference(rng: np.random.Generator) -> None:
    jax = pytest.importorskip("jax", reason="needs JAX: pip install jax flatbuffers")
    jax.config.update("jax_enable_x64", True)
    arm = da.textbook.robots.puma560()
    state = states(da.compile(arm), rng, 5)
    model, reference = da.compile(arm).jax(), da.compile(arm, "numpy")
    for name in ("mass_matrix", "inverse_dynamics"):
        (a,), (b,) = results(model, name, state), results(reference, name, state)
        np.testing.assert_allclose(np.asarray(a), b, rtol=0, atol=1e-12 * np.abs(b).max())


def test_jax_differentiates_by_parameters_given_by_name() -> None:
    jax = pytest.importorskip("jax", reason="needs JAX: pip install jax flatbuffers")
    jax.config.update("jax_enable_x64", True)
    (theta,) = da.coordinates("theta")
    m, l = da.parameters("m l")
    pendulum = da.System(
        kinetic=m * l**2 * theta.dot**2 / 2,
        potential=-10 * m * l * da.cos(theta),
        coordinates=[theta],
    )
    model = da.compile(pendulum, backend="jax")

    def acceleration(length: Any) -> Any:
        values = {"m": 2.0, l: length}
        return model.forward_dynamics(np.array([0.7]), np.zeros(1), np.zeros(0), parameters=values)[
            0
        ]

    # q̈ = -g sin q / l
    slope = jax.jit(jax.grad(acceleration))(0.5)
    assert float(slope) == pytest.approx(10 * np.sin(0.7) / 0.5**2, rel=1e-14)
    many = jax.vmap(acceleration)(np.array([0.5, 2.0]))
    np.testing.assert_allclose(many, [-20 * np.sin(0.7), -5 * np.sin(0.7)], rtol=1e-14)


@needs_compiler
def test_c_refuses_numbers_that_are_not_finite(rng: np.random.Generator) -> None:
    model = da.compile(da.textbook.robots.panda(), "c")
    q, qd, qdd = (x[0] for x in states(model, rng, 1))
    with pytest.raises(da.EvaluationError, match="got nan in qd"):
        model.inverse_dynamics(q, np.where(np.arange(7) == 3, np.nan, qd), qdd)


def test_c_without_a_compiler_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(da.MissingDependency, match="install gcc or clang"):
        find_compiler()


def test_source_in_c_holds_the_programs_of_the_model() -> None:
    model = da.compile(da.textbook.robots.panda())
    text = model.source("c", functions=["gravity", ("jacobian", {"frame": "link7"})], prefix="arm")
    assert "void arm_gravity(" in text.header
    assert "void arm_jacobian(" in text.header
    assert text == model.source(
        "c", functions=["gravity", ("jacobian", {"frame": "link7"})], prefix="arm"
    )
    flops = model.program("gravity").cost.flops
    assert str(flops) in text.header


def test_sources_in_other_languages() -> None:
    model = da.compile(da.textbook.robots.scara(), passive=False)
    if model.symbols.parameters:
        arm = da.textbook.robots.scara()
        model = da.compile(arm, parameters=dict.fromkeys(arm.parameters, 1.0))
    assert "__global__" in model.source("cuda", functions=["mass_matrix"])
    assert "define i64 @kernel" in model.source("llvm", functions=["mass_matrix"])
    assert "for (" in model.source("rolled_c").source
    with pytest.raises(
        da.UnknownName,
        match="expected a language of c, rolled_c, casadi, cuda, llvm, python, matlab",
    ):
        model.source("fortran")
    system = da.compile(da.textbook.double_pendulum())
    with pytest.raises(da.InvalidMechanism, match="has no links, joints or frames"):
        system.source("rolled_c")


def test_kernel_source_in_c_is_the_same_every_time() -> None:
    programs = [da.compile(da.textbook.robots.panda()).program("bias") for _ in range(2)]
    assert kernel_source(programs[0]) == kernel_source(programs[1])


def test_backends_refuse_options_of_others() -> None:
    arm = da.textbook.robots.panda()
    with pytest.raises(da.UnknownName, match="expected no threads= with the backend 'numpy'"):
        da.compile(arm, "numpy", threads=2)
    with pytest.raises(da.UnknownName, match="expected a backend of llvm, numpy"):
        da.compile(arm, "fortran")
