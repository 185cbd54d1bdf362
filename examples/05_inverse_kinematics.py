"""Let an arm write a circle with its tool pointing down, and ask for a point out of its reach.

Run: python examples/05_inverse_kinematics.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da
from dalembert import ik

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

model = da.compile(da.textbook.robots.panda())
angle = np.linspace(0, 2 * np.pi, 200)
circle = np.stack([0.45 + 0.2 * np.cos(angle), 0.2 * np.sin(angle), 0.4 + 0 * angle], axis=1)

# one solution after another, each from the one before: the arm moves smoothly
q = np.array([0.0, 0.2, 0.0, -1.8, 0.0, 2.0, 0.0])
path = []
for point in circle:
    tasks = [ik.PositionTask("flange", point), ik.AxisTask("flange", [0, 0, -1])]
    found = da.solve_ik(model, tasks, q)
    if not found.ok:
        sys.exit(f"stopped: {found.status}")
    q = found.q
    path.append(q)
joints = np.array(path)
written = model.forward_kinematics(joints, "flange")[:, :3, 3]
print(f"200 points, off by at most {np.abs(written - circle).max():.0e} m")

# what cannot be reached is said, with the nearest point
print(da.solve_ik(model, ik.PositionTask("flange", [0, 0, 2.0])).status)

figure = plt.figure(figsize=(9, 4), layout="constrained")
axis = figure.add_subplot(1, 2, 1, projection="3d")
da.analysis.plot_arm(model, joints[25], "flange", ellipsoids=(), ax=axis)
axis.plot(*written.T, color="C3")
axis = figure.add_subplot(1, 2, 2)
axis.plot(np.degrees(angle), joints, label=[f"joint {k}" for k in range(1, 8)])
axis.set(xlabel="place on the circle in degrees", ylabel="joint angles in rad")
axis.legend(fontsize=7, ncols=2)
picture = folder / "05_inverse_kinematics.png"
figure.savefig(picture, dpi=70)
print(f"The arm and its joints: {picture}")
