"""The stages from expressions to code that runs, and the backends to choose from."""

from __future__ import annotations

import gc
import sys
from types import ModuleType

import numpy as np
import pytest

import dalembert as da
from dalembert.kernel import (
    Kernel,
    Program,
    Target,
    compile_function,
    compile_program,
    compile_series,
)
from dalembert.kernel import compiler as compiler_module
from dalembert.kernel.backends.base import Backend
from dalembert.kernel.compiler import BACKENDS, collection_paused
from dalembert.kernel.passes.pipeline import optimise
from dalembert.kernel.program.trace import trace

X, Y = da.parameters("x y")


def test_a_program_is_traced_and_optimised() -> None:
    program = compile_program(X * da.sin(Y), {"x": X, "y": Y}, name="f")
    assert program == optimise(trace("f", {"x": X, "y": Y}, {"y": X * da.sin(Y)}))
    assert [port.name for port in compile_program([X], [X]).inputs] == ["x"]


def test_nothing_to_compute_is_refused() -> None:
    with pytest.raises(da.InvalidExpression, match="expected an output of f, got none"):
        compile_program({}, X, name="f")


def test_series() -> None:
    # x = e^t
    series = compile_series([X], [X], order=4)
    np.testing.assert_allclose(series([1.0])[:, 0], [1, 1, 1 / 2, 1 / 6, 1 / 24])


def test_every_backend_is_known_by_its_folder() -> None:
    for name in BACKENDS:
        assert Target(name).backend == name
    with pytest.raises(da.UnknownName, match="expected a backend of llvm, numpy"):
        Target("lvm")


def test_a_new_backend_is_a_module_and_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    class Echo(Kernel):
        """Returns its inputs."""

        def __init__(self, program: Program, dtype: str) -> None:
            super().__init__(program)
            self.dtype = dtype

        def __call__(self, *arrays: object) -> np.ndarray:
            return np.asarray(arrays, self.dtype)

    module = ModuleType("dalembert.kernel.backends.echo.backend")
    vars(module)["BACKEND"] = Backend(Echo, {"dtype": "float32"})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(compiler_module, "BACKENDS", (*BACKENDS, "echo"))
    assert compile_function(X, {"x": X}, backend="echo")(2).dtype == np.float32
    assert compile_function(X, {"x": X}, backend="echo", dtype="float64")(2).dtype == np.float64
    with pytest.raises(da.UnknownName, match="expected no threads= with the backend 'echo'"):
        Target("echo", threads=2)


@pytest.mark.parametrize("was_on", [True, False])
def test_the_collector_is_left_as_it_was(was_on: bool) -> None:
    before = gc.isenabled()
    (gc.enable if was_on else gc.disable)()
    try:
        with collection_paused():
            assert not gc.isenabled()
        assert gc.isenabled() is was_on
    finally:
        (gc.enable if before else gc.disable)()
