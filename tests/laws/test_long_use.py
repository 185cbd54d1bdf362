"""Using the library for long leaks neither memory nor open files; processes share one cache."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from tests.cases import num_cases
from tests.figures import Figures

WARM, CYCLES = 8, 20
MAX_GROWTH = 20e6
"""Bytes of growth that a run may show: allocators keep pages."""


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    text = Path("/proc/self/statm").read_text()
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def cycle(k: int) -> None:
    """Derive, compile, compute, simulate and let go; every cycle has numbers of its own."""
    eq = da.textbook.double_pendulum().equations()
    numbers = {x: 1.0 + (k + i) / 97 for i, x in enumerate(eq.parameters)}
    model = da.compile(da.textbook.double_pendulum(), parameters=numbers)
    model.mass_matrix(np.zeros(2))
    assert da.simulate(model, [1.0, 2.0], None, 0.05).ok


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_cycles_leak_nothing(scale: float, figures: Figures) -> None:
    for k in range(WARM):
        cycle(k)
    gc.collect()
    memory, files = resident(), open_files()
    cycles = num_cases(CYCLES, scale)
    for k in range(cycles):
        cycle(WARM + k)
    gc.collect()
    growth = resident() - memory
    figures.count("cycles", cycles)
    figures.worst("growth in MB", max(growth, 0) / 1e6)
    assert growth <= MAX_GROWTH
    assert open_files() <= files


WORK = """
import dalembert as da, numpy as np
for n in (2, 3, 4):
    model = da.compile(da.textbook.robots.planar_arm_nr(n))
    p = np.linspace(1, 2, len(model.symbols.parameters))
    print(model.mass_matrix(np.ones(n), parameters=p).tobytes().hex())
"""


def test_processes_share_one_cache(tmp_path: Path, scale: float, figures: Figures) -> None:
    environment = {**os.environ, "DALEMBERT_CACHE": str(tmp_path)}
    number = num_cases(4, scale)
    children = [
        subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, env=environment)
        for _ in range(number)
    ]
    printed = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0] * number
    assert len(set(printed)) == 1
    assert printed[0]
    figures.count("processes", number)
