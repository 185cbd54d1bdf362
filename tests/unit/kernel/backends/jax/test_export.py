"""Functions with kernels in them go to other processes as bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, EvaluationError, ParseError
from tests.project.source_tree import ROOT, SRC

jax: Any = pytest.importorskip("jax", reason="needs JAX: pip install jax flatbuffers")
pytest.importorskip("flatbuffers", reason="needs flatbuffers: pip install jax flatbuffers")
export: Any = pytest.importorskip("jax.export")

ELSEWHERE = """
import sys
import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
import dalembert as da

data, arrays, result = sys.argv[1:]
total = da.import_jax(open(data, "rb").read())
given = np.load(arrays)
found = [jax.grad(total)(*given[:, :count]) for count in (1, 20)]
assert np.array_equal(found[0], found[1][:1])
np.save(result, [found[1], np.full((20, 6), total(*given))])
"""


@pytest.fixture(autouse=True)
def double():
    """Switch 64 bits on, and off again."""
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def test_value_and_gradient_in_another_process(tmp_path: Path) -> None:
    """One export serves all batches; gradients against derivatives by another route."""
    model = da.compile(da.textbook.robots.ur5e())
    fast: Any = model.jax()
    (count,) = export.symbolic_shape("n")
    each = jax.ShapeDtypeStruct((count, 6), "float64")
    total = jax.jit(lambda q, v, u: fast.forward_dynamics(q, v, u).sum())
    data = da.export_jax(total, each, each, each, derivatives=1)
    (tmp_path / "total").write_bytes(data)
    arrays = np.random.default_rng(0).uniform(-1, 1, (3, 20, 6))
    np.save(tmp_path / "arrays.npy", arrays)
    places = [str(tmp_path / name) for name in ("total", "arrays.npy", "result.npy")]
    path = os.pathsep.join([str(SRC), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, *places],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    slope, value = np.load(places[2])
    expected = model.forward_dynamics_derivatives(*arrays)[0].sum(axis=-2)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(value, model.forward_dynamics(*arrays).sum(), rtol=1e-10)


def test_refusals() -> None:
    model: Any = da.compile(da.textbook.robots.ur5e(), backend="jax")
    with pytest.raises(EvaluationError, match=r"export jax\.jit\(function\)"):
        da.export_jax(model.mass_matrix, np.zeros(6))
    data = da.export_jax(jax.jit(model.mass_matrix), np.zeros(6))
    for wrong in (b"", b"{}", b"[1]", data[:-20], data.replace(b"A", b"B", 1)):
        with pytest.raises(ParseError, match="expected what export_jax wrote"):
            da.import_jax(wrong)


def test_faults_of_the_function_are_told() -> None:
    model: Any = da.compile(da.textbook.robots.ur5e(), backend="jax")
    with pytest.raises(DalembertError, match="expected shape"):
        da.export_jax(jax.jit(model.mass_matrix), np.zeros(5))
