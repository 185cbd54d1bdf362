"""Balance a pole on a cart with a linear-quadratic regulator, and watch it as an animation.

Run: python examples/06_balance_cart_pole.py [folder for the pictures]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import dalembert as da

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())

values = {"m_c": 1.0, "m_p": 0.3, "l": 0.5, "g": 9.81}
model = da.compile(da.textbook.cart_pole(), parameters=values)

# the regulator linearises the exact dynamics at the top and solves the Riccati equation
upright = [0.0, np.pi]
regulator = da.control.LQR(model, upright, state_cost=[10, 1, 1, 1], input_cost=0.1)
times = np.linspace(0, 4, 201)
motion = da.simulate(model, [0.0, np.pi - 0.5], None, times, regulator)
print(f"{motion.status}: after 4 s the pole is {abs(motion['theta'][-1] - np.pi):.0e} rad off")

film = folder / "06_balance_cart_pole.html"
da.animate(model, motion).save(film)

# the same as a picture: the pole at every tenth of a second
x, theta = motion.q[:101:5].T
tip = np.stack([x + values["l"] * np.sin(theta), -values["l"] * np.cos(theta)], axis=1)
figure, (top, low) = plt.subplots(2, 1, figsize=(7, 5), layout="constrained")
for k, (start, end) in enumerate(zip(x, tip, strict=True)):
    shade = plt.get_cmap("viridis")(k / len(x))
    top.plot([start, end[0]], [0, end[1]], "-o", color=shade, markersize=3)
top.set(title="two seconds, from dark to light", ylabel="height in m", aspect="equal")
low.plot(motion.t, motion["x"], label="cart, m")
low.plot(motion.t, motion["theta"] - np.pi, label="pole, rad from the top")
low.plot(motion.t, motion.tau[:, 0] / 10, label="force, 10 N")
low.set(xlabel="time in s")
low.legend()
picture = folder / "06_balance_cart_pole.png"
figure.savefig(picture, dpi=70)
print(f"The motion: {picture}", f"The animation, for a browser: {film}", sep="\n")
