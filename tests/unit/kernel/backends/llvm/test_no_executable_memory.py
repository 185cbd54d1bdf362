"""Systems that run no code made while a program runs: an error, not the end of the process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from llvmlite import binding as llvm

import dalembert as da
from dalembert.errors import MissingDependency
from dalembert.kernel.backends.llvm import jit

FORBIDDEN = """
import ctypes, sys
import dalembert as da

# what systemd's MemoryDenyWriteExecute does, for this process
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1
if ctypes.CDLL(None).prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0):
    sys.exit(77)
(x,) = da.parameters("x")
try:
    da.compile_function(x * x, {"x": x})(3.0)
except da.MissingDependency as error:
    print(error)
print(da.compile_function(x * x, {"x": x}, backend="numpy")(3.0))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a flag of Linux")
def test_a_system_that_forbids_it_is_told_apart() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", FORBIDDEN],
        env={**os.environ, "DALEMBERT_CACHE": ""},
        capture_output=True,
        text=True,
        timeout=600,
    )
    if ended.returncode == 77:
        pytest.skip("this Linux has no such flag")
    assert ended.returncode == 0, ended.stderr
    told, result = ended.stdout.splitlines()
    assert 'backend="numpy"' in told
    assert result == "9.0"


def test_a_refusal_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise OSError(13, "cannot allocate executable memory")

    monkeypatch.setattr(llvm, "check_jit_execution", refuse)
    jit.require_executable_memory.cache_clear()
    (x,) = da.parameters("x")
    with pytest.raises(MissingDependency, match="forbids it"):
        da.compile_function(x + 1, {"x": x})(1.0)
    monkeypatch.undo()
    assert da.compile_function(x + 1, {"x": x})(1.0) == 2
