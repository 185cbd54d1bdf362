"""How wrong may gains and masses be before a regulator drops the pole?

Run: python examples/13_gain_robustness.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

values = {"m_c": 1.0, "m_p": 0.3, "l": 0.5, "g": 9.81}
nominal = da.compile(da.textbook.cart_pole(), parameters=values)
regulator = da.control.LQR(nominal, [0.0, np.pi], state_cost=[10, 1, 1, 1], input_cost=0.1)

# the real pole has another mass, and its amplifier another gain
cart_pole = da.compile(da.textbook.cart_pole(), parameters={"m_c": 1.0, "l": 0.5, "g": 9.81})
(gain,) = da.parameters("gain")
assert regulator.law is not None
law = [gain * u for u in regulator.law]


def balance(rows):
    """Return whether the pole stands after four seconds: 1, or 0 for one that fell."""
    start = np.stack((np.zeros(len(rows)), np.pi - rows["tilt"]), axis=-1)
    parameters = {gain: rows["gain"], "m_p": rows["mass"]}
    method = da.simulation.RK4(4e-3)
    runs = da.rollout(
        cart_pole, start, None, 1000, law, method=method, parameters=parameters, record=None
    )
    # one that is thrown out of all bounds has fallen too
    return {"stands": (np.abs(runs.q[:, -1, 1] - np.pi) < 0.1).astype(float)}


points = da.sweep.LatinHypercube({"gain": (0.2, 2), "mass": (0.05, 3), "tilt": (0, 0.6)}, 8192)
with tempfile.TemporaryDirectory() as place:
    study = da.sweep(balance, points, place)
    print(study)
    stands, strong = study["stands"], study["gain"] > 0.9
    print(f"{100 * stands.mean():.0f} % of all poles stand", end=", ")
    print(f"of those with a gain of 0.9 or more {100 * stands[strong].mean():.0f} %")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    study.plot_heat_map("gain", "mass", "stands", cells=20, ax=left)
    left.set(
        xlabel="gain / designed gain", ylabel="mass of the pole in kg", title="share that stands"
    )
    study.plot_parallel(["tilt", "mass", "gain", "stands"], lines=40, ax=right)
picture = folder / "13_gain_robustness.png"
figure.savefig(picture, dpi=55)
print(f"The map: {picture}")
