"""How far from where it should be is the tip of an arm that was made with tolerances?

Run: python examples/12_workspace_tolerances.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

arm = da.textbook.robots.planar_arm_nr(2)
a1, a2 = (next(p for p in arm.parameters if str(p) == name) for name in ("a₁", "a₂"))
others = {p: 1 for p in arm.parameters if p not in (a1, a2)}
model = da.compile(arm, parameters=others)

lengths = np.array([0.4, 0.3])
in_length, in_angle = 0.1e-3, np.radians(0.02)


def tip(q, links):
    values = {a1: links[..., 0], a2: links[..., 1]}
    return model.forward_kinematics(q, "tip", parameters=values)[..., :2, 3]


def made(rows):
    """Return where the tip is meant to be, and how far off one arm from the factory has it."""
    # four random numbers for each row: deviations of lengths and of encoders
    deviation = rows.normal(4)
    wanted = tip(rows["q"], lengths)
    came = tip(rows["q"] + in_angle * deviation[:, 2:], lengths + in_length * deviation[:, :2])
    error = 1000 * np.linalg.norm(came - wanted, axis=-1)
    return {"x": wanted[:, 0], "y": wanted[:, 1], "error": error}


points = da.sweep.Sobol({"q": ([-np.pi / 2, 0.1], [np.pi / 2, 2.8])}, 2**15)
with tempfile.TemporaryDirectory() as place:
    study = da.sweep(made, points, place, seed=3)
    print(study)
    error = study["error"]
    print(f"99 % of all places are met within {np.quantile(error, 0.99):.2f} mm")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    study.plot_heat_map("x", "y", "error", cells=50, ax=left)
    left.set(xlabel="x in m", ylabel="y in m", aspect="equal", title="mean error in mm")
    study.plot_histogram("error", ax=right)
    right.set(xlabel="error of the tip in mm")
picture = folder / "12_workspace_tolerances.png"
figure.savefig(picture, dpi=70)
print(f"The errors: {picture}")
