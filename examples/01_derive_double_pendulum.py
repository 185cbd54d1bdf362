"""Derive the equations of a double pendulum from the places of its two masses, and let it swing.

Run: python examples/01_derive_double_pendulum.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

# where the masses are says everything: Lagrange's method does the rest
a, b = da.coordinates("a b")
m, l, g = da.parameters("m l g")
upper = (l * da.sin(a), -l * da.cos(a))
lower = (upper[0] + l * da.sin(b), upper[1] - l * da.cos(b))
pendulum = da.System.from_particles([m, m], [upper, lower], coordinates=[a, b], gravity=(0, -g))
eq = pendulum.equations()
print("Equations of motion:", eq, "", "Mass matrix:", eq.M, sep="\n")

# the same expressions, compiled, from two starts that differ by a thousandth of a radian
model = da.compile(pendulum, parameters={m: 1, l: 1, g: 9.81})
times = np.linspace(0, 8, 2000)
figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), sharex=True, sharey=True, layout="constrained")
for axis, start in zip(axes, (2.3, 2.301), strict=True):
    motion = da.simulate(model, [start, 2.8], None, times)
    x = np.sin(motion.q).sum(axis=1)
    y = -np.cos(motion.q).sum(axis=1)
    axis.plot(x, y, color="C0", linewidth=0.6)
    axis.plot([0, np.sin(motion["a"][-1]), x[-1]], [0, -np.cos(motion["a"][-1]), y[-1]], "k-o")
    axis.set(title=f"a(0) = {start} rad", xlabel="x in m", ylabel="y in m", aspect="equal")
    print(f"a(0) = {start}: energy kept to {motion.energy_error:.0e} J")
picture = folder / "01_derive_double_pendulum.png"
figure.savefig(picture, dpi=60)
print(f"The path of the lower mass: {picture}")
