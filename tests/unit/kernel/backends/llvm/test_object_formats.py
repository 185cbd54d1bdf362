"""Machine code for every system we support: made, loaded, and run where this processor can."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.kernel.backends.llvm.foreign import SYSTEMS
from tests.unit.kernel.backends.llvm.kinds import KINDS

ROOT = Path(__file__).parents[5]


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_kind_of_module_on_every_system(system: str) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "tests.unit.kernel.backends.llvm.foreign", system],
        cwd=ROOT,
        env={**os.environ, "DALEMBERT_CACHE": ""},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert made.returncode == 0, made.stderr
    done = json.loads(made.stdout)
    # threads of Windows are Python's
    assert set(KINDS) - set(done) == ({"threads"} if system.startswith("windows") else set())
    is_arm = platform.machine().lower() in ("arm64", "aarch64")
    if system.endswith("arm64") == is_arm:
        # what XLA gives a handler is there with JAX, and cannot be called from code of Windows
        assert {kind for kind, what in done.items() if what != "ran"} <= {"XLA handler"}
