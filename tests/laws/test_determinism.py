"""The same input gives the same bytes: in another process, whatever was made before.

Children run with other hash seeds, and the second half of them makes other objects first, since
ages and addresses of objects must not show.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cases import num_cases
from tests.figures import Figures

BEFORE = """
import dalembert as da
x, y, z = da.coordinates("q3 q1 q2")
sink = open(__import__("os").devnull, "w")
print(da.sin(y * z) + da.cos(x + y), file=sink)
da.textbook.cart_pole().equations().C
b, a, y = da.parameters("b a y")
print(da.cos(da.log(a) + 9 * da.log(y)) + da.sqrt(b + a) + da.exp(b * a), file=sink)
"""

SCRIPTS = {
    "equations": """
import dalembert as da
for name in ("rp_arm", "cart_pole", "double_pendulum", "rp_arm_maximal", "spherical_pendulum"):
    eq = getattr(da.textbook, name)().equations()
    print(eq)
    print(eq.latex())
    print(eq.M, eq.C, eq.N)
    print(*eq.prove(), sep="\\n")
""",
    "functions": """
import dalembert as da
a, y, b = da.parameters("a y b")
print(da.sin(da.log(y) / (3 * a) + 9 * da.log(a)))
print(da.exp(a * b) + da.sqrt(a + b) * da.cos(a / b + y))
""",
    "sources": """
import dalembert as da
model = da.compile(da.textbook.robots.planar_arm_nr(3))
print(model.source("c"))
print(*model.prove(), sep="\\n")
""",
    "a simulation": """
import dalembert as da
numbers = {x: 1 + k / 8 for k, x in enumerate(da.parameters("m1 m2 l1 l2 g"))}
model = da.compile(da.textbook.double_pendulum(), parameters=numbers)
motion = da.simulate(model, [1.0, 2.0], None, 2.0)
print(motion.q.tobytes().hex(), motion.qd.tobytes().hex())
""",
}


def run(code: str, hash_seed: int) -> str:
    """Return what a child process prints."""
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.parametrize("name", SCRIPTS)
def test_bytes_repeat(name: str, scale: float, figures: Figures) -> None:
    first = run(SCRIPTS[name], 0)
    assert len(first) > 40
    runs = num_cases(3, scale)
    for k in range(1, runs + 1):
        code = BEFORE + SCRIPTS[name] if k % 2 else SCRIPTS[name]
        assert run(code, k) == first
    figures.count("runs", runs + 1)
