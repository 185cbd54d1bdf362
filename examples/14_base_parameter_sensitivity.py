"""Which numbers of an arm must be known well, and which hardly matter for its torques?

Run: python examples/14_base_parameter_sensitivity.py [folder for the picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

arm = da.textbook.robots.panda()
model = da.compile(arm)

# τ = Y θ with the fewest θ: combinations of masses and inertias that motion can tell apart
base = arm.base_parameters()
theta = np.array([float(x) for x in base.values])
columns = list(base.independent)
names = [str(base.full[k]) for k in columns]


def wrong(rows):
    """Return the error of the torques if every base parameter is 10 % off, drawn for each row."""
    Y = model.regressor(rows["q"], rows["qd"], rows["qdd"])[..., columns]
    error = Y * theta * 0.1 * rows.normal(len(theta))[:, None, :]
    # variance of the torques by each parameter, in N² m²
    return {"share": (error**2).sum(axis=1), "error": np.linalg.norm(error.sum(axis=-1), axis=-1)}


low, high = model.configuration.lower, model.configuration.upper
spreads = {"q": (low, high), "qd": ([-2] * 7, [2] * 7), "qdd": ([-5] * 7, [5] * 7)}
with tempfile.TemporaryDirectory() as place:
    study = da.sweep(wrong, da.sweep.Sobol(spreads, 2**12), place, seed=2)
    print(study)
    share, error = study["share"].mean(axis=0), study["error"]
# the parts of independent errors add up to the whole
assert np.isclose(share.sum(), (error**2).mean(), rtol=0.05)
order = np.argsort(-share)
most = int(np.searchsorted(np.cumsum(share[order]), 0.9 * share.sum())) + 1
print(f"{most} of {len(theta)} base parameters make 90 % of the error of the torques")

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
shown = order[:15][::-1]
left.barh([names[k] for k in shown], 100 * share[shown] / share.sum())
left.set(xlabel="share of the variance in %", title="15 largest")
right.hist(error, 60)
right.set(xlabel="error of the torques in N m", ylabel="states", title="all 10 % off")
picture = folder / "14_base_parameter_sensitivity.png"
figure.savefig(picture, dpi=70)
print(f"The shares: {picture}")
