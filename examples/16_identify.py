"""Weigh a robot without scales: its masses and friction from a motion and its torques.

Run: python examples/16_identify.py [folder for the picture]
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da
from dalembert.identification import filtered

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
rng = np.random.default_rng(0)


def changed(robot, mass, friction):
    """Return the robot with masses and inertias times a factor, and friction in its joints."""
    links = [replace(x, inertia=x.inertia.map(lambda k: mass * k)) for x in robot.links]
    drag = {"damping": friction, "friction": friction}
    joints = [replace(x, resistance=replace(x.resistance, **drag)) for x in robot.joints]
    return replace(robot, links=tuple(links), joints=tuple(joints))


# what the data sheet says, and what stands in the laboratory
sheet = da.textbook.robots.ur5e()
robot = da.compile(changed(sheet, 0.8, 3))

# a minute of swinging, measured a thousand times a second
t = np.arange(0, 60, 1e-3)
rates = 2 * np.pi * np.arange(1, 9)[:, None] * 0.05
weights = 0.4 * rng.normal(size=(8, 6))
q = np.sin(t[:, None] * rates.T) @ weights
qd, qdd = (
    np.cos(t[:, None] * rates.T) @ (rates * weights),
    -np.sin(t[:, None] * rates.T) @ (rates**2 * weights),
)
tau = robot.inverse_dynamics(q, qd, qdd) + rng.normal(size=q.shape)
samples = filtered(t, q + 1e-5 * rng.normal(size=q.shape), tau, cutoff=4)

found = da.identify(da.compile(sheet), *samples[1:])
print(found.status)
true = (
    found.base.structure.weights
    @ np.array([float(x) for x in robot.regressor_parameters[1]])[list(found.unknown)]
)
inside = np.abs(found.base.values - true) < 4 * found.base.deviations
print(f"{inside.sum()} of {len(true)} base parameters within four standard deviations")
sheet_values = found.base.structure.weights @ found.given[list(found.unknown)]

# another motion: what the sheet and what the fit predict
test = -0.7 * q[:20_000], -0.7 * qd[:20_000], -0.7 * qdd[:20_000]
want = robot.inverse_dynamics(*test)
guess, fit = da.compile(sheet).inverse_dynamics(*test), found.predict(*test)
left_over = [np.sqrt(np.mean((x - want) ** 2)) for x in (guess, fit)]
print("another motion: off by {:.2f} N m with the sheet, {:.2f} with the fit".format(*left_over))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
order = np.argsort(-np.abs(true))[:16]
places = np.arange(len(order))
size = np.abs(true[order])
left.bar(places - 0.2, (sheet_values - true)[order] / size, 0.4, color="0.75", label="data sheet")
left.bar(places + 0.2, (found.base.values - true)[order] / size, 0.4, color="C0", label="found")
left.set(
    xlabel="the 16 largest base parameters", ylabel="relative error", xticks=[], title="parameters"
)
left.legend(loc="lower right")
right.plot(t[:20_000], want[:, 1], "k", linewidth=1, label="true")
right.plot(t[:20_000], guess[:, 1], color="0.6", linewidth=1, label="data sheet")
right.plot(t[:20_000], fit[:, 1], "C0--", linewidth=1, label="found")
right.set(xlabel="time in s", ylabel="torque in N m", title="second joint, another motion")
right.set_ylim(top=want[:, 1].max() + 8)
right.legend(ncol=3, fontsize="small")
picture = folder / "16_identify.png"
figure.savefig(picture, dpi=70)
print(f"Parameters and torques: {picture}")
