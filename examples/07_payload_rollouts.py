"""Hold an arm with 512 different loads in its hand: how far does it sag, and how soon is it still?

Run: python examples/07_payload_rollouts.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

# the load is a letter in the model, so that one compiled program serves all loads
(load,) = da.parameters("load")
bare = da.compile(da.textbook.robots.panda())
loaded = da.compile(da.textbook.robots.panda().with_payload("link7", mass=load, com=(0, 0, 0.15)))

# the controller knows the weight of the arm, not of the load
home = np.array([0.0, 0.3, 0.0, -1.6, 0.0, 1.9, 0.0])
stiffness, damping = [600, 600, 600, 600, 150, 150, 50], [60, 60, 60, 60, 12, 12, 5]
hold = da.control.PDGravity(bare, home, stiffness=stiffness, damping=damping)

masses = np.random.default_rng(0).uniform(0, 3, 512)
method = da.simulation.RK4(1e-3)
runs = da.rollout(
    loaded, home, None, 2000, hold.law, method=method, parameters={load: masses}, record=20
)
print(f"{runs.status}: {runs.steps_per_second:,.0f} steps a second")

height = bare.forward_kinematics(runs.q, "flange")[..., 2, 3]
sag = 1000 * (height[:, :1] - height)
print(f"a load of 1 kg costs {np.polyfit(masses, sag[:, -1], 1)[0]:.1f} mm")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for mass, line in zip(masses[::16], sag[::16], strict=True):
    left.plot(runs.t, line, color=plt.get_cmap("viridis")(mass / 3), linewidth=0.8)
left.set(xlabel="time in s", ylabel="sag of the flange in mm", title="32 of 512 loads")
right.plot(masses, sag[:, -1], ".", markersize=3)
right.set(xlabel="load in kg", ylabel="sag after 2 s in mm")
picture = folder / "07_payload_rollouts.png"
figure.savefig(picture, dpi=70)
print(f"The sag: {picture}")
