"""Several devices: kernels are divided along the batch."""

import subprocess
import sys

import pytest

from tests.project.source_tree import ROOT

pytest.importorskip("jax", reason="needs JAX: pip install jax flatbuffers")


def test_four_devices() -> None:
    """JAX fixes the number of devices when it starts, so another process has them."""
    command = [sys.executable, "-m", "tests.unit.kernel.backends.jax.four_devices"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
