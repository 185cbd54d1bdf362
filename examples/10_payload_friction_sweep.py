"""Move an arm with unknown load and friction: how far has it come, over 1024 arms?

Run: python examples/10_payload_friction_sweep.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

# load and friction are letters: one compiled program serves all arms
load, friction = da.parameters("load friction")
bare = da.compile(da.textbook.robots.panda())
loaded = da.compile(da.textbook.robots.panda().with_payload("link7", mass=load, com=(0, 0, 0.15)))

# the controller knows neither
start = np.array([0.0, 0.0, 0.0, -1.2, 0.0, 1.5, 0.0])
goal = np.array([0.3, 0.3, 0.0, -1.6, 0.0, 1.9, 0.0])
stiffness, damping = [400, 400, 400, 400, 50, 50, 10], [40, 40, 40, 40, 3, 3, 0.5]
control = da.control.PDGravity(bare, goal, stiffness=stiffness, damping=damping)
# friction of the large joints; the small ones at the wrist have little of it
size = [1, 1, 1, 1, 0.02, 0.02, 0.005]
assert control.law is not None
law = [u - friction * k * v for u, k, v in zip(control.law, size, loaded.symbols.qd, strict=True)]
flange = bare.forward_kinematics(goal, "flange")[:3, 3]


def move(rows):
    """Return how far from the goal each arm is after 0.4 s, in mm."""
    parameters = {load: rows["load"], friction: rows["friction"]}
    method = da.simulation.RK4(5e-4)
    runs = da.rollout(
        loaded, start, None, 800, law, method=method, parameters=parameters, record=None
    )
    place = bare.forward_kinematics(runs.q[:, -1], "flange")[:, :3, 3]
    return {"error": 1000 * np.linalg.norm(place - flange, axis=-1)}


points = da.sweep.LatinHypercube({"load": (0, 3), "friction": (0, 40)}, 1024)
with tempfile.TemporaryDirectory() as place:
    study = da.sweep(move, points, place, seed=1)
    print(study)
    error = study["error"]
    middle, last = np.median(error), error.max()
    print(f"half of the arms are within {middle:.0f} mm, the last has {last:.0f} mm to go")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    study.plot_heat_map("load", "friction", "error", cells=14, ax=left)
    left.set(xlabel="load in kg", ylabel="friction in N m s/rad")
    study.plot_histogram("error", bins=40, ax=right)
    right.set(xlabel="distance from the goal after 0.4 s, in mm")
picture = folder / "10_payload_friction_sweep.png"
figure.savefig(picture, dpi=70)
print(f"The spread: {picture}")
