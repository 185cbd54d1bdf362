"""Functions of models as graphs of CasADi and as C that CasADi loads."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import UnknownName
from dalembert.mechanism import Mechanism
from dalembert.model import Model

if TYPE_CHECKING:
    from dalembert.types import Array

ca: Any = pytest.importorskip("casadi")

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def floating_arm() -> Mechanism:
    """Return an arm on a free base that has mass: q has a quaternion."""
    return (
        da.Builder("floater")
        .link("base", mass=2, inertia=(1, 2, 2.5))
        .floating("free", "base")
        .link("arm", mass=1, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.02))
        .revolute("shoulder", "arm", axis="y", damping=0.3)
        .build()
    )


def cart() -> da.Builder:
    """Return a mass of one kilogram on a rail."""
    return da.Builder("cart").link("cart", mass=1).prismatic("slide", "cart", axis="x")


def state(model: Model, seed: int = 0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    q = model.random_configuration(rng)
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)


def column(values: object) -> Array:
    return np.array(values).ravel()


def loaded(model: Model, function: str, folder: Path, **options: object) -> Any:
    """Return a function of generated C, compiled and loaded by CasADi."""
    code = model.source("casadi", functions=[(function, options)])
    _, path = code.save(folder)
    library = folder / f"{code.stem}.so"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, str(path), "-o", str(library), "-lm"], check=True)
    return ca.external(f"{code.stem}_{function}", str(library))


@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics"])
def test_graph_computes_what_the_model_does(function: str) -> None:
    model = da.compile(floating_arm())
    q, qd, x = state(model)
    f = model.casadi(function)
    assert (f.name_in(0), f.n_in(), f.n_out()) == ("q", 3, 1)
    np.testing.assert_allclose(column(f(q, qd, x)), model.call(function, q, qd, x), rtol=1e-12)


def test_matrices_have_their_rows_and_zeros() -> None:
    # a prismatic joint and a wheel that spins about its own centre: M is diagonal
    wheel = cart().link("wheel", mass=1, inertia=(1, 1, 2)).revolute("spin", "wheel")
    M = da.compile(wheel.build()).casadi("mass_matrix")
    np.testing.assert_array_equal(np.array(M([0.1, 0.2])), [[2, 0], [0, 2]])
    assert M.sparsity_out(0).nnz() == 2
    J = da.compile(da.textbook.robots.panda()).casadi("jacobian", frame="flange")
    assert J.size_out(0) == (6, 7)


def test_graph_of_a_rectangular_output_is_not_transposed() -> None:
    model = da.compile(da.textbook.robots.panda())
    q, _, _ = state(model)
    f = model.casadi("jacobian", frame="flange")
    np.testing.assert_allclose(np.array(f(q)), model.jacobian(q, "flange"), atol=1e-14)


def test_derivatives_of_the_graph_are_exact() -> None:
    # CasADi differentiates our graph; the recursions for derivatives are another route
    model = da.compile(da.textbook.robots.panda())
    q, qd, tau = state(model)
    slopes = model.casadi("forward_dynamics").jacobian()(q, qd, tau, 0)
    for block, expected in zip(slopes, model.forward_dynamics_derivatives(q, qd, tau), strict=True):
        scale = np.abs(expected).max()
        np.testing.assert_allclose(np.array(block), expected, atol=1e-11 * scale)


def test_parameters_without_a_value_are_inputs() -> None:
    (q,) = da.coordinates("q")
    m, l, g = da.parameters("m l g")
    (u,) = da.inputs("u")
    system = da.System(
        kinetic=m * l**2 * q.dot**2 / 2,
        potential=-m * g * l * da.cos(q),
        coordinates=[q],
        forces=[u],
    )
    model = da.compile(system, parameters={g: 9.81})
    f = model.casadi("forward_dynamics")
    assert [f.name_in(k) for k in range(f.n_in())] == ["q", "qd", "u", "parameters"]
    names = [str(x) for x in model.symbols.parameters]
    values = [{"m": 2.0, "l": 0.5}[x] for x in names]
    # m l² q̈ + m g l sin q = u
    expected = (0.7 - 2 * 9.81 * 0.5 * np.sin(0.3)) / (2 * 0.25)
    assert float(f([0.3], [0.0], [0.7], values)) == pytest.approx(expected, rel=1e-14)


def test_unknown_functions_are_named() -> None:
    with pytest.raises(UnknownName, match="inverse_dynamics"):
        da.compile(floating_arm()).casadi("inverse_dynamic")


@needs_compiler
@pytest.mark.parametrize("function", ["inverse_dynamics", "forward_dynamics", "gravity"])
@pytest.mark.parametrize("robot", [floating_arm, da.textbook.robots.panda])
def test_compiled_code_has_values_and_jacobians(
    function: str, robot: Callable[[], Mechanism], tmp_path: Path
) -> None:
    model = da.compile(robot())
    arrays = state(model)[: 1 if function == "gravity" else 3]
    f, graph = loaded(model, function, tmp_path), model.casadi(function)
    np.testing.assert_allclose(column(f(*arrays)), column(graph(*arrays)), rtol=1e-10, atol=1e-12)
    # the Jacobian of the library against CasADi's own of the graph
    mine, theirs = (
        np.array(ca.densify(ca.horzcat(*_several(x.jacobian()(*arrays, 0))))) for x in (f, graph)
    )
    np.testing.assert_allclose(mine, theirs, atol=1e-11 * max(1, np.abs(theirs).max()))


def _several(result: object) -> tuple[object, ...]:
    return result if isinstance(result, tuple) else (result,)


@needs_compiler
def test_null_pointers_are_zeros_and_unwanted_results(tmp_path: Path) -> None:
    # CasADi hands null for arguments that are not given
    model = da.compile(floating_arm())
    q, _, _ = state(model)
    f = loaded(model, "inverse_dynamics", tmp_path)
    expected = model.inverse_dynamics(q, np.zeros(model.nv), np.zeros(model.nv))
    np.testing.assert_allclose(column(f(q=q)["tau"]), expected, rtol=1e-12)


def test_hostile_names_stay_out_of_the_code() -> None:
    builder = da.Builder('a"; system("x")//').link('l*/"', mass=1).prismatic('j\n"', 'l*/"')
    code = da.compile(builder.build()).source("casadi", functions=["inverse_dynamics"])
    assert "system(" not in re.sub(r"/\*.*?\*/", "", code.source, flags=re.DOTALL)


def test_an_optimal_control_problem_is_solved_with_ipopt() -> None:
    # a double integrator from rest to rest in one second with least ∫u²: u = 6 - 12 t
    f = da.compile(cart().build()).casadi("forward_dynamics")
    opti, n = ca.Opti(), 50
    x, u = opti.variable(2, n + 1), opti.variable(1, n)
    h = 1 / n
    for k in range(n):
        a = f(x[0, k], x[1, k], u[k])
        # exact for a constant force
        opti.subject_to(x[0, k + 1] == x[0, k] + h * x[1, k] + h**2 / 2 * a)
        opti.subject_to(x[1, k + 1] == x[1, k] + h * a)
    opti.subject_to(x[:, 0] == 0)
    opti.subject_to(x[:, n] == ca.DM([1, 0]))
    opti.minimize(h * ca.sumsqr(u))
    opti.solver("ipopt", {"print_time": False}, {"print_level": 0, "sb": "yes"})
    found = column(opti.solve().value(u))
    times = (np.arange(n) + 0.5) * h
    # the discrete optimum is 6 - 12 t at the middles but for a factor 1 / (1 - 1/n²)
    np.testing.assert_allclose(found, (6 - 12 * times) / (1 - 1 / n**2), rtol=1e-8, atol=1e-8)
