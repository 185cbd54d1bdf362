"""Which torques can an arm need within its limits of position, speed and acceleration?

Run: python examples/11_worst_case_torque.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

arm = da.textbook.robots.panda().with_payload("link7", mass=3, com=(0, 0, 0.1))
model = da.compile(arm)

# limits of the data sheet: rad/s, rad/s², N m
speed = np.array([2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61])
acceleration = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
torque = np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0])


def needed(rows):
    """Return the torques as parts of their limits, and the largest of them."""
    tau = model.inverse_dynamics(rows["q"], rows["qd"], rows["qdd"])
    part = np.abs(tau) / torque
    return {"part": part, "worst": part.max(axis=-1)}


spreads = {
    "q": (model.configuration.lower, model.configuration.upper),
    "qd": (-speed, speed),
    "qdd": (-acceleration, acceleration),
}
points = da.sweep.Sobol(spreads, 2**15)
with tempfile.TemporaryDirectory() as place:
    study = da.sweep(needed, points, place)
    print(study)
    part, worst = study["part"], study["worst"]
    row = int(np.argmax(worst))
    state = study["q"][row]
above = 100 * (worst > 1).mean()
print(f"{above:.1f} % of the states need more torque than a joint has")
print(f"the worst needs {worst[row]:.2f} times the limit, at q = {np.round(state, 2)}")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
joints = np.arange(1, 8)
for quantile, shade in ((1.0, 0.25), (0.999, 0.5), (0.99, 0.75), (0.5, 1.0)):
    label = "all" if quantile == 1 else f"{100 * quantile:g} %"
    left.bar(
        joints, np.quantile(part, quantile, axis=0), color="tab:blue", alpha=shade, label=label
    )
left.axhline(1, color="tab:red")
left.set(xlabel="joint", ylabel="torque / limit", title="enough for … of the states")
left.legend()
right.hist(worst, np.linspace(0, worst.max(), 80), color="tab:blue")
right.axvline(1, color="tab:red")
right.set(xlabel="largest torque / limit of a state", ylabel="states")
picture = folder / "11_worst_case_torque.png"
figure.savefig(picture, dpi=70)
print(f"The torques: {picture}")
