"""Simulate a four-bar linkage for twenty seconds: its loop stays closed, its energy stays the same.

Run: python examples/04_four_bar.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

lengths = {"l0": 1.0, "l1": 0.3, "l2": 0.9, "l3": 0.7}
masses = {"m1": 1.0, "m2": 1.2, "m3": 1.1, "g": 9.81}
model = da.compile(da.textbook.robots.four_bar(), parameters=lengths | masses)

# a rough guess of the angles: the nearest state on the constraints is taken
times = np.linspace(0, 20, 1001)
motion = da.simulate(model, [0.5, 0.4, 1.5], [8.0, 0.0, 0.0], times, initial="project")
gap = np.abs(motion.position_error).max()
print(
    f"{motion.status}: loop open by at most {gap:.0e} m, energy off by {motion.energy_error:.0e} J"
)

energy = motion.energy
first = motion.t <= 3
figure, (top, low) = plt.subplots(2, 1, figsize=(7, 5), layout="constrained")
kinetic, potential = model.kinetic_energy(motion.q, motion.qd), model.potential_energy(motion.q)
top.plot(motion.t[first], kinetic[first], label="kinetic")
top.plot(motion.t[first], potential[first], label="potential")
top.plot(motion.t[first], energy.total[first], "k", label="total")
top.set(ylabel="energy in J", ylim=(0, 22), title="the first three seconds")
top.legend(ncols=3, loc="upper center")
largest = np.maximum.accumulate
low.semilogy(motion.t, largest(np.abs(energy.total - energy.total[0])), label="energy, J")
low.semilogy(motion.t, largest(motion.position_error), label="gap of the loop, m")
low.set(xlabel="time in s", ylabel="largest error so far", ylim=(1e-17, 1e-9))
low.legend(loc="upper left")
picture = folder / "04_four_bar.png"
figure.savefig(picture, dpi=70)
print(f"Energies and errors: {picture}")
