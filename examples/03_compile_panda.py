"""Compile the dynamics of a seven-joint arm and time them, from one state to a hundred thousand.

Run: python examples/03_compile_panda.py [folder for the picture]
"""

import sys
import tempfile
import timeit
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

model = da.compile(da.textbook.robots.panda())  # or da.load("robot.urdf")
rng = np.random.default_rng(0)
batches = [1, 10, 100, 1_000, 10_000, 100_000]
functions = {
    "inverse dynamics": model.inverse_dynamics,
    "forward dynamics": model.forward_dynamics,
}


def nanoseconds(function, size):
    """Return the time for each state in the quickest of a few runs."""
    shape = (size, 7) if size > 1 else (7,)
    arguments = rng.uniform(-1, 1, (3, *shape))
    calls = max(1, 5_000 // size)
    return 1e9 * min(timeit.repeat(lambda: function(*arguments), number=calls)) / calls / size


figure, axis = plt.subplots(figsize=(7, 4), layout="constrained")
for name, function in functions.items():
    # the first call compiles; later programs find the code on disk
    function(*np.zeros((3, 7)))
    times = [nanoseconds(function, size) for size in batches]
    axis.loglog(batches, times, "o-", label=name)
    print(f"{name}: {times[0]:.0f} ns for one state, {times[-1]:.0f} ns in a batch")

# forward and inverse dynamics undo each other
q, qd, qdd = rng.uniform(-1, 1, (3, 1000, 7))
tau = model.inverse_dynamics(q, qd, qdd)
print(f"largest error of q̈: {np.abs(model.forward_dynamics(q, qd, tau) - qdd).max():.0e} rad/s²")

axis.set(title="Panda, float64", xlabel="states in a call", ylabel="nanoseconds for each state")
axis.grid(alpha=0.3)
axis.legend()
picture = folder / "03_compile_panda.png"
figure.savefig(picture, dpi=70)
print(f"The times: {picture}")
